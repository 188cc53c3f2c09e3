"""Sizing: hand-checked answers, limits, derivations, storage, racks, and what is said of weak figures."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.catalogue.load import load
from asbuilt.design.fabric import count_plane
from asbuilt.design.racks import Device, pack
from asbuilt.design.resolve import resolve
from asbuilt.design.sizing import sizing
from asbuilt.model.design import SiteDesign, Sizing
from asbuilt.model.requirement import Cabling, Plane, Planes, Requirement, Site, Tier, Workload
from asbuilt.workflow.size import max_gpus_for_power, size

CATALOGUE = load()


def made(system: str, gpus: int, fabric: str | None = None, **more: object) -> Sizing:
    asked = Requirement(name="test", system=system, gpus=gpus, fabric=fabric, **more)  # type: ignore[arg-type]
    return sizing(resolve(asked, CATALOGUE), CATALOGUE)


def as_written() -> Planes:
    """The 384-GPU fabric as ordered: unsplit QM9700 leaves, four spines, storage on the same leaves."""
    compute = Plane(
        rails=4, link_gbps=200, oversubscription=1.5, leaf=Tier(split=False, uplinks=16, count=4), spine=Tier(count=4)
    )
    storage = Plane(technology="infiniband", rails=2, share="compute", separation="physical")
    return Planes(compute=compute, storage=storage)


def test_l40s_384_as_written() -> None:
    answer = made("l40s-8gpu", 384, planes=as_written())
    assert (answer.compute.leaf, answer.compute.spine) == (4, 4)
    assert (answer.links.node_leaf, answer.links.leaf_spine) == (192, 64)
    assert answer.planes["compute"]["oversubscription"] == 1.5
    assert answer.planes["storage"]["node_leaf"] == 0
    assert any("96 node links find no port" in warning for warning in answer.warnings)


def test_leaves_that_join_the_spines_of_another_plane() -> None:
    compute = Plane(nodes_per_leaf=64, oversubscription=1.5, leaf=Tier(uplinks=24), spine=Tier(count=4), service_at="spine")
    storage = Plane(nodes_per_leaf=64, share="compute", share_tier="spine", leaf=Tier(uplinks=8, count=2))
    answer = made("l40s-8gpu", 384, planes=Planes(compute=compute, storage=storage))
    assert (answer.planes["storage"]["leaf"], answer.planes["storage"]["leaf_spine"], answer.storage_switches) == (2, 16, 2)
    assert (answer.compute.spine, answer.links.service) == (4, 2)


def test_guests_of_the_spines_make_the_spines_more_when_nobody_dictates_them() -> None:
    storage = Plane(nodes_per_leaf=64, share="compute", share_tier="spine", leaf=Tier(uplinks=32, count=2))
    without = made("l40s-8gpu", 512)
    answer = made("l40s-8gpu", 512, planes=Planes(compute=Plane(nodes_per_leaf=64), storage=storage))
    assert without.compute.spine == 2
    assert answer.compute.spine == 4


def test_modules_of_a_leaf_with_odd_ports_and_shared_cages() -> None:
    """31 nodes and four UFM links on eight leaves: four leaves fill their sixteenth cage, four leave it half empty."""
    design = resolve(Requirement(name="t", system="dgx-h100", gpus=248), CATALOGUE)
    compute = design.plane("compute")
    assert compute is not None
    counted = count_plane(compute, design.planes)
    assert counted.modules == 8 * 16 + 8 * 16 + 4 * 32 + 4


def test_islands_are_whole_fabrics_side_by_side() -> None:
    one = made("dgx-h100", 40_960)
    two = made("dgx-h100", 2 * 40_960)
    more = made("dgx-h100", 40_960 + 8)
    assert (one.islands, two.islands, more.islands) == (1, 2, 2)
    assert two.compute.total == 2 * one.compute.total
    assert more.compute.total == one.compute.total + 8 + 4


def test_rounding_is_said() -> None:
    answer = made("dgx-h100", 1001)
    assert (answer.gpus_asked, answer.gpus, answer.nodes) == (1001, 1008, 126)
    assert any("rounded up to 1,008" in warning for warning in answer.warnings)


def test_limits_mark_where_the_answer_changes() -> None:
    marks = {m["id"]: m for m in made("dgx-h100", 760).limits}
    assert (marks["restripe"]["at_gpus"], marks["tier-3"]["at_gpus"], marks["island"]["at_gpus"]) == (1024, 2048, 40_960)
    assert not marks["tier-3"]["now"]
    for name, at in (("restripe", 1024), ("tier-3", 2048)):
        before, after = made("dgx-h100", at), made("dgx-h100", at + 8)
        if name == "tier-3":
            assert (before.compute.core, after.compute.core > 0) == (0, True)
        else:
            assert (before.compute.spine, after.compute.spine) == (16, 32)
    # 64 GPUs fill one switch, which then runs the subnet itself: nobody asked for ports to UFM.
    assert made("dgx-h100", 64).compute.total == 1 and made("dgx-h100", 72).compute.total > 1
    assert {m["id"]: m for m in made("dgx-h100", 8).limits}["tier-2"]["at_gpus"] == 64


@pytest.mark.parametrize(
    ("system", "gpus"), [("gb200-nvl72", 2304), ("dgx-h100", 8192), ("dgx-b300", 16_384), ("gb300-nvl72", 720)]
)
def test_restripe_marks_are_where_the_count_really_changes(system: str, gpus: int) -> None:
    marks = [m for m in made(system, gpus).limits if m["id"] == "restripe"]
    assert marks
    at = marks[0]["at_gpus"]
    unit = made(system, 8).gpus
    now, last, after = (made(system, n) for n in (gpus, at, at + unit))
    tier = "core" if "cores" in marks[0]["what"] else "spine"
    assert getattr(now.compute, tier) == getattr(last.compute, tier) < getattr(after.compute, tier)


def test_site_limits() -> None:
    marks = {m["id"]: m for m in made("dgx-h100", 1024, site=Site(power_mw=1.0, rack_power_kw=10.0)).limits}
    assert marks["site-power"]["now"] and marks["rack-site-kw"]["now"]
    assert marks["rack-kw"]["now"] and "10.2 kW" in marks["rack-kw"]["text"]
    liquid = {m["id"]: m for m in made("gb300-nvl72", 72, site=Site(cooling="air")).limits}
    assert liquid["liquid"]["now"] and liquid["floor"]["now"]
    mild = {m["id"]: m for m in made("l40s-8gpu", 384, site=Site(nodes_per_rack=2)).limits}
    assert not mild["rack-kw"]["now"]


def test_rack_power_decides_nodes_per_rack() -> None:
    assert size("dgx-h100", 1024, rack_power_kw=21.0).racks_by_role["compute"] == 64
    assert size("dgx-h100", 1024, nodes_per_rack=1).racks_by_role["compute"] == 128
    over = size("dgx-h100", 64, rack_power_kw=9.0)
    assert over.racks_by_role["compute"] == 8
    assert any("more than the rack" in warning for warning in over.warnings)


def test_most_gpus_for_a_site_are_exact() -> None:
    most = max_gpus_for_power("dgx-h100", 2.0, pue=1.4)
    assert size("dgx-h100", most, pue=1.4).facility_kw <= 2000 < size("dgx-h100", most + 8, pue=1.4).facility_kw
    assert max_gpus_for_power("gb300-nvl72", 0.05) == 0


def test_storage_follows_checkpoint_and_class() -> None:
    work = Workload(model_parameters_b=405, checkpoint_write_max_s=30, storage_tier="best", model_load_max_s=10)
    answer = made("dgx-h100", 256, workload=work)
    assert answer.storage_write_gbytes_s == pytest.approx(405 * 14 / 30, abs=0.05)
    assert answer.storage_read_gbytes_s == pytest.approx(125)
    small = made("dgx-h100", 8, workload=Workload(model_parameters_b=7))
    assert (small.storage_read_gbytes_s, small.storage_write_gbytes_s) == (8, 4)


def test_every_headline_figure_has_its_formula_and_sources() -> None:
    answer = made("gb200-nvl72", 1152)
    document = answer.as_json()
    for path in ("nodes", "racks", "switches.compute.leaf", "switches.total", "cables", "optics", "power.it_kw", "weight_kg"):
        entry = answer.derivation[path]
        assert entry["formula"] and entry["confidence"] in ("high", "medium", "low")
        at: object = document
        for step in path.split("."):
            assert isinstance(at, dict)
            at = at[step]
        assert at is not None
    power = answer.derivation["power.it_kw"]
    assert {s["what"] for s in power["sources"]} >= {"system/gb200-nvl72 unit_power_max_w", "switch/qm9700 power_max_w"}
    assert all(s["source"] for s in power["sources"])


def test_a_weak_figure_marks_what_hangs_on_it() -> None:
    answer = made("gb300-nvl72", 1152)
    assert answer.derivation["power.it_kw"]["confidence"] == "low"
    assert answer.derivation["cooling.liquid_kw"]["confidence"] != "low"
    assert any("switch/q3400-ra power_max_w" in warning for warning in answer.warnings)


def test_liquid_and_air_are_all_the_heat() -> None:
    answer = made("gb300-nvl72", 720)
    heat = 10 * 142.0 + (answer.it_kw - 10 * 142.0)
    assert answer.liquid_kw + answer.air_kw == pytest.approx(heat, rel=1e-4)
    assert answer.liquid_kw == pytest.approx(1278) and answer.coolant_l_min > 1200
    assert answer.cdus == 3, "the flow asks for two units of 1,200 L/min where the heat asks for one, and one is spare"
    assert made("dgx-h100", 1024).coolant_l_min == 0


def test_nvlink_domains() -> None:
    assert made("gb300-nvl72", 9216).nvlink_domains == 128
    assert made("dgx-h100", 1024).nvlink_domains == 128
    assert made("l40s-8gpu", 384).nvlink_domains == 0


def packed_one_by_one(runs: Sequence[tuple[Device, int]], site: SiteDesign) -> int:
    """Device by device, as a person would fill racks."""
    racks, u, w, kg = 0, 0.0, 0.0, 0.0
    for device, count in runs:
        for _ in range(count):
            full = (
                u + device.height_u > site.switch_u_per_rack
                or w + device.power_w > site.rack_power_kw * 1000
                or kg + device.weight_kg > site.rack_weight_kg - (site.rack_own_weight_kg or 0)
            )
            if racks == 0 or (full and u > 0):
                racks, u, w, kg = racks + 1, 0.0, 0.0, 0.0
            u, w, kg = u + device.height_u, w + device.power_w, kg + device.weight_kg
    return racks


@pytest.mark.parametrize("power_kw", [3.0, 10.0, 40.8])
def test_packing_runs_equals_packing_devices(power_kw: float) -> None:
    site = resolve(Requirement(name="t", system="dgx-h100", gpus=8, site=Site(rack_power_kw=power_kw)), CATALOGUE).site
    runs = [
        (Device(1, 1720, 14.8), 47),
        (Device(2, 820, 14.6), 9),
        (Device(1, 150, 7.4), 31),
        (Device(4, 4200, 75), 3),
        (Device(1, 0, 0), 6),
    ]
    assert pack(runs, site).racks == packed_one_by_one(runs, site)


def test_cabling_wishes_do_not_break_the_closed_form() -> None:
    assert made("dgx-h100", 256, cabling=Cabling(prefer="multimode")).optics == made("dgx-h100", 256).optics


def test_a_size_takes_about_five_milliseconds() -> None:
    """Printed, not asserted against the clock: only that it does not grow with the cluster."""

    def spent(gpus: int) -> float:
        best = 1.0
        for _ in range(5):
            start = time.perf_counter()
            size("dgx-h100", gpus)
            best = min(best, time.perf_counter() - start)
        return best

    spent(64)
    small, large = spent(1024), spent(1_048_576)
    print(f"size: {small * 1000:.2f} ms at 1,024 GPUs, {large * 1000:.2f} ms at 1,048,576")
    assert large < 10 * small


def test_unknown_site_field_is_a_problem() -> None:
    with pytest.raises(ProblemError, match="REQ-411"):
        size("dgx-h100", 64, pew=1.2)
