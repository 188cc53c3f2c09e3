"""Ports of devices as NetBox has them: interfaces, power ports and outlets. One row per port, of every device.

What all devices of a type have in common becomes its template (`netbox_types`); the rest is listed for itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.artefacts import netbox_kinds as kinds
from asbuilt.artefacts.netbox_layouts import layouts
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

MANAGEMENT, MANAGEMENT_LABEL = "mgmt0", "MGMT"
INLET = "inlet"
_KILOBITS = 1e6  # NetBox's speeds are in kb/s
POWER_PORTS = ("device", "order", "name", "label", "type", "maximum_draw", "allocated_draw")
OUTLETS = ("device", "order", "name", "label", "type", "power_port", "feed_leg")


def interfaces(plan: Plan, types: pl.DataFrame) -> pl.DataFrame:
    """``device order name label type mgmt_only speed``; ``device`` is the key, speed in kb/s.

    A switch port is named by its front-panel label and labelled with its protocol number; a port of a node is named by its
    device on the node and labelled with its cage. So both survive in what NetBox makes from a template. ``types`` is
    ``key type``: where one device of a type is patched by its management port, all have it (spares too).
    """
    import polars as pl

    frame = pl.concat([_switch_ports(plan), _node_ports(plan), *_management(plan, types)])
    return frame.unique(["device", "name"], keep="first", maintain_order=True).sort("device", "order", "name")


def node_port() -> pl.Expr:
    """The name of a node's end of a link (``b_nic``, ``b_port``, ``b_label``): a second port of one device gets its number."""
    import polars as pl

    numbered = pl.concat_str(["b_nic", pl.lit("/"), pl.col("b_port").cast(pl.String)])
    return pl.when(pl.col("b_nic").is_null()).then("b_label").when(pl.col("b_port") > 1).then(numbered).otherwise("b_nic")


def _switch_ports(plan: Plan) -> pl.DataFrame:
    import polars as pl

    rows = plan.table("switches").select("switch", "plane", "role", "model")
    frame = rows.join(layouts(plan), on=["plane", "role", "model"], how="inner")
    links = plan.links
    rates = pl.concat(
        links.select(
            pl.col(f"{s}_device").alias("switch"), pl.col(f"{s}_port").alias("port"), pl.col("rate_gbps").alias("linked")
        )
        for s in "ab"
    ).unique(["switch", "port"], keep="first")
    frame = frame.join(rates, on=["switch", "port"], how="left")
    return frame.select(
        pl.col("switch").alias("device"),
        pl.col("port").alias("order"),
        pl.col("label").alias("name"),
        pl.col("port").cast(pl.String).alias("label"),
        pl.col("kind").alias("type"),
        pl.lit(False).alias("mgmt_only"),
        _speed(pl.coalesce("linked", "rate_gbps")).alias("speed"),
    )


def _speed(rate: pl.Expr) -> pl.Expr:
    import polars as pl

    return (rate * _KILOBITS).round(0).cast(pl.Int64)


def _node_ports(plan: Plan) -> pl.DataFrame:
    """Ports of nodes: of links, and those NIC ports that no link uses."""
    import polars as pl

    nodes = plan.table("nodes")["node"].implode()
    linked = plan.links.filter(pl.col("b_device").is_in(nodes)).select(
        pl.col("b_device").alias("device"),
        node_port().alias("name"),
        pl.col("b_label").alias("label"),
        "rate_gbps",
        pl.col("b_nic").alias("nic"),
        "plane",
    )
    nics = plan.table("nics") if plan.has("nics") else None
    if nics is None:
        frame = linked.with_columns(
            pl.lit(None, dtype=pl.String).alias("link_type"), pl.lit(None, dtype=pl.String).alias("part"), pl.col("plane")
        )
    else:
        traits = nics.select(pl.col("node").alias("device"), pl.col("device").alias("nic"), "part", "link_type")
        free = nics.join(linked, left_on=["node", "device"], right_on=["device", "nic"], how="anti").select(
            pl.col("node").alias("device"),
            pl.col("device").alias("name"),
            pl.col("cage").alias("label"),
            "rate_gbps",
            pl.col("device").alias("nic"),
            "plane",
        )
        frame = pl.concat([linked, free]).join(traits, on=["device", "nic"], how="left", maintain_order="left")
    frame = frame.with_columns(pl.coalesce("link_type", _technology(plan)).alias("link_type"))
    order = pl.col("name").str.extract(r"(\d+)$").cast(pl.Int64, strict=False).fill_null(0)
    return _kinds(plan, frame).select(
        "device",
        order.alias("order"),
        "name",
        "label",
        pl.col("kind").alias("type"),
        (pl.col("plane") == "oob").alias("mgmt_only"),
        _speed(pl.col("rate_gbps")).alias("speed"),
    )


