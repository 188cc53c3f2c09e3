"""How many pieces of each operation the plan has, rack by rack and row by row. Counted from the plan's tables, never typed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from asbuilt.decide.fibre_ends import connector_faces, connector_mates, copper_cables, fibre_cords
from asbuilt.model.decision import Counted
from asbuilt.model.deployment import OPERATIONS

if TYPE_CHECKING:
    from asbuilt.model.plan import Plan

#: Tables that are read. A plan made from ``cluster.yaml`` has all of them; those of what it lacks have no rows.
NEEDED = (
    "racks", "rack_slots", "nodes", "node_traits", "gpus", "switches", "panels", "pdus", "circuits", "cords", "shelves",
    "bonds", "cdus", "loops", "loop_segments", "manifolds", "branches", "fittings", "trunks", "bundles", "jumpers", "channels",
    "parts", "transceivers", "links", "management_ports",
)  # fmt: skip
#: Columns of the frame that `quantities` gives.
COLUMNS = ("operation", "row", "rack", "count", "source")
#: NVLink of a system that comes as a whole rack, its trays in it (``node_traits.nvlink``).
_WHOLE_RACK = "domain"
#: Measured records that an audit can take again, by operation.
AUDITED = ("circuit_test", "bond_measure", "fitting_torque", "loop_pressure_test", "trunk_test", "node_accept", "link_verify")
_SITE = "the site"
_RECORDS = f"records that can be measured again: {', '.join(AUDITED)}; money.audit_share of them are"


@dataclass(frozen=True, slots=True)
class _Rule:
    """``made``: a frame with ``rack`` or ``row`` (and ``pieces``, else each line is one piece) from the tables."""

    operation: str
    source: str
    made: Callable[[dict[str, pl.DataFrame]], pl.DataFrame]


def checked(plan: Plan) -> dict[str, pl.DataFrame]:
    """The tables of ``plan``. Raises ``ValueError`` when one that is counted is not there: that is unknown, not zero."""
    lacking = [name for name in NEEDED if not plan.has(name)]
    if lacking:
        raise ValueError(
            f"the plan {plan.name!r} has no table {', '.join(lacking)}, so the work cannot be counted: what is not in the "
            "plan is unknown, not zero. A plan read from a cable list knows only its cables; make one from cluster.yaml"
        )
    return plan.tables


def quantities(plan: Plan) -> pl.DataFrame:
    """Pieces of each operation: ``operation``, ``row``, ``rack`` (empty: the row's or the site's), ``count``, ``source``.

    All build phases of the plan are counted together; what is later than the plan (phase unknown) is not, but for the header
    of a coolant loop with its valves, which is laid whole. Raises ``ValueError`` for a plan without the tables, and for a
    device that stands in no rack.
    """
    tables = checked(plan)
    frames = [_counted(tables, rule) for rule in _RULES]
    made = pl.concat([frame for frame in frames if frame.height])
    audit = made.filter(pl.col("operation").is_in(list(AUDITED)))["count"].sum()
    site = pl.DataFrame(
        {
            "operation": ["site_fabric", "site_soak", "audit"],
            "row": [""] * 3,
            "rack": [""] * 3,
            "count": [1.0, 1.0, float(audit)],
            "source": [_SITE, _SITE, _RECORDS],
        }
    )
    return pl.concat([made, site]).filter(pl.col("count") > 0)


def counted(plan: Plan) -> tuple[Counted, ...]:
    """Totals in the order of the operations, those without pieces left out; the source names the build phases."""
    frame = quantities(plan)
    totals = dict(frame.group_by("operation").agg(pl.col("count").sum()).iter_rows())
    sources = dict(frame.select("operation", "source").unique("operation", keep="first").iter_rows())
    phases = sorted(plan.table("racks")["phase"].drop_nulls().unique())
    words = f"; phases {', '.join(phases)} together" if len(phases) > 1 else ""
    there = [o for o in OPERATIONS if o.id in totals]
    return tuple(Counted(o.id, o.scope, o.unit, float(totals[o.id]), o.meaning, sources[o.id] + words) for o in there)


def sources() -> dict[str, str]:
    """Where each operation is counted: table and filter in words, by operation."""
    counted_from = {rule.operation: rule.source for rule in _RULES}
    return counted_from | {"site_fabric": _SITE, "site_soak": _SITE, "audit": _RECORDS}


def rack_kinds(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """``rack``, ``row`` and ``kind`` of each rack: ``liquid`` or ``air`` where it computes, else its role.

    Liquid is a rack whose heat is taken by liquid (``racks.liquid_w``), or that comes as a whole with its trays.
    """
    whole = _in_whole_racks(tables)["rack"].unique()
    wet = (pl.col("liquid_w") > 0) | pl.col("rack").is_in(whole.implode())
    computes = pl.col("role") == "compute"
    kind = pl.when(computes & wet).then(pl.lit("liquid")).when(computes).then(pl.lit("air")).otherwise(pl.col("role"))
    return tables["racks"].select("rack", "row", "position", kind=kind)


def device_racks(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """``device`` and its ``rack``, of nodes, service hosts and switches."""
    nodes = tables["nodes"].select(pl.col("node").alias("device"), "rack")
    return pl.concat([nodes, tables["switches"].select(pl.col("switch").alias("device"), "rack")])


def link_racks(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Each link with ``rack``, where it hangs: the node's or service host's; between switches that of the lower tier."""
    racks = device_racks(tables)
    between = pl.col("b_device").str.starts_with("sw:")
    hung = pl.when(between).then(pl.col("a_device")).otherwise(pl.col("b_device"))
    return tables["links"].with_columns(device=hung).join(racks, on="device", how="left", maintain_order="left")


