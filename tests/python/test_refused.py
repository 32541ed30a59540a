"""What is not supported says so, in one clear error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from support import FORMAT, data_files
from variant_shredded import write_variant


@pytest.fixture
def one(spark: SparkSession) -> DataFrame:
    return spark.sql("SELECT 1 AS id, parse_json('{}') AS v")


def test_a_stream_by_for_each_batch(spark: SparkSession, tmp_path: Path) -> None:
    spark.range(5).write.parquet(str(tmp_path / "in"))

    def write(batch: DataFrame, _: int) -> None:
        write_variant(batch.selectExpr("cast(id AS variant) AS v"), tmp_path / "out", mode="append")

    stream = spark.readStream.schema("id bigint").parquet(str(tmp_path / "in"))
    writer = stream.writeStream.foreachBatch(write).trigger(availableNow=True)
    writer.option("checkpointLocation", str(tmp_path / "c")).start().awaitTermination()
    assert spark.read.format(FORMAT).load(str(tmp_path / "out")).count() == 5


def test_bucketing(one: DataFrame, tmp_path: Path) -> None:
    with pytest.raises(PySparkException) as caught:
        one.write.format(FORMAT).bucketBy(4, "id").saveAsTable("bucketed")
    assert "Bucketing" in str(caught.value)
    with pytest.raises(PySparkException):
        one.write.format(FORMAT).bucketBy(4, "id").save(str(tmp_path / "t"))
    assert not (tmp_path / "t").exists()


def test_bucketing_in_sql(spark: SparkSession) -> None:
    with pytest.raises(PySparkException, match="Bucketing"):
        spark.sql(
            f"CREATE TABLE bucketed (id INT) USING `{FORMAT}` CLUSTERED BY (id) INTO 4 BUCKETS"
        )
    assert not spark.catalog.tableExists("bucketed")


def test_a_table_with_buckets_that_like_has_made_is_dropped(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE with_buckets (n INT) USING parquet CLUSTERED BY (n) INTO 4 BUCKETS")
    like = f"CREATE TABLE like_buckets LIKE with_buckets USING `{FORMAT}`"
    try:
        # Spark 4.1 does not ask this source before it runs the first statement of a session.
        if spark.version.startswith("4.1"):
            spark.newSession().sql(like)
            spark.sql("DROP TABLE like_buckets")
        with pytest.raises(PySparkException, match="Bucketing"):
            spark.sql(like)
        assert "like_buckets" not in [row.tableName for row in spark.sql("SHOW TABLES").collect()]
    finally:
        spark.sql("DROP TABLE with_buckets")


def test_partitioning_by_an_expression(spark: SparkSession) -> None:
    with pytest.raises(PySparkException, match=r"Partitioning by|not supported"):
        spark.sql(f"CREATE TABLE by_years (d DATE) USING `{FORMAT}` PARTITIONED BY (years(d))")
    assert not spark.catalog.tableExists("by_years")


@pytest.mark.parametrize("column", ["v", "nothing"])
def test_partitioning_by_no_partition_column(one: DataFrame, tmp_path: Path, column: str) -> None:
    with pytest.raises(PySparkException, match=r"VARIANT|nothing"):
        write_variant(one, tmp_path / "t", partition_by=column)
    assert not (tmp_path / "t").exists()


def test_a_type_that_parquet_lacks(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(PySparkException, match="UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE"):
        write_variant(spark.sql("SELECT array(make_interval(1, 2, 3, 4)) AS x"), tmp_path / "t")
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize(
    ("shredding", "message"),
    [
        ({"w": "a int"}, "there is no column 'w'; columns with Variants: 'v'"),
        ({"id": "a int"}, "the column 'id' is not a Variant; columns with Variants: 'v'"),
        ({"v": "a whatever"}, "'whatever' is not a type"),
        ({"v": "a int, a int"}, "the field a is given twice"),
        ("everything", "expected 'infer', 'none', 'like:PATH' or fields such as"),
        ("", "expected 'infer', 'none', 'like:PATH' or fields such as"),
        ("like:/nowhere/at/all", "there is no file in '/nowhere/at/all'"),
    ],
)
def test_a_shredding_that_cannot_be(
    one: DataFrame, tmp_path: Path, shredding: dict[str, str] | str, message: str
) -> None:
    with pytest.raises(PySparkException) as caught:
        write_variant(one, tmp_path / "t", shredding=shredding)
    assert "INVALID_SHREDDING_SPECIFICATION" in str(caught.value)
    assert message in str(caught.value)
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (
            {"include": ["$.a..b"]},
            "Option 'shredding.include' is '$.a..b', expected a comma-separated",
        ),
        (
            {"pin": {"$.a": "whatever"}},
            "Option 'shredding.pin' is '$.a whatever', expected a comma",
        ),
        ({"exclude": {"w": ["$.a"]}}, "Option 'shredding.w.exclude' is '$.a', expected one of"),
        ({"include": ["$.a"], "exclude": ["$.a"]}, "expected paths that agree"),
        ({"shredding": "none", "pin": ["$.a int"]}, "a Variant column whose schema is inferred"),
    ],
)
def test_a_choice_that_cannot_be(
    one: DataFrame,
    tmp_path: Path,
    choice: dict[str, Any],
    message: str,
) -> None:
    with pytest.raises(PySparkException) as caught:
        write_variant(one, tmp_path / "t", **choice)
    assert "INVALID_VARIANT_SHREDDED_OPTION" in str(caught.value)
    assert message in str(caught.value)
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [("inferRows", "0"), ("minFrequency", "2"), ("maxShreddedColumns", "x")],
)
def test_a_value_that_an_option_of_writing_cannot_have(
    one: DataFrame, tmp_path: Path, name: str, value: str
) -> None:
    options: dict[str, Any] = {name: value}
    with pytest.raises(PySparkException) as caught:
        write_variant(one, tmp_path / "t", **options)
    message = f"[INVALID_VARIANT_SHREDDED_OPTION] Option '{name}' is '{value}', expected "
    assert message in str(caught.value)
    assert not data_files(tmp_path / "t")
