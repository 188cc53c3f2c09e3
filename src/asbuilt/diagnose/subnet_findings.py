"""Verdicts about an InfiniBand subnet to findings: one cause, one finding, with where, next step and way back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import polars as pl

from asbuilt.diagnose.crowds import crowd, places, where
from asbuilt.diagnose.partition_log import with_lost_partitions
from asbuilt.diagnose.routing_causes import CIRCLE, closed_by_cabling, while_unrepaired
from asbuilt.diagnose.texts import Text
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding, Layer, Severity, Verdict

_SHOWN = 6
#: A check that fails on a link or port does so because another one does, on the same link: the reason is told, not both.
EXPLAINED_BY = {
    "FAB-005": ("FAB-006", "FAB-011"),
    "FAB-008": ("FAB-007",),
}
#: What is set at a hop of RDMA over Ethernet: each check words what it did not read its own way, and the hop is one.
SET_AT_A_HOP = (*(f"NET-00{n}" for n in range(1, 9)), "NET-012", "NET-020", "NET-021")
#: Of these the one that compares the two ends of a link, and is open when either was not read.
BOTH_ENDS = "NET-006"
#: Mapping, arbitration, lanes in use, high limit: what a manager sets up together, or not at all.
LANES = ("FAB-021", "FAB-022", "FAB-023", "FAB-024")


@dataclass(frozen=True, slots=True)
class About:
    """What a check says of itself: severity, why it matters, how it is measured and mended, and the facts that it reads."""

    severity: Severity
    why: str
    measured_by: str
    repair: str
    facts: tuple[str, ...]


def subnet_findings(
    plan: Plan, rows: pl.DataFrame, about: Mapping[str, About], texts: Mapping[str, Text], told: frozenset[str] = frozenset()
) -> list[Finding]:
    """Findings of ``rows`` (failing, broken and undecided verdicts). ``told`` are links that another finding explains."""
    # Kinds of captures that nobody gave are in the coverage; on a large plan nothing else is open, and no place is looked up.
    rows = rows.filter((pl.col("verdict") != "not_measured") | (pl.col("subject") != "plan"))
    if rows.is_empty():
        return []
    place = places(plan, rows["subject"])
    joined = rows.join(place, on="subject", how="left", maintain_order="left")
    failing, lanes = _lanes_together(_unexplained(joined.filter(pl.col("verdict") == "fail"), plan, told))
    found: list[Finding] = []
    for (check_id,), part in failing.partition_by(["check_id"], as_dict=True, maintain_order=True).items():
        id = str(check_id)
        text = texts.get(f"{id}+" if lanes and id == LANES[0] else id) or plain(about[id])
        for group in grouped_by(part, text):
            found.append(_finding(plan, id, text, group, about[id]))
    found = with_lost_partitions(found)
    circles = closed_by_cabling(plan, failing, told)
    found = [while_unrepaired(f) if f.id == CIRCLE and f.subject in circles else f for f in found]
    # A port that is dark cannot be asked: why it is dark is told, not that it did not answer.
    down = failing.filter(pl.col("check_id").is_in(["FAB-005", "FAB-006"]))["link"].drop_nulls().to_list()
    open_ = joined.filter(pl.col("verdict") == "not_measured")
    mute = failing.filter(pl.col("check_id") == "FAB-011")["subject"].to_list() + _gone(plan, told)
    dark = pl.col("link").is_in([*told, *down]).fill_null(False) | pl.col("subject").is_in(mute)
    found += _open(_ends_first(open_.filter(~dark)), about)
    found += [_broken(row, about) for row in joined.filter(pl.col("verdict") == "error").iter_rows(named=True)]
    return found


def _gone(plan: Plan, told: frozenset[str]) -> list[str]:
    """End ports of switches all of whose planned links another finding explains: they are off, or out of reach."""
    if not told or not plan.has("links") or not plan.has("lids"):
        return []
    sides = [
        plan.links.select(pl.col(f"{s}_device").alias("device"), pl.col("link").is_in(list(told)).alias("out")) for s in "ab"
    ]
    gone = pl.concat(sides).group_by("device").agg(pl.col("out").all()).filter("out")["device"]
    lids = plan.table("lids").filter(pl.col("nic").is_null() & pl.col("device").is_in(gone.implode()))
    return lids["port"].to_list()


def slower_links(findings: list[Finding]) -> set[str]:
    """Links of which a finding already says why they are slow: the discovery's own finding of the rate would say it again."""
    return {s for f in findings if f.id in ("FAB-007", "FAB-008") and f.verdict is Verdict.FAIL for s in f.subjects}


