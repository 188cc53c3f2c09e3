"""Findings that need no moves: rates not reached, what was not measured, and links beside the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from asbuilt.diagnose.cabling_tables import PortNames
from asbuilt.diagnose.identity import nameless
from asbuilt.diagnose.links import NOT_MEASURED, Compared
from asbuilt.model.facts import UNREAD, Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding, Layer, Severity, Verdict

if TYPE_CHECKING:
    import polars as pl

_SHOWN = 6


def _short(texts: list[str]) -> str:
    return "; ".join(texts[:_SHOWN]) + (f"; and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else "")


def rate_findings(plan: Plan, verdicts: pl.DataFrame, whys: dict[str, str]) -> list[Finding]:
    """One finding per (planned rate, measured width and speed): links that trained alike have one cause."""
    import polars as pl

    slow = verdicts.filter((pl.col("check_id") == "FAB-004") & (pl.col("verdict") == "fail"))
    found = []
    for (expected, seen), rows in slow.partition_by(["expected", "found"], as_dict=True, maintain_order=True).items():
        subjects = rows["subject"].to_list()
        number = f"{len(subjects)} links run" if len(subjects) > 1 else "one link runs"
        found.append(
            Finding(
                id="FAB-004",
                verdict=Verdict.FAIL,
                severity=Severity.MAJOR,
                layer=Layer.FABRIC,
                subject=subjects[0],
                expected=str(expected),
                found=str(seen),
                where=_short(subjects),
                cause=f"{number} at {seen} where the plan says {expected}: fewer lanes, or an end of an older speed",
                next="reseat and clean both ends, then swap the cable; check the part at each end; then capture again",
                revert="put the first cable back",
                evidence=tuple(f"{c}:{n}" for c, n in rows.select("capture_id", "line").head(_SHOWN).rows()),
                subjects=tuple(subjects),
                why=whys.get("FAB-004", ""),
            )
        )
    return found


def undecided(plan: Plan, compared: Compared, verdicts: pl.DataFrame, whys: dict[str, str]) -> list[Finding]:
    """What the captures, or the plan's own unread rows, leave open; and checks that stopped."""
    import polars as pl

    found = []
    open_ = np.flatnonzero(compared.status == NOT_MEASURED)
    if len(open_):
        subjects = plan.links["link"].gather(compared.rows[open_]).to_list()
        strangers = not compared.seen[: compared.names.height - compared.measured.devices.height].any()
        why = "a capture is cut or lacks devices" if compared.measured.incomplete else "no capture covers their subnet"
        why = "no device of the plan was seen: another fabric, or other names" if strangers else why
        mute = np.unique(compared.slots.device[compared.a[open_]])
        step = "capture the whole subnet again"
        if not strangers and compared.tableless[mute].all():
            called = compared.names["name"].gather(mute).to_list()
            more = f" and {len(called) - _SHOWN} more" if len(called) > _SHOWN else ""
            why = f"no capture shows a neighbour of {', '.join(called[:_SHOWN])}{more}"
            step = "run `lldpcli -f json show neighbors` on these switches, or see why they do not answer"
        told = f"{len(subjects)} links are" if len(subjects) > 1 else "one link is"
        found.append(_open("FAB-001", subjects, f"{told} not measured: {why}", step, whys))
    if compared.measured.incomplete and not len(open_):
        cause = "a capture is cut or lacks devices: what it does not show cannot be ruled out"
        found.append(_open("FAB-003", ["capture"], cause, "capture the whole subnet again", whys))
    unread = verdicts.filter((pl.col("check_id") == "FAB-004") & (pl.col("verdict") == "not_measured"))
    if unread.height:
        subjects = unread["subject"].to_list()
        cause = f"the capture shows {len(subjects)} links without a speed that we know"
        found.append(_open("FAB-004", subjects, cause, "capture with a newer ibnetdiscover, or with iblinkinfo", whys))
    if plan.unread:
        lines = [f"line {row['line']}: {row['why']}" for row in plan.unread]
        number = plan.account.unread if plan.account else len(lines)
        cause = f"{number} rows of {plan.name or 'the plan'} were not read, so their links are not judged: {_short(lines)}"
        subjects = [f"{plan.name}:{row['line']}" for row in plan.unread]
        found.append(_open("FAB-001", subjects, cause, "mend these rows of the plan", whys))
    for check_id, said in verdicts.filter(pl.col("verdict") == "error").select("check_id", "found").rows():
        finding = _open(check_id, ["plan"], f"the check itself stopped: {said}", "report it; every other check was run", whys)
        found.append(Finding(**{**_fields(finding), "verdict": Verdict.ERROR}))
    return found


