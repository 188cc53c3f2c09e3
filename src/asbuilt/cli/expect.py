"""`asbuilt expect`: what number should I expect, with the calculation, what others measured, and the tolerance."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asbuilt.predict.expected import Expected
    from asbuilt.predict.published import Published
    from asbuilt.workflow.expect import Held

HELP = """What number should I expect? Bus bandwidth of collectives, RDMA, copies, memory, multiplication, of any system.

Prints the value with its calculation line by line, published measurements near it, floors that tools use, and the tolerance.
--against-published holds the model against every published measurement. Exit 0 within the proven regime, 3 outside it."""

EXAMPLES = """
examples:
  asbuilt expect --system dgx-h100 --gpus 64
  asbuilt expect --system gb200-nvl72 --gpus 144 --size 2GiB
  asbuilt expect --system l40s-8gpu --quantity rdma
  asbuilt expect --against-published
"""
_UNITS = {"": 1, "b": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "kb": 10**3, "mb": 10**6, "gb": 10**9}


def arguments(parser: argparse.ArgumentParser) -> None:
    """What is asked about."""
    parser.epilog = EXAMPLES
    parser.add_argument("--system", metavar="ID", default="", help="system of the catalogue")
    parser.add_argument("--gpus", type=int, metavar="N", help="GPUs that take part (default: one NVLink domain, or one node)")
    parser.add_argument(
        "--quantity", "--collective", default="all_reduce", metavar="NAME",
        help="all_reduce, all_gather, ..., rdma, h2d, d2h, p2p, hbm, gemm-bf16, gemm-fp8 (default: all_reduce)",
    )  # fmt: skip
    parser.add_argument("--size", default="8GiB", metavar="SIZE", help="message size of a collective (default: 8GiB)")
    parser.add_argument("--against-published", action="store_true", help="hold the model against every published measurement")
    parser.add_argument("--json", action="store_true", help="the answer as JSON")


def run(args: argparse.Namespace) -> int:
    """Print the expectation, or how the model meets what others published."""
    import json
    from pathlib import Path

    from asbuilt.base.problem import Problem, ProblemError
    from asbuilt.workflow.expect import against_published, as_json, expect
    from asbuilt.workflow.plan import project_catalogue

    catalogue = project_catalogue(Path(args.directory))
    if args.against_published:
        held = against_published(catalogue)
        print(json.dumps([_held_json(h) for h in held], indent=1) if args.json else published_screen(held))
        return 0
    if not args.system:
        raise ProblemError(Problem("CLI-085", "no system was named", fix="say --system dgx-h100"))
    found = expect(args.system, args.gpus, args.quantity, size_of(args.size), catalogue)
    print(json.dumps(as_json(found), indent=1, ensure_ascii=False) if args.json else screen(found))
    return 0 if found.proven else 3


def size_of(text: str) -> int:
    """Bytes of ``8GiB``. Raises `ProblemError` CLI-085."""
    import re

    from asbuilt.base.problem import Problem, ProblemError

    found = re.match(r"^(\d{1,12})\s*([A-Za-z]*)$", text.strip())
    if found is None or found[2].lower() not in _UNITS or not 1 <= int(found[1]) * _UNITS[found[2].lower()] < 1 << 50:
        raise ProblemError(Problem("CLI-085", f"{text!r} is no message size", fix="write 8GiB, 512MiB or bytes"))
    return int(found[1]) * _UNITS[found[2].lower()]


def bytes_text(size: int | None) -> str:
    """``8 GiB``; empty for none."""
    if size is None:
        return ""
    for word, unit in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= unit:
            return f"{size / unit:g} {word}"
    return f"{size} B"


def screen(found: Expected) -> str:
    """The expectation as text."""
    from asbuilt.predict.published import near

    what = f"{found.quantity} of {found.gpus} GPUs, {bytes_text(found.size_bytes)}" if found.size_bytes else found.quantity
    lines = [f"{what}, {found.machine.system}"]
    if found.value is None or found.low is None or found.high is None:
        lines.append(f"  no criterion: {found.why}")
    else:
        lines.append(
            f"  {found.value:,.4g} {found.unit}   {found.low:,.4g} to {found.high:,.4g} ({found.tolerance:.0%} either way)"
        )
        lines.append("  within what published measurements cover" if found.proven else f"  NOT PROVEN: {found.why}")
    if found.lines:
        lines += ["", "calculation"]
        lines += [f"  {x.what:<26} {x.amount:<44} {x.origin}: {x.source}" for x in found.lines]
    rows = near(found.quantity, found.machine.gpu, found.gpus)
    if rows:
        lines += ["", f"published of {found.machine.gpu}"]
        lines += [_row(p, found) for p in rows[:14]]
    return "\n".join(lines)


def _row(row: Published, found: Expected) -> str:
    who = f"{row.gpus} GPUs {bytes_text(row.size_bytes)}".strip()
    note = "; ".join(x for x in (row.conditions, f"not comparable: {row.unlike}" if row.unlike else "") if x)
    off = ""
    same = row.gpus == found.gpus and row.size_bytes in (None, found.size_bytes) and not row.unlike
    if same and found.value and row.kind == "measured":
        off = f" ({row.value / found.value - 1:+.0%})"
    return f"  {row.kind:<9} {row.value:>8,.5g} {row.unit:<6} {who:<18}{off:<8} {row.source}{'; ' + note if note else ''}"


def published_screen(held: tuple[Held, ...]) -> str:
    """Every published measurement beside the expectation, and how many are within the tolerance."""
    lines = ["* constants were fitted to this row", ""]
    for h in held:
        row = h.row
        who = f"{row.quantity} {row.gpu} {row.gpus} {bytes_text(row.size_bytes)}".strip()
        if h.within is None:
            lines.append(f"  not counted  {who:<44} {row.value:>8,.5g} {row.unit:<6} {h.why}")
            continue
        value = h.expectation.value if h.expectation is not None and h.expectation.value is not None else 0.0
        word = ("within*    " if row.fitted else "within     ") if h.within else "MISSED     "
        told = f"expected {value:,.4g}, {row.value / value - 1:+.1%}"
        lines.append(f"  {word}  {who:<44} {row.value:>8,.5g} {row.unit:<6} {told}{'; ' + h.why if h.why else ''}")
    counted = [h for h in held if h.within is not None]
    well = sum(bool(h.within) for h in counted)
    new = [h for h in counted if not h.row.fitted]
    predicted = sum(bool(h.within) for h in new)
    beside = len(held) - len(counted)
    lines += [
        "",
        f"{well} of {len(counted)} published measurements are within the stated tolerance; {beside} are not comparable",
        f"constants were fitted to {len(counted) - len(new)} of them; of the other {len(new)}, {predicted} are within",
    ]
    return "\n".join(lines)


def _held_json(held: Held) -> dict[str, object]:
    value = held.expectation.value if held.expectation is not None else None
    return {
        "published": {f: getattr(held.row, f) for f in held.row.__slots__},
        "expected": None if value is None else round(value, 3),
        "within": held.within,
        "why": held.why,
    }
