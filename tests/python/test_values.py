"""What is written comes back: ordinary types, Variants of all types, Variants in all columns."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import VariantVal
from support import FORMAT
from variant_shredded import read_variant, write_variant
from variant_values import tree, trees

ORDINARY = {
    "flag": "id % 2 = 0",
    "i8": "cast(id % 128 AS tinyint)",
    "i16": "cast(-id AS smallint)",
    "i32": "cast(id * 70000 AS int)",
    "i64": "id * 5000000000",
    "f32": "cast(id / 3 AS float)",
    "f64": "if(id = 4, double('NaN'), id / 7)",
    "d9": "cast(id / 8 AS decimal(9, 3))",
    "d18": "cast(id AS decimal(18, 2))",
    "d38": "cast(id AS decimal(38, 10)) * 1000000000000",
    "text": "concat('é-', id % 5)",
    "bin": "cast(concat('b', id) AS binary)",
    "day": "date_add(DATE'1969-12-01', int(id))",
    "ts": "timestamp_micros(id * 1234567890123)",
    "ts_ntz": "timestamp_ntz'2020-02-29 23:59:59.999999' + make_dt_interval(int(id))",
    "months": "make_ym_interval(0, int(id))",
    "time_span": "make_dt_interval(int(id), 1, 2, 3.5)",
    "c": "cast('abc' AS char(5))",
    "vc": "cast('abc' AS varchar(5))",
    "list": "array(int(id), null, 3)",
    "lists": "array(array(id), array(), null)",
    "map": "map('a', id, concat('k', id), null)",
    "struct": "named_struct('a', int(id), 'b', named_struct('c', string(id), 'd', array(id)))",
    "structs": "array(named_struct('x', id, 'y', if(id % 2 = 0, null, 'odd')), null)",
    "empty": "array()",
}
ROWS = 300


@pytest.fixture(scope="module", autouse=True)
def small_batches(spark: SparkSession) -> Iterator[None]:
    """Let 300 rows be several batches."""
    spark.conf.set("spark.sql.parquet.columnarReaderBatchSize", 64)
    yield
    spark.conf.unset("spark.sql.parquet.columnarReaderBatchSize")


@pytest.fixture(scope="module")
def ordinary(spark: SparkSession) -> DataFrame:
    """Make a row of all types, NULL in every third row."""
    columns = [f"if(id % 3 = 1, NULL, {sql}) AS {name}" for name, sql in ORDINARY.items()]
    columns[-1] = "cast(array() AS array<int>) AS empty"
    return spark.range(0, ROWS, numPartitions=2).selectExpr("id", *columns)


def rows(data: DataFrame) -> list[Any]:
    # As text, for a NaN is not equal to itself; and PySpark cannot collect intervals of months.
    months = data.withColumn("months", data["months"].cast("string"))
    return [repr(row) for row in sorted(months.collect(), key=itemgetter("id"))]


def types(data: DataFrame) -> list[tuple[str, str]]:
    """Give names and types, without what may be NULL: in files everything may."""
    return data.dtypes


def test_ordinary_types_round_trip(
    spark: SparkSession, tmp_path: Path, ordinary: DataFrame
) -> None:
    write_variant(ordinary, tmp_path / "t")
    again = read_variant(spark, tmp_path / "t")
    theirs = spark.read.parquet(str(tmp_path / "t"))
    assert again.schema == theirs.schema
    assert types(again) == types(ordinary)
    assert rows(again) == rows(ordinary)
    assert rows(theirs) == rows(ordinary)


def test_ordinary_types_of_spark(spark: SparkSession, tmp_path: Path, ordinary: DataFrame) -> None:
    ordinary.write.parquet(str(tmp_path / "t"))
    again = read_variant(spark, tmp_path / "t")
    theirs = spark.read.parquet(str(tmp_path / "t"))
    assert again.schema == theirs.schema
    assert rows(again) == rows(theirs)


@pytest.mark.parametrize("name", ["id", "text", "struct.b.c", "structs.y", "map", "lists"])
def test_one_column(spark: SparkSession, tmp_path: Path, ordinary: DataFrame, name: str) -> None:
    write_variant(ordinary.where("id < 100"), tmp_path / "t")
    ours = read_variant(spark, tmp_path / "t").selectExpr(name).collect()
    theirs = spark.read.parquet(str(tmp_path / "t")).selectExpr(name).collect()
    assert sorted(map(repr, ours)) == sorted(map(repr, theirs))


def test_no_rows(spark: SparkSession, tmp_path: Path, ordinary: DataFrame) -> None:
    write_variant(ordinary.where("id < 0"), tmp_path / "t")
    again = read_variant(spark, tmp_path / "t")
    assert again.schema == spark.read.parquet(str(tmp_path / "t")).schema
    assert again.collect() == []


# Of every type that Spark makes; rows of different types in one column.
VALUES = [
    "parse_json('null')",
    "cast(NULL AS variant)",
    "cast(true AS variant)",
    "cast(1Y AS variant)",
    "cast(-300S AS variant)",
    "cast(70000 AS variant)",
    "cast(-5000000000L AS variant)",
    "cast(1.5F AS variant)",
    "cast(-0.0D AS variant)",
    "cast(double('NaN') AS variant)",
    "cast(1.10 AS variant)",
    "cast(cast('123456789012.345' AS decimal(18, 3)) AS variant)",
    "cast(cast('-12345678901234567890.1234567890' AS decimal(38, 10)) AS variant)",
    "cast(DATE'1582-10-01' AS variant)",
    "cast(TIMESTAMP'2024-02-29 12:34:56.789012' AS variant)",
    "cast(TIMESTAMP_NTZ'1899-12-31 23:59:59.999999' AS variant)",
    "cast(X'00ff10' AS variant)",
    "cast('' AS variant)",
    "cast('日本語 🎉' AS variant)",
    "cast(repeat('long ', 100) AS variant)",
    "parse_json('[]')",
    "parse_json('{}')",
    """parse_json('[1, "a", null, [true, {}], {"b": [], "a": 1.25}]')""",
    """parse_json('{"id": 1, "name": "n", "tags": ["x", "y"], "at": {"lat": 1.5, "lon": -2}}')""",
    """parse_json('{"id": "not a number", "tags": "not a list", "at": null, "more": {"": 1}}')""",
    """parse_json('{"id": 3, "tags": ["x", 1, null, {"deep": [[[]]]}], "at": {"lat": "1"}}')""",
    """parse_json('{"id": null, "name": null, "tags": null, "at": {}}')""",
    "to_variant_object(named_struct('id', 4L, 'name', X'01', 'tags', array(1.5F, 2F), "
    "'at', named_struct('lat', DATE'2024-01-01', 'lon', TIMESTAMP'2024-01-01 00:00:00')))",
]
GIVEN = "id bigint, name string, tags array<string>, at struct<lat double, lon double>"


@pytest.fixture(scope="module")
def values(spark: SparkSession) -> DataFrame:
    """Make rows of Variants."""
    selects = [f"SELECT {i} AS id, {value} AS v" for i, value in enumerate(VALUES)]
    return spark.sql(" UNION ALL ".join(selects)).repartition(1)


SHREDDINGS = [
    "infer",
    "none",
    GIVEN,
    "tags variant, id decimal(10,1)",
    "string",
    "double",
    "array<variant>",
    "array<struct<b array<int>, a decimal(5,2)>>",
    "timestamp",
    "binary",
    "decimal(38,10)",
]


@pytest.mark.parametrize("text", SHREDDINGS)
def test_variants_of_all_types(
    spark: SparkSession, tmp_path: Path, values: DataFrame, text: str
) -> None:
    shredding: Any = text if text in ("infer", "none") else {"v": text}
    write_variant(values, tmp_path / "t", shredding=shredding)
    again = read_variant(spark, tmp_path / "t")
    assert types(again) == types(values)
    expected = trees(values)
    assert trees(again) == expected
    assert trees(spark.read.parquet(str(tmp_path / "t"))) == expected


# {v} is the Variant of the row.
COLUMNS = {
    "v": "v",
    "s": "named_struct('n', id, 'v', v)",
    "deep": "named_struct('a', named_struct('v', v, 'n', id), 'b', array(v))",
    "l": "array(v, NULL, parse_json('{\"id\": 7}'))",
    "m": "map('k', v, 'null', NULL)",
    "ls": "array(named_struct('n', id, 'v', v), NULL)",
    "mls": "map(id, array(named_struct('v', v)))",
}
GIVEN_COLUMNS = {
    "v": GIVEN,
    "s.v": GIVEN,
    "deep.a.v": "id bigint",
    "deep.b.element": GIVEN,
    "l.element": GIVEN,
    "m.value": GIVEN,
    "ls.element.v": GIVEN,
    "mls.value.element.v": GIVEN,
}


@pytest.fixture(scope="module")
def variants(values: DataFrame) -> DataFrame:
    """Put the Variants in every kind of column, NULL in every fifth row."""
    columns = [
        sql if name == "v" else f"if(id % 5 = 4, NULL, {sql}) AS {name}"
        for name, sql in COLUMNS.items()
    ]
    return values.selectExpr("id", *columns)


def plain(value: Any) -> Any:  # noqa: ANN401
    """Give a value of a row with its Variants decoded."""
    if isinstance(value, VariantVal):
        return tree(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def plain_rows(data: DataFrame) -> list[Any]:
    return [plain(row) for row in sorted(data.collect(), key=itemgetter("id"))]


@pytest.mark.parametrize(
    "shredding", ["infer", "none", GIVEN_COLUMNS], ids=["infer", "none", "given"]
)
def test_variants_in_all_columns(
    spark: SparkSession,
    tmp_path: Path,
    variants: DataFrame,
    shredding: Any,  # noqa: ANN401
) -> None:
    write_variant(variants, tmp_path / "t", shredding=shredding)
    again = read_variant(spark, tmp_path / "t")
    assert types(again) == types(variants)
    expected = plain_rows(variants)
    assert plain_rows(again) == expected
    assert plain_rows(spark.read.parquet(str(tmp_path / "t"))) == expected


def test_a_column_by_itself(spark: SparkSession, tmp_path: Path, variants: DataFrame) -> None:
    write_variant(variants, tmp_path / "t", shredding=GIVEN_COLUMNS)
    for path in ("s.v", "deep.a.v", "ls.v", "l[0]", "m['k']"):
        ours = read_variant(spark, tmp_path / "t").selectExpr("id", f"{path} AS x")
        assert plain_rows(ours) == plain_rows(variants.selectExpr("id", f"{path} AS x")), path


def test_files_of_spark(spark: SparkSession, tmp_path: Path, variants: DataFrame) -> None:
    spark.conf.set("spark.sql.variant.writeShredding.enabled", "true")
    spark.conf.set("spark.sql.variant.forceShreddingSchemaForTest", GIVEN)
    try:
        # Spark's own writer fails on some of the other columns when it shreds.
        variants.select("id", "v", "s").write.parquet(str(tmp_path / "t"))
    finally:
        spark.conf.unset("spark.sql.variant.writeShredding.enabled")
        spark.conf.unset("spark.sql.variant.forceShreddingSchemaForTest")
    again = read_variant(spark, tmp_path / "t")
    assert plain_rows(again) == plain_rows(spark.read.parquet(str(tmp_path / "t")))


def test_files_of_one_table_shredded_differently(
    spark: SparkSession, tmp_path: Path, values: DataFrame
) -> None:
    expected: list[Any] = []
    for text in ("id bigint", "id string, name string", "string", "tags array<variant>"):
        write_variant(values, tmp_path / "t", shredding={"v": text}, mode="append")
    write_variant(values, tmp_path / "t", shredding="none", mode="append")
    expected = [value for value in trees(values) for _ in range(5)]
    assert trees(read_variant(spark, tmp_path / "t")) == expected


def test_extractions_are_sparks(spark: SparkSession, tmp_path: Path, values: DataFrame) -> None:
    write_variant(values, tmp_path / "t", shredding={"v": GIVEN})
    for expression in (
        "try_variant_get(v, '$.id', 'bigint')",
        "try_variant_get(v, '$.at.lat', 'double')",
        "variant_get(v, '$.tags', 'string')",
        "v:tags[0]::string",
        "schema_of_variant(v)",
        "is_variant_null(v)",
        "to_json(v)",
    ):
        ours = read_variant(spark, tmp_path / "t").selectExpr("id", expression)
        assert plain_rows(ours) == plain_rows(values.selectExpr("id", expression)), expression


def test_the_plain_calls_of_spark(spark: SparkSession, tmp_path: Path, values: DataFrame) -> None:
    path = str(tmp_path / "t")
    values.write.format(FORMAT).option("shredding", '{"v": "id int"}').save(path)
    assert trees(spark.read.format(FORMAT).load(path)) == trees(values)


def test_odd_names_of_columns(spark: SparkSession, tmp_path: Path, values: DataFrame) -> None:
    odd = values.selectExpr("id", "v AS `a.b`", "named_struct('x y', v, 'ü`', id) AS `value`")
    shredding = {"`a.b`": GIVEN, "value.`x y`": "id bigint"}
    write_variant(odd, tmp_path / "t", shredding=shredding)
    assert plain_rows(read_variant(spark, tmp_path / "t")) == plain_rows(odd)
    assert plain_rows(spark.read.parquet(str(tmp_path / "t"))) == plain_rows(odd)


def test_names_in_another_case(spark: SparkSession, tmp_path: Path, values: DataFrame) -> None:
    write_variant(values, tmp_path / "t", shredding={"V": GIVEN})
    read = read_variant(spark, tmp_path / "t", schema="ID int, V variant")
    assert read.columns == ["ID", "V"]
    assert trees(read) == trees(values)
