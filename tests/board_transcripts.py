"""Texts of dmidecode, kernel log, systemctl, BMC, racks, packages and interfaces, written for these tests: tool -> texts."""

from __future__ import annotations

import json

DMIDECODE = """\
# dmidecode 3.5
Getting SMBIOS data from sysfs.
SMBIOS 3.6.0 present.

Handle 0x0000, DMI type 0, 26 bytes
BIOS Information
\tVendor: Example BIOS
\tVersion: 2.7
\tCharacteristics:
\t\tPCI is supported

Handle 0x0001, DMI type 1, 27 bytes
System Information
\tProduct Name: Model Eight
\tSerial Number: SER0001
\tUUID: 4C4C4544-0001-4410-8031-C2C04F000001

Handle 0x0002, DMI type 2, 17 bytes
Base Board Information
\tSerial Number: To be filled by O.E.M.

Handle 0x0003, DMI type 2, 17 bytes
Base Board Information
\tSerial Number: RISER7

Handle 0x0004, DMI type 3, 22 bytes
Chassis Information
\tSerial Number: CHA0001

Handle 0x0005, DMI type 194, 5 bytes
OEM-specific Type
\tHeader and Data:
\t\tC2 05 05 00 11

Handle 0x0021, DMI type 17, 92 bytes
Memory Device
\tArray Handle: 0x0020
\tSize: 64 GB
\tLocator: P1-DIMMA1
\tBank Locator: P0_Node0_Channel0_Dimm0
\tType: DDR5
\tSpeed: 5600 MT/s
\tManufacturer: Example Memory
\tSerial Number: D0000001
\tPart Number: EX-64-5600   \n\
\tConfigured Memory Speed: 4800 MT/s
\tMemory Technology: DRAM

Handle 0x0022, DMI type 17, 92 bytes
Memory Device
\tSize: No Module Installed
\tLocator: P1-DIMMB1
\tBank Locator: P0_Node0_Channel1_Dimm0
\tType: Unknown
\tType Detail: Unknown

Handle 0x0023, DMI type 17, 40 bytes
Memory Device
\tSize: 16384 MB
\tLocator: PROC 1 DIMM 3
\tBank Locator: Not Specified
\tType: DDR4
\tSpeed: 2666 MHz
\tConfigured Clock Speed: 2400 MHz

Handle 0x0024, DMI type 17, 40 bytes
Memory Device
\tSize: 16 MB
\tLocator: System ROM
\tType: Flash

Handle 0x0025, DMI type 127, 4 bytes
End Of Table

"""

DMESG = """\
2026-11-30T08:00:00,000000+00:00 Linux version 6.8.0-1-example
2026-11-30T08:00:09,010000+00:00 mlx5_core 0000:13:00.0: 504.123 Gb/s available PCIe bandwidth (32.0 GT/s PCIe x16 link)
2026-11-30T08:00:10,000000+00:00 mlx5_core 0000:14:00.0: 63.0 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link
2026-11-30T09:00:00,000000+00:00 NVRM: Xid (PCI:0000:1b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
2026-12-01T09:00:00,000000+00:00 systemd[1]: a line of another day
2026-12-01T09:00:01,000000+00:00 nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 28006, Non-fatal, Link 46 error (First)
2026-12-01T09:00:01,000000+00:00 nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 28006, Severity 0 Engine instance 46
2026-12-01T09:00:02,000000+00:00 nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 down
"""
DMESG_SECONDS = """\
[    0.000000] Linux version 6.8.0-1-example
[   12.000001] pcieport 0000:00:01.0: AER: Corrected error message received from 0000:13:00.0
[   12.000002] mlx5_core 0000:13:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)
[   12.000003] mlx5_core 0000:13:00.0:   device [15b3:1021] error status/mask=00000001/0000e000
[   12.000004] mlx5_core 0000:13:00.0:    [ 0] RxErr                  (First)
[   13.000000] igb 0000:02:00.0: PCIe Bus Error: severity=Uncorrectable (Non-Fatal), type=Transaction Layer, (Requester ID)
[   13.000000] igb 0000:02:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Data Link Layer, (Receiver ID)
[   14.000000] mlx5_core 0000:13:00.0: Port module event[error]: module 0, Cable error, Bus stuck
[   15.000000] mlx5_core 0000:13:00.0: poll_health:800:(pid 0): Fatal error 1 detected
[   16.000000] mlx5_core 0000:13:00.0: temp_warn: High temperature on sensors with bit set 1
[   17.000000] EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0
[   18.000000] Out of memory: Killed process 4123 (python3) total-vm:1kB
[   19.000000] INFO: task nvidia-smi:41230 blocked for more than 122 seconds.
[   20.000000] CPU7: Package temperature above threshold, cpu clock throttled (total events = 1)
[   21.000000] CPU7: Package temperature/speed normal
[   22.000000] mce: [Hardware Error]: CPU 3: Machine Check: 0 Bank 7: cc00000000010090
[   23.000000] NVRM: GPU 0000:1b:00.0: RmInitAdapter failed! (0x62:0x40:2142)
"""
DMESG_OTHER = """\
[Mon Nov 30 19:09:50 2026] NVRM: Xid (PCI:0000:1b:00): 31, pid=12
<6>[   12.000001] quiet
kern  :info  : [   12.000001] quiet
Nov 30 19:09:50 node7 kernel: [   99.500000] NVRM: Xid (PCI:0000:1b:00): 13, pid=12
dmesg: read kernel buffer failed: Operation not permitted
"""

