"""Made-up outputs of network-card tools, with the quirks of real ones."""

from __future__ import annotations

MST = """root@node0007:/srv# mst status
MST modules:
------------
    MST PCI module is not loaded
    MST PCI configuration module loaded

MST devices:
------------
/dev/mst/mt4129_pciconf0         - PCI configuration cycles access.
                                   domain:bus:dev.fn=0000:1A:00.0 addr.reg=88 data.reg=92 cr_bar.gw_offset=-1
                                   Chip revision is: 00
/dev/mst/mt41692_pciconf0        - PCI configuration cycles access.
                                   domain:bus:dev.fn=0001:e1:00.0 addr.reg=88 data.reg=92 cr_bar.gw_offset=-1
                                   Chip revision is: 01
root@node0007:/srv# mst status -v
MST modules:
------------
    MST PCI module loaded
PCI devices:
------------
DEVICE_TYPE             MST                           PCI       RDMA            NET                       NUMA
ConnectX7(rev:0)        /dev/mst/mt4129_pciconf0      1a:00.0   mlx5_0          net-ibp26s0               0

NA                      NA                            1a:00.3   mlx5_9                                    -1
BlueField3(rev:1)       /dev/mst/mt41692_pciconf0.1   e1:00.1                   net-ens7f1np1             NA
"""
FLINT = """# flint -d /dev/mst/mt4129_pciconf0 q
Image type:            FS4  \n\
FW Version:            28.39.1002  \n\
FW Version(Running):   28.36.1010
FW Release Date:       1.2.2026
Rom Info:              type=UEFI version=14.36.16 cpu=AMD64,AARCH64
                       type=PXE version=3.7.500 cpu=AMD64
Description:           UID                GuidsNumber
Base GUID:             0c42a10300aabbcc        16
Base MAC:              0c42a1aabbcc            16
Image VSD:             N/A
PSID:                  MT_0000000838
Security Attributes:   secure-fw
# flint -d 1b:00.0 q
Image type:            FS2
FW Version:            2.42.5000
Device ID:             4099
Board ID:              VSD text
PSID:                  MT_1090120019
"""
MLXFWMANAGER = """Querying Mellanox devices firmware ...

Device #1:
----------

  Device Type:      ConnectX7
  Part Number:      MCX75310AAS-NEA_Ax
  Description:      400GbE / NDR IB; Single-port: OSFP
  PSID:             MT_0000000838
  PCI Device Name:  0000:1a:00.0
  Base GUID:        0c42a10300aabbcc
  Versions:         Current        Available
     FW             28.36.1010     28.39.1002
     FW (Running)   28.35.2000     N/A
     PXE            3.6.0902       N/A

  Status:           Update required

Device #2:
----------

  Device Type:      ConnectX7
  PSID:             MT_0000000839
  PCI Device Name:  /dev/mst/mt4129_pciconf1
  Versions:         Current        Available
     FW             28.39.1002     N/A

  Status:           No matching image found
Log File: mlxfwmanager.log
"""
IBDEV = """mlx5_0 port 1 ==> ib0 (Up)
mlx5_3 port 1 ==> ens7f1np1 (Down)
0000:1a:00.0 mlx5_4 (MT4129 - MCX75310AAS-NEAT) NVIDIA ConnectX-7 HHHL card, \
crypto disabled fw 28.39.1002 port 1 (DOWN  ) ==> ib4 (Down)
"""
GIDS = """# DEV     PORT    INDEX   GID                                     IPv4            VER     DEV
# ---     ----    -----   ---                                     ------------    ---     ---
# mlx5_0  1       0       fe80:0000:0000:0000:0c42:a103:00aa:bbcc                 v1
# mlx5_3  1       3       0000:0000:0000:0000:0000:ffff:0a00:0001 10.0.0.1        v2      ens7f1np1
# n_gids_found=2
"""
OFED = """MLNX_OFED_LINUX-24.04-0.6.6.0 (OFED-24.04-0.6.6):
Installed Packages:
-------------------
ibutils2
"""
DEVINFO = """hca_id:	mlx5_0
	transport:			InfiniBand (0)
	fw_ver:				28.39.1002
	node_guid:			0c42:a103:00aa:bbcc
	vendor_part_id:			4129
	board_id:			MT_0000000838
	phys_port_cnt:			1
	device_cap_flags:		0xe97e1c36
					BAD_PKEY_CNTR
		port:	1
			state:			PORT_ACTIVE (4)
			max_mtu:		4096 (5)
			active_mtu:		4096 (5)
			sm_lid:			1
			link_layer:		InfiniBand
			active_width:		4X (2)
			GID[  0]:		fe80::c42:a103:aa:bbcc, RoCE v2
"""
TEXTS = {
    "mst-status": MST,
    "flint": FLINT,
    "mlxfwmanager": MLXFWMANAGER,
    "ibdev2netdev": IBDEV,
    "show_gids": GIDS,
    "ofed_info": OFED,
    "ibv_devinfo": DEVINFO,
}