def _technology(plan: Plan) -> pl.Expr:
    """The technology of the column ``plane``, for hosts whose NICs the plan does not list."""
    import polars as pl

    known = dict(plan.table("planes").select("plane", "technology").rows()) if plan.has("planes") else {}
    return pl.col("plane").replace_strict(known, default=None, return_dtype=pl.String)


def _kinds(plan: Plan, frame: pl.DataFrame) -> pl.DataFrame:
    """NetBox's interface type as ``kind``, worked out once per kind of port."""
    import polars as pl

    parts = {}
    if plan.has("parts"):
        parts = {p: (f, lane) for p, f, lane in plan.table("parts").select("part", "form_factor", "lane_gbps").rows()}
    traits = ["link_type", "rate_gbps", "part"]
    alike = frame.select(traits).unique()
    named = [kinds.interface_type(technology, rate, *parts.get(part, (None, None))) for technology, rate, part in alike.rows()]
    alike = alike.with_columns(pl.Series("kind", named, dtype=pl.String))
    return frame.join(alike, on=traits, how="left", nulls_equal=True, maintain_order="left")


def _management(plan: Plan, types: pl.DataFrame) -> list[pl.DataFrame]:
    import polars as pl

    if not plan.has("management_ports"):
        return []
    patched = plan.table("management_ports").select("device")
    alike = types.join(patched, left_on="key", right_on="device", how="semi").select("type").unique()
    have = pl.concat([patched, types.join(alike, on="type", how="semi").select(pl.col("key").alias("device"))]).unique()
    return [
        have.select(
            "device",
            pl.lit(0, dtype=pl.Int64).alias("order"),
            pl.lit(MANAGEMENT).alias("name"),
            pl.lit(MANAGEMENT_LABEL).alias("label"),
            pl.lit("1000base-t").alias("type"),
            pl.lit(True).alias("mgmt_only"),
            _speed(pl.lit(1.0)).alias("speed"),
        )
    ]


def power_ports(plan: Plan, types: pl.DataFrame) -> pl.DataFrame:
    """``device order name label type maximum_draw allocated_draw``, in watts: supplies of devices, inlets of PDUs and shelves.

    ``types`` is ``key type``: all devices of a type have the same supplies in NetBox, spares too, and each has the most that
    any of them draws. The maximum is the share with the worst other feed lost, the allocated draw that with all feeds.
    """
    import polars as pl

    frames = [pl.DataFrame(schema=_power_schema())]
    if plan.has("cords"):
        cords = plan.table("cords").join(types, left_on="device", right_on="key", how="inner")
        supplies = cords.group_by("type", "supply").agg(
            pl.col("inlet").min(), *(pl.col(c).max().ceil().cast(pl.Int64).clip(1) for c in ("lost_w", "nominal_w"))
        )
        inlets = {i: kinds.coupler_inlet(i) for i in cords["inlet"].unique().to_list()}
        frames.append(
            types.join(supplies, on="type", how="inner").select(
                pl.col("key").alias("device"),
                pl.col("supply").alias("order"),
                supply().alias("name"),
                pl.lit("").alias("label"),
                pl.col("inlet").replace_strict(inlets, default=kinds.OTHER, return_dtype=pl.String).alias("type"),
                pl.col("lost_w").alias("maximum_draw"),
                pl.col("nominal_w").alias("allocated_draw"),
            )
        )
    if plan.has("circuits"):
        plugs = (
            plan.table("circuits").select(pl.col("serves").alias("device"), "plug", "voltage_v").unique("device", keep="first")
        )
        alike = plugs.select("plug", "voltage_v").unique()
        alike = alike.with_columns(pl.Series("kind", [kinds.plug_type(p, v) for p, v in alike.rows()], dtype=pl.String))
        plugs = plugs.join(alike, on=["plug", "voltage_v"], how="left").join(
            types, left_on="device", right_on="key", how="semi"
        )
        none = pl.lit(None, dtype=pl.Int64)
        frames.append(
            plugs.select(
                "device",
                pl.lit(0, dtype=pl.Int64).alias("order"),
                pl.lit(INLET).alias("name"),
                pl.lit("").alias("label"),
                pl.col("kind").alias("type"),
                none.alias("maximum_draw"),
                none.alias("allocated_draw"),
            )
        )
    return pl.concat(frames).unique(["device", "name"], keep="first", maintain_order=True).sort("device", "order")


