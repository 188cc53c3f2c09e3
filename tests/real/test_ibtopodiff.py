"""ibutils as witness: `ibtopodiff` and asbuilt on the same plan and the same fabric, `ibdmchk` on the plan alone.

Debian's ibtopodiff writes 19 bytes into 18 and is stopped by its own checks; a shim that takes the check away lets its
edge mode (-e) run. OpenSM's list of links is rewritten for it: adapters as ``<host> HCA-<n>``, every speed as 10G.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Callable

import polars as pl
import pytest

from asbuilt.artefacts.ibutils import topo
from asbuilt.artefacts.netlist import netlist
from asbuilt.artefacts.opensm import opensm_files
from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Verdict, Verification
from asbuilt.parsers import ibnetdiscover
from asbuilt.workflow import templates
from asbuilt.workflow.compare import compare
from asbuilt.workflow.plan import make_plan
from little_fabric import little_plan
from little_subnet import with_subnet
from netlist_faults import Cables, read
from real_subnet import managed, subnet
from requirements_of_tests import need_program

pytestmark = pytest.mark.real

SHIM = """#include <stdarg.h>
#include <stdio.h>
int __sprintf_chk(char *to, int flag, size_t room, const char *form, ...) {
  va_list rest; int n; (void)flag; (void)room;
  va_start(rest, form); n = vsprintf(to, form, rest); va_end(rest); return n; }
