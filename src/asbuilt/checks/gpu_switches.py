"""NVLink switch chips and trays of a domain of several nodes (NVL72): do all chips carry their links, is every tray well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from asbuilt.checks.answers import EVIDENCE, judge, kept, nothing, plan_and, untold
from asbuilt.checks.gpu_links import CHIPS, Dark, Domain, dark_chips, domains, in_domains, whole_reports
from asbuilt.checks.node_devices import counted
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

if TYPE_CHECKING:
    import polars as pl

NEEDS = ("nodes", "gpus", "node_traits", "hardware", "expectations")
_WELL = "ok"
#: What is not well in a tray: a sensor beyond its limit, a detector that is wet; of all else whatever is not "ok".
_BAD_SENSORS = ("critical", "leak")


@check(CHIPS, layer=Layer.NODE, severity=Severity.BLOCKER, needs=NEEDS, facts=(), since="0.1")
def chips_carry_all_links(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every NVLink switch chip of a domain carries all its links.

    Why: one dark chip takes a link from all GPUs of the rack (two chips: a tray), every collective of it is slower, and the
    reports of GPUs look like 72 faults. Counted from the GPUs' side: 72 GPUs of 18 active links take the 72 ports of 18 chips.
    That each GPU has one link to each chip is derived: as many links as chips, as many GPUs as ports of a chip, one hop between
    all. Assumed is that all nodes of a domain are wired alike: the same link of the GPU in the same place of another tray ends
    at the same chip. Which number is which chip was found nowhere and is not assumed: the tray is named only where captures
    of trays tell it. Single inactive links are GPU-005's.
    Measured by: nvidia-smi nvlink -s of every compute tray; which tray it is by its BMC (Redfish) or NVOS.
    Repair: look at the tray that is named, or at the chips of all trays (nv show ib device, nv show system health); reseat
    the tray or power it off and on, then replace it; reset the GPUs and read nvlink -s again.
    Source: plan columns `node_traits.switch_chips`, `hardware.nvlinks`, `nvlink_trays.chips`; NVIDIA DGX GB200 user guide.
    """
    planned = domains(plan)
    if not planned:
        return nothing("no planned node is in an NVLink domain of several nodes")
    countable = [d for d in planned if d.countable]
    if not countable:
        return nothing("the plan does not say that a GPU has one NVLink to each switch chip")
    if in_domains(plan, facts).is_empty():
        return untold("the NVLinks of a GPU")
    dark, whole = dark_chips(plan, facts), whole_reports(plan, facts)
    sums = {int(u): (int(n), int(a)) for u, n, a in whole.group_by("unit").agg(_count(), _sum("active")).iter_rows()}
    rows: list[dict[str, Any]] = []
    for domain in countable:
        told, active = sums.get(domain.unit, (0, 0))
        if domain.unit in dark:
            rows += _dark_rows(plan, facts, domain, dark[domain.unit])
        else:
            rows.append(_lit_row(domain, told, active))
    return _judged(rows, _evidence(plan, facts))


def _count() -> pl.Expr:
    import polars as pl

    return pl.len()


def _sum(column: str) -> pl.Expr:
    import polars as pl

    return pl.col(column).sum()


def _lit_row(domain: Domain, told: int, active: int) -> dict[str, Any]:
    """The verdict on a domain without a dark chip: whole only when every GPU told all its links and all are active."""
    planned = domain.gpus * (domain.links or 0)
    found = (
        f"{told} of {domain.gpus} GPUs told all their NVLinks" if told < domain.gpus else f"{active:,} of {planned:,} active"
    )
    ok = None if told < domain.gpus else active == planned
    return {"subject": domain.rack, "ok": ok, "expected": _expected(domain), "found": found, "unit": domain.unit}


def _expected(domain: Domain) -> str:
    return f"{domain.chips} chips with {domain.gpus} active links each"


