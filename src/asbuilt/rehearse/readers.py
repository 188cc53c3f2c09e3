"""The twin's own plain readers of what the tools print: the second witness beside the parsers, sharing no code with them.

Each takes a transcript (prompt lines ``$ tool arguments`` before each answer) and returns plain dictionaries. A line that a
reader does not know is passed over: what is then missing counts as not read, never as equal.
"""

from __future__ import annotations

import re
from typing import Iterator

Lanes = tuple[int, ...]
#: (LID that was asked, port number that was asked).
Port = tuple[int, int]

_ROUTE = re.compile(r"^0x([0-9a-f]{4}) (\d{3})(?: |$)")
_NODE = re.compile(r'^(?:Switch|Ca)\s+\d+ "[SH]-([0-9a-f]{16})"(.*)$')
_END = re.compile(r'^\[(\d+)\](?:\(([0-9a-f]+)\))?\s+"[SH]-([0-9a-f]{16})"\[(\d+)\]')
_OWN_LID = re.compile(r"# lid (\d+) lmc (\d+)")
_SWITCH_LID = re.compile(r"port 0 lid (\d+) lmc (\d+)")
_MANAGER = re.compile(r"sm lid (\d+) sm guid 0x([0-9a-f]+), activity count \d+ priority (\d+) state \d+ SMINFO_(\w+)")


def blocks(text: bytes) -> Iterator[tuple[list[str], list[str]]]:
    """(words of the command, lines of its answer) of each block of a transcript."""
    words: list[str] = []
    lines: list[str] = []
    for line in text.decode(errors="replace").split("\n"):
        if line.startswith("$ "):
            if words:
                yield words, lines
            words, lines = line[2:].split(), []
        else:
            lines.append(line)
    if words:
        yield words, lines


def _asked(words: list[str]) -> Port:
    return int(words[2]), int(words[3]) if len(words) > 3 else 0


def partition_tables(text: bytes) -> dict[Port, dict[int, int]]:
    """``smpquery pkeys``: index -> entry of every entry that is not zero. A table without any is an empty dictionary."""
    found: dict[Port, dict[int, int]] = {}
    for words, lines in blocks(text):
        if words[1] != "pkeys" or not any("pkeys capacity" in line for line in lines):
            continue
        entries: dict[int, int] = {}
        for line in lines:
            head, colon, rest = line.partition(":")
            if colon and head.strip().isdigit():
                entries.update({int(head) + i: int(w, 16) for i, w in enumerate(rest.split()) if int(w, 16)})
        found[_asked(words)] = entries
    return found


def lane_tables(text: bytes) -> dict[Port, dict[int, Lanes]]:
    """``smpquery sl2vl``: input port -> the lanes of SL 0 to 15."""
    found: dict[Port, dict[int, Lanes]] = {}
    for words, lines in blocks(text):
        if words[1] != "sl2vl":
            continue
        rows: dict[int, Lanes] = {}
        for line in lines:
            match = re.match(r"^ports: in\s*(\d+), out\s*\d+: \|(.*)\|$", line)
            if match:
                rows[int(match[1])] = tuple(int(cell) for cell in match[2].split("|"))
        if rows:
            found[_asked(words)] = rows
    return found


def arbitration_tables(text: bytes) -> dict[Port, dict[tuple[str, int], tuple[int, int]]]:
    """``smpquery vlarb``: (priority, index) -> (lane, weight) of every row with a weight."""
    found: dict[Port, dict[tuple[str, int], tuple[int, int]]] = {}
    for words, lines in blocks(text):
        if words[1] != "vlarb" or not any("VLArbitration" in line for line in lines):
            continue
        rows: dict[tuple[str, int], tuple[int, int]] = {}
        priority, base, lanes = "", 0, []
        for line in lines:
            if line.startswith("#") and "priority" in line:
                priority, base = ("low" if "Low" in line else "high"), 0
            elif line.startswith("VL "):
                lanes = [int(cell, 16) for cell in line.split("|")[1:-1]]
            elif line.startswith("WEIGHT:"):
                weights = [int(cell, 16) for cell in line.split("|")[1:-1]]
                rows.update({(priority, base + i): (v, w) for i, (v, w) in enumerate(zip(lanes, weights, strict=False)) if w})
                base += len(weights)
        found[_asked(words)] = rows
    return found


def dotted(text: bytes, query: str) -> dict[Port, dict[str, str]]:
    """``smpquery portinfo`` or ``nodeinfo``: name -> value of every ``Name:....value`` line."""
    found: dict[Port, dict[str, str]] = {}
    for words, lines in blocks(text):
        if words[1] != query:
            continue
        values = {}
        for line in lines:
            name, colon, rest = line.partition(":")
            if colon and rest.startswith("."):
                values[name] = rest.lstrip(".")
        if values:
            found[_asked(words)] = values
    return found


def forwarding_tables(text: bytes) -> dict[int, dict[int, int]]:
    """``ibroute``: LID of the switch -> destination LID -> output port. Entries without a port are not printed."""
    found: dict[int, dict[int, int]] = {}
    for words, lines in blocks(text):
        if not any("Unicast lids" in line for line in lines):
            continue
        rows = {}
        for line in lines:
            match = _ROUTE.match(line)
            if match:
                rows[int(match[1], 16)] = int(match[2])
        found[int(words[-1])] = rows
    return found


def end_ports(text: bytes) -> dict[tuple[str, int], tuple[int, int]]:
    """``ibnetdiscover``: (node GUID, port; 0 of a switch) -> (LID, LMC)."""
    found: dict[tuple[str, int], tuple[int, int]] = {}
    guid = ""
    for line in text.decode(errors="replace").split("\n"):
        node = _NODE.match(line)
        if node:
            guid = node[1]
            own = _SWITCH_LID.search(node[2])
            if own:
                found[guid, 0] = int(own[1]), int(own[2])
            continue
        end = _END.match(line)
        own = _OWN_LID.search(line) if end else None
        if end and own:
            found[guid, int(end[1])] = int(own[1]), int(own[2])
    return found


def cables(text: bytes) -> set[tuple[str, int, str, int]]:
    """``ibnetdiscover``: both directions of every link: (node GUID, port, far node GUID, far port)."""
    found = set()
    guid = ""
    for line in text.decode(errors="replace").split("\n"):
        node, end = _NODE.match(line), _END.match(line)
        if node:
            guid = node[1]
        elif end:
            found.add((guid, int(end[1]), end[3], int(end[4])))
    return found


def managers(text: bytes) -> list[tuple[int, str, int, str]]:
    """``sminfo``: (LID, port GUID, priority, state in lower case) of every answer."""
    return [
        (int(m[1]), f"{int(m[2], 16):016x}", int(m[3]), m[4].lower())
        for _, lines in blocks(text)
        for m in (_MANAGER.search(line) for line in lines)
        if m
    ]


def path_records(text: bytes) -> list[tuple[list[str], int]]:
    """``saquery -p``: (words of the question, number of records that answered it)."""
    return [(words, sum("PathRecord dump" in line for line in lines)) for words, lines in blocks(text)]
