"""The fault grammar: what is understood, what is refused and how, and what each fault touches."""

from __future__ import annotations

import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.rehearse import faults
from asbuilt.rehearse.built import as_planned, truth
from little_fabric import little_plan

LEAF = "sw:compute/leaf-000-"


def outcomes(*texts: str, **shape: object) -> dict[str, str]:
    """Link id -> outcome of all links that are not ok."""
    plan = little_plan(**shape)  # type: ignore[arg-type]
    built, _ = faults.apply(plan, as_planned(plan), tuple(faults.parse(t) for t in texts))
    frame = truth(plan, built)
    assert frame.height == plan.links.height
    return {link: outcome for link, outcome in zip(frame["link"], frame["outcome"], strict=True) if outcome != "ok"}


def test_no_fault_is_all_ok() -> None:
    assert outcomes() == {}


@pytest.mark.parametrize(
    "text",
    [
        f"swap:link:{LEAF}0/1,link:{LEAF}1/1",
        f"swap:{LEAF}0/1,{LEAF}1/1",
        "swap:LEAF-01/1,LEAF-02/1",
        "swap:node:0000/mlx5_0,node:0000/mlx5_1",
        "swap:gpu000/mlx5_0,gpu000/mlx5_1",
        "swap:gpu000 mlx5_0,gpu000 mlx5_1",
    ],
)
def test_a_place_has_many_names(text: str) -> None:
    assert outcomes(text) == {f"link:{LEAF}0/1": "wrong", f"link:{LEAF}1/1": "wrong"}


def test_each_kind_touches_what_it_says() -> None:
    assert outcomes("unplug:LEAF-01/5") == {f"link:{LEAF}0/5": "missing"}
    assert outcomes("rail:gpu003") == {f"link:{LEAF}{r}/4": "wrong" for r in range(4)}
    assert outcomes("absent:SPINE-01") == {f"link:{LEAF}{r}/{p}": "missing" for r in range(4) for p in (5, 6)}
    assert outcomes("absent:LEAF-01") == {f"link:{LEAF}0/{p}": "missing" for p in range(1, 9)}
    assert outcomes("eth:gpu002/mlx5_3") == {f"link:{LEAF}3/3": "missing"}
    assert outcomes("clone:gpu000/mlx5_0,gpu001/mlx5_0") == {f"link:{LEAF}0/2": "wrong"}
    assert outcomes("noname") == {}


def test_a_swap_undone_is_no_fault() -> None:
    assert outcomes("swap:LEAF-01/1,LEAF-02/1", "swap:LEAF-01/1,LEAF-02/1") == {}


def test_parallel_cables_may_be_swapped_too() -> None:
    assert outcomes("swap:link:" + LEAF + "0/5,link:" + LEAF + "0/6") == {
        f"link:{LEAF}0/5": "wrong",
        f"link:{LEAF}0/6": "wrong",
    }


def test_moves_of_the_record() -> None:
    plan = little_plan()
    texts = ("swap:LEAF-01/1,LEAF-02/1", "rail:gpu003", "unplug:LEAF-01/5", "eth:gpu002/mlx5_3", "absent:SPINE-02")
    _, done = faults.apply(plan, as_planned(plan), tuple(faults.parse(t) for t in texts))
    assert [d.moves for d in done] == [1, 3, 1, None, None]


@pytest.mark.parametrize("seed", range(8))
def test_random_faults_are_separate_and_repeatable(seed: int) -> None:
    plan = little_plan(nodes=6, oob=True)
    fault = (faults.parse(f"random:6@{seed}"),)
    _, one = faults.apply(plan, as_planned(plan), fault)
    _, two = faults.apply(plan, as_planned(plan), fault)
    assert one == two and len(one) == 6
    links = [link for record in one for link in record.links]
    assert len(links) == len(set(links))
    assert all(record.fault.kind in ("swap", "unplug", "eth") for record in one)
    assert not any(record.fault.kind == "eth" and "/oob/" in record.links[0] for record in one)


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("swp:A,B", "CLI-020", "; did you mean swap?"),
        ("", "CLI-020", "use one of"),
        ("swap:A", "CLI-021", "swap takes two arguments"),
        ("swap:A,", "CLI-021", "swap takes two arguments"),
        ("noname:x", "CLI-021", "noname takes no argument"),
        ("random:3", "CLI-021", "K@SEED"),
        ("random:x@1", "CLI-021", "write random:3@7"),
    ],
)
def test_what_the_grammar_refuses(text: str, code: str, says: str) -> None:
    with pytest.raises(ProblemError) as caught:
        faults.parse(text)
    assert code in str(caught.value) and says in str(caught.value)


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("unplug:LEAF-1/1", "CLI-022", "LEAF-01/1"),
        ("unplug:LEAF-01/99", "CLI-022", "has no cable in '99'"),
        ("absent:SPINE-9", "CLI-022", "SPINE-0"),
        ("rail:LEAF-01", "CLI-022", "no node is called"),
        ("eth:LEAF-01/1", "CLI-023", "is a switch port"),
        ("eth:gpu000/bmc", "CLI-023", "planned as Ethernet"),
        ("clone:gpu000/mlx5_0,gpu000/mlx5_0", "CLI-023", "its own copy"),
        ("swap:LEAF-01/1,gpu000/mlx5_0", "CLI-023", "same cable"),
        ("random:99@1", "CLI-023", "separate faults fit this plan"),
    ],
)
def test_what_the_plan_refuses(text: str, code: str, says: str) -> None:
    plan = little_plan(oob=True)
    with pytest.raises(ProblemError) as caught:
        faults.apply(plan, as_planned(plan), (faults.parse(text),))
    assert code in str(caught.value) and says in str(caught.value)


