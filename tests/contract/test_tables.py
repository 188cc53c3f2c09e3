"""The declared tables: well-formed schemas, and a reference page that does not lag."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from asbuilt.base.table import DTYPES, Schema
from asbuilt.model.facts import FACT_TABLES
from asbuilt.model.tables import PLAN_TABLES
from asbuilt.model.verdict import VERDICTS

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = [*PLAN_TABLES.values(), *FACT_TABLES, VERDICTS]
UNITS = {
    "_mm": "mm", "_m": "m", "_w": "W", "_kw": "kW", "_kg": "kg", "_u": "U", "_gbps": "Gb/s", "_m3_h": "m3/h",
    "_db": "dB", "_c": "°C", "_a": "A", "_v": "V", "_kpa": "kPa", "_l_min": "L/min",
    "_percent": "%", "_mohm": "mΩ", "_mohm_m": "mΩ/m", "_ka": "kA", "_kn": "kN", "_mv": "mV", "_l": "L", "_k": "K",
    "_m_s": "m/s", "_n": "N", "_nm": "N·m", "_kg_m": "kg/m", "_bytes": "bytes", "_us": "us", "_s": "s",
    "_mib": "MiB", "_gib": "GiB", "_mts": "MT/s", "_gts": "GT/s", "_mhz": "MHz", "gbytes_s": "GB/s",
    "seconds": "s", "bytes": "bytes",
}  # fmt: skip


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda s: s.name)
def test_schema_is_well_formed(schema: Schema) -> None:
    names = schema.names
    assert len(set(names)) == len(names)
    assert set(schema.key) <= set(names) and set(schema.order) <= set(names)
    for column in schema.columns:
        assert column.dtype in DTYPES and column.meaning
        suffix = next((s for s in sorted(UNITS, key=len, reverse=True) if column.name.endswith(s)), None)
        if suffix:
            assert column.unit == UNITS[suffix], f"{schema.name}.{column.name}"
        if column.unit:
            assert suffix or column.name == "u", f"{schema.name}.{column.name} has a unit but no suffix that says so"


def test_foreign_keys_name_existing_columns() -> None:
    for schema in PLAN_TABLES.values():
        for column, target in schema.foreign.items():
            table, key = target.split(".")
            assert column in schema.names and key in PLAN_TABLES[table].names


def test_faults_are_found() -> None:
    schema = PLAN_TABLES["asics"]
    good = pl.DataFrame({"asic": ["a#0", "b#0"], "switch": ["a", "b"], "number": [0, 0]})
    assert schema.faults(schema.conform(good)) == []
    assert schema.faults(schema.conform(good.reverse())) == ["asics: not sorted by ('asic',)"]
    twice = schema.conform(pl.concat([good[:1], good[:1]]))
    assert "asics: key ('asic',) is not unique" in schema.faults(twice)
    with pytest.raises(ValueError, match="table asics: column number is missing"):
        schema.conform(good.drop("number"))
    with pytest.raises(ValueError, match="unknown columns \\['colour'\\]"):
        schema.conform(good.with_columns(pl.lit("red").alias("colour")))


def test_generated_pages_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, "tools/generate_docs.py", "--check"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
