"""The goals for the speed of this source, and what is reached: ``make bench BENCH=Goals``.

Each line compares two queries, which run in turn, with one and with two tasks at a time. Arguments:
number of events, how often each query runs, and optionally files of JSON lines in place of made-up
events: the first has the shape of Bluesky's, and of the others only whole Variants are read. The
environment variable ``GOALS`` is part of the titles of the lines that are wanted.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmark_session import session, shred
from growth_benchmark import write as write_fields
from made_up_events import events
from pyspark.sql import SparkSession
from task_times import KEEP_STAGES, TaskTimes, Time

ROW_GROUP = 16 << 20
WARM_UPS = 3
FIELDS = 2000
ROWS_OF_FIELDS = 2000
#: A query on so many events takes some 50 ms.
SMALL = 20_000
PROCESSES = 5
TASKS = (1, 2)
WANTED = os.environ.get("GOALS", "")
SMALL_QUERIES = {
    "a sum": "SELECT sum({time} - 1732206349000000) FROM {t}",
    "a count": "SELECT count(*) FROM {t} WHERE {time} > 1732206350000000",
}
OURS, PARQUET = "variant-shredded", "parquet"


class Goal(NamedTuple):
    """A query, what it is compared with, and the greatest ratio of their times.

    The answers are compared if ``same``; else the numbers of rows, as the rows have other columns.
    """

    title: str
    limit: float
    query: str
    base: str
    same: bool = False


class Way(NamedTuple):
    """A query on the table ``t``, which a source reads from a directory."""

    source: str
    directory: str
    query: str


class First(NamedTuple):
    """A query in a new process, what it is compared with, and the greatest ratio of their times."""

    title: str
    limit: float
    ours: Way
    base: Way


FIRSTS = (
    *(
        First(
            f"{title} of a small file, first query of a process",
            1.05,
            Way(OURS, "small", query.format(t="t", time="v:time_us::bigint")),
            Way(PARQUET, "small_columns", query.format(t="t", time="time_us")),
        )
        for title, query in SMALL_QUERIES.items()
    ),
    First(
        f"one of {FIELDS:,} fields, first query of a process",
        1.1,
        Way(OURS, "wide/ours", "SELECT sum(v:f1::bigint) FROM t"),
        Way(PARQUET, "wide/plain", "SELECT sum(f1) FROM t"),
    ),
)


class Table(NamedTuple):
    """A name in SQL for files in a directory, as a source reads them."""

    name: str
    source: str
    directory: str


class Files:
    """The files that the queries read."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.tables: list[Table] = []

    def add(self, name: str, source: str, directory: str) -> None:
        self.tables.append(Table(name, source, str(self.directory / directory)))

    def events(self, spark: SparkSession, name: str, count: int, json: str | None) -> None:
        """Write events as Variants that are shredded by this source, by Spark, and not at all."""
        variants = events(spark, count, json).selectExpr("parse_json(value) AS v").repartition(2)
        variants = variants.cache()
        for way, wanted in (("by_spark", True), ("unshredded", False)):
            shred(spark, wanted)
            variants.write.parquet(str(self.directory / f"{name}_{way}"))
            self.add(f"{name}_{way}_parquet", PARQUET, f"{name}_{way}")
        variants.write.format(OURS).save(str(self.directory / name))
        variants.unpersist()
        self.add(name, OURS, name)
        self.add(f"{name}_unshredded", OURS, f"{name}_unshredded")

    def columns(self, spark: SparkSession, name: str, count: int, json: str | None) -> None:
        """Write events as ordinary columns."""
        texts = events(spark, count, json).repartition(2)
        columns = spark.read.json(texts.rdd.map(lambda row: row[0]))
        columns.write.parquet(str(self.directory / f"{name}_columns"))
        self.add(f"{name}_columns", PARQUET, f"{name}_columns")

    def fields(self, spark: SparkSession) -> None:
        """Write a Variant with many fields, and the same fields as columns."""
        write_fields(spark, self.directory / "wide", ROWS_OF_FIELDS, FIELDS)
        self.add("wide", OURS, "wide/ours")
        self.add("wide_columns", PARQUET, "wide/plain")


