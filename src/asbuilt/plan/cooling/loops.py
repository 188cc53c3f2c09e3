"""Tables of loops, CDUs, cases, header segments and branches, from the solved loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from asbuilt.model.design import Design
from asbuilt.model.tables_cooling import BRANCHES, CDUS, LOOP_CASES, LOOP_SEGMENTS, LOOPS
from asbuilt.physics import coolant as fluids
from asbuilt.physics.pipe_sizes import SIZES, inside_mm
from asbuilt.physics.pipes import velocity_m_s
from asbuilt.plan.cooling.circuit import DIRECT, segments
from asbuilt.plan.cooling.demand import Demand, fluid_at
from asbuilt.plan.cooling.solve import SolvedLoop
from asbuilt.plan.devices import phase_names

if TYPE_CHECKING:
    import polars as pl

#: Temperature of a loop while it is filled.
FILL_C = 20.0


def loops_table(design: Design, loops: list[SolvedLoop], asked: Demand) -> pl.DataFrame:
    """Table `LOOPS`."""
    cooling = design.cooling
    weakest, where = weakest_part(design)
    rows = []
    for loop in loops:
        full = loop.case("full").found
        litres = volume_l(design, loop, len(loop.site.racks))
        cold, hot = fluid_at(cooling.coolant, FILL_C), fluid_at(cooling.coolant, asked.return_c)
        widest = max(loop.circuit.headers, key=SIZES.index)
        main = loop.circuit.headers[-1]
        rows.append(
            {
                "loop": loop.site.loop,
                "row": loop.site.row,
                "coolant": cooling.coolant,
                "topology": cooling.topology,
                "header": main if main == widest else f"{widest}/{main}",
                "header_id_mm": inside_mm(main),
                "supply_c": asked.supply_c,
                "return_c": asked.return_c,
                "dew_point_c": cooling.dew_point_c,
                "racks": sum(loop.site.built),
                "racks_full": len(loop.site.racks),
                "flow_l_min": full.total_l_min,
                "velocity_m_s": full.velocity_m_s,
                "volume_l": litres,
                "glycol_l": litres * fluids.GLYCOL_FRACTION[cooling.coolant],
                "expansion_l": litres * max(0.0, cold.density_kg_m3 / hot.density_kg_m3 - 1.0),
                "weakest_kpa": weakest,
                "weakest": where,
                "working_kpa": cooling.fill_kpa + highest_head(loop),
                "origin": "declared" if loop.declared else "derived",
                "materials": "+".join(sorted(m.lower() for m in cooling.materials)) or None,
                "phase": loop.site.phase,
            }
        )
    return _frame(rows, LOOPS)


def volume_l(design: Design, loop: SolvedLoop, racks: int) -> float:
    """Litres in the whole header, both ways, and in ``racks`` racks with their hoses; the CDU's own contents not counted."""
    header = sum(fluids.pipe_litres(b.inside_mm, b.length_m) for b in segments(loop.circuit))
    hoses = fluids.pipe_litres(design.cooling.hose_id_mm, 2 * design.cooling.hose_m * racks)
    inside = design.cooling.rack.litres if design.cooling.rack else 0.0
    return header + hoses + inside * racks


def highest_head(loop: SolvedLoop) -> float:
    """The most that the pumps are published to give, kPa; without that what the finished row asks of them."""
    points = loop.circuit.unit.points if loop.circuit.unit else ()
    return max((kpa for _, _, kpa in points), default=loop.case("full").need_kpa)


def weakest_part(design: Design) -> tuple[float | None, str | None]:
    """The lowest working pressure that is known of rack, CDU, coupling, hose and fittings, and whose it is. None: of none."""
    cooling = design.cooling
    known = [
        (cooling.rack.working_kpa if cooling.rack else None, cooling.rack.system if cooling.rack else ""),
        (cooling.unit.working_kpa if cooling.unit else None, cooling.unit.part if cooling.unit else ""),
        (cooling.coupling.working_kpa if cooling.coupling else None, cooling.coupling.part if cooling.coupling else ""),
        (cooling.hose_working_kpa, "hoses"),
        *((j.working_kpa, f"{j.kind}s") for j in cooling.joints),
    ]
    listed = [(kpa, name) for kpa, name in known if kpa is not None]
    return min(listed) if listed else (None, None)


def cdus_table(design: Design, loops: list[SolvedLoop]) -> pl.DataFrame:
    """Table `CDUS`: beside the row's end from which the loop is fed, those that stand by outside."""
    unit = design.cooling.unit
    rows: list[dict[str, Any]] = []
    flows = [flow for _, flow, _ in unit.points] if unit else []
    for loop in loops if unit else []:
        assert unit is not None
        site = loop.site
        for at in range(loop.circuit.units + design.cooling.cdus_standby):
            steps = site.beside + at
            x = site.left_mm - (steps + 1) * unit.width_mm if site.from_left else site.right_mm + steps * unit.width_mm
            rows.append(
                {
                    "cdu": f"cdu:{site.row}/{site.first_cdu + at}",
                    "loop": site.loop,
                    "part": unit.part,
                    "row": site.row,
                    "x_mm": x,
                    "y_mm": site.y_mm,
                    "width_mm": unit.width_mm,
                    "depth_mm": unit.depth_mm,
                    "height_mm": unit.height_mm,
                    "capacity_kw": unit.capacity_kw,
                    "approach_k": unit.approach_k,
                    "pumps": max((p for p, _, _ in unit.points), default=0) or None,
                    "flow_first_l_min": min(flows) if flows else None,
                    "flow_last_l_min": max(flows) if flows else None,
                    "standby": at >= loop.circuit.units,
                    "phase": site.phase,
                }
            )
    return _frame(rows, CDUS)


