"""Rows of somebody's cable list, whatever its format, as the ``links`` table of a partial plan.

A row names two ends, each a device and a port, as text. This module decides which end is a switch, what the port's
protocol number is, which rows tell the same link from its other end, and which contradict each other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from asbuilt.model.facts import LineAccount
from asbuilt.model.plan import Plan
from asbuilt.model.tables import LINKS

if TYPE_CHECKING:
    import polars as pl

#: Ports that have a label but no known protocol number are numbered from here, in the order of their labels.
LABEL_ONLY = 1000
TEXT_COLUMNS = (
    "a_device",
    "a_port",
    "b_device",
    "b_port",
    "a_kind",
    "b_kind",
    "a_rack",
    "b_rack",
    "a_hole",
    "b_hole",
    "rate",
    "plane",
)
_UNREAD_KEPT = 1000
# The texts ``a_hole`` and ``b_hole`` are the port number on a NIC, for lists that tell the ports of one NIC apart.
_BOARD = r"(?i)^blade\s*(\d+)[_ ]port\s*(\d+)/(\d+)$"  # UFM's name of a director's port: blade, chip, port of the chip
_NUMBER = r"(?i)^(?:port|p|j|端口|sw\d*p)?[\s_-]*(\d{1,4})$"
_ETHERNET = r"(?i)^(?:e|eth|ethernet|swp|etp|gi|te|hu|xe|et)-?\s?(?:\d+/)?(\d{1,3})$"
_HALF = r"(?i)^(?:(?:ib|p|port|cage|osfp)[\s_-]*)?(?:1/)?(\d{1,3})/([12])$"  # cage and half of a twin-port cage
_HOST_WORDS = r"(?i)^(?:.*(?:server|compute|host|node|controller|pdu|hca|gateway|bmc|storage).*)$"
_SWITCH_WORDS = r"(?i)^(?:.*(?:switch|leaf|spine|core|tor|router).*)$"
_SWITCH_NAMES = r"(?i)(?:leaf|spine|core|switch|^sw[-_\d]|tor\d|接入|汇聚)"
_HOST_NAMES = r"(?i)(?:服务器|server|^gpu|^node|^hca)"


@dataclass
class Rows:
    """Rows as they were read: text columns as in `TEXT_COLUMNS`, the line (or row) of each, and the count of the rest."""

    columns: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in TEXT_COLUMNS})
    lines: list[int] = field(default_factory=list)
    total: int = 0
    ignorable: int = 0
    unread: list[tuple[int, str]] = field(default_factory=list)
    sheets: list[tuple[int, str]] = field(default_factory=list)

    def add(self, line: int, **texts: str) -> None:
        """One row; texts that are not given are empty."""
        self.lines.append(line)
        for name, column in self.columns.items():
            column.append(texts.get(name, ""))

    def place(self, line: int) -> str:
        """``sheet row 12: `` for a row of one of several sheets (``sheets``: rows before each, and its name), else nothing."""
        if len(self.sheets) < 2:
            return ""
        before, name = max((s for s in self.sheets if s[0] < line), default=(0, ""))
        return f"{name} row {line - before}: "

    def skip(self, line: int, why: str) -> None:
        """A row that could not be read, with the reason."""
        self.unread.append((line, why))


def plan_of(rows: Rows, name: str, what: str = "lines") -> Plan:
    """The partial plan of ``rows``: table ``links``, the account, and warnings that say how the rows were read.

    ``what`` is what the account counts: lines of a text, rows of a sheet.
    """
    import polars as pl

    frame = pl.DataFrame(
        {"line": rows.lines, **rows.columns}, schema={"line": pl.Int64, **dict.fromkeys(TEXT_COLUMNS, pl.String)}
    )
    taken = frame.height
    frame = _ends(frame)
    frame, notes = _kinds(frame)
    frame, refused = _switch_first(frame)
    frame, repeats, clashes = _once(frame)
    refused += clashes
    unread = [(line, rows.place(line) + why) for line, why in sorted([*rows.unread, *refused])]
    account = LineAccount(rows.total, taken - len(refused), rows.ignorable, len(unread), tuple(unread[:_UNREAD_KEPT]))
    counts = f"{account.facts} name a link, {account.ignorable} carry nothing, {account.unread} unread"
    warnings = [f"{name}: {account.total} {what}: {counts}"]
    if repeats:
        warnings.append(f"{name}: {repeats} rows tell a link again from its other end: counted once")
    if refused:
        warnings.append(f"{name}: {len(refused)} rows contradict others or name no switch: see the unread rows")
    told = tuple({"line": line, "why": why} for line, why in unread[:_UNREAD_KEPT])
    return Plan(name, {LINKS.name: _links(frame)}, source=name, warnings=(*warnings, *notes), unread=told, account=account)


def _ends(frame: pl.DataFrame) -> pl.DataFrame:
    """Per side: device text, board key, protocol number (null: unknown), NIC word (null: none), label."""
    import polars as pl

    for side in "ab":
        device = pl.col(f"{side}_device").str.strip_chars()
        port = pl.col(f"{side}_port").str.strip_chars().str.replace_all(r"\s+", " ")
        frame = frame.with_columns(device.alias("d"), port.alias("p"))
        # "Server 1 IB Port 1" with port "IB Port 1": the device repeats its port.
        tail = pl.concat_str([pl.lit(" "), pl.col("p").str.to_lowercase()])
        repeats = pl.col("d").str.to_lowercase().str.ends_with(tail) & pl.col("p").str.contains(r"\p{L}")
        cut = pl.col("d").str.head(-pl.col("p").str.len_chars().cast(pl.Int64)).str.strip_chars()
        # "host mlx5_0" as the port of "host": the port repeats its device.
        prefixed = pl.col("p").str.to_lowercase().str.starts_with(pl.concat_str([pl.col("d").str.to_lowercase(), pl.lit(" ")]))
        bare = pl.col("p").str.slice(pl.col("d").str.len_chars() + 1).str.strip_chars()
        frame = frame.with_columns(
            pl.when(repeats & (cut != "")).then(cut).otherwise("d").alias("d"),
            pl.when(prefixed).then(bare).alias("own_nic"),
            (repeats & (cut != "")).alias("cut"),
        )
        board = pl.col("p").str.extract_groups(_BOARD)
        half = pl.col("p").str.extract_groups(_HALF)
        number = pl.coalesce(
            board.struct.field("3").cast(pl.Int64),
            pl.col("p").str.extract(_NUMBER).cast(pl.Int64),
            pl.col("p").str.extract(_ETHERNET).cast(pl.Int64),
            (half.struct.field("1").cast(pl.Int64) - 1) * 2 + half.struct.field("2").cast(pl.Int64),
        )
        chip = pl.format("/L{}/U{}", board.struct.field("1").str.zfill(2), board.struct.field("2"))
        frame = frame.with_columns(
            pl.concat_str(["d", chip], ignore_nulls=True).alias(f"{side}_key"),
            pl.when(pl.col("own_nic").is_null() & ~pl.col("cut")).then(number).alias(f"{side}_number"),
            pl.coalesce("own_nic", pl.when(number.is_null() | pl.col("cut")).then("p")).alias(f"{side}_nic"),
            pl.col("p").alias(f"{side}_label"),
            pl.col("d").alias(f"{side}_name"),
        )
    return frame


def _kinds(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """``a_switch`` and ``b_switch``: by the list's own words, else by NIC ports and names, else by how many links it has."""
    import polars as pl

    ends = pl.concat(
        [
            frame.select(*(pl.col(f"{s}_{c}").alias(c) for c in ("name", "key", "nic", "number", "kind")), pl.col("line"))
            for s in "ab"
        ]
    ).with_columns(pl.col("name").str.to_lowercase().alias("id"))
    by_device = ends.group_by("id").agg(
        (pl.col("kind").str.contains(_SWITCH_WORDS)).any().alias("said_switch"),
        (pl.col("kind").str.contains(_HOST_WORDS)).any().alias("said_host"),
        pl.col("nic").is_not_null().any().alias("has_nic"),
        pl.col("number").is_not_null().any().alias("has_number"),
        pl.col("name").first().str.contains(_SWITCH_NAMES).alias("called_switch"),
        pl.col("name").first().str.contains(_HOST_NAMES).alias("called_host"),
        pl.len().alias("links"),
    )
    is_switch = (
        pl.when("said_switch").then(True).when("said_host").then(False)
        .when("called_switch").then(True).when("called_host").then(False)
        .when(pl.col("has_nic")).then(pl.col("has_number")).otherwise(True)
    )  # fmt: skip
    by_device = by_device.select("id", is_switch.alias("switch"), (pl.col("said_switch") | pl.col("said_host")).alias("said"))
    for side in "ab":
        frame = frame.with_columns(pl.col(f"{side}_name").str.to_lowercase().alias("id"))
        frame = frame.join(
            by_device.select("id", pl.col("switch").alias(f"{side}_switch")), on="id", how="left", maintain_order="left"
        )
        label_only = pl.col(f"{side}_switch") & pl.col(f"{side}_nic").is_not_null()
        frame = frame.with_columns(
            pl.when(~pl.col(f"{side}_switch")).then(pl.coalesce(f"{side}_nic", f"{side}_label")).alias(f"{side}_nic"),
            pl.when(pl.col(f"{side}_switch")).then(f"{side}_number").alias(f"{side}_number"),
            label_only.alias(f"{side}_label_only"),
        )
    notes = []
    blind = frame.filter(pl.col("a_label_only") | pl.col("b_label_only")).height
    if blind:
        notes.append(f"{blind} rows name a switch port whose protocol number is not known: only its label is compared")
    halves = frame.filter(pl.col("a_label").str.contains(_HALF) | pl.col("b_label").str.contains(_HALF)).height
    if halves:
        notes.append(f"{halves} rows name ports as cage/half: taken for protocol ports 2 x cage - 1 and 2 x cage")
    return _rack_names(frame, notes), notes


