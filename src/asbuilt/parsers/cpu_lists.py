"""Lists of processors as the kernel writes them: ``0-47,96-143``."""

from __future__ import annotations

from typing import Iterable

#: Number of the last processor that a list may name; a small text must not fill the memory.
_MOST = 1 << 16


def spread(numbers: Iterable[int]) -> str:
    """The numbers as ranges joined by commas; empty for none."""
    parts: list[str] = []
    first = last = -2
    for number in sorted(set(numbers)):
        if number == last + 1:
            last = number
            continue
        if first >= 0:
            parts.append(f"{first}-{last}" if last > first else str(first))
        first = last = number
    if first >= 0:
        parts.append(f"{first}-{last}" if last > first else str(first))
    return ",".join(parts)


def of_mask(mask: str) -> str | None:
    """The list of a mask of hexadecimal digits, None for what is none.

    ``0x0000ffff,0x000000ff``: groups of 32, the last one holds the first processors; hwloc writes an empty one without digits.
    """
    digits = mask.strip().lower()
    if not digits or "..." in digits:
        return None  # every processor from there on, however many there are
    groups = [g.removeprefix("0x") for g in digits.split(",")]
    if not groups or any(len(g) > 8 or not all(c in "0123456789abcdef" for c in g) for g in groups[1:]):
        return None
    if len(groups) > 1:
        text = groups[0] + "".join(g.zfill(8) for g in groups[1:])
    else:
        text = groups[0]
    if len(text) * 4 > _MOST or not all(c in "0123456789abcdef" for c in text):
        return None
    value = int(text or "0", 16)
    return spread(i for i in range(value.bit_length()) if value >> i & 1)
