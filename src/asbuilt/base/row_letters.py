"""Rows by letters: A to Z, then AA, AB and so on."""

from __future__ import annotations


def row_letters(row: int) -> str:
    """0 -> A, 25 -> Z, 26 -> AA."""
    text = ""
    row += 1
    while row:
        row, digit = divmod(row - 1, 26)
        text = chr(ord("A") + digit) + text
    return text


def row_index(letters: str) -> int:
    """A -> 0, Z -> 25, AA -> 26: the inverse of `row_letters`."""
    index = 0
    for letter in letters:
        index = index * 26 + ord(letter) - ord("A") + 1
    return index - 1
