"""Sizing against the published tables of NVIDIA's reference architectures, row by row."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import reproduction
from reproduction import Row, rows, sized

from asbuilt.base.problem import ProblemError
from asbuilt.catalogue.load import load
from asbuilt.design import fabric
from asbuilt.design.heat import coolant_l_min, pg25_density_kg_m3, pg25_heat_j_kg_k, return_c
from asbuilt.design.resolve import resolve
from asbuilt.model.requirement import Requirement, Site
from asbuilt.workflow.size import size

pytestmark = pytest.mark.oracle
ALL = rows()
SUPERPOD = {"H100 small", "H100 large", "H200", "B200 small", "B200 large", "B300 Spectrum-X dual-plane", "B300 XDR"} | {
    "GB200",
    "GB300",
}


def say(capsys: pytest.CaptureFixture[str], text: str) -> None:
    with capsys.disabled():
        print(f"\n{text}", end="")


@pytest.mark.parametrize("row", [r for r in ALL if not r.reason], ids=lambda r: f"{r.table}, {r.name}")
def test_published_row_is_reproduced(row: Row) -> None:
    assert {key: row.ours[key] for key in row.printed} == row.printed, row.source


@pytest.mark.parametrize("row", [r for r in ALL if r.reason], ids=lambda r: f"{r.table}, {r.name}")
def test_listed_differences_are_still_differences(row: Row) -> None:
    assert not row.agrees, "it agrees now: take it off the list"
    ours = next(iter(row.ours.values()))
    assert row.reason.startswith(f"{ours}:"), f"the reason names another number than {ours}"


def test_how_many_rows_are_reproduced(capsys: pytest.CaptureFixture[str]) -> None:
    tables = [r for r in ALL if r.table in SUPERPOD]
    bills = [r for r in ALL if r.table not in SUPERPOD]
    assert len({r.table for r in tables}) == len(SUPERPOD)
    assert all(r.agrees for r in tables)
    say(capsys, f"oracle: SuperPOD tables, {sum(r.agrees for r in tables)} of {len(tables)} rows")
    say(capsys, f"oracle: bills and storage rates, {sum(r.agrees for r in bills)} of {len(bills)} lines")
    for row in bills:
        if not row.agrees:
            say(capsys, f"  not reproduced: {row.table}, {row.name}: printed {row.printed[row.name]}; {row.reason}")
    assert len(reproduction.document()["erratum"]) >= 7


def test_plain_ceiling_fails_where_even_striping_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: with a plain ceiling for the spines the same rows would not come out."""

    def plain(number: int, least: float) -> int | None:
        return math.ceil(least) if least <= number else None

    monkeypatch.setattr(fabric, "divisor_at_least", plain)
    sized.cache_clear()
    try:
        wrong = [f"{r.table} {r.name}" for r in rows() if r.table in SUPERPOD and not r.agrees]
    finally:
        sized.cache_clear()
    assert {"H100 small 3 SU", "B200 small 3 SU", "B300 XDR 4 SU", "B300 XDR 8 SU"} <= set(wrong)
    assert "H100 small 4 SU" not in wrong


def test_1024_h100_is_48_switches_and_1_43_mw() -> None:
    _, made = sized("dgx-h100", "ndr", 1024)
    assert (made.compute.leaf, made.compute.spine, made.compute.total) == (32, 16, 48)
    assert made.it_kw == pytest.approx(1428, rel=0.005)
    assert size("dgx-h100", 1024, pue=1.4).facility_kw == pytest.approx(2000, rel=0.005)
    assert size("dgx-h100", 1024, pue=1.3).facility_kw == pytest.approx(1856, rel=0.005)


def test_service_links_are_apart_from_node_links() -> None:
    _, made = sized("dgx-h100", "ndr", 248)
    assert (made.links.node_leaf, made.links.service) == (248, 4)
    _, full = sized("dgx-h100", "ndr", 256)
    assert full.links.service == 0
    assert any("UFM" in warning for warning in full.warnings)


@pytest.mark.parametrize(("system", "gpus", "kw"), [("dgx-h100", 256, 326.4), ("dgx-b200", 256, 458.0)])
def test_nodes_of_one_su_draw_what_the_reference_says(system: str, gpus: int, kw: float) -> None:
    design, _ = sized(system, "ndr", gpus)
    assert design.nodes * design.node.power_max_w / 1000 == pytest.approx(kw, rel=0.002)


def test_gb300_su_fits_its_published_1_2_mw_with_its_racks() -> None:
    design, made = sized("gb300-nvl72", "xdr", 576)
    assert design.nodes // 18 * design.node.unit_power_max_w / 1e6 == pytest.approx(1.136)
    assert made.it_kw < 1.25 * 1200


@pytest.mark.parametrize(("supply", "flow"), [(25, 59), (30, 71), (35, 89), (40, 119), (45, 177)])
def test_coolant_flow_follows_the_gb300_table(supply: float, flow: float) -> None:
    """Lenovo Press LP2357, table 27: flow of one GB300 NVL72 rack with 121.5 kW to liquid."""
    assert coolant_l_min(121.5, supply, return_c(supply, rack_scale=True)) == pytest.approx(flow, rel=0.02)


def test_pg25_properties_and_flow_per_kilowatt() -> None:
    """CoolProp INCOMP::APG[0.25] values, and 132 kW at 10 K around 35 °C."""
    for celsius, density, heat in ((20, 1023.872, 3912.87), (30, 1019.426, 3937.552), (45, 1011.807, 3974.574)):
        assert pg25_density_kg_m3(celsius) == pytest.approx(density, rel=1e-5)
        assert pg25_heat_j_kg_k(celsius) == pytest.approx(heat, rel=1e-5)
    assert coolant_l_min(132, 30, 40) == pytest.approx(197.157, rel=1e-4)


def test_cooling_takes_heat_and_feeders_take_input() -> None:
    """The DGX H100 guide prints 10.2 kW of input and 11.3 kW of heat; each is used for its own purpose."""
    design, made = sized("dgx-h100", "ndr", 1024)
    assert design.nodes * 11.3 < made.air_kw < made.it_kw + design.nodes * 1.11
    assert made.rack_kw_max == pytest.approx(40.8)


def test_share_of_refused_inputs(capsys: pytest.CaptureFixture[str]) -> None:
    """Every system with a reference profile answers at every size up to 16,384, and far beyond."""
    book = load()
    asked = refused = 0
    sizes = [*range(8, 520, 8), *range(520, 16_385, 257), 16_384, 65_536, 262_144, 1_048_576]
    for system in book.ids("system"):
        for profile in book.get("system", system).value("fabrics"):
            for gpus in sizes:
                asked += 1
                try:
                    resolve(Requirement(name="share", system=system, gpus=gpus, fabric=profile), book)
                except ProblemError:
                    refused += 1
    say(capsys, f"oracle: {refused} of {asked} inputs refused ({len(sizes)} sizes, every system and profile)")
    assert asked > 1000 and refused == 0


def test_more_power_is_told_as_gpus_of_the_site() -> None:
    design = resolve(Requirement(name="site", system="dgx-h100", gpus=1024, site=Site(power_mw=1.0)), load())
    assert design.site.power_mw == 1.0
    made = size("dgx-h100", 1024, power_mw=1.0)
    mark = next(m for m in made.limits if m["id"] == "site-power")
    assert mark["now"] and 400 < mark["at_gpus"] < 600


def test_the_page_shows_what_is_reproduced_today() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "sizing.md").read_text(encoding="utf-8")
    assert reproduction.markdown(ALL) in page, "run: python tools/sizing_table.py"
