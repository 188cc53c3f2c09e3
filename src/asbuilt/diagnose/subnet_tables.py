"""Subnet facts as tables of planned ports (`model.measured_subnet`), which the checks judge."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from asbuilt.base.table import Schema
from asbuilt.diagnose.identity import nameless
from asbuilt.diagnose.subnet_identity import NO_GUID, NO_LID, Who, folder, plain_host, port_guids, units, who
from asbuilt.model import measured_subnet as at
from asbuilt.model.facts_subnet import SUBNET_FACTS
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

    from asbuilt.diagnose.links import Compared
    from asbuilt.model.facts import Facts

#: Fact tables that these tables are made of.
SOURCES = tuple(s.name for s in SUBNET_FACTS if s.name not in ("lft_facts", "path_facts"))
_SHOWN = 3
#: The membership bit of a partition table entry (IBTA vol. 1, 10.9.1.1).
_FULL = 0x8000


@dataclass(frozen=True, slots=True)
class SubnetTables:
    """The resolved tables by name, and notes on what could not be resolved."""

    tables: dict[str, pl.DataFrame]
    notes: tuple[str, ...]


def has_subnet_facts(facts: Facts) -> bool:
    """True when a capture told something of a subnet beyond its cables. Makes no table."""
    return facts.discovered is None and any(facts.has(name) for name in SOURCES)


def subnet_tables(
    plan: Plan, facts: Facts, compared: Compared | None = None, guids: pl.DataFrame | None = None
) -> SubnetTables:
    """Resolve the subnet facts of ``facts`` to the ports of ``plan``. A table is there when a capture of its kind was given."""
    if not has_subnet_facts(facts):
        return SubnetTables({}, ())
    known = who(plan, facts, compared, guids)
    room = _Room(plan, facts, known)
    made = {
        at.PORTS_MEASURED.name: room.plain("port_facts", at.PORTS_MEASURED),
        at.HCAS_MEASURED.name: room.plain("hca_facts", at.HCAS_MEASURED),
        at.PKEYS_MEASURED.name: _pkeys(room),
        at.SL2VL_MEASURED.name: room.plain("sl2vl_facts", at.SL2VL_MEASURED),
        at.VLARB_MEASURED.name: room.plain("vlarb_facts", at.VLARB_MEASURED),
        at.COUNTERS_MEASURED.name: _counters(room),
        at.MODULES_MEASURED.name: room.plain("module_facts", at.MODULES_MEASURED),
        at.LIDS_MEASURED.name: _lids(room),
        at.IDENTITIES_MEASURED.name: _identities(room),
        at.MANAGERS_MEASURED.name: _managers(room),
    }
    tables = {name: frame for name, frame in made.items() if frame is not None}
    said = known.notes if compared is None else ()  # the compare of cables has told them
    return SubnetTables(tables, (*said, *room.notes()))


class _Room:
    """A plan, its captures and the maps between them; every fact table is resolved once."""

    def __init__(self, plan: Plan, facts: Facts, known: Who) -> None:
        self.plan, self.facts, self.known = plan, facts, known
        self.units = units(plan)
        self._links = _links_of_ports(plan)
        self._resolved: dict[str, pl.DataFrame] = {}
        self._strangers: dict[str, list[str]] = {}

    def resolved(self, table: str) -> pl.DataFrame | None:
        """The fact table with the planned end port, its number and link; None when no capture gave it."""
        import polars as pl

        if not self.facts.has(table):
            return None
        if table not in self._resolved:
            frame = self.facts.tables[table].rename({"port": "port_number"}, strict=False)
            found = self.known.of(frame)
            if table == "hca_facts":  # Ethernet ports of the plan have no LID, and no GUID that InfiniBand knows
                found = found.filter(pl.col("unit").is_not_null() | (pl.col("link_layer") != "ethernet").fill_null(True))
            self._note(table, found)
            device = self.units.select(pl.col("port").alias("unit"), "device", "nic", "role", pl.col("number").alias("own"))
            found = found.filter(pl.col("unit").is_not_null()).join(device, on="unit", maintain_order="left", suffix="_unit")
            asked = pl.col("port_number") if "port_number" in found.columns else pl.lit(None, dtype=pl.Int64)
            named = pl.col("device_unit" if "device_unit" in found.columns else "device")
            owner = pl.when(pl.col("role") != "aggregation").then(named).alias("owner")
            fixed = pl.col("nic").is_not_null() | (pl.col("role") == "aggregation")
            number = pl.when(fixed).then("own").otherwise(asked.fill_null(0)).alias("number")
            found = found.with_columns(number, pl.col("unit").alias("port"), owner)
            self._resolved[table] = found.join(
                self._links, on=["owner", "nic", "number"], how="left", maintain_order="left", nulls_equal=True
            )
        return self._resolved[table]

    def plain(self, table: str, schema: Schema) -> pl.DataFrame | None:
        """The resolved rows in the columns of ``schema``."""
        found = self.resolved(table)
        return None if found is None else schema.conform(found.select(c for c in schema.names if c in found.columns))

    def _note(self, table: str, found: pl.DataFrame) -> None:
        import polars as pl

        lost = found.filter(pl.col("unit").is_null())
        if not lost.height or table == "sm_facts":
            return
        named = [pl.col(c) for c in ("description", "host", "guid", "node_guid") if c in lost.columns]
        lid = [pl.format("LID {}", "lid")] if "lid" in lost.columns else []
        called = lost.select(pl.coalesce(*named, *lid, pl.lit("a port that the capture does not name")).alias("who"))
        self._strangers.setdefault(table, called["who"].unique(maintain_order=True).to_list())

    def notes(self) -> tuple[str, ...]:
        """One line per fact table with rows of devices that the plan does not know, or that nothing says who they are."""
        told = []
        for table, names in self._strangers.items():
            shown = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
            number = f"{len(names)} devices" if len(names) > 1 else "one device"
            told.append(f"{table}: {number} could not be matched to the plan and were not judged: {shown}")
        return tuple(told)


def _links_of_ports(plan: Plan) -> pl.DataFrame:
    """owner, nic, number, link: the planned link at each planned port."""
    import polars as pl

    if not plan.has("links"):
        schema = {"owner": pl.String, "nic": pl.String, "number": pl.Int64, "link": pl.String}
        return pl.DataFrame(schema=schema)
    none = pl.lit(None, dtype=pl.String)
    near = plan.links.select(pl.col("a_device").alias("owner"), none.alias("nic"), pl.col("a_port").alias("number"), "link")
    far = plan.links.select(
        pl.col("b_device").alias("owner"), pl.col("b_nic").alias("nic"), pl.col("b_port").alias("number"), "link"
    )
    return pl.concat([near, far]).unique(["owner", "nic", "number"], keep="first")


def _pkeys(room: _Room) -> pl.DataFrame | None:
    """Entries with their key and their text; the few different ones are worded once."""
    import polars as pl

    found = room.resolved("pkey_facts")
    if found is None:
        return None
    kinds = found.select("entry").unique()
    words = pl.Series("text", [f"0x{entry & 0xFFFF:04x}" for entry in kinds["entry"].to_list()], dtype=pl.String)
    kinds = kinds.with_columns((pl.col("entry") % _FULL).alias("pkey"), words)
    found = found.select("port", "index", "entry", "capture_id", "line").join(
        kinds, on="entry", how="left", maintain_order="left"
    )
    return at.PKEYS_MEASURED.conform(found)


def _counters(room: _Room) -> pl.DataFrame | None:
    """Counters with the time of each reading as a number; the few different times are read once."""
    import polars as pl

    found = room.resolved("counter_facts")
    if found is None:
        return None
    times = found.select("time").unique()
    seconds = pl.Series("at_s", [_seconds(t) for t in times["time"].to_list()], dtype=pl.Float64)
    found = found.join(times.with_columns(seconds), on="time", how="left", maintain_order="left", nulls_equal=True)
    names = at.COUNTERS_MEASURED.names
    return at.COUNTERS_MEASURED.conform(found.select(c for c in names if c in found.columns))


def _seconds(text: str | None) -> float | None:
    """Seconds since 1970 of an ISO 8601 time with its zone; None for anything else."""
    try:
        at_time = datetime.fromisoformat((text or "").replace(",", "."))
        return at_time.timestamp() if at_time.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None


def _lids(room: _Room) -> pl.DataFrame | None:
    """LIDs that end ports have, as their fabric, their host, a list of nodes, or the port beside them say."""
    import polars as pl

    parts = []
    none = pl.lit(None, dtype=pl.Int64)
    state, no = pl.lit(None, dtype=pl.String).alias("state"), pl.lit(False).alias("own")
    ports = room.resolved("port_facts")
    if ports is not None:
        # An external port of a switch has no LID of its own: what it prints is its switch's, or nothing that means anything.
        own = ports.filter(pl.col("nic").is_not_null() | (pl.col("number") == 0))
        parts.append(own.select("port", "lid", "lmc", "state", no, "capture_id", "line"))
        sides = room.known.of(
            ports.select(
                pl.col("peer_guid").alias("guid"),
                pl.col("peer_lid").alias("lid"),
                pl.col("peer_description").alias("description"),
                "capture_id",
                "line",
            )
        )
        parts.append(sides.select(pl.col("unit").alias("port"), "lid", none.alias("lmc"), state, no, "capture_id", "line"))
    hosts = room.resolved("hca_facts")
    if hosts is not None:
        inside = hosts.filter((pl.col("link_layer") != "ethernet").fill_null(True))
        parts.append(inside.select("port", "lid", "lmc", "state", pl.lit(True).alias("own"), "capture_id", "line"))
    lists = room.resolved("name_facts")
    if lists is not None:
        parts.append(lists.select("port", "lid", none.alias("lmc"), state, no, "capture_id", "line"))
    if not parts:
        return None
    # 0xffff is what a port answers with that no subnet manager has reached: it has no LID, as with 0.
    lid = pl.when(pl.col("lid") == NO_LID).then(0).otherwise("lid").alias("lid")
    told = pl.concat(parts).filter(pl.col("lid").is_not_null() & pl.col("port").is_not_null()).with_columns(lid)
    told = told.unique(["port", "lid", "lmc", "state", "capture_id"], keep="first", maintain_order=True)
    return at.LIDS_MEASURED.conform(told)


def _identities(room: _Room) -> pl.DataFrame | None:
    """Every report of a device that names its GUID, with the planned port that has the name it gives itself."""
    import polars as pl

    facts, none = room.facts, pl.lit(None, dtype=pl.String)
    columns = ("guid", "port_guid", "kind", "number", "name", "host", "device", "lid", "link_layer", "system_guid")
    parts = []
    for table, said in (
        ("device_facts", {"guid": "guid", "kind": "kind", "name": "description", "lid": "lid", "system_guid": "system_guid"}),
        ("name_facts", {"guid": "guid", "port_guid": "port_guid", "kind": "kind", "number": "port", "name": "description",
                        "lid": "lid", "system_guid": "system_guid"}),
        ("port_facts", {"guid": "guid", "port_guid": "port_guid", "kind": "kind", "number": "port", "name": "description",
                        "lid": "lid"}),
        ("hca_facts", {"guid": "node_guid", "port_guid": "port_guid", "number": "port", "host": "host", "device": "device",
                       "lid": "lid", "link_layer": "link_layer", "system_guid": "system_guid"}),
    ):  # fmt: skip
        if not facts.has(table):
            continue
        number = {"number", "lid"}
        frame = facts.tables[table].select(
            *(
                pl.col(said[c]).alias(c) if c in said else (none.cast(pl.Int64) if c in number else none).alias(c)
                for c in columns
            ),
            "capture_id",
            "line",
        )
        if table == "hca_facts":
            frame = frame.with_columns(pl.concat_str(["host", pl.lit(" "), "device"]).alias("name"), pl.lit("ca").alias("kind"))
        parts.append(frame)
    if not parts:
        return None
    told = _node_guids(room, pl.concat(parts))
    names = room.known.name.rename({"unit": "port"})
    hosts = room.known.host.rename({"unit": "by_host", "host_word": "host_word"})
    told = told.with_columns(pl.col("name").str.strip_chars().str.to_lowercase().alias("word")).join(
        names, on="word", how="left", maintain_order="left"
    )
    told = told.with_columns(plain_host(pl.col("host")).alias("host_word"))
    told = told.join(hosts, on=["host_word", "device"], how="left", maintain_order="left")
    told = told.with_columns(pl.coalesce("by_host", "port").alias("port")).drop("by_host", "host_word", "word")
    # Another subnet may use the same LIDs: whoever the plan does not know is in its subnet only where there is one.
    known = room.units.select(pl.col("port").alias("unit"), pl.col("subnet").alias("of"))
    told = folder(room.known.of(told.drop("port")).with_columns(told["port"]), room.known.where).join(
        known, on="unit", how="left", maintain_order="left"
    )
    aggregation = pl.col("name").str.contains("Aggregation Node", literal=True).fill_null(False)  # they all are called so
    bogus = (pl.col("kind") == "switch") & (pl.col("number").fill_null(0) > 0)
    told = told.with_columns(
        pl.coalesce("of", _subnet_of(room)).alias("subnet"),
        (pl.Series("nameless", nameless(told.select(pl.col("name").fill_null("").alias("description")))) | aggregation).alias(
            "nameless"
        ),
        pl.when(bogus | (pl.col("lid") == NO_LID)).then(0).otherwise("lid").alias("lid"),
    )
    return at.IDENTITIES_MEASURED.conform(told.drop("unit", "of", "folder"))


def _node_guids(room: _Room, told: pl.DataFrame) -> pl.DataFrame:
    """``told`` with node GUIDs where a tool prints the port's in their place (iblinkinfo of a NIC, GUID lists)."""
    import polars as pl

    planned = room.units.select(pl.col("port_guid").alias("guid"), pl.col("node_guid").alias("node"))
    known = pl.concat([port_guids(room.facts), planned]).filter(pl.col("guid") != pl.col("node"))
    known = known.unique("guid", keep="first", maintain_order=True)
    told = told.join(known, on="guid", how="left", maintain_order="left")
    return told.with_columns(pl.coalesce("node", "guid").alias("guid")).drop("node")


