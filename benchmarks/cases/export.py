"""The cable table of the declared fabric as CSV and Parquet: the product's writers against the csv module and Polars."""

from __future__ import annotations

import csv
import hashlib
import sys
import tempfile
from pathlib import Path

from cable_list import planned
from measure import report

from asbuilt.store.project import write_table

COLUMNS = ("link", "kind", "a_name", "a_port", "b_name", "b_port")


def main() -> None:
    side, gpus = sys.argv[1], int(sys.argv[2])
    frame = planned(gpus).links.select(COLUMNS)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "out"

        def with_csv_module() -> None:
            with target.open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(frame.columns)
                writer.writerows(frame.iter_rows())

        def with_product() -> None:
            from asbuilt.artefacts.delimited import write_csv

            write_csv(frame, target)

        jobs = {
            "csv": with_csv_module,
            "product": with_product,
            "parquet": lambda: write_table(frame, target),
            "polars": lambda: frame.write_parquet(target, compression="zstd", compression_level=3),
        }
        jobs[side]()
        size = target.stat().st_size
        digest = {"digest": hashlib.sha256(target.read_bytes()).hexdigest()} if side in ("csv", "product") else {}
        report(jobs[side], repeat=3, note=f"{frame.height} rows, {size / 1e6:.1f} MB", **digest)


main()
