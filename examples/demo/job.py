"""Runs a small Spark job, whose event log is the demo's default input."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The queries of the job, on the views that `_views` creates. They have different kinds of plans
#: (joins, windows, rollups, subqueries, a cached table, a failure), so that there are different
#: kinds of events.
QUERIES = (
    "SELECT count(*), avg(amount) FROM orders",
    "SELECT country, sum(amount) FROM orders JOIN customers USING (customer) GROUP BY country",
    """SELECT /*+ MERGE(c) */ day, count(DISTINCT customer) FROM orders JOIN customers c
       USING (customer) WHERE country <> 'FR' GROUP BY day ORDER BY day""",
    "SELECT day, status, sum(amount) FROM orders GROUP BY ROLLUP (day, status)",
    """SELECT * FROM (SELECT *, rank() OVER (PARTITION BY country ORDER BY amount DESC) AS place
       FROM orders JOIN customers USING (customer)) WHERE place <= 3""",
    "SELECT count(*) FROM orders WHERE amount > (SELECT avg(amount) FROM orders)",
    "SELECT customer FROM customers EXCEPT SELECT customer FROM orders WHERE status = 'open'",
    "SELECT max(length(name)) FROM customers LATERAL VIEW explode(tags) AS tag WHERE tag LIKE 'b%'",
    "SELECT raise_error('a task that fails, on purpose') FROM orders WHERE id = 7",
)


def run_job(spark: SparkSession) -> None:
    """Run the queries, and ignore their results."""
    from pyspark.errors import PySparkException

    _views(spark)
    spark.catalog.cacheTable("customers")
    for number, query in enumerate(QUERIES, start=1):
        spark.sparkContext.setJobGroup(f"query-{number}", query)
        try:
            spark.sql(query).collect()
        except PySparkException:
            if "raise_error" not in query:
                raise
    spark.catalog.uncacheTable("customers")


def event_log(directory: Path) -> Path:
    """Return the log that a session with `log_settings` has written."""
    (log,) = (path for path in directory.iterdir() if not path.name.startswith("."))
    return log


def log_settings(directory: Path) -> dict[str, str | int | bool]:
    """Return the settings of a session that logs its events to one file of JSON lines."""
    return {
        "spark.eventLog.enabled": True,
        "spark.eventLog.dir": directory.as_uri(),
        "spark.eventLog.compress": False,
        "spark.eventLog.rolling.enabled": False,
        "spark.sql.shuffle.partitions": 24,
        # Most events of a log are about tasks, so this job has many tasks.
        "spark.sql.adaptive.coalescePartitions.enabled": False,
    }


def _views(spark: SparkSession) -> None:
    spark.range(0, 20_000, numPartitions=24).selectExpr(
        "id",
        "id * 7919 % 500 AS customer",
        "date_add(DATE'2026-01-01', int(id % 31)) AS day",
        "element_at(array('open', 'paid', 'sent'), int(id % 3) + 1) AS status",
        "round(id % 977 / 7, 2) AS amount",
    ).createOrReplaceTempView("orders")
    spark.range(0, 600, numPartitions=2).selectExpr(
        "id AS customer",
        "concat('name-', id) AS name",
        "element_at(array('DE', 'FR', 'JP', 'US'), int(id % 4) + 1) AS country",
        "array('a', 'b', concat('b', id % 5)) AS tags",
    ).createOrReplaceTempView("customers")
