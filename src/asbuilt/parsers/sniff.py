"""Which tool wrote a text, by lines that only that tool writes. Used to refuse a wrong file with its right name.

Nothing is parsed on the strength of a sniff alone unless exactly one tool answers.
"""

from __future__ import annotations

import re

_FIRST = 1 << 16
#: Tool -> what only it writes. The first group are inputs of the compare; the others are told apart to be refused.
SIGNS: dict[str, re.Pattern[bytes]] = {
    "ibnetdiscover": re.compile(rb'^\s*(?:Switch|Ca|Rt)\s*\d+\s*"[SHR]-[0-9a-fA-F]{1,16}"|^# Topology file: generated', re.M),
    "ibnetdiscover -p": re.compile(rb"\A\s*(?:CA|SW|RT)\s+\d+\s+\d+\s+0x[0-9a-fA-F]+\s+(?:\d+x|\?\?)"),
    "lldpctl": re.compile(rb'\A\s*\{\s*"lldp"'),
    "iblinkinfo": re.compile(rb"^.{0,200}\d\[[^\]\n]{0,4}\] ==\(.{1,120}==>", re.M),
    "ibdiagnet": re.compile(rb"^-[IWE]- |^START_(?:NODES|PORTS)|^\{ (?:SW|CA)|ibdiagnet", re.M),
    "ibhosts": re.compile(rb"^>?\s*(?:Ca|Switch)\s*: 0x[0-9a-f]+ ports \d+", re.M),
    "ibstat": re.compile(rb"^(?:[\w.-]+: )?\s*CA:? '[^'\n]+'", re.M),
    "ibstatus": re.compile(rb"^(?:[\w.-]+: )?\s*Infiniband device '", re.M),
    "perfquery": re.compile(rb"^(?:[\w.-]+: )?# Port[A-Za-z ]*counters: (?:Lid|DR path)", re.M),
    "ibqueryerrors": re.compile(rb"^Errors for (?:\"|0x)", re.M),
    "mlnx_qos": re.compile(rb"^(?:[\w.-]+: )?\s*(?:Priority trust state:|dscp2prio mapping:|PFC configuration:)", re.M),
    "ethtool": re.compile(rb"^(?:[\w.-]+: )?\s*NIC statistics:\r?$", re.M),
    "SONiC configuration": re.compile(rb'"(?:DEVICE_METADATA|PORT_QOS_MAP|DSCP_TO_TC_MAP|WRED_PROFILE|BUFFER_PG)"\s*:'),
    "SONiC interfaces": re.compile(rb"^\s*Interface\s+Lanes\s+Speed\s+MTU\s", re.M),
    "sminfo": re.compile(rb"^sminfo: sm lid|SM is in the fabric: lid:\d+, guid:0x", re.M),
    "smpquery": re.compile(rb"pkeys capacity for this port|^# (?:Port|Node|Switch) info: |^# SL2VL table|^SMLid:\.\.", re.M),
    "saquery": re.compile(rb"^[ \t]*[A-Z][A-Za-z0-9]+ ?Record (?:group |member )?dump:|^IsSM ports", re.M),
    "ibroute": re.compile(rb"^\s*(?:Unicast|Multicast) m?lids \[|^dump_ucast_routes: Switch", re.M),
    "ibtracert": re.compile(rb"^From (?:(?:ca|switch|router) )?\{0x[0-9a-fA-F]{1,16}\}", re.M),
    "opensm log": re.compile(rb"^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{1,6} \[[0-9A-F]+\] 0x[0-9A-F]{2} -> ", re.M),
    "nvidia-smi": re.compile(rb"NVIDIA-SMI|^\s*\S*GPU0\s|==============NVSMI LOG|<nvidia_smi_log>", re.M),
    "nccl-tests": re.compile(rb"^# nThread|^#\s+out-of-place\s+in-place", re.M),
    "ib_write_bw": re.compile(rb"RDMA_Write BW Test|#bytes\s+#iterations", re.M),
    "mlxconfig": re.compile(rb"^Device #\d+:|^[\s*]*(?:Configurations:\s|LINK_TYPE_P\d+\s+\w+\(\d\))", re.M),
    "mlxlink": re.compile(rb"^Operational Info", re.M),
    "lspci": re.compile(rb"^(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] \"?[A-Z]", re.M),
    "dmidecode": re.compile(rb"^# dmidecode|^Handle 0x", re.M),
    "slurm.conf": re.compile(rb"^(?:SwitchName|BlockName|ClusterName|NodeName)=", re.M),
    "opensm partitions": re.compile(rb"^\S+\s*=\s*0x[0-9a-fA-F]+\s*,.*:", re.M),
    "hwloc": re.compile(rb"<topology version=|<!DOCTYPE topology"),
    "NCCL topology": re.compile(rb"\A\s*<(?:system|graphs) version="),
    "UFM NDT": re.compile(rb"^\s*#?\s*StartDevice\s*,\s*StartPort\s*,\s*EndDevice\s*,\s*EndPort", re.M | re.I),
    "ibutils topology": re.compile(rb"^\s*\S+\s+-(?:\d+x-?)?(?:[\d.]+G-?)?>\s+\S+\s+\S+\s+\S+\s*$", re.M | re.I),
    "OTDR trace": re.compile(rb"\AMap\0"),
    "workbook": re.compile(rb"\APK\x03\x04"),
}


def sniff(data: bytes) -> tuple[str, ...]:
    """The tools whose signs are in the first 64 KiB of ``data``; empty when none is."""
    head = data[:_FIRST]
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        head = head[: len(head) & ~1].decode("utf-16", "replace").encode()
    return tuple(tool for tool, sign in SIGNS.items() if sign.search(head))


def told(data: bytes) -> str:
    """``this looks like nvidia-smi``, or what else can be said of a file that is not what it should be."""
    tools = sniff(data)
    if tools:
        return f"this looks like {' or '.join(tools)}"
    if not data.strip():
        return "the file is empty"
    if b"\0" in data[:_FIRST]:
        return "this is binary"
    return "no tool that we know writes this"
