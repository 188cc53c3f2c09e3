"""Labels of a plan: identifiers of every kind of end, order of work, CSV, sheets."""

from __future__ import annotations

import re
import struct
import zlib
from typing import Any

import polars as pl
import pytest

from asbuilt.artefacts import label_sheets
from asbuilt.artefacts.labels import COLUMNS, chosen, labels
from asbuilt.model.plan import Plan
from asbuilt.model.tables import PLAN_TABLES
from asbuilt.physics.labels import are_pair, ends_of
from asbuilt.plan.labels import LABELS, label_records
from template_plans import made

BLANK = {"str": "", "i64": 0, "f64": 0.0, "bool": False}


def rows(name: str, *given: dict[str, Any]) -> pl.DataFrame:
    """A plan table of rows that name only what matters."""
    schema = PLAN_TABLES[name]
    blank = {c.name: None if c.nullable else BLANK[c.dtype] for c in schema.columns}
    return schema.conform(pl.DataFrame([blank | row for row in given], schema=schema.polars(), strict=False))


def little() -> Plan:
    """Two racks in rows Z and AA, a trunk between them with one jumper, a splitter, a patch cord, power and coolant."""
    leaf, spine, node, other = "sw:compute/leaf-0", "sw:compute/spine-0", "node:0000", "node:0001"
    port = {"plane": "compute", "rate_gbps": 400.0}
    tables = {
        "racks": rows(
            "racks",
            {"rack": "rack:AA-01", "name": "AA-01", "row": "AA", "position": 1},
            {"rack": "rack:Z-01", "name": "Z-01", "row": "Z", "position": 1},
            {"rack": "rack:Z-02", "name": "Z-02", "row": "Z", "position": 2},
        ),
        "switches": rows(
            "switches",
            {"switch": leaf, "name": "leaf", "rack": "rack:Z-01", "u": 3.0},
            {"switch": spine, "name": "spine", "rack": "rack:AA-01", "u": 12.5},
        ),
        "nodes": rows(
            "nodes",
            {"node": node, "name": "n0", "rack": "rack:Z-02", "u": 7.0},
            {"node": other, "name": "n1", "rack": "rack:AA-01", "u": 1.0},
        ),
        "jumpers": rows(
            "jumpers",
            {"jumper": f"cable:{leaf}/1", "links": 2, "a_device": leaf, "a_label": "1/1/1", "b_device": node, "b_label": "m0"},
            {"jumper": f"cable:{leaf}/3", "links": 1, "a_device": leaf, "a_label": "2/1", "b_device": spine, "b_label": "1/1"},
            {"jumper": f"cable:{leaf}/5", "links": 1, "a_device": leaf, "a_label": "3", "b_device": node, "b_label": "m1"},
            {"jumper": f"cable:{leaf}/5b", "links": 1, "a_device": leaf, "a_label": "3", "b_device": node, "b_label": "m1"},
        ),
        "links": rows(
            "links",
            {"link": "l1", "jumper": f"cable:{leaf}/1", "a_device": leaf, "a_port": 1, "a_label": "1/1/1",
             "b_device": node, "b_label": "m0", **port},
            {"link": "l2", "jumper": f"cable:{leaf}/1", "a_device": leaf, "a_port": 2, "a_label": "1/1/2",
             "b_device": other, "b_label": "m0", **port},
        ),
        "channels": rows(
            "channels",
            {"jumper": f"cable:{leaf}/3", "trunk": "trunk:Z-01/AA-01/sm-1", "port": 2, "a_cord_m": 2.0, "b_cord_m": 3.0},
        ),
        "panels": rows(
            "panels",
            {"panel": "panel:Z-01/1", "rack": "rack:Z-01", "u": 47.0},
            {"panel": "panel:AA-01/1", "rack": "rack:AA-01", "u": None},
        ),
        "trunks": rows(
            "trunks",
            {"trunk": "trunk:Z-01/AA-01/sm-1", "a_panel": "panel:Z-01/1", "a_position": 4, "b_panel": "panel:AA-01/1",
             "b_position": 5, "ports": 2},
        ),
        "management_ports": rows(
            "management_ports", {"device": node, "switch": leaf, "port": 48, "label": "48", "part": "cat6", "length_m": 2.0}
        ),
        "pdus": rows("pdus", {"pdu": "pdu:Z-02/A1", "rack": "rack:Z-02", "feed": "feed:A"}),
        "cords": rows(
            "cords",
            {"cord": "cord:node:0000/0", "device": node, "supply": 0, "pdu": "pdu:Z-02/A1", "outlet": 9, "plug": "C20",
             "connector": "C19"},
        ),
        "feeds": rows("feeds", {"feed": "feed:A", "letter": "A"}),
        "busways": rows("busways", {"busway": "busway:Z/A", "row": "Z", "feed": "feed:A"}),
        "circuits": rows(
            "circuits",
            {"circuit": "circuit:Z-02/A1", "busway": "busway:Z/A", "feed": "feed:A", "serves": "pdu:Z-02/A1", "tap_m": 1.2},
            {"circuit": "circuit:Z-02/A2", "busway": None, "feed": "feed:A", "serves": "pdu:Z-02/A1"},
        ),
        "loops": rows("loops", {"loop": "loop:Z", "row": "Z"}),
        "cdus": rows("cdus", {"cdu": "cdu:Z/1", "loop": "loop:Z", "row": "Z", "part": "xdu"}),
        "branches": rows(
            "branches",
            {"branch": "branch:Z-02", "rack": "rack:Z-02", "loop": "loop:Z", "number": 2, "built": True, "hose_id_mm": 35.1},
            {"branch": "branch:Z-03", "rack": "rack:Z-03", "loop": "loop:Z", "number": 3, "built": False},
        ),
    }  # fmt: skip
    return Plan("little", tables)


