"""What does not follow a measured fabric's own pattern. Listed as findings, never absorbed into a draft requirement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from asbuilt.model.verdict import Finding, Layer, Severity, Verdict
from asbuilt.workflow.measured_planes import MeasuredPlane
from asbuilt.workflow.survey import RAIL_SHARE, UNKNOWN_TIER, Survey

if TYPE_CHECKING:
    pass

SHOWN = 12
REVERT = "nothing was changed"


def irregularities(survey: Survey, planes: Sequence[MeasuredPlane]) -> tuple[Finding, ...]:
    """One finding per kind of irregularity, with every subject in it; codes PAR-060 to PAR-066.

    Striping and speed are judged within a plane: two planes may well differ.
    """
    found = [
        _off_rail(survey, planes),
        _uneven(survey, planes),
        _other_hosts(survey),
        _nameless(survey),
        _off_tier(survey),
        _slow(survey, planes),
        _odd(survey),
    ]
    return tuple(f for f in found if f is not None)


def _finding(code: str, severity: Severity, subjects: list[str], expected: str, cause: str, next_step: str) -> Finding | None:
    if not subjects:
        return None
    more = f" and {len(subjects) - SHOWN} more" if len(subjects) > SHOWN else ""
    return Finding(
        id=code,
        verdict=Verdict.FAIL,
        severity=severity,
        layer=Layer.FABRIC,
        subject=subjects[0].split(":")[0],
        expected=expected,
        found="; ".join(subjects[:SHOWN]) + more,
        where="",
        cause=cause,
        next=next_step,
        revert=REVERT,
        subjects=tuple(subjects),
    )


def _off_rail(survey: Survey, planes: Sequence[MeasuredPlane]) -> Finding | None:
    """Common hosts whose adapter sits on a leaf that mostly serves another rail."""
    import polars as pl

    rails = [order for plane in planes if plane.layout != "fat-tree" for order in plane.orders]
    frame = survey.adapters.filter(pl.col("common") & pl.col("order").is_in(rails))
    usual = frame.group_by("chassis", "order").len().sort(["len", "order"], descending=[True, False])
    usual = usual.unique("chassis", keep="first", maintain_order=True).rename({"order": "usual", "len": "usual_links"})
    total = frame.group_by("chassis").agg(pl.len().alias("all"))
    pure = usual.join(total, on="chassis").filter(pl.col("usual_links") >= RAIL_SHARE * pl.col("all"))
    off = frame.join(pure, on="chassis").filter(pl.col("order") != pl.col("usual"))
    off = off.join(survey.chassis.select("chassis", "name"), on="chassis").sort("host", "order")
    subjects = [
        f"{host} {nic}: on {leaf} port {port}, a leaf of rail {usual}"
        for host, nic, leaf, port, usual in off.select("host", "nic", "name", "port", "usual").rows()
    ]
    cause = "adapters are cabled to a leaf of another rail: the link is up, but the rail's traffic crosses the spines"
    return _finding(
        "PAR-060", Severity.MAJOR, subjects, "adapter i of every host on a leaf of rail i", cause, "trace these cables"
    )


def _uneven(survey: Survey, planes: Sequence[MeasuredPlane]) -> Finding | None:
    """Leaves (of one plane) and spines whose cables upward differ in number from most of their tier."""
    import polars as pl

    subjects: list[str] = []
    wanted: list[str] = []
    members = [(f"{p.name} leaf", "spine", list(p.leaves)) for p in planes]
    members.append(("spine", "core", survey.chassis.filter(pl.col("tier") == "spine")["chassis"].to_list()))
    for tier, above, boxes in members:
        up = survey.trunks.filter(pl.col("lower").is_in(boxes) & (pl.col("upper_tier") == above))
        counts = up.group_by("lower").agg(pl.col("cables").sum(), pl.len().alias("switches"))
        if not counts.height:
            continue
        named = survey.chassis.filter(pl.col("chassis").is_in(boxes)).select(pl.col("chassis").alias("lower"), "name")
        counts = named.join(counts, on="lower", how="left").with_columns(pl.col("cables", "switches").fill_null(0))
        usual = counts.group_by("cables", "switches").len().sort(["len", "cables"], descending=True).row(0, named=True)
        wanted.append(f"{usual['cables']} cables from each {tier} to {usual['switches']} {above}s")
        odd = counts.filter((pl.col("cables") != usual["cables"]) | (pl.col("switches") != usual["switches"])).sort("name")
        subjects += [f"{n}: {c} cables to {s} {above}s" for n, c, s in odd.select("name", "cables", "switches").rows()]
    cause = "striping is not even: cables are missing, down, or were never built alike"
    return _finding("PAR-061", Severity.MAJOR, subjects, "; ".join(wanted), cause, "look at the ports that are down on these")


def _other_hosts(survey: Survey) -> Finding | None:
    """Hosts with another number of adapters than most."""
    import polars as pl

    named = survey.adapters.filter(pl.col("host").is_not_null())
    if not named.height:
        return None
    usual = named.filter("common")["adapters"].max()
    others = named.filter(~pl.col("common")).group_by("host").agg(pl.col("adapters").first()).sort("host")
    subjects = [f"{host!s}: {count} adapters" for host, count in others.rows()]
    cause = "service and storage hosts, or compute hosts with adapters that are down"
    step = "tell service hosts from broken ones; the draft counts none of them as compute"
    return _finding("PAR-062", Severity.MINOR, subjects, f"{usual!s} adapters on every compute host", cause, step)


def _nameless(survey: Survey) -> Finding | None:
    """Devices that answer with their factory description."""

    boxes = survey.chassis.filter("factory")["chassis"].sort().to_list()
    cards = survey.adapters.filter("factory").join(survey.chassis.select("chassis", "name"), on="chassis").sort("name", "port")
    subjects = [f"{name} port {port}: adapter {guid}" for name, port, guid in cards.select("name", "port", "guid").rows()]
    subjects += [f"switch {guid}" for guid in boxes]
    cause = "these devices answer with their factory description: their hosts cannot be told from the capture"
    step = "set the node descriptions (rdma-ndd on hosts, a node name map for switches) and capture again"
    return _finding("PAR-063", Severity.MAJOR, subjects, "a name of its own for every device", cause, step)


def _off_tier(survey: Survey) -> Finding | None:
    """Switches further than three tiers from any host, and adapters on switches that are otherwise no leaf."""
    import polars as pl

    far = survey.chassis.filter(pl.col("tier") == UNKNOWN_TIER).sort("name")
    subjects = [f"{name}: no host within three tiers" for name in far["name"]]
    high = survey.chassis.filter((pl.col("tier") != "leaf") & (pl.col("host_links") > 0)).sort("name")
    bare = survey.chassis.filter((pl.col("tier") == "leaf") & (pl.col("host_links") == 0)).sort("name")
    subjects += [f"{name}: cabled to the spines like a leaf, no host on it" for name in bare["name"]]
    subjects += [f"{name}: a {tier}, hosts on it: {n}" for name, tier, n in high.select("name", "tier", "host_links").rows()]
    level = survey.trunks.filter((pl.col("lower_tier") == pl.col("upper_tier")) & (pl.col("lower_tier") != UNKNOWN_TIER))
    names = survey.chassis.select("chassis", "name")
    level = level.join(names, left_on="lower", right_on="chassis").join(
        names, left_on="upper", right_on="chassis", suffix="_upper"
    )
    subjects += [
        f"{a}: {n} cables to {b} of its own tier"
        for a, b, n in level.select("name", "name_upper", "cables").sort("name").rows()
    ]
    cause = "these switches do not fit a leaf, spine, core order"
    return _finding("PAR-064", Severity.MINOR, subjects, "every switch in one of the tiers", cause, "say what they are for")


def _slow(survey: Survey, planes: Sequence[MeasuredPlane]) -> Finding | None:
    """Ports whose width or speed differs from most of their kind: host ports by plane, switch ports by plane of their leaf."""
    import polars as pl

    of_order = {order: p.name for p in planes for order in p.orders}
    of_leaf = {leaf: p.name for p in planes for leaf in p.leaves}
    order = survey.adapters.filter("common").select(pl.col("guid").alias("peer_guid"), "order").unique("peer_guid")
    rated = survey.ends.filter((pl.col("kind") == "switch") & pl.col("width").is_not_null())
    rated = rated.join(order, on="peer_guid", how="left")
    if not rated.height:
        return None
    plane = pl.col("order").replace_strict(of_order, default=None, return_dtype=pl.String)
    host = pl.concat_str([pl.lit("host link of "), plane.fill_null("other hosts")])
    ends = [pl.col(c).replace_strict(of_leaf, default=None, return_dtype=pl.String) for c in ("chassis", "peer_chassis")]
    trunk = pl.concat_str([pl.lit("switch link of "), pl.coalesce(ends).fill_null("the upper tiers")])
    rated = rated.with_columns(pl.when(pl.col("peer_kind") == "switch").then(trunk).otherwise(host).alias("class"))
    usual = rated.group_by("class", "width", "speed").len().sort("len", descending=True)
    usual = usual.unique("class", keep="first", maintain_order=True).drop("len")
    odd = rated.join(usual, on="class", suffix="_usual").filter(
        (pl.col("width") != pl.col("width_usual")) | (pl.col("speed") != pl.col("speed_usual"))
    )
    columns = ("name", "port", "width", "speed", "class", "width_usual", "speed_usual")
    subjects = [
        f"{name} port {port}: {w}x{s}, a {kind} mostly runs {uw}x{us}"
        for name, port, w, s, kind, uw, us in odd.sort("name", "port").select(columns).rows()
    ]
    expected = "; ".join(f"{row['class']} {row['width']}x{row['speed']}" for row in usual.sort("class").iter_rows(named=True))
    cause = "links run at another width or speed: other hardware, or a cable that trained down"
    return _finding("PAR-065", Severity.MAJOR, subjects, expected, cause, "compare with the parts; else reseat and clean")


def _odd(survey: Survey) -> Finding | None:
    words = {"loop": "is cabled to its own port", "one-sided": "reports a far side that does not report it back:"}
    subjects = [
        f"{name} port {port}: {words[odd]} {peer} {peer_port}"
        for odd, name, port, peer, peer_port, _ in survey.odd.select(
            "odd", "name", "port", "peer_name", "peer_port", "line"
        ).rows()
    ]
    cause = "loops on one switch, or a fabric that changed while it was captured"
    return _finding("PAR-066", Severity.MINOR, subjects, "both sides of every cable agree", cause, "capture again")
