"""A made-up decision: 8 racks of NVL72, three arrangements. Its figures are invented; only their kinds are real."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from asbuilt.base.origin import Confidence, Origin
from asbuilt.model.assumption import PER_OPERATION, Assumed, Spread
from asbuilt.model.decision import (
    ArrangementResult,
    Bar,
    BreakEvenCell,
    CaughtFaults,
    ClaimHeld,
    Counted,
    CrewWeek,
    Decision,
    Duty,
    Item,
    NextMeasurement,
    Quantiles,
    Summary,
    Swing,
    Worked,
)
from asbuilt.model.deployment import FAULT_KINDS, OPERATIONS, SCOPES, SKILLS

PARTS = ("labour", "premium", "mobilisation", "training", "tooling", "insurance", "rework", "idle_gpus", "audit")
PACKAGES = {
    "staging": ("staging/rack",),
    "power": ("power/rack", "power/gate"),
    "liquid": ("liquid/header", "liquid/rack", "liquid/gate"),
    "fibre": ("fibre/trunks", "fibre/rack"),
    "bringup": ("bringup/rack",),
    "acceptance": ("acceptance/fabric", "acceptance/collectives"),
}
MIX = (
    dict.fromkeys(SCOPES, "own"),
    dict.fromkeys(SCOPES, "specialist"),
    {s: "own" if s in ("staging", "power") else "specialist" for s in SCOPES},
)
NAMES = (
    "In-house",
    "Specialist",
    "Mixed: staging and power in-house",
    "In-house, no inspection",
    "Specialist in single shifts",
)


def spread(middle: float, below: float = 0.18, above: float = 0.35) -> Quantiles:
    return Quantiles(middle * (1 - below), middle, middle * (1 + above), middle * (1 + (above - below) / 3))


def assumptions() -> tuple[Assumed, ...]:
    """Some fifty: minutes of every operation, rates of every fault, money; a few claimed."""
    made = [
        Assumed(
            f"work.{o.id}.minutes",
            4.0 + i,
            6.0 + i,
            11.0 + 2 * i,
            "min",
            Origin.ASSUMED,
            Confidence.LOW,
            "estimate of the tool, to be replaced by an own measurement",
            f"one team for one {o.unit}: {o.meaning}",
        )
        for i, o in enumerate(OPERATIONS)
    ]
    made += [
        Assumed(
            f"fault.{k.id}.rate",
            0.0004 * (i + 1),
            0.001 * (i + 1),
            0.003 * (i + 1),
            PER_OPERATION,
            Origin.PUBLISHED,
            Confidence.MEDIUM,
            "a field report of another site",
            k.meaning,
            faults=2.0 + i,
            operations=2000.0,
        )
        for i, k in enumerate(FAULT_KINDS)
    ]
    made += [
        Assumed(
            "money.premium.specialist",
            0.2,
            0.3,
            0.4,
            "ratio",
            Origin.CLAIMED,
            Confidence.LOW,
            "a firm that sells the service",
            "a specialist costs more per rack in direct labour",
            Spread(0.0, 0.4, 1.2),
            "nobody but sellers says so: wide",
        ),
        Assumed(
            "crew.specialist.experience_racks",
            100,
            300,
            800,
            "racks",
            Origin.CLAIMED,
            Confidence.LOW,
            "a firm that sells the service",
            "racks that a specialist's people have built before",
            Spread(0.0, 10.0, 40.0),
            "what a first contract can be held to",
        ),
        Assumed(
            "qualification.certified.fault_factor",
            0.4,
            0.6,
            0.9,
            "ratio",
            Origin.CLAIMED,
            Confidence.LOW,
            "a firm that sells the certificate",
            "fault rate of certified people against trained ones",
            Spread(1.0, 1.0, 1.0),
            "no difference is shown by anybody else",
        ),
        Assumed(
            "money.gpu_hour",
            1.5,
            2.5,
            4.0,
            "USD/h",
            Origin.DECLARED,
            Confidence.HIGH,
            "--gpu-hour",
            "value of an idle GPU-hour",
        ),
        Assumed(
            "learning.slope", 0.8, 0.9, 0.95, "ratio", Origin.PUBLISHED, Confidence.MEDIUM, "Wright 1936", "time of a doubling"
        ),
        Assumed(
            "access.row_people",
            4,
            6,
            8,
            "people",
            Origin.ASSUMED,
            Confidence.LOW,
            "aisle of 1.2 m",
            "who fits in a row's aisles",
        ),
    ]
    return tuple(made)


def faults(place: int) -> tuple[CaughtFaults, ...]:
    share = {
        "inspection": 0.7,
        "pressure": 0.6,
        "node": 0.4,
        "fabric": 0.25,
        "collectives": 0.1,
        "soak": 0.08,
        "production": 0.04,
    }
    made = []
    for i, kind in enumerate(FAULT_KINDS):
        for catch in kind.catches:
            mean = (40 - 2 * i) * share[catch] * (1.3, 0.6, 0.8, 2.0, 0.7)[place % 5] / (1 + i % 3)
            made.append(
                CaughtFaults(kind.id, catch, mean, mean * 1.6 + 1, mean * 0.8, mean * (9_000 if catch == "production" else 400))
            )
    return tuple(made)


def crew(parties: dict[str, str], weeks: int) -> tuple[CrewWeek, ...]:
    made = []
    for at, scope in enumerate(SCOPES):
        for week in range(1 + at * weeks // 10, min(weeks, 2 + at * weeks // 10 + weeks // 2) + 1):
            shifts = 2 if parties[scope] == "specialist" else 1
            for shift in range(1, shifts + 1):
                people = 2 + (at + week) % 4
                made.append(CrewWeek(week, shift, SKILLS[scope], parties[scope], people, people * 40.0))
    return tuple(made)


def bars(rows: Sequence[str], total_d: float) -> tuple[Bar, ...]:
    made = []
    for at, row in enumerate(rows):
        begin = at * total_d / (2.5 * len(rows))
        for place, (scope, packages) in enumerate(PACKAGES.items()):
            for k, package in enumerate(packages):
                start = begin + total_d * (0.02 + 0.09 * place + 0.05 * k)
                critical = at == len(rows) - 1 and scope in ("liquid", "bringup", "acceptance")
                made.append(Bar(package, scope, row, start, start + total_d * (0.05 + 0.03 * (place % 3)), critical))
    for k, package in enumerate(("acceptance/site", "acceptance/soak", "acceptance/audit")):
        made.append(
            Bar(
                package,
                "acceptance",
                "",
                total_d * (0.9 + 0.03 * k),
                total_d * (0.93 + 0.03 * k),
                package != "acceptance/audit",
            )
        )
    return tuple(made)


TOOLS = (
    Item(
        "mpo_tester", "MPO loss and polarity tester", 24_000.0, "USD", "buy", "calibrated yearly; next by week 1; assumed price"
    ),
    Item("torque_wrench", "torque wrench 5 to 25 N m, with record", 900.0, "USD", "has", "calibrated yearly; due in week 30"),
    Item("nitrogen_rig", "nitrogen rig with logging gauge", None, "", "rent", "no price is known"),
)
REGISTERS = (
    Item("insurance: installation all risks", "share of the equipment value", 82_000.0, "USD", "own", "money.insurance.own"),
    Item(
        "liability: leak onto powered racks",
        "deductible, twice in a hundred deployments",
        50_000.0,
        "USD",
        "self-insured",
        "money.deductible",
    ),
)
RECORDS = (
    Item(
        "end-face image, before each mating",
        "2 for each link, pass by IEC 61300-3-35 zone",
        4_608.0,
        "images",
        "demand",
        "OPERATIONS connector_inspect",
    ),
    Item(
        "pressure log of each loop",
        "raised, held, read; gauge serial and calibration date",
        8.0,
        "logs",
        "demand",
        "OPERATIONS loop_pressure_test",
    ),
)
READINESS = (
    Item("experience", "2 racks built, 10 asked for", 2.0, "racks", "short", "rule.trial_experience_racks"),
    Item("tooling", "5 of 8 tools in calibration", 5.0, "tools", "short", "decide.yaml"),
    Item("project lead", "named and dedicated", None, "", "met", "decide.yaml"),
    Item("trained under supervision", "nobody said", None, "", "unknown", "decide.yaml does not say"),
)


def arrangement(place: int, weeks: int = 12, rows: Sequence[str] = ("A", "B")) -> ArrangementResult:
    parties = MIX[place % 3]
    middle = (2_310_000.0, 2_480_000.0, 1_990_000.0, 2_900_000.0, 2_650_000.0)[place % 5]
    shares = (0.30, 0.06, 0.07, 0.03, 0.05, 0.05, 0.08, 0.33, 0.03)
    luck = random.Random(place)
    total_d = weeks * 7 - 4.0 * (place % 3)
    key = ("own", "specialist", "mixed", "bare", "slow")[place % 5]
    return ArrangementResult(
        id=key,
        name=NAMES[place % 5],
        parties=parties,
        checkpoints=("every connector inspected", "pressure test", "node acceptance", "fabric gate", "soak"),
        cost=spread(middle),
        parts={p: spread(middle * s) for p, s in zip(PARTS, shares, strict=True)},
        first_job_d=spread(total_d * 0.7, 0.1, 0.2),
        acceptance_d=spread(total_d, 0.08, 0.22),
        idle_gpu_h=spread(91_000.0 - 7_000 * place),
        faults=faults(place),
        crew=crew(parties, weeks),
        bars=bars(rows, total_d),
        critical=(
            "liquid/header B",
            "liquid/gate B",
            "bringup/rack B-08",
            "acceptance/fabric B",
            "acceptance/site",
            "acceptance/soak",
        ),
        cost_samples=tuple(middle * luck.lognormvariate(0.02, 0.19) for _ in range(800)),
        acceptance_samples=tuple(total_d * luck.lognormvariate(0.0, 0.1) for _ in range(800)),
        tools=TOOLS,
        registers=REGISTERS,
        duties=(
            Duty("loops under nitrogen", SKILLS["liquid"], "project lead", "designer", "owner", ""),
            Duty(
                "fibre handed to bring-up",
                "specialist lead",
                "project lead",
                "",
                "owner",
                "specialist signs the loss records, own lead signs that ports are free",
            ),
        ),
        qualifications=tuple(
            Item(SKILLS[s], f"{parties[s]}: trained, of {2 + i} people", 2.0 + i, "people", "needed", "crew by week")
            for i, s in enumerate(SCOPES)
        ),
        records=RECORDS,
        worked=tuple(w.id for w in worked(key, middle, total_d)),
    )


def worked(key: str, middle: float, total_d: float) -> tuple[Worked, ...]:
    return (
        Worked(
            f"{key}.cost",
            "cost",
            middle,
            "USD",
            "sum of the parts of each simulated deployment",
            tuple(f"{key}.part.{p}" for p in PARTS),
        ),
        Worked(
            f"{key}.part.labour",
            "labour",
            middle * 0.3,
            "USD",
            "hours of each skill x people of a team x money of an hour",
            ("work.rack_place_liquid.minutes", "rack_place_liquid", "learning.slope"),
        ),
        Worked(
            f"{key}.part.premium",
            "premium",
            middle * 0.06,
            "USD",
            "labour of the specialist x premium",
            (f"{key}.part.labour", "money.premium.specialist"),
        ),
        Worked(
            f"{key}.part.idle_gpus",
            "idle GPUs",
            middle * 0.33,
            "USD",
            "GPUs x days to acceptance x 24 x value of a GPU-hour",
            (f"{key}.acceptance_d", "money.gpu_hour"),
        ),
        Worked(
            f"{key}.part.insurance",
            "insurance",
            None,
            "USD",
            "share of the equipment value",
            (),
            Origin.ASSUMED,
            "no premium is known",
        ),
        Worked(
            f"{key}.acceptance_d",
            "days to acceptance",
            total_d,
            "days",
            "end of the last package of the schedule",
            ("access.row_people", "work.fitting_torque.minutes", "fitting_torque"),
        ),
    )


def break_even(ids: Sequence[str]) -> tuple[BreakEvenCell, ...]:
    made = []
    for experience in (0.0, 4.0, 20.0):
        for racks in (1, 2, 4, 8, 16, 32, 64, 100):
            for value in (0.5, 1.0, 2.5, 4.0, 8.0):
                push = racks * value / 20 - experience / 4
                winner = ids[0] if push < 0.2 else ids[-1] if push < 6 else ids[min(1, len(ids) - 1)]
                made.append(BreakEvenCell(racks, value, experience, winner, 12_000.0 * racks * (1 + abs(push))))
    return tuple(made)


def sample(count: int = 3, weeks: int = 12, rows: Sequence[str] = ("A", "B")) -> Decision:
    """The decision with ``count`` arrangements over so many weeks."""
    results = tuple(arrangement(i, weeks, rows) for i in range(count))
    inputs = assumptions()
    best = min(results, key=lambda r: r.cost.p50)
    rest = sorted((r for r in results if r is not best), key=lambda r: r.cost.p50)
    lead = rest[0].cost.p50 - best.cost.p50 if rest else None
    swings = tuple(
        Swing(a.id, a.low, a.high, a.unit, (lead or 0.0) * (1 - 1.6 / (i + 1)), (lead or 0.0) * (1 + 1.3 / (i + 1)), i < 1)
        for i, a in enumerate((inputs[-6], inputs[-3], inputs[-4], *inputs[:15]))
    )
    return Decision(
        name="gb300-nvl72, 8 racks",
        plan_hash="3f2a9c" + "0" * 58,
        currency="USD",
        runs=20_000,
        seed=1,
        gpus=576,
        racks={"liquid": 8, "network": 3},
        rows=len(rows),
        quantities=tuple(
            Counted(o.id, o.scope, o.unit, 8.0 * (i + 1), o.meaning, "plan table racks") for i, o in enumerate(OPERATIONS)
        ),
        assumptions=inputs,
        arrangements=results,
        winner=best.id,
        winner_share=0.71,
        variants=tuple(
            Summary(
                variant,
                r.id,
                spread(r.cost.p50 * (1.0 if factor > 1.2 and r is results[0] else factor)),
                spread(r.acceptance_d.p50),
                r is (best if factor < 1.2 else results[0]),
            )
            for variant, factor in (("without claimed values", 1.25), ("with a trial rack", 0.97), ("connectors sampled", 1.05))
            for r in results
        ),
        tornado=swings if rest else (),
        break_even=break_even([r.id for r in results]),
        break_even_words=(
            "With 4 racks of experience in-house wins up to 34 racks at 2.5 USD for a GPU-hour.",
            "With inspection before every mating in-house wins up to 34 racks.",
        ),
        next_measurements=(
            NextMeasurement(
                "fault.connector_dirty.rate",
                "faults of 200 matings on a trial rack",
                84_000.0,
                11_500.0,
                0.22,
                "a trial rack, two people, three days",
            ),
            NextMeasurement(
                "money.premium.specialist", "the premium of a specialist", 31_000.0, 2_000.0, 0.09, "ask for two offers"
            ),
            NextMeasurement(
                "a change", "connectors sampled: mixed stays, cheaper", 18_000.0, 0.0, 0.0, "write the rule down first"
            ),
            NextMeasurement("access.row_people", "people who can work in one row", 4_000.0, None, 0.01, "walk the mock-up"),
        ),
        claims=(
            ClaimHeld(
                "a specialist is 30 to 50 % faster",
                "30 to 50 %",
                "17 to 28 %",
                "differs",
                "both work in two shifts in the fibre scope",
                "seller",
            ),
            ClaimHeld(
                "20 to 40 % more per rack", "20 to 40 %", "23 %", "agrees", "the premium itself is such a claim", "seller"
            ),
            ClaimHeld(
                "100 racks need 10 to 20 technicians",
                "10 to 20",
                "not asked here",
                "not shown",
                "the site has 8 racks",
                "seller",
            ),
        ),
        readiness=READINESS,
        worked=tuple(w for r in results for w in worked(r.id, r.cost.p50, r.acceptance_d.p50)),
        notes=("Weather and customs are not in the model.",),
        rival=rest[0].id if rest else "",
        lead=lead,
    )


HOSTILE = "<script>alert('x')</script>\u202eevil\x1b[31m " + "very long name " * 30 + "\u05e9\u05dc\u05d5\u05dd"


def hostile() -> Decision:
    """Names, ids, texts and sources that want to be markup, control sequences, or wider than any page."""
    made = sample(3)
    first = replace(
        made.arrangements[0],
        name=HOSTILE,
        checkpoints=(HOSTILE,),
        critical=(HOSTILE,),
        tools=(Item(HOSTILE, HOSTILE, None, HOSTILE, HOSTILE, HOSTILE),),
    )
    inputs = (replace(made.assumptions[0], source=HOSTILE, meaning=HOSTILE), *made.assumptions[1:])
    return replace(
        made,
        name=HOSTILE,
        arrangements=(first, *made.arrangements[1:]),
        assumptions=inputs,
        notes=(HOSTILE,),
        winner=first.id,
        break_even_words=(HOSTILE,),
        claims=(ClaimHeld(*[HOSTILE] * 3, "differs", HOSTILE, HOSTILE),),
        next_measurements=(NextMeasurement(inputs[0].id, HOSTILE, 3.0, 2.0, 0.1, HOSTILE),),
        tornado=(Swing(HOSTILE, 0.0, 1.0, HOSTILE, -5.0, 5.0, True), *made.tornado),
    )
