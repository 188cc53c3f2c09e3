"""Every open sample of the fabric's tools: each line accounted for, the count printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from asbuilt.model.capture import Capture
from asbuilt.model.facts import FACT_TABLES
from asbuilt.parsers.tools import TOOLS
from asbuilt.workflow.captures import tool_of

pytestmark = pytest.mark.field
SCHEMAS = {schema.name: schema for schema in FACT_TABLES}
#: Folder of samples -> the tool that reads it.
KINDS = {
    "iblinkinfo": "iblinkinfo",
    "ibhosts-ibswitches": "ibnodes",
    "ibnetdiscover-p": "ibnetdiscover",
    "ibroute": "ibroute",
    "ibtracert": "ibtracert",
    "saquery": "saquery",
    "sminfo": "sminfo",
    "smpquery": "smpquery",
}
#: What each sample must tell: rows by table. A sample with no row here tells nothing that is read.
ROWS = {
    "ddr-direct-connect.txt": {"port_facts": 2},
    "mlx4-is5035-cut.txt": {"port_facts": 2},
    "qdr-4hosts-36port.txt": {"port_facts": 40},
    "qdr-ibhosts.txt": {"name_facts": 4},
    "qdr-ibnodes.txt": {"name_facts": 5},
    "sb7700-quoted.txt": {"name_facts": 1},
    "exporter-ports-report-edr.txt": {"port_facts": 9},
    "exporter-ports-report-hdr-sharp.txt": {"port_facts": 6},
    "ibsim-8ca.txt": {"port_facts": 8},
    "unicast-ibsim-head.txt": {"lft_facts": 8},
    "leaf-spine-leaf-ibsim.txt": {"path_facts": 5},
    "failover-pair-ibsim.txt": {"sm_facts": 3},
    "ib-master-lid15.txt": {"sm_facts": 1},
    "lid37.txt": {"sm_facts": 1},
    "other-master-ufm-log.txt": {"sm_facts": 2},
    "pkeytable-default-partition.txt": {"pkey_facts": 5},
    "pkeytable-two-tenants.txt": {"pkey_facts": 9},
    "portinfo-grep-ibsim.txt": {"port_facts": 1},
}


def samples(field: Path) -> list[tuple[str, Path]]:
    return [(tool, path) for kind, tool in KINDS.items() for path in sorted((field / "samples" / kind).iterdir())]


def test_every_line_of_every_sample_is_read(field: Path) -> None:
    files = samples(field)
    print(f"\nfield: {len(files)} of {len(files)} files of {len(KINDS)} kinds")
    print(f"{'file':<56}{'lines':>7}{'facts':>7}{'nothing':>8}{'unread':>7}  rows")
    totals = [0, 0, 0, 0]
    for tool, path in files:
        capture = Capture(path.name, path.read_bytes(), tool)
        facts = TOOLS[tool].parse(capture)
        account = facts.accounts[path.name]
        counted = [account.total, account.facts, account.ignorable, account.unread]
        totals = [a + b for a, b in zip(totals, counted, strict=True)]
        told = {name: table.height for name, table in facts.tables.items()}
        shown = ", ".join(f"{name} {n}" for name, n in told.items())
        print(
            f"{path.parent.name + '/' + path.name:<56}"
            + "".join(f"{n:>{w}}" for n, w in zip(counted, (7, 7, 8, 7), strict=True)),
            shown,
        )
        assert account.balanced and account.unread == 0, (path, account.unread_lines)
        assert {name: n for name, n in told.items() if name not in ("device_facts", "link_facts")} == ROWS.get(path.name, {})
        for name, table in facts.tables.items():
            assert SCHEMAS[name].faults(table) == [], path
    print(f"{'all':<56}" + "".join(f"{n:>{w}}" for n, w in zip(totals, (7, 7, 8, 7), strict=True)))


def test_the_tool_of_every_sample_is_known_by_its_text(field: Path) -> None:
    for tool, path in samples(field):
        assert TOOLS[tool_of(Capture(path.name, path.read_bytes()))].module == TOOLS[tool].module, path


def test_values_of_quirks(field: Path) -> None:
    def table(kind: str, name: str, which: str) -> list[dict[str, object]]:
        path = field / "samples" / kind / name
        return TOOLS[KINDS[kind]].parser().parse(path.read_bytes(), "c").tables[which].to_dicts()

    routes = table("ibroute", "unicast-ibsim-head.txt", "lft_facts")
    assert (routes[0]["lid"], routes[0]["target"], routes[0]["out_port"]) == (4, 1, 30)
    links = table("iblinkinfo", "qdr-4hosts-36port.txt", "port_facts")
    assert sum(row["state"] == "down" and row["peer_lid"] is None for row in links) == 32
    assert {row["speed"] for row in links if row["state"] == "active"} == {"QDR"}
    partitions = table("smpquery", "pkeytable-two-tenants.txt", "pkey_facts")
    assert [(row["lid"], row["entry"]) for row in partitions[1:3]] == [(2, 0x7FFF), (2, 0x8010)]
    managers = table("sminfo", "ib-master-lid15.txt", "sm_facts")
    assert len(str(managers[0]["guid"])) == 16 and managers[0]["state"] == "master"
