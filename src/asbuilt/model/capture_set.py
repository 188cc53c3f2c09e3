"""What a node is asked: the passive capture set, as data. The script that asks, the twin that answers and the reader share it.

Every command only reads. It is asked by PCI address or reads ``/sys`` and ``/proc``; none starts a service, loads a module,
resets a device or writes anywhere but to its own output. A command that does not end within ``timeout_s`` is killed, and that
is a measurement of its own.

A node's archive is a folder ``<node>/`` (or a tar file of it) with one file ``<id>.txt`` per command, as it came (standard
output and error together), and ``manifest.tsv``: a header line, then ``id exit_code seconds started outcome command`` per
command, tab-separated. ``{address}`` in a command stands for each PCI address of its ``devices``: the answers follow each other
in one file, each behind a line ``$ <command as asked>``.
"""

from __future__ import annotations

from dataclasses import dataclass

MANIFEST_FILE = "manifest.tsv"
MANIFEST_COLUMNS = ("id", "exit_code", "seconds", "started", "outcome", "command")
#: How a command can end: `model.facts_node.COMMAND_FACTS`.
OUTCOMES = ("ran", "timed_out", "absent", "needs_root", "skipped", "failed")
#: The first line of a manifest says which script wrote it: ``# asbuilt capture set v1 plan <hash12> node <name>``.
MANIFEST_MARK = "# asbuilt capture set v1"
SUFFIX = ".txt"
#: Around an archive that a node prints as base64 text: this and the name of the archive, the text, and the last line.
BEGIN, END = "ASBUILT-ARCHIVE-BEGIN", "ASBUILT-ARCHIVE-END"


@dataclass(frozen=True, slots=True)
class Command:
    """One question: ``shell`` is one line of POSIX shell; ``program`` must exist, else the answer is ``absent``.

    ``tool`` names the parser of the answer. ``devices`` is "" (asked once), "nic" or "gpu" (asked per PCI address).
    ``where`` limits it: "" everywhere, "x86_64", "nvlink" (systems with NVSwitch or NVLink domains), "domain" (an NVLink
    domain over several nodes), "bmc". ``module`` is a kernel module that must be loaded before: asked without it the program
    would load it. ``ok`` are the exit statuses of an answer that is whole (grep says 2 when one of its files cannot be read).
    """

    id: str
    tool: str
    shell: str
    program: str = ""
    root: bool = False
    timeout_s: int = 20
    devices: str = ""
    where: str = ""
    module: str = ""
    ok: tuple[int, ...] = (0,)


def _sysfs(*paths: str) -> str:
    return f"grep -sH . {' '.join(paths)}"


#: What `_sysfs` may end with: found, nothing found, a file that is not there or not for this user.
_GREP = (0, 1, 2)


_DMI = "/sys/class/dmi/id"
_PCI = "/sys/bus/pci/devices/*"
_LINK = (
    "class",
    "vendor",
    "device",
    "numa_node",
    "current_link_speed",
    "current_link_width",
    "max_link_speed",
    "max_link_width",
)
#: Files that hands edit on one node and forget; a hash tells that they differ, not what is in them.
_CONFIGS = (
    "/etc/nccl.conf /etc/security/limits.conf /etc/modprobe.d/*.conf /etc/sysctl.d/*.conf /etc/slurm/*.conf "
    "/etc/infiniband/*.conf"
)
_UNITS = (
    "nvidia-fabricmanager nvidia-imex nvidia-persistenced nvidia-dcgm openibd opensm irqbalance slurmd munge chronyd tuned "
    "firewalld"
)
_FIELDS = (
    "index,pci.bus_id,uuid,serial,name,vbios_version,driver_version,memory.total,memory.used,pcie.link.gen.current,"
    "pcie.link.gen.max,pcie.link.width.current,pcie.link.width.max,pstate,utilization.gpu,persistence_mode,mig.mode.current,"
    "ecc.mode.current,ecc.errors.uncorrected.volatile.total,ecc.errors.uncorrected.aggregate.total,temperature.gpu,power.draw,"
    "power.limit,clocks.sm,clocks.max.sm"
)

