"""Optics and cables: cages, fins, ferrules, media, lanes, reach, power."""

from __future__ import annotations

import polars as pl

from asbuilt.checks.answers import amount, by_kind, holds, judge, nothing, once, thresholds, traits, words
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

ENDS = ("a", "b")


def cages(plan: Plan) -> pl.DataFrame:
    """The part around every device's cages: ``device cage host``; ``cage`` is null for switches (all cages alike).

    A node's cage belongs to the NIC behind it.
    """
    frames = []
    if plan.has("switches"):
        frames.append(plan.table("switches").select(device="switch", cage=pl.lit(None, dtype=pl.String), part="model"))
    if plan.has("nics"):
        frames.append(plan.table("nics").select("cage", "part", device="node").unique(["device", "cage"], keep="any"))
    if not frames:
        return pl.DataFrame(schema=dict.fromkeys(("device", "cage", "host"), pl.String))
    return pl.concat([f.select("device", "cage", host="part") for f in frames])


def in_cages(plan: Plan, rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` (with ``device cage``) and ``host``, the part around that cage: a switch model or the NIC behind it.

    ``known`` is false where the plan describes no card of the device (a service host that the site brings).
    """
    taken = cages(plan)
    exact = taken.filter(pl.col("cage").is_not_null()).rename({"host": "nic_host"})
    whole = taken.filter(pl.col("cage").is_null()).drop("cage")
    described = taken.select("device").unique().with_columns(pl.lit(True).alias("known"))
    return (
        rows.join(whole, on="device", how="left")
        .join(exact, on=["device", "cage"], how="left")
        .join(described, on="device", how="left")
        .with_columns(pl.coalesce("host", "nic_host").alias("host"), pl.col("known").fill_null(False))
        .drop("nic_host")
    )


@once
def hosted(plan: Plan) -> pl.DataFrame:
    """Transceivers with the ``host`` of their cage, and whether it is ``known``."""
    return in_cages(plan, plan.table("transceivers"))


def modules(plan: Plan, trait: str) -> pl.DataFrame:
    """Transceivers with ``optic_<trait>`` of the module and ``cage_<trait>``, ``host``, ``known`` of its cage."""
    return _around(plan, hosted(plan).join(traits(plan, "optic", trait), on="part", how="left"), trait)


def _around(plan: Plan, rows: pl.DataFrame, trait: str) -> pl.DataFrame:
    """``rows`` with ``cage_<trait>`` of their ``host``."""
    return rows.join(traits(plan, "cage", trait).rename({"part": "host"}), on="host", how="left")


@once
def jumpers_with_optics(plan: Plan) -> pl.DataFrame:
    """The table `jumpers` with ``a_optic`` and ``b_optic``: the modules in the cages at its ends, null for a fixed end.

    The cage is the first part of a front-panel label (``26/1/2`` is cage 26, half 1, split 2).
    """
    jumpers = plan.table("jumpers")
    if not plan.has("transceivers"):
        return jumpers.with_columns(pl.lit(None, dtype=pl.String).alias(f"{end}_optic") for end in ENDS)
    held = plan.table("transceivers").select("device", "cage", "part")
    for end in ENDS:
        labels = jumpers.select(pl.col(f"{end}_label").unique())  # few, however many jumpers there are
        labels = labels.with_columns(pl.col(f"{end}_label").str.replace(r"/.*$", "").alias(f"{end}_cage"))
        jumpers = jumpers.join(labels, on=f"{end}_label", how="left", nulls_equal=True)
        there = held.rename({"device": f"{end}_device", "cage": f"{end}_cage", "part": f"{end}_optic"})
        jumpers = jumpers.join(there, on=[f"{end}_device", f"{end}_cage"], how="left")
    return jumpers


def with_traits(plan: Plan, jumpers: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """``jumpers`` with ``a_<trait>`` and ``b_<trait>`` of the optics, and ``cable_<trait>`` of the cable itself."""
    for end in ENDS:
        jumpers = jumpers.join(traits(plan, end, *columns).rename({"part": f"{end}_optic"}), on=f"{end}_optic", how="left")
    return jumpers.join(traits(plan, "cable", *columns), on="part", how="left")


@check("DES-036", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("jumpers", "transceivers", "parts"), since="0.1")
def fixed_cable_ends_fit_their_cages(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every cable with fixed ends fits the cages at its ends, where the plan describes them.

    Why: a copper or active optical cable cannot change its plug; the wrong end is a new order.
    Measured by: plan table `jumpers` against `parts` of the cable and of the NIC or switch around each cage.
    Repair: the cable with the plug that the cage takes.
    Source: form factors from the catalogue.
    """
    jumpers = jumpers_with_optics(plan)
    ends = pl.concat(
        jumpers.filter(pl.col(f"{e}_optic").is_null()).select(
            "jumper", "part", end=pl.lit(e), device=f"{e}_device", cage=f"{e}_cage"
        )
        for e in ENDS
    )
    rows = _around(plan, in_cages(plan, ends), "form_factor").join(traits(plan, "cable", "fits"), on="part", how="left")
    fitting = holds(pl.col("cable_fits"), pl.col("cage_form_factor"))
    return judge(
        by_kind(rows, "cable_fits", "cage_form_factor", fitting=fitting),
        subject=pl.format("{}#{}", "jumper", "end"),
        ok=pl.col("fitting"),
        applies=pl.col("known") & pl.col("cable_fits").is_not_null(),
        expected=pl.format("a plug for the {} cage of {}", "cage_form_factor", "host"),
        found=pl.format("{} fits {}", "part", words(pl.col("cable_fits"))),
    )


@check("DES-038", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("jumpers", "transceivers", "parts"), since="0.1")
def both_ends_run_the_same_lanes(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The optics at both ends of a jumper run the same lane rate, or the faster one can shift down.

    Why: a 200 Gb/s lane cannot slow down to 100 or 50; XDR and NDR optics on one fibre see light and never lock.
    Measured by: plan tables `jumpers` and `transceivers` against `parts`.
    Repair: use optics of one generation at both ends.
    Source: NVIDIA 800G and 200G-PAM4 product list.
    """
    rows = with_traits(plan, jumpers_with_optics(plan), "lane_gbps", "downshift")
    known = pl.col("a_lane_gbps").is_not_null() & pl.col("b_lane_gbps").is_not_null()
    faster = pl.when(pl.col("a_lane_gbps") > pl.col("b_lane_gbps")).then("a_downshift").otherwise("b_downshift")
    lanes = [amount(pl.col(f"{end}_lane_gbps"), "Gb/s") for end in ENDS]
    return judge(
        rows,
        subject=pl.col("jumper"),
        ok=(pl.col("a_lane_gbps") == pl.col("b_lane_gbps")) | (faster.fill_null(False) & known),
        applies=pl.col("a_optic").is_not_null() & pl.col("b_optic").is_not_null(),
        expected=pl.lit("one lane rate at both ends"),
        found=pl.format("{} and {}: {} and {} a lane", "a_optic", "b_optic", *lanes),
    )


@check("DES-039", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("jumpers", "parts"), since="0.1")
def cables_exist(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every cable of the plan is a part that the catalogue knows.

    Why: a link whose two cages no cable or pair of optics joins, at its rate and over its length, cannot be ordered: a
        200 Gb/s card with lanes of 50 Gb/s, for example, has no splitter from an NDR port.
    Measured by: plan table `jumpers` against `parts`.
    Repair: another NIC, another split, shorter routes, or the cable that does it in a catalogue entry of your own.
    Source: cages, lanes and cable ends from the catalogue.
    """
    known = plan.table("parts").select("part", pl.lit(True).alias("known"))
    rows = plan.table("jumpers").join(known, on="part", how="left")
    return judge(
        rows,
        subject=pl.col("jumper"),
        ok=pl.col("known").fill_null(False),
        expected=pl.lit("a cable of the catalogue that fits both cages and reaches"),
        found=pl.when(pl.col("known")).then(pl.col("part")).otherwise(pl.lit("none")),
    )


@check("DES-040", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("transceivers", "parts"), since="0.1")
def optics_have_the_fins_their_host_takes(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every OSFP module has the heat sink that its host's cages take: finned in air-cooled switches, flat in NICs and servers.

    Why: a finned module does not go into a riding-heat-sink cage, and a flat one overheats in a switch that has none.
    Measured by: plan table `transceivers` against `parts` of the module and of the NIC or switch around the cage.
    Repair: order the twin of the module with the other heat sink.
    Source: NVIDIA ConnectX-7 manual (flat only), QM97xx and Q3400 interface chapters.
    """
    rows = modules(plan, "heatsink")
    return judge(
        rows,
        subject=pl.col("transceiver"),
        ok=pl.col("optic_heatsink") == pl.col("cage_heatsink"),
        applies=pl.col("optic_heatsink").is_not_null() & pl.col("cage_heatsink").is_not_null(),
        expected=pl.format("a {} module in {}", "cage_heatsink", "host"),
        found=pl.format("{} is {}", "part", "optic_heatsink"),
    )


@check("DES-041", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("jumpers", "transceivers", "parts"), since="0.1")
def jumpers_have_the_polish_of_their_optics(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Both ends of every fibre jumper have the ferrule polish of the optics that they are mated to.

    Why: an angled ferrule on a straight one leaves an air gap, costs a decibel and more, reflects, and scratches both.
    Measured by: plan tables `jumpers` and `transceivers` against `parts`; the jumpers' polish is the one ordered.
    Repair: order the jumpers with the polish of the optics; MPO at 100G a lane and above is APC, multimode too.
    Source: NVIDIA cable requirements for NDR and 400G (MPO: APC, LC: UPC).
    """
    rows = with_traits(plan, jumpers_with_optics(plan), "polish")
    ends = pl.concat(
        rows.select("jumper", "part", "cable_polish", end=pl.lit(e), optic=f"{e}_optic", optic_polish=f"{e}_polish")
        for e in ENDS
    )
    return judge(
        ends,
        subject=pl.format("{}#{}", "jumper", "end"),
        ok=pl.col("cable_polish") == pl.col("optic_polish"),
        applies=pl.col("optic_polish").is_not_null() & pl.col("cable_polish").is_not_null(),
        expected=pl.format("{} at {}", pl.col("optic_polish").str.to_uppercase(), "optic"),
        found=pl.format("{} is {}", "part", pl.col("cable_polish").str.to_uppercase()),
    )


@check("DES-042", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("jumpers", "transceivers"), since="0.1")
def halves_of_a_module_are_used_alike(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Both ports of a twin-port module have the same kind of jumper: straight or splitter, same fibre.

    Why: the module configures both ports as one; a straight jumper beside a splitter leaves one of them down.
    Measured by: plan tables `transceivers` and `jumpers`.
    Repair: give both ports the same jumper type, or move one of them to another module.
    Source: NVIDIA LinkX 100G-PAM4 fibre details: splitter rule.
    """
    jumpers = jumpers_with_optics(plan)
    # A part is straight or a splitter whether all its ends are used or not (the last node of an odd number uses one).
    used = pl.concat(
        jumpers.filter(pl.col(f"{e}_optic").is_not_null()).select("part", device=f"{e}_device", cage=f"{e}_cage") for e in ENDS
    )
    # Counted by a hash of the place, which is quick; places that share one by chance are only looked at once more.
    place = pl.struct("device", "cage").hash().alias("place")
    hashed = used.select(place, pl.col("part").hash())
    several = hashed.group_by("place").agg(mixed=pl.col("part").min() != pl.col("part").max())
    suspects = used.filter(hashed["place"].is_in(several.filter("mixed")["place"].implode())).unique().sort("part")
    kinds = suspects.group_by("device", "cage").agg(pl.len().alias("kinds"), pl.col("part").str.join(" and "))
    mixed = kinds.filter(pl.col("kinds") > 1)
    modules_used = plan.table("transceivers").select("transceiver", "device", "cage").with_columns(place)
    rows = modules_used.join(several, on="place", how="semi")
    return judge(
        rows.join(mixed, on=["device", "cage"], how="left"),
        subject=pl.col("transceiver"),
        ok=pl.col("kinds").is_null(),
        expected=pl.lit("one kind of jumper on all its ports"),
        found=pl.col("part"),
    )


@check("DES-043", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("jumpers", "parts", "expectations"), since="0.1")
def fast_lanes_run_over_media_that_carry_them(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No jumper of a lane rate runs over a medium that does not exist at that rate.

    Why: at 200 Gb/s a lane there is no passive copper, no multimode and no active optical cable to buy; the order fails.
    Measured by: plan table `jumpers` (medium) and the lane rate of the cable or of the optics at its ends, from `parts`.
    Repair: single-mode optics, or active copper where it reaches.
    Source: NVIDIA 800G and 200G-PAM4 product list.
    """
    rules = thresholds(plan, "DES-043").select(
        lane=pl.col("selector").str.strip_prefix("lane_gbps=").cast(pl.Float64, strict=False), allowed="value"
    )
    if rules.is_empty():
        return nothing("the plan states no rule for a lane rate")
    rows = with_traits(plan, jumpers_with_optics(plan), "lane_gbps")
    at_ends = pl.max_horizontal("a_lane_gbps", "b_lane_gbps")
    rows = rows.with_columns(pl.coalesce("cable_lane_gbps", at_ends).alias("lane")).join(rules, on="lane", how="left")
    return judge(
        by_kind(rows, "allowed", "medium", carried=holds(pl.col("allowed"), pl.col("medium"))),
        subject=pl.col("jumper"),
        ok=pl.col("carried"),
        applies=pl.col("allowed").is_not_null(),
        expected=pl.format("{} at {} a lane", words(pl.col("allowed"), " or "), amount(pl.col("lane"), "Gb/s")),
        found=pl.format("{} is {}", "part", "medium"),
    )


@check("DES-044", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("jumpers", "parts"), since="0.1")
def cables_stay_within_reach(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No jumper is longer than its cable and the optics at its ends reach; through a splitter their shorter reach counts.

    Why: past its reach a link trains on a good day, collects errors on a warm one, and is blamed on everything else.
    Measured by: plan table `jumpers` (stock length) against `parts` of the cable and of both optics.
    Repair: a medium that reaches, or racks nearer to each other; without a splitter the same optic may do.
    Source: reach of each part, named in the catalogue.
    """
    rows = with_traits(plan, jumpers_with_optics(plan), "reach_m", "reach_split_m")
    splits = pl.col("links") > 1
    reach = {e: pl.when(splits).then(pl.col(f"{e}_reach_split_m")).otherwise(pl.col(f"{e}_reach_m")) for e in ENDS}
    unknown = pl.any_horizontal(pl.col(f"{e}_optic").is_not_null() & reach[e].is_null() for e in ENDS)
    limit = pl.min_horizontal(*reach.values(), "cable_reach_m")
    listed = pl.col("part").is_in(plan.table("parts")["part"].implode())  # an unknown cable is DES-039's finding
    way = pl.when(splits).then(pl.lit(" through a splitter")).otherwise(pl.lit(""))
    return judge(
        rows,
        subject=pl.col("jumper"),
        ok=pl.when(~unknown).then(pl.col("length_m") <= limit),
        applies=listed,
        expected=pl.format("at most {}{}", amount(limit, "m"), way),
        found=pl.format("{} of {}", amount(pl.col("length_m"), "m"), "part"),
    )


@check("DES-045", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("transceivers", "switches", "parts"), since="0.1")
def modules_stay_within_the_cage_power(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No module in a switch draws more than its cage can feed and cool, where the data sheet states that figure.

    Why: the switch refuses the module, or shuts it down when the hall gets warm.
    Measured by: plan table `transceivers` against the cage power of the switch in `parts`.
    Repair: a module of a lower power class, or a switch whose cages feed it.
    Source: switch data sheets, named in the catalogue.
    """
    rows = modules(plan, "cage_power_w").join(plan.table("switches").select(device="switch"), on="device", how="semi")
    return judge(
        rows,
        subject=pl.col("transceiver"),
        ok=pl.col("power_w") <= pl.col("cage_cage_power_w"),
        applies=pl.col("cage_cage_power_w").is_not_null(),
        expected=pl.format("at most {} in a cage of {}", amount(pl.col("cage_cage_power_w"), "W"), "host"),
        found=pl.format("{} draws {}", "part", amount(pl.col("power_w"), "W")),
    )


@check("DES-046", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("transceivers", "parts"), since="0.1")
def modules_fit_their_cages(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every module is of a form that its host's cage takes, where the plan describes the host's cards.

    Why: an OSFP module does not go into a QSFP112 cage; the optics order is the longest lead time of the site.
    Measured by: plan table `transceivers` against `parts` of the module and of the NIC or switch around the cage.
    Repair: order the module in the cage's form factor.
    Source: form factors from the catalogue.
    """
    fits = traits(plan, "optic", "fits")
    rows = modules(plan, "form_factor").join(fits, on="part", how="left")
    fitting = holds(pl.col("optic_fits"), pl.col("cage_form_factor"))
    return judge(
        by_kind(rows, "optic_fits", "cage_form_factor", fitting=fitting),
        subject=pl.col("transceiver"),
        ok=pl.col("fitting"),
        applies=pl.col("known"),
        expected=pl.format("a module for the {} cage of {}", "cage_form_factor", "host"),
        found=pl.format("{} fits {}", "part", words(pl.col("optic_fits"))),
    )


@check("DES-047", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("jumpers",), since="0.1")
def cables_are_long_enough(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every jumper is at least as long as its route, drops and slack included.

    Why: a cable that is half a metre short is pulled tight over an edge, or ordered again with eight weeks of lead time.
    Measured by: plan table `jumpers`, stock length against route.
    Repair: the next stock length.
    Source: arithmetic on the placement.
    """
    return judge(
        plan.table("jumpers"),
        subject=pl.col("jumper"),
        ok=pl.col("length_m") >= pl.col("route_m"),
        expected=pl.format("at least {}", amount(pl.col("route_m"), "m")),
        found=amount(pl.col("length_m"), "m"),
    )
