"""Versions of a machine: as locked, alike where nobody locked them, and in agreement with each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, judge, nothing, untold
from asbuilt.checks.node_devices import machines
from asbuilt.checks.registry import check
from asbuilt.checks.software_alike import VERSIONS, judged_alike, one_each, per_node, readings, unlike
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.requirement_software import HASH_SHOWN
from asbuilt.model.verdict import Layer, Severity

if TYPE_CHECKING:
    import polars as pl

NEEDS = ("nodes", "node_traits", "software")
#: Components that other checks compare: cards, GPUs, packages, files, modules; the kernel command line is NOD-015's.
_ELSEWHERE = r"^(?:nic_|vbios$|cmdline$|package:|file:|module:|module_file:)"
_SETS = r"^(?:package:|file:|module:|module_file:)"
#: The kernel module whose version is the driver's.
_MODULE = "module:nvidia"
#: Packages that tell the version of a component.
_PACKAGED = {
    "fabric_manager": r"^package:nvidia-fabric-?manager(?:-\d+)?$",
    "nccl": r"^package:libnccl2?$",
    "mpi": r"^package:(?:openmpi|openmpi-bin)$",
}
#: Components whose version stands in the names and versions of packages.
_IN_NAMES = ["driver", "kernel", "ofed", "fabric_manager", "nccl", "mpi"]
#: What follows from the driver, or must: `driver_versions_agree` judges it.
_OF_DRIVER = ["cuda", "fabric_manager"]


def general(plan: Plan, facts: Facts) -> pl.DataFrame:
    """`readings` of what a whole machine has one version of; its driver is known from its kernel module, too."""
    import polars as pl

    whole = pl.col("device").is_null()
    rows = readings(plan, facts, whole & ~pl.col("component").str.contains(_ELSEWHERE))
    loaded = readings(plan, facts, pl.col("component") == _MODULE).with_columns(pl.lit("driver").alias("component"))
    more = pl.concat([loaded, packaged(plan, facts)])
    return pl.concat([rows, more.join(rows, on=["node", "component"], how="anti", maintain_order="left")])


def packaged(plan: Plan, facts: Facts) -> pl.DataFrame:
    """`readings` of what no tool of the capture set prints and a package tells: fabric manager, NCCL, MPI."""
    import polars as pl

    told = pl.col("component")
    named = pl.coalesce(*(pl.when(told.str.contains(p)).then(pl.lit(name)) for name, p in _PACKAGED.items()))
    rows = readings(plan, facts, told.str.contains("|".join(_PACKAGED.values()))).with_columns(named.alias("component"))
    # The fabric manager is compared with the driver: without what the packager put behind its release.
    bare = pl.when(told == "fabric_manager").then(pl.col("version").str.extract(r"^([0-9.]+)")).otherwise("version")
    rows = rows.with_columns(bare.alias("version")).filter(pl.col("version").is_not_null())
    return one_each(rows.unique(["node", "component", "version"], keep="first", maintain_order=True))


@check("SW-001", layer=Layer.NODE, needs=NEEDS, facts=VERSIONS, since="0.1")
def versions_are_the_locked_ones(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every node runs the version that is locked, of everything that the requirement locks.

    Why: an error that all nodes share has no odd one out; only what was agreed beforehand shows it, and one drifted node slows
    or breaks every job that it takes part in.
    Measured by: the capture set: system, nvidia-smi -q, ofed_info -s, modules, packages of every node.
    Repair: install the locked version on the named nodes, reboot where it is kernel or driver, capture again.
    Source: plan table `software`: `software` of the requirement.
    """
    import polars as pl

    lock = plan.table("software").filter(pl.col("part").is_null())
    every = machines(plan, facts)
    if lock.is_empty():
        return nothing("no version is locked")
    # Packages and files by the thousand are told only where they are locked.
    wanted = pl.col("component").is_in(lock["component"].to_list()) | ~pl.col("component").str.contains(_SETS)
    told = pl.concat([readings(plan, facts, wanted), general(plan, facts)]).unique(
        ["node", "component"], keep="first", maintain_order=True
    )
    lock = lock.select("component", pl.col("version").alias("locked"), "source")
    cells = every.select("node", "fabric_manager").join(lock, how="cross")
    cells = cells.join(told, on=["node", "component"], how="left", maintain_order="left")
    cells = cells.filter((pl.col("component") != "fabric_manager") | pl.col("fabric_manager").fill_null(True))
    version, want = pl.col("version").str.to_lowercase(), pl.col("locked").str.to_lowercase()
    release = (pl.col("component") == "ofed") & version.str.ends_with(pl.format("-{}", want))
    build = pl.col("component").is_in(["nccl", "mpi"]) & version.str.starts_with(pl.format("{}-", want))
    # A node that tells its packages and not this one, does not have it.
    sets = _nodes_with(facts, "package:").join(cells, on="node", how="inner").filter(
        pl.col("component").str.starts_with("package:") & pl.col("version").is_null()
    )  # fmt: skip
    cells = cells.join(sets.select("node", "component", gone=True), on=["node", "component"], how="left")
    same = pl.when(pl.col("gone").fill_null(False)).then(False).otherwise((version == want) | release | build)
    cells = cells.with_columns(same.alias("same"))
    unseen = pl.when(pl.col("gone").fill_null(False)).then(pl.lit("missing")).otherwise(pl.lit("not told"))
    wrong = cells.filter(~pl.col("same").fill_null(False)).with_columns(
        pl.format("{} {} ({})", "component", _shown(pl.col("locked")), "source").alias("expected"),
        pl.format("{} {}", "component", _shown(pl.col("version")).fill_null(unseen)).alias("found"),
    )
    folded = per_node(wrong.sort("same", "component", nulls_last=True, maintain_order=True))
    worst = cells.group_by("node").agg((~pl.col("same")).any().alias("wrong"), pl.col("same").null_count().alias("unknown"))
    rows = every.select("node").join(worst, on="node").join(folded, on="node", how="left", maintain_order="left")
    return judge(
        rows.sort("node"),
        subject=pl.col("node"),
        ok=pl.when("wrong").then(False).when(pl.col("unknown") == 0).then(True),
        expected=pl.col("expected"),
        found=pl.col("found"),
        evidence=EVIDENCE,
    )


