"""The workbook, read back cell by cell with openpyxl and compared with the tables of the plan."""

from __future__ import annotations

import builtins
import dataclasses
import functools
import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

import openpyxl
import polars as pl
import pytest
from openpyxl.workbook.workbook import Workbook

from asbuilt.artefacts import workbook as target
from asbuilt.artefacts.workbook import workbook
from asbuilt.artefacts.workbook_bill import BILL, bill
from asbuilt.artefacts.workbook_book import Cover, pages, sheet_name, workbook_bytes
from asbuilt.artefacts.workbook_cables import CABLE_LIST, cable_lists
from asbuilt.artefacts.workbook_columns import header, number_format, width
from asbuilt.artefacts.workbook_rows import CUT, letters, rows_xml
from asbuilt.artefacts.workbook_sheets import Sheet, sheets
from asbuilt.base.problem import ProblemError
from asbuilt.base.table import Column, Schema
from asbuilt.model.plan import Plan
from asbuilt.model.tables import PLAN_TABLES
from asbuilt.plan.labels import label_records
from asbuilt.workflow.export import TARGETS
from template_plans import made

TEMPLATES = ("l40s-384", "gb300-nvl72")
HOSTILE = [
    "=1+1",
    "+49",
    "-A",
    "@SUM(A1)",
    "a & b <c>",
    '"quoted"',
    "two\nlines",
    " blanks ",
    "_x0041_",
    "bell \x07",
    "日本 €",
    "",
]
COVER = Cover("=cmd & co", "abc", (("made from", "+x"),), (("racks", 2.0, ""),), ("As designed: nothing here is measured.",))


@functools.cache
def bytes_of(template: str) -> bytes:
    return workbook(made(template))["workbook/plan.xlsx"]


@functools.cache
def opened(template: str) -> Workbook:
    return openpyxl.load_workbook(io.BytesIO(bytes_of(template)))


def book_of(*listed: Sheet, most: int = 1_048_576) -> Workbook:
    return openpyxl.load_workbook(io.BytesIO(workbook_bytes(COVER, listed, most)))


def sheet_of(frame: pl.DataFrame, name: str = "list") -> Sheet:
    kinds = {pl.String: "str", pl.Int64: "i64", pl.Float64: "f64", pl.Boolean: "bool"}
    columns = tuple(Column(c, kinds[type(t)], "m", nullable=True) for c, t in frame.schema.items())
    return Sheet(name, "part", Schema(name, "What it is.", columns, (frame.columns[0],)), frame)


def unescaped(value: Any) -> Any:
    """Texts as Excel reads them (ECMA-376 ST_Xstring); openpyxl leaves the escapes in."""
    return re.sub("_x([0-9A-Fa-f]{4})_", lambda m: chr(int(m[1], 16)), value) if isinstance(value, str) else value


def values(book: Workbook, name: str) -> Iterator[tuple[Any, ...]]:
    yield from (tuple(unescaped(v) for v in row) for row in book[name].iter_rows(min_row=2, values_only=True))


def formulas(book: Workbook) -> list[str]:
    return [f"{s.title}!{c.coordinate}" for s in book for row in s.iter_rows() for c in row if c.data_type == "f"]


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_row_of_every_sheet_is_that_of_the_tables(template: str) -> None:
    plan, book = made(template), opened(template)
    listed = sheets(plan)
    assert book.sheetnames == ["cover", *(s.name for s in listed)]
    for sheet in listed:
        assert list(values(book, sheet.name)) == sheet.frame.rows(), sheet.name
        assert [c.value for c in book[sheet.name][1]] == [header(c) for c in sheet.schema.columns]
    for table in ("circuits", "cords", "busways", "trays", "routes", "racks", "rack_slots", "addresses", "air_rows"):
        assert any(s.frame.equals(plan.table(table)) and s.schema.columns == PLAN_TABLES[table].columns for s in listed), table


def test_cells_have_the_types_of_their_columns_and_no_cell_is_a_formula() -> None:
    book = opened("l40s-384")
    wanted = {"str": {"s", "inlineStr"}, "bool": {"b"}, "f64": {"n"}, "i64": {"n"}}
    for sheet in sheets(made("l40s-384")):
        for row in book[sheet.name].iter_rows(min_row=2):
            for cell, column in zip(row, sheet.schema.columns, strict=True):
                assert cell.value is None or cell.data_type in wanted[column.dtype], (sheet.name, cell.coordinate)
    assert formulas(book) == []
    with zipfile.ZipFile(io.BytesIO(bytes_of("l40s-384"))) as file:
        assert not [n for n in file.namelist() if b"<f>" in file.read(n) or b"<f " in file.read(n)]


