"""Tables of numbers whose rows and columns are devices, as nvbandwidth and the CUDA samples print them."""

from __future__ import annotations

import re
from typing import Sequence

from asbuilt.parsers.fact_rows import real

INDEXES = re.compile(r"^\s*(?:(?:D\\D|GPU|CPU)\s+)?\d{1,4}(?:\s+\d{1,4})*$")
ROW = re.compile(r"^\s*(\d{1,4})((?:\s+(?:N/A|-?\d+(?:\.\d+)?))+)$")


def indexes(text: str) -> list[int]:
    """The numbers of the columns in a table's head."""
    return [int(word) for word in text.split() if word.isdigit()]


def cells(columns: Sequence[int], text: str) -> list[tuple[int, int, float]] | None:
    """(row, column, value) of a row; a cell without a value (``N/A``) is left out. None where the row is not of this table."""
    found = ROW.match(text)
    if found is None:
        return None
    words = found[2].split()
    if len(words) != len(columns):
        return None
    numbers = [(column, real(word)) for column, word in zip(columns, words, strict=True)]
    return [(int(found[1]), column, value) for column, value in numbers if value is not None]
