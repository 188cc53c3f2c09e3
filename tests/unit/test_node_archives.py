"""Archives of nodes: read as they are, equal answers once, and nothing that an archive holds can hurt its reader."""

from __future__ import annotations

import gzip
import io
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from asbuilt.model.capture import Capture
from asbuilt.model.capture_set import MANIFEST_FILE, MANIFEST_MARK
from asbuilt.model.facts import UNREAD
from asbuilt.workflow import node_archives
from asbuilt.workflow.captures import facts_of, read_captures
from asbuilt.workflow.node_archives import NODE_ARCHIVE, fleet_facts, is_archive

NUMACTL = (
    "available: 1 nodes (0)\nnode 0 cpus: 0 1 2 3\nnode 0 size: 1000 MB\nnode 0 free: 10 MB\n"
    "node distances:\nnode   0\n  0:  10\n"
)
COLUMNS = "id\texit_code\tseconds\tstarted\toutcome\tcommand"


def manifest(node: str) -> bytes:
    head = f"{MANIFEST_MARK} plan 0123456789ab node {node}\n{COLUMNS}\n"
    return f"{head}numactl\t0\t0.1\t2026-12-01T08:00:00Z\tran\tnumactl -H\n".encode()


def packed(node: str, files: dict[str, bytes] | None = None, folder: str | None = None) -> bytes:
    """A tar.gz as the capture script writes it, with members of any name beside."""
    members = {MANIFEST_FILE: manifest(node), "numactl.txt": NUMACTL.encode(), **(files or {})}
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(f"{folder or node}/{name}" if not name.startswith(("/", "..")) else name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return made.getvalue()


def archive(node: str, data: bytes | None = None) -> Capture:
    return Capture(f"{node}.tar.gz", data if data is not None else packed(node), NODE_ARCHIVE)


def test_equal_answers_of_many_nodes_are_read_once_and_told_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    tool = node_archives.TOOLS["numactl"]

    class Counted:
        def parse(self, capture: Capture):  # type: ignore[no-untyped-def]
            asked.append(capture.id)
            return tool.parse(capture)

    monkeypatch.setitem(node_archives.TOOLS, "numactl", Counted())  # type: ignore[arg-type]
    facts = fleet_facts([archive(f"gpu{i:03d}") for i in range(20)])
    assert asked == ["gpu000/numactl"]
    rows = facts.tables["numa_facts"]
    assert rows["host"].to_list() == [f"gpu{i:03d}" for i in range(20)]
    assert rows["capture_id"].to_list() == [f"gpu{i:03d}/numactl" for i in range(20)]
    account = facts.accounts["nodes/numactl"]
    assert account.balanced and account.total == 20 * len(NUMACTL.splitlines())


def test_processes_give_the_same_as_one() -> None:
    archives = [archive(f"gpu{i:03d}") for i in range(600)]
    with ThreadPoolExecutor(2) as executor:
        many = fleet_facts(archives, executor)
    one = fleet_facts(archives)
    assert {k: v.rows() for k, v in many.tables.items()} == {k: v.rows() for k, v in one.tables.items()}
    assert many.accounts == one.accounts


def test_a_folder_is_read_as_its_tar_file(tmp_path: Path) -> None:
    place = tmp_path / "nodes" / "gpu000"
    place.mkdir(parents=True)
    (place / MANIFEST_FILE).write_bytes(manifest("gpu000"))
    (place / "numactl.txt").write_text(NUMACTL, encoding="utf-8")
    (tmp_path / "nodes" / "gpu001.tar.gz").write_bytes(packed("gpu001"))
    assert is_archive(place) and not is_archive(tmp_path)
    captures = read_captures([tmp_path])
    assert [c.tool for c in captures] == [NODE_ARCHIVE] * 2
    assert facts_of(captures).tables["numa_facts"]["host"].to_list() == ["gpu000", "gpu001"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the archive cannot be read"),
        (b"no tar at all" * 100, "the archive cannot be read"),
        (gzip.compress(b"\x00" * 4096), f"no {MANIFEST_FILE}"),
        (packed("gpu000")[:40], "the archive cannot be read"),
        (packed("gpu000", {MANIFEST_FILE: b"id\texit_code\n"}), f"no {MANIFEST_FILE} that begins with"),
    ],
    ids=["empty", "no tar", "zeros", "cut in its head", "no manifest"],
)  # fmt: skip
def test_what_is_no_archive_costs_itself_alone(data: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "bad.tar.gz").write_bytes(data)
    bad = Capture("bad.tar.gz", b"", NODE_ARCHIVE, file=str(tmp_path / "bad.tar.gz"))
    facts = fleet_facts([bad, archive("gpu001")])
    assert facts.tables["numa_facts"]["host"].to_list() == ["gpu001"]
    assert said in facts.details[f"{UNREAD}bad.tar.gz"] and any(said in n for n in facts.notes)


def test_of_a_cut_archive_what_stands_before_the_cut_is_read() -> None:
    whole = packed("gpu000", {"packages.txt": bytes(range(256)) * 4000})
    facts = fleet_facts([archive("gpu000", whole[: len(whole) - 200])])
    assert facts.tables["numa_facts"]["host"].to_list() == ["gpu000"]
    assert any("the archive is cut" in n for n in facts.notes)


def test_names_that_lead_elsewhere_are_passed_over(tmp_path: Path) -> None:
    data = packed("gpu000", {"../../etc/passwd": b"x", "/etc/shadow": b"x", "sub/dir/numactl.txt": b"x", "a b.txt": b"x"})
    before = sorted(tmp_path.rglob("*"))
    facts = fleet_facts([archive("gpu000", data)])
    assert facts.tables["numa_facts"].height == 1 and sorted(tmp_path.rglob("*")) == before


def test_an_answer_that_is_too_large_is_refused_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_archives, "MOST_ANSWER", 1000)
    bomb = packed("gpu000", {"dmesg.txt": b"\x00" * 5000})
    facts = fleet_facts([archive("gpu000", bomb)])
    assert "more than an answer may have" in facts.details[f"{UNREAD}gpu000.tar.gz"] and not facts.tables


def test_links_in_a_folder_are_not_followed(tmp_path: Path) -> None:
    place = tmp_path / "gpu000"
    place.mkdir()
    (place / MANIFEST_FILE).write_bytes(manifest("gpu000"))
    (tmp_path / "secret").write_text(NUMACTL, encoding="utf-8")
    (place / "numactl.txt").symlink_to(tmp_path / "secret")
    facts = fleet_facts([Capture("gpu000", b"", NODE_ARCHIVE, file=str(place))])
    assert "numa_facts" not in facts.tables
