"""Every fact of the catalogue has unit, source, confidence and origin; every part that another names exists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from asbuilt.base.origin import Confidence, Figure, Origin
from asbuilt.catalogue import schema
from asbuilt.catalogue.errata import contradictions, errata
from asbuilt.catalogue.load import Part, load
from asbuilt.catalogue.plain import plain_part
from asbuilt.catalogue.read import read_part

CATALOGUE = load()
PARTS = [CATALOGUE.get(kind, part_id) for kind in CATALOGUE.kinds() for part_id in CATALOGUE.ids(kind)]
DATA = Path(__file__).resolve().parents[2] / "src" / "asbuilt" / "catalogue" / "data"
KEBAB = re.compile(r"^[a-z0-9]+(-[a-z0-9]+)*$")
PLANES = {"compute", "storage", "frontend", "management", "oob"}


def of(kind: str) -> list[Part]:
    return [part for part in PARTS if part.kind == kind]


def figures() -> Iterator[tuple[Part, str, Figure]]:
    for part in PARTS:
        for key, figure in part.figures.items():
            yield part, key, figure


def label(part: Part) -> str:
    return f"{part.kind}/{part.id}"


def test_the_count_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    all_figures = [figure for _, _, figure in figures()]
    by = Counter(figure.confidence.value for figure in all_figures)
    with capsys.disabled():
        print(f"\ncatalogue: {len(PARTS)} parts, {len(all_figures)} figures: {dict(by)}")
    assert len(PARTS) >= 150
    assert len(all_figures) >= 2000
    assert len(list(DATA.rglob("*.yaml"))) == len(PARTS) + 1, "every file but errata.yaml is a part"


@pytest.mark.parametrize("part", PARTS, ids=label)
def test_every_figure_says_unit_source_confidence_and_origin(part: Part) -> None:
    assert KEBAB.match(part.id)
    assert part.file == f"catalogue/{part.kind}/{part.id}.yaml"
    for key, figure in part.figures.items():
        assert isinstance(figure.confidence, Confidence), key
        assert isinstance(figure.origin, Origin), key
        assert len(figure.source) > 5, key
        assert figure.unit == (schema.suffix_unit(key) or ""), key
        assert figure.value is not None and figure.value != "" and figure.value != [], key
        if figure.origin is Origin.ASSUMED:
            assert figure.confidence is Confidence.LOW and figure.source.startswith("assumed: "), key
        else:
            assert not figure.source.startswith("assumed"), key


def test_the_quick_road_gives_the_checked_roads_parts() -> None:
    """What reads the built-in files unchecked must agree with what checks them, figure by figure."""
    quick = 0
    for part in PARTS:
        data = (DATA / part.kind / f"{part.id}.yaml").read_bytes()
        checked = read_part(data, part.file, part.kind, part.id)
        assert checked == part, label(part)
        assert [type(f.value) for f in checked.figures.values()] == [type(f.value) for f in part.figures.values()]
        quick += plain_part(data.decode(), part.file, part.kind, part.id) is not None
    assert quick >= 0.9 * len(PARTS), "the quick road is there to be taken"


@pytest.mark.parametrize("kind", [kind for kind in schema.KINDS if kind != "fabric"])
def test_required_figures_are_there_and_declared_figures_are_used(kind: str) -> None:
    parts = of(kind)
    assert parts
    for part in parts:
        assert set(schema.required(kind)) <= set(part.figures), part.id
        assert all(schema.key(kind, key) for key in part.figures), part.id
    for key in schema.KEYS[kind]:
        if key.required or kind in ("system", "switch", "nic"):
            assert any(part.has(key.name) for part in parts), f"no {kind} states {key.name}: why declare it?"


@pytest.mark.parametrize("part", of("system"), ids=label)
def test_a_system_is_whole(part: Part) -> None:
    v = part.value
    gpus, sockets = v("gpus_per_node"), v("sockets")
    assert CATALOGUE.has("gpu", v("gpu"))
    assert len(v("gpu_sockets")) == len(v("gpu_rails")) == gpus
    assert set(v("gpu_sockets")) == set(range(sockets))
    assert CATALOGUE.get("gpu", v("gpu")).value("scale_up_domain_gpus") == v("nvlink_domain_gpus")
    assert 0 <= v("liquid_fraction") <= 1
    assert v("heat_max_w") >= v("power_max_w") * 0.99, "what goes in comes out as heat"
    assert v("power_expected_w") <= v("power_max_w")
    assert v("psus_needed") <= v("psus")
    if v("psus"):
        assert v("psus_needed") * v("psu_w") >= v("power_max_w"), "enough supplies for the nameplate"
        assert (v("psus_needed") - 2) * v("psu_w") < v("power_max_w"), "psus_needed is not padded"
    assert all(CATALOGUE.has("fabric", profile) for profile in v("fabrics"))
    if v("nodes_per_unit") > 1:
        assert all(part.has(key) for key in schema.UNIT_KEYS)
        for tray, unit in (("power_max_w", "unit_power_max_w"), ("heat_max_w", "unit_heat_max_w")):
            assert v(tray) * v("nodes_per_unit") == pytest.approx(v(unit), rel=1e-4)
        assert CATALOGUE.has("switch", v("nvlink_switch"))
        assert v("power_shelves_needed") * v("power_shelf_w") >= v("unit_power_max_w")


@pytest.mark.parametrize("part", of("system"), ids=label)
def test_the_ports_of_a_system_fit_their_cards(part: Part) -> None:
    rows = part.value("nics")
    assert len({row["name"] for row in rows}) == len(rows)
    compute = [row for row in rows if row["plane"] == "compute"]
    assert sorted({row["rail"] for row in compute}) == sorted(set(part.value("gpu_rails")))
    assert len({row["cage"] for row in compute}) == part.value("compute_cages")
    for row in rows:
        assert set(row) == set(schema.NIC_FIELDS)
        assert row["plane"] in PLANES
        assert row["socket"] < part.value("sockets")
        card = CATALOGUE.get("nic", row["part"])
        assert row["link_type"] in card.value("link_types"), row
        assert row["rate_gbps"] in card.value("rates_gbps") + card.value("rates_ethernet_gbps", []), row
    for plane in PLANES:
        rails = [row["rail"] for row in rows if row["plane"] == plane]
        assert len(set(rails)) == len(rails), f"{plane}: a rail stands once"
        assert sorted(rails) == list(range(len(rails))), f"{plane}: rails count from 0"
    modules = compute and CATALOGUE.get("nic", compute[0]["part"])
    assert modules and modules.value("heatsink") == part.value("heatsink")


def test_the_gpus_of_the_pcie_server_use_nics_of_their_own_socket() -> None:
    part = CATALOGUE.get("system", "l40s-8gpu")
    socket_of = {row["rail"]: row["socket"] for row in part.value("nics") if row["plane"] == "compute"}
    assert socket_of == {0: 0, 1: 1, 2: 0, 3: 1}
    assert [socket_of[rail] for rail in part.value("gpu_rails")] == part.value("gpu_sockets")
    assert sum(row["plane"] != "oob" for row in part.value("nics")) == 7, "seven NVIDIA functions beside the BMC"


@pytest.mark.parametrize("part", of("switch"), ids=label)
def test_ports_cages_and_splits_of_a_switch_agree(part: Part) -> None:
    v = part.value
    assert v("cages") * v("ports_per_cage") == v("ports") or v("cage") == "backplane"
    assert v("splits")[v("rate_gbps")] == v("ports")
    lanes = {rate * ports for rate, ports in v("splits").items()}
    assert max(lanes) == v("rate_gbps") * v("ports"), "a split makes no bandwidth"
    if part.has("power_typical_w"):
        assert v("power_typical_w") <= v("power_max_w")
    assert v("cage") in part.value("accepts")


@pytest.mark.parametrize("part", of("optic") + of("cable"), ids=label)
def test_media_have_ends_that_some_cage_or_module_takes(part: Part) -> None:
    v = part.value
    cages = {form for other in of("switch") + of("nic") for form in other.value("accepts")}
    connectors = {optic.value("connector") for optic in of("optic")}
    assert set(v("fits")) <= (connectors if part.kind == "cable" and not v("fixed_ends") else cages)
    assert v("media") in ("copper", "active-copper", "aoc", "multimode", "single-mode")
    if part.kind == "cable":
        assert max(v("lengths_m")) <= v("reach_m")
        assert sorted(v("lengths_m")) == v("lengths_m")
        assert v("ports") % v("far_ends") == 0
    else:
        assert v("polish") in ("apc", "upc")
        assert v("polish").upper() in v("connector")
        assert any(v("connector") in cable.value("fits") and v("media") == cable.value("media") for cable in of("cable"))
    if part.has("reach_split_m"):
        assert v("reach_split_m") <= v("reach_m")


def test_lanes_of_200g_have_no_passive_copper_and_no_multimode() -> None:
    fast = [part for part in of("optic") + of("cable") if part.value("generation") == 200]
    assert fast
    assert {part.value("media") for part in fast} == {"single-mode", "active-copper"}
    assert not any(part.value("downshift", False) for part in fast)


def test_every_cage_of_a_compute_port_has_an_optic() -> None:
    for system in of("system"):
        for row in system.value("nics"):
            card = CATALOGUE.get("nic", row["part"])
            if row["plane"] == "compute":
                fins = card.value("heatsink")
                found = [
                    optic.id
                    for optic in of("optic")
                    if set(optic.value("fits")) & set(card.value("accepts")) and optic.value("heatsink") == fins
                ]
                assert found, row


def test_storage_classes_grow_with_four_units() -> None:
    for part in of("storage"):
        assert part.value("su_read_gbytes_s") > part.value("su_write_gbytes_s")
        assert part.value("su4_read_gbytes_s") == 4 * part.value("su_read_gbytes_s")


def test_contradictions_name_figures_that_exist() -> None:
    assert [c.id for c in contradictions()] == [f"C{n:02d}" for n in range(1, 21)]
    assert [e.id for e in errata()] == [f"E{n}" for n in range(1, 9)]
    for found in contradictions():
        assert found.used
        for use in found.used:
            kind, _, part_id = use.part.partition("/")
            assert CATALOGUE.get(kind, part_id).figure(use.key), (found.id, use)


def test_notes_point_at_known_contradictions_and_errata() -> None:
    known = {c.id for c in contradictions()} | {e.id for e in errata()}
    pointed = {(part.id, key, ref) for part, key, f in figures() for ref in re.findall(r"\b([CE]\d{1,2})\b(?=[,)])", f.note)}
    assert len({ref for _, _, ref in pointed}) >= 12
    assert {ref for _, _, ref in pointed} <= known
