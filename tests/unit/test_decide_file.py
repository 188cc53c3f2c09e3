"""`decide.yaml` and the history of faults: what they give, and how every mistake in them is told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from asbuilt.base.origin import Origin
from asbuilt.base.problem import ProblemError
from asbuilt.model.assumption import Assumptions
from asbuilt.model.crew_question import Question
from asbuilt.model.deployment import SCOPES
from asbuilt.workflow.assumptions import defaults
from asbuilt.workflow.crew_file import read_question
from asbuilt.workflow.crew_grammar import TOOLS
from asbuilt.workflow.fault_history import MOST_ROWS, parse_history

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "decide"
HEAD = "fault,operations,faults,party,when,source\n"


def asked(path: Path | None, liquid: bool = True, assumptions: Assumptions | None = None) -> Question:
    return read_question(path, "site", 100, liquid, assumptions or defaults())


def told(path: Path) -> str:
    """The problems of a golden input, under its bare name."""
    with pytest.raises(ProblemError) as caught:
        if path.suffix == ".csv":
            parse_history(path.read_bytes(), path.name)
        else:
            asked(path)
    return str(caught.value).replace(str(path), path.name) + "\n"


BAD = sorted(p.name for p in GOLDEN.iterdir() if p.suffix in (".yaml", ".csv") and p.name not in ("good.yaml", "history.csv"))


@pytest.mark.parametrize("name", BAD)
def test_each_mistake_is_told_word_for_word(name: str) -> None:
    text, path = told(GOLDEN / name), GOLDEN / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_no_file_is_the_built_in_question_and_says_so() -> None:
    question = asked(None)
    assert (
        question.notes[0] == "there is no decide.yaml: parties, shifts, tools, checkpoints and all values are the built-in ones"
    )
    assert [a.id for a in question.arrangements] == ["in-house", "specialist", "mixed"]
    assert question.own.shift.words == "8 h x 5 days"
    assert question.specialist.shift.words == "2 x 12 h x 7 days"
    assert {scope for scope, who in question.arrangements[2].parties.items() if who == "specialist"} == {"liquid", "fibre"}
    assert question.currency == "USD"
    assert all(a.checkpoints.connector_inspection == 1.0 for a in question.arrangements)
    for party in (question.own, question.specialist):
        assert set(party.qualification) == set(SCOPES)
        assert dict(party.teams) == {}
    assert any("tools not stated" in note for note in question.notes)


def test_an_air_cooled_site_mixes_without_liquid() -> None:
    mixed = asked(None, liquid=False).arrangements[2]
    assert [scope for scope, who in mixed.parties.items() if who == "specialist"] == ["fibre"]


def test_leaving_claims_out_changes_the_specialist() -> None:
    believed, doubted = asked(None), asked(None, assumptions=defaults().without_claims())
    assert doubted.specialist.shift.hours_per_day < believed.specialist.shift.hours_per_day
    assert doubted.specialist.experience_racks < believed.specialist.experience_racks
    assert doubted.own == believed.own


def test_what_is_stated_stands() -> None:
    question = asked(GOLDEN / "good.yaml")
    own = question.own
    assert (own.name, own.shift.hours, own.shift.shifts, own.shift.days) == ("Operations", 10.0, 2, 6)
    assert dict(own.teams) == {"fibre": 2, "liquid": 1}
    assert (own.qualification["fibre"], own.qualification["liquid"]) == ("certified", "trained")
    assert (own.experience_racks, own.lead, own.supervised_racks) == (4.0, True, 1.0)
    assert own.tools == {"mpo_tester", "torque_wrench"}
    assert (question.specialist.name, question.specialist.experience_racks) == ("Crew Ltd", 60.0)
    assert question.specialist.tools == set(TOOLS)
    assert (question.currency, question.early_use, question.racks_per_quarter) == ("EUR", False, 12.0)


def test_stated_arrangements_replace_their_namesake_and_follow_the_others() -> None:
    question = asked(GOLDEN / "good.yaml")
    assert [a.id for a in question.arrangements] == ["in-house", "specialist", "mixed", "bare"]
    mixed, bare = question.arrangements[2:]
    assert mixed.parties["liquid"] == "own"
    assert (mixed.checkpoints.connector_inspection, mixed.checkpoints.soak) == (0.1, False)
    assert (bare.name, bare.checkpoints.connector_inspection, bare.checkpoints.escalate) == ("nothing looked at", 0.0, False)
    assert bare.checkpoints.soak is False, "what an arrangement does not say holds as for all"


def test_own_values_replace_built_in_ones_and_are_declared() -> None:
    items = asked(GOLDEN / "good.yaml").assumptions
    pull, lay, hour = items["work.trunk_pull.minutes"], items["work.jumper_lay.minutes"], items["money.hour.fibre"]
    assert (pull.low, pull.likely, pull.high, pull.origin) == (12.0, 12.0, 12.0, Origin.DECLARED)
    assert pull.source == "good.yaml line 33"
    assert (lay.low, lay.high, lay.source) == (6.0, 6.0, "stop watch (good.yaml line 34)")
    assert (hour.low, hour.likely, hour.high) == (40.0, 44.0, 50.0)
    assert items["money.gpu_hour"].likely == 2.1
    assert items["crew.own.experience_racks"].likely == 4.0
    assert items["crew.specialist.experience_racks"].removed is None


def test_built_in_prices_come_into_the_currency_and_nothing_else_does() -> None:
    items, built_in = asked(GOLDEN / "good.yaml").assumptions, defaults()
    assert items["money.hour.power"].likely == pytest.approx(0.92 * built_in["money.hour.power"].likely)
    assert items["tooling.otdr.buy"].high == pytest.approx(0.92 * built_in["tooling.otdr.buy"].high)
    assert "at 0.92 EUR for one US dollar" in items["money.hour.power"].source
    assert items["money.hour.fibre"].likely == 44.0, "a stated price is in the currency already"
    for key in ("money.audit_share", "money.night", "money.sign_off_hours", "work.rack_place.minutes"):
        assert items[key] == built_in[key]


def test_trials_and_history_are_both_read() -> None:
    trials = asked(GOLDEN / "good.yaml").trials
    assert [(t.fault, t.operations, t.faults, t.party) for t in trials] == [
        ("fitting_leak", 40.0, 1.0, "own"),
        ("backplane_pin", 18.0, 0.0, "own"),
        ("connector_dirty", 1200.0, 31.0, "own"),
        ("cord_wrong", 800.0, 0.0, "specialist"),
    ]
    assert trials[2].source == "site A, log 4, 2025-11 (history.csv line 2)"


@pytest.mark.parametrize(
    "text", ["\ufeff" + HEAD + "cord_wrong,8,0,own,2026,x\n", HEAD.replace(",", ";") + "cord_wrong;8;0;own;2026;x\n"]
)
def test_table_programs_may_write_a_mark_or_semicolons(text: str) -> None:
    assert [t.fault for t in parse_history(text.encode(), "h.csv")] == ["cord_wrong"]


def test_a_history_without_lines_has_no_faults() -> None:
    assert parse_history(HEAD.encode(), "h.csv") == ()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (HEAD.encode("utf-16"), "the file is UTF-16 text, not UTF-8"),
        (HEAD.encode() + b"cord_wrong,8,0,own,2026,caf\xe9\n", "byte 0xe9 at offset"),
        (HEAD.encode() + b"cord_wrong,8,0,own,2026,a\0b\n", "cannot be seen"),
        (b"x" * (2 << 20), "at most 1048576 (1 MiB) are read"),
        ((HEAD + "cord_wrong,8,0,own,2026,x\n" * (MOST_ROWS + 1)).encode(), f"more than {MOST_ROWS} lines"),
        ((HEAD + '"' + "a" * 200_000 + '",1,1,own,2026,x\n').encode(), "`fault` has 200000 characters; at most 200 are read"),
    ],
    ids=["utf-16", "latin-1", "nul", "too-large", "too-many-lines", "endless-cell"],
)
def test_hostile_histories_are_refused(data: bytes, expected: str) -> None:
    with pytest.raises(ProblemError) as caught:
        parse_history(data, "h.csv")
    assert expected in str(caught.value)
    assert all(problem.code == "CLI-106" for problem in caught.value.problems.items)


def test_a_history_with_a_thousand_mistakes_stops_early() -> None:
    with pytest.raises(ProblemError) as caught:
        parse_history((HEAD + "leak,x,y,z,w,v\n" * 1000).encode(), "h.csv")
    assert len(caught.value.problems.items) < 60


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"schema: decide/v1\nassumptions: " + b"[" * 5000, "far too many brackets are open"),
        (b"schema: decide/v1\nassumptions: " + b"{a: " * 30 + b"1" + b"}" * 30, "more than 20 levels of nesting"),
        (b"a: " + b"x" * (2 << 20), "at most 1048576 (1 MiB) are read"),
        (b"schema: decide/v1\nown:\n  name: \xff\n", "is not UTF-8 text"),
        ("schema: decide/v1\nown:\n\u00a0 lead: true\n".encode(), "looks like a space"),
    ],
    ids=["brackets", "deep", "too-large", "bytes", "look-alike"],
)
def test_hostile_questions_are_refused(tmp_path: Path, data: bytes, expected: str) -> None:
    path = tmp_path / "decide.yaml"
    path.write_bytes(data)
    with pytest.raises(ProblemError) as caught:
        asked(path)
    assert expected in str(caught.value)


def test_many_unknown_ids_are_told_without_a_long_wait(tmp_path: Path) -> None:
    path = tmp_path / "decide.yaml"
    lines = "".join(f"  work.rack_placed_{n}.minutes: 1\n" for n in range(3000))
    path.write_text("schema: decide/v1\nassumptions:\n" + lines, encoding="utf-8")
    with pytest.raises(ProblemError) as caught:
        asked(path)
    assert caught.value.problems.items[-1].what == "2900 further problems"


def test_a_folder_or_nothing_in_the_place_of_the_file_is_told(tmp_path: Path) -> None:
    for path, what in ((tmp_path, "it is not a file"), (tmp_path / "none.yaml", "there is no such file")):
        with pytest.raises(ProblemError, match=what):
            asked(path)


def test_the_tools_that_a_party_may_have_are_those_with_a_price() -> None:
    priced = dict.fromkeys(item.id.split(".")[1] for item in defaults().under("tooling"))
    assert tuple(priced) == TOOLS
