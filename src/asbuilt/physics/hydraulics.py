"""A row of racks on two headers, solved: which pressure the far rack asks for, and which flow each rack gets from a pump.

Every branch draws through the header segments on its way from the pump and back. With the flows q of the branches, the
segments carry ``Aᵀ q`` and each branch sees ``b(q) + A h(Aᵀ q)``; at the solution that is the pump's pressure for all of
them. Losses grow with flow, so the matrix of Newton's method is symmetric and positive definite and the steps end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asbuilt.physics.coolant import Fluid
from asbuilt.physics.pipe_sizes import KPA_PER_PSI, L_PER_GALLON
from asbuilt.physics.pipes import Bore, Bores, bores, losses_kpa
from asbuilt.physics.pumps import PumpCurve

Floats = NDArray[np.float64]
#: Newton steps at most, and the pressure in kPa up to which branches count as equal.
_STEPS = 50
_CLOSE_KPA = 1e-8
#: Flow in L/min below which the slope of a loss is taken as constant, so that branches without flow have one.
_SLOW = 1e-3


@dataclass(frozen=True, slots=True)
class Branch:
    """A rack with what joins it to the headers: its own loss ``drop_kpa`` at ``flow_l_min``, exponent ``n``; hoses; couplings.

    ``hoses`` of each bore in series (supply and return each count); ``cvs`` of couplings in series.
    """

    flow_l_min: float
    drop_kpa: float
    n: float
    hoses: tuple[Bore, ...] = ()
    cvs: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """Branches and header segments. ``uses[i, s]``: how often branch i's flow passes a segment like s.

    A segment with its twin in the return header counts twice. Build one by `direct_return` or `reverse_return`.
    """

    branches: tuple[Branch, ...]
    segments: tuple[Bore, ...]
    uses: Floats
    carries: Floats


@dataclass(frozen=True, slots=True)
class Solved:
    """Flows in L/min of branches and segments; losses in kPa of one of each; pressure at the pump."""

    flow_l_min: Floats
    segment_l_min: Floats
    segment_kpa: Floats
    branch_kpa: Floats
    header_kpa: Floats
    pressure_kpa: float

    @property
    def total_l_min(self) -> float:
        return float(self.flow_l_min.sum())


def direct_return(branches: tuple[Branch, ...], segments: tuple[Bore, ...]) -> Row:
    """The first rack's coolant goes back first. Segment i leads to branch i, once in supply and once in return."""
    count = len(branches)
    carries = np.tril(np.ones((count, count)))
    return Row(branches, segments, 2.0 * carries, carries)


def reverse_return(branches: tuple[Branch, ...], segments: tuple[Bore, ...], back: Bore) -> Row:
    """The first rack's coolant goes back last: the return runs on to the far end and home through ``back`` (all the flow).

    Segments of the result: the supply's, then the return's between branch i and i+1, then ``back``.
    """
    count = len(branches)
    supply = np.tril(np.ones((count, count)))
    beyond = np.triu(np.ones((count, count)))[:, : count - 1]
    uses = np.hstack([supply, beyond, np.ones((count, 1))])
    return Row(branches, (*segments, *segments[1:], back), uses, uses)


def centre_feed(left: Row, right: Row) -> Row:
    """Two arms from one pump, solved together."""
    rows, columns = len(left.branches), len(left.segments)
    more, wider = len(right.branches), len(right.segments)

    def joined(a: Floats, b: Floats) -> Floats:
        return np.block([[a, np.zeros((rows, wider))], [np.zeros((more, columns)), b]])

    branches, segments = (*left.branches, *right.branches), (*left.segments, *right.segments)
    return Row(branches, segments, joined(left.uses, right.uses), joined(left.carries, right.carries))


