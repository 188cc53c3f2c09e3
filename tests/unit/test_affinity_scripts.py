"""apply.sh and revert.sh on a root of their own: what they change, that they take it back to the byte, and what they refuse."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from asbuilt.artefacts.affinity_scripts import affinity_files
from asbuilt.model.affinity import GpuAffinity, NodeAffinity, PortAffinity

FIRST, SECOND = "0000:1b:00.0", "0000:5b:00.0"
SHELLS = [s for s in ("dash", "bash", "busybox") if shutil.which(s)]


def port(device: str, address: str, rail: int, cpus: str = "0-3") -> PortAffinity:
    return PortAffinity(device, address, rail, 0, cpus, 0, 0, 6, 6, "4-7")


NODE = NodeAffinity(
    "node:0000",
    "gpu000",
    (port("mlx5_0", FIRST, 0), port("mlx5_1", SECOND, 1)),
    (GpuAffinity(0, "mlx5_0", "PIX", "mlx5_0", 0, "0-1"), GpuAffinity(1, "mlx5_1", "PIX", "mlx5_1", 0, "2-3")),
    "gpu000/pci-links",
)


def tree(root: Path, settings: bytes | None = b"# mine\nNCCL_IB_HCA=mlx5_9\nNCCL_DEBUG=INFO") -> Path:
    """A root with the interrupts of both cards, as sysfs and /proc lay them out."""
    for address, numbers in ((FIRST, range(10, 16)), (SECOND, range(20, 23))):
        for number in numbers:
            for place in (root / "sys/bus/pci/devices" / address / "msi_irqs", root / f"proc/irq/{number}"):
                place.mkdir(parents=True, exist_ok=True)
            (root / "sys/bus/pci/devices" / address / "msi_irqs" / str(number)).write_bytes(b"msix\n")
            # One value without its line end: taking back to the byte must not add one.
            (root / f"proc/irq/{number}/smp_affinity_list").write_bytes(b"96-99" if number == 11 else b"4-7\n")
    (root / "etc").mkdir()
    if settings is not None:
        (root / "etc/nccl.conf").write_bytes(settings)
    return root


def seen(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def run(shell: str, text: bytes, root: Path) -> subprocess.CompletedProcess[bytes]:
    script = root.parent / "script.sh"
    script.write_bytes(text)
    words = [shell, "sh", str(script)] if shell == "busybox" else [shell, str(script)]
    return subprocess.run(words, env={**os.environ, "ASBUILT_ROOT": str(root)}, capture_output=True, check=False)


@pytest.mark.parametrize("shell", SHELLS)
def test_what_is_applied_is_taken_back_to_the_byte(shell: str, tmp_path: Path) -> None:
    root = tree(tmp_path / "root")
    before, files = seen(root), affinity_files(NODE, "0123456789abcdef")
    done = run(shell, files["apply.sh"], root)
    assert (done.returncode, done.stderr) == (0, b"")
    after = seen(root)
    applied = [after[f"proc/irq/{n}/smp_affinity_list"] for n in (*range(10, 16), *range(20, 23))]
    assert applied == [b"0\n", b"1\n", b"2\n", b"3\n", b"0\n", b"1\n", b"2\n", b"3\n", b"0\n"]
    assert after["etc/nccl.conf"] == b"# mine\nNCCL_DEBUG=INFO\nNCCL_IB_HCA==mlx5_0,mlx5_1\n"
    assert run(shell, files["apply.sh"], root).returncode == 0, "applied twice it keeps the first values"
    done = run(shell, files["revert.sh"], root)
    assert (done.returncode, done.stderr) == (0, b"")
    assert seen(root) == before
    again = run(shell, files["revert.sh"], root)
    assert again.returncode == 0 and b"nothing was applied here" in again.stderr


def test_settings_that_were_not_there_are_taken_away(tmp_path: Path) -> None:
    root = tree(tmp_path / "root", None)
    before, files = seen(root), affinity_files(NODE, "0" * 64)
    assert run("dash", files["apply.sh"], root).returncode == 0
    assert (root / "etc/nccl.conf").read_bytes() == b"NCCL_IB_HCA==mlx5_0,mlx5_1\n"
    assert run("dash", files["revert.sh"], root).returncode == 0
    assert seen(root) == before


def test_an_interrupt_that_is_gone_is_said_and_the_rest_is_taken_back(tmp_path: Path) -> None:
    root = tree(tmp_path / "root")
    files = affinity_files(NODE, "0" * 64)
    run("dash", files["apply.sh"], root)
    shutil.rmtree(root / "proc/irq/12")
    done = run("dash", files["revert.sh"], root)
    assert done.returncode == 0 and b"interrupt 12 is gone: nothing to put back" in done.stderr
    assert (root / "proc/irq/11/smp_affinity_list").read_bytes() == b"96-99"


def test_another_machine_is_noticed(tmp_path: Path) -> None:
    root = tree(tmp_path / "root")
    shutil.rmtree(root / "sys/bus/pci/devices" / SECOND)
    done = run("dash", affinity_files(NODE, "0" * 64)["apply.sh"], root)
    assert done.returncode == 3 and f"{SECOND} has no interrupts here: is it another machine?".encode() in done.stderr


def test_names_with_shell_in_them_never_reach_a_script() -> None:
    hostile = NodeAffinity("node:0", "x\n$(touch owned) `id`", NODE.ports, (), 'c"$(id)\n')
    text = affinity_files(hostile, "0" * 64)["apply.sh"].decode()
    assert all(line.startswith("#") for line in text.splitlines() if "owned" in line or "$(id)" in line)
    for wrong in (port("mlx5_0; reboot", FIRST, 0), port("mlx5_0", "$(reboot)", 0)):
        with pytest.raises(ValueError, match="is no "):
            affinity_files(NodeAffinity("node:0", "n", (wrong,), (), ""), "0" * 64)


def test_a_port_without_a_known_numa_node_is_left_alone_and_named() -> None:
    unknown = PortAffinity("mlx5_2", "0000:9b:00.0", 2, None, "", 1, None)
    node = NodeAffinity("node:0", "n", (NODE.ports[0], unknown), (), "x", ("mlx5_2: the firmware does not say its NUMA node",))
    text = affinity_files(node, "0" * 64)["apply.sh"].decode()
    assert "# left alone, not known: mlx5_2: the firmware does not say its NUMA node" in text
    assert f"card {FIRST} 0 1 2 3" in text and "card 0000:9b" not in text


def test_ranks_share_the_processors_near_their_gpu() -> None:
    assert affinity_files(NODE, "0" * 64)["ranks.tsv"].decode().splitlines() == [
        "rank\tgpu\tdevice\tnuma\tcpus",
        "0\t0\tmlx5_0\t0\t0-1",
        "1\t1\tmlx5_1\t0\t2-3",
    ]