def plain(about: About) -> Text:
    """The text of a check that no table of texts knows."""
    return Text("{who}: {found}, planned is {expected}", about.repair, "nothing is changed")


def grouped_by(rows: pl.DataFrame, text: Text) -> list[pl.DataFrame]:
    """The failing rows of one check, a frame for each finding that ``text`` makes of them."""
    keys = {
        "check": ["check_id"],
        "expected": ["expected"],
        "text": ["expected", "found"],
        "subject": ["subject"],
        "device": ["device", "expected", "found"],
        "node": ["device"],
    }
    return rows.partition_by(keys[text.by], maintain_order=True)


def _unexplained(rows: pl.DataFrame, plan: Plan, told: frozenset[str]) -> pl.DataFrame:
    """``rows`` without those whose link, or manager, another failing check already speaks of."""
    links = {
        id: _links_behind(rows.filter(pl.col("check_id") == id), plan) for id in {x for v in EXPLAINED_BY.values() for x in v}
    }
    for check_id, reasons in EXPLAINED_BY.items():
        known = set(told) if check_id in ("FAB-005", "FAB-006") else set()
        known |= {link for id in reasons for link in links[id]}
        rows = rows.filter(~((pl.col("check_id") == check_id) & pl.col("link").is_in(list(known)).fill_null(False)))
    again = pl.col("check_id").is_in(["FAB-006", "NET-020", "NET-021"])
    rows = rows.filter(~(again & pl.col("link").is_in(list(told)).fill_null(False)))
    return _one_identity(_one_manager(rows))


def _links_behind(rows: pl.DataFrame, plan: Plan) -> set[str]:
    """The planned links at the ports that ``rows`` name; of a switch all of them."""
    links = set(rows["link"].drop_nulls().to_list())
    switches = rows.filter(pl.col("link").is_null())["subject"].str.replace(r"#\d+$", "")
    if switches.len() and plan.has("links"):
        beside = plan.links.filter(pl.col("a_device").is_in(switches.implode()) | pl.col("b_device").is_in(switches.implode()))
        links |= set(beside["link"].to_list())
    return links


def _one_manager(rows: pl.DataFrame) -> pl.DataFrame:
    """A manager too many makes a wrong master, two masters, and a stranger among the managers: it is told once."""
    two = rows.filter((pl.col("check_id") == "FAB-026") & pl.col("found").str.contains("masters: "))
    rows = rows.filter(~((pl.col("check_id") == "FAB-025") & pl.col("subject").is_in(two["subject"].implode())))
    masters = rows.filter(pl.col("check_id").is_in(["FAB-025", "FAB-026"]))["found"].to_list()
    stranger = (pl.col("check_id") == "FAB-028") & pl.col("found").str.starts_with("a manager on ")
    called = pl.col("found").str.extract(r"^a manager on (.*), master, priority ", 1)
    hit = pl.any_horizontal(pl.lit(text).str.contains(called, literal=True) for text in masters) if masters else pl.lit(False)
    return rows.filter(~(stranger & hit.fill_null(False)))


