"""`asbuilt catalogue`: hardware facts with unit, trust and source, by kind and part; errata and contradictions."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from asbuilt.base.origin import Figure
    from asbuilt.workflow.catalogue import Catalogue, Part

HELP = "Browse hardware facts: kinds, the parts of a kind, or one part with every figure, its unit, trust and source."
ERRATA = "errata"
PLAIN_WIDTH = 100
BOLD, DIM, YELLOW = "1", "2", "33"
# Headings that say it shorter than the key.
SHORT = {
    "gpus_per_node": "GPUs",
    "nodes_per_unit": "per rack unit",
    "power_max_w": "power",
    "heat_max_w": "heat",
    "memory_bandwidth_tbytes_s": "band- width",
    "bf16_dense_tflops": "BF16 dense",
    "tdp_w": "TDP",
    "scale_up_gbytes_s": "scale-up",
    "scale_up_domain_gpus": "domain GPUs",
    "far_form_factor": "far end",
    "form_factor": "form",
    "heatsink": "fins",
    "pci_device_id": "PCI",
    "fabrics": "fabric",
    "link_types": "link",
    "rates_gbps": "rate",
    "technology": "link layer",
    "su_gpus": "SU GPUs",
    "su_read_gbytes_s": "SU read",
    "su_write_gbytes_s": "SU write",
    "node_read_gbytes_s": "node read",
    "load_max_kg": "load",
    "power_max_kw": "power",
    "su_nodes": "SU nodes",
    "supply_c_max": "supply most",
    "allowable_c_max": "inlet most",
}


@dataclass(frozen=True, slots=True)
class Table:
    """A table to show: headings, rows of texts, and how wide a column may grow (0: what is left)."""

    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    limits: tuple[int, ...] = ()
    right: tuple[int, ...] = ()
    title: str = ""


@dataclass(slots=True)
class Sheet:
    """What one call shows: a title, tables, and lines below them."""

    title: str
    tables: list[Table] = field(default_factory=list)
    below: list[str] = field(default_factory=list)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "kind", nargs="?", metavar="KIND", help="system, gpu, nic, switch, ... or errata; without it: the kinds"
    )
    parser.add_argument("part", nargs="?", metavar="ID", help="a part of that kind; without it: the parts")
    parser.add_argument("--yaml", action="store_true", help="the part's file as it stands, to start your own from")
    parser.add_argument("--json", action="store_true", help="the same as JSON")


def run(args: argparse.Namespace) -> int:
    from pathlib import Path

    from asbuilt.workflow.catalogue import open_catalogue

    catalogue = open_catalogue(Path(getattr(args, "directory", ".")))
    if args.yaml and args.part and args.kind != ERRATA:
        print(catalogue.text(args.kind, args.part), end="")
    elif args.yaml:
        raise _usage("--yaml prints the file of one part", "name it: asbuilt catalogue system dgx-h100 --yaml")
    elif args.json:
        import json

        print(json.dumps(_document(catalogue, args.kind, args.part), indent=2, ensure_ascii=False))
    else:
        _show(_sheet(catalogue, args.kind, args.part))
    return 0


def _usage(what: str, fix: str) -> Exception:
    from asbuilt.base.problem import Problem, ProblemError

    return ProblemError(Problem("CAT-014", what, fix=fix))


def _document(catalogue: Catalogue, kind: str | None, part_id: str | None) -> dict[str, Any]:
    from asbuilt.workflow import catalogue as flow

    head = {"schema": "catalogue/v1"}
    if kind is None:
        return {**head, "kinds": [{"kind": k, "parts": n, "meaning": m} for k, n, m in flow.kind_lines(catalogue)]}
    if kind == ERRATA:
        return {**head, **_errata_json(part_id)}
    if part_id is None:
        lines = flow.part_lines(catalogue, kind)
        return {**head, "kind": kind, "parts": [_line_json(line) for line in lines]}
    return {**head, **flow.part_json(catalogue.get(kind, part_id))}


def _errata_json(wanted: str | None) -> dict[str, Any]:
    from dataclasses import asdict

    from asbuilt.workflow.catalogue import contradictions, errata

    wrong = [asdict(e) for e in errata() if wanted in (None, e.id) or wanted == e.id.lower()]
    torn = [asdict(c) for c in contradictions() if wanted in (None, c.id) or wanted == c.id.lower()]
    if not wrong and not torn:
        _unknown_erratum(str(wanted))
    return {"errata": wrong, "contradictions": torn}


def _line_json(line: Any) -> dict[str, Any]:
    from asbuilt.workflow.catalogue import figure_json

    plain = {name: getattr(line, name) for name in ("id", "name", "file", "own", "figures", "low")}
    return {**plain, "telling": {key: figure_json(figure) for key, figure in line.telling.items()}}


# ---- what to show
def _sheet(catalogue: Catalogue, kind: str | None, part_id: str | None) -> Sheet:
    if kind is None:
        return _kinds(catalogue)
    if kind == ERRATA:
        return _errata(catalogue, part_id)
    return _parts(catalogue, kind) if part_id is None else _part(catalogue.get(kind, part_id))


def _kinds(catalogue: Catalogue) -> Sheet:
    from asbuilt.workflow.catalogue import contradictions, errata, kind_lines

    rows = [(kind, str(count), meaning) for kind, count, meaning in kind_lines(catalogue)]
    known = len(errata()) + len(contradictions())
    rows.append((ERRATA, str(known), "errors in published tables, and contradictions between sources"))
    below = ["asbuilt catalogue KIND lists the parts, asbuilt catalogue KIND ID shows one with every source."]
    return Sheet("Hardware catalogue", [Table(("kind", "parts", "what"), rows, right=(1,))], below)


def _parts(catalogue: Catalogue, kind: str) -> Sheet:
    from asbuilt.base.origin import Confidence
    from asbuilt.workflow.catalogue import TELLING, part_lines, schema

    lines = part_lines(catalogue, kind)
    keys = [key for key in TELLING[kind] if any(key in line.telling for line in lines)]
    units = {key: next((line.telling[key].unit for line in lines if key in line.telling), "") for key in keys}

    def cell(key: str, figure: Figure | None) -> str:
        if figure is None:
            return "-"
        mark = "?" if figure.confidence is Confidence.LOW else ""
        return _brief(key, figure.value) + mark

    rows = [
        (
            line.id + ("+" if line.own else ""),
            *(cell(key, line.telling.get(key)) for key in keys),
            _short_name(line),
        )
        for line in lines
    ]
    heads = ("id", *(f"{_head(key)} {units[key]}".strip() for key in keys), "name")
    numeric = tuple(
        i
        for i, key in enumerate(keys, start=1)
        if all(key == "rates_gbps" or isinstance(line.telling[key].value, int | float) for line in lines if key in line.telling)
    )
    below = []
    if any(line.low and "?" in "".join(row) for line, row in zip(lines, rows, strict=True)):
        below.append("? low trust: recalled or assumed, verify before use. - nobody stated it.")
    if any(line.own for line in lines):
        below.append("+ from the project's own catalogue folder.")
    table = Table(heads, rows, (0, *(24 for _ in keys), 0), numeric)
    meaning = schema.KIND_MEANING[kind]
    return Sheet(f"{kind}: {len(lines)} part{'s' if len(lines) != 1 else ''} · {meaning}", [table], below)


def _short_name(line: Any) -> str:
    """The name without maker and part number where the id says the same."""
    name = str(line.name).removeprefix("NVIDIA ")
    head, _, rest = name.partition(", ")
    return rest if rest and head.lower() == line.id else name


def _brief(key: str, value: Any) -> str:
    """A value in a list of parts: link layers by their letters, the fastest rate, the default profile and how many more."""
    from asbuilt.workflow.catalogue import value_text

    if key == "link_types":
        return "+".join({"infiniband": "IB", "ethernet": "ETH"}.get(v, v) for v in value)
    if key == "rates_gbps":
        return value_text(max(value))
    if key == "rate_gbps" and not value:
        return "any"
    if key == "fabrics":
        return str(value[0]) + (f" +{len(value) - 1}" if len(value) > 1 else "")
    return value_text(value)


def _head(key: str) -> str:
    """A column heading: the key without its unit ending, short."""
    from asbuilt.workflow.catalogue import schema

    if key in SHORT:
        return SHORT[key]
    for ending in schema.SUFFIX_UNITS:
        if key.endswith(ending):
            key = key.removesuffix(ending)
            break
    return key.replace("_", " ")


def _part(part: Part) -> Sheet:
    from asbuilt.base.origin import Origin
    from asbuilt.workflow.catalogue import is_own, trust_text, value_text

    sources: dict[str, int] = {}
    rows: list[tuple[str, ...]] = []
    inner: list[Table] = []
    for key, figure in part.figures.items():
        said = figure.source.removeprefix("assumed: ") if figure.origin is Origin.ASSUMED else ""
        note = "; ".join(text for text in (said, figure.note) if text)
        number = "" if said else f"[{sources.setdefault(figure.source, len(sources) + 1)}]"
        rows.append((key, value_text(figure.value, figure.unit), trust_text(figure), number, note))
        if isinstance(figure.value, list) and isinstance(figure.value[0], dict):
            inner.append(_rows_table(key, figure.value))
    name = part.name + (f" · your own: {part.file}" if is_own(part) else "")
    main = Table(("figure", "value", "trust", "source", "note"), rows, (0, 26, 15, 6, 0))
    below = [f"[{number}] {source}" for source, number in sources.items()]
    below += [f"{key}: a part of the requirement, see {part.file}" for key in part.detail]
    return Sheet(f"{part.kind} {part.id} · {name}", [main, *inner], below)


def _rows_table(key: str, rows: list[dict[str, Any]]) -> Table:
    heads = tuple(rows[0])
    cells = [tuple(str(row.get(head, "")) for head in heads) for row in rows]
    right = tuple(i for i, head in enumerate(heads) if all(isinstance(row.get(head), int | float) for row in rows))
    return Table(heads, cells, right=right, title=key)


def _errata(catalogue: Catalogue, wanted: str | None) -> Sheet:
    from asbuilt.workflow.catalogue import contradictions, errata, use_texts

    def keep(known: str) -> bool:
        return wanted is None or known == wanted.upper()

    wrong = [(e.id, e.where, e.printed, e.correct, e.confidence.value) for e in errata() if keep(e.id)]
    torn = [
        (c.id, c.topic, f"{c.first} / {c.second}", "; ".join([*use_texts(catalogue, c), *filter(None, [c.advice])]))
        for c in contradictions()
        if keep(c.id)
    ]
    if not wrong and not torn:
        _unknown_erratum(str(wanted))
    sheet = Sheet("Errors in published tables, and contradictions between sources")
    if wrong:
        sheet.tables.append(Table(("id", "where", "printed", "right", "trust"), wrong, (0, 26, 0, 0, 0)))
    if torn:
        sheet.tables.append(Table(("id", "topic", "sources say", "used here"), torn, (0, 18, 30, 0)))
    return sheet


def _unknown_erratum(wanted: str) -> None:
    from asbuilt.base.problem import Problem, ProblemError

    raise ProblemError(
        Problem("CAT-002", f"no erratum {wanted!r}", fix="asbuilt catalogue errata lists them: E1 to E8, C01 to C17")
    )


# ---- how to show it
def _show(sheet: Sheet) -> None:
    import os
    import shutil
    import sys

    terminal = sys.stdout.isatty()
    width = max(PLAIN_WIDTH * 4 // 5, shutil.get_terminal_size().columns) if terminal else PLAIN_WIDTH
    print(sheet_text(sheet, width, colour=terminal and not os.environ.get("NO_COLOR")))


def sheet_text(sheet: Sheet, width: int, *, colour: bool = False) -> str:
    """``sheet`` as text of at most ``width`` columns where the words allow it; long cells fold inside their column."""
    import textwrap

    blocks = [_painted(sheet.title, BOLD) if colour else sheet.title]
    blocks += ["\n".join(_table_lines(table, width, colour)) for table in sheet.tables]
    if sheet.below:
        folded = [
            textwrap.fill(line, width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
            for line in sheet.below
        ]
        blocks.append("\n".join(_painted(line, DIM) if colour else line for line in folded))
    return "\n\n".join(blocks)


def _painted(text: str, code: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if text.strip() else text


def _table_lines(table: Table, width: int, colour: bool) -> list[str]:
    widths = _widths(table, width)
    heads = _row_lines(table.heads, widths, table.right)
    lines = [*([table.title] if table.title else []), *("  ".join(head).rstrip() for head in heads)]
    if colour:
        lines = [_painted(line, BOLD) for line in lines]
    lines.append("  ".join("-" * w for w in widths))
    for row in table.rows:
        codes = [YELLOW if cell.startswith("LOW") or (cell.endswith("?") and i) else "" for i, cell in enumerate(row)]
        for cells in _row_lines(row, widths, table.right):
            shown = [_painted(c, code) if colour and code else c for c, code in zip(cells, codes, strict=True)]
            lines.append("  ".join(shown).rstrip())
    return lines


def _widths(table: Table, width: int) -> list[int]:
    """Column widths: what the cells need, bounded by their limits; headings fold; the widest unbounded ones give way."""
    columns = list(zip(*table.rows, strict=True))
    words = [max(_longest_word(cell) for cell in (head, *column)) for head, column in zip(table.heads, columns, strict=True)]
    limits = table.limits or (0,) * len(columns)
    widths = []
    for column, word, limit in zip(columns, words, limits, strict=True):
        need = max(len(cell) for cell in column)
        widths.append(max(word, min(need, limit) if limit else need))
    over = sum(widths) + 2 * (len(widths) - 1) - width
    while over > 0:
        loose = [i for i in range(1, len(widths)) if not limits[i] and widths[i] > max(words[i], 10)]
        if not loose:
            break
        widths[max(loose, key=lambda i: widths[i])] -= 1
        over -= 1
    return widths


def _longest_word(text: str) -> int:
    return max((len(word) for word in text.split()), default=0)


def _row_lines(cells: Sequence[str], widths: Sequence[int], right: Sequence[int]) -> list[list[str]]:
    """The lines of one row, each a list of padded cells."""
    import textwrap

    folded = [
        textwrap.wrap(cell, w, break_on_hyphens=False, break_long_words=False) or [""]
        for cell, w in zip(cells, widths, strict=True)
    ]
    lines = []
    for number in range(max(len(f) for f in folded)):
        texts = [f[number] if number < len(f) else "" for f in folded]
        lines.append([t.rjust(w) if i in right else t.ljust(w) for i, (t, w) in enumerate(zip(texts, widths, strict=True))])
    return lines
