"""Every open sample of the host tools: each line accounted for, the count printed; quirks that only real files have."""

from __future__ import annotations

from pathlib import Path

import pytest

from field_samples import all_accounted_for, indexed, read, samples_of

pytestmark = pytest.mark.field
#: Folder of samples -> tools that may have written a file of it.
FOLDERS = {
    "ibstat": ("ibstat",),
    "ibstatus": ("ibstatus",),
    "perfquery": ("perfquery",),
    "ibqueryerrors": ("ibqueryerrors",),
    "mlxlink": ("mlxlink",),
    "mlxconfig": ("mlxconfig",),
    "ibdiagnet": ("ibdiagnet", "ibdiagnet-csv", "ibdiagnet-lst"),
}
#: Lines of a sample that nobody can read, by file: what they are.
UNREAD = {
    "cx7-roce-disabled-cut.txt": 1,  # ".." where somebody cut
    "lab-cx3pro-roce.txt": 3,  # another command's table before it
    "topo-aware-vm-guids.txt": 20,  # a list of bare GUIDs that its authors call ibstat
    "edr-json-fragment.json": 1,  # JSON cut after a few lines
    "ndr-5nodes.db_csv": 156,  # GUIDs replaced by words
    "ndr-no-end-marker.db_csv": 157,  # the same, and the last marker cut
}


def samples(field: Path) -> list[tuple[Path, str]]:
    return samples_of(field, FOLDERS)


def test_every_sample_is_accounted_for(field: Path) -> None:
    found = samples(field)
    all_accounted_for(found, UNREAD)
    assert len(found) >= 26


def test_the_index_knows_no_sample_of_these_tools_elsewhere(field: Path) -> None:
    assert indexed(field, FOLDERS) == {f"{p.parent.name}/{p.name}" for p, _ in samples(field)}


def ports(field: Path, name: str) -> list[dict[str, object]]:
    return read(field / "samples" / "ibstat" / name, "ibstat").tables["hca_facts"].to_dicts()


def test_as_many_ports_as_the_text_has(field: Path) -> None:
    """Counted in another way: lines that open a port."""
    for path in sorted((field / "samples" / "ibstat").iterdir()):
        opened = sum(
            line.strip().startswith(b"Port ") and line.strip().endswith(b":") for line in path.read_bytes().split(b"\n")
        )
        facts = read(path, "ibstat")
        assert (facts.tables["hca_facts"].height if facts.has("hca_facts") else 0) == opened, path.name


def test_ethernet_ports_of_a_gpu_host(field: Path) -> None:
    listed = ports(field, "h100-roce-all-active.txt")
    assert {p["link_layer"] for p in listed} == {"ethernet"} and {p["lid"] for p in listed} == {0}
    assert sum(p["port_guid"] is None for p in listed) == 4, "GUIDs of 0 are unknown"
    assert [p["device"] for p in listed][:3] == ["mlx5_0", "mlx5_1", "mlx5_10"]


def test_ports_that_are_down_keep_their_printed_rate(field: Path) -> None:
    down = [p for p in ports(field, "h100-some-down-0.txt") if p["state"] == "down"]
    assert down and {p["phys_state"] for p in down} == {"disabled"} and {p["rate_gbps"] for p in down} == {40.0}
    (polling,) = (p for p in ports(field, "ddr-dual-port-one-polling.txt") if p["state"] == "down")
    assert (polling["port"], polling["phys_state"], polling["rate_gbps"]) == (2, "polling", 10.0)


def test_an_empty_answer_is_a_timeout(field: Path) -> None:
    facts = read(field / "samples" / "perfquery" / "exporter-0x506b4b0300cc02a6.txt", "perfquery")
    assert facts.tables == {} and facts.accounts["exporter-0x506b4b0300cc02a6.txt"].total == 0


def test_a_link_list_names_both_ends_of_each_link(field: Path) -> None:
    frame = read(field / "samples" / "ibdiagnet" / "ibdm-subnet.lst", "ibdiagnet-lst").tables["port_facts"]
    one = frame.select("guid", "port", "peer_guid", "peer_port")
    turned = one.select(guid="peer_guid", port="peer_port", peer_guid="guid", peer_port="port")
    assert one.height == 344 and one.join(turned, on=one.columns, how="anti").height == 0