@dataclass(frozen=True, slots=True)
class _Columns:
    """Branches and segments as arrays, for one fluid."""

    reference: Floats
    drop: Floats
    n: Floats
    hoses: tuple[tuple[NDArray[np.int64], Bores], ...]
    square: Floats
    segments: Bores
    fluid: Fluid

    def branch(self, flow: Floats) -> Floats:
        """Loss of each branch."""
        size = np.abs(flow)
        own = self.drop * (size / self.reference) ** self.n + self.square * size**2
        lost = np.sign(flow) * own
        for at, hose in self.hoses:
            np.add.at(lost, at, losses_kpa(flow[at], hose, self.fluid))
        return np.asarray(lost)

    def segment(self, flow: Floats) -> Floats:
        return losses_kpa(flow, self.segments, self.fluid)


def _columns(row: Row, fluid: Fluid) -> _Columns:
    listed = row.branches
    most = max((len(b.hoses) for b in listed), default=0)
    hoses = []
    for place in range(most):
        at = [i for i, b in enumerate(listed) if len(b.hoses) > place]
        hoses.append((np.asarray(at, np.int64), bores([listed[i].hoses[place] for i in at])))
    gravity = fluid.density_kg_m3 / 1000.0 * KPA_PER_PSI / L_PER_GALLON**2
    return _Columns(
        np.asarray([b.flow_l_min for b in listed]),
        np.asarray([b.drop_kpa for b in listed]),
        np.asarray([b.n for b in listed]),
        tuple(hoses),
        np.asarray([gravity * sum(cv**-2.0 for cv in b.cvs) for b in listed]),
        bores(list(row.segments)),
        fluid,
    )


def branch_kpa(branch: Branch, flow_l_min: float, fluid: Fluid) -> float:
    """Loss of one branch alone in kPa: rack, hoses and couplings."""
    row = direct_return((branch,), (Bore(1000.0, 0.0),))
    return float(_columns(row, fluid).branch(np.asarray([flow_l_min]))[0])


def for_far_flow(row: Row, fluid: Fluid, flow_l_min: float, at: int = -1) -> Solved:
    """The pressure that gives branch ``at`` (default the last) exactly ``flow_l_min``, and what all others then get.

    Raises ``ValueError`` for a header so narrow that the near branches would get many times the far one's flow.
    """
    chosen = at % len(row.branches)
    columns = _columns(row, fluid)
    found = _newton(row, columns, np.full(len(row.branches), flow_l_min), None, (chosen, flow_l_min))
    if found is None and chosen == len(row.branches) - 1 and bool((np.diff(row.carries, axis=0) >= 0).all()):
        found = _newton(row, columns, _marched(row, columns, flow_l_min), None, (chosen, flow_l_min))
    return _settled(found)


def _marched(row: Row, columns: _Columns, far: float) -> Floats:
    """Flows near the solution of a direct return: from the last branch towards the pump, losses as a power of the flow."""
    count = len(row.branches)
    flow = np.full(count, far)
    least = float(columns.branch(flow)[-1])
    pressure = least
    for at in range(count - 2, -1, -1):
        between = row.uses[at + 1] - row.uses[at]
        carried = row.carries[at + 1 :].T @ flow[at + 1 :]
        pressure += float(between @ columns.segment(np.where(between > 0, carried, 0.0)))
        flow[at] = far * (pressure / least) ** (1.0 / columns.n[at])
    return flow


def _settled(found: Solved | None) -> Solved:
    if found is None:
        raise ValueError("the flows of the row do not settle")
    return found


def for_least_flow(row: Row, fluid: Fluid, flow_l_min: float) -> Solved:
    """The pressure that gives the worst served branch ``flow_l_min``; in a direct return with equal branches the last one."""
    worst = len(row.branches) - 1
    for _ in range(len(row.branches)):
        found = for_far_flow(row, fluid, flow_l_min, worst)
        least = int(np.argmin(found.flow_l_min))
        if found.flow_l_min[least] >= flow_l_min * (1 - 1e-6):
            return found
        worst = least
    raise ValueError("no branch of the row is the worst served one")  # each step takes one that is served worse


def for_pressure(row: Row, fluid: Fluid, pressure_kpa: float, guess_l_min: float = 100.0) -> Solved:
    """What each branch gets at a constant pressure."""
    return for_pump(row, fluid, PumpCurve(pressure_kpa, 0.0, 0.0, np.inf), guess_l_min)


