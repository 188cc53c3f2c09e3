"""The files of the subnet manager of each InfiniBand subnet, for upstream OpenSM: the form that is rehearsed.

One `opensm.conf` per manager (they differ in GUID and priority alone), and beside it what all managers of a subnet must
share to the byte: partitions, QoS policy, LIDs, GUID lists of the fat tree, node names. Every line names the row of the
plan that it comes from, in a comment or, for guid2lid, in ``TRACE.tsv``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Mapping

from asbuilt.artefacts.guid2lid import FILE, TRACE, guid2lid, trace
from asbuilt.artefacts.names import refuse_texts
from asbuilt.artefacts.opensm_conf import Place, is_true, opensm_conf, settings
from asbuilt.artefacts.opensm_partitions import partitions_conf, qos_policy
from asbuilt.artefacts.opensm_text import comment, listed, one_word, placeholders
from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.plan import Plan
from asbuilt.plan.routing_fabric import COMPUTE, IO, roles

if TYPE_CHECKING:
    import polars as pl

TARGET = "opensm"
WRITES = "OpenSM's files per InfiniBand subnet: opensm-<n>.conf per manager, partitions, QoS, guid2lid, GUID lists, names"
LOST = ("SHARP and adaptive routing: upstream OpenSM knows neither (nvidia-sm and ufm name them)",)
CONFIG = "opensm.conf"
NEEDED = ("lids", "partitions", "partition_members", "service_levels", "vl_arbitration", "subnet_managers", "subnet_settings")
UNICAST_LAST = 0xBFFF  # IBTA 4.1.3: unicast LIDs end here


@dataclass(frozen=True, slots=True)
class Dialect:
    """One maker's subnet manager: its folder, why it is not rehearsed (empty: it is), its words for routing engines."""

    name: str
    not_rehearsed: str = ""
    engines: Mapping[str, str] = field(default_factory=dict)


UPSTREAM = Dialect(TARGET)


def opensm(plan: Plan) -> dict[str, bytes]:
    """``opensm/<subnet>/…`` for every InfiniBand subnet that the plan addresses. See `dialect_files`."""
    return dialect_files(plan, UPSTREAM)


def dialect_files(plan: Plan, dialect: Dialect) -> dict[str, bytes]:
    """All subnets in one dialect: ``<dialect>/<subnet>/opensm-<n>.conf`` per manager and the shared files once."""
    found: dict[str, bytes] = {}
    for subnet in subnets(plan):
        for number in managers(plan, subnet)["number"].to_list():
            files = opensm_files(plan, subnet, manager=number, dialect=dialect)
            found[f"{dialect.name}/{subnet}/opensm-{number}.conf"] = files.pop(CONFIG)
            found |= {f"{dialect.name}/{subnet}/{name}": data for name, data in files.items()}
    return found


def subnets(plan: Plan) -> list[str]:
    """The subnets that have end ports and a manager, sorted. None for a plan without subnet tables."""
    if not all(plan.has(table) for table in NEEDED):
        return []
    named = plan.table("lids")["subnet"].unique().sort()
    known = set(plan.table("subnet_managers")["subnet"].to_list())
    return [subnet for subnet in named.to_list() if subnet in known]


def managers(plan: Plan, subnet: str) -> pl.DataFrame:
    """The subnet managers of one subnet, master first."""
    import polars as pl

    return plan.table("subnet_managers").filter(pl.col("subnet") == subnet).sort("number")


def opensm_files(
    plan: Plan,
    subnet: str,
    folder: str = "",
    manager: int = 0,
    *,
    log_file: str = "",
    dump_folder: str = "",
    overrides: Mapping[str, str] | None = None,
    dialect: Dialect = UPSTREAM,
) -> dict[str, bytes]:
    """The files of subnet manager number ``manager`` of ``subnet``, by name within ``folder``.

    ``folder`` stands in the absolute paths of opensm.conf (default ``/etc/opensm/<subnet>``). ``log_file`` and
    ``dump_folder`` default to ``/var/log/opensm-<subnet>.log`` and ``/var/log``. ``overrides`` are options that the caller
    sets against the plan (timing, logging); their lines say so. guid2lid goes into OpenSM's cache folder.

    Raises `ProblemError` ART-001 for names that a file cannot carry, ART-003 for tables that it cannot be made from.
    """
    import polars as pl

    lids = plan.table("lids").filter(pl.col("subnet") == subnet)
    chosen = managers(plan, subnet).filter(pl.col("number") == manager)
    _refuse(lids, chosen, subnet, manager)
    rows = settings(plan, subnet)
    files = {"partitions.conf": partitions_conf(plan, subnet), "node-name-map": _name_map(plan, lids, subnet)}
    if is_true(rows, "qos"):
        files["qos-policy.conf"] = qos_policy(plan, subnet)
    files |= _guid_lists(lids, rows)
    folder = one_word((folder or f"/etc/opensm/{subnet}").rstrip("/"), "the folder")
    place = Place(folder, log_file or f"/var/log/opensm-{subnet}.log", dump_folder or "/var/log", overrides or {})
    engines = dialect.engines if is_true(rows, "adaptive_routing") else {}
    files[CONFIG] = opensm_conf(plan, subnet, chosen.row(0, named=True), place, frozenset(files), engines)
    for name in (CONFIG, "partitions.conf"):
        files[name] = "".join(f"{line}\n" for line in placeholders(lids)).encode() + files[name]
    if dialect.not_rehearsed:
        warning = "\n".join(comment(f"not rehearsed: {dialect.not_rehearsed}")).encode() + b"\n"
        files = {name: warning + data for name, data in files.items()}
    return files | {FILE: guid2lid(lids), TRACE: trace(lids)}


