"""How many trunks carry the ports between two places. Integers only: ``ceil(720 * 1.1)`` in floats is 793, and wrong."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

#: A whole number, or numpy arrays of them.
Count = TypeVar("Count", int, NDArray[np.int64])

_PERCENT = 100


def trunks_needed(ports: Count, fibres_per_port: Count | int, usable_fibres: Count | int) -> Count:
    """``ceil(ports x fibres per port / usable fibres of one trunk)``.

    ``usable_fibres`` counts only what both ends can light: 8 of each 12-fibre leg under 4-lane parallel optics.
    """
    return -((-ports * fibres_per_port) // usable_fibres)


def spare_trunks(trunks: Count, percent: int) -> Count:
    """``ceil(trunks x percent / 100)``, at least one where there is a trunk: a spare for every route."""
    spares = -((-trunks * percent) // _PERCENT)
    if isinstance(spares, np.ndarray):
        return np.where(np.asarray(trunks) > 0, np.maximum(spares, 1), 0)
    return max(1, spares) if trunks > 0 else 0
