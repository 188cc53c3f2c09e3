"""Whatever a site says of its power chain: schemas hold, loads add up, outlets are taken once, finished rows need more."""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from asbuilt.design.resolve import resolve
from asbuilt.model.decode_requirement import decode
from asbuilt.model.design import Design
from asbuilt.model.tables_power import POWER_TABLES
from asbuilt.plan.expand import expand
from asbuilt.plan.power.tables import power_tables
from template_plans import CATALOGUE

SYSTEMS = {"dgx-h100": 88, "dgx-b300": 72, "gb300-nvl72": 216}


@functools.cache
def base(system: str) -> tuple[Design, dict[str, pl.DataFrame]]:
    text = f"schema: requirement/v1\nname: x\nsystem: {system}\ngpus: {SYSTEMS[system]}\nsite: {{racks_per_row: 6}}\n"
    design = resolve(decode(text.encode(), "x"), CATALOGUE)
    return design, expand(design, CATALOGUE).tables


@st.composite
def sites(draw: st.DrawFn) -> tuple[Design, dict[str, pl.DataFrame]]:
    design, tables = base(draw(st.sampled_from(sorted(SYSTEMS))))
    feeds = draw(st.integers(1, 4))
    letters = st.sampled_from("ABCD"[:feeds])
    cords = tuple(draw(st.lists(letters, min_size=design.node.psus, max_size=design.node.psus))) or ("A",)
    shelves = tuple(draw(letters) for _ in design.power.shelf_feeds)
    voltage = draw(st.sampled_from([208.0, 415.0]))
    own: dict[str, Any] = {
        "basis": draw(st.sampled_from(["nec", "iec"])),
        "voltage_v": voltage,
        "pdu": draw(st.sampled_from(["pdu-208v-60a", "apc-ap8868"])) if voltage < 300 else "raritan-px3-5878",
        "distribution": draw(st.sampled_from(["busway", "panel"])),
        "busway_entry": draw(st.sampled_from(["end", "centre"])),
        "pdus_per_feed": draw(st.sampled_from([None, 1, 2, 3])),
        "shelf_feeds": shelves,
        "sharing_skew": draw(st.sampled_from([0.0, 0.05, 0.3])),
        "fault_ka": draw(st.sampled_from([None, 10.0, 65.0])),
    }
    site = replace(design.site, feeds=feeds, cords=cords)
    return replace(design, site=site, power=replace(design.power, **own)), tables


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sites())
def test_the_power_plan_of_any_site(case: tuple[Design, dict[str, pl.DataFrame]]) -> None:
    design, tables = case
    made = power_tables(design, CATALOGUE, tables)
    assert [fault for schema in POWER_TABLES for fault in schema.faults(made[schema.name])] == []
    _references_hold(made)
    _watts_add_up(design, made)
    _currents_agree(design, made)
    busways = made["busways"]
    assert (busways["full_a"] >= busways["lost_a"] - 1e-9).all() and (busways["lost_a"] >= busways["load_a"] - 1e-9).all()
    assert (busways["drop_percent"] >= 0).all() and (busways["drop_percent"] < 100).all()
    circuits = made["circuits"]
    assert (circuits["lost_a"] >= circuits["load_a"] - 1e-9).all()
    assert (made["feeds"]["full_kw"] >= made["feeds"]["lost_kw"] - 1e-9).all()


def _references_hold(made: dict[str, pl.DataFrame]) -> None:
    cords, pdus, circuits = made["cords"], made["pdus"], made["circuits"]
    assert cords.join(pdus, on="pdu", how="anti").is_empty() and pdus.join(circuits, on="circuit", how="anti").is_empty()
    assert pdus.height + circuits["serves"].str.starts_with("shelf:").sum() == circuits.height
    assert cords.select("pdu", "outlet").is_unique().all()
    inside = cords.join(pdus.select("pdu", own="rack"), on="pdu")
    assert (inside["rack"] == inside["own"]).all()
    assert (circuits["busway"].drop_nulls().is_in(made["busways"]["busway"].implode())).all()


def _watts_add_up(design: Design, made: dict[str, pl.DataFrame]) -> None:
    """What all feeds carry is what all devices draw: cords, and racks with shelves."""
    racks = 0.0
    if made["shelves"].height:
        nominal = made["draws"].filter(pl.col("role") == "rack")["nominal_w"].item()
        capped = min(nominal, 8 * 33000.0)
        racks = capped * made["shelves"]["rack"].n_unique()
    assert made["feeds"]["load_kw"].sum() * 1000 == pytest.approx(made["cords"]["nominal_w"].sum() + racks)


def _currents_agree(design: Design, made: dict[str, pl.DataFrame]) -> None:
    """Healthy conductor currents of PDUs on wye systems, worked out again from the cords."""
    if design.power.voltage_v < 300:
        return
    volts = design.power.voltage_v / math.sqrt(3) * design.power.power_factor
    again = made["cords"].group_by(subject="pdu", conductor="conductor").agg((pl.col("nominal_w").sum() / volts).alias("again"))
    loads = made["conductor_loads"].filter((pl.col("kind") == "pdu") & (pl.col("case") == "healthy"))
    both = loads.filter(pl.col("conductor") != "N").join(again, on=["subject", "conductor"], how="left")
    assert both["load_a"].to_list() == pytest.approx(both["again"].fill_null(0.0).to_list())
