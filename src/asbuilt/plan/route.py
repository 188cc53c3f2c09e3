"""How long a cable must be: from port to tray, along the trays, down to the other port, with slack.

Between racks: ``drop_a + drop_b + along rows + across rows + slack``. A drop is the tray's height less the port's; along a
row the tray runs straight; between rows the cable takes the cross-aisle tray over the middle of the rows, where the network
racks stand: ``|x_a - x_m| + |x_b - x_m| + |y_a - y_b|``. Inside a rack: the height between the ports and one rack width, for
the way to the side manager and back. Slack is the site's service loop, both ends together (2 to 3 m of loops in trunks are
usual; patching between racks takes about 1 m).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asbuilt.model.design import SiteDesign
from asbuilt.plan.placement import Floats, Hall, Ints

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
    middle = _cross_tray(site)
    x_a, x_b = x[rack_a], x[rack_b]
    same_row = hall.row[rack_a] == hall.row[rack_b]
    along = np.where(same_row, np.abs(x_a - x_b), np.abs(x_a - middle) + np.abs(x_b - middle))
    between = up_a[a_at] + up_b[b_at] + along + np.abs(y[rack_a] - y[rack_b])
    inside = np.abs(up_a[a_at] - up_b[b_at]) + site.rack_width_mm
    return np.round(np.where(rack_a == rack_b, inside, between) / 1000.0 + site.slack_m, 2)


def _drops(site: SiteDesign, stands: Stands) -> Floats:
    """From the middle of each device up to the tray, mm; never less than nothing."""
    centre = (stands.u - 1.0 + stands.height_u / 2.0) * U_MM
    return np.maximum(site.tray_height_mm - centre, 0.0)


def _cross_tray(site: SiteDesign) -> float:
    """x of the cross-aisle tray, mm: over the middle position of the rows."""
    return (max(2, site.racks_per_row) - 1) / 2.0 * site.rack_width_mm
