"""``dcgmi diag``: results of the tests by GPU, as a table (DCGM 1 to 4) or as JSON.

A result that is no pass may be followed by its message on further lines: its row stands when the next test, category or border
comes; the last one of a cut table is unread. A line ``Pass - All`` speaks of the whole machine (``gpu`` is null), ``Fail - GPU:
3`` of that GPU. DCGM 4 prints a line for the test and one for each GPU; both are rows. A word that is no result is unread.

The diagnostic test may tell a rate of each GPU (JSON, with details): of FP64, FP32 and FP16 products one after another, so it
is no rate of one data type. It counts gigaflops of 2^30.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Iterator

from asbuilt.model.facts import Facts
from asbuilt.model.facts_bench import RESULT_FACTS, RUN_FACTS
from asbuilt.model.facts_gpu import DIAGNOSTIC_FACTS
from asbuilt.model.facts_node import EVENT_FACTS
from asbuilt.parsers import gemm_words
from asbuilt.parsers.dcgmi_words import BORDER, FAILED, LINE, cells, numbers, test_name
from asbuilt.parsers.fact_rows import table
from asbuilt.parsers.gpu_words import Gathered, told
from asbuilt.parsers.host_lines import Listener, Said, as_utf8
from asbuilt.parsers.json_documents import Document, documents, mappings

TOOL = "dcgmi-diag"
#: Rows of runs, rows of results.
Rates = tuple[list[dict[str, Any]], list[dict[str, Any]]]
_RESULTS = {"pass": "pass", "passed": "pass", "fail": "fail", "failed": "fail", "warn": "warn", "warning": "warn",
            "skip": "skip", "skipped": "skip"}  # fmt: skip
_CATEGORY = re.compile(r"^[+|]-{3,}\s+(\S[^-+|]*?)\s+-{3,}\+-+[+|]$")
_RESULT = re.compile(r"^(Pass|Fail|Warn|Skip)(?:\s*-\s*(All|GPUs?\b.*))?$", re.I)
_OF_GPU = re.compile(r"^GPU\s*(\d{1,3})\s*:\s*(Pass|Fail|Warn|Skip)$", re.I)
_MESSAGE = re.compile(r"^(Error|Warning|Info)(?:[\s:-]*GPU\s*(\d{1,3}))?$", re.I)
_ABOUT = re.compile(r"^GPU\s*(\d{1,3})\b", re.I)
_SAID = re.compile(r"^Successfully ran diagnostic for group\.?$|^dcgmi diag\b")
_OWN = re.compile(rf"{BORDER.pattern}|{LINE.pattern}|{_CATEGORY.pattern}|{_SAID.pattern}|{FAILED.pattern}")
_SIGN = re.compile(rb'^(?:[\w.-]+: )?\| Diagnostic\s+\| Result|"DCGM (?:GPU )?Diagnostic"\s*:|"test_categories"\s*:', re.M)
_RATE = re.compile(
    r"^(?:GPU \d{1,3} )?GPU (\d{1,3}) calculated at approximately (\d{1,15}(?:\.\d{1,6})?) gigaflops during this test$"
)
#: Of 2^30 operations, in units of 10^12.
_TERA = (1 << 30) / 1e12
_CODE = re.compile(r"\b(DCGM_FR_[A-Z_]+)\b")


def sniff(data: bytes) -> bool:
    """True for the title of the table or the key of the document."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``diagnostic_facts`` of every test and GPU, versions of DCGM and driver. Never raises."""
    text = as_utf8(data)
    if b'"test_categories"' in text or text.lstrip()[:1] == b"{":
        account, found = documents(text, subject)
        out = Gathered(account)
        each = [_document(out, document, f"{capture_id}#{number}") for number, document in enumerate(found, start=1)]
        runs, rates = ([row for rows in each for row in rows[part]] for part in (0, 1))
        facts = out.facts(capture_id, TOOL)
        if not rates:
            return facts
        more = {**table(RUN_FACTS, runs, capture_id), **table(RESULT_FACTS, rates, capture_id)}
        return replace(facts, tables={**facts.tables, **more})
    listener = Listener(text, subject, _OWN)
    reader = _Reader(Gathered(listener.account))
    for said in listener:
        reader.hear(said)
    if reader.open:
        reader.out.note("the last test is cut: it is unread")
    return reader.out.facts(capture_id, TOOL)


