"""What each arrangement costs: the spread over the simulated deployments, and the parts that make it up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from asbuilt.drawings.decision_ink import Chart, Span, chart, ticks
from asbuilt.drawings.decision_words import known, letter, money, plain, said, short
from asbuilt.drawings.scale import width_of
from asbuilt.drawings.theme import cut
from asbuilt.model.decision import ArrangementResult

#: Classes of the picture of a distribution.
BINS = 48
#: Share of the samples that the picture shows: the few far out are counted in words.
SHOWN = 0.99
_STRIP = 62.0


def cost_distribution(
    results: Sequence[ArrangementResult], currency: str, narrow: bool = False, standalone: bool = False
) -> str:
    """A strip for each arrangement on one scale of money: how often each cost came out, with P10, P50 and P90.

    SVG; empty where no arrangement has a known cost.
    """
    drawn = [(i, r) for i, r in enumerate(results) if known(r.cost.p50)]
    if not drawn:
        return ""
    title = f"Cost of each arrangement over the simulated deployments, in {plain(currency, 12)}"
    told = "; ".join(
        f"{letter(i)} {r.name}: P10 {short(r.cost.p10)}, P50 {short(r.cost.p50)}, P90 {short(r.cost.p90)}" for i, r in drawn
    )
    made = chart(title, told, narrow)
    samples = {i: sorted(v for v in r.cost_samples if known(v)) for i, r in drawn}
    lows = [min([r.cost.p10, *samples[i][:1]]) for i, r in drawn if known(r.cost.p10)]
    highs = [max(r.cost.p90, _high(samples[i])) for i, r in drawn if known(r.cost.p90)]
    middle = [r.cost.p50 for _, r in drawn]
    low, high = min([*lows, *middle]), max([*highs, *middle])
    pad = (high - low) * 0.02
    span = Span(low - pad, high + pad, 8, made.width - 8)
    top = made.y
    for i, r in drawn:
        _strip(made, span, i, r, samples[i], currency)
    marks = [(v, short(v)) for v in ticks(low, high, 4 if narrow else 8)]
    made.grid(span, top + 36, made.y, marks, plain(currency, 12))
    made.y += 36
    beyond = sum(1 for i, _ in drawn for v in samples[i] if v > span.high)
    lines = ["Solid line: P50. Dashed lines: P10 and P90. Height: how often a cost came out, each strip to its own peak."]
    if beyond:
        worst = max(samples[i][-1] for i, _ in drawn if samples[i])
        whole = sum(map(len, samples.values()))
        lines.append(f"{beyond:,} of the {whole:,} deployments drawn here lie further right, up to {money(worst, currency)}.")
    made.words(lines)
    return made.svg(standalone)


def _high(samples: Sequence[float]) -> float:
    return samples[int((len(samples) - 1) * SHOWN)] if samples else float("-inf")


def _strip(made: Chart, span: Span, place: int, result: ArrangementResult, samples: Sequence[float], currency: str) -> None:
    numbers = (
        f"P10 {short(result.cost.p10)} · P50 {short(result.cost.p50)} · P90 {short(result.cost.p90)} {plain(currency, 12)}"
    )
    name = f"{letter(place)}  {plain(result.name)}"
    if made.narrow:
        made.canvas.text(0, made.y + 12, cut(name, made.width - 4), "strong", made.width)
        made.canvas.text(0, made.y + 27, numbers, "small", made.width, 11.5)
    else:
        room = made.width - width_of(numbers, "small") - 24
        made.canvas.text(0, made.y + 14, name, "strong", room)
        made.canvas.text(made.width, made.y + 14, numbers, "small end")
    top = made.y + (34 if made.narrow else 24)
    base = top + _STRIP
    _shape(made, span, place, samples, top + 6, base)
    for value, css, wide in ((result.cost.p10, "even", 1.2), (result.cost.p50, "crit", 2.2), (result.cost.p90, "even", 1.2)):
        if known(value):
            x = span.at(value)
            made.canvas.line(((x, top), (x, base)), css, wide)
    made.canvas.line(((span.start, base), (span.end, base)), "axis")
    made.y = base + 8


def _shape(made: Chart, span: Span, place: int, samples: Sequence[float], top: float, base: float) -> None:
    """The histogram as one outline, filled in the arrangement's colour and texture."""
    if not samples or not span.high > span.low:
        return
    counts = [0] * BINS
    for value in samples:
        part = (value - span.low) / (span.high - span.low)
        if 0 <= part <= 1:
            counts[min(BINS - 1, int(part * BINS))] += 1
    most = max(counts)
    if not most:
        return
    wide = (span.end - span.start) / BINS
    columns = [(span.start + at * wide, wide, base - (base - top) * count / most) for at, count in enumerate(counts)]
    made.columns(columns, base, place)


