"""Expected numbers: the closed forms on values, their regimes, and how they meet what others published."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asbuilt.base.problem import ProblemError
from asbuilt.cli.expect import size_of
from asbuilt.cli.main import main
from asbuilt.physics.collective import COLLECTIVES, LEAST_BYTES, Domain, bus_bandwidth, bus_factor
from asbuilt.predict.published import FLOORS, MEASURED
from asbuilt.workflow.expect import against_published, expect

GIB = 1 << 30
H100, GB200, PCIE = Domain(8, 450, 4, 50), Domain(72, 900, 5, 50), Domain(8, 0, 0, 12.5)


def test_bus_factors_are_those_of_nccl_tests() -> None:
    assert bus_factor("all_reduce", 8) == 1.75 and bus_factor("all_gather", 8) == 0.875
    assert bus_factor("broadcast", 8) == 1.0 and bus_factor("alltoall", 2) == 0.5
    with pytest.raises(ValueError, match="no collective 'scan'"):
        bus_factor("scan", 8)


def test_one_node_is_limited_by_nvlink_and_many_by_the_network() -> None:
    one, eight = bus_bandwidth(H100, 8), bus_bandwidth(H100, 64)
    assert one is not None and eight is not None
    assert (one.narrow, eight.narrow) == ("NVLink", "network")
    assert one.value == pytest.approx(479.1, abs=0.1)
    assert eight.inside == pytest.approx(480.6) and eight.network == pytest.approx(8 * 50 * 0.9685)
    assert eight.value == pytest.approx(383.9, abs=0.1) and eight.proven


def test_two_domains_that_reduce_in_their_switches_send_half() -> None:
    two = bus_bandwidth(H100, 16)
    assert two is not None and two.network == pytest.approx(15 / 16 * 2 * 400 * 0.9685) and two.narrow == "NVLink"
    rings = bus_bandwidth(Domain(8, 300, 3, 25), 16)
    assert rings is not None and rings.network == pytest.approx(200 * 0.9685) and rings.narrow == "network"


def test_outside_the_proven_regime_it_says_so() -> None:
    small = bus_bandwidth(H100, 8, size_bytes=LEAST_BYTES - 1)
    many = bus_bandwidth(GB200, 1440)
    mesh = bus_bandwidth(H100, 64, "alltoall")
    assert small is not None and not small.proven and "below 256 MiB" in small.why
    assert many is not None and not many.proven and "20 NVLink domains" in many.why
    assert mesh is not None and not mesh.proven and "no published table of alltoall" in mesh.why
    assert bus_bandwidth(PCIE, 8) is None, "nobody published the inside of such a machine"
    with pytest.raises(ValueError, match="needs two GPUs"):
        bus_bandwidth(H100, 1)


@given(st.sampled_from(COLLECTIVES), st.integers(1, 128), st.integers(20, 34), st.sampled_from([H100, GB200, PCIE]))
def test_more_bytes_or_a_faster_network_never_slow_it_down(what: str, nodes: int, power: int, domain: Domain) -> None:
    gpus = max(2, nodes * domain.gpus)
    made = bus_bandwidth(domain, gpus, what, 1 << power)
    if made is None:
        return
    larger = bus_bandwidth(domain, gpus, what, 1 << (power + 1))
    faster = Domain(domain.gpus, domain.nvlink_gbytes_s, domain.generation, 2 * domain.network_gbytes_s)
    quicker = bus_bandwidth(faster, gpus, what, 1 << power)
    assert larger is not None and quicker is not None
    assert larger.value >= made.value > 0 and quicker.value >= made.value * (1 - 1e-12)
    limit = min(x for x in (made.inside, made.network) if x is not None)
    assert made.value < limit, "alpha is never nothing"


def test_how_many_published_measurements_are_met_and_why_others_are_not() -> None:
    held = against_published()
    counted = [h for h in held if h.within is not None]
    missed = [h for h in counted if not h.within]
    print(f"{len(counted) - len(missed)} of {len(counted)} published measurements within the stated tolerance")
    assert len(held) == len(MEASURED) and len(counted) >= 40
    assert sum(not h.row.fitted for h in counted) >= 15, "rows that no constant was fitted to"
    assert {(h.row.gpu, h.row.gpus, h.row.value) for h in missed} == {("h100-sxm5", 64, 450.0), ("gb300-b300", 72, 937.0)}
    assert all(h.why for h in held if not h.within), "every miss and every row left out says why"
    assert "SHARP" in missed[0].why


def test_every_published_row_says_where_it_is_from_and_floors_are_no_measurements() -> None:
    for row in (*MEASURED, *FLOORS):
        assert row.source and row.value > 0 and row.unit in ("GB/s", "Gb/s", "TFLOPS")
    assert {r.kind for r in MEASURED} == {"measured"} and {r.kind for r in FLOORS} == {"floor"}
    keys = [(r.quantity, r.gpu, r.gpus, r.size_bytes, r.value, r.conditions) for r in (*MEASURED, *FLOORS)]
    assert len(keys) == len(set(keys))


def test_the_answer_shows_calculation_published_rows_and_tolerance(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["expect", "--system", "dgx-h100", "--gpus", "64"]) == 0
    out = capsys.readouterr().out
    assert "383.9 GB/s   353.2 to 414.6 (8% either way)" in out
    assert "8 GPUs x 50 GB/s x 0.9685 -> 387.4 GB/s" in out and "(+1%)" in out
    assert main(["expect", "--system", "gb200-nvl72", "--gpus", "1440", "--json"]) == 3
    told = json.loads(capsys.readouterr().out)
    assert (told["value"], told["proven"]) == (None, False) and "at most 813 GB/s" in told["why"]
    assert main(["expect", "--against-published"]) == 0
    assert "of the other 17, 15 are within" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--system", "dgx-h1000"], "CLI-085 there is no system 'dgx-h1000'; did you mean dgx-h100?"),
        (["--system", "dgx-h100", "--quantity", "all_redcue"], "CLI-085 nothing is known of 'all_redcue'; did you mean"),
        (["--system", "dgx-h100", "--gpus", "1"], "CLI-085 a collective needs two GPUs"),
        (["--system", "dgx-h100", "--size", "8 apples"], "CLI-085 '8 apples' is no message size"),
        ([], "CLI-085 no system was named"),
    ],
)  # fmt: skip
def test_what_it_does_not_know_is_said(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["expect", *words]) == 2
    assert said in capsys.readouterr().err


def test_sizes_and_single_quantities() -> None:
    assert size_of("8GiB") == 8 * GIB and size_of("1000") == 1000 and size_of("2 MB") == 2_000_000
    rdma = expect("l40s-8gpu", None, "rdma", GIB)
    assert rdma.value == 190.0 and rdma.holds(186) and not rdma.holds(180)
    assert expect("l40s-8gpu", None, "p2p", GIB).value is None
    with pytest.raises(ProblemError):
        expect("dgx-h100", 8, "warp", GIB)
