"""How long a cable must be: from port to tray, along the trays, down to the other port, with slack.

Between racks: ``drop_a + drop_b + along rows + across rows + slack``. A drop is the tray's height less the port's; along a
row the tray runs straight; between rows the cable takes the cross-aisle tray over the middle of the rows, where the network
racks stand: ``|x_a - x_m| + |x_b - x_m| + |y_a - y_b|``. Rows past the depth of a hall stand beside the first ones; from one
hall to the next main trays cross at the front, at half depth and at the back, and the shortest way is taken:
``|y_a - y_c| + |y_b - y_c| + |x_m,a - x_m,b|`` in place of the last term. Inside a rack: the height between the ports and
one rack width, for the way to the side manager and back. Slack is the site's service loop, both ends together (2 to 3 m of
loops in trunks are usual; patching between racks takes about 1 m).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asbuilt.model.design import SiteDesign
from asbuilt.plan.placement import ROWS_PER_HALL, Floats, Hall, Ints, hall_width_mm

#: Past the longest stock length, cables are made to order in steps of this many metres.
MADE_TO_ORDER_M = 10.0
_SLACK_M = 1e-9
#: One rack unit (EIA-310): 44.45 mm.
U_MM = 44.45


@dataclass(frozen=True, slots=True)
class Stands:
    """Where devices stand: rack number in the hall and lowest U, per device; ``height_u`` of each."""

    rack: Ints
    u: Floats
    height_u: Floats


def route_m(site: SiteDesign, hall: Hall, a: Stands, b: Stands, a_at: Ints, b_at: Ints) -> NDArray[np.float64]:
    """Route length of each link, m, to the centimetre. ``a_at`` and ``b_at`` pick the devices at its ends."""
    rack_a, rack_b = a.rack[a_at], b.rack[b_at]
    x, y = hall.x_mm, hall.y_mm
    up_a, up_b = _drops(site, a), _drops(site, b)
    x_a, x_b, y_a, y_b = x[rack_a], x[rack_b], y[rack_a], y[rack_b]
    in_a, in_b = hall.row[rack_a] // ROWS_PER_HALL, hall.row[rack_b] // ROWS_PER_HALL
    middle_a, middle_b = _cross_tray(site) + in_a * hall_width_mm(site), _cross_tray(site) + in_b * hall_width_mm(site)
    same_row = hall.row[rack_a] == hall.row[rack_b]
    along = np.where(same_row, np.abs(x_a - x_b), np.abs(x_a - middle_a) + np.abs(x_b - middle_b))
    depth = (ROWS_PER_HALL - 1) * (site.rack_depth_mm + site.aisle_mm)
    ways = [np.abs(y_a - at) + np.abs(y_b - at) for at in (0.0, depth / 2.0, depth)]
    other_hall = np.minimum.reduce(ways) + np.abs(middle_a - middle_b)
    across = np.where(in_a == in_b, np.abs(y_a - y_b), other_hall)
    between = up_a[a_at] + up_b[b_at] + along + across
    inside = np.abs(up_a[a_at] - up_b[b_at]) + site.rack_width_mm
    return np.round(np.where(rack_a == rack_b, inside, between) / 1000.0 + site.slack_m, 2)


def from_stock(need_m: NDArray[np.float64], lengths_m: tuple[float, ...]) -> NDArray[np.float64]:
    """The next of the ascending stock lengths, m; past the longest, or without any, made to order."""
    made = np.ceil(need_m / MADE_TO_ORDER_M - _SLACK_M) * MADE_TO_ORDER_M
    if not lengths_m:
        return made
    stock = np.asarray(lengths_m)
    at = np.searchsorted(stock, need_m - _SLACK_M)
    return np.where(at < len(stock), stock[np.minimum(at, len(stock) - 1)], made)


def _drops(site: SiteDesign, stands: Stands) -> Floats:
    """From the middle of each device up to the tray, mm; never less than nothing."""
    centre = (stands.u - 1.0 + stands.height_u / 2.0) * U_MM
    return np.maximum(site.tray_height_mm - centre, 0.0)


def _cross_tray(site: SiteDesign) -> float:
    """x of the cross-aisle tray, mm: over the middle position of the rows."""
    return (max(2, site.racks_per_row) - 1) / 2.0 * site.rack_width_mm
