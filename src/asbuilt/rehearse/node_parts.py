"""How GPUs, cards and systems show themselves to the tools of their host: names, PCI ids, firmware, links.

What the plan's table `hardware` says of a part goes before what is written here. PCI ids and names are those of the public
PCI id list and of public transcripts; firmware and software versions are one set that was published together. Parts that
nobody knows are shown as the nearest one here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from asbuilt.model.plan import Plan

#: GT/s of a PCIe generation.
GTS = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0, 6: 64.0}


@dataclass(frozen=True, slots=True)
class GpuPart:
    """A GPU: name as nvidia-smi prints it, PCI id and name, memory in MiB, PCIe generation, NVLinks and their GB/s, watts."""

    name: str
    pci_id: str
    pci_name: str
    memory_mib: int
    gen: int
    links: int
    link_gbytes_s: float
    limit_w: int
    clock_mhz: int
    vbios: str
    architecture: str
    board: str
    width: int = 16

    @property
    def nvidia(self) -> bool:
        """True where NVIDIA's tools know the GPU."""
        return self.pci_id.startswith("10de")


@dataclass(frozen=True, slots=True)
class CardPart:
    """A network card: type as MST prints it, PCI id and name, firmware, PSID, part number, PCIe generation, ConnectX or not."""

    type: str
    hca: str
    pci_id: str
    pci_name: str
    firmware: str
    psid: str
    number: str
    gen: int
    width: int = 16
    mellanox: bool = True


GPUS: dict[str, GpuPart] = {
    "h100-sxm5": GpuPart("NVIDIA H100 80GB HBM3", "10de:2330", "GH100 [H100 SXM5 80GB]", 81559, 5, 18, 26.562, 700, 1980,
                         "96.00.CF.00.01", "Hopper", "692-2G520-0200-000"),
    "h200-sxm5": GpuPart("NVIDIA H200", "10de:2335", "GH100 [H200 SXM 141GB]", 143771, 5, 18, 26.562, 700, 1980,
                         "96.00.CF.00.05", "Hopper", "692-2G520-0280-000"),
    "b200-sxm": GpuPart("NVIDIA B200", "10de:2901", "GB100 [B200]", 183359, 5, 18, 53.125, 1000, 1965,
                        "97.00.A5.00.12", "Blackwell", "692-2G525-0220-000"),
    "b300-sxm": GpuPart("NVIDIA B300 SXM6 AC", "10de:3182", "GB110 [B300 SXM6 AC]", 275040, 6, 18, 53.125, 1100, 2032,
                        "97.10.4E.00.01", "Blackwell", "692-2G529-0220-000"),
    "gb200-b200": GpuPart("NVIDIA GB200", "10de:2941", "GB100 [HGX GB200]", 189471, 6, 18, 53.125, 1200, 2062,
                          "97.00.B9.00.55", "Blackwell", "699-2G548-0200-800"),
    "gb300-b300": GpuPart("NVIDIA GB300", "10de:31c2", "GB110 [GB300]", 284208, 6, 18, 53.125, 1400, 2062,
                          "97.10.4E.00.05", "Blackwell", "699-2G552-0200-800"),
    "l40s": GpuPart("NVIDIA L40S", "10de:26b9", "AD102GL [L40S]", 46068, 4, 0, 0.0, 350, 2520,
                    "95.02.66.00.02", "Ada Lovelace", "900-2G133-0080-000"),
    "mi300x": GpuPart("AMD Instinct MI300X", "1002:74a1", "Aqua Vanjaram [Instinct MI300X]", 196592, 5, 0, 0.0, 750, 2100,
                      "022.040.003.041", "CDNA3", "113-M3000100-102"),
    "mi355x": GpuPart("AMD Instinct MI355X", "1002:75a3", "Instinct MI355X", 294896, 5, 0, 0.0, 1400, 2400,
                      "022.040.003.043", "CDNA4", "113-M3550100-102"),
}  # fmt: skip
_CX8 = CardPart("ConnectX8", "MT4131", "15b3:1023", "CX8 Family [ConnectX-8]", "40.45.1020", "MT_0000001222",
                "900-9X81E-00EX-ST0_Ax", 6)  # fmt: skip
