"""`asbuilt collect`: landing, resuming, looking at archives that came another way, and asking through srun."""

from __future__ import annotations

import base64
import dataclasses
import gzip
import io
import json
import stat
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.cli.main import main
from asbuilt.collect import landed, srun
from asbuilt.collect.ansible import Way
from asbuilt.collect.heard import ANSWERED, FAILED, HUNG, UNREACHABLE, Heard
from asbuilt.collect.landed import look, look_at, put
from asbuilt.model.capture_set import BEGIN, COMMANDS, END
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Verdict
from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.faults import apply
from asbuilt.rehearse.node_twin import Fleet
from asbuilt.workflow import collect as rooms
from asbuilt.workflow.captures import read_captures
from asbuilt.workflow.collect import Wish, collect, survey, wanted, why_not
from asbuilt.workflow.plan import compile_project
from asbuilt.workflow.rehearse import parsed
from asbuilt.workflow.verify import verify


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("collect") / "p"
    assert main(["new", "l40s-384", str(folder)]) == 0
    compile_project(folder)
    return folder


@pytest.fixture(scope="module")
def plan(project: Path) -> Plan:
    return compile_project(project)


@pytest.fixture(scope="module")
def twin(plan: Plan) -> Fleet:
    return Fleet(plan, as_planned(plan))


def printed(name: str, data: bytes) -> str:
    return f"{BEGIN} {name}.tar.gz\n{base64.encodebytes(data).decode()}{END}\n"


def engine(twin: Fleet, asked: list[str], **other: Heard) -> Callable[..., None]:
    """An engine that answers as the twin does, but for nodes that ``other`` names."""
    keys = {twin.name(n): n for n in twin.nodes}

    def ask(names: list[str], script: bytes, way: Way, listen: Callable[[Heard], None]) -> None:
        assert script.startswith(b"#!/bin/sh\n# asbuilt capture set v1 plan ")
        for name in names:
            asked.append(name)
            listen(other.get(name) or Heard(name, ANSWERED, printed(name, twin.archive(keys[name]))))

    return ask


