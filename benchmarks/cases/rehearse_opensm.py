"""By hand, not in CI: one bring-up on the real OpenSM at a size in ports: `rehearse_opensm.py PORTS [ASKED]`.

Prints what a rehearsal costs: loading, SUBNET UP, reading back (ASKED ports one by one, default 400, and every forwarding
table), the computed tables of the plan, and the memory of each program. A DGX H100 cluster of PORTS / 8 nodes on NDR.
"""

from __future__ import annotations

import sys
import time

from asbuilt.model.decode_requirement import decode
from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.scenarios import bring_up
from asbuilt.workflow.plan import make_plan

REQUIREMENT = "schema: requirement/v1\nname: scale\nsystem: dgx-h100\ngpus: {}\nfabric: ndr\n"


def main() -> None:
    ports, asked = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 400
    plan = make_plan(decode(REQUIREMENT.format(ports).encode(), "scale"))
    subnet = plan.table("subnet_managers")["subnet"].unique().sort()[0]
    began = time.monotonic()
    proof = bring_up(plan, subnet, as_planned(plan), asked, lambda text: print("  ", text, file=sys.stderr, flush=True)).proof
    took = time.monotonic() - began
    compared, equal = proof.rows
    end = plan.table("lids").filter(plan.table("lids")["subnet"] == subnet)
    switches = int((end["number"] == 0).sum())
    print(f"{ports:,} ports asked for: {end.height - switches:,} NIC and aggregation ports, {switches:,} switches in {subnet}")
    print(
        f"  {took:.1f} s in all; {', '.join(f'{k} {v:.1f} s' for k, v in proof.seconds.items())}; {proof.questions:,} questions"
    )
    print(f"  {', '.join(f'{k} {v:.0f} MiB' for k, v in proof.memory_mib.items())}")
    print(f"  {equal:,} of {compared:,} rows equal; {proof.ports:,} of {proof.ports_all:,} ports asked one by one")
    for line in (*proof.bad_lines[:5], *proof.silent[:5]):
        print(f"  ! {line}")
    for table in proof.equality:
        if table.equal != table.compared:
            print(f"  ! {table.table}: {table.equal:,} of {table.compared:,}; {table.differences[:2]}")


if __name__ == "__main__":
    main()