def start(tasks: int) -> SparkSession:
    settings = {
        **KEEP_STAGES,
        "spark.sql.session.timeZone": "UTC",
        "spark.hadoop.parquet.block.size": ROW_GROUP,
    }
    return session(tasks, "4g", settings)


def goals(spark: SparkSession, names: list[str]) -> list[Goal]:
    """Give all goals, with values of the events in their queries."""
    whole = [
        goal
        for name in names
        for goal in (
            Goal(
                f"whole Variants of {name} / unshredded ones, read by Spark",
                1.2,
                f"SELECT v FROM {name}",
                f"SELECT v FROM {name}_unshredded_parquet",
            ),
            Goal(
                f"unshredded Variants of {name} / the same, read by Spark",
                1.0,
                f"SELECT v FROM {name}_unshredded",
                f"SELECT v FROM {name}_unshredded_parquet",
            ),
        )
    ]
    events = names[0]
    columns = f"{events}_columns"
    did = spark.sql(
        f"""SELECT did FROM {columns} GROUP BY did ORDER BY
        abs(count(*) - (SELECT count(*) FROM {columns}) / 10000), did LIMIT 1"""
    ).collect()[0][0]
    scattered = f"WHERE v:did::string = '{did}'"
    return [
        *whole,
        Goal(
            "rows of one `did` / the same of ordinary columns",
            0.5,
            f"SELECT v FROM {events} {scattered}",
            f"SELECT * FROM {columns} WHERE did = '{did}'",
        ),
        Goal(
            "rows of one `did` / the same, shredded and read by Spark",
            1 / 15,
            f"SELECT v FROM {events} {scattered}",
            f"SELECT v FROM {events}_by_spark_parquet {scattered}",
        ),
        Goal(
            "a predicate on a bigint that all rows meet / no predicate",
            1.05,
            f"SELECT v FROM {events} WHERE v:time_us::bigint > 0",
            f"SELECT v FROM {events}",
        ),
        Goal(
            "a predicate on a string that all rows meet / no predicate",
            1.05,
            f"SELECT v FROM {events} WHERE v:did::string > ''",
            f"SELECT v FROM {events}",
        ),
        Goal(
            f"one of {FIELDS:,} fields / one of {FIELDS:,} ordinary columns",
            1.1,
            "SELECT sum(v:f1::bigint) FROM wide",
            "SELECT sum(f1) FROM wide_columns",
            same=True,
        ),
        *(
            Goal(
                f"{title} of a small file / the same of ordinary columns",
                1.05,
                query.format(t="small", time="v:time_us::bigint"),
                query.format(t="small_columns", time="time_us"),
                same=True,
            )
            for title, query in SMALL_QUERIES.items()
        ),
        Goal(
            "`count`, `min` and `max` from footers / the same of ordinary columns",
            1.0,
            "SELECT count(v:time_us::bigint), min(v:time_us::bigint), max(v:time_us::bigint) "
            f"FROM {events}",
            f"SELECT count(time_us), min(time_us), max(time_us) FROM {columns}",
            same=True,
        ),
    ]


class Pair(NamedTuple):
    """The times of a query, and of what it is compared with."""

    ours: list[Time]
    base: list[Time]

    def cells(self) -> list[str]:
        """Give the ratios as texts."""
        return [f"{ratio:.3f}" if ratio < 0.1 else f"{ratio:.2f}" for ratio in self.ratios()]

    def ratios(self) -> list[float]:
        """Give the ratios of the medians: by the clock, and of the tasks."""
        return [
            statistics.median(t[part] for t in self.ours)
            / max(1e-9, statistics.median(t[part] for t in self.base))
            for part in range(2)
        ]