def cost_parts(results: Sequence[ArrangementResult], currency: str, narrow: bool = False, standalone: bool = False) -> str:
    """Mean cost of each arrangement as one bar made of its parts. Means add up; medians would not. SVG, empty without parts."""
    keys = list(dict.fromkeys(key for r in results for key, q in r.parts.items() if known(q.mean)))
    if not keys:
        return ""
    keys.sort(key=lambda k: -max(abs(r.parts[k].mean) for r in results if k in r.parts and known(r.parts[k].mean)))
    series = {key: i for i, key in enumerate(keys)}
    told = "; ".join(
        f"{letter(i)} {r.name}: " + ", ".join(f"{said(k)} {short(r.parts[k].mean)}" for k in keys if k in r.parts)
        for i, r in enumerate(results)
    )
    made = chart(f"Mean cost by part, in {plain(currency, 12)}", told, narrow)
    made.legend([(series[k], said(k)) for k in keys])
    _bars(made, results, series, currency)
    whole = sum(q.mean for r in results for q in r.parts.values() if known(q.mean) and q.mean > 0)
    first = sum(r.parts[keys[0]].mean for r in results if keys[0] in r.parts and known(r.parts[keys[0]].mean))
    if len(keys) > 2 and first > whole / 2:
        made.words([f"The same without {said(keys[0])}, on a scale of its own:"])
        _bars(made, results, {k: n for k, n in series.items() if k != keys[0]}, currency)
    missing = sorted({said(k) for r in results for k, q in r.parts.items() if not known(q.mean)})
    if missing:
        made.words([f"Not drawn because unknown: {', '.join(missing)}."])
    return made.svg(standalone)


def _bars(made: Chart, results: Sequence[ArrangementResult], series: dict[str, int], currency: str) -> None:
    """A bar for each arrangement, made of the parts in ``series``, with their scale."""
    sums = [_sides(r, series) for r in results]
    low, high = min(0.0, *(s[0] for s in sums)), max(0.0, *(s[1] for s in sums))
    span = Span(low, high, 2, made.width - 4)
    top = made.y
    for i, r in enumerate(results):
        _parts_bar(made, span, i, r, series, currency)
    made.grid(span, top, made.y, [(v, short(v)) for v in ticks(low, high, 4 if made.narrow else 8)], plain(currency, 12))
    made.y += 34


def _sides(result: ArrangementResult, series: Mapping[str, int]) -> tuple[float, float]:
    """Sum of the negative and of the positive parts of those in ``series``."""
    values = [q.mean for key, q in result.parts.items() if key in series and known(q.mean)]
    return sum(v for v in values if v < 0), sum(v for v in values if v > 0)


def _parts_bar(made: Chart, span: Span, place: int, result: ArrangementResult, series: dict[str, int], currency: str) -> None:
    total = sum(_sides(result, series))
    sum_text = f"mean {money(total, currency)}"
    room = made.width - width_of(sum_text, "small") - 20
    made.canvas.text(0, made.y + 14, f"{letter(place)}  {plain(result.name)}", "strong", room)
    made.canvas.text(made.width, made.y + 14, sum_text, "small end")
    left = right = span.at(0)
    top = made.y + 21
    for key, number in series.items():
        q = result.parts.get(key)
        if q is None or not known(q.mean) or q.mean == 0:
            continue
        wide = abs(span.at(q.mean) - span.at(0))
        x = right if q.mean > 0 else left - wide
        hint = f"{said(key)}: mean {money(q.mean, currency)}, P10 {short(q.p10)}, P90 {short(q.p90)}"
        made.swatch(x, top, wide, 28, number, hint)
        made.on(x, top + 18, wide, short(q.mean))
        right, left = (right + wide, left) if q.mean > 0 else (right, left - wide)
    made.y = top + 28 + 10
