"""Figures of a decision that open: text, formula, inputs with their own places in the page, and what they rest on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from asbuilt.base.origin import Origin
from asbuilt.drawings.decision_hangs import SIGNS
from asbuilt.drawings.decision_words import UNKNOWN, amount, days, known, money, plain, short, unit_of
from asbuilt.drawings.theme import number
from asbuilt.model.assumption import Assumed
from asbuilt.model.decision import Decision, Quantiles, Worked

if TYPE_CHECKING:
    from markupsafe import Markup

_NAME = 160
#: How the working of a quantity is called, before the operation that it counts.
_QUANTITY = "quantity."
#: Where an id may go on in the next line.
_BREAK = re.compile(r"(?<=[._])(?=.)")
#: What an id of an assumption looks like in running text.
_ID = re.compile(r"([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+)")


@dataclass(frozen=True, slots=True)
class Input:
    """One input of a figure: its name, where in the page it stands (empty: nowhere), its value, its origin in a word."""

    name: str
    anchor: str
    value: str
    origin: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as shown and as opened. ``claimed``, ``assumed``: inputs of that origin that it rests on, however far down."""

    text: str
    sub: str = ""
    formula: str = ""
    inputs: tuple[Input, ...] = ()
    origin: str = ""
    source: str = ""
    note: str = ""
    value: str = ""
    anchor: str = ""
    claimed: int = 0
    assumed: int = 0
    best: bool = False

    @property
    def unknown(self) -> bool:
        return self.text == UNKNOWN


