"""What a channel does to Tx and Rx."""

from __future__ import annotations

import pytest

from asbuilt.physics.polarity import (
    CROSSED,
    DARK,
    WORKS,
    channel_map,
    channel_symptom,
    channel_works,
    element_map,
    mates,
    splitter_map,
)


def test_16_fibre_arrays_reverse_over_17() -> None:
    assert element_map("B", 16) == tuple(range(16, 0, -1))
    assert channel_works("B adA B adA B", "mpo16")
    assert not channel_works("B adA B", "mpo16")


def test_symptoms_tell_the_fault() -> None:
    assert channel_symptom("B", "mpo12") == WORKS
    assert channel_symptom("B adA B", "mpo12") == DARK
    assert channel_symptom("C", "mpo12") == DARK  # Tx 1 on 2: still a Tx
    assert channel_symptom("B adA C", "mpo12") == CROSSED  # light, on the neighbour's lane
    assert channel_symptom("AB", "lc") == WORKS
    assert channel_symptom("AA", "lc") == DARK


def test_unknown_words_are_refused() -> None:
    with pytest.raises(ValueError, match=r"no element of a channel: 'D'; there are A, B, C, adA, adB, AA, AB"):
        channel_map("B adA D", 12)
    with pytest.raises(ValueError, match=r"no connector row: 'mpo8'; there are mpo12, mpo16, lc"):
        channel_symptom("B", "mpo8")


def test_a_splitter_gives_each_end_its_own_lanes_on_outer_positions() -> None:
    split = splitter_map(12, 4, 2)
    assert {near: far for near, far in split.items() if far[0] == 1} == {1: (1, 12), 2: (1, 11), 12: (1, 1), 11: (1, 2)}
    assert {near: far for near, far in split.items() if far[0] == 2} == {3: (2, 12), 4: (2, 11), 10: (2, 1), 9: (2, 2)}
    with pytest.raises(ValueError, match="4 lanes cannot be shared by 3 ends"):
        splitter_map(12, 4, 3)


def test_pins_meet_holes() -> None:
    assert mates("male", "female")
    assert not mates("female", "female")
    assert not mates("male", "male")
