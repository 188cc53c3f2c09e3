"""The page's state as it stands in the URL: one or two systems with their GPU counts, and the site they share."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import urlencode

from asbuilt.base.problem import Problem

GPUS_FEWEST, GPUS_MOST = 8, 1_048_576
COOLING = ("air", "liquid", "mixed")
#: parameter -> (site field, least, most, unit)
SITE = {
    "mw": ("power_mw", 0.001, 100_000.0, "MW"),
    "rack_kw": ("rack_power_kw", 1.0, 1000.0, "kW"),
    "pue": ("pue", 1.0, 3.0, ""),
}
PARAMETERS = ("a", "an", "af", "b", "bn", "bf", *SITE, "cooling")
LONGEST = 64
DEFAULT_SYSTEM, DEFAULT_GPUS = "dgx-h100", 1024


@dataclass(frozen=True, slots=True)
class Choice:
    """One system to size. ``fabric`` empty means the reference fabric of the system."""

    system: str
    gpus: int
    fabric: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """What the page shows. ``raw`` is what was typed, so that a refused page still shows it."""

    a: Choice
    b: Choice | None = None
    site: dict[str, float | str] = field(default_factory=dict)
    raw: dict[str, str] = field(default_factory=dict)

    def url(self, path: str = "/size") -> str:
        """The address of this state; defaults are left out."""
        pairs: list[tuple[str, object]] = [("a", self.a.system), ("an", self.a.gpus)]
        if self.a.fabric:
            pairs.append(("af", self.a.fabric))
        if self.b:
            pairs += [("b", self.b.system), ("bn", self.b.gpus)]
            if self.b.fabric:
                pairs.append(("bf", self.b.fabric))
        back = {name: key for key, (name, *_) in SITE.items()} | {"cooling": "cooling"}
        pairs += [(back[name], _plain(value)) for name, value in sorted(self.site.items())]
        return f"{path}?{urlencode(pairs)}"


def _plain(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def parse(pairs: Iterable[tuple[str, str]]) -> tuple[Query, list[Problem]]:
    """The state in ``pairs`` and every problem in them; what is wrong is replaced by its default in the query."""
    problems: list[Problem] = []
    raw: dict[str, str] = {}
    for key, value in pairs:
        if key not in PARAMETERS:
            near = difflib.get_close_matches(key[:LONGEST], PARAMETERS, n=1)
            fix = f"did you mean {near[0]}?" if near else f"known: {', '.join(PARAMETERS)}"
            problems.append(Problem("CLI-301", f"unknown parameter {key[:LONGEST]!r} in the address", fix=fix))
        elif len(value) > LONGEST:
            problems.append(Problem("CLI-302", f"{key}: longer than {LONGEST} characters", fix="shorten it"))
        elif value.strip():
            raw[key] = value.strip()
    a = Choice(raw.get("a", DEFAULT_SYSTEM), _gpus("an", raw, problems), raw.get("af", ""))
    b = None
    if raw.get("b"):
        b = Choice(raw["b"], _gpus("bn", raw, problems, a.gpus), raw.get("bf", ""))
    return Query(a, b, _site(raw, problems), raw), problems


def _gpus(key: str, raw: dict[str, str], problems: list[Problem], default: int = DEFAULT_GPUS) -> int:
    text = raw.get(key)
    if text is None:
        return default
    plain = text.replace(",", "").replace(" ", "").replace("\u202f", "").replace("_", "")
    if not (plain.isascii() and plain.isdigit()):
        problems.append(Problem("CLI-303", f"GPUs: {text!r} is not a whole number", fix="write a count such as 1024"))
        return default
    count = int(plain)
    if not GPUS_FEWEST <= count <= GPUS_MOST:
        problems.append(
            Problem(
                "CLI-304",
                f"GPUs: {count:,} is outside {GPUS_FEWEST} to {GPUS_MOST:,}",
                why="below there is no fabric to design; above nothing was ever checked",
                fix=f"ask for {GPUS_FEWEST} to {GPUS_MOST:,} GPUs",
            )
        )
        return default
    return count


def _site(raw: dict[str, str], problems: list[Problem]) -> dict[str, float | str]:
    site: dict[str, float | str] = {}
    for key, (name, least, most, unit) in SITE.items():
        if key not in raw:
            continue
        try:
            value = float(raw[key].replace(",", ""))
        except ValueError:
            value = float("nan")
        if not least <= value <= most:  # also catches nan
            words = f"{least:g} to {most:,.0f}{' ' + unit if unit else ''}"
            problems.append(Problem("CLI-305", f"{key}: {raw[key]!r} is not a number from {words}", fix=f"write {words}"))
        else:
            site[name] = value
    if "cooling" in raw:
        if raw["cooling"] in COOLING:
            site["cooling"] = raw["cooling"]
        else:
            near = difflib.get_close_matches(raw["cooling"], COOLING, n=1)
            fix = f"did you mean {near[0]}?" if near else f"one of {', '.join(COOLING)}"
            problems.append(Problem("CLI-306", f"cooling: {raw['cooling']!r} is not known", fix=fix))
    return site
