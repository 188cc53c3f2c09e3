"""Texts of the tools that a machine is asked with, written for these tests in the tools' forms: tool -> texts."""

from __future__ import annotations

SYSFS = """\
/sys/class/dmi/id/sys_vendor:Example Computers
/sys/class/dmi/id/product_name:Model Eight
/sys/class/dmi/id/product_serial:SER0001
/sys/class/dmi/id/product_uuid:4C4C4544-0001-4410-8031-C2C04F000001
/sys/class/dmi/id/board_serial:To be filled by O.E.M.
/sys/class/dmi/id/chassis_serial:CHA0001
/sys/class/dmi/id/bios_version:2.7
/etc/machine-id:00112233445566778899aabbccddeeff
/proc/sys/kernel/hostname:gpu001
/proc/sys/kernel/random/boot_id:0F1E2D3C-0000-4000-8000-000000000001
/proc/sys/kernel/osrelease:6.8.0-1-example
/proc/cmdline:BOOT_IMAGE=/vmlinuz ro iommu=pt console=tty0 console=ttyS0,115200
/etc/os-release:PRETTY_NAME="Example Linux 9"
/etc/os-release:ID=example
/proc/sys/kernel/numa_balancing:0
/proc/uptime:100.00 200.00
/sys/bus/pci/devices/0000:00:01.0/class:0x060400
/sys/bus/pci/devices/0000:17:00.0/class:0x030200
/sys/bus/pci/devices/0000:18:00.0/class:0x088000
/sys/bus/pci/devices/0000:00:01.0/vendor:0x8086
/sys/bus/pci/devices/0000:17:00.0/vendor:0x10de
/sys/bus/pci/devices/0000:17:00.0/device:0x26b9
/sys/bus/pci/devices/0000:17:00.0/numa_node:-1
/sys/bus/pci/devices/0000:17:00.0/current_link_speed:16.0 GT/s PCIe
/sys/bus/pci/devices/0000:18:00.0/current_link_speed:Unknown
/sys/bus/pci/devices/0000:17:00.0/current_link_width:8
/sys/bus/pci/devices/0000:18:00.0/current_link_width:0
/sys/bus/pci/devices/0000:17:00.0/max_link_speed:16.0 GT/s PCIe
/sys/bus/pci/devices/0000:17:00.0/max_link_width:16
/sys/bus/pci/devices/0000:18:00.0/max_link_width:255
/sys/class/infiniband/mlx5_0/node_guid:0c42:a103:0000:0001
/sys/class/infiniband/mlx5_0/fw_ver:28.43.1014
/sys/class/infiniband/mlx5_0/board_id:EX_0000000001
/sys/class/infiniband/mlx5_0/hca_type:MT4129
/sys/class/infiniband/mlx5_0/ports/1/link_layer:InfiniBand
/sys/class/infiniband/mlx5_0/ports/1/state:4: ACTIVE
/sys/class/infiniband/mlx5_0/ports/1/phys_state:5: LinkUp
/sys/class/infiniband/mlx5_0/ports/1/gids/0:fe80:0000:0000:0000:0c42:a103:0000:0011
/sys/class/infiniband/mlx5_1/fw_ver:20.43.1014
/sys/module/nvidia-uvm/version:580.95.05
/proc/irq/121/smp_affinity_list:0-47,96-143
/proc/irq/121/effective_affinity_list:3
"""
PATHS = """\
/sys/devices/pci0000:16/0000:16:01.0
/sys/devices/pci0000:16/0000:16:01.0/0000:17:00.0
/sys/devices/LNXSYSTM:00/VMBUS:01/47505500-0001-0000-3130-444531303130/pci0001:00/0001:00:00.0
/sys/devices/pci10000:00/10000:00:02.0
/sys/class/infiniband:
total 0
lrwxrwxrwx. 1 root root 0 Jan  1 00:00 mlx5_0 -> ../../devices/pci0000:16/0000:16:01.0/0000:17:00.0/infiniband/mlx5_0

/sys/class/net:
total 0
-rw-r--r-- 1 root root 4096 Jan  1 00:00 bonding_masters
lrwxrwxrwx 1 root root 0 Jan  1 00:00 ib0 -> ../../devices/pci0000:16/0000:16:01.0/0000:17:00.0/net/ib0
lrwxrwxrwx 1 root root 0 Jan  1 00:00 usb0 -> ../../devices/pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0/net/usb0
lrwxrwxrwx 1 root root 0 Jan  1 00:00 lo -> ../../devices/virtual/net/lo
"""
INTERRUPTS = """\
            CPU0       CPU1       CPU2       CPU3
   9:          0          5          0          0  IR-IO-APIC    9-fasteoi   acpi
 120:          0          0 4294967295          2  IR-PCI-MSIX-0000:17:00.0    0-edge      mlx5_async0@pci:0000:17:00.0
 121:          1          0          0          0  IR-PCI-MSI 12058625-edge      mlx5_comp0@pci:0000:17:00.1
 122:          0          0          0          0  PCI-MSI-0000:00:1c.0    0-edge
 NMI:          0          0          0          0   Non-maskable interrupts
 ERR:          0
"""
INTERRUPTS_ARM = """\
           CPU0       CPU1
 11:        713        712     GICv3  30 Level     arch_timer
 94:         21          0   ITS-PCI-MSIX-0002:01:00.0   3 Edge      mlx5_comp2@pci:0002:01:00.0
IPI0:        12         13       Rescheduling interrupts
Err:          0
"""
LSPCI = """\
0000:16:01.0 PCI bridge [0604]: Example Root Port [8086:352a] (rev 04)
0000:17:00.0 Infiniband controller [0207]: Mellanox Technologies MT2910 Family [ConnectX-7] [15b3:1021]
0001:00:00.0 Generic system peripheral [0807]: Example Device 0b23
0002:00:00.0 0302: 10de:2330 (rev a1)
18:00.0 3D controller: NVIDIA Corporation Device 26b9 (rev a1)   # what somebody wrote behind it
"""
LSPCI_VV = """\
16:01.0 PCI bridge [0604]: Example Root Port [8086:352a] (rev 04) (prog-if 00 [Normal decode])
\tNUMA node: 0
\tBus: primary=16, secondary=17, subordinate=17, sec-latency=0
\tCapabilities: [60] Express (v2) Root Port (Slot+), MSI 00
\t\tDevCap:\tMaxPayload 512 bytes, PhantFunc 0
\t\tDevCtl:\tCorrErr+ NonFatalErr+ FatalErr+ UnsupReq-
\t\t\tMaxPayload 256 bytes, MaxReadReq 512 bytes
\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported
\t\tLnkCtl:\tASPM Disabled; RCB 64 bytes, LnkDisable-
\t\tLnkSta:\tSpeed 16GT/s (downgraded), Width x8 (downgraded)
\tCapabilities: [220 v1] Access Control Services
\t\tACSCap:\tSrcValid+ TransBlk+ ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans+
\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-
\tKernel driver in use: pcieport

17:00.0 Infiniband controller [0207]: Mellanox Technologies MT2910 Family [ConnectX-7] [15b3:1021]
\tPhysical Slot: 7-1
\tNUMA node: 0
\tCapabilities: [60] Express (v2) Endpoint, MSI 00
\t\t\tMaxPayload 512 bytes, MaxReadReq 4096 bytes
\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported
\t\tLnkSta:\tSpeed unknown, Width x0
\tCapabilities: [48] Vital Product Data
\t\t\t[SN] Serial number: EX0001
\t\tACSCtl:\tSrcValid- TransBlk- ReqRedir- CmpltRedir- UpstreamFwd- EgressCtrl- DirectTrans-
\tKernel driver in use: mlx5_core
\tKernel modules: mlx5_core

18:00.0 3D controller [0302]: NVIDIA Corporation Device [10de:26b9] (rev ff) (prog-if ff)
\t!!! Unknown header type 7f
\tKernel driver in use: nvidia
"""
LSPCI_USER = """\
17:00.0 3D controller: NVIDIA Corporation Device 26b9 (rev a1)
\tNUMA node: 1
\tCapabilities: <access denied>
\tKernel driver in use: nvidia
"""
LSPCI_TV = """\
-+-[0000:16]-+-01.0-[17-1a]----00.0-[18-1a]--+-00.0-[19]----00.0  Example Card [15b3:1021]
 |           |                               \\-01.0-[1a]--
 |           \\-02.0  Example Device
 \\-[0001:00]---00.0-[01]--+-00.0  Example GPU
                          \\-00.1  Example Sound
"""
LSPCI_T = """\
-[0000:00]-+-00.0
           \\-1f.3
"""
LSTOPO = """\
Machine (503GB total)
  Package L#0
    NUMANode L#0 (P#0 252GB)
    L3 L#0 (32MB) + L2 L#0 (512KB) + Core L#0 + PU L#0 (P#0)
    HostBridge
      PCIBridge
        PCI 17:00.0 (InfiniBand)
          Net "ib0"
          OpenFabrics "mlx5_0"
      PCI 0001:00:00.0 (3D)
  Package L#1
    NUMANode L#1 (P#1 252GB)
"""
LSTOPO_XML = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0x0000000f" nodeset="0x00000003">
    <info name="HostName" value="gpu001"/>
    <info name="OSRelease" value="6.8.0-1-example"/>
    <info name="Architecture" value="x86_64"/>
    <object type="Package" os_index="0" cpuset="0x00000003" nodeset="0x00000001">
      <info name="CPUModel" value="Example &amp; Sons"/>
      <object type="NUMANode" os_index="0" cpuset="0x00000003" nodeset="0x00000001" local_memory="1073741824"/>
      <object type="Core" os_index="0"><object type="PU" os_index="0"/><object type="PU" os_index="1"/></object>
      <object type="Bridge" bridge_type="0-1" bridge_pci="0000:[16-18]">
        <object type="Bridge" bridge_pci="0000:[17-17]" pci_busid="0000:16:01.0" pci_type="0604 [8086:352a] [0000:0000] 04">
          <object type="PCIDev" pci_busid="0000:17:00.0" pci_type="0207 [15b3:1021] [15b3:0001] 00" pci_link_speed="63.0">
            <info name="PCIDevice" value="Example Card"/>
            <object type="OSDev" name="ib0" osdev_type="2"/>
            <object type="OSDev" name="mlx5_0" osdev_type="3">
              <info name="Port1GID0" value="fe80:0000:0000:0000:0c42:a103:0000:0011"/>
            </object>
          </object>
        </object>
      </object>
    </object>
    <object type="Package" os_index="1" cpuset="0x0000000c" nodeset="0x00000002">
      <object type="NUMANode" os_index="1" cpuset="0x0000000c" nodeset="0x00000002" local_memory="2147483648"/>
      <object type="Core" os_index="0"><object type="PU" os_index="2"/><object type="PU" os_index="3"/></object>
    </object>
  </object>