def supply() -> pl.Expr:
    """The name of a power supply of a device, as its label says it."""
    import polars as pl

    return pl.concat_str([pl.lit("PSU"), pl.col("supply").cast(pl.String)])


def _power_schema() -> dict[str, pl.DataType]:
    import polars as pl

    numbers = ("order", "maximum_draw", "allocated_draw")
    return {name: pl.Int64() if name in numbers else pl.String() for name in POWER_PORTS}


def outlets(plan: Plan) -> pl.DataFrame:
    """``device order name label type power_port feed_leg``: every outlet of every PDU, in use or not.

    Numbered bank by bank as `plan.power.outlets` does; the leg is that of the bank, A for L1 or L1-L2 and so on.
    """
    import polars as pl

    schema = {name: pl.Int64() if name == "order" else pl.String() for name in OUTLETS}
    if not plan.has("pdus"):
        return pl.DataFrame(schema=schema)
    pdus, traits = plan.table("pdus"), ["banks", "outlets_c19", "outlets_c13", "conductors"]
    alike = pdus.select(traits).unique()
    models = pl.concat(
        [pl.DataFrame(schema={**dict.fromkeys(traits, pl.Int64), **_model_schema()}), *map(_model, alike.rows())]
    )
    frame = pdus.select(pl.col("pdu").alias("device"), *traits).join(models, on=traits, how="inner")
    whole = frame.select("device", "order", "type", "feed_leg")
    if plan.has("cords"):  # what has found no outlet is numbered behind the last one
        cords = plan.table("cords")
        kind = pl.col("outlet_type").replace_strict(
            {"C13": kinds.coupler_outlet("C13"), "C19": kinds.coupler_outlet("C19")},
            default=kinds.OTHER,
            return_dtype=pl.String,
        )
        leg = pl.col("conductor").replace_strict(kinds.LEGS, default="", return_dtype=pl.String)
        used = cords.select(
            pl.col("pdu").alias("device"), pl.col("outlet").alias("order"), kind.alias("type"), leg.alias("feed_leg")
        )
        whole = pl.concat([whole, used]).unique(["device", "order"], keep="first", maintain_order=True)
    return whole.select(
        "device",
        "order",
        pl.col("order").cast(pl.String).alias("name"),
        pl.lit("").alias("label"),
        "type",
        pl.lit(INLET).alias("power_port"),
        "feed_leg",
    ).sort("device", "order")


def _model_schema() -> dict[str, pl.DataType]:
    import polars as pl

    return {"order": pl.Int64(), "type": pl.String(), "feed_leg": pl.String()}


def _model(traits: tuple[int, int, int, int]) -> pl.DataFrame:
    """The outlets of one model of PDU (banks, C19, C13, phase conductors)."""
    import polars as pl

    from asbuilt.plan.power.outlets import PHASES, outlets_of

    banks, c19, c13, conductors = traits
    dealt = outlets_of(banks, c19, c13)
    words = [
        (kind, "ABC"[bank % PHASES] if conductors > 1 else "A")
        for bank in range(dealt.banks)
        for kind, count in ((kinds.coupler_outlet("C19"), dealt.large[bank]), (kinds.coupler_outlet("C13"), dealt.small[bank]))
        for _ in range(int(count))
    ]
    return pl.DataFrame(
        {
            **{
                name: [value] * len(words)
                for name, value in zip(("banks", "outlets_c19", "outlets_c13", "conductors"), traits, strict=True)
            },
            "order": list(range(1, len(words) + 1)),
            "type": [k for k, _ in words],
            "feed_leg": [leg for _, leg in words],
        },
        schema={**dict.fromkeys(("banks", "outlets_c19", "outlets_c13", "conductors"), pl.Int64), **_model_schema()},
    )
