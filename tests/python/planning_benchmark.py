"""Time of the optimizer rules: ``make bench BENCH=Planning``.

For plans without a scan of this source, the time of all rules that it adds to a session, and of the
rule of the extension. For plans with such scans, the time of Spark's analyzer and optimizer with
push-down of extractions and without it, in turn. Arguments: ignored, and how often each plan is
optimized.
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

TAKE_OVER = "io.github.variantshredded.takeover.TakeOver"
SETTING = "spark.sql.variantShredded.pushDownExtractions"
WARM_UPS = 10


def optimized(df: DataFrame) -> object:
    """Give the optimized plan of Spark."""
    frame: Any = df
    return frame._jdf.queryExecution().optimizedPlan()


def milliseconds(runs: int, *actions: Callable[[], object]) -> list[float]:
    """Give the medians of the times of actions in turn, after some turns that are not counted."""
    times: list[list[float]] = [[] for _ in actions]
    for _ in range(WARM_UPS + runs):
        for action, taken in zip(actions, times, strict=True):
            start = time.perf_counter()
            action()
            taken.append(time.perf_counter() - start)
    return [statistics.median(taken[WARM_UPS:]) * 1000 for taken in times]


def united(parts: list[DataFrame]) -> DataFrame:
    """Unite tables two by two, so that the plan is not deep."""
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2], strict=False)
        last = parts[-1:] if len(parts) % 2 else []
        parts = [left.union(right) for left, right in pairs] + last
    return parts[0]


def rules_of(spark: SparkSession) -> list[Any]:
    """Give the rules that this source adds at its first use, and the rule of its extension."""
    jvm: Any = spark._jvm
    session: Any = spark._jsparkSession
    added = session.experimental().extraOptimizations()
    rules = [added.apply(number) for number in range(added.size())]
    # The JAR has a class loader of its own.
    loader = rules[0].getClass().getClassLoader()
    (constructor,) = jvm.java.lang.Class.forName(TAKE_OVER, True, loader).getConstructors()
    arguments = spark.sparkContext._gateway.new_array(jvm.Object, 1)  # type: ignore[union-attr]
    arguments[0] = session
    return [*rules, constructor.newInstance(arguments)]


def apply(rules: list[Any], plan: object) -> None:
    """Apply rules to a plan that they do not change."""
    for rule in rules:
        rule.apply(plan)


def others(spark: SparkSession, path: str, runs: int) -> None:
    """Time the rules on plans that do not read this source."""
    rules = rules_of(spark)
    spark.range(10).write.parquet(path)
    table = spark.read.parquet(path)
    print("\n| plan without a scan of this source | all rules, ms |\n|---|---:|")
    for count in (100, 1000, 4000):
        plan = optimized(table.selectExpr(*[f"id + {i} AS c{i}" for i in range(count)]))
        print_row(f"{count:,} columns", milliseconds(runs, partial(apply, rules, plan)))
    for count in (10, 100, 300):
        plan = optimized(united([table.where(f"id > {i}") for i in range(count)]))
        print_row(f"{count:,} unions", milliseconds(runs, partial(apply, rules, plan)))


def own(spark: SparkSession, path: str, runs: int) -> None:
    """Time Spark's optimizer on plans that read this source, with push-down and without."""
    events = spark.sql("SELECT parse_json('{\"a\": 1}') AS v")
    events.write.format("variant-shredded").save(path)

    def table() -> DataFrame:
        return spark.read.format("variant-shredded").load(path)

    def extractions(count: int) -> DataFrame:
        return table().selectExpr(*[f"v:f{i}::int AS c{i}" for i in range(count)])

    def unions(count: int) -> DataFrame:
        return united([table().selectExpr(f"v:f{i}::int AS c") for i in range(count)])

    print("| query | without push-down, ms | with it, ms |\n|---|---:|---:|")
    for name, query, counts in (
        ("extractions", extractions, (50, 100, 250, 500)),
        ("unions of one extraction each", unions, (10, 50, 100)),
    ):
        for count in counts:
            ways = (partial(optimize, spark, on, query, count) for on in ("false", "true"))
            print_row(f"{count} {name}", milliseconds(runs, *ways))


def optimize(spark: SparkSession, on: str, query: Callable[[int], DataFrame], count: int) -> None:
    """Make a query, so that it has not been optimized yet, and optimize it."""
    spark.conf.set(SETTING, on)
    optimized(query(count))


def print_row(title: str, times: list[float]) -> None:
    print(f"| {title} | {' | '.join(f'{ms:.2f}' for ms in times)} |", flush=True)


def main(runs: int) -> None:
    """Time both kinds of plans."""
    with tempfile.TemporaryDirectory() as directory:
        builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        spark = configure(builder).getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        own(spark, f"{directory}/own", runs)
        others(spark, f"{directory}/others", runs)
        spark.stop()


if __name__ == "__main__":
    main(int(sys.argv[2]))
