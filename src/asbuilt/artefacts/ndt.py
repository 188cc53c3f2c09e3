"""UFM NDT: the cable plan that UFM's topology compare takes, one file for host links and one for switch links.

Five columns, ``StartDevice,StartPort,EndDevice,EndPort,LinkType``; a switch port is ``Port N`` (or the label that the
plan gives a director's port), a host port is the node description of its adapter (node name, blank, device name).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.artefacts.names import refuse_hostile
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

TARGET = "ndt"
WRITES = "UFM NDT cable plan of the InfiniBand planes (ndt/switch_to_host.ndt, ndt/switch_to_switch.ndt)"
LOST = ("Ethernet planes: UFM does not compare them",)
HEADER = "#StartDevice,StartPort,EndDevice,EndPort,LinkType"


def ndt(plan: Plan) -> dict[str, bytes]:
    """File name -> text; no file for a kind of link that the plan does not have. Equal plans give equal bytes.

    Raises `ProblemError` ART-001 for a name that the format cannot carry (comma, quote, control character).
    """
    import polars as pl

    refuse_hostile(plan, ',"', "an NDT file", first="#=+@-")
    links = plan.infiniband_links()
    host = pl.col("b_nic").is_not_null()
    node = pl.col("b_name").str.strip_suffix(pl.concat_str([pl.lit(" "), pl.col("b_nic")]))
    hosts = links.filter(host).select(
        "a_name", "a_port", row=pl.format("{},{},{},{},Data", node, "b_name", "a_name", _port("a"))
    )
    switches = links.filter(~host).select(
        "a_name", "a_port", row=pl.format("{},{},{},{},Data", "a_name", _port("a"), "b_name", _port("b"))
    )
    files = {"ndt/switch_to_host.ndt": hosts, "ndt/switch_to_switch.ndt": switches}
    return {name: _text(rows) for name, rows in files.items() if rows.height}


def _port(side: str) -> pl.Expr:
    import polars as pl

    label = pl.col(f"{side}_label")
    return (
        pl.when(label.str.starts_with("Blade")).then(label).otherwise(pl.concat_str([pl.lit("Port "), pl.col(f"{side}_port")]))
    )


def _text(rows: pl.DataFrame) -> bytes:
    body = rows.sort("a_name", "a_port")["row"].to_list()
    return ("\n".join([HEADER, *body]) + "\n").encode()
