"""Redfish documents of a BMC, a power shelf, a rack PDU or a cooling unit: readings, leaks, versions, names, NVLink chips.

One JSON document, several behind each other (a line each, or as ``curl`` leaves them), or an array of them; an expanded
collection counts as its members. Each resource is known by its ``@odata.type``, where that is missing by its properties. Units
are those of the schemas: °C, W, V, A, RPM, % (DMTF DSP2046: Thermal, Power, Sensor, LeakDetector, ComputerSystem, Manager,
Chassis, Memory, Switch). NVLink switch chips are resources ``Switch`` of type NVLink and the chassis that NVIDIA's BMCs put
around each of them, ``MGX_NVSwitch_0`` (NVIDIA Switch BMC user manual; NVIDIA/bmcweb).
"""

from __future__ import annotations

import re
from typing import Any, Iterator

from asbuilt.base.table import Schema
from asbuilt.model.facts import Facts
from asbuilt.model.facts_gpu import NVLINK_FABRIC_FACTS
from asbuilt.model.facts_node import DIMM_FACTS, IDENTITY_FACTS, SENSOR_FACTS, VERSION_FACTS
from asbuilt.parsers import fact_rows
from asbuilt.parsers.json_documents import Document, documents, mapping, mappings
from asbuilt.parsers.reading_units import normalised
from asbuilt.parsers.sysfs import UNFILLED
from asbuilt.parsers.told_rows import plain

TOOL = "redfish"
_SIGN = re.compile(rb'"@odata\.(?:id|type)"\s*:\s*"[#/]')
_TYPE = re.compile(r"^#(\w+)\.")
_HEALTH = {"ok": "ok", "warning": "warning", "critical": "critical"}
_STATES = {"absent": "absent", "enabled": "", "standbyspare": "", "standbyoffline": "", "quiesced": ""}
#: The chassis around a switch chip; what stands before it names the board (MGX, HGX).
_CHIP = re.compile(r"^(?:[A-Z]{2,5}_)?(NVSwitch_\d{1,3})$")
_DEEPEST = 6
_MOST = 100_000
#: Arrays of one resource -> name of the reading in an element.
_READINGS = {
    "Temperatures": ("ReadingCelsius", "°C"),
    "Fans": ("Reading", "RPM"),
    "Voltages": ("ReadingVolts", "V"),
    "PowerControl": ("PowerConsumedWatts", "W"),
    "TemperatureReadingsCelsius": ("Reading", "°C"),
}
_SUPPLY = (("PowerInputWatts", "input", "W"), ("PowerOutputWatts", "output", "W"), ("LineInputVoltage", "input voltage", "V"))
#: Readings that stand as objects with a property ``Reading``: property -> unit.
_EXCERPTS = {
    "TemperatureCelsius": "°C", "PowerWatts": "W", "HumidityPercent": "%", "InputVoltage": "V", "InputCurrentAmps": "A",
    "InputPowerWatts": "W", "OutputPowerWatts": "W", "FlowLitersPerMinute": "L/min", "SupplyTemperatureCelsius": "°C",
    "ReturnTemperatureCelsius": "°C", "DeltaPressurekPa": "kPa", "SupplyPressurekPa": "kPa", "ReturnPressurekPa": "kPa",
    "Voltage": "V", "CurrentAmps": "A",
}  # fmt: skip

Row = tuple[Schema, dict[str, Any]]


def sniff(data: bytes) -> bool:
    """True for a text with the identity or the type of a resource."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``sensor_facts``, ``identity_facts``, ``version_facts``, ``dimm_facts``, ``nvlink_fabric_facts``. Never raises."""
    account, found = documents(data, subject)
    tables: dict[str, tuple[Schema, list[dict[str, Any]]]] = {}
    for document in found:
        rows = list(_resources(document))
        known = _known(document.value, 0)
        for schema, row in rows[:_MOST]:
            kept = tables.setdefault(schema.name, (schema, []))[1]
            kept += [{"line": document.first, **row, "host": host} for host in document.speaker.hosts]
        if rows:
            account.fact(*document.lines)
        elif known:
            account.ignore(*document.lines)
        else:
            account.unread(document.first, "JSON that is no Redfish resource")
    made: dict[str, Any] = {}
    for schema, kept in tables.values():
        made |= fact_rows.table(schema, kept, capture_id)
    return Facts(made, {capture_id: account.result()}, (), TOOL)