def _lanes_together(rows: pl.DataFrame) -> tuple[pl.DataFrame, bool]:
    """Where mapping and arbitration fail on the same ports, no QoS is applied: told once, by the mapping. True then."""
    ports = {id: set(rows.filter(pl.col("check_id") == id)["subject"].to_list()) for id in LANES}
    mapping, arbitration, *others = LANES
    if len(ports[mapping]) < 2 or ports[mapping] != ports[arbitration]:
        return rows, False
    same = [arbitration, *(id for id in others if ports[id] and ports[id] <= ports[mapping])]
    return rows.filter(~pl.col("check_id").is_in(same)), True


def _one_identity(rows: pl.DataFrame) -> pl.DataFrame:
    """A GUID or a name on two devices makes one of them look like another card with another LID, a LID on two devices differs
    from the plan at one, and a wrong key is one that is missing and one too many: each is told once."""

    def failing(check_id: str) -> pl.DataFrame:
        return rows.filter(pl.col("check_id") == check_id)

    guids = failing("FAB-013")["subject"].str.strip_prefix("guid:").to_list()
    lids = failing("FAB-012")["subject"].str.extract(r"/(\d+)$", 1).to_list()
    keys = failing("FAB-016")["subject"].to_list()
    named = pl.any_horizontal(pl.col("found").str.contains(g, literal=True) for g in guids) if guids else pl.lit(False)
    shared = pl.lit(" ".join(failing("FAB-013")["found"].to_list() + failing("FAB-014")["found"].to_list()))
    short = pl.col("called").str.replace(r" \(at .*$", "")
    doubled = pl.col("found").is_in([f"LID {lid}" for lid in lids])
    again = (
        ((pl.col("check_id") == "FAB-014") & named)
        | ((pl.col("check_id") == "FAB-010") & doubled)
        | ((pl.col("check_id") == "FAB-010") & shared.str.contains(short, literal=True))
        | (
            (pl.col("check_id") == "FAB-015")
            & (named | shared.str.contains(pl.col("found").str.strip_prefix("GUID "), literal=True))
        )
        | (pl.col("check_id").is_in(["FAB-017", "FAB-018", "FAB-019"]) & pl.col("subject").is_in(keys))
    )
    return rows.filter(~again)


def _finding(plan: Plan, id: str, text: Text, rows: pl.DataFrame, about: About) -> Finding:
    who = crowd(plan, rows, text.several)
    plural = rows.height > 1
    first = rows.row(0, named=True)
    expected, found = said(rows, "expected"), said(rows, "found")
    words = {"who": who, "expected": first["expected"], "found": first["found"]}
    words |= {"verb": "are" if plural else "is", "has": "have" if plural else "has"}
    subjects = tuple(rows["subject"].to_list())
    return Finding(
        id=id,
        verdict=Verdict.FAIL,
        severity=about.severity,
        layer=Layer.FABRIC,
        subject=subjects[0],
        expected=expected,
        found=found,
        where=where(rows),
        cause=_exchanged(rows) or filled(text.cause, words),
        next=filled(text.next, words),
        revert=filled(text.revert, words),
        evidence=evidence(rows),
        subjects=subjects,
        why=about.why,
    )


def _exchanged(rows: pl.DataFrame) -> str | None:
    """Two ports of which each has the LID that the other one is planned to have."""
    if rows.height != 2 or rows["check_id"][0] != "FAB-010":
        return None
    (one, first, second), (two, third, fourth) = rows.select("called", "expected", "found").rows()
    if (first, second) != (fourth, third):
        return None
    return f"{one} and {two} have each other's LID: their cards, or their lines in the guid2lid file, are exchanged"


def filled(template: str, words: Mapping[str, str]) -> str:
    """``template`` with its words; what a capture said may itself hold braces."""
    return re.sub(r"\{(\w+)\}", lambda m: str(words.get(m[1], m[0])), template)