@dataclass(slots=True)
class Book:
    """Every figure of a decision by id, each with its place in the page. Anchors are numbers: ids may hold anything."""

    decision: Decision
    assumed: dict[str, Assumed] = field(default_factory=dict)
    anchors: dict[str, str] = field(default_factory=dict)
    worked: dict[str, Worked] = field(default_factory=dict)
    rests: dict[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        counted = [q.operation for q in self.decision.quantities]
        for letter, ids in (
            ("q", counted),
            ("q", [f"{_QUANTITY}{operation}" for operation in counted]),
            ("w", [w.id for w in self.decision.worked]),
            ("a", [a.id for a in self.decision.assumptions]),
        ):
            for at, key in enumerate(ids):
                self.anchors.setdefault(key, f"{letter}{at}")
        self.assumed = {a.id: a for a in self.decision.assumptions}
        self.worked = {w.id: w for w in self.decision.worked}

    def shown(self) -> list[Worked]:
        """Worked figures to be listed: those that are not a quantity of the plan, which stand in a list of their own."""
        return [w for w in self.decision.worked if self.anchors[w.id].startswith("w")]

    def found(self, arrangement: str, *names: str) -> Worked | None:
        """The worked figure of an arrangement called by one of ``names``: its id is ``<arrangement>.<name>``."""
        return next((self.worked[k] for n in names if (k := f"{arrangement}.{n}") in self.worked), None)

    def below(self, key: str) -> frozenset[str]:
        """Ids of the assumptions that a figure rests on, through the figures that it is made of; cycles do no harm."""
        if key in self.rests:
            return self.rests[key]
        seen: set[str] = set()
        open_ = [key]
        leaves: set[str] = set()
        while open_:
            at = open_.pop()
            if at in seen:
                continue
            seen.add(at)
            if at in self.assumed:
                leaves.add(at)
            elif at in self.worked:
                open_ += self.worked[at].inputs
        self.rests[key] = frozenset(leaves)
        return self.rests[key]

    def counted(self, key: str, origin: Origin) -> int:
        """How many assumptions of an origin a figure rests on."""
        return sum(1 for k in self.below(key) if self.assumed[k].origin is origin)

    def linked(self, text: object, most: int = 600) -> Markup:
        """Escaped text in which ids of assumptions lead to their places, with the sign of what nobody measured."""
        from markupsafe import Markup, escape

        made = Markup()
        for part in _ID.split(plain(text, most).replace("`", "")):
            one = self.assumed.get(part)
            if one is None:
                made += escape(part)
            else:
                sign = SIGNS.get(str(one.origin), "").strip()
                made += Markup('<a href="#{}"><code>{}</code></a>').format(self.anchors[part], breakable(part))
                made += Markup(' <span class="m {0}" title="{0}">{1}</span>').format(str(one.origin), sign) if sign else ""
        return made

    def inputs(self, keys: Sequence[str]) -> tuple[Input, ...]:
        """Inputs with values, in order."""
        return tuple(self._input(key) for key in keys)

    def _input(self, key: str) -> Input:
        anchor = self.anchors.get(key, "")
        if key in self.assumed:
            one = self.assumed[key]
            return Input(plain(key, _NAME), anchor, spread(one, self.decision.currency), str(one.origin))
        if key in self.worked:
            made = self.worked[key]
            counted = key.startswith(_QUANTITY) and made.value is not None
            value = pieces(made.value or 0.0, made.unit) if counted else amount(made.value, made.unit)
            return Input(plain(made.label, _NAME), anchor, value, str(made.origin))
        for quantity in self.decision.quantities:
            if quantity.operation == key:
                return Input(plain(key, _NAME), anchor, pieces(quantity.count, quantity.unit), "counted from the plan")
        return Input(plain(key, _NAME), "", "", "")

    def figure(self, made: Worked | None, text: str, sub: str = "", fallback: str = "", best: bool = False) -> Figure:
        """``text`` that opens to what ``made`` says, or to ``fallback`` where no working was recorded."""
        if made is None:
            return Figure(text, sub, fallback, origin=str(Origin.DERIVED), source=self.source, best=best)
        return Figure(
            text,
            sub,
            formula=plain(made.formula, 600),
            inputs=self.inputs(made.inputs),
            origin=str(made.origin),
            source=self.source,
            note=plain(made.note, 600),
            value=amount(made.value, made.unit),
            anchor=self.anchors[made.id],
            claimed=self.counted(made.id, Origin.CLAIMED),
            assumed=self.counted(made.id, Origin.ASSUMED),
            best=best,
        )

    @property
    def source(self) -> str:
        """Where every computed figure comes from."""
        d = self.decision
        return f"{d.runs:,} simulated deployments, seed {d.seed}, plan {plain(d.plan_hash)[:12] or 'without a hash'}"


def pieces(count: float, unit: str) -> str:
    """``1 rack``, ``16 racks``, ``2.5 racks``."""
    word = plain(unit, 40)
    many = word + "es" if word.endswith(("s", "x", "ch", "sh")) else f"{word}s"
    return f"{number(count, 1)} {word if count == 1 else many}" if known(count) else UNKNOWN


def breakable(key: object) -> Markup:
    """An id, escaped, that may go on in the next line behind a dot or an underscore and nowhere else."""
    from markupsafe import Markup

    return Markup("<wbr>").join(_BREAK.split(plain(key, _NAME)))


def spread(one: Assumed, currency: str) -> str:
    """``0.3 ratio (0.2 to 0.4)``; with the mean where it is another than the likely value: runs come out around that."""
    mean = "" if short(one.mean) == short(one.likely) else f"; mean {short(one.mean)}"
    return f"{amount(one.likely, unit_of(one.unit, currency))} ({ends_of(one.low, one.high)}{mean})"


def ends_of(low: float, high: float) -> str:
    """``0.2 to 0.4``; ``0.2`` alone where both are the same."""
    return short(low) if low == high else f"{short(low)} to {short(high)}"


def ends(q: Quantiles) -> str:
    """The small line below a P50."""
    return f"P10 {short(q.p10)} · P90 {short(q.p90)}"


def money_of(q: Quantiles, currency: str) -> tuple[str, str]:
    """Text and small line of an amount of money."""
    return money(q.p50, currency), ends(q)


def days_of(q: Quantiles) -> tuple[str, str]:
    """Text and small line of a time."""
    return days(q.p50), ends(q)


def least(values: Sequence[float]) -> int | None:
    """Place of the one smallest known value; None where it is shared or nothing is compared."""
    kept = [v for v in values if known(v)]
    if len(kept) < 2 or kept.count(min(kept)) > 1:
        return None
    return list(values).index(min(kept))
