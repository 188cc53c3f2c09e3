"""machines.csv: read, refused with all its faults, in the plan and its hash."""

from __future__ import annotations

from pathlib import Path

import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.cli.main import main
from asbuilt.parsers.plans.machine_list import rows
from asbuilt.workflow.plan import compile_project, open_plan


def problems(data: bytes) -> list[tuple[str, str, int]]:
    with pytest.raises(ProblemError) as told:
        rows(data)
    return [(p.code, p.what, p.place.line if p.place else 0) for p in told.value.problems.items]


def test_lines_are_read_with_their_numbers() -> None:
    data = b"node,kind,value\r\n# from the delivery note\r\ngpu001,system_serial,J3W8X04\r\n"
    data += b"gpu001,Port_GUID,0xA088:c203:0012:3456\n"
    assert rows(data) == [
        ("gpu001", "system_serial", "J3W8X04", 3),
        ("gpu001", "port_guid", "a088c20300123456", 4),
    ]
    assert rows('"gpu001",system_uuid,4C4C4544-0000\n'.encode("utf-16")) == [("gpu001", "system_uuid", "4c4c4544-0000", 1)]


def test_every_wrong_line_is_told_at_once() -> None:
    assert problems(b"gpu001,serial,J3\ngpu002,system_serial\ngpu003,port_guid,xyz\n,system_serial,J3\n") == [
        ("PRJ-014", "'serial' is no kind of name; did you mean nic_serial?", 1),
        ("PRJ-014", "this line is not node,kind,value", 2),
        ("PRJ-014", "'xyz' is no GUID", 3),
        ("PRJ-014", "this line is not node,kind,value", 4),
    ]


def test_hostile_files() -> None:
    assert problems(b"") == [("PRJ-013", "the list of machines is empty", 0)]
    assert problems(b"\0\0")[0][0] == "PAR-001"
    assert problems(b"gpu1,system_serial,a\x1b[31mb\n") == [("PRJ-014", "this line holds characters that cannot be printed", 1)]
    many = problems(b"x\n" * 100)
    assert len(many) == 21 and many[-1][1] == "and 80 lines more"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "little"
    assert main(["new", "l40s-384", str(folder)]) == 0
    return folder


def test_the_plan_holds_the_list_and_its_hash_follows(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = compile_project(project)
    assert plain.table("machines").is_empty()
    names = plain.table("nodes")["name"].to_list()
    listed = project / "machines.csv"
    listed.write_text(f"{names[1]},system_serial,B\n{names[0].upper()},system_serial,A\nnode:0001,gpu_uuid,GPU-X\n")
    assert open_plan(project).warnings[0] == ("machines.csv has changed since this plan was made: `asbuilt plan` makes it anew")
    plan = compile_project(project)
    assert plan.plan_hash != plain.plan_hash
    assert plan.table("machines").rows() == [
        ("node:0000", "system_serial", "A", "declared"),
        ("node:0001", "gpu_uuid", "gpu-x", "declared"),
        ("node:0001", "system_serial", "B", "declared"),
    ]
    assert not any("machines.csv" in w for w in open_plan(project).warnings)
    listed.write_text(f"{names[0]},system_serial,C\n")
    assert compile_project(project).plan_hash not in (plain.plan_hash, plan.plan_hash)
    listed.write_text(
        f"{names[0]},system_serial,C\nnobody,system_serial,D\n{names[1]},system_serial,c\n{names[0]},system_serial,E\n"
    )
    capsys.readouterr()
    assert main(["-C", str(project), "plan"]) == 2
    told = capsys.readouterr().err
    assert "PRJ-014 the plan has no node 'nobody'" in told
    assert f"{listed}:2:1" in told
    assert "PRJ-014 system_serial c is also that of another node (line 1)" in told
    assert f"PRJ-014 {names[0]} is given two values of system_serial (line 1)" in told
