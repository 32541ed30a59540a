"""The SQL functions, by the packed JAR: docs/sql.md on every version, and over Spark Connect."""

from __future__ import annotations

from pathlib import Path

import pytest
import sql_page
from pyspark.sql import SparkSession
from support import once, run_script
from variant_shredded import read_variant, register_functions, write_variant


@pytest.fixture(scope="module")
def names(spark: SparkSession) -> list[str]:
    return register_functions(spark)


def test_the_page(spark: SparkSession, names: list[str], tmp_path: Path) -> None:
    assert {"object_keys", "vs_object_keys", "vs_array_size"} < set(names)
    assert "array_size" not in names
    write_variant(spark.sql(f"SELECT parse_json('{sql_page.example()}') AS v"), tmp_path / "t")
    read_variant(spark, tmp_path / "t").createOrReplaceTempView("shredded")
    assert sql_page.differences(spark, "shredded") == []


def test_descriptions_and_names_of_columns(spark: SparkSession, names: list[str]) -> None:
    told = [row[0] for row in spark.sql("DESCRIBE FUNCTION EXTENDED object_keys").collect()]
    text = "\n".join(told)
    assert "Usage: object_keys(v) - The names of an object's fields, as ARRAY<STRING>." in text
    assert "> SELECT object_keys(v) FROM VALUES (parse_json('" in text
    calls = ["get_path(v, 'o.p')", "as_integer(v:id)", "to_variant(1)", "vs_array_size(v:tags)"]
    shown = spark.sql(f"SELECT parse_json('{sql_page.example()}') AS v").selectExpr(*calls)
    assert [name.partition("(")[0] for name in shown.columns] == [
        call.partition("(")[0] for call in calls
    ]
    assert shown.columns[0] == "get_path(v, o.p)"


def test_the_statements_of_the_page_register_and_list_them(spark: SparkSession) -> None:
    session = spark.newSession()
    create, select, show, describe = sql_page.statements()
    session.sql(create)
    assert session.sql("SELECT vs_object_keys(parse_json('{\"a\": 1}'))").first() == (["a"],)
    listed = [row.name for row in session.sql(select).collect()]
    assert {"object_pick", "vs_object_pick"} < set(listed)
    shown = [row[0] for row in session.sql(show).collect()]
    assert shown == [name for name in listed if name.startswith("vs_object")]
    (usage,) = (row[0] for row in session.sql(describe).collect() if row[0].startswith("Usage"))
    assert usage == "Usage: vs_object_pick(v, name, ...) - The object with just the fields named."


def test_a_constant_path_that_is_null_gives_null(spark: SparkSession, names: list[str]) -> None:
    for path in ("NULL", "CAST(NULL AS STRING)"):
        (row,) = spark.sql(f"SELECT get_path(parse_json('[1]'), {path}) AS x").collect()
        assert row.x is None, path


def test_names_that_are_taken(spark: SparkSession) -> None:
    session = spark.newSession()
    session.sql("CREATE TEMPORARY FUNCTION is_object(x VARIANT) RETURNS INT RETURN 42")
    session.sql("CREATE FUNCTION object_pick(x INT) RETURNS INT RETURN x + 1")
    try:
        for _ in range(2):
            names = set(register_functions(session))
            assert names.isdisjoint({"is_object", "object_pick"})
            assert {"vs_is_object", "vs_object_pick", "object_delete"} < names
        row = session.sql(
            "SELECT is_object(cast(1 AS variant)), object_pick(1), array_size(array(1, 2))"
        ).first()
    finally:
        session.sql("DROP FUNCTION object_pick")
    assert row is not None
    assert tuple(row) == (42, 2, 2)


CONNECT = """
import sys
sys.path.insert(0, sys.argv[1])
import sql_page
from pyspark.sql import SparkSession
from variant_shredded import read_variant, register_functions, session, write_variant
builder = SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false")
spark = session(builder.config("spark.sql.session.timeZone", "UTC"))
names = register_functions(spark)
write_variant(spark.sql(f"SELECT parse_json('{sql_page.example()}') AS v"), sys.argv[2])
read_variant(spark, sys.argv[2]).createOrReplaceTempView("shredded")
print(type(spark).__module__, sql_page.differences(spark, "shredded"))
print(spark.table("shredded").selectExpr("object_keys(v:o)").first()[0])
spark.stop()
"""


@once
def test_spark_connect(tmp_path: Path) -> None:
    here = str(Path(__file__).parent)
    out = run_script(CONNECT, here, str(tmp_path / "t"), timeout=900, SPARK_TESTING="1")
    assert out.splitlines() == ["pyspark.sql.connect.session []", "['Q', 'p']"]
