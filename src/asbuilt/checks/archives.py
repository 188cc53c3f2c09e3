"""Archives of nodes: whether each node gave one, of which machine it is, and whether every question was answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, judge, kept, nothing, plan_and
from asbuilt.checks.registry import check
from asbuilt.model.capture_set import COMMANDS
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

if TYPE_CHECKING:
    import polars as pl

#: Kinds of names that no two machines share, the most telling first. A chassis may hold several machines: its serial is none.
OWN = (
    "boot_id",
    "system_uuid",
    "system_serial",
    "board_serial",
    "bmc_mac",
    "port_guid",
    "gpu_uuid",
    "gpu_serial",
    "machine_id",
)
#: A copied operating system copies this one, without being the same machine.
COPIED = "machine_id"
#: What firmware prints where nobody wrote a name (seen in dmidecode of several makers; AMI's example UUID).
_BLANK = (
    r"^(?:|none|null|unknown|n/?a|not (?:specified|available|applicable|present)|default string|to be filled by o\.?e\.?m\.?|"
    r"system serial number|serial number|base board serial number|0123456789|1234567890|x+|\.+|[0-]+|[f-]+|"
    r"03000200-0400-0500-0006-000700080009)$"
)
_WORDS = {
    "boot_id": "boot id", "system_uuid": "system UUID", "system_serial": "system serial", "board_serial": "board serial",
    "bmc_mac": "BMC address", "port_guid": "port GUID", "gpu_uuid": "GPU UUID", "gpu_serial": "GPU serial",
    "machine_id": "machine id", "chassis_serial": "chassis serial", "nic_serial": "card serial", "hostname": "host name",
}  # fmt: skip


def _nodes(plan: Plan) -> pl.DataFrame:
    """node, system of the compute nodes: service hosts are not asked."""
    import polars as pl

    rows = plan.table("nodes").filter(pl.col("role") != "service")
    return rows.select("node", "system")


def _asked(facts: Facts) -> pl.DataFrame:
    """node, capture_id, line of every node that gave an archive."""
    return facts.tables["command_measured"].select("node", *EVIDENCE).unique("node", keep="first", maintain_order=True)


def _word(kind: pl.Expr) -> pl.Expr:
    return kind.replace_strict(_WORDS, default=kind)


@check("NOD-001", layer=Layer.NODE, needs=("nodes",), facts=("command_measured",), since="0.1")
def nodes_gave_an_archive(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every planned node gave an archive of the capture set.

    Why: a node that nobody asked, or that did not answer, is not proven by its neighbours; it must not pass with them.
    Measured by: `asbuilt collect`, or collect/capture.sh carried by hand.
    Repair: see why it does not answer (power, address, key, a hung login), then `asbuilt collect` again: it asks only those.
    Source: plan table `nodes`.
    """
    import polars as pl

    frame = _nodes(plan).join(_asked(facts), on="node", how="left", maintain_order="left")
    return judge(
        frame,
        subject=pl.col("node"),
        ok=pl.when(pl.col("capture_id").is_not_null()).then(pl.lit(True)),
        expected=pl.lit("an archive"),
        found=pl.lit("no archive of it was given"),
        evidence=EVIDENCE,
    )


@kept(plan_and("identity_measured"))
def _shared(plan: Plan, facts: Facts) -> pl.DataFrame:
    """node, first (the first node of those that share a name with it), kind, value: names that several nodes gave."""
    import polars as pl

    rows = facts.tables["identity_measured"].filter(
        pl.col("kind").is_in(list(OWN)) & ~pl.col("value").str.to_lowercase().str.contains(_BLANK)
    )
    rows = rows.with_columns(pl.col("value").str.to_lowercase()).unique(["node", "kind", "value"], maintain_order=True)
    several = pl.col("node").n_unique().over("kind", "value") > 1
    rows = rows.filter(several).with_columns(pl.col("node").min().over("kind", "value").alias("first"))
    rows = rows.with_columns(pl.col("first").min().over("node"))
    # A node may share one name with one node and another name with another: all of them are one group.
    return rows.with_columns(pl.col("first").min().over("kind", "value")).with_columns(pl.col("first").min().over("node"))


