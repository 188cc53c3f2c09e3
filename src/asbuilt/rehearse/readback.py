"""What is read back from a rehearsed subnet, with which questions, and the text that came.

Every text is one tool's transcript, as a fleet would write it: the same captures go to the parsers and checks of
verification, and to the twin's own plain readers for the equality report.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

from asbuilt.model.capture import Capture
from asbuilt.model.plan import Plan
from asbuilt.rehearse.managers import Manager
from asbuilt.rehearse.queries import Answer, Desk, silent, transcript
from asbuilt.rehearse.readers import cables, end_ports

#: Questions to one port, in the order in which they are asked: of a NIC, of a switch itself (its port 0), of a switch port.
PORT_QUERIES = ("nodeinfo", "portinfo", "pkeys", "sl2vl", "vlarb")
SWITCH_QUERIES = ("nodeinfo", "pkeys")
SWITCH_PORT_QUERIES = ("portinfo", "sl2vl", "vlarb")
#: Above this many LIDs, ibroute is asked without the name of every destination (one more question each).
NAMED_ROUTES = 2_000
BUSY_TIMES = 10
#: A simulator with eight clients on a busy machine now and then lets a question to a port pass its time.
PORT_TIMES = 3


@dataclass(frozen=True, slots=True)
class Readback:
    """The texts by tool, and the questions that nobody answered. ``ports`` of ``ports_all`` ports were asked one by one."""

    subnet: str
    texts: dict[str, bytes]
    silent: tuple[str, ...] = ()
    ports: int = 0
    ports_all: int = 0
    asked: int = 0

    def captures(self) -> tuple[Capture, ...]:
        """One capture per tool, the subnet as its subject."""
        return tuple(
            Capture(f"{tool}-{self.subnet}", data, tool.partition("@")[0], self.subnet) for tool, data in self.texts.items()
        )


def logs(managers: Sequence[Manager]) -> dict[str, bytes]:
    """What every manager logged and printed so far, as captures."""
    texts = {}
    for manager in managers:
        texts[f"opensm-log@{manager.number}"] = manager.log()
        texts[f"opensm-log@{manager.number}-out"] = manager.printed()
    return texts


def overview(desk: Desk, plan: Plan, subnet: str) -> Readback:
    """The whole fabric in few questions: discovery, links, managers."""
    lids = _manager_lids(plan, subnet)
    asked = desk.ask_all([("ibnetdiscover",), ("iblinkinfo",), *(("sminfo", str(lid)) for lid in lids)])
    texts = {"ibnetdiscover": asked[0].out, "iblinkinfo": asked[1].out, "sminfo": transcript(asked[2:])}
    return Readback(subnet, texts, silent(asked), asked=len(asked))


def tables(desk: Desk, plan: Plan, subnet: str) -> Readback:
    """What must not change when a manager does: discovery with its LIDs, partition tables, forwarding tables."""
    seen = desk.ask("ibnetdiscover")
    ends = [
        (lid, number, ("portinfo", "pkeys"))
        for lid, number, queries in _ports(plan, subnet, seen.out)
        if "pkeys" in queries and number
    ]
    entries, routes = _ask_ports(desk, ends), _ask_routes(desk, plan, subnet)
    texts = {"ibnetdiscover": seen.out, "smpquery": transcript(entries), "ibroute": transcript(routes)}
    return Readback(subnet, texts, silent([seen, *entries, *routes]), len(ends), len(ends), 1 + len(entries) + len(routes))


def everything(desk: Desk, plan: Plan, subnet: str, managers: list[Manager], most: int = 0) -> Readback:
    """The overview, and every end port, switch port and forwarding table one by one.

    With ``most`` at most that many ports are asked, spread evenly; the answer says how many of how many.
    """
    first = overview(desk, plan, subnet)
    ports = _ports(plan, subnet, first.texts["ibnetdiscover"])
    step = max(1, -(-len(ports) // most)) if most else 1
    chosen = ports[::step]
    answers = _ask_ports(desk, chosen)
    routes = _ask_routes(desk, plan, subnet)
    hosts = [desk.ask("ibstat", host=m.host) for m in managers]
    paths = _ask_patiently(desk, _path_questions(plan, subnet))
    texts = {
        **first.texts,
        # A question that failed says nothing; one that was answered by no record or row says that there is none.
        "smpquery": transcript([a for a in answers if a.code == 0]),
        "ibroute": transcript([a for a in routes if a.code == 0]),
        "saquery": transcript([a for a in paths if a.code == 0]),
        **{f"ibstat@{m.number}": _from_host(a, plan, subnet, m) for m, a in zip(managers, hosts, strict=True)},
    }
    quiet = first.silent + silent(answers) + silent(routes) + silent(hosts) + silent(paths)
    return Readback(
        subnet, texts, quiet, len(chosen), len(ports), first.asked + len(answers) + len(routes) + len(hosts) + len(paths)
    )


def _ask_ports(desk: Desk, ports: Sequence[tuple[int, int, tuple[str, ...]]]) -> list[Answer]:
    """The answers of all ports, port by port. One that does not answer the first question is asked no other."""
    first = _ask_patiently(desk, [("smpquery", q[0], str(lid), str(number)) for lid, number, q in ports], PORT_TIMES)
    answering = [port for port, answer in zip(ports, first, strict=True) if answer.code == 0]
    more = [("smpquery", q, str(lid), str(n)) for lid, n, queries in answering for q in queries[1:]]
    rest = iter(_ask_patiently(desk, more, PORT_TIMES))
    found = []
    for (_, _, queries), answer in zip(ports, first, strict=True):
        found.append(answer)
        if answer.code == 0:
            found += [next(rest) for _ in queries[1:]]
    return found


def _ask_patiently(desk: Desk, questions: Sequence[tuple[str, ...]], times: int = BUSY_TIMES) -> list[Answer]:
    """As `Desk.ask_all`; what was too busy to answer is asked again, ``times`` times at most."""
    found = desk.ask_all(questions)
    for _ in range(times):
        again = [i for i, answer in enumerate(found) if answer.code != 0]
        for index, answer in zip(again, desk.ask_all([questions[i] for i in again]), strict=True):
            found[index] = answer
    return found


def _ask_routes(desk: Desk, plan: Plan, subnet: str) -> list[Answer]:
    """The forwarding table of every switch, read from the switch."""
    words = ("ibroute",) if plan.table("lids").height <= NAMED_ROUTES else ("ibroute", "-n")
    return desk.ask_all([(*words, str(lid)) for lid in _switch_lids(plan, subnet)])


def _ports(plan: Plan, subnet: str, discovered: bytes) -> list[tuple[int, int, tuple[str, ...]]]:
    """(LID to ask, port number, questions): switches, NIC ports and aggregation nodes, then cabled switch ports."""
    import polars as pl

    rows = plan.table("lids").filter(pl.col("subnet") == subnet).sort("lid")
    by_guid = {guid: lid for guid, lid, number in rows.select("node_guid", "lid", "number").rows() if number == 0}
    seen = end_ports(discovered)
    ends = [
        (lid, number, PORT_QUERIES if number else SWITCH_QUERIES)
        for port_guid, lid, number in rows.select("port_guid", "lid", "number").rows()
        if (f"{int(port_guid, 16) - number:016x}", number) in seen
    ]
    wired = sorted({(by_guid[guid], port) for guid, port, _, _ in cables(discovered) if guid in by_guid})
    return ends + [(lid, port, SWITCH_PORT_QUERIES) for lid, port in wired]


def _switch_lids(plan: Plan, subnet: str) -> list[int]:
    import polars as pl

    rows = plan.table("lids").filter((pl.col("subnet") == subnet) & (pl.col("number") == 0))
    return [int(lid) for lid in rows["lid"].sort()]


def _manager_lids(plan: Plan, subnet: str) -> list[int]:
    """LIDs of the hosts of the managers, master first."""
    import polars as pl

    managers = plan.table("subnet_managers").filter(pl.col("subnet") == subnet).sort("number")
    joined = managers.join(plan.table("lids").select("port", "lid"), on="port", how="left", maintain_order="left")
    return [int(lid) for lid in joined["lid"]]


def _path_questions(plan: Plan, subnet: str) -> list[tuple[str, ...]]:
    """Path records that must be there and that must not be: per partition, one pair inside it and one across it."""
    firsts = partition_pairs(plan, subnet)
    return [("saquery", "-p", "--slid", str(a), "--dlid", str(b), "--pkey", f"0x{key:04x}") for a, b, key, _ in firsts]


def partition_pairs(plan: Plan, subnet: str) -> list[tuple[int, int, int, bool]]:
    """(source LID, destination LID, partition key with the membership bit, whether there must be a path).

    Inside: the first and the last full member of each partition. Across: a full member, and the first port of the subnet
    that is no member at all. A partition of fewer than two full members has no pair inside.
    """
    import polars as pl

    members = plan.table("partition_members").filter(pl.col("subnet") == subnet)
    lids = plan.table("lids").filter((pl.col("subnet") == subnet) & pl.col("nic").is_not_null()).select("port", "lid", "name")
    keys = plan.table("partitions").filter(pl.col("subnet") == subnet).select("partition", "pkey").sort("pkey")
    found = []
    for partition, key in keys.rows():
        mine = members.filter(pl.col("partition") == partition).join(lids, on="port", how="inner").sort("lid")
        full = mine.filter(pl.col("membership") == "full")["lid"].to_list()
        others = lids.filter(~pl.col("port").is_in(mine["port"].implode())).sort("lid")["lid"].to_list()
        if len(full) > 1:
            found.append((full[0], full[-1], key | 0x8000, True))
        if full and others:
            found.append((full[0], others[0], key | 0x8000, False))
    return found


def _from_host(answer: Answer, plan: Plan, subnet: str, manager: Manager) -> bytes:
    """What a host tool printed, behind the prompt of its host."""
    import polars as pl

    rows = plan.table("subnet_managers").filter((pl.col("subnet") == subnet) & (pl.col("number") == manager.number))
    host = rows["name"][0] if rows.height else "sm"
    return f"[root@{host} ~]# {' '.join(answer.words)}\n".encode() + answer.out
