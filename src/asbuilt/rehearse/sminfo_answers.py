"""What subnet managers answer: ``sminfo``, asked of the master and then of each planned host by its LID."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

STATES = {"master": (3, "SMINFO_MASTER"), "standby": (2, "SMINFO_STANDBY")}


def manager_text(managers: pl.DataFrame, idle: frozenset[str]) -> bytes:
    """One transcript. ``managers``: rows of `SUBNET_MANAGERS` with lid, in order; those on ``idle`` hosts do not answer.

    The first manager that runs is the master, whatever the plan calls it.
    """
    found: list[tuple[bool, str]] = []
    for row in managers.iter_rows(named=True):
        if row["node"] in idle or row["name"] in idle:
            text = "sminfo: iberror: failed: query\n"
        else:
            number, word = STATES["standby" if any(ok for ok, _ in found) else "master"]
            text = (
                f"sminfo: sm lid {row['lid']} sm guid 0x{row['port_guid'].lstrip('0')}, activity count 1 "
                f"priority {row['priority']} state {number} {word}\n"
            )
        found.append((not text.endswith("query\n"), f"$ sminfo {row['lid']}\n{text}"))
    return "".join(text for _, text in found).encode()
