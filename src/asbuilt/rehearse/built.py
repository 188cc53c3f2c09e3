"""The fabric as it stands: the planned cables, then whatever the faults made of them.

One frame row per cable with its two physical ends; nothing here knows how a capture is written or judged.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from asbuilt.model.plan import Plan
from asbuilt.rehearse.node_change import Change as NodeChange
from asbuilt.rehearse.roce_port import Change

if TYPE_CHECKING:
    import polars as pl

ENDS = ("device", "port", "nic")


@dataclass(frozen=True, slots=True)
class Built:
    """Cables and the state of devices.

    ``cables``: cable (the planned link's id), plane, rate_gbps, a_device, a_port, a_nic, b_device, b_port, b_nic.
    ``absent`` switches are powered off; ``ethernet`` are NIC ends (node, nic) whose port runs the wrong link layer;
    ``clones`` maps a NIC end to the one whose identity it copies; ``noname`` devices all answer with factory names.
    ``ports`` is what each planned port is: device, port, nic, technology, port_gbps; ``moved`` says that cable ends moved.

    What only the subnet shows: ``unmanaged`` NIC ends stay in INIT, ``limited`` ones are limited members where the plan says
    full; ``lids`` maps an end port to the one whose LID it carries; ``slow`` cables run one lane; ``idle_managers`` are hosts
    whose subnet manager does not run; ``holes`` maps a switch to the end port that its forwarding table forgets.
    ``settings`` are changes at hops of RDMA over Ethernet, ``nodes`` those inside nodes, ``trays`` NVLink switch trays whose
    chip (None: all of the tray) is dead.
    """

    cables: pl.DataFrame
    absent: frozenset[str] = frozenset()
    ethernet: frozenset[tuple[str, str]] = frozenset()
    clones: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    noname: bool = False
    ports: pl.DataFrame | None = None
    moved: bool = False
    unmanaged: frozenset[tuple[str, str]] = frozenset()
    limited: frozenset[tuple[str, str]] = frozenset()
    lids: dict[str, str] = field(default_factory=dict)
    slow: frozenset[str] = frozenset()
    idle_managers: frozenset[str] = frozenset()
    holes: dict[str, str] = field(default_factory=dict)
    settings: tuple[Change, ...] = ()
    nodes: tuple[NodeChange, ...] = ()
    trays: tuple[tuple[str, int | None], ...] = ()

    def with_cables(self, cables: pl.DataFrame) -> Built:
        """The same devices with other cables."""
        return replace(self, cables=cables)

    def live(self) -> pl.DataFrame:
        """The cables whose both ends are up, at the rate that both ends run.

        A cable between an InfiniBand and an Ethernet port stays dark: the two never train with each other.
        """
        import polars as pl

        frame = self.cables
        if self.moved and self.ports is not None:
            frame = _trained(frame, self.ports)
        if self.absent:
            gone = list(self.absent)
            frame = frame.filter(~pl.col("a_device").is_in(gone) & ~pl.col("b_device").is_in(gone))
        if self.ethernet:
            off = [f"{node}/{nic}" for node, nic in self.ethernet]
            frame = frame.filter(*(~_nic_key(side).is_in(off).fill_null(False) for side in "ab"))
        return frame


def _trained(cables: pl.DataFrame, ports: pl.DataFrame) -> pl.DataFrame:
    """Cables between ports of one technology, at the rate of the slower port; a port outside the plan takes anything."""
    import polars as pl

    frame = cables
    for side in "ab":
        names = {n: f"{side}_{n}" for n in ENDS} | {"technology": f"{side}_technology", "port_gbps": f"{side}_gbps"}
        keys = [names[n] for n in ENDS]
        frame = frame.join(ports.rename(names), on=keys, how="left", nulls_equal=True, maintain_order="left")
    alike = (pl.col("a_technology") == pl.col("b_technology")).fill_null(True)
    rate = pl.coalesce(pl.min_horizontal("a_gbps", "b_gbps"), "rate_gbps")
    return frame.filter(alike).with_columns(rate.alias("rate_gbps")).select(cables.columns)


def _nic_key(side: str) -> pl.Expr:
    import polars as pl

    return pl.col(f"{side}_device") + "/" + pl.col(f"{side}_nic")


def as_planned(plan: Plan) -> Built:
    """Every planned link as a cable between its planned ends.

    Ports of one NIC device are numbered from 1 in the order of the plan's node ports: that is how a device counts them.
    """
    import polars as pl

    nic_port = pl.col("b_port").rank("dense").over("b_device", "b_nic").cast(pl.Int64)
    cables = plan.links.select(
        pl.col("link").alias("cable"),
        "plane",
        "rate_gbps",
        "a_device",
        "a_port",
        pl.lit(None, dtype=pl.String).alias("a_nic"),
        "b_device",
        pl.when(pl.col("b_nic").is_null()).then("b_port").otherwise(nic_port).alias("b_port"),
        "b_nic",
    )
    kind = dict(technologies(plan).select("switch", "technology").rows())
    known = cables.with_columns(
        pl.col("a_device").replace_strict(kind, default=None, return_dtype=pl.String).alias("technology")
    )
    ends = [
        known.select(*(pl.col(f"{side}_{n}").alias(n) for n in ENDS), "technology", pl.col("rate_gbps").alias("port_gbps"))
        for side in "ab"
    ]
    return Built(cables, ports=pl.concat(ends))


def technologies(plan: Plan) -> pl.DataFrame:
    """Every switch with the technology of its subnet: switch, subnet, technology."""
    return (
        plan.table("switches")
        .select("switch", "subnet")
        .join(plan.table("subnets").select("subnet", "technology"), on="subnet", how="left", maintain_order="left")
    )


def infiniband_cables(plan: Plan, built: Built) -> frozenset[str]:
    """The cables that hang on an InfiniBand switch at their planned reference end."""
    return frozenset(plan.infiniband_links()["link"])


def truth(plan: Plan, built: Built) -> pl.DataFrame:
    """What a verification must find, link by link: link, outcome (ok, wrong, missing), and who is found there.

    Decided on natural keys alone: the far end of whatever cable sits in the planned reference port.
    """
    import polars as pl

    live = built.live()
    sides = [
        live.select(
            pl.col(f"{s}_device").alias("a_device"),
            pl.col(f"{s}_port").alias("a_port"),
            pl.col(f"{s}_nic").alias("own_nic"),
            pl.col(f"{t}_device").alias("found_device"),
            pl.col(f"{t}_port").alias("found_port"),
            pl.col(f"{t}_nic").alias("found_nic"),
        )
        for s, t in ("ab", "ba")
    ]
    at = pl.concat(sides).filter(pl.col("own_nic").is_null()).drop("own_nic")
    twins = {f"{a}/{b}": (c, d) for (a, b), (c, d) in built.clones.items()}
    if twins:
        key = pl.col("found_device") + "/" + pl.col("found_nic")
        at = at.with_columns(
            key.replace_strict({k: v[0] for k, v in twins.items()}, default=pl.col("found_device")).alias("found_device"),
            key.replace_strict({k: v[1] for k, v in twins.items()}, default=pl.col("found_nic")).alias("found_nic"),
        )
    joined = plan.links.select("link", "a_device", "a_port", "b_device", "b_port", "b_nic").join(
        at, on=["a_device", "a_port"], how="left"
    )
    same = (pl.col("found_device") == pl.col("b_device")) & pl.when(pl.col("b_nic").is_null()).then(
        pl.col("found_nic").is_null() & (pl.col("found_port") == pl.col("b_port"))
    ).otherwise(pl.col("found_nic").eq_missing(pl.col("b_nic")))
    outcome = (
        pl.when(pl.col("found_device").is_null())
        .then(pl.lit("missing"))
        .when(same)
        .then(pl.lit("ok"))
        .otherwise(pl.lit("wrong"))
    )
    return joined.select("link", outcome.alias("outcome"), "found_device", "found_port", "found_nic").sort("link")


@dataclass(frozen=True, slots=True)
class End:
    """One physical cable end: which cable, which side (a or b), and where it sits."""

    cable: str
    side: str
    device: str
    port: int
    nic: str | None

    @property
    def place(self) -> str:
        """``device/port`` of a switch, ``device/nic`` of a node."""
        return f"{self.device}/{self.nic if self.nic is not None else self.port}"


def end_of(built: Built, cable: str, side: str) -> End:
    """The end of a cable as it sits now. Raises ``KeyError`` for a cable that is not there."""
    import polars as pl

    rows = built.cables.filter(pl.col("cable") == cable)
    if not rows.height:
        raise KeyError(cable)
    row = rows.row(0, named=True)
    return End(cable, side, row[f"{side}_device"], row[f"{side}_port"], row[f"{side}_nic"])


def place_ends(built: Built, ends: dict[tuple[str, str], End]) -> Built:
    """``built`` with the cable ends named by (cable, side) sitting where the given `End` sits."""
    import polars as pl

    cables = built.cables
    for side in "ab":
        moved = [(cable, end) for (cable, s), end in ends.items() if s == side]
        if not moved:
            continue
        change = pl.DataFrame(
            {
                "cable": [c for c, _ in moved],
                "device": [e.device for _, e in moved],
                "port": [e.port for _, e in moved],
                "nic": [e.nic for _, e in moved],
            },
            schema={"cable": pl.String, "device": pl.String, "port": pl.Int64, "nic": pl.String},
        )
        joined = cables.join(change, on="cable", how="left", maintain_order="left")
        here = pl.col("device").is_not_null()
        cables = joined.with_columns(
            *(pl.when(here).then(pl.col(n)).otherwise(pl.col(f"{side}_{n}")).alias(f"{side}_{n}") for n in ENDS)
        ).drop("device", "port", "nic")
    return replace(built, cables=cables, moved=True)
