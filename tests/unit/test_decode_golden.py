"""Every mistake a requirement can hold, with the exact words that a user reads.

``UPDATE_GOLDEN=1 pytest tests/unit/test_decode_golden.py`` rewrites the texts; read the diff before committing it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.base.source_text import LARGEST_BYTES
from asbuilt.model.decode_requirement import decode
from asbuilt.model.requirement_problems import CODES, MEANINGS

FOLDER = Path(__file__).parent.parent / "golden" / "requirement"
CASES = sorted(path for path in FOLDER.iterdir() if path.suffix in (".yaml", ".bytes"))


def said(data: bytes) -> str:
    """What a user reads for ``data``; fails when it is accepted."""
    with pytest.raises(ProblemError) as caught:
        decode(data, "cluster.yaml")
    return caught.value.problems.render() + "\n"


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_text_is_word_for_word(case: Path) -> None:
    text = said(case.read_bytes())
    expected = case.with_suffix(".txt")
    if os.environ.get("UPDATE_GOLDEN") == "1":
        expected.write_text(text, encoding="utf-8")
    assert text == expected.read_text(encoding="utf-8")


def test_no_golden_text_without_its_case() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == {path.stem for path in CASES}


def test_there_are_enough_cases_and_every_code_is_shown() -> None:
    shown = "\n".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.txt"))
    assert len(CASES) >= 45
    elsewhere = {CODES_BY_NAME["too-large"], CODES_BY_NAME["too-many"]}  # too long to keep as files; tested below
    assert {code for code in MEANINGS if code not in shown} == elsewhere


CODES_BY_NAME = {str(fault): code for fault, code in CODES.items()}


def test_a_file_over_one_mebibyte_is_not_read() -> None:
    text = said(b"#" * (LARGEST_BYTES + 1))
    assert text.startswith("cluster.yaml: REQ-001 the file has 1048577 bytes; at most 1048576 (1 MiB) are read\n")


def test_every_code_has_a_meaning() -> None:
    assert set(CODES.values()) <= set(MEANINGS)
    assert len(set(CODES.values())) == len(CODES)


def test_past_a_hundred_problems_only_their_number_is_told() -> None:
    head = "schema: requirement/v1\nname: pilot\nsystem: dgx-h100\ngpus: 256\nsoftware:\n"
    text = said((head + "".join(f"  package{i}: {i}\n" for i in range(130))).encode())
    assert text.count("REQ-031") == 100
    assert text.endswith("cluster.yaml: REQ-032 30 further problems\n  fix: mend these first\n101 problems\n")
