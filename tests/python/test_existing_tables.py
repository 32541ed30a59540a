"""The extension that reads the Variants of other sources' tables, on the packed JAR."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import SPARK, run_script

SCRIPT = """
import sys
from pyspark.sql import SparkSession
from variant_shredded import configure

builder = (
    SparkSession.builder.master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.warehouse.dir", sys.argv[1] + "/warehouse")
    .config("spark.sql.extensions", "io.github.variantshredded.VariantShreddedExtensions")
)
spark = configure(builder).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
path = sys.argv[1] + "/path"
rows = spark.range(100).selectExpr(
    "id", "id % 3 AS p", "parse_json('{\\"a\\": ' || id || ', \\"b\\": [1, {\\"c\\": true}]}') AS v"
)
rows.write.parquet(path)
rows.write.format("variant-shredded").save(path + "-shredded")
rows.write.partitionBy("p").format("parquet").saveAsTable("events")
setting = "spark.sql.variantShredded.takeOver"
queries = [
    "SELECT sum(v:a::int) FROM {}",
    "SELECT v FROM {} WHERE v:a::int < 5",
    "SELECT p, v:b[1].c::boolean, _metadata.file_name FROM {} WHERE p = 1 AND id < 9",
    "SELECT x.id FROM {} x JOIN {} y ON x.v:a::int = y.v:a::int + 1 WHERE y.p = 2",
    "SELECT v:a::int FROM {} WHERE is_one(p)",
    "SELECT v:a::int FROM {} WHERE is_one(p) AND p < 2 AND v:a::int > 50",
]
spark.udf.register("is_one", lambda p: p == 1, "boolean")
for table in ["parquet.`" + path + "`", "parquet.`" + path + "-shredded`", "events"]:
    for query in queries:
        text = query.replace("{}", table)
        answers = {}
        for value in ["none", "parquet"]:
            spark.conf.set(setting, value)
            found = spark.sql(text)
            plan = found._jdf.queryExecution().executedPlan().toString()
            assert ("TakenOverFrom: parquet" in plan) == (value == "parquet"), plan
            answers[value] = sorted(map(str, found.collect()))
        assert answers["none"] == answers["parquet"], (text, answers)
print("the same answers")
spark.stop()
"""


def test_parquet_paths_and_tables(tmp_path: Path) -> None:
    assert "the same answers" in run_script(SCRIPT, str(tmp_path))


DELTA = """
import sys
from pyspark.sql import SparkSession
from variant_shredded import configure, reshred_delta

builder = (
    SparkSession.builder.master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.warehouse.dir", sys.argv[1] + "/warehouse")
    .config("spark.jars.packages", sys.argv[2])
    .config("spark.databricks.delta.snapshotPartitions", "1")
    .config(
        "spark.sql.extensions",
        "io.delta.sql.DeltaSparkSessionExtension,"
        "io.github.variantshredded.VariantShreddedExtensions",
    )
    .config(
        "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog"
    )
)
spark = configure(builder).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
spark.sql(
    "CREATE TABLE events (id BIGINT, p BIGINT, v VARIANT) USING delta PARTITIONED BY (p) "
    "TBLPROPERTIES ('delta.enableVariantShredding' = 'true', 'delta.columnMapping.mode' = 'name', "
    "'delta.enableDeletionVectors' = 'true')"
)
spark.range(100).selectExpr(
    "id", "id % 3 AS p", "parse_json('{\\"a\\": ' || id || ', \\"b\\": [1, {\\"c\\": true}]}') AS v"
).write.insertInto("events")
spark.sql("ALTER TABLE events RENAME COLUMN v TO w")
spark.sql("DELETE FROM events WHERE id % 7 = 0")
queries = [
    "SELECT sum(w:a::int) FROM events",
    "SELECT w FROM events WHERE w:a::int < 5",
    "SELECT p, w:b[1].c::boolean, _metadata.row_index FROM events WHERE p = 1 AND id < 9",
    "SELECT id FROM events WHERE w:a::int = (SELECT max(w:a::int) FROM events WHERE p = 2)",
    "SELECT count(v:a) FROM events VERSION AS OF 1",
]


def answers():
    found = []
    for text in queries:
        both = {}
        for value in ["none", "delta"]:
            spark.conf.set("spark.sql.variantShredded.takeOver", value)
            rows = spark.sql(text)
            plan = rows._jdf.queryExecution().executedPlan().toString()
            assert ("TakenOverFrom: delta" in plan) == (value == "delta"), plan
            both[value] = sorted(map(str, rows.collect()))
        assert both["none"] == both["delta"], (text, both)
        found.append(both["none"])
    return found


before = answers()
done = reshred_delta(spark, "events", compression="zstd")
assert (done.rows, done.source_files) == (85, done.target_files), done
assert answers()[:2] == before[:2]
assert reshred_delta(spark, "events", compression="zstd").source_files == 0
print("the same answers")
spark.stop()
"""


@pytest.mark.skipif(SPARK > (4, 2), reason="there is no Delta Lake for this version of Spark")
def test_delta_tables(tmp_path: Path) -> None:
    package = f"io.delta:delta-spark_{SPARK[0]}.{SPARK[1]}_2.13:4.4.0"
    try:
        out = run_script(DELTA, str(tmp_path), package)
    except AssertionError as error:
        if "unresolved dependency" in str(error):
            pytest.skip(f"{package} cannot be fetched")
        raise
    assert "the same answers" in out