_CX7 = CardPart("ConnectX7", "MT4129", "15b3:1021", "MT2910 Family [ConnectX-7]", "28.43.1014", "MT_0000000838",
                "MCX75310AAS-NEA_Ax", 5)  # fmt: skip
_BF3 = CardPart("BlueField3", "MT41692", "15b3:a2dc", "MT43244 BlueField-3 integrated ConnectX-7 network controller",
                "32.43.1014", "MT_0000001093", "900-9D3B6-00SN-A_Ax", 5)  # fmt: skip
#: By the start of the catalogue id; the first that fits.
CARDS: tuple[tuple[str, CardPart], ...] = (
    ("connectx-8", _CX8),
    ("connectx-7-dual", replace(_CX7, psid="MT_0000000892", number="MCX755206AS-NEA_Ax")),
    ("connectx-7-quad", replace(_CX7, psid="MT_0000000893", number="MCX713104AS-ADA_Ax", gen=4)),
    ("connectx-7", _CX7),
    ("bluefield-3", _BF3),
    ("connectx-6-dx", CardPart("ConnectX6DX", "MT4125", "15b3:101d", "MT2892 Family [ConnectX-6 Dx]", "22.43.1014",
                               "MT_0000000359", "MCX623106AC-CDA_Ax", 4)),
    ("connectx-6-lx", CardPart("ConnectX6LX", "MT4127", "15b3:101f", "MT2894 Family [ConnectX-6 Lx]", "26.43.1014",
                               "MT_0000000531", "MCX631102AN-ADA_Ax", 4, 8)),
    ("connectx-6", CardPart("ConnectX6", "MT4123", "15b3:101b", "MT28908 Family [ConnectX-6]", "20.43.1014",
                            "MT_0000000223", "MCX653105A-HDA_Ax", 4)),
    ("generic", CardPart("BCM57608", "BCM57608", "14e4:1760", "BCM57608 NetXtreme-E Ethernet", "233.2.103.0",
                         "-", "BCM957608", 5, mellanox=False)),
)  # fmt: skip
#: Parts that hang on the management network and are no PCI function of the host.
OUT_OF_BAND = ("bmc-1gbe", "bluefield-3-oob")


@dataclass(frozen=True, slots=True)
class Maker:
    """Who built a system and what its firmware says: DMI words, processor and memory."""

    vendor: str
    product: str
    bios: str
    bios_date: str
    bmc: str
    cpu: str
    cpu_vendor: str
    cores: int
    threads: int
    channels: int
    dimm_gib: int
    dimm_mts: int
    per_socket_gib: int = 0
    per_channel: int = 1


_XEON = ("Intel(R) Xeon(R) Platinum 8480C", "GenuineIntel", 56, 2, 8)
_GRACE = ("Neoverse-V2", "ARM", 72, 1, 0)
MAKERS: dict[str, Maker] = {
    "dgx-h100": Maker("NVIDIA", "DGXH100", "1.06.07", "09/01/2025", "24.09.17", *_XEON, 64, 4800),
    "dgx-h200": Maker("NVIDIA", "DGXH200", "1.06.07", "09/01/2025", "24.09.17", *_XEON, 64, 4800),
    "dgx-b200": Maker("NVIDIA", "DGXB200", "1.7.0", "08/12/2025", "25.06.12", *_XEON, 64, 5600),
    "dgx-b300": Maker("NVIDIA", "DGXB300", "1.2.0", "09/22/2025", "25.08.02",
                      "INTEL(R) XEON(R) 6776P", "GenuineIntel", 64, 2, 8, 128, 6400),
    "l40s-8gpu": Maker("Supermicro", "AS -4125GS-TNRT", "1.9", "05/28/2025", "01.03.12",
                       "AMD EPYC 9454 48-Core Processor", "AuthenticAMD", 48, 2, 12, 64, 4800),
    "gb200-nvl72": Maker("NVIDIA", "GB200 NVL", "02.04.12", "06/18/2025", "25.01.06", *_GRACE, 0, 6400, 480),
    "gb300-nvl72": Maker("NVIDIA", "GB300 NVL", "02.06.00", "09/04/2025", "25.06.01", *_GRACE, 0, 6400, 480),
}  # fmt: skip
_OTHER = Maker("Supermicro", "SYS-821GE-TNHR", "2.5", "06/10/2025", "01.04.19", *_XEON, 64, 5600)
_OTHER_ARM = MAKERS["gb300-nvl72"]


