"""The devices of a plan as NetBox has them: everything in a rack unit, and PDUs, each with a name that no other has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.artefacts.names import refuse_texts
from asbuilt.artefacts.netbox_layouts import TIER, layouts
from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

#: NetBox's longest names, in letters.
DEVICE_LETTERS, RACK_LETTERS, PORT_LETTERS = 64, 100, 64
_SHOWN = 5
#: Kinds of rack slots -> NetBox device role. Switches and nodes have roles of their own.
_ROLES = {
    "nvlink-switch": "NVLink switch",
    "shelf": "power shelf",
    "panel": "patch panel",
    "storage": "storage",
    "management": "management",
    "service": "service node",
}
PDU_ROLE = "rack PDU"
#: Makers by the first word of a part's name; what nobody is known for is ``Generic``.
_MAKERS = ("NVIDIA", "Raritan", "Vertiv", "Supermicro", "Dell", "Lenovo", "HPE", "Arista", "Cisco", "Motivair", "Schneider")
GENERIC = "Generic"


def devices(plan: Plan) -> pl.DataFrame:
    """``key name role part type rack row u height_u face full phase``, one row per device, in the order of the keys.

    ``type`` names the device type: its part, and where tiers of one model have other ports, the tier. ``rack`` and ``row``
    are display names. ``u`` is null for PDUs, which take no rack unit, and for what has no place.

    Raises `ProblemError` ART-001 for names that NetBox cannot hold or that two devices share (it takes no note of case).
    """
    import polars as pl

    racks = plan.table("racks").select("rack", pl.col("name").alias("rack_name"), "row")
    found = pl.concat([_nodes(plan), _switches(plan), _slots(plan), _pdus(plan)], how="diagonal_relaxed")
    found = found.unique("key", keep="first", maintain_order=True)
    found = found.join(racks, on="rack", how="left", maintain_order="left").with_columns(
        pl.when("own_name").then("name").otherwise(pl.concat_str(["rack_name", "name"], separator=" ")).alias("name"),
        pl.col("rack_name").alias("rack"),
    )
    columns = ("key", "name", "role", "part", "type", "rack", "row", "u", "height_u", "face", "full", "phase")
    out = found.select(columns).sort("key")
    _refuse(out["name"], plan.table("racks")["name"])
    return out


def _places(plan: Plan) -> pl.DataFrame:
    import polars as pl

    wanted = {"device": pl.String, "slot_u": pl.Float64, "slot_face": pl.String}
    if not plan.has("rack_slots"):
        return pl.DataFrame(schema=wanted)
    return plan.table("rack_slots").select("device", pl.col("u").alias("slot_u"), pl.col("face").alias("slot_face"))


def _standing(frame: pl.DataFrame, plan: Plan) -> pl.DataFrame:
    """Face and depth from the slots; what is in no slot keeps its own U and fills the depth."""
    import polars as pl

    held = frame.join(_places(plan), left_on="key", right_on="device", how="left", maintain_order="left")
    u = pl.coalesce("slot_u", pl.col("u"))
    return held.with_columns(
        u.alias("u"),
        pl.when(pl.col("slot_face") == "rear").then(pl.lit("rear")).when(u.is_not_null()).then(pl.lit("front")).alias("face"),
        (pl.col("slot_face").fill_null("both") == "both").alias("full"),
        pl.lit(True).alias("own_name"),
    ).drop("slot_u", "slot_face")


def _nodes(plan: Plan) -> pl.DataFrame:
    import polars as pl

    role = pl.concat_str(["role", pl.lit(" node")])
    frame = plan.table("nodes").select(
        pl.col("node").alias("key"),
        "name",
        role.alias("role"),
        pl.col("system").alias("part"),
        pl.col("system").alias("type"),
        "rack",
        "u",
        "height_u",
        "phase",
    )
    return _standing(frame, plan)


def _switches(plan: Plan) -> pl.DataFrame:
    import polars as pl

    types = layouts(plan).select("plane", "role", "model", "type").unique()
    held = plan.table("switches").join(types, on=["plane", "role", "model"], how="left", maintain_order="left")
    frame = held.select(
        pl.col("switch").alias("key"),
        "name",
        pl.concat_str(["plane", "role"], separator=" ").alias("role"),
        pl.col("model").alias("part"),
        pl.coalesce("type", "model").alias("type"),
        "rack",
        "u",
        "height_u",
        "phase",
    )
    return _standing(frame, plan)


def _slots(plan: Plan) -> pl.DataFrame:
    """What has a place and no table of devices: panels, shelves, trays, storage. Named by its rack and its own name."""
    import polars as pl

    if not plan.has("rack_slots"):
        return pl.DataFrame()
    slots = plan.table("rack_slots").filter(
        pl.col("kind").is_in(list(_ROLES)) & ~pl.col("device").str.contains("^(?:node|svc|sw):")
    )
    part = pl.coalesce("part", "kind")
    # Power cords name a storage array by its rack, slots by their U.
    key = pl.when(pl.col("kind") == "storage").then(pl.col("rack").str.replace("^rack:", "storage:")).otherwise("device")
    first = pl.int_range(pl.len()).over("rack", "kind") == 0
    key = pl.when((pl.col("kind") == "storage") & ~first).then("device").otherwise(key)
    sized = pl.concat_str([part, pl.lit(TIER), pl.col("height_u").cast(pl.Int64).cast(pl.String), pl.lit("U")])
    return slots.select(
        key.alias("key"),
        "name",
        pl.col("kind").replace_strict(_ROLES, default="kind").alias("role"),
        part.alias("part"),
        pl.when(pl.col("kind").is_in(["storage", "management"])).then(sized).otherwise(part).alias("type"),
        "rack",
        "u",
        "height_u",
        pl.when(pl.col("face") == "rear").then(pl.lit("rear")).otherwise(pl.lit("front")).alias("face"),
        (pl.col("face") == "both").alias("full"),
        "phase",
        pl.lit(False).alias("own_name"),
    )


def _pdus(plan: Plan) -> pl.DataFrame:
    import polars as pl

    frames = []
    if plan.has("pdus"):
        frames.append(
            plan.table("pdus").select(
                pl.col("pdu").alias("key"),
                pl.concat_str([pl.lit("PDU "), pl.col("pdu").str.extract("([^/]*)$")]).alias("name"),
                pl.lit(PDU_ROLE).alias("role"),
                "part",
                pl.col("part").alias("type"),
                "rack",
                pl.lit(None, dtype=pl.Float64).alias("u"),
                pl.lit(0.0).alias("height_u"),
                pl.lit(None, dtype=pl.String).alias("face"),
                pl.lit(False).alias("full"),
                "phase",
                pl.lit(False).alias("own_name"),
            )
        )
    if plan.has("panels"):  # those that found no rack unit
        frames.append(
            plan.table("panels")
            .filter(pl.col("u").is_null())
            .select(
                pl.col("panel").alias("key"),
                pl.concat_str([pl.lit("patch panel "), pl.col("number").cast(pl.String)]).alias("name"),
                pl.lit(_ROLES["panel"]).alias("role"),
                "part",
                pl.col("part").alias("type"),
                "rack",
                "u",
                "height_u",
                pl.lit(None, dtype=pl.String).alias("face"),
                pl.lit(False).alias("full"),
                "phase",
                pl.lit(False).alias("own_name"),
            )
        )
    return pl.concat(frames) if frames else pl.DataFrame()


def _refuse(devices: pl.Series, racks: pl.Series) -> None:
    import polars as pl

    refuse_texts(pl.concat([devices, racks]), "", "NetBox")
    problems = []
    for names, most, what in ((devices, DEVICE_LETTERS, "device"), (racks, RACK_LETTERS, "rack")):
        for name in names.filter(names.str.len_chars() > most).sort().head(_SHOWN):
            problems.append(_problem(name, f"NetBox holds at most {most} letters of the name of a {what}"))
        low = names.str.to_lowercase()
        for name in names.filter(low.is_duplicated()).sort().head(_SHOWN):
            problems.append(_problem(name, f"two {what}s have it, and NetBox takes no note of case"))
    if problems:
        raise ProblemError(problems)


def _problem(name: str, why: str) -> Problem:
    return Problem("ART-001", f"the name {name!r} cannot be written", why=why, fix="change the name template in cluster.yaml")


def maker(name: str) -> str:
    """The manufacturer by the first word of a part's name, else `GENERIC`."""
    first = name.split(" ", 1)[0]
    return first if first in _MAKERS else GENERIC


def part_names(plan: Plan) -> dict[str, str]:
    """Catalogue id -> what the part is called, of devices of any kind, as far as the plan's tables tell."""
    names: dict[str, str] = {}
    if plan.has("bom"):
        names.update(plan.table("bom").select("part", "description").rows())
    if plan.has("parts"):
        names.update(plan.table("parts").select("part", "name").rows())
    return names