def _known(value: Any, depth: int) -> bool:
    """The document is a resource, or a list of some."""
    if isinstance(value, list):
        return depth < _DEEPEST and any(_known(v, depth + 1) for v in value[:100])
    return isinstance(value, dict) and any(isinstance(k, str) and (k.startswith("@odata.") or k == "error") for k in value)


def _resources(document: Document) -> Iterator[Row]:
    yield from _walk(document.value, document.speaker.time, 0)


def _walk(value: Any, time: str | None, depth: int) -> Iterator[Row]:
    """Rows of a resource, of an array's elements, of a collection's members."""
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for element in value:
            yield from _walk(element, time, depth + 1)
        return
    if not isinstance(value, dict):
        return
    members = value.get("Members")
    if isinstance(members, list):
        yield from _walk(members, time, depth + 1)
        return
    for schema, row in _resource(value):
        yield schema, ({"time": time, **row} if schema is SENSOR_FACTS else row)


def _resource(value: dict[str, Any]) -> Iterator[Row]:
    typed = _TYPE.match(value["@odata.type"]) if isinstance(value.get("@odata.type"), str) else None
    kind = typed[1] if typed else ""
    if kind == "Sensor" or (not kind and "ReadingUnits" in value and "Reading" in value):
        yield from _sensor(value)
    elif kind == "LeakDetector" or (not kind and "DetectorState" in value):
        yield from _leak(value, "Leak")
    elif kind == "ComputerSystem" or (not kind and "BiosVersion" in value):
        yield from _system(value)
    elif kind == "Manager":
        yield from _version("bmc", value.get("FirmwareVersion"))
    elif kind == "Chassis":
        yield from _identity("chassis_serial", value.get("SerialNumber"))
        if _CHIP.match(plain(value.get("Id")) or ""):
            yield from _chip(value)
    elif kind == "Switch":
        if (plain(value.get("SwitchType")) or "").lower() == "nvlink":
            yield from _chip(value)
    elif kind == "Memory":
        yield from _memory(value)
    elif kind == "PowerSupply":
        yield from _supply(value)
    else:
        yield from _arrays(value)


def _arrays(value: dict[str, Any]) -> Iterator[Row]:
    """Readings in arrays and excerpts: Thermal, Power, metrics, groups of leak detectors."""
    for array, (reading, unit) in _READINGS.items():
        for element in mappings(value.get(array)):
            yield from _reading(element, element.get(reading), unit)
    for element in mappings(value.get("PowerSupplies")):
        yield from _supply(element)
    for group in mappings(value.get("LeakDetectorGroups")):
        name = plain(group.get("GroupName")) or "Leak"
        for detector in mappings(group.get("Detectors")):
            yield from _leak(detector, name)
    for name, unit in _EXCERPTS.items():
        element = mapping(value.get(name))
        if _number(element.get("Reading")) is not None:
            label = plain(element.get("DeviceName")) or " ".join(p for p in (plain(value.get("Name")), name) if p)
            yield from _reading({"Name": label}, element.get("Reading"), unit)


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e300:
        return None
    return float(value)


def _state(value: dict[str, Any]) -> str | None:
    """Health in the words of the fact table; what is absent or switched off is so whatever its health says."""
    status = mapping(value.get("Status"))
    there = plain(status.get("State"))
    if there is not None and _STATES.get(there.lower(), "unreadable"):
        return _STATES.get(there.lower(), "unreadable")
    return _HEALTH.get((plain(status.get("Health")) or "").lower())


def _name(value: dict[str, Any]) -> str | None:
    """The name; ids where it has none."""
    return next((w for w in (plain(value.get(k)) for k in ("Name", "FanName", "DeviceName", "MemberId", "Id")) if w), None)


def _reading(value: dict[str, Any], number: Any, unit: str) -> Iterator[Row]:
    name, reading = _name(value), _number(number)
    if name is None:
        return
    told = plain(value.get("ReadingUnits"))
    amount, unit_now, kind = normalised(reading, "%" if told == "Percent" else unit, name)
    if unit == "RPM":
        kind = "fan"
    limits = {
        key: normalised(_number(value.get(limit)), unit, name)[0]
        for key, limit in (("low", "LowerThresholdCritical"), ("high", "UpperThresholdCritical"))
    }
    state = _state(value)
    if reading is None and state not in ("absent", "critical", "warning"):
        state = "unreadable"
    yield SENSOR_FACTS, {"sensor": name, "kind": kind, "value": amount, "unit": unit_now, "state": state, **limits}


