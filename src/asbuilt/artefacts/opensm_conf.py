"""opensm.conf of one subnet manager: each option with the row of the plan that it comes from, as a comment above it.

Only words that upstream OpenSM 3.3.23 knows are written (a test holds `OPTIONS` against its own ``opensm -c``): it
answers an unknown word with one line on stdout and runs on without it. Settings of the plan that are no options are
named in a comment, so that nobody looks for them in vain.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping

from asbuilt.artefacts.opensm_text import comment, one_word
from asbuilt.model.plan import Plan

#: Options that a row of `subnet_settings` may set, in the order in which they are written.
OPTIONS = (
    "subnet_prefix", "m_key", "m_key_lease_period", "sm_key", "sa_key", "lmc", "lmc_esp0", "sm_sl", "max_op_vls",
    "packet_life_time", "head_of_queue_lifetime", "leaf_head_of_queue_lifetime", "vl_stall_count", "leaf_vl_stall_count",
    "subnet_timeout", "part_enforce", "allow_both_pkeys", "keep_pkey_indexes", "routing_engine", "quasi_ftree_indexing",
    "max_reverse_hops", "connect_roots", "use_ucast_cache", "port_shifting", "scatter_ports", "sweep_interval",
    "sweep_on_trap", "reassign_lids", "ignore_other_sm", "sminfo_polling_timeout", "polling_retry_number",
    "honor_guid2lid_file", "max_wire_smps", "max_wire_smps2", "transaction_timeout", "transaction_retries",
    "use_optimized_slvl", "log_flags", "force_log_flush", "log_max_size", "accum_log_file", "qos", "qos_max_vls",
    "qos_high_limit",
)  # fmt: skip
#: Options that the tables of the plan set, row by row, and files that stand beside this one.
FROM_TABLES = ("guid", "sm_priority", "qos_vlarb_high", "qos_vlarb_low", "qos_sl2vl")
FILES = (
    ("partition_config_file", "partitions.conf"),
    ("qos_policy_file", "qos-policy.conf"),
    ("root_guid_file", "root_guids"),
    ("cn_guid_file", "cn_guids"),
    ("io_guid_file", "io_guids"),
    ("node_name_map_name", "node-name-map"),
)
PLACES = ("log_file", "dump_files_dir")
WRITABLE = frozenset((*OPTIONS, *FROM_TABLES, *PLACES, *(option for option, _ in FILES)))


@dataclass(frozen=True, slots=True)
class Place:
    """Where one subnet manager finds its files, where it leaves its own, and what the caller sets against the plan."""

    folder: str
    log_file: str
    dump_folder: str
    overrides: Mapping[str, str] = field(default_factory=dict)


def settings(plan: Plan, subnet: str) -> dict[str, dict[str, Any]]:
    """The rows of `subnet_settings` of one subnet by setting (a few dozen at most)."""
    import polars as pl

    rows = plan.table("subnet_settings").filter(pl.col("subnet") == subnet).sort("setting")
    return {row["setting"]: row for row in rows.iter_rows(named=True)}


def is_true(rows: Mapping[str, Mapping[str, Any]], setting: str) -> bool:
    """True when the plan sets ``setting`` to a word that means yes."""
    return str(rows.get(setting, {}).get("value", "")).strip().lower() in {"true", "yes", "on", "enabled"}


def opensm_conf(
    plan: Plan, subnet: str, manager: Mapping[str, Any], place: Place, files: frozenset[str], engines: Mapping[str, str]
) -> bytes:
    """The file of one subnet manager. ``files`` stand beside it; ``engines`` translates routing engines of a dialect.

    Raises `ProblemError` ART-001 for a value that cannot stand on one line.
    """
    rows = settings(plan, subnet)
    lines = [*comment(f"Subnet manager {manager['number']} ({manager['role']}) of subnet {subnet} on host {manager['name']}.")]
    where = "OSM_CACHE_DIR (default /var/cache/opensm; a folder for each subnet where one host manages several)"
    lines += comment(f"guid2lid beside this file belongs into {where} of every manager.")
    key = f"subnet_managers {subnet} {manager['number']}"
    lines += ["", *_option("guid", f"0x{manager['port_guid']}", f"{key} port_guid: {manager['port']}")]
    lines += _option("sm_priority", str(manager["priority"]), f"{key} priority")
    lines.append("")
    for option, name in FILES:
        if name in files:
            why = _why(rows[option]) if option in rows else f"file {name} made from the plan"
            lines += _option(option, f"{place.folder}/{name}", why)
    for option, path in zip(PLACES, (place.log_file, place.dump_folder), strict=True):
        lines += _option(option, path, "set by the caller, not by the plan")
    lines.append("")
    for option in OPTIONS:
        if option in rows and option not in place.overrides:
            value = rows[option]["value"]
            word = engines.get(value, value) if option == "routing_engine" else value
            said = _why(rows[option])
            lines += _option(option, word, said if word == value else f"{said}; with adaptive routing {value} is {word} here")
    if is_true(rows, "qos"):
        lines += ["", *_qos(plan, subnet, rows)]
    if place.overrides:
        lines.append("")
    for option, value in sorted(place.overrides.items()):
        lines += _option(option, value, "set by the caller, not by the plan")
    absent = {option for option, name in FILES if name not in files}
    others = [row for setting, row in rows.items() if setting not in WRITABLE or setting in absent]
    lines += ["", *comment("Settings of the plan that are no options of this file:")] if others else []
    for row in others:
        lines += comment(f"{row['setting']} = {row['value']} {row['unit']}; {_why(row)}")
    return ("\n".join(lines) + "\n").encode()


def _qos(plan: Plan, subnet: str, rows: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The SL→VL map and the arbitration tables, from their own tables. SLs that no row names go to VL 0, as told here."""
    import polars as pl

    levels = plan.table("service_levels").filter(pl.col("subnet") == subnet).sort("sl")
    lanes = dict(levels.select("sl", "vl").iter_rows())
    if not lanes:
        return []
    every = range(max(16, max(lanes) + 1))
    texts = {"qos_sl2vl": (",".join(str(lanes.get(sl, 0)) for sl in every), f"service_levels {subnet}, SL 0 to 15")}
    for priority in ("high", "low"):
        table = plan.table("vl_arbitration").filter((pl.col("subnet") == subnet) & (pl.col("priority") == priority))
        if table.height:
            pairs = ",".join(f"{vl}:{weight}" for vl, weight in table.sort("index").select("vl", "weight").iter_rows())
            texts[f"qos_vlarb_{priority}"] = (pairs, f"vl_arbitration {subnet} {priority}")
    lines = []
    for option, (value, key) in texts.items():
        lines += _option(option, value, f"{key}; {_why(rows[option])}" if option in rows else key)
    return lines


def _option(option: str, value: str, why: str) -> list[str]:
    return [*comment(why), f"{option} {one_word(value, f'the value of {option}')}"]


def _why(row: Mapping[str, Any]) -> str:
    source = f"; source: {row['source']}" if row["source"] else ""
    return f"subnet_settings {row['subnet']} {row['setting']} ({row['origin']}): {row['reason']}{source}"
