"""Tools of what a machine tells of its network cards: tool name -> module that reads it."""

from __future__ import annotations

NIC_TOOLS: dict[str, str] = {
    "mst-status": "mst_status",
    "flint": "flint",
    "mlxfwmanager": "mlxfwmanager",
    "ibdev2netdev": "ibdev2netdev",
    "show_gids": "show_gids",
    "ofed_info": "ofed_info",
    "ibv_devinfo": "ibv_devinfo",
}
