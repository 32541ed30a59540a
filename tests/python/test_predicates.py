"""Conditions are pushed into the scan by the packed JAR, in files of every writer at hand."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pyspark.sql import SparkSession
from support import once
from variant_shredded import read_variant, write_variant

pytestmark = once

SETTING = "spark.sql.variantShredded.pushDownPredicates"
FIRST = "spark.sql.variantShredded.lateMaterializationMinBytes"
SHREDDED_BY_SPARK = (
    "spark.sql.variant.writeShredding.enabled",
    "spark.sql.variant.inferShreddingSchema",
)

#: Mostly of one shape; every 17th `n` is a string and every 40th row is another type altogether.
TABLE = """
SELECT id, CASE WHEN id % 40 = 39 THEN parse_json(string(id)) WHEN id % 50 = 7 THEN NULL
  ELSE parse_json(concat('{"n":', IF(id % 17 = 5, concat('"', id, '"'), string(id)),
  ',"s":"s', lpad(id % 100, 3, '0'), '","d":', id / 8, ',"tags":["t', id % 9, '","u"],',
  '"o":{"k":', IF(id % 11 = 0, 'null', string(id % 13)), '}}')) END AS v
FROM range(0, 2000, 1, 1)
"""

CONDITIONS = [
    "try_variant_get(v, '$.n', 'bigint') BETWEEN 1200 AND 1210",
    "try_variant_get(v, '$.n', 'int') = 5",
    "v:s::string = 's042'",
    "v:s::string LIKE 's09%'",
    "v:s::string IN ('s001', 's077', 'none')",
    "v:d::double < 2",
    "v:d::double >= 248 OR v:o.k::int = 12",
    "NOT (v:o.k::int > 0)",
    "v:o.k::int IS NULL AND v:s::string > 's090'",
    "is_variant_null(v:o.k)",
    "v IS NULL",
    "exists(try_variant_get(v, '$.tags', 'array<string>'), x -> x = 't4')",
    "array_contains(try_variant_get(v, '$.tags', 'array<string>'), 'nowhere')",
    "id % 500 = 3 AND length(v:s::string) = 4",
    "id > 1990 AND v:zz IS NULL",
]


@pytest.fixture(scope="module")
def files(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Write the table by this source, by Spark's and by DuckDB, in small row groups and pages."""
    folder = tmp_path_factory.mktemp("predicates")
    small: dict[str, Any] = {"parquet.block.size": "20000", "parquet.page.row.count.limit": "100"}
    data = spark.sql(TABLE).coalesce(1)
    write_variant(data, str(folder / "ours"), **small)
    write_variant(data, str(folder / "unshredded"), shredding="none", **small)
    for setting in SHREDDED_BY_SPARK:
        spark.conf.set(setting, "true")
    try:
        data.write.options(**small).parquet(str(folder / "spark"))
    finally:
        for setting in SHREDDED_BY_SPARK:
            spark.conf.unset(setting)
    rows = data.selectExpr("id", "to_json(v)").collect()
    with duckdb.connect() as duck:
        duck.execute("CREATE TABLE t (id BIGINT, v VARIANT)")
        duck.executemany("INSERT INTO t SELECT ?, ?::JSON::VARIANT", [list(row) for row in rows])
        (folder / "duckdb").mkdir()
        duck.execute(f"COPY t TO '{folder}/duckdb/t.parquet' (FORMAT parquet, ROW_GROUP_SIZE 2048)")
    spark.conf.set(FIRST, "0")
    yield folder
    spark.conf.unset(FIRST)


def answer(spark: SparkSession, path: Path, condition: str, *, pushed: bool) -> list[str]:
    spark.conf.set(SETTING, str(pushed).lower())
    try:
        found = read_variant(spark, str(path)).where(condition)
        return [
            str(tuple(row)) for row in found.selectExpr("id", "to_json(v)").sort("id").collect()
        ]
    finally:
        spark.conf.unset(SETTING)


@pytest.mark.parametrize("writer", ["ours", "unshredded", "spark", "duckdb"])
def test_same_answers(spark: SparkSession, files: Path, writer: str) -> None:
    for condition in CONDITIONS:
        found = answer(spark, files / writer, condition, pushed=True)
        assert found == answer(spark, files / writer, condition, pushed=False), condition
        if writer == "unshredded":
            expected = spark.sql(f"SELECT id FROM ({TABLE}) WHERE {condition}").count()
            assert len(found) == expected, condition


def test_random_ranges(spark: SparkSession, files: Path) -> None:
    rng = random.Random(5)
    for _ in range(6):
        low = rng.randrange(2000)
        high = low + rng.randrange(60)
        condition = f"v:d::double >= {low / 8} AND v:d::double <= {high / 8}"
        found = answer(spark, files / "ours", condition, pushed=True)
        assert found == answer(spark, files / "ours", condition, pushed=False), condition


def test_explained(spark: SparkSession, files: Path) -> None:
    read_variant(spark, str(files / "ours")).createOrReplaceTempView("conditions")
    query = "SELECT v FROM conditions WHERE v:s::string = 's042' AND length(to_json(v)) > 3"
    text = spark.sql(f"EXPLAIN FORMATTED {query}").collect()[0][0]
    pushed = re.findall(r"PushedPredicates: \[(.*)\]", text)
    declined = re.findall(r"DeclinedPredicates: \[(.*)\]", text)
    assert len(pushed) == 1
    assert "(v:s::string = 's042') by row groups, pages, rows" in pushed[0]
    assert len(declined) == 1
    assert declined[0].endswith("it looks at v as a whole")
    spark.catalog.dropTempView("conditions")
