"""Requests and time of queries on tables in an object store: ``make bench BENCH=Requests``.

This source on shredded Variants, and Spark's Parquet source on ordinary columns of the same fields,
through S3A on a server of S3 on the loopback address. Arguments: number of events, how often each
query runs, and optionally a file of JSON lines in the shape of Bluesky's, in place of made-up ones.

Each of S3A's input streams is measured in a process of its own, because a process keeps footers and
file systems. The queries on 1 and 100 files run with 50 ms more for each request too.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import boto3
from benchmark_session import session
from made_up_events import events
from object_store import BUCKET, ObjectStore, Request, object_store
from peers_benchmark import VARIANT, fill
from pyspark.sql import DataFrame, Row, SparkSession
from task_times import KEEP_STAGES, TaskTimes, Time

FILES = (1, 100, 1000)
KINDS = ("GET", "HEAD", "LIST")
LATENCY = 0.05
# With the latency, 1,000 files would take some 20 minutes for each stream.
MOST_SLOW_FILES = 100
STREAMS = ("classic", "analytics")

SCHEMA = """did STRING, time_us BIGINT, kind STRING, commit STRUCT<rev: STRING, operation: STRING,
    collection: STRING, rkey: STRING, cid: STRING, record: STRING>"""

CREATED = "{kind} = 'commit' AND {operation} = 'create'"
POSTS = f"{CREATED} AND {{collection}} = 'app.bsky.feed.post'"
QUERIES = {
    "sum": "SELECT sum({time_us} - 1732206349000000) FROM {t}",
    "Q1": "SELECT {collection} AS e, count(*) AS n FROM {t} GROUP BY e ORDER BY n DESC, e",
    "Q2": f"""SELECT {{collection}} AS e, count(*) AS n, count(DISTINCT {{did}}) AS users FROM {{t}}
        WHERE {CREATED} GROUP BY e ORDER BY n DESC, e""",
    "Q3": f"""SELECT {{collection}} AS e, hour(timestamp_micros({{time_us}})) AS h, count(*) AS n
        FROM {{t}} WHERE {CREATED} AND {{collection}} IN ('app.bsky.feed.post',
        'app.bsky.feed.repost', 'app.bsky.feed.like') GROUP BY e, h ORDER BY h, e""",
    "Q4": f"""SELECT {{did}} AS who, min(timestamp_micros({{time_us}})) AS first FROM {{t}}
        WHERE {POSTS} GROUP BY who ORDER BY first, who LIMIT 3""",
    "Q5": f"""SELECT {{did}} AS who, max({{time_us}}) - min({{time_us}}) AS span FROM {{t}}
        WHERE {POSTS} GROUP BY who ORDER BY span DESC, who LIMIT 3""",
    "range": "SELECT count(*) FROM {t} WHERE {time_us} BETWEEN {from} AND {until}",
    "point": "SELECT {did} FROM {t} WHERE {time_us} = {from}",
}
PLAIN = {
    "did": "did",
    "time_us": "time_us",
    "kind": "kind",
    "operation": "commit.operation",
    "collection": "commit.collection",
}


class Run(NamedTuple):
    """One run of a query, or the opening of a table, which has no rows."""

    rows: list[Row]
    time: Time
    requests: list[Request]

    def count(self, kind: str) -> int:
        return sum(request.kind == kind for request in self.requests)

    @property
    def megabytes(self) -> float:
        return sum(request.size for request in self.requests) / 1e6


class Tables:
    """The two tables of one number of files."""

    def __init__(
        self, spark: SparkSession, store: ObjectStore, files: int, bounds: dict[str, str]
    ) -> None:
        self.spark = spark
        self.store = store
        self.files = files
        self.times = TaskTimes(spark)
        self.opened = self.open("variant-shredded", "variants"), self.open("parquet", "plain")
        self.bounds = bounds

    def open(self, source: str, table: str) -> Run:
        """Read the schema of the table, and name it for the queries."""

        def load() -> list[Row]:
            data = self.spark.read.format(source).load(at(f"{table}-{self.files}"))
            data.createOrReplaceTempView(table)
            return []

        return self.timed(load)

    def run(self, query: str, fields: dict[str, str], table: str) -> Run:
        text = fill(query, {"t": table, **fields, **self.bounds}, {})
        return self.timed(lambda: self.spark.sql(text).collect())

    def timed(self, work: Callable[[], list[Row]]) -> Run:
        self.times.cpu()
        self.store.clear()
        start = time.perf_counter()
        rows = work()
        wall = time.perf_counter() - start
        return Run(rows, Time(wall, self.times.cpu()), list(self.store.requests))

    def compare(self, runs: int) -> None:
        """Run each query on both tables in turn, and print what each took."""
        print(f"\n{self.files} files (requests: first run / later ones; seconds: medians)")
        for source, opened in zip(("variant-shredded", "parquet"), self.opened, strict=True):
            counts = ", ".join(f"{opened.count(kind)} {kind}" for kind in KINDS)
            print(f"spark.read.format({source!r}).load: {counts}, {opened.time.wall:.3f} s")
        heads = (
            "GET,plain,ratio,HEAD,plain,LIST,plain,MB,plain,"
            "s,ratio,CPU s,ratio,s slow,ratio,CPU slow,ratio"
        )
        print(f"{'query':6}" + "".join(f"{head:>10}" for head in heads.split(",")))
        for name, query in QUERIES.items():
            ours, theirs = self.interleaved(query, runs + 1)
            slow = self.delayed(query, runs) if self.files <= MOST_SLOW_FILES else None
            first, last, plain = ours[0], ours[-1], theirs[-1]
            assert texts(first) == texts(plain), name
            quick = ours[1:], theirs[1:]
            cells = []
            for kind in KINDS:
                cells += [f"{first.count(kind)}/{last.count(kind)}", f"{plain.count(kind)}"]
                if kind == "GET":
                    cells.append(f"{last.count(kind) / max(1, plain.count(kind)):.2f}")
            cells += [f"{run.megabytes:.2f}" for run in (last, plain)]
            cells += compared(quick, "wall") + compared(quick, "cpu")
            cells += compared(slow, "wall") + compared(slow, "cpu") if slow else ["-"] * 4
            print(f"{name:6}" + "".join(f"{cell:>10}" for cell in cells), flush=True)

    def delayed(self, query: str, runs: int) -> tuple[list[Run], list[Run]]:
        self.store.delay = LATENCY
        try:
            return self.interleaved(query, runs)
        finally:
            self.store.delay = 0.0

    def interleaved(self, query: str, runs: int) -> tuple[list[Run], list[Run]]:
        ours, theirs = [], []
        for _ in range(runs):
            ours.append(self.run(query, VARIANT, "variants"))
            theirs.append(self.run(query, PLAIN, "plain"))
        return ours, theirs


def texts(run: Run) -> list[str]:
    """Give the rows in any order, without the names of the columns."""
    return sorted(str(tuple(row)) for row in run.rows)


def compared(runs: tuple[list[Run], list[Run]], kind: str) -> list[str]:
    """Give the median of this source's seconds, and divided by Spark's."""
    ours, theirs = (statistics.median(getattr(run.time, kind) for run in way) for way in runs)
    return [f"{ours:.3f}", f"{ours / theirs:.2f}"]


def at(name: str) -> str:
    return f"s3a://{BUCKET}/{name}"


def bounds_of(plain: DataFrame) -> dict[str, str]:
    """Choose the bounds of a range of 1 %."""
    least, greatest = plain.selectExpr("min(time_us)", "max(time_us)").head() or (0, 0)
    later = plain.where(f"time_us >= {least + (greatest - least) // 2}")
    (middle,) = later.selectExpr("min(time_us)").head() or (0,)
    return {"from": str(middle), "until": str(middle + (greatest - least) // 100)}


def write(spark: SparkSession, texts: DataFrame, files: int, directory: Path) -> None:
    """Write both tables to local directories, which is faster than to write them to the store."""
    block = {"parquet.block.size": 16 << 20}
    parts = texts.repartition(files)
    shredded = parts.selectExpr("parse_json(value) AS v").write.format("variant-shredded")
    shredded.options(**block).save(str(directory / f"variants-{files}"))
    columns = parts.selectExpr(f"from_json(value, '{SCHEMA}') AS e").select("e.*")
    columns.write.options(**block).parquet(str(directory / f"plain-{files}"))


def upload(store: ObjectStore, directory: Path) -> None:
    client = boto3.client(
        "s3",
        endpoint_url=store.endpoint,
        region_name="us-east-1",
        aws_access_key_id="key",
        aws_secret_access_key="secret",
    )
    for file in sorted(directory.rglob("*.parquet")):
        key = str(file.relative_to(directory))
        client.put_object(Bucket=BUCKET, Key=key, Body=file.read_bytes())


def main(stream: str, count: int, runs: int, json: str | None = None) -> None:
    """Compare both sources for each number of files, with one of S3A's input streams."""
    with object_store() as store, tempfile.TemporaryDirectory() as directory:
        spark = session(2, "6g", {**store.settings(stream), **KEEP_STAGES})
        texts = events(spark, count, json)
        for files in FILES:
            write(spark, texts, files, Path(directory))
        # A query of the tables in the store would leave their bytes in memory with some streams.
        bounds = bounds_of(spark.read.parquet(f"{directory}/plain-{FILES[0]}"))
        upload(store, Path(directory))
        print(f"{count} events, Spark {spark.version}, S3A's input stream {stream}")
        print(f"(slow: with {LATENCY * 1000:.0f} ms more for each request)")
        for files in FILES:
            Tables(spark, store, files, bounds).compare(runs)
        spark.stop()


if __name__ == "__main__":
    if sys.argv[1] in STREAMS:
        main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:5])
    else:
        for each in STREAMS:
            subprocess.run([sys.executable, __file__, each, *sys.argv[1:]], check=True)
