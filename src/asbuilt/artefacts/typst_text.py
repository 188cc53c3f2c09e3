"""Text for typst sources: always as a string literal, so that no letter of a name is read as markup or code."""

from __future__ import annotations

SIGNS = {"\\": "\\\\", '"': '\\"'}
REPLACEMENT = "\ufffd"


def literal(text: object) -> str:
    """``text`` as a typst string literal, its quotes among it.

    Line breaks and tabs become blanks; other control characters and lone surrogates become U+FFFD. In a string literal only
    the backslash and the double quote mean anything to typst (typst reference, "String": escape sequences).
    """
    return f'"{"".join(_letter(c) for c in str(text))}"'


def _letter(char: str) -> str:
    if char in SIGNS:
        return SIGNS[char]
    if char in "\t\n\r\u2028\u2029\x85":
        return " "
    code = ord(char)
    if code < 0x20 or 0x7F <= code < 0xA0 or 0xD800 <= code <= 0xDFFF or 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069:
        return REPLACEMENT
    return char
