"""JSON documents in a capture, one or several behind each other, each with the command that a terminal shows before it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Iterator

from asbuilt.parsers.host_lines import Account, Speaker, host_of_subject, prompted, split_lines


@dataclass(frozen=True, slots=True)
class Document:
    """One JSON value, its lines (1-based, from and to), and who was asked by which command."""

    value: Any
    first: int
    last: int
    speaker: Speaker

    @property
    def lines(self) -> range:
        return range(self.first, self.last + 1)


def documents(data: bytes, subject: str) -> tuple[Account, list[Document]]:
    """The account (lines of documents are still unread: the parser claims them) and every whole document.

    A document starts with a brace or bracket at the start of a line and ends at the end of a line. One that is cut or broken
    gives nothing, and everything up to the next prompt is unread: what it holds inside is no document.
    """
    account = Account(split_lines(data))
    return account, list(_found(data.decode("utf-8", "replace"), account, subject))


def _found(text: str, account: Account, subject: str) -> Iterator[Document]:
    decoder = json.JSONDecoder()
    host, time = host_of_subject(subject)
    speaker = Speaker((host,), (), time, 0)
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    number, broken = 0, False
    while number < len(account.lines):
        line = lines[number]
        asked = prompted(line.rstrip(), speaker, host) if len(line) < 4096 else None
        if asked is not None:
            speaker, broken = asked, False
            account.ignore(number + 1)
        elif not line.strip():
            account.ignore(number + 1)
        elif line[0] in "{[" and not broken:
            try:
                value, stop = decoder.raw_decode(text, starts[number])
            except (ValueError, RecursionError):
                broken = True
                account.unread(number + 1, "no whole JSON from here to the next prompt")
                number += 1
                continue
            last = number
            while starts[last + 1] < stop:
                last += 1
            if text[stop : starts[last + 1] - 1].strip():
                broken = True
            else:
                yield Document(value, number + 1, last + 1, speaker)
            number = last
        number += 1


def text_of(value: Any) -> str:
    """A string that can be printed on one line, "" for what is none: JSON may escape line ends, or half a surrogate pair."""
    return "".join(c if c.isprintable() else "?" for c in value) if isinstance(value, str) else ""


def mapping(value: Any) -> dict[str, Any]:
    """An object, {} for what is none."""
    return value if isinstance(value, dict) else {}


def mappings(value: Any) -> list[dict[str, Any]]:
    """The objects of a list, [] for what is none."""
    return [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []
