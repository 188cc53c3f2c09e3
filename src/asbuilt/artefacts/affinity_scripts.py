"""Scripts that put the affinity of a machine as its measured topology asks, and take it back to the byte.

``apply.sh`` keeps every value that it replaces below its state folder before it writes; applied twice it keeps the first.
``revert.sh`` puts these back and removes the folder. Interrupts are found by the PCI address of their card (``msi_irqs``),
since their numbers change with every boot. ``ASBUILT_ROOT`` puts another root before every path, for rehearsals.
"""

from __future__ import annotations

import re

from asbuilt.base.cpu_list import parse
from asbuilt.model.affinity import NodeAffinity, PortAffinity

_ADDRESS = re.compile(r"^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$")
_DEVICE = re.compile(r"^[A-Za-z0-9_.-]{1,64}$")

_HEAD = """#!/bin/sh
# {title}
# {about}
set -eu
root=${{ASBUILT_ROOT:-}}
state=${{ASBUILT_STATE:-$root/var/lib/asbuilt/affinity}}
bad=0
"""
_APPLY = """
say() { printf '%s\\n' "$*" >&2; }
[ -n "$root" ] || [ "$(id -u)" -eq 0 ] || { say "run as root: it writes to /proc/irq"; exit 2; }
mkdir -p "$state/irq"

keep() { # FILE NAME: the bytes of FILE as they are now, unless an earlier run kept them
    if [ ! -e "$state/$2" ] && [ ! -e "$state/$2.absent" ]; then
        if [ -e "$1" ]; then cat "$1" > "$state/$2.part" && mv "$state/$2.part" "$state/$2"; else : > "$state/$2.absent"; fi
    fi
}

card() { # ADDRESS CPU...: the interrupts of a card, one processor each in turn
    address=$1; shift
    list=$root/sys/bus/pci/devices/$address/msi_irqs
    [ -d "$list" ] || { say "$address has no interrupts here: is it another machine?"; bad=1; return 0; }
    first="$*"
    for irq in $(ls "$list" | sort -n); do
        file=$root/proc/irq/$irq/smp_affinity_list
        [ -e "$file" ] || continue
        [ $# -gt 0 ] || set -- $first
        keep "$file" "irq/$irq"
        printf '%s\\n' "$1" > "$file" 2>/dev/null || { say "interrupt $irq of $address is managed by the kernel: left"; bad=1; }
        shift
    done
}
"""
_SETTINGS = """
settings=$root/etc/nccl.conf
keep "$settings" nccl.conf
mkdir -p "$root/etc"
{{ [ ! -e "$state/nccl.conf" ] || grep -v '^NCCL_IB_HCA=' "$state/nccl.conf" || true; printf '%s\\n' 'NCCL_IB_HCA={hca}'; }} \\
    > "$settings.part"
cat "$settings.part" > "$settings"
rm -f "$settings.part"
"""
_WATCH = """
if [ -z "$root" ] && command -v systemctl >/dev/null 2>&1 && systemctl is-active --quiet irqbalance; then
    say "irqbalance is active and will move the interrupts again: stop it, or give it the same processors"
    bad=1
fi
exit $((bad * 3))
"""
_REVERT = """
say() {{ printf '%s\\n' "$*" >&2; }}
[ -d "$state" ] || {{ say "nothing was applied here: $state is not there"; exit 0; }}
[ -n "$root" ] || [ "$(id -u)" -eq 0 ] || {{ say "run as root: it writes to /proc/irq"; exit 2; }}
for kept in "$state"/irq/*; do
    [ -f "$kept" ] || continue
    file=$root/proc/irq/${{kept##*/}}/smp_affinity_list
    [ -e "$file" ] || {{ say "interrupt ${{kept##*/}} is gone: nothing to put back"; continue; }}
    cat "$kept" > "$file" || bad=1
done
settings=$root/etc/nccl.conf
if [ -e "$state/nccl.conf.absent" ]; then
    rm -f "$settings"
elif [ -e "$state/nccl.conf" ]; then
    cat "$state/nccl.conf" > "$settings"
fi
[ "$bad" -eq 0 ] || {{ say "something could not be put back: $state is kept"; exit 3; }}
rm -rf "$state"
rmdir "${{state%/*}}" 2>/dev/null || :
"""


def affinity_files(affinity: NodeAffinity, plan_hash: str) -> dict[str, bytes]:
    """``apply.sh revert.sh ranks.tsv`` of one machine. A port whose NUMA node is not known is left alone, and said so."""
    known = [p for p in affinity.ports if p.cpus and parse(p.cpus)]
    about = _plain(f"measured: {affinity.source}; plan {plan_hash[:12]}")
    head = _HEAD.format(title=_plain(f"Affinity of {affinity.name}, from its measured topology"), about=about)
    lines = [head, _APPLY]
    lines += [f"# left alone, not known: {_plain(why)}\n" for why in affinity.unknown]
    lines += [_card(port, known) for port in known]
    if affinity.ports:
        lines.append(_SETTINGS.format(hca="=" + ",".join(_device(p.device) for p in affinity.ports)))
    apply = "".join([*lines, _WATCH])
    title = _plain(f"Take back what apply.sh changed on {affinity.name}")
    revert = _HEAD.format(title=title, about=about) + _REVERT.format()
    return {"apply.sh": apply.encode(), "revert.sh": revert.encode(), "ranks.tsv": ranks(affinity).encode()}


def ranks(affinity: NodeAffinity) -> str:
    """A table for launchers: local rank, GPU, port, NUMA node, processors. Processors are shared out among GPUs of one node."""
    rows = ["rank\tgpu\tdevice\tnuma\tcpus"]
    for rank, gpu in enumerate(affinity.gpus):
        numa = "" if gpu.numa is None else str(gpu.numa)
        rows.append(f"{rank}\t{gpu.gpu}\t{gpu.device}\t{numa}\t{gpu.cpus}")
    return "\n".join(rows) + "\n"


def _card(port: PortAffinity, known: list[PortAffinity]) -> str:
    """One call: the processors near the card, beginning where no other card of the NUMA node begins."""
    if not _ADDRESS.match(port.address):
        raise ValueError(f"{port.address!r} is no PCI address")
    near = sorted(parse(port.cpus) or ())
    beside = [p.device for p in known if p.cpus == port.cpus]
    start = beside.index(port.device) * len(near) // len(beside)
    turned = near[start:] + near[:start]
    return f"card {port.address} {' '.join(map(str, turned))}  # {_device(port.device)}, NUMA node {port.numa}\n"


def _device(name: str) -> str:
    if not _DEVICE.match(name):
        raise ValueError(f"{name!r} is no device name")
    return name


def _plain(text: str) -> str:
    """``text`` for a comment: one line of printable characters."""
    return "".join(c if c.isprintable() else " " for c in text)[:200]
