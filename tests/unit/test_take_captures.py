"""The script of docs/captures.md that takes a whole capture set, run with stand-ins that answer as the twin's fabric does."""

from __future__ import annotations

import functools
import json
import re
import subprocess
from pathlib import Path

from asbuilt.model.capture import Capture
from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Verdict, Verification
from asbuilt.parsers import mlxlink
from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.subnet_captures import subnet_captures
from asbuilt.rehearse.twin import captures
from asbuilt.workflow import templates
from asbuilt.workflow.captures import read_captures
from asbuilt.workflow.plan import make_plan
from asbuilt.workflow.verify import verify

PAGE = Path(__file__).parents[2] / "docs" / "captures.md"
#: Answers by the words of the question; a counter that moves between two readings; a NIC tool that is not installed.
STAND_IN = """#!/bin/bash
tool=${0##*/}
if [ -f "$ANSWERS/$tool $*" ]; then cat "$ANSWERS/$tool $*"; exit 0; fi
if [ "$tool" = perfquery ]; then
  extended=; [ "$1" = -x ] && { shift; extended="extended "; }
  echo "# Port ${extended}counters: Lid $1 port $2 (CapMask: 0x5A00)"
  for name in SymbolErrorCounter LinkDownedCounter LinkErrorRecoveryCounter PortRcvErrors PortXmitDiscards; do
    [ "$extended" ] || echo "$name:..............0"
  done
  echo "PortXmitData:....................$(date +%s)"
  exit 0
fi
echo "$tool: iberror: failed: no answer to $*" >&2
exit 1
"""