def _subnet_of(room: _Room) -> pl.Expr:
    """The subnet of a row whose device the plan does not know: the one that its capture was taken of, or the only one."""
    import polars as pl

    subnets = room.units["subnet"].drop_nulls().unique()
    named = pl.when(pl.col("folder").is_in(subnets.implode())).then("folder")
    return pl.coalesce(named, pl.lit(_only(room.units["subnet"]), dtype=pl.String))


def _only(subnets: pl.Series) -> str | None:
    """The one subnet that the plan has, None where it has several."""
    names = subnets.drop_nulls().unique().to_list()
    return str(names[0]) if len(names) == 1 else None


def _managers(room: _Room) -> pl.DataFrame | None:
    """Managers that were seen. Where the plan has one subnet, it is that one's, whoever it is."""
    import polars as pl

    if not room.facts.has("sm_facts"):
        return None
    found = folder(room.known.of(room.facts.tables["sm_facts"]), room.known.where)
    known = room.units.select(pl.col("port").alias("unit"), "subnet", "name")
    found = found.join(known, on="unit", how="left", maintain_order="left")
    guid = pl.when(pl.col("guid") != NO_GUID).then(pl.format("GUID {}", "guid"))
    said = pl.when(pl.col("description").str.strip_chars() != "").then("description")
    found = found.with_columns(
        pl.coalesce("subnet", _subnet_of(room)).alias("subnet"),
        pl.coalesce("name", said, guid, pl.format("LID {}", "lid"), pl.lit("an unnamed port")).alias("called"),
        pl.col("unit").alias("port"),
        (pl.col("listed") if "listed" in found.columns else pl.lit(None, dtype=pl.Boolean)).fill_null(False).alias("listed"),
    )
    told = found.select(at.MANAGERS_MEASURED.names).unique(
        ["subnet", "port", "called", "priority", "state", "capture_id"], keep="first", maintain_order=True
    )
    return at.MANAGERS_MEASURED.conform(told)