@pytest.fixture(scope="module")
def records() -> pl.DataFrame:
    return label_records(little())


def near(records: pl.DataFrame, item: str, tail: int = 1) -> str | None:
    """What the label at the near end of an item reads."""
    held = records.filter((pl.col("item") == item) & (pl.col("tail") == tail) & (pl.col("end") == "near"))
    text: str | None = held["text"].item()
    return text


class TestIdentifiers:
    @pytest.mark.parametrize(
        ("item", "tail", "text"),
        [
            ("cable:sw:compute/leaf-0/1", 1, "Z-01-U03:1-1-1/Z-02-U07:m0"),
            ("cable:sw:compute/leaf-0/1", 2, "Z-01-U03:1-1-2/AA-01-U01:m0"),
            ("cable:sw:compute/leaf-0/5", 1, "Z-01-U03:3a/Z-02-U07:m1a"),
            ("cable:sw:compute/leaf-0/5b", 1, "Z-01-U03:3b/Z-02-U07:m1b"),
            ("cable:sw:compute/leaf-0/3#a", 1, "Z-01-U03:2-1/Z-01-U47:4-2"),
            ("cable:sw:compute/leaf-0/48", 1, "Z-01-U03:48/Z-02-U07:MGMT"),
            ("cord:node:0000/0", 1, "Z-02-PDU-A1:9/Z-02-U07:PSU0"),
            ("circuit:Z-02/A1", 1, "BUS-Z-A:Z-02-A1/Z-02-PDU-A1:INLET"),
            ("circuit:Z-02/A2", 1, "BOARD-A:Z-02-A2/Z-02-PDU-A1:INLET"),
            ("hose:Z-02/supply", 1, "HDR-Z:S02/Z-02-MAN:S"),
            ("hose:Z-02/return", 1, "HDR-Z:R02/Z-02-MAN:R"),
        ],
    )
    def test_both_ends_of_everything_pulled(self, records: pl.DataFrame, item: str, tail: int, text: str) -> None:
        assert near(records, item, tail) == text

    def test_a_place_that_nobody_knows_has_no_label(self, records: pl.DataFrame) -> None:
        """The far panel found no rack unit: its trunk and the cord in it have no text, and are still listed."""
        for item in ("trunk:Z-01/AA-01/sm-1", "cable:sw:compute/leaf-0/3#b"):
            assert near(records, item) is None
        assert records.filter(pl.col("item") == "panel:AA-01/1")["text"].item() is None

    def test_the_jumper_over_a_trunk_is_two_cords(self, records: pl.DataFrame) -> None:
        assert "cable:sw:compute/leaf-0/3" not in records["item"]
        lengths = records.filter(pl.col("kind") == "cord-in-panel").select("item", "length_m").unique().sort("item").rows()
        assert lengths == [("cable:sw:compute/leaf-0/3#a", 2.0), ("cable:sw:compute/leaf-0/3#b", 3.0)]

    def test_each_cord_is_at_the_panel_of_its_own_rack(self) -> None:
        """A trunk counts from the rack that comes first, its jumpers from their switch: here the two differ."""
        plan = little()
        turned = plan.table("trunks").rename(
            {"a_panel": "b_panel", "b_panel": "a_panel", "a_position": "b_position", "b_position": "a_position"}
        )
        records = label_records(Plan("turned", {**plan.tables, "trunks": turned.select(plan.table("trunks").columns)}))
        assert near(records, "cable:sw:compute/leaf-0/3#a") == "Z-01-U03:2-1/Z-01-U47:4-2"

    def test_a_splitter_over_a_trunk_splits_at_its_far_end(self) -> None:
        plan = little()
        three = pl.col("jumper") == "cable:sw:compute/leaf-0/3"
        split = plan.table("jumpers").with_columns(
            pl.when(three).then(2).otherwise("links").cast(pl.Int64).alias("links"), pl.lit("mpo-split").alias("part")
        )
        records = label_records(Plan("split", {**plan.tables, "jumpers": split}))
        parts = records.filter(pl.col("kind") == "cord-in-panel").select("item", "part").unique().sort("item").rows()
        assert parts == [
            ("cable:sw:compute/leaf-0/3#a", "straight, as mpo-split"),
            ("cable:sw:compute/leaf-0/3#b", "mpo-split"),
        ]

    def test_what_stands_still(self, records: pl.DataFrame) -> None:
        still = records.filter(pl.col("kind").is_in(["rack", "pdu", "cdu"])).sort("item", "end")
        assert still.select("kind", "text", "end").rows() == [
            ("cdu", "CDU-Z-1", "front"),
            ("pdu", "Z-02-PDU-A1", "front"),
            *(("rack", name, end) for name in ("AA-01", "Z-01", "Z-02") for end in ("front", "rear")),
        ]

    def test_hoses_of_later_racks_are_not_labelled_yet(self, records: pl.DataFrame) -> None:
        assert not records["item"].str.contains("Z-03").any()

    def test_site_and_room(self) -> None:
        text = near(label_records(little(), "DC1.H2"), "cord:node:0000/0")
        assert text == "DC1.H2.Z-02-PDU-A1:9/DC1.H2.Z-02-U07:PSU0"
        assert text is not None and ends_of(text) is not None

    def test_an_empty_plan_has_none(self) -> None:
        assert label_records(Plan("nothing", {})).is_empty()
        assert labels(Plan("nothing", {})) == {}


