"""Device types: what all devices of a type have in common, as YAML in the layout of NetBox's device type library."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from asbuilt.artefacts import netbox_kinds as kinds
from asbuilt.artefacts.netbox_devices import maker, part_names
from asbuilt.artefacts.netbox_layouts import TIER
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

_MODEL_LETTERS = 100
#: Section of the library's file -> the columns that a template has.
SECTIONS = {
    "console-ports": ("name", "type"),
    "power-ports": ("name", "type", "maximum_draw", "allocated_draw"),
    "power-outlets": ("name", "type", "power_port", "feed_leg"),
    "interfaces": ("name", "label", "type", "mgmt_only"),
}
_BARE = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_WORDS_OF_YAML = {
    w for low in ("true", "false", "yes", "no", "on", "off", "y", "n", "null") for w in (low, low.upper(), low.title())
}
_CONSOLE = {"name": "console", "type": "rj-45"}


def split(ports: pl.DataFrame, types: pl.DataFrame, columns: tuple[str, ...]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """(templates with ``type_of``, the ports that no template gives).

    A template is a port, equal in ``columns``, that every device of the type has; so no device gets a port too many. ``types``
    is ``key type``.
    """
    import polars as pl

    held = ports.join(types.select(pl.col("key").alias("device"), pl.col("type").alias("type_of")), on="device", how="inner")
    sizes = types.group_by("type").agg(pl.len().alias("devices")).rename({"type": "type_of"})
    common = held.group_by("type_of", *columns).agg(pl.len().alias("have"), pl.col("order").min())
    common = common.join(sizes, on="type_of").filter(pl.col("have") == pl.col("devices")).sort("type_of", "order", "name")
    rest = held.join(common, on=["type_of", *columns], how="anti", nulls_equal=True)
    return common.select("type_of", *columns), rest.sort("device", "order", "name")


def type_rows(plan: Plan, devices: pl.DataFrame) -> list[dict[str, Any]]:
    """One record per device type, in the order of their keys: ``key manufacturer model slug part_number u_height ...``."""
    import polars as pl

    names, air = part_names(plan), _airflow(plan)
    told = devices.group_by("type").agg(
        pl.col("part").first(), pl.col("height_u").max(), pl.col("full").any(), pl.col("role").first()
    )
    rows = []
    for key, part, height, full, _ in told.sort("type").rows():
        tier = key.partition(TIER)[2]
        made_by = maker(names.get(part, part))
        called = names.get(part, part).removeprefix(f"{made_by} ")
        room = _MODEL_LETTERS - len(tier) - 3
        model = f"{called[:room]} ({tier})" if tier else called[:_MODEL_LETTERS]
        short = kinds.slug(key.replace(TIER, " ")).removeprefix(f"{kinds.slug(made_by)}-")
        rows.append(
            {
                "key": key,
                "manufacturer": made_by,
                "model": model,
                "slug": f"{kinds.slug(made_by)}-{short}"[:100],
                "u_height": height,
                "is_full_depth": full,
                "airflow": air.get(part, ""),
                "description": part[:200],
            }
        )
    return rows


def _airflow(plan: Plan) -> dict[str, str]:
    """Airflow of parts that are sold in one direction only; ports are at the rear of a rack of servers."""
    if not plan.has("parts"):
        return {}
    said = {"port-to-connector": "front-to-rear", "connector-to-port": "rear-to-front", "front-to-rear": "front-to-rear"}
    return {p: said[a] for p, a in plan.table("parts").select("part", "airflow").rows() if a in said}


def device_type_yaml(row: dict[str, Any], templates: dict[str, pl.DataFrame], console: bool) -> bytes:
    """The file of one type. Texts stand in double quotes, which YAML reads as JSON's."""
    lines = ["---"]
    for name in ("manufacturer", "model", "slug", "u_height", "is_full_depth", "airflow", "description"):
        if row[name] != "":
            lines.append(f"{name}: {_scalar(row[name])}")
    if not templates["power-ports"].height:
        lines.append("is_powered: false")
    for section, columns in SECTIONS.items():
        records = [_CONSOLE] if section == "console-ports" and console else []
        if section in templates:
            records = templates[section].select(columns).to_dicts()
        if records:
            lines.append(f"{section}:")
        for record in records:
            told = [(k, v) for k, v in record.items() if v not in (None, "") and not (k == "mgmt_only" and not v)]
            lines += [f"{'  - ' if i == 0 else '    '}{k}: {_scalar(v)}" for i, (k, v) in enumerate(told)]
    return ("\n".join(lines) + "\n").encode()


def _scalar(value: Any) -> str:
    """A value as YAML: words that no reader of YAML takes for anything else stand bare."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else str(value)
    if isinstance(value, str) and _BARE.fullmatch(value) and value not in _WORDS_OF_YAML:
        return value
    return json.dumps(value, ensure_ascii=False)
