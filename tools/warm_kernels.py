"""Compiles the kernels once, so that the first large job does not wait for it. Called by ``make setup``."""

from __future__ import annotations

import sys


def main() -> int:
    import numpy as np

    from asbuilt.base.interning import distinct_numbers, texts_at
    from asbuilt.base.kernel import Engine
    from asbuilt.diagnose.ports import Slots

    Engine.mode = "numba"
    from asbuilt.parsers.ibnetdiscover import parse

    text = b'switchguid=0x10(10)\nSwitch\t1 "S-0000000000000010"\t\t# "leaf" enhanced port 0 lid 1 lmc 0\n'
    assert parse(text, "warm").tables["device_facts"].height == 1
    # The others take one kind of array each, whatever they are given.
    data, numbers = np.frombuffer(b"a\n", np.uint8), np.zeros(2, np.int64)
    distinct_numbers(np.zeros(2, np.uint64))
    texts_at(numbers, numbers + 1, data)
    Slots.over(1, (numbers, numbers))
    routing()
    host_tools()
    deployments()
    return 0


def host_tools() -> None:
    """The kernels that read counters, tables of ibdiagnet and NIC ports of many hosts."""
    from asbuilt.parsers import ibdiagnet_csv, ibstat_fast, perfquery_fast

    counters = b"$ perfquery -x -G 0x10 1\n# Port counters: Lid 1 port 1\nLinkDownedCounter:.....0\n"
    ports = b"n1: CA 'mlx5_0'\nn1: \tPort 1:\nn1: \t\tState: Active\nn1: \t\tLink layer: InfiniBand\n"
    table = b"START_PM_INFO\nNodeGUID,PortGUID,PortNumber,LinkDownedCounter\n0x1,0x1,1,0\nEND_PM_INFO\n"
    for facts in (perfquery_fast.parse(counters, "w", None, None, None), ibstat_fast.parse(ports, "w")):
        assert facts is not None and [facts.tables[name].height for name in facts.tables] == [1]
    assert ibdiagnet_csv.parse(table, "w").tables["counter_facts"].height == 1


def deployments() -> None:
    """The kernel of the schedule, on one package of an hour."""
    import numpy as np

    from asbuilt.decide.schedule import schedule

    one, none = np.ones(1, np.int64), np.zeros(1, np.int64)
    hours, empty = np.ones((1, 1)), np.zeros(0, np.int64)
    done = schedule(hours, hours, none, none, np.zeros(2, np.int64), empty, one, one, 8.0 * np.ones(1), one, 1)
    assert done.finish_h.tolist() == [[2.0]]


def routing() -> None:
    """The kernels of forwarding tables, on two leaves of two hosts under two spines: regular, and with a cable down."""
    import numpy as np
    import polars as pl

    from asbuilt.plan import routing_analysis as analysis
    from asbuilt.plan.forwarding import forwarding_of
    from asbuilt.plan.routing_fabric import HOST, Fabric
    from asbuilt.plan.routing_reroute import reroute, ways

    peer = np.array(
        [[-1, HOST, HOST - 1, 2, 3], [-1, HOST - 2, HOST - 3, 2, 3], [-1, 0, 1, -1, -1], [-1, 0, 1, -1, -1]], np.int32
    )
    far = np.array([[0, 1, 1, 1, 1], [0, 1, 1, 2, 2], [0, 3, 3, 0, 0], [0, 4, 4, 0, 0]], np.int32)
    keys, four = pl.Series(["a", "b", "c", "d"]), np.arange(4, dtype=np.int32)
    ids = four.astype(np.uint64)
    fabric = Fabric(
        tuple("wxyz"), ids, four + 1, np.array([0, 0, 1, 1], bool), peer, far, keys, ids + 9, ids + 9, four + 9,
        np.zeros(4, np.int32), np.array([0, 0, 1, 1], np.int32), np.array([1, 2, 1, 2], np.int32), np.ones(4, np.uint8),
    )  # fmt: skip
    preferred = ways(fabric)
    for one in (fabric, fabric.without(np.array([[0, 3]], np.int32))):
        for out in (forwarding_of(one).out, reroute(preferred, one).out):
            assert analysis.reach(one, out, only_hosts=True).looped.sum() == 0
            assert analysis.credit_loop(one, out) == (0, [])
            analysis.shift_loads(one, out, four[1:], four)


if __name__ == "__main__":
    sys.exit(main())
