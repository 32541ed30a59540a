"""What Spark says about tables by name, and statements that it prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession


def described(spark: SparkSession, statement: str) -> dict[str, str]:
    return {row.col_name: row.data_type for row in spark.sql(statement).collect()}


def created(spark: SparkSession, table: str, more: str = "") -> str:
    """Create a table with all that a statement can say; give what SHOW CREATE TABLE prints."""
    spark.sql(
        f"CREATE TABLE {table} (id INT DEFAULT 7 COMMENT 'it''s a number', v VARIANT, "
        "`a b` STRING, day STRING) USING variant_shredded "
        "OPTIONS (compression 'gzip', shredding 'a bigint') "
        f"PARTITIONED BY (day) COMMENT 'events' TBLPROPERTIES ('k' = 'it''s') {more}"
    )
    return shown(spark, table)


def shown(spark: SparkSession, table: str) -> str:
    return str(spark.sql(f"SHOW CREATE TABLE {table}").collect()[0][0])


def test_describe_extended(spark: SparkSession, table: str) -> None:
    created(spark, table)
    found = described(spark, f"DESCRIBE EXTENDED {table}")
    assert (found["id"], found["v"], found["day"]) == ("int", "variant", "string")
    assert found["Provider"] == "variant_shredded"
    assert found["Comment"] == "events"
    assert found["Location"].endswith(f"/{table}")
    assert "compression=gzip" in found["Table Properties"]
    assert described(spark, f"DESCRIBE TABLE {table}").keys() >= {"id", "v", "a b", "day"}
    assert "Provider" not in described(spark, f"DESCRIBE TABLE {table}")
    column = spark.sql(f"DESCRIBE EXTENDED {table} id").collect()
    assert {row.info_name: row.info_value for row in column}["comment"] == "it's a number"


def lasting(found: dict[str, str]) -> dict[str, str]:
    """Leave out times, and the collation that Spark 4.2 prints of every format's strings."""
    return {
        name: value.removesuffix(" collate UTF8_BINARY")
        for name, value in found.items()
        if name not in ("Created Time", "Last Access")
    }


@pytest.mark.parametrize("external", [False, True])
def test_show_create_table_can_be_run_again(
    spark: SparkSession, table: str, tmp_path: Path, external: bool
) -> None:
    statement = created(spark, table, f"LOCATION '{tmp_path / 'a b'}'" if external else "")
    before = lasting(described(spark, f"DESCRIBE EXTENDED {table}"))
    spark.sql(f"DROP TABLE {table}")
    spark.sql(statement)
    assert shown(spark, table) == statement
    assert lasting(described(spark, f"DESCRIBE EXTENDED {table}")) == before
    spark.sql(f"INSERT INTO {table} (v, day) SELECT parse_json('{{\"a\": 1}}'), 'x'")
    assert spark.sql(f"SELECT id, v:a::int, `a b`, day FROM {table}").collect() == [
        (7, 1, None, "x")
    ]


def test_like_using(spark: SparkSession, table: str, tmp_path: Path) -> None:
    source, files = f"{table}_source", tmp_path / "like"
    spark.sql(f"CREATE TABLE {source} (id INT, s STRING, p INT) USING parquet PARTITIONED BY (p)")
    try:
        spark.sql(f"CREATE TABLE {table} LIKE {source} USING variant_shredded LOCATION '{files}'")
        assert described(spark, f"DESCRIBE EXTENDED {table}")["Provider"] == "variant_shredded"
        spark.sql(f"INSERT INTO {table} VALUES (1, 'a', 2)")
        assert [tuple(row) for row in spark.table(table).collect()] == [(1, "a", 2)]
        assert [path.name for path in files.glob("p=*")] == ["p=2"]
        statement = shown(spark, table)
        spark.sql(f"DROP TABLE {table}")
        spark.sql(statement)
        assert [tuple(row) for row in spark.table(table).collect()] == [(1, "a", 2)]
        assert [row[0] for row in spark.sql(f"SHOW PARTITIONS {table}").collect()] == ["p=2"]
    finally:
        spark.sql(f"DROP TABLE {source}")


def test_describe_as_json_says_what_it_is(spark: SparkSession, table: str) -> None:
    created(spark, table)
    with pytest.raises(PySparkException) as refused:
        spark.sql(f"DESCRIBE EXTENDED {table} AS JSON").collect()
    assert "INTERNAL_ERROR" not in str(refused.value)
    assert "JSON" in str(refused.value)
