"""The words and codes of OpenSM's files: comments short enough for its line buffers, MTU and rate codes, GUID lists.

OpenSM reads its files with fixed buffers (opensm.conf 1,024 bytes, partitions.conf 4,096, lists of GUIDs 256) and takes
what does not fit for a line of its own. Every line here stays below `LINE_BYTES`.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from asbuilt.base.problem import Problem, ProblemError

if TYPE_CHECKING:
    import polars as pl

#: Below the smallest buffer that any of OpenSM's readers has (256 bytes, list of GUIDs and node-name-map).
LINE_BYTES = 240
#: Characters of a comment line; one may take up to four bytes.
_COMMENT = 55
#: IBTA 14.2.5.6 (PortInfo:NeighborMTU): code of each MTU in bytes.
MTU_CODES = {256: 1, 512: 2, 1024: 3, 2048: 4, 4096: 5}
#: IBTA 15.2.5.16 (PathRecord:Rate) as far as upstream OpenSM 3.3.23 names them (ib_types.h): code of each rate in Gb/s.
RATE_CODES = {
    2.5: 2, 5.0: 5, 10.0: 3, 14.0: 11, 20.0: 6, 25.0: 15, 28.0: 19, 30.0: 4, 40.0: 7, 50.0: 20, 56.0: 12, 60.0: 8, 80.0: 9,
    100.0: 16, 112.0: 13, 120.0: 10, 168.0: 14, 200.0: 17, 300.0: 18, 400.0: 21, 600.0: 22,
}  # fmt: skip


def comment(text: str) -> list[str]:
    """``text`` as comment lines. Whatever would end a line becomes a blank, so no text can become an option."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    wide = 110 if plain.isascii() else _COMMENT
    return [f"# {line}" for line in textwrap.wrap(plain, wide, break_on_hyphens=False)]


def mtu_code(mtu_bytes: int) -> int:
    """The code of the largest MTU that is not above ``mtu_bytes``; the smallest code for less."""
    return max((code for size, code in MTU_CODES.items() if size <= mtu_bytes), default=1)


def rate_code(rate_gbps: float) -> int:
    """The code of the highest rate that is not above ``rate_gbps``: a group at that rate keeps no port out."""
    fitting = [rate for rate in RATE_CODES if rate <= rate_gbps]
    return RATE_CODES[max(fitting)] if fitting else RATE_CODES[2.5]


def one_word(value: str, what: str) -> str:
    """``value`` when it can stand on a line of opensm.conf. Raises `ProblemError` ART-001 otherwise."""
    if not value or not value.isprintable() or value != value.strip() or "#" in value or len(value.encode()) > LINE_BYTES:
        why = "OpenSM reads one printable value to the end of the line"
        raise ProblemError(Problem("ART-001", f"{what} {value[:80]!r} cannot be written", why=why))
    return value


def listed(frame: pl.DataFrame, head: str, guid: str = "port_guid") -> bytes:
    """A file of GUIDs, one a line, sorted; beside each the table and the end port that it is from."""
    import polars as pl

    lines = frame.sort(guid).select(pl.format("0x{} # lids {}", guid, "port")).to_series()
    return ("\n".join([*comment(head), *lines.to_list()]) + "\n").encode()


def placeholders(lids: pl.DataFrame) -> list[str]:
    """Comment lines that say how many GUIDs of `lids` no hardware has yet; none where all are declared or measured."""
    made = int((lids["guid_origin"] == "assumed").sum())
    if not made:
        return []
    what = f"NOT FOR A LIVE FABRIC: {made:,} of {lids.height:,} GUIDs are placeholders that no hardware has."
    why = "Their ports would be in no partition but the default one, as limited members, and a manager would find no port."
    return comment(f"{what} {why} Put the real ones into guids.csv, plan and export again.")
