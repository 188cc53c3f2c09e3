"""What the plan says of the forwarding tables, in the form in which they are read back."""

from __future__ import annotations

import numpy as np

from asbuilt.model.plan import Plan
from asbuilt.plan.forwarding import Forwarding, forwarding

#: Switch LID -> destination LID -> output port (255: none); only what the plan fixes.
Routes = dict[int, dict[int, int]]


def planned_routes(plan: Plan, subnet: str) -> Routes:
    """Every row of the forwarding tables that the plan fixes."""
    return rows_of(forwarding(plan, subnet))


def rows_of(tables: Forwarding) -> Routes:
    """The fixed rows of computed tables."""
    found: Routes = {}
    for index, lid in enumerate(tables.lid.tolist()):
        targets = np.flatnonzero(tables.fixed[index])
        found[lid] = dict(zip(targets.tolist(), tables.out[index, targets].tolist(), strict=True))
    return found


def changed_rows(before: Routes, after: Routes) -> Routes:
    """Rows of ``before``'s switches and destinations that ``after`` has otherwise: what is programmed anew in old switches."""
    found: Routes = {}
    for switch, rows in before.items():
        now = after.get(switch, {})
        found[switch] = {target: now[target] for target, port in rows.items() if target in now and now[target] != port}
    return found
