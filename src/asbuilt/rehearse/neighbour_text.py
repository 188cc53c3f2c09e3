"""The neighbour table that `lldpcli -f json0 show neighbors` prints, written from link rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl


def neighbour_text(links: pl.DataFrame) -> bytes:
    """The table of one switch from its rows of the columns of `LINK_FACTS`; no rows, an empty table.

    Interfaces are ``swp<port>``. Chassis ids are those that stand for the devices in the facts: a MAC address is not known.
    """
    rows = links.sort("port").select("port", "peer_guid", "peer_port", "peer_description", "peer_kind").rows()
    records = [_record(*row) for row in rows]
    return (json.dumps({"lldp": [{"interface": records}]}, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def _record(port: int, guid: str, far_port: int, description: str, kind: str) -> dict[str, Any]:
    switch = kind == "switch"
    name, _, interface = (description, "", f"swp{far_port}") if switch else description.rpartition(" ")
    capability = [{"type": "Bridge", "enabled": switch}, {"type": "Station", "enabled": not switch}]
    chassis = {"id": [{"type": "local", "value": guid}], "name": [{"value": name}], "capability": capability}
    far = [{"id": [{"type": "ifname", "value": interface}]}]
    return {"name": f"swp{port}", "via": "LLDP", "chassis": [chassis], "port": far}
