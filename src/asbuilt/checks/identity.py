"""Who devices say to be: LIDs, GUIDs and node descriptions that two devices share, and cards that are not the declared ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, judge
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

if TYPE_CHECKING:
    import polars as pl

_SHOWN = 2


def _zero(guid: str) -> pl.Expr:
    import polars as pl

    return pl.col(guid).str.strip_chars("0") == ""


def _listed(column: pl.Expr, kind: str) -> pl.Expr:
    """The different values of ``column`` in a group, joined, cut after two."""
    import polars as pl

    values = column.drop_nulls().unique(maintain_order=True)
    more = pl.when(values.len() > _SHOWN).then(pl.format(" and {} more", values.len() - _SHOWN)).otherwise(pl.lit(""))
    return pl.concat_str([values.head(_SHOWN).implode().list.join(" and "), more]).alias(kind)


def _shared(groups: pl.DataFrame, subject: pl.Expr, expected: str) -> pl.DataFrame:
    """Verdicts on groups with ``holders`` (how many devices) and ``found`` (who)."""
    import polars as pl

    return judge(
        groups,
        subject=subject,
        ok=pl.col("holders") < 2,
        expected=pl.lit(expected),
        found=pl.col("found"),
        evidence=EVIDENCE,
    )


@check("FAB-012", layer=Layer.FABRIC, severity=Severity.BLOCKER, facts=("identities_measured",), since="0.1")
def lids_are_unique(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No LID is held by two devices of a subnet.

    Why: packets for one of them reach the other; two subnet managers, or two subnets joined by a cable, give LIDs out twice.
    Measured by: iblinkinfo, ibstat, smpquery, lists of nodes, ibnetdiscover beside one of them.
    Repair: find the second subnet manager or the joining cable; let one manager assign LIDs again.
    Source: IBTA Architecture Specification vol. 1, 4.1.3: a LID is unique within its subnet.
    """
    import polars as pl

    rows = facts.tables["identities_measured"].filter(
        (pl.col("lid") > 0) & pl.col("subnet").is_not_null() & pl.col("guid").is_not_null() & ~_zero("guid")
    )
    # One report may name the device and another (smpquery nodeinfo) its GUID alone: that is one holder.
    rows = rows.with_columns(pl.coalesce("port", pl.col("port").drop_nulls().first().over("guid")))
    called = pl.coalesce("port", pl.when(~pl.col("nameless")).then("name"), pl.format("GUID {}", "guid"))
    groups = rows.with_columns(called.alias("called")).group_by("subnet", "lid", maintain_order=True)
    # The last report of a second device is the telling one.
    frame = groups.agg(
        pl.coalesce("port", "guid").n_unique().alias("holders"),
        _listed(pl.col("called"), "found"),
        *(pl.col(c).last() for c in EVIDENCE),
    )
    return _shared(frame, pl.format("lid:{}/{}", "subnet", "lid"), "one device with this LID")