COMMANDS: tuple[Command, ...] = (
    Command(
        "identity",
        "sysfs",
        _sysfs(
            *(f"{_DMI}/{n}" for n in ("sys_vendor", "product_name", "product_serial", "product_uuid", "board_serial")),
            f"{_DMI}/chassis_serial", "/etc/machine-id", "/proc/sys/kernel/hostname", "/proc/sys/kernel/random/boot_id",
        ),
        ok=_GREP,
    ),
    Command(
        "system",
        "sysfs",
        _sysfs(*(f"{_DMI}/{n}" for n in ("bios_vendor", "bios_version", "bios_date")), "/proc/sys/kernel/osrelease",
               "/proc/cmdline", "/etc/os-release", "/proc/sys/kernel/numa_balancing", "/proc/uptime"),
        ok=_GREP,
    ),
    Command("pci-links", "sysfs", _sysfs(*(f"{_PCI}/{name}" for name in _LINK)), ok=_GREP),
    Command("pci-paths", "sysfs-paths", f"readlink -f {_PCI}", "readlink"),
    Command("infiniband", "sysfs", _sysfs(
        *(f"/sys/class/infiniband/*/{n}" for n in ("node_guid", "sys_image_guid", "fw_ver", "board_id", "hca_type")),
        *(f"/sys/class/infiniband/*/ports/*/{n}" for n in ("link_layer", "state", "phys_state", "rate", "lid")),
    ), ok=_GREP),
    Command("infiniband-paths", "sysfs-paths", "ls -l /sys/class/infiniband /sys/class/net", "ls", ok=(0, 1, 2)),
    Command("irq-affinity", "sysfs", _sysfs("/proc/irq/*/smp_affinity_list", "/proc/irq/*/effective_affinity_list"),
            ok=_GREP),
    Command("interrupts", "interrupts", "cat /proc/interrupts"),
    Command("lscpu", "lscpu", "lscpu", "lscpu"),
    Command("numactl", "numactl", "numactl -H", "numactl"),
    Command("lspci-vv", "lspci-vv", "lspci -Dnnvv", "lspci", root=True, timeout_s=60),
    Command("lspci-tv", "lspci-tv", "lspci -Dtv", "lspci"),
    Command("dmidecode", "dmidecode", "dmidecode -t bios -t system -t memory", "dmidecode", root=True),
    Command("lsmod", "lsmod", "lsmod", "lsmod"),
    Command("modules", "sysfs", _sysfs("/sys/module/*/version"), ok=_GREP),
    Command("dmesg", "dmesg", "dmesg --time-format=iso", "dmesg", root=True, timeout_s=30),
    Command("services", "systemctl", f"systemctl show -p Id -p LoadState -p ActiveState -p SubState -p UnitFileState {_UNITS}",
            "systemctl"),
    Command("nvidia-smi", "nvidia-smi-csv", f"nvidia-smi --query-gpu={_FIELDS} --format=csv", "nvidia-smi", timeout_s=60,
            module="nvidia"),
    Command("nvidia-smi-q", "nvidia-smi-q", "nvidia-smi -q", "nvidia-smi", timeout_s=60, module="nvidia"),
    Command("nvidia-smi-topo", "nvidia-smi-topo", "nvidia-smi topo -m", "nvidia-smi", timeout_s=60, module="nvidia"),
    Command("nvlink-status", "nvidia-smi-nvlink", "nvidia-smi nvlink -s", "nvidia-smi", timeout_s=60, where="nvlink",
            module="nvidia"),
    Command("nvlink-errors", "nvidia-smi-nvlink", "nvidia-smi nvlink -e", "nvidia-smi", timeout_s=60, where="nvlink",
            module="nvidia"),
    Command("imex", "imex", "nvidia-imex-ctl -N", "nvidia-imex-ctl", where="domain"),
    Command("ibstat", "ibstat", "ibstat", "ibstat"),
    Command("ibdev2netdev", "ibdev2netdev", "ibdev2netdev", "ibdev2netdev"),
    Command("show_gids", "show_gids", "show_gids", "show_gids"),
    Command("ofed_info", "ofed_info", "ofed_info -s", "ofed_info"),
    Command("mst", "mst-status", "mst status -v", "mst", root=True),
    Command("mlxconfig", "mlxconfig", "mlxconfig -d {address} -e q", "mlxconfig", root=True, timeout_s=60, devices="nic"),
    Command("flint", "flint", "flint -d {address} q", "flint", root=True, timeout_s=60, devices="nic"),
    Command("config-hashes", "filehashes", f"sha256sum {_CONFIGS}", "sha256sum", ok=(0, 1)),
    Command("packages", "packages", "if command -v rpm >/dev/null; then rpm -qa | sort; else dpkg-query -W; fi", timeout_s=60),
    Command("ipmi-sensors", "ipmitool-sensor", "ipmitool sensor", "ipmitool", root=True, timeout_s=60, where="bmc"),
    Command("ipmi-fru", "ipmitool-fru", "ipmitool fru print", "ipmitool", root=True, timeout_s=60, where="bmc"),
    Command("ipmi-sel", "ipmitool-sel", "ipmitool sel elist", "ipmitool", root=True, timeout_s=60, where="bmc"),
)  # fmt: skip

BY_ID = {command.id: command for command in COMMANDS}
