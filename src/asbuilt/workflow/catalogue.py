"""Browsing the catalogue: which parts there are, what each figure says, and where published sources disagree."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asbuilt.base.origin import Confidence, Figure, Origin
from asbuilt.base.problem import Problem, ProblemError
from asbuilt.catalogue import schema
from asbuilt.catalogue.errata import Contradiction, contradictions, errata
from asbuilt.catalogue.load import Catalogue, Part, load

__all__ = [
    "TELLING",
    "Catalogue",
    "Contradiction",
    "Part",
    "PartLine",
    "contradictions",
    "contradictions_page",
    "errata",
    "errata_page",
    "figure_json",
    "is_own",
    "keys_page",
    "kind_lines",
    "open_catalogue",
    "part_json",
    "part_lines",
    "refreshed_page",
    "schema",
    "trust_text",
    "use_texts",
    "value_text",
]

# The figures that tell the parts of one kind apart, in the order of their columns.
TELLING = {
    "system": ("gpus_per_node", "nodes_per_unit", "height_u", "power_max_w", "heat_max_w", "weight_kg", "fabrics"),
    "gpu": (
        "memory_gb",
        "memory_bandwidth_tbytes_s",
        "bf16_dense_tflops",
        "tdp_w",
        "scale_up_gbytes_s",
        "scale_up_domain_gpus",
    ),
    "nic": ("link_types", "rates_gbps", "ports", "cage", "pci_device_id"),
    "switch": ("technology", "ports", "rate_gbps", "cages", "asics", "height_u", "power_max_w"),
    "optic": ("media", "rate_gbps", "ports", "reach_m", "power_max_w", "form_factor", "heatsink", "polish"),
    "cable": ("media", "rate_gbps", "ports", "reach_m", "form_factor", "far_form_factor", "connector"),
    "fibre": ("class", "media", "connector", "legs", "loss_om4_max_db", "loss_os2_max_db"),
    "rack": ("height_u", "width_mm", "depth_mm", "load_max_kg", "power_max_kw"),
    "power": ("class", "voltage_v", "breaker_a", "usable_a", "capacity_kva", "capacity_w"),
    "cooling": ("class", "capacity_kw", "flow_l_min", "supply_c_max", "allowable_c_max"),
    "storage": ("su_gpus", "su_read_gbytes_s", "su_write_gbytes_s", "node_read_gbytes_s"),
    "software": ("class",),
    "fabric": ("su_nodes",),
}


@dataclass(frozen=True, slots=True)
class PartLine:
    """One part in the list of its kind; ``own`` when it comes from the user's folder, ``low`` counts weak figures."""

    id: str
    name: str
    file: str
    own: bool
    figures: int
    low: int
    telling: dict[str, Figure]


def open_catalogue(directory: Path | None = None) -> Catalogue:
    """The built-in catalogue, with the folder ``catalogue/`` of the project in ``directory`` over it where there is one."""
    own = directory / "catalogue" if directory is not None else None
    return load([own]) if own is not None and own.is_dir() else load()


def kind_lines(catalogue: Catalogue) -> list[tuple[str, int, str]]:
    """(kind, number of parts, meaning) of every kind."""
    return [(kind, len(catalogue.ids(kind)), schema.KIND_MEANING[kind]) for kind in catalogue.kinds()]


def part_lines(catalogue: Catalogue, kind: str) -> list[PartLine]:
    """Every part of ``kind`` with its telling figures. ``ProblemError`` with the problems of all its broken files at once."""
    lines: list[PartLine] = []
    problems: list[Problem] = []
    for part_id in catalogue.ids(kind):
        try:
            part = catalogue.get(kind, part_id)
        except ProblemError as error:
            problems += error.problems.items
            continue
        telling = {key: part.figures[key] for key in TELLING[kind] if key in part.figures}
        low = sum(f.confidence is Confidence.LOW for f in part.figures.values())
        lines.append(PartLine(part.id, part.name, part.file, is_own(part), len(part.figures), low, telling))
    if problems:
        raise ProblemError(problems)
    return lines


def is_own(part: Part) -> bool:
    """True when the part comes from a user's folder and not with the program."""
    return part.file != f"catalogue/{part.kind}/{part.id}.yaml"


def figure_json(figure: Figure) -> dict[str, Any]:
    """A figure as it stands in JSON."""
    return {
        "value": figure.value,
        "unit": figure.unit,
        "confidence": figure.confidence.value,
        "origin": figure.origin.value,
        "source": figure.source,
        "note": figure.note,
    }