def _counted(tables: dict[str, pl.DataFrame], rule: _Rule) -> pl.DataFrame:
    """The rows of one operation. Raises ``ValueError`` for a piece in a rack that the plan doesn't have."""
    found = rule.made(tables)
    if "pieces" not in found.columns:
        found = found.with_columns(pieces=pl.lit(1.0))
    if "row" not in found.columns:
        found = found.join(tables["racks"].select("rack", "row"), on="rack", how="left", maintain_order="left")
    if "rack" not in found.columns:
        found = found.with_columns(rack=pl.lit(""))
    lost = found.filter(pl.col("row").is_null())
    if lost.height:
        raise ValueError(
            f"{lost.height} pieces of {rule.operation} ({rule.source}) stand in no rack of the plan (first: "
            f"{lost['rack'][0]!r}), so nobody can be sent there: give what they belong to a rack"
        )
    grouped = found.group_by("row", "rack", maintain_order=True).agg(pl.col("pieces").sum().cast(pl.Float64).alias("count"))
    words = {"operation": pl.lit(rule.operation), "source": pl.lit(rule.source)}
    return grouped.with_columns(**words).select(COLUMNS)


def _racks(tables: dict[str, pl.DataFrame], liquid: bool) -> pl.DataFrame:
    return rack_kinds(tables).filter((pl.col("kind") == "liquid") == liquid).select("rack")


