"""Every open sample of network-card tools and benchmarks: each line accounted for, the count printed; quirks of real files."""

from __future__ import annotations

from pathlib import Path

import pytest

from asbuilt.model.facts import Facts
from field_samples import all_accounted_for, indexed, read, samples_of

pytestmark = pytest.mark.field
#: Folder of samples -> tools that may have written a file of it.
FOLDERS = {
    "flint": ("flint", "mlxfwmanager"),
    "mst-status": ("mst-status",),
    "ibdev2netdev": ("ibdev2netdev",),
    "show_gids": ("show_gids",),
    "mlxconfig": ("mlxconfig",),
    "ib_write_bw": ("perftest",),
    "nccl-tests": ("nccl-tests",),
    "nccl-info": ("nccl-info",),
    "nccl-topo-xml": ("nccl-topo-xml",),
    "nvbandwidth": ("nvbandwidth",),
}
#: Lines of a sample that no tool wrote, or that two writers spoilt, by file: what they are.
UNREAD = {
    "qdr-ia2-full-session.txt": 15,  # notes of its author, and what another command printed
    "gh200-slingshot-good.txt": 2,  # a tab and a fence of the page it stood on
    "oci-h100-8gpu.txt": 3,  # a host list that somebody printed before it
    "odissei-2node-stress.log": 2,  # a row with a line of the log written into it
    "sharp-vs-nosharp-128gpu-head.txt": 1,  # its author's heading
}


def samples(field: Path) -> list[tuple[Path, str]]:
    return samples_of(field, FOLDERS)


def of(field: Path, folder: str, name: str) -> Facts:
    return read(field / "samples" / folder / name, FOLDERS[folder][0])


def run_of(field: Path, folder: str, name: str) -> dict[str, object]:
    (row,) = of(field, folder, name).tables["run_facts"].to_dicts()
    return dict(row)


def test_every_sample_is_accounted_for(field: Path) -> None:
    found = samples(field)
    all_accounted_for(found, UNREAD)
    assert len(found) >= 62


def test_the_index_knows_no_sample_of_these_tools_elsewhere(field: Path) -> None:
    assert indexed(field, FOLDERS) == {f"{p.parent.name}/{p.name}" for p, _ in samples(field)}


def test_as_many_rows_as_the_texts_of_a_collective_have(field: Path) -> None:
    """Counted in another way: lines of eight words or more that begin with two numbers and a word, label and all taken off."""
    for path, tool in samples(field):
        if tool != "nccl-tests":
            continue
        counted = 0
        for line in path.read_text(encoding="utf-8").splitlines():
            words = line.removeprefix("0:").split()
            counted += len(words) > 6 and words[0].isdigit() and words[1].isdigit() and words[2] in ("float", "double")
        facts = read(path, tool)
        seen = facts.tables["result_facts"]["line"].n_unique() if facts.has("result_facts") else 0
        assert seen == counted - (path.name == "odissei-2node-stress.log"), path.name


def test_wrong_results_and_an_error_that_is_none(field: Path) -> None:
    spoilt = run_of(field, "nccl-tests", "gh200-2node-wrong-96-32.txt")
    assert (spoilt["wrong"], spoilt["ranks"], spoilt["hosts"], spoilt["complete"]) == (128.0, 2, 2, True)
    assert "Test failure" in str(spoilt["failure"])
    old = run_of(field, "nccl-tests", "dgx2-12gpu-oldformat-error-1e0.txt")
    assert (old["wrong"], old["benchmark"], old["ranks"]) == (4.0, "all_gather", 12)
    head = of(field, "nccl-tests", "sharp-vs-nosharp-128gpu-head.txt")
    (cut,) = head.tables["run_facts"].to_dicts()
    assert cut["wrong"] is None and not cut["complete"] and head.tables["result_facts"]["error"].max() == 1e-6


def test_a_launch_that_failed_is_a_run_without_results(field: Path) -> None:
    facts = of(field, "nccl-tests", "gcm-mpirun-no-slots.txt")
    (run,) = facts.tables["run_facts"].to_dicts()
    assert not facts.has("result_facts") and not run["complete"]
    assert (run["benchmark"], run["ranks"], run["ranks_wanted"]) == ("all_reduce", None, 16)


def test_transports_of_a_run_over_two_hosts(field: Path) -> None:
    run = run_of(field, "nccl-tests", "odissei-2node-stress.log")
    assert (run["transports"], run["gpudirect"]) == ("NET/IB+P2P", True)
    assert run["devices_used"] == "mlx5_2+mlx5_3+mlx5_4+mlx5_5", "the RoCE device of the management network carries nothing"
    assert (run["ranks"], run["hosts"], run["host_set"]) == (8, 2, "gcn[151,154]")
    many = run_of(field, "nccl-tests", "polaris-512gpu-allreduce.dat")
    assert (many["ranks"], many["hosts"]) == (512, 128)


def test_many_runs_in_one_file(field: Path) -> None:
    runs = of(field, "nccl-tests", "singlenode-N1-G8.log").tables["run_facts"]
    assert runs["benchmark"].to_list() == ["all_reduce", "all_gather", "reduce_scatter", "alltoall", "sendrecv"]
    assert runs["complete"].all() and set(runs["most_bytes"]) == {26549638485.0}, "the test itself lowered the size it reaches"
    session = of(field, "ib_write_bw", "qdr-ia2-full-session.txt").tables["run_facts"]
    assert session["role"].to_list() == ["server", "client", "server", "client"] and session["complete"].all()


def test_the_message_rate_proves_what_mb_means(field: Path) -> None:
    results = of(field, "ib_write_bw", "superbench-loopback-8M.log").tables["result_facts"]
    average = results.filter(results["quantity"] == "bandwidth_average")["value"].to_list()
    assert average == [pytest.approx(24056.72 * 2**20 * 8 / 1e9)] * 2
    mixed = run_of(field, "ib_write_bw", "superbench-loopback-all-sizes.log")
    assert (mixed["copies"], mixed["reached_bytes"]) == (2, 8388608.0)


def test_topologies(field: Path) -> None:
    facts = of(field, "nccl-topo-xml", "dgx-a100.xml")
    assert facts.tables["gpu_facts"].height == 8 and facts.tables["pci_facts"].height == 42
    assert facts.tables["nic_function_facts"]["rdma"].n_unique() == 12
    graph = of(field, "nccl-topo-xml", "azure-ncv4-graph.xml")
    assert graph.tables == {} and "not a topology" in graph.notes[0]


def test_cards_by_their_own_tools(field: Path) -> None:
    table = of(field, "mst-status", "cx7-container-v.txt").tables["nic_function_facts"]
    (named,) = table.filter(table["netdev"].is_not_null()).to_dicts()
    assert (named["address"], named["rdma"], named["netdev"], named["numa_node"]) == ("0000:37:00.2", "mlx5_3", "net1", 0)
    assert table.filter(table["type"].is_null()).height == 7, "virtual functions have no card type"
    gids = of(field, "show_gids", "ib-only-commented.txt").tables["nic_function_facts"]
    assert set(gids["link_layer"]) == {"infiniband"} and gids["gid_version"].is_null().all()
    next_boot = of(field, "mlxconfig", "cx7-egrep-subset.txt").tables["setting_facts"]
    assert next_boot["value"].is_null().all() and next_boot["next_boot"].to_list() == ["ETH(2)", "8", "True(1)"]