def _sensor(value: dict[str, Any]) -> Iterator[Row]:
    """A Sensor resource, with its own unit and thresholds."""
    name, reading = _name(value), _number(value.get("Reading"))
    if name is None:
        return
    unit = plain(value.get("ReadingUnits")) or ""
    amount, unit_now, kind = normalised(reading, unit, f"{name} {plain(value.get('ReadingType')) or ''}")
    thresholds = mapping(value.get("Thresholds"))
    limits = {
        key: normalised(_number(mapping(thresholds.get(limit)).get("Reading")), unit, name)[0]
        for key, limit in (("low", "LowerCritical"), ("high", "UpperCritical"))
    }
    state = _state(value)
    if reading is None and state not in ("absent", "critical", "warning"):
        state = "unreadable"
    row = {"sensor": name, "kind": kind, "value": amount, "unit": unit_now, "state": state, **limits}
    when = plain(value.get("ReadingTime"))
    yield SENSOR_FACTS, {**row, "time": when} if when else row


def _leak(value: dict[str, Any], group: str) -> Iterator[Row]:
    """A leak detector: anything but OK is a leak; one that is absent or off detects nothing."""
    name = _name(value) or group
    there = _state(value)
    told = (plain(value.get("DetectorState")) or "").lower()
    state = there if there in ("absent", "unreadable") else {"ok": "ok", "warning": "leak", "critical": "leak"}.get(told)
    yield SENSOR_FACTS, {"sensor": name, "kind": "leak", "state": state or "unreadable"}


def _supply(value: dict[str, Any]) -> Iterator[Row]:
    """A power supply: whether it is there and well, and what it takes and gives."""
    name = _name(value)
    if name is None:
        return
    yield SENSOR_FACTS, {"sensor": name, "kind": "presence", "state": _state(value)}
    for key, words, unit in _SUPPLY:
        reading = _number(value.get(key))
        if reading is not None:
            amount, unit_now, kind = normalised(reading, unit, words)
            row = {"sensor": f"{name} {words}", "kind": kind, "value": amount, "unit": unit_now, "state": None}
            yield SENSOR_FACTS, row


def _system(value: dict[str, Any]) -> Iterator[Row]:
    yield from _identity("system_serial", value.get("SerialNumber"))
    yield from _identity("system_uuid", value.get("UUID"))
    yield from _identity("hostname", value.get("HostName"))
    yield from _version("bios", value.get("BiosVersion"))
    yield from _version("product", value.get("Model"))
    for name, part in (
        ("System", value),
        ("Memory", value.get("MemorySummary")),
        ("Processors", value.get("ProcessorSummary")),
    ):
        state = _state(mapping(part))
        if state is not None:
            yield SENSOR_FACTS, {"sensor": name, "kind": "discrete", "state": state}


def _chip(value: dict[str, Any]) -> Iterator[Row]:
    """An NVLink switch chip: its health, or that it is absent or off."""
    id = plain(value.get("Id")) or _name(value)
    if id is None:
        return
    status = mapping(value.get("Status"))
    there, health = ((plain(status.get(k)) or "").lower() for k in ("State", "Health"))
    state = health if there in ("", "enabled") else there
    named = _CHIP.match(id)
    yield NVLINK_FABRIC_FACTS, {"kind": "switch_chip", "name": named[1] if named else id, "state": state or None}


def _memory(value: dict[str, Any]) -> Iterator[Row]:
    """One memory module, or the empty socket of one."""
    locator = plain(value.get("DeviceLocator")) or _name(value)
    if locator is None:
        return
    absent = _state(value) == "absent"
    size = _number(value.get("CapacityMiB"))
    yield DIMM_FACTS, {
        "locator": locator, "size_gib": 0.0 if absent else size / 1024 if size is not None else None,
        "kind": plain(value.get("MemoryDeviceType")), "configured_mts": _number(value.get("OperatingSpeedMhz")),
        "maker": plain(value.get("Manufacturer")), "part": plain(value.get("PartNumber")),
        "serial": plain(value.get("SerialNumber")),
    }  # fmt: skip


def _identity(kind: str, value: Any) -> Iterator[Row]:
    word = plain(value)
    if word and not UNFILLED.match(word):
        yield IDENTITY_FACTS, {"kind": kind, "value": word.lower() if kind == "system_uuid" else word}


def _version(component: str, value: Any) -> Iterator[Row]:
    word = plain(value)
    if word:
        yield VERSION_FACTS, {"component": component, "version": word}