def _in_whole_racks(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Compute trays of systems that come as whole racks: rows of `NODES`."""
    systems = tables["node_traits"].filter(pl.col("nvlink") == _WHOLE_RACK)["system"]
    return tables["nodes"].filter(pl.col("system").is_in(systems.implode()))


def _mounted(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    return tables["nodes"].join(_in_whole_racks(tables).select("node"), on="node", how="anti").select("rack")


def _seated(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    trays = tables["rack_slots"].filter(pl.col("kind") == "nvlink-switch")
    return pl.concat([_in_whole_racks(tables).select("rack"), trays.select("rack")])


def _domains(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    return _in_whole_racks(tables).sort("index").unique("unit", keep="first", maintain_order=True).select("rack")


def _compute(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    return tables["nodes"].filter(pl.col("role") == "compute").select("rack")


def _computing_rows(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    return _compute(tables).join(tables["racks"].select("rack", "row"), on="rack").select("row").unique(maintain_order=True)


def _branch_fittings(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Fittings of the branches, with ``rack`` and ``built``."""
    branches = tables["branches"].select("branch", "rack", "built")
    return tables["fittings"].join(branches, left_on="at", right_on="branch", how="inner", maintain_order="left")


def _hoses(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    return _branch_fittings(tables).filter(pl.col("built") & (pl.col("kind") == "coupling")).select("rack")


def _torqued(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """A rack's own fittings with it; those of the header, the CDUs and the valves kept for later racks with the row."""
    ours = _branch_fittings(tables)
    later = ours.filter(~pl.col("built") & (pl.col("kind") == "valve")).select("loop")
    header = tables["fittings"].join(tables["branches"], left_on="at", right_on="branch", how="anti").select("loop")
    loops = tables["loops"].select("loop", "row")
    row = pl.concat([header, later]).join(loops, on="loop", how="left").select(pl.lit("").alias("rack"), "row")
    rack = ours.filter("built").select("rack").join(tables["racks"].select("rack", "row"), on="rack", how="left")
    return pl.concat([rack, row])


def _segments(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    return tables["loop_segments"].join(tables["loops"].select("loop", "row"), on="loop", how="left").select("row")


def _trunks(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Each trunk in the first of the rows that it joins, so that no rack waits for the trunks of a later row."""
    rows = tables["panels"].join(tables["racks"].select("rack", "row"), on="rack").select("panel", "row")
    joined = tables["trunks"].join(rows.rename({"panel": "a_panel", "row": "a_row"}), on="a_panel", how="left")
    joined = joined.join(rows.rename({"panel": "b_panel", "row": "b_row"}), on="b_panel", how="left")
    swapped = row_order("b_row") < row_order("a_row")
    return joined.select(row=pl.when(swapped).then("b_row").otherwise("a_row"))


def row_order(column: str) -> pl.Expr:
    """What rows are sorted by: A to Z before AA."""
    return pl.concat_str(pl.col(column).str.len_chars().cast(pl.String).str.zfill(2), pl.col(column))


def _of(table: str, *columns: str) -> Callable[[dict[str, pl.DataFrame]], pl.DataFrame]:
    return lambda tables: tables[table].select(columns)


def _at_devices(table: str, key: str, where: pl.Expr | None = None) -> Callable[[dict[str, pl.DataFrame]], pl.DataFrame]:
    def made(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
        frame = tables[table] if where is None else tables[table].filter(where)
        return frame.select(pl.col(key).alias("device")).join(device_racks(tables), on="device", how="left").select("rack")

    return made


def _rows_of(table: str) -> Callable[[dict[str, pl.DataFrame]], pl.DataFrame]:
    """Each line of ``table`` in the row of its rack."""
    return lambda tables: tables[table].join(tables["racks"].select("rack", "row"), on="rack", how="left").select("row")


def _link_rows(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    return link_racks(tables).join(tables["racks"].select("rack", "row"), on="rack", how="left").select("row")


def _rules() -> tuple[_Rule, ...]:
    whole = "nodes of a system with node_traits.nvlink = domain"
    wet = "racks cooled by liquid (racks.liquid_w > 0), trays in them"
    torqued = "fittings of built branches, of all segments and CDUs, and valves kept for later racks"
    return (
        _Rule("rack_place", "racks not cooled by liquid (racks.liquid_w = 0)", lambda t: _racks(t, liquid=False)),
        _Rule("rack_place_liquid", wet, lambda t: _racks(t, liquid=True)),
        _Rule("node_mount", "nodes, service hosts too, whose system does not have node_traits.nvlink = domain", _mounted),
        _Rule("switch_mount", "switches, spares too", _of("switches", "rack")),
        _Rule("panel_mount", "panels", _of("panels", "rack")),
        _Rule("backplane_seat", f"{whole}, and rack_slots.kind = nvlink-switch", _seated),
        _Rule("pdu_mount", "pdus", _of("pdus", "rack")),
        _Rule("circuit_land", "circuits", _of("circuits", "rack")),
        _Rule("circuit_test", "circuits", _rows_of("circuits")),
        _Rule("shelf_feed", "shelves", _of("shelves", "rack")),
        _Rule("cord_plug", "cords", _of("cords", "rack")),
        _Rule("bond_measure", "bonds", _rows_of("bonds")),
        _Rule("cdu_commission", "cdus, those that stand by too", _of("cdus", "row")),
        _Rule("header_segment", "loop_segments of the finished row: the header is laid whole", _segments),
        _Rule("loop_flush", "loops", _of("loops", "row")),
        _Rule("manifold_fit", "manifolds", _of("manifolds", "rack")),
        _Rule("hose_connect", "fittings.kind = coupling of branches that are built: one ends each hose", _hoses),
        _Rule("fitting_torque", torqued, _torqued),
        _Rule("loop_pressure_test", "loops", _of("loops", "row")),
        _Rule("loop_fill", "loops", _of("loops", "row")),
        _Rule("trunk_pull", "trunks, spares too", _trunks),
        _Rule("trunk_test", "trunks, spares too", _trunks),
        _Rule("jumper_lay", "jumpers that are not copper; two cords where channels.trunk carries them", fibre_cords),
        _Rule("copper_lay", "jumpers.medium = copper or active-copper, and management_ports that have a cable", copper_cables),
        _Rule(
            "connector_inspect",
            "plug and module face at each module, the plug at each panel, and all legs of every trunk at both ends",
            connector_faces,
        ),
        _Rule("connector_mate", "plugs of the cords of channels, at modules and at panels", connector_mates),
        _Rule("optic_insert", "transceivers", _at_devices("transceivers", "device")),
        _Rule("node_bring_up", "nodes, service hosts too", _of("nodes", "rack")),
        _Rule("switch_bring_up", "switches that are no spares", _at_devices("switches", "switch", ~pl.col("spare"))),
        _Rule("node_accept", "nodes.role = compute", _compute),
        _Rule("domain_accept", f"nodes.unit (NVLink domains) of {whole}", _domains),
        _Rule("link_verify", "links, in the row of the node, or of the lower tier's switch", _link_rows),
        _Rule("row_collectives", "rows with nodes.role = compute", _computing_rows),
    )


_RULES = _rules()
