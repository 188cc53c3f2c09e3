"""Rules on `subnets` and `tenants`: ranges of LIDs, managers, keys, lanes."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import fields
from typing import TYPE_CHECKING

from asbuilt.base.decode import Path, spelled
from asbuilt.base.hosts import HostNameError, Hosts
from asbuilt.base.problem import Problem
from asbuilt.model.requirement import PLANE_NAMES, LidRanges, Subnet, Tenant
from asbuilt.model.requirement_sharing import DEFAULT_PKEY

if TYPE_CHECKING:
    from asbuilt.model.requirement_rules import Stated

#: Values of PortInfo (IBTA vol. 1, table PortInfo): operational lanes, MTU in bytes.
LANES = (1, 2, 4, 8, 15)
MTUS = (256, 512, 1024, 2048, 4096)


def subnet_rules(stated: Stated) -> Iterable[Problem]:
    """Problems REQ-070 … REQ-079."""
    for name, subnet in stated.value.subnets.items():
        path: Path = ("subnets", name)
        yield from _ranges(stated, path, subnet)
        yield from _managers(stated, path, subnet)
        yield from _values(stated, path, subnet)
        yield from _lmc(stated, name, subnet)
    yield from _tenant_names(stated)
    yield from _tenant_keys(stated)


def _ranges(stated: Stated, path: Path, subnet: Subnet) -> Iterable[Problem]:
    whole: list[tuple[int, int, str]] = []
    for role in (f.name for f in fields(LidRanges)):
        held, at = getattr(subnet.lid_ranges, role), (*path, "lid_ranges", role)
        if held is None:
            continue
        lacking = [word for word in ("first", "last") if getattr(held, word) is None]
        if lacking:
            what = f"`{spelled(at)}` has no `{lacking[0]}`"
            why = "a range that is dictated has two ends"
            yield stated.problem("REQ-070", at, what, why, f"add `{lacking[0]}: …`, or delete the range")
        elif held.first > held.last:
            what = f"`{spelled(at)}` runs from {held.first} to {held.last}"
            why = "a range ends behind where it begins"
            yield stated.problem("REQ-070", (*at, "first"), what, why, f"swap the two: first {held.last}, last {held.first}")
        else:
            whole.append((held.first, held.last, role))
    whole.sort()
    for (_, last, one), (first, _, two) in itertools.pairwise(whole):
        if first <= last:
            other = (*path, "lid_ranges", one)
            what = f"the range of `{two}` begins at {first}, inside that of `{one}`{stated.line(other)}, which ends at {last}"
            why = "a LID is given out once; two ports with one LID are both unreachable at times"
            fix = f"begin it at {last + 1} or later, or end `{one}` before {first}"
            yield stated.problem("REQ-071", (*path, "lid_ranges", two), what, why, fix)


def _managers(stated: Stated, path: Path, subnet: Subnet) -> Iterable[Problem]:
    hosts, priorities = subnet.sm_hosts, subnet.sm_priorities
    if hosts is not None and stated.has(*path, "sm_hosts"):
        twice = next((host for at, host in enumerate(hosts) if host in hosts[:at]), None)
        if twice is not None:
            what = f"{twice} is named twice as host of the subnet manager"
            why = "a standby on the master's host dies with it"
            yield stated.problem("REQ-072", (*path, "sm_hosts"), what, why, "name another host, or one only")
    if priorities is None or not stated.has(*path, "sm_priorities"):
        return
    count = len(hosts) if hosts is not None else 2
    if len(priorities) != count:
        told = f"{count} host{'s' if count > 1 else ''}"
        where = stated.line((*path, "sm_hosts")) if hosts is not None else ", the default"
        given = "one priority" if len(priorities) == 1 else f"{len(priorities)} priorities"
        what = f"{given} for {told} of the subnet manager{where}"
        why = "each host has one, in the order of sm_hosts"
        yield stated.problem("REQ-073", (*path, "sm_priorities"), what, why, f"give {count}, the master's first and highest")


def _values(stated: Stated, path: Path, subnet: Subnet) -> Iterable[Problem]:
    for field, allowed in (("max_vls", LANES), ("mtu_bytes", MTUS)):
        value = getattr(subnet, field)
        if value is not None and stated.has(*path, field) and value not in allowed:
            what = f"{value} is no value that a port can be set to"
            why = f"`{spelled((*path, field))}` is one of {', '.join(map(str, allowed))} (InfiniBand PortInfo)"
            near = min(allowed, key=lambda v: abs(v - value))
            yield stated.problem("REQ-074", (*path, field), what, why, f"write {near}")
    most = subnet.max_vls
    for plane in PLANE_NAMES[:4]:
        lane = getattr(subnet.lanes, plane)
        at = (*path, "lanes", plane, "virtual_lane")
        if most is not None and lane is not None and lane.virtual_lane is not None and lane.virtual_lane >= most:
            what = f"the {plane} plane is put on virtual lane {lane.virtual_lane}, but only {most} are in operation"
            why = f"lanes are counted from 0; `{spelled((*path, 'max_vls'))}` is {most}{stated.line((*path, 'max_vls'))}"
            yield stated.problem("REQ-075", at, what, why, f"use lane {most - 1} or lower, or raise max_vls")


def _lmc(stated: Stated, name: str, subnet: Subnet) -> Iterable[Problem]:
    for plane_name, plane in stated.planes():
        at: Path = ("planes", plane_name, "lmc")
        mine = (plane.subnet or plane.share or plane_name) == name
        if mine and subnet.lmc is not None and plane.lmc is not None and stated.has(*at) and plane.lmc != subnet.lmc:
            what = f"LID mask control {plane.lmc} for the {plane_name} plane, {subnet.lmc} for its subnet {name}"
            why = f"it holds for every port of a subnet{stated.line(('subnets', name, 'lmc'))}"
            yield stated.problem("REQ-076", at, what, why, "state it once")


def _tenant_names(stated: Stated) -> Iterable[Problem]:
    seen: dict[str, str] = dict.fromkeys((*PLANE_NAMES, "default"), "a partition that every plan has")
    for i, tenant in enumerate(stated.value.tenants):
        at: Path = ("tenants", i)
        if stated.has(*at, "name"):
            if tenant.name in seen:
                what = f"the tenant's name `{tenant.name}` is taken"
                why = f"partitions bear it, and it names {seen[tenant.name]}"
                yield stated.problem("REQ-077", (*at, "name"), what, why, "give the tenant a name of its own")
            seen.setdefault(tenant.name, f"tenants[{i}]")
        if stated.has(*at, "nodes"):
            problem = _no_hosts(stated, at, tenant)
            if problem is not None:
                yield problem


def _no_hosts(stated: Stated, at: Path, tenant: Tenant) -> Problem | None:
    try:
        Hosts.parse(tenant.nodes)
    except HostNameError as error:
        why = "a tenant is a set of hosts, written as clush and Slurm do"
        return stated.problem("REQ-078", (*at, "nodes"), str(error), why, "write for example node[0000-0015],node0020")
    return None


def _tenant_keys(stated: Stated) -> Iterable[Problem]:
    taken = {DEFAULT_PKEY: "the default partition"}
    for name, plane in stated.planes():
        if plane.pkey is not None and stated.has("planes", name, "pkey"):
            taken.setdefault(plane.pkey, f"the {name} plane{stated.line(('planes', name, 'pkey'))}")
    for i, tenant in enumerate(stated.value.tenants):
        at: Path = ("tenants", i, "pkey")
        if not stated.has(*at):
            continue
        if tenant.pkey in taken:
            what = f"partition key 0x{tenant.pkey:X} is that of {taken[tenant.pkey]}"
            why = "with one key the two reach each other"
            yield stated.problem("REQ-079", at, what, why, "choose a key that nothing else has")
        taken.setdefault(tenant.pkey, f"tenant {tenant.name}{stated.line(at)}")
