"""Findings on a terminal: layout, width, colour, and the two commands that print them."""

from __future__ import annotations

import io
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from asbuilt.cli.findings import block, text, wants_colour
from asbuilt.cli.main import main
from asbuilt.model.verdict import Coverage, Finding, Layer, LinkSummary, Severity, Verdict, Verification

FINDING = Finding(
    id="DES-060",
    verdict=Verdict.FAIL,
    severity=Severity.MAJOR,
    layer=Layer.DESIGN,
    subject="power:dgx-h100",
    expected="at least 10.2 kW",
    found="9.9 kW from 3 of 6 supplies",
    where="",
    cause="losing one feed (A, B) leaves 9.9 kW from 3 of 6 supplies; dgx-h100 needs at least 10.2 kW",
    next="spread the cords over more feeds; or cap the draw",
    revert="put the old value back in cluster.yaml and run `asbuilt plan`",
    subjects=("feed:dgx-h100/A", "feed:dgx-h100/B"),
    why="a redundancy of 4+2 is counted in supplies, a site loses feeds",
    ways=("spread the cords over more feeds", "cap the draw"),
)
SHOWN = """\
MAJOR  DES-060  power:dgx-h100                                      2 subjects
  losing one feed (A, B) leaves 9.9 kW from 3 of 6 supplies; dgx-h100 needs at
  least 10.2 kW
  expected  at least 10.2 kW
  found     9.9 kW from 3 of 6 supplies
  why       a redundancy of 4+2 is counted in supplies, a site loses feeds
  ways out  1. spread the cords over more feeds
            2. cap the draw
  revert    put the old value back in cluster.yaml and run `asbuilt plan`"""
COVERED = (Coverage("DES-060", 2, 0, 2, 0, 0, 0), Coverage("DES-070", 1, 0, 0, 0, 1, 0))
WEAK = ("low confidence: system/x psus = 4 (recalled)", "low confidence: system/x psu_w = 2700 W (recalled)", "a remark")


def verification(*findings: Finding) -> Verification:
    return Verification("check", LinkSummary(), findings, (), COVERED, plan_hash="0123456789abcdef", notes=WEAK)


def plain(shown: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", shown)


def test_a_finding_as_it_is_shown() -> None:
    assert block(FINDING, width=78) == SHOWN


def test_colour_changes_nothing_but_colour() -> None:
    coloured = text(verification(FINDING), "small", colour=True)
    assert "\x1b[31m" in coloured and plain(coloured) == text(verification(FINDING), "small")


@pytest.mark.parametrize("width", [60, 80, 100])
def test_lines_stay_within_the_width(width: int) -> None:
    shown = text(verification(FINDING), "small", width=width)
    assert max(map(len, shown.splitlines())) <= width


def test_coverage_and_notes_follow_the_findings() -> None:
    shown = text(verification(FINDING), "small")
    assert shown.startswith("small · plan 0123456789ab · 1 finding: 1 major\n\nMAJOR  DES-060")
    assert "coverage  2 checks on 3 subjects: 2 fail, 1 not applicable\n          1 check had nothing" in shown
    assert shown.endswith(
        "note      a remark\nnote      2 low-confidence figures stand behind this plan: system/x psus, system/x psu_w"
    )


def test_no_findings_says_so() -> None:
    assert text(verification(), "small").startswith("small · plan 0123456789ab · no findings\n\ncoverage  2 checks")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("check") / "written"
    assert main(["new", "l40s-384-as-written", str(folder)]) == 0
    assert main(["-C", str(folder), "plan"]) == 0
    return folder


def test_check_prints_findings_and_answers_one(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-C", str(project), "check"]) == 1
    told = capsys.readouterr()
    assert re.search(r"· \d+ findings: 5 fail \(2 blocker, 3 major\), \d+ undecided\n", told.out) and "\x1b[" not in told.out
    for id in ("DES-001", "DES-010", "DES-012", "DES-020", "DES-070"):
        assert f"  {id}  " in told.out
    assert told.err == "why a check asks what it asks: `asbuilt explain DES-001`\n"


def test_check_as_json_is_the_documented_object(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-C", str(project), "check", "--json"]) == 1
    seen = json.loads(capsys.readouterr().out)
    assert seen["schema"] == "verification/v1" and seen["exit"] == 1
    summary = seen["summary"]
    assert summary["ok"] + summary["wrong"] + summary["missing"] + summary["not_measured"] == summary["planned"] == 352
    wanted = {"id", "verdict", "severity", "layer", "subject", "expected", "found", "where", "cause", "next", "revert"}
    assert all(wanted <= set(f) and f["next"] and f["revert"] for f in seen["findings"])
    for row in seen["coverage"]["checks"]:
        counted = sum(row[v] for v in ("pass", "fail", "not_measured", "not_applicable", "error"))
        assert counted == row["subjects"] > 0, row["id"]


def test_check_without_a_plan_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-C", str(tmp_path), "check"]) == 2
    assert "PRJ-00" in capsys.readouterr().err


def test_explain_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "des-060"]) == 0
    page = capsys.readouterr().out
    assert page.startswith("DES-060  With any one feed lost") and "Measured by  plan table `power_sources`" in page
    assert main(["explain", "DES-060", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["kind"] == "check" and said["needs"] == ["power_sources"] and said["repair"].startswith("spread the cords")
    assert main(["explain", "REQ-022"]) == 0
    assert capsys.readouterr().out.startswith("REQ-022  The field does not exist")
    assert main(["explain"]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 100
    assert main(["explain", "XXX-001"]) == 2
    assert "CLI-050" in capsys.readouterr().err


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colour_asks_the_stream_of_the_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert not wants_colour()
    monkeypatch.setattr(sys, "stdout", _Terminal())
    assert wants_colour() and not wants_colour(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour()


def test_names_with_escape_sequences_are_shown_and_not_obeyed() -> None:
    evil = "\x1b]0;own\x07leaf\u202e-1"
    finding = replace(FINDING, subject=evil, cause=evil, found=evil, where=evil)
    said = text(Verification("compare", LinkSummary(), (finding,), (), (), notes=(evil,)), "x")
    assert "\x1b" not in said and "\u202e" not in said and said.count("?]0;own?leaf?-1") == 5


def test_names_are_not_broken_at_their_hyphens() -> None:
    name = "roce-spine-02-" * 5
    said = block(replace(FINDING, ways=(), next=f"put {name}end of the long line into {name}end of the other"), width=80)
    assert said.count(f"{name}end") == 2
