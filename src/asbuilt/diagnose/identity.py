"""Which planned device each measured one is: by GUID list, by name, else by its place in the fabric.

A device of the plan is a switch, one ASIC board of a director (``name/L16/U2``), or a NIC of a node. Names are compared
without regard to case and blanks. A chassis of several ASICs answers with one name (or one system GUID) and several GUIDs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from asbuilt.base.interning import distinct_numbers
from asbuilt.model.facts import UNNAMED_SYSTEM

if TYPE_CHECKING:
    import polars as pl

Array = np.ndarray[Any, Any]
#: What hardware calls itself when nobody gave it a name (vendor strings of node descriptions), lower case.
FACTORY = (
    r"^(?:mt\d+ connectx\S*\s+mellanox technologies|quantum\S*\s+mellanox technologies|infiniscale\S*\s+mellanox technologies"
    r"|switchib\S*\s+mellanox technologies|switchx\S*\s*-?\s*mellanox technologies|mf0;switch-[0-9a-f]{6}:.*|mf0;:.*"
    rf"|(?:{UNNAMED_SYSTEM})(?: \S+)?|mellanox technologies|unknown|)$"
)
_MANAGED = r"^mf0;(?P<name>[^:]*):(?P<model>[^/]*)(?P<board>/[ls]\d+)?(?P<chip>/u\d+)?$"
_MANAGED_SWITCH = r"^MF0;([^:]+):[^/]*/U\d+$"
_HCA = r"^(?P<host>.+) hca-(?P<number>\d+)$"
_NIC = np.uint64(0x9E3779B97F4A7C15)
UNKNOWN, BY_GUID, BY_NAME, BY_PLACE = 0, 1, 2, 3
HOW = ("unknown", "guid list", "name", "place in the fabric")


@dataclass(frozen=True, slots=True)
class Devices:
    """The devices that a plan's links name, and which of them each link joins.

    ``frame`` has one row per device: key, name (as described), is_switch. ``a`` and ``b`` are rows of it per link.
    """

    frame: pl.DataFrame
    a: Array
    b: Array


@dataclass(frozen=True, slots=True)
class Identity:
    """The answer per measured device (row of ``device_facts``): planned device row or -1, and how it was found.

    ``doubled`` devices share their name with another one, so that it tells nobody who they are.
    """

    planned: Array
    how: Array
    notes: tuple[str, ...]
    doubled: Array


def planned_devices(links: pl.DataFrame) -> Devices:
    """The devices of ``links``; a NIC is named by its node and device name."""
    import polars as pl

    count = links.height
    near, far = links["a_device"].hash().to_numpy(), links["b_device"].hash().to_numpy()
    key = np.concatenate([near, far])
    nic = links["b_nic"].is_not_null().to_numpy()
    if nic.any():
        key[count:][nic] ^= links["b_nic"].hash().to_numpy()[nic] * _NIC
    index, first = distinct_numbers(key)
    told = [first[first < count], first[first >= count] - count]
    ends = links[told[1]].select(
        pl.when(pl.col("b_nic").is_not_null())
        .then(pl.concat_str(["b_device", pl.lit("/"), "b_nic"]))
        .otherwise("b_device")
        .alias("key"),
        pl.col("b_name").alias("name"),
        pl.col("b_nic").is_null().alias("is_switch"),
    )
    heads = links[told[0]].select(
        pl.col("a_device").alias("key"), pl.col("a_name").alias("name"), pl.lit(True).alias("is_switch")
    )
    # Near ends come before far ones in the order of appearance.
    return Devices(pl.concat([heads, ends]), index[:count], index[count:])


def identify(devices: Devices, measured: pl.DataFrame, guids: pl.DataFrame | None = None) -> Identity:
    """Match ``measured`` (schema `DEVICE_FACTS`) by GUID list, then by name; place is `by_place`'s work.

    ``guids`` has columns guid (16 hex digits) and name (of the device as the plan names or keys it).
    """
    planned = np.full(measured.height, -1, np.int64)
    how = np.zeros(measured.height, np.int64)
    notes: list[str] = []
    if guids is not None:
        found = _by_list(devices, measured, guids)
        planned[found >= 0], how[found >= 0] = found[found >= 0], BY_GUID
        known = guids.height - int((found >= 0).sum())
        if known:
            notes.append(f"{known} entries of the GUID list name no device that is both planned and measured")
    found = _by_exact_name(devices, measured["description"])
    rest = np.flatnonzero((found < 0) & (planned < 0))
    if len(rest):
        found[rest] = _by_exact_name(devices, measured["description"].gather(rest).str.extract(_MANAGED_SWITCH, 1))
        rest = rest[found[rest] < 0]
    if len(rest):
        found[rest] = _by_name(devices, measured[rest])
    found, doubled, said = _without_doubles(devices, measured, found)
    notes += said
    taken = np.zeros(devices.frame.height + 1, bool)
    taken[planned] = True
    use = (planned < 0) & (found >= 0) & ~taken[found]
    planned[use], how[use] = found[use], BY_NAME
    _whole_chassis(measured, planned, how, devices)
    return Identity(planned, how, tuple(notes), doubled & (planned < 0))


def _lookup(devices: Devices) -> pl.DataFrame:
    """Every word by which a planned device may be called, lower case, with its row; words of two devices are left out."""
    import polars as pl

    rows = devices.frame.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias("row"))
    key = rows.select(pl.col("key").alias("word"), "row")
    name = rows.select(pl.col("name").alias("word"), "row")
    node = rows.filter(~pl.col("is_switch")).select(pl.col("key").str.replace(r"/[^/]*$", "").alias("word"), "row")
    alone = node.filter(pl.len().over("word") == 1)  # a node with one NIC may be called by its own name
    words = pl.concat([name, key, alone]).with_columns(_plain(pl.col("word"))).unique()
    return words.filter(pl.len().over("word") == 1) if words.height != rows.height else words


def _plain(text: pl.Expr) -> pl.Expr:
    return text.str.strip_chars().str.to_lowercase().str.replace_all(r"\s+", " ")


def _by_list(devices: Devices, measured: pl.DataFrame, guids: pl.DataFrame) -> Array:
    import polars as pl

    wanted = guids.select(pl.col("guid").str.to_lowercase(), _plain(pl.col("name")).alias("word"))
    wanted = wanted.unique("guid", keep="first").join(_lookup(devices), on="word", how="left").select("guid", "row")
    found = measured.select("guid").join(wanted, on="guid", how="left", maintain_order="left")["row"]
    return found.fill_null(-1).to_numpy()


def _by_exact_name(devices: Devices, called: pl.Series) -> Array:
    """The planned row that is ``called`` so to the letter, case aside, -1 for none: most of a fabric, by hash alone."""
    names = devices.frame["name"].str.to_lowercase()
    said = called.fill_null("").str.strip_chars().str.to_lowercase()
    index, first = distinct_numbers(np.concatenate([names.hash().to_numpy(), said.hash().to_numpy()]))
    count = len(names)
    once = np.bincount(index[:count], minlength=len(first)) == 1
    found: Array = np.where(once[index[count:]] & (first[index[count:]] < count), first[index[count:]], -1)
    return found


def _by_name(devices: Devices, measured: pl.DataFrame) -> Array:
    """Rows by node description: the board of a director, the switch, the NIC, or the n-th NIC for ``host HCA-n``."""
    import polars as pl

    said = measured.select(_plain(pl.col("description")).alias("text"), "kind", "system_guid")
    parts = said.with_columns(
        pl.col("text").str.contains(FACTORY).alias("factory"),
        pl.col("text").str.extract_groups(_MANAGED).alias("m"),
        pl.col("text").str.extract_groups(_HCA).alias("h"),
    ).with_columns(pl.col("m").struct.field("name", "board", "chip"), pl.col("h").struct.field("host", "number"))
    lookup = _lookup(devices)
    board = pl.when(pl.col("board").is_not_null()).then(pl.concat_str(["name", "board", "chip"], ignore_nulls=True))
    tries = [board, pl.col("name"), pl.when(pl.col("name").is_null()).then("text")]
    if parts["number"].null_count() < parts.height:
        tries.append(pl.concat_str([pl.col("host"), pl.lit(" mlx5_"), pl.col("number").cast(pl.Int64) - 1]))
    row = pl.lit(None, dtype=pl.Int64)
    for i, word in enumerate(tries):
        parts = parts.with_columns(pl.when(~pl.col("factory")).then(word).alias("word"))
        parts = parts.join(lookup.rename({"row": f"row{i}"}), on="word", how="left", maintain_order="left")
        row = pl.coalesce(row, pl.col(f"row{i}"))
    return parts.select(row.fill_null(-1).alias("row"))["row"].to_numpy()


def _without_doubles(devices: Devices, measured: pl.DataFrame, found: Array) -> tuple[Array, Array, list[str]]:
    """``found`` without devices of one name, and which these are: one planned device may answer with several GUIDs only when
    they share a chassis (several ASICs of one name)."""
    import polars as pl

    is_switch = devices.frame["is_switch"].to_numpy()
    found = found.copy()
    fits = (found < 0) | (is_switch[found] == (measured["kind"] == "switch").to_numpy())
    found[~fits] = -1
    if (np.bincount(found[found >= 0], minlength=1) <= 1).all():
        return found, np.zeros(len(found), bool), []
    frame = pl.DataFrame({"row": found, "system": measured["system_guid"], "text": measured["description"]}).with_columns(
        ((pl.len().over("row") > 1) & (pl.col("system").n_unique().over("row") > 1) & (pl.col("row") >= 0)).alias("double")
    )
    doubles = frame.filter("double")
    notes = []
    if doubles.height:
        names = doubles["text"].unique(maintain_order=True).to_list()
        shown = ", ".join(repr(n) for n in names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        notes.append(f"{doubles.height} devices share {len(names)} names and are not told apart by name: {shown}")
    doubled = frame["double"].to_numpy()
    found[doubled] = -1
    return found, doubled, notes


def _whole_chassis(measured: pl.DataFrame, planned: Array, how: Array, devices: Devices) -> None:
    """ASICs without a name of their own belong to the switch whose ASIC shares their system GUID, if that is one switch."""
    import polars as pl

    is_switch = devices.frame["is_switch"].to_numpy()
    if not ((planned < 0) & (measured["kind"] == "switch").to_numpy()).any():
        return
    frame = measured.select("system_guid", (pl.col("kind") == "switch").alias("switch")).with_columns(
        pl.Series("planned", planned).replace(-1, None)
    )
    frame = frame.with_columns(
        pl.col("planned").filter("switch").n_unique().over("system_guid").alias("kinds"),
        pl.col("planned").drop_nulls().first().over("system_guid").alias("chassis"),
    )
    if not frame.filter(pl.col("planned").is_null() & pl.col("switch") & pl.col("chassis").is_not_null()).height:
        return
    distinct = pl.col("planned").drop_nulls().n_unique().over("system_guid") == 1
    pick = frame.select(
        pl.when(distinct & pl.col("switch") & pl.col("planned").is_null() & pl.col("system_guid").is_not_null())
        .then("chassis")
        .fill_null(-1)
        .alias("row")
    )["row"].to_numpy()
    use = (pick >= 0) & is_switch[pick]
    planned[use], how[use] = pick[use], BY_NAME


def nameless(measured: pl.DataFrame) -> Array:
    """True for devices that answer with a factory description or none: their name says nothing about who they are."""
    import polars as pl

    return measured.select(_plain(pl.col("description")).str.contains(FACTORY))["description"].to_numpy()