class TestOrder:
    def test_rows_in_the_order_of_halls(self, records: pl.DataFrame) -> None:
        racks = records.filter((pl.col("kind") == "rack") & (pl.col("end") == "front"))
        assert racks["rack"].to_list() == ["Z-01", "Z-02", "AA-01"]

    def test_pairs_are_neighbours_and_count_once(self, records: pl.DataFrame) -> None:
        for crew, of_crew in records.group_by("crew"):
            pulls = of_crew["pull"].to_list()
            assert pulls == sorted(pulls) and set(pulls) == set(range(1, max(pulls) + 1)), crew
            assert of_crew.group_by("item").agg(pl.col("pull").n_unique())["pull"].to_list() == [1] * of_crew["item"].n_unique()

    def test_tails_of_a_splitter_stay_together(self, records: pl.DataFrame) -> None:
        held = records.filter(pl.col("item") == "cable:sw:compute/leaf-0/1")
        assert held.select("tail", "end").rows() == [(1, "near"), (1, "far"), (2, "near"), (2, "far")]


@pytest.mark.parametrize("template", ["gb300-nvl72", "dgx-h100-superpod", "l40s-384"])
def test_every_label_of_a_template_is_one_of_a_pair_and_unlike_all_others(template: str) -> None:
    records = label_records(made(template))
    assert not LABELS.faults(records)
    pulled = records.filter(pl.col("end").is_in(["near", "far"]) & pl.col("text").is_not_null())
    assert pulled["text"].is_unique().all()
    first = pulled.head(400)
    texts = first["text"].to_list()
    assert all(are_pair(a, b) for a, b in zip(texts[::2], texts[1::2], strict=True))
    swapped = pl.concat_str([pl.col("remote"), pl.col("own")], separator="/")
    assert set(pulled.filter(pl.col("end") == "near").select(swapped)["remote"]) == set(
        pulled.filter(pl.col("end") == "far")["text"]
    )