</topology>
"""
LSCPU = """\
Architecture:                         x86_64
  CPU op-mode(s):                     32-bit, 64-bit
CPU(s):                               192
  On-line CPU(s) list:                0-191
Vendor ID:                            ExampleVendor
  Model name:                         Example 9654
    Thread(s) per core:               2
    Core(s) per socket:               48
    Socket(s):                        2
NUMA:
  NUMA node(s):                       2
  NUMA node0 CPU(s):                  0-47,96-143
  NUMA node1 CPU(s):                  48-95,144-191
Vulnerabilities:
  Example thing:                      Not affected
"""
LSCPU_ARM = """\
Architecture:        aarch64
CPU(s):              72
On-line CPU(s) list: 0-71
Model name:          Neoverse-V2
Core(s) per cluster: 72
Socket(s):           -
Cluster(s):          1
NUMA node(s):        2
NUMA node0 CPU(s):   0-71
NUMA node1 CPU(s):
"""
LSCPU_JSON = """\
{"lscpu": [
  {"field": "Architecture:", "data": "x86_64", "children": [{"field": "CPU op-mode(s):", "data": "64-bit"}]},
  {"field": "CPU(s):", "data": "8"},
  {"field": "NUMA:", "data": null, "children": [{"field": "NUMA node0 CPU(s):", "data": "0-7"}]}
]}
"""
NUMACTL = """\
available: 2 nodes (0-1)
node 0 cpus: 0 1 2 3 8 9
node 0 size: 193129 MB
node 0 free: 186031 MB
node 1 cpus:
node 1 size: 97280 MB
node 1 free: 90000 MB
node distances:
node   0   1
  0:  10  32
  1:  32  10
