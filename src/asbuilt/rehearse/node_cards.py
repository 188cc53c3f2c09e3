"""What the tools of network cards print: ibstat, ibdev2netdev, show_gids, mst, mlxconfig, flint. Texts carry marks."""

from __future__ import annotations

from asbuilt.rehearse.host_answers import NO_LID, NO_LINK
from asbuilt.rehearse.node_board import Nic
from asbuilt.rehearse.node_marks import mark
from asbuilt.rehearse.node_state import State
from asbuilt.rehearse.node_sysfs import rdma
from asbuilt.rehearse.port_states import ETHERNET, POLLING

_MASK = {True: "a651e848", False: "00010000"}


def ibstat(state: State) -> str:
    """``ibstat``: every RDMA device with its port."""
    lines = []
    for nic in rdma(state):
        d, live, wrong = nic.device, state.up(nic), state.runs_ethernet(nic)
        kind = "Active" if live else "Down"
        physical = "LinkUp" if live else "Disabled" if wrong else "Polling"
        rate = nic.rate_gbps if live else NO_LINK[ETHERNET if wrong else POLLING]
        lid = "0" if wrong else mark(f"lid:{d}") if live else str(NO_LID)
        lines += [
            f"CA '{d}'",
            f"\tCA type: {nic.part.hca}",
            "\tNumber of ports: 1",
            f"\tFirmware version: {nic.firmware}",
            "\tHardware version: 0",
            f"\tNode GUID: 0x{mark(f'guid:{d}')}",
            f"\tSystem image GUID: 0x{mark(f'image:{d}')}",
            "\tPort 1:",
            f"\t\tState: {kind}",
            f"\t\tPhysical state: {physical}",
            f"\t\tRate: {rate}",
            f"\t\tBase lid: {lid}",
            "\t\tLMC: 0",
            f"\t\tSM lid: {'1' if live and not wrong else '0'}",
            f"\t\tCapability mask: 0x{_MASK[not wrong]}",
            f"\t\tPort GUID: 0x{mark(f'port:{d}')}",
            f"\t\tLink layer: {'Ethernet' if wrong else 'InfiniBand'}",
        ]
    return "\n".join(lines) + "\n"


def ibdev2netdev(state: State) -> str:
    """``ibdev2netdev``."""
    words = (f"{n.device} port 1 ==> {n.netdev} ({'Up' if state.up(n) else 'Down'})\n" for n in rdma(state))
    return "".join(words)


def show_gids(state: State) -> str:
    """``show_gids``: the GIDs of every port, and how many were found."""
    lines = [
        "DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV",
        "---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---",
    ]
    count = 0
    for nic in rdma(state):
        gid = f"fe80:0000:0000:0000:{mark(f'portc:{nic.device}')}"
        if state.runs_ethernet(nic):
            lines += [f"{nic.device}\t1\t{i}\t{gid}\t\t\tv{i + 1}\t{nic.netdev}" for i in (0, 1)]
            count += 2
        else:
            lines.append(f"{nic.device}\t1\t0\t{gid}\t\t\tv1")
            count += 1
    return "\n".join((*lines, f"n_gids_found={count}")) + "\n"


def mst_status(state: State) -> str:
    """``mst status -v``: one line per function, a blank line behind each."""
    lines = [
        "MST modules:",
        "------------",
        "    MST PCI module is not loaded",
        "    MST PCI configuration module loaded",
        "PCI devices:",
        "------------",
        f"{'DEVICE_TYPE':<24}{'MST':<30}{'PCI':<16}{'RDMA':<16}{'NET':<40}{'NUMA':<6}",
    ]
    cards: dict[str, int] = {}
    for nic in sorted(rdma(state), key=lambda n: n.address):
        chip = nic.part.hca.lower()
        if nic.function == 0:
            cards[chip] = cards.get(chip, -1) + 1
        name = f"/dev/mst/{chip}_pciconf{max(0, cards.get(chip, 0))}" + (f".{nic.function}" if nic.function else "")
        short = nic.address.removeprefix("0000:")
        lines.append(f"{nic.part.type + '(rev:0)':<24}{name:<30}{short:<16}{nic.device:<16}{'net-' + nic.netdev:<40}"
                     f"{nic.numa:<6}")  # fmt: skip
        lines.append("")
    return "\n".join(lines) + "\n"


def mlxconfig(state: State, nic: Nic) -> str:
    """``mlxconfig -d ADDRESS -e q`` of one function: default, current and next value of every setting."""
    link = "ETH(2)" if state.runs_ethernet(nic) else "IB(1)"
    rows = [
        ("NUM_OF_VFS", "0", "0"),
        ("SRIOV_EN", "False(0)", "False(0)"),
        ("PCI_WR_ORDERING", "per_mkey(0)", "force_relax(1)"),
        ("ATS_ENABLED", "False(0)", "False(0)"),
        ("ADVANCED_PCI_SETTINGS", "False(0)", "True(1)"),
        ("MAX_ACC_OUT_READ", "0", "0"),
        ("ROCE_CONTROL", "ROCE_ENABLE(2)", "ROCE_ENABLE(2)"),
        (f"LINK_TYPE_P{nic.function + 1}", "IB(1)", link),
        (f"KEEP_ETH_LINK_UP_P{nic.function + 1}", "True(1)", "True(1)"),
    ]
    lines = [
        "",
        "Device #1:",
        "----------",
        "",
        f"Device type:        {nic.part.type:<20}",
        f"Name:               {nic.part.number:<20}",
        f"Description:        {nic.part.pci_name} adapter card",
        f"Device:             {nic.address:<20}",
        "",
        f"{'Configurations:':<57}{'Default':<20}{'Current':<20}{'Next Boot':<20}",
    ]
    for name, default, value in rows:
        changed = "*" if default != value else " "
        lines.append(f"{changed:<8}{name:<44}    {default:<20}{value:<20}{value:<20}")
    marks = "The '*' shows parameters with next value different from default/current value."
    return "\n".join((*lines, marks)) + "\n"


def flint(state: State, nic: Nic) -> str:
    """``flint -d ADDRESS q`` of one function."""
    lines = [
        "Image type:            FS4",
        f"FW Version:            {nic.firmware}",
        "FW Release Date:       7.11.2024",
        f"Product Version:       {nic.firmware}",
        "Rom Info:              type=UEFI version=14.36.16 cpu=AMD64,AARCH64",
        "                       type=PXE version=3.7.500 cpu=AMD64",
        "Description:           UID                GuidsNumber",
        f"Base GUID:             {mark(f'image:{nic.device}')}        16",
        f"Base MAC:              {mark(f'mac:{nic.device}')}            16",
        "Image VSD:             N/A",
        "Device VSD:            N/A",
        f"PSID:                  {nic.part.psid}",
        "Security Attributes:   secure-fw",
    ]
    return "\n".join(lines) + "\n"


def per_address(state: State, command: str, text: str) -> str:
    """The answers of a command that is asked by PCI address: one behind the other, each behind the command as asked."""
    render = {"mlxconfig": mlxconfig, "flint": flint}[command]
    cards = sorted(rdma(state), key=lambda n: n.address)
    return "".join(f"$ {text.replace('{address}', nic.address)}\n{render(state, nic)}" for nic in cards)
