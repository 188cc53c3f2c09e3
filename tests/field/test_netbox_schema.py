"""Every exported object against the request schemas of NetBox's own API, and our port counts against real device types."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from asbuilt.artefacts.netbox import netbox
from asbuilt.workflow.foreign_plan import read_plans
from template_plans import made

pytestmark = pytest.mark.field
PLANS = ("l40s-384", "dgx-h100-superpod", "gb300-nvl72")
#: Model -> the schema of a POST to its list.
SCHEMAS = {
    "extras.customfield": "WritableCustomFieldRequest",
    "dcim.manufacturer": "ManufacturerRequest",
    "dcim.site": "WritableSiteRequest",
    "dcim.location": "WritableLocationRequest",
    "dcim.rackrole": "RackRoleRequest",
    "dcim.devicerole": "WritableDeviceRoleRequest",
    "dcim.racktype": "WritableRackTypeRequest",
    "dcim.devicetype": "WritableDeviceTypeRequest",
    "dcim.rack": "WritableRackRequest",
    "dcim.device": "WritableDeviceWithConfigContextRequest",
    "dcim.interface": "WritableInterfaceRequest",
    "dcim.powerport": "WritablePowerPortRequest",
    "dcim.poweroutlet": "WritablePowerOutletRequest",
    "dcim.rearport": "WritableRearPortRequest",
    "dcim.frontport": "WritableFrontPortRequest",
    "dcim.powerpanel": "PowerPanelRequest",
    "dcim.powerfeed": "WritablePowerFeedRequest",
    "dcim.cable": "WritableCableRequest",
}
TEMPLATES = {
    "console-ports": "WritableConsolePortTemplateRequest",
    "power-ports": "WritablePowerPortTemplateRequest",
    "power-outlets": "WritablePowerOutletTemplateRequest",
    "interfaces": "WritableInterfaceTemplateRequest",
}
#: What differs from object to object and is held by its length alone: the rest is checked once per combination.
FREE = (
    "id",
    "name",
    "label",
    "description",
    "custom_fields",
    "device",
    "rack",
    "power_port",
    "rear_port",
    "rear_port_position",
)


def plain(node: Any) -> Any:
    """OpenAPI 3.0 as JSON Schema: ``nullable`` as a type, exclusive bounds as numbers."""
    if isinstance(node, list):
        return [plain(n) for n in node]
    if not isinstance(node, dict):
        return node
    out = {k: plain(v) for k, v in node.items() if k not in ("nullable", "x-spec-enum-id", "default")}
    for word, bound in (("exclusiveMaximum", "maximum"), ("exclusiveMinimum", "minimum")):
        if out.get(word) is True:
            out[word] = out.pop(bound)
    return {"anyOf": [out, {"type": "null"}]} if node.get("nullable") is True else out


@pytest.fixture(scope="module")
def api(field: Path) -> dict[str, Any]:
    with gzip.open(field / "netbox" / "openapi-4.4.9.json.gz") as file:
        schemas: dict[str, Any] = json.load(file)["components"]["schemas"]
    return schemas


def reached(schemas: dict[str, Any], name: str, found: dict[str, Any]) -> dict[str, Any]:
    """The schema called ``name`` and all that it refers to."""
    if name not in found:
        found[name] = plain(schemas[name])
        for part in json.dumps(schemas[name]).split("#/components/schemas/")[1:]:
            reached(schemas, part.split('"', 1)[0], found)
    return found


def validator(schemas: dict[str, Any], name: str) -> jsonschema.Draft202012Validator:
    parts = reached(schemas, name, {})
    closed = {
        **parts[name],
        "additionalProperties": False,
        "properties": {**parts[name]["properties"], "id": {"type": "integer"}},
    }
    root = {"$ref": f"#/components/schemas/{name}", "components": {"schemas": {**parts, name: closed}}}
    return jsonschema.Draft202012Validator(root)


def shape(record: dict[str, Any]) -> str:
    """A record without what is free in it: the lengths of free texts, the kinds of everything else."""
    ends = {k: [t["object_type"] for t in v] for k, v in record.items() if k.endswith("_terminations")}
    free = {k: len(v) if isinstance(v, str) else type(v).__name__ for k, v in record.items() if k in FREE}
    rest = {k: v for k, v in record.items() if k not in FREE and k not in ends}
    return json.dumps([ends, free, rest], sort_keys=True)


@pytest.mark.parametrize("template", PLANS)
def test_every_object_is_one_that_the_api_takes(api: dict[str, Any], template: str) -> None:
    document = json.loads(netbox(made(template))["netbox/objects.json"])
    assert set(document) == {"schema", *SCHEMAS}
    for model, schema in SCHEMAS.items():
        judge = validator(api, schema)
        kinds = {shape(record): record for record in document[model]}
        problems = [f"{model}: {e.json_path} {e.message[:200]}" for r in kinds.values() for e in judge.iter_errors(r)]
        print(f"field: {template}: {len(document[model])} {model}, {len(kinds)} kinds")
        assert problems == []


@pytest.mark.parametrize("template", PLANS)
def test_ends_parents_and_rear_ports_are_objects_of_the_document(template: str) -> None:
    document = json.loads(netbox(made(template))["netbox/objects.json"])
    ids = {model: {r["id"] for r in document[model]} for model in SCHEMAS}
    ends = [t for c in document["dcim.cable"] for s in "ab" for t in c[f"{s}_terminations"]]
    assert all(t["object_id"] in ids[t["object_type"]] for t in ends)
    assert len({(t["object_type"], t["object_id"]) for t in ends}) == len(ends), "an end has two cables"
    assert {p["rear_port"] for p in document["dcim.frontport"]} <= ids["dcim.rearport"]
    devices = [d["name"] for d in document["dcim.device"]]
    assert len({n.lower() for n in devices}) == len(devices)
    parts = ("dcim.interface", "dcim.powerport", "dcim.poweroutlet", "dcim.rearport", "dcim.frontport")
    assert {p["device"]["name"] for m in parts for p in document[m]} <= set(devices)


@pytest.mark.parametrize("template", PLANS)
def test_device_types_are_ones_that_the_api_takes(api: dict[str, Any], template: str) -> None:
    files = {p: d for p, d in netbox(made(template)).items() if p.startswith("netbox/device-types/")}
    judges = {section: validator(api, name) for section, name in TEMPLATES.items()}
    whole = validator(api, "WritableDeviceTypeRequest")
    for path, data in files.items():
        told = yaml.safe_load(data)
        sections = {k: told.pop(k) for k in list(told) if k in judges}
        told.pop("is_powered", None)
        maker = told["manufacturer"]
        assert path == f"netbox/device-types/{maker}/{told['slug']}.yaml"
        whole.validate({**told, "manufacturer": {"name": maker, "slug": maker.lower()}})
        for section, records in sections.items():
            for record in records:
                fixed = {**record, "power_port": {"name": record["power_port"]}} if "power_port" in record else record
                judges[section].validate(fixed)
            names = [r["name"] for r in records]
            assert len(set(names)) == len(names)


def test_port_counts_are_those_of_real_device_types(field: Path) -> None:
    """A switch has as many data ports as the library's device type of it; an NVLink tray has none but management."""
    here = {p: d for t in PLANS for p, d in netbox(made(t)).items() if p.startswith("netbox/device-types/")}
    ours = {p.rsplit("/", 1)[1].removesuffix(".yaml"): yaml.safe_load(d) for p, d in here.items()}
    library = {
        p.name: yaml.safe_load(p.read_bytes()) for p in sorted((field / "design" / "10_netbox_device_types").glob("*.yaml"))
    }

    def data(device: dict[str, Any]) -> int:
        # fnm1 is the port for fabric management inside the chassis, no port of the fabric
        return sum(not i.get("mgmt_only") and not i["name"].startswith(("fnm", "eth")) for i in device.get("interfaces", ()))

    counts = {name: data(device) for name, device in library.items()}
    # The library's QM9700 lacks P22.1 and P23.0: 62 of the 64 ports of 32 twin-port cages that NVIDIA's manual counts.
    for name in ("QM9700.commit-10898212.yaml", "QM9700.commit-48dfaa71.yaml"):
        there = {i["name"] for i in library[name]["interfaces"]}
        assert {f"P{cage}.{half}" for cage in range(32) for half in (0, 1)} - there == {"P22.1", "P23.0"}
    assert (counts["NVLink-5-Switch.yaml"], counts["Q3400-RA.yaml"], counts["SN5600.yaml"]) == (0, 144, 64)
    assert data(ours["nvidia-q3400-ra"]) == 144 and data(ours["nvidia-qm9700"]) == 64
    assert data(ours["nvidia-sn5600-storage-spine"]) == 64
    assert {i["type"] for i in ours["nvidia-q3400-ra"]["interfaces"]} == {"1000base-t", "infiniband-xdr"}
    assert {i["type"] for i in ours["nvidia-sn5600-storage-spine"]["interfaces"]} == {"1000base-t", "800gbase-x-osfp"}
    assert ours["nvidia-q3400-ra"]["u_height"] == library["Q3400-RA.yaml"]["u_height"] == 4
    assert ours["nvidia-sn5600-storage-spine"]["u_height"] == library["SN5600.yaml"]["u_height"] == 2


def test_a_real_list_of_interface_connections_is_a_plan(field: Path) -> None:
    """512 connections, each a link; read as NetBox's or as any cable list, the links are the same."""
    path = field / "samples" / "cable-map" / "hh-opg256-netbox-interface-connections.csv"
    plan = read_plans([str(path)], "netbox")
    account = plan.account
    assert account is not None and account.balanced
    print(f"field: {path.name}: {account.total} rows, {plan.links.height} links, {account.unread} unread")
    assert (account.total, account.facts, account.ignorable, account.unread) == (513, 512, 1, 0)
    assert plan.links.equals(read_plans([str(path)], "point_to_point").links)
    roles = plan.links.group_by("kind").len().sort("kind").rows()
    assert sum(n for _, n in roles) == 512 and {k for k, _ in roles} == {"node_leaf", "leaf_spine"}