class _Test:
    """A result that waits for its message."""

    def __init__(self, said: Said, row: dict[str, Any], gpus: list[int | None]) -> None:
        self.said, self.row, self.gpus = said, row, gpus
        self.lines, self.words = [said.number], list[str]()


class _Reader:
    """The table that each speaker is at."""

    def __init__(self, out: Gathered) -> None:
        self.out = out
        self.open: dict[tuple[str | None, ...], list[_Test]] = {}
        self._state: dict[tuple[str | None, ...], dict[str, Any]] = {}

    def hear(self, said: Said) -> None:
        hosts = said.speaker.hosts
        state = self._state.get(hosts)
        if state is None or state["turn"] != said.speaker.turn:
            self._close(hosts)
            state = self._state[hosts] = {"turn": said.speaker.turn, "category": None, "test": None, "version": None}
        if not said.closed and not said.text.endswith("|"):
            return
        if found := _CATEGORY.match(said.text):
            self._close(hosts)
            state["category"], state["test"] = found[1], None
            self.out.account.ignore(said.number)
        elif BORDER.match(said.text):
            self._close(hosts)
            self.out.account.ignore(said.number)
        elif LINE.match(said.text) and len(row := cells(said.text)) == 2:
            self._line(said, state, row[0], row[1])
        elif _SAID.match(said.text):
            self.out.account.ignore(said.number)
        elif FAILED.match(said.text) and said.closed:
            self.out.add(EVENT_FACTS, said, source="dcgm", code="failed", severity="fatal", message=said.text.strip()[:500])

    def _line(self, said: Said, state: dict[str, Any], name: str, value: str) -> None:
        hosts = said.speaker.hosts
        result = _RESULT.match(value)
        if (name.lower(), value.lower()) == ("diagnostic", "result"):
            self.out.account.ignore(said.number)
        elif name in ("DCGM Version", "Driver Version Detected"):
            state["version"] = value if name == "DCGM Version" else state["version"]
            self.out.version(hosts, said.number, "dcgm" if name == "DCGM Version" else "driver", value)
            self.out.account.fact(said.number)
        elif name.startswith("GPU Device ID") or not value:
            self.out.account.ignore(said.number)
        elif message := _MESSAGE.match(name):
            about = message[2] or ((of := _ABOUT.match(value)) and of[1])
            state["about"] = self._held(hosts, int(about) if about else None)
            self._message(said, state["about"], value)
        elif not name and state["test"] and (of := _OF_GPU.match(value)):
            self._result(said, state, of[2], [int(of[1])])
        elif not name and not (result and state["test"]):
            self._message(said, state.get("about"), value)
        elif result:
            if name:
                self._close(hosts)
                state["test"] = test_name(name)
            gpus: list[int | None] = [*numbers(result[2] or "")] or [None]
            self._result(said, state, result[1], gpus)

    def _held(self, hosts: tuple[str | None, ...], gpu: int | None) -> _Test | None:
        """The result that a message is about: of the GPU that it names or of all; the last that is no pass if it names none."""
        held = self.open.get(hosts, [])
        if gpu is None:
            return held[-1] if held else None
        return next((test for who in (gpu, None) for test in held if who in test.gpus), None)

    def _message(self, said: Said, held: _Test | None, value: str) -> None:
        """Words about a result above; those about a pass tell nothing."""
        if held is None:
            self.out.account.ignore(said.number)
        else:
            held.words.append(value)
            held.lines.append(said.number)

    def _result(self, said: Said, state: dict[str, Any], word: str, gpus: list[int | None]) -> None:
        row = {
            "category": state["category"], "test": state["test"], "result": _RESULTS[word.lower()], "version": state["version"],
        }  # fmt: skip
        state["about"] = None
        if row["result"] == "pass":
            self._tell(_Test(said, row, gpus))
        else:
            self.open.setdefault(said.speaker.hosts, []).append(_Test(said, row, gpus))

    def _close(self, hosts: tuple[str | None, ...]) -> None:
        for test in self.open.pop(hosts, []):
            self._tell(test)

    def _tell(self, test: _Test) -> None:
        message = " ".join(test.words)[:500] or None
        code = _CODE.search(message or "")
        for gpu in test.gpus:
            row = test.row | {"gpu": gpu, "message": message, "code": code[1] if code else None}
            self.out.put(DIAGNOSTIC_FACTS, test.said.speaker.hosts, test.said.number, row)
        self.out.account.fact(*test.lines)