def unread_captures(facts: Facts, whys: dict[str, str]) -> list[Finding]:
    """One finding for the captures that were given and told nothing: what they were to show is open, whatever others show."""
    silent = {key.removeprefix(UNREAD): why for key, why in facts.details.items() if key.startswith(UNREAD)}
    if not silent:
        return []
    number = f"{len(silent)} captures tell" if len(silent) > 1 else "one capture tells"
    cause = f"{number} nothing: {_short([f'{id}: {why}' for id, why in silent.items()])}"
    return [_open("FAB-001", list(silent), cause, "capture these again, or leave them out", whys)]


def _fields(finding: Finding) -> dict[str, Any]:
    return {name: getattr(finding, name) for name in Finding.__slots__}


def _open(check_id: str, subjects: list[str], cause: str, step: str, whys: dict[str, str]) -> Finding:
    return Finding(
        id=check_id,
        verdict=Verdict.NOT_MEASURED,
        severity=Severity.MAJOR,
        layer=Layer.FABRIC,
        subject=subjects[0] if len(subjects) == 1 else f"{len(subjects)} subjects",
        expected="a measurement",
        found="none",
        where=_short(subjects),
        cause=cause,
        next=f"{step}, then compare again",
        revert="nothing is moved",
        subjects=tuple(subjects),
        why=whys.get(check_id, ""),
    )


def unplanned_findings(
    compared: Compared, names: PortNames, table: pl.DataFrame, explained: frozenset[int], whys: dict[str, str]
) -> list[Finding]:
    """Links beside the plan, apart from those that a misplaced cable already explains: to nameless devices, and to others."""
    import polars as pl

    near, far = compared.unplanned
    open_ = np.array([int(s) not in explained for s in near.tolist()], bool)
    near, far = near[open_], far[open_]
    if not len(near):
        return []
    planned = compared.names.height - compared.measured.devices.height
    blank = np.concatenate([np.zeros(planned, bool), nameless(compared.measured.devices)])[compared.slots.device[far]]
    keys = compared.names["key"].gather(compared.slots.device[near]).to_list()
    ports = compared.slots.port(near).tolist()
    found = []
    for which, what in ((blank, "that answer with a factory name"), (~blank, "with a name of their own")):
        rows = np.flatnonzero(which)
        if not len(rows):
            continue
        subjects = [f"link:{keys[r]}/{ports[r]}" for r in rows.tolist()]
        said = [names.pair(int(near[r]), int(far[r])) for r in rows.tolist()]
        lines = table.filter(pl.col("link").is_in(subjects[:_SHOWN])).select("capture_id", "line").rows()
        found.append(
            Finding(
                id="FAB-003",
                verdict=Verdict.FAIL,
                severity=Severity.MINOR,
                layer=Layer.FABRIC,
                subject=subjects[0] if len(subjects) == 1 else f"{len(subjects)} links",
                expected="no link on these ports",
                found=_short(said),
                where=_short(subjects),
                cause=f"{len(subjects)} link{'s' if len(subjects) > 1 else ''} to devices {what} that the plan does not know",
                next="put them into the plan, or take the cables out",
                revert="plug the cables back in",
                evidence=tuple(f"{c}:{n}" for c, n in lines),
                subjects=tuple(subjects),
                why=whys.get("FAB-003", ""),
            )
        )
    return found