"""
LOGGING = {"force_log_flush": "TRUE", "accum_log_file": "FALSE", "log_flags": "0x43"}


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shim")
    (folder / "shim.c").write_text(SHIM)
    command = [need_program("gcc"), "-shared", "-fPIC", "-O1", "-o", "shim.so", "shim.c"]
    subprocess.run(command, cwd=folder, check=True, timeout=60)
    return folder / "shim.so"


@pytest.fixture(scope="module", autouse=True)
def programs() -> None:
    for name in ("opensm", "ibsim", "ibnetdiscover", "ibtopodiff", "ibdmchk"):
        need_program(name)


def small() -> Plan:
    return with_subnet(little_plan(nodes=8, rails=4, spines=2, switch="qm8700", nic="connectx-6-vpi", rate=200.0))


def large() -> Plan:
    plan = make_plan(decode(templates.text("l40s-384").encode(), "l40s-384"))
    return plan if plan.has("lids") else with_subnet(plan)


def written(plan: Plan, folder: Path) -> Path:
    (folder / "ibutils").mkdir()
    for name, data in topo(plan).items():
        (folder / name).write_bytes(data)
    return folder / "ibutils"


def units(folder: Path) -> dict[str, str]:
    """Node description -> ``<host> HCA-<n>``, from the names beside the topology."""
    rows = [line.split("\t") for line in (folder / "ib0.names.tsv").read_text().splitlines()[1:]]
    return {name: f"{host} HCA-{unit.removeprefix('U')}" for host, unit, name in rows}


def measured(plan: Plan, cables: Cables, folder: Path) -> tuple[str, bytes]:
    """(OpenSM's list of links as ibtopodiff takes it, ibnetdiscover's dump) of one fabric under one subnet manager."""
    port = plan.table("subnet_managers")["port"][0]
    host = plan.table("lids").filter(pl.col("port") == port)["name"][0]
    home = str(folder / "sm")
    files = opensm_files(plan, "ib0", home, log_file=f"{home}/opensm.log", dump_folder=home, overrides=LOGGING)
    with subnet(folder, cables.text()) as where, managed(where, files, host) as text:
        assert "SUBNET UP" in text
        dump = "\n".join(x for x in where.tool(host, "ibnetdiscover").splitlines() if not x.startswith("ibwarn"))
    names = units(folder / "ibutils")
    found = (folder / "sm" / "opensm-subnet.lst").read_text()
    found = re.sub(r"\{([^{}]*)\} LID", lambda m: f"{{{names.get(m[1], m[1])}}} LID", found)
    return re.sub(r"SPD=\S+", "SPD=10", found), dump.encode() + b"\n"


def difference(folder: Path, found: str, shim: Path) -> str:
    (folder / "found.lst").write_text(found)
    environment = {**os.environ, "IBDM_IBNL_PATH": str(folder / "ibutils"), "LD_PRELOAD": str(shim)}
    command = [need_program("ibtopodiff"), "-e", "-t", "ibutils/ib0.topo", "-d", "found.lst"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0
    return done.stdout.decode()


def links_by_end(plan: Plan, folder: Path) -> dict[str, str]:
    """Every end as ibutils writes it (``LEAF-01/P3``, ``gpu002/U1/P1``) -> natural key of the planned link."""
    hosts = {name: unit.replace(" HCA-", "/U") for name, unit in units(folder / "ibutils").items()}
    ends = {}
    for link, a_name, a_port, b_name, b_port in plan.links.select("link", "a_name", "a_port", "b_name", "b_port").iter_rows():
        ends[f"{a_name}/P{a_port}"] = link
        ends[f"{hosts.get(b_name, b_name)}/P{b_port}"] = link
    return ends


def blamed(text: str, ends: dict[str, str]) -> set[str]:
    """The planned links that ibtopodiff finds fault with."""
    found = set(re.findall(r"Mismatch: port:? ?(\S+) should be", text))
    found |= set(re.findall(r"should be connected to:(\S+) but", text))
    for pair in re.findall(r"Missing cable between (\S+) and (\S+)", text):
        found |= set(pair)
    found |= {f"{host}/P1" for host in re.findall(r"Missing Topology Host CA (\S+) does not", text)}
    found |= set(re.findall(r"Wrong link width on:(\S+)\. Expected", text))
    return {ends[end] for end in found}


def faulty(verification: Verification) -> set[str]:
    """The planned links that asbuilt finds fault with."""
    return {subject for f in verification.findings if f.verdict is Verdict.FAIL for subject in f.subjects}


#: name -> (the fault, how many links are wrong).
FAULTS: dict[str, tuple[Callable[[Cables], Cables], int]] = {
    "healthy": (lambda c: c, 0),
    "host cable pulled": (lambda c: c.pulled("LEAF-02", 3), 1),
    "uplink pulled": (lambda c: c.pulled("LEAF-02", 9), 1),
    "two rails of a node swapped": (lambda c: c.swapped(("LEAF-01", 3), ("LEAF-02", 3)), 2),
    "two nodes swapped on a leaf": (lambda c: c.swapped(("LEAF-03", 2), ("LEAF-03", 5)), 2),
    "two uplinks swapped": (lambda c: c.swapped(("LEAF-01", 9), ("LEAF-02", 11)), 2),
    "cable in the port of a neighbour": (lambda c: c.pulled("LEAF-04", 8).moved("LEAF-04", 7, 8), 2),
    "one lane of four": (lambda c: c.narrowed("LEAF-03", 4), 1),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_both_blame_the_same_links(tmp_path: Path, shim: Path, fault: str) -> None:
    plan = small()
    written(plan, tmp_path)
    change, count = FAULTS[fault]
    found, dump = measured(plan, change(read(netlist(plan)["netlist/ib0.net"])), tmp_path)
    text = difference(tmp_path, found, shim)
    theirs = blamed(text, links_by_end(plan, tmp_path))
    ours = faulty(compare(plan, ibnetdiscover.parse(dump, "c")))
    assert theirs == ours and len(ours) == count
    matching = re.search(r"Total of (\d+) ports match", text)
    cables_wrong = 0 if fault == "one lane of four" else count
    assert matching and int(matching[1]) == 2 * (plan.links.height - cables_wrong)


def exchanged(cables: Cables, ports: range) -> Cables:
    """The cables at the same ports of the first two leaves change places."""
    for port in ports:
        cables = cables.swapped(("LEAF-01", port), ("LEAF-02", port))
    return cables


@pytest.mark.parametrize(("ports", "theirs", "ours", "matching"), [(range(1, 9), 8, 16, 80), (range(1, 13), 0, 24, 96)])
def test_a_whole_exchange_of_leaves_is_where_they_differ(
    tmp_path: Path, shim: Path, ports: range, theirs: int, ours: int, matching: int
) -> None:
    """ibtopodiff calls a switch by what is plugged into it: it blames the uplinks, or nothing at all (docs/ibtopodiff.md)."""
    plan = small()
    written(plan, tmp_path)
    found, dump = measured(plan, exchanged(read(netlist(plan)["netlist/ib0.net"]), ports), tmp_path)
    text = difference(tmp_path, found, shim)
    assert len(blamed(text, links_by_end(plan, tmp_path))) == theirs and f"Total of {matching} ports match" in text
    wrong = faulty(compare(plan, ibnetdiscover.parse(dump, "c")))
    assert wrong == {f"link:sw:compute/leaf-000-{leaf}/{port}" for leaf in (0, 1) for port in ports} and len(wrong) == ours


def test_both_agree_on_the_384_gpu_example(tmp_path: Path, shim: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = large()
    written(plan, tmp_path)
    members = plan.table("switches").filter(pl.col("subnet") == "ib0")["switch"]
    links = plan.links.filter(pl.col("a_device").is_in(members.implode()))
    leaf = links.filter(pl.col("kind") == "node_leaf").sort("link")["a_name"][0]
    cables = read(netlist(plan)["netlist/ib0.net"]).swapped((leaf, 1), (leaf, 2))
    found, dump = measured(plan, cables, tmp_path)
    text = difference(tmp_path, found, shim)
    verification = compare(plan, ibnetdiscover.parse(dump, "c"))
    failed = [f for f in verification.findings if f.id == "FAB-001" and f.verdict is Verdict.FAIL]
    wrong = {subject for f in failed for subject in f.subjects}
    assert blamed(text, links_by_end(plan, tmp_path)) == wrong and len(wrong) == 2
    assert f"Total of {2 * (links.height - 2)} ports match" in text
    with capsys.disabled():
        print(f"\nreal: ibtopodiff and asbuilt blame the same 2 of {links.height} links of l40s-384")


@pytest.mark.parametrize("plan", [small, large], ids=["small", "l40s-384"])
def test_the_planned_topology_has_no_credit_loop(tmp_path: Path, plan: Callable[[], Plan]) -> None:
    made = plan()
    folder = written(made, tmp_path)
    anchor = units(folder)
    host, unit = next(iter(anchor.values())).split(" HCA-")
    command = [need_program("ibdmchk"), "-t", str(folder / "ib0.topo"), "-n", f"{host}/U{unit}", "-p", "1"]
    environment = {**os.environ, "IBDM_IBNL_PATH": str(folder)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, timeout=60, check=False)
    text = done.stdout.decode()  # the exit status says nothing: it prints the whole result and then falls over
    assert "no credit loops found" in text and "-E-" not in text
    assert f"Scanned:{len(anchor) * (len(anchor) - 1)} CA to CA paths" in text
    hops = re.search(r"MIN HOP HISTOGRAM.*?HOPS NUM-CA-CA-PAIRS\n((?:\s+\d+\s+\d+\n)+)", text, re.S)
    assert hops and sum(int(line.split()[1]) for line in hops[1].splitlines()) == len(anchor) * (len(anchor) - 1)