@check("NOD-002", layer=Layer.NODE, severity=Severity.BLOCKER, needs=("nodes",), facts=("command_measured",), since="0.1")
def archives_are_of_different_machines(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No two archives are of the same machine.

    Why: a wrong path of ssh connection sharing, or one name that resolves for all, lets one machine answer for the whole fleet;
    every answer looks right, and all other machines are unmeasured.
    Measured by: identity (DMI serial and UUID, machine id, boot id), ibstat (port GUIDs), nvidia-smi (GPU UUIDs).
    Repair: ask each node alone (`ssh NODE cat /proc/sys/kernel/random/boot_id`); mend ControlPath, names or addresses; collect
    again with --again. Equal machine ids alone: make new ones (systemd-machine-id-setup), the image was copied with its own.
    Source: systemd, machine-id(5): unique to the machine; Linux, random(4): boot_id is made at each boot.
    """
    import polars as pl

    frame = _nodes(plan).join(_asked(facts), on="node", how="inner", maintain_order="left")
    if not facts.has("identity_measured"):
        return judge(
            frame, subject=pl.col("node"), ok=pl.lit(None, dtype=pl.Boolean), expected=pl.lit("a machine of its own"),
            found=pl.lit("its archive names no machine"), evidence=EVIDENCE,
        )  # fmt: skip
    told = facts.tables["identity_measured"].filter(pl.col("kind").is_in(list(OWN)))
    named = told.filter(~pl.col("value").str.to_lowercase().str.contains(_BLANK)).group_by("node").len("names")
    rows = _shared(plan, facts)
    order = pl.col("kind").replace_strict({k: i for i, k in enumerate(OWN)}, return_dtype=pl.Int64)
    groups = rows.group_by("first", maintain_order=True).agg(
        pl.col("node").n_unique().alias("many"),
        (pl.col("kind") == COPIED).all().alias("copied"),
        pl.format("{} {}", _word(pl.col("kind")), "value").sort_by(order, "value").first().alias("sign"),
    )
    frame = frame.join(named, on="node", how="left", maintain_order="left")
    frame = frame.join(
        rows.select("node", "first").unique("node", keep="first", maintain_order=True),
        on="node",
        how="left",
        maintain_order="left",
    )
    frame = frame.join(groups.select("first", "many", "copied", "sign"), on="first", how="left", maintain_order="left")
    one = pl.format("one machine under {} names ({})", "many", "sign")
    copied = pl.format("{} nodes with one {}: an image copied with its identity", "many", "sign")
    return judge(
        frame,
        subject=pl.col("node"),
        ok=pl.when(pl.col("first").is_not_null()).then(pl.lit(False)).when(pl.col("names").is_not_null()).then(pl.lit(True)),
        expected=pl.lit("a machine of its own"),
        found=pl.when(pl.col("first").is_null())
        .then(pl.lit("its archive names no machine"))
        .when(pl.col("copied"))
        .then(copied)
        .otherwise(one),
        evidence=EVIDENCE,
    )


def _declared(plan: Plan) -> pl.DataFrame:
    """node, kind, value that the project declares: machines.csv, and port GUIDs of its GUID list."""
    import polars as pl

    parts = [pl.DataFrame(schema={"node": pl.String, "kind": pl.String, "value": pl.String})]
    if plan.has("machines"):
        parts.append(plan.table("machines").select("node", "kind", "value"))
    if plan.has("lids"):
        ports = plan.table("lids").filter((pl.col("guid_origin") == "declared") & pl.col("nic").is_not_null())
        parts.append(ports.select(pl.col("device").alias("node"), pl.lit("port_guid").alias("kind"), value="port_guid"))
    return pl.concat(parts).with_columns(pl.col("value").str.to_lowercase()).unique(maintain_order=True)


@check("NOD-003", layer=Layer.NODE, severity=Severity.BLOCKER, needs=("nodes",), facts=("command_measured",), since="0.1")
def machines_are_the_planned_ones(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every node is the machine that the project says it is, where it says so.

    Why: two machines in each other's place pass every other check, and each later move, spare and warranty case hits the wrong
    one; a name that leads to another machine proves nothing of the one it means.
    Measured by: identity (DMI serial and UUID), ibstat (port GUIDs).
    Repair: read the label of the machine in that rack; exchange the machines, or correct machines.csv or guids.csv and plan
    anew.
    Source: plan tables `machines` and `lids` (declared GUIDs).
    """
    import polars as pl

    declared = _declared(plan).join(_nodes(plan).select("node"), on="node", how="semi")
    if declared.is_empty():
        return nothing("no machines.csv and no declared GUID says which machine a node is")
    frame = _nodes(plan).join(_asked(facts), on="node", how="inner", maintain_order="left")
    columns = ("node", "kind", "value")
    if facts.has("identity_measured"):
        told = facts.tables["identity_measured"].select(columns).with_columns(pl.col("value").str.to_lowercase())
    else:
        told = declared.clear()
    kinds = told.group_by("node", "kind").agg(pl.col("value").sort().first().alias("told"))
    owner = (
        declared.join(told, on=["kind", "value"], suffix="_real")
        .select(node="node_real", real="node")
        .unique("node", keep="first", maintain_order=True)
    )
    rows = declared.join(told.with_columns(pl.lit(True).alias("same")), on=list(columns), how="left", maintain_order="left")
    rows = rows.join(kinds, on=["node", "kind"], how="left", maintain_order="left")
    state = pl.when(pl.col("same")).then(pl.lit(1)).when(pl.col("told").is_not_null()).then(pl.lit(-1)).otherwise(pl.lit(0))
    rows = rows.with_columns(state.alias("state")).sort("state", maintain_order=True)
    # A declared name that is told otherwise is worse than one that is not told at all.
    first = rows.unique("node", keep="first", maintain_order=True).join(owner, on="node", how="left", maintain_order="left")
    names = plan.table("nodes").select(real="node", called="name")
    first = first.join(names, on="real", how="left", maintain_order="left")
    frame = frame.join(first.drop("same"), on="node", how="left", maintain_order="left")
    other = pl.when(pl.col("real").is_not_null() & (pl.col("real") != pl.col("node")))
    return judge(
        frame,
        subject=pl.col("node"),
        ok=pl.when(pl.col("state") == 1).then(pl.lit(True)).when(pl.col("state") == -1).then(pl.lit(False)),
        applies=pl.col("state").is_not_null(),
        expected=pl.format("{} {}", _word(pl.col("kind")), "value"),
        found=pl.when(pl.col("state") == 0)
        .then(pl.format("its archive tells no {}", _word(pl.col("kind"))))
        .otherwise(
            pl.format("{} {}", _word(pl.col("kind")), "told")
            + other.then(pl.format(", the machine planned as {}", "called")).otherwise(pl.lit(""))
        ),
        evidence=EVIDENCE,
    )


@check("NOD-004", layer=Layer.NODE, needs=("nodes",), facts=("command_measured",), since="0.1")
def no_command_hung(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No read-only command hung on a node.

    Why: a tool that reads state and does not end waits for a driver or device that does not answer; the next job will
    wait there too.
    Measured by: `asbuilt collect`: each command has a limit and is killed behind it.
    Repair: look at dmesg for XID, mlx5 and hung-task lines; drain the node, reset or reboot it, then collect again.
    Source: plan table `nodes`; limits of the capture set.
    """
    import polars as pl

    rows = facts.tables["command_measured"].filter(pl.col("outcome") == "timed_out").sort("node", "line")
    hung = rows.group_by("node", maintain_order=True).agg(
        pl.col("command").str.join(", ").alias("hung"),
        pl.col("seconds").max(),
        *(pl.col(c).first().alias(f"at_{c}") for c in EVIDENCE),
    )
    frame = _nodes(plan).join(_asked(facts), on="node", how="inner", maintain_order="left")
    frame = frame.join(hung, on="node", how="left", maintain_order="left")
    frame = frame.with_columns(pl.coalesce(f"at_{c}", c).alias(c) for c in EVIDENCE)
    return judge(
        frame,
        subject=pl.col("node"),
        ok=pl.col("hung").is_null(),
        expected=pl.lit("every command ends"),
        found=pl.format("{} did not end in time", "hung"),
        evidence=EVIDENCE,
    )


def _limits(plan: Plan) -> pl.DataFrame:
    """system, command of the questions that a system is not asked, because the plan says that it has no such thing."""
    import polars as pl

    schema = {"system": pl.String, "command": pl.String}
    if not plan.has("node_traits"):
        return pl.DataFrame(schema=schema)
    rows = []
    for row in plan.table("node_traits").iter_rows(named=True):
        lacks = {
            "nvlink": row["nvlink"] == "none",
            "domain": row["nvlink"] != "domain",
            "bmc": row["bmc"] is False,
            "x86_64": row["architecture"] not in (None, "x86_64"),
        }
        rows += [(row["system"], c.id) for c in COMMANDS if lacks.get(c.where, False)]
    return pl.DataFrame(rows, schema=schema, orient="row")


@check("NOD-005", layer=Layer.NODE, severity=Severity.MINOR, needs=("nodes",), facts=("command_measured",), since="0.1")
def every_question_was_answered(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every question of the capture set was answered by every node that gave an archive.

    Why: a tool that is not installed, or that would have needed root, measured nothing; what it would have shown is open, and a
    report that is silent on it reads like a pass.
    Measured by: manifest.tsv of the archive.
    Repair: install the tool, ask as root (`asbuilt collect --become`), load the driver, then collect again with --again.
    Source: the capture set; plan table `node_traits` says what a system does not have.
    """
    import polars as pl

    asked = _nodes(plan).join(_asked(facts), on="node", how="inner", maintain_order="left")
    ids = pl.DataFrame({"command": [c.id for c in COMMANDS], "number": range(len(COMMANDS))})
    pairs = asked.select("node", "system").join(ids, how="cross").join(_limits(plan), on=["system", "command"], how="anti")
    told = (
        facts.tables["command_measured"]
        .select("node", "command", "outcome", "exit_code")
        .unique(["node", "command"], keep="first", maintain_order=True)
    )
    rows = pairs.join(told, on=["node", "command"], how="left")
    # What hung is told by NOD-004; it is a measurement.
    rows = rows.filter(~pl.col("outcome").is_in(["ran", "timed_out"]).fill_null(False))
    why = pl.col("outcome").replace_strict(
        {"absent": "not installed", "needs_root": "needs root", "skipped": "not asked (no such device, or no driver)",
         "failed": "ended with an error"},
        default="not in the manifest",
    )  # fmt: skip
    rows = rows.with_columns(why.alias("why")).sort("node", "number")
    groups = rows.group_by("node", "why", maintain_order=True).agg(pl.col("command").str.join(", "))
    words = groups.group_by("node", maintain_order=True).agg(pl.format("{}: {}", "why", "command").str.join("; ").alias("open"))
    frame = asked.join(words, on="node", how="left", maintain_order="left")
    return judge(
        frame,
        subject=pl.col("node"),
        ok=pl.when(pl.col("open").is_null()).then(pl.lit(True)),
        expected=pl.lit("an answer to every question"),
        found=pl.col("open"),
        evidence=EVIDENCE,
    )
