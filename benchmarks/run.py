"""All benches: each ratio against a named peer in the same run on the same machine. Absolute times are only printed.

python benchmarks/run.py --small     sizes for CI; fails below half of a goal
python benchmarks/run.py --full      the sizes of the goals
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CASES = ROOT / "benchmarks" / "cases"
PRODUCT = ROOT / ".venv" / "bin" / "python"
PEER = ROOT / ".venv-oracle" / "bin" / "python"


@dataclass(frozen=True)
class Row:
    """One printed line: what was measured, the peer, the ratio and its goal."""

    name: str
    peer: str
    product_s: float
    peer_s: float | None
    goal: float | None
    peak_mib: float
    note: str

    @property
    def ratio(self) -> float | None:
        return self.peer_s / self.product_s if self.peer_s is not None else None

    @property
    def held(self) -> bool:
        """CI asks for half of a goal: machines are noisy, and a regression is rarely a few percent."""
        return self.goal is None or (self.ratio is not None and self.ratio >= self.goal / 2)


def run_case(script: str, arguments: list[str], python: Path) -> dict[str, Any]:
    """Run one side of a case in its own interpreter and return its JSON line."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "benchmarks")}
    done = subprocess.run(
        [str(python), str(CASES / script), *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{script} {' '.join(arguments)} failed:\n{done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def measure(case: dict[str, Any], size: str) -> Row:
    """Both sides of one case, the peer right after the product, the better of two rounds of each."""
    value = str(case[size])
    sides: dict[str, dict[str, Any]] = {}
    for _ in range(case.get("rounds", 2)):
        for side, python in (("product", PRODUCT), ("peer", PEER if case.get("oracle") else PRODUCT)):
            if side == "peer" and "peer" not in case:
                continue
            name = case.get("product", "product") if side == "product" else case["peer"]
            got = run_case(case["script"], [name, value], python)
            if side not in sides or got["seconds"] < sides[side]["seconds"]:
                sides[side] = got
    product, peer = sides["product"], sides.get("peer")
    if peer is not None:
        for key in ("digest", "rows"):
            if key in product and product[key] != peer.get(key):
                raise SystemExit(f"{case['name']}: product and peer differ in {key}: {product[key]} and {peer.get(key)}")
    peer_s = peer["seconds"] * case.get("peer_factor", 1.0) if peer else None
    note = f"{case['unit']} {value}" + (f"; {product['note']}" if product.get("note") else "")
    return Row(
        case["name"], case.get("peer_name", "none"), product["seconds"], peer_s, case.get("goal"), product["peak_mib"], note
    )


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", default="", help="cases whose name contains this text")
    parser.add_argument("--json", default="", help="also write the rows here")
    options = parser.parse_args()
    size = "full" if options.full else "small"
    cases = tomllib.loads((ROOT / "benchmarks" / "cases.toml").read_text(encoding="utf-8"))["case"]
    rows = []
    print(f"{'what':<34} {'peer':<22} {'ours':>10} {'peer':>10} {'ratio':>8} {'goal':>6} {'peak MiB':>9}  size")
    for case in cases:
        if options.only not in case["name"]:
            continue
        row = measure(case, size)
        rows.append(row)
        ratio = f"{row.ratio:7.1f}x" if row.ratio is not None else "       -"
        peer = f"{row.peer_s * 1e3:8.1f}ms" if row.peer_s is not None else "         -"
        goal = f"{row.goal:g}x" if row.goal else "-"
        flag = "" if row.held else "  BELOW HALF OF THE GOAL"
        print(
            f"{row.name:<34} {row.peer:<22} {row.product_s * 1e3:8.1f}ms {peer} {ratio} {goal:>6} "
            f"{row.peak_mib:9.1f}  {row.note}{flag}",
            flush=True,
        )
    if options.json:
        Path(options.json).write_text(json.dumps([row.__dict__ for row in rows], indent=1), encoding="utf-8")
    return 0 if all(row.held for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
