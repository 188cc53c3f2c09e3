"""Sets of host names, folded for people: ``node[0001-0048]`` instead of 48 names. A thin value over ClusterShell's NodeSet.

ClusterShell is imported on first use. Names that a shell, a host list or a spreadsheet would misread are refused, so that a
folded text can be pasted into `clush -w`, `sinfo -n` or a file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Iterable, Iterator

_NAME = re.compile(r"^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$")
#: A pattern longer than this, or one that names more hosts, is a mistake: it would fill the memory.
MOST_HOSTS = 4_000_000
_PATTERN = re.compile(r"^[A-Za-z0-9._,\[\]-]*$")
_RANGE = re.compile(r"\[([0-9,-]*)\]")


class HostNameError(ValueError):
    """A text is no host name, or no pattern of host names. ``name`` is the part at fault."""

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        shown = name if len(name) <= 60 else name[:60] + "…"
        super().__init__(f"{shown!r} {why}")


@dataclass(frozen=True, slots=True)
class Hosts:
    """An immutable set of host names in natural order (node2 before node10). Build it with `fold` or `parse`."""

    names: tuple[str, ...]

    @classmethod
    def fold(cls, names: Iterable[str]) -> Hosts:
        """The set of ``names``. Raises ``HostNameError`` for one that is not letters, digits, dot, underscore and hyphen."""
        checked = list(names)
        for name in checked:
            _check(name)
        return cls(tuple(sorted(set(checked), key=_natural)))

    @classmethod
    def parse(cls, pattern: str, most: int = MOST_HOSTS) -> Hosts:
        """The hosts of a pattern such as ``node[001-048],login1``, up to ``most``. Raises ``HostNameError`` otherwise."""
        if not _PATTERN.match(pattern):
            raise HostNameError(pattern, "holds characters that no host pattern has")
        if _size(pattern) > most:
            raise HostNameError(pattern, f"names more than {most} hosts")
        from ClusterShell.NodeSet import NodeSetException

        try:
            names = list(_nodeset(pattern))
        except (NodeSetException, ValueError) as error:
            raise HostNameError(pattern, f"is not a host pattern: {error}") from None
        return cls.fold(names)

    def __str__(self) -> str:
        """The folded text, empty for no hosts."""
        return str(_nodeset(",".join(self.names))) if self.names else ""

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in set(self.names)

    def __or__(self, other: Hosts) -> Hosts:
        return Hosts.fold((*self.names, *other.names))

    def __and__(self, other: Hosts) -> Hosts:
        return Hosts.fold(set(self.names) & set(other.names))

    def __sub__(self, other: Hosts) -> Hosts:
        return Hosts.fold(set(self.names) - set(other.names))


def _check(name: str) -> None:
    if not _NAME.match(name) or "\n" in name:
        raise HostNameError(name, "is not a host name: letters, digits, dot, underscore and hyphen, at most 253 characters")


def _natural(name: str) -> tuple[list[tuple[int, int, str]], str]:
    """Digits compare as numbers, the rest as text; the name itself decides between 01 and 1."""
    parts = re.split(r"([0-9]+)", name)
    return [(1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts if part], name


def _size(pattern: str) -> int:
    """An upper bound of the number of hosts, without expanding: the product of the range sizes in each comma-free part."""
    total = 0
    for part in re.split(r",(?![^\[]*\])", pattern):
        product = 1
        for inner in _RANGE.findall(part):
            product *= max(1, sum(_span(piece) for piece in inner.split(",")))
        total += product
    return total


def _span(piece: str) -> int:
    low, dash, high = piece.partition("-")
    if not dash:
        return 1
    if not (low.isdigit() and high.isdigit()) or len(high) > 18 or len(low) > 18:
        return MOST_HOSTS + 1 if len(piece) > 18 else 1
    return max(1, int(high) - int(low) + 1)


def _nodeset(pattern: str) -> Any:
    """A NodeSet that knows no groups: ``@name`` means nothing here and no configuration file is read."""
    from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet

    return NodeSet(pattern, resolver=RESOLVER_NOGROUP)