SYSTEMCTL_SHOW = """\
Id=nvidia-fabricmanager.service
LoadState=not-found
ActiveState=inactive
SubState=dead
UnitFileState=

Id=slurmd.service
LoadState=loaded
ActiveState=active
SubState=running
UnitFileState=enabled
"""
SYSTEMCTL = """\
[root@n1 ~]# systemctl status slurmd nope
● slurmd.service - Slurm node daemon
     Loaded: loaded (/lib/systemd/system/slurmd.service; enabled; preset: enabled)
     Active: failed (Result: exit-code) since Mon 2026-11-30 00:00:00 UTC; 1 day ago
   Main PID: 123 (code=exited)

Unit nope.service could not be found.
[root@n1 ~]# systemctl is-active munge chronyd
active
inactive
[root@n1 ~]# systemctl list-units
  UNIT                 LOAD      ACTIVE   SUB     DESCRIPTION
  tuned.service        loaded    active   running Tuning
● foo.service          not-found inactive dead    foo.service

2 loaded units listed.
[root@n1 ~]# systemctl list-unit-files
UNIT FILE              STATE           VENDOR PRESET
opensm.service         disabled        enabled
"""

SENSORS = """\
CPU0_Temp        | 48.000     | degrees C  | ok     | na        | na        | na        | na        | 95.000    | na
Inlet_Temp       | 104.000    | degrees F  | ucr    | na        | 32.000    | na        | na        | 104.000   | na
FAN1             | 300.000    | RPM        | lcr    | na        | 900.000   | na        | na        | na        | na
P12V             | na         | Volts      | na     | na        | 10.800    | na        | na        | 13.200    | na
PSU0_Status      | 0x0        | discrete   | 0x0180 | na        | na        | na        | na        | na        | na
PSU1_Status      | 0x0        | discrete   | 0x0980 | na        | na        | na        | na        | na        | na
PSU2_Status      | 0x0        | discrete   | 0x0080 | na        | na        | na        | na        | na        | na
Watchdog         | 0x0        | discrete   | 0x0080 | na        | na        | na        | na        | na        | na
Leak_Detect_0    | 0x0        | discrete   | 0x0280 | na        | na        | na        | na        | na        | na
Leak_Detect_1    | 0x0        | discrete   | 0x0180 | na        | na        | na        | na        | na        | na
"""
SDR = """\
UID Light        | 03h | ok  | 23.1 |
Power Supply 1   | 06h | ok  | 10.1 | 0 Watts, Presence detected, Failure detected
Power Supply 2   | 07h | ok  | 10.2 | 95 Watts, Presence detected
CPU2 Temp        | 02h | ns  |  3.2 | No Reading
FAN1             | 41h | lnc | 29.1 | 300 RPM
CPU Temp         | 45 degrees C      | ok
"""
FRU = """\
FRU Device Description : Builtin FRU Device (ID 0)
 Chassis Serial        : CHA0001
 Board Mfg Date        : Mon Sep  1 08:00:00 2025 UTC
 Board Serial          : BRD0001
 Product Serial        : SER0001
 Product Version       : A1

FRU Device Description : PSU1 (ID 4)
 Product Serial        : PSU0001

FRU Device Description : HDD (ID 9)
 Device not present (Requested sensor, data, or record not found)

"""
SEL = """\
   1 | 11/30/2026 | 07:55:02 UTC | System Event SystemEvent | Timestamp Clock Sync | Asserted
  11 | 02/06/26 | 06:30:50 PM CST | Power Supply #0xfb | Power Supply AC lost | Asserted
  12 | Pre-Init  |0000000123| Memory #0x53 | Correctable ECC | Asserted
   a | 2026-11-30 | 07:55:02 UTC | Temperature CPU1 Temp | Upper Critical going high | Asserted | Reading 95 > Threshold 90
   b | 11/30/2026 | 08:55:02 UTC | Temperature CPU1 Temp | Upper Critical going high | Deasserted
   c | 11/30/2026 | 09:55:02 UTC | Power Supply PSU2 | Presence detected | Deasserted
   d | 12/01/2026 | 06:12:44 UTC | Cooling Device Leak_Detect_0 | Transition to Critical from less severe | Asserted
"""
_GOOD = {"State": "Enabled", "Health": "OK"}
REDFISH = (
    json.dumps(
        {
            "@odata.type": "#Thermal.v1_5_0.Thermal",
            "Temperatures": [
                {"Name": "Inlet", "ReadingCelsius": 24, "UpperThresholdCritical": 40, "Status": _GOOD},
                {"Name": "GPU9", "ReadingCelsius": None, "Status": {"State": "Absent"}},
            ],
            "Fans": [{"Name": "FAN1", "Reading": 40, "ReadingUnits": "Percent", "Status": _GOOD}],
        }
    )
    + "\n"
    + json.dumps(
        [
            {
                "@odata.type": "#Sensor.v1_2_0.Sensor", "Name": "CDU supply pressure", "Reading": 250, "ReadingUnits": "kPa",
                "Thresholds": {"UpperCritical": {"Reading": 400}},
            },
            {"@odata.type": "#LeakDetector.v1_0_0.LeakDetector", "Name": "Leak 0", "DetectorState": "Critical"},
            {"@odata.type": "#Memory.v1_9_0.Memory", "DeviceLocator": "A1", "CapacityMiB": 65536, "OperatingSpeedMhz": 4800},
        ],
        indent=1,
    )
    + "\n"
    + json.dumps(
        {
            "@odata.type": "#ComputerSystem.v1_20_0.ComputerSystem", "SerialNumber": "SER0001", "BiosVersion": "1.9",
            "UUID": "4C4C4544-0001-4410-8031-C2C04F000001", "MemorySummary": {"Status": {"Health": "Warning"}},
        }
    )
    + "\n"
    + json.dumps(
        {
            "@odata.id": "/redfish/v1/Chassis/1/Power",
            "PowerControl": [{"Name": "Chassis", "PowerConsumedWatts": 2210}],
            "PowerSupplies": [{"Name": "PSU1", "PowerInputWatts": 500, "Status": {"State": "Enabled", "Health": "Critical"}}],
        }
    )
    + "\n"
)  # fmt: skip
READINGS = """\
unit,time,sensor,value,subject,state
V,2026-12-01T00:00:00Z,inlet A,415.2,rack:A-01,
kW,2026-12-01 00:05:00,load,12.5,rack:A-01,normal
bar,1764547200,supply pressure,2.5,CDU-1,
%,2026-12-01T00:00:00Z,valve,50,CDU-1,
"",2026-12-01T00:00:00Z,leak 1,,CDU-1,wet
°C,yesterday,t,1,CDU-1,
°C,2026-12-01T00:00:00Z,t,abc,CDU-1,
°C,2026-12-01T00:00:00Z,"t,1",N/A,CDU-1,
°C,2026-12-01T00:00:00Z,t,1
°C,2026-12-01T00:00:00Z,,1,CDU-1,
"""
READINGS_SEMICOLON = "subject;sensor;value;unit\nCDU-1;flow;1,5;m3/h\nCDU-1;supply;68;°F\n"

