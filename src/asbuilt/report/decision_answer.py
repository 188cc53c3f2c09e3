"""The answer to "who builds it" in sentences with numbers: for the first screen of the report and of the terminal.

Identifiers of assumptions stand between backticks.
"""

from __future__ import annotations

from asbuilt.drawings.decision_words import CHANGE, amount, days, known, letter, money, plain, said, share, short, unit_of
from asbuilt.model.decision import ArrangementResult, Decision, NextMeasurement, Quantiles, Summary, Swing

#: What an hour of one GPU is worth, and the hours of a day.
GPU_HOUR, DAY_H = "money.gpu_hour", 24.0
#: Swings that the answer names.
NAMED = 2
#: A variant whose name has this word is the one in which no seller's claim is believed.
CLAIMS_WORD = "claim"


def answer(decision: Decision) -> tuple[str, ...]:
    """Who wins, by how much, in what share of runs; what turns it; without claims; what to find out next."""
    won = winner(decision)
    if won is None:
        return ("No arrangement was simulated, so nothing can be said.",)
    rival = next_best(decision)
    lines = [_cost(decision, won, rival), _largest(decision, won), _time(decision, won, rival)]
    if rival is not None:
        lines += [_turning(decision, won, rival), _without_claims(decision, won)]
    lines.append(_next(decision))
    return tuple(line[0].upper() + line[1:] for line in lines if line)


def winner(decision: Decision) -> ArrangementResult | None:
    """The arrangement that the decision calls the cheapest."""
    return next((r for r in decision.arrangements if r.id == decision.winner), None)


def next_best(decision: Decision) -> ArrangementResult | None:
    """What the winner is held against: the named rival, else the other one with the lowest known mean cost."""
    others = [r for r in decision.arrangements if r.id != decision.winner]
    named = next((r for r in others if r.id == decision.rival), None)
    if named is not None:
        return named
    costed = [r for r in others if known(r.cost.mean)]
    return min(costed, key=lambda r: r.cost.mean, default=None)


def mark(decision: Decision, key: str) -> str:
    """Name and letter of an arrangement: ``Mixed (C)``."""
    for place, result in enumerate(decision.arrangements):
        if result.id == key:
            return f"{plain(result.name, 60)} ({letter(place)})"
    return plain(key, 60)


def between(q: Quantiles, show: str = "") -> str:
    """``P10 1.63 M, P90 2.69 M``."""
    return f"P10 {short(q.p10)}, P90 {short(q.p90)}{show}"


def _cost(decision: Decision, won: ArrangementResult, rival: ArrangementResult | None) -> str:
    cost = f"{money(won.cost.p50, decision.currency)} at P50 ({between(won.cost)})"
    name = mark(decision, won.id)
    if rival is None:
        return f"{name} costs {cost}. It was the only arrangement with a cost, so nothing is compared."
    part_of = "each" if decision.winner_share == 1 else share(decision.winner_share)
    often = f"it is the cheapest in {part_of} of {decision.runs:,} simulated deployments"
    gap = rival.cost.p50 - won.cost.p50
    against = mark(decision, rival.id)
    if not known(gap):
        return f"{name} is cheapest: {cost}; the cost of {against} is unknown; {often}."
    if gap < 0:
        more = money(-gap, decision.currency)
        return f"{name} is cheapest on average: {cost}, though at P50 {more} more than {against}; {often}."
    part = f" ({share(gap / rival.cost.p50)})" if rival.cost.p50 > 0 else ""
    return f"{name} is cheapest: {cost}, {money(gap, decision.currency)}{part} less than {against}; {often}."


def _largest(decision: Decision, won: ArrangementResult) -> str:
    """Where one part is more than half of the cost: what it is, and who is cheapest on average without it."""
    parts = {k: q.mean for k, q in won.parts.items() if known(q.mean)}
    key = max(parts, key=lambda k: parts[k], default="")
    if not key or not known(won.cost.mean) or not parts[key] > won.cost.mean / 2:
        return ""
    rest = {r.id: r.cost.mean - (r.parts[key].mean if key in r.parts else 0.0) for r in decision.arrangements}
    rest = {k: v for k, v in rest.items() if known(v)}
    best = min(rest, key=lambda k: rest[k])
    told = f"{said(key)}: {share(parts[key] / won.cost.mean)} of its mean cost"
    if len(rest) < 2:
        return f"{told}."
    return (
        f"{told}; without {said(key)} {mark(decision, best)} is cheapest ({money(rest[best], decision.currency)} on average)."
    )


