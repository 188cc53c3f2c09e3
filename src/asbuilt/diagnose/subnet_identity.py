"""Which planned end port a subnet fact speaks of: by GUID, by name, by LID through what the captures themselves say of LIDs,
by host and device name.

An end port of the plan is a *unit* here: a switch ASIC, a NIC port, an aggregation node. A LID is looked up among the captures
of the same folder first (another subnet may use the same LID), then among all; a LID that two devices have is nobody's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from asbuilt.diagnose.identity import Devices, identify
from asbuilt.model.facts import SUBJECT
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

    from asbuilt.diagnose.links import Compared
    from asbuilt.model.facts import Facts

NO_GUID = "0" * 16
#: The permissive LID: what a port without a subnet manager may answer with (IBTA vol. 1, 4.1.3).
NO_LID = 0xFFFF


def units(plan: Plan) -> pl.DataFrame:
    """The end ports of ``plan``: port, device, nic, number, name, role, subnet, node_guid, port_guid, is_switch.

    Of a plan without the table `lids` (someone else's cable plan) they come from its links, without GUIDs.
    """
    import polars as pl

    if plan.has("lids"):
        kept = ("port", "device", "nic", "number", "name", "role", "subnet", "node_guid", "port_guid")
        return plan.table("lids").select(
            *kept, (pl.col("nic").is_null() & (pl.col("role") != "aggregation")).alias("is_switch")
        )
    none = pl.lit(None, dtype=pl.String)
    far = plan.links.select(
        pl.when(pl.col("b_nic").is_null()).then(pl.col("b_device") + "#0").otherwise(pl.col("b_device") + "/" + pl.col("b_nic"))
        .alias("port"), pl.col("b_device").alias("device"), pl.col("b_nic").alias("nic"),
        pl.when(pl.col("b_nic").is_null()).then(0).otherwise("b_port").alias("number"), pl.col("b_name").alias("name"),
    )  # fmt: skip
    near = plan.links.select(
        (pl.col("a_device") + "#0").alias("port"), pl.col("a_device").alias("device"), none.alias("nic"),
        pl.lit(0, dtype=pl.Int64).alias("number"), pl.col("a_name").alias("name"),
    )  # fmt: skip
    both = pl.concat([near, far.with_columns(pl.col("number").cast(pl.Int64))]).unique(
        "port", keep="first", maintain_order=True
    )
    return both.with_columns(
        pl.lit("").alias("role"), none.alias("subnet"), none.alias("node_guid"), none.alias("port_guid"),
        pl.col("nic").is_null().alias("is_switch"),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Who:
    """The maps: guid -> port; (folder, lid) -> port; lid -> port; (host, device) -> port; name -> port. ``where`` is the
    folder, or better the subnet, that each capture tells of."""

    guid: pl.DataFrame
    near_lid: pl.DataFrame
    lid: pl.DataFrame
    host: pl.DataFrame
    name: pl.DataFrame
    where: pl.DataFrame
    notes: tuple[str, ...]

    def of(self, frame: pl.DataFrame) -> pl.DataFrame:
        """``frame`` with the column ``unit``: the planned end port of each row, null where nothing tells.

        Uses what columns there are of guid, port_guid, host and device, lid, description, in this order.
        """
        import polars as pl

        out = folder(frame, self.where)
        said = []
        for column in ("port_guid", "guid", "node_guid"):
            if column in frame.columns:
                said.append(f"by_{column}")
                out = out.join(
                    self.guid.rename({"guid": column, "unit": said[-1]}), on=column, how="left", maintain_order="left"
                )
        if "host" in frame.columns and "device" in frame.columns:
            said.append("by_host")
            out = out.with_columns(plain_host(pl.col("host")).alias("host_word"))
            out = out.join(
                self.host.rename({"unit": "by_host"}), on=["host_word", "device"], how="left", maintain_order="left"
            ).drop("host_word")
        if "lid" in frame.columns:
            said += ["by_near", "by_lid"]
            near = self.near_lid.rename({"unit": "by_near"})
            out = out.join(near, on=["folder", "lid"], how="left", maintain_order="left")
            out = out.join(self.lid.rename({"unit": "by_lid"}), on="lid", how="left", maintain_order="left")
        if "description" in frame.columns:
            said.append("by_name")
            out = out.with_columns(_word(pl.col("description")).alias("word"))
            out = out.join(self.name.rename({"unit": "by_name"}), on="word", how="left", maintain_order="left").drop("word")
        told = pl.coalesce(said) if said else pl.lit(None, dtype=pl.String)
        return out.with_columns(told.alias("unit")).drop(*said, "folder")


def who(plan: Plan, facts: Facts, compared: Compared | None = None, guids: pl.DataFrame | None = None) -> Who:
    """The maps of a plan and its captures. ``compared`` knows devices by their place, ``guids`` is a GUID list."""
    import polars as pl

    ports = units(plan)
    hosts = _hosts(plan, ports)
    both = port_guids(facts)
    ports_of_nodes = both.filter(pl.col("guid") != pl.col("node"))
    said = _said(facts).join(ports_of_nodes, on="guid", how="anti", maintain_order="left")
    known = Devices(
        ports.select(pl.col("port").alias("key"), "name", "is_switch"), np.zeros(0, np.int64), np.zeros(0, np.int64)
    )
    found = identify(known, said, guids)
    named = said.select("guid", pl.Series("row", found.planned)).filter(pl.col("row") >= 0)
    rows = ports.select(pl.col("port").alias("unit")).with_row_index("row").with_columns(pl.col("row").cast(pl.Int64))
    by_name = named.join(rows, on="row").select("guid", "unit")
    own = [ports.select(pl.col(c).alias("guid"), pl.col("port").alias("unit")) for c in ("node_guid", "port_guid")]
    parts = [*own, *_placed(ports, compared), by_name, *_of_hosts(facts, hosts)]
    usable = pl.col("guid").is_not_null() & (pl.col("guid") != NO_GUID) & pl.col("unit").is_not_null()
    guid = pl.concat(parts).filter(usable).unique("guid", keep="first", maintain_order=True)
    # A list or a name may speak of the node alone: its port GUID is the same device.
    twins = both.join(guid, left_on="node", right_on="guid").select("guid", "unit")
    guid = pl.concat([guid, twins]).unique("guid", keep="first", maintain_order=True)
    names = _names(ports)
    if found.doubled.any():
        # A name that two devices answer with tells of neither.
        shared = said.filter(pl.Series(found.doubled)).select(_word(pl.col("description")).alias("word"))
        names = names.join(shared, on="word", how="anti", maintain_order="left")
    where = folders(plan, facts)
    by_guid = _lids(facts, where, "guid").join(guid, on="guid").select("folder", "lid", "unit")
    called = _lids(facts, where, "description").join(names, left_on=_word(pl.col("description")), right_on="word")
    lids = pl.concat([by_guid, called.select("folder", "lid", "unit")]).unique(maintain_order=True)
    near = lids.filter(pl.col("unit").n_unique().over("folder", "lid") == 1).unique(["folder", "lid"])
    wide = lids.filter(pl.col("unit").n_unique().over("lid") == 1).unique("lid").select("lid", "unit")
    return Who(guid, near, wide, hosts, names, where, found.notes)


def _word(text: pl.Expr) -> pl.Expr:
    return text.str.strip_chars().str.to_lowercase()


def _names(ports: pl.DataFrame) -> pl.DataFrame:
    """word, unit: planned node descriptions that one end port has."""
    import polars as pl

    names = ports.select(_word(pl.col("name")).alias("word"), pl.col("port").alias("unit"))
    return names.filter((pl.len().over("word") == 1) & (pl.col("word") != ""))


def folders(plan: Plan, facts: Facts) -> pl.DataFrame:
    """capture_id and folder: the subnet of the plan that a capture's subject names, else the folder that it lay in."""
    import polars as pl

    subnets = set(plan.table("lids")["subnet"].unique().to_list()) if plan.has("lids") else set()
    said = {k.removeprefix(SUBJECT): v for k, v in facts.details.items() if k.startswith(SUBJECT) and v in subnets}
    ids = {*said, *facts.accounts}
    rows = [(id, said.get(id, id.rpartition("/")[0])) for id in sorted(ids)]
    return pl.DataFrame(rows, schema={"capture_id": pl.String, "folder": pl.String}, orient="row")


def folder(frame: pl.DataFrame, where: pl.DataFrame) -> pl.DataFrame:
    """``frame`` with the folder (see `folders`) of each row's capture, "" for one that was named by itself."""
    import polars as pl

    by_path = pl.col("capture_id").str.extract(r"^(.*)/[^/]*$", 1).fill_null("")
    joined = frame.join(where, on="capture_id", how="left", maintain_order="left")
    return joined.with_columns(pl.coalesce("folder", by_path).alias("folder"))


def plain_host(host: pl.Expr) -> pl.Expr:
    """A host's name without domain, lower case."""
    return host.str.strip_chars().str.to_lowercase().str.replace(r"\..*$", "")


def _hosts(plan: Plan, ports: pl.DataFrame) -> pl.DataFrame:
    """host_word, device, unit: NIC ports by the name of their host and their own device name."""
    import polars as pl

    nics = ports.filter(pl.col("nic").is_not_null())
    keyed = nics.select(pl.col("device").alias("host_word"), pl.col("nic").alias("device"), pl.col("port").alias("unit"))
    parts = [keyed]
    if plan.has("nodes"):
        names = plan.table("nodes").select("node", "name")
        joined = nics.join(names, left_on="device", right_on="node", suffix="_node")
        parts.append(
            joined.select(pl.col("name_node").alias("host_word"), pl.col("nic").alias("device"), pl.col("port").alias("unit"))
        )
    else:  # a foreign plan calls the NIC "<host> <device>"
        parts.append(
            nics.select(pl.col("name").str.replace(r"\s+\S+$", "").alias("host_word"), pl.col("nic").alias("device"),
                        pl.col("port").alias("unit"))
        )  # fmt: skip
    hosts = pl.concat(parts).with_columns(plain_host(pl.col("host_word")))
    return hosts.filter(pl.col("unit").n_unique().over("host_word", "device") == 1).unique(["host_word", "device"])


def _said(facts: Facts) -> pl.DataFrame:
    """Every node GUID that the captures name with what it calls itself: guid, system_guid, kind, description."""
    import polars as pl

    none = pl.lit(None, dtype=pl.String)
    parts = []
    for table, columns in (
        ("device_facts", ("guid", "system_guid", "kind", "description")),
        ("name_facts", ("guid", "system_guid", "kind", "description")),
        ("port_facts", ("guid", None, "kind", "description")),
        ("port_facts", ("peer_guid", None, None, "peer_description")),
    ):
        if facts.has(table):
            wanted = zip(columns, ("guid", "system_guid", "kind", "description"), strict=True)
            parts.append(facts.tables[table].select((pl.col(c) if c else none).alias(n) for c, n in wanted))
    if facts.has("hca_facts"):
        named = pl.concat_str(["host", pl.lit(" "), "device"])
        hca = facts.tables["hca_facts"].filter((pl.col("link_layer") != "ethernet").fill_null(True))
        parts.append(
            hca.select(pl.col("node_guid").alias("guid"), "system_guid", pl.lit("ca").alias("kind"), named.alias("description"))
        )
    if not parts:
        schema = dict.fromkeys(("guid", "system_guid", "kind", "description"), pl.String)
        return pl.DataFrame(schema=schema)
    told = pl.concat(parts).filter(pl.col("guid").is_not_null() & (pl.col("guid") != NO_GUID))
    told = told.sort(pl.col("description").is_null(), pl.col("system_guid").is_null(), maintain_order=True)
    kind = pl.col("kind").drop_nulls().first().over("guid")
    return told.with_columns(kind.fill_null("ca"), pl.col("description").fill_null("")).unique(
        "guid", keep="first", maintain_order=True
    )


def _placed(ports: pl.DataFrame, compared: Compared | None) -> list[pl.DataFrame]:
    """guid -> unit of devices that the compare of links found, by name or by place; chassis of several ASICs are left out."""
    import polars as pl

    if compared is None:
        return []
    planned = compared.names.height - compared.measured.devices.height
    keys = compared.names["key"].gather(np.minimum(compared.number, compared.names.height - 1))
    seen = compared.measured.devices.select("guid", keys.alias("key"), pl.Series("known", compared.number < planned))
    key = pl.when("is_switch").then("device").otherwise("port").alias("key")
    named = ports.filter(pl.col("role") != "aggregation").select(key, pl.col("port").alias("unit"))
    alone = named.filter(pl.len().over("key") == 1)
    return [seen.filter("known").join(alone, on="key").select("guid", "unit")]


def _of_hosts(facts: Facts, hosts: pl.DataFrame) -> list[pl.DataFrame]:
    """guid -> unit of the cards that hosts name themselves."""
    import polars as pl

    if not facts.has("hca_facts"):
        return []
    rows = facts.tables["hca_facts"].with_columns(plain_host(pl.col("host")).alias("host_word"))
    rows = rows.join(hosts, on=["host_word", "device"])
    return [rows.select(pl.col(c).alias("guid"), "unit") for c in ("port_guid", "node_guid")]


def port_guids(facts: Facts) -> pl.DataFrame:
    """guid (of a port) and node (its node GUID), wherever a capture names both."""
    import polars as pl

    parts = [pl.DataFrame(schema={"guid": pl.String, "node": pl.String})]
    for table, node in (("port_facts", "guid"), ("name_facts", "guid"), ("hca_facts", "node_guid")):
        if facts.has(table):
            parts.append(facts.tables[table].select(pl.col("port_guid").alias("guid"), pl.col(node).alias("node")))
    if facts.has("link_facts") and facts.has("device_facts"):
        # A discovery prints the port GUID of the NIC, on its own line and on that of the switch beside it.
        kinds = facts.tables["device_facts"].select("guid", pl.col("kind").alias("own_kind")).unique("guid")
        links = facts.tables["link_facts"].filter(pl.col("port_guid").is_not_null()).join(kinds, on="guid", how="inner")
        whose = pl.when(pl.col("own_kind") == "switch").then("peer_guid").otherwise("guid").alias("node")
        parts.append(links.select(pl.col("port_guid").alias("guid"), whose))
    known = pl.col("guid").is_not_null() & (pl.col("guid") != NO_GUID) & pl.col("node").is_not_null()
    # Where a tool prints one GUID for both it says nothing of the other; a source that tells them apart comes first.
    parts = [p.sort(pl.col("guid") == pl.col("node"), maintain_order=True) for p in parts]
    return pl.concat(parts).filter(known).unique("guid", keep="first", maintain_order=True)


#: (fact table, its GUID, its name, its LID), wherever a LID stands beside one of the others.
_BESIDE_LIDS = (
    ("device_facts", "guid", "description", "lid"), ("link_facts", "guid", None, "lid"),
    ("name_facts", "guid", "description", "lid"), ("port_facts", "guid", "description", "lid"),
    ("port_facts", "peer_guid", "peer_description", "peer_lid"), ("hca_facts", "node_guid", None, "lid"),
    ("sm_facts", "guid", None, "lid"),
)  # fmt: skip


def _lids(facts: Facts, where: pl.DataFrame, what: str) -> pl.DataFrame:
    """folder, lid, and guid or description: whose LID is which, by everything that the captures say."""
    import polars as pl

    parts = []
    for table, guid, name, lid in _BESIDE_LIDS:
        column = guid if what == "guid" else name
        if facts.has(table) and column:
            parts.append(
                folder(facts.tables[table], where).select("folder", pl.col(lid).alias("lid"), pl.col(column).alias(what))
            )
    if not parts:
        return pl.DataFrame(schema={"folder": pl.String, "lid": pl.Int64, what: pl.String})
    usable = pl.col("lid").is_between(1, NO_LID - 1) & pl.col(what).is_not_null()
    return pl.concat(parts).filter(usable).unique(maintain_order=True)
