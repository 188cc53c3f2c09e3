"""Small physical tables by hand, for drawings: a hall of alike rows with power, loops and trays, conforming to the schemas."""

from __future__ import annotations

from typing import Any

import polars as pl

from asbuilt.base.table import Schema
from asbuilt.model.plan import Plan
from asbuilt.model.tables import PLAN_TABLES

ZEROS: dict[str, Any] = {"str": "x", "f64": 1.0, "i64": 1, "bool": False}


def frame(name: str, rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Rows in the columns of a plan table; nullable columns that a row leaves out are null, others a plain value."""
    schema: Schema = PLAN_TABLES[name]
    full = [{c.name: r.get(c.name, None if c.nullable else ZEROS[c.dtype]) for c in schema.columns} for r in rows]
    return pl.DataFrame(full, schema=schema.polars())


def letters(index: int) -> str:
    """Row letters: A to Z, then AA."""
    text, index = "", index + 1
    while index:
        index, rest = divmod(index - 1, 26)
        text = chr(65 + rest) + text
    return text


def hall(rows: int = 1, per_row: int = 10, built: int = 0, shelves: bool = True) -> Plan:
    """``rows`` rows of ``per_row`` racks, ``built`` of the last row standing now (0: all), fed by A and B."""
    places = [(letters(r), p) for r in range(rows) for p in range(1, per_row + 1)]
    if built:
        places = [(row, p) for row, p in places if row != letters(rows - 1) or p <= built]
    racks = [
        {"rack": f"rack:{row}-{p:02d}", "name": f"{row}-{p:02d}", "role": "compute", "row": row, "position": p, "phase": "p1",
         "x_mm": (p - 1) * 600.0, "y_mm": 2400.0 * _index(row), "height_u": 48, "power_w": 132_000.0}
        for row, p in places
    ]  # fmt: skip
    tables = {"racks": frame("racks", racks)}
    tables |= power(places, per_row, shelves=shelves)
    tables |= cooling(sorted({row for row, _ in places}, key=_index), per_row, places)
    tables |= trays(sorted({row for row, _ in places}, key=_index), per_row)
    return Plan("drawn", tables, plan_hash="0123456789abcdef")


def _index(row: str) -> int:
    value = 0
    for letter in row:
        value = value * 26 + ord(letter) - 64
    return value - 1


def power(places: list[tuple[str, int]], per_row: int, *, shelves: bool) -> dict[str, pl.DataFrame]:
    """Feeds A and B; of each rack four shelves a feed, or one PDU a feed with six cords."""
    feeds = [
        {"feed": f"feed:{f}", "letter": f, "source": "ups", "redundancy": "2N", "basis": "nec", "voltage_v": 415.0,
         "capacity_kw": 1600.0, "fault_ka": 25.0, "load_kw": 660.0, "lost_kw": 1320.0, "full_kw": 1716.0}
        for f in "AB"
    ]  # fmt: skip
    ways, circuits, ends, cords, bars = [], [], [], [], []
    for row in sorted({row for row, _ in places}, key=_index):
        for f in "AB":
            ways.append(
                {"busway": f"busway:{row}/{f}", "row": row, "feed": f"feed:{f}", "rating_a": 1200.0, "usable_a": 960.0,
                 "entry": "end", "length_m": 6.0, "taps": 40, "taps_full": 52, "load_a": 411.0, "lost_a": 823.0,
                 "full_a": 1070.0, "drop_percent": 1.3, "neutral_a": 12.0}
            )  # fmt: skip
    for row, p in places:
        rack = f"{row}-{p:02d}"
        for f in "AB":
            for n in range(1, 5 if shelves else 2):
                serves = f"shelf:{rack}/{n if f == 'A' else n + 4}" if shelves else f"pdu:{rack}/{f}1"
                circuits.append(
                    {"circuit": f"circuit:{rack}/{f}{n}", "rack": f"rack:{rack}", "feed": f"feed:{f}",
                     "busway": f"busway:{row}/{f}", "serves": serves, "breaker_a": 60.0, "usable_a": 48.0, "conductors": 3,
                     "voltage_v": 415.0, "receptacle": "60309-60A-4P5W", "plug": "60309-60A-4P5W", "side": "left",
                     "whip_m": 1.5 + p / 10, "door": p == 3, "load_a": 24.1, "lost_a": 47.9, "drop_percent": 1.62}
                )  # fmt: skip
                if shelves:
                    ends.append(
                        {"shelf": serves, "rack": f"rack:{rack}", "number": n, "part": "ps-orv3-33kw", "feed": f"feed:{f}",
                         "supplies": 6, "rating_w": 33_000.0, "nominal_w": 16_500.0, "lost_w": 33_000.0}
                    )  # fmt: skip
                else:
                    ends.append(
                        {"pdu": serves, "rack": f"rack:{rack}", "feed": f"feed:{f}", "part": "pdu-60a-415v", "rating_a": 60.0,
                         "usable_a": 48.0, "outlets_c13": 12, "outlets_c19": 24, "circuit": circuits[-1]["circuit"]}
                    )  # fmt: skip
                    cords += [
                        {"cord": f"cord:node:{rack}/{s}{f}", "rack": f"rack:{rack}", "pdu": serves, "outlet_type": kind}
                        for s, kind in enumerate(("C19", "C19", "C19", "C13"))
                    ]
        if shelves:
            bars.append(
                {"section": f"busbar:{rack}/1", "rack": f"rack:{rack}", "rating_a": 1400.0, "lost_a": 1310.0 + 20 * p,
                 "lost": "feed:A"}
            )  # fmt: skip
    return {
        "feeds": frame("feeds", feeds),
        "busways": frame("busways", ways),
        "circuits": frame("circuits", circuits),
        "pdus": frame("pdus", [] if shelves else ends),
        "shelves": frame("shelves", ends if shelves else []),
        "cords": frame("cords", cords),
        "busbars": frame("busbars", bars),
    }


def cooling(rows: list[str], per_row: int, places: list[tuple[str, int]]) -> dict[str, pl.DataFrame]:
    """A direct-return loop a row: flow falls from the CDU on, drop with its square."""
    loops, cdus, cases, segments, branches = [], [], [], [], []
    for row in rows:
        loop = f"loop:{row}"
        loops.append(
            {"loop": loop, "row": row, "coolant": "pg25", "topology": "direct-return", "header": "DN80", "header_id_mm": 77.9,
             "supply_c": 40.0, "return_c": 50.2, "dew_point_c": 12.0, "racks": 10, "racks_full": per_row,
             "flow_l_min": 130.0 * per_row, "velocity_m_s": 4.5, "volume_l": 310.0, "glycol_l": 78.0, "working_kpa": 420.0}
        )  # fmt: skip
        cdus += [
            {"cdu": f"cdu:{row}/{n}", "loop": loop, "part": "cdu-1350kw", "row": row, "capacity_kw": 1350.0, "approach_k": 4.0,
             "pumps": 3, "flow_first_l_min": 900.0, "flow_last_l_min": 1800.0, "standby": n == 2, "phase": "p1"}
            for n in (1, 2)
        ]  # fmt: skip
        for name, need, have, curve in (
            ("now", 90.0, None, "below"), ("full", 148.0, 172.0, "inside"), ("worst", 176.0, 151.0, "inside"),
        ):  # fmt: skip
            cases.append(
                {"loop": loop, "case": name, "flow_l_min": 1300.0, "need_kpa": need, "available_kpa": have, "curve": curve,
                 "margin_percent": (have / need - 1) * 100 if have else None, "pumps": 2, "racks": per_row}
            )  # fmt: skip
        for n in range(1, per_row + 1):
            here = (row, n) in places
            for side in ("supply", "return"):
                flow = 130.0 * (per_row - n + 1)
                segments.append(
                    {"segment": f"segment:{loop}/{side[0]}{n}", "loop": loop, "number": n, "side": side,
                     "start": f"cdu:{row}/1" if n == 1 else f"rack:{row}-{n - 1:02d}", "end": f"rack:{row}-{n:02d}",
                     "length_m": 0.6, "nominal": "DN80", "id_mm": 77.9, "flow_now_l_min": flow / 2, "flow_l_min": flow,
                     "velocity_m_s": flow / 286, "drop_now_kpa": flow**2 / 1e6, "drop_kpa": flow**2 / 2.5e5, "built": here}
                )  # fmt: skip
            branches.append(
                {"branch": f"branch:{row}-{n:02d}", "rack": f"rack:{row}-{n:02d}", "loop": loop, "number": n, "built": here,
                 "hose_m": 1.2, "hose_id_mm": 25.4, "design_l_min": 130.0, "now_l_min": 138.0 if here else None,
                 "full_l_min": 136.0 - n, "hose_m_s": 4.2, "drop_kpa": 95.0, "liquid_w": 115_000.0, "valves": "supply+return"}
            )  # fmt: skip
    return {
        "loops": frame("loops", loops),
        "cdus": frame("cdus", cdus),
        "loop_cases": frame("loop_cases", cases),
        "loop_segments": frame("loop_segments", segments),
        "branches": frame("branches", branches),
    }


def trays(rows: list[str], per_row: int) -> dict[str, pl.DataFrame]:
    """Fibre, copper and power trays over each row in segments of a rack, and two cross trays between neighbouring rows."""
    made, routes = [], []
    for r, row in enumerate(rows):
        for kind, off, width in (("fibre", 500.0, 300.0), ("copper", 900.0, 300.0), ("power", 150.0, 150.0)):
            for n in range(1, per_row + 1):
                made.append(
                    {"tray": f"tray:{kind}/{row}/{n}", "kind": kind, "row": row, "x1_mm": (n - 1) * 600.0, "x2_mm": n * 600.0,
                     "y1_mm": 2400.0 * r + off, "y2_mm": 2400.0 * r + off, "width_mm": width, "depth_mm": 100.0,
                     "cables_now": 12 * n, "cables_full": 30 * n, "fill_now_percent": 2.1 * n, "fill_full_percent": 5.3 * n,
                     "z_mm": 2600.0, "length_m": 0.6, "phase": "p1"}
                )  # fmt: skip
        routes.append(
            {"route": f"route:{row}-01/{row}-10", "a_rack": f"rack:{row}-01", "b_rack": f"rack:{row}-10", "cables": 96}
        )
        if r:
            made += [
                {"tray": f"tray:fibre/cross/{r}-{n}", "kind": "fibre", "row": None, "x1_mm": x, "x2_mm": x,
                 "y1_mm": 2400.0 * (r - 1) + 500, "y2_mm": 2400.0 * r + 500, "width_mm": 300.0, "depth_mm": 100.0,
                 "cables_now": 90, "cables_full": 210, "fill_now_percent": 18.0, "fill_full_percent": 43.0, "phase": "p1"}
                for n, x in ((1, 0.0), (2, per_row * 600.0))
            ]  # fmt: skip
    limits = [
        {"id": f"CAB-02{n}/*", "check_id": f"CAB-02{n}", "subject_kind": "tray", "op": "le", "value": value, "unit": "%"}
        for n, value in enumerate(("40", "50"))
    ]
    return {"trays": frame("trays", made), "routes": frame("routes", routes), "expectations": frame("expectations", limits)}
