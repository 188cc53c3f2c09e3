"""Lists of logical processors as the kernel writes them: ``0-47,96-143``, with strides ``0-6:2``.

Source: Linux kernel, Documentation/admin-guide/kernel-parameters (cpu lists) and ``bitmap_parselist``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

#: Processors that a machine may have: the kernel's own highest NR_CPUS.
MOST = 8192
_PART = re.compile(r"^(\d{1,4})(?:-(\d{1,4})(?::(\d{1,4}))?)?$")


def parse(text: str) -> frozenset[int] | None:
    """The processors of a list, or None for what is no list. An empty text is the empty set."""
    found: set[int] = set()
    for part in filter(None, (p.strip() for p in text.split(","))):
        match = _PART.match(part)
        if match is None:
            return None
        first = int(match[1])
        last = int(match[2]) if match[2] else first
        step = int(match[3]) if match[3] else 1
        if not first <= last < MOST or not step:
            return None
        found.update(range(first, last + 1, step))
    return frozenset(found)


def fold(cpus: Iterable[int]) -> str:
    """The shortest list of ranges: ``0-3,8``."""
    parts: list[str] = []
    start = end = None
    for cpu in sorted(set(cpus)):
        if end is not None and cpu == end + 1:
            end = cpu
            continue
        if start is not None:
            parts.append(f"{start}-{end}" if end != start else str(start))
        start = end = cpu
    if start is not None:
        parts.append(f"{start}-{end}" if end != start else str(start))
    return ",".join(parts)


def within(inner: str | None, outer: str | None) -> bool | None:
    """True when every processor of ``inner`` is one of ``outer``; None when either is unknown, no list, or empty."""
    if not inner or not outer:
        return None
    one, two = parse(inner), parse(outer)
    return None if not one or not two else one <= two
