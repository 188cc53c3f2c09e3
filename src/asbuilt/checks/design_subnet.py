"""The subnet as planned: LIDs, ranges and GUIDs; its managers; what its hardware can do."""

from __future__ import annotations

import polars as pl

from asbuilt.checks.answers import amount, judge, nothing, threshold
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity


@check("DES-080", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("lid_ranges", "expectations"), since="0.1")
def lid_ranges_are_unicast_and_large_enough(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every range of LIDs lies in the unicast space and holds what the plan gives out of it.

    Why: LID 0 is no address and 0xC000 begins the multicast ones; a port past its range takes the LID of a neighbour.
    Measured by: plan table `lid_ranges` against the unicast LIDs of a subnet.
    Repair: a lower LMC, smaller islands, or wider ranges (`subnets.<name>.lid_ranges`).
    Source: OpenSM IB_LID_UCAST_END_HO = 0xBFFF; IBTA vol. 1, 4.1.3.
    """
    rows, limit = plan.table("lid_ranges"), threshold(plan, "DES-080")
    if rows.is_empty() or limit is None:
        return nothing("no InfiniBand subnet in the plan")
    room = (pl.col("last") - pl.col("first") + 1).clip(0)
    inside = (pl.col("first") >= 1) & (pl.col("last") <= pl.lit(limit["limit"]))
    return judge(
        rows,
        subject=pl.format("lid-range:{}/{}", "subnet", "range"),
        ok=inside & (pl.col("used") <= room),
        expected=pl.format("LIDs in 1 to {}, room for {}", pl.lit(limit["value"]), "used"),
        found=pl.format("{} to {}, room for {}", "first", "last", room),
    )


@check("DES-081", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("lid_ranges",), since="0.1")
def lid_ranges_do_not_overlap(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No two ranges of LIDs of one subnet overlap.

    Why: where two ranges share LIDs, growth of one lands on a port of the other, years after the plan was made.
    Measured by: plan table `lid_ranges`.
    Repair: move one of the ranges (`subnets.<name>.lid_ranges`).
    Source: IBTA vol. 1, 14.4: a LID is assigned to one port of the subnet.
    """
    rows = plan.table("lid_ranges").sort("subnet", "first", "last")
    if rows.is_empty():
        return nothing("no InfiniBand subnet in the plan")
    furthest = pl.col("last").cum_max().shift(1).over("subnet")
    rows = rows.with_columns(before=furthest, other=pl.col("range").shift(1).over("subnet"))
    return judge(
        rows,
        subject=pl.format("lid-range:{}/{}", "subnet", "range"),
        ok=(pl.col("first") > pl.col("before")).fill_null(True),
        expected=pl.format(
            "a first LID past {}, where {} ends", pl.col("before").fill_null(0), pl.col("other").fill_null("none")
        ),
        found=pl.format("first LID {}", "first"),
    )


@check("DES-082", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("lids", "lid_ranges"), since="0.1")
def every_end_port_has_lids_of_its_own(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every end port has a run of 2^LMC LIDs of its own, aligned to 2^LMC and inside its range.

    Why: a LID that two ports have sends each one's packets to the other; a run that is not aligned cannot be set at all.
    Measured by: plan tables `lids` and `lid_ranges`.
    Repair: move or widen the range (`subnets.<name>.lid_ranges`).
    Source: IBTA vol. 1, 4.1.3 and 14.2.5.6 (base LID with the LMC low bits 0).
    """
    lids = plan.table("lids")
    if lids.is_empty():
        return nothing("no InfiniBand subnet in the plan")
    ranges = plan.table("lid_ranges").select("subnet", "range", "first", "last")
    run = pl.lit(2, pl.Int64).pow(pl.col("lmc"))
    rows = lids.select("port", "subnet", "range", "lid", run=run).join(ranges, on=["subnet", "range"], how="left")
    rows = rows.with_columns(end=pl.col("lid") + pl.col("run") - 1).sort("subnet", "lid")
    past = pl.col("end").cum_max().shift(1).over("subnet")
    rows = rows.with_columns(free=(pl.col("lid") > past).fill_null(True))
    inside = (pl.col("lid") >= pl.col("first")) & (pl.col("end") <= pl.col("last"))
    return judge(
        rows,
        subject=pl.col("port"),
        ok=inside.fill_null(False) & pl.col("free") & (pl.col("lid") % pl.col("run") == 0),
        expected=pl.format(
            "{} LIDs of its own in {} to {}, aligned", "run", pl.col("first").fill_null(0), pl.col("last").fill_null(0)
        ),
        found=pl.format("{} to {}{}", "lid", "end", pl.when("free").then(pl.lit("")).otherwise(pl.lit(", shared"))),
    )


@check("DES-083", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("lids",), since="0.1")
def guids_are_given_once(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No two end ports have one port GUID.

    Why: a subnet manager takes the second one for a move of the first: both flap, and with them every path to either.
    Measured by: plan table `lids`; declared GUIDs come from the project's list.
    Repair: correct the row of `guids.csv`.
    Source: IBTA vol. 1, 4.1.1: an EUI-64 is assigned to one port.
    """
    rows = plan.table("lids").select("port", "port_guid").sort("port_guid", "port")
    if rows.is_empty():
        return nothing("no InfiniBand subnet in the plan")
    rows = rows.with_columns(number=pl.len().over("port_guid"), first=pl.col("port").first().over("port_guid"))
    return judge(
        rows,
        subject=pl.col("port"),
        ok=(pl.col("number") == 1) & pl.col("port_guid").str.contains("[1-9a-f]"),
        expected=pl.lit("a GUID of its own"),
        found=pl.format("{} on {}", "port_guid", amount(pl.col("number"), "end ports")),
    )


@check("DES-087", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("subnets", "subnet_managers", "lids"), since="0.1")
def two_managers_fail_apart(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every InfiniBand subnet has a master and a standby manager, on two hosts and, where it has several, two switches.

    Why: without a manager nothing that fails is routed around and nothing new comes up; two on one switch go together.
    Measured by: plan tables `subnet_managers`, `links` and `subnets`. Racks are told, not judged: see the setting `sm_racks`.
    Repair: plan two service hosts (`service_ports`), or name two `sm_hosts` on different switches.
    Source: IBTA vol. 1, 14.4.1 (master and standby); NVIDIA DGX SuperPOD reference architectures plan two UFM hosts.
    """
    subnets = plan.table("subnets").filter(pl.col("technology") == "infiniband").select("subnet", "switches")
    if subnets.is_empty():
        return nothing("no InfiniBand subnet in the plan")
    managers = plan.table("subnet_managers").select("subnet", "node", "device")
    if plan.has("links"):
        ends = plan.table("links").select(node="b_device", device="b_nic", switch="a_device").drop_nulls()
        managers = managers.join(ends.unique(["node", "device"], keep="first"), on=["node", "device"], how="left")
    else:
        managers = managers.with_columns(switch=pl.lit(None, pl.String))
    counted = managers.group_by("subnet").agg(
        number=pl.len(),
        hosts=pl.col("node").n_unique(),
        places=pl.col("switch").n_unique(),
        unknown=pl.col("switch").is_null().any(),
    )
    rows = subnets.join(counted, on="subnet", how="left").with_columns(pl.col("number", "hosts", "places").fill_null(0))
    enough = pl.col("hosts") >= 2
    single = pl.col("switches") == 1
    known = ~enough | single | ~pl.col("unknown").fill_null(True)
    return judge(
        rows,
        subject=pl.format("subnet:{}", "subnet"),
        ok=pl.when(known).then(enough & (single | (pl.col("places") >= 2))),
        expected=pl.lit("two managers on two hosts and two switches"),
        found=pl.concat_str(
            [amount(pl.col(c), u) for c, u in (("number", "managers"), ("hosts", "hosts"), ("places", "switches"))],
            separator=", ",
        ),
    )


@check("DES-088", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("subnet_managers",), since="0.1")
def the_master_has_the_highest_priority(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Of the managers of a subnet the master has the highest priority, and no two have the same.

    Why: with equal priorities the lower GUID wins: which host is master then hangs on a serial number, and a card that is
        replaced moves it.
    Measured by: plan table `subnet_managers`.
    Repair: `subnets.<name>.sm_priorities`, the master's first and highest.
    Source: IBTA vol. 1, 14.4.1.
    """
    rows = plan.table("subnet_managers").sort("subnet", "number")
    if rows.is_empty():
        return nothing("no subnet manager in the plan")
    above = pl.col("priority").shift(1).over("subnet")
    rows = rows.with_columns(above=above, ok=(pl.col("priority") < above).fill_null(True))
    return judge(
        rows,
        subject=pl.format("manager:{}/{}", "subnet", "number"),
        ok=pl.col("ok"),
        expected=pl.format("a priority below {}", pl.col("above").fill_null(0)),
        found=pl.format("priority {}", "priority"),
    )


@check("DES-089", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("subnet_managers", "lids"), since="0.1")
def managers_are_in_their_subnet(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every subnet manager is bound to a port of the subnet that it manages.

    Why: a manager sees what its port reaches; on a port of another subnet it makes itself master there.
    Measured by: plan tables `subnet_managers` and `lids`.
    Repair: name hosts with a port in the subnet: `subnets.<name>.sm_hosts`.
    Source: IBTA vol. 1, 14.4: a subnet manager sends by directed routes from its own port.
    """
    managers = plan.table("subnet_managers")
    if managers.is_empty():
        return nothing("no subnet manager in the plan")
    ports = plan.table("lids").select("port", place="subnet", guid="port_guid")
    rows = managers.join(ports, on="port", how="left", maintain_order="left")
    same = (pl.col("place") == pl.col("subnet")) & (pl.col("guid") == pl.col("port_guid"))
    return judge(
        rows,
        subject=pl.format("manager:{}/{}", "subnet", "number"),
        ok=same.fill_null(False),
        expected=pl.format("a port in subnet {} with GUID {}", "subnet", pl.col("port_guid")),
        found=pl.format(
            "{} in {} with GUID {}", "port", pl.col("place").fill_null("no subnet"), pl.col("guid").fill_null("none")
        ),
    )


@check("DES-091", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("lids",), since="0.1")
def one_lmc_in_a_subnet(plan: Plan, facts: Facts) -> pl.DataFrame:
    """All NIC ports of a subnet have one LID mask control.

    Why: OpenSM has one setting for the whole subnet; a port that is planned otherwise gets LIDs that another port has.
    Measured by: plan table `lids`.
    Repair: state the LMC once: `subnets.<name>.lmc`.
    Source: opensm(8), option lmc.
    """
    rows = plan.table("lids").filter(pl.col("nic").is_not_null())
    if rows.is_empty():
        return nothing("no InfiniBand subnet in the plan")
    values = pl.col("lmc").unique().sort().cast(pl.String)
    held = rows.group_by("subnet").agg(number=pl.col("lmc").n_unique(), values=values).sort("subnet")
    return judge(
        held,
        subject=pl.format("subnet:{}", "subnet"),
        ok=pl.col("number") == 1,
        expected=pl.lit("one LMC"),
        found=pl.format("LMC {}", pl.col("values").list.join(" and ")),
    )


@check("DES-096", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("subnet_settings",), since="0.1")
def the_engine_can_route_the_subnet(plan: Plan, facts: Facts) -> pl.DataFrame:
    """A subnet that ftree is to route has LMC 0.

    Why: OpenSM's ftree refuses a subnet with an LMC, falls back to minhop with one line in the log, and exits with 0: every
        route differs from the planned one, and rails share spines at random.
    Measured by: plan table `subnet_settings`.
    Repair: `subnets.<name>.lmc: 0`, or `routing_engine: updn`.
    Source: OpenSM 3.3.23, tried on ibsim: "cannot build lid matrices", "Falling back to default routing".
    """
    rows = plan.table("subnet_settings").filter(pl.col("setting").is_in(["routing_engine", "lmc"]))
    if rows.is_empty():
        return nothing("no InfiniBand subnet in the plan")
    one = {name: rows.filter(pl.col("setting") == name).select("subnet", value="value") for name in ("routing_engine", "lmc")}
    held = one["routing_engine"].join(one["lmc"], on="subnet", how="left", suffix="_lmc").sort("subnet")
    lmc = pl.col("value_lmc").cast(pl.Int64, strict=False)
    return judge(
        held,
        subject=pl.format("subnet:{}", "subnet"),
        ok=pl.when(pl.col("value") != "ftree").then(pl.lit(True)).otherwise(lmc == 0),
        expected=pl.lit("LMC 0 with ftree"),
        found=pl.format("{} with LMC {}", "value", pl.col("value_lmc").fill_null("unknown")),
    )


@check("DES-092", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("subnet_settings",), since="0.1")
def what_is_asked_of_the_switches_they_can_do(plan: Plan, facts: Facts) -> pl.DataFrame:
    """SHARP and adaptive routing are asked only of subnets whose switches all have them.

    Why: one switch without SHARP leaves jobs without a tree through it, silently at the host's speed; adaptive routing that
        one switch lacks reorders nothing there and congests it first.
    Measured by: plan table `subnet_settings`: what is asked against what the catalogue says of the switches.
    Repair: `subnets.<name>.sharp: false` or `adaptive_routing: false`, or switches that have it.
    Source: the catalogue's `sharp` and `asic` of each switch.
    """
    rows = plan.table("subnet_settings").select("subnet", "setting", "value")
    asked = rows.filter(pl.col("setting").is_in(["sharp", "adaptive_routing"]))
    if asked.is_empty():
        return nothing("no InfiniBand subnet in the plan")
    able = pl.col("setting").str.ends_with("_available")
    can = rows.filter(able).select("subnet", pl.col("setting").str.strip_suffix("_available"), able="value")
    held = asked.join(can, on=["subnet", "setting"], how="left")
    return judge(
        held,
        subject=pl.format("subnet:{}/{}", "subnet", "setting"),
        ok=pl.when(pl.col("value") == "FALSE").then(pl.lit(True)).otherwise(pl.col("able") == "TRUE"),
        expected=pl.lit("switches that all have it"),
        found=pl.when(pl.col("able") == "TRUE")
        .then(pl.lit("every switch has it"))
        .otherwise(pl.lit("not every switch has it")),
    )