def _grey(png: bytes) -> list[bytes]:
    """The red channel of a PNG with 8 bits a channel, row by row (ISO/IEC 15948: chunks, filters)."""
    at, header, body = 8, b"", b""
    while at < len(png):
        (size,), kind = struct.unpack(">I", png[at : at + 4]), png[at + 4 : at + 8]
        data = png[at + 8 : at + 8 + size]
        header, body = (data, body) if kind == b"IHDR" else (header, body + data) if kind == b"IDAT" else (header, body)
        at += 12 + size
    width, height, _, colour = struct.unpack(">IIBB", header[:10])
    each = {0: 1, 2: 3, 6: 4}[colour]
    raw, out, before = zlib.decompress(body), [], bytes(width * each)
    for y in range(height):
        kind, line = raw[y * (width * each + 1)], bytearray(raw[y * (width * each + 1) + 1 : (y + 1) * (width * each + 1)])
        for x in range(len(line)):
            left, up, corner = line[x - each] if x >= each else 0, before[x], before[x - each] if x >= each else 0
            guess = left + up - corner
            paeth = min((left, up, corner), key=lambda v: abs(guess - v))
            line[x] = (line[x] + (0, left, up, (left + up) // 2, paeth)[kind]) % 256
        out.append(bytes(line[::each]))
        before = bytes(line)
    return out


class TestSheets:
    def test_the_picture_is_the_code(self) -> None:
        """The path of the SVG, filled in again, gives the modules that segno gives for the key with its own settings."""
        import segno

        key = "cable:sw:compute/leaf-b000-r0/100"
        want = segno.make_qr(key, error="m", mask=2, boost_error=False).matrix
        seen = [bytearray(len(want)) for _ in want]
        for x, y, n in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\d+z", label_sheets.qr_svg(key)):
            seen[int(y)][int(x) : int(x) + int(n)] = b"\x01" * int(n)
        assert seen == [bytearray(row) for row in want]

    def test_the_printed_code_is_the_code(self, records: pl.DataFrame) -> None:
        """A label set by typst, sampled in the middle of each module of its picture."""
        import typst

        one = records.filter(pl.col("item") == "cord:node:0000/0").head(1)
        code = label_sheets.modules("cord:node:0000/0")
        side, form = len(code) + 8, label_sheets.SHEETS["roll60"]
        step = form.qr_mm / side
        ppi = 8 * 25.4 / step  # eight pixels a module
        png = typst.compile(label_sheets.source(one, "roll60").encode(), format="png", ppi=ppi, ignore_system_fonts=True)
        assert isinstance(png, bytes)
        grey = _grey(png)
        top = (form.height_mm - form.qr_mm) / 2 / step
        seen = tuple(
            bytes(grey[int((top + 4 + y + 0.5) * 8)][int((4 + x + 0.5) * 8)] < 128 for x in range(len(code)))
            for y in range(len(code))
        )
        assert seen == code

    @pytest.mark.parametrize("name", list(label_sheets.SHEETS))
    def test_pages_are_filled_to_the_last_label(self, records: pl.DataFrame, name: str) -> None:
        form = label_sheets.SHEETS[name]
        readable = records.filter(pl.col("text").is_not_null())
        many = pl.concat([readable] * 20).head(2 * form.across * form.down + 1)
        pdf = label_sheets.sheet(many, name)
        assert len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf)) == 3
        assert pdf == label_sheets.sheet(many, name)

    def test_a_long_identifier_is_cut_not_lost(self) -> None:
        form = label_sheets.SHEETS["l4731"]
        line = "DATACENTRE-NORTH.HALL-2.AA-117-U12:osfp4-1"
        pieces = label_sheets._cut(line, form, label_sheets._size(form, len(line)))
        assert "".join(pieces) == line and len(pieces) > 1
        widest = max(map(len, pieces)) * label_sheets._size(form, len(line)) * 0.602 * 25.4 / 72
        assert widest <= form.text_mm

    def test_hostile_names_are_text(self, records: pl.DataFrame) -> None:
        bad = '#panic("x") "\\ $*_`@<b>\u202e\x00\n'
        one = records.head(2).with_columns(pl.lit(bad).alias("own"), pl.lit(bad).alias("item"))
        assert label_sheets.sheet(one, "l7651").startswith(b"%PDF")


class TestFiles:
    def test_csv_is_whole_and_safe(self) -> None:
        plan = little()
        racks = plan.table("racks").with_columns(pl.lit("=HYPERLINK(1)").alias("name"))
        files = labels(Plan("x", {**plan.tables, "racks": racks}))
        text = files["labels/labels.csv"].decode()
        assert text.startswith(",".join(COLUMNS) + "\n")
        assert ",'=HYPERLINK(1)-U03:48/" in text and ",=HYPERLINK" not in text
        assert text.count("\n") == 1 + label_records(plan).height

    def test_what_is_not_printed_is_told(self) -> None:
        files = labels(little())
        assert sorted(f for f in files if f.endswith(".pdf")) == sorted(
            f"labels/{name}/{row}.pdf" for name in label_sheets.SHEETS for row in ("AA", "Z", "hall")
        )
        told = files["labels/README.txt"].decode()
        assert "rows printed: Z, AA, hall\n" in told
        assert "not printed: 5 labels of ends whose place the plan does not know (empty text in labels.csv)\n" in told

    def test_sheets_are_capped_and_it_is_said(self, monkeypatch: pytest.MonkeyPatch) -> None:
        import asbuilt.artefacts.labels as room

        monkeypatch.setattr(room, "MOST_PER_ROW", 10)
        monkeypatch.setattr(room, "MOST_IN_ALL", 12)
        records = label_records(made("l40s-384"))
        printed, left = chosen(records)
        assert [(row, some.height) for row, some in printed] == [("A", 10), ("B", 2)]
        assert sum(left.values()) + 12 == records.height
