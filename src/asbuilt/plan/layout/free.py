"""Free rack units: which are taken, and the runs of them that hold something more.

Counted in half units, since some devices end between two units. What is taken at one face counts as taken at both: behind a
shallow device there is room for hands, not for another device.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
#: Cells of one rack unit.
CELLS = 2


def taken(racks: pl.DataFrame, slots: pl.DataFrame) -> Bools:
    """Cells that ``slots`` take, racks in the order of ``racks`` (columns ``rack`` and ``height_u``) by cells from the bottom.

    Cells above a rack's own height count as taken, so that nothing is put there.
    """
    heights = racks["height_u"].to_numpy()
    tall = int(heights.max(initial=0)) * CELLS
    grid = np.arange(tall)[None, :] >= (heights * CELLS)[:, None]
    at = racks.select("rack", row=pl.int_range(pl.len()))
    held = slots.join(at, on="rack", how="inner", maintain_order="left").select("row", "u", "height_u")
    low = np.floor((held["u"].to_numpy() - 1.0) * CELLS).astype(np.int64)
    high = np.ceil((held["u"].to_numpy() - 1.0 + held["height_u"].to_numpy()) * CELLS).astype(np.int64)
    count = np.maximum(high - low, 0)
    first = np.repeat(low - (np.cumsum(count) - count), count)
    cell = first + np.arange(int(count.sum()))
    row = np.repeat(held["row"].to_numpy(), count)
    inside = (cell >= 0) & (cell < tall)
    grid[row[inside], cell[inside]] = True
    return grid


def lowest_run(grid: Bools, height_u: int, first_u: int = 1) -> NDArray[np.float64]:
    """Lowest U from which ``height_u`` whole units are free, per rack; NaN where there is no such run."""
    return _run(grid, height_u, first_u, top=False)


def highest_run(grid: Bools, height_u: int, first_u: int = 1) -> NDArray[np.float64]:
    """Highest U from which ``height_u`` whole units are free, per rack; NaN where there is no such run."""
    return _run(grid, height_u, first_u, top=True)


def _run(grid: Bools, height_u: int, first_u: int, top: bool) -> NDArray[np.float64]:
    racks, cells = grid.shape
    units = cells // CELLS
    starts = units - height_u + 1
    if starts < first_u or racks == 0:
        return np.full(racks, np.nan)
    free = ~grid[:, : units * CELLS].reshape(racks, units, CELLS).any(axis=2)
    total = np.concatenate([np.zeros((racks, 1), np.int64), np.cumsum(free, axis=1)], axis=1)
    fits = total[:, height_u:] - total[:, :starts] == height_u
    fits[:, : first_u - 1] = False
    at = starts - 1 - np.argmax(fits[:, ::-1], axis=1) if top else np.argmax(fits, axis=1)
    return np.where(fits.any(axis=1), at + 1.0, np.nan)


def longest_run(grid: Bools, first_u: int = 1) -> NDArray[np.int64]:
    """Whole units of the longest free run of each rack."""
    units = grid.shape[1] // CELLS
    free = np.asarray(~grid[:, : units * CELLS].reshape(len(grid), units, CELLS).any(axis=2), bool)
    longest, here = np.zeros(len(grid), np.int64), np.zeros(len(grid), np.int64)
    for unit in range(first_u - 1, units):
        here = np.where(free[:, unit], here + 1, 0)
        longest = np.maximum(longest, here)
    return longest
