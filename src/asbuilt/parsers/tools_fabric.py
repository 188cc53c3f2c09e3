"""Tools of the fabric and of its switches: tool name -> module that reads it."""

from __future__ import annotations

FABRIC_TOOLS: dict[str, str] = {
    "ibnetdiscover": "ibnetdiscover",
    "lldpctl": "lldp",
    "iblinkinfo": "iblinkinfo",
    "ibroute": "ibroute",
    "opensm-log": "opensm_log",
    "sminfo": "sminfo",
    "ibnodes": "node_lists",
    "ibhosts": "node_lists",
    "ibswitches": "node_lists",
    "ibtracert": "ibtracert",
    "saquery": "saquery",
    "smpquery": "smpquery",
    "ibstat": "ibstat",
    "ibstatus": "ibstatus",
    "perfquery": "perfquery",
    "ibqueryerrors": "ibqueryerrors",
    "mlxlink": "mlxlink",
    "mlxconfig": "mlxconfig",
    "ibdiagnet": "ibdiagnet",
    "ibdiagnet-csv": "ibdiagnet_csv",
    "ibdiagnet-lst": "ibdiagnet_lst",
    "mlnx_qos": "mlnx_qos",
    "cma_roce_tos": "cma_roce_tos",
    "ethtool": "ethtool_stats",
    "roce-ecn": "roce_ecn",
    "nvue-qos": "nvue_qos",
    "sonic-config": "sonic_config",
    "interface-status": "interface_status",
}
#: Tools of which a whole but empty capture is a measurement.
EMPTY_TELLS = frozenset({"lldpctl", "ibqueryerrors", "ibdiagnet"})
