"""What a rehearsal on the real OpenSM proved, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asbuilt.rehearse.equality import Equality
    from asbuilt.rehearse.proof import Proof

SHOWN = 10
_MARK = {True: "holds", False: "FAILS", None: "done"}


def proof_lines(proof: Proof) -> list[str]:
    """One subnet's scenario: programs, steps, rows compared, what was left out, times and memory."""
    programs = ", ".join(f"{name} {version}" for name, version in proof.programs.items())
    lines = [f"scenario    {proof.scenario} on subnet {proof.subnet}: {programs}"]
    if proof.substitutions:
        told = ", ".join(f"{count:,} cable ends {word}" for word, count in sorted(proof.substitutions.items()))
        lines.append(f"substituted {told}: loaded as 4xHDR, left out of the equality")
    lines += [f"  {_MARK[s.holds]:<6} {s.what}: {s.found}" for s in proof.steps]
    compared, equal = proof.rows
    if proof.equality:
        lines.append(f"rows        {compared:,} compared with the plan or with before, {equal:,} equal")
        for table in proof.equality:
            lines += _table(table)
    if proof.ports < proof.ports_all:
        lines.append(f"ports       {proof.ports:,} of {proof.ports_all:,} were asked one by one")
    lines += _listed("not taken", proof.bad_lines, "lines of the managers' logs tell of an error or of something not taken")
    lines += _listed("no answer", proof.silent, "questions got no answer")
    times = ", ".join(f"{step} {seconds:.1f} s" for step, seconds in proof.seconds.items())
    memory = ", ".join(f"{name} {mib:.0f} MiB" for name, mib in proof.memory_mib.items())
    return [*lines, f"times       {times}; {proof.questions:,} questions", f"memory      {memory}"]


def _table(table: Equality) -> list[str]:
    mark = "equal" if table.holds else "open" if table.compared == table.equal else "DIFFER"
    left = "; ".join(f"{count:,} left out: {reason}" for reason, count in table.left_out.items())
    lines = [f"  {mark:<6} {table.table}: {table.equal:,} of {table.compared:,}{'; ' + left if left else ''}"]
    return lines + [f"           {difference}" for difference in table.differences]


def _listed(title: str, found: tuple[str, ...], what: str) -> list[str]:
    if not found:
        return []
    more = [f"            and {len(found) - SHOWN:,} more"] if len(found) > SHOWN else []
    return [f"{title:<11} {len(found):,} {what}", *(f"            {line}" for line in found[:SHOWN]), *more]
