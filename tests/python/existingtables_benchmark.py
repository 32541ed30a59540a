"""Variants in tables of other sources: ``make bench BENCH=ExistingTables``.

Each query runs with the extension switched off, with the extension switched on, and with
``format("variant-shredded")`` on the same files, in turn; the script compares the answers and ends
with an error if one differs. It times the planning of each query too. Parquet and Delta Lake run on
Spark 4.2, and Iceberg on Spark 4.1. At the end, the script prints the tables of
``docs/existing-tables.md``.
Arguments: number of events, how often each query runs, and optionally a file of JSON lines in the
shape of Bluesky's, in place of made-up ones.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from benchmark_session import session, shred
from made_up_events import events
from peers_benchmark import QUERIES, VARIANT, fill
from pyspark.sql import DataFrame
from task_times import KEEP_STAGES, TaskTimes, Time

VENVS = Path(__file__).resolve().parents[2] / ".venvs"

#: A Variant can have other bytes and the same value, so answers to this query are not compared.
WHOLE = "SELECT v FROM {t}"
SETTING = "spark.sql.variantShredded.takeOver"
ROW_GROUP = 16 << 20
ONE_PERCENT = "v:time_us::bigint % 100 = 7"
#: Spark's own reads take many times as long, so they have one run to warm up.
WARM_UPS = 5


class Table(NamedTuple):
    """A table of another source.

    ``name`` is its name in SQL, and ``files`` the directory with its files. Rows of it are marked
    as deleted if ``deleted``: then ``format("variant-shredded")`` reads more rows.
    """

    title: str
    name: str
    files: str
    deleted: bool = False


class Medians(NamedTuple):
    """A query on a table in three ways: the medians of the whole, and of its planning."""

    off: Time
    on: Time
    ours: Time
    planned_off: Time
    planned_on: Time
    planned_ours: Time


class Source(ABC):
    """A session in which tables of some sources are made and read."""

    #: What the setting is when the extension is switched on.
    on: str

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        settings = {
            **KEEP_STAGES,
            "spark.sql.session.timeZone": "UTC",
            "spark.hadoop.parquet.block.size": ROW_GROUP,
            "spark.sql.warehouse.dir": (directory / "warehouse").as_uri(),
        }
        self.spark = session(2, "4g", {**settings, **self.settings()})
        self.times = TaskTimes(self.spark)

    @abstractmethod
    def settings(self) -> dict[str, str]:
        """Give the settings of the session."""

    @abstractmethod
    def tables(self, variants: DataFrame) -> list[Table]:
        """Make the tables."""

    def filled(self, of: str, name: str, files: str, variants: DataFrame) -> Table:
        """Add rows to a new table; delete 1 % of them if the name ends with ``deleted``."""
        variants.writeTo(name).append()
        title, deleted = f"A table of {of}, shredded", name.endswith("deleted")
        if deleted:
            self.spark.sql(f"DELETE FROM {name} WHERE {ONE_PERCENT}")
            title += ", 1 % of the rows deleted"
        return Table(title, name, files, deleted)

    def time(self, setting: str, query: str) -> Time:
        """Compute every row of a query and keep none."""
        self.spark.conf.set(SETTING, setting)
        return self.times.time(query)[1]

    def planning(self, setting: str, query: str) -> Time:
        """Plan a query. Delta Lake and Iceberg read their metadata then."""
        self.spark.conf.set(SETTING, setting)
        self.times.cpu()
        start = time.perf_counter()
        self.spark.sql(query)._jdf.queryExecution().executedPlan()
        return Time(time.perf_counter() - start, self.times.cpu())

    def answer(self, setting: str, query: str) -> list[str]:
        self.spark.conf.set(SETTING, setting)
        frame = self.spark.sql(query)
        plan = frame._jdf.queryExecution().executedPlan().toString()
        assert ("TakenOverFrom" in plan) == (setting != "none" and "`same_files`" not in query)
        return sorted(str(tuple(row)) for row in frame.collect())

    def values(self, table: str) -> dict[str, str]:
        """Choose the values that the queries look for."""
        events = self.spark.table(table).selectExpr("v:time_us::bigint AS t", "v:commit.cid AS c")
        least, greatest = events.selectExpr("min(t)", "max(t)").head() or (0, 0)
        later = events.where(f"t >= {least + (greatest - least) // 2} AND c IS NOT NULL")
        middle, cid = later.selectExpr("min(t)", "min_by(c::string, t)").head() or (0, "")
        return {
            "middle": str(middle),
            "later": str(middle + (greatest - least) // 100),
            "cid": cid,
        }

    def compare(self, table: Table, runs: int) -> dict[str, Medians]:
        """Time the queries on one table, and print a line for each."""
        files = self.spark.read.format("variant-shredded").option("pathGlobFilter", "*.parquet")
        files.load(table.files).createOrReplaceTempView("same_files")
        values = self.values("same_files")
        print(f"\n{table.title}, Spark {self.spark.version}\n\n{HEAD}", flush=True)
        found = {}
        for title, text in {**QUERIES, "whole": WHOLE}.items():
            off = "none", fill(text, {**VARIANT, "t": table.name}, values)
            on = self.on, off[1]
            ours = "none", fill(text, {**VARIANT, "t": "`same_files`"}, values)
            if text != WHOLE:
                answers = [self.answer(*way) for way in (off, on, ours)]
                assert answers[0] == answers[1], (title, answers[0][:5], answers[1][:5])
                assert table.deleted or answers[0] == answers[2], (title, answers[2][:5])
            times: list[list[Time]] = [[], [], [], [], [], []]
            for i in range(runs + WARM_UPS):
                for n, way in enumerate((off, on, ours)):
                    if way != off or i >= WARM_UPS - 1:
                        times[n].append(self.time(*way))
                        times[n + 3].append(self.planning(*way))
            found[title] = Medians(*(median(way[-runs:]) for way in times))
            print(line(title, found[title]), flush=True)
        return found


def median(times: list[Time]) -> Time:
    """Give the median of the wall times, and that of the CPU times."""
    return Time(statistics.median(t.wall for t in times), statistics.median(t.cpu for t in times))


HEAD = """| query | Spark, s | with the extension, s | Spark / variant-shredded | \
with the extension / variant-shredded | the same, task CPU of Spark | of the extension | \
planning by Spark, ms | with the extension | variant-shredded | task CPU of the extension's, ms |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"""