@check("FAB-013", layer=Layer.FABRIC, severity=Severity.BLOCKER, facts=("identities_measured",), since="0.1")
def guids_are_unique(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every InfiniBand port answers with a GUID, and no GUID is held by two hosts or two devices of a host.

    Why: a subnet manager takes two devices with one GUID for one device with two sets of cables, and the fabric flaps.
    Measured by: ibstat of all hosts; lists of nodes and iblinkinfo, where two names stand behind one GUID.
    Repair: read the GUID on both cards (flint, mlxfwmanager) and restore the one that was overwritten.
    Source: IBTA Architecture Specification vol. 1, 4.1.1: a GUID is globally unique.
    """
    import polars as pl

    rows = facts.tables["identities_measured"].filter(
        pl.col("guid").is_not_null() & (pl.col("link_layer") != "ethernet").fill_null(True)
    )
    # A host names its device; the fabric names a node. Both of one kind must agree, one of each kind may differ in words.
    hosts = pl.concat_str(["host", pl.lit(" "), "device"])
    own = rows.filter(pl.col("host").is_not_null()).with_columns(hosts.alias("called"))
    fabric = rows.filter(pl.col("host").is_null() & pl.col("name").is_not_null() & ~pl.col("nameless"))
    fabric = fabric.with_columns(pl.col("name").str.strip_chars().alias("called"), pl.col("capture_id").alias("kind_of"))
    both = pl.concat([own.with_columns(pl.lit("hosts").alias("kind_of")), fabric], how="diagonal")
    groups = both.filter(~_zero("guid")).group_by("guid", "kind_of", maintain_order=True)
    frame = groups.agg(
        pl.col("called").n_unique().alias("holders"),
        _listed(pl.col("called"), "found"),
        *(pl.col(c).last() for c in EVIDENCE),
    )
    frame = frame.sort("holders", descending=True, maintain_order=True).unique("guid", keep="first", maintain_order=True)
    shared = _shared(frame, pl.format("guid:{}", "guid"), "one device with this GUID")
    blank = both.filter(_zero("guid")).unique("called", keep="first", maintain_order=True)
    if blank.is_empty():
        return shared
    zero = blank.select(
        pl.coalesce("port", pl.format("port:{}", "called")).alias("subject"),
        pl.lit("fail").alias("verdict"),
        pl.lit("a GUID").alias("expected"),
        pl.format("GUID 0 at {}", "called").alias("found"),
        *EVIDENCE,
    )
    return pl.concat([zero, shared], how="diagonal") if frame.height else zero


@check("FAB-014", layer=Layer.FABRIC, severity=Severity.MINOR, facts=("identities_measured",), since="0.1")
def descriptions_are_unique(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No two devices answer with the same node description.

    Why: every tool names devices by description; hosts cloned from one image point a crew at the wrong rack.
    Measured by: iblinkinfo, lists of nodes, smpquery nodedesc, ibstat of all hosts.
    Repair: set the host name and let the driver renew the node description (rdma-ndd, or /sys/class/infiniband/*/node_desc).
    Source: ibdiagnet's own check of node descriptions; ASICs of one chassis may share a name. Factory names are told in a note.
    """
    import polars as pl

    # A host's Ethernet card announces itself by LLDP too, where it has no GUID that ibstat would print.
    rows = facts.tables["identities_measured"].filter(
        pl.col("guid").is_not_null() & ~_zero("guid") & ~pl.col("nameless") & pl.col("name").is_not_null(),
        (pl.col("link_layer") != "ethernet").fill_null(True),
    )
    # ASICs of one chassis share its system GUID.
    system = pl.when(pl.col("kind") == "switch").then("system_guid").drop_nulls().first().over("guid")
    rows = rows.with_columns(
        pl.coalesce(system, "guid").alias("box"), pl.col("name").str.strip_chars().str.to_lowercase().alias("word")
    )
    groups = rows.group_by("word", maintain_order=True)
    frame = groups.agg(
        pl.col("box").n_unique().alias("holders"),
        pl.concat_str([pl.lit("GUID "), _listed(pl.col("guid"), "found")]).alias("found"),
        pl.col("name").first(),
        *(pl.col(c).last() for c in EVIDENCE),
    )
    return _shared(frame, pl.format("name:{}", pl.col("name").str.strip_chars()), "one device with this name")


@check("FAB-015", layer=Layer.FABRIC, needs=("lids",), facts=("identities_measured",), since="0.1")
def guids_are_the_declared_ones(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every device whose GUID was declared, or measured before, still answers with it.

    Why: a swapped card brings another GUID: LIDs, partitions and root lists that name the old one no longer reach it.
    Measured by: whatever names a device and its GUID: ibstat, lists of nodes, iblinkinfo, ibnetdiscover beside one of them.
    Repair: if the card was exchanged on purpose, put the new GUID into guids.csv, plan and export again.
    Source: plan columns `lids.node_guid`, `lids.port_guid`; placeholders (`guid_origin` assumed) are not judged.
    """
    import polars as pl

    planned = plan.table("lids").select("port", "node_guid", pl.col("port_guid").alias("want"), "guid_origin")
    known = pl.col("guid").is_not_null() & ~_zero("guid") & (pl.col("link_layer") != "ethernet").fill_null(True)
    said = facts.tables["identities_measured"].filter(pl.col("port").is_not_null() & known)
    said = said.select("port", "guid", "port_guid", *EVIDENCE).join(planned, on="port", how="inner")
    same = pl.any_horizontal(
        pl.col(mine) == pl.col(theirs) for mine in ("guid", "port_guid") for theirs in ("node_guid", "want")
    ).fill_null(False)
    seen = (
        said.with_columns(same.alias("same"))
        .sort("same", maintain_order=True)
        .unique("port", keep="first", maintain_order=True)
    )
    frame = planned.join(seen.select("port", "guid", "same", *EVIDENCE), on="port", how="left", maintain_order="left")
    return judge(
        frame,
        subject=pl.col("port"),
        ok=pl.col("same"),
        expected=pl.format("GUID {}", "want"),
        found=pl.format("GUID {}", "guid"),
        applies=(pl.col("guid_origin") != "assumed") & pl.col("same").is_not_null(),
        evidence=EVIDENCE,
    )
