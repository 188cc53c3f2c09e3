"""Plan to NetBox and back: the same links, places, lengths and labels, through JSON and through CSV."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.artefacts import netbox_cables
from asbuilt.artefacts.netbox import netbox
from asbuilt.base.problem import ProblemError
from asbuilt.model.plan import Plan
from asbuilt.model.tables import PLAN_TABLES
from asbuilt.parsers.plans import netbox as plans
from little_fabric import little_plan
from template_plans import made

TEMPLATES = ("l40s-384", "dgx-h100-superpod", "gb300-nvl72")
#: What NetBox holds of each table; the rest of a link (rail, subplane, island) it cannot.
LINKS = ("link", "plane", "kind", "a_device", "a_port", "a_label", "b_device", "b_port", "b_nic", "b_label", "a_name", "b_name",
         "rate_gbps", "phase", "jumper")  # fmt: skip
PLACES = {
    "racks": ("rack", "name", "role", "row", "position", "x_mm", "y_mm", "height_u", "phase"),
    "nodes": ("node", "name", "role", "system", "rack", "u", "phase"),
    "switches": ("switch", "name", "plane", "role", "model", "rack", "u", "phase"),
}
CABLES = (
    "a_type",
    "a_name",
    "b_type",
    "b_name",
    "type",
    "label",
    "color",
    "description",
    "link",
    "jumper",
    "part",
    "plane",
    "phase",
)


def exports(files: dict[str, bytes]) -> dict[str, dict[str, bytes]]:
    return {
        "json": {"objects.json": files["netbox/objects.json"]},
        "csv": {path: data for path, data in files.items() if path.endswith(".csv")},
    }


def same(plan: Plan, back: Plan) -> None:
    assert back.links.select(LINKS).equals(plan.links.select(LINKS))
    for table, columns in PLACES.items():
        key = columns[0]
        assert back.table(table).select(columns).sort(key).equals(plan.table(table).select(columns).sort(key)), table
    assert back.account is not None and back.account.balanced and back.account.unread == 0 and not back.unread


def same_cables(plan: Plan, files: dict[str, bytes]) -> None:
    """Every cable, of power and trunks too: both ends, type, colour, label, length to the digit."""
    ours = netbox_cables.cables(plan)
    back = plans.cables(files)
    assert back["key"].to_list() == ours["id"].to_list()
    blank = ours.select(pl.col(c).fill_null("") for c in CABLES)
    assert back.select(CABLES).equals(blank)
    assert back["length_m"].to_list() == ours["length"].to_list()


@pytest.mark.parametrize("form", ["json", "csv"])
@pytest.mark.parametrize("template", TEMPLATES)
def test_templates(template: str, form: str) -> None:
    plan = made(template)
    files = exports(netbox(plan))[form]
    same(plan, plans.read(files))
    same_cables(plan, files)


def test_node_heights_come_back_with_the_device_types() -> None:
    plan = made("dgx-h100-superpod")
    back = plans.read(exports(netbox(plan))["json"])
    for table, key in (("nodes", "node"), ("switches", "switch")):
        columns = (key, "height_u")
        assert back.table(table).select(columns).sort(key).equals(plan.table(table).select(columns).sort(key))


names = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cf", "Zl", "Zp", "Z")), min_size=1, max_size=12
).filter(lambda t: not t.startswith(("'", "=", "+", "-", "@")))  # fmt: skip


def renamed(plan: Plan, words: dict[str, str]) -> Plan:
    """``plan`` with other display names, in the links too; with racks, so that NetBox can have it."""
    links = plan.links.with_columns(
        pl.col("a_device").replace(words).alias("a_name"),
        pl.when(pl.col("b_nic").is_null()).then(pl.col("b_device").replace(words))
        .otherwise(pl.concat_str([pl.col("b_device").replace(words), "b_nic"], separator=" ")).alias("b_name"),
    )  # fmt: skip
    text = {"rack": "rack:A-01", "name": "A-01", "role": "compute", "row": "A", "phase": "1"}
    numbers = {c.name: 0.5 for c in PLAN_TABLES["racks"].columns if c.name not in text}
    rack = pl.DataFrame([{**text, **numbers, "position": 1, "height_u": 48}])
    tables = {
        **plan.tables,
        "links": links,
        "racks": PLAN_TABLES["racks"].conform(rack),
        "switches": plan.table("switches").with_columns(pl.col("switch").replace(words).alias("name")),
        "nodes": plan.table("nodes").with_columns(pl.col("node").replace(words).alias("name")),
    }
    return replace(plan, tables=tables)


@st.composite
def random_plans(draw: st.DrawFn) -> Plan:
    plan = little_plan(
        draw(st.integers(1, 5)), draw(st.integers(1, 4)), draw(st.integers(0, 3)), oob=draw(st.booleans()),
        technology=draw(st.sampled_from(("infiniband", "ethernet"))), rate=draw(st.sampled_from((100.0, 200.0, 400.0, 800.0))),
    )  # fmt: skip
    keys = [*plan.table("switches")["switch"].to_list(), *plan.table("nodes")["node"].to_list()]
    told = draw(st.lists(names, min_size=len(keys), max_size=len(keys), unique_by=str.lower))
    return renamed(plan, dict(zip(keys, told, strict=True)))


@settings(max_examples=20)
@given(random_plans())
def test_random_plans_under_any_names(plan: Plan) -> None:
    files = netbox(plan)
    for form in exports(files).values():
        same(plan, plans.read(form))
        same_cables(plan, form)
    assert netbox(plan) == files, "equal plans give equal bytes"


@pytest.mark.parametrize("word", ("=1+2", "+cmd|x", "-3", "@sum", "\tx", 'a"b,c;d', "<b>&</b>", "a'b", "名前"))
def test_no_cell_is_a_formula(word: str) -> None:
    plan = renamed(little_plan(1, 1, 0), {"node:0000": word})
    if word.startswith("\t"):
        with pytest.raises(ProblemError) as error:
            netbox(plan)
        assert error.value.problems.items[0].what == "the name '\\tx' cannot be written"
        return
    files = netbox(plan)
    for path, data in files.items():
        if path.endswith(".csv"):
            cells = pl.read_csv(io.BytesIO(data), infer_schema=False)
            assert not any(cells[c].str.contains(r"^[=+\-@\t\r]").any() for c in cells.columns), path
    json.loads(files["netbox/objects.json"])
    for form in exports(files).values():  # the guard is taken off again
        assert plans.read(form).table("nodes")["name"].to_list() == [word]


@settings(max_examples=12)
@given(st.data())
def test_what_is_moved_in_netbox_is_moved_in_the_plan(data: st.DataObject) -> None:
    """Two cables exchange their far ends in NetBox: the links follow the terminations, not the custom fields."""
    plan = renamed(little_plan(4, 2, 1), {})
    document = json.loads(netbox(plan)["netbox/objects.json"])
    cables = document["dcim.cable"]
    one, two = data.draw(st.lists(st.integers(0, len(cables) - 1), min_size=2, max_size=2, unique=True))
    first, second = cables[one], cables[two]
    first["b_terminations"], second["b_terminations"] = second["b_terminations"], first["b_terminations"]
    back = plans.read({"objects.json": json.dumps(document).encode()})
    far = ("b_device", "b_port", "b_nic", "b_label")
    a, b = (c["custom_fields"]["asbuilt_link"] for c in (first, second))
    wanted = {row[0]: row[1:] for row in plan.links.select("link", *far).rows()}
    wanted[a], wanted[b] = wanted[b], wanted[a]
    assert {row[0]: row[1:] for row in back.links.select("link", *far).rows()} == wanted


def test_names_that_netbox_cannot_hold_are_refused() -> None:
    for words, why in (
        ({"node:0000": "x" * 65}, "NetBox holds at most 64 letters of the name of a device"),
        ({"node:0000": "GPU", "node:0001": "gpu"}, "two devices have it, and NetBox takes no note of case"),
        ({"node:0000": ""}, "NetBox needs a name there"),
    ):
        with pytest.raises(ProblemError) as error:
            netbox(renamed(little_plan(2, 1, 0), words))
        assert {(p.code, p.why) for p in error.value.problems.items} == {("ART-001", why)}
