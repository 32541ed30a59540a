"""Archive the classes that Spark loads, so that the JVMs of the tests start in about half the time.

``python archive_classes.py ARCHIVE`` runs some queries and writes the classes that were loaded by
then. A JVM of the same Spark uses them by ``-XX:SharedArchiveFile=ARCHIVE`` (JEP 350, dynamic
class-data sharing); one with another class path or another Java ignores the file.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from pyspark import SparkContext
from pyspark.sql import SparkSession

QUERIES = (
    "CREATE TABLE t USING parquet PARTITIONED BY (p) AS SELECT id, id % 3 AS p, string(id) AS s,"
    " parse_json(concat('{\"a\": ', id, '}')) AS v FROM range(100)",
    "SELECT p, count(*), max(v:a::int) FROM t WHERE id > 5 GROUP BY p ORDER BY p",
    "SELECT * FROM t x JOIN t y ON x.id = y.id + 1 WHERE y.s IN (SELECT s FROM t WHERE id < 9)",
)


def main(archive: Path) -> None:
    """Run the queries in a session whose JVM writes the archive when it ends."""
    part = archive.with_suffix(".part")
    os.environ["SPARK_SUBMIT_OPTS"] = (
        f"-XX:TieredStopAtLevel=1 -XX:ArchiveClassesAtExit={part} -Xlog:disable"
    )
    with tempfile.TemporaryDirectory() as home:
        os.chdir(home)  # for the table
        spark = (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .getOrCreate()
        )
        for query in QUERIES:
            spark.sql(query).collect()
        jvm = SparkContext._gateway.proc  # type: ignore[union-attr]
        spark.stop()
        jvm.stdin.close()  # the JVM ends with its input
        jvm.wait()
    part.replace(archive)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