def _rack_names(frame: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    """Hosts called alike in several racks ("Server 1") are told apart by their rack."""
    import polars as pl

    for side in "ab":
        racks = pl.col(f"{side}_rack").n_unique().over(pl.col(f"{side}_name").str.to_lowercase())
        unclear = (racks > 1) & ~pl.col(f"{side}_switch") & (pl.col(f"{side}_rack") != "")
        if frame.filter(unclear).height:
            named = pl.concat_str([f"{side}_rack", pl.lit(" "), f"{side}_name"])
            frame = frame.with_columns(
                pl.when(unclear).then(named).otherwise(f"{side}_name").alias(f"{side}_name"),
                pl.when(unclear).then(named).otherwise(f"{side}_key").alias(f"{side}_key"),
            )
            notes.append("hosts of the same name stand in several racks: the rack is put before their name")
    return frame


def _turned(frame: pl.DataFrame, turn: pl.Expr) -> pl.DataFrame:
    """The rows with sides exchanged where ``turn`` holds."""
    import polars as pl

    names = sorted({c[2:] for c in frame.columns if c[:2] in ("a_", "b_")})
    frame = frame.with_columns(turn.alias("turn"))
    swapped = [
        pl.when("turn").then(f"{other}_{n}").otherwise(f"{mine}_{n}").alias(f"{mine}_{n}")
        for mine, other in ("ab", "ba")
        for n in names
    ]
    return frame.with_columns(swapped).drop("turn")


def _switch_first(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[tuple[int, str]]]:
    """The switch end first; between switches the end with hosts, then the one outside a director, then name order.

    Rows without a switch are refused.
    """
    import polars as pl

    none = frame.filter(~pl.col("a_switch") & ~pl.col("b_switch"))
    refused = [(line, "neither end is a switch") for line in none["line"].to_list()]
    frame = frame.filter(pl.col("a_switch") | pl.col("b_switch"))
    hosts = frame.filter(pl.col("a_switch") != pl.col("b_switch"))
    bearing = pl.concat([hosts.filter(f"{s}_switch")[f"{s}_name"].str.to_lowercase() for s in "ab"]).unique().implode()
    a_leaf, b_leaf = (pl.col(f"{s}_name").str.to_lowercase().is_in(bearing) for s in "ab")
    later = pl.col("a_name").str.to_lowercase() > pl.col("b_name").str.to_lowercase()
    both = pl.col("a_switch") & pl.col("b_switch")
    a_board, b_board = (pl.col(f"{s}_key") != pl.col(f"{s}_name") for s in "ab")
    alike = (a_leaf == b_leaf) & ((a_board & ~b_board) | ((a_board == b_board) & later))
    turn = ~pl.col("a_switch") | (both & ((b_leaf & ~a_leaf) | alike))
    return _turned(frame, turn), refused


def _once(frame: pl.DataFrame) -> tuple[pl.DataFrame, int, list[tuple[int, str]]]:
    """Each link once: (rows, how many repeat a link, rows that give a port to a second link)."""
    import polars as pl

    def end(side: str) -> pl.Expr:
        port = pl.coalesce(f"{side}_nic", pl.col(f"{side}_number").cast(pl.String), f"{side}_label").str.to_lowercase()
        return pl.concat_str([pl.col(f"{side}_key").str.to_lowercase(), pl.lit("\0"), port, pl.lit("\0"), f"{side}_hole"])

    frame = frame.with_columns(end("a").alias("end_a"), end("b").alias("end_b")).sort("line", maintain_order=True)
    pair = pl.concat_str([pl.min_horizontal("end_a", "end_b"), pl.max_horizontal("end_a", "end_b")], separator="\0\0")
    single = frame.with_columns(pair.alias("pair")).unique("pair", keep="first", maintain_order=True)
    repeats = frame.height - single.height
    ends = pl.concat([single.select("line", pl.col("end_a").alias("end")), single.select("line", pl.col("end_b").alias("end"))])
    first = (
        ends.sort("line", maintain_order=True).group_by("end", maintain_order=True).agg(pl.col("line").first().alias("first"))
    )
    clashes: list[tuple[int, str]] = []
    bad: set[int] = set()
    for side in "ab":
        late = single.join(first.rename({"end": f"end_{side}"}), on=f"end_{side}", how="left").filter(
            pl.col("first") < pl.col("line")
        )
        for line, name, label, before in late.select("line", f"{side}_name", f"{side}_label", "first").rows():
            if line not in bad:
                clashes.append((line, f"{name} {label} is already used by line {before}"))
            bad.add(line)
    return single.filter(~pl.col("line").is_in(list(bad))), repeats, clashes


def _links(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows in the schema of `LINKS`, names in the spelling in which they appear first."""
    import polars as pl

    spelled = pl.concat(
        [frame.select(pl.col(f"{s}_key").alias("text"), pl.col(f"{s}_name").alias("name"), "line") for s in "ab"]
    ).sort("line", maintain_order=True)
    spelled = spelled.with_columns(pl.col("text").str.to_lowercase().alias("id")).group_by("id").agg(
        pl.col("text").first(), pl.col("name").first()
    )  # fmt: skip
    for side in "ab":
        frame = frame.with_columns(pl.col(f"{side}_key").str.to_lowercase().alias("id")).join(
            spelled.rename({"text": f"{side}_spelled", "name": f"{side}_called"}), on="id", how="left", maintain_order="left"
        )
        rank = pl.col(f"{side}_label").rank("dense").over(f"{side}_spelled").cast(pl.Int64) + (LABEL_ONLY - 1)
        host = ~pl.col(f"{side}_switch")
        frame = frame.with_columns(
            pl.when(host)
            .then(pl.coalesce(pl.col(f"{side}_hole").cast(pl.Int64, strict=False), 1))
            .otherwise(pl.coalesce(f"{side}_number", rank))
            .cast(pl.Int64)
            .alias(f"{side}_port_number")
        )
    host = ~pl.col("b_switch")
    port_text = (
        pl.when(pl.col("a_port_number") >= LABEL_ONLY).then("a_label").otherwise(pl.col("a_port_number").cast(pl.String))
    )
    out = frame.select(
        pl.concat_str([pl.lit("link:"), "a_spelled", pl.lit("/"), port_text]).alias("link"),
        pl.when(pl.col("plane") == "").then(pl.lit("fabric")).otherwise("plane").alias("plane"),
        pl.when(host).then(pl.lit("node_leaf")).otherwise(pl.lit("leaf_spine")).alias("kind"),
        pl.col("a_spelled").alias("a_device"),
        pl.col("a_port_number").alias("a_port"),
        "a_label",
        pl.col("b_spelled").alias("b_device"),
        pl.col("b_port_number").alias("b_port"),
        pl.when(host).then("b_nic").alias("b_nic"),
        "b_label",
        pl.col("a_called").alias("a_name"),
        pl.when(host & (pl.col("b_nic") != ""))
        .then(pl.concat_str(["b_called", pl.lit(" "), "b_nic"]))
        .otherwise("b_called")
        .alias("b_name"),
        _rate().alias("rate_gbps"),
    )
    return LINKS.conform(out.unique("link", keep="first", maintain_order=True).sort("link"))


def _rate() -> pl.Expr:
    """A rate in Gb/s from ``400G``, ``100`` or ``200000`` (Mb/s, as NDT files have it)."""
    import polars as pl

    number = pl.col("rate").str.extract(r"(?i)^\s*(\d+(?:\.\d+)?)\s*(?:g|gb/?s?|gbps|gbit.*)?\s*$").cast(pl.Float64)
    return pl.when(number >= 10_000).then(number / 1000).otherwise(number)
