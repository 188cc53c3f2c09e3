"""Write the reproduction table of docs/sizing.md from the reference rows; ``--check`` only says whether it is current."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "sizing.md"
BEGIN, END = "<!-- generated: reproduction -->", "<!-- end -->"


def renewed(page: str) -> str:
    """``page`` with the table between the marks made anew."""
    sys.path.insert(0, str(ROOT / "tests" / "oracle"))
    from reproduction import markdown, rows

    before, rest = page.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    return f"{before}{BEGIN}\n{markdown(rows())}\n{END}{after}"


def main() -> int:
    page = PAGE.read_text(encoding="utf-8")
    made = renewed(page)
    if "--check" in sys.argv:
        return int(made != page)
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
