"""The channel of every optical jumper: what its light passes from module to module, how much is lost, how much may be."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl

from asbuilt.base.units import MM_PER_M
from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design
from asbuilt.model.tables_fibre import CHANNELS
from asbuilt.physics.optical_loss import channel_loss_db
from asbuilt.physics.polarity import channel_works
from asbuilt.plan.fibre.bodies import GRADES, Fibre
from asbuilt.plan.fibre.trunk_rows import Floats
from asbuilt.plan.fibre.trunking import Trunking, TrunkKind
from asbuilt.plan.route import from_stock

_M_PER_KM = 1000.0
#: Mated pairs of a channel over one trunk: a panel at either end. Those with the modules are the modules' own.
_TRUNK_PAIRS = 2
#: Cord types that a store holds, the usual one first.
_CORDS = ("B", "A")


def trunk_elements(kind: TrunkKind) -> str:
    """Elements of a channel over a trunk of this kind, with the first cord types that make it work (B at both ends if none)."""
    middle = f"ad{kind.adapter} {kind.polarity} ad{kind.adapter}"
    for near, far in itertools.product(_CORDS, _CORDS):
        elements = f"{near} {middle} {far}"
        if channel_works(elements, kind.lanes):
            return elements
    return f"{_CORDS[0]} {middle} {_CORDS[0]}"


def channels_table(
    design: Design,
    catalogue: Catalogue,
    fibres: dict[str, Fibre],
    jumpers: pl.DataFrame,
    made: Trunking | None,
    lengths: pl.DataFrame | None,
    tables: dict[str, pl.DataFrame],
) -> pl.DataFrame:
    """Table `CHANNELS`, a row for every jumper of a fibre part with connectors, sorted by key."""
    optical = jumpers.filter(pl.col("part").is_in(list(fibres))).drop("port")
    if not optical.height:
        return CHANNELS.empty()
    optical = _with_limits(catalogue, fibres, optical, tables["transceivers"])
    if made is None or lengths is None:
        return CHANNELS.conform(_direct(fibres, optical).select(CHANNELS.names).sort("jumper"))
    carried = made.carried.select("jumper", "trunk", "port", "turned", "kind")
    over = optical.join(carried, on="jumper", how="inner", maintain_order="left")
    rest = optical.join(carried, on="jumper", how="anti", maintain_order="left")
    frames = [_direct(fibres, rest), _trunked(design, catalogue, fibres, over, made, lengths)]
    return CHANNELS.conform(pl.concat([f.select(CHANNELS.names) for f in frames]).sort("jumper"))


def _of(fibres: dict[str, Fibre], key: str, dtype: type[pl.DataType]) -> pl.Expr:
    return pl.col("part").replace_strict({i: getattr(f, key) for i, f in fibres.items()}, return_dtype=dtype)


def _direct(fibres: dict[str, Fibre], jumpers: pl.DataFrame) -> pl.DataFrame:
    """One cord from module to module: nothing mated in between."""
    lanes = _of(fibres, "lanes", pl.String)
    made = jumpers.with_columns(
        pl.lit(None, dtype=pl.String).alias("trunk"),
        pl.lit(None, dtype=pl.Int64).alias("port"),
        pl.lit(None, dtype=pl.Float64).alias("a_cord_m"),
        pl.lit(None, dtype=pl.Float64).alias("b_cord_m"),
        pl.when(lanes == "lc").then(pl.lit("AB")).otherwise(pl.lit("B")).alias("elements"),
        lanes.alias("lanes"),
        pl.lit(0, dtype=pl.Int64).alias("pairs"),
        pl.lit(0, dtype=pl.Int64).alias("splices"),
    )
    each = _of(fibres, "attenuation_db_km", pl.Float64)
    return made.with_columns((pl.col("length_m") * each / _M_PER_KM).round(4).alias("loss_db"))


def straight_cords(catalogue: Catalogue, fibres: dict[str, Fibre]) -> dict[str, tuple[str, tuple[float, ...]]]:
    """Per jumper part the straight cord of the same fibre and connector, and its stock lengths: a splitter has one at its
    unsplit end. The part itself where it is straight, or where the catalogue has no such cord."""
    found = {}
    for fibre in fibres.values():
        found[fibre.id] = (fibre.id, fibre.lengths_m)
        for other in catalogue.ids("cable") if fibre.ends > 1 else ():
            part = catalogue.get("cable", other)
            same = part.value("media") == fibre.medium and part.value("connector") == fibre.connector
            if same and not part.value("fixed_ends") and int(part.value("far_ends", 1)) == 1:
                found[fibre.id] = (other, tuple(sorted(float(x) for x in part.value("lengths_m"))))
                break
    return found


def _trunked(
    design: Design,
    catalogue: Catalogue,
    fibres: dict[str, Fibre],
    jumpers: pl.DataFrame,
    made: Trunking,
    lengths: pl.DataFrame,
) -> pl.DataFrame:
    """Cord, panel, trunk, panel, cord."""
    trunk = lengths.select(
        pl.format("trunk:{}/{}-{}", "pair", "kind", "number").alias("trunk"),
        pl.col("length_m").alias("trunk_m"),
        "centre_lo",
        "centre_hi",
    )
    held = jumpers.join(trunk, on="trunk", how="left", maintain_order="left")
    turned = held["turned"].to_numpy()
    lo, hi = held["centre_lo"].to_numpy(), held["centre_hi"].to_numpy()
    straight = straight_cords(catalogue, fibres)
    cord_a, cord_b = (
        _cord(design, held, held[f"centre_{end}"].to_numpy(), panel)
        for end, panel in (("a", np.where(turned, hi, lo)), ("b", np.where(turned, lo, hi)))
    )
    part = held["part"].to_numpy()
    loss, a_m, b_m = (np.zeros(held.height) for _ in range(3))
    total = held["trunk_m"].to_numpy().copy()
    for fibre in fibres.values():
        at = part == fibre.id
        a_m[at] = from_stock(cord_a[at], straight[fibre.id][1])
        b_m[at] = from_stock(cord_b[at], fibre.lengths_m)
    total = total + a_m + b_m
    pair_db = held["kind"].replace_strict({w: k.pair_db for w, k in made.kinds.items()}, return_dtype=pl.Float64).to_numpy()
    for fibre in fibres.values():
        at = part == fibre.id
        loss[at] = channel_loss_db(total[at], 0.0, fibre.attenuation_db_km, 0.0) + _TRUNK_PAIRS * pair_db[at]
    words = {w: trunk_elements(k) for w, k in made.kinds.items()}
    return held.with_columns(
        pl.Series("a_cord_m", a_m),
        pl.Series("b_cord_m", b_m),
        pl.col("kind").replace_strict(words, return_dtype=pl.String).alias("elements"),
        _of(fibres, "lanes", pl.String).alias("lanes"),
        pl.lit(_TRUNK_PAIRS, dtype=pl.Int64).alias("pairs"),
        pl.lit(0, dtype=pl.Int64).alias("splices"),
        pl.Series("length_m", total),
        pl.Series("loss_db", np.round(loss, 4)),
    )


def _cord(design: Design, held: pl.DataFrame, device_mm: Floats, panel_mm: Floats) -> Floats:
    """Length that a cord inside a rack needs, m: as `plan/route.py` measures inside a rack."""
    site = design.site
    need: Floats = np.round((np.abs(device_mm - panel_mm) + site.rack_width_mm) / MM_PER_M + site.slack_m, 2)
    return need


def _with_limits(catalogue: Catalogue, fibres: dict[str, Fibre], jumpers: pl.DataFrame, modules: pl.DataFrame) -> pl.DataFrame:
    """Adds limit_db, reach_m and phy: of both modules the lower; null where a module or its layer is not known."""
    cage = modules.select("device", "cage", "part")
    for end in ("a", "b"):
        at = pl.col(f"{end}_label").str.split("/").list.first().alias("cage")
        here = jumpers.select(pl.col(f"{end}_device").alias("device"), at)
        part = here.join(cage, on=["device", "cage"], how="left", maintain_order="left")["part"]
        jumpers = jumpers.with_columns(part.alias(f"{end}_module"))
    cases = jumpers.select("part", "a_module", "b_module").unique().sort("part", "a_module", "b_module")
    rows = [(*case, *_limit(catalogue, fibres[case[0]], case[1:])) for case in cases.rows()]
    names = {**dict.fromkeys(("part", "a_module", "b_module"), pl.String)}
    schema = {**names, "limit_db": pl.Float64, "reach_m": pl.Float64, "phy": pl.String}
    limits = pl.DataFrame(rows, schema=schema, orient="row")
    return jumpers.join(limits, on=list(names), how="left", maintain_order="left", nulls_equal=True)


def _limit(
    catalogue: Catalogue, fibre: Fibre, modules: tuple[str | None, ...]
) -> tuple[float | None, float | None, str | None]:
    """Loss limit, reach and physical layer of a channel between two modules over ``fibre``."""
    if any(m is None or not catalogue.has("optic", m) for m in modules):
        return None, None, None
    optics = [catalogue.get("optic", str(m)) for m in modules]
    key = "reach_split_m" if fibre.ends > 1 else "reach_m"
    reach = min([*(float(o.value(key, o.value("reach_m"))) for o in optics), fibre.reach_m])
    layers = [str(o.value("phy", "")) for o in optics]
    if not all(layers) or not all(catalogue.has("fibre", x) for x in layers):
        return None, reach, None
    limits = [(catalogue.get("fibre", x).value(f"loss_{GRADES[fibre.medium]}_max_db"), x) for x in layers]
    if any(limit is None for limit, _ in limits):
        return None, reach, layers[0]
    least, layer = min((float(limit), x) for limit, x in limits if limit is not None)
    return least, reach, layer
