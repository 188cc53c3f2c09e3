"""``grep -sH . PATHS`` over ``/sys``, ``/proc`` and ``/etc``: lines ``path:value``, in any order and any selection.

What belongs to one device stands far apart (the shell asks one property of all of them, then the next), so a row of a device
is put together from all of its lines: a cut text gives the same rows with less in them. The first line that says a thing
stands. A last line without an end may lack the rest of its value and is unread.

Paths and their meaning: kernel.org Documentation/ABI/testing/sysfs-bus-pci, sysfs-class-infiniband; core-api/irq/irq-affinity.
"""

from __future__ import annotations

import re
from typing import Any, Callable

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import (
    IDENTITY_FACTS,
    IRQ_FACTS,
    KERNEL_MODULE_FACTS,
    NIC_FUNCTION_FACTS,
    PCI_FACTS,
    SETTING_FACTS,
    VERSION_FACTS,
)
from asbuilt.parsers import fact_rows
from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.told_rows import Told, pci_address

TOOL = "sysfs"
_OWN = re.compile(r"^(?:/(?:sys|proc|etc)/|grep: /)")
_SIGN = re.compile(
    rb"^(?:[\w.-]+: )?/(?:sys/(?:class(?!/net/[^/\s]{1,64}/ecn/)|bus|module)|proc/(?:irq|sys|cmdline|uptime)|etc/os-release)"
    rb"[^ \n]{0,200}:[^\r\n]",
    re.M,
)
#: What boards print where nobody wrote a serial number into them.
UNFILLED = re.compile(
    r"^(?:|not (?:specified|available|applicable|present)|n/?a|none|null|unknown|default(?: string)?"
    r"|to be filled by o\.?e\.?m\.?|system serial number|(?:base ?board|chassis) serial number"
    r"|serial|empty|invalid|oem|0*1234567890?|[0.\-x ]+"
    r"|0{8}-0{4}-0{4}-0{4}-0{12}|f{8}-f{4}-f{4}-f{4}-f{12}|03000200-0400-0500-0006-000700080009)$",
    re.I,
)
_DMI_NAMES = {
    "product_serial": "system_serial",
    "product_uuid": "system_uuid",
    "board_serial": "board_serial",
    "chassis_serial": "chassis_serial",
}
_ELSE = {
    "/etc/machine-id": "machine_id",
    "/proc/sys/kernel/hostname": "hostname",
    "/proc/sys/kernel/random/boot_id": "boot_id",
}
_DMI_VERSIONS = {"bios_version": "bios", "product_name": "product"}
_LOWER = {"system_uuid", "machine_id", "boot_id"}
_HEX_ID = re.compile(r"^0x([0-9a-fA-F]{4})(?:[0-9a-fA-F]{2})?$")
_SPEED = re.compile(r"^(\d{1,3}(?:\.\d{1,2})?) GT/s")
_DEVICE = re.compile(r"^[A-Za-z0-9][\w.-]{0,63}$")
_CPU_LIST = re.compile(r"^\d{1,5}(?:-\d{1,5})?(?:,\d{1,5}(?:-\d{1,5})?)*$")
_NUMA = re.compile(r"^-?\d{1,5}$")
#: A width that drivers print for a link that does not exist.
_NO_WIDTH = (0, 255)


def _id(value: str) -> str | None:
    found = _HEX_ID.match(value)
    return found[1].lower() if found else None


def _gts(value: str) -> float | None:
    found = _SPEED.match(value)
    return float(found[1]) if found else None


def _width(value: str) -> int | None:
    return fact_rows.whole(value, 255)


def _numa(value: str) -> int | None:
    return int(value) if _NUMA.match(value) else None


#: File of a PCI function -> column of ``pci_facts``, its reader.
_PCI: dict[str, tuple[str, Callable[[str], Any]]] = {
    "class": ("class_id", _id),
    "vendor": ("vendor_id", _id),
    "device": ("device_id", _id),
    "numa_node": ("numa_node", _numa),
    "current_link_speed": ("now_gts", _gts),
    "current_link_width": ("now_width", _width),
    "max_link_speed": ("cap_gts", _gts),
    "max_link_width": ("cap_width", _width),
}
#: Files of a function that say what no fact table holds.
_PCI_QUIET = {"subsystem_vendor", "subsystem_device", "irq", "revision", "enable", "local_cpulist", "local_cpus", "modalias"}
_QUIET_DMI = {"sys_vendor", "bios_vendor", "bios_date", "bios_release", "board_name", "board_vendor", "board_version"}
_QUIET_DMI |= {"chassis_type", "chassis_vendor", "chassis_version", "product_family", "product_sku", "product_version"}
_LAYERS = {"infiniband": "infiniband", "ethernet": "ethernet"}


