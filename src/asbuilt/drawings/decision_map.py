"""The break-even map: who is cheapest at so many racks and such a value of a GPU-hour, a panel for each experience."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from asbuilt.drawings.decision_ink import Chart, chart
from asbuilt.drawings.decision_words import letter, money, plain, short
from asbuilt.drawings.scale import width_of
from asbuilt.model.decision import BreakEvenCell

_TALL, _AXIS = 36.0, 46.0
#: Least width of a cell: the letter of the winner and its margin.
_CELL = 50.0


def break_even_map(
    cells: Sequence[BreakEvenCell],
    names: Mapping[str, str],
    currency: str,
    here: tuple[int, float] | None = None,
    narrow: bool = False,
    standalone: bool = False,
) -> str:
    """Panels of racks by GPU-hour value. ``names``: arrangement id → name, in order; ``here``: racks and value of this site.

    A cell has the winner's letter, colour and texture, and by how much it wins. SVG, empty without cells.
    """
    if not cells:
        return ""
    places = {key: at for at, key in enumerate(names)}
    places |= {key: len(places) + i for i, key in enumerate(dict.fromkeys(c.winner for c in cells if c.winner not in places))}
    racks, values = sorted({c.racks for c in cells}), sorted({c.gpu_hour for c in cells}, reverse=True)
    panels = sorted({c.experience_racks for c in cells})
    told = "; ".join(
        f"{c.racks} racks, {short(c.gpu_hour)} an hour, {short(c.experience_racks)} racks built: {letter(places[c.winner])}"
        for c in cells
    )
    made = chart("Who is cheapest, by racks, value of a GPU-hour and experience", told, narrow)
    used = list(dict.fromkeys(c.winner for c in cells))
    made.legend([(places[k], f"{letter(places[k])} {names.get(k, k)}") for k in sorted(used, key=lambda k: places[k])])
    gap = 24.0
    side_by_side = max(1, min(len(panels), int((made.width + gap) // (_AXIS + len(racks) * _CELL + gap))))
    room = (made.width - gap * (side_by_side - 1)) / side_by_side
    wide = min(64.0, (room - _AXIS) / len(racks))
    told_margins = all(width_of(short(c.margin), "small") <= wide - 6 for c in cells)
    by = {(c.experience_racks, c.racks, c.gpu_hour): c for c in cells}
    for first in range(0, len(panels), side_by_side):
        top, low = made.y, made.y
        for at, panel in enumerate(panels[first : first + side_by_side]):
            made.y = top
            chosen = {(c.racks, c.gpu_hour): c for (e, _, _), c in by.items() if e == panel}
            _panel(made, at * (room + gap), room, (racks, values), chosen, places, panel, (here, told_margins))
            low = max(low, made.y)
        made.y = low + 12
    lines = [f"Across: racks with GPUs. Up: value of an idle GPU-hour in {plain(currency, 12)}. Everything else at its mean."]
    if told_margins:
        lines.append(f"Below each letter: by how much it is cheaper than the next one, in {plain(currency, 12)}.")
    if here is not None:
        lines.append(
            f"Thick frame: the cell nearest to this site ({here[0]:,} racks, {short(here[1])} {plain(currency, 12)} as mean)."
        )
    made.words(lines)
    return made.svg(standalone)


def _panel(
    made: Chart,
    left: float,
    room: float,
    axes: tuple[list[int], list[float]],
    cells: Mapping[tuple[int, float], BreakEvenCell],
    places: Mapping[str, int],
    experience: float,
    look: tuple[tuple[int, float] | None, bool],
) -> None:
    racks, values = axes
    here, margins = look
    title = f"own people have built {short(experience)} rack{'' if experience == 1 else 's'}"
    made.canvas.text(left, made.y + 13, title, "strong", room)
    made.y += 22
    wide = min(64.0, (room - _AXIS) / len(racks))
    near = (_nearest_size(racks, here[0]), _nearest(values, here[1])) if here else None
    for value in values:
        made.canvas.text(left + _AXIS - 6, made.y + 22, short(value), "small end", _AXIS - 8, 11.5)
        for at, count in enumerate(racks):
            cell = cells.get((count, value))
            if cell is not None:
                _cell(made, left + _AXIS + at * wide, wide, cell, places[cell.winner], ((count, value) == near, margins))
        made.y += _TALL
    for at, count in enumerate(racks):
        text = f"{count:,}"
        if width_of(text, "small") <= wide - 2:
            made.canvas.text(left + _AXIS + (at + 0.5) * wide, made.y + 14, text, "small mid")
    made.canvas.text(left + _AXIS - 6, made.y + 14, "racks", "small end")
    made.y += 20


def _nearest(values: Sequence[float], wanted: float) -> float:
    return min(values, key=lambda v: abs(v - wanted))


def _nearest_size(sizes: Sequence[int], wanted: int) -> int:
    """By ratio: of 8 and 16 racks, 16 is nearer to 12."""
    return min(sizes, key=lambda size: max(size / wanted, wanted / size))


def _cell(made: Chart, x: float, wide: float, cell: BreakEvenCell, place: int, look: tuple[bool, bool]) -> None:
    here, fits = look
    hint = f"{cell.racks:,} racks, {short(cell.gpu_hour)} an hour: {letter(place)} by {money(cell.margin, '')}"
    made.swatch(x, made.y, wide - 1.5, _TALL - 1.5, place, hint)
    if here:
        made.canvas.box(x + 1, made.y + 1, wide - 3.5, _TALL - 3.5, "crit", hint, 1)
    made.canvas.text(x + (wide - 1.5) / 2, made.y + (15 if fits else 22), letter(place), "strong mid halo")
    if fits:
        made.canvas.text(x + (wide - 1.5) / 2, made.y + 29, short(cell.margin), "small mid halo")
