"""Insertion loss of a channel: fibre, mated pairs, splices. Limits are data of the physical layer, not of this module."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

#: A number, or numpy arrays of them.
Value = TypeVar("Value", float, NDArray[np.float64])

_M_PER_KM = 1000.0


def channel_loss_db(
    length_m: Value,
    pairs: Value,
    attenuation_db_km: float,
    pair_db: float,
    splices: Value | float = 0.0,
    splice_db: float = 0.0,
) -> Value:
    """Loss in dB: ``L x attenuation + pairs x pair loss + splices x splice loss`` (TIA-568.3, IEC 61280-4-5).

    ``length_m`` in m, ``attenuation_db_km`` of the cabled fibre in dB/km, ``pair_db`` of one mated pair of connectors.
    """
    return length_m * (attenuation_db_km / _M_PER_KM) + pairs * pair_db + splices * splice_db


def loss_margin_db(loss_db: Value, limit_db: Value | float) -> Value:
    """What is left of the limit, dB; negative: over."""
    return limit_db - loss_db
