"""Forms of the node twin held against real samples of the same tools: names of fields, headings, what a line is like."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.node_twin import Fleet
from template_plans import made

DGX, L40S, GB = "dgx-h100-superpod", "l40s-384", "gb300-nvl72"
#: Fields that newer drivers and kernels print than those of the samples.
NEWER = {
    "nvidia-smi-q": {"Average Power Draw", "Instantaneous Power Draw", "GPU"},
    "lscpu": set(),
    "dmidecode": set(),
    "lspci-vv": set(),
}


def ours(template: str, id: str) -> str:
    plan = made(template)
    return Fleet(plan, as_planned(plan)).answers("node:0001")[id].data.decode()


def samples(field: Path, kind: str) -> str:
    files = sorted((field / "samples" / kind).glob("*.txt"))
    assert files
    return "\n".join(f.read_text(encoding="utf-8", errors="replace") for f in files)


def keys(text: str) -> set[str]:
    """Names in front of a colon, without numbers."""
    found = re.findall(r"^\s*([A-Za-z][^:\n]*?)\s*(?::|$)", text, re.MULTILINE)
    return {re.sub(r"\d+", "0", name).strip() for name in found}


@pytest.mark.parametrize(
    ("template", "id", "kind"),
    [
        (DGX, "nvidia-smi-q", "nvidia-smi-q"),
        (L40S, "nvidia-smi-q", "nvidia-smi-q"),
        (L40S, "lscpu", "lscpu"),
        (GB, "lscpu", "lscpu"),
        (L40S, "dmidecode", "dmidecode"),
    ],
)
def test_every_field_that_the_twin_prints_stands_in_a_real_sample(field: Path, template: str, id: str, kind: str) -> None:
    strange = keys(ours(template, id)) - keys(samples(field, kind)) - NEWER[id]
    print(f"{id} of {template}: {len(keys(ours(template, id)))} names, {len(strange)} strange")
    assert not strange


def test_fields_of_nvidia_smi_q_stand_in_the_columns_of_the_real_tool(field: Path) -> None:
    real = (field / "samples" / "nvidia-smi-q" / "H100SXMx8.txt").read_text()
    places = {line.split(":")[0].strip(): line.index(":") for line in real.splitlines() if re.match(r" *[A-Z][^:]* +: ", line)}
    compared = 0
    for line in ours(DGX, "nvidia-smi-q").splitlines():
        name = line.split(":")[0].strip()
        if re.match(r" *[A-Z][^:]* +: ", line) and name in places:
            assert line.index(":") == places[name], line
            compared += 1
    assert compared > 8 * 60


def shape(line: str) -> str:
    """A line of lspci without what is of one device: words before the first number or state."""
    head = re.sub(r"[0-9a-f]*\d[0-9a-fx.]*", "0", line.strip())
    return re.sub(r"[+-](?= |$)", "~", head)


def test_link_lines_of_lspci_are_those_of_the_real_tool(field: Path) -> None:
    """Every line that says something of a link, payload or access control has the shape of a real one."""
    wanted = ("LnkCap:", "LnkSta:", "MaxPayload", "ACSCtl:", "ACSCap:", "NUMA node:", "Kernel driver", "Bus: primary")

    def told(text: str, form: Callable[[str], str] = shape) -> set[str]:
        return {re.sub(r"\s+", " ", form(line)) for line in text.splitlines() if any(w in line for w in wanted)}

    real = {re.sub(r"(Port #0), Speed.*", r"\1", s) for s in told(samples(field, "lspci-vv"))}
    mine = {re.sub(r"(Port #0), Speed.*", r"\1", s) for s in told(ours(DGX, "lspci-vv") + ours(L40S, "lspci-vv"))}
    plain = {re.sub(r" \((ok|downgraded)\)", "", s) for s in real}
    drivers = {s for s in mine if s.startswith("Kernel driver")}
    assert {re.sub(r" \((ok|downgraded)\)", "", s) for s in mine - drivers} <= plain


def test_the_matrix_has_the_legend_and_the_words_of_the_real_one(field: Path) -> None:
    real = (field / "samples" / "nvidia-smi-topo" / "h200-ansi-10nic.txt").read_text()
    mine = ours(DGX, "nvidia-smi-topo")
    legend = [line for line in real.splitlines() if re.match(r"  \S+ += ", line)]
    assert legend
    assert [line for line in mine.splitlines() if re.match(r"  \S+ += ", line)] == legend
    first, second = (text.splitlines()[0] for text in (real, mine))
    assert re.sub(r"(\tNIC\d+)+|(\tGPU\d+)+", "", first.replace("\x1b[4m", "")) == re.sub(
        r"(\tNIC\d+)+|(\tGPU\d+)+", "", second.replace("\x1b[4m", "")
    )
    cells = {c.strip() for line in mine.splitlines()[1:21] for c in line.split("\t")[1:21]}
    known = {c.strip() for line in real.splitlines()[1:19] for c in line.split("\t")[1:19]}
    assert cells <= known


def test_card_tools_print_the_headings_of_real_ones(field: Path) -> None:
    assert keys(ours(L40S, "flint")) - {"$ flint -d"} <= keys(samples(field, "flint")) | {"type=PXE version=0"}
    heads = (field / "samples" / "mst-status" / "cx7-container-v.txt").read_text().split()
    mine = next(line for line in ours(L40S, "mst").splitlines() if line.startswith("DEVICE_TYPE"))
    assert all(word in heads for word in mine.split())
    gids = (field / "samples" / "show_gids").glob("*.txt")
    assert any(re.search(r"DEV\s+PORT\s+INDEX\s+GID\s+IPv4\s+VER\s+DEV", f.read_text()) for f in gids)
    assert re.search(r"^DEV\s+PORT\s+INDEX\s+GID\s+IPv4\s+VER\s+DEV$", ours(L40S, "show_gids"), re.MULTILINE)