def for_pump(row: Row, fluid: Fluid, curve: PumpCurve, guess_l_min: float = 100.0) -> Solved:
    """What each branch gets from a pump; where the curve is published, `PumpCurve.where` tells of the total flow."""
    return _settled(_newton(row, _columns(row, fluid), np.full(len(row.branches), guess_l_min), curve, None))


def _newton(
    row: Row, columns: _Columns, start: Floats, curve: PumpCurve | None, fixed: tuple[int, float] | None
) -> Solved | None:
    """Newton's method. Either ``curve`` gives the pressure, or branch ``fixed[0]`` has flow ``fixed[1]``.

    Steps are halved: with a pressure given until the slope along the step falls (the losses are the gradient of a convex
    function, so that always ends), with a flow given until the residual does. None when it does not settle.
    """
    flow = start.astype(np.float64)
    pressure = float(columns.branch(flow).max())
    residual = _residual(row, columns, flow, pressure, curve)
    for _ in range(_STEPS):
        given = pressure if curve is None else curve.at(float(flow.sum()))
        worst = float(np.abs(residual).max())
        if worst <= _CLOSE_KPA * max(1.0, abs(given)):
            return _solved(row, columns, flow, given)
        step, rise = _step(row, columns, flow, residual, curve, fixed)
        before = abs(float(residual @ step))
        share = 1.0
        while share > 1e-5:
            tried = _residual(row, columns, flow + share * step, pressure + share * rise, curve)
            along = float(tried @ step)
            if float(np.abs(tried).max()) < worst or (curve is not None and along < 0.9 * before and np.isfinite(along)):
                break
            share /= 2
        flow, pressure, residual = flow + share * step, pressure + share * rise, tried
        if share <= 1e-5:  # as near as the arithmetic comes
            break
    given = pressure if curve is None else curve.at(float(flow.sum()))
    return _solved(row, columns, flow, given) if float(np.abs(residual).max()) <= 1e-5 * max(1.0, abs(given)) else None


def _residual(row: Row, columns: _Columns, flow: Floats, pressure: float, curve: PumpCurve | None) -> Floats:
    given = pressure if curve is None else curve.at(float(flow.sum()))
    lost: Floats = columns.branch(flow) + row.uses @ columns.segment(row.carries.T @ flow)
    return lost - given


def _step(
    row: Row, columns: _Columns, flow: Floats, residual: Floats, curve: PumpCurve | None, fixed: tuple[int, float] | None
) -> tuple[Floats, float]:
    """The Newton step of flows and pressure."""
    segments = row.carries.T @ flow
    matrix = (row.uses * _slope(columns.segment, segments)) @ row.carries.T
    matrix[np.diag_indices_from(matrix)] += _slope(columns.branch, flow)
    if curve is not None:
        matrix += 2.0 * curve.droop * abs(float(flow.sum()))
        return np.asarray(np.linalg.solve(matrix, -residual)), 0.0
    at, wanted = fixed if fixed is not None else (0, float(flow[0]))
    both = np.linalg.solve(matrix, np.column_stack([-residual, np.ones(len(flow))]))
    rise = (wanted - flow[at] - both[at, 0]) / both[at, 1]
    return np.asarray(both[:, 0] + rise * both[:, 1]), float(rise)


def _slope(loss: Callable[[Floats], Floats], flow: Floats) -> Floats:
    """Derivative of a loss by its flow, by central differences; never less than a little, so that no branch is free."""
    step = np.maximum(np.abs(flow) * 1e-5, _SLOW)
    return np.asarray(np.maximum((loss(flow + step) - loss(flow - step)) / (2 * step), 1e-9))


def _solved(row: Row, columns: _Columns, flow: Floats, pressure: float) -> Solved:
    segments = row.carries.T @ flow
    lost = columns.segment(segments)
    return Solved(flow, segments, lost, columns.branch(flow), row.uses @ lost, pressure)
