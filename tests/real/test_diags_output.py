"""What the real infiniband-diags print of a little fabric that the real OpenSM brought up: each line read, values as set."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import polars as pl
import pytest

from asbuilt.model.capture import Capture
from asbuilt.model.facts import FACT_TABLES, Facts
from asbuilt.parsers.tools import TOOLS
from asbuilt.rehearse.programs import LIBRARY, find
from asbuilt.rehearse.queries import Desk, transcript
from asbuilt.rehearse.rig import Rig
from asbuilt.rehearse.simulator import Simulator
from asbuilt.workflow.captures import facts_of, tool_of
from requirements_of_tests import need_program

pytestmark = pytest.mark.real
SCHEMAS = {schema.name: schema for schema in FACT_TABLES}
#: Nodes: name, node GUID, ports, and per port the far node and port. The GUID of a NIC port is that of its node + 1.
SWITCHES = {
    "leaf-1": (0x200000, {1: ("gpu001 mlx5_0", 1), 2: ("gpu002 mlx5_0", 1), 7: ("spine-1", 1), 8: ("spine-1", 2)}),
    "spine-1": (0x200010, {1: ("leaf-1", 7), 2: ("leaf-1", 8), 3: ("leaf-2", 7)}),
    "leaf-2": (0x200020, {1: ("sm-1 mlx5_0", 1), 2: ("sm-2 mlx5_0", 1), 7: ("spine-1", 3)}),
}
NICS = {"gpu001 mlx5_0": 0x100000, "gpu002 mlx5_0": 0x100010, "sm-1 mlx5_0": 0x100020, "sm-2 mlx5_0": 0x100030}
LIDS = {
    "sm-1 mlx5_0": 11,
    "sm-2 mlx5_0": 12,
    "gpu001 mlx5_0": 21,
    "gpu002 mlx5_0": 22,
    "leaf-1": 31,
    "leaf-2": 32,
    "spine-1": 33,
}
PORTS = 8
CONFIG = """routing_engine updn
honor_guid2lid_file TRUE
qos TRUE
qos_max_vls 4
qos_high_limit 4
qos_vlarb_high 1:192,2:128
qos_vlarb_low 0:64,1:64
qos_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3
partition_config_file {folder}/partitions.conf
dump_files_dir {folder}
log_file {folder}/opensm.log
force_log_flush TRUE
log_flags 0x43
sm_prioriti 3
"""
PARTITIONS = """Default=0x7fff, ipoib : ALL=limited, SELF=full, 0x100031=full ;
compute=0x0100, ipoib, sl=1, defmember=full : 0x100001=full, 0x100011=limited ;
"""
QUESTIONS = {
    "iblinkinfo": [("iblinkinfo",), ("iblinkinfo", "-d"), ("iblinkinfo", "-p")],
    "ibnodes": [("ibhosts",), ("ibswitches",), ("ibnodes",)],
    "sminfo": [("sminfo",), ("sminfo", "11"), ("sminfo", "99")],
    "ibroute": [("ibroute", "31"), ("ibroute", "-a", "32"), ("ibroute", "-n", "33"), ("ibroute", "-M", "31"), ("dump_lfts",)],
    "ibtracert": [("ibtracert", "21", "12"), ("ibtracert", "-n", "22", "21")],
    "smpquery": [
        *(("smpquery", "pkeys", str(LIDS[name]), "1") for name in NICS),
        ("smpquery", "-G", "pkeys", "0x100001", "1"),
        *(("smpquery", what, "31", "1") for what in ("portinfo", "pkeys", "sl2vl", "vlarb")),
        *(("smpquery", what, "33") for what in ("nodeinfo", "nodedesc", "switchinfo", "gi")),
        ("smpquery", "-D", "portinfo", "0", "1"),
        ("smpquery", "mepi", "21", "1"),
        ("smpquery", "pkeys", "99", "1"),
    ],
    "saquery": [
        ("saquery", "NR", "11"),
        ("saquery", "LR", "31"),
        ("saquery", "--src-to-dst", "11:12"),
        ("saquery", "--smkey", "0x1", "PKTR", "21"),
        ("saquery", "SL2VL", "21"),
        ("saquery", "VLAR", "21"),
        ("saquery", "PIR", "31/3"),
        ("saquery", "SMIR"),
        ("saquery", "-s"),
        ("saquery", "SWIR", "31"),
        ("saquery", "-g"),
        ("saquery", "-c"),
        ("saquery", "-D"),
    ],
}


def netlist() -> bytes:
    lines: list[str] = []

    def far(name: str, port: int) -> str:
        letter, guid = ("H", NICS[name]) if name in NICS else ("S", SWITCHES[name][0])
        own = f"({guid + port:x})" if name in NICS else ""
        return f'"{letter}-{guid:016x}"[{port}]{own}'

    for name, (guid, cables) in SWITCHES.items():
        lines += ["vendid=0x2c9", "devid=0xd2f2", f"sysimgguid=0x{guid:x}", f"switchguid=0x{guid:x}"]
        lines.append(f'Switch {PORTS} "S-{guid:016x}" # "{name}" enhanced port 0')
        lines += [f'[{port}] {far(*end)} # "{end[0]}" lid 0 4xHDR' for port, end in cables.items()]
        lines.append("")
    for name, guid in NICS.items():
        leaf, port = next((s, p) for s, (_, cables) in SWITCHES.items() for p, end in cables.items() if end[0] == name)
        lines += ["vendid=0x2c9", "devid=0x1021", f"sysimgguid=0x{guid:x}", f"caguid=0x{guid:x}"]
        lines += [
            f'Ca 1 "H-{guid:016x}" # "{name}"',
            f'[1]({guid + 1:x}) {far(leaf, port)} # lid 0 lmc 0 "{leaf}" lid 0 4xHDR',
            "",
        ]
    return "\n".join(lines).encode()


@pytest.fixture(scope="module")
def captures() -> Iterator[dict[str, bytes]]:
    names = {words[0] for questions in QUESTIONS.values() for words in questions}
    programs = {name: need_program(name) for name in (*names, "ibsim", "opensm", "ibnetdiscover")}
    programs |= find([LIBRARY])
    guids = {**{n: g for n, (g, _) in SWITCHES.items()}, **{n: g + 1 for n, g in NICS.items()}}
    with Rig() as rig:
        Simulator(rig, programs["ibsim"], netlist())
        folder = rig.folder
        (folder / "opensm.conf").write_text(CONFIG.format(folder=folder))
        (folder / "partitions.conf").write_text(PARTITIONS)
        (folder / "guid2lid").write_text("".join(f"0x{guids[n]:016x} 0x{lid:04x} 0x{lid:04x}\n\n" for n, lid in LIDS.items()))
        more = {
            "LD_PRELOAD": programs[LIBRARY],
            "SIM_HOST": "sm-1 mlx5_0",
            "OSM_CACHE_DIR": str(folder),
            "OSM_TMP_DIR": str(folder),
        }
        manager = rig.start("opensm", [programs["opensm"], "-F", str(folder / "opensm.conf")], rig.environment(**more))
        log = folder / "opensm.log"
        until = time.monotonic() + 30
        while time.monotonic() < until and b"SUBNET UP" not in (log.read_bytes() if log.exists() else b""):
            time.sleep(0.05)
        desk = Desk(rig, programs, programs[LIBRARY], "sm-1 mlx5_0")
        told = {}
        for tool, questions in QUESTIONS.items():
            answers = desk.ask_all(questions)
            told[tool] = transcript(answers)
            told[f"{tool} noise"] = b"\n".join(a.prompt + b"\n" + a.err + a.out for a in answers)
        told["ibroute lfts"] = (folder / "opensm-lfts.dump").read_bytes()
        told["ibroute fdbs"] = (folder / "opensm.fdbs").read_bytes()
        told["iblinkinfo lines"] = desk.ask("iblinkinfo", "-l").out
        told["ibnetdiscover"] = desk.ask("ibnetdiscover", "-p").out
        told["opensm-log"] = log.read_bytes()
        told["opensm-log out"] = manager.said()
        yield told


@pytest.fixture(scope="module")
def facts(captures: dict[str, bytes]) -> dict[str, Facts]:
    return {n: TOOLS[n.split()[0]].parse(Capture(n, data, n.split()[0])) for n, data in captures.items()}


def rows(facts: Facts, table: str, *columns: str) -> list[tuple[Any, ...]]:
    return facts.tables[table].select(columns).rows()


def guid(number: int) -> str:
    return f"{number:016x}"


def test_every_line_is_read(captures: dict[str, bytes], facts: dict[str, Facts]) -> None:
    for name, one in facts.items():
        account = one.accounts[name]
        counted = f"{account.total:>5} lines {account.facts:>5} facts {account.ignorable:>5} nothing {account.unread} unread"
        print(f"real: {name:<18} {counted}")
        assert account.balanced and account.unread == 0, (name, account.unread_lines)
        assert all(SCHEMAS[table].faults(frame) == [] for table, frame in one.tables.items()), name
        assert TOOLS[tool_of(Capture(name, captures[name]))].module == TOOLS[name.split()[0]].module
    merged = facts_of([Capture(name, data, name.split()[0]) for name, data in captures.items()])
    assert not [key for key in merged.details if key.startswith("unread:")]


def test_partitions_as_configured(facts: dict[str, Facts]) -> None:
    table = facts["smpquery"].tables["pkey_facts"].filter(pl.col("port") == 1)
    found: dict[Any, set[int]] = {}
    for who, lid, entry in table.select("guid", "lid", "entry").rows():
        found.setdefault(who or lid, set()).add(entry)
    assert found == {
        11: {0xFFFF},
        12: {0xFFFF},
        21: {0x7FFF, 0x8100},
        22: {0x7FFF, 0x0100},
        31: {0x7FFF, 0x8100},
        guid(0x100001): {0x7FFF, 0x8100},
    }
    assert {e for _, e in rows(facts["saquery"], "pkey_facts", "lid", "entry")} == {0x7FFF, 0x8100}


def test_lanes_as_configured(facts: dict[str, Facts]) -> None:
    lanes = facts["smpquery"].tables["sl2vl_facts"]
    assert lanes["lanes"].unique().to_list() == ["0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3"]
    assert lanes.select("lid", "port", "in_port").rows() == [(31, 1, i) for i in range(PORTS + 1)]
    entries = rows(facts["smpquery"], "vlarb_facts", "priority", "vl", "weight")
    assert [e for e in entries if e[2]] == [("low", 0, 64), ("low", 1, 64), ("high", 1, 192), ("high", 2, 128)]


def test_lids_names_and_managers(facts: dict[str, Facts]) -> None:
    assert set(rows(facts["ibnodes"], "name_facts", "guid", "description", "lid")) == {
        *((guid(g), name, LIDS[name]) for name, (g, _) in SWITCHES.items()),
        *((guid(g), name, None) for name, g in NICS.items()),
    }
    assert set(rows(facts["smpquery"], "name_facts", "lid", "description", "ports")) == {
        (33, "spine-1", None),
        (33, None, PORTS),
    }
    managers = rows(facts["sminfo"], "sm_facts", "lid", "guid", "state")
    assert managers == [(11, guid(0x100021), "master")] * 2
    assert set(rows(facts["saquery"], "sm_facts", "lid", "state", "listed")) == {(11, "master", False), (11, "master", True)}
    assert rows(facts["saquery"], "path_facts", "from_lid", "to_lid", "rate_gbps") == [(11, 12, 200.0)]


def test_links_as_cabled(facts: dict[str, Facts]) -> None:
    wanted = {
        (LIDS[name], port, LIDS[end[0]], end[1]) for name, (_, cables) in SWITCHES.items() for port, end in cables.items()
    }
    wanted |= {(b, q, a, p) for a, p, b, q in wanted}
    for name in ("iblinkinfo", "iblinkinfo lines"):
        table = facts[name].tables["port_facts"]
        up = table.filter(pl.col("peer_lid").is_not_null())
        assert set(up.select("lid", "port", "peer_lid", "peer_port").rows()) == wanted
        assert set(up.select("state", "phys_state", "width", "speed", "width_could").rows()) == {
            ("active", "linkup", 4, "HDR", 12)
        }
        names = {lid: n for n, lid in LIDS.items()}
        assert all(d == names[lid] for lid, d in table.select("lid", "description").rows())
        assert all(d == names[lid] for lid, d in up.select("peer_lid", "peer_description").rows())
        down = table.filter(pl.col("peer_lid").is_null())
        assert set(down.select("state", "phys_state").rows()) == {("down", "polling")} and down.height > 0


def test_routes_of_every_tool_are_the_same(facts: dict[str, Facts]) -> None:
    dump = set(rows(facts["ibroute lfts"], "lft_facts", "guid", "target", "out_port"))
    routed = facts["ibroute fdbs"].tables["lft_facts"].filter(pl.col("out_port") < 255)
    assert dump == set(routed.select("guid", "target", "out_port").rows())
    asked = facts["ibroute"].tables["lft_facts"].filter(pl.col("out_port") < 255)
    assert set(asked.select("guid", "target", "out_port").rows()) == dump
    assert len(dump) == len(SWITCHES) * len(LIDS)
    assert (guid(0x200000), 21, 1) in dump and (guid(0x200020), 32, 0) in dump
    hops = facts["ibtracert"].tables["path_facts"].filter(pl.col("to_lid") == 12).select("hop", "guid", "in_port").rows()
    leaf, spine, other = guid(0x200000), guid(0x200010), guid(0x200020)
    assert [h[:2] for h in hops] == [(0, guid(0x100000)), (1, leaf), (2, spine), (3, other), (4, guid(0x100031))]


def test_the_log_says_what_was_not_taken(facts: dict[str, Facts]) -> None:
    printed = rows(facts["opensm-log out"], "sm_log_facts", "what", "code")
    assert ("ignored", "Unrecognized token") in printed
    logged = rows(facts["opensm-log"], "sm_log_facts", "what", "code")
    assert ("subnet_up", "SUBNET UP") in logged and ("routing", "updn") in logged and ("handover", "MASTER") in logged
