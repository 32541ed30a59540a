"""How the time of queries grows: ``make bench BENCH=Growth``.

This source on shredded Variants, and Spark's Parquet source on ordinary columns of the same fields,
with more rows, files, fields and tasks at a time. More rows are copies of one file, and more files
are further names of a small one. Both sources answer each query in turn, after a run that is not
counted, and the answers are compared. Arguments: number of rows of the file that is copied, and how
often each query runs. The results also go to ``docs/growth.json``, from which
``python docs/growth_picture.py`` draws the curves.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmark_session import session
from peers_benchmark import fill
from pyspark.sql import DataFrame, SparkSession
from task_times import KEEP_STAGES, TaskTimes, Time

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "growth.json"

ROWS = (1, 10, 100)
FILES = (10, 100, 1000, 10_000)
LEAVES = (1, 10, 100, 1000, 5000)
TASKS = (1, 2, 4, 8, 16)

FIELDS = 20
SMALL_FILE = 1000
TASKS_OF_OTHERS = 2
HEAP = "3g"
WAYS = ("ours", "plain")
QUERIES = {
    "sum": "SELECT sum({number}) FROM {t}",
    "range": "SELECT count(*) FROM {t} WHERE {id} BETWEEN {from} AND {until}",
}


def field(number: int) -> str:
    """Give the SQL of a field: numbers and strings in turn, of which the first ascends."""
    if number == 0:
        return "id"
    if number % 2:
        return f"CAST((id * {2 * number + 1}) % 1000003 AS BIGINT)"
    return f"'v' || (id * {number}) % 997"


def write(spark: SparkSession, directory: Path, rows: int, leaves: int) -> None:
    """Write one file with all rows for each way."""
    names = ("id", *(f"f{number}" for number in range(1, leaves)))
    columns = [f"{field(number)} AS {name}" for number, name in enumerate(names)]
    plain = spark.range(0, rows, 1, 1).selectExpr(*columns)
    plain.write.mode("overwrite").parquet(str(directory / "plain"))
    variants = spark.read.parquet(str(directory / "plain"))
    variants = variants.selectExpr("to_variant_object(struct(*)) AS v").coalesce(1)
    options = {"maxShreddedColumns": 2 * leaves + 1}
    shredded = variants.write.format("variant-shredded").options(**options)
    shredded.mode("overwrite").save(str(directory / "ours"))


def copy(source: Path, target: Path, files: int) -> None:
    """Make a table of so many names of the one file of each way."""
    for way in WAYS:
        (file,) = (source / way).glob("*.parquet")
        (target / way).mkdir(parents=True)
        for number in range(files):
            os.link(file, target / way / f"part-{number:05}-{file.name[-40:]}")


class Tables:
    """The two tables of one point of a curve."""

    def __init__(self, spark: SparkSession, directory: Path, rows: int, leaves: int) -> None:
        self.spark = spark
        self.times = TaskTimes(spark)
        number = "f1" if leaves > 1 else "id"
        bounds = {"from": str(rows // 2), "until": str(rows // 2 + rows // 100)}
        self.values = {
            "ours": {"number": f"v:{number}::bigint", "id": "v:id::bigint", **bounds},
            "plain": {"number": number, "id": "id", **bounds},
        }
        for way, source in (("ours", "variant-shredded"), ("plain", "parquet")):
            self.read(source, directory / way).createOrReplaceTempView(way)

    def read(self, source: str, path: Path) -> DataFrame:
        return self.spark.read.format(source).load(str(path))

    def run(self, query: str, way: str) -> tuple[str, Time]:
        text = fill(query, {"t": way, **self.values[way]}, {})
        self.times.cpu()
        start = time.perf_counter()
        rows = self.spark.sql(text).collect()
        wall = time.perf_counter() - start
        return str(rows[0][0]), Time(wall, self.times.cpu())

    def compare(self, runs: int) -> dict[str, dict[str, dict[str, float]]]:
        """Give the medians of each query and way."""
        found: dict[str, dict[str, dict[str, float]]] = {}
        for name, query in QUERIES.items():
            times: dict[str, list[Time]] = {way: [] for way in WAYS}
            for _ in range(runs + 1):
                answers = set()
                for way in WAYS:
                    answer, took = self.run(query, way)
                    answers.add(answer)
                    times[way].append(took)
                if len(answers) > 1:
                    sys.exit(f"{name}: the answers differ: {answers}")
            found[name] = {
                way: {
                    part: statistics.median(getattr(took, part) for took in of_way[1:])
                    for part in Time._fields
                }
                for way, of_way in times.items()
            }
        return found


class Curves:
    """The curves so far, printed and stored with each point."""

    def __init__(self, runs: int) -> None:
        self.runs = runs
        self.results: dict[str, list[dict[str, Any]]] = {}
        print("| | query | plain, s | ours, s | ratio | CPU: plain, s | ours, s | ratio |")
        print("|---|---|---:|---:|---:|---:|---:|---:|")

    def add(self, axis: str, value: int, tables: Tables) -> None:
        point = tables.compare(self.runs)
        self.results.setdefault(axis, []).append({"value": value, **point})
        RESULTS.write_text(json.dumps(self.results, indent=1) + "\n", encoding="utf-8")
        for name, times in point.items():
            cells = []
            for part in Time._fields:
                ours, plain = (times[way][part] for way in ("ours", "plain"))
                cells += [f"{plain:.3f}", f"{ours:.3f}", f"{ours / max(plain, 1e-9):.2f}"]
            print(f"| {value:,} {axis} | {name} | {' | '.join(cells)} |", flush=True)


def main(rows: int, runs: int) -> None:
    """Measure all curves."""
    curves = Curves(runs)
    with tempfile.TemporaryDirectory() as created:
        directory = Path(created)
        spark = session(TASKS_OF_OTHERS, HEAP, KEEP_STAGES)
        write(spark, directory / "small", SMALL_FILE, FIELDS)
        for files in FILES:
            table = directory / f"files-{files}"
            copy(directory / "small", table, files)
            curves.add("files", files, Tables(spark, table, SMALL_FILE, FIELDS))
        for leaves in LEAVES:
            table = directory / f"leaves-{leaves}"
            of_leaves = max(100, rows * FIELDS // 10 // max(leaves, FIELDS))
            write(spark, table, of_leaves, leaves)
            curves.add("fields", leaves, Tables(spark, table, of_leaves, leaves))
        write(spark, directory / "large", rows, FIELDS)
        for times in ROWS:
            table = directory / f"rows-{times}"
            copy(directory / "large", table, times)
            curves.add("rows", rows * times, Tables(spark, table, rows, FIELDS))
        spark.stop()
        for tasks in TASKS:
            spark = session(tasks, HEAP, KEEP_STAGES)
            table = directory / f"rows-{ROWS[1]}"
            curves.add("tasks", tasks, Tables(spark, table, rows, FIELDS))
            spark.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
