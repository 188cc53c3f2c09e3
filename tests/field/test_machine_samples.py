"""Every open sample of what machines tell of themselves: each line accounted for, the count printed; quirks of real files."""

from __future__ import annotations

from pathlib import Path

import pytest

from field_samples import all_accounted_for, indexed, read, samples_of

pytestmark = pytest.mark.field
#: Folder of samples -> tools that may have written a file of it.
FOLDERS: dict[str, tuple[str, ...]] = {
    "lspci": ("lspci",),
    "lspci-vv": ("lspci-vv",),
    "lspci-tv": ("lspci-tv",),
    "lstopo": ("lstopo",),
    "lscpu": ("lscpu",),
    "lsmod": ("lsmod",),
    "numactl": ("numactl",),
    "dmidecode": ("dmidecode",),
}
#: Lines of a sample that nobody can read, by file: what they are.
UNREAD = {
    "a100x8-nn.txt": 1,  # the last line has no end: a revision may be missing
    "blog-lspci-gpu.txt": 1,  # "..." where somebody cut
}


def samples(field: Path) -> list[tuple[Path, str]]:
    return samples_of(field, FOLDERS)


def table(field: Path, name: str, tool: str, of: str) -> list[dict[str, object]]:
    return read(field / "samples" / tool / name, tool).tables[of].to_dicts()


def test_every_sample_is_accounted_for(field: Path) -> None:
    found = samples(field)
    all_accounted_for(found, UNREAD)
    assert len(found) >= 24


def test_the_index_knows_no_sample_of_these_tools_elsewhere(field: Path) -> None:
    assert indexed(field, FOLDERS) == {f"{p.parent.name}/{p.name}" for p, _ in samples(field)}


def test_as_many_functions_as_the_text_has(field: Path) -> None:
    """Counted in another way: links that run and lines that open a function."""
    text = (field / "samples" / "lspci-vv" / "epyc-gpud-vvv-large.txt").read_bytes()
    rows = table(field, "epyc-gpud-vvv-large.txt", "lspci-vv", "pci_facts")
    opened = [line for line in text.split(b"\n") if line[2:3] == b":" and line[5:6] == b"."]
    assert len(rows) == len(opened) == 517
    assert sum(r["now_gts"] is not None for r in rows) == text.count(b"LnkSta:\tSpeed") > 100
    assert sum(r["acs"] is not None for r in rows) == text.count(b"ACSCtl:")
    assert sum(r["now_gts"] < r["cap_gts"] for r in rows if r["now_gts"]) == text.count(b"GT/s (downgraded)")  # type: ignore[operator]
    below = {r["address"] for r in rows if r["parent"]}
    assert below and {r["parent"] for r in rows if r["parent"]} <= {
        r["address"] for r in rows if r["class_name"] == "PCI bridge"
    }


def test_a_gpu_at_rest_runs_slower_than_it_can(field: Path) -> None:
    (gpu,) = table(field, "esc8000a-rtx6000ada-01.txt", "lspci-vv", "pci_facts")
    assert (gpu["cap_gts"], gpu["now_gts"], gpu["cap_width"], gpu["now_width"], gpu["driver"]) == (16.0, 2.5, 16, 16, "nvidia")
    (card,) = table(field, "esc8000a-cx-nic-81.txt", "lspci-vv", "pci_facts")
    assert (card["read_request_bytes"], card["payload_bytes"], card["numa_node"], card["now_gts"]) == (512, 512, 1, 32.0)


def test_a_tree_of_many_roots(field: Path) -> None:
    rows = {r["address"]: r for r in table(field, "asus-esc8000a-e12-4gpu.txt", "lspci-tv", "pci_facts")}
    path, at = [], "0000:65:00.0"
    while at in rows:
        path.append(at)
        at = str(rows[at]["parent"])
    assert path == [
        "0000:65:00.0",
        "0000:64:10.0",
        "0000:63:00.0",
        "0000:62:00.0",
        "0000:61:00.0",
        "0000:60:01.1",
    ]
    assert at == "root:0000:60"


def test_numa_nodes_of_gpu_memory_have_no_processors(field: Path) -> None:
    nodes = table(field, "gh200-neoverse.txt", "lscpu", "numa_facts")
    assert [n["cpus"] for n in nodes] == ["0-71", *[""] * 8]
    (processor,) = table(field, "gh200-neoverse.txt", "lscpu", "processor_facts")
    assert (processor["architecture"], processor["sockets"], processor["cores"], processor["threads"]) == ("aarch64", 1, 72, 1)


def test_a_table_without_an_end_gives_nothing(field: Path) -> None:
    facts = read(field / "samples" / "lscpu" / "utillinux-epyc7451-expected.txt", "lscpu")
    assert facts.notes == ("utillinux-epyc7451-expected.txt: lscpu -p has no end that could be seen: its table gives nothing",)
    assert facts.tables["numa_facts"].height == 8


def test_hwloc_of_every_age(field: Path) -> None:
    rows = {r["address"]: r for r in table(field, "hwloc-dgx2.xml", "lstopo", "pci_facts")}
    assert sum(r["class_id"] == "0302" for r in rows.values()) == 16
    assert rows["0000:34:00.0"]["parent"] == "0000:33:00.0" and rows["0000:2b:00.0"]["parent"] == "root:0000:2b"
    names = table(field, "flux-lassen.xml", "lstopo", "nic_function_facts")
    assert {(n["address"], n["rdma"]) for n in names if n["rdma"]} == {
        ("0003:01:00.0", "mlx5_0"),
        ("0003:01:00.1", "mlx5_1"),
        ("0033:01:00.0", "mlx5_2"),
        ("0033:01:00.1", "mlx5_3"),
    }
    (seen,) = table(field, "flux-lassen.xml", "lstopo", "processor_facts")
    assert seen["cpus"] is None, "a control group hides processors"


def test_distances_of_two_sockets(field: Path) -> None:
    rows = table(field, "esc8000a-2node.txt", "numactl", "numa_facts")
    assert [(r["cpus"], r["memory_mib"], r["distances"]) for r in rows] == [
        ("0-31", 193129.0, "10,32"),
        ("32-63", 193477.0, "32,10"),
    ]


def test_memory_sockets_of_real_machines(field: Path) -> None:
    """Counted in another way: blocks of modules, and those that say that nothing is in them."""
    for name, full, gib, running in (("ddn-client.txt", 16, 16.0, 3200.0), ("hpe-epyc7451.txt", 8, 32.0, 2400.0)):
        text = (field / "samples" / "dmidecode" / name).read_bytes()
        rows = table(field, name, "dmidecode", "dimm_facts")
        assert len(rows) == text.count(b"\nMemory Device\n")
        assert sum(r["size_gib"] == 0 for r in rows) == text.count(b"Size: No Module Installed")
        held = [r for r in rows if r["size_gib"]]
        assert (len(held), {r["size_gib"] for r in held}, {r["configured_mts"] for r in held}) == (full, {gib}, {running})
    whose = {r["kind"]: r["value"] for r in table(field, "vm-system-only.txt", "dmidecode", "identity_facts")}
    assert sorted(whose) == ["system_serial", "system_uuid"]
