"""Any bytes give a requirement or problems, never a traceback; what is written is read back; damage is reported."""

from __future__ import annotations

import re
import string
from dataclasses import fields, is_dataclass
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from asbuilt.base.decode import MOST_PROBLEMS
from asbuilt.base.hosts import Hosts
from asbuilt.base.problem import ProblemError
from asbuilt.base.shape import Kind, Shape, shapes
from asbuilt.model.decode_requirement import canonical, decode, encode
from asbuilt.model.requirement import HOST, NAME, Requirement
from asbuilt.workflow import templates

TEXTS = {name: templates.text(name).encode() for name in templates.names()}
WORDS = ["gpus", "planes:", "- ", "[", "]", "{", "}", "&a ", "*a", "!!x ", "'", '"', "\t", "  ", "\n", ": ", "#", "|", ">"]
WORDS += ["---\n", "...", "<<: ", "0x", "1e9", ".nan", "~", "yes", "\x00", "\ufeff", "\u2028", "\u00a0", "%YAML", "? "]
WORDS += ["{rail}", "=", "\\", "\r"]


def told(data: bytes) -> Requirement | str:
    """The requirement, or the text of its problems, which must be well formed."""
    try:
        return decode(data, "cluster.yaml")
    except ProblemError as error:
        items = error.problems.items
        assert 0 < len(items) <= MOST_PROBLEMS + 1
        lines = data.decode("utf-8", "replace").count("\n") + data.count(b"\r") + 2
        for problem in items:
            assert re.fullmatch(r"REQ-\d{3}", problem.code) and problem.what and problem.place
            assert problem.place.file == "cluster.yaml" and 0 <= problem.place.line <= lines
        return error.problems.render()


@given(st.binary(max_size=300))
@example(b"[" * 100_000)
@example(b"{a: " * 50_000)
@example(b"- " * 100_000)
@example(b"a: &a [*a, *a]\nb: *a")
@example(b"\xff\xfe" + b"a\x00" * 10)
@example(b"gpus: " + b"9" * 100_000)
@example(b"x: '" + b"y" * 500_000)
@example(b"? " * 1000)
@example(b"!" * 5000)
@settings(max_examples=150, deadline=None)
def test_any_bytes(data: bytes) -> None:
    assert isinstance(told(data), str)


@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=5), max_size=30).map("".join))
@settings(max_examples=200, deadline=None)
def test_any_yaml_like_text(text: str) -> None:
    assert told(text.encode("utf-8", "surrogatepass")) is not None


@st.composite
def damaged(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A template and a copy with bytes cut out, doubled, or replaced by words that mean something to YAML."""
    whole = data = TEXTS[draw(st.sampled_from(sorted(TEXTS)))]
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 12)))
        patch = draw(st.sampled_from(WORDS).map(str.encode) | st.binary(max_size=4) | st.just(data[start:end] * 2))
        data = data[:start] + patch + data[end:]
    return whole, data


@given(damaged())
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_damaged_template_is_read_or_refused_with_reasons(pair: tuple[bytes, bytes]) -> None:
    answer = told(pair[1])
    if isinstance(answer, Requirement):
        assert decode(encode(answer).encode(), "again") == answer


@given(st.sampled_from(sorted(TEXTS)), st.data())
@settings(max_examples=80, deadline=None)
def test_a_misspelt_field_is_always_found(name: str, data: st.DataObject) -> None:
    """Renaming any key of a template gives a problem at exactly that line: nothing unknown is dropped."""
    lines = TEXTS[name].decode().split("\n")
    keys = [i for i, line in enumerate(lines) if re.match(r" *[a-z_]+:", line)]
    at = data.draw(st.sampled_from(keys))
    lines[at] = re.sub(r"([a-z_]+):", r"\1x:", lines[at], count=1)
    answer = told("\n".join(lines).encode())
    assert isinstance(answer, str) and f"cluster.yaml:{at + 1}:" in answer and "REQ-022 unknown field" in answer


NAMES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True)


def values(shape: Shape) -> st.SearchStrategy[Any]:
    """Values that a field may hold, from its shape alone."""
    if shape.kind is Kind.RECORD and shape.record is not None:
        return records(shape.record)
    if shape.kind is Kind.LIST and shape.item is not None:
        return st.lists(values(shape.item), min_size=shape.shortest or 0, max_size=min(shape.longest or 5, 5)).map(tuple)
    if shape.kind is Kind.NAMED and shape.item is not None:
        return st.dictionaries(NAMES, values(shape.item), max_size=2)
    if shape.kind is Kind.WORDS:
        return st.dictionaries(
            NAMES, st.text(string.printable[:95] + "äß°", min_size=1, max_size=20).filter(str.strip), max_size=3
        )
    if shape.choices:
        return st.sampled_from(shape.choices)
    if shape.kind is Kind.FLAG:
        return st.booleans()
    if shape.kind is Kind.WHOLE:
        return st.integers(int(shape.least or 0), int(shape.most or 99))
    if shape.kind is Kind.NUMBER:
        return st.floats(shape.least, shape.most, allow_nan=False)
    if shape.pattern:
        if shape.pattern in (NAME, HOST):
            return NAMES
        return st.from_regex(shape.pattern, fullmatch=True).filter(lambda text: "\n" not in text)
    return st.just("n{index}")


def records(record: type[Any]) -> st.SearchStrategy[Any]:
    parts = {}
    for shape in shapes(record):
        strategy = values(shape)
        parts[shape.name] = st.none() | strategy if shape.optional else strategy
    return st.builds(record, **parts)


@given(records(Requirement))
@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
def test_written_is_read_back(requirement: Requirement) -> None:
    """Structure round-trips for any value; rules between fields may still refuse, but only they."""
    text = encode(requirement)
    try:
        assert decode(text.encode(), "c.yaml") == requirement
    except ProblemError as error:
        assert all(problem.code >= "REQ-040" for problem in error.problems.items), error.problems.render()
    assert encode(requirement) == text and canonical(requirement) == canonical(_rebuilt(requirement))


def _rebuilt(value: Any) -> Any:
    """A copy made field by field."""
    if is_dataclass(value) and not isinstance(value, type):
        return type(value)(**{f.name: _rebuilt(getattr(value, f.name)) for f in fields(value)})
    return tuple(map(_rebuilt, value)) if isinstance(value, tuple) else value


@given(st.sets(st.from_regex(r"[a-z]{1,4}[0-9]{0,4}(-[a-z]{1,2}[0-9]{1,2})?", fullmatch=True), max_size=20))
@settings(max_examples=60, deadline=None)
def test_folded_hosts_unfold_to_the_same(names: set[str]) -> None:
    hosts = Hosts.fold(names)
    assert set(hosts) == names and Hosts.parse(str(hosts)) == hosts
