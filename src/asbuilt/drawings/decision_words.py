"""How the figures of a decision read: money, days, shares, names of unknown length and origin. Unknown is never 0."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from math import isfinite, log10

from asbuilt.drawings.theme import number

UNKNOWN = "unknown"
#: What stands in the place of an assumption where a next step changes the arrangement; its price is counted in what it saves.
CHANGE = "a change"
#: Ends of the words for large numbers: from, divisor, sign.
_LARGE = ((1e12, 0.0, ""), (1e9, 1e9, " bn"), (1e6, 1e6, " M"), (1e4, 1e3, " k"))
_DIGITS = 3
#: Below this a number is told with an exponent.
_SMALL = 1e-6
_PERCENT = 100.0
#: What stands between a value and its unit: never the end of a line.
TIE = "\u00a0"
_LONGEST = 80


def known(value: float | None) -> bool:
    """False for None, NaN and infinity: what is not known is said, not drawn."""
    return value is not None and isfinite(value)


def short(value: float | None) -> str:
    """Three significant digits for people: ``2.31 M``, ``340 k``, ``0.0012``; ``unknown`` for what is not known."""
    if value is None or not isfinite(value):
        return UNKNOWN
    if value < 0:
        return f"−{short(-value)}"
    size = value
    if size == 0:
        return "0"
    for start, by, sign in _LARGE:
        if size >= start:
            return f"{value:.2e}" if not by else f"{_digits(value / by)}{sign}".replace(" ", TIE)
    return f"{value:.2e}" if size < _SMALL else _digits(value)


def _digits(value: float) -> str:
    places = max(0, _DIGITS - 1 - int(log10(abs(value)) // 1))
    return number(value, places)


def money(value: float | None, currency: str) -> str:
    """``2.31 M USD``; ``unknown``."""
    return f"{short(value)}{TIE}{plain(currency, 12)}".strip() if known(value) else UNKNOWN


def days(value: float | None) -> str:
    """``62 days``, ``8.4 days``; ``unknown``."""
    if value is None or not isfinite(value):
        return UNKNOWN
    text = short(value)
    return f"{text}{TIE}day{'' if text == '1' else 's'}"


def share(value: float | None) -> str:
    """A share from 0 to 1 in per cent: ``71 %``; ``under 1 %`` and ``over 99 %`` where rounding would say never or always."""
    if value is None or not isfinite(value):
        return UNKNOWN
    percent = value * _PERCENT
    if 0 < percent < 1:
        return f"under{TIE}1{TIE}%"
    if _PERCENT - 1 < percent < _PERCENT:
        return f"over{TIE}99{TIE}%"
    return f"{number(percent)}{TIE}%"


def letter(place: int) -> str:
    """A, B, … Z, then A2, B2, …: the mark of an arrangement by its place, from 0."""
    turn, at = divmod(place, 26)
    return chr(ord("A") + at) + (str(turn + 1) if turn else "")


def plain(text: object, most: int = _LONGEST) -> str:
    """A name on one line without control and direction-changing characters, cut at its end beyond ``most`` characters."""
    raw = str(text)
    clean = "".join(" " if c.isspace() else c for c in raw if c.isspace() or unicodedata.category(c) not in _UNSEEN)
    joined = " ".join(clean.split())
    return joined if len(joined) <= most else joined[: most - 1].rstrip() + "…"


#: Controls, format characters (directions among them), surrogates, unassigned.
_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Cn", "Co"))
_SAID = {
    "idle_gpus": "idle GPUs",
    "idle": "idle GPUs",
    "bringup": "bring-up",
    "lead": "project lead",
    "replacements": "parts replaced",
    "audit": "third-party audit",
    "liability": "self-insured liability",
    "tooling": "tools and calibration",
    "own": "own people",
    "connector_dirty": "dirty connector",
    "backplane_pin": "bent backplane pin",
    "fitting_leak": "leaking fitting",
    "bend_radius": "bend or routing",
    "cord_wrong": "wrong power cord",
    "gpu_fault": "GPU fault",
    "pcie_degraded": "PCIe degraded",
    "nvlink_fault": "NVLink fault",
    "first_job_d": "first job",
    "acceptance_d": "acceptance",
}


#: Kinds of racks whose name alone does not say what they are.
_RACKS = {"air": "air-cooled with GPUs", "liquid": "liquid-cooled with GPUs"}


def racks_said(racks: Mapping[str, int]) -> str:
    """``15 racks (1 network, 12 air-cooled with GPUs, 2 storage)``; ``an unknown number of racks``."""
    if not racks:
        return "an unknown number of racks"
    kinds = ", ".join(f"{count:,} {_RACKS.get(kind) or plain(kind.replace('_', ' '), 20)}" for kind, count in racks.items())
    whole = sum(racks.values())
    return f"{whole:,} rack{'' if whole == 1 else 's'} ({kinds})"


def said(key: str) -> str:
    """An identifier as words: underscores become blanks."""
    return _SAID.get(key) or plain(key.replace("_", " "))


def amount(value: float | None, unit: str) -> str:
    """A value with its unit; ``unknown`` is never 0."""
    if value is None or not isfinite(value):
        return UNKNOWN
    word = plain(unit, 40)
    if value == 1 and "/" not in word:
        word = "person" if word == "people" else word.removesuffix("s")
    return f"{short(value)} {word}".strip()


def unit_of(unit: str, currency: str) -> str:
    """A unit of the assumption files for reading: ``money`` there is the currency of the question."""
    return _MONEY.sub(plain(currency, 12) or "money", plain(unit, 40))


_MONEY = re.compile(r"\bmoney\b")


def count_by(pairs: list[tuple[str, float]]) -> Mapping[str, float]:
    """Sums by key in order of first sight; what is not known is left out."""
    made: dict[str, float] = {}
    for key, value in pairs:
        if known(value):
            made[key] = made.get(key, 0.0) + value
    return made
