"""Texts of host tools with every quirk that we know of, written by us: one for each tool, to read, to cut and to damage."""

from __future__ import annotations

import json

IBSTAT = """[root@node0003 ~]# ibstat
CA 'mlx5_0'
\tCA type: MT4129
\tNumber of ports: 1
\tFirmware version: 28.39.1002
\tHardware version: 0
\tNode GUID: 0x0002c90300aa0010
\tSystem image GUID: 0x0002c90300aa0013
\tPort 1:
\t\tState: Active
\t\tPhysical state: LinkUp
\t\tRate: 400
\t\tBase lid: 75
\t\tLMC: 0
\t\tSM lid: 1
\t\tCapability mask: 0xa751e848
\t\tPort GUID: 0x0002c90300aa0010
\t\tLink layer: InfiniBand
CA 'mlx4_0'
        CA type: MT25418 # an old one
        Number of ports: 2
        Node GUID: 0x0002c90300bb0000
        Port 1:
                State: Initializing
                Physical state: LinkUp # cable is in
                Rate: 40 (FDR10)
                Base lid: 0
                SM lid: 0
        Port 2:
                State: Down
                Physical state: Polling
                Rate: 10
                Port GUID: 0x0000000000000000
                Link layer: Ethernet
..
CA 'rocep130s0'
    CA type: MT4103
    Port 1:
        State: Down
        Physical state: Disabled
        Rate: 40
        Link layer: Ethernet
"""
FLEET = """node0001: CA 'mlx5_0'
node0002: CA 'mlx5_0'
node0001: \tCA type: MT4129
node0002: \tCA type: MT4129
node0002: \tNode GUID: 0x0002c90300000002
node0001: \tNode GUID: 0x0002c90300000001
node0001: \tPort 1:
node0001: \t\tState: Active
node0002: \tPort 1:
node0001: \t\tPhysical state: LinkUp
node0002: \t\tState: Down
node0001: \t\tRate: 400
node0001: \t\tLink layer: InfiniBand
node0002: \t\tPhysical state: Polling
node0002: \t\tLink layer: Ethernet
pdsh@head: node0004: ssh exited with exit code 255
"""
IBSTATUS = """$ ibstatus
Infiniband device 'mlx5_ib0' port 1 status:
        default gid:     fe80:0000:0000:0000:0015:5dff:fd33:ff0b
        base lid:        0x96
        sm lid:          0x11c
        state:           4: ACTIVE
        phys state:      5: LinkUp
        rate:            400 Gb/sec (4X NDR)
        link_layer:      InfiniBand

Infiniband device 'mlx5_an0' port 1 status:
        default gid:     unknown
        base lid:        0x0
        sm lid:          0x0
        state:           1: DOWN
        phys state:      3: Disabled
        rate:            40 Gb/sec (4X QDR)
        link_layer:      Ethernet
"""
PERFQUERY = """# time: 2026-01-31T12:00:00Z
[root@sm-1 ~]# perfquery -x -G 0x0002c903000d7aac 33
# Port extended counters: Lid 133 port 33 (CapMask: 0x5A00 CapMask2: 0x0000000)
PortSelect:......................33
CounterSelect:...................0x0000
PortXmitData:....................37108676853855
PortRcvData:.....................18446744073709551615
SymbolErrorCounter:..............3
QP1Dropped:......................0

[root@sm-1 ~]# perfquery 12 1
# Port counters: Lid 12 port 1 (CapMask: 0x1300)
PortSelect:......................1
LinkDowned:......................2
XmtDiscards:.....................0x1f
ibwarn: [4711] mad_rpc: _do_madrpc failed; dport (Lid 12)
[root@sm-1 ~]# date -Is
2026-01-31T13:00:00+00:00
[root@node0003 ~]# perfquery -C mlx5_1 -x
# PortRcvErrorDetails counters: Lid 9 port 1
PortLocalPhysicalErrors:.........7
"""
IBQUERYERRORS = """Errors for 0x200002 "leaf-r1"
   GUID 0x200002 port ALL: [SymbolErrorCounter == 250] [LinkDownedCounter == 3]
   GUID 0x200002 port 33: [SymbolErrorCounter == 250] [LinkDownedCounter == 3] [PortXmitData == 26254 (105.016KB)]
         Link info:    137   33[  ] ==( 4X 53.125 Gbps Active/  LinkUp)==>  0x0002c90300000001   5    1[  ] "n1 mlx5_0" ( )
Errors for "node0001 mlx5_0"
   GUID 0x2c90300000001 port 1: [RcvErrors == 12]

## Summary: 16 nodes checked, 2 bad nodes found
##          226 ports checked, 2 ports have errors beyond threshold
## Thresholds: SymbolErrorCounter=10
## Suppressed: PortXmitWait
"""
MLXLINK = """root@node0003:~# mlxlink -d mlx5_4 -m -c --rx_fec_histogram --show_histogram

\x1b[32mOperational Info\x1b[0m
----------------
State                              : \x1b[32mActive\x1b[0m
Physical state                     : LinkUp
Speed                              : IB-NDR
Width                              : 4x
FEC                                : Interleaved_Standard_RS_FEC_PLR - (544,514)

Module Info
-----------
Temperature [C]                    : 49 [-10..80]
Rx Power Current [dBm]             : 1.945,1.892,-2.167,2.025 [-5.003..3.998]
Vendor Part Number                 : MMA4Z00-NS
FW Version                         : 46.100.1112
Tx LOS [per lane]                  : 0,0,0,0

Physical Counters and BER Info
------------------------------
Time Since Last Clear [Min]        : 25074.8
Effective Physical BER             : 15E-255
Raw Physical Errors Per Lane       : 16,N/A,0,0
Raw Physical BER                   : 2E-9
Symbol BER                         : N/A

Histogram of FEC Errors
-----------------------
Header                             : Range   Occurrences
Bin 0                              : [0:0]   5836219047
Bin 1                              : [1:1]   42
root@node0003:~# mlxlink -d mlx5_5
Operational Info
----------------
State                              : Polling
"""
MLXCONFIG = """root@node01:/srv/mft# mlxconfig -d /dev/mst/mt4129_pciconf0 -e query

Device #1:
----------

Device type:    ConnectX7
Name:           MCX715105AS-WEAT_Ax
Description:    400GbE (default mode) / NDR IB; Single-port: QSFP112
Device:         /dev/mst/mt4129_pciconf0

Configurations:                              Default         Current         Next Boot
        MODULE_SPLIT_M0                     Array[0..15]    Array[0..15]    Array[0..15]
*       LINK_TYPE_P1                        ETH(2)          ETH(2)          IB(1)
The '*' shows parameters with next value different from default/current value.
root@node01:/srv/mft# mlxconfig -d /dev/mst/mt4129_pciconf1 query | grep LINK_TYPE
        LINK_TYPE_P1                        IB(1)
        LINK_TYPE_P2                        VPI(3)
"""
IBDIAGNET = """-------------------------------------------------
Load Plugins from: /usr/share/ibdiagnet2.1.1/plugins/
Plugin Name                                   Result     Comment
libibdiagnet_phy_diag_plugin-2.1.1            Succeeded  Plugin loaded

-------------------------------------------------
Discovery
-I- Discovering ... 48 nodes (16 Switches & 32 CA-s) discovered.
-E- Duplicated Node GUID 0x0002c90300000001 found at direct routes 1,2 and 1,3
-W- Bad link: leaf-1/P1 is connected to gpu002/U1/P1
-W- link: "H-0"/P1<-->"S-0"/P5 - Either a/U1 or b/P5 have "LinkDownedCounter" increased by 3 (threshold=1)
-W- Topology file is not specified.
    Reports regarding cluster links will use direct routes.
SM - master
    S0002c902/U1 lid=0x0001 guid=0x0002c903000000a1 dev=4129 priority:14
-------------------------------------------------
Summary
-I- Stage                                    Warnings  Errors    Comment
-I- Discovery                                1         2
-I- Lids Check                               0         0

-I- Done. Run time was 4 seconds.
"""
DB_CSV = """START_NODES
NodeDesc,NumPorts,NodeType,ClassVersion,BaseVersion,SystemImageGUID,NodeGUID,PortGUID
"leaf, one",64,2,1,1,0xb0000001,0xb0000001,0xb0000001
"n1 mlx5_0",1,1,1,1,0xa0000003,0xa0000001,0xa0000002
"anonymised",1,1,1,1,0xhost1,0xhost1,0xhost1
END_NODES

START_PORTS
NodeGuid,PortGuid,PortNum,LID,MSMLID,LinkWidthActv,LinkWidthSup,LinkSpeedActv,LMC,PortPhyState,PortState,LinkSpeedSup,NMTU,OpVLs
0xb0000001,0xb0000001,1,0,0,2,19,2052,0,5,4,3845,5,4
0xb0000001,0xb0000001,2,0,0,2,19,2052,0,2,1,3845,5,4
0xa0000001,0xa0000002,1,7,1,1,19,1024,0,5,2,N/A,4,5
0xa0000001,0xa0000002,1,7
END_PORTS

START_LINKS
NodeGuid1,PortNum1,NodeGuid2,PortNum2
0xb0000001,1,0xa0000001,1
END_LINKS

START_PM_INFO
NodeGUID,PortGUID,PortNumber,SymbolErrorCounter,PortXmitData,PortXmitDataExtended,QP1Dropped
0xb0000001,0xb0000001,1,3,4294967295,99999999999,N/A
0xa0000001,0xa0000002,1,0x10,5,N/A,0
END_PM_INFO

START_PM_DELTA
NodeGUID,PortGUID,PortNumber,SymbolErrorCounter
0xb0000001,0xb0000001,1,2
END_PM_DELTA

START_SM_INFO
NodeGUID,PortGUID,PortNumber,GUID,Sm_Key,Priority,SmState,ActCount
0xa0000001,0xa0000002,1,0xa0000002,0x0,14,3,1234
END_SM_INFO

START_CABLE_INFO
NodeGuid,PortGuid,PortNum,Vendor,PN,SN,FWVersion,Temperature
0xb0000001,0xb0000001,1,"Maker","MMA4Z00-NS","MT1",46.100.1112,45C
END_CABLE_INFO

START_WARNINGS_LINKS_CHECK
Scope,NodeGUID,PortGUID,PortNumber,EventName,Summary
PORT,0xb0000001,0xb0000001,1,LINK_DIFFERENT_SPEED,"one end, another speed"
END_WARNINGS_LINKS_CHECK

START_PHY_DB12
NodeGuid,PortGuid,PortNum,field0
0xb0000001,0xb0000001,1,0x1
END_PHY_DB12
"""
_NODE = (
    "{ %s Ports:%s SystemGUID:%016x NodeGUID:%016x PortGUID:%016x"
    " VenID:000002C9 DevID:D2F00000 Rev:000000A0 {%s} LID:%04X PN:%02X }"
)
LST = "\n".join(
    " ".join((_NODE % one, _NODE % two, tail))
    for one, two, tail in (
        (("SW", "28", 1, 1, 1, "leaf {1}", 2, 0x1F), ("CA", "01", 9, 8, 9, "n1 mlx5_0", 3, 1), "PHY=4x LOG=ACT SPD=10"),
        (("CA", "01", 9, 8, 9, "n1 mlx5_0", 3, 1), ("SW", "28", 1, 1, 1, "leaf {1}", 2, 0x1F), "PHY=1x LOG=INI SPD=??"),
        (("CA-SM", "01", 9, 0, 9, "no guid", 3, 1), ("SW", "28", 1, 1, 1, "leaf", 2, 1), "PHY=4x LOG=ACT"),
    )
) + "\n"  # fmt: skip
MLNX_QOS = """node1: # mlnx_qos -i eth2
node1: DCBX mode: OS controlled
node1: Priority trust state: dscp
node1: dscp2prio mapping:
node1: \tprio:0 dscp:07,06,05,04,03,02,01,00,
node1: \tprio:3 dscp:31,30,29,28,27,26,25,24,
node1: Receive buffer size (bytes): 20016,156096,0,0,0,0,0,0,total_size=262016
node1: Cable len: 7
node1: PFC configuration:
node1: \tpriority    0   1   2   3   4   5   6   7
node1: \tenabled     0   0   0   1   0   0   0   0\x20\x20\x20
node1: \tbuffer      0   0   0   1   0   0   0   0
node1: tc: 0 ratelimit: unlimited, tsa: vendor
node1: \t priority:  0
node1: tc: 3 ratelimit: 10.5 Gbps, tsa: ets, bw: 50%
node1: \t priority:  3
node1: # mlnx_qos -i eth3
node1: Priority trust state: pcp
---------------
node[2-3] (2)
---------------
+ mlnx_qos -i eth2 --trust dscp
Priority trust state: dscp
"""
CMA = """[root@node0003 ~]# cma_roce_tos -d mlx5_2 -p 1
106
[root@node0003 ~]# cma_roce_tos -d mlx5_3
0
[root@node0003 ~]# cma_roce_tos -d mlx5_4
300
"""
ETHTOOL = """node1: # ethtool -S eth2
node1: NIC statistics:
node1:      rx_prio3_pause: 5
node1:      tx_prio3_pause: 0
node1:      rx_discards_phy: 12
node1:      ch0_poll: 9000
node1:      [3]: rx_queue_busy: 1
"""
NVUE = """cumulus@leaf01:mgmt:~$ nv show interface -o json
{
  "swp1": {
    "type": "swp",
    "link": {"admin-status": "up", "oper-status": "up", "mtu": 9216, "speed": "400G", "fec": "rs"},
    "qos": {
      "pfc": {"rx": "enable", "tx": "enable", "switch-priority": {"3": {}}, "cable-length": 5},
      "congestion-control": {"traffic-class": {"3": {"ecn": "enable", "min-threshold": "146.48 KB", "max-threshold": "1.43 MB",
                                                      "probability": 100}}},
      "mapping": {"trust": "l3", "dscp": {"26": {"switch-priority": 3}, "99": {"switch-priority": 1}}},
      "egress-scheduler": {"traffic-class": {"3": {"mode": "dwrr", "bw-percent": 50}}}
    }
  },
  "swp2": {"link": {"admin-status": "up", "oper-status": "down", "mtu": 1500}}
}
cumulus@leaf01:mgmt:~$ nv show qos roce -o json
{"enable": "on", "mode": "lossless", "pfc": {"pfc-priority": "3", "rx-enabled": "enabled", "tx-enabled": "enabled"},
 "congestion-control": {"congestion-mode": "ECN", "enabled-tc": "0,3", "min-threshold": "146.48 KB", "probability": 100},
 "trust": {"trust-mode": "pcp,dscp"}, "prio-map": {"3": {"pcp": "3", "dscp": "24,25,26", "switch-prio": 3}},
 "tc-map": {"0": {"switch-prio": 3, "traffic-class": 3}}}
cumulus@leaf01:mgmt:~$ nv show interface swp3 qos pfc -o json
{"pfc": {"rx": "disable", "tx": "disable"}}
"""
SONIC = json.dumps(
    {
        "DEVICE_METADATA": {"localhost": {"hostname": "leaf-7"}},
        "PORT": {
            "Ethernet0": {
                "speed": "400000",
                "mtu": "9100",
                "lanes": "0,1,2,3",
                "admin_status": "up",
                "fec": "rs",
                "alias": "etp1",
            },
            "Ethernet4": {"speed": "400000", "mtu": "9100", "lanes": "4,5,6,7"},
        },
        "PORT_QOS_MAP": {
            "Ethernet0,Ethernet4": {
                "dscp_to_tc_map": "AZURE",
                "tc_to_queue_map": "[TC_TO_QUEUE_MAP|AZURE]",
                "pfc_enable": "3,4",
            }
        },
        "DSCP_TO_TC_MAP": {"AZURE": {"26": "3", "48": "6", "70": "1"}},
        "TC_TO_QUEUE_MAP": {"AZURE": {"3": "3"}},
        "WRED_PROFILE": {
            "L": {
                "ecn": "ecn_all",
                "green_min_threshold": "250000",
                "green_max_threshold": "1000000",
                "green_drop_probability": "5",
            }
        },
        "QUEUE": {
            "Ethernet0,Ethernet4|3-4": {"wred_profile": "L", "scheduler": "s1"},
            "Ethernet0|0": {"scheduler": "s0"},
            "Ethernet4|1": {"wred_profile": "gone"},
        },
        "SCHEDULER": {"s1": {"type": "DWRR", "weight": "15"}, "s0": {"type": "STRICT"}},
        "BUFFER_PG": {"Ethernet0|3-4": {"profile": "pg"}},
        "BUFFER_PROFILE": {"pg": {"size": "18432", "xoff": "160000", "xon": "18432"}},
        "CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m"}},
        "NTP": {"global": {}},
    }
)
INTERFACES = """admin@leaf-7:~$ show interfaces status
  Interface            Lanes    Speed    MTU    FEC    Alias    Vlan    Oper    Admin             Type    Asym PFC    Oper Speed
-----------  ---------------  -------  -----  -----  -------  ------  ------  -------  ---------------  ----------  ------------
  Ethernet0          0,1,2,3     400G   9100     rs     etp1  routed      up       up  QSFP28 or later         N/A          200G
  Ethernet4          4,5,6,7     400G   9100    N/A     etp2  routed    down       up  QSFP28 or later         N/A           N/A
  Ethernet8          4,5,6,7     400G   9100    N/A
[root@node1 ~]# ip link
1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN mode DEFAULT group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
2: eth2@if3: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 4200 qdisc mq state UP mode DEFAULT group default qlen 1000
    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff
"""
IP_JSON = '[{"ifname":"eth2","flags":["BROADCAST","UP"],"mtu":4200,"operstate":"UP"},{"ifname":"swp1","flags":[],"mtu":9216}]\n'

#: Tool -> its text.
TEXTS: dict[str, str] = {
    "ibstat": IBSTAT,
    "ibstatus": IBSTATUS,
    "perfquery": PERFQUERY,
    "ibqueryerrors": IBQUERYERRORS,
    "mlxlink": MLXLINK,
    "mlxconfig": MLXCONFIG,
    "ibdiagnet": IBDIAGNET,
    "ibdiagnet-csv": DB_CSV,
    "ibdiagnet-lst": LST,
    "mlnx_qos": MLNX_QOS,
    "cma_roce_tos": CMA,
    "ethtool": ETHTOOL,
    "nvue-qos": NVUE,
    "sonic-config": SONIC,
    "interface-status": INTERFACES,
}
