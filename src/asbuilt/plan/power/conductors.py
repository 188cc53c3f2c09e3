"""Table `CONDUCTOR_LOADS`: A of L1, L2, L3 and N of feeds, busways, circuits, PDUs and banks, case by case."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from asbuilt.model.tables_power import CONDUCTOR_LOADS
from asbuilt.plan.power.outlets import PHASES
from asbuilt.plan.power.racks import Flags, Floats, Ints

CONDUCTORS = ["L1", "L2", "L3", "N"]
FULL = "full"


def of_kind(
    kind: str, subjects: pl.Series, cases: Sequence[str], amps: Floats, limit_a: Floats, keep: Flags | None = None
) -> pl.DataFrame:
    """Rows of one kind from ``amps`` (cases, n, 4). ``limit_a`` (n,), NaN: none is known. ``keep`` (cases, n) leaves rows out:
    what hangs on a lost feed carries nothing. The neutral of conductors of equal section has their limit."""
    shape = amps.shape[:2]
    chosen = np.ones(shape, np.bool_) if keep is None else keep
    case, at = np.nonzero(chosen)
    wide = len(CONDUCTORS)
    return pl.DataFrame(
        {
            "subject": subjects.gather(np.repeat(at, wide)),
            "kind": pl.Series([kind], dtype=pl.String).new_from_index(0, len(at) * wide),
            "case": pl.Series(list(cases), dtype=pl.String).gather(np.repeat(case, wide)),
            "conductor": pl.Series(CONDUCTORS).gather(np.tile(np.arange(wide), len(at))),
            "load_a": amps[case, at].reshape(-1),
            "limit_a": pl.Series(np.repeat(limit_a[at], wide), dtype=pl.Float64).fill_nan(None),
        }
    )


def banks(
    pdus: pl.Series,
    cases: Sequence[str],
    circuit: Ints,
    bank: Ints,
    conductor: Ints,
    amps: Floats,
    limit_a: float | None,
    dead: Flags,
    between: bool,
) -> pl.DataFrame:
    """Rows of the banks in use. ``amps`` (cases, cords); ``dead`` (cases, circuits): the PDU's feed is lost.

    A bank stands on one conductor; one between phases loads two alike, and is told by the first.
    """
    most = int(bank.max(initial=0)) + 1
    key = circuit.astype(np.int64) * most + bank
    used, which = np.unique(key, return_inverse=True)
    of_circuit, number = used // most, used % most + 1
    line = np.zeros(len(used), np.int64)
    line[which] = conductor
    sums = np.array([np.bincount(which, weights=a, minlength=len(used)) for a in amps])
    case, at = np.nonzero(~dead[:, of_circuit])
    subject = ("bank:" + pdus).gather(of_circuit[at]) + "/" + pl.Series(number[at]).cast(pl.String)
    return pl.DataFrame(
        {
            "subject": subject,
            "kind": pl.Series(["bank"], dtype=pl.String).new_from_index(0, len(at)),
            "case": pl.Series(list(cases), dtype=pl.String).gather(case),
            "conductor": pl.Series(CONDUCTORS[:PHASES]).gather(line[at]),
            "load_a": sums[case, at],
            "limit_a": pl.Series([limit_a], dtype=pl.Float64).new_from_index(0, len(at)),
        }
    )


def conductor_loads(frames: list[pl.DataFrame]) -> pl.DataFrame:
    """Table `CONDUCTOR_LOADS`."""
    if not frames:
        return CONDUCTOR_LOADS.empty()
    return CONDUCTOR_LOADS.conform(pl.concat(frames).sort(CONDUCTOR_LOADS.order))
