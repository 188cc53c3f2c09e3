"""The published verdict: UFM's own plan, dump and report of a 280-node HDR fabric, and copies of them."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from asbuilt.model.facts import Facts
from asbuilt.model.verdict import LinkSummary, Verification
from asbuilt.parsers.ibnetdiscover import parse
from asbuilt.parsers.plans import ndt
from asbuilt.workflow.compare import compare
from asbuilt.workflow.foreign_plan import read_plans

pytestmark = pytest.mark.field
HOSTS, SWITCHES, DUMP = "plan_switch_to_host.ndt", "plan_switch_to_switch.ndt", "measured_ibnetdiscover.txt"


@pytest.fixture(scope="module")
def folder(field: Path) -> Path:
    return field / "design" / "01_ufm_hdr_280node"


@pytest.fixture(scope="module")
def facts(folder: Path) -> Facts:
    return parse((folder / DUMP).read_bytes(), "dump")


def verdict(text: bytes, facts: Facts) -> Verification:
    return compare(ndt.read(text, HOSTS), facts)


def test_the_published_verdict(folder: Path, facts: Facts) -> None:
    report = json.loads((folder / "expected_report.json").read_text())["report"]
    seen = verdict((folder / HOSTS).read_bytes(), facts)
    published = (len(report["miss_wired"]), len(report["missing_in_ufm"]), len(report["missing_in_ndt"]))
    assert (seen.summary.wrong, seen.summary.missing, seen.summary.unplanned) == published
    assert seen.summary == LinkSummary(planned=2223, ok=2219, wrong=2, missing=2, unplanned=107)
    assert seen.exit_code == 1
    subjects = {s.lower() for f in seen.findings for s in f.subjects}
    assert subjects == {
        "link:sat11-0101-0902-01ib0/15",
        "link:sat11-0101-0902-01ib0/17",
        "link:sat11-0102-0903-05ib0/9",
        "link:sat11-0102-0903-05ib0/10",
    }
    print(f"UFM set: planned {seen.summary.planned}, {published} wrong, missing and unplanned, as published")


def test_the_switch_plan_and_both_together(folder: Path, facts: Facts) -> None:
    both = read_plans([str(folder / HOSTS), str(folder / SWITCHES)])
    alone = read_plans([str(folder / SWITCHES)])
    assert compare(alone, facts).summary == LinkSummary(planned=3195, ok=3195)
    seen = compare(both, facts)
    assert seen.summary == LinkSummary(planned=2223 + 3195, ok=2219 + 3195, wrong=2, missing=2, unplanned=107)
    print("UFM set: 3,195 switch links (6,390 rows, each told from both ends), all as planned")


@pytest.mark.parametrize("seed", range(3))
def test_shuffled_copies(folder: Path, facts: Facts, seed: int) -> None:
    head, *rows = (folder / HOSTS).read_text().splitlines()
    random.Random(seed).shuffle(rows)
    turned = [",".join([*r.split(",")[2:4], *r.split(",")[0:2], "Data"]) if i % 3 == 0 else r for i, r in enumerate(rows)]
    plain = verdict((folder / HOSTS).read_bytes(), facts)
    seen = verdict("\n".join([head, *turned]).encode(), facts)
    assert seen.summary == plain.summary
    assert sorted(f.cause for f in seen.findings) == sorted(f.cause for f in plain.findings)


@pytest.mark.parametrize("seed", range(4))
def test_two_good_rows_exchanged_are_two_more_wrong(folder: Path, facts: Facts, seed: int) -> None:
    head, *rows = (folder / HOSTS).read_text().splitlines()
    spoiled = ("0902-01IB0,Port 15", "0902-01IB0,Port 17", "SAT11-0102-0903-05IB0")
    good = [i for i, r in enumerate(rows) if not any(s in r for s in spoiled)]
    one, two = random.Random(seed).sample(good, 2)
    a, b = rows[one].split(","), rows[two].split(",")
    rows[one], rows[two] = ",".join([*a[:2], *b[2:]]), ",".join([*b[:2], *a[2:]])
    seen = verdict("\n".join([head, *rows]).encode(), facts)
    assert (seen.summary.ok, seen.summary.wrong, seen.summary.missing, seen.summary.unplanned) == (2217, 4, 2, 107)
    ports = {f"link:{r[2]}/{r[3].split()[1]}".lower() for r in (a, b)}
    finding = next(f for f in seen.findings if {s.lower() for s in f.subjects} == ports)
    assert finding.cause.startswith("two cables are exchanged") and len(seen.repairs) == 3 + 2


def test_mutated_copies(folder: Path, facts: Facts) -> None:
    text = (folder / HOSTS).read_text()
    lines = text.splitlines()
    fewer = verdict("\n".join(lines[:-12]).encode(), facts).summary
    assert fewer.planned == 2211, "the last 12 rows hold the 2 wrong links and the 2 missing ones, which nobody measured"
    assert (fewer.ok, fewer.wrong, fewer.missing, fewer.unplanned) == (2211, 0, 0, 107 + 12 - 2)
    lower = verdict(text.lower().encode(), facts).summary
    assert (lower.ok, lower.wrong, lower.missing, lower.unplanned) == (2219, 2, 2, 107)
    renamed = verdict(text.replace("SAT11-0101-0927-20IB0", "SAT11-0101-0927-99IB0").encode(), facts).summary
    assert renamed.missing == 2 + 16 and renamed.unplanned == 107 + 16


def test_through_the_command_line(folder: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "asbuilt.cli.main",
        "compare",
        "--plan",
        str(folder / HOSTS),
        "--measured",
        str(folder / DUMP),
    ]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True)
    answer = json.loads(done.stdout)
    assert done.returncode == answer["exit"] == 1 and answer["schema"] == "verification/v1"
    assert answer["summary"]["ok"] == 2219 and len(answer["repairs"]) == 3
    assert {"id", "verdict", "severity", "layer", "subject", "expected", "found", "where", "cause", "next", "revert"} <= set(
        answer["findings"][0]
    )
    said = subprocess.run(command, capture_output=True, text=True)
    assert said.returncode == 1 and said.stdout.startswith("2,223 links planned: 2,219 ok, 2 wrong, 2 missing · 107 unplanned")


def test_the_way_back_plugs_in_what_was_taken_out(folder: Path, facts: Facts) -> None:
    seen = verdict((folder / HOSTS).read_bytes(), facts)
    taken = next(f for f in seen.findings if "holds a cable that the plan does not know" in f.cause)
    assert "plug in again SAT11-0101-0902-01IB0 port 17" in taken.revert