def script() -> str:
    """The text of the page's script."""
    found = re.search(r"```bash\n(#!/bin/bash\n# take-captures\.sh.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert found is not None
    return found[1]


@functools.cache
def small() -> Plan:
    """Four nodes of the 384-GPU example."""
    text, count = re.subn(r"(?m)^gpus: \d+", "gpus: 32", templates.text("l40s-384"))
    assert count == 1
    return make_plan(decode(text.encode(), "small"))


@functools.cache
def twin() -> tuple[Capture, ...]:
    plan = small()
    built = as_planned(plan)
    return (*captures(plan, built), *subnet_captures(plan, built))


def answers(folder: Path, names: tuple[str, ...] = ()) -> None:
    """What the stand-ins say: each answer of the twin under the words that ask for it. ``names`` replace two hosts'."""
    folder.mkdir()
    for capture in twin():
        text = capture.data.decode()
        if names:
            text = text.replace("node0000", names[0]).replace("node0001", names[1])
        if capture.tool in ("ibnetdiscover", "iblinkinfo"):
            (folder / (capture.tool + (" -l" if capture.tool == "iblinkinfo" else " "))).write_text(text)
        elif capture.tool == "ibstat":
            (folder / "clush -w node[0000-0003] -t 10 -u 120 ibstat").write_text(text)
        elif capture.tool in ("smpquery", "ibroute", "sminfo"):
            for asked, answer in re.findall(r"^\$ (\S[^\n]*)\n(.*?)(?=^\$ |\Z)", text, re.S | re.M):
                (folder / asked).write_text(answer)
    (folder / "saquery SMIR").write_text("".join(_manager(m) for m in small().table("subnet_managers").iter_rows(named=True)))
    first = sorted(folder.glob("sminfo *"))
    (folder / "sminfo ").write_text(first[0].read_text() if first else "")
    (folder / "ibnetdiscover -p").write_text("".join(f"{line}\n" for line in _ports(names)))


def _manager(row: dict[str, object]) -> str:
    """One record of `saquery SMIR`."""
    end = small().table("lids").filter(port=row["port"]).row(0, named=True)
    state = 3 if row["role"] == "master" else 2
    dots = "." * 18
    lines = ["RID", f"LID{dots}{end['lid']}", "SMInfo dump:", f"GUID{dots}0x{end['port_guid']}"]
    lines += (f"ActCount{dots}7", f"Priority{dots}{row['priority']}", f"SMState{dots}{state}")
    return "SMInfoRecord dump:\n" + "".join(f"\t\t{line}\n" for line in lines)


def _ports(names: tuple[str, ...]) -> list[str]:
    """`ibnetdiscover -p`: one line per cabled port."""
    plan = small()
    lids = plan.table("lids")
    at = {(r["device"], r["nic"]): r["lid"] for r in lids.iter_rows(named=True) if r["nic"] or r["number"] == 0}
    lines = []
    for link in plan.links.filter(plan.links["plane"].is_in(["compute", "storage"])).iter_rows(named=True):
        nic = link["b_nic"]
        ends = [(link["a_device"], None, link["a_port"]), (link["b_device"], nic, link["b_port"] if nic is None else 1)]
        words = [f"{'SW' if nic is None else 'CA'} {at[d, nic]:>5} {port:>2} 0x0000000000000001" for d, nic, port in ends]
        for name in names or ("x",):
            lines.append(f"{words[0]} 4x NDR - {words[1]} ( '{name}' - 'y' )")
        lines.append(f"{words[1]} 4x NDR - {words[0]} ( 'y' - 'x' )")
    return [*lines, "SW    99 64 0x0000000000000001 4x SDR   'SW $(touch hit) 1 - 2'"]


def taken(tmp_path: Path, names: tuple[str, ...] = ()) -> Path:
    """The folder that the script leaves."""
    answers(tmp_path / "answers", names)
    programs = tmp_path / "bin"
    programs.mkdir()
    for tool in ("ibnetdiscover", "iblinkinfo", "smpquery", "ibroute", "sminfo", "saquery", "perfquery", "clush"):
        (programs / tool).write_text(STAND_IN)
        (programs / tool).chmod(0o755)
    (tmp_path / "take-captures.sh").write_text(script())
    done = subprocess.run(
        ["/bin/bash", str(tmp_path / "take-captures.sh"), "set", "ib0", "node[0000-0003]", "1"],
        cwd=tmp_path,
        env={"PATH": f"{programs}:/usr/bin:/bin", "ANSWERS": str(tmp_path / "answers")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "mlxlink.txt is empty" in done.stderr
    return tmp_path / "set"


def judged(folder: Path) -> Verification:
    return verify(small(), read_captures([folder]), "plane=compute+storage", None)


def test_it_is_short_and_is_a_script() -> None:
    assert len(script().splitlines()) <= 40
    done = subprocess.run(["/bin/bash", "-n"], input=script(), text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_it_takes_is_read_and_the_clean_fabric_passes(tmp_path: Path) -> None:
    folder = taken(tmp_path)
    assert json.loads((folder / "capture.json").read_text())["subject"] == "ib0"
    seen = judged(folder)
    # One second proves nothing about errors; everything else was asked of every port.
    assert {f.verdict for f in seen.findings} <= {Verdict.NOT_MEASURED}
    assert {f.id for f in seen.findings} <= {"FAB-031", "FAB-033", "FAB-034", "FAB-035"}
    counted = {c.id: c for c in seen.coverage}
    for id in ("FAB-005", "FAB-007", "FAB-010", "FAB-016", "FAB-017", "FAB-021", "FAB-022", "FAB-040"):
        assert counted[id].passed > 0 and counted[id].failed == counted[id].not_measured == 0, id
    # Aggregation nodes answer to no tool of these.
    ports = small().table("partition_members")["port"].unique()
    assert counted["FAB-016"].passed == ports.filter(~ports.str.ends_with("+agg")).len()
    assert counted["FAB-031"].not_measured > 1


def test_what_hosts_call_themselves_is_never_run(tmp_path: Path) -> None:
    folder = taken(tmp_path, ("$(touch hit)`touch hit`", "; touch hit # - CA 7 7"))
    assert not list(tmp_path.rglob("hit"))
    assert (folder / "smpquery.txt").stat().st_size > 0


def test_commands_that_a_script_shows_on_many_hosts_name_the_device() -> None:
    lines = ["$ mlxlink -d mlx5_2 -m -c", "Operational Info", "State                              : Active", ""]
    text = "".join(f"{host}: {line}\n" for line in lines for host in ("node0003", "node0004"))
    found = mlxlink.parse(text.encode(), "c", "ib0")
    account = found.accounts["c"]
    assert (account.total, account.facts, account.unread) == (8, 2, 0)
    rows = found.tables["module_facts"].select("host", "device").unique(maintain_order=True).rows()
    assert rows == [("node0003", "mlx5_2"), ("node0004", "mlx5_2")]
