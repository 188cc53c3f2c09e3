"""Captures from files and folders: who wrote them, what is refused, and that nothing is guessed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.model.capture import Capture
from asbuilt.model.discovery import FactTables
from asbuilt.model.verdict import Verdict
from asbuilt.rehearse import twin
from asbuilt.workflow.captures import facts_of, merge, read_captures, tool_of, write_captures
from asbuilt.workflow.verify import verify
from little_fabric import little_plan


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    captures = twin.render(little_plan(oob=True))
    write_captures(captures, tmp_path / "set")
    again = read_captures([tmp_path / "set"])
    assert {(c.tool, c.subject, c.data) for c in again} == {(c.tool, c.subject, c.data) for c in captures}
    one, two = facts_of(captures), facts_of(again)
    for table in ("device_facts", "link_facts"):
        drop = ["capture_id", "line"]
        keys = ["guid", "port"] if table == "link_facts" else ["guid"]
        assert one.tables[table].drop(drop).sort(keys).equals(two.tables[table].drop(drop).sort(keys))


def test_a_single_file_finds_its_manifest(tmp_path: Path) -> None:
    files = write_captures(twin.render(little_plan(oob=True)), tmp_path)
    lldp = next(f for f in files if f.suffix == ".json" and f.name != "capture.json")
    assert read_captures([lldp])[0].subject == "OOB-01"


def test_the_tool_is_sniffed_when_only_one_parser_answers() -> None:
    dump, table = twin.render(little_plan(oob=True))
    assert tool_of(Capture("a", dump.data)) == "ibnetdiscover"
    assert tool_of(Capture("b", table.data)) == "lldpctl"
    assert tool_of(Capture("c", b"$ ibnetdiscover\nnoise\n" + dump.data)) == "ibnetdiscover"
    assert tool_of(Capture("d", b"  \n")) == ""


@pytest.mark.parametrize("data", [b"Physical Slot #2: 0x4000\n", b"\x00\x01\x02" * 100, b"GPU 0: NVIDIA L40S\n", b'{"a": 1}'])
def test_a_text_that_nobody_knows_is_a_problem(data: bytes) -> None:
    with pytest.raises(ProblemError) as caught:
        facts_of([Capture("x", data, file="x.txt"), Capture("y", data, file="y.txt")])
    assert [p.code for p in caught.value.problems.items] == ["CLI-043", "CLI-043"] and "--as" in str(caught.value)


def test_an_empty_capture_is_no_fact_and_is_said() -> None:
    facts = facts_of([Capture("x", b"")])
    assert not facts.tables and "x: empty capture" in facts.notes


def test_the_caller_may_say_the_tool(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_bytes(b"nothing at all\n")
    facts = facts_of(read_captures([tmp_path / "x.txt"], "ibnetdiscover"))
    assert not facts.has("link_facts") and facts.accounts["x.txt"].unread == 1
    with pytest.raises(ProblemError) as caught:
        read_captures([tmp_path / "x.txt"], "sosreport")
    assert "CLI-041" in str(caught.value)


def test_all_places_that_are_not_there_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(ProblemError) as caught:
        read_captures([tmp_path / "a", tmp_path / "b"])
    assert [p.code for p in caught.value.problems.items] == ["CLI-040", "CLI-040"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ('{"schema": "capture/v9"}', "does not say"),
        ('{"schema": "capture/v1", "files": []}', "not an object of file names"),
        ('{"schema": "capture/v1", "files": {"gone.txt": {}}}', "lists gone.txt, which is not there"),
        ('{"schema": "capture/v1", "tool": "sosreport"}', "names the tool 'sosreport'"),
        ('{"schema": "capture/v1", "subject": 7}', "not text"),
    ],
)
def test_a_broken_manifest_is_told(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "x.txt").write_bytes(b"x")
    (tmp_path / "capture.json").write_text(text, encoding="utf-8")
    with pytest.raises(ProblemError) as caught:
        read_captures([tmp_path])
    assert "CLI-042" in str(caught.value) and says in str(caught.value)


def test_a_manifest_without_files_speaks_for_all_and_folders_nest(tmp_path: Path) -> None:
    inner = tmp_path / "row-a" / "oob-01"
    inner.mkdir(parents=True)
    (inner / "capture.json").write_text(json.dumps({"schema": "capture/v1", "tool": "lldpctl", "subject": "OOB-01"}))
    (inner / "neighbours.json").write_bytes(twin.render(little_plan(oob=True))[1].data)
    (found,) = read_captures([tmp_path])
    assert (found.tool, found.subject) == ("lldpctl", "OOB-01")


def test_repeats_are_one_row_and_ids_stay_distinct(tmp_path: Path) -> None:
    dump = twin.render(little_plan())[0].data
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "dump.txt").write_bytes(dump)
    captures = read_captures([tmp_path / "a" / "dump.txt", tmp_path / "b" / "dump.txt"])
    assert [c.id for c in captures] == ["dump.txt", "dump.txt~2"]
    once, twice = facts_of(captures[:1]), facts_of(captures)
    assert once.tables["link_facts"].height == twice.tables["link_facts"].height
    assert len(twice.accounts) == 2


def test_one_cut_capture_makes_the_set_incomplete() -> None:
    dump = twin.render(little_plan())[0].data
    whole, cut = facts_of([Capture("a", dump)]), facts_of([Capture("b", dump[: len(dump) // 2])])
    assert merge([cut, whole]).details["incomplete"] and merge([whole, cut]).details["incomplete"]


SPOILT = {
    "empty": b"",
    "blank": b"\n\n",
    "binary": bytes(range(256)) * 9,
    "another tool's": b"+-----+\n| NVIDIA-SMI 535 |\n",
    "JSON of something else": b"{}",
    "a list": b"[]",
    "cut": b'{"lldp":[{"interface":[{"name":"swp1","via":"LLDP"',
}


@pytest.mark.parametrize("data", SPOILT.values(), ids=SPOILT.keys())
@pytest.mark.parametrize("technology", ["infiniband", "ethernet"])
def test_a_capture_that_tells_nothing_leaves_the_answer_open_even_when_others_show_every_link(
    data: bytes, technology: str
) -> None:
    """Each link of a spine is seen from its leaf, too; what the broken file was to show is still not known."""
    plan = little_plan(nodes=4, technology=technology)
    good = twin.render(plan)
    tool = "ibnetdiscover" if technology == "infiniband" else "lldpctl"
    assert verify(plan, list(good)).exit_code == 0
    seen = verify(plan, [*good, Capture("spoilt", data, tool, "SPINE-09")])
    assert seen.exit_code == 3 and seen.summary.ok == plan.links.height
    told = next(f for f in seen.findings if f.subjects == ("spoilt",))
    assert "tells nothing" in told.cause and not any(f.verdict is Verdict.FAIL for f in seen.findings)


def test_a_whole_neighbour_table_without_neighbours_is_a_measurement() -> None:
    plan = little_plan(nodes=4, technology="ethernet")
    seen = verify(plan, [*twin.render(plan), Capture("spare", b'{"lldp":[{"interface":[]}]}', "lldpctl", "SPARE-01")])
    assert seen.exit_code == 0


LOST = (
    b'{"lldp":[{"interface":[{"name":"swp1","chassis":[{"name":[{"value":"\\ud800\\n"}]}],'
    b'"port":[{"id":[{"value":"\\udfff"}]}]}]}]}'
)


def test_half_a_surrogate_pair_is_a_name_like_any_other() -> None:
    facts = facts_of([Capture("c", LOST, "lldpctl", "LEAF-01")])
    assert facts.tables["link_facts"]["peer_description"].to_list() == ["?? ?"]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"../outside.txt": {}}, "not the name of a file beside it"),
        ({"/etc/hostname": {}}, "not the name of a file beside it"),
        ({"a.txt": {"subject": "\u202eLEAF"}}, "cannot be printed"),
        ({"a.txt": {"subject": "\ud800"}}, "cannot be printed"),
        ({"a\0b": {}}, "cannot be printed"),
    ],
)
def test_a_manifest_that_points_elsewhere_is_refused(tmp_path: Path, files: dict[str, object], said: str) -> None:
    (tmp_path / "outside.txt").write_text("secret")
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"")
    document = {"schema": "capture/v1", "tool": "ibnetdiscover", "files": files}
    (folder / "capture.json").write_text(json.dumps(document))
    with pytest.raises(ProblemError, match="CLI-042") as told:
        read_captures([folder])
    assert said in told.value.problems.render()


def test_links_out_of_the_folder_and_things_that_are_no_files_are_not_opened(tmp_path: Path) -> None:
    """A pipe would be waited for without end, and a link in a folder from elsewhere may lead to anything."""
    (tmp_path / "outside.txt").write_text("secret")
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "out.txt").symlink_to(tmp_path / "outside.txt")
    (folder / "nowhere.txt").symlink_to(tmp_path / "missing")
    os.mkfifo(folder / "pipe")
    with pytest.raises(ProblemError) as told:
        read_captures([folder], "ibnetdiscover")
    text = told.value.problems.render()
    assert "out.txt is a link that leads out" in text and "nowhere.txt is a link" in text and "pipe is no file" in text
    inside = tmp_path / "good"
    inside.mkdir()
    (inside / "a.txt").write_bytes(b"x\n")
    (inside / "b.txt").symlink_to(inside / "a.txt")
    assert [c.data for c in read_captures([inside], "ibnetdiscover")] == [b"x\n", b"x\n"]


def test_tables_of_several_captures_are_made_when_looked_at() -> None:
    hosts = 'Ca\t: 0x0000000000000a01 ports 1 "node-1 mlx5_0"\nCa\t: 0x0000000000000a02 ports 1 "node-2 mlx5_0"\n'
    table = "Unicast lids [0x0-0x9] of switch Lid 3 guid 0x0000000000000b01 (leaf-1):\n0x0001 004 : (x)\n0x0002 005 : (x)\n"
    captures = [
        Capture("a", hosts.encode(), "ibhosts"),
        Capture("b", hosts.replace("0a0", "0c0").encode(), "ibhosts"),
        Capture("c", table.encode(), "ibroute"),
    ]
    facts = facts_of(captures)
    assert isinstance(facts.tables, FactTables) and not facts.tables.made
    assert facts.has("name_facts") and facts.height("name_facts") == 4 and facts.height("lft_facts") == 2
    assert not facts.has("port_facts") and facts.height("port_facts") == 0 and not facts.tables.made
    assert facts.tables["lft_facts"]["out_port"].to_list() == [4, 5]
    names = facts.tables["name_facts"]
    assert names["capture_id"].to_list() == ["a", "a", "b", "b"] and names is facts.tables["name_facts"]
    assert [row[-4:] for row in names["guid"].to_list()] == ["0a01", "0a02", "0c01", "0c02"]
    assert sorted(facts.tables) == ["lft_facts", "name_facts"] and len(dict(facts.tables)) == 2
