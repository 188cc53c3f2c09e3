"""Which fibre position reaches which: array and duplex cables as permutations, a channel as their composition.

Positions count from 1, left to right with the key up. Cable and adapter types: ANSI/TIA-568.3 (array cables A, B and C; array
adapters A, key up to key down, and B, key up to key up). A channel is written as its elements in order, parted by blanks:
``B adA B adA B`` is a type B cord, an adapter of type A, a type B trunk, an adapter, a cord. Duplex cords are ``AB`` (crossed)
and ``AA`` (straight). Fibres of a 16-fibre array (offset key) follow the same types with 17 in place of 13.
"""

from __future__ import annotations

import functools

#: Fibres of a connector row, by the word of the plan's ``lanes`` column.
BASES = {"mpo12": 12, "mpo16": 16, "lc": 2}
#: Lanes each way that parallel optics light on such a row: the outer ones (IEEE 802.3 SR4 and DR4: 4 of 12; SR8, DR8: 8 of 16).
LANES = {"mpo12": 4, "mpo16": 8, "lc": 1}
_STRAIGHT, _REVERSED, _PAIRS = "straight", "reversed", "pairs"
_KINDS = {
    "A": _STRAIGHT,
    "B": _REVERSED,
    "C": _PAIRS,
    "adA": _STRAIGHT,
    "adB": _REVERSED,
    "AA": _STRAIGHT,
    "AB": _PAIRS,
}
ELEMENTS = tuple(_KINDS)
#: What a wrong channel shows on the modules.
WORKS, DARK, CROSSED = "works", "every lane meets its like: both ends dark", "lanes crossed: some dark or swapped in pairs"


def element_map(element: str, base: int) -> tuple[int, ...]:
    """Far position of each near position 1..``base`` of one element. Raises ``ValueError`` for a word that is no element."""
    kind = _KINDS.get(element)
    if kind is None:
        raise ValueError(f"no element of a channel: {element!r}; there are {', '.join(ELEMENTS)}")
    near = range(1, base + 1)
    if kind == _STRAIGHT:
        return tuple(near)
    if kind == _REVERSED:
        return tuple(base + 1 - i for i in near)
    return tuple(i + 1 if i % 2 else i - 1 for i in near)


@functools.lru_cache(maxsize=4096)
def channel_map(elements: str, base: int) -> tuple[int, ...]:
    """Far position of each near position over all ``elements`` (blank-parted, in order). Raises ``ValueError``."""
    at = tuple(range(1, base + 1))
    for element in elements.split():
        step = element_map(element, base)
        at = tuple(step[i - 1] for i in at)
    return at


def parallel_works(far: tuple[int, ...], lanes: int) -> bool:
    """Does every Tx reach the peer's Rx and the other way round? Tx are 1..``lanes``, Rx the last ones backwards.

    True iff the lit positions are reversed, i -> base + 1 - i: an odd number of reversals and no pair flip.
    """
    base = len(far)
    lit = [*range(1, lanes + 1), *range(base - lanes + 1, base + 1)]
    return all(far[i - 1] == base + 1 - i for i in lit)


def duplex_works(far: tuple[int, ...]) -> bool:
    """Does every pair (1, 2), (3, 4), ... arrive as a pair, Tx on Rx?"""
    pairs = range(1, len(far), 2)
    return all((far[i - 1] + 1) // 2 == (far[i] + 1) // 2 and far[i - 1] % 2 == 0 for i in pairs)


def channel_symptom(elements: str, lanes: str) -> str:
    """`WORKS`, or what the modules show. ``lanes``: a key of `BASES`. Raises ``ValueError`` for an unknown word."""
    if lanes not in BASES:
        raise ValueError(f"no connector row: {lanes!r}; there are {', '.join(BASES)}")
    base, lit = BASES[lanes], LANES[lanes]
    far = channel_map(elements, base)
    if lanes == "lc":
        return WORKS if duplex_works(far) else DARK
    if parallel_works(far, lit):
        return WORKS
    return DARK if all(far[i - 1] <= lit for i in range(1, lit + 1)) else CROSSED


def channel_works(elements: str, lanes: str) -> bool:
    """True when every Tx of the near module reaches an Rx of the far one, on its own lane."""
    return channel_symptom(elements, lanes) == WORKS


def splitter_map(base: int, lanes: int, ends: int) -> dict[int, tuple[int, int]]:
    """Where each lit position of the near end of a type B splitter comes out: (far end from 1, position there).

    A module of ``lanes`` lanes is shared by ``ends`` far ends: end e takes the lanes ``(e - 1) * lanes / ends + 1`` and
    following, on its outer positions, reversed as in a type B cable (400G SR4 and DR4 over 1:2 splitters: 2 lanes each).
    Raises ``ValueError`` when the lanes cannot be shared out evenly.
    """
    if ends < 1 or lanes % ends:
        raise ValueError(f"{lanes} lanes cannot be shared by {ends} ends")
    each = lanes // ends
    out: dict[int, tuple[int, int]] = {}
    for lane in range(lanes):
        end, own = lane // each + 1, lane % each + 1
        out[lane + 1] = (end, base + 1 - own)
        out[base - lane] = (end, own)
    return out


def mates(gender_a: str, gender_b: str) -> bool:
    """Array connectors mate when one has pins and the other has none; two without pins leave the fibres unaligned."""
    return {gender_a, gender_b} == {"male", "female"}
