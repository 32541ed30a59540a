"""Settings that say which rows an INSERT takes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession


@contextmanager
def setting(spark: SparkSession, name: str, value: str) -> Iterator[None]:
    spark.conf.set(name, value)
    try:
        yield
    finally:
        spark.conf.unset(name)


def test_legacy_store_assignment_is_refused(spark: SparkSession, table: str) -> None:
    spark.sql(f"CREATE TABLE {table} (n INT, v VARIANT) USING variant_shredded")
    rows = spark.sql("SELECT '1' AS n, parse_json('1') AS v")
    with setting(spark, "spark.sql.storeAssignmentPolicy", "LEGACY"):
        for insert in (
            lambda: spark.sql(f"INSERT INTO {table} SELECT '1', parse_json('1')"),
            lambda: rows.write.insertInto(table),
            lambda: rows.write.format("variant-shredded").mode("append").saveAsTable(table),
            lambda: rows.writeTo(table).append(),
        ):
            with pytest.raises(PySparkException) as refused:
                insert()
            assert "LEGACY" in str(refused.value)
            assert "spark.sql.storeAssignmentPolicy" in str(refused.value)
    assert spark.table(table).count() == 0
    for policy, condition in (("ANSI", None), ("STRICT", "INCOMPATIBLE_DATA_FOR_TABLE")):
        with setting(spark, "spark.sql.storeAssignmentPolicy", policy):
            spark.sql(f"INSERT INTO {table} SELECT CAST(1 AS SMALLINT), parse_json('1')")
            if condition:
                with pytest.raises(PySparkException, match=condition):
                    spark.sql(f"INSERT INTO {table} SELECT 1L, parse_json('1')")
            else:
                spark.sql(f"INSERT INTO {table} SELECT 1L, parse_json('1')")
    assert spark.table(table).count() == 3


def test_not_null_is_enforced_on_each_version(spark: SparkSession, table: str) -> None:
    """Spark has the setting from version 4.2 on; this source obeys it on 4.1 too."""
    columns = "(n INT NOT NULL, v VARIANT NOT NULL, s STRUCT<a: INT NOT NULL>)"
    with setting(spark, "spark.sql.fileSource.insert.enforceNotNull", "true"):
        spark.sql(f"CREATE TABLE {table} {columns} USING variant_shredded")
        for values in (
            "NULL, parse_json('1'), named_struct('a', 1)",
            "1, NULL, named_struct('a', 1)",
            "1, parse_json('1'), named_struct('a', CAST(NULL AS INT))",
        ):
            with pytest.raises(PySparkException, match="NOT_NULL_ASSERT_VIOLATION"):
                spark.sql(f"INSERT INTO {table} SELECT {values}")
        spark.sql(f"INSERT INTO {table} SELECT 1, parse_json('null'), NULL")
        assert "NOT NULL" in spark.sql(f"SHOW CREATE TABLE {table}").collect()[0][0]
    assert spark.table(table).count() == 1


def test_not_null_is_not_enforced_by_default(spark: SparkSession, table: str) -> None:
    spark.sql(f"CREATE TABLE {table} (n INT NOT NULL, v VARIANT) USING variant_shredded")
    spark.sql(f"INSERT INTO {table} SELECT NULL, parse_json('1')")
    assert [row.n for row in spark.table(table).collect()] == [None]
