"""The plan for NetBox: device types, bulk import files, and all objects as its API takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.artefacts import netbox_csv, netbox_json, netbox_types
from asbuilt.artefacts.netbox_records import Inventory, inventory
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

TARGET = "netbox"
WRITES = (
    "NetBox 4.4: device types (netbox/device-types/*.yaml), bulk import files in order (netbox/import/NN-*.csv), every "
    "interface (netbox/inventory/interfaces.csv) and all objects in the shapes of its API (netbox/objects.json)"
)
LOST = (
    "liquid cooling: loops, CDUs, hoses, manifolds; NetBox has no model of a fluid",
    "trays, routes and fill: NetBox's cables have a length and no way",
    "subnets, LIDs, GUIDs, partition keys, service levels, expectations; addresses have a target of their own",
    "rail, subplane and island of a link, and which GPU a NIC serves",
    "optical modules: NetBox has inventory items, which its cables do not know",
    "polarity, gender, polish and fibres of a trunk, other than as the text of its description",
    "which leg of a splitter ends where within one cable: each leg is a cable of its own, all with the key of the splitter",
    "the second fibre cable of a link over two: a NetBox interface takes one cable",
    "conductors between two phases: L1-L2 is leg A, L2-L3 leg B, L3-L1 leg C; and the neutral, banks and derating of PDUs",
    "busways beyond their name: rating, drop and fault current; busbars of racks and the shares of shelves",
    "weight, power and air of a rack; weight of a device: the plan has them by rack only",
    "panel positions without a trunk: their ports appear with the trunk",
)
WHY = "no NetBox was asked; every object is held against the request schemas of its API (OpenAPI, 4.4.9)"


def netbox(plan: Plan) -> dict[str, bytes]:
    """Files by path under ``netbox/``; nothing for a plan that knows no racks or switches. Equal plans give equal bytes.

    Natural keys stand in the custom field ``asbuilt_id``. Lengths in metres, powers in watts, speeds in kb/s.
    Raises `ProblemError` ART-001 for names that NetBox cannot hold.
    """
    if not all(plan.has(t) for t in ("racks", "switches", "nodes", "links")):
        return {}
    held = inventory(plan)
    files = {f"netbox/import/{name}": data for name, data in netbox_csv.csv_files(held).items()}
    files |= _device_types(held)
    files["netbox/inventory/interfaces.csv"] = netbox_csv.csv(netbox_csv.interfaces(held, extra=False))
    files["netbox/objects.json"] = netbox_json.document(held)
    files["netbox/README.txt"] = _readme(held).encode()
    return files


def _device_types(held: Inventory) -> dict[str, bytes]:
    import polars as pl

    frames = {"power-ports": held.power_ports, "power-outlets": held.outlets, "interfaces": held.interfaces}
    common = {name: netbox_types.split(frame, held.of_type, netbox_types.SECTIONS[name])[0] for name, frame in frames.items()}
    switches = held.devices.filter(pl.col("key").str.starts_with("sw:"))["type"].unique().to_list()
    files = {}
    for row in held.types:
        mine = {name: frame.filter(pl.col("type_of") == row["key"]) for name, frame in common.items()}
        data = netbox_types.device_type_yaml(row, mine, row["key"] in switches)
        files[f"netbox/device-types/{row['manufacturer']}/{row['slug']}.yaml"] = data
    return files


def _readme(held: Inventory) -> str:
    counts: list[tuple[str, pl.DataFrame]] = [
        ("racks", held.racks),
        ("devices", held.devices),
        ("interfaces", held.interfaces),
        ("power ports", held.power_ports),
        ("power outlets", held.outlets),
        ("rear ports", held.rear_ports),
        ("front ports", held.front_ports),
        ("power feeds", held.feeds),
        ("cables", held.cables),
    ]
    lines = [
        f"{held.site} for NetBox 4.4. Status of everything: planned.",
        "",
        *(f"  {frame.height:8} {name}" for name, frame in counts),
        f"  {len(held.types):8} device types",
        "",
        "By hand: import/01 to 08, then the device types (Import, YAML), then import/09 and on, in the order of the numbers.",
        "18-power-feed-cables needs a NetBox whose cable import has the column side_a_power_panel; older ones take these",
        "cables through the API only.",
        "By program: objects.json, model by model. Numbers in it (id, object_id, rear_port, parent) are those of the document;",
        "put those of NetBox in their place. Ports that a device type has brought are there: look them up, do not post them.",
        "",
        "inventory/interfaces.csv is no import file: it lists every interface, as NetBox's own export does, and tells a reader",
        "the port number (label of a switch port) and the cage (label of a node's port).",
        "Custom field asbuilt_id: the natural key of the plan.",
        "Reading back: asbuilt compare --plan objects.json --plan-format netbox --measured FILE",
        "",
        "Not in NetBox:",
        *(f"  - {text}" for text in LOST),
    ]
    return "\n".join(lines) + "\n"
