"""What an optical time-domain reflectometer can tell of a short link, and what the fields of its files mean.

Pulse length in fibre: c tau / 2n, because light goes there and back. The event dead zone is the width at -1.5 dB of a
reflection, the attenuation dead zone runs until the trace is back within 0.5 dB of the backscatter (Agilent E6000C user's
guide, Telcordia GR-196). Units of the file are those of SR-4731 as read by the open reader pyOTDR.
"""

from __future__ import annotations

import math

#: Speed of light in vacuum, m/s (exact, SI).
LIGHT_M_S = 299_792_458.0
#: Event times are ticks of 0.1 ns, one way; the sample spacing is a number of 1e-8 microseconds, one way (SR-4731).
TICK_S = 1e-10
SPACING_S = 1e-14
#: Wavelengths are stored in tenths of a nanometre. No fibre is tested below 600 nm: such a reading was stored in nanometres.
_WAVELENGTH_NM = 0.1
_SHORTEST_NM = 600.0

UNRESOLVABLE, SEEN, IN_PRINCIPLE, SEPARABLE = "unresolvable", "events only", "separable in principle", "separable"
#: What each class lets a report say.
MEANING = {
    UNRESOLVABLE: "both connectors lie in one reflection",
    SEEN: "the near and the far connector are seen, their losses are not separable",
    IN_PRINCIPLE: "losses are separable in principle, only with a launch and a tail cord and from both ends",
    SEPARABLE: "losses of the connectors are separable",
}


def _index(n: float) -> float:
    if not (math.isfinite(n) and n >= 1.0):
        raise ValueError(f"{n} is not a group index: light in glass is slower than in vacuum")
    return n


def pulse_m(pulse_ns: float, n: float) -> float:
    """Length in fibre, m, of a pulse of ``pulse_ns`` at group index ``n``: c tau / 2n. Raises ``ValueError`` for n < 1."""
    return LIGHT_M_S * pulse_ns * 1e-9 / (2.0 * _index(n))


def resolved(length_m: float, event_m: float, attenuation_m: float, trusted_m: float) -> str:
    """What a reflectometer with these dead zones can tell of a link of ``length_m``: a key of `MEANING`.

    ``trusted_m`` is the length from which a loss is believed without more (below 50 to 100 m no insertion loss is taken
    from a reflectometer: a light source and power meter decide, IEC 61280-4-5). Raises ``ValueError`` unless the dead zones
    and that length stand in this order.
    """
    if not 0 < event_m <= attenuation_m <= trusted_m:
        raise ValueError(f"dead zones {event_m} m and {attenuation_m} m, trusted from {trusted_m} m: not in this order")
    if length_m <= event_m:
        return UNRESOLVABLE
    if length_m <= attenuation_m:
        return SEEN
    return IN_PRINCIPLE if length_m < trusted_m else SEPARABLE


def launch_m(attenuation_m: float) -> float:
    """Shortest launch cord, m: twice the attenuation dead zone, so that the trace is straight before the first connector."""
    return 2.0 * attenuation_m


def distance_m(ticks: float, n: float) -> float:
    """Distance, m, of an event stored as ``ticks`` of 0.1 ns one way: t c / n. Never rounded: a trunk is a few metres."""
    return ticks * TICK_S * LIGHT_M_S / _index(n)


def sample_m(spacing_raw: float, n: float) -> float:
    """Distance between two samples, m, from the stored spacing."""
    return spacing_raw * SPACING_S * LIGHT_M_S / _index(n)


def wavelength_nm(raw: float) -> float:
    """Wavelength, nm, from the stored number; files that hold nanometres instead of tenths are understood."""
    read = raw * _WAVELENGTH_NM
    return read / _WAVELENGTH_NM if read < _SHORTEST_NM else read


def rounding_m(decimals_km: int) -> float:
    """What a distance printed in kilometres with so many decimals is rounded to, m."""
    return 10.0 ** (3 - decimals_km)