def _document(out: Gathered, document: Document, run: str) -> Rates:
    """Rows of one JSON document of DCGM 2 (``DCGM GPU Diagnostic``), 3 or 4 (``DCGM Diagnostic``)."""
    if not isinstance(document.value, dict):
        return [], []
    body = next((v for k, v in document.value.items() if "Diagnostic" in k and isinstance(v, dict)), document.value)
    tests = list(_tests(body))
    if not tests and "test_categories" not in body:
        return [], []
    hosts, line = document.speaker.hosts, document.first
    parts = (document.value.get("metadata"), body.get("metadata"), body, document.value)
    meta = {k: v for part in parts if isinstance(part, dict) for k, v in part.items() if isinstance(v, str)}
    version = told(meta.get("version") or meta.get("DCGM Version"))
    driver = told(meta.get("driver_version") or meta.get("Driver Version Detected") or meta.get("Driver Version"))
    for component, value in (("dcgm", version), ("driver", driver)):
        if value:
            out.version(hosts, line, component, value)
    for category, name, result in tests:
        word = _RESULTS.get(str(result.get("status", result.get("result", ""))).strip().lower())
        if word is None:
            out.note(f"a result of {test_name(name)} is no word that we know: it gives no fact")
            continue
        message, code = _words(result)
        for gpu in _gpus(result):
            out.put(DIAGNOSTIC_FACTS, hosts, line, {
                "category": category, "test": test_name(name), "gpu": gpu, "result": word, "code": code,
                "message": message, "version": version,
            })  # fmt: skip
            line += 1
    out.account.fact(*document.lines)
    return _rates(document, [r for _, _, r in tests], run, version)


def _rates(document: Document, results: list[dict[str, Any]], run: str, version: str | None) -> Rates:
    """Rows of a run and of the rates that results tell of GPUs; none where none does."""
    words = (r.get("info") for r in results)
    said = [text for word in words for text in (word if isinstance(word, list) else [word])]
    found = [rate for text in said if isinstance(text, str) and (rate := _RATE.match(text.strip()))]
    runs: list[dict[str, Any]] = []
    rates: list[dict[str, Any]] = []
    for host in document.speaker.hosts if found else ():
        about = {"host": host, "line": document.first}
        runs.append(about | {"run": run, "benchmark": "gemm", "version": version, "complete": True})
        for at, rate in enumerate(found):
            row = gemm_words.result(run, None, float(rate[2]) * _TERA, from_device=f"GPU{int(rate[1])}")
            rates.append(about | row | {"quantity": "gemm_mixed", "line": document.first + at})
    return runs, rates


def _tests(body: dict[str, Any]) -> Iterator[tuple[str | None, str, dict[str, Any]]]:
    """(category, test, result) of everything under ``test_categories``; a summary of a test is a result of the machine."""
    for group in mappings(body.get("test_categories")):
        category = group.get("category") if isinstance(group.get("category"), str) else None
        for test in mappings(group.get("tests")):
            name = test.get("name")
            if not isinstance(name, str) or not test_name(name):
                continue
            results = mappings(test.get("results"))
            summary = test.get("test_summary")
            if isinstance(summary, dict):
                results = [summary, *results]
            for result in results:
                yield category, name, result


def _gpus(result: dict[str, Any]) -> list[int | None]:
    """GPUs that a result is of: ``gpu_id``, ``gpu_ids``, or ``entity_id`` of the group of GPUs; [None] for the machine."""
    told_of: Any = next((result[k] for k in ("gpu_id", "gpu_ids", "gpuId") if k in result), None)
    if told_of is None and str(result.get("entity_group", "")).upper() in ("GPU", "GPUS"):
        told_of = result.get("entity_id")
    return [*numbers(str(told_of))] or [None] if told_of is not None and not isinstance(told_of, dict) else [None]


def _words(result: dict[str, Any]) -> tuple[str | None, str | None]:
    """Message and code of a result: ``warnings`` and ``warning`` hold texts or objects."""
    words: list[str] = []
    code: str | None = None
    for key in ("warnings", "warning", "errors", "error"):
        value = result.get(key)
        for part in value if isinstance(value, list) else [value]:
            text = part
            if isinstance(part, dict):
                text = part.get("warning") or part.get("error") or part.get("message")
                code = code or (str(part["error_id"]) if isinstance(part.get("error_id"), (int, str)) else None)
            if isinstance(text, str) and text.strip():
                words.append(text.strip())
    return " ".join(words)[:500] or None, code
