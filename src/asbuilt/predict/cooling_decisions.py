"""Decisions of the coolant loops and the room's air, the pilot's pipes and CDUs solved for the racks of the larger plan."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from asbuilt.model.plan import Plan
from asbuilt.physics import pumps
from asbuilt.physics.pipes import velocity_m_s
from asbuilt.plan.cooling.circuit import Circuit, Loaded, head, limits_of, load
from asbuilt.plan.cooling.solve import SolvedLoop
from asbuilt.plan.cooling.tables import solved_loops
from asbuilt.predict.reading import COOLING, Reading, limit, worst
from asbuilt.predict.survival import loops_then

if TYPE_CHECKING:
    import polars as pl


def readings(pilot: Plan, grown: Plan) -> list[Reading]:
    """What the pilot's loops and air carry, and what ``grown`` asks of them. Nothing of loops for a system cooled by air."""
    return [
        *_loops(pilot, grown),
        *_minimum_flow(pilot, grown),
        *_heat(pilot, grown),
        *_joints(pilot, grown),
        *_air(pilot, grown),
    ]


def as_piped(pilot: Circuit, grown: Circuit) -> Circuit:
    """The larger row on the pilot's header: its sizes, the last one carried on past its end; its CDUs; racks that stand."""
    count = grown.racks
    sizes = (*pilot.headers[:count], *(pilot.headers[-1:] * max(0, count - len(pilot.headers))))
    return replace(grown, headers=sizes, unit=pilot.unit, units=pilot.units, topology=pilot.topology)


def solved_as_piped(pilot: Plan, grown: Plan) -> list[tuple[SolvedLoop, Circuit, Loaded | None]]:
    """Each loop of the pilot, carried on to what ``grown`` joins to its racks; None: no pressure serves them."""
    if pilot.design is None or grown.design is None:
        return []
    then = {loop.site.loop: loop for loop in solved_loops(grown.design, grown.table("racks"))}
    names = loops_then(pilot, grown)
    found: list[tuple[SolvedLoop, Circuit, Loaded | None]] = []
    solved: dict[Circuit, Loaded | None] = {}
    for loop in solved_loops(pilot.design, pilot.table("racks")):
        larger = then.get(names.get(loop.site.loop, ""))
        if larger is None:
            continue
        circuit = as_piped(loop.circuit, larger.circuit)
        if circuit not in solved:
            try:
                solved[circuit] = load(circuit, tuple(i for i, built in enumerate(circuit.now) if built))
            except ValueError:
                solved[circuit] = None
        found.append((loop, circuit, solved[circuit]))
    return found


#: Decision on a loop, what it is about, unit, and where its numbers are from.
_ON_LOOPS = (
    ("header-diameter", "header diameter: velocity", "m/s", "expectations COO-001"),
    ("header-spread", "header diameter: flow between racks", "%", "expectations COO-002"),
    ("manifold", "hoses and manifold of a rack", "m/s", "expectations COO-004, cooling.hose_id_mm"),
    ("cdu-flow", "largest proven flow of the CDU", "L/min", "cdus.flow_last_l_min"),
    ("cdu-head", "CDU head with margin", "kPa", "published curve of the CDU, expectations COO-010"),
)


def _loops(pilot: Plan, grown: Plan) -> list[Reading]:
    import polars as pl

    asked = _asked_of_loops(pilot, grown)
    if not asked:
        return []
    schema = {"subject": pl.String, "has": pl.Float64, "asked": pl.Float64, "note": pl.String}
    remedy = _remedy(pilot, grown)
    made: list[Reading] = []
    for key, decision, unit, source in _ON_LOOPS:
        instead = remedy if remedy and key in ("header-diameter", "header-spread") else "{note}"
        rows = pl.DataFrame(asked[key], schema=schema, orient="row")
        made += worst(key, COOLING, decision, rows, unit, f"{source}, the pilot's pipe solved for the larger row", instead)
    return made


def _asked_of_loops(pilot: Plan, grown: Plan) -> dict[str, list[tuple[str, float | None, float | None, str]]]:
    """By decision: loop, what it has, what is asked, what to build instead. Of a header that no pressure serves: infinite."""
    if pilot.design is None:
        return {}
    limits = limits_of(pilot.design.cooling)
    hose_mm, hose_limit = pilot.design.cooling.hose_id_mm, limit(pilot, "COO-004/*")
    wider = f"hoses and couplings wider than {hose_mm:g} mm, or a flow limiter on the near racks"
    rows: dict[str, list[tuple[str, float | None, float | None, str]]] = {key: [] for key, *_ in _ON_LOOPS}
    for loop, circuit, found in solved_as_piped(pilot, grown):
        name, header = loop.site.loop, f"a header wider than {circuit.headers[0]}"
        speed, spread = (inf, inf) if found is None else (found.velocity_m_s, found.spread_percent)
        rows["header-diameter"].append((name, limits.velocity_m_s, speed, header))
        rows["header-spread"].append((name, limits.spread_percent, spread, header))
        if found is None:
            continue
        rows["manifold"].append((name, hose_limit, velocity_m_s(float(found.solved.flow_l_min.max()), hose_mm), wider))
        given = head(circuit, found.total_l_min)
        flows = [flow for _, flow, _ in circuit.unit.points] if circuit.unit else []
        last = max(flows) * circuit.units if flows else None
        more = "room and valved connections for a second CDU, or a header that lets the near racks take less"
        rows["cdu-flow"].append((name, last, found.total_l_min, more))
        need = found.need_kpa * (1 + limits.margin_percent / 100.0)
        rows["cdu-head"].append((name, given.available_kpa, need, _of_curve(found.total_l_min, given.curve)))
    return rows