def gpu_part(plan: Plan, part: str) -> GpuPart:
    """How a GPU of the plan shows itself; as an H100 where nobody knows it."""
    known = GPUS.get(part) or replace(GPUS["h100-sxm5"], name=part)
    row = _row(plan, "hardware", "part", part)
    if not row:
        return known
    return replace(
        known,
        name=_one(row["shown_as"], "|", known.name),
        pci_id=_one(row["pci_ids"], "+", known.pci_id),
        memory_mib=int(row["memory_mib"] or known.memory_mib),
        gen=row["pcie_gen"] or known.gen,
        width=row["pcie_width"] or known.width,
        links=known.links if row["nvlinks"] is None else row["nvlinks"],
        link_gbytes_s=row["nvlink_gbytes_s"] or known.link_gbytes_s,
    )


def card_part(plan: Plan, part: str) -> CardPart:
    """How a card of the plan shows itself; as a ConnectX-7 where nobody knows it."""
    known = next((c for start, c in CARDS if part.startswith(start)), _CX7)
    row = _row(plan, "hardware", "part", part)
    if not row:
        return known
    words = [w for w in (row["shown_as"] or "").split("|") if w]
    return replace(
        known,
        type=known.type if known.type in words or not words else next((w for w in words if w.startswith("Conn")), known.type),
        pci_id=_one(row["pci_ids"], "+", known.pci_id),
        gen=row["pcie_gen"] or known.gen,
        width=row["pcie_width"] or known.width,
    )


def maker(plan: Plan, system: str, grace: bool) -> Maker:
    """Firmware words, processor and memory of a system, with what `node_traits` says of memory."""
    known = MAKERS.get(system) or (_OTHER_ARM if grace else _OTHER)
    row = _row(plan, "node_traits", "system", system)
    if not row:
        return known
    sockets = row["sockets"] or 2
    if row["dimms"] == 0 and row["memory_gib"]:
        return replace(known, dimm_gib=0, dimm_mts=int(row["dimm_mts"] or known.dimm_mts),
                       per_socket_gib=int(row["memory_gib"] / sockets))  # fmt: skip
    if not row["dimms"] or not row["dimm_gib"]:
        return known
    return replace(
        known,
        channels=int(row["channels"] or max(1, int(row["dimms"]) // sockets)),
        per_channel=max(1, int(row["dimms"]) // sockets // int(row["channels"])) if row["channels"] else 1,
        dimm_gib=int(row["dimm_gib"]),
        dimm_mts=int(row["dimm_mts"] or known.dimm_mts),
    )


def traits(plan: Plan, system: str) -> dict[str, Any]:
    """The row of `node_traits` of a system; empty where the plan has none."""
    return _row(plan, "node_traits", "system", system)


def _row(plan: Plan, table: str, key: str, value: str) -> dict[str, Any]:
    if not plan.has(table):
        return {}
    frame = plan.table(table)
    return next(frame.filter(frame[key] == value).iter_rows(named=True), {})


def _one(words: str | None, separator: str, known: str) -> str:
    """``known`` where the plan lists it or says nothing, else the first that it lists."""
    listed = [w for w in (words or "").split(separator) if w]
    return known if not listed or known in listed else listed[0]