def _nodes_with(facts: Facts, prefix: str) -> pl.DataFrame:
    """node: those that tell anything of the kind ``prefix``."""
    import polars as pl

    rows = facts.tables["version_measured"].filter(pl.col("component").str.starts_with(prefix))
    return rows.select("node").unique()


def _shown(version: pl.Expr) -> pl.Expr:
    """Versions as they are, hashes of files by their first digits."""
    import polars as pl

    return pl.when(pl.col("component").str.starts_with("file:")).then(version.str.head(HASH_SHOWN)).otherwise(version)


@check("SW-002", layer=Layer.NODE, needs=NEEDS, facts=VERSIONS, since="0.1")
def unlocked_versions_are_alike(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Of what nobody locked, every node of a system runs the same version as the others.

    Why: a node that was installed on another day behaves otherwise: a job that spans it is as slow as it, or stops there; where
    the versions of two halves differ, nobody knows which half is right.
    Measured by: the capture set: system, nvidia-smi -q, ofed_info -s, dmidecode of every node.
    Repair: decide which version is right, lock it in `software`, bring the named nodes to it, capture again.
    Source: more than half of the nodes of the system.
    """
    import polars as pl

    locked = plan.table("software").filter(pl.col("part").is_null())["component"].to_list()
    rows = general(plan, facts).filter(~pl.col("component").is_in([*locked, *_OF_DRIVER]))
    return judged_alike(
        plan, facts, rows.sort("component", "node", maintain_order=True), "its versions", "versions of machines"
    )


@check("SW-005", layer=Layer.NODE, needs=NEEDS, facts=VERSIONS, since="0.1")
def driver_versions_agree(plan: Plan, facts: Facts) -> pl.DataFrame:
    """What a node tells of its GPU driver agrees: tools, loaded kernel module, fabric manager, and the CUDA version it offers.

    Why: the fabric manager of another release does not start, or leaves NVLink down; tools and libraries of another release
    than the loaded module fail at the first call; a CUDA library of another driver is used unasked.
    Measured by: nvidia-smi -q, modules, packages or the fabric manager's log; only what is told is compared, so a fabric
    manager whose version no capture tells is not judged here.
    Repair: install driver and fabric manager of one release, reboot the node, capture again.
    Source: NVIDIA Fabric Manager user guide: its version must match the driver's; most nodes of the same driver for CUDA.
    """
    import polars as pl

    names = {"driver": "driver", _MODULE: "loaded module", "fabric_manager": "fabric manager"}
    told = readings(plan, facts, pl.col("device").is_null() & pl.col("component").is_in([*names, "cuda"]))
    manager = packaged(plan, facts).filter(pl.col("component") == "fabric_manager")
    told = pl.concat([told, manager.join(told, on=["node", "component"], how="anti", maintain_order="left")])
    if told.is_empty():
        return untold("versions of the driver")
    parts = told.filter(pl.col("component") != "cuda").sort("component", "node", maintain_order=True)
    each = pl.format("{} {}", pl.col("component").replace(names), "version")
    one = pl.col("version").n_unique() + pl.col("version").str.contains(" and ", literal=True).sum()
    agreed = parts.group_by("node", maintain_order=True).agg(
        (one == 1).alias("one"), each.str.join(", ").alias("parts"), *(pl.col(c).first() for c in EVIDENCE), pl.len().alias("n")
    )
    drivers = parts.filter(pl.col("component") == "driver").select("node", pl.col("version").alias("group"))
    cuda = told.filter(pl.col("component") == "cuda").join(drivers, on="node", how="inner", maintain_order="left")
    odd = per_node(unlike(cuda)).select("node", "expected", "found")
    rows = machines(plan, facts).select("node").join(agreed, on="node", how="left", maintain_order="left")
    rows = rows.join(odd, on="node", how="left", maintain_order="left")
    of_driver = pl.format("{} with the same driver", "expected")
    return judge(
        rows,
        subject=pl.col("node"),
        ok=pl.when(~pl.col("one") | pl.col("found").is_not_null()).then(False).when(pl.col("n") > 1).then(True),
        expected=pl.when(pl.col("one").fill_null(True) & pl.col("found").is_not_null())
        .then(of_driver)
        .otherwise(pl.lit("one version of driver, loaded module and fabric manager")),
        found=pl.when(pl.col("one").fill_null(True) & pl.col("found").is_not_null())
        .then(pl.col("found"))
        .otherwise(pl.col("parts").fill_null("no report of its driver")),
        evidence=EVIDENCE,
    )


@check("SW-006", layer=Layer.NODE, severity=Severity.MINOR, needs=NEEDS, facts=VERSIONS, since="0.1")
def packages_are_alike(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every node of a system has the same packages in the same builds as the others.

    Why: nodes installed from different mirrors, or updated on different days, pass every test of their own and differ in
    libraries that a job loads.
    Measured by: packages (rpm -qa or dpkg-query -W) of every node.
    Repair: install from one frozen mirror; bring the named nodes to the same list, capture again.
    Source: more than half of the nodes of the system; packages that `software` locks are SW-001's.
    """
    import polars as pl

    # A kernel or driver of another version is told as such, not once more by its packages.
    odd = general(plan, facts).join(machines(plan, facts).select("node", group="system"), on="node", how="inner")
    odd = unlike(odd.filter(pl.col("component").is_in(_IN_NAMES)))
    known = pl.concat([odd.select("node", pl.col(c).alias("words")) for c in ("version", "most")]).drop_nulls()
    return _set_alike(plan, facts, "package:", "its packages", known)


@check("SW-007", layer=Layer.NODE, severity=Severity.MINOR, needs=NEEDS, facts=VERSIONS, since="0.1")
def configuration_files_are_alike(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every configuration file that is compared has the same content on all nodes of a system.

    Why: a file that somebody edited by hand on one node is lost at the next installation, and until then that node differs.
    Measured by: hashes of files, as captures tell them.
    Repair: put the edit into what installs the nodes, or take it back; capture again.
    Source: more than half of the nodes of the system; files that `software` locks are SW-001's.
    """
    return _set_alike(plan, facts, "file:", "its configuration files")


@check("SW-008", layer=Layer.NODE, needs=NEEDS, facts=VERSIONS, since="0.1")
def kernel_modules_are_alike(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Loaded kernel modules have the same version on all nodes of a system that run the same kernel, driver and OFED.

    Why: a module of the distribution in place of the vendor's (mlx5_core, nvidia_peermem) works, slower or without GPUDirect.
    Measured by: modules (/sys/module/*/version) of every node.
    Repair: rebuild the module for the running kernel (dkms status), reload it or reboot, capture again.
    Source: more than half of the nodes with the same kernel, driver and OFED.
    """
    import polars as pl

    rows = readings(plan, facts, pl.col("component").str.starts_with("module:"))
    driver = rows.filter(pl.col("component") == _MODULE)
    rows = rows.join(driver, on=["node", "version"], how="anti", maintain_order="left")  # SW-005 judges the driver's modules
    bases = general(plan, facts).filter(pl.col("component").is_in(["kernel", "driver", "ofed"]))
    group = bases.sort("component").group_by("node").agg(pl.col("version").str.join(" ").alias("base"))
    systems = machines(plan, facts).select("node", "system").join(group, on="node", how="left")
    group = systems.select("node", pl.format("{} {}", "system", pl.col("base").fill_null("")).alias("group"))
    rows = rows.sort("component", "node", maintain_order=True).join(group, on="node", how="inner", maintain_order="left")
    return judged_alike(plan, facts, rows, "versions of its kernel modules")


def _set_alike(plan: Plan, facts: Facts, prefix: str, what: str, known: pl.DataFrame | None = None) -> pl.DataFrame:
    import polars as pl

    locked = plan.table("software")["component"].to_list()
    rows = readings(plan, facts, pl.col("component").str.starts_with(prefix) & ~pl.col("component").is_in(locked))
    rows = rows.with_columns(_shown(pl.col("version")).alias("version"))
    rows = rows.with_columns(pl.col("component").str.strip_prefix(prefix)).sort("component", "node", maintain_order=True)
    return judged_alike(plan, facts, rows, what, absent=True, known=known)
