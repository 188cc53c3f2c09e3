"""Edges of the formulas on testing and labelling fibre; the published numbers are in tests/oracle."""

from __future__ import annotations

import re

import pytest

from asbuilt.physics import end_face, labels, otdr
from asbuilt.physics.end_face import ARRAY_ZONES, DEFECT, MM_PC, SCRATCH, SM_APC, SM_PC, Feature


class TestEndFaces:
    def test_an_array_passes_when_all_its_fibres_do(self) -> None:
        clean: list[Feature] = []
        dirty = [Feature("A", DEFECT, 1.0)]
        assert end_face.array_passes(SM_APC, [clean] * 12) is True
        assert end_face.array_passes(SM_APC, [clean] * 11 + [dirty]) is False

    def test_a_fibre_that_nobody_looked_at_is_no_pass(self) -> None:
        assert end_face.array_passes(SM_APC, [[], None]) is None
        assert end_face.array_passes(SM_APC, [[Feature("A", DEFECT, 1.0)], None]) is False
        assert end_face.array_passes(SM_APC, []) is None

    def test_only_the_judged_zones_count(self) -> None:
        far_out = [Feature("D", DEFECT, 11.0)]
        assert end_face.fibre_passes(SM_PC, far_out)
        assert not end_face.fibre_passes(SM_PC, far_out, (*ARRAY_ZONES, "C", "D"))
        assert end_face.fibre_passes(SM_PC, [Feature("C", DEFECT, 90.0)], ("C",))

    def test_scratches_beside_defects(self) -> None:
        assert end_face.fibre_passes(SM_APC, [Feature("A", SCRATCH, 3.0)] * 4 + [Feature("B", DEFECT, 5.0)] * 5)
        assert not end_face.fibre_passes(SM_APC, [Feature("A", SCRATCH, 3.1)])
        assert end_face.fibre_passes(MM_PC, [Feature("A", SCRATCH, 3.0)] * 99)

    def test_where_the_tables_are_silent(self) -> None:
        with pytest.raises(ValueError, match=re.escape("says nothing of a scratch in zone D of SM_APC")):
            end_face.fibre_passes(SM_APC, [], ("D",))
        with pytest.raises(ValueError, match="no zone 'E' of 'SM'; there are A, B, C, D"):
            end_face.zone_um("SM", "E")

    @pytest.mark.parametrize("size", [float("nan"), -1.0, float("inf")])
    def test_a_size_that_is_none(self, size: float) -> None:
        with pytest.raises(ValueError, match="is not the size of a feature"):
            end_face.fibre_passes(SM_PC, [Feature("B", DEFECT, size)])

    def test_zone_by_distance(self) -> None:
        assert [end_face.zone_of(SM_PC, um) for um in (0.0, 12.5, 12.6, 57.5, 60.0, 125.0, 126.0)] == [*"AABBCD", None]
        assert end_face.zone_of(MM_PC, 32.5) == "A"


class TestReflectometer:
    def test_the_longer_the_better(self) -> None:
        told = [otdr.resolved(m, 0.8, 4.0, 50.0) for m in (0.8, 4.0, 49.9, 50.0)]
        assert told == list(otdr.MEANING)

    def test_dead_zones_out_of_order(self) -> None:
        with pytest.raises(ValueError, match="not in this order"):
            otdr.resolved(10.0, 5.0, 4.0, 50.0)

    @pytest.mark.parametrize("n", [0.0, 0.99, float("nan"), float("inf")])
    def test_no_group_index(self, n: float) -> None:
        with pytest.raises(ValueError, match="light in glass is slower"):
            otdr.pulse_m(10, n)


class TestLabels:
    def test_an_end_reads_back(self) -> None:
        for end in (
            labels.End("DC1.H2", "A-01", 3.0, "26-1-2"),
            labels.End("", "A-01", 40.5, "c0"),
            labels.End("DC1.H2", "A-01", 40.5, "c0"),
            labels.End("", "A-01", 40.0),
            labels.End("DC1", "A-01"),
        ):
            assert labels.end_of(str(end)) == end

    def test_how_it_is_written(self) -> None:
        assert str(labels.End("DC1", "A01", 4.0, "P03")) == "DC1.A01-U04:P03"
        assert str(labels.End("", "A01", 4.5)) == "A01-U4.5"

    @pytest.mark.parametrize("text", ["", "A/B/C", "A01-U40:P03", "A01:/B01", "/B01", "A:1:2/B", "A01-U1:x/B01-U1:y/"])
    def test_what_is_no_label(self, text: str) -> None:
        assert labels.ends_of(text) is None

    def test_what_is_no_pair(self) -> None:
        assert not labels.are_pair("A-U1:1/B-U1:1", "A-U1:1/B-U1:1")
        assert not labels.are_pair("A-U1:1", "B-U1:1")
        with pytest.raises(ValueError, match="is not a label of two ends"):
            labels.swapped("A/B/C")
