"""Values, one by one: what a field accepts, and what it makes of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.base.scalar import Rejection, plain_type, read_number
from asbuilt.base.shape import Kind, Shape, shapes
from asbuilt.model.decode_requirement import canonical, decode, encode
from asbuilt.model.name_template import faults, longest_name
from asbuilt.model.requirement import Growth, NicPort, NodeMap, Plane, Planes, Requirement, Site

HEAD = "schema: requirement/v1\nname: pilot\nsystem: dgx-h100\ngpus: 256\n"
WHOLE = Shape("n", Kind.WHOLE)
NUMBER = Shape("x", Kind.NUMBER)


@pytest.mark.parametrize(("text", "value"), [("0", 0), ("384", 384), ("+8", 8), ("-3", -3), ("0x100", 256), ("0x7fff", 32767)])
def test_whole_numbers(text: str, value: int) -> None:
    read = read_number(text, True, WHOLE)
    assert read == value and type(read) is int


@pytest.mark.parametrize(("text", "value"), [("200", 200.0), ("1.5", 1.5), (".5", 0.5), ("2.", 2.0), ("1.0e+3", 1000.0)])
def test_numbers(text: str, value: float) -> None:
    read = read_number(text, True, NUMBER)
    assert read == value and type(read) is float


@pytest.mark.parametrize(
    ("text", "repair"),
    [
        ("0100", "write 100 if the decimal number is meant, 0x100 if the hexadecimal one"),
        ("1e3", "write 1000"),
        ("1_000_000", "write 1000000"),
        ("1,024", "write 1024"),
        ("10kW", "write 10"),
        ("2.0", "write 2"),
        ("0b11", "write 3"),
    ],
)
def test_odd_spellings_name_the_right_one(text: str, repair: str) -> None:
    read = read_number(text, True, WHOLE)
    assert isinstance(read, Rejection) and read.fix == repair


@pytest.mark.parametrize("text", ["qm9700", "550-server", "v1.2.3", "ubuntu-22.04", "a_b", "mlx5_0"])
def test_words_that_every_reader_takes_for_text(text: str) -> None:
    assert plain_type(text) == ""


@pytest.mark.parametrize(
    "text", ["yes", "Off", "n", "~", "", "null", "3", "0x1f", "5.10", "1e3", "12:30", "2024-01-31", ".inf", "1_0"]
)
def test_words_that_some_reader_takes_for_something_else(text: str) -> None:
    assert plain_type(text) != ""


def test_comments_spelling_and_order_do_not_change_the_requirement() -> None:
    one = decode(HEAD.encode() + b"planes:\n  compute: {pkey: 0x100, rails: 8}\n", "a")
    two = decode(b"\xef\xbb\xbf# c\r\ngpus: 256\r\nplanes:\r\n  compute:\r\n    rails: 8 # r\r\n    pkey: 256\r\n"
                 b"name: 'pilot'\r\nsystem: \"dgx-h100\"\r\nschema: requirement/v1\r\n", "b")  # fmt: skip
    assert one == two
    assert canonical(one) == canonical(two)


def test_canonical_bytes_do_not_depend_on_how_a_float_was_given() -> None:
    whole = Requirement("a", "b", 8, planes=Planes(compute=Plane(link_gbps=200)))
    assert canonical(whole) == canonical(replace(whole, planes=Planes(compute=Plane(link_gbps=200.0))))
    assert canonical(whole) != canonical(replace(whole, gpus=16))


def test_encode_writes_what_is_stated_and_nothing_else() -> None:
    requirement = Requirement(
        "pilot", "dgx-h100", 256,
        growth=Growth(gpus=512),
        planes=Planes(oob=Plane()),
        node=NodeMap(gpu_rails=(0, 1), nics=(NicPort("compute", "connectx-7-400", 1, socket=0),)),
        site=Site(pue=1.25, cords=("A", "B")),
        software={"driver": "550.90", "image": "no"},
    )  # fmt: skip
    assert encode(requirement) == (
        "schema: requirement/v1\nname: pilot\nsystem: dgx-h100\ngpus: 256\ngrowth:\n  gpus: 512\nplanes:\n  oob: {}\n"
        "node:\n  gpu_rails: [0, 1]\n  nics:\n"
        "    - plane: compute\n      part: connectx-7-400\n      rail: 1\n      socket: 0\n"
        'site:\n  pue: 1.25\n  cords: [A, B]\nsoftware:\n  driver: "550.90"\n  image: "no"\n'
    )


def test_problems_come_in_the_order_of_their_places() -> None:
    with pytest.raises(ProblemError) as caught:
        decode(b"schema: requirement/v1\nname: a\nsite:\n  feeds: 9\nsystem: b\ngpus: 1\nphases: 3\n", "c.yaml")
    assert [str(problem.place) for problem in caught.value.problems.items] == ["c.yaml:4:10", "c.yaml:6:7", "c.yaml:7:9"]


def test_a_value_at_fault_is_one_problem_and_breaks_no_rule() -> None:
    text = HEAD.replace("256", "many") + "growth:\n  gpus: 64\nphases:\n  - {name: a, gpus: 64}\n"
    with pytest.raises(ProblemError) as caught:
        decode(text.encode(), "c.yaml")
    assert [problem.code for problem in caught.value.problems.items] == ["REQ-025"]


def test_the_as_written_contradiction_is_left_to_the_design_checks() -> None:
    """Sharing switches while claiming physical separation can be stated; judging it needs the design."""
    text = HEAD + "planes:\n  storage:\n    share: compute\n    separation: physical\n    nic: connectx-6-dx\n"
    assert decode(text.encode(), "c.yaml").planes.storage == Plane(share="compute", separation="physical", nic="connectx-6-dx")


@pytest.mark.parametrize(
    ("template", "tier"),
    [
        ("IBLEAF-{rail:02d}-{rack:02d}", "leaf"),
        ("s{index}", "spine"),
        ("{plane}.core.{index:03d}", "core"),
        ("node{index:04d}", "node"),
    ],
)
def test_good_name_templates(template: str, tier: str) -> None:
    assert faults(template, tier) == []


def test_the_longest_name_is_what_the_limit_is_held_against() -> None:
    assert longest_name("L-{rail:02d}-{rack:02d}") == "L-15-99999"


def test_every_field_has_a_meaning_and_a_readable_shape() -> None:
    seen: list[type] = [Requirement]
    for record in seen:
        for shape in shapes(record):
            assert shape.meaning, f"{record.__name__}.{shape.name}"
            for inner in (shape, shape.item):
                if inner and inner.record and inner.record not in seen:
                    seen.append(inner.record)
    assert {Plane, NicPort, Site, Growth} <= set(seen)


def test_a_hint_that_cannot_be_decoded_is_refused_when_the_shape_is_made() -> None:
    from dataclasses import make_dataclass

    with pytest.raises(TypeError, match="cannot be decoded"):
        shapes(make_dataclass("Odd", [("x", complex)]))
    with pytest.raises(TypeError, match="union"):
        shapes(make_dataclass("Odd2", [("x", int | str)]))
