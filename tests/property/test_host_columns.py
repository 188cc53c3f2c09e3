"""Large texts read by whole columns say what the line by line reading says, or leave it to that."""

from __future__ import annotations

from typing import Any, Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.base.kernel import Engine
from asbuilt.model.facts import Facts
from asbuilt.parsers import ibstat, ibstat_fast, perfquery, perfquery_fast
from text_edits import edited

FLEET = "".join(
    f"{host}: {line}\n"
    for host, k, up in (("n01", 0, True), ("n1", 0, False), ("gpu-7.x", 1, True), ("gpu-7.x", 2, True), ("head", 0, True))
    for line in (
        f"CA 'mlx5_{k}'", "\tCA type: MT4129", "\tNumber of ports: 2", "\tFirmware version: 28.39.1002",
        "\tHardware version: a0",
        f"\tNode GUID: 0x{k + 1:016x}", f"\tSystem image GUID: 0x{k + 5:016x}", "\tPort 1:",
        f"\t\tState: {'Active' if up else 'Initializing'}", "\t\tPhysical state: LinkUp",
        f"\t\tRate: {'400' if up else '40 (FDR10)'}",
        f"\t\tBase lid: {k + 3}", "\t\tLMC: 0", "\t\tSM lid: 1", "\t\tCapability mask: 0xa751e848",
        f"\t\tPort GUID: 0x{k if up else 0:016x}", f"\t\tLink layer: {'InfiniBand' if up else 'Ethernet'}",
        "\tPort 2:", "\t\tState: Down", "\t\tPhysical state: Polling", "\t\tRate: 10", "\t\tLink layer: InfiniBand",
    )
)  # fmt: skip
SWEEP = (
    "# Port counters: Lid 3 port 1 (CapMask: 0x1300)\nLinkDownedCounter:...............1\n# time: 2026-01-31T12:00:00Z\n"
    + "".join(
        f"[root@sm-1 ~]# perfquery -x {'-G 0x%016x' % (n + 9) if n % 2 else n + 1} {n + 1}\n"
        f"# Port extended counters: Lid {n + 1} port {n + 1} (CapMask: 0x5A00)\n"
        f"PortSelect:......................{n + 1}\nPortXmitData:....................{n * 99991}\n"
        f"VL15Dropped:.....................{n}\nXmtWait:.........................0x{n:x}\n\nibwarn: odd {n}\n"
        f"# time: 2026-01-31T12:0{n}:00+00:00\n"
        for n in range(6)
    )
)
SIGNS = [
    "",
    "\n",
    ":",
    "\t",
    " ",
    "0",
    "9",
    "x",
    "n1: ",
    "\n$ ls\n",
    "99999",
    ".",
    "-",
    "'",
    "\n# time: 2026-01-31T12:59:00Z\n",
    "\r",
    "\r\n",
]
EDITS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 3), st.sampled_from(SIGNS)), max_size=3)


ENGINES = st.sampled_from(["numpy", "numba"])


def by(engine: str, read: Callable[..., Any], *args: Any) -> Any:
    """``read`` with this engine of kernels."""
    Engine.mode, before = engine, Engine.mode
    try:
        return read(*args)
    finally:
        Engine.mode = before


def same(one: Facts, two: Facts) -> None:
    assert one.accounts == two.accounts and one.tables.keys() == two.tables.keys() and one.notes == two.notes
    for name, frame in one.tables.items():
        assert frame.equals(two.tables[name]), (frame, two.tables[name])


def test_clean_texts_are_read_by_columns() -> None:
    for engine in ("numpy", "numba"):
        fleet = by(engine, ibstat_fast.parse, FLEET.encode(), "c")
        sweep = by(engine, perfquery_fast.parse, SWEEP.encode(), "c", "h", None, None)
        assert fleet is not None and sweep is not None
        same(fleet, ibstat.parse(FLEET.encode(), "c"))
        same(sweep, perfquery.parse(SWEEP.encode(), "c", "h"))
        assert fleet.tables["hca_facts"].height == 10 and sweep.tables["counter_facts"].height == 19


