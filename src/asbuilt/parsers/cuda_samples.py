"""``bandwidthTest`` and ``p2pBandwidthLatencyTest`` of the CUDA samples: copies between host and GPU, and between GPUs.

GB/s of both is 10^9 bytes. Old versions of bandwidthTest print ``MB/s``, of 2^20 bytes in some and 10^6 in others: such a row
gives no fact and a note. The matrices of the second are one run; each is a quantity of its own (``p2p_enabled_unidirectional``,
``p2p_disabled_latency`` and so on), from the GPU of the row to that of the column.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from asbuilt.model.facts import Facts
from asbuilt.model.facts_bench import RESULT_FACTS
from asbuilt.parsers import bench_lines, matrices
from asbuilt.parsers.bench_runs import Run, Runs
from asbuilt.parsers.fact_rows import real
from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.told_rows import Told

TOOL = "bandwidthTest"
_START = re.compile(r"^\[(?:CUDA Bandwidth Test|P2P \(Peer-to-Peer\) GPU Bandwidth Latency Test)\].*$")
_DEVICE = re.compile(r"^\s*Device:? \d+[:,] (.+?)(?:, pciBusID: .*)?$")
_COPY = re.compile(r"^\s*(Host to Device|Device to Host|Device to Device) Bandwidth, .*$")
_HEAD = re.compile(r"^\s*Transfer Size \(Bytes\)\s+Bandwidth\((\w+/s)\)$")
_ROW = re.compile(r"^\s*(\d{1,15})\s+(\d[\d.]*)$")
_CSV = re.compile(r"^bandwidthTest-(\w+)-Pinned, Bandwidth = ([\d.]+) (\w+/s), .* Size = (\d{1,15}) bytes.*$")
_MATRIX = re.compile(r"^(Unidirectional |Bidirectional )?P2P=(Enabled|Disabled) (Bandwidth|Latency) .*\((GB/s|us)\)$")
_LABELS = re.compile(r"^\s*(?:D\\D|GPU|CPU)\s+\d{1,4}(?:\s+\d{1,4})*$")
_RESULT = re.compile(r"^Result = (PASS|FAIL)$")
_NOTE = re.compile(r"^NOTE: The CUDA Samples are not meant for performance measurements.*$")
_ABOUT = re.compile(
    r"^\s*(?:Running on\.\.\.|(?:Quick|Range|Shmoo) Mode|(?:PINNED|PAGEABLE|WRITE-COMBINED) Memory.*|Device=\d+ CAN(?:NOT)? .*"
    r"|\*\*\*NOTE: .*|So you can see lesser Bandwidth.*|P2P Connectivity Matrix|\.+|CUDA error.*|Error.*)$"
)
_OWN = re.compile(
    "|".join(
        p.pattern for p in (_START, _DEVICE, _COPY, _HEAD, _ROW, _CSV, _MATRIX, _LABELS, _RESULT, _NOTE, _ABOUT, matrices.ROW)
    )
)
_SIGN = re.compile(rb"^(?:[\w.-]+: )?(?:\[CUDA Bandwidth Test\]|bandwidthTest-\w+-Pinned)", re.M)
_COPIES = {"Host to Device": ("CPU", "GPU"), "Device to Host": ("GPU", "CPU"), "Device to Device": ("GPU", "GPU")}


def sniff(data: bytes) -> bool:
    """True for a text of bandwidthTest; `p2p_bandwidth` knows the other."""
    return bool(_SIGN.search(data[: 1 << 16]))


@dataclass(slots=True)
class _Run(Run):
    name: str = ""
    quantity: str = ""
    unit: str = ""
    columns: list[int] = field(default_factory=list)
    ended: bool = False


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``run_facts``, ``result_facts``. Never raises."""
    told = Told(bench_lines.unlabelled(data), capture_id, subject, _OWN, TOOL)
    runs = Runs(_Run)
    for said in told:
        if not said.closed:
            continue
        run = runs.at(said)
        if _START.match(said.text) or (run is None and _CSV.match(said.text)):
            run = runs.open(said)
            run.name = "p2p" if said.text.startswith("[P2P") else "bandwidth_test"
        if run is not None and not _START.match(said.text):
            _hear(told, said, run, run.key(told))
    for run in runs:
        run.tell(told, run.name, complete=run.ended)
    return told.facts()


def _hear(told: Told, said: Said, run: _Run, name: str) -> None:
    """One line of a run."""
    text = said.text
    if found := _MATRIX.match(text):
        kind = (found[1] or "").strip().lower() or found[3].lower()
        run.quantity, run.unit, run.columns = f"p2p_{found[2].lower()}_{kind}", found[4], []
    elif found := _COPY.match(text):
        run.quantity, run.unit = found[1], ""
    elif found := _HEAD.match(text):
        run.unit = found[1]
    elif _LABELS.match(text):
        run.columns = matrices.indexes(text)
        if text.strip().startswith("CPU"):
            run.quantity = f"{run.quantity.removesuffix('_cpu')}_cpu"
    elif found := _RESULT.match(text):
        run.ended = found[1] == "PASS"
    elif _NOTE.match(text):
        run.ended = run.ended or run.name == "p2p"
    elif found := _CSV.match(text):
        source = {"H2D": "Host to Device", "D2H": "Device to Host", "D2D": "Device to Device"}.get(found[1], "")
        _copy(told, said, run, name, source, found[3], found[4], found[2])
        return
    elif run.name == "bandwidth_test" and run.unit and (found := _ROW.match(text)):
        _copy(told, said, run, name, run.quantity, run.unit, found[1], found[2])
        return
    elif run.quantity and run.columns and (cells := matrices.cells(run.columns, text)):
        for row, column, value in cells:
            pair = {"from_device": f"GPU{row}", "to_device": f"GPU{column}"}
            told.add(RESULT_FACTS, said, {**pair, "run": name, "quantity": run.quantity, "value": value, "unit": run.unit})
        return
    elif run.name == "p2p" and not run.quantity and matrices.ROW.match(text):
        pass  # who can reach whom, before the first measurement
    elif found := _DEVICE.match(text):
        run.values.setdefault("device_name", found[1])
        told.account.fact(said.number)
        return
    elif not _ABOUT.match(text):
        return
    told.ignore(said)


def _copy(told: Told, said: Said, run: _Run, name: str, kind: str, unit: str, size: str, value: str) -> None:
    """A row of bandwidthTest."""
    number, sides = real(value), _COPIES.get(kind)
    if number is None or sides is None:
        return
    if unit != "GB/s":
        told.note(f"{unit} is not said to be 10^6 or 2^20 bytes")
        told.ignore(said)
        return
    row = {"run": name, "quantity": kind.lower().replace(" ", "_"), "bytes": float(size), "value": number, "unit": "GB/s"}
    told.add(RESULT_FACTS, said, {**row, "from_device": sides[0], "to_device": sides[1]})
    run.values["reached_bytes"] = max(float(size), run.values.get("reached_bytes", 0.0))
