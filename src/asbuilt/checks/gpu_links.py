"""What reports say of each NVLink of each GPU, and which inactive ones are a dark switch chip's.

In an NVLink domain of several nodes (NVL72) every GPU has one link to each switch chip: derived, for there are as many chips as
links of a GPU, and as many ports of a chip as GPUs. Which link of a GPU ends at which chip was found nowhere. Assumed is only
that all nodes of a domain are wired alike: link 7 of the second GPU of one tray ends at the chip at which link 7 of the second
GPU of every other tray ends. A link that is inactive at (nearly) all GPUs in the same place of their nodes is then the chip's
fault; each dark chip takes one link from the GPUs of every place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, kept, plan_and, threshold
from asbuilt.checks.gpu_reports import of_model, rows_by_key, shown
from asbuilt.model.facts import Facts
from asbuilt.model.facts_gpu import NVLINK_FACTS
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

_TOLD = plan_and("nvlink_measured", "event_measured", "gpu_measured", "pci_measured")
#: The check that judges chips: its expectations say how many GPUs make a chip dark.
CHIPS = "GPU-020"


def _rows(facts: Facts) -> pl.DataFrame:
    """`nvlink_measured`, and a row without link for every GPU of which nvidia-smi says that all its links are inactive."""
    import polars as pl

    schema = {name: kind for name, kind in NVLINK_FACTS.polars().items() if name != "host"}
    parts = [pl.DataFrame(schema={"node": pl.String, **schema})]
    if facts.has("nvlink_measured"):
        parts.append(facts.tables["nvlink_measured"].select("node", *schema))
    if facts.has("event_measured"):
        none = pl.col("source") == "nvlink"
        said = facts.tables["event_measured"].filter(none & (pl.col("code") == "all_inactive"))
        gpu = pl.col("device").cast(pl.Int64, strict=False).alias("gpu")
        parts.append(said.select("node", gpu, pl.lit(False).alias("active"), *EVIDENCE).drop_nulls("gpu"))
    return pl.concat(parts, how="diagonal")


@kept(_TOLD)
def links(plan: Plan, facts: Facts) -> pl.DataFrame:
    """`nvlink_measured` with ``subject`` and ``slot_gpu``: by UUID, else by the index that the driver gives the GPU."""
    import polars as pl

    rows = _rows(facts).join(plan.table("nodes").select("node"), on="node", how="semi", maintain_order="left")
    planned = plan.table("gpus").sort("node", "slot").select("node", pl.col("gpu").alias("slot_gpu"))
    planned = planned.with_columns(pl.int_range(pl.len()).over("node").alias("gpu"))
    if not facts.has("gpu_measured"):
        rows = rows.join(planned, on=["node", "gpu"], how="left", maintain_order="left")
        return rows.with_columns(pl.coalesce("slot_gpu", pl.format("{}#GPU {}", "node", "gpu")).alias("subject"))
    called = shown(plan, facts).select("node", "key", "subject", pl.col("gpu").alias("slot_gpu"))
    keys = rows_by_key(plan, facts).select("node", "key", "uuid", pl.col("index").alias("gpu"))
    keys = keys.join(called, on=["node", "key"], how="left", maintain_order="left")
    by_uuid = (
        keys.select("node", "uuid", "subject", "slot_gpu")
        .drop_nulls(["uuid"])
        .unique(["node", "uuid"], keep="first", maintain_order=True)
    )
    by_index = keys.select("node", "gpu", pl.col("subject").alias("s"), pl.col("slot_gpu").alias("g")).drop_nulls(["gpu"])
    rows = rows.join(by_uuid, on=["node", "uuid"], how="left", maintain_order="left")
    rows = rows.join(
        by_index.unique(["node", "gpu"], keep="first", maintain_order=True),
        on=["node", "gpu"],
        how="left",
        maintain_order="left",
    )
    subject = pl.coalesce("subject", "s", pl.format("{}#GPU {}", "node", "gpu"))
    return rows.with_columns(subject.alias("subject"), pl.coalesce("slot_gpu", "g").alias("slot_gpu")).drop("s", "g")


@kept(_TOLD)
def states(plan: Plan, facts: Facts) -> pl.DataFrame:
    """`links` that say whether they are active: one row per GPU and link, the last that was told."""
    import polars as pl

    told = links(plan, facts).filter(pl.col("active").is_not_null())
    return told.unique(["subject", "link"], keep="last", maintain_order=True)


@dataclass(frozen=True, slots=True)
class Domain:
    """One planned NVLink domain of several nodes: its rack, GPUs, chips, links of a GPU; None where the plan does not say."""

    unit: int
    rack: str
    gpus: int
    chips: int | None
    links: int | None

    @property
    def countable(self) -> bool:
        """A GPU has as many links as there are chips: one to each."""
        return self.chips is not None and self.chips == self.links


def domains(plan: Plan) -> list[Domain]:
    """The planned domains of several nodes, in the order of their numbers."""
    import polars as pl

    traits = plan.table("node_traits").filter(pl.col("nvlink") == "domain").select("system", "switch_chips")
    nodes = plan.table("nodes").join(traits, on="system", how="inner", maintain_order="left")
    parts = plan.table("hardware").select(pl.col("part").alias("model"), "nvlinks")
    gpus = plan.table("gpus").join(nodes.select("node", "unit"), on="node", how="inner").join(parts, on="model", how="left")
    links = gpus.group_by("unit").agg(
        pl.len().alias("gpus"), pl.col("nvlinks").min(), pl.col("nvlinks").n_unique().alias("kinds")
    )
    racks = nodes.sort("rack").group_by("unit", maintain_order=True)
    rows = racks.agg(pl.col("rack").first(), pl.col("switch_chips").first()).join(links, on="unit", how="inner").sort("unit")
    columns = rows.select("unit", "rack", "gpus", "switch_chips", pl.when(pl.col("kinds") == 1).then("nvlinks"))
    return [Domain(*row) for row in columns.iter_rows()]


@dataclass(frozen=True, slots=True)
class Dark:
    """Chips of one domain that carry no link: ``links`` of each by place of the GPU, ``down`` of ``seen`` links inactive."""

    chips: int
    links: tuple[tuple[int, ...], ...]
    down: int
    seen: int


@kept(_TOLD)
def in_domains(plan: Plan, facts: Facts) -> pl.DataFrame:
    """`states` of planned GPUs in NVLink domains of several nodes: unit, node, gpu, slot, link (null: all of them), active."""
    import polars as pl

    domains = plan.table("node_traits").filter(pl.col("nvlink") == "domain").select("system")
    nodes = plan.table("nodes").join(domains, on="system", how="semi").select("node", "unit")
    planned = plan.table("gpus").join(nodes, on="node", how="inner").select("unit", "node", "gpu", "slot")
    told = states(plan, facts).select(pl.col("slot_gpu").alias("gpu"), "link", "active", *EVIDENCE).drop_nulls("gpu")
    return told.join(planned, on="gpu", how="inner", maintain_order="left")


@kept(_TOLD)
def _dark_links(plan: Plan, facts: Facts) -> pl.DataFrame:
    """unit, slot, link, down, seen of links that are inactive at (nearly) all GPUs of that place."""
    import polars as pl

    share, part = threshold(plan, CHIPS, "share"), threshold(plan, CHIPS, "nodes")
    rows = (
        in_domains(plan, facts).drop_nulls("link").filter(pl.col("unit").is_in([d.unit for d in domains(plan) if d.countable]))
    )
    if share is None or part is None:
        rows = rows.clear()
    else:
        every = plan.table("nodes").group_by("unit").agg(pl.col("node").n_unique().alias("planned"))
        told = rows.group_by("unit").agg(pl.col("node").n_unique().alias("told")).join(every, on="unit", how="left")
        enough = told.filter((pl.col("told") > 1) & (pl.col("told") >= pl.col("planned") * pl.lit(part["limit"])))
        rows = rows.join(enough.select("unit"), on="unit", how="semi", maintain_order="left")
    found = rows.group_by("unit", "slot", "link").agg((~pl.col("active")).sum().alias("down"), pl.len().alias("seen"))
    if share is not None:
        found = found.filter(pl.col("down") >= pl.col("seen") * pl.lit(share["limit"]))
    return found.sort("unit", "slot", "link")


@kept(_TOLD)
def dark_chips(plan: Plan, facts: Facts) -> dict[int, Dark]:
    """The domains (`nodes.unit`) with chips that carry no link."""
    import polars as pl

    rows = _dark_links(plan, facts)
    told = in_domains(plan, facts)
    found = {}
    for (unit,), part in rows.partition_by(["unit"], as_dict=True, maintain_order=True).items():
        places = told.filter(pl.col("unit") == unit)["slot"].unique().sort().to_list()
        by_place = [part.filter(pl.col("slot") == place)["link"].to_list() for place in places]
        chips = min(len(numbers) for numbers in by_place)
        if chips:
            alike = sorted(set.intersection(*map(set, by_place)))
            chosen = [[*alike, *(n for n in numbers if n not in alike)][:chips] for numbers in by_place]
            mine = [
                part.filter((pl.col("slot") == place) & pl.col("link").is_in(numbers))
                for place, numbers in zip(places, chosen, strict=True)
            ]
            down, seen = (sum(int(m[column].sum()) for m in mine) for column in ("down", "seen"))
            found[int(str(unit))] = Dark(chips, tuple(tuple(numbers) for numbers in chosen), down, seen)
    return found


def behind_dark_chips(plan: Plan, facts: Facts) -> pl.DataFrame:
    """subject, dark: how many inactive links of a GPU are those of dark chips; only GPUs that have some."""
    import polars as pl

    rows = in_domains(plan, facts).filter(~pl.col("active")).drop_nulls("link")
    wanted = []
    for unit, dark in dark_chips(plan, facts).items():
        places = in_domains(plan, facts).filter(pl.col("unit") == unit)["slot"].unique().sort().to_list()
        wanted += [(unit, place, n) for place, numbers in zip(places, dark.links, strict=True) for n in numbers]
    keys = pl.DataFrame(wanted, schema={"unit": pl.Int64, "slot": pl.Int64, "link": pl.Int64}, orient="row")
    rows = rows.join(keys.cast({k: rows.schema[k] for k in keys.columns}), on=keys.columns, how="semi")
    return rows.group_by("gpu").agg(pl.len().cast(pl.Int64).alias("dark")).rename({"gpu": "subject"})


def whole_reports(plan: Plan, facts: Facts) -> pl.DataFrame:
    """unit, gpu, active: GPUs of domains that told every planned link, and how many of them are active."""
    import polars as pl

    rows = in_domains(plan, facts)
    per = rows.group_by("unit", "gpu").agg(
        pl.col("link").n_unique().alias("told"), pl.col("link").is_null().any().alias("none"),
        pl.col("active").sum().cast(pl.Int64).alias("active"),
    )  # fmt: skip
    per = of_model(plan, per)
    return per.filter((pl.col("told") == pl.col("nvlinks")) | "none").select("unit", "gpu", "active")
