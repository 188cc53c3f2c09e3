"""Appliance couplers of IEC 60320: what mates with what, and what it carries at which temperature.

A connector or an outlet is female (C13, C15, C19, C21), an inlet or a plug male (C14, C16, C20, C22).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from asbuilt.physics.three_phase import NEC_CONTINUOUS, Floats

#: Females and the males that go in: IEC 60320-1 and -3; a hotter class takes the cooler male of its size, never otherwise.
MATES: dict[str, tuple[str, ...]] = {
    "C13": ("C14",),
    "C15": ("C14", "C16"),
    "C19": ("C20",),
    "C21": ("C20", "C22"),
}
_SMALL, _LARGE = ("C13", "C14", "C15", "C16"), ("C19", "C20", "C21", "C22")
#: Rated amperes of a coupler: IEC 60320-1, and of the same one under UL 498 / CSA 22.2 No. 42.
IEC_A: dict[str, float] = dict.fromkeys(_SMALL, 10.0) | dict.fromkeys(_LARGE, 16.0)
UL_A: dict[str, float] = dict.fromkeys(_SMALL, 15.0) | dict.fromkeys(_LARGE, 20.0)
#: Highest pin temperature, °C: IEC 60320-1 classes cold (70), hot (120) and very hot (155).
MOST_C: dict[str, float] = (
    dict.fromkeys(("C13", "C14", "C19", "C20"), 70.0)
    | dict.fromkeys(("C15", "C16"), 120.0)
    | dict.fromkeys(("C21", "C22"), 155.0)
)

_PAIRS = np.array([f"{female}/{male}" for female, males in MATES.items() for male in males])


def mates(female: ArrayLike, male: ArrayLike) -> NDArray[np.bool_]:
    """Whether each female coupler takes the male one beside it. A name that is not of IEC 60320 mates with nothing."""
    pairs = np.char.add(np.char.add(np.asarray(female, dtype=np.str_), "/"), np.asarray(male, dtype=np.str_))
    return np.isin(pairs, _PAIRS)


def rated_amperes(plug: ArrayLike, connector: ArrayLike, basis: str) -> Floats:
    """Continuous amperes of a cord, the lesser of its two ends: IEC ratings, or 80 % of the UL ratings under the NEC.

    NaN for an end that is not of IEC 60320. Raises ``ValueError`` for a basis other than nec or iec.
    """
    if basis not in ("nec", "iec"):
        raise ValueError(f"basis is nec or iec, not {basis!r}")
    ratings = IEC_A if basis == "iec" else {name: amperes * NEC_CONTINUOUS for name, amperes in UL_A.items()}
    return np.minimum(_looked_up(plug, ratings), _looked_up(connector, ratings))


def most_celsius(connector: ArrayLike) -> Floats:
    """Highest temperature that a coupler stands, °C; NaN for one that is not of IEC 60320."""
    return _looked_up(connector, MOST_C)


def _looked_up(names: ArrayLike, values: dict[str, float]) -> Floats:
    given = np.asarray(names, dtype=np.str_)
    return np.select([given == name for name in values], list(values.values()), np.nan)
