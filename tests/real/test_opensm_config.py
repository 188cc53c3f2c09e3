"""The generated files in the real opensm on the simulator: it takes every line, and says so when it does not.

OpenSM runs on with a bad line and exits with 0, so its stdout and log are read for every word of one; each kind of bad
line is put in once, to see that it is caught.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Callable

import polars as pl
import pytest

from asbuilt.artefacts.netlist import netlist
from asbuilt.artefacts.opensm import opensm_files
from asbuilt.artefacts.opensm_conf import WRITABLE
from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.parsers import opensm_log
from asbuilt.workflow import templates
from asbuilt.workflow.plan import make_plan
from little_fabric import little_plan
from little_subnet import with_subnet
from real_subnet import bad_lines, managed, said, subnet
from requirements_of_tests import need_program

pytestmark = pytest.mark.real

LOGGING = {"force_log_flush": "TRUE", "accum_log_file": "FALSE", "log_flags": "0x47"}


@pytest.fixture(scope="module", autouse=True)
def programs() -> None:
    for name in ("opensm", "ibsim", "ibnetdiscover"):
        need_program(name)


def small() -> Plan:
    return with_subnet(little_plan(nodes=4, rails=2, switch="qm8700", nic="connectx-6-vpi", rate=200.0))


def files_in(plan: Plan, folder: Path, number: int = 0) -> dict[str, bytes]:
    home = str(folder / "sm")
    return opensm_files(plan, "ib0", home, number, log_file=f"{home}/opensm.log", dump_folder=home, overrides=LOGGING)


def host(plan: Plan, number: int = 0) -> str:
    """The node description of the port that a subnet manager is bound to."""
    port = plan.table("subnet_managers").filter(pl.col("number") == number)["port"][0]
    name = plan.table("lids").filter(pl.col("port") == port)["name"][0]
    assert isinstance(name, str)
    return name


def test_every_option_that_may_be_written_is_one_of_opensm(tmp_path: Path) -> None:
    done = subprocess.run(
        [need_program("opensm"), "-c", "defaults"], cwd=tmp_path, capture_output=True, timeout=30, check=False
    )
    assert (tmp_path / "defaults").exists(), done.stdout + done.stderr
    known = {line.split()[0] for line in (tmp_path / "defaults").read_text().splitlines() if line and line[0] != "#"}
    assert len(known) > 100
    assert WRITABLE - known == set()


def written(conf: bytes) -> dict[str, str]:
    lines = [line for line in conf.decode().splitlines() if line and not line.startswith("#")]
    return {line.split(" ", 1)[0]: line.split(" ", 1)[1] for line in lines}


def same_value(asked: str, echoed: str) -> bool:
    """Equal as numbers or texts. OpenSM cuts what it echoes at 127 characters (the value itself it keeps)."""
    try:
        return int(asked, 0) == int(echoed, 0)
    except ValueError:
        return asked == echoed or (len(echoed) > 60 and asked.startswith(echoed))


def loaded(text: str) -> dict[str, str]:
    """What opensm says that it loaded: the options whose value is not its default."""
    return dict(re.findall(r"Loading Cached Option:(\S+) = (.*)", text))


@pytest.mark.parametrize("number", [0, 1])
def test_the_384_gpu_example_is_taken_without_a_word(tmp_path: Path, number: int) -> None:
    plan = make_plan(decode(templates.text("l40s-384").encode(), "l40s-384"))
    plan = plan if plan.has("lids") else with_subnet(plan)
    files = files_in(plan, tmp_path, number)
    lids = plan.table("lids").filter(pl.col("subnet") == "ib0", pl.col("role") != "aggregation")
    with subnet(tmp_path, netlist(plan)["netlist/ib0.net"]) as where, managed(where, files, host(plan, number)) as text:
        assert "SUBNET UP" in text and bad_lines(text) == []
        assert "ftree tables configured on all switches" in text
        asked = written(files["opensm.conf"])
        got = loaded(text)
        assert {k for k, v in got.items() if not same_value(asked[k], v)} == set()
        assert {"guid", "sm_priority", "routing_engine", "partition_config_file", "root_guid_file", "qos"} <= set(got)
        seen = where.tool(host(plan, number), "ibnetdiscover", "--node-name-map", str(tmp_path / "sm/node-name-map"))
        answers = dict(re.findall(r'"[SH]-0*([0-9a-f]+)"\s+# "[^"]*" enhanced port 0 lid (\d+) lmc 0', seen))
        answers |= dict(re.findall(r"\(0*([0-9a-f]+)\)\s+\"S-\S+\s+# lid (\d+) lmc 0", seen))
        planned = {row[0].lstrip("0"): str(row[1]) for row in lids.select("port_guid", "lid").iter_rows()}
        assert answers == planned and len(planned) == 300
        leaf = plan.table("switches").filter(~pl.col("spare") & (pl.col("subnet") == "ib0"))["name"][0]
        assert f'# "{leaf}" enhanced port 0' in seen
        manager = plan.table("subnet_managers").filter(pl.col("number") == number).row(0, named=True)
        lid = lids.filter(pl.col("port") == manager["port"])["lid"][0]
        info = where.tool(host(plan, number), "sminfo")
        assert f"sm lid {lid} " in info and f"priority {manager['priority']} state 3 SMINFO_MASTER" in info
        check_partitions(plan, lambda *command: where.tool(host(plan, number), *command))


def check_partitions(plan: Plan, tool: Callable[..., str]) -> None:
    """The partition table of one port of each membership pattern is what the plan says, entry by entry."""
    members = plan.table("partition_members").filter(pl.col("subnet") == "ib0").sort("port", "index")
    tables = members.group_by("port", maintain_order=True).agg(pl.col("entry")).join(plan.table("lids"), on="port")
    for row in tables.filter(pl.col("nic").is_not_null()).unique("entry", keep="first").iter_rows(named=True):
        text = tool("smpquery", "pkeys", str(row["lid"]))
        entries = [int(e, 16) for e in re.findall(r"0x([0-9a-f]{4})", text) if int(e, 16)]
        assert sorted(entries) == sorted(row["entry"]), (row["port"], text[:300])


def noticed(home: Path) -> int:
    """How many lines of stdout and log the product's own parser takes for a bad sign."""
    signs = pl.col("what").is_in(["ignored", "fallback", "topology", "duplicate", "error"])
    texts = [(home / name).read_bytes() for name in ("stdout", "opensm.log")]
    return sum(opensm_log.parse(text, "c").tables["sm_log_facts"].filter(signs).height for text in texts)


