"""The plan: tables by name, the design they were expanded from, and the hash that names them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from asbuilt.model.design import Design
from asbuilt.model.facts import LineAccount

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Plan:
    """The as-designed record. A partial plan (someone else's cable list) has only the tables it knows and no design.

    ``account`` says what became of every line of the file that a partial plan was read from. ``parts`` is a digest of each
    catalogue part that the plan was made with, by ``kind/id``: how a stored plan knows that the catalogue has changed.
    """

    name: str
    tables: dict[str, pl.DataFrame]
    design: Design | None = None
    plan_hash: str = ""
    source: str = ""
    warnings: tuple[str, ...] = ()
    unread: tuple[dict[str, Any], ...] = field(default_factory=tuple)
    account: LineAccount | None = None
    parts: dict[str, str] = field(default_factory=dict)

    def has(self, table: str) -> bool:
        """True when the plan knows this table (it may still be empty)."""
        return table in self.tables

    def table(self, name: str) -> pl.DataFrame:
        """The table called ``name``; raises ``KeyError`` naming those that exist."""
        if name not in self.tables:
            raise KeyError(f"the plan has no table {name!r}; it has {', '.join(sorted(self.tables))}")
        return self.tables[name]

    @property
    def links(self) -> pl.DataFrame:
        """The links table (natural key ``link``), one row per planned link."""
        return self.table("links")

    def infiniband_links(self) -> pl.DataFrame:
        """The links of InfiniBand subnets; all links of a plan that knows no subnets."""
        import polars as pl

        if not (self.has("subnets") and self.has("switches")):
            return self.links
        subnets = self.table("subnets").filter(pl.col("technology") == "infiniband")["subnet"]
        switches = self.table("switches").filter(pl.col("subnet").is_in(subnets.implode()))["switch"]
        return self.links.filter(pl.col("a_device").is_in(switches.implode()))