def line(title: str, found: Medians) -> str:
    """Give the cells of a query. Ways are compared with ``format("variant-shredded")``."""
    off, on, ours = found[:3]
    cells = [
        f"{off.wall:.3f}",
        f"{on.wall:.3f}",
        *(f"{way.wall / ours.wall:.2f}" for way in (off, on)),
        *(f"{way.cpu / ours.cpu:.2f}" for way in (off, on)),
        *(f"{way.wall * 1000:.0f}" for way in found[3:]),
        f"{found.planned_on.cpu * 1000:.0f}",
    ]
    return f"| {title} | {' | '.join(cells)} |"


#: The names of queries on the page; the others have the same name there.
ON_PAGE = {
    "sum": "`sum` of an integer",
    "range": "a range of integers",
    "point": "one integer (`point`)",
    "needle": "one string (`needle`)",
    "exists": "an element of an array (`exists`)",
    "whole": "the whole Variant",
}
#: The columns of the page's tables for other tables than those ``USING parquet``.
COLUMNS = {
    "delta_shredded": "Delta Lake",
    "delta_deleted": "Delta Lake, 1 % deleted",
    "ice.db.shredded": "Iceberg",
    "ice.db.deleted": "Iceberg, 1 % deleted",
    "path_unshredded": "Parquet, unshredded",
}


def page(found: Mapping[str, Mapping[str, Medians]]) -> str:
    """Give the tables of ``docs/existing-tables.md``, by the name of a table and the query."""

    def table(columns: list[str], cells: Callable[[str], list[str]]) -> str:
        first = next(iter(found.values()))
        rows = [["query", *columns], *([ON_PAGE.get(q, q), *cells(q)] for q in first)]
        head, *lines = [f"| {' | '.join(row)} |" for row in rows]
        return "\n".join([head, "|---|" + "--:|" * len(columns), *lines])

    def ratios(way: Time, ours: Time, digits: int) -> list[str]:
        return [f"{way.wall / ours.wall:.{digits}f}", f"{way.cpu / ours.cpu:.{digits}f}"]

    def named(query: str) -> list[str]:
        of = found["named"][query]
        return [*ratios(of.off, of.ours, 1), *ratios(of.on, of.ours, 2)]

    def others(query: str, on: bool) -> list[str]:
        ways = [found[name][query] for name in COLUMNS]
        return [" / ".join(ratios(of.on if on else of.off, of.ours, 2 if on else 1)) for of in ways]

    def planning(query: str) -> list[str]:
        ways = [found[name][query][3:] for name in ("named", *COLUMNS)]
        return [" / ".join(f"{way.wall * 1000:.0f}" for way in of) for of in ways]

    titles = list(COLUMNS.values())
    wanted = ["Spark: wall", "CPU", "with the extension: wall", "CPU"]
    return "\n\n".join(
        [
            "A table `USING parquet`, relative to `variant-shredded`:",
            table(wanted, named),
            "The same with the extension, for other tables (wall / task CPU):",
            table(titles, lambda query: others(query, True)),
            "The same without the extension:",
            table(titles, lambda query: others(query, False)),
            "Planning in ms: without the extension / with it / `variant-shredded`:",
            table(["Parquet", *titles], planning),
        ]
    )