Change = Callable[[dict[str, bytes]], object]


def put(name: str, old: str, new: str) -> Change:
    """A change of one file; the text that it replaces must be there."""

    def change(files: dict[str, bytes]) -> None:
        text, count = re.subn(old, new, files[name].decode(), count=1)
        assert count == 1
        files[name] = text.encode()

    return change


def drop(name: str) -> Change:
    return lambda files: files.pop(name)


BAD = {
    "an option with a typing mistake": (put("opensm.conf", "sm_priority", "sm_prioriti"), 'Unrecognized token: "sm_prioriti"'),
    "a member that is no GUID": (put("partitions.conf", "=full,", "Z=full,"), "bad PortGUID"),
    "a definition without colon": (put("partitions.conf", "rate=17 :", "rate=17"), "no partition definition found"),
    "a semicolon on its own line": (put("partitions.conf", " ; #[^\n]*", "\n;"), "no partition definition found"),
    "a flag that does not exist": (put("partitions.conf", "ipoib", "ippoib"), "unrecognized partition flag 'ippoib'"),
    "no partition file": (drop("partitions.conf"), "ERR AC14"),
    "a rule for a key that is not there": (put("qos-policy.conf", "0x0100", "0x0333"), "ERR AC14: pkey 0x0333"),
    "a policy without end": (put("qos-policy.conf", "end-qos-ulps", "end-qos"), "Error in QoS Policy File"),
    "no policy file": (drop("qos-policy.conf"), "ERR AC01"),
    "a short map of service levels": (put("opensm.conf", "qos_sl2vl .*", "qos_sl2vl 0,1,2"), "< 16 VLs listed"),
    "a weight that is no number": (put("opensm.conf", "1:192", "1:x"), "improperly formatted"),
    "a number that is none": (put("opensm.conf", "polling_retry_number 3", "polling_retry_number three"), "expected numeric"),
    "no root GUID file": (drop("root_guids"), "cannot parse root guids file"),
    "a root GUID that is none": (put("root_guids", "\n0x02", "\nzz02"), "cannot parse root guids file"),
    "a root that is not in the fabric": (put("root_guids", "\n0x02", "\n0x03"), "ERR AB24"),
    "no list of compute ports": (drop("cn_guids"), "falling back to default routing"),
    "a routing engine that does not exist": (
        put("opensm.conf", " ftree", " fftree"),
        "Failed to setup routing engine 'fftree'",
    ),
    "no map of names": (drop("node-name-map"), "failed to open node name map"),
    "a LID past unicast": (put("guid2lid", "0x0064 0x0064", "0xffff 0xffff"), "ERR 0311"),
    "a LID given twice": (put("guid2lid", "0x0064 0x0064", "0x0065 0x0065"), "previously used"),
}


@pytest.mark.parametrize("kind", BAD)
def test_each_kind_of_bad_line_is_caught_though_opensm_runs_on(tmp_path: Path, kind: str) -> None:
    change, word = BAD[kind]
    plan = small()
    files = files_in(plan, tmp_path)
    change(files)
    with subnet(tmp_path, netlist(plan)["netlist/ib0.net"]) as where, managed(where, files, host(plan)) as text:
        assert "SUBNET UP" in text
        assert any(word in line for line in bad_lines(text)), text
        assert noticed(tmp_path / "sm") > 0


def test_the_same_small_subnet_without_a_bad_line_is_taken(tmp_path: Path) -> None:
    plan = small()
    with subnet(tmp_path, netlist(plan)["netlist/ib0.net"]) as where:
        with managed(where, files_in(plan, tmp_path), host(plan)) as text:
            assert "SUBNET UP" in text and bad_lines(text) == []
        assert bad_lines(said(tmp_path / "sm")) == [] and noticed(tmp_path / "sm") == 0