DPKG = "bash\t5.2.21-2ubuntu4\nlibc6:amd64\t2.39-0ubuntu8.6\nlibc6:i386\t2.39-0ubuntu8.6\nremoved\t\n"
RPM = "kernel-5.14.0-427.el9.x86_64\ngpg-pubkey-fd431d51-4ae0493b\nlibibverbs-51.0-1.el9.aarch64\n"
PIP = "torch==2.5.1\nnvidia-nccl-cu12==2.21.5\n"
DPKG_L = """\
Desired=Unknown/Install/Remove/Purge/Hold
||/ Name           Version      Architecture Description
+++-==============-============-============-=================================
ii  adduser        3.118        all          add and remove users
rc  gone           1.0          amd64        removed
"""
HASHES = f"{'0a' * 32}  /usr/lib/libexample.so.2\n{'0b' * 16} *other\nsha256sum: /x: No such file or directory\n"
ETHTOOL = """\
[root@n1 ~]# ethtool -i ens1f0np0
driver: mlx5_core
version: 24.10-0.7.0
firmware-version: 28.43.1014 (EX_0000000001)
expansion-rom-version:
bus-info: 0000:13:00.0
supports-statistics: yes
[root@n1 ~]# ethtool ens1f0np0
Settings for ens1f0np0:
\tSupported ports: [ FIBRE ]
\tSupported link modes:   1000baseT/Full
\t                        10000baseT/Full
\tSpeed: 400000Mb/s
\tAuto-negotiation: on
\tLink detected: yes
[root@n1 ~]# ethtool -g ens1f0np0
Ring parameters for ens1f0np0:
Pre-set maximums:
RX:\t\t8192
Current hardware settings:
RX:\t\t1024
"""

TEXTS: dict[str, tuple[str, ...]] = {
    "dmidecode": (DMIDECODE,),
    "dmesg": (DMESG, DMESG_SECONDS, DMESG_OTHER),
    "systemctl": (SYSTEMCTL_SHOW, SYSTEMCTL),
    "ipmitool-sensor": (SENSORS, SDR),
    "ipmitool-fru": (FRU,),
    "ipmitool-sel": (SEL,),
    "redfish": (REDFISH,),
    "readings": (READINGS, READINGS_SEMICOLON),
    "packages": (DPKG, RPM, PIP, DPKG_L),
    "filehashes": (HASHES,),
    "ethtool-link": (ETHTOOL,),
}
