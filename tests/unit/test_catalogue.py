"""The catalogue's loader: lazy, cached, overridable from a user's folder, and never fooled by a file."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.base.origin import Confidence, Origin
from asbuilt.base.problem import ProblemError
from asbuilt.catalogue import schema
from asbuilt.catalogue.load import load
from asbuilt.catalogue.plain import plain_part
from asbuilt.catalogue.read import BYTES_MAX, read_part
from asbuilt.workflow.catalogue import is_own, open_catalogue, part_lines

RACK = """\
kind: rack
id: {id}
name: A rack of ours
figures:
  height_u: {{value: {height}, unit: U, source: our drawing 12, confidence: high, origin: declared}}
  width_mm: {{value: 600, unit: mm, source: our drawing 12, confidence: high}}
  depth_mm: {{value: 1200, unit: mm, source: our drawing 12, confidence: high}}
  load_max_kg: {{value: 1500, unit: kg, source: maker's sheet, confidence: medium, note: static}}
  weight_kg: {{value: 150, unit: kg, source: maker's sheet, confidence: medium}}
"""


def own_folder(base: Path, kind: str, part_id: str, text: str) -> Path:
    folder = base / "catalogue"
    (folder / kind).mkdir(parents=True, exist_ok=True)
    (folder / kind / f"{part_id}.yaml").write_text(text, encoding="utf-8")
    return folder


def test_feeders_and_cooling_take_different_figures() -> None:
    part = load().get("system", "dgx-h100")
    feeders, cooling = part.figure("power_max_w"), part.figure("heat_max_w")
    assert (feeders.value, feeders.unit, feeders.confidence) == (10200, "W", Confidence.HIGH)
    assert (cooling.value, cooling.unit) == (11300, "W")
    assert cooling.value / feeders.value == pytest.approx(38_557 * 0.29307 / 10_200, rel=1e-3)
    assert part.cite("heat_max_w").what == "system/dgx-h100 heat_max_w"


def test_a_card_that_speaks_ethernet_only_says_so() -> None:
    catalogue = load()
    assert catalogue.get("nic", "connectx-6-dx").value("link_types") == ["ethernet"]
    assert "infiniband" in catalogue.get("nic", "connectx-6-vpi").value("link_types")
    ids = [catalogue.get("nic", part).value("pci_device_id") for part in ("connectx-6-dx", "connectx-6-vpi")]
    assert ids == ["101d", "101b"]


def test_unstated_is_not_zero() -> None:
    part = load().get("system", "hgx-b200")
    assert not part.has("weight_kg")
    assert part.value("weight_kg") is None
    assert part.value("weight_kg", 5) == 5
    with pytest.raises(ProblemError) as caught:
        part.figure("weight_kgs")
    assert "CAT-003 system hgx-b200 does not state weight_kgs" in str(caught.value)


def test_the_same_part_is_read_once() -> None:
    assert load() is load()
    assert load().get("gpu", "l40s") is load().get("gpu", "l40s")


def test_a_part_of_ones_own_is_added_and_seen_as_own(tmp_path: Path) -> None:
    folder = own_folder(tmp_path, "rack", "our-rack", RACK.format(id="our-rack", height=45))
    catalogue = load([folder])
    part = catalogue.get("rack", "our-rack")
    assert part.value("height_u") == 45
    assert part.figure("height_u").origin is Origin.DECLARED
    assert part.figure("load_max_kg").note == "static"
    assert "our-rack" in catalogue.ids("rack")
    assert not load().has("rack", "our-rack")
    assert is_own(part)
    assert not is_own(catalogue.get("rack", "rack-48u"))
    assert part.file == str(folder / "rack" / "our-rack.yaml")


def test_a_part_of_ones_own_replaces_the_built_in_one(tmp_path: Path) -> None:
    folder = own_folder(tmp_path, "rack", "rack-48u", RACK.format(id="rack-48u", height=47))
    part = open_catalogue(tmp_path).get("rack", "rack-48u")
    assert part.value("height_u") == 47
    assert part.file == str(folder / "rack" / "rack-48u.yaml")
    assert load().get("rack", "rack-48u").value("height_u") == 48


def test_the_last_of_several_folders_wins(tmp_path: Path) -> None:
    first = own_folder(tmp_path / "a", "rack", "r", RACK.format(id="r", height=40))
    second = own_folder(tmp_path / "b", "rack", "r", RACK.format(id="r", height=41))
    assert load([first, second]).get("rack", "r").value("height_u") == 41
    assert load([second, first]).get("rack", "r").value("height_u") == 40


def test_a_project_without_a_catalogue_has_the_built_in_one(tmp_path: Path) -> None:
    assert open_catalogue(tmp_path) is load()
    assert open_catalogue() is load()


def test_nothing_is_read_until_it_is_asked_for(tmp_path: Path) -> None:
    folder = own_folder(tmp_path, "rack", "broken", "figures: [")
    catalogue = load([folder])
    assert catalogue.has("rack", "broken")
    assert catalogue.get("rack", "rack-48u").value("height_u") == 48
    with pytest.raises(ProblemError, match="CAT-005"):
        catalogue.get("rack", "broken")


def test_a_listing_tells_the_problems_of_all_files_at_once(tmp_path: Path) -> None:
    own_folder(tmp_path, "rack", "one", "kind: rack")
    folder = own_folder(tmp_path, "rack", "two", "[]")
    with pytest.raises(ProblemError) as caught:
        part_lines(load([folder]), "rack")
    files = {Path(p.place.file).name for p in caught.value.problems.items if p.place}
    assert files == {"one.yaml", "two.yaml"}


def test_a_key_of_ones_own_needs_its_unit(tmp_path: Path) -> None:
    line = "  x_door_mm: {value: 40, unit: mm, source: our drawing 12, confidence: high}\n"
    folder = own_folder(tmp_path, "rack", "r", RACK.format(id="r", height=40) + line)
    assert load([folder]).get("rack", "r").value("x_door_mm") == 40
    folder = own_folder(tmp_path, "rack", "r", RACK.format(id="r", height=40) + line.replace("unit: mm", "unit: cm"))
    with pytest.raises(ProblemError, match="CAT-009 x_door_mm has unit cm, its name says mm"):
        load([folder]).get("rack", "r")


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("power_max_w", "W"),
        ("inlet_c_max", "°C"),
        ("flow_l_min", "L/min"),
        ("unit_coolant_l_min", "L/min"),
        ("airflow_m3_h", "m³/h"),
        ("memory_bandwidth_tbytes_s", "TB/s"),
        ("rates_gbps", "Gb/s"),
        ("attenuation_db_km", "dB/km"),
        ("power_w_per_tb", "W/TB"),
        ("length_min_m", "m"),
        ("psus", None),
        ("asics", None),
        ("ports", None),
        ("form", None),
    ],
)
def test_the_name_says_the_unit(name: str, unit: str | None) -> None:
    assert schema.suffix_unit(name) == unit


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400) | st.text(alphabet="abkindfgures: {}[]-\n\"'#&*!|>0.\t", max_size=300).map(str.encode))
def test_any_bytes_are_a_part_or_a_problem(data: bytes) -> None:
    try:
        read_part(data, "x.yaml", "rack", "x")
    except ProblemError as error:
        assert all(p.code.startswith("CAT-") for p in error.problems.items)
        assert error.problems.render()


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 300_000,
        b"- " * 500_000,
        b"{a: " * 50_000,
        "".join(" " * i + "a:\n" for i in range(900)).encode(),
        b"a: &a [x]\nb: &b [*a, *a, *a]\nc: [*b, *b, *b]\n",
        b"x" * (BYTES_MAX + 1),
        b"kind: rack\x00",
        b"\xff\xfe",
    ],
    ids=["brackets", "dashes", "braces", "steps", "aliases", "huge", "nul", "utf-16"],
)
def test_hostile_files_are_refused_at_once(data: bytes) -> None:
    with pytest.raises(ProblemError) as caught:
        read_part(data, "x.yaml", "rack", "x")
    assert caught.value.problems.items[-1].code in ("CAT-004", "CAT-005")


def test_every_prefix_of_a_file_is_a_problem_or_the_whole() -> None:
    text = RACK.format(id="r", height=40)
    for end in range(0, len(text) - 60, 7):
        with pytest.raises(ProblemError):
            read_part(text[:end].encode(), "r.yaml", "rack", "r")


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(["system/dgx-h100", "switch/q3400-ra", "cable/mfp7e10-n"]),
    st.integers(0, 10**6),
    st.sampled_from(["", " ", "\n", ":", ": ", "#", " #", "'", '"', "[", "}", ",", "-", "~", "1", "no", "*a", ">-\n", "\t"]),
    st.integers(0, 3),
)
def test_the_quick_road_never_reads_what_the_checked_one_reads_otherwise(name: str, at: int, put: str, drop: int) -> None:
    kind, part_id = name.split("/")
    text = load().text(kind, part_id)
    at %= len(text)
    text = text[:at] + put + text[at + drop :]
    quick = plain_part(text, "x.yaml", kind, part_id)
    if quick is not None:
        with contextlib.suppress(ProblemError):  # refused by the checks, which only a built-in file is spared
            assert read_part(text.encode(), "x.yaml", kind, part_id) == quick
