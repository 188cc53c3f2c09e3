"""What a capture said: fact tables, and the account of every line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Mapping

from asbuilt.base.table import Column, Schema
from asbuilt.model.discovery import Discovered, FactTables
from asbuilt.model.facts_bench import BENCH_FACTS
from asbuilt.model.facts_gpu import GPU_FACT_TABLES
from asbuilt.model.facts_node import NODE_FACTS
from asbuilt.model.facts_roce import ROCE_TABLES
from asbuilt.model.facts_subnet import SUBNET_FACTS

if TYPE_CHECKING:
    import polars as pl

#: What an operating system calls itself before anybody names it (a pattern, lower case): it tells no two devices apart.
UNNAMED_SYSTEM = r"localhost(?:\.localdomain)?|\(none\)|sonic|cumulus|switch"

#: How the keys of `Facts.details` begin that name a capture which told nothing, with the reason.
UNREAD = "unread:"
#: How the keys of `Facts.details` begin that say what a capture was taken of (a subnet, a switch, a host).
SUBJECT = "subject:"
#: How keys begin that stand for a GUID where a tool knows none (LLDP): two of them may be one device.
MADE_GUID = "fe"

_ORIGIN = (
    Column("capture_id", "str", "the capture that says so"),
    Column("line", "i64", "1-based line (or record) of the capture"),
)

DEVICE_FACTS = Schema(
    name="device_facts",
    meaning="One row per fabric node (switch ASIC, HCA, router, aggregation node) that a discovery tool saw.",
    columns=(
        Column("guid", "str", "node GUID, 16 hex digits, lower case"),
        Column("system_guid", "str", "system image GUID, 16 hex digits: the chassis or card", nullable=True),
        Column("kind", "str", "switch, ca, router or aggregation"),
        Column("description", "str", "node description as printed, trailing blanks kept"),
        Column("ports", "i64", "number of external ports the node says it has"),
        Column("vendor_id", "i64", "vendor id", nullable=True),
        Column("device_id", "i64", "device id", nullable=True),
        Column("lid", "i64", "LID of port 0 of a switch", nullable=True),
        *_ORIGIN,
    ),
    key=("guid",),
)

LINK_FACTS = Schema(
    name="link_facts",
    meaning="One row per port that is up, as its own side reports it: a cable seen from both sides gives two rows.",
    columns=(
        Column("guid", "str", "node GUID of this side, 16 hex digits"),
        Column("port", "i64", "protocol port number of this side"),
        Column("peer_guid", "str", "node GUID of the far side"),
        Column("peer_port", "i64", "protocol port number of the far side"),
        Column("peer_description", "str", "node description of the far side as printed"),
        Column("peer_kind", "str", "kind letter of the far side: switch, ca or router"),
        Column("port_guid", "str", "port GUID printed on this line", nullable=True),
        Column("lid", "i64", "LID printed for this side", nullable=True),
        Column("width", "i64", "lanes in use", nullable=True),
        Column("speed", "str", "speed word as printed: HDR, NDR, XDR, ...", nullable=True),
        *_ORIGIN,
    ),
    key=("guid", "port"),
    sort=("line",),
)


CABLING = Schema(
    name="cabling",
    meaning="One row per planned link of the compared scope, held against what was measured at its reference port.",
    columns=(
        Column("link", "str", "natural key of the planned link"),
        Column("status", "str", "ok, wrong, missing or not_measured"),
        Column("expected", "str", "the planned link as text, where it is not ok", nullable=True),
        Column("found", "str", "what was found at the reference port, where it is not ok", nullable=True),
        Column("rate_gbps", "f64", "planned rate", "Gb/s", nullable=True),
        Column("found_gbps", "f64", "measured lanes times their rate", "Gb/s", nullable=True),
        Column("found_lanes", "i64", "measured lanes in use", nullable=True),
        Column("found_speed", "str", "measured speed word as printed", nullable=True),
        Column("capture_id", "str", "the capture that says so", nullable=True),
        Column("line", "i64", "1-based line of the capture", nullable=True),
    ),
    key=("link",),
)

UNPLANNED_LINKS = Schema(
    name="unplanned_links",
    meaning="One row per measured link of a planned class, on a reference port that has no row in the plan.",
    columns=(
        Column("link", "str", "link:<reference device>/<port>, as the plan would key it"),
        Column("found", "str", "both ends as text"),
        Column("capture_id", "str", "the capture that says so"),
        Column("line", "i64", "1-based line of the capture"),
    ),
    key=("link",),
)


#: Every table that a parser may give.
FACT_TABLES = (DEVICE_FACTS, LINK_FACTS, *SUBNET_FACTS, *ROCE_TABLES, *NODE_FACTS, *GPU_FACT_TABLES, *BENCH_FACTS)


@dataclass(frozen=True, slots=True)
class LineAccount:
    """Every line of a capture, by what became of it: ``facts + ignorable + unread = total``."""

    total: int
    facts: int
    ignorable: int
    unread: int
    unread_lines: tuple[tuple[int, str], ...] = ()

    @property
    def balanced(self) -> bool:
        return self.facts + self.ignorable + self.unread == self.total


@dataclass(frozen=True, slots=True)
class Facts:
    """What was measured: tables by fact-schema name, the line account per capture, and what the parser noticed.

    ``notes`` are remarks on the capture as a whole ("launcher text only"); an empty capture has no table at all.
    Tables of large captures are made on first access (`FactTables`).
    """

    tables: Mapping[str, pl.DataFrame]
    accounts: dict[str, LineAccount] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    tool: str = ""
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def discovered(self) -> Discovered | None:
        """The discovery tables as numbers, where they come from one dump."""
        return self.tables.discovered if isinstance(self.tables, FactTables) else None

    def has(self, table: str) -> bool:
        """True when the capture gave at least one row of this table."""
        return self.height(table) > 0

    def height(self, table: str) -> int:
        """Rows of a table, 0 for one that is not there; makes nothing."""
        if isinstance(self.tables, FactTables):
            return self.tables.height(table)
        return self.tables[table].height if table in self.tables else 0
