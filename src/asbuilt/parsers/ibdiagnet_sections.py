"""What the sections of ``ibdiagnet2.db_csv`` say, as fact tables.

Coded values of PORTS are those of PortInfo (IBTA Architecture Specification vol. 1, section 14.2.5.6). ``LinkSpeedActv`` is a
bit mask that ibdiagnet joins of three: LinkSpeed in bits 0 to 7, LinkSpeedExt from bit 8, Mellanox' own from bit 16
(``IBLinkSpeed`` in ibutils2's ibdm: ``IB_LINK_SPEED_100 = 0x800``); an active port may show a base bit beside its extended one,
and the fastest counts. PM_INFO holds readings, PM_DELTA differences over ibdiagnet's own wait: the latter are called
``delta:Name``. Where a counter stands in 32 and in 64 bits (``…Extended``), the wide one is kept under the standard's name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from asbuilt.base.interning import distinct_numbers, guid_texts
from asbuilt.base.table import Schema
from asbuilt.model.discovery import FactTables
from asbuilt.model.facts_subnet import COUNTER_FACTS, MODULE_FACTS, NAME_FACTS, PORT_FACTS, SM_FACTS, SM_LOG_FACTS
from asbuilt.parsers.ibdiagnet_numbers import ABSENT
from asbuilt.parsers.ibdiagnet_rows import BAD_END, IDENTITY, NO_GUID, Numbers, Part, Rows, Section, Taken

if TYPE_CHECKING:
    import polars as pl

Array = np.ndarray[Any, Any]
#: Bit of the joined speed mask -> speed word, fastest last.
SPEED_BITS: tuple[tuple[int, str], ...] = (
    (0x1, "SDR"), (0x2, "DDR"), (0x4, "QDR"), (0x10000, "FDR10"), (0x100, "FDR"), (0x200, "EDR"), (0x400, "HDR"),
    (0x800, "NDR"), (0x1000, "XDR"),
)  # fmt: skip
#: Bit of LinkWidthActive -> lanes.
WIDTH_BITS: tuple[tuple[int, int], ...] = ((0x1, 1), (0x10, 2), (0x2, 4), (0x4, 8), (0x8, 12))
STATES = {1: "down", 2: "init", 3: "armed", 4: "active"}
PHYSICAL = {1: "sleep", 2: "polling", 3: "disabled", 4: "training", 5: "linkup", 6: "recovery", 7: "phytest"}
MTU_BYTES = {1: 256, 2: 512, 3: 1024, 4: 2048, 5: 4096}
VLS = {1: 1, 2: 2, 3: 4, 4: 8, 5: 15}
KINDS = {1: "ca", 2: "switch", 3: "router"}
#: SMInfo:SMState (IBTA vol. 1, section 14.2.5.13).
SM_STATES = {0: "notactive", 1: "discovering", 2: "standby", 3: "master"}
#: Column of CABLE_INFO -> (quantity, unit).
CABLE = {
    "vendor": ("vendor", ""), "pn": ("part_number", ""), "sn": ("serial_number", ""), "rev": ("revision", ""),
    "fwversion": ("firmware", ""), "temperature": ("temperature_c", "°C"),
}  # fmt: skip


def guids(texts: pl.Series) -> pl.Series:
    """GUIDs as 16 lower-case digits, null for what is none or 0. Each distinct text is looked at once."""
    import polars as pl

    if texts.dtype == pl.UInt64:
        index, first = distinct_numbers(texts.to_numpy())
        told = texts.gather(pl.Series(first))
        known = guid_texts(told.to_numpy()).zip_with(told != 0, pl.Series([None], dtype=pl.String))
        return known.gather(pl.Series(index))
    distinct = texts.unique().drop_nulls()
    read = distinct.str.strip_chars().str.extract(r"^0[xX]([0-9a-fA-F]{1,16})$", 1).str.to_lowercase().str.zfill(16)
    looked = pl.DataFrame({"text": distinct, "guid": read}).with_columns(
        pl.when(pl.col("guid") != "0" * 16).then(pl.col("guid"))
    )
    return texts.to_frame("text").join(looked, on="text", how="left", maintain_order="left")["guid"]


def numbers(cells: pl.DataFrame, name: str) -> pl.Series:
    """A column of decimal or 0x numbers as Int64, null where it is absent, ``N/A`` or past 2^63."""
    import polars as pl

    if name not in cells.columns:
        return pl.Series(name, [None], dtype=pl.Int64).new_from_index(0, cells.height)
    if cells[name].dtype == pl.Int64:
        return cells[name]
    text = cells[name].str.strip_chars()
    read = text.cast(pl.Int64, strict=False)
    if read.null_count() and text.str.starts_with("0x").any():
        hexadecimal = text.str.extract(r"^0[xX]([0-9a-fA-F]{1,15})$", 1).str.to_integer(base=16, strict=False)
        read = read.fill_null(hexadecimal)
    return read


def coded(values: pl.Series, words: dict[int, Any]) -> pl.Series:
    """The word of each code, null for a code that has none."""
    import polars as pl

    dtype = pl.String if isinstance(next(iter(words.values())), str) else pl.Int64
    return values.replace_strict(list(words), list(words.values()), default=None, return_dtype=dtype)


def highest(values: pl.Series, bits: tuple[tuple[int, Any], ...]) -> pl.Series:
    """The last of ``bits`` that is set in each value."""
    distinct = {int(v): None for v in values.unique().drop_nulls().to_list()}
    words: dict[int, Any] = {}
    for value in distinct:
        held = [word for bit, word in bits if value & bit]
        if held:
            words[value] = held[-1]
    return coded(values, words or {-1: bits[0][1]})


def _column(cells: pl.DataFrame, *names: str) -> pl.Series:
    """The first of ``names`` that is there; nulls where none is."""
    import polars as pl

    for name in names:
        if name in cells.columns:
            return cells[name]
    return pl.Series([None], dtype=pl.String).new_from_index(0, cells.height)


def _whose(rows: Rows) -> tuple[pl.Series, pl.Series, Array]:
    """(node GUID, port number, whether both can be read) of each row."""
    guid = guids(_column(rows.cells, "nodeguid"))
    port = numbers(rows.cells, "portnum" if "portnum" in rows.cells.columns else "portnumber")
    good = (guid.is_not_null() & port.is_between(0, 254).fill_null(False)).to_numpy()
    return guid, port, good


def nodes(rows: Rows) -> Taken:
    """NODES: `NAME_FACTS`."""
    import polars as pl

    guid = guids(_column(rows.cells, "nodeguid"))
    good = guid.is_not_null()
    frame = pl.DataFrame(
        {
            "guid": guid,
            "kind": coded(numbers(rows.cells, "nodetype"), KINDS),
            "description": _column(rows.cells, "nodedesc"),
            "ports": numbers(rows.cells, "numports"),
            "port_guid": guids(_column(rows.cells, "portguid")),
            "system_guid": guids(_column(rows.cells, "systemimageguid")),
            "line": rows.lines,
        }
    ).filter(good)
    return Taken(good.to_numpy(), NO_GUID, {NAME_FACTS.name: frame})


def ports(rows: Rows) -> Taken:
    """PORTS: `PORT_FACTS`. The far sides are in LINKS, in rows of their own."""
    import polars as pl

    guid, port, good = _whose(rows)
    cells = rows.cells
    lid, sm = numbers(cells, "lid"), numbers(cells, "msmlid")
    frame = pl.DataFrame(
        {
            "guid": guid,
            "port": port,
            "lid": pl.select(pl.when(lid.is_between(1, 0xFFFF)).then(lid)).to_series(),
            "port_guid": guids(_column(cells, "portguid")),
            "state": coded(numbers(cells, "portstate"), STATES),
            "phys_state": coded(numbers(cells, "portphystate"), PHYSICAL),
            "width": highest(numbers(cells, "linkwidthactv"), WIDTH_BITS),
            "speed": highest(numbers(cells, "linkspeedactv"), SPEED_BITS),
            "width_could": highest(numbers(cells, "linkwidthsup"), WIDTH_BITS),
            "speed_could": highest(numbers(cells, "linkspeedsup"), SPEED_BITS),
            "mtu_bytes": coded(numbers(cells, "nmtu"), MTU_BYTES),
            "lmc": numbers(cells, "lmc"),
            "sm_lid": pl.select(pl.when(sm.is_between(1, 0xFFFF)).then(sm)).to_series(),
            "vls": coded(numbers(cells, "opvls"), VLS),
            "high_limit": numbers(cells, "vlhighlimit"),
            "line": rows.lines,
        }
    )
    down = pl.col("state") == "down"  # a port that is down keeps the width and speed of its last link
    frame = frame.with_columns(pl.when(down).then(None).otherwise(pl.col(c)).alias(c) for c in ("width", "speed"))
    return Taken(good, NO_GUID, {PORT_FACTS.name: frame.filter(pl.Series(good))})


def links(rows: Rows) -> Taken:
    """LINKS: `PORT_FACTS` of the first end of each link, with its far side and nothing else."""
    import polars as pl

    ends = {
        "guid": guids(_column(rows.cells, "nodeguid1")),
        "port": numbers(rows.cells, "portnum1"),
        "peer_guid": guids(_column(rows.cells, "nodeguid2")),
        "peer_port": numbers(rows.cells, "portnum2"),
    }
    frame = pl.DataFrame(ends).with_columns(line=pl.Series(rows.lines))
    good = frame.select(pl.all_horizontal(pl.all().is_not_null())).to_series()
    return Taken(good.to_numpy(), BAD_END, {PORT_FACTS.name: frame.filter(good)})


def counters(prefix: str) -> Callable[[Rows], Taken]:
    """PM_INFO and PM_DELTA: `COUNTER_FACTS`, a row per counter of a port that has a number."""

    def take(rows: Rows) -> Taken:
        import polars as pl

        guid, port, good = _whose(rows)
        cells = rows.cells
        columns: dict[str, pl.Series] = {}
        for name in sorted(set(rows.header) - IDENTITY):
            if name.endswith("extended") and name[:-8] in cells.columns:
                continue
            wide = f"{name}extended"
            values = _real(cells[wide]).fill_null(_real(cells[name])) if wide in cells.columns else _real(cells[name])
            columns[prefix + SPELT.get(name.removesuffix("extended"), name)] = values
        columns = {name: columns[name] for name in sorted(columns)}
        if not columns:
            return Taken(np.zeros(len(rows.lines), bool), "no counter in it")
        matrix = np.stack([c.to_numpy() for c in columns.values()], axis=1)
        matrix = matrix if good.all() else matrix[good]
        held = ~np.isnan(matrix)
        row, column = np.nonzero(held) if not held.all() else (
            np.repeat(np.arange(len(matrix)), len(columns)), np.tile(np.arange(len(columns)), len(matrix))
        )  # fmt: skip
        kept = pl.Series(good)
        seats = {"row": row, "column": column, "value": matrix[held], "line": rows.lines[good][row]}
        frame = pl.DataFrame(seats).select(  # in one step, so that columns are made side by side
            pl.lit(guid.filter(kept)).gather("row").alias("guid"),
            pl.lit(port.filter(kept)).gather("row").alias("port"),
            pl.lit(pl.Series(list(columns))).gather("column").alias("counter"),
            "value",
            "line",
        )
        return Taken(good, NO_GUID, {COUNTER_FACTS.name: frame})

    return take


def _real(texts: pl.Series) -> pl.Series:
    """Decimal or 0x numbers as Float64, null for ``N/A`` and for what no counter can be: negative, or no finite number."""
    import polars as pl

    read = texts.cast(pl.Float64, strict=False)
    if texts.dtype == pl.String and read.null_count() and texts.str.starts_with("0x").any():
        digits = texts.str.extract(r"^0x([0-9a-fA-F]{1,15})$", 1)
        read = read.fill_null(digits.str.to_integer(base=16, strict=False).cast(pl.Float64))
    told = read.is_finite() & (read >= 0)
    return read if told.all() and not read.null_count() else pl.select(pl.when(told).then(read)).to_series()


def managers(rows: Rows) -> Taken:
    """SM_INFO: `SM_FACTS`."""
    import polars as pl

    guid = guids(_column(rows.cells, "portguid", "nodeguid"))
    states = coded(numbers(rows.cells, "smstate"), SM_STATES)
    good = guid.is_not_null() & states.is_not_null()
    frame = pl.DataFrame(
        {
            "guid": guid,
            "priority": numbers(rows.cells, "priority"),
            "state": states,
            "activity": numbers(rows.cells, "actcount"),
            "listed": [True] * len(rows.lines),
            "line": rows.lines,
        }
    ).filter(good)
    return Taken(good.to_numpy(), "no GUID or state that can be read", {SM_FACTS.name: frame})


def cables(rows: Rows) -> Taken:
    """CABLE_INFO: `MODULE_FACTS` of what tells one module from another."""
    import polars as pl

    guid, port, good = _whose(rows)
    parts = []
    for name, (quantity, unit) in CABLE.items():
        if name in rows.cells.columns:
            text = rows.cells[name].str.strip_chars().str.strip_chars('"')
            words = {"quantity": pl.lit(quantity), "unit": pl.lit(unit)}
            part = pl.DataFrame({"guid": guid, "port": port, "text": text, "line": rows.lines}).filter(pl.Series(good))
            read = pl.col("text").str.extract(r"^([+-]?\d{1,9}(?:\.\d{1,9})?)C?$", 1).cast(pl.Float64, strict=False)
            part = part.with_columns(**words, value=read if unit else pl.lit(None, dtype=pl.Float64))
            parts.append(part.filter(~pl.col("text").is_in(["", "N/A", "NA"])))
    tables = {MODULE_FACTS.name: pl.concat(parts).sort("line", "quantity")} if parts else {}
    return Taken(good if parts else np.zeros(len(rows.lines), bool), NO_GUID, tables)


def complaints(rows: Rows) -> Taken:
    """ERRORS_* and WARNINGS_*: `SM_LOG_FACTS`, the event as the code."""
    import polars as pl

    event, summary = _column(rows.cells, "eventname"), _column(rows.cells, "summary")
    good = event.is_not_null() & (event.str.len_chars() > 0)
    what = pl.when(pl.col("code").str.contains("(?i)duplicate")).then(pl.lit("duplicate")).otherwise(pl.lit("error"))
    frame = pl.DataFrame({"code": event, "message": summary.fill_null(event), "line": rows.lines}).filter(good)
    return Taken(good.to_numpy(), "no event named", {SM_LOG_FACTS.name: frame.with_columns(what=what)})


def _later(take: Callable[[Rows], Taken], table: str, real: bool) -> Callable[[Numbers], Taken | None]:
    """``take`` of a section whose rows name a port: which rows are good is told at once, their table is made later."""

    def told(numbers: Numbers) -> Taken | None:
        guid, port = numbers.named("nodeguid"), numbers.named("portnum", "portnumber")
        if guid is None or port is None or (real and len(numbers.columns) <= len(IDENTITY & set(numbers.columns))):
            return None
        good = (guid != 0) & (port <= 254)
        count = numbers.counters(good) if real else int(np.count_nonzero(good))
        return Taken(good, NO_GUID, later={table: Part(count, lambda: take(numbers.rows(real)).tables[table])})

    return told


def _ends_later(numbers: Numbers) -> Taken | None:
    """`links` of numbers."""
    columns = [numbers.named(name) for name in ("nodeguid1", "portnum1", "nodeguid2", "portnum2")]
    one, port, two, other = columns
    if one is None or port is None or two is None or other is None:
        return None
    good = (one != 0) & (two != 0) & (port != ABSENT) & (other != ABSENT)
    part = Part(int(np.count_nonzero(good)), lambda: links(numbers.rows(False)).tables[PORT_FACTS.name])
    return Taken(good, BAD_END, later={PORT_FACTS.name: part})


#: Counters of IBTA vol. 1 (PortCounters, PortCountersExtended) by lower-case name.
SPELT = {
    name.lower(): name
    for name in (
        "SymbolErrorCounter", "LinkErrorRecoveryCounter", "LinkDownedCounter", "PortRcvErrors", "PortRcvRemotePhysicalErrors",
        "PortRcvSwitchRelayErrors", "PortXmitDiscards", "PortXmitConstraintErrors", "PortRcvConstraintErrors",
        "LocalLinkIntegrityErrors", "ExcessiveBufferOverrunErrors", "VL15Dropped", "PortXmitData", "PortRcvData",
        "PortXmitPkts", "PortRcvPkts", "PortXmitWait", "PortUnicastXmitPkts", "PortUnicastRcvPkts", "PortMulticastXmitPkts",
        "PortMulticastRcvPkts", "QP1Dropped", "PortMalformedPktErrors", "PortBufferOverrunErrors", "PortDLIDMappingErrors",
        "PortVLMappingErrors", "PortLoopingErrors", "PortLocalPhysicalErrors", "PortInactiveDiscards",
        "PortNeighborMTUDiscards", "PortSwLifetimeLimitDiscards", "PortSwHOQLifetimeLimitDiscards", "SyncHeaderErrorCounter",
        "UnknownBlockCounter",
    )
}  # fmt: skip

_PORT_COLUMNS = (
    "nodeguid", "portguid", "portnum", "lid", "msmlid", "linkwidthactv", "linkwidthsup", "linkspeedactv", "linkspeedsup", "lmc",
    "portphystate", "portstate", "nmtu", "opvls", "vlhighlimit",
)  # fmt: skip
#: Section -> how it is read.
SECTIONS: dict[str, Section] = {
    "NODES": Section(nodes, ("nodedesc", "numports", "nodetype", "systemimageguid", "nodeguid", "portguid")),
    "PORTS": Section(ports, _PORT_COLUMNS, later=_later(ports, PORT_FACTS.name, False)),
    "LINKS": Section(links, ("nodeguid1", "portnum1", "nodeguid2", "portnum2"), later=_ends_later),
    "PM_INFO": Section(counters(""), numeric=True, later=_later(counters(""), COUNTER_FACTS.name, True)),
    "PM_DELTA": Section(counters("delta:"), numeric=True, later=_later(counters("delta:"), COUNTER_FACTS.name, True)),
    "SM_INFO": Section(managers),
    "CABLE_INFO": Section(cables),
    **{f"{kind}_{stage}": Section(complaints) for kind in ("ERRORS", "WARNINGS") for stage in (
        "NODES_INFO", "DISCOVERY", "LIDS_CHECK", "LINKS_CHECK", "SUBNET_MANAGER", "PORT_COUNTERS", "PARTITION_KEYS",
        "SPEED_WIDTH_CHECKS", "ALIAS_GUIDS", "TEMPERATURE_SENSING", "CABLE_DIAGNOSTIC", "PHY_DIAGNOSTIC",
    )},
}  # fmt: skip


def joined(kept: dict[str, list[Part]], capture_id: str) -> FactTables:
    """The fact tables of all sections, each conforming to its schema; they are made when somebody looks."""
    rows = {name: sum(part.rows for part in parts) for name, parts in kept.items()}
    told = {schema.name: rows[schema.name] for schema in _SCHEMAS if rows.get(schema.name)}
    return FactTables(
        told, lambda: {schema.name: _frame(kept, schema, capture_id) for schema in _SCHEMAS if schema.name in told}
    )


_SCHEMAS: tuple[Schema, ...] = (NAME_FACTS, PORT_FACTS, COUNTER_FACTS, SM_FACTS, MODULE_FACTS, SM_LOG_FACTS)


def _frame(kept: dict[str, list[Part]], schema: Schema, capture_id: str) -> pl.DataFrame:
    import polars as pl

    frame = pl.concat([part.make() for part in kept[schema.name]], how="diagonal_relaxed")
    frame = schema.conform(frame.with_columns(capture_id=pl.lit(capture_id)))
    return frame if len(kept[schema.name]) < 2 else frame.sort(schema.order, maintain_order=True)
