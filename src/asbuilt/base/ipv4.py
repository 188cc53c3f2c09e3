"""IPv4 addresses and networks as columns: text to numbers and back. Polars is imported on first use."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

BITS = 32
_OCTETS = 4
_BYTE = 256


def number(address: pl.Expr) -> pl.Expr:
    """An address in dotted form as a number; null for any other text."""
    import polars as pl

    parts = address.str.split(".").list
    octets = [parts.get(at, null_on_oob=True).cast(pl.Int64, strict=False) for at in range(_OCTETS)]
    value = pl.lit(0, dtype=pl.Int64)
    for octet in octets:
        value = value * _BYTE + octet
    known = pl.all_horizontal(octet.is_between(0, _BYTE - 1) for octet in octets)
    return pl.when(known & (parts.len() == _OCTETS)).then(value)


def dotted(value: pl.Expr) -> pl.Expr:
    """A number as an address in dotted form; null below 0."""
    import polars as pl

    octets = [value // (1 << shift) % _BYTE for shift in (24, 16, 8, 0)]
    return pl.when(value >= 0).then(pl.format("{}.{}.{}.{}", *octets))


def first(cidr: pl.Expr) -> pl.Expr:
    """The lowest address of ``10.0.0.0/24`` as a number; null for any other text."""
    return number(cidr.str.extract(r"^([0-9.]+)/"))


def last(cidr: pl.Expr) -> pl.Expr:
    """The highest address of a network, its broadcast address, as a number."""
    import polars as pl

    prefix = cidr.str.extract(r"/([0-9]+)$").cast(pl.Int64, strict=False)
    size = pl.lit(2, dtype=pl.Int64).pow((BITS - prefix).clip(0, BITS)).cast(pl.Int64)
    return first(cidr) + size - 1


def span(cidr: str) -> tuple[int, int]:
    """Lowest and highest address of one network as numbers. Raises ``ValueError`` for any other text."""
    net = ipaddress.IPv4Network(cidr, strict=False)
    return int(net.network_address), int(net.broadcast_address)
