"""Published numbers on testing and labelling fibre: pulses and dead zones, end faces, label pairs, units of SOR files."""

from __future__ import annotations

import pytest

from asbuilt.physics import end_face, labels, otdr
from asbuilt.physics.end_face import DEFECT, MM_PC, SCRATCH, SM_APC, SM_PC, Feature

pytestmark = pytest.mark.oracle


class TestF8PulseAndSuitability:
    """dz = c tau / 2n; dead zones by Agilent E6000C guide and Telcordia GR-196; n = 1.4677, dead zones 0.8 m and 4.0 m."""

    @pytest.mark.parametrize(
        ("ns", "metres"), [(3, 0.3064), (5, 0.5107), (10, 1.0213), (30, 3.0639), (100, 10.213), (1000, 102.13)]
    )
    def test_pulse_length(self, ns: float, metres: float) -> None:
        assert otdr.pulse_m(ns, 1.4677) == pytest.approx(metres, rel=5e-4)

    @pytest.mark.parametrize(
        ("length", "told"),
        [(0.5, otdr.UNRESOLVABLE), (2.0, otdr.SEEN), (5.0, otdr.IN_PRINCIPLE), (50.0, otdr.SEPARABLE)],
    )
    def test_what_can_be_told(self, length: float, told: str) -> None:
        assert otdr.resolved(length, event_m=0.8, attenuation_m=4.0, trusted_m=50.0) == told

    def test_launch_cord_and_rounding(self) -> None:
        assert otdr.launch_m(4.0) == 8.0
        assert otdr.rounding_m(3) == 1.0


#: IEC 61300-3-35:2015 tables as reprinted in Panduit FS061 (2018): kind, zone, feature, how many, of which size, passes.
END_FACES = [
    (SM_APC, "A", SCRATCH, 4, 2.0, True),
    (SM_APC, "A", SCRATCH, 5, 2.0, False),
    (SM_PC, "A", SCRATCH, 1, 1.0, False),
    (SM_APC, "A", DEFECT, 1, 1.0, False),
    (SM_PC, "B", DEFECT, 5, 4.0, True),
    (SM_PC, "B", DEFECT, 6, 4.0, False),
    (SM_PC, "B", DEFECT, 1, 5.5, False),
    (MM_PC, "A", DEFECT, 4, 5.0, True),
    (MM_PC, "A", DEFECT, 5, 3.0, False),
    (MM_PC, "A", DEFECT, 1, 6.0, False),
    (MM_PC, "B", DEFECT, 5, 8.0, True),
    (MM_PC, "B", SCRATCH, 1, 6.0, False),
    (SM_PC, "B", DEFECT, 6, 2.0, False),
    (SM_PC, "B", DEFECT, 50, 1.9, True),
]


class TestF9EndFaces:
    @pytest.mark.parametrize(("kind", "zone", "what", "count", "size", "passes"), END_FACES)
    def test_zone_tables(self, kind: str, zone: str, what: str, count: int, size: float, passes: bool) -> None:
        assert end_face.fibre_passes(kind, [Feature(zone, what, size)] * count) is passes

    def test_zones(self) -> None:
        assert [end_face.zone_um("SM", z) for z in "AB"] == [(0, 25), (25, 115)]
        assert [end_face.zone_um("MM", z) for z in "AB"] == [(0, 65), (65, 115)]


class TestF10LabelPair:
    """ANSI/TIA-606-C and ISO/IEC TR 14763-2-1: near and far with '/'."""

    NEAR, FAR = "DC1.A01-U40:P03/DC1.S02-U12:P17", "DC1.S02-U12:P17/DC1.A01-U40:P03"

    def test_pair(self) -> None:
        assert labels.are_pair(self.NEAR, self.FAR)
        assert labels.swapped(self.NEAR) == self.FAR
        assert labels.swapped(labels.swapped(self.NEAR)) == self.NEAR


class TestS1SorUnits:
    """SR-4731 fields as read by pyOTDR and verified there on 99 files: ticks of 0.1 ns one way, group index 1.4677."""

    def test_distance_and_spacing(self) -> None:
        assert otdr.distance_m(24500, 1.4677) == pytest.approx(500.4371, abs=5e-5)
        assert otdr.sample_m(25000, 1.4677) == pytest.approx(0.051065, abs=5e-7)

    def test_wavelength_stored_in_nanometres(self) -> None:
        assert otdr.wavelength_nm(13100) == pytest.approx(1310.0)
        assert otdr.wavelength_nm(1310) == pytest.approx(1310.0)  # reads 131.0 nm by the book: multiply by 10
        assert otdr.wavelength_nm(8500) == pytest.approx(850.0)