def _refuse(lids: pl.DataFrame, chosen: pl.DataFrame, subnet: str, manager: int) -> None:
    """Raise for what no file can be made from."""
    import polars as pl

    refuse_texts(pl.Series([subnet]), "/\\:;#\"' ", "a folder of the subnet manager", 64, ".-", fix="rename the subnet")
    refuse_texts(lids["name"], '"', "a node-name-map", 64)
    problems = []
    if chosen.height != 1:
        problems.append(Problem("ART-003", f"subnet {subnet} has {chosen.height} subnet managers with number {manager}"))
    last = pl.col("lid") + (2 ** pl.col("lmc")).cast(pl.Int64) - 1
    outside = lids.filter((pl.col("lid") < 1) | (last > UNICAST_LAST)).sort("port")["port"].head(5)
    why = "they run from 1 to 0xbfff"
    problems += [Problem("ART-003", f"the LID of {port} is no unicast LID", why=why) for port in outside]
    if problems:
        raise ProblemError(problems)


def _guid_lists(lids: pl.DataFrame, rows: Mapping[str, Mapping[str, Any]]) -> dict[str, bytes]:
    """What ftree and updn are told: the switches of the top tier, the ports that compute, the ports that serve them."""
    import polars as pl

    engine = str(rows.get("routing_engine", {}).get("value", ""))
    engines = {name.strip() for name in engine.split(",")}
    switches = lids.filter(pl.col("nic").is_null() & pl.col("role").is_in(["leaf", "spine", "core"]))
    present = set(switches["role"].to_list())
    declared = str(rows.get("root_tier", {}).get("value", ""))
    top = declared if declared in present else next((tier for tier in ("core", "spine") if tier in present), "")
    files = {}
    roots = switches.filter(pl.col("role") == top)
    if engines & {"ftree", "updn"} and roots.height:
        files["root_guids"] = listed(roots, f"Switches of the top tier ({top}), node GUIDs.", "node_guid")
    ends = lids.filter(pl.col("number") > 0)
    ends = ends.with_columns(pl.Series("class", roles(ends)))
    heads = {COMPUTE: "Ports of nodes: ftree spreads their traffic.", IO: "Ports of storage, services and aggregation."}
    for kind, name in ((COMPUTE, "cn_guids"), (IO, "io_guids")):
        if "ftree" in engines and (ends["class"] == kind).any():
            files[name] = listed(ends.filter(pl.col("class") == kind), heads[kind])
    return files


def _name_map(plan: Plan, lids: pl.DataFrame, subnet: str) -> bytes:
    """GUID and name of every device: of a switch its display name, of a NIC port its node description."""
    import polars as pl

    names = plan.table("switches").select(pl.col("switch").alias("device"), pl.col("name").alias("shown"), "asics")
    rows = lids.join(names, on="device", how="left")
    chip = pl.col("port").str.extract(r"#(\d+)", 1).cast(pl.Int64) + 1
    chip_name = pl.when(pl.col("asics") > 1).then(pl.format("{}/U{}", "shown", chip)).otherwise("shown")
    label = pl.when(pl.col("role").is_in(["leaf", "spine", "core"])).then(chip_name).otherwise("name").fill_null(pl.col("name"))
    rows = rows.with_columns(label.alias("label")).sort("node_guid")
    refuse_texts(rows["label"], '"', "a node-name-map", 64)
    lines = rows.select(pl.format('0x{} "{}" # lids {}', "node_guid", "label", "port")).to_series().to_list()
    return ("\n".join([*comment(f"Names of subnet {subnet}."), *lines]) + "\n").encode()
