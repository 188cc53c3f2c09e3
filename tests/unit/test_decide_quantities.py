"""What a plan's work is counted as, against counts made another way."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from asbuilt.decide.quantities import counted, quantities
from asbuilt.model.deployment import OPERATIONS
from template_plans import made

TEMPLATES = ("l40s-384", "dgx-h100-superpod", "gb300-nvl72", "gb200-nvl72", "dgx-b300-xdr", "roce-b200")


def _rows(template: str, table: str) -> list[dict[str, object]]:
    return list(made(template).table(table).iter_rows(named=True))


def _by_hand(template: str) -> dict[str, float]:
    """Counts walked line by line, without the rules that are tested."""
    whole = {t["system"] for t in _rows(template, "node_traits") if t["nvlink"] == "domain"}
    trays = {t["system"]: t["switch_trays"] for t in _rows(template, "node_traits")}
    nodes = _rows(template, "nodes")
    domains = {(n["system"], n["unit"]) for n in nodes if n["system"] in whole}
    built = {b["branch"]: b["built"] for b in _rows(template, "branches")}
    channels = {c["jumper"]: c["trunk"] for c in _rows(template, "channels")}
    over = sum(1 for trunk in channels.values() if trunk)
    fibre = sum(1 for j in _rows(template, "jumpers") if j["medium"] not in ("copper", "active-copper"))
    far = {p["part"]: p["ports"] for p in _rows(template, "parts") if p["kind"] == "cable"}
    plugs = sum(1 + far[j["part"]] for j in _rows(template, "jumpers") if j["jumper"] in channels)
    legs = {b["bundle"]: b["usable_fibres"] // b["fibres_per_port"] for b in _rows(template, "bundles")}
    torqued = [f for f in _rows(template, "fittings") if built.get(f["at"], True) or f["kind"] == "valve"]
    computing = {r["rack"]: r["row"] for r in _rows(template, "racks")}
    return {
        "rack_place": sum(1 for r in _rows(template, "racks") if not r["liquid_w"]),
        "rack_place_liquid": sum(1 for r in _rows(template, "racks") if r["liquid_w"]),
        "node_mount": sum(1 for n in nodes if n["system"] not in whole),
        "switch_mount": len(_rows(template, "switches")),
        "panel_mount": len(_rows(template, "panels")),
        "backplane_seat": sum(1 for n in nodes if n["system"] in whole) + sum(trays[system] for system, _ in domains),
        "pdu_mount": len(_rows(template, "pdus")),
        "circuit_land": len(_rows(template, "circuits")),
        "circuit_test": len(_rows(template, "circuits")),
        "shelf_feed": len(_rows(template, "shelves")),
        "cord_plug": len(_rows(template, "cords")),
        "bond_measure": len(_rows(template, "bonds")),
        "cdu_commission": len(_rows(template, "cdus")),
        "header_segment": len(_rows(template, "loop_segments")),
        "loop_flush": len(_rows(template, "loops")),
        "manifold_fit": sum(1 for b in built.values() if b),
        "hose_connect": 2 * sum(1 for b in built.values() if b),
        "fitting_torque": len(torqued),
        "loop_pressure_test": len(_rows(template, "loops")),
        "loop_fill": len(_rows(template, "loops")),
        "trunk_pull": len(_rows(template, "trunks")),
        "trunk_test": len(_rows(template, "trunks")),
        "jumper_lay": fibre + over,
        "copper_lay": len(_rows(template, "jumpers")) - fibre + len(_rows(template, "management_ports")),
        "connector_mate": plugs + 2 * over,
        "connector_inspect": 2 * plugs + 2 * over + sum(2 * legs[t["bundle"]] for t in _rows(template, "trunks")),
        "optic_insert": len(_rows(template, "transceivers")),
        "node_bring_up": len(nodes),
        "switch_bring_up": sum(1 for s in _rows(template, "switches") if not s["spare"]),
        "node_accept": sum(1 for n in nodes if n["role"] == "compute"),
        "domain_accept": len(domains),
        "link_verify": len(_rows(template, "links")),
        "row_collectives": len({computing[n["rack"]] for n in nodes if n["role"] == "compute"}),
        "site_fabric": 1,
        "site_soak": 1,
    }


@pytest.mark.parametrize("template", TEMPLATES)
def test_totals_are_those_of_counting_by_hand(template: str) -> None:
    totals = {c.operation: c.count for c in counted(made(template))}
    audited = totals.pop("audit")
    assert totals == {operation: count for operation, count in _by_hand(template).items() if count}
    measured = [
        "circuit_test",
        "bond_measure",
        "fitting_torque",
        "loop_pressure_test",
        "trunk_test",
        "node_accept",
        "link_verify",
    ]
    assert audited == sum(totals.get(operation, 0) for operation in measured)


@pytest.mark.parametrize("template", TEMPLATES)
def test_rows_and_racks_add_up_to_the_totals(template: str) -> None:
    frame = quantities(made(template))
    totals = {c.operation: c.count for c in counted(made(template))}
    assert dict(frame.group_by("operation").agg(pl.col("count").sum()).iter_rows()) == totals
    assert not frame.select("operation", "row", "rack").is_duplicated().any()
    each = {o.id: o.each for o in OPERATIONS}
    home = dict(made(template).table("racks").select("rack", "row").iter_rows())
    for operation, row, rack in frame.select("operation", "row", "rack").iter_rows():
        assert (row, rack) == ("", "") if each[operation] == "site" else row in home.values(), operation
        assert not rack or home[rack] == row
        assert bool(rack) == (each[operation] == "rack") or operation == "fitting_torque", operation


def test_the_bill_of_materials_counts_the_same_hoses_and_valves() -> None:
    bill = dict(made("gb300-nvl72").table("bom").group_by("role").agg(pl.col("quantity").sum()).iter_rows())
    totals = {c.operation: c.count for c in counted(made("gb300-nvl72"))}
    assert totals["hose_connect"] == bill["rack hose"] == bill["rack coupling"]
    cords = bill["patch cord"] + bill["single-mode"] + bill["multimode"]
    assert totals["jumper_lay"] == cords
    assert totals["copper_lay"] == bill["copper"] + bill["management port"]


def test_an_air_cooled_site_has_no_liquid_and_no_backplane() -> None:
    operations = {c.operation for c in counted(made("l40s-384"))}
    liquid = {"rack_place_liquid", "backplane_seat", "loop_flush", "hose_connect", "fitting_torque", "domain_accept"}
    assert not operations & liquid


def test_totals_name_where_they_are_read_and_the_phases() -> None:
    found = {c.operation: c.source for c in counted(made("gb300-nvl72"))}
    assert found["trunk_pull"] == "trunks, spares too; phases su1, su2 together"
    assert {c.operation: c.source for c in counted(made("l40s-384"))}["cord_plug"] == "cords"


def test_a_plan_without_the_tables_is_unknown_and_not_zero() -> None:
    plan = made("l40s-384")
    less = replace(plan, tables={name: frame for name, frame in plan.tables.items() if name not in ("cords", "racks")})
    with pytest.raises(ValueError) as raised:
        quantities(less)
    assert str(raised.value) == (
        f"the plan {plan.name!r} has no table racks, cords, so the work cannot be counted: what is not in the plan is "
        "unknown, not zero. A plan read from a cable list knows only its cables; make one from cluster.yaml"
    )


def test_a_piece_in_no_rack_is_an_error() -> None:
    plan = made("l40s-384")
    cords = plan.table("cords").with_columns(rack=pl.lit("rack:Z-01"))
    with pytest.raises(ValueError) as raised:
        quantities(replace(plan, tables={**plan.tables, "cords": cords}))
    assert str(raised.value) == (
        "228 pieces of cord_plug (cords) stand in no rack of the plan (first: 'rack:Z-01'), so nobody can be sent there: "
        "give what they belong to a rack"
    )
