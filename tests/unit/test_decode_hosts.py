"""Host name sets: folding, set arithmetic, and hostile names."""

from __future__ import annotations

import pytest

from asbuilt.base.hosts import HostNameError, Hosts


def test_folding_and_back() -> None:
    names = [f"node{i:04d}" for i in range(1, 49)]
    hosts = Hosts.fold(reversed(names))
    assert str(hosts) == "node[0001-0048]" and len(hosts) == 48 and list(hosts) == names
    assert Hosts.parse("node[0001-0048]") == hosts


def test_natural_order_and_padding_are_kept() -> None:
    assert list(Hosts.fold(["n10", "n2", "n1"])) == ["n1", "n2", "n10"]
    assert str(Hosts.fold(["n1", "n2", "n10"])) == "n[1-2,10]"
    assert set(Hosts.fold(["n01", "n1"])) == {"n01", "n1"}


def test_set_arithmetic() -> None:
    a, b = Hosts.parse("n[1-4]"), Hosts.parse("n[3-6]")
    assert str(a | b) == "n[1-6]" and str(a & b) == "n[3-4]" and str(a - b) == "n[1-2]"
    assert "n1" in a and "n5" not in a and str(a - a) == ""


@pytest.mark.parametrize(
    "name", ["", "a b", "a;b", "$(id)", "@all", "=cmd", "-rf", "a\nb", "a,b", "n[1-2]", "ü", "a'b", "x" * 254]
)
def test_hostile_names_are_refused(name: str) -> None:
    with pytest.raises(HostNameError):
        Hosts.fold([name])


@pytest.mark.parametrize(
    "pattern", ["n[1-", "n[3-1]", "n[0-99999999999]", "n[1-3000]x[1-3000]", "@all", "a,,b", "n[1]/2", "a b"]
)
def test_patterns_that_are_none_or_too_large(pattern: str) -> None:
    with pytest.raises(HostNameError):
        Hosts.parse(pattern)
