"""What captures tell of a subnet beyond its cables, held against the plan: every fabric check that is not about cabling."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from asbuilt.checks.registry import Check
from asbuilt.diagnose.roce_texts import ROCE_TEXTS
from asbuilt.diagnose.routing_texts import ROUTING_TEXTS
from asbuilt.diagnose.subnet_findings import About, subnet_findings, unmatched
from asbuilt.diagnose.subnet_tables import has_subnet_facts, subnet_tables
from asbuilt.diagnose.subnet_texts import SUBNET_TEXTS
from asbuilt.diagnose.tally import told as told_rows
from asbuilt.diagnose.texts import Text
from asbuilt.model.facts import Facts
from asbuilt.model.measured_subnet import IDENTITIES_MEASURED
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding, Layer, Severity
from asbuilt.workflow.check import section

if TYPE_CHECKING:
    import polars as pl

    from asbuilt.diagnose.links import Compared

Array = np.ndarray[Any, Any]
TEXTS: dict[str, Text] = {**SUBNET_TEXTS, **ROCE_TEXTS, **ROUTING_TEXTS}


@dataclass(frozen=True, slots=True)
class SubnetAnswer:
    """Verdict frames by check id, the resolved tables, and notes on what could not be resolved."""

    asked: dict[str, pl.DataFrame]
    tables: dict[str, pl.DataFrame]
    notes: tuple[str, ...]
    plan: Plan
    about: dict[str, About] = field(default_factory=dict)

    def findings(self, told: frozenset[str], required: Collection[str] = ()) -> tuple[list[Finding], list[Finding]]:
        """(findings, remarks). ``told`` are links that findings about cabling explain. Of ``required`` checks what was not
        measured at all is a finding too. Remarks alone decide nothing.
        """
        found = subnet_findings(self.plan, told_rows(self.asked), self.about, TEXTS, told)
        found += self._unmatched()
        found += self._required(required)
        remarks = [f for f in found if f.severity is Severity.INFO]
        return [f for f in found if f.severity is not Severity.INFO], remarks

    def told(self) -> tuple[str, ...]:
        """Every note: what could not be resolved, and what the counters support."""
        return (*self.notes, *self.supported())

    def supported(self) -> tuple[str, ...]:
        """What the counters support where they pass: the weakest bound, since a clean window is never a proof of none."""
        import polars as pl

        rows = self.asked["FAB-031"].filter(pl.col("verdict") == "pass") if "FAB-031" in self.asked else None
        if rows is None or rows.is_empty():
            return ()
        bound = pl.col("found").str.extract(r"at most (\S+) per bit", 1).cast(pl.Float64, strict=False)
        weakest = rows.with_columns(bound.alias("bound")).sort("bound", descending=True, nulls_last=True).row(0, named=True)
        return (f"symbol errors: {rows.height} ports pass; the weakest of them, {weakest['subject']}: {weakest['found']}",)

    def _unmatched(self) -> list[Finding]:
        """Captures of a kind were given, and no row of them is of the plan."""
        made = []
        for name, frame in self.tables.items():
            ids = [
                id
                for id, about in self.about.items()
                if name in about.facts and self.asked[id]["verdict"][0] != "not_applicable"
            ]
            if frame.is_empty() and ids:
                source = name.replace("_measured", "").removesuffix("s")
                note = next((n for n in self.notes if n.startswith(source)), "")
                made.append(unmatched(name, ids[0], self.about[ids[0]], note))
        return made

    def _required(self, required: Collection[str]) -> list[Finding]:
        """What was asked for and not measured at all: one finding for checks that read the same captures. An id that the plan
        has nothing for is open too: a gate that demands it does not pass without a word."""
        kinds: dict[tuple[str, ...], list[str]] = {}
        made = []
        everything = self.asked if Layer.FABRIC.value in required else ()
        for id in dict.fromkeys((*(id for id in required if id in self.asked), *everything)):
            first = self.asked[id].row(0, named=True)
            if first["subject"] == "plan" and first["verdict"] == "not_measured":
                kinds.setdefault(self.about[id].facts, []).append(id)
            elif first["subject"] == "plan" and first["verdict"] == "not_applicable" and id in required:
                cause = f"{id} was asked for and the plan has nothing for it: {first['found']}"
                step = f"leave {id} out of what is required, or verify against a plan that has what it judges"
                made.append(replace(unmatched("", id, self.about[id], cause), next=step))
        for ids in kinds.values():
            about = self.about[ids[0]]
            step = f"capture {about.measured_by.rstrip('.')}; then compare again"
            verb, their = ("was", "its") if len(ids) == 1 else ("were", "their")
            cause = f"{', '.join(ids)} {verb} asked for and no capture of {their} kind was given"
            made.append(replace(unmatched("", ids[0], about, cause), next=step))
        return made


def judge_subnet(
    plan: Plan,
    facts: Facts,
    chosen: Mapping[str, Check],
    compared: Compared | None = None,
    inside: Array | None = None,
    guids: pl.DataFrame | None = None,
) -> SubnetAnswer:
    """Every check of ``chosen`` on what the captures tell. A kind of capture that nobody gave leaves its checks not measured,
    in the coverage alone. ``inside`` says which planned links are built (all, when None)."""
    about = {id: about_of(c) for id, c in chosen.items()}
    tables: dict[str, pl.DataFrame] = {}
    notes: tuple[str, ...] = ()
    built = plan if inside is None else _built(plan, inside)
    cables_alone = not has_subnet_facts(facts)
    facts = _with_namesakes(facts, compared)
    if has_subnet_facts(facts) and (plan.has("lids") or plan.has("links")):
        resolved = subnet_tables(plan, facts, compared, guids)
        tables, notes = resolved.tables, resolved.notes
        if cables_alone:
            tables = {name: frame for name, frame in tables.items() if name == IDENTITIES_MEASURED.name}
        if inside is not None:
            tables = {name: _inside(frame, plan, built) for name, frame in tables.items()}
        facts = replace(facts, tables={**facts.tables, **tables})
    asked = {id: c.answer(built, facts) for id, c in chosen.items()}
    return SubnetAnswer(asked, tables, notes, plan, about)


def _with_namesakes(facts: Facts, compared: Compared | None) -> Facts:
    """``facts`` with the devices of a discovery that share a name, as a list of nodes would name them: a discovery alone is
    judged by its cables, and these were taken for what the plan puts in their place."""
    if compared is None or not compared.namesakes.any():
        return facts
    import polars as pl

    from asbuilt.model.facts_subnet import NAME_FACTS

    guids = compared.measured.devices["guid"].filter(pl.Series(compared.namesakes))
    devices = facts.tables["device_facts"].filter(pl.col("guid").is_in(guids.implode()))
    rows = NAME_FACTS.conform(devices.select(c for c in NAME_FACTS.names if c in devices.columns))
    known = [facts.tables["name_facts"]] if facts.has("name_facts") else []
    return replace(facts, tables={**facts.tables, "name_facts": pl.concat([*known, rows])})


def about_of(check: Check) -> About:
    """What a check says of itself in its docstring."""
    why, measured_by, repair = (section(check.doc, name) for name in ("Why", "Measured by", "Repair"))
    return About(check.severity, why, measured_by, repair, check.facts)


def _built(plan: Plan, inside: Array) -> Plan:
    """The plan with what is built: links inside the scope, and end ports with such a link, or with none planned at all."""
    import polars as pl

    links = plan.links.filter(pl.Series(inside))
    tables = {**plan.tables, "links": links}
    if plan.has("lids"):
        lids = plan.table("lids")
        keep = _touched(lids, links) | ~_touched(lids, plan.links)
        tables["lids"] = lids.filter(keep)
        if plan.has("partition_members"):
            tables["partition_members"] = plan.table("partition_members").join(
                tables["lids"].select("port"), on="port", how="semi"
            )
        if plan.has("subnet_managers"):
            managers = plan.table("subnet_managers")
            tables["subnet_managers"] = managers.join(tables["lids"].select("port"), on="port", how="semi")
    return replace(plan, tables=tables)


def _touched(lids: pl.DataFrame, links: pl.DataFrame) -> pl.Series:
    """Of each end port: does one of ``links`` end there?"""
    import polars as pl

    switch = pl.concat([links["a_device"], links.filter(pl.col("b_nic").is_null())["b_device"]]).unique()
    nics = (
        links.filter(pl.col("b_nic").is_not_null())
        .select(pl.format("{}/{}", "b_device", "b_nic").alias("port"))["port"]
        .unique()
    )
    on_switch = pl.col("nic").is_null() & pl.col("device").is_in(switch.implode())
    return lids.select((on_switch | pl.col("port").is_in(nics.implode())).alias("touched"))["touched"]


def _inside(frame: pl.DataFrame, plan: Plan, built: Plan) -> pl.DataFrame:
    """Rows of a resolved table about planned ports outside the scope are left out; strangers stay."""
    import polars as pl

    if not plan.has("lids") or "port" not in frame.columns:
        return frame
    gone = plan.table("lids").join(built.table("lids").select("port"), on="port", how="anti")["port"]
    return frame.filter(~pl.col("port").is_in(gone.implode()).fill_null(False))