def test_each_node_stands_for_itself(
    project: Path, plan: Plan, twin: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    keys = {twin.name(n): n for n in twin.nodes}
    cut = printed("node0003", twin.archive(keys["node0003"])[:-40])
    other = {
        "node0001": Heard("node0001", UNREACHABLE, why="Connection refused"),
        "node0002": Heard("node0002", HUNG, why="it did not end in time"),
        "node0003": Heard("node0003", ANSWERED, cut),
        "node0004": Heard("node0004", ANSWERED, printed("node0004", twin.archive(keys["node0005"]))),
        "node0006": Heard("node0006", FAILED, "bash: sh: not found", "exit 127"),
    }
    monkeypatch.setitem(rooms.ENGINES, "ansible", engine(twin, asked, **other))
    wish = Wish("node[0000-0007]", tmp_path / "out")
    told: list[tuple[str, int]] = []
    first = collect(project, plan, wish, lambda stand, total: told.append((stand.how, total)))
    assert {s.name: (s.how, s.why) for s in first.stands} == {
        "node0000": ("answered", ""),
        "node0001": ("unreachable", "Connection refused"),
        "node0002": ("hung", "it did not end in time"),
        "node0003": ("not whole", "it is cut"),
        "node0004": ("not whole", "its archive says that it is of node0005"),
        "node0005": ("answered", ""),
        "node0006": ("failed", "exit 127"),
        "node0007": ("answered", ""),
    }
    assert first.exit_code == 3 and len(told) == 8
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["node0000.tar.gz", "node0005.tar.gz", "node0007.tar.gz"]
    asked.clear()
    monkeypatch.setitem(rooms.ENGINES, "ansible", engine(twin, asked))
    second = collect(project, plan, wish)
    assert asked == ["node0001", "node0002", "node0003", "node0004", "node0006"]
    assert second.counts == {"answered": 5, "here": 3} and second.exit_code == 0
    asked.clear()
    collect(project, plan, dataclasses.replace(wish, nodes="node0000", again=True))
    assert asked == ["node0000"]
    kept = [p.name for p in (tmp_path / "out").iterdir() if p.name.startswith(".")]
    assert len(kept) == 1 and kept[0].startswith(".node0000.tar.gz.") and kept[0].endswith(".before")
    judged = verify(plan, [tmp_path / "out"])
    assert {f.id: len(f.subjects) for f in judged.findings if f.id.startswith("NOD-00")} == {"NOD-001": 40}


def test_a_new_plan_starts_a_new_folder(project: Path, plan: Plan, twin: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setitem(rooms.ENGINES, "ansible", engine(twin, asked))
    assert collect(project, plan, Wish("node0000")).folder == project / "captures" / "nodes-1"
    assert collect(project, plan, Wish("node0001")).folder == project / "captures" / "nodes-1"
    other = dataclasses.replace(plan, plan_hash="f" * 64)
    monkeypatch.setitem(rooms.ENGINES, "ansible", engine(Fleet(other, as_planned(other)), asked))
    assert collect(project, other, Wish("node0001")).folder == project / "captures" / "nodes-2"
    assert asked == ["node0000", "node0001", "node0001"]
    read = read_captures([project / "captures"])
    assert [str(Path(c.file).relative_to(project / "captures")) for c in read] == [
        "nodes-1/node0000.tar.gz",
        "nodes-2/node0001.tar.gz",
    ]


def test_archives_that_came_by_hand_are_looked_at(
    project: Path, plan: Plan, twin: Fleet, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "usb"
    folder.mkdir()
    archives = {twin.name(n): n for n in twin.nodes[:4]}
    for name, node in archives.items():
        (folder / f"{name}.tar.gz").write_bytes(twin.archive(node))
    old = gzip.decompress(twin.archive(twin.nodes[4])).replace(plan.plan_hash[:12].encode(), b"0123456789ab")
    (folder / "node0004.tar").write_bytes(old)
    (folder / "node0003.tar.gz").write_bytes(b"\x1f\x8bno")
    stranger = twin.archive(twin.nodes[5])
    whole = gzip.decompress(stranger).replace(b"node node0005\n", b"node node9999\n")
    (folder / "laptop.tar").write_bytes(whole)
    seen = survey(plan, folder, "node[0000-0005]")
    assert {s.name: s.how for s in seen.stands} == {
        "node0000": "here", "node0001": "here", "node0002": "here", "node0003": "not whole", "node0004": "other plan",
        "node0005": "absent",
    }  # fmt: skip
    assert seen.strangers == ("laptop.tar",)
    assert why_not(seen.stands) == [
        ("not whole", "it is no whole archive: error", "node0003"), ("absent", "no archive of it is there", "node0005")
    ]  # fmt: skip
    assert main(["-C", str(project), "collect", "--from", str(folder), "--nodes", "node[0000-0005]"]) == 3
    assert (
        capsys.readouterr().out
        == f"""l40s-384: 4 of 6 nodes have an archive in {folder}

       3 here
       1 other plan
       1 not whole
       1 absent

questions: 128 ran, 12 skipped

not measured:
  node0003: not whole: it is no whole archive: error
  node0005: absent: no archive of it is there

of no node of the plan: laptop.tar

next: asbuilt verify {folder}
"""
    )
    assert main(["-C", str(project), "collect", "--from", str(folder), "--nodes", "node[0000-0002]", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["schema"], told["exit"], told["counts"], told["plan_hash"]) == (
        "collect/v1", 0, {"here": 3}, plan.plan_hash
    )  # fmt: skip


def test_what_cannot_be_asked_is_refused(project: Path, plan: Plan, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ProblemError) as told:
        wanted(plan, "node[0046-0049],login1")
    assert told.value.problems.items[0].what == "--nodes names no compute nodes of the plan: login1, node0048, node0049"
    for words in (["--limit", "0"], ["--port", "70000"], ["--from", "x", "--again"]):
        assert main(["-C", str(project), "collect", *words]) == 2
        assert capsys.readouterr().err.startswith("CLI-094 ")
    with pytest.raises(ProblemError, match="CLI-093"):
        collect(project, plan, Wish(engine="carrier-pigeon"))


def test_hostile_archives_say_what_they_are(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(landed, "MOST_WHOLE", 1 << 20)
        assert look_at("x", gzip.compress(b"\0" * (3 << 20))).fault == "it unpacks to more than 1 MiB"
    assert look_at("x", b"").fault == "it is no whole archive: ReadError"
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        member = tarfile.TarInfo("a/manifest.tsv")
        member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(member)
        tar.addfile(tarfile.TarInfo("../../manifest.tsv"))
    assert look_at("x", out.getvalue()).fault == "it has no manifest.tsv of the capture set"
    assert look(tmp_path / "nothing.tar").fault == "it cannot be read: No such file or directory"
    assert put(tmp_path, "a", ".tar", b"1").read_bytes() == b"1"
    assert put(tmp_path, "a", ".tar.gz", b"2").read_bytes() == b"2"
    assert sorted(p.name[:8] for p in tmp_path.iterdir()) == [".a.tar.2", "a.tar.gz"]


def test_one_machine_under_48_names_is_one_finding(plan: Plan) -> None:
    first = plan.table("nodes").filter(plan.table("nodes")["role"] == "compute")["name"].to_list()
    built, _ = apply(plan, as_planned(plan), parsed([f"sameas:{n},{first[0]}" for n in first[1:]]))
    fleet = Fleet(plan, built)
    from asbuilt.workflow.rehearse_nodes import node_captures

    judged = verify(plan, node_captures(plan, built))
    ours = [f for f in judged.findings if f.verdict is Verdict.FAIL]
    assert [(f.id, f.verdict, len(f.subjects)) for f in ours] == [("NOD-002", Verdict.FAIL, 48)]
    values = fleet.values(fleet.nodes[0])
    sign = ours[0].cause.removeprefix("48 nodes answered as one machine under 48 names (").removesuffix(")")
    assert sign.split()[-1] in {values["boot"], *(v for k, v in values.items() if k.startswith("port:"))}
    assert judged.exit_code == 1


def test_srun_asks_each_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a stand-in: it takes srun's own options, and plays a node that is down, one that hangs and one that answers."""
    program = tmp_path / "srun"
    program.write_text("""#!/bin/sh
node=
while [ "$1" != sh ]; do
    case $1 in --nodelist=*) node=${1#*=} ;; --nodes=1 | --ntasks=1 | --job-name=* | --quiet | --immediate=* | --time=*) ;;
    *) echo "srun: unrecognized option '$1'" >&2; exit 1 ;; esac
    shift
done
case $node in
down) echo "srun: error: Unable to allocate resources: Requested node configuration is not available" >&2; exit 1 ;;
hangs) exec sleep 1000 ;;
esac
exec "$@"
""")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    heard: dict[str, Heard] = {}
    way = Way(forks=3, timeout_s=2)
    srun.ask(["up", "down", "hangs"], b'echo "$@"; exit 0\n', way, lambda h: heard.setdefault(h.name, h))
    assert heard["up"] == Heard("up", ANSWERED, "-o -n up\n")
    assert heard["hangs"].how == HUNG
    assert (heard["down"].how, heard["down"].why) == (
        UNREACHABLE,
        "srun: error: Unable to allocate resources: Requested node configuration is not available",
    )
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ProblemError, match="CLI-091"):
        srun.ask(["up"], b"", way, lambda h: None)


def test_the_capture_set_has_one_id_each() -> None:
    assert len({c.id for c in COMMANDS}) == len(COMMANDS)
    assert all(c.timeout_s > 0 and "\t" not in c.shell and "\n" not in c.shell for c in COMMANDS)
    assert all(("{address}" in c.shell) == bool(c.devices) for c in COMMANDS)
