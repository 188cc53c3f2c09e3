"""Every open sample of the GPU tools: each line accounted for, the count printed; quirks that only real files have."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from asbuilt.model.capture import Capture
from asbuilt.model.facts import FACT_TABLES, Facts
from asbuilt.parsers.tools import TOOLS

pytestmark = pytest.mark.field
SCHEMAS = {schema.name: schema for schema in FACT_TABLES}
#: Folder of samples -> tool that a file of it is of, where its text alone does not tell.
FOLDERS = {
    "dcgmi-diag": "dcgmi-diag",
    "dcgmi-nvlink": "dcgmi-nvlink",
    "fabricmanager": "fabricmanager-log",
    "nvidia-smi-csv": "nvidia-smi-csv",
    "nvidia-smi-fabric": "nvidia-smi-q",
    "nvidia-smi-nvlink": "nvidia-smi-nvlink",
    "nvidia-smi-q": "nvidia-smi-q",
    "nvidia-smi-q-xml": "nvidia-smi-xml",
    "nvidia-smi-table": "nvidia-smi",
    "nvidia-smi-topo": "nvidia-smi-topo",
    "nvidia-smi-topo-edge": "nvidia-smi-topo",
}
#: Files that are not what their folder says.
OTHER = {"mig-mixed.txt": "nvidia-smi-l", "mig-single.txt": "nvidia-smi-l"}
#: Lines of a sample that nobody can read, by file: what they are.
UNREAD: dict[str, int] = {
    "errors-e.txt": 1,  # "[...]" where its author cut
    "fabricmanager-log-long.log": 1,  # a last line without its end
    "header-without-leading-blanks.txt": 1,  # words of a script
    "pcie-8gpu-asymmetric.txt": 2,  # words of a script
}


def samples(field: Path) -> list[tuple[Path, str]]:
    """(file, tool that reads it): the tool that alone knows the text, else the folder's."""
    found = []
    for folder, tool in FOLDERS.items():
        for path in sorted((field / "samples" / folder).iterdir()):
            known = [t for t in TOOLS if TOOLS[t].sniff(path.read_bytes())]
            expected = OTHER.get(path.name, tool)
            assert known in ([], [expected]), f"{path.name} is taken for {known}"
            found.append((path, expected))
    return found


def read(path: Path, tool: str) -> Facts:
    return TOOLS[tool].parse(Capture(path.name, path.read_bytes(), tool))


def test_every_sample_is_accounted_for(field: Path) -> None:
    found, sums, empty = samples(field), Counter[str](), []
    heads = "".join(f"{h:>9}" for h in ("lines", "facts", "nothing", "unread", "rows"))
    print(f"\n{'file':<44}{'tool':<18}{heads}")
    for path, tool in found:
        facts = read(path, tool)
        account = facts.accounts[path.name]
        rows = sum(frame.height for frame in facts.tables.values())
        numbers = (account.total, account.facts, account.ignorable, account.unread, rows)
        print(f"{path.name:<44}{tool:<18}{''.join(f'{n:>9}' for n in numbers)}  {'; '.join(facts.notes)}")
        sums.update(facts=account.facts, ignorable=account.ignorable, unread=account.unread)
        empty += [path.name] if not rows else []
        assert account.balanced, path
        assert account.unread == UNREAD.get(path.name, 0), (path, account.unread_lines[:3])
        for name, frame in facts.tables.items():
            assert SCHEMAS[name].faults(frame) == [], (path, name)
    print(f"{len(found) - len(empty)} of {len(found)} samples, lines: {sums['facts']}/{sums['ignorable']}/{sums['unread']}")
    assert sorted(empty) == ["p2p-2gpu-cns.txt", "p2p-8gpu-ok.txt", "query-fields-help.txt"]


def test_the_index_knows_no_sample_of_these_tools_elsewhere(field: Path) -> None:
    rows = list(csv.DictReader((field / "INDEX.tsv").open(encoding="utf-8"), delimiter="\t"))
    listed = {r["path"] for r in rows if r["kind"] in FOLDERS}
    assert listed == {f"{p.parent.name}/{p.name}" for p, _ in samples(field)}