def part_json(part: Part) -> dict[str, Any]:
    """A part as it stands in JSON: every figure with unit, source, confidence and origin."""
    figures = {key: figure_json(figure) for key, figure in part.figures.items()}
    head = {"kind": part.kind, "id": part.id, "name": part.name, "file": part.file, "own": is_own(part)}
    return {**head, "figures": figures, "detail": dict(part.detail)}


def value_text(value: Any, unit: str = "") -> str:
    """A figure's value for people: ``10,200 W``, ``400, 200, 100 Gb/s``, ``64 at 400, 128 at 200``; rows are counted."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return f"{len(value)} rows"
    if isinstance(value, dict):
        return ", ".join(f"{_plain(v)} at {k}" for k, v in value.items())
    if isinstance(value, list):
        text = ", ".join(_plain(v) for v in value)
    else:
        text = _plain(value)
    return f"{text} {unit}" if unit and unit != "fraction" else text


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.6g}"
    return str(value)


def trust_text(figure: Figure) -> str:
    """Confidence, and the origin where it is not a published figure: ``high``, ``medium, derived``, ``LOW, assumed``."""
    confidence = figure.confidence.value.upper() if figure.confidence is Confidence.LOW else figure.confidence.value
    return confidence if figure.origin is Origin.PUBLISHED else f"{confidence}, {figure.origin.value}"


def use_texts(catalogue: Catalogue, found: Contradiction) -> list[str]:
    """What serves which purpose: ``dgx-h100 power_max_w 10,200 W: feeders and breakers``."""
    texts = []
    for use in found.used:
        kind, _, part_id = use.part.partition("/")
        figure = catalogue.get(kind, part_id).figure(use.key)
        texts.append(f"{part_id} {use.key} {value_text(figure.value, figure.unit)}: {use.purpose}")
    return texts


def contradictions_page(catalogue: Catalogue) -> str:
    """The contradictions as a Markdown table, for the documentation."""
    rows = ["| id | topic | one source | another | used here | trust |", "|---|---|---|---|---|---|"]
    for found in contradictions():
        used = "<br>".join(_code(text) for text in use_texts(catalogue, found))
        advice = f"<br>{found.advice}" if found.advice else ""
        rows.append(
            f"| {found.id} | {found.topic} | {found.first} | {found.second} | {used}{advice} | {found.confidence.value} |"
        )
    return "\n".join(rows) + "\n"


def errata_page() -> str:
    """The errors in published tables as a Markdown table, for the documentation."""
    rows = ["| id | where | printed | right | trust |", "|---|---|---|---|---|"]
    rows += [f"| {e.id} | {e.where} | {e.printed} | {e.correct} | {e.confidence.value} |" for e in errata()]
    return "\n".join(rows) + "\n"


def refreshed_page(text: str, catalogue: Catalogue) -> str:
    """``text`` of docs/catalogue.md with the tables between its ``<!-- generated: … -->`` marks made anew."""
    for name, table in (("contradictions", contradictions_page(catalogue)), ("errata", errata_page())):
        before, mark, rest = text.partition(f"<!-- generated: {name} -->\n")
        _, end, after = rest.partition("<!-- end -->")
        text = before + mark + table + end + after
    return text


def keys_page() -> str:
    """Every figure that a part may hold, by kind, as Markdown, for the reference."""
    text = ["# Figures of the catalogue", "", "Generated from `asbuilt.catalogue.schema`; do not edit.", ""]
    text += ["Figures marked `*` must be there. A figure without a unit is a count, a name, a flag or a list of names.", ""]
    for kind, keys in schema.KEYS.items():
        text += [f"## {kind}", "", f"{schema.KIND_MEANING[kind][0].upper()}{schema.KIND_MEANING[kind][1:]}.", ""]
        text += ["| figure | unit | is | meaning |", "|---|---|---|---|"]
        text += [
            f"| `{k.name}`{' *' if k.required else ''} | {k.unit} | {schema.SHAPES[k.shape]} | {k.meaning} |" for k in keys
        ]
        if kind == "system":
            names = ", ".join(f"`{name}`" for name in schema.UNIT_KEYS)
            text += ["", f"Where `nodes_per_unit` is not 1 these must be there too: {names}."]
        text.append("")
    return "\n".join(text)


def _code(text: str) -> str:
    head, _, purpose = text.partition(": ")
    return f"`{head}`: {purpose}"