def _dark_rows(plan: Plan, facts: Facts, domain: Domain, dark: Dark) -> list[dict[str, Any]]:
    """One row for each tray whose own captures account for the dark chips, else one for the domain."""
    which = _links_of(dark)
    on = f"on all {dark.seen // dark.chips} GPUs" if dark.down == dark.seen else f"on {dark.down} of {dark.seen} GPUs"
    if dark.chips > 1 and dark.down != dark.seen:
        on = f"in {dark.down} of {dark.seen} places"
    base = {"ok": False, "expected": _expected(domain), "unit": domain.unit}
    suspects = _suspects(plan, facts, domain.unit)
    if suspects and sum(number for _, number, _ in suspects) == dark.chips:
        return [{**base, "subject": tray, "found": f"{which} inactive {on}; {why}"} for tray, _, why in suspects]
    number = "one chip carries none" if dark.chips == 1 else f"{dark.chips} chips carry none"
    return [{**base, "subject": f"{domain.rack}#NVLink switch chips", "found": f"{which} inactive {on}: {number}"}]


def _links_of(dark: Dark) -> str:
    """The links of dark chips in words: by place of the GPU only where they differ."""
    if len(set(dark.links)) == 1:
        numbers = ", ".join(map(str, dark.links[0]))
        return f"link {numbers}" if dark.chips == 1 else f"links {numbers}"
    places = ", ".join(f"{'+'.join(map(str, numbers))} of GPU {place}" for place, numbers in enumerate(dark.links))
    return f"links {places} of each node"


def _suspects(plan: Plan, facts: Facts, unit: int) -> list[tuple[str, int, str]]:
    """(tray, chips, why) of trays in a domain that by captures of trays cannot carry links; none where no tray was captured."""
    import polars as pl

    if not plan.has("nvlink_trays") or not facts.has("nvlink_tray_measured"):
        return []
    rows = _trays(plan, facts).filter(pl.col("unit") == unit)
    if not rows["answered"].any():
        return []
    found = []
    for tray, chips, answered, shown, ill, said in rows.select(
        "nvlink_tray", "chips", "answered", "shown", "ill", "said"
    ).iter_rows():
        missing = max(0, (chips or 0) - (shown or 0)) if answered and shown else 0
        if not answered:
            found.append((tray, chips or 0, "the tray gives no answer"))
        elif missing or ill:
            found.append((tray, max(missing, ill), said or f"it shows {shown} of its {chips} chips"))
    return found


def _evidence(plan: Plan, facts: Facts) -> dict[int, tuple[str, int]]:
    """unit -> capture and line of an inactive link, else of any."""
    import polars as pl

    rows = in_domains(plan, facts).sort("active", maintain_order=True).group_by("unit", maintain_order=True)
    return {int(u): (c, n) for u, c, n in rows.agg(pl.col(c).first() for c in EVIDENCE).iter_rows()}


def _judged(rows: list[dict[str, Any]], lines: dict[int, tuple[str, int]]) -> pl.DataFrame:
    import polars as pl

    schema = {"subject": pl.String, "ok": pl.Boolean, "expected": pl.String, "found": pl.String, "unit": pl.Int64}
    frame = pl.DataFrame(rows, schema=schema)
    told = pl.DataFrame(
        [(u, *at) for u, at in lines.items()],
        schema={"unit": pl.Int64, EVIDENCE[0]: pl.String, EVIDENCE[1]: pl.Int64},
        orient="row",
    )
    return judge(
        frame.join(told, on="unit", how="left", maintain_order="left"), subject=pl.col("subject"), ok=pl.col("ok"),
        expected=pl.col("expected"), found=pl.col("found"), evidence=EVIDENCE,
    )  # fmt: skip