def test_sheets_are_set_up_for_screen_and_paper() -> None:
    book = opened("gb300-nvl72")
    for sheet in sheets(made("gb300-nvl72")):
        page = book[sheet.name]
        last = f"{letters(sheet.frame.width - 1)}{sheet.frame.height + 1}"
        assert (page.freeze_panes, page.auto_filter.ref, page.dimensions) == ("B2", f"A1:{last}", f"A1:{last}")
        assert (page.page_setup.orientation, page.print_title_rows, page.page_setup.fitToWidth) == ("landscape", "$1:$1", None)
        assert page.page_setup.fitToHeight == 0 and page.sheet_properties.pageSetUpPr.fitToPage
        assert page.oddHeader.right.text == f"plan {made('gb300-nvl72').plan_hash[:12]}"
        assert page.oddFooter.left.text == "As designed: nothing here is measured."
        for column in page.column_dimensions.values():
            assert 6.0 <= column.width <= 49.0, (sheet.name, column.width)
    assert book["circuits"]["I2"].number_format == "#,##0.0" and book["circuits"]["J2"].number_format == "0"


def test_the_cover_names_counts_and_leads_to_every_sheet() -> None:
    plan, book = made("gb300-nvl72"), opened("gb300-nvl72")
    cover = book["cover"]
    said = {row[0]: row[1] for row in cover.iter_rows(min_col=1, max_col=2, values_only=True)}
    assert said["plan hash"] == plan.plan_hash and said["GPUs"] == 1152 and said["racks"] == plan.table("racks").height
    assert said["CDUs, those on standby among them"] == plan.table("cdus").height
    assert said["nameplate power"] == pytest.approx(plan.table("racks")["power_w"].sum() / 1e3)
    assert cover["A2"].value == "As designed: nothing here is measured."
    links = {cell.value: cell.hyperlink.location for row in cover.iter_rows() for cell in row if cell.hyperlink}
    assert links == {name: f"'{name}'!A1" for name in book.sheetnames[1:]}
    assert {name: said[name] for name in links} == {name: book[name].max_row - 1 for name in links}


def test_an_air_cooled_plan_says_which_sheets_it_has_no_rows_for() -> None:
    notes = [row[0] for row in opened("l40s-384")["cover"].iter_rows(min_row=2, max_row=5, max_col=1, values_only=True)]
    assert notes[2] is not None and notes[2].startswith("Nothing in this plan for: ") and "loops" in notes[2]
    assert not {"loops", "CDUs", "busbars"} & set(opened("l40s-384").sheetnames)