class ParquetAndDelta(Source):
    """Paths, tables of Spark's Parquet source, and tables of Delta Lake."""

    on = "parquet,delta"

    def settings(self) -> dict[str, str]:
        return {
            "spark.jars.packages": "io.delta:delta-spark_4.2_2.13:4.4.0",
            "spark.databricks.delta.snapshotPartitions": "1",
            "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension,"
            "io.github.variantshredded.VariantShreddedExtensions",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        }

    def tables(self, variants: DataFrame) -> list[Table]:
        tables = []
        warehouse = self.directory / "warehouse"
        shred(self.spark, True)
        variants.write.format("parquet").saveAsTable("named")
        tables.append(Table("A table `USING parquet`, shredded", "named", f"{warehouse}/named"))
        for name in ("shredded", "deleted"):
            self.spark.sql(
                f"CREATE TABLE delta_{name} (v VARIANT) USING delta TBLPROPERTIES ("
                f"'delta.enableVariantShredding' = 'true', 'delta.enableDeletionVectors' = 'true')"
            )
            files = f"{warehouse}/delta_{name}"
            tables.append(self.filled("Delta Lake", f"delta_{name}", files, variants))
        for name, wanted in (("shredded", True), ("unshredded", False)):
            shred(self.spark, wanted)
            path = str(self.directory / name)
            variants.write.parquet(path)
            # The files are listed and the columns found once, as for the names.
            self.spark.read.parquet(path).createOrReplaceTempView(f"path_{name}")
            tables.append(Table(f"A path with Parquet files, {name}", f"path_{name}", path))
        return tables


class Iceberg(Source):
    """Tables of Iceberg."""

    on = "iceberg"

    def settings(self) -> dict[str, str]:
        return {
            "spark.jars.packages": "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0",
            "spark.sql.extensions": "org.apache.iceberg.spark.extensions."
            "IcebergSparkSessionExtensions,io.github.variantshredded.VariantShreddedExtensions",
            "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.ice.type": "hadoop",
            "spark.sql.catalog.ice.warehouse": f"{self.directory}/ice",
            # Iceberg's own vectorized reader fails on shredded files.
            "spark.sql.iceberg.vectorization.enabled": "false",
        }

    def tables(self, variants: DataFrame) -> list[Table]:
        tables = []
        for name in ("shredded", "deleted"):
            self.spark.sql(
                f"CREATE TABLE ice.db.{name} (v VARIANT) USING iceberg TBLPROPERTIES ("
                f"'format-version' = '3', 'write.delete.mode' = 'merge-on-read', "
                f"'write.parquet.row-group-size-bytes' = '{ROW_GROUP}', "
                f"'write.parquet.shred-variants' = 'true')"
            )
            files = f"{self.directory}/ice/db/{name}/data"
            tables.append(self.filled("Iceberg", f"ice.db.{name}", files, variants))
        return tables


SOURCES = {"parquet": ParquetAndDelta, "iceberg": Iceberg}


def measure(kind: str, results: str, count: int, runs: int, lines: str | None) -> None:
    """Make and time the tables of a source, in the session of this process.

    The times go to the file ``results``.
    """
    with tempfile.TemporaryDirectory() as directory:
        source = SOURCES[kind](Path(directory))
        texts = events(source.spark, count, lines).repartition(4)
        variants = texts.selectExpr("parse_json(value) AS v")
        found = {table.name: source.compare(table, runs) for table in source.tables(variants)}
        source.spark.stop()
    Path(results).write_text(json.dumps(found))


def main() -> None:
    """Time each source with the version of Spark that it has a runtime for."""
    found = {}
    for kind, version in (("parquet", "4.2"), ("iceberg", "4.1")):
        interpreter = VENVS / f"spark-{version}" / "bin" / "python"
        with tempfile.NamedTemporaryFile("r", suffix=".json") as file:
            arguments = ["--of", kind, file.name, *sys.argv[1:]]
            subprocess.run([interpreter, __file__, *arguments], check=True)
            for table, queries in json.load(file).items():
                found[table] = {
                    query: Medians(*(Time(*way) for way in ways)) for query, ways in queries.items()
                }
    print("\nFor docs/existing-tables.md:\n\n" + page(found))


if __name__ == "__main__":
    if sys.argv[1] == "--of":
        measure(
            sys.argv[2],
            sys.argv[3],
            int(sys.argv[4]),
            int(sys.argv[5]),
            sys.argv[6] if len(sys.argv) > 6 else None,
        )
    else:
        main()