def _time(decision: Decision, won: ArrangementResult, rival: ArrangementResult | None) -> str:
    done = won.acceptance_d
    text = (
        f"With {mark(decision, won.id)} the site is accepted {days(done.p50)} ({between(done)}) after the first day of the "
        "hardware on site"
    )
    if rival is not None and known(rival.acceptance_d.p50) and known(done.p50):
        gap = rival.acceptance_d.p50 - done.p50
        word = "sooner" if gap > 0 else "later"
        text += (
            f", {days(abs(gap))} {word} than {mark(decision, rival.id)}" if gap else ", on the same day as the next cheapest"
        )
    return f"{text}; the first job runs after {days(won.first_job_d.p50)} (all P50)."


def a_day(decision: Decision) -> str:
    """What a day costs in which all GPUs stand idle, with the arithmetic; empty where nobody says what a GPU-hour is worth."""
    hour = next((a for a in decision.assumptions if a.id == GPU_HOUR), None)
    if hour is None or not known(hour.mean):
        return ""
    cost = money(decision.gpus * DAY_H * hour.mean, decision.currency)
    worth = money(hour.mean, decision.currency)
    how = f"{decision.gpus:,} GPUs x {DAY_H:g} h x {worth}, the mean of `{GPU_HOUR}`"
    return f"A day in which all GPUs stand idle costs {cost} ({how})."


def _turning(decision: Decision, won: ArrangementResult, rival: ArrangementResult) -> str:
    if not decision.tornado:
        return "What the choice hangs on was not computed."
    turning = [s for s in decision.tornado if s.changes_winner]
    if not turning:
        most = max(decision.tornado, key=lambda s: abs(s.at_high - s.at_low))
        said = _meaning(decision, most.assumption)
        return f"No assumption alone turns the choice within its range; {said} moves it most."
    told = [_turn(decision, s, rival) for s in turning[:NAMED]]
    more = f"; {len(turning) - NAMED} more can" if len(turning) > NAMED else ""
    return f"The choice hangs on {'; also on '.join(told)}{more}, all else at its mean."


def _turn(decision: Decision, swing: Swing, rival: ArrangementResult) -> str:
    said = _meaning(decision, swing.assumption)
    ends = [(swing.low_value, swing.at_low), (swing.high_value, swing.at_high)]
    lost = [(value, gap) for value, gap in ends if known(gap) and gap < 0]
    if not lost:
        return said
    value, gap = min(lost, key=lambda e: e[1])
    at = amount(value, "" if swing.unit == "ratio" else unit_of(swing.unit, decision.currency))
    return f"{said}: at {at} {mark(decision, rival.id)} is cheaper by {money(-gap, decision.currency)}"


def _meaning(decision: Decision, key: str) -> str:
    found = next((a for a in decision.assumptions if a.id == key), None)
    name = f"`{plain(key.replace('`', ' '), 60)}`"
    return f"{name} ({plain(found.meaning.replace('`', ' '), 160)}, {found.origin})" if found else name


def claims_variant(decision: Decision) -> tuple[Summary, ...]:
    """The comparison without claimed values, a line for each arrangement; empty where it was not made."""
    names = dict.fromkeys(s.variant for s in decision.variants)
    chosen = next((n for n in names if CLAIMS_WORD in n.lower()), None)
    return tuple(s for s in decision.variants if s.variant == chosen)


def _without_claims(decision: Decision, won: ArrangementResult) -> str:
    variant = claims_variant(decision)
    best = next((s for s in variant if s.winner), None)
    if best is None:
        return "The comparison without claimed values was not made."
    cost = money(best.cost.p50, decision.currency)
    if best.arrangement == won.id:
        return f"With every claim of a seller left out {mark(decision, won.id)} stays the cheapest ({cost} at P50)."
    return f"With every claim of a seller left out {mark(decision, best.arrangement)} is cheapest ({cost} at P50)."


def cheapest_next(decision: Decision) -> NextMeasurement | None:
    """The cheapest thing to find out of those that are worth more than they cost; changes are none of them."""
    found = (m for m in decision.next_measurements if m.assumption != CHANGE)
    paying = [m for m in found if m.cost is not None and known(m.cost) and m.worth > m.cost]
    return min(paying, key=lambda m: m.cost or 0.0, default=None)


def _next(decision: Decision) -> str:
    if not decision.next_measurements:
        return "Nothing was found that would be worth knowing before deciding." if len(decision.arrangements) > 1 else ""
    changes = [m for m in decision.next_measurements if m.assumption == CHANGE]
    told = ""
    if changes:
        best_change = max(changes, key=lambda m: m.worth)
        told = f" What to change: {plain(best_change.what, 200)} ({money(best_change.worth, decision.currency)} less)."
    best = cheapest_next(decision)
    if best is None:
        return f"Nothing that could be found out before deciding is known to be worth what it costs.{told}"
    cost, worth = money(best.cost, decision.currency), money(best.worth, decision.currency)
    found = (
        f"Cheapest next thing to find out: {plain(best.what, 120)}, for {cost}; knowing it is worth {worth} before deciding."
    )
    return f"{found}{told}"