def compare(times: TaskTimes, goal: Goal, runs: int) -> Pair:
    """Run both queries of a goal in turn."""
    pair = Pair([], [])
    if goal.same:
        ours, base = (times.spark.sql(query).collect() for query in (goal.query, goal.base))
        if [tuple(row) for row in ours] != [tuple(row) for row in base]:
            sys.exit(f"{goal.title}: the answers differ: {ours}, {base}")
    for run in range(WARM_UPS + runs):
        found = set()
        for query, taken in zip((goal.query, goal.base), pair, strict=True):
            rows, took = times.time(query)
            found.add(rows)
            if run >= WARM_UPS:
                taken.append(took)
        if len(found) > 1:
            sys.exit(f"{goal.title}: the numbers of rows differ: {found}")
    return pair


def measure(directory: Path, tables: list[Table], names: list[str], runs: int) -> None:
    """Print a line for each goal: the ratios with one task at a time, and with two."""
    lines: dict[str, list[str]] = {}
    for tasks in TASKS:
        spark = start(tasks)
        for table in tables:
            frame = spark.read.format(table.source).load(table.directory)
            frame.createOrReplaceTempView(table.name)
        times = TaskTimes(spark)
        for goal in goals(spark, names):
            if WANTED in goal.title:
                ratios = compare(times, goal, runs).cells()
                print(f"# local[{tasks}] {goal.title}: {ratios}", file=sys.stderr, flush=True)
                lines.setdefault(goal.title, [goal.title, f"{goal.limit:.3g}"]).extend(ratios)
        spark.stop()
    for first in FIRSTS:
        if WANTED in first.title:
            ratios = [cell for tasks in TASKS for cell in cold(directory, first, tasks).cells()]
            lines[first.title] = [first.title, f"{first.limit:.3g}", *ratios]
    print("| | at most | 1 task: wall | CPU | 2 tasks: wall | CPU |")
    print("|---|--:|--:|--:|--:|--:|")
    for line in lines.values():
        print(f"| {' | '.join(line)} |")


def cold(directory: Path, first: First, tasks: int) -> Pair:
    """Run both queries in turn, each in a new process."""
    pair = Pair([], [])
    for _ in range(PROCESSES):
        answers = set()
        for way, taken in zip((first.ours, first.base), pair, strict=True):
            request = (way.source, str(directory / way.directory), way.query, str(tasks))
            command = [sys.executable, __file__, "--first", *request]
            done = subprocess.run(command, check=False, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{first.title}: {done.stderr[-2000:]}")
            answer, wall, cpu = done.stdout.splitlines()[-1].split()
            answers.add(answer)
            taken.append(Time(float(wall), float(cpu)))
        if len(answers) > 1:
            sys.exit(f"{first.title}: the answers differ: {answers}")
    return pair


def answer_first(source: str, directory: str, query: str, tasks: str) -> None:
    """Print the answer to a query in a new session, a number, and the seconds that it takes."""
    spark = start(int(tasks))
    times = TaskTimes(spark)
    began = time.perf_counter()
    spark.read.format(source).load(directory).createOrReplaceTempView("t")
    answer = spark.sql(query).collect()[0][0]
    wall = time.perf_counter() - began
    print(answer, wall, times.cpu())
    spark.stop()


def main(count: int, runs: int, json: list[str]) -> None:
    """Write the files, and time the queries."""
    with tempfile.TemporaryDirectory() as created:
        files = Files(Path(created))
        sources: dict[str, str | None] = {"events": None}
        if json:
            sources = {re.sub(r"\W", "_", Path(file).stem): file for file in json}
        spark = start(2)
        for name, file in sources.items():
            files.events(spark, name, count, file)
        names = list(sources)
        for name, rows in ((names[0], count), ("small", SMALL)):
            files.columns(spark, name, rows, sources[names[0]])
        files.events(spark, "small", SMALL, sources[names[0]])
        files.fields(spark)
        spark.stop()
        measure(files.directory, files.tables, names, runs)


if __name__ == "__main__":
    if sys.argv[1] == "--first":
        answer_first(*sys.argv[2:6])
    else:
        main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