def _of_curve(flow_l_min: float, curve: str) -> str:
    """What mends the head of a CDU at a flow inside, below or above its published curve."""
    if curve == pumps.INSIDE:
        return "room and valved connections for a second CDU, or the wider header: the pumps give no more at this flow"
    where = {pumps.BELOW: "below its published curve", pumps.ABOVE: "above its published curve"}.get(curve, "no curve known")
    return f"the maker's word on its head at {flow_l_min:,.0f} L/min, {where}"


def _as_named(pilot: Plan, grown: Plan, table: str) -> pl.DataFrame:
    """A table of the larger plan, its loops called as the pilot calls them."""
    import polars as pl

    names = {then: now for now, then in loops_then(pilot, grown).items()}
    return grown.table(table).with_columns(pl.col("loop").replace(names))


def _remedy(pilot: Plan, grown: Plan) -> str:
    """The smallest change of the pilot's header that carries the finished row, in words; empty when nothing is to be done."""
    from asbuilt.plan.cooling.remedies import verdict

    if grown.design is None:
        return ""
    seen = set()
    for _, circuit, _ in solved_as_piped(pilot, grown):
        whole = replace(circuit, now=())
        if whole in seen:
            continue
        seen.add(whole)
        try:
            found = verdict(grown.design, whole).smallest
        except ValueError:
            continue
        if found is not None:
            return found.says().replace("{", "").replace("}", "") + ", laid before the first rack draws"
    return ""


def _minimum_flow(pilot: Plan, grown: Plan) -> list[Reading]:
    """The CDU below its published curve: the pilot asks too little of it, the larger row mends that."""
    import polars as pl

    first = pilot.table("cdus").filter(~pl.col("standby")).group_by("loop").agg(pl.col("flow_first_l_min").min().alias("least"))
    now = _as_named(pilot, grown, "loop_cases").filter(pl.col("case") == "now").select("loop", "flow_l_min")
    rows = first.join(now, on="loop").select(
        pl.col("loop").alias("subject"), pl.col("flow_l_min").alias("has"), pl.col("least").alias("asked")
    )
    source = "loop_cases now, cdus.flow_first_l_min"
    instead = "a bypass sized for {asked:,.0f} L/min less {has:,.0f} L/min, or the maker's word on lower flow"
    return worst("cdu-least-flow", COOLING, "least proven flow of the CDU", rows, "L/min", source, instead)


def _heat(pilot: Plan, grown: Plan) -> list[Reading]:
    import polars as pl

    cdus = pilot.table("cdus").filter(~pl.col("standby")).group_by("row").agg(pl.col("capacity_kw").sum().alias("has"))
    drawn = grown.table("branches").filter("built").join(grown.table("loops").select("loop", "row"), on="loop")
    heat = drawn.group_by("row").agg((pl.col("liquid_w").sum() / 1000).alias("asked"))
    rows = cdus.join(heat, on="row").select((pl.lit("row ") + pl.col("row")).alias("subject"), "has", "asked")
    instead = "room, power and valved connections for CDUs of {asked:,.0f} kW in all"
    return worst("cdu-heat", COOLING, "CDU capacity", rows, "kW", "cdus.capacity_kw, branches.liquid_w", instead)


def _joints(pilot: Plan, grown: Plan) -> list[Reading]:
    """Racks that join a loop in use: without shut-off valves, or past the header's end, it is drained for each."""
    import polars as pl

    old = pilot.table("branches").select("branch", "loop", "built", "valves")
    if old.is_empty():
        return []
    new = _as_named(pilot, grown, "branches").filter("built").select("branch", "loop")
    loops = old.select("loop").unique()
    stand = old.filter("built").select("branch")
    joining = new.join(loops, on="loop").join(stand, on="branch", how="anti")
    planned = joining.join(old, on="branch")
    bare = planned.filter(pl.col("valves") != "supply+return")
    beyond = joining.join(old, on="branch", how="anti")
    valves = str(old["valves"][0])
    made = [
        Reading(
            "branch-valves",
            COOLING,
            "shut-off valves of the branches",
            f"{bare['loop'][0] if bare.height else old['loop'][0]}",
            valves,
            "supply+return" if joining.height else "none joins",
            "",
            bare.is_empty(),
            "branches.valves, branches.built",
            f"valved and capped branches for {bare.height} racks to come: each is connected without draining its neighbours"
            if bare.height
            else "",
            tuple(sorted(bare["branch"].to_list())),
        )
    ]
    per_loop = old.group_by("loop").agg(pl.len().cast(pl.Float64).alias("has"))
    asked = new.join(loops, on="loop").group_by("loop").agg(pl.len().cast(pl.Float64).alias("asked"))
    rows = per_loop.join(asked, on="loop").rename({"loop": "subject"})
    instead = "a header with {asked:.0f} valved branches and a valved end"
    reach = worst("header-branches", COOLING, "branches of the header", rows, "branches", "branches by loop", instead)
    if beyond.height and reach:
        keys = tuple(sorted(beyond["branch"].to_list()))
        words = f"a header that reaches {keys[0]} and what is beyond, with valved branches and a valved end"
        reach = [replace(reach[0], holds=False, instead=reach[0].instead or words, items=keys)]
    return made + reach


def _air(pilot: Plan, grown: Plan) -> list[Reading]:
    import polars as pl

    now = pilot.table("air_rows").select("row", pl.col("room_kw").alias("has"))
    then = grown.table("air_rows").select("row", pl.col("air_kw").alias("asked"))
    rows = now.join(then, on="row").select((pl.lit("row ") + pl.col("row")).alias("subject"), "has", "asked")
    instead = "the building's word on {asked:,.1f} kW of air in this row (cooling.room_kw_per_rack)"
    return worst("room-air", COOLING, "heat left to the room's air", rows, "kW", "air_rows.room_kw, air_rows.air_kw", instead)
