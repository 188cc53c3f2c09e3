"""The sizing as one terminal screen of 80 columns, and several sizes as a table."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Any

from asbuilt.model.design import Sizing

WIDTH = 80
LABEL = 10
PLANES = ("compute", "storage", "frontend", "management", "oob")
NONE = "–"
WEAK = "~"
BETWEEN = "  ·  "


@dataclass(frozen=True, slots=True)
class Style:
    """Colours of the terminal, or none."""

    colour: bool

    @classmethod
    def of(cls, stream: IO[str]) -> Style:
        """Colour on a terminal, unless NO_COLOR is set or the terminal is dumb."""
        wanted = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return cls(wanted)

    def bold(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self.colour else text

    def head(self, text: str) -> str:
        return f"\x1b[1;36m{text}\x1b[0m" if self.colour else text

    def dim(self, text: str) -> str:
        return f"\x1b[2m{text}\x1b[0m" if self.colour else text

    def warn(self, text: str) -> str:
        return f"\x1b[33m{text}\x1b[0m" if self.colour else text

    def good(self, text: str) -> str:
        return f"\x1b[32m{text}\x1b[0m" if self.colour else text


def screen(made: Sizing, system: str, fabric: str, site: dict[str, Any], style: Style) -> str:
    """One size as text. ``system`` and ``fabric`` are names to show; ``site`` is what the user said of the building."""
    lines = [*_headline(made, system, fabric, style), ""]
    lines += [*_switches(made, style), ""]
    lines += [*_quantities(made, style), ""]
    lines += [style.head("can this site carry it"), *_site(made, site, style), ""]
    lines += [style.head("next sensible sizes"), *_sizes(made, style), ""]
    lines += _trust(made, style)
    return "\n".join(line.rstrip() for line in lines)


def _headline(made: Sizing, system: str, fabric: str, style: Style) -> list[str]:
    title = f"{made.gpus:,} GPUs on {system.split(', ')[0]}"
    asked = f" (asked for {made.gpus_asked:,})" if made.gpus != made.gpus_asked else ""
    racks = made.racks_by_role.get("compute", 0)
    nodes = f"{_n(made.nodes)} node{_s(made.nodes)}"
    if made.nodes > made.nvlink_domains > 0:
        nodes = f"{_n(racks)} NVL72 rack{_s(racks)}"
    cells = [nodes, f"{_n(made.racks)} racks in all", f"{_n(made.switches_total)} switches"]
    cells += [f"{_power(made.it_kw)}{_weak(made, 'power.it_kw')} IT", f"{_power(made.facility_kw)} grid at PUE {made.pue:g}"]
    return [style.bold(title + asked), style.dim(fabric), "", *(style.bold(line) for line in _filled(cells, 2))]


def _switches(made: Sizing, style: Style) -> list[str]:
    head = f"{'switches':<{LABEL + 2}}{'leaf':>7}{'spine':>7}{'core':>7}{'total':>8}   {'model':<18}{'down : up':>10}"
    rows = [style.head(head)]
    for name in PLANES:
        plane = made.planes.get(name)
        if plane is None:
            continue
        if plane["share"] and not plane["total"]:
            rows.append(f"  {name:<{LABEL}}" + style.dim(f"{'':>21}{NONE:>8}   on the {plane['share']} leaves"))
            continue
        tiers = "".join(f"{_n(plane[t]) if plane[t] else NONE:>7}" for t in ("leaf", "spine", "core"))
        models = " + ".join(dict.fromkeys(m for m in plane["models"].values() if m))
        ratio = f"{plane['oversubscription']:.3g} : 1" if plane["oversubscription"] else "one tier"
        rows.append(f"  {name:<{LABEL}}{tiers}{_n(plane['total']):>8}   {models:<18}{ratio:>10}")
    if made.islands > 1:
        rows.append(style.warn(f"  {made.islands} islands: separate compute fabrics; no job's collectives cross them"))
    return rows


def _quantities(made: Sizing, style: Style) -> list[str]:
    def row(label: str, *parts: str) -> list[str]:
        first, *more = _filled([p for p in parts if p], LABEL + 2)
        return [style.head(f"{label:<{LABEL + 2}}") + first[LABEL + 2 :], *more]

    roles = [f"{_n(count)} {role}" for role, count in made.racks_by_role.items() if count]
    links = made.links
    tiers = [f"{_n(links.node_leaf)} node-leaf", f"{_n(links.leaf_spine)} leaf-spine" if links.leaf_spine else ""]
    tiers.append(f"{_n(links.spine_core)} spine-core" if links.spine_core else "")
    heat = [f"{_power(made.air_kw)}{_weak(made, 'cooling.air_kw')} air", f"{made.airflow_m3_h:,.0f} m³/h"]
    if made.liquid_kw:
        heat += [f"{_power(made.liquid_kw)} liquid", f"{made.coolant_l_min:,.0f} L/min", f"{made.cdus} CDUs"]
    rates = [f"{made.storage_read_gbytes_s:,g} GB/s read", f"{made.storage_write_gbytes_s:,g} GB/s write"]
    capacity = f"{made.storage_capacity_tb / 1000:,.2g} PB" if made.storage_capacity_tb < 9950 else ""
    capacity = capacity or f"{made.storage_capacity_tb / 1000:,.1f} PB"
    trays = f"{_n(made.nodes)} compute trays" if made.nodes > made.nvlink_domains > 0 else ""
    watts = [f"{made.it_kw:,.1f} kW{_weak(made, 'power.it_kw')} nameplate", _expected(made)]
    return [
        *row("racks", *roles, trays),
        *row("weight", f"{made.weight_kg / 1000:,.1f} t{_weak(made, 'weight_kg')}", f"fullest rack {made.rack_kw_max:.1f} kW"),
        *row("links", *tiers, f"{_n(links.service)} UFM/SM" if links.service else ""),
        *row("cabling", f"{_n(made.cables)} cables", f"{_n(made.optics)} optics, all planes"),
        *row("power", *watts, f"{_power(made.facility_kw)} grid"),
        *row("cooling", *heat),
        *row("storage", *rates, capacity + _weak(made, "storage.capacity_tb")),
    ]


def _expected(made: Sizing) -> str:
    return f"{made.it_expected_kw:,.0f} kW{_weak(made, 'power.it_expected_kw')} expected"


def _site(made: Sizing, site: dict[str, Any], style: Style) -> list[str]:
    lines = []
    for mark in made.limits:
        if mark["at_gpus"] is not None and mark["id"] != "site-power":
            continue
        bad = mark["now"]
        sign = style.warn("!") if bad else style.good("✓")
        lines += _wrapped(mark["text"], f"  {sign} ", 4)
    if "power_mw" not in site:
        needed = f"the grid must give {_power(made.facility_kw)}; --site-mw X says whether yours does"
        lines += _wrapped(needed, f"  {style.dim('?')} ", 4)
    return lines


def _sizes(made: Sizing, style: Style) -> list[str]:
    marks = [m for m in made.limits if m["at_gpus"] is not None and m["id"] != "site-power"]
    ahead = [m for m in marks if not m["now"]]
    lines: list[str] = []
    for mark in ahead[:4]:
        most = style.bold(f"{_n(mark['at_gpus']):>9}")
        lines += _wrapped(mark["text"], f"  {most}  ", 13)
    return lines or [style.dim("  none: the largest size is reached")]


def _trust(made: Sizing, style: Style) -> list[str]:
    low = [s["what"] for s in made.sources if s["confidence"] == "low"]
    used = {s["what"] for d in made.derivation.values() for s in d["sources"]}
    weak = [name for name in low if name in used]
    lines = []
    if weak:
        shown = ", ".join(weak[:4]) + (f" and {len(weak) - 4} more" if len(weak) > 4 else "")
        lines += _wrapped(f"hangs on low-confidence figures: {shown}", f"{style.warn(WEAK)} ", 2)
    told = [w for w in made.warnings if not w.startswith("low confidence")]
    services = {m["text"] for m in made.limits if m["id"] == "services"}
    for text in told:
        if services and "UFM" in text:
            continue
        lines += _wrapped(text, f"{style.warn('!')} ", 2)
    by = {c: sum(s["confidence"] == c for s in made.sources) for c in ("high", "medium", "low")}
    counts = ", ".join(f"{count} {name}" for name, count in by.items() if count)
    assumed = f"{len(made.assumptions)} assumptions"
    lines.append(style.dim(f"{len(made.sources)} sourced figures ({counts}), {assumed}: see --json"))
    return lines


def table(answers: Sequence[Sizing], system: str, fabric: str, style: Style) -> str:
    """Several sizes, one row each."""
    heads = ("GPUs", "nodes", "racks", "leaf", "spine", "core", "all sw", "cables", "optics", "IT", "grid")
    rows = []
    for made in answers:
        tiers = [_n(count) if count else NONE for count in (made.compute.leaf, made.compute.spine, made.compute.core)]
        whole = [_n(made.gpus), _n(made.nodes), _n(made.racks), *tiers, _n(made.switches_total), _n(made.cables)]
        rows.append((*whole, _n(made.optics), _power(made.it_kw), _power(made.facility_kw)))
    widths = [max(len(row[i]) for row in (heads, *rows)) for i in range(len(heads))]
    shown = ["  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in (heads, *rows)]
    title = [style.bold(system.split(", ")[0]), style.dim(fabric), "", style.head(shown[0])]
    return "\n".join([*title, *shown[1:]])


def _n(count: int) -> str:
    return f"{count:,}"


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _power(kilowatts: float) -> str:
    for factor, unit in ((1_000_000, "GW"), (1000, "MW")):
        if kilowatts >= factor:
            return f"{kilowatts / factor:,.2f} {unit}"
    return f"{kilowatts:,.1f} kW"


def _weak(made: Sizing, path: str) -> str:
    return WEAK if made.derivation.get(path, {}).get("confidence") == "low" else ""


def _filled(parts: Sequence[str], indent: int) -> list[str]:
    """``parts`` joined by dots, broken between parts to stay within the screen, every line indented."""
    lines = [" " * indent]
    for part in parts:
        start = len(lines[-1]) == indent
        if not start and len(lines[-1]) + len(BETWEEN) + len(part) > WIDTH:
            lines.append(" " * indent)
            start = True
        lines[-1] += part if start else BETWEEN + part
    return lines


def _wrapped(text: str, lead: str, indent: int) -> list[str]:
    """``text`` within the screen; ``lead`` (which may hold colour codes) takes ``indent`` columns."""
    parts = textwrap.wrap(text, WIDTH - indent, break_long_words=False, break_on_hyphens=False)
    return [lead + parts[0], *(" " * indent + part for part in parts[1:])] if parts else []