@kept(plan_and("nvlink_tray_measured"))
def _trays(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every planned tray of a built domain with ``answered``, ``shown`` (chips that BMC and system both show, null: none told),
    ``ill`` (chips not well), ``well`` (something was said to be well), ``said`` (the first thing that is not), evidence."""
    import polars as pl

    told = facts.tables["nvlink_tray_measured"]
    chip, sensor = pl.col("kind") == "switch_chip", pl.col("kind") == "sensor"
    bad = pl.when(sensor).then(pl.col("state").is_in(_BAD_SENSORS)).otherwise(pl.col("state") != _WELL).fill_null(False)
    told = told.with_columns(bad.alias("bad"))
    shown = told.filter(chip & (pl.col("state") != "absent").fill_null(True))
    # BMC and system name the chips differently: NVSwitch_0, ASIC1.
    shown = shown.with_columns(pl.col("name").str.replace(r"\d+$", "").alias("teller"))
    shown = shown.group_by("nvlink_tray", "teller").agg(pl.col("name").n_unique().alias("n"))
    shown = shown.group_by("nvlink_tray").agg(pl.col("n").min().cast(pl.Int64).alias("shown"))
    per = told.group_by("nvlink_tray", maintain_order=True).agg(
        pl.lit(True).first().alias("answered"), chip.any().alias("chips_told"),
        (pl.col("name").filter(chip & pl.col("bad")).n_unique()).cast(pl.Int64).alias("ill"),
        (pl.col("state") == _WELL).filter(~sensor).any().alias("well"),
        pl.format("{}: {}", "name", "state").filter("bad").first().alias("said"),
        *(pl.coalesce(pl.col(c).filter("bad").first(), pl.col(c).first()) for c in EVIDENCE),
    )  # fmt: skip
    built = plan.table("nodes").select("unit").unique()
    trays = plan.table("nvlink_trays").join(built, on="unit", how="semi", maintain_order="left")
    rows = trays.join(per, on="nvlink_tray", how="left", maintain_order="left").join(
        shown, on="nvlink_tray", how="left", maintain_order="left"
    )
    none = pl.when("chips_told").then(pl.col("shown").fill_null(0)).otherwise("shown")
    return rows.with_columns(pl.col("answered").fill_null(False), none.alias("shown"), pl.col("ill").fill_null(0))


@check(
    "GPU-021",
    layer=Layer.NODE,
    severity=Severity.MAJOR,
    needs=(*NEEDS, "nvlink_trays"),
    facts=("nvlink_tray_measured",),
    since="0.1",
)
def trays_are_well(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every planned NVLink switch tray answers, shows all its chips, and says that they and the tray are well.

    Why: a tray whose chip, sensor or leak detector complains takes the rack down next; compute trays show it only when links
    are gone. A tray of which nobody gave a capture is not measured, whatever the GPUs' links say: that is GPU-020's claim.
    Measured by: Redfish of the tray's BMC (Chassis, Switches, sensors, leak detectors), or NVOS: nv show ib device, nv show
    system health, nv show platform inventory; the capture is named as the tray in the plan.
    Repair: read the tray's log; reseat it or power it off and on, then replace it.
    Source: plan table `nvlink_trays`; NVIDIA Switch BMC and NVOS user manuals.
    """
    import polars as pl

    rows = _trays(plan, facts)
    if rows.is_empty():
        return nothing("no NVLink switch tray in the plan")
    few = (pl.col("shown") < pl.col("chips")).fill_null(False)
    whole = (pl.col("shown") >= pl.col("chips")) & pl.col("well")
    ok = pl.when(~pl.col("answered")).then(None).when(pl.col("said").is_not_null() | few).then(False).when(whole).then(True)
    seen = (
        pl.when(~pl.col("answered")).then(pl.lit("no capture of the tray"))
        .when(pl.col("said").is_not_null()).then("said")
        .when(few).then(pl.format("it shows {} of its {} chips", "shown", "chips"))
        .when(pl.col("shown").is_null()).then(pl.lit("no report of its chips"))
        .otherwise(pl.lit("no report of its health"))
    )  # fmt: skip
    return judge(
        rows,
        subject=pl.col("nvlink_tray"),
        ok=ok,
        expected=pl.format("{}, all parts well", counted(pl.col("chips"), "chip", "chips").fill_null("its chips")),
        found=seen,
        evidence=EVIDENCE,
    )
