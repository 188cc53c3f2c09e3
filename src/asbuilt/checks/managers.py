"""Subnet managers as seen: who is master, who stands by, and what the manager's log says of its own configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, judge, untold
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

if TYPE_CHECKING:
    import polars as pl

#: Time, thread and level before each message of an OpenSM log.
_STAMP = r"^[A-Z][a-z]{2} +\d+ [\d:]+ \d+ \[\w+\] 0x[0-9A-Fa-f]+ -> "
_BAD = ("error", "fallback", "ignored", "topology", "duplicate")


def _seen(facts: Facts) -> pl.DataFrame:
    """Managers with ``who``: the planned port, else what they are called."""
    import polars as pl

    return facts.tables["managers_measured"].with_columns(pl.coalesce("port", "called").alias("who"))


def _masters(facts: Facts) -> pl.DataFrame:
    """subnet, masters (how many different ones), found (who), ports, capture_id, line; of subnets with any manager seen."""
    import polars as pl

    is_master = pl.col("state") == "master"
    rows = _seen(facts).filter(pl.col("subnet").is_not_null()).sort(~is_master, maintain_order=True)
    names = pl.col("called").filter(is_master).unique(maintain_order=True).implode().list.join(" and ")
    return rows.group_by("subnet", maintain_order=True).agg(
        pl.col("who").filter(is_master).n_unique().alias("masters"),
        names.alias("found"),
        pl.col("port").filter(is_master).drop_nulls().alias("ports"),
        *(pl.col(c).first() for c in EVIDENCE),
    )


@check("FAB-025", layer=Layer.FABRIC, needs=("subnet_managers",), facts=("managers_measured",), since="0.1")
def master_is_the_planned_one(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The master subnet manager of every subnet is the planned one.

    Why: another master runs another configuration: a forgotten manager on a switch or a test host gives out its own
    partitions and routes, and after a silent failover the next fault finds no standby.
    Measured by: sminfo, saquery -s.
    Repair: if the standby took over, see why the master stopped; stop a manager that the plan does not know.
    Source: plan table `subnet_managers`.
    """
    import polars as pl

    planned = plan.table("subnet_managers").filter(pl.col("role") == "master").select("subnet", "port", "name", "device")
    frame = planned.join(_masters(facts), on="subnet", how="left", maintain_order="left")
    right = pl.col("ports").list.contains(pl.col("port"))
    known = pl.col("masters").fill_null(0) > 0
    return judge(
        frame,
        subject=pl.col("subnet"),
        ok=pl.when(known).then(right),
        expected=pl.format("master on {} {}", "name", "device"),
        found=pl.when(known).then(pl.format("master on {}", "found")).otherwise(pl.lit("no master was seen")),
        evidence=EVIDENCE,
    )