def sniff(data: bytes) -> bool:
    """True for a text with a line of a file of ``/sys``, ``/proc`` or ``/etc/os-release`` and a colon behind it."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """Identities, versions, settings, PCI functions, RDMA ports, modules and interrupts. Never raises."""
    reader = _Reader(Told(data, capture_id, subject, _OWN, TOOL))
    for said in reader.told:
        reader.hear(said)
    reader.end()
    return reader.told.facts()


class _Reader:
    """Rows of devices by who says them, until the text ends."""

    def __init__(self, told: Told) -> None:
        self.told = told
        self._functions: dict[tuple[Any, str], tuple[Said, dict[str, Any]]] = {}
        self._irqs: dict[tuple[Any, int], tuple[Said, dict[str, Any]]] = {}
        self._cards: dict[tuple[Any, str], tuple[Said, dict[str, Any]]] = {}
        self._ports: dict[tuple[Any, str, int], tuple[Said, dict[str, Any]]] = {}

    def hear(self, said: Said) -> None:
        text = said.text
        if text.startswith("grep: "):
            self.told.ignore(said)  # a file that is not there, or not for this user
            return
        if not said.closed:
            return
        if text.startswith("/sys/bus/pci/devices/"):
            self._pci(said, text[21:])
        elif text.startswith("/proc/irq/"):
            self._irq(said, text[10:])
        elif text.startswith("/sys/class/infiniband/"):
            self._infiniband(said, text[22:])
        elif text.startswith("/sys/module/"):
            self._module(said, text[12:])
        elif text.startswith("/sys/class/dmi/id/"):
            self._dmi(said, text[18:])
        else:
            self._rest(said, text)

    def _pci(self, said: Said, rest: str) -> None:
        name, _, tail = rest.partition("/")
        what, colon, value = tail.partition(":")
        known = _PCI.get(what)
        if known is None:
            if what in _PCI_QUIET and colon:
                self.told.ignore(said)
            return
        column, read = known
        number = read(value)
        if number is None:
            if value.startswith("Unknown"):
                self.told.ignore(said)
            return
        row = self._functions.get((said.speaker.hosts, name))
        if row is None:
            address = pci_address(name)
            if address is None or "." not in name:
                return
            row = self._functions[(said.speaker.hosts, name)] = (said, {"address": address})
        row[1].setdefault(column, number)
        self.told.account.fact(said.number)

    def _irq(self, said: Said, rest: str) -> None:
        number, _, tail = rest.partition("/")
        what, _, value = tail.partition(":")
        column = "cpus" if what == "smp_affinity_list" else "effective" if what == "effective_affinity_list" else ""
        if not (number.isascii() and number.isdigit() and len(number) < 10) or not column or not _CPU_LIST.match(value):
            return
        row = self._irqs.setdefault((said.speaker.hosts, int(number)), (said, {"irq": int(number)}))
        row[1].setdefault(column, value)
        self.told.account.fact(said.number)

    def _infiniband(self, said: Said, rest: str) -> None:
        path, _, value = rest.partition(":")
        parts = path.split("/")
        value = value.strip()
        if not _DEVICE.match(parts[0]) or not value:
            return
        hosts, device = said.speaker.hosts, parts[0]
        if len(parts) == 2:
            self._card(said, device, parts[1], value)
        elif len(parts) >= 4 and parts[1] == "ports" and (port := fact_rows.whole(parts[2], 255)):
            row = self._ports.setdefault((hosts, device, port), (said, {"port": port}))[1]
            if parts[3:] == ["gids", "0"]:
                self._gid(said, value)
            elif parts[3] == "link_layer" and value.lower() in _LAYERS:
                row.setdefault("link_layer", _LAYERS[value.lower()])
                self.told.account.fact(said.number)
            elif parts[3] == "phys_state":
                row.setdefault("up", value.rpartition(":")[2].strip().lower() == "linkup")
                self.told.account.fact(said.number)
            else:
                self.told.ignore(said)

    def _card(self, said: Said, device: str, what: str, value: str) -> None:
        row = self._cards.setdefault((said.speaker.hosts, device), (said, {}))[1]
        column = {"fw_ver": "firmware", "board_id": "psid", "hca_type": "type"}.get(what)
        if column is None:
            self.told.ignore(said)  # GUIDs of the card and of its chip: `ibstat` tells them with their ports
            return
        row.setdefault(column, value)
        self.told.account.fact(said.number)
        if column == "firmware":
            row.setdefault("firmware_line", said)

    def _gid(self, said: Said, value: str) -> None:
        """The first GID of an InfiniBand port ends with the port's GUID."""
        guid = fact_rows.guid(value.replace(":", "")[16:])
        if guid is None:
            self.told.ignore(said)
        else:
            self.told.add(IDENTITY_FACTS, said, {"kind": "port_guid", "value": guid})

    def _module(self, said: Said, rest: str) -> None:
        path, _, value = rest.partition(":")
        name, _, what = path.partition("/")
        if not _DEVICE.match(name) or not value:
            return
        if what != "version":
            self.told.ignore(said)
            return
        name = name.replace("-", "_")
        self.told.add(KERNEL_MODULE_FACTS, said, {"module": name, "loaded": True, "version": value})
        self.told.add(VERSION_FACTS, said, {"component": f"module:{name}", "version": value})

    def _dmi(self, said: Said, rest: str) -> None:
        what, colon, value = rest.partition(":")
        value = value.strip()
        if not colon:
            return
        if what in _DMI_NAMES:
            self._identity(said, _DMI_NAMES[what], value)
        elif what in _DMI_VERSIONS and value:
            self.told.add(VERSION_FACTS, said, {"component": _DMI_VERSIONS[what], "version": value})
        elif what in _QUIET_DMI:
            self.told.ignore(said)

    def _identity(self, said: Said, kind: str, value: str) -> None:
        if UNFILLED.match(value):
            self.told.ignore(said)
        else:
            self.told.add(IDENTITY_FACTS, said, {"kind": kind, "value": value.lower() if kind in _LOWER else value})

    def _rest(self, said: Said, text: str) -> None:
        path, _, value = text.partition(":")
        value = value.strip()
        if path in _ELSE:
            self._identity(said, _ELSE[path], value)
        elif path == "/proc/sys/kernel/osrelease" and value:
            self.told.add(VERSION_FACTS, said, {"component": "kernel", "version": value})
        elif path == "/proc/cmdline" and value:
            self._cmdline(said, value)
        elif path in ("/etc/os-release", "/usr/lib/os-release"):
            name, _, release = value.partition("=")
            if name == "PRETTY_NAME" and release.strip("\"'"):
                self.told.add(VERSION_FACTS, said, {"component": "os", "version": release.strip("\"'")})
            else:
                self.told.ignore(said)
        elif path.startswith("/proc/sys/") and value:
            name = path[10:].replace("/", ".")
            self.told.add(SETTING_FACTS, said, {"domain": "kernel", "name": name, "value": value})
        elif path == "/proc/uptime":
            self.told.ignore(said)

    def _cmdline(self, said: Said, value: str) -> None:
        """The whole as a version, and every option: one given several times (``console=``) has its values joined by a comma."""
        self.told.add(VERSION_FACTS, said, {"component": "cmdline", "version": value})
        options: dict[str, list[str]] = {}
        for word in value.split():
            name, _, given = word.partition("=")
            if name:
                options.setdefault(name, []).append(given)
        for name, given_all in options.items():
            row = {"domain": "cmdline", "name": name, "value": ",".join(given_all)}
            self.told.add(SETTING_FACTS, said, row)

    def end(self) -> None:
        """Rows of devices, whole as far as the text goes."""
        for said, row in self._functions.values():
            if len(row) > 1:
                if row.get("cap_width") in (*_NO_WIDTH, None):
                    row = {k: v for k, v in row.items() if k != "cap_width" and (k != "now_width" or v not in _NO_WIDTH)}
                self.told.add(PCI_FACTS, said, row)
        for said, row in self._irqs.values():
            self.told.add(IRQ_FACTS, said, row)
        ports = {(hosts, device) for hosts, device, _ in self._ports}
        for (hosts, device), (said, row) in self._cards.items():
            at = row.pop("firmware_line", None)
            if at is not None:
                version = {"component": "nic_firmware", "device": device, "part": row.get("psid"), "version": row["firmware"]}
                self.told.add(VERSION_FACTS, at, version)
            if row and (hosts, device) not in ports:
                self._function(said, {"rdma": device, **row})
        for (hosts, device, _), (said, row) in self._ports.items():
            card = self._cards.get((hosts, device))
            if len(row) > 1 or card:
                self._function(said, {"rdma": device, **(card[1] if card else {}), **row})

    def _function(self, said: Said, row: dict[str, Any]) -> None:
        known = self.told.account.classes[said.number - 1]
        self.told.add(NIC_FUNCTION_FACTS, said, row)
        self.told.account.classes[said.number - 1] = known
