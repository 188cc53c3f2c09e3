"""The twin's writer against dumps that it did not write: parsed, written again, and compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from asbuilt.model.facts import LINK_FACTS
from asbuilt.parsers import ibnetdiscover
from asbuilt.rehearse.twin import render_facts

pytestmark = pytest.mark.field

DUMPS = (
    "samples/ibnetdiscover/bad-single-ca-2025.txt",
    "samples/ibnetdiscover/fdr-fatree-2014.txt",
    "samples/ibnetdiscover/generated-fattree-k4n3.txt",
    "samples/ibnetdiscover/lab-hdr-fdr-loopback-2021.txt",
    "samples/ibnetdiscover/superpod-hdr-compute-2021.txt",
    "design/01_ufm_hdr_280node/measured_ibnetdiscover.txt",
)
# Kept byte by byte as ibnetdiscover wrote them: not pasted from a terminal, not written by another program.
WHOLE = ("fdr-fatree-2014.txt", "lab-hdr-fdr-loopback-2021.txt", "superpod-hdr-compute-2021.txt")


def lines(data: bytes) -> list[bytes]:
    """All lines but those that name the time and the place of the capture."""
    return [line for line in data.split(b"\n") if not line.startswith((b"# Topology file", b"# Initiated from"))]


def test_facts_of_real_dumps_survive_being_written_again(field: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = [d for d in DUMPS if (field / d).is_file()]
    for name in found:
        data = (field / name).read_bytes()
        first = ibnetdiscover.parse(data, "c")
        written = render_facts(first.tables["device_facts"], first.tables.get("link_facts", LINK_FACTS.empty()))
        again = ibnetdiscover.parse(written, "c")
        assert again.accounts["c"].unread == 0, name
        for table, keys in (("device_facts", ["guid"]), ("link_facts", ["guid", "port"])):
            if first.has(table) or again.has(table):
                one, two = (f.tables[table].drop("line").sort(keys) for f in (first, again))
                assert one.equals(two), (name, table)
        if Path(name).name in WHOLE:
            assert lines(written) == lines(data), name
    with capsys.disabled():
        print(f"\nfield: {len(found)} of {len(DUMPS)} files written again with equal facts, {len(WHOLE)} of them byte for byte")
    assert len(found) == len(DUMPS)
