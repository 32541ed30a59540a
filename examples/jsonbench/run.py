"""Loads events of JSONBench, runs its queries, and records their times. See README.md."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from variant_shredded import load_json, read_variant, session, write_variant

MILLIONS = {"1m": 1, "10m": 10, "100m": 100, "1000m": 1000}
RUNS = 3


def load(spark: SparkSession, data: Path, size: str, table: Path) -> None:
    """Write the events as a Variant column, unless an earlier run has already written them."""
    if (table / "_SUCCESS").exists():
        return
    files = sorted(data.glob("file_*.json*"))[: MILLIONS[size]]
    if len(files) < MILLIONS[size]:
        raise SystemExit(f"{data} has {len(files)} files file_*.json.gz; {size} needs more")
    # Some lines of the data are not JSON. The entries of other systems leave them out, too.
    events = load_json(spark, *files, column="j", malformed="null").where("j IS NOT NULL")
    write_variant(events, table, mode="overwrite")


def empty_caches() -> None:
    """Empty the caches of the operating system, if the user may do it without a password."""
    if sudo := shutil.which("sudo"):
        command = "sync; echo 3 > /proc/sys/vm/drop_caches"
        subprocess.run([sudo, "-n", "sh", "-c", command], check=False, capture_output=True)


def timed(spark: SparkSession, query: str) -> float:
    """Run a query, and return its time in seconds."""
    start = time.perf_counter()
    spark.sql(query).collect()
    return time.perf_counter() - start


def write_entry(name: str, results: dict[str, Any]) -> None:
    """Write the results in the form in which JSONBench collects them."""
    machine, _, _ = name.partition("_bluesky_")
    entry = {
        "system": "Spark (variant-shredded)",
        "os": platform.platform(),
        "date": date.today().isoformat(),
        "machine": machine,
        "retains_structure": "yes",
        "tags": [],
        **results,
    }
    directory = Path("results")
    directory.mkdir(exist_ok=True)
    (directory / f"{name}.json").write_text(json.dumps(entry, indent=2) + "\n", encoding="utf-8")


def main(data: Path, size: str, prefix: str) -> None:
    """Load one size and run all queries on it."""
    table = Path(f"bluesky_{size}").resolve()
    spark = session(**{"spark.ui.enabled": False})
    load(spark, data, size, table)
    read_variant(spark, table).createOrReplaceTempView("bluesky")

    def write(suffix: str, text: str) -> None:
        Path(f"{prefix}.{suffix}").write_text(text + "\n", encoding="utf-8")

    files = [file for file in table.rglob("*") if file.is_file()]
    count = spark.table("bluesky").count()
    total_size = sum(file.stat().st_size for file in files)
    data_size = sum(file.stat().st_size for file in files if file.suffix == ".parquet")
    write("count", str(count))
    write("total_size", str(total_size))
    write("data_size", str(data_size))

    lines = Path(__file__).with_name("queries.sql").read_text(encoding="utf-8").splitlines()
    queries = [line.rstrip("; ") for line in lines if line]
    plans = [spark.sql(f"EXPLAIN FORMATTED {query}").collect()[0][0] for query in queries]
    write("physical_query_plans", "\n".join(plans))
    times = []
    for query in queries:
        empty_caches()
        times.append([round(timed(spark, query), 3) for _ in range(RUNS)])
    write("results_runtime", "\n".join(map(str, times)))
    write_entry(
        prefix.removeprefix("_"),
        {
            "version": spark.version,
            "dataset_size": MILLIONS[size] * 1_000_000,
            "num_loaded_documents": count,
            "total_size": total_size,
            "data_size": data_size,
            "result": times,
        },
    )
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