def test_all_bad_faults_are_told_at_once() -> None:
    plan = little_plan()
    with pytest.raises(ProblemError) as caught:
        faults.apply(plan, as_planned(plan), (faults.parse("unplug:x/1"), faults.parse("absent:y")))
    assert len(caught.value.problems.items) == 2


def test_a_copy_across_technologies_is_refused() -> None:
    with pytest.raises(ProblemError, match="CLI-023"):
        outcomes("clone:gpu000/mlx5_0,gpu001/bmc", oob=True)


def test_faults_of_whole_panels_and_planes() -> None:
    assert outcomes("mirror:LEAF-01/1-4") == {f"link:{LEAF}0/{p}": "wrong" for p in range(1, 5)}
    assert outcomes("mirror:LEAF-01/1-3") == {f"link:{LEAF}0/{p}": "wrong" for p in (1, 3)}
    assert outcomes("shift:LEAF-01/1-3,1") == {f"link:{LEAF}0/{p}": "wrong" for p in range(1, 5)}
    assert outcomes("crossed:mlx5_0,mlx5_2") == {f"link:{LEAF}{r}/{p}": "wrong" for r in (0, 2) for p in range(1, 5)}
    assert outcomes("exchange:gpu001,gpu003") == {f"link:{LEAF}{r}/{p}": "wrong" for r in range(4) for p in (2, 4)}
    assert outcomes("exchange:LEAF-02,LEAF-03") == {f"link:{LEAF}{r}/{p}": "wrong" for r in (1, 2) for p in range(1, 9)}


def test_a_run_shifted_into_free_ports_leaves_its_first_port_empty() -> None:
    found = outcomes("unplug:LEAF-01/4", "shift:LEAF-01/1-3,1")
    assert found == {f"link:{LEAF}0/{p}": "wrong" for p in range(2, 5)} | {f"link:{LEAF}0/1": "missing"}


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("mirror:LEAF-01/1-4", 2),
        ("mirror:LEAF-01/1-3", 1),
        ("shift:LEAF-01/1-3,1", 3),  # one ring of four
        ("shift:LEAF-01/1-2,2", 2),  # two rings of two
        ("crossed:mlx5_0,mlx5_1", 4),
        ("exchange:gpu001,gpu003", 4),
        ("exchange:LEAF-02,LEAF-03", 8),
    ],
)
def test_moves_of_panel_faults(text: str, moves: int) -> None:
    plan = little_plan()
    _, done = faults.apply(plan, as_planned(plan), (faults.parse(text),))
    assert [d.moves for d in done] == [moves]


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("mirror:LEAF-01", "CLI-021", "mirror takes SWITCH/FIRST-LAST\n"),
        ("mirror:LEAF-01/4-1", "CLI-021", "write mirror:leaf-1/1-32"),
        ("shift:LEAF-01/1-4", "CLI-021", "shift takes two arguments"),
        ("shift:LEAF-01/1-4,0", "CLI-021", "shift takes SWITCH/FIRST-LAST,BY"),
        ("mirror:LEAF-01/0-4", "CLI-023", "LEAF-01 has ports 1 to 8"),
        ("shift:LEAF-01/1-8,1", "CLI-023", "LEAF-01 has ports 1 to 8"),
        ("mirror:LEAF-99/1-4", "CLI-022", "no switch is called 'LEAF-99'"),
        ("crossed:mlx5_0,mlx5_9", "CLI-023", "no node has cables of one plane in both"),
        ("crossed:mlx5_0,mlx5_0", "CLI-023", "both are the same NIC"),
        ("exchange:gpu001,LEAF-01", "CLI-023", "not two switches, or two nodes with cables in the same ports"),
        ("exchange:gpu001,gpu001", "CLI-023", "not two switches"),
    ],
)
def test_what_is_refused_of_panel_faults(text: str, code: str, says: str) -> None:
    plan = little_plan()
    with pytest.raises(ProblemError) as caught:
        faults.apply(plan, as_planned(plan), (faults.parse(text),))
    assert code in str(caught.value) and says in str(caught.value)