@check(
    "FAB-026",
    layer=Layer.FABRIC,
    severity=Severity.BLOCKER,
    needs=("subnet_managers",),
    facts=("managers_measured",),
    since="0.1",
)
def one_master_a_subnet(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every subnet has exactly one master subnet manager.

    Why: two masters give out LIDs and routes against each other: two subnets were joined, or the managers do not hear each
    other; without a master no port leaves state Initializing.
    Measured by: sminfo of every host with a manager, saquery -s.
    Repair: stop the manager that is not planned; if both are, see whether they have one subnet prefix, M_Key and SM_Key.
    Source: IBTA Architecture Specification vol. 1, 14.4.1: one master per subnet.
    """
    import polars as pl

    subnets = plan.table("subnet_managers").select("subnet").unique(maintain_order=True)
    frame = subnets.join(_masters(facts), on="subnet", how="left", maintain_order="left")
    found = pl.when(pl.col("masters") > 0).then(pl.format("{} masters: {}", "masters", "found"))
    return judge(
        frame,
        subject=pl.col("subnet"),
        ok=pl.col("masters") == 1,
        expected=pl.lit("one master"),
        found=found.otherwise(pl.lit("managers, but none of them is master")),
        evidence=EVIDENCE,
    )


@check("FAB-027", layer=Layer.FABRIC, needs=("subnet_managers",), facts=("managers_measured",), since="0.1")
def standbys_stand_by(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every planned standby manager runs.

    Why: a fabric with one manager stops answering to any change when that host is lost.
    Measured by: saquery -s, which lists all managers, on the real fabric; sminfo of the standby's LID. What sminfo says of the
    master alone tells nothing of the standby, and no answer from the standby's LID is no evidence either, since a lost packet
    looks the same: bit 0x2 (IsSM) of the Capability mask that ibstat prints on its host is set where a manager runs.
    Repair: start the manager on the standby, with the same files and its own priority; capture again.
    Source: plan table `subnet_managers`; IBTA vol. 1, 14.2.5.6 (PortInfo, CapabilityMask).
    """
    import polars as pl

    planned = plan.table("subnet_managers").filter(pl.col("role") != "master").select("subnet", "port", "name", "device")
    seen = _seen(facts)
    # After a failover the planned standby is master, and stands all the same.
    alive = pl.col("state").is_in(["standby", "master"])
    state = seen.filter(pl.col("port").is_not_null()).with_columns(alive.alias("alive")).sort("alive", descending=True)
    state = state.unique("port", keep="first").select("port", "state", "alive", *EVIDENCE)
    lists = seen.filter("listed").group_by("subnet").agg(pl.lit(True).alias("listed"))
    frame = planned.join(state, on="port", how="left", maintain_order="left").join(
        lists, on="subnet", how="left", maintain_order="left"
    )
    absent = pl.col("alive").is_null() & pl.col("listed").fill_null(False)
    return judge(
        frame,
        subject=pl.col("port"),
        ok=pl.when(absent).then(False).otherwise("alive"),
        expected=pl.format("a standby manager on {} {}", "name", "device"),
        found=pl.when(absent).then(pl.lit("it is in no list of managers"))
        .when(pl.col("state").is_null()).then(pl.lit("no answer of a manager there, and no list of managers"))
        .otherwise(pl.format("state {}", "state")),
        evidence=EVIDENCE,
    )  # fmt: skip


@check("FAB-028", layer=Layer.FABRIC, needs=("subnet_managers",), facts=("managers_measured",), since="0.1")
def manager_priorities_are_as_planned(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every planned manager that was seen has its planned priority, and no other manager runs beside them.

    Why: the higher priority wins; equal ones are decided by GUID, and mastership lands where nobody expects it.
    Measured by: sminfo, saquery -s.
    Repair: set sm_priority as exported, restart that manager; stop managers that the plan does not know.
    Source: plan column `subnet_managers.priority`; IBTA vol. 1, 14.4.1.
    """
    import polars as pl

    planned = plan.table("subnet_managers").select("subnet", "port", pl.col("priority").alias("want"))
    # A manager that does not run has no say.
    seen = _seen(facts).filter(pl.col("state") != "notactive")
    rows = seen.filter(pl.col("subnet").is_in(planned["subnet"].unique().implode())).join(
        planned.select("port", "want"), on="port", how="left", maintain_order="left"
    )
    rows = rows.filter(pl.col("want").is_null() | pl.col("priority").is_not_null())  # lists of managers have no priorities
    if rows.is_empty():
        return untold("the priority of a manager")
    right = pl.when(pl.col("want").is_null()).then(False).otherwise(pl.col("priority") == pl.col("want"))
    rows = rows.with_columns(right.alias("right")).sort("right", nulls_last=True, maintain_order=True)
    has = pl.format("priority {}", pl.col("priority").cast(pl.String).fill_null("unread"))
    return judge(
        rows.unique(["subnet", "who"], keep="first", maintain_order=True),
        subject=pl.col("who"),
        ok=pl.col("right"),
        expected=pl.when(pl.col("want").is_null())
        .then(pl.lit("no manager beside the planned ones"))
        .otherwise(pl.format("priority {}", "want")),
        found=pl.when(pl.col("want").is_null())
        .then(pl.format("a manager on {}, {}, {}", "called", "state", has))
        .otherwise(has),
        evidence=EVIDENCE,
    )


@check("FAB-029", layer=Layer.FABRIC, facts=("sm_log_facts",), since="0.1")
def manager_took_its_files(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The subnet manager brought the subnet up and reports no error, no fallback and no line of its files that it ignored.

    Why: OpenSM goes on after a bad line and exits 0: a typo in partitions.conf opens the default partition to all, an unknown
    option is skipped, and a routing engine that fails is replaced by another.
    Measured by: the manager's log and its standard output.
    Repair: correct the line that the message names, restart the manager, capture log and output again.
    Source: messages of upstream OpenSM 3.3: PARSE ERROR, Unrecognized token, ERR codes, routing engine fallback.
    """
    import polars as pl

    rows = facts.tables["sm_log_facts"]
    up = bool((rows["what"] == "subnet_up").any())
    # What ibdiagnet says of its own command line is nothing that a manager passed over.
    own = (pl.col("what") == "ignored") & pl.col("message").str.starts_with("-W-")
    bad = rows.filter(pl.col("what").is_in(_BAD) & ~own)
    if bad.is_empty() and not up:
        return pl.DataFrame(
            {
                "subject": ["log"],
                "verdict": ["not_measured"],
                "expected": ["SUBNET UP in the manager's log"],
                "found": ["no such line"],
            }
        )
    logs = rows.select(pl.col("capture_id").alias("subject")).unique(maintain_order=True)
    quiet = logs.filter(~pl.col("subject").is_in(bad["capture_id"].unique().implode()))
    # A manager says the same at every sweep: the first line stands for all that differ from it by their time alone.
    alike = bad.with_columns(pl.col("message").str.strip_chars().str.replace(_STAMP, "").alias("bare")).group_by(
        "capture_id", "what", pl.col("code").fill_null("no code"), "bare", maintain_order=True
    )
    first = alike.agg(pl.len().alias("times"), pl.col("line", "message").first())
    again = pl.when(pl.col("times") > 1).then(pl.format(" ({} times)", "times")).otherwise(pl.lit(""))
    told = first.select(
        pl.format("{}:{}", "capture_id", "line").alias("subject"),
        pl.lit("fail").alias("verdict"),
        pl.format("no such line: {} ({})", "what", "code").alias("expected"),
        pl.format("{}{}", pl.col("message").str.strip_chars(), again).alias("found"),
        *EVIDENCE,
    )
    return pl.concat([told, quiet.with_columns(pl.lit("pass").alias("verdict"))], how="diagonal")
