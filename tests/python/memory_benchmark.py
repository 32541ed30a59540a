"""Memory that wide Variants take: ``make bench BENCH=Memory``.

Each case runs in a process of its own with a heap of 1 GiB, with one and with two tasks at a time:
this source on shredded Variants, and Spark's Parquet source on ordinary columns of these fields.
The script prints the greatest heap in use after a garbage collection, or that the process has
failed; before them, that of an idle session.
Arguments: number of values in a table (rows times fields), and how often each case runs.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LEAVES = (100, 1000, 5000)
TASKS = (1, 2)
CASES = ("write", "one field", "whole rows")
WAYS = ("ours", "ordinary columns")
IDLE = "idle"
HEAP = "1g"


def write_events(path: Path, leaves: int, rows: int) -> None:
    """Write JSON lines: numbers and strings in turn."""
    with path.open("w", encoding="utf-8") as out:
        for row in range(rows):
            fields = {name(i): row * i if i % 2 == 0 else f"v{row % 97}-{i}" for i in range(leaves)}
            out.write(json.dumps(fields) + "\n")


def name(leaf: int) -> str:
    return f"f{leaf}"


def run(case: str, way: str, leaves: int, tasks: int, directory: Path) -> None:
    """Run one case in this process."""
    from pyspark.sql import SparkSession
    from variant_shredded import configure

    builder = (
        SparkSession.builder.master(f"local[{tasks}]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", HEAP)
        .config("spark.sql.codegen.maxFields", "20000")
        .config("spark.driver.extraJavaOptions", f"-Xlog:gc:file={directory}/gc.log")
    )
    spark = configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    table = str(directory / way.replace(" ", "-"))
    source = "variant-shredded" if way == "ours" else "parquet"
    if case == IDLE:
        spark.range(1).write.format("noop").mode("overwrite").save()
        spark._jvm.System.gc()  # type: ignore[union-attr]
    elif case == "write":
        texts = spark.read.text(str(directory / "events.jsonl")).repartition(2)
        if way == "ours":
            rows = texts.selectExpr("parse_json(value) AS v")
            write = rows.write.format(source).option("maxShreddedColumns", 2 * leaves + 1)
            write.mode("overwrite").save(table)
        else:
            types = (f"{name(i)} {'BIGINT' if i % 2 == 0 else 'STRING'}" for i in range(leaves))
            rows = spark.read.schema(", ".join(types)).json(str(directory / "events.jsonl"))
            rows.repartition(2).write.mode("overwrite").parquet(table)
    else:
        rows = spark.read.format(source).load(table)
        if case == "one field":
            rows = rows.selectExpr("v:f50::bigint" if way == "ours" else "f50")
        rows.write.format("noop").mode("overwrite").save()
    spark.stop()


def peak(log: Path) -> int:
    """Give the greatest number of megabytes after a garbage collection."""
    after = re.findall(r"\d+M->(\d+)M\(\d+M\)", log.read_text(encoding="utf-8"))
    return max(map(int, after), default=0)


def measure(case: str, way: str, leaves: int, tasks: int, directory: Path) -> int | None:
    """Run one case in another process. Gives its megabytes; None if it failed."""
    request = (case, way, str(leaves), str(tasks), str(directory))
    command = [sys.executable, __file__, "--run", *request]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(done.stderr[-2000:], file=sys.stderr)
        return None
    return peak(directory / "gc.log")


def cell(found: list[int | None]) -> str:
    """Give the greatest of the figures of a case."""
    return "failed" if None in found else str(max(mb for mb in found if mb is not None))


def main(values: int, runs: int) -> None:
    """Measure all cases."""
    with tempfile.TemporaryDirectory() as created:
        idle = measure(IDLE, WAYS[0], 0, 1, Path(created))
    print(f"MB of heap in use after a garbage collection, of {HEAP}; an idle session: {idle}")
    print(f"\n| fields, rows | tasks | {' | '.join(f'{case}: ours / plain' for case in CASES)} |")
    print(f"|---|---:|{'---:|' * len(CASES)}")
    for leaves in LEAVES:
        rows = max(100, values // leaves)
        with tempfile.TemporaryDirectory() as created:
            directory = Path(created)
            write_events(directory / "events.jsonl", leaves, rows)
            for tasks in TASKS:
                cells = []
                for case in CASES:
                    found: dict[str, list[int | None]] = {way: [] for way in WAYS}
                    for _ in range(runs):
                        for way in WAYS:
                            found[way].append(measure(case, way, leaves, tasks, directory))
                    cells.append(" / ".join(map(cell, found.values())))
                print(f"| {leaves:,}, {rows:,} | {tasks} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "--run":
        run(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), Path(sys.argv[6]))
    else:
        main(int(sys.argv[1]), int(sys.argv[2]))
