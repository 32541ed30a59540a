"""``write_variant(json=...)``: JSON text that is written as a Variant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from support import once, run_script
from variant_shredded import InvalidOptionError, read_variant, write_variant
from variant_shredded._json import parse_json_column

GOOD = ['{"a": 1, "b": [true]}', None, "null", ' "text" ', "12.50", '{"a": {"c": "ä"}}']
#: As deep as Spark's parser goes.
DEEPEST = "[" * 1000 + "]" * 1000
#: Texts whose first value alone is what Spark's parser reads.
LONGER = [
    '{"id": 1}{"id": 2}',
    '{"id": 1}\n{"id": 2}',
    '{"id": 1} garbage',
    '{"id": 1},',
    '{"a": 1}, {"b": 2}',
    "1 2",
    '"a" "b"',
    "null,",
    "[1,2]]",
    '{"a": 1}}',
    '{"a": 1}\ufeff',
    '{"a": 1}\u00a0',
    '{"a": 1}' + " " * 10_000 + "x",
    DEEPEST + "]",
    DEEPEST + " {}",
]
#: Texts that would close the array that the check for the end puts around them, or add to it.
CLOSING = ["1, 2", "1]", '1], "x"]', '{"a": 1}] []', "]", "1,"]
BAD = ['{"a": 1', "", "{'a': 1}", '{"a": 1, "a": 2}', "nul", '"\\ud83d"']
#: Escapes of unpaired surrogates, in values and names.
UNPAIRED: list[str | None] = [
    '{"a": "\\ud83d"}',
    '{"\\uD83D": 1}',
    '["\\ude00"]',
    '"\\ude00\\ud83d"',
    '"\\ud83d\\ude00\\ude00"',
    '"\\ud83d\\u0041"',
    '"\\\\\\ud83d"',
    '"\\\\ud83d\\ude00"',
]


def texts(spark: SparkSession, values: list[str | None]) -> DataFrame:
    return spark.createDataFrame(list(enumerate(values)), "n int, line string")


def written(df: DataFrame, column: str) -> list[tuple[object, ...]]:
    """Give number, is-NULL and JSON of each row."""
    rows = df.selectExpr("n", f"{column} IS NULL", f"to_json({column})").orderBy("n")
    return [tuple(row) for row in rows.collect()]


def test_text_becomes_a_variant(spark: SparkSession, tmp_path: Path) -> None:
    write_variant(texts(spark, GOOD), tmp_path / "t", json="line")
    back = read_variant(spark, tmp_path / "t")
    assert back.schema.simpleString() == "struct<n:int,line:variant>"
    expected = ['{"a":1,"b":[true]}', None, "null", '"text"', "12.5", '{"a":{"c":"ä"}}']
    assert written(back, "line") == [(n, text is None, text) for n, text in enumerate(expected)]


def test_the_same_as_parse_json(spark: SparkSession, tmp_path: Path) -> None:
    df = texts(spark, GOOD)
    write_variant(df, tmp_path / "t", json="line", shredding={"line": "a bigint"})
    parsed = df.selectExpr("n", "parse_json(line) AS line")
    assert written(read_variant(spark, tmp_path / "t"), "line") == written(parsed, "line")


def test_the_variant_has_the_name_given(spark: SparkSession, tmp_path: Path) -> None:
    df = texts(spark, GOOD).selectExpr("n", "line AS `a line.of`")
    write_variant(
        df,
        tmp_path / "t",
        json="A Line.Of",
        json_as="v",
        shredding={"v": "a bigint"},
        mode="append",
    )
    assert read_variant(spark, tmp_path / "t").columns == ["n", "v"]
    parquet = spark.read.parquet(str(tmp_path / "t"))
    assert parquet.where("try_variant_get(v, '$.a', 'int') = 1").count() == 1


def test_columns_that_differ_only_in_case(spark: SparkSession, tmp_path: Path) -> None:
    df = spark.createDataFrame([(1, "[1]", "a")], "n int, line string, LINE string")
    with pytest.raises(InvalidOptionError, match="json_as: there is a column 'line' already"):
        write_variant(df, tmp_path / "t", json="line")
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        write_variant(df, tmp_path / "t", json="line", malformed="keep", malformed_column="Line")
        back = read_variant(spark, tmp_path / "t")
        assert back.columns == ["n", "line", "LINE", "Line"]
        assert back.selectExpr("to_json(line)", "LINE", "Line").head() == ("[1]", "a", None)
        with pytest.raises(InvalidOptionError, match="json_as: there is a column 'LINE' already"):
            write_variant(df, tmp_path / "u", json="line", json_as="LINE")
        with pytest.raises(InvalidOptionError, match="json: there is no column 'lINE'"):
            write_variant(df, tmp_path / "u", json="lINE")
    finally:
        spark.conf.unset("spark.sql.caseSensitive")


def test_a_name_that_needs_quotes_stays(spark: SparkSession, tmp_path: Path) -> None:
    df = texts(spark, GOOD).selectExpr("line AS `li.ne``s`", "n")
    write_variant(df, tmp_path / "t", json="li.ne`s", malformed="keep")
    assert read_variant(spark, tmp_path / "t").columns == ["li.ne`s", "n", "_corrupt_record"]


@pytest.mark.parametrize("bad", BAD)
def test_malformed_text_fails(spark: SparkSession, tmp_path: Path, bad: str) -> None:
    with pytest.raises(PySparkException) as caught:
        # One task: another could still write when the job has been given up.
        write_variant(texts(spark, [*GOOD, bad]).coalesce(1), tmp_path / "t", json="line")
    message = str(caught.value)
    assert f"The column 'line' has a text that is not JSON: '{bad}' ({len(bad)} char" in message
    assert 'malformed="null"' in message
    assert 'malformed="keep"' in message
    assert not (tmp_path / "t").exists()


def test_the_error_shows_a_part_of_long_text(spark: SparkSession, tmp_path: Path) -> None:
    text = "x" * 100_000
    with pytest.raises(PySparkException) as caught:
        write_variant(texts(spark, [text]), tmp_path / "t", json="line", malformed="fail")
    message = str(caught.value)
    assert "'" + "x" * 200 + "'... (100000 characters)" in message
    assert "x" * 201 not in message


def test_malformed_text_as_null(spark: SparkSession, tmp_path: Path) -> None:
    df = texts(spark, [*BAD, *GOOD])
    write_variant(df, tmp_path / "t", json="line", malformed="null")
    back = read_variant(spark, tmp_path / "t")
    assert back.columns == ["n", "line"]
    nulls = [is_null for _, is_null, _ in written(back, "line")]
    assert nulls == [True] * len(BAD) + [text is None for text in GOOD]


@pytest.mark.parametrize("malformed", ["fail", "null", "keep"])
def test_text_after_the_first_value_is_malformed(
    spark: SparkSession, tmp_path: Path, malformed: Literal["fail", "null", "keep"]
) -> None:
    bad = [*LONGER, *CLOSING]
    if malformed == "fail":
        for text in ['{"id": 1}{"id": 2}', "[1,2]]", '1], "x"]', DEEPEST + "]"]:
            with pytest.raises(PySparkException, match="has a text that is not JSON"):
                write_variant(texts(spark, [text]).coalesce(1), tmp_path / "t", json="line")
        return
    write_variant(texts(spark, [*bad, *GOOD]), tmp_path / "t", json="line", malformed=malformed)
    back = read_variant(spark, tmp_path / "t")
    nulls = [is_null for _, is_null, _ in written(back, "line")]
    assert nulls == [True] * len(bad) + [text is None for text in GOOD]
    if malformed == "keep":
        kept = [row[0] for row in back.orderBy("n").select("_corrupt_record").collect()]
        assert kept == bad + [None] * len(GOOD)


def test_white_space_around_the_value_and_depth_are_not(
    spark: SparkSession, tmp_path: Path
) -> None:
    long = json.dumps({"]": list(range(100_000))})
    values: list[str | None] = [
        " \t\r\n1 \t\r\n",
        '{"a": "}{"}' + "\n" * 10_000,
        '"]"',
        '","',
        long,
    ]
    write_variant(texts(spark, values), tmp_path / "t", json="line")
    expected = ["1", '{"a":"}{"}', '"]"', '","', long.replace(" ", "")]
    back = written(read_variant(spark, tmp_path / "t"), "line")
    assert back == [(n, False, text) for n, text in enumerate(expected)]


def test_an_unpaired_surrogate_is_malformed(spark: SparkSession) -> None:
    parsed = parse_json_column(texts(spark, UNPAIRED), "line", malformed="keep")
    kept = parsed.where("line IS NULL").orderBy("n").select("_corrupt_record")
    assert [row[0] for row in kept.collect()] == UNPAIRED


def test_escapes_of_whole_characters_are_not(spark: SparkSession) -> None:
    whole: list[str | None] = [
        '"\\ud83d\\uDE00"',
        '"\\\\ud83d"',
        '"\\u00e4\\ud7ff"',
        '"\\n\\\\\\\\ude00"',
    ]
    whole.append(json.dumps("\U0001f600" * 100_000))
    parsed = parse_json_column(texts(spark, whole), "line", malformed="fail")
    found = [row[0] for row in parsed.orderBy("n").selectExpr("line::string").collect()]
    assert found == [json.loads(text) for text in whole if text]


def test_a_value_as_deep_as_the_parser_goes(spark: SparkSession) -> None:
    deep: list[str | None] = ["[" * depth + "]" * depth for depth in (999, 1000)]
    deep += ['{"a":' * depth + "1" + "}" * depth + "\n" for depth in (999, 1000)]
    parsed = parse_json_column(texts(spark, deep), "line", malformed="fail")
    assert parsed.where("line IS NULL").count() == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"b": [{"a": 1, "a": 2}]}', "An object in it has a duplicate key."),
        ('{"id": 1}{"id": 2}', "Text follows the first JSON value in it."),
        ('{"a": 1', None),
        ("{'a': 1}", None),
        ('["\\ud800"]', "It has an escape of an unpaired surrogate"),
        ('["\\ud83d\\ude00"', None),
        (f'{{"a": 1, "a": "{"x" * 2_100_000}"}}', "Its Variant would be larger than the limit"),
    ],
)
def test_the_error_says_why(
    spark: SparkSession, tmp_path: Path, text: str, reason: str | None
) -> None:
    with pytest.raises(PySparkException) as caught:
        write_variant(texts(spark, [text]), tmp_path / "t", json="line")
    known = {
        "An object in it has a duplicate key.",
        "Text follows the first JSON value in it.",
        "It has an escape of an unpaired surrogate",
        "Its Variant would be larger than the limit",
    }
    assert {sentence for sentence in known if sentence in str(caught.value)} == {reason} - {None}


@pytest.mark.parametrize("name", [None, "not json"])
def test_malformed_text_is_kept(spark: SparkSession, tmp_path: Path, name: str | None) -> None:
    values = [*BAD, *GOOD]
    write_variant(
        texts(spark, values), tmp_path / "t", json="line", malformed="keep", malformed_column=name
    )
    back = read_variant(spark, tmp_path / "t")
    assert back.columns == ["n", "line", name or "_corrupt_record"]
    kept = [row[0] for row in back.orderBy("n").select(f"`{back.columns[2]}`").collect()]
    assert kept == [text if text in BAD else None for text in values]
    nulls = [is_null for _, is_null, _ in written(back, "line")]
    assert nulls == [text is None or text in BAD for text in values]


@once
def test_text_with_a_collation(spark: SparkSession, tmp_path: Path) -> None:
    texts = spark.createDataFrame([('{"a": "X"}',), ("[1, 2",), (None,)], "line string")
    df = texts.selectExpr("line COLLATE UNICODE_CI AS line")
    with pytest.raises(PySparkException, match="has a text that is not JSON"):
        write_variant(df, tmp_path / "fail", json="line")
    write_variant(
        df, tmp_path / "t", json="line", json_as="v", malformed="keep", malformed_column="bad"
    )
    found = read_variant(spark, tmp_path / "t").selectExpr("v:a::string AS a", "bad").collect()
    assert sorted(map(str, found)) == [
        "Row(a='X', bad=None)",
        "Row(a=None, bad='[1, 2')",
        "Row(a=None, bad=None)",
    ]


def test_a_column_that_is_not_text(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        write_variant(texts(spark, GOOD), tmp_path / "t", json="n")
    assert str(caught.value) == "json: the column 'n' is integer, and a string is needed"
    assert not (tmp_path / "t").exists()
    write_variant(spark.sql("SELECT NULL AS line, 1 AS n"), tmp_path / "t", json="line")
    assert written(read_variant(spark, tmp_path / "t"), "line") == [(1, True, None)]


def test_partitions_and_options_as_ever(spark: SparkSession, tmp_path: Path) -> None:
    df = texts(spark, ['{"a": 1}', '{"a": 2}', "?"])
    write_variant(
        df,
        tmp_path / "t",
        json="line",
        malformed="keep",
        partition_by="n",
        compression="zstd",
        maxShreddedColumns=0,
    )
    assert sorted(p.name for p in (tmp_path / "t").glob("n=*")) == ["n=0", "n=1", "n=2"]
    assert list((tmp_path / "t").rglob("*.zstd.parquet"))
    sums = read_variant(spark, tmp_path / "t").selectExpr(
        "sum(line:a::int)", "max(_corrupt_record)"
    )
    assert tuple(sums.collect()[0]) == (3, "?")


def test_what_cannot_be_meant(spark: SparkSession, tmp_path: Path) -> None:
    df = texts(spark, GOOD)
    path = tmp_path / "t"
    cases: dict[str, dict[str, Any]] = {
        "json: there is no column 'lines'; the columns are n, line": {"json": "lines"},
        "json_as: there is a column 'N' already": {"json": "line", "json_as": "N"},
        'malformed: "fail", "null" or "keep"': {"json": "line", "malformed": "drop"},
        "malformed_column: there is a column 'n' already": {
            "json": "line",
            "malformed": "keep",
            "malformed_column": "n",
        },
        'only malformed="keep"': {"json": "line", "malformed_column": "c"},
        "malformed_column need json": {"malformed": "keep"},
    }
    for match, options in cases.items():
        with pytest.raises(InvalidOptionError, match=match):
            write_variant(df, path, **options)
    assert not path.exists()


CONNECT = """
import json, os, sys
from pyspark.sql import SparkSession
from variant_shredded import read_variant, write_variant

spark = (
    SparkSession.builder.remote("local[1]")
    .config("spark.jars", os.environ["VARIANT_SHREDDED_JAR"])
    .config("spark.ui.enabled", "false")
    .getOrCreate()
)
path = sys.argv[1]
df = spark.createDataFrame([(0, '{"a": 1}'), (1, "?"), (2, None)], "n int, line string")
write_variant(df, path, json="line", json_as="v", malformed="keep", shredding={"v": "a int"})
back = read_variant(spark, path).selectExpr("n", "v:a::int", "_corrupt_record").orderBy("n")
try:
    write_variant(df, path, json="line", mode="overwrite")
except Exception as error:
    message = str(error)
print(json.dumps([[list(row) for row in back.collect()], message]))
"""


@once
def test_over_spark_connect(tmp_path: Path) -> None:
    printed = run_script(CONNECT, str(tmp_path / "t"), SPARK_TESTING="1")
    rows, message = json.loads(printed.strip().splitlines()[-1])
    assert rows == [[0, 1, None], [1, None, "?"], [2, None, None]]
    assert "has a text that is not JSON: '?' (1 characters)" in message