"""
LSMOD = """\
Module                  Size  Used by
nvidia_uvm           2195456  4
nvidia              35315712  120 nvidia_uvm,nvidia_modeset
ib-core               524288  8 mlx5_ib,[permanent]
going                  16384  -2
"""
MODINFO = """\
filename:       /lib/modules/6.8.0-1-example/updates/dkms/mlx5_core.ko.zst
version:        24.10-1.1.4
license:        Dual BSD/GPL
vermagic:       6.8.0-1-example SMP mod_unload
signature:      01:02:
\t\t03:04
modinfo: ERROR: Module nv_peer_mem not found.
"""

TEXTS: dict[str, tuple[str, ...]] = {
    "sysfs": (SYSFS,),
    "sysfs-paths": (PATHS,),
    "interrupts": (INTERRUPTS, INTERRUPTS_ARM),
    "lspci": (LSPCI,),
    "lspci-vv": (LSPCI_VV, LSPCI_USER),
    "lspci-tv": (LSPCI_TV, LSPCI_T),
    "lstopo": (LSTOPO, LSTOPO_XML),
    "lscpu": (LSCPU, LSCPU_ARM, LSCPU_JSON),
    "numactl": (NUMACTL,),
    "lsmod": (LSMOD,),
    "modinfo": (MODINFO,),
}
