"""``lspci -Dnnvv`` and ``lspci -Dtv`` of a node's PCI tree, by the forms of pciutils."""

from __future__ import annotations

from asbuilt.rehearse.node_board import DOWNSTREAM, END, ROOT, UPSTREAM, Board, Function
from asbuilt.rehearse.node_marks import mark
from asbuilt.rehearse.node_state import State

_EXPRESS = {
    END: "Express (v2) Endpoint, MSI 00",
    ROOT: "Express (v2) Root Port (Slot+), MSI 00",
    UPSTREAM: "Express (v2) Upstream Port, MSI 00",
    DOWNSTREAM: "Express (v2) Downstream Port (Slot+), MSI 00",
}
_AER = (
    "\tCapabilities: [100 v2] Advanced Error Reporting\n"
    "\t\tUESta:\tDLP- SDES- TLP- FCP- CmpltTO- CmpltAbrt- UnxCmplt- RxOF- MalfTLP- ECRC- UnsupReq- ACSViol-\n"
    "\t\tUEMsk:\tDLP- SDES- TLP- FCP- CmpltTO- CmpltAbrt- UnxCmplt- RxOF- MalfTLP- ECRC- UnsupReq- ACSViol-\n"
    "\t\tUESvrt:\tDLP+ SDES+ TLP- FCP+ CmpltTO- CmpltAbrt- UnxCmplt- RxOF+ MalfTLP+ ECRC- UnsupReq- ACSViol-\n"
    "\t\tCESta:\tRxErr- BadTLP- BadDLLP- Rollover- Timeout- AdvNonFatalErr-\n"
    "\t\tCEMsk:\tRxErr- BadTLP- BadDLLP- Rollover- Timeout- AdvNonFatalErr+\n"
)


def _speed(gts: float) -> str:
    return f"{gts:g}GT/s"


def lspci_vv(state: State) -> str:
    """Every function in words, with its link, payload and access control, a blank line between two."""
    below = {f.parent: f for f in reversed(state.board.functions) if f.parent}
    return "\n".join(_function(state, f, below.get(f.address)) for f in state.board.functions)


def _function(state: State, f: Function, below: Function | None) -> str:
    board = state.board
    above = board.function(f.parent) if f.parent else None
    revision = f" (rev {f.revision})" if f.revision else ""
    normal = " (prog-if 00 [Normal decode])" if f.class_id == "0604" else ""
    lines = [f"{f.address} {f.class_name} [{f.class_id}]: {f.name} [{f.pci_id}]{revision}{normal}"]
    if f.subsystem:
        lines.append(f"\tSubsystem: {f.subsystem} [{f.pci_id[:4]}:0001]")
    if f.kind == END and above and above.slot:
        lines.append(f"\tPhysical Slot: {above.slot}")
    lines += [
        "\tControl: I/O- Mem+ BusMaster+ SpecCycle- MemWINV- VGASnoop- ParErr+ Stepping- SERR+ FastB2B- DisINTx+",
        "\tStatus: Cap+ 66MHz- UDF- FastB2B- ParErr- DEVSEL=fast >TAbort- <TAbort- <MAbort- >SERR- <PERR- INTx-",
        "\tLatency: 0",
        f"\tNUMA node: {f.numa}",
    ]
    if f.class_id == "0604":
        own, last = int(f.address[5:7], 16), _last_bus(board, f)
        second = int(below.address[5:7], 16) if below else own
        lines.append(f"\tBus: primary={own:02x}, secondary={second:02x}, subordinate={last:02x}, sec-latency=0")
    text = "\n".join(lines) + "\n"
    if f.max_width:
        text += _express(f)
    if state.varied and f.driver == "mlx5_core":
        text += _vital(f.address)
    if (f.kind != END and f.max_width) or (f.kind == END and f.driver == "mlx5_core"):
        text += _acs(f)
    if f.driver:
        text += f"\tKernel driver in use: {f.driver}\n"
    if f.driver and f.class_id != "0604":
        text += f"\tKernel modules: {'nvidiafb, nouveau, nvidia_drm, nvidia' if f.driver == 'nvidia' else f.driver}\n"
    return text


def _last_bus(board: Board, bridge: Function) -> int:
    under = {bridge.address}
    last = int(bridge.address[5:7], 16)
    for f in board.functions:  # sorted by address: a bridge stands before what is below it
        if f.parent in under:
            under.add(f.address)
            last = max(last, int(f.address[5:7], 16))
    return last