def cases_table(loops: list[SolvedLoop]) -> pl.DataFrame:
    """Table `LOOP_CASES`."""
    rows = []
    for loop in loops:
        for case in loop.cases:
            flows, solved = case.found.solved.flow_l_min, case.found.solved
            worst = int(flows.argmin())
            rows.append(
                {
                    "loop": loop.site.loop,
                    "case": case.name,
                    "racks": len(flows),
                    "pumps": case.given.pumps,
                    "flow_l_min": case.found.total_l_min,
                    "need_kpa": case.need_kpa,
                    "header_kpa": float(solved.header_kpa[worst]),
                    "branch_kpa": float(solved.branch_kpa[worst]),
                    "filter_kpa": case.filter_kpa,
                    "available_kpa": case.given.available_kpa,
                    "margin_percent": case.margin_percent,
                    "near_l_min": float(flows[0]),
                    "far_l_min": float(flows[-1]),
                    "spread_percent": case.found.spread_percent,
                    "curve": case.given.curve,
                }
            )
    return _frame(rows, LOOP_CASES)


def segments_table(design: Design, loops: list[SolvedLoop]) -> pl.DataFrame:
    """Table `LOOP_SEGMENTS`. Of a direct return, segment n of the return leads back from where supply n ends."""
    ranks = {name: at for at, name in enumerate(phase_names(design))}
    rows = []
    for loop in loops:
        site, count = loop.site, len(loop.site.racks)
        full, now = loop.case("full").found.solved, loop.case("now").found.solved
        direct = loop.circuit.topology == DIRECT
        bores = segments(loop.circuit)
        first = f"cdu:{site.row}/{site.first_cdu}"
        stops = (first, *site.racks)
        widest = max(loop.circuit.headers, key=SIZES.index)
        for at, bore in enumerate(bores):
            supply, number = at < count, at % count
            column = number if direct else at
            if direct or supply:
                start, end = (stops[number], stops[number + 1]) if supply else (stops[number + 1], stops[number])
                nominal, beyond = loop.circuit.headers[number], site.phases[number:]
            else:
                start, end = stops[number + 1], stops[number + 2] if number + 1 < count else first
                home = number + 1 == count
                nominal, beyond = (widest if home else loop.circuit.headers[number + 1]), site.phases[: number + 1]
            drawing = sorted((p for p in beyond if p is not None), key=lambda p: ranks.get(p, len(ranks)))
            rows.append(
                {
                    "segment": f"segment:{site.name}/{'s' if supply else 'r'}{number + 1}",
                    "loop": site.loop,
                    "number": number + 1,
                    "side": "supply" if supply else "return",
                    "start": start,
                    "end": end,
                    "length_m": bore.length_m,
                    "nominal": nominal,
                    "id_mm": bore.inside_mm,
                    "flow_now_l_min": float(now.segment_l_min[column]),
                    "flow_l_min": float(full.segment_l_min[column]),
                    "velocity_m_s": velocity_m_s(float(full.segment_l_min[column]), bore.inside_mm),
                    "drop_now_kpa": float(now.segment_kpa[column]),
                    "drop_kpa": float(full.segment_kpa[column]),
                    "built": bool(drawing),
                    "phase": drawing[0] if drawing else None,
                }
            )
    return _frame(rows, LOOP_SEGMENTS)


def branches_table(design: Design, loops: list[SolvedLoop], asked: Demand, racks: pl.DataFrame) -> pl.DataFrame:
    """Table `BRANCHES`. Heat of a position that is empty now: that of a full rack."""
    cooling = design.cooling
    coupling = cooling.coupling
    held = dict(racks.filter(racks["role"] == "compute").select("rack", "liquid_w").iter_rows())
    later = max(held.values(), default=0.0)
    rows = []
    for loop in loops:
        full, now = loop.case("full").found, loop.case("now").found
        gets = dict(zip(now.at, now.solved.flow_l_min.tolist(), strict=True))
        worst = int(full.solved.flow_l_min.argmin())  # it draws its design flow
        for at, rack in enumerate(loop.site.racks):
            flow = float(full.solved.flow_l_min[at])
            rows.append(
                {
                    "branch": f"branch:{rack.removeprefix('rack:')}",
                    "rack": rack,
                    "loop": loop.site.loop,
                    "number": at + 1,
                    "built": loop.site.built[at],
                    "hose_m": cooling.hose_m,
                    "hose_id_mm": cooling.hose_id_mm,
                    "coupling": coupling.part if coupling else None,
                    "coupling_l_min": coupling.rated_l_min if coupling else None,
                    "design_l_min": asked.flow_l_min,
                    "now_l_min": gets.get(at),
                    "full_l_min": flow,
                    "hose_m_s": velocity_m_s(flow, cooling.hose_id_mm),
                    "drop_kpa": float(full.solved.branch_kpa[worst]),
                    "liquid_w": held.get(rack, later),
                    "valves": cooling.valves,
                    "phase": loop.site.phases[at],
                }
            )
    return _frame(rows, BRANCHES)


def _frame(rows: list[dict[str, Any]], schema: Any) -> pl.DataFrame:
    """``rows`` as the table of ``schema``, sorted by its key."""
    import polars as pl

    if not rows:
        empty: pl.DataFrame = schema.empty()
        return empty
    made: pl.DataFrame = schema.conform(pl.DataFrame(rows, schema=schema.polars()).sort(schema.order))
    return made
