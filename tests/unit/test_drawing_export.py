"""Export of the drawings: files and index, the PDF book, hostile names in typst, a machine without typst."""

from __future__ import annotations

import json
import re
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from asbuilt.artefacts.drawings import book, drawings
from asbuilt.artefacts.pdf_book import Imprint, compiled, pdf_book, scale_of, source
from asbuilt.artefacts.typst_text import literal
from asbuilt.base.problem import Problem, ProblemError
from asbuilt.cli.main import main
from asbuilt.drawings.every import MOST_RACKS, book_rows, chapters, row_kinds
from asbuilt.drawings.printed import PRINT_FONT, plain_colours, printed_svg
from asbuilt.drawings.theme import LIGHT
from asbuilt.model.plan import Plan
from asbuilt.report.html import report_html
from asbuilt.workflow.export import TARGETS, export
from drawing_boxes import colliding, cut, texts
from physical_frames import hall
from template_plans import made

HOSTILE = '#panic("x") $a$ \\ "quoted" [b] *c* @d <e> `f` // g \x00\ud800\n=h \u202eevil'
IMPRINT = Imprint("drawn", "0123456789abcdef", "p1", ("Row A is drawn.",))


def test_every_sheet_is_a_file_and_stands_in_the_index() -> None:
    files = drawings(hall(2, 4))
    index = files.pop("drawings/index.html").decode()
    wide = {p for p in files if not p.startswith("drawings/phone/")}
    assert {"drawings/one-line-overview.svg", "drawings/loop-a.svg", "drawings/trays.svg"} <= wide
    assert {p.removeprefix("drawings/") for p in files} == set(re.findall(r'href="([^"]+)"', index))
    for data in files.values():
        assert ET.fromstring(data).tag.endswith("svg") and b"prefers-color-scheme: dark" in data


def test_equal_plans_give_equal_bytes() -> None:
    assert drawings(hall(2, 4)) == drawings(hall(2, 4))
    assert book(hall(2, 4)) == book(hall(2, 4))


def test_a_plan_without_tables_gives_no_file() -> None:
    assert drawings(Plan("nothing", {})) == {} and book(Plan("nothing", {})) == {}


def test_the_book_is_a_pdf_without_a_date() -> None:
    data = book(hall(1, 4))["drawings/drawings.pdf"]
    assert data.startswith(b"%PDF-") and b"/CreationDate" not in data and b"/ModDate" not in data


def test_the_book_has_a_page_for_each_sheet_and_the_contents() -> None:
    sheets = [s for c in chapters(hall(2, 3)) for s in c.sheets]
    pages = compiled(
        source(sheets, IMPRINT), {f"sheet-{i + 1:04d}.svg": printed_svg(s) for i, s in enumerate(sheets)}, "png", 20
    )
    assert isinstance(pages, list) and len(pages) == len(sheets) + 1
    assert len({page[16:24] for page in pages}) == 1  # width and height of each picture


def test_the_title_block_names_plan_hash_sheet_phase_and_what_it_is_not() -> None:
    sheets = [s for c in chapters(hall(1, 3)) for s in c.sheets]
    text = source(sheets, IMPRINT)
    assert '"0123456789ab"' in text and '"as designed; nothing here is measured"' in text
    assert f'"1 of {len(sheets)}"' in text and 'cell("Build phase", "p1")' in text and '#par("Row A is drawn.")' in text


def test_hostile_names_are_set_as_text() -> None:
    """Were one letter read as typst code, ``#panic`` would stop the compiler."""
    sheets = [replace(s, title=HOSTILE, subtitle=HOSTILE) for c in chapters(hall(1, 2)) for s in c.sheets]
    assert pdf_book(sheets, Imprint(HOSTILE, HOSTILE, HOSTILE, (HOSTILE,))).startswith(b"%PDF-")


def test_literals_escape_what_typst_reads() -> None:
    assert literal('a"b\\c') == '"a\\"b\\\\c"'
    assert literal("a\nb\tc\x00\x7f\ud800\u202e") == '"a b c\ufffd\ufffd\ufffd\ufffd"'
    assert literal("#let x = 1 // é × 10") == '"#let x = 1 // é × 10"'


def test_printed_sheets_know_no_variables_and_one_face() -> None:
    for sheet in [s for c in chapters(hall(2, 3)) for s in c.sheets]:
        svg = printed_svg(sheet)
        assert "var(" not in svg and "@media" not in svg and "<title>" not in svg
        assert set(re.findall(r"font-family:([^;}]+)", svg)) == {f"'{PRINT_FONT}'"}
    assert plain_colours("fill:var(--fail);stroke:var(--nothing)") == f"fill:{LIGHT['fail']};stroke:#000000"