def said(rows: pl.DataFrame, column: str) -> str:
    """The one text that all rows share, else that of each of the first few with its port."""
    texts = rows[column].unique(maintain_order=True)
    if texts.len() == 1:
        return str(texts[0])
    told = [f"{called}: {said}" for called, said in rows.select("called", column).head(_SHOWN).rows()]
    return "; ".join(told) + (f"; and {rows.height - _SHOWN} more" if rows.height > _SHOWN else "")


def evidence(rows: pl.DataFrame) -> tuple[str, ...]:
    """``capture:line`` of the first few rows that name one."""
    lines = rows.filter(pl.col("capture_id").is_not_null()).select("capture_id", "line").head(_SHOWN).rows()
    return tuple(dict.fromkeys(f"{capture}:{line}" for capture, line in lines))


def _ends_first(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` without links that could not be judged because an end of theirs was not read: the end is told."""
    hops = rows.filter(pl.col("check_id").is_in(SET_AT_A_HOP) & (pl.col("check_id") != BOTH_ENDS))["link"].drop_nulls()
    return rows.filter(~((pl.col("check_id") == BOTH_ENDS) & pl.col("link").is_in(hops.implode()).fill_null(False)))


def _open(rows: pl.DataFrame, about: Mapping[str, About]) -> list[Finding]:
    """What captures leave open though one of their kind was given: one finding per set of subjects and reason."""
    found: list[Finding] = []
    sets: dict[tuple[str, ...], list[str]] = {}
    for (check_id, reason), part in rows.partition_by(["check_id", "found"], as_dict=True, maintain_order=True).items():
        reason = "" if check_id in SET_AT_A_HOP else reason
        sets.setdefault((str(reason), *part["subject"].to_list()), []).append(str(check_id))
    for (reason, *subjects), ids in sets.items():
        part = rows.filter((pl.col("check_id") == ids[0]) & pl.col("subject").is_in(subjects))
        number = f"{len(subjects)} subjects are" if len(subjects) > 1 else f"{part['called'][0]} is"
        others = f" (also {', '.join(ids[1:])})" if len(ids) > 1 else ""
        said = f": {reason}" if reason and reason != "unknown" else ""
        first = about[ids[0]]
        found.append(
            Finding(
                id=ids[0],
                verdict=Verdict.NOT_MEASURED,
                severity=first.severity,
                layer=Layer.FABRIC,
                subject=subjects[0] if len(subjects) == 1 else f"{len(subjects)} subjects",
                expected=str(part["expected"][0]) if len(subjects) == 1 else "a measurement of each",
                found=reason if reason and reason != "unknown" else "none",
                where=where(part),
                cause=f"{number} not measured though a capture of that kind was given{others}{said}",
                next=f"capture {first.measured_by.rstrip('.')}; then compare again",
                revert="nothing is moved",
                evidence=evidence(part),
                subjects=tuple(subjects),
                why=first.why,
            )
        )
    return found


def _broken(row: dict[str, object], about: Mapping[str, About]) -> Finding:
    id = str(row["check_id"])
    return Finding(
        id=id,
        verdict=Verdict.ERROR,
        severity=about[id].severity,
        layer=Layer.FABRIC,
        subject="plan",
        expected="a verdict",
        found=str(row["found"]),
        where="",
        cause=f"the check itself stopped: {row['found']}",
        next="report it; every other check was run, then compare again",
        revert="nothing is moved",
        subjects=("plan",),
        why=about[id].why,
    )


def unmatched(table: str, id: str, about: About, note: str) -> Finding:
    """Captures of a kind were given and none of their devices is of the plan: nothing was measured by them."""
    return replace(
        _broken({"check_id": id, "found": ""}, {id: about}),
        verdict=Verdict.NOT_MEASURED,
        expected="a port of the plan",
        found="none",
        cause=note or f"none of the devices in {table} could be matched to the plan",
        next="capture ibnetdiscover or iblinkinfo of the same subnet beside it, so that LIDs have names; compare again",
    )
