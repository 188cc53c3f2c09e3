"""`asbuilt plan`: compile cluster.yaml into the plan, store it, and say on one screen what came out."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from asbuilt.model.verdict import Verdict

if TYPE_CHECKING:
    from asbuilt.model.design import Sizing
    from asbuilt.model.plan import Plan
    from asbuilt.model.verdict import Finding

HELP = """Compile cluster.yaml into the plan: every rack, node, switch, port, link, cable and load, under plans/<hash>.

Failing design checks are printed, not refused; `asbuilt check` explains them."""
#: Findings and warnings shown on the screen; all of them are in `asbuilt check` and in --json.
SHOWN = 6
#: Partitions shown on the line of a subnet.
_KEYS = 6


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="the object of `size --json`, counted from the tables")


def run(args: argparse.Namespace) -> int:
    from pathlib import Path

    from asbuilt.workflow.check import check
    from asbuilt.workflow.plan import compile_project, counted

    folder = Path(args.directory)
    plan = compile_project(folder)
    sizing = counted(plan, folder)
    findings = check(plan).findings
    if args.json:
        import json

        found = [f.as_json() for f in findings]
        document = sizing.as_json() | {"plan_hash": plan.plan_hash, "findings": found}
        print(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        print(screen(plan, sizing, findings))
    return 0


def screen(plan: Plan, sizing: Sizing, findings: tuple[Finding, ...]) -> str:
    """The summary as text, at most 100 columns."""
    title = f"{plan.name}: {sizing.gpus:,} GPUs, {sizing.nodes:,} nodes of {sizing.system}"
    lines = [f"{title}   plan {plan.plan_hash[:12]}", ""]
    roles = ", ".join(f"{n:,} {role}" for role, n in sizing.racks_by_role.items() if n)
    rows = plan.table("racks")["row"].n_unique()
    many = f"{rows} rows" if rows != 1 else "one row"
    lines.append(_line("racks", f"{sizing.racks:,} in {many}: {roles}; fullest {sizing.rack_kw_max:g} kW"))
    for name, plane in sizing.planes.items():
        lines.append(_line(f"{name}", _plane(name, plane)))
    lines += [_line("subnet", text) for text in _subnets(plan)]
    lines.append(_line("cables", _cables(plan, sizing)))
    heat = f"heat {sizing.air_kw:,.0f} kW to air" + (f", {sizing.liquid_kw:,.0f} kW to liquid" if sizing.liquid_kw else "")
    lines.append(
        _line("power", f"IT {sizing.it_kw:,.0f} kW, facility {sizing.facility_kw:,.0f} kW at PUE {sizing.pue:g}; {heat}")
    )
    lines.append(_line("weight", f"{sizing.weight_kg / 1000:,.1f} t with racks, as far as weights are known"))
    told = [w for w in plan.warnings if not w.startswith("low confidence")]
    unsure = len(plan.warnings) - len(told)
    lines += _list("warnings", told, unsure)
    lines += _findings(findings)
    lines += ["", "next: asbuilt check · asbuilt show links · asbuilt rehearse · asbuilt export"]
    return "\n".join(lines)


def _line(label: str, text: str) -> str:
    import textwrap

    return textwrap.fill(
        text, 100, initial_indent=f"  {label:<12}", subsequent_indent=" " * 14, break_long_words=False, break_on_hyphens=False
    )


def _plane(name: str, plane: dict[str, object]) -> str:
    """Switches and links of one plane in words."""
    counts = [f"{plane[role]:,} {role}" for role in ("leaf", "spine", "core") if plane[role]]
    switches = " + ".join(counts) if counts else f"on the switches of {plane['share']}"
    kinds = {"node_leaf": "node", "leaf_spine": "leaf–spine", "spine_core": "spine–core", "service": "service"}
    links = ", ".join(f"{plane[kind]:,} {word}" for kind, word in kinds.items() if plane[kind])
    ratio = plane.get("oversubscription")
    shared = f", {ratio:g}:1" if isinstance(ratio, (int, float)) else ""
    return f"{switches}; links: {links or 'none'}{shared}"


def _subnets(plan: Plan) -> list[str]:
    """One line for each InfiniBand subnet: engine, LIDs used of those in ranges, partitions, manager hosts."""
    import polars as pl

    if not plan.has("subnet_settings"):
        return []
    engines = plan.table("subnet_settings").filter(pl.col("setting") == "routing_engine").sort("subnet")
    found = []
    for subnet, engine in engines.select("subnet", "value").rows():
        ranges, parts, hosts = (
            plan.table(name).filter(pl.col("subnet") == subnet) for name in ("lid_ranges", "partitions", "subnet_managers")
        )
        used, room = ranges.select(pl.col("used").sum(), (pl.col("last") - pl.col("first") + 1).sum()).row(0)
        keys = [f"{name} 0x{key:04x}" for name, key in parts.select("partition", "pkey").rows()]
        shown = ", ".join(keys[:_KEYS]) + (f" and {len(keys) - _KEYS} more" if len(keys) > _KEYS else "")
        managers = " and ".join(hosts.sort("number")["name"].to_list()) or "no host"
        text = f"{subnet}: {engine}; {used:,} of {room:,} LIDs in ranges; partitions {shown}; managed by {managers}"
        found.append(text)
    return found


def _cables(plan: Plan, sizing: Sizing) -> str:
    import polars as pl

    jumpers = plan.table("jumpers")
    if not jumpers.height:
        return "none"
    media = jumpers.group_by("medium").len().sort("len", "medium", descending=[True, False]).rows()
    longest, total = jumpers.select(pl.col("length_m").max(), (pl.col("length_m").sum() / 1000).alias("km")).row(0)
    kinds = ", ".join(f"{count:,} {medium}" for medium, count in media)
    return f"{sizing.cables:,}: {kinds}; longest {longest:g} m, {total:,.1f} km in all; {sizing.optics:,} transceivers"


def _list(title: str, told: list[str], unsure: int) -> list[str]:
    lines = [""] if told or unsure else []
    lines += [_line(title if n == 0 else "", text) for n, text in enumerate(told[:SHOWN])]
    if len(told) > SHOWN:
        lines.append(_line("", f"… and {len(told) - SHOWN} more in --json"))
    if unsure:
        lines.append(
            _line("" if told else title, f"{unsure} figures of low confidence stand behind this plan (--json names them)")
        )
    return lines


def _findings(findings: tuple[Finding, ...]) -> list[str]:
    """What fails, worst first; what nobody can decide yet by its ids alone."""
    failed = [f for f in findings if f.verdict is Verdict.FAIL]
    undecided = sorted({f.id for f in findings if f.verdict is not Verdict.FAIL})
    lines = [""]
    for n, finding in enumerate(failed[:SHOWN]):
        lines.append(_line("checks" if n == 0 else "", f"{finding.severity.value.upper()} {finding.id}: {finding.cause}"))
    if not failed:
        lines.append(_line("checks", "no check of the plan fails"))
    if len(failed) > SHOWN:
        lines.append(_line("", f"… and {len(failed) - SHOWN} more; `asbuilt check` shows all"))
    if undecided:
        lines.append(_line("", f"undecided, until a maker or the site says it: {', '.join(undecided)} (`asbuilt check` asks)"))
    return lines