def test_equal_plans_give_equal_bytes_and_no_date() -> None:
    assert workbook(made("l40s-384"))["workbook/plan.xlsx"] == bytes_of("l40s-384")
    with zipfile.ZipFile(io.BytesIO(bytes_of("l40s-384"))) as file:
        assert {info.date_time for info in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert b"2000-01-01T00:00:00Z" in file.read("docProps/core.xml")


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_cable_is_in_one_list_with_both_labels(template: str) -> None:
    plan = made(template)
    lists = dict(cable_lists(plan))
    planes = set(plan.table("links")["plane"].unique()) | {"oob"}
    trunks = {"cables trunks"} if plan.table("trunks").height else set()
    assert set(lists) == {f"cables {plane}" for plane in planes} | trunks
    rows = pl.concat(lists.values())
    labels = label_records(plan).filter(pl.col("crew") == "cable")
    near = labels.filter(pl.col("end") == "near").select("item", "tail", "text").sort("item", "tail")
    far = labels.filter(pl.col("end") == "far").select("item", "tail", "text").sort("item", "tail")
    own = rows.sort("cable", "tail")
    assert own.select("cable", "tail", "a_label").rows() == near.rows()
    assert own.select("cable", "tail", "b_label").rows() == far.rows()
    assert rows.select("length_m", "part", "a_device", "b_device", "a_rack").null_count().row(0) == (0, 0, 0, 0, 0)
    assert all(not CABLE_LIST.conform(frame).is_empty() for frame in lists.values())


def test_cable_lists_name_devices_and_places() -> None:
    plan = made("l40s-384")
    rows = dict(cable_lists(plan))["cables compute"]
    first = rows.filter(pl.col("kind") == "jumper").row(0, named=True)
    link = plan.table("links").filter(pl.col("jumper") == first["cable"]).row(0, named=True)
    leaf = plan.table("switches").filter(pl.col("switch") == link["a_device"]).row(0, named=True)
    assert (first["a_device"], first["a_u"], f"rack:{first['a_rack']}") == (leaf["name"], leaf["u"], leaf["rack"])
    assert first["a_port"] == link["a_label"]


def test_the_bill_adds_spares_and_classes_and_names_what_is_built_in() -> None:
    plan = made("gb300-nvl72")
    rows = bill(plan)
    assert BILL.conform(rows).equals(rows) and rows.filter(pl.col("service") == "").is_empty()
    bought = rows.filter(pl.col("category") != "factory-built")
    bom = plan.table("bom")
    assert bought.select(bom.columns).equals(bom)
    assert (bought["to_order"] == bom["quantity"] + bom["spares"]).all()
    assert set(bought["class_origin"]) == {"assumed"}  # nobody publishes it, and nothing here says otherwise
    built = rows.filter(pl.col("category") == "factory-built").select("part", "quantity", "to_order", "service", "lead").rows()
    assert built == [
        ("NVLink cable cartridge", 64, 0, "factory-built", "with the rack"),
        ("NVLink copper cable in the cartridges", 80000, 0, "factory-built", "with the rack"),
    ]
    of = {(r["category"], r["role"]): (r["service"], r["lead"], r["counted_in"]) for r in rows.to_dicts()}
    assert of["cooling", "coolant"] == ("consumable", "stock", "litres")
    assert of["cooling", "cdu"] == ("installed", "long-lead", "pieces")
    assert of["fibre", "fibre tray"] == ("installed", "stock", "metres")
    assert of["fibre", "trunk"] == ("field-replaceable", "long-lead", "pieces")
    assert of["optic", "switch"] == ("field-replaceable", "long-lead", "pieces")
    assert "no rule for this category" not in set(rows["class_rule"])


def test_every_category_of_the_bills_has_a_rule() -> None:
    for template in ("l40s-384", "dgx-h100-superpod"):
        assert "no rule for this category" not in set(bill(made(template))["class_rule"])


def test_hostile_texts_stay_texts() -> None:
    frame = pl.DataFrame({"key": HOSTILE, "n": range(len(HOSTILE)), "b": [None, *([True] * (len(HOSTILE) - 1))]})
    book = book_of(sheet_of(frame))
    assert list(values(book, "list")) == frame.rows()
    assert formulas(book) == [] and book["cover"]["A1"].value == "=cmd & co"
    # A risky text that somebody opens for editing stays a text: its cell carries the quote.
    assert [c.quotePrefix for (c,) in book["list"].iter_rows(min_row=2, max_col=1)][:5] == [True, True, True, True, False]
    with zipfile.ZipFile(io.BytesIO(workbook_bytes(COVER, [sheet_of(frame)]))) as file:
        assert b"bell _x0007_" in file.read("xl/worksheets/sheet2.xml")


def test_numbers_keep_all_their_digits_and_what_is_no_number_is_a_word() -> None:
    numbers = [0.1 + 0.2, 1e-9, 1.5e300, -0.0, 123456789.123456, float("inf"), float("nan"), None]
    book = book_of(sheet_of(pl.DataFrame({"key": list("abcdefgh"), "x": numbers})))
    assert [row[1] for row in values(book, "list")] == [*numbers[:5], "inf", "NaN", None]


def test_a_text_longer_than_a_cell_is_cut_and_says_so() -> None:
    frame = pl.DataFrame({"key": ["x" * 32_767, "y" * 32_768, "€" * 12_000]})
    read = [row[0] for row in values(book_of(sheet_of(frame)), "list")]
    assert read[0] == "x" * 32_767 and read[1] == "y" * 8_000 + CUT and read[2] == "€" * 8_000 + CUT


def test_a_list_longer_than_a_sheet_is_cut_and_the_cover_says_so() -> None:
    frame = pl.DataFrame({"key": [f"k{n}" for n in range(25)], "n": range(25)})
    book = book_of(sheet_of(frame, "cables compute"), most=11)
    assert book.sheetnames == ["cover", "cables compute", "cables compute 2", "cables compute 3"]
    assert [row[1] for name in book.sheetnames[1:] for row in values(book, name)] == list(range(25))
    told = [row[3].value for row in book["cover"].iter_rows(min_row=5) if row[3].value]
    assert told[1:] == [
        "What it is. part 1 of 3: rows 1 to 10 of the list",
        "What it is. part 2 of 3: rows 11 to 20 of the list",
        "What it is. part 3 of 3: rows 21 to 25 of the list",
    ]


def test_no_sheet_is_larger_than_excel_takes() -> None:
    narrow = sheet_of(pl.DataFrame({"key": pl.int_range(2_100_000, eager=True).cast(pl.String)}))
    assert [(p.start, p.rows) for p in pages([narrow])] == [(0, 1_048_575), (1_048_575, 1_048_575), (2_097_150, 2_850)]


def test_sheet_names_are_those_that_excel_takes() -> None:
    taken = {"cover", "history"}
    names = [sheet_name(n, taken) for n in ("a/b:c*[x]?\\", "A_B_C__X___", "'q'", "", "History", "Cover", "z" * 40, "Z" * 40)]
    assert names == [
        "a_b_c__x___", "A_B_C__X___ (2)", "q", "sheet", "History (2)", "Cover (2)", "z" * 31, "Z" * 27 + " (2)",
    ]  # fmt: skip
    for template in TEMPLATES:
        held = opened(template).sheetnames
        assert len({n.lower() for n in held}) == len(held) and not [n for n in held if len(n) > 31 or set(n) & set("[]:*?/\\")]


@pytest.mark.parametrize(
    ("column", "words", "form"),
    [
        (Column("whip_m", "f64", "", "m"), "whip (m)", "#,##0.00"),
        (Column("r_mohm_m", "f64", "", "mΩ/m"), "r (mΩ/m)", "#,##0.0000"),
        (Column("now_l_min", "f64", "", "L/min"), "now (L/min)", "#,##0.0"),
        (Column("airflow_m3_h", "f64", "", "m3/h"), "airflow (m³/h)", "#,##0"),
        (Column("x_mm", "f64", "", "mm"), "x (mm)", "#,##0"),
        (Column("u", "f64", "", "U"), "U", "General"),
        (Column("a_u", "f64", "", "U"), "a U", "General"),
        (Column("height_u", "f64", "", "U"), "height (U)", "General"),
        (Column("outlets_c13", "i64", "", ""), "outlets c13", "0"),
        (Column("pdu", "str", "", ""), "PDU", ""),
    ],
)
def test_headers_carry_units(column: Column, words: str, form: str) -> None:
    assert (header(column), number_format(column)) == (words, form)


def test_units_of_all_tables_are_spelled_in_headers() -> None:
    for schema in PLAN_TABLES.values():
        assert len({header(c) for c in schema.columns}) == len(schema.columns), schema.name
        for column in schema.columns:
            assert not column.unit or header(column).endswith(("U", ")")), (schema.name, column.name)


def test_columns_are_as_wide_as_what_they_hold() -> None:
    text = Column("receptacle", "str", "")
    assert width(text, pl.Series(["60309-60A-3P+N+E"])) == (pytest.approx(20.4), False)
    assert width(text, pl.Series(["x" * 200])) == (48.0, True)
    assert width(Column("load_a", "f64", "", "A"), pl.Series([1234.56])) == (9.0, False)
    assert width(Column("dew_point_c", "f64", "", "°C"), pl.Series([None], dtype=pl.Float64)) == (12.0, False)


def test_letters_of_columns() -> None:
    assert [letters(n) for n in (0, 25, 26, 51, 52, 701, 702, 16_383)] == ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA", "XFD"]


def test_styles_have_to_fit_the_columns() -> None:
    with pytest.raises(ValueError, match="1 columns, 0 styles"):
        list(rows_xml(pl.DataFrame({"a": [1]}), [], 2))


def test_a_plan_without_rows_has_no_workbook() -> None:
    assert workbook(Plan("nothing", {})) == {}


def test_a_partial_plan_has_the_sheets_of_what_it_knows() -> None:
    whole = made("l40s-384")
    part = Plan("part", {name: whole.table(name) for name in ("racks", "nodes", "switches", "links", "jumpers")})
    book = openpyxl.load_workbook(io.BytesIO(workbook(part)["workbook/plan.xlsx"]))
    assert "BOM" not in book.sheetnames and {"racks", "cables compute", "columns"} <= set(book.sheetnames)
    assert "none: the plan was not named" in [cell.value for cell in book["cover"]["B"]]


def test_a_table_of_an_older_plan_lacks_its_newer_columns() -> None:
    whole = made("l40s-384")
    tables = {"racks": whole.table("racks").drop("airflow_m3_h")}
    book = openpyxl.load_workbook(io.BytesIO(workbook(dataclasses.replace(whole, tables=tables))["workbook/plan.xlsx"]))
    assert "airflow (m³/h)" not in [c.value for c in book["racks"][1]]


def test_without_xlsxwriter_the_target_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *rest: Any, **more: Any) -> Any:
        if name.split(".")[0] == "xlsxwriter":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(ProblemError) as caught:
        workbook(made("l40s-384"))
    assert str(caught.value) == (
        "ART-010 the workbook needs XlsxWriter, which is not installed\n"
        "  why: its formats and print set-up are written by it\n"
        "  fix: pip install XlsxWriter, or export the other targets\n1 problem"
    )


def test_the_target_is_offered() -> None:
    assert TARGETS["workbook"].make is workbook and TARGETS["workbook"].proof == target.PROOF and target.LOST
