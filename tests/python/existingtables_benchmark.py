"""Variants in tables of other sources: ``make bench BENCH=ExistingTables``.

Each query runs with the extension switched off, with the extension switched on, and with
``format("variant-shredded")`` on the same files, in turn; the script compares the answers and ends
with an error if one differs. Parquet and Delta Lake run on Spark 4.2, and Iceberg on Spark 4.1.
Arguments: number of events, how often each query runs, and optionally a file of JSON lines in the
shape of Bluesky's, in place of made-up ones.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from abc import ABC, abstractmethod
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

    def compare(self, table: Table, runs: int) -> None:
        """Time the queries on one table, and print a line for each."""
        files = self.spark.read.format("variant-shredded").option("pathGlobFilter", "*.parquet")
        files.load(table.files).createOrReplaceTempView("same_files")
        values = self.values("same_files")
        print(f"\n{table.title}, Spark {self.spark.version}\n\n{HEAD}", flush=True)
        for title, text in {**QUERIES, "whole": WHOLE}.items():
            off = "none", fill(text, {**VARIANT, "t": table.name}, values)
            on = self.on, off[1]
            ours = "none", fill(text, {**VARIANT, "t": "`same_files`"}, values)
            if text != WHOLE:
                answers = [self.answer(*way) for way in (off, on, ours)]
                assert answers[0] == answers[1], (title, answers[0][:5], answers[1][:5])
                assert table.deleted or answers[0] == answers[2], (title, answers[2][:5])
            times: list[list[Time]] = [[], [], []]
            for i in range(runs + WARM_UPS):
                for way, found in zip((off, on, ours), times, strict=True):
                    if way != off or i >= WARM_UPS - 1:
                        found.append(self.time(*way))
            print(line(title, [found[-runs:] for found in times]), flush=True)


HEAD = """| query | Spark, s | with the extension, s | Spark / variant-shredded | \
with the extension / variant-shredded | the same, task CPU of Spark | of the extension |
|---|--:|--:|--:|--:|--:|--:|"""


def line(title: str, times: list[list[Time]]) -> str:
    """Give the medians of three ways, the last of which the others are compared with."""
    off, on, ours = (
        Time(statistics.median(t.wall for t in way), statistics.median(t.cpu for t in way))
        for way in times
    )
    cells = [
        f"{off.wall:.3f}",
        f"{on.wall:.3f}",
        *(f"{way.wall / ours.wall:.2f}" for way in (off, on)),
        *(f"{way.cpu / ours.cpu:.2f}" for way in (off, on)),
    ]
    return f"| {title} | {' | '.join(cells)} |"


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


def measure(kind: str, count: int, runs: int, json: str | None) -> None:
    """Make and time the tables of a source, in the session of this process."""
    with tempfile.TemporaryDirectory() as directory:
        source = SOURCES[kind](Path(directory))
        texts = events(source.spark, count, json).repartition(4)
        variants = texts.selectExpr("parse_json(value) AS v")
        for table in source.tables(variants):
            source.compare(table, runs)
        source.spark.stop()


def main() -> None:
    """Time each source with the version of Spark that it has a runtime for."""
    for kind, version in (("parquet", "4.2"), ("iceberg", "4.1")):
        interpreter = VENVS / f"spark-{version}" / "bin" / "python"
        subprocess.run([interpreter, __file__, "--of", kind, *sys.argv[1:]], check=True)


if __name__ == "__main__":
    if sys.argv[1] == "--of":
        measure(
            sys.argv[2],
            int(sys.argv[3]),
            int(sys.argv[4]),
            sys.argv[5] if len(sys.argv) > 5 else None,
        )
    else:
        main()
