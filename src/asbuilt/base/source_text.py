"""Bytes of a hand-written file to text, with every unreadable byte and invisible character named by its place."""

from __future__ import annotations

import itertools
import re
import unicodedata
from dataclasses import dataclass
from typing import Mapping

from asbuilt.base.fault import Fault
from asbuilt.base.problem import Place, Problem, ProblemError

#: A hand-written file is a few kB; more is a wrong file, and would cost memory before anything is known of it.
LARGEST_BYTES = 1 << 20

_UTF16_32 = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
# Everything YAML refuses, and what a reader cannot see: other line breaks, byte order marks inside, text direction marks.
_CONTROL = re.compile(
    "[^\\t\\n\\r\\x20-\\x7e\\xa0-\\u2027\\u202f-\\u2065\\u206a-\\ud7ff\\ue000-\\ufefe\\uff00-\\ufffd\\U00010000-\\U0010ffff]"
)
_LOOKALIKE = re.compile("[\\u00a0\\u1680\\u2000-\\u200b\\u202f\\u205f\\u2060\\u3000]")
_BREAK = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class SourceText:
    """A file's text and its lines, without line ends. Lines and columns are counted from 1, columns in characters."""

    file: str
    text: str
    lines: tuple[str, ...]

    def place(self, line: int, column: int, length: int = 1) -> Place:
        """The place of ``length`` characters at ``line``:``column``; the line's text comes with it."""
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        return Place(self.file, line, column, text, max(1, length))


def read_source(data: bytes, file: str, codes: Mapping[Fault, str]) -> SourceText:
    """Decode ``data`` as UTF-8 (a byte order mark at the start is skipped).

    Raises ``ProblemError`` for a file over 1 MiB, another encoding, a broken byte, control characters.
    """
    if len(data) > LARGEST_BYTES:
        raise ProblemError(
            Problem(
                codes[Fault.TOO_LARGE],
                f"the file has {len(data)} bytes; at most {LARGEST_BYTES} (1 MiB) are read",
                Place(file),
                "a file written by hand has a few kilobytes; this is most likely another file",
                "check the path",
            )
        )
    for mark, encoding in _UTF16_32:
        if data.startswith(mark):
            raise ProblemError(
                Problem(
                    codes[Fault.OTHER_ENCODING],
                    f"the file is {encoding} text, not UTF-8",
                    Place(file),
                    f"it starts with the byte order mark of {encoding}",
                    'save it again as "UTF-8" in the editor, or convert it: iconv -f ' + encoding + " -t UTF-8",
                )
            )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ProblemError(_broken_byte(data, error, file, codes)) from None
    text = text.removeprefix("\ufeff")
    source = SourceText(file, text, tuple(_BREAK.split(text)))
    problems = list(_hidden(source, codes))
    if problems:
        raise ProblemError(problems)
    return source


def _broken_byte(data: bytes, error: UnicodeDecodeError, file: str, codes: Mapping[Fault, str]) -> Problem:
    before = data[: error.start].decode("utf-8").removeprefix("\ufeff")
    lines = _BREAK.split(before)
    rest = _BREAK.split(data[error.start : error.start + 200].decode("latin-1"))[0]
    place = Place(file, len(lines), len(lines[-1]) + 1, lines[-1] + rest)
    return Problem(
        codes[Fault.NOT_UTF8],
        f"byte 0x{data[error.start]:02x} at offset {error.start} is not UTF-8 text",
        place,
        "either the file is saved in another encoding (Latin-1, Windows-1252), or it is not a text file",
        "save the file as UTF-8, or replace the character",
    )


def _hidden(source: SourceText, codes: Mapping[Fault, str], most: int = 20) -> list[Problem]:
    """The first ``most`` characters that cannot be seen or only look like a space."""
    found: list[Problem] = []
    if not _CONTROL.search(source.text) and not _LOOKALIKE.search(source.text):
        return found
    for number, line in enumerate(source.lines, 1):
        for match in itertools.islice(_CONTROL.finditer(line), most):
            what = f"character {_called(match.group())} cannot be seen and is not allowed"
            why = "a reviewer cannot see it, and programs read it differently"
            fix = "delete it (the dot in the line shows where)"
            place = source.place(number, match.start() + 1)
            found.append(Problem(codes[Fault.CONTROL_CHARACTER], what, place, why, fix))
        for match in itertools.islice(_LOOKALIKE.finditer(line.split("#")[0]), most):
            what = f"character {_called(match.group())} looks like a space or like nothing, but YAML reads it as part of a word"
            why = "it usually comes along when text is copied from a web page or a chat"
            place = source.place(number, match.start() + 1)
            found.append(Problem(codes[Fault.LOOKALIKE_SPACE], what, place, why, "replace it with a plain space, or delete it"))
        if len(found) >= most:
            return found[:most]
    return found


def _called(character: str) -> str:
    name = unicodedata.name(character, "NUL" if character == "\0" else "")
    return f"U+{ord(character):04X}" + (f" ({name})" if name else "")