@given(EDITS, ENGINES)
@settings(max_examples=300, deadline=None)
def test_a_damaged_fleet_reads_the_same(edits: list[tuple[float, int, str]], engine: str) -> None:
    data = edited(FLEET, edits)
    fast = by(engine, ibstat_fast.parse, data, "c")
    if fast is not None:
        same(fast, ibstat.parse(data, "c"))


@given(EDITS, st.sampled_from(["", "node7", "0x0002c90300000001", "node7@2026-01-31T11:00:00Z"]), ENGINES)
@settings(max_examples=300, deadline=None)
def test_a_damaged_sweep_reads_the_same(edits: list[tuple[float, int, str]], subject: str, engine: str) -> None:
    data = edited(SWEEP, edits)
    plain = perfquery.parse(data, "c", subject)
    host, time = (subject.partition("@")[0] or None, subject.partition("@")[2] or None)
    guid = host[2:] if host and host.startswith("0x") else None
    fast = by(engine, perfquery_fast.parse, data, "c", None if guid else host, guid, time)
    if fast is not None:
        same(fast, plain)


@given(st.integers(0, len(SWEEP)), ENGINES)
@settings(deadline=None)
def test_a_cut_sweep_reads_the_same(end: int, engine: str) -> None:
    data = SWEEP[:end].encode()
    fast = by(engine, perfquery_fast.parse, data, "c", None, None, None)
    if fast is not None:
        same(fast, perfquery.parse(data, "c"))


def test_two_counters_of_one_shape_and_other_digits_go_line_by_line() -> None:
    data = b"$ perfquery 3 1\n# Port counters: Lid 3 port 1\nVL15Dropped:....1\nVL16Dropped:....2\n"
    for engine in ("numpy", "numba"):
        assert by(engine, perfquery_fast.parse, data, "c", None, None, None) is None


LINES = st.lists(st.tuples(st.integers(0, 200), st.sampled_from(["gone", "twice", "blank", "swapped", "moved"])), max_size=3)


@given(LINES, ENGINES)
@settings(max_examples=300, deadline=None)
def test_a_fleet_with_lines_out_of_place_reads_the_same(edits: list[tuple[int, str]], engine: str) -> None:
    lines = FLEET.splitlines(keepends=True)
    for where, what in edits:
        at = where % len(lines)
        line = lines.pop(at)
        match what:
            case "twice":
                lines[at:at] = [line, line]
            case "blank":
                lines.insert(at, " " + line)
            case "swapped":
                lines.insert(at + 1, line)
            case "moved":
                lines.insert(where * 7 % len(lines), line)
    data = "".join(lines).encode()
    fast = by(engine, ibstat_fast.parse, data, "c")
    if fast is not None:
        same(fast, ibstat.parse(data, "c"))


def test_a_card_without_a_port_says_nothing() -> None:
    lone = "n77: CA 'mlx5_9'\nn77: \tCA type: MT4129\n"
    for engine in ("numpy", "numba"):
        for data in ((lone + FLEET).encode(), (FLEET + lone).encode()):
            fast = by(engine, ibstat_fast.parse, data, "c")
            assert fast is None and ibstat.parse(data, "c").accounts["c"].unread == 2


def test_lines_of_hosts_that_come_mixed() -> None:
    lines = FLEET.splitlines(keepends=True)
    mixed = "".join(x for pair in zip(lines[:22], lines[22:44], strict=True) for x in pair)
    for engine in ("numpy", "numba"):
        fast = by(engine, ibstat_fast.parse, mixed.encode(), "c")
        assert fast is not None
        same(fast, ibstat.parse(mixed.encode(), "c"))


def test_lines_that_end_as_on_windows() -> None:
    fleet, sweep = FLEET.replace("\n", "\r\n").encode(), SWEEP.replace("\n", "\r\n").encode()
    for engine in ("numpy", "numba"):
        fast = by(engine, ibstat_fast.parse, fleet, "c")
        assert fast is not None and fast.tables["hca_facts"].height == 10
        same(fast, ibstat.parse(fleet, "c"))
        fast = by(engine, perfquery_fast.parse, sweep, "c", None, None, None)
        assert fast is not None and fast.tables["counter_facts"].height == 19
        same(fast, perfquery.parse(sweep, "c"))
