"""The extension that reads the Variants of other sources' tables, on the packed JAR."""

from __future__ import annotations

from pathlib import Path

from support import run_script

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
]
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
