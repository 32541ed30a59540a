"""Time of the optimizer rule: ``make bench BENCH=Planning``.

For plans without a scan of this source, the time of the rule alone. For plans with such scans, the
time of Spark's optimizer with the rule and without it. Arguments: ignored, and how often each plan
is optimized.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from variant_shredded import configure

RULE = "io.github.variantshredded.optimizer.PushVariantExtractions$"
SETTING = "spark.sql.variantShredded.pushDownExtractions"


def optimized(df: DataFrame) -> object:
    """Give the optimized plan of Spark."""
    frame: Any = df
    return frame._jdf.queryExecution().optimizedPlan()


def milliseconds(runs: int, action: Callable[[], object]) -> float:
    """Give the median of the times of an action, after some runs that are not counted."""
    times = []
    for _ in range(runs + 3):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return statistics.median(times[3:]) * 1000


def united(parts: list[DataFrame]) -> DataFrame:
    """Unite tables two by two, so that the plan is not deep."""
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2], strict=False)
        last = parts[-1:] if len(parts) % 2 else []
        parts = [left.union(right) for left, right in pairs] + last
    return parts[0]


def others(spark: SparkSession, path: str, runs: int) -> None:
    """Time the rule on plans that do not read this source."""
    jvm: Any = spark._jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    rule = jvm.java.lang.Class.forName(RULE, True, loader).getField("MODULE$").get(None)
    spark.range(10).write.parquet(path)
    table = spark.read.parquet(path)
    print("\nplans without a scan of this source: ms of the rule")
    for count in (100, 1000, 4000):
        plan = optimized(table.selectExpr(*[f"id + {i} AS c{i}" for i in range(count)]))
        print(f"  {count:5} columns  {milliseconds(runs, partial(rule.apply, plan)):8.2f}")
    for count in (10, 100, 300):
        plan = optimized(united([table.where(f"id > {i}") for i in range(count)]))
        print(f"  {count:5} unions   {milliseconds(runs, partial(rule.apply, plan)):8.2f}")


def own(spark: SparkSession, path: str, runs: int) -> None:
    """Time Spark's optimizer on plans that read this source, with the rule and without."""
    events = spark.sql("SELECT parse_json('{\"a\": 1}') AS v")
    events.write.format("variant-shredded").save(path)

    def table() -> DataFrame:
        return spark.read.format("variant-shredded").load(path)

    def extractions(count: int) -> DataFrame:
        return table().selectExpr(*[f"v:f{i}::int AS c{i}" for i in range(count)])

    def unions(count: int) -> DataFrame:
        return united([table().selectExpr(f"v:f{i}::int AS c") for i in range(count)])

    print("\nplans with scans of this source: ms to analyze and optimize without the rule, with it")
    for name, query, counts in (
        ("extractions", extractions, (50, 100, 250, 500)),
        ("unions", unions, (10, 50, 100)),
    ):
        for count in counts:
            times = []
            for on in ("false", "true"):
                spark.conf.set(SETTING, on)
                times.append(milliseconds(runs, partial(optimize, query, count)))
            print(f"  {count:5} {name:11} {times[0]:8.1f} {times[1]:8.1f}", flush=True)


def optimize(query: Callable[[int], DataFrame], count: int) -> None:
    """Make a query, so that it has not been optimized yet, and optimize it."""
    optimized(query(count))


def main(runs: int) -> None:
    """Time both kinds of plans."""
    with tempfile.TemporaryDirectory() as directory:
        builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        spark = configure(builder).getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        spark.read.format("variant-shredded")
        own(spark, f"{directory}/own", runs)
        others(spark, f"{directory}/others", runs)
        spark.stop()


if __name__ == "__main__":
    main(int(sys.argv[2]))
