"""Every open sample of the GPU tools: each line accounted for, the count printed; quirks that only real files have."""

from __future__ import annotations

from pathlib import Path

import pytest

from asbuilt.parsers.tools import TOOLS
from field_samples import all_accounted_for, indexed

pytestmark = pytest.mark.field
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


def test_every_sample_is_accounted_for(field: Path) -> None:
    empty = all_accounted_for(samples(field), UNREAD)
    assert sorted(empty) == ["p2p-2gpu-cns.txt", "p2p-8gpu-ok.txt", "query-fields-help.txt"]


def test_the_index_knows_no_sample_of_these_tools_elsewhere(field: Path) -> None:
    assert indexed(field, FOLDERS) == {f"{p.parent.name}/{p.name}" for p, _ in samples(field)}
