"""Texts as the tools of a subnet print them, written for tests: each with the quirks that real captures have."""

from __future__ import annotations

ZEROS = "0x0000 " * 7 + "0x0000"


def pkey_table(first: str, capacity: int = 16) -> str:
    """One table as ``smpquery pkeys`` prints it; ``first`` are the entries of its first row that are not zero."""
    row = (first.split() + ["0x0000"] * 8)[:8]
    rows = [f"{0:4d}: {' '.join(row)}", *(f"{8 * i:4d}: {ZEROS}" for i in range(1, capacity // 8))]
    return "\n".join([*rows, f"{capacity} pkeys capacity for this port", ""])


PORTINFO = """# Port info: Lid {lid} port {port}
Mkey:............................<not displayed>
Lid:.............................{own}
SMLid:...........................3
CapMask:.........................0x50c048
\t\t\t\tIsTrapSupported
\t\t\t\tIsLinkWidth2xSupported
LinkWidthSupported:..............1X or 4X or 8X or 12X or 2X
LinkWidthActive:.................4X
LinkState:.......................{state}
PhysLinkState:...................{physical}
LMC:.............................0
LinkSpeedActive:.................10.0 Gbps
NeighborMTU:.....................4096
VLHighLimit:.....................4
OperVLs:.........................VL0-3
CapabilityMask2:.................0x30
LinkSpeedExtActive:..............{speed}
"""

SL2VL = """# SL2VL table: Lid 7
#                 SL: | 0| 1| 2| 3| 4| 5| 6| 7| 8| 9|10|11|12|13|14|15|
ports: in  0, out  5: | 0| 1| 2| 3| 0| 1| 2| 3| 0| 1| 2| 3| 0| 1| 2|15|
ports: in 12, out  5: | 0| 1| 1| 1| 0| 1| 2| 3| 0| 1| 2| 3| 0| 1| 2|15|
"""

VLARB = """# VLArbitration tables: Lid 7 port 5 LowCap 4 HighCap 4
# Low priority VL Arbitration Table:
VL    : |0x0 |0x1 |0x0 |0x0 |
WEIGHT: |0x40|0xC0|0x0 |0x0 |
# High priority VL Arbitration Table:
VL    : |0x1 |0x2 |0x0 |0x0 |
WEIGHT: |0xFF|0x8 |0x0 |0x0 |
"""

NODES = """# Node info: Lid 7
BaseVers:........................1
NodeType:........................Switch
NumPorts:........................64
SystemGuid:......................0x0c42a10300aa0000
Guid:............................0x0c42a10300aa0008
PortGuid:........................0x0c42a10300aa0008
LocalPort:.......................0
"""

SMPQUERY = (
    "$ smpquery -G pkeys 0xc42a10300bb0009 1\n"
    'ibwarn: [4711] sim_connect: attached as client 1 at node "H-1"\n'
    + pkey_table("0x7fff 0x8100")
    + "\n[root@sm-1 ~]# smpquery -C mlx5_0 PKeyTable 12 3\n"
    + pkey_table("0x7fff", 8)
    + "ops@mgmt02:~$ smpquery pkeys 13 1\n"
    + pkey_table("")
    + "$ smpquery portinfo 7 2\n"
    + PORTINFO.format(lid=7, port=2, own=0, state="Down", physical="Polling", speed="No Extended Speed")
    + "$ smpquery -G portinfo 0xc42a10300bb0009 1\n"
    + PORTINFO.format(lid=31, port=1, own=31, state="Active", physical="LinkUp", speed="106.25 Gbps")
    + "$ smpquery sl2vl 7 5\n"
    + SL2VL
    + "$ smpquery vlarb 7 5\n"
    + VLARB
    + "$ smpquery nodeinfo 7\n"
    + NODES
    + "$ smpquery -G ND 0xc42a10300bb0009\n"
    + 'Node Description:.................gpu 007 "x" mlx5_0\n'
    + "$ smpquery pkeys 99 1\n"
    + "ibwarn: [4712] mad_rpc: _do_madrpc failed; dport (Lid 99)\n"
    + "smpquery: iberror: failed: operation pkeys: node info query failed\n"
    + "$ smpquery gi 31\n   0: 0x0c42a10300bb0009 0x0000000000000000\n"
)

LFT = """[root@sm-1 ~]# dump_lfts
Unicast lids [0x0-0x30] of switch DR path slid 0; dlid 0; 0,1,33 guid 0x0c42a10300aa0008 (leaf (1)):
  Lid  Out   Destination
       Port     Info
0x0000 255 : (path #0 - illegal port)
0x0001 030 : (Channel Adapter portguid 0x0c42a10300bb0009: 'gpu007 mlx5_0')
0x0010 000 : (Switch portguid 0x0c42a10300aa0008: 'leaf (1)')
3 valid lids dumped
Unicast lids [0-48] of switch Lid 9 guid 0xc42a10300aa0018 ('spine-1'):
0x0001 007 # Channel Adapter portguid 0x0c42a10300bb0009: 'gpu007 mlx5_0'
1 lids dumped
dump_ucast_routes: Switch 0x0c42a10300aa0028
LID    : Port : Hops : Optimal
0x0001 : 064  : 03   : yes
0x0002 : UNREACHABLE
Unicast lids [0x0-0x30] of switch Lid 11 guid 0x0c42a10300aa0038 (leaf-3):
0x0005 012
*** WARNING ***: this command has been replaced by dump_fts
"""

LINKS = """CA: gpu007 mlx5_0:
      0x0c42a10300bb0009     31    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>       7   11[  ] "leaf "1" (a)" ( )
Switch: 0x0c42a10300aa0008 leaf "1" (a):
           7   11[  ] ==( 4X        106.25 Gbps Active/ LinkUp)==>      31    1[  ] "gpu007 mlx5_0" ( )
           7   12[  ] ==( 2X      25.78125 Gbps   Init/  LinkUp)==>       8    3[  ] "x" (Could be 4X Could be 106.25 Gbps)
           7   13[  ] ==(                Down/ Polling)==>             [  ] "" ( )
           7   14[  ] ==(                Down/Disabled)==>             [  ] "" ( )
           7   15[  ] ==( 4X        53.125 Gbps Initialize/  LinkUp) (HOQ:18 VL_Stall:7)==>  9  1[  ] "spine-1" (Could be 12X )
"""
LINE_MODE = (
    '0x0c42a10300bb0009 "                 gpu007 mlx5_0"     31    1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>  '
    '0x0c42a10300aa0008      7   11[  ] "leaf-1" (Could be 12X )\n'
    '0x0c42a10300aa0008 "                        leaf-1"      7   12[  ] ==(                Down/ Polling)==>             '
    '[  ] "" ( )\n'
)

SMINFO = """$ sminfo
ibwarn: [20234] sim_connect: attached as client 1 at node "H-1"
sminfo: sm lid 3 sm guid 0x42a10300cc0001, activity count 347 priority 14 state 3 SMINFO_MASTER
$ sminfo 4
sminfo: sm lid 4 sm guid 0xc42a10300cc0011, activity count 12 priority 10 state 2 SMINFO_STANDBY
$ sminfo 99
sminfo: iberror: failed: query
Jan 01 00:00:01 mgmt1 ufm[14238]: Other SM is in the fabric: lid:5, guid:0x2a10300cc0021, priority:15, state:SMINFO_MASTER
Jan 01 00:00:01 mgmt1 ufm[14238]: Other SM is master in the fabric. Please stop all other SM and start UFM.
"""

LOG = """Nov 30 18:28:21 295800 [A85A6740] 0x80 -> Entering DISCOVERING state
Nov 30 18:28:21 300911 [A559F6C0] 0x80 -> Entering MASTER state
Nov 30 18:28:21 301000 [A559F6C0] 0x01 -> osm_prtn_config_parse_file: PARSE ERROR: line 2: bad partition definition
Nov 30 18:28:21 301500 [A559F6C0] 0x01 -> parse_qos: ERR AC14: pkey 0x0200 was not found
Nov 30 18:28:21 302000 [A559F6C0] 0x01 -> rank_leafs: ERR AB0D: fabric hasn't been identified as FatTree
Nov 30 18:28:21 302500 [A559F6C0] 0x02 -> ucast_mgr_route: Failed to setup routing engine 'ftree'
Nov 30 18:28:21 303089 [A559F6C0] 0x02 -> osm_ucast_mgr_process: minhop tables configured on all switches
Nov 30 18:28:21 303500 [A559F6C0] 0x01 -> report_duplicated_guid: ERR 0D01: Found duplicated node GUID.
\tNode 0x0c42a10300bb0008, port 1
Nov 30 18:28:21 304000 [A559F6C0] 0x02 -> log_notice: Reporting Generic Notice type:3 num:65 (GID out of service) from LID:3
Nov 30 18:28:21 309084 [A559F6C0] 0x02 -> SUBNET UP
Nov 30 18:28:24 763098 [A7DA46C0] 0x01 -> osm_pkey_rec_rcv_process: ERR 4608: Ignoring PKeyRecord request
Nov 30 18:28:24 763099 [A7DA46C0] 0x02 -> osm_vendor_bind: Mgmt class 0x81 binding to port GUID 0x100021
nothing that a manager says
"""
PRINTED = """-------------------------------------------------
OpenSM 3.3.23
Config file is `/etc/opensm/ib0/opensm.conf`:
 Reading Cached Option File: /etc/opensm/ib0/opensm.conf
 Loading Cached Option:routing_engine = ftree,no_fallback
 Unrecognized token: "sm_prioriti"
 Warning: Cached Option qos_sl2vl: < 16 VLs listed
Command Line Arguments:
 Log File: /var/log/opensm.log
Using default GUID 0x100021
Entering MASTER state
SUBNET UP
"""

LISTS = """Ca\t: 0x0c42a10300bb0008 ports 2 "gpu007 mlx5_0"
Ca: 0xc42a10300bb0018 ports 1 "a "quoted" name"
> Switch\t: 0x0c42a10300aa0008 ports 64 "MF0;leaf-1:MQM9700/U1" enhanced port 0 lid 7 lmc 0
Switch: 0x0c42a10300aa0018 ports 36 "old one" base port 0 lid 2 lmc 0
"""

TRACE = """$ ibtracert 31 32
From ca {0x0c42a10300bb0008} portnum 1 lid 31-31 "gpu007 mlx5_0"
[1] -> switch port {0x0c42a10300aa0008}[11] lid 7-7 "leaf-1"
[33] -> switch port {0x0c42a10300aa0018}[2] lid 8-8 "spine-1"
[3] -> ca port {0x0c42a10300bb0019}[1] lid 32-32 "gpu008 mlx5_0"
To ca {0x0c42a10300bb0018} portnum 1 lid 32-32 "gpu008 mlx5_0"
$ ibtracert -n 8 31
From {0x0c42a10300aa0018}[0]
[2] -> {0x0c42a10300aa0008}[33]
"""

SAQUERY = """$ saquery NR 31
NodeRecord dump:
\t\tlid.....................31
\t\treserved................0x0
\t\tnode_type...............Channel Adapter
\t\tnum_ports...............1
\t\tsys_guid................0x0c42a10300bb0008
\t\tnode_guid...............0x0c42a10300bb0008
\t\tport_guid...............0x0c42a10300bb0009
\t\tport_num................1
\t\tNodeDescription.........gpu007 mlx5_0
$ saquery -x
LinkRecord dump:
\t\tFromLID....................31
\t\tFromPort...................1
\t\tToPort.....................11
\t\tToLID......................7
$ saquery --src-to-dst 31:32
PathRecord dump:
\t\tdlid....................32
\t\tslid....................31
\t\tpkey....................0x8100
\t\tsl......................0x1
\t\tmtu.....................0x85
\t\trate....................0x91
$ saquery --smkey 0x1 PKTR
PKeyTableRecord dump:
\t\tLID........................7
\t\tPort.......................11
\t\tBlock......................1
\t\tPKey Table:
\t\t0x0000 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000
\t\t0x0000 0x8100 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000

$ saquery SL2VL 7
SL2VLTableRecord dump:
\t\tLID........................7
\t\tInPort.....................2
\t\tOutPort....................5
\t\tSL: 0| 1| 2| 3| 4| 5| 6| 7| 8| 9|10|11|12|13|14|15|
\t\tVL: 0| 1| 2| 3| 0| 1| 2| 3| 0| 1| 2| 3| 0| 1| 2|15|
$ saquery VLAR 7
VLArbTableRecord dump:
\t\tLID........................7
\t\tPort.......................5
\t\tBlock......................3
\t\tVL    : 1| 2| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0|
\t\tWeight:255| 8| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0|
$ saquery SMIR
SMInfoRecord dump:
\t\tRID
\t\tLID...................3
\t\tSMInfo dump:
\t\tGUID..................0x0c42a10300cc0001
\t\tActCount..............347
\t\tPriority..............14
\t\tSMState...............3
$ saquery -s
IsSM ports
PortInfoRecord dump:
\t\tEndPortLid..............3
\t\tPortNum.................1
\t\tbase_lid................3
\t\tmaster_sm_base_lid......3
\t\tcapability_mask.........0x50C04A
PortInfoRecord dump:
\t\tEndPortLid..............4
\t\tPortNum.................1
\t\tbase_lid................4
\t\tmaster_sm_base_lid......3
IsSMdisabled ports
PortInfoRecord dump:
\t\tEndPortLid..............5
\t\tPortNum.................1
\t\tbase_lid................5
\t\tmaster_sm_base_lid......3
$ saquery -D
   LID "name"
================
    31  "gpu007 mlx5_0"
MCMemberRecord group dump:
\t\tMGID....................ff12:401b:ffff::1
\t\tMlid....................0xC004
...
"""

#: Tool -> a text of it.
TEXTS = {
    "smpquery": SMPQUERY,
    "ibroute": LFT,
    "iblinkinfo": LINKS,
    "sminfo": SMINFO,
    "opensm-log": LOG,
    "ibnodes": LISTS,
    "ibtracert": TRACE,
    "saquery": SAQUERY,
}
