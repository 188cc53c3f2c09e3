"""Plans for rehearsals on the real OpenSM: the 384-GPU example with quick failover, and a fabric of pods that grows."""

from __future__ import annotations

from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.workflow import templates
from asbuilt.workflow.plan import make_plan

PROGRAMS = ("opensm", "ibsim", "ibnetdiscover", "iblinkinfo", "ibroute", "ibstat", "saquery", "sminfo", "smpquery")
QUICK = "\nsubnets: {ib0: {polling_timeout_ms: 1000, polling_retries: 3}}\n"

PODS = """schema: requirement/v1
name: pods
system: l40s-8gpu
gpus: GPUS
node_names: "node{index:04d}"
growth: {gpus: 256}
workload: {kind: mixed}
planes:
  compute:
    technology: infiniband
    layout: rail-optimised
    rails: 4
    link_gbps: 200
    uplink_gbps: 400
    nic: connectx-7-ndr200
    nodes_per_leaf: 16
    leaf: {switch: qm9700, split: true, uplinks: 8, names: "IBLEAF-{rail:02d}-{block:02d}"}
    spine: {switch: qm9700, count: 4, names: "IBSPINE-{index:02d}"}
    oversubscription: 2
    subnet: ib0
    pkey: 0x100
    service_ports: 0
  storage: {technology: ethernet, rails: 1, link_gbps: 100, nic: connectx-6-dx, leaf: {switch: sn4600c}}
  management: {technology: ethernet, rails: 1, link_gbps: 100, nic: connectx-6-dx, leaf: {switch: sn4600c}}
  oob: {technology: ethernet, link_gbps: 1, leaf: {switch: sn2201}}
"""


def l40s() -> Plan:
    """The 384-GPU example; its standby looks every second and takes over after three looks."""
    return make_plan(decode((templates.text("l40s-384") + QUICK).encode(), "l40s-384"))


def pods(gpus: int) -> Plan:
    """Four leaves, one per rail, for each 128 GPUs; the growth target, and so every LID range, is the same at all sizes."""
    return make_plan(decode((PODS.replace("GPUS", str(gpus)) + QUICK).encode(), "pods"))
