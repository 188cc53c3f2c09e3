"""The lines of a transcript of ``perfquery`` by what their shapes are: which have a block, which open one.

`walk` does it line by line where code can be compiled, `walk_whole` with whole arrays and equal results.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from asbuilt.base.kernel import kernel
from asbuilt.base.machine_words import byte_at
from asbuilt.parsers.host_lines import FACT, IGNORABLE, UNREAD, indented

Array = np.ndarray[Any, Any]
OTHER, BLANK, HEAD, COUNTER, SELECTOR, PROMPT, TIME = range(7)


def walk_whole(
    data: Array, starts: Array, shape: Array, at: Array, values: Array, kinds: Array, named: Array, first: Array, cut: int,
    classes: Array, events: Array,
) -> int:  # fmt: skip
    """As `walk`, with whole arrays."""
    if indented(data, starts, starts):
        return -1
    kind = kinds.take(shape)
    for form in np.flatnonzero(named > 0).tolist():
        lines = np.flatnonzero(shape == form)
        for which in range(int(named[form])):
            if (values[at[lines] + which] != values[at[first[form]] + which]).any():
                return -1
    if cut >= 0 and kind[cut] in (HEAD, COUNTER, SELECTOR):
        kind[cut] = OTHER
    told = np.flatnonzero((kind == HEAD) | (kind >= PROMPT))
    events[: len(told)] = told
    turns = told[kind[told] != TIME]
    last = np.searchsorted(turns, np.arange(len(kind)), side="right") - 1
    closed = np.append(kind[turns] != HEAD, True)[last]
    classes[:] = np.where(kind == COUNTER, FACT, np.where(kind == OTHER, UNREAD, IGNORABLE))
    classes[closed & ((kind == COUNTER) | (kind == SELECTOR))] = UNREAD
    return len(told)


def counted(line: int, form: int, at: Any, values: Any, named: Any, first: Any) -> bool:
    """True when the digits in a counter's name are those of its first line."""
    which, one, two = 0, at[line], at[first[form]]
    while which < named[form] and values[one + which] == values[two + which]:
        which += 1
    return bool(which == named[form])


@kernel(walk_whole, threshold=3 << 20, parts=(counted,))
def walk(
    data: Any, starts: Any, shape: Any, at: Any, values: Any, kinds: Any, named: Any, first: Any, cut: Any, classes: Any,
    events: Any,
) -> int:  # fmt: skip
    """Fill ``classes`` (a line each) and ``events`` (lines of headers, prompts and times): how many of these there are.

    -1 where a line begins with a blank, or a counter's name has other digits than on its shape's first line. ``shape`` is a
    line's, ``kinds``, ``named`` (numbers in the name) and ``first`` (line) a shape's; ``at`` and ``values`` as in
    `asbuilt.parsers.shapes.Shapes`. ``cut`` is the line that the end of the text cuts, or -1: it tells nothing. A block lasts
    to the next prompt: a counter before any header of its turn is unread.
    """
    opened, count = False, 0
    for line in range(len(classes)):
        byte = byte_at(data, starts[line])
        if byte == 32 or byte == 9:
            return -1
        form = shape[line]
        kind = kinds[form]
        if kind == SELECTOR or kind == COUNTER:  # noqa: SIM109 - a tuple is slower when compiled
            if named[form] > 0 and not counted(line, form, at, values, named, first):
                return -1
            if not opened or line == cut:
                classes[line] = UNREAD
            else:
                classes[line] = FACT if kind == COUNTER else IGNORABLE
        elif kind == OTHER or (kind == HEAD and line == cut):
            classes[line] = UNREAD
        else:
            classes[line] = IGNORABLE
            if kind != BLANK:
                events[count] = line
                count += 1
                opened = kind == HEAD or (opened and kind == TIME)
    return count