@pytest.mark.parametrize("template", ["gb300-nvl72", "dgx-h100-superpod", "l40s-384"])
def test_no_sheet_of_a_template_is_shrunk_beyond_reading(template: str) -> None:
    rows, _ = book_rows(made(template))
    for chapter in chapters(made(template), rows=rows):
        for sheet in chapter.sheets:
            assert scale_of(sheet) >= 0.6, sheet.name


@pytest.mark.parametrize("template", ["gb300-nvl72", "dgx-h100-superpod", "l40s-384"])
@pytest.mark.parametrize("narrow", [False, True])
def test_nothing_of_a_template_overlaps_or_leaves_its_sheet(template: str, narrow: bool) -> None:
    """Figures of tray segments stand on hatched boxes of their own width, and may touch their edges."""
    for chapter in chapters(made(template), narrow=narrow):
        for sheet in chapter.sheets if chapter.title.startswith(("Power", "Cooling", "Cables")) else ():
            svg = sheet.svg()
            wrong = cut(svg)
            assert [w for w in wrong if w.startswith("outside") or not sheet.name.startswith("trays")] == [], sheet.name
            assert colliding(texts(svg)) == [], sheet.name


def test_large_halls_have_one_row_of_each_kind_in_the_book() -> None:
    plan = hall(9, 5, 3)
    assert plan.table("racks").height > MOST_RACKS
    assert row_kinds(plan) == {"A": ("B", "C", "D", "E", "F", "G", "H"), "I": ()}
    rows, left = book_rows(plan)
    assert rows == {"A", "I"}
    assert left == ("Row A is drawn; 7 rows like it (B to H) are among the SVG files only.",)
    names = [s.name for c in chapters(plan, rows=rows) for s in c.sheets]
    assert "loop-a" in names and "loop-i" in names and "loop-b" not in names
    assert "drawings/loop-b.svg" in drawings(plan)
    assert book_rows(hall(1, 5)) == (None, ())


def test_without_typst_the_rest_is_written_and_the_book_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    monkeypatch.setattr("asbuilt.workflow.export.TARGETS", {t: TARGETS[t] for t in ("drawings", "pdf-book")})
    plan = hall(1, 2)
    skipped: list[Problem] = []
    written = {w.path for w in export(plan, tmp_path, skipped=skipped)}
    assert "drawings/index.html" in written and "drawings/drawings.pdf" not in written
    assert {p.code for p in skipped} == {"ART-010"}
    assert (
        "ART-010 the PDF book needs typst, which is not installed\n"
        "  why: the SVG sheets are written without it\n"
        "  fix: pip install typst, or export without pdf-book"
    ) in [p.render() for p in skipped]
    with pytest.raises(ProblemError, match="ART-010"):
        export(plan, tmp_path, ["pdf-book"])


def test_a_report_holds_the_drawings_of_a_small_hall_and_names_the_files_of_a_large_one() -> None:
    body = report_html(hall(1, 4), None, [], {})
    assert "<summary>Loop A " in body and "<summary>One-line diagram, row A " in body and "Planned fabric</summary>" not in body
    assert not re.search(r"\s(style|on\w+)=", body)
    large = report_html(hall(9, 5), None, [], {})
    assert "<code>asbuilt export drawings pdf-book</code> writes its sheets as files" in large and "Loop A" not in large
    assert "no physical tables to draw" in report_html(None, None, [], {})


def test_the_report_of_a_template_draws_its_floor_racks_power_loops_and_trays() -> None:
    body = report_html(made("gb300-nvl72"), None, [], {})
    assert re.findall(r"<h3>([^<]+)</h3>", body[body.index('id="drawings"') :])[:5] == [
        "Floor: hall and rows",
        "Racks: elevations",
        "Power: one-line diagrams",
        "Cooling: loop diagrams",
        "Cables: tray maps",
    ]
    assert not re.search(r"<[^>]+\s(style|on\w+)=", body)


def test_the_command_tells_what_it_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    project = str(tmp_path / "p")
    assert main(["new", "l40s-384", project]) == 0
    assert main(["-C", project, "plan"]) == 0
    monkeypatch.setitem(sys.modules, "typst", None)
    monkeypatch.setattr("asbuilt.workflow.export.TARGETS", {t: TARGETS[t] for t in ("drawings", "pdf-book")})
    capsys.readouterr()
    assert main(["-C", project, "export"]) == 0
    said = capsys.readouterr()
    assert "ART-010 the PDF book needs typst" in said.err and "artefacts/drawings/index.html\n" in said.out
    assert main(["-C", project, "export", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [p["code"] for p in document["skipped"]] == ["ART-010"]
    assert main(["-C", project, "export", "pdf-book"]) == 2
    assert "ART-010" in capsys.readouterr().err
