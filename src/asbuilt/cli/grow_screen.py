"""The answer of `asbuilt grow` as text of 100 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from math import isfinite

from asbuilt.cli.sizing_screen import Style
from asbuilt.predict.acts import Act
from asbuilt.predict.breaks import BREAKS, HOLDS, MENDS, UNKNOWN, Decision
from asbuilt.predict.grown import Growth, Size
from asbuilt.predict.reading import AREAS, Reading

WIDTH = 100
#: Items named of an act or a list of links; all of them are in --json.
SHOWN = 3
#: Longest text in a column of decisions.
_COLUMN = 38


def screen(found: Growth, style: Style) -> str:
    """The answer: verdict, what breaks, what holds, what survives, what is to be done, the same with the target stated."""
    lines = [*_head(found, style), ""]
    lines += [*_breaking(found, style), ""]
    lines += [*_holding(found, style), ""]
    lines += [*_survival(found, style), ""]
    lines += _acts(found, style)
    lines += _foreseen(found, style)
    for note in found.notes:
        lines += _wrapped(note, f"{style.warn('!')} ", 2)
    return "\n".join(line.rstrip() for line in lines)


def _head(found: Growth, style: Style) -> list[str]:
    def size(one: Size) -> str:
        return f"{one.gpus:,} GPUs in {_many(one.racks, 'compute rack')} ({one.all_racks:,} in all)"

    title = f"{found.pilot.name}: {size(found.pilot)} → {size(found.target)}"
    if found.survives:
        verdict = style.good("✓ everything of the pilot stays as it is")
    else:
        breaks = found.counted(BREAKS)
        verb = "breaks" if breaks == 1 else "break"
        verdict = style.warn(f"! {_many(breaks, 'pilot decision')} {verb}, {_many(len(found.acts), 'act')} on the pilot")
    looked = f"planned at {', '.join(f'{n:,}' for n in found.looked_at)} racks"
    return [*_wrapped(title, "", 0, style.bold), verdict, style.dim(looked)]


def _breaking(found: Growth, style: Style) -> list[str]:
    order = sorted((d for d in found.decisions if d.verdict in (BREAKS, MENDS)), key=_place)
    if not order:
        return [style.head("no decision of the pilot breaks")]
    lines = [style.head("what breaks, at how many compute racks")]
    for decision in order:
        reading = decision.reading
        at = _at(decision)
        lines.append(f"  {style.warn(f'{at:>9}')}  {style.bold(reading.decision)}{style.dim('  ' + reading.area)}")
        lines += _wrapped(_numbers(reading), " " * 13, 13)
        lines += _wrapped(f"source: {reading.source}", " " * 13, 13, style.dim)
        if decision.verdict == MENDS:
            lines += _wrapped(f"holds from {decision.holds_from:,} racks on", " " * 13, 13)
        if reading.instead:
            lines += _wrapped(f"in the pilot: {reading.instead}", f"{'':11}{style.good('→')} ", 13)
    return lines


def _place(decision: Decision) -> tuple[int, int]:
    return 0 if decision.holds_to is None else decision.breaks_at or 0, AREAS.index(decision.reading.area)


def _at(decision: Decision) -> str:
    if decision.breaks_at is None:
        return ""
    if decision.holds_to is None:
        return "now"
    if decision.exact:
        return f"{decision.breaks_at:,}"
    return f"{decision.holds_to + 1:,}–{decision.breaks_at:,}"


def _numbers(reading: Reading) -> str:
    """Both numbers of a reading in words."""
    if isinstance(reading.asked, str):
        if reading.has is None:
            return f"{reading.subject}: {reading.asked}"
        if str(reading.has).startswith("0 of "):
            return f"{reading.asked} cannot stay, first {reading.subject}"
    asked, has = _amount(reading.asked, reading.unit), _amount(reading.has, reading.unit)
    if reading.unit in ("m/s", "%"):
        return f"{reading.subject}: {asked} where {has} is allowed"
    return f"{reading.subject}: {asked} asked, {has} there"


def _amount(value: float | str | None, unit: str) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, str):
        return value
    if not isfinite(value):
        return "more than any pump serves"
    if float(value).is_integer():
        text = f"{value:,.0f}"
    else:
        text = f"{value:,.2f}" if abs(value) < 100 else f"{value:,.0f}"
    return f"{text} {unit}".strip()


def _holding(found: Growth, style: Style) -> list[str]:
    held = [d.reading for d in found.decisions if d.verdict == HOLDS]
    open_ = [d.reading for d in found.decisions if d.verdict == UNKNOWN]
    lines = [style.head("what holds")]
    lines += [_row(reading, style.good("✓")) for reading in held] or [style.dim("  nothing")]
    if open_:
        lines += ["", style.head("what nobody can say yet")]
        for reading in open_:
            lines.append(_row(reading, style.dim("?")))
            if reading.instead:
                lines += _wrapped(f"ask for {reading.instead}", " " * 4, 4, style.dim)
    return lines


def _row(reading: Reading, sign: str) -> str:
    if isinstance(reading.has, str):
        text = "all stay" if reading.has.startswith("0 of ") else reading.has
    elif reading.has is None:
        text = f"{_amount(reading.asked, reading.unit)} asked, what it has is unknown"
    else:
        text = f"{_amount(reading.asked, reading.unit)} of {_amount(reading.has, reading.unit)}"
    return f"  {sign} {reading.decision:<{_COLUMN}}{text}"


def _survival(found: Growth, style: Style) -> list[str]:
    lines = [style.head(f"what survives{'':<9}{'pilot':>9}{'as it was':>12}{'changed':>10}{'gone':>8}")]
    for one in found.survived:
        changed = f"{len(one.changed):,}" if one.changed else "–"
        gone = f"{len(one.gone):,}" if one.gone else "–"
        sign = style.good("✓") if one.kept == one.rows else style.warn("!")
        name = one.table.replace("_", " ")
        lines.append(f"  {sign} {name:<18}{one.rows:>9,}{one.kept:>12,}{changed:>10}{gone:>8}")
    proof = found.links
    text = f"{proof.same_ends:,} of {proof.links:,} links have the same ends in the target"
    text += f"; of {proof.untouched:,} nobody touches the cable"
    lines += _wrapped(text, "  ", 2)
    for word, keys in (("other ends", proof.moved), ("gone", proof.gone)):
        if keys:
            lines += _wrapped(f"{word}: {_some(keys)}", "    ", 4, style.dim)
    return lines


def _acts(found: Growth, style: Style) -> list[str]:
    if not found.acts:
        return []
    money = any(a.money is not None for a in found.acts)
    currency = f" {found.rates.currency or ''}".rstrip()
    lines = [style.head(f"what is to be done, in this order{'':<24}{'pieces':>8}{'hours':>10}{'down h':>10}{'money':>12}")]
    for act in found.acts:
        sign = "~" if _assumed(act) else ""
        cells = f"{act.count:>8,}{sign + _hours(act.hours):>10}{_hours(act.downtime_h):>10}{_money(act):>12}"
        lines.append(f"  {act.number:>2}  {act.stage:<13}{act.title:<40}{cells}")
        lines += _wrapped(f"{_some(act.items)}{'; ' + act.out if act.out else ''}", " " * 19, 19, style.dim)
    hours, down = (_sum([getattr(a, name) for a in found.acts]) for name in ("hours", "downtime_h"))
    total = f"{'':>8}{hours:>10}{down:>10}{_sum([a.money for a in found.acts]) if money else 'unknown':>12}"
    lines.append(style.bold(f"      {'':<13}{'in all, as far as known':<40}{total}"))
    crews = found.rates.crews or 1
    told = "~ hours are assumed (confidence low; --rates FILE states yours)" if any(_assumed(a) for a in found.acts) else ""
    told += f"{'; ' if told else ''}{_many(crews, 'crew')}; down h: one act after another"
    lines += _wrapped(told + (f"; money in{currency}" if money and currency else ""), "  ", 2, style.dim)
    return [*lines, ""]


def _assumed(act: Act) -> bool:
    return act.hours_origin == "assumed"


def _sum(values: list[float | None]) -> str:
    known = [v for v in values if v is not None]
    return f"{_hours(sum(known))}{'+' if len(known) < len(values) else ''}"


def _hours(hours: float | None) -> str:
    if hours is None:
        return "unknown"
    return f"{hours:,.1f}" if hours < 100 else f"{hours:,.0f}"


def _money(act: Act) -> str:
    return "unknown" if act.money is None else f"{act.money:,.0f}"


def _foreseen(found: Growth, style: Style) -> list[str]:
    if found.foreseen is None:
        return []
    then, now = found.foreseen, found.links
    names = {d.reading.id: d.reading.decision for d in found.decisions}

    def listed(words: Iterable[str]) -> str:
        return ", ".join(words) or "none"

    lines = [style.head("the same pilot, planned for the target")]
    for word, text in (
        ("stated", "; ".join(then.stated)),
        ("then hold", listed(names[key] for key in then.mended)),
        ("still fail", listed(reading.decision for reading in then.failing)),
        ("same ends", f"{then.same_ends:,} of {then.links:,} links (without: {now.same_ends:,} of {now.links:,})"),
        ("same cable", f"{then.untouched:,} links (without: {now.untouched:,})"),
    ):
        lines += _wrapped(text, f"  {word:<12}", 14)
    return [*lines, ""]


def _some(keys: tuple[str, ...]) -> str:
    more = f" and {len(keys) - SHOWN:,} more" if len(keys) > SHOWN else ""
    return ", ".join(keys[:SHOWN]) + more


def _many(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def _wrapped(text: str, lead: str, indent: int, colour: object = None) -> list[str]:
    parts = textwrap.wrap(text, WIDTH - indent, break_long_words=False, break_on_hyphens=False) or [""]
    shown = [colour(part) for part in parts] if callable(colour) else parts
    return [lead + shown[0], *(" " * indent + part for part in shown[1:])]