def _express(f: Function) -> str:
    lower = " (downgraded)" if f.gts < f.max_gts else ""
    narrow = " (downgraded)" if f.width < f.max_width else ""
    active = "DLActive+" if f.kind in (ROOT, DOWNSTREAM) else "DLActive-"
    payload = 512 if f.kind != END or f.driver == "mlx5_core" else 256
    return (
        f"\tCapabilities: [60] {_EXPRESS[f.kind]}\n"
        f"\t\tDevCap:\tMaxPayload {payload} bytes, PhantFunc 0, Latency L0s unlimited, L1 unlimited\n"
        "\t\t\tExtTag+ AttnBtn- AttnInd- PwrInd- RBE+ FLReset+\n"
        "\t\tDevCtl:\tCorrErr+ NonFatalErr+ FatalErr+ UnsupReq-\n"
        "\t\t\tRlxdOrd+ ExtTag+ PhantFunc- AuxPwr- NoSnoop+ FLReset-\n"
        f"\t\t\tMaxPayload {min(payload, 256)} bytes, MaxReadReq {f.read_request} bytes\n"
        "\t\tDevSta:\tCorrErr- NonFatalErr- FatalErr- UnsupReq- AuxPwr- TransPend-\n"
        f"\t\tLnkCap:\tPort #0, Speed {_speed(f.max_gts)}, Width x{f.max_width}, ASPM not supported\n"
        "\t\t\tClockPM- Surprise- LLActRep- BwNot- ASPMOptComp+\n"
        "\t\tLnkCtl:\tASPM Disabled; RCB 64 bytes, Disabled- CommClk+\n"
        "\t\t\tExtSynch- ClockPM- AutWidDis- BWInt- AutBWInt-\n"
        f"\t\tLnkSta:\tSpeed {_speed(f.gts)}{lower}, Width x{f.width}{narrow}\n"
        f"\t\t\tTrErr- Train- SlotClk+ {active} BWMgmt- ABWMgmt-\n"
        f"\t\tLnkCap2: Supported Link Speeds: 2.5-{_speed(f.max_gts)}, Crosslink- Retimer+ 2Retimers+ DRS-\n"
        f"\t\tLnkCtl2: Target Link Speed: {_speed(f.max_gts)}, EnterCompliance- SpeedDis-\n" + _AER
    )


def _vital(address: str) -> str:
    """The vital product data of a card, whose serial number is its own."""
    serial = mark(f"card:{address}")
    return (
        "\tCapabilities: [48] Vital Product Data\n\t\tProduct Name: NVIDIA ConnectX adapter card\n\t\tRead-only fields:\n"
        f"\t\t\t[SN] Serial number: MT{serial}\n\t\t\t[RV] Reserved: checksum good, 1 byte(s) reserved\n\t\tEnd\n"
    )


def _acs(f: Function) -> str:
    has = "+" if f.kind != END else "-"
    on = "+" if f.acs else "-"
    capable = f"SrcValid{has} TransBlk{has} ReqRedir{has} CmpltRedir{has} UpstreamFwd{has} EgressCtrl- DirectTrans{has}"
    control = f"SrcValid{on} TransBlk- ReqRedir{on} CmpltRedir{on} UpstreamFwd{on} EgressCtrl- DirectTrans-"
    return f"\tCapabilities: [230 v1] Access Control Services\n\t\tACSCap:\t{capable}\n\t\tACSCtl:\t{control}\n"


def lspci_tv(state: State) -> str:
    """The tree of buses: roots, bridges with the bus below them, functions with their names."""
    board = state.board
    children: dict[str, list[Function]] = {}
    roots: dict[str, list[Function]] = {}
    for f in board.functions:
        if f.parent:
            children.setdefault(f.parent, []).append(f)
        else:
            roots.setdefault(f.bus, []).append(f)
    blocks = [(f"[{bus}]", found) for bus, found in roots.items()]
    if len(blocks) == 1:
        label, found = blocks[0]
        return "".join(line + "\n" for line in _branch(board, children, f"-{label}", found))
    lines: list[str] = []
    for index, (label, found) in enumerate(blocks):
        first, last = index == 0, index == len(blocks) - 1
        head = "-+-" if first else " \\-" if last else " +-"
        rows = _branch(board, children, label, found)
        lines.append(head + rows[0])
        lines += [("   " if last else " | ") + row for row in rows[1:]]
    return "".join(line + "\n" for line in lines)


def _branch(board: Board, children: dict[str, list[Function]], head: str, found: list[Function]) -> list[str]:
    """The lines of one bus: ``head`` leads to it."""
    rows: list[str] = []
    pad = " " * len(head)
    for index, f in enumerate(found):
        last = index == len(found) - 1
        joint = "---" if len(found) == 1 else "-+-" if index == 0 else " \\-" if last else " +-"
        own, below = f.address[8:], children.get(f.address)
        if f.class_id == "0604":
            first, final = (int(below[0].address[5:7], 16), _last_bus(board, f)) if below else (0, 0)
            bus = f"{first:02x}" if first == final else f"{first:02x}-{final:02x}"
            inner = _branch(board, children, f"{own}-[{bus}]-", below) if below else [f"{own}-[{bus}]--"]
        else:
            inner = [f"{own}  {f.name}"]
        rows.append((head if index == 0 else pad) + joint + inner[0])
        rows += [pad + ("   " if last else " | ") + row for row in inner[1:]]
    return rows
