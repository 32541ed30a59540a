"""The extension that reads the Variants of other sources' tables, on the packed JAR."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import SPARK, run_script

SCRIPT = """
import os
import sys
from pyspark.sql import SparkSession
from variant_shredded import configure

builder = (
    SparkSession.builder.master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.warehouse.dir", sys.argv[1] + "/warehouse")
    .config("spark.sql.extensions", "io.github.variantshredded.VariantShreddedExtensions")
    .config(
        "spark.hadoop.javax.jdo.option.ConnectionURL",
        f"jdbc:derby:;databaseName={sys.argv[1]}/metastore;create=true",
    )
    .enableHiveSupport()
)
os.chdir(sys.argv[1])
spark = configure(builder).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
assert spark.conf.get("spark.sql.catalogImplementation") == "hive"
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
    .config("spark.sql.shuffle.partitions", "2")
    # Delta Lake's own queries are many and small.
    .config("spark.sql.codegen.wholeStage", "false")
    .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    .config("spark.databricks.delta.snapshotPartitions", "1")
    .config("spark.databricks.delta.writeChecksumFile.enabled", "false")
    .config("spark.databricks.delta.retentionDurationCheck.enabled", "false")
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


def changed(sources):
    spark.conf.set("spark.sql.variantShredded.takeOver", sources)
    table, taken, states = "changed_" + sources, 0, []
    spark.sql(
        f"CREATE TABLE {table} (id BIGINT, p BIGINT, w VARIANT) USING delta TBLPROPERTIES ("
        "'delta.enableVariantShredding' = 'true', 'delta.columnMapping.mode' = 'id', "
        "'delta.enableDeletionVectors' = 'true', 'delta.enableChangeDataFeed' = 'true')"
    )

    def after(statement):
        nonlocal taken
        spark.sql(statement).collect()
        rows = spark.sql(f"SELECT id, to_json(w), w:a::int FROM {table}")
        taken += "TakenOverFrom: delta" in rows._jdf.queryExecution().executedPlan().toString()
        states.append(sorted(map(str, rows.collect())))

    after(f"INSERT INTO {table} SELECT id, p, w FROM events")
    value = "to_variant_object(named_struct('a', -1))"
    after(f"UPDATE {table} SET w = {value} WHERE w:a::int % 5 = 1")
    after(
        f"MERGE INTO {table} t USING (SELECT w:a::int AS a FROM events WHERE p = 1) s "
        "ON t.w:a::int = s.a WHEN MATCHED THEN DELETE"
    )
    after(f"DELETE FROM {table} WHERE w:a::int > 90")
    assert len(set(map(str, states))) == 4, states
    after(f"OPTIMIZE {table}")
    assert states[4] == states[3]
    changes = spark.sql(f"SELECT _change_type, id, w:a::int FROM table_changes('{table}', 1)")
    states.append(sorted(map(str, changes.collect())))
    stream = spark.readStream.table(table).selectExpr("w:a::int")
    writer = stream.writeStream.format("memory").queryName("of_" + table)
    writer.trigger(availableNow=True).start().awaitTermination()
    states.append(sorted(map(str, spark.table("of_" + table).collect())))
    after(f"VACUUM {table} RETAIN 0 HOURS")
    assert all(states) and taken == (6 if sources == "delta" else 0), (taken, states)
    return states


if "statements" in sys.argv:
    assert changed("none") == changed("delta")
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
    # On Spark 4.2, the Scala tests run such statements.
    more = ["statements"] if SPARK < (4, 2) or os.environ.get("SLOW") else []
    try:
        out = run_script(DELTA, str(tmp_path), package, *more, timeout=600)
    except AssertionError as error:
        if "unresolved dependency" in str(error):
            pytest.skip(f"{package} cannot be fetched")
        raise
    assert "the same answers" in out
