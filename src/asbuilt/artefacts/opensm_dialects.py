"""The same plan in the words of NVIDIA's subnet manager and of UFM. Neither runs on a simulator: nothing here is rehearsed.

Only words with a public source are written; what the plan asks for and no public source spells stands as a comment.
Sources: NVIDIA MLNXSM release notes 5.10 and 5.11 (``ar_updn``), NVIDIA SHARP 3.3.0 "Setting up NVIDIA SHARP environment"
(``ar_ftree``, ``ar_updn``), UFM Enterprise User Manual 6.19 "Optional Configurations" (gv.cfg), "Appendix - Partitioning"
(partitions.conf.user_ext), "Appendix - SM Default Files" (paths), UFM REST API Guide 6.19 "OpenSM Static Topology
Configuration" (topoconfig.conf).
"""

from __future__ import annotations

from asbuilt.artefacts.opensm import CONFIG, Dialect, dialect_files, opensm_files, subnets
from asbuilt.artefacts.opensm_conf import is_true, settings
from asbuilt.artefacts.opensm_text import comment
from asbuilt.model.plan import Plan

WHY = "no simulator runs NVIDIA's subnet manager; the words are those of its public manuals"
WHY_UFM = "UFM is not freely available; the files follow its public manuals"
NVIDIA = Dialect("nvidia-sm", WHY, {"ftree": "ar_ftree", "updn": "ar_updn"})
WRITES_NVIDIA = "the same for NVIDIA's subnet manager (nvidia-sm/<subnet>/): adaptive routing by its routing engines"
LOST_NVIDIA = ("SHARP: its manager is a program of its own (sharp_am); the plan's wish stands as a comment",)
WRITES_UFM = "UFM per InfiniBand subnet (ufm/<subnet>/): gv.cfg fragment, partitions.conf.user_ext, topoconfig.conf, names"
LOST_UFM = (
    "routing engine, QoS and LIDs: UFM keeps them in its own opensm.conf and guid2lid, of which no fragment can be merged",
    "ports of multi-ASIC switches in topoconfig.conf: the plan numbers the ports of the chassis",
)
UFM_CONF, UFM_LOG = "/opt/ufm/files/conf", "/opt/ufm/files/log"
UFM = Dialect("ufm", WHY_UFM, NVIDIA.engines)


def nvidia_sm(plan: Plan) -> dict[str, bytes]:
    """``nvidia-sm/<subnet>/…``: the files of target opensm with the words that NVIDIA's manager has beside them."""
    return dialect_files(plan, NVIDIA)


def ufm(plan: Plan) -> dict[str, bytes]:
    """``ufm/<subnet>/…``, and a README.txt that says where each file goes."""
    found: dict[str, bytes] = {}
    warning = comment(f"not rehearsed: {WHY_UFM}")
    for subnet in subnets(plan):
        files = opensm_files(
            plan, subnet, f"{UFM_CONF}/opensm", log_file=f"{UFM_LOG}/opensm.log", dump_folder=UFM_LOG, dialect=UFM
        )
        parts = {
            "gv.cfg": _gv_cfg(plan, subnet, warning),
            "partitions.conf.user_ext": files["partitions.conf"],
            "ib-node-name-map": files["node-name-map"],
            "opensm.conf.wanted": files[CONFIG],
            "topoconfig.conf": _static_topology(plan, subnet),
            "README.txt": _readme(warning),
        }
        found |= {f"ufm/{subnet}/{name}": data for name, data in parts.items() if data}
    return found


def _gv_cfg(plan: Plan, subnet: str, warning: list[str]) -> bytes:
    """The sections of gv.cfg that the plan decides: whether the SHARP aggregation manager runs."""
    rows = settings(plan, subnet)
    lines = [*warning, "", "[Sharp]"]
    row = rows.get("sharp")
    lines += comment(f"subnet_settings {subnet} sharp ({row['origin']}): {row['reason']}" if row else "not in the plan: off")
    lines.append(f"sharp_enabled = {'true' if is_true(rows, 'sharp') else 'false'}")
    return ("\n".join(lines) + "\n").encode()


def _static_topology(plan: Plan, subnet: str) -> bytes:
    """Every link in both directions: GUID, port, GUID, port, device type, state. Empty when an end has no GUID."""
    import polars as pl

    members = plan.table("switches").filter((pl.col("subnet") == subnet) & ~pl.col("spare") & (pl.col("asics") == 1))
    links = plan.links.filter(pl.col("a_device").is_in(members["switch"].implode()))
    links = links.filter(pl.col("b_nic").is_not_null() | pl.col("b_device").is_in(members["switch"].implode()))
    guids = plan.table("lids").filter(pl.col("subnet") == subnet).select("port", "port_guid")
    ends = links.select(
        pl.format("{}#0", "a_device").alias("a"),
        "a_port",
        pl.when(pl.col("b_nic").is_null()).then(pl.format("{}#0", "b_device")).otherwise(
            pl.format("{}/{}", "b_device", "b_nic")
        ).alias("b"),
        "b_port",
    )  # fmt: skip
    for side in "ab":
        ends = ends.join(guids.rename({"port": side, "port_guid": f"{side}_guid"}), on=side)
    there = pl.format("0x{},{},0x{},{},Any,Active", "a_guid", "a_port", "b_guid", "b_port")
    back = pl.format("0x{},{},0x{},{},Any,Active", "b_guid", "b_port", "a_guid", "a_port")
    lines = pl.concat([ends.select(there.alias("line")), ends.select(back.alias("line"))])["line"].sort().to_list()
    return ("\n".join(lines) + "\n").encode() if lines else b""


def _readme(warning: list[str]) -> bytes:
    """Where each file goes, by UFM's manual."""
    lines = [
        *warning,
        "",
        f"gv.cfg                    merge into {UFM_CONF}/gv.cfg and restart UFM",
        f"partitions.conf.user_ext  {UFM_CONF}/partitions.conf.user_ext, then /opt/ufm/scripts/sync_partitions_conf.sh",
        f"ib-node-name-map          {UFM_CONF}/opensm/ib-node-name-map",
        f"topoconfig.conf           {UFM_CONF}/opensm/topoconfig.conf: with static topology, other links are not discovered",
        f"opensm.conf.wanted        not to be copied: what {UFM_CONF}/opensm/opensm.conf has to say in the end",
        "",
        "topoconfig.conf has no comments: each line is one row of plan table links, by the GUIDs of plan table lids.",
    ]
    return ("\n".join(lines) + "\n").encode()
