"""What each port of a switch leads to, as commands of the switch: one file per switch, in the words of its maker.

Quantum and Quantum-2 run MLNX-OS (``interface ib 1/<cage>/<port> description "…"``), Quantum-3 NVOS and Spectrum Cumulus
Linux (``nv set interface … description '…'``). Sources: NVIDIA MLNX-OS User Manual (InfiniBand Interface Commands), NVIDIA
NVOS User Manual (Interfaces), Cumulus Linux User Guide (Switch Port Attributes). Other switches get a plain list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.artefacts import identity
from asbuilt.artefacts.names import refuse_hostile, refuse_texts
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

TARGET = "port-descriptions"
WRITES = "description of every cabled switch port in the switch's own commands (port-descriptions/<switch>.<dialect>.txt)"
LOST = (
    "ports without a planned cable: nothing is said of them",
    "that a port is split: the commands name its parts and do not split it",
    "switches of other makers than NVIDIA: their files are lists, not commands",
)
NOT_REHEARSED = "# not rehearsed: no switch was asked; the commands follow the maker's manual"
DESCRIPTION_BYTES = 64
#: Rate of a whole cage in Gb/s, by the start of the part's name (NVIDIA datasheets of the Spectrum switches).
_CAGE_GBPS = {"sn56": 800.0, "sn54": 400.0, "sn47": 400.0, "sn46": 100.0}
_PREFIXES = (("qm", "mlnx-os"), ("q3", "nvos"), ("sn", "nvue"))


def port_descriptions(plan: Plan) -> dict[str, bytes]:
    """One file per switch that has a cable. Raises `ProblemError` ART-001 for a name that no quoting makes safe."""
    import polars as pl

    if not plan.has("switches"):
        return {}
    refuse_hostile(plan, "\"'\\?", "a switch's command line", DESCRIPTION_BYTES)
    switches = plan.table("switches").select("switch", "name", "model")
    refuse_texts(switches["name"], "/\\:", "a file name", 64, ".-")
    ends = pl.concat([_ends(plan, "a", "b"), _ends(plan, "b", "a").filter(pl.col("nic").is_null())])
    ends = ends.join(switches, left_on="device", right_on="switch").sort("name", "port")
    model = pl.col("model")
    dialect = pl.coalesce(pl.when(model.str.starts_with(p)).then(pl.lit(word)) for p, word in _PREFIXES)
    ends = ends.with_columns(dialect.fill_null("list").alias("dialect"), *_rates(ends)).with_columns(_lines())
    blocks = ends.group_by("name", "dialect", maintain_order=True).agg(pl.col("line").str.join("\n"))
    return {
        f"port-descriptions/{name}.{word}.txt": f"{NOT_REHEARSED}\n{text}\n".encode()
        for name, word, text in blocks.select("name", "dialect", "line").iter_rows()
    }


def _ends(plan: Plan, own: str, far: str) -> pl.DataFrame:
    """Every end on side ``own``: device, port, label, what is at the other end (name and front-panel label)."""
    import polars as pl

    nic = pl.lit(None, dtype=pl.String) if own == "a" else pl.col("b_nic")
    switch_end = pl.format("{} {}", f"{far}_name", f"{far}_label")
    seen = pl.when(pl.col("b_nic").is_null()).then(switch_end).otherwise("b_name") if far == "b" else switch_end
    return plan.links.select(
        pl.col(f"{own}_device").alias("device"), pl.col(f"{own}_port").alias("port"), pl.col(f"{own}_label").alias("label"),
        nic.alias("nic"), "rate_gbps", seen.alias("far"),
    )  # fmt: skip


def _rates(ends: pl.DataFrame) -> list[pl.Expr]:
    """``whole``: the link has all of the port (of a Quantum switch) or cage (of a Spectrum switch): it is not split."""
    import polars as pl

    rates = {}
    for model in ends["model"].unique().to_list():
        lane = identity.LANE_GBPS.get(identity.generation(model) or "", 0.0)
        rates[model] = _CAGE_GBPS.get(model[:4], 4 * lane or float("inf"))
    limit = pl.col("model").replace_strict(rates, return_dtype=pl.Float64)
    return [(pl.col("rate_gbps") >= limit).fill_null(False).alias("whole")]


def _lines() -> pl.Expr:
    """The line of each end in the words of its switch. Parts of a label are cage, port and half, as far as they go.

    MLNX-OS ``1/<cage>/<port>[/<half>]``; NVOS ``sw<cage>p<port>[s<half>]``; NVUE ``swp<cage>[s<part from 0>]``.
    """
    import polars as pl

    parts = pl.col("label").str.split("/")
    cage, second, third = (parts.list.get(n, null_on_oob=True) for n in range(3))
    half = pl.when(~pl.col("whole")).then(third)
    mlnx = pl.concat_str([pl.lit("1/"), cage, _after("/", second), _after("/", half)])
    nvos = pl.concat_str([pl.lit("sw"), cage, _after("p", second), _after("s", half)])
    part = pl.when(~pl.col("whole")).then((second.cast(pl.Int64, strict=False) - 1).cast(pl.String))
    nvue = pl.concat_str([pl.lit("swp"), cage, _after("s", part)])
    return (
        pl.when(pl.col("dialect") == "mlnx-os")
        .then(pl.format('interface ib {} description "{}"', mlnx, "far"))
        .when(pl.col("dialect") == "nvos")
        .then(pl.format("nv set interface {} description '{}'", nvos, "far"))
        .when(pl.col("dialect") == "nvue")
        .then(pl.format("nv set interface {} description '{}'", nvue, "far"))
        .otherwise(pl.format("{}\t{}\t{}", "port", "label", "far"))
        .alias("line")
    )


def _after(letter: str, part: pl.Expr) -> pl.Expr:
    """``part`` behind ``letter``, nothing when there is none."""
    import polars as pl

    return pl.concat_str([pl.lit(letter), part]).fill_null("")
