"""Every open discovery dump, cable plan and topology: each line accounted for, the count printed; wrong tools refused."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.model.facts import DEVICE_FACTS, LINK_FACTS
from asbuilt.model.tables import LINKS
from asbuilt.parsers.ibnetdiscover import parse
from asbuilt.parsers.plans import ibsim
from asbuilt.parsers.sniff import sniff, told
from asbuilt.workflow.compare import compare
from asbuilt.workflow.foreign_plan import read_discovery, read_plans

pytestmark = pytest.mark.field
PLANS = ("*.ndt", "*.topo", "*.net", "cable-map/*.csv", "cable-map/*.xlsx", "cable-map/*.json", "02_*/*.csv")
#: Samples that are broken on purpose, by the problem that says so.
REFUSED = {"ndt-neg-garbage.ndt": "PAR-001", "ndt-neg-ports.ndt": "PAR-005"}
#: Tools whose output the compare takes; every other capture must be refused, never read as an empty fabric.
TAKEN = ("ibnetdiscover", "ibnetdiscover-p")


def discoveries(field: Path) -> list[Path]:
    found = [p for k in TAKEN for p in sorted((field / "samples" / k).iterdir())]
    return [*found, field / "design" / "01_ufm_hdr_280node" / "measured_ibnetdiscover.txt"]


def plans(field: Path) -> list[Path]:
    return sorted({p for pattern in PLANS for p in field.rglob(pattern)})


def test_every_discovery_dump(field: Path) -> None:
    files = discoveries(field)
    heads = "".join(f"{h:>8}" for h in ("lines", "facts", "nothing", "unread", "devices", "links"))
    print(f"\nfield: {len(files)} of {len(files)} files\n{'file':<44}{heads}")
    for path in files:
        facts = parse(path.read_bytes(), path.name)
        account = facts.accounts[path.name]
        devices, links = facts.tables.get("device_facts"), facts.tables.get("link_facts")
        rows = [0 if t is None else t.height for t in (devices, links)]
        print(
            f"{path.name:<44}{account.total:>8}{account.facts:>8}{account.ignorable:>8}{account.unread:>8}{rows[0]:>8}{rows[1]:>8}"
        )
        assert account.balanced and rows[0] > 0
        assert account.unread <= 1 and all("config" in text for _, text in account.unread_lines), (
            "only a shell prompt is unread"
        )
        assert devices is not None and DEVICE_FACTS.faults(devices) == []
        assert links is None or LINK_FACTS.faults(links) == []


def test_no_port_is_lost(field: Path) -> None:
    """As many link rows as lines that open with a port number, counted in another way."""
    for path in discoveries(field):
        lines = [x for x in path.read_bytes().splitlines() if x.startswith(b"[")]
        links = parse(path.read_bytes(), "c").tables.get("link_facts")
        if path.parent.name == "ibnetdiscover-p":
            lines = [x for x in path.read_bytes().splitlines() if b" - " in x]
        assert (0 if links is None else links.height) == len(lines), path.name


def test_every_cable_plan(field: Path) -> None:
    files = plans(field)
    libraries = [str(p) for p in sorted((field / "samples" / "ibutils-ibnl").iterdir())]
    heads = "".join(f"{h:>8}" for h in ("rows", "told", "nothing", "unread", "links"))
    print(f"\nfield: {len(files)} of {len(files)} files\n{'file':<50}{heads}")
    for path in files:
        if path.name in REFUSED:
            with pytest.raises(ProblemError) as caught:
                read_plans([str(path)])
            assert [p.code for p in caught.value.problems.items] == [REFUSED[path.name]]
            print(f"{path.name:<50}refused: {caught.value.problems.items[0].what[:60]}")
            continue
        plan = read_plans([str(path), *(libraries if path.suffix == ".topo" else [])])
        account = plan.account
        assert account is not None and account.balanced and LINKS.faults(plan.links) == []
        assert plan.links.height > 0 and len(plan.unread) == min(account.unread, 1000)
        print(
            f"{path.name:<50}{account.total:>8}{account.facts:>8}{account.ignorable:>8}{account.unread:>8}{plan.links.height:>8}"
        )


def test_a_dump_read_as_a_netlist_is_its_own_plan(field: Path) -> None:
    """Two readers that share no grammar: every cable of a dump, read as a plan, is found in the same dump."""
    for name in (
        "fdr-fatree-2014.txt",
        "generated-fattree-k4n3.txt",
        "lab-hdr-fdr-loopback-2021.txt",
        "superpod-hdr-compute-2021.txt",
    ):
        data = (field / "samples" / "ibnetdiscover" / name).read_bytes()
        plan = ibsim.read(data, name)
        summary = compare(plan, parse(data, "c")).summary
        print(f"{name}: {summary.planned} links as netlist, {summary.ok} ok, {summary.unplanned} unplanned")
        assert summary.ok == summary.planned > 0 and summary.unplanned == 0, name


def test_files_of_other_tools_are_refused_by_name(field: Path) -> None:
    rows = list(csv.DictReader((field / "INDEX.tsv").open(encoding="utf-8"), delimiter="\t"))
    refused = 0
    for row in rows:
        path = field / "samples" / row["path"]
        if row["kind"] in TAKEN or not path.is_file() or path.suffix in (".sor",):
            continue
        try:
            facts = read_discovery([str(path)])
        except ProblemError as error:
            assert {p.code for p in error.problems.items} <= {"PAR-008", "CLI-043", "CLI-042"}, path
            refused += 1
            continue
        assert not facts.has("link_facts"), f"{path} was read as a fabric"
    print(f"field: {refused} of {len(rows)} samples are of other tools and refused")
    assert refused > 200


def test_the_sniffer_names_what_it_sees(field: Path) -> None:
    wanted = {"ibnetdiscover": "ibnetdiscover", "iblinkinfo": "iblinkinfo", "nvidia-smi-q": "nvidia-smi", "ibstat": "ibstat"}
    for kind, tool in wanted.items():
        for path in sorted((field / "samples" / kind).iterdir()):
            if path.stat().st_size and "faked" not in path.name and "topo-aware" not in path.name:
                assert tool in told(path.read_bytes()), path
    assert sniff(b"") == () and "empty" in told(b"") and "binary" in told(b"\0\1\2")
