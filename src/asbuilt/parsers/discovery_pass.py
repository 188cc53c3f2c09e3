"""The pass over ``ibnetdiscover`` dumps: every line once, no object per line, each device's GUID and name told once.

A line as the tool prints it is read by `discovery_fast`, any other by `discovery_lines`. GUIDs become numbers in the order in
which they are mentioned, and the name printed with a GUID is kept only where it differs from the first one printed with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from asbuilt.base.machine_words import byte_at, eight_at
from asbuilt.parsers import discovery_fast, discovery_lines
from asbuilt.parsers.discovery_fast import OWN, REACH, SEATS, ZEROS, fast_attribute, fast_header, fast_link
from asbuilt.parsers.discovery_lines import attribute, blanks, header_line, link_line, remark

ATTRIBUTE, DEVICE, LINK = 1, 2, 3  # what a line told; 0 for nothing
AGGREGATION_WORDS = b"Aggregation Node"
AGGREGATION = np.frombuffer(AGGREGATION_WORDS, np.uint64)
Array = np.ndarray[Any, Any]
_NONE, _SIGNED = np.uint64(0), np.uint64(0x7FFFFFFFFFFFFFFF)


def spread(value: Any, size: int) -> int:
    """The first place of ``value`` in a table of ``size`` (a power of two) places. GUIDs of one delivery follow each other:
    those that share all but four bits get places side by side, which the processor then has at hand."""
    block = value >> np.uint64(4)
    block = (block ^ (block >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return int(np.int64((block >> np.uint64(28)) & np.uint64(0xFFFFFFFF0) | (value & np.uint64(15)))) & (size - 1)


def number_of(value: Any, guess: int, places: Any, guids: Any, count: int) -> int:
    """The number of GUID ``value``; one that is new gets the next one, ``count``. Right guesses cost no search."""
    if guess < count and guids[guess] == value:
        return guess
    if guess + 1 < count and guids[guess + 1] == value:
        return guess + 1
    size = len(places)
    place = spread(value, size)
    while places[place] >= 0:
        known = int(places[place])
        if guids[known] == value:
            return known
        place = (place + 1) & (size - 1)
    places[place] = count
    guids[count] = value
    return count


def same_bytes(data: Any, one: int, two: int, length: int) -> bool:
    """True when the two stretches of ``data`` are equal."""
    i = 0
    while i + 8 <= length:
        if eight_at(data, one + i) != eight_at(data, two + i):
            return False
        i += 8
    while i < length:
        if byte_at(data, one + i) != byte_at(data, two + i):
            return False
        i += 1
    return True


def aggregates(data: Any, at: int, length: int) -> bool:
    """True for the name of a SHARP aggregation node: a channel adapter inside a switch, no host."""
    for i in range(at, at + length - 15):
        if byte_at(data, i) == 65 and eight_at(data, i) == AGGREGATION[0] and eight_at(data, i + 8) == AGGREGATION[1]:
            return True
    return False


def other_line(data: Any, at: int, roomy: bool, known: Any) -> tuple[int, int, int, int, Any, int, int, int]:
    """A line that is no link, as the tool prints it: (start of the next line or -1, what it told, kind or which attribute,
    number of ports, GUID or value, lid, start and length of the name)."""
    if not roomy:
        return -1, 0, 0, 0, _NONE, 0, 0, 0
    byte = byte_at(data, at)
    if byte == 10:
        return at + 1, 0, 0, 0, _NONE, 0, 0, 0
    if byte > 96:
        after, which, value = fast_attribute(data, at, known)
        return after, 1, which, 0, value, 0, 0, 0
    after, kind, ports, guid, lid, start, length = fast_header(data, at, known)
    return after, 2, kind, ports, guid, lid, start, length


def end_of_line(data: Any, at: int) -> tuple[int, int]:
    """The position of the line feed from ``at`` (the size of the data when there is none), and all bytes before it ored."""
    seen = 0
    while at < len(data) and data[at] != 10:
        seen |= data[at]
        at += 1
    return at, seen


def any_line(
    data: Any, at: int, stop: int, owned: bool, longest: int
) -> tuple[int, int, int, int, Any, int, Any, int, int, int, int, int]:
    """Any line: (what became of it (`IGNORABLE`, `FACT`, `UNREAD`), what it told, kind or which attribute, port or number of
    ports, GUID or value, peer port, port GUID, lid, width, speed, start and length of the name)."""
    end = stop
    while end > at and (data[end - 1] == 32 or data[end - 1] == 9 or data[end - 1] == 13):
        end -= 1
    first = blanks(data, at, end)
    unread = (2, 0, 0, 0, _NONE, 0, _NONE, 0, 0, 0, 0, 0)
    if stop - at > longest:
        return unread
    if remark(data, first, end):
        return 0, 0, 0, 0, _NONE, 0, _NONE, 0, 0, 0, 0, 0
    whole = stop < len(data)
    if data[first] == 91:
        if not owned:
            return unread
        behind, port, kind, guid, peer_port, port_guid, lid, width, speed, start, length = link_line(data, first, end)
        if behind < 0 or not (whole or behind < stop):
            return unread
        return 1, 3, kind, port, guid, peer_port, port_guid, lid, width, speed, start, length
    which, value = attribute(data, first, end)
    if which:
        return 1 if whole else 2, 1, which, 0, value, 0, _NONE, 0, 0, 0, 0, 0
    behind, kind, ports, guid, lid, start, length = header_line(data, first, end)
    if behind < 0 or not (whole or (behind < stop and lid >= 0)):
        return unread
    return 1, 2, kind, ports, guid, 0, _NONE, lid, 0, 0, start, length


def identity(which: int, value: Any, vendor: int, model: int, system: Any) -> tuple[int, int, Any]:
    """Vendor, model and system GUID of the device to come, after an attribute line."""
    if which == 1:
        return signed(value), -1, _NONE
    if which == 2:
        return vendor, signed(value), system
    return vendor, model, value if which == 3 else system


def note_name(
    data: Any, names: Any, odd: Any, n_guids: int, n_odd: int, number: int, is_link: int, row: int, start: int, length: int
) -> tuple[int, int]:
    """Keep the first name of a GUID, and a later one that is another: (number of GUIDs, number of other names)."""
    if number == n_guids:
        names[number, 0], names[number, 1] = start, length
        return n_guids + 1, n_odd
    if names[number, 1] == length and same_bytes(data, names[number, 0], start, length):
        return n_guids, n_odd
    odd[0, n_odd], odd[1, n_odd], odd[2, n_odd], odd[3, n_odd] = is_link, row, start, length
    return n_guids, n_odd + 1


def note_device(devices: Any, row: int, line: int, kind: int, ports: int, vendor: int, model: int, lid: int, own: int) -> None:
    """Write one column of ``devices``."""
    devices[0, row], devices[1, row], devices[2, row], devices[3, row] = line, kind, ports, vendor
    devices[4, row], devices[5, row], devices[6, row] = model, lid, own


def note_link(
    links: Any, ends: Any, port_guids: Any, row: int, line: int, owner: int, peer: int, lid: int, port: int, peer_port: int,
    kind: int, width: int, speed: int, port_guid: Any,
) -> None:  # fmt: skip
    """Write one column of ``links`` and ``ends``."""
    links[0, row], links[1, row], links[2, row], links[3, row] = line, owner, peer, lid
    ends[0, row], ends[1, row], ends[2, row], ends[3, row], ends[4, row] = port, peer_port, kind, width, speed
    port_guids[row] = port_guid


def links_in_a_row(
    data: Any, at: int, near: int, line: int, owner: int, known: Any, tails: Any, guessed: Any, places: Any, classes: Any,
    links: Any, ends: Any, port_guids: Any, guids: Any, names: Any, odd: Any, counts: Any,
) -> tuple[int, int]:  # fmt: skip
    """The link lines from ``at`` that read as the tool prints them: (where they end, line number there). ``counts``: links,
    GUIDs, odd names, last port, ports in order; this is where most of a dump is read."""
    n_links, n_guids, n_odd, last_port, orderly = counts[0], counts[1], counts[2], counts[3], counts[4]
    room = links.shape[1] - owner - 2
    most = len(places) // 4 * 3
    while at < near and byte_at(data, at) == 91 and n_links < room and n_guids < most:
        after, port, kind, guid, peer_port, port_guid, lid, width, speed, start, length = fast_link(data, at, known, tails)
        if after < 0:
            break
        number = number_of(guid, guessed[port], places, guids, n_guids)
        guessed[port] = number
        n_guids, n_odd = note_name(data, names, odd, n_guids, n_odd, number, 1, n_links, start, length)
        classes[line] = 1
        line += 1
        note_link(links, ends, port_guids, n_links, line, owner, number, lid, port, peer_port, kind, width, speed, port_guid)
        orderly &= port > last_port
        last_port = port
        n_links += 1
        at = after
    counts[0], counts[1], counts[2], counts[3], counts[4] = n_links, n_guids, n_odd, last_port, orderly
    return at, line


def signed(value: Any) -> int:
    """The low 63 bits of a number as a signed one: vendor and device ids."""
    return int(np.int64(value & _SIGNED))


def working_arrays(room: int) -> tuple[Array, ...]:
    """What `scan` works in, for ``room`` devices and links, a quarter of them with a GUID of their own: a kernel that allocates
    counts references to every array at every step, which takes as long as the reading."""
    places = 1024
    while places * 4 < room:
        places *= 2
    known = np.zeros((SEATS, 3), np.uint64)
    known[:, :2] = ZEROS
    state = np.zeros(room, np.bool_), np.full(places, -1, np.int32), np.zeros(SEATS, np.int64)
    return *state, known, np.zeros((SEATS, 6), np.int64), np.array([0, 0, 0, -1, 1])


def scan(
    data: Any, longest: Any, classes: Any, devices: Any, systems: Any, links: Any, ends: Any, port_guids: Any, guids: Any,
    names: Any, odd: Any, recorded: Any, places: Any, guessed: Any, known: Any, tails: Any, counts: Any,
) -> tuple[int, int, int, int, int, bool, bool]:  # fmt: skip
    """One pass over a dump into arrays that are large enough: (lines, devices, links, GUIDs, odd names, orderly, plain).

    The arrays are those of `asbuilt.model.discovery.Discovered`, then the `working_arrays`. ``lines`` is -1 when they have no
    room left. ``plain`` is False when a line that is not as the tool prints it has a byte that is no ASCII.
    """
    near, room, most = len(data) - REACH, links.shape[1], len(places) // 4 * 3
    line, n_devices, at, bytes_seen, owned, unique = 0, 0, 0, 0, False, True
    vendor, model, system = -1, -1, _NONE
    while at < len(data):
        if n_devices + counts[0] + 1 >= room or counts[1] >= most:
            return -1, 0, 0, 0, 0, False, False
        if owned:
            at, line = links_in_a_row(
                data, at, near, line, n_devices - 1, known, tails, guessed, places, classes, links, ends, port_guids, guids,
                names, odd, counts,
            )  # fmt: skip
        after, told, kind, port, guid, lid, start, length = other_line(data, at, at < near, known)
        classes[line] = 1 if told else 0
        if after < 0:
            after, seen = end_of_line(data, at)
            bytes_seen |= seen
            classes[line], told, kind, port, guid, peer_port, port_guid, lid, width, speed, start, length = any_line(
                data, at, after, owned, longest
            )
            after += 1
        at, line = after, line + 1
        if told == 1:
            owned = False
            vendor, model, system = identity(kind, guid, vendor, model, system)
        elif told:
            seat, row, is_link = (OWN, n_devices, 0) if told == 2 else (port, counts[0], 1)
            number = number_of(guid, guessed[seat], places, guids, counts[1])
            guessed[seat] = number
            counts[1], counts[2] = note_name(data, names, odd, counts[1], counts[2], number, is_link, row, start, length)
            if is_link:
                owner = n_devices - 1
                note_link(
                    links, ends, port_guids, row, line, owner, number, lid, port, peer_port, kind, width, speed, port_guid
                )
                counts[0], counts[3], counts[4] = row + 1, port, counts[4] & (port > counts[3])
            else:
                kind = 4 if kind == 2 and aggregates(data, start, length) else kind
                note_device(devices, row, line, kind, port, vendor, model, lid, number)
                systems[row] = system
                unique = unique and not recorded[number]
                recorded[number] = owned = True
                vendor, model, system, counts[3] = -1, -1, _NONE, -1
                n_devices += 1
    return line, n_devices, counts[0], counts[1], counts[2], unique and counts[4] > 0, bytes_seen < 128


#: The functions that `scan` is made of, callees first.
PARTS = (
    *discovery_lines.PARTS,
    *discovery_fast.PARTS,
    spread,
    number_of,
    same_bytes,
    aggregates,
    other_line,
    end_of_line,
    any_line,
    note_name,
    note_device,
    note_link,
    links_in_a_row,
    signed,
    identity,
)
