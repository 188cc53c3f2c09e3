"""NetBox exports as a plan: what anybody's lists say, what is hostile in them, every row accounted for."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.artefacts.netbox import netbox
from asbuilt.base.problem import ProblemError
from asbuilt.model.plan import Plan
from asbuilt.parsers.plans import netbox as plans
from asbuilt.rehearse.faults import parse
from asbuilt.rehearse.twin import render
from asbuilt.workflow.captures import facts_of
from asbuilt.workflow.compare import compare
from asbuilt.workflow.foreign_plan import read_plans
from template_plans import made

CABLES = (
    "ID,Label,Termination A,Termination B,Device A,Device B,Rack A,Rack B,Status,Type,Length\n"
    "1,x,swp1,eth0,leaf-1,gpu01,A1,A2,Connected,MMF,10 m\n"
    "2,,1,3,leaf-1 panel,spine panel,A1,A3,Connected,SMF,15 m\n"
    "3,,swp64,1-1,leaf-1,leaf-1 panel,A1,A1,Connected,SMF,3 ft\n"
    "4,,swp1,3-1,spine-1,spine panel,A3,A3,Connected,SMF,3 m\n"
    "5,,1,PSU1,pdu,gpu01,A2,A2,Connected,Power,2 m\n"
)
FRONT = "Device,Name,Rear Port,Rear Port Position\nleaf-1 panel,1-1,1,1\nspine panel,3-1,3,1\n"
REAR = "Device,Name,Type,Positions\nleaf-1 panel,1,MPO,8\nspine panel,3,MPO,8\n"
DEVICES = (
    "Name,Status,Site,Location,Rack,Role,Manufacturer,Type,Position\n"
    "leaf-1,Active,X,Row A,A1,Leaf switch,NVIDIA,SN5600,40\n"
    "spine-1,Active,X,Row A,A3,Spine switch,NVIDIA,SN5600,42.5\n"
    "gpu01,Active,X,Row A,A2,Server,NVIDIA,DGX,1\n"
)
LISTS = {"cables.csv": CABLES, "front.csv": FRONT, "rear.csv": REAR, "devices.csv": DEVICES}


def read(lists: dict[str, str]) -> Plan:
    return plans.read({name: text.encode() for name, text in lists.items()})


def ends(plan: Plan) -> list[tuple[str, str, str, str]]:
    return plan.links.select("a_device", "a_label", "b_device", "b_label").rows()


def balanced(plan: Plan) -> tuple[int, int, int, int]:
    account = plan.account
    assert account is not None and account.balanced
    return account.total, account.facts, account.ignorable, account.unread


def test_lists_of_somebody_elses_netbox_give_links_through_panels() -> None:
    plan = read(LISTS)
    assert ends(plan) == [("leaf-1", "swp1", "gpu01", "eth0"), ("leaf-1", "swp64", "spine-1", "swp1")]
    assert plan.links["kind"].to_list() == ["node_leaf", "leaf_spine"]
    assert balanced(plan) == (16, 11, 5, 0)  # headers and the power cord carry nothing
    assert plan.table("switches").select("name", "rack", "u").rows() == [
        ("leaf-1", "rack:A1", 40.0),
        ("spine-1", "rack:A3", 42.5),
    ]
    assert plan.table("nodes").select("name", "rack", "u").rows() == [("gpu01", "rack:A2", 1.0)]
    assert plan.table("racks").select("rack", "name", "height_u").rows() == [
        ("rack:A1", "A1", None), ("rack:A2", "A2", None), ("rack:A3", "A3", None),
    ]  # fmt: skip


def test_lengths_come_in_metres_whatever_their_unit() -> None:
    frame = plans.cables({"cables.csv": CABLES.encode()})
    assert [round(x, 4) for x in frame.sort("line")["length_m"].to_list()] == [10.0, 15.0, 0.9144, 3.0, 2.0]


TRUNK = "2,,1,3,leaf-1 panel,spine panel,A1,A3,Connected,SMF,15 m\n"
CORD = "4,,swp1,3-1,spine-1,spine panel,A3,A3,Connected,SMF,3 m\n"


@pytest.mark.parametrize(
    ("name", "old", "new", "why"),
    [
        ("front.csv", "spine panel,3-1,3,1", "spine panel,3-1,3,2", "no front port is at spine panel rear port 3 position 1"),
        ("cables.csv", CORD, "", "no cable is at front port spine panel 3-1"),
        ("cables.csv", TRUNK, "", "no trunk is behind front port leaf-1 panel 1-1"),
    ],
)
def test_a_path_that_ends_in_a_panel_is_no_link_and_says_where(name: str, old: str, new: str, why: str) -> None:
    assert old in LISTS[name]
    plan = read({**LISTS, name: LISTS[name].replace(old, new)})
    assert ("leaf-1", "swp64", "spine-1", "swp1") not in ends(plan)
    assert f"cables.csv: no link: {why}" in [u["why"] for u in plan.unread]
    assert balanced(plan)[3] == len(plan.unread)


def test_a_list_that_is_short_at_one_side_is_followed_from_the_other() -> None:
    plan = read({**LISTS, "rear.csv": REAR.replace("spine panel,3,MPO,8\n", "")})
    assert ("leaf-1", "swp64", "spine-1", "swp1") in ends(plan)
    assert balanced(plan)[3] == 0 and not plan.unread


def test_without_its_ports_a_panel_is_a_device_like_others() -> None:
    plan = read({"cables.csv": CABLES})
    assert ("leaf-1", "swp64", "leaf-1 panel", "1-1") in ends(plan)


def test_panels_in_a_ring_end() -> None:
    fronts = "device,name,rear_port,rear_port_position\np,f1,r1,1\np,f2,r2,1\nq,f1,r1,1\nq,f2,r2,1\n"
    rears = "device,name,positions\np,r1,1\np,r2,1\nq,r1,1\nq,r2,1\n"
    head = "side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name\n"
    ring = (
        "p,dcim.rearport,r1,q,dcim.rearport,r1\np,dcim.rearport,r2,q,dcim.rearport,r2\n"
        "q,dcim.frontport,f1,q,dcim.frontport,f2\np,dcim.frontport,f2,p,dcim.frontport,f1\n"
        "leaf,dcim.interface,1,p,dcim.frontport,f1\nleaf,dcim.interface,2,host,dcim.interface,mlx5_0\n"
    )
    plan = plans.read({"c.csv": (head + ring).encode(), "f.csv": fronts.encode(), "r.csv": rears.encode()})
    balanced(plan)
    assert ends(plan) == [("leaf", "2", "host", "mlx5_0")]
    assert plan.unread


def test_answers_of_the_api() -> None:
    def end(kind: str, device: str, name: str) -> dict[str, object]:
        return {"object_type": kind, "object_id": 7, "object": {"id": 7, "device": {"name": device}, "name": name}}

    cable = {
        "id": 1, "type": {"value": "smf", "label": "SMF"}, "length": 12.5, "length_unit": {"value": "m", "label": "Meters"},
        "label": "L1", "a_terminations": [end("dcim.interface", "leaf-1", "swp1")],
        "b_terminations": [end("dcim.interface", "gpu01", "mlx5_0")],
    }  # fmt: skip
    fan = {
        **cable,
        "id": 2,
        "b_terminations": [end("dcim.interface", "gpu02", "mlx5_0"), end("dcim.interface", "gpu03", "mlx5_0")],
    }
    device = {
        "id": 1,
        "name": "leaf-1",
        "device_type": {"model": "x"},
        "role": {"name": "Leaf"},
        "rack": {"name": "A1"},
        "position": 7.5,
    }
    answer = {"count": 3, "next": None, "results": [cable, fan, device]}
    data = {"cables.json": json.dumps(answer).encode()}
    plan = plans.read(data)
    assert ends(plan) == [("leaf-1", "swp1", "gpu01", "mlx5_0")]
    assert balanced(plan) == (3, 2, 0, 1)
    assert [u["why"] for u in plan.unread] == ["cables.json: 2 ends at side B: a leg has one, and NetBox pairs no more"]
    assert plan.table("switches").select("name", "u").rows() == [("leaf-1", 7.5)]
    assert plans.cables(data).select("label", "type", "length_m").rows() == [("L1", "smf", 12.5)]


NONE = "the lists hold no cable between two interfaces"
CONNECTIONS = "device_a,interface_a,device_b,interface_b\n"


@pytest.mark.parametrize(
    ("text", "code", "what", "line"),
    [
        ("hello world\n", "PAR-001", "this is no NetBox export: no column names are those of a NetBox export", 1),
        ("", "PAR-001", "this is no NetBox export: no column names are those of a NetBox export", 1),
        ("{\n\"a\":", "PAR-001", "this is no NetBox export: Expecting value: line 2 column 5 (char 6)", 2),
        ("[" * 100_000, "PAR-001", "this is no NetBox export: ", 1),
        ("[1, 2]", "PAR-001", "this is no NetBox export: neither a list of NetBox's objects nor an answer of its API", 1),
        ('{"schema": "asbuilt-netbox/v1"}', "PAR-005", f"no row names a link: {NONE}", 1),
        (CONNECTIONS, "PAR-005", f"no row names a link: {NONE}", 1),
        (CONNECTIONS + "x,1,y\n", "PAR-005", "no row names a link: 3 cells under 4 headers", 2),
        ("a\0b", "PAR-001", "this is no text: it holds NUL bytes", 1),
    ],
)  # fmt: skip
def test_what_is_no_export_is_refused_with_its_place(text: str, code: str, what: str, line: int) -> None:
    with pytest.raises(ProblemError) as error:
        plans.read({"x.csv": text.encode()})
    problem = error.value.problems.items[0]
    assert problem.code == code and problem.what.startswith(what)
    assert problem.place is not None and (problem.place.file, problem.place.line) == ("x.csv", line)


HOSTILE = (
    {"id": 1, "a_terminations": None, "b_terminations": []},
    {"id": 2, "a_terminations": [5], "b_terminations": [{}]},
    {"id": 3, "a_terminations": [{"object_type": [], "object_id": {}}], "b_terminations": [{}]},
    {"id": 4, "a_terminations": [{"object_type": "dcim.interface", "object_id": 10**400}], "b_terminations": [{}]},
    {"id": 5, "a_terminations": [{"object": {"device": [], "name": {}}}], "b_terminations": [{"object": {}}]},
)


@pytest.mark.parametrize("record", HOSTILE, ids=[f"{r['id']}" for r in HOSTILE])
def test_hostile_records_are_unread_or_no_link_never_a_traceback(record: dict[str, object]) -> None:
    good = {
        "id": 9, "a_terminations": [{"object_type": "dcim.interface", "object": {"device": {"name": "sw1"}, "name": "1"}}],
        "b_terminations": [{"object_type": "dcim.interface", "object": {"device": {"name": "h1"}, "name": "mlx5_0"}}],
    }  # fmt: skip
    plan = plans.read({"x.json": json.dumps([record, good]).encode()})
    assert ends(plan) == [("sw1", "1", "h1", "mlx5_0")]
    balanced(plan)


@pytest.mark.parametrize("cut", [0.1, 0.35, 0.62, 0.87, 0.999])
def test_a_truncated_export_is_told(cut: float) -> None:
    files = netbox(made("l40s-384"))
    data = files["netbox/objects.json"]
    with pytest.raises(ProblemError) as error:
        plans.read({"objects.json": data[: int(len(data) * cut)]})
    assert error.value.problems.items[0].code == "PAR-001"
    table = files["netbox/import/17-cables.csv"]
    part = table[: int(len(table) * cut)]
    plan = plans.read({"17-cables.csv": part})
    assert balanced(plan)[0] == len(part.splitlines()) and balanced(plan)[3] <= 1  # the row that is cut
    assert plan.links.height > 0


def test_the_formula_guard_is_taken_off_again() -> None:
    rows = "device_a,interface_a,device_b,interface_b\n'=sw1,1,'@h1,mlx5_0\n"
    assert ends(plans.read({"x.csv": rows.encode()})) == [("=sw1", "1", "@h1", "mlx5_0")]


def test_an_end_that_is_cabled_twice_keeps_its_first_cable() -> None:
    document = json.loads(netbox(made("l40s-384"))["netbox/objects.json"])
    first, second = document["dcim.cable"][0], document["dcim.cable"][1]
    second["a_terminations"] = first["a_terminations"]
    plan = plans.read({"objects.json": json.dumps(document).encode()})
    balanced(plan)
    assert plan.links.height == made("l40s-384").links.height - 1
    assert [u["why"] for u in plan.unread] == ["objects.json: IBLEAF-00-07 1/1/1 has another link already"]


def test_lists_are_read_together_and_the_format_is_found(tmp_path: Path) -> None:
    for name, text in LISTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = [str(tmp_path / name) for name in LISTS]
    plan = read_plans(files, "netbox")
    assert plan.links.height == 2 and plan.source == "cables.csv + front.csv + rear.csv + devices.csv"
    assert read_plans(files[:1]).source == "cables.csv"  # NetBox's own cable list needs no --plan-format
    (tmp_path / "objects.json").write_bytes(netbox(made("l40s-384"))["netbox/objects.json"])
    assert read_plans([str(tmp_path / "objects.json")]).links.height == made("l40s-384").links.height


def test_a_fabric_with_a_swap_is_held_against_netbox() -> None:
    """What NetBox says is compared like any plan: the swap is found with the names that NetBox has."""
    own = made("l40s-384")
    first, second = "link:sw:compute/leaf-b000-r0/1", "link:sw:compute/leaf-b000-r0/5"
    theirs = plans.read({"objects.json": netbox(own)["netbox/objects.json"]})
    for faults, code in (((), 0), ((parse(f"swap:{first},{second}"),), 1)):
        facts = facts_of(render(own, faults))
        seen, known = compare(theirs, facts), compare(own, facts)
        assert seen.exit_code == known.exit_code == code
        assert seen.repairs == known.repairs and bool(seen.repairs) == bool(code)
        assert seen.summary == known.summary
    assert compare(theirs, facts_of(render(own)), "row=A").exit_code == 0


def test_unmeasured_is_null_and_the_schemas_hold() -> None:
    plan = read(LISTS)
    assert plan.table("racks").select(pl.col("power_w").is_null().all()).item()
    assert plan.links.select(pl.col("rate_gbps", "phase", "jumper").is_null().all()).row(0) == (True, True, True)


@functools.cache
def six_cables() -> str:
    """A document of six cables between interfaces, with what they end in."""
    whole = json.loads(netbox(made("l40s-384"))["netbox/objects.json"])
    cables = whole["dcim.cable"][:6]
    numbers = {t["object_id"] for c in cables for s in "ab" for t in c[f"{s}_terminations"]}
    ports = [i for i in whole["dcim.interface"] if i["id"] in numbers]
    names = {i["device"]["name"] for i in ports}
    devices = [d for d in whole["dcim.device"] if d["name"] in names]
    rest = {m: whole[m][:2] for m in ("dcim.rack", "dcim.devicetype", "dcim.frontport")}
    return json.dumps(
        {"schema": whole["schema"], **rest, "dcim.device": devices, "dcim.interface": ports, "dcim.cable": cables}
    )


def broken(draw: st.DrawFn, document: object) -> object:
    """``document`` with a few of its values replaced by ones that do not belong there."""
    places: list[tuple[Any, Any]] = []

    def walk(node: Any) -> None:
        for key in list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ():
            places.append((node, key))
            walk(node[key])

    walk(document)
    wrong = st.sampled_from((None, [], {}, 0, -1, 1e308, "", True, [[]], {"value": {}}, 10**30, "\0"))
    for at in draw(st.lists(st.integers(0, len(places) - 1), min_size=1, max_size=6)):
        node, key = places[at]
        node[key] = draw(wrong)
    return document


@settings(max_examples=60)
@given(st.data())
def test_any_value_in_any_place_is_a_problem_or_an_accounted_row(data: st.DataObject) -> None:
    told = data.draw(st.composite(broken)(json.loads(six_cables())))
    try:
        plan = plans.read({"o.json": json.dumps(told).encode()})
    except ProblemError as error:
        assert all(p.place and p.code in ("PAR-001", "PAR-005") for p in error.problems.items)
        return
    balanced(plan)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, len(CABLES) - 1), st.sampled_from("\n\",'\0;0a\x85")), max_size=5))
def test_any_letter_in_any_place_of_a_list_is_a_problem_or_an_accounted_row(edits: list[tuple[int, str]]) -> None:
    text = CABLES
    for at, letter in edits:
        text = text[:at] + letter + text[at + 1 :]
    try:
        plan = read({**LISTS, "cables.csv": text})
    except ProblemError as error:
        assert all(p.place and p.code in ("PAR-001", "PAR-005") for p in error.problems.items)
        return
    balanced(plan)
