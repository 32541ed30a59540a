"""Loading paths: which files are taken, which schema they have, what of them is read."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from demo.queries import scan_metrics
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import LongType, StructField, StructType, VariantType
from support import FORMAT, data_files
from variant_shredded import read_variant, write_variant


@pytest.fixture(scope="module")
def written(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the ids 1, 2 and 3 to one file each: a/1.parquet, a/x2.parquet, b/3.parquet."""
    directory = tmp_path_factory.mktemp("load")
    for number, name in ((1, "a/1.parquet"), (2, "a/x2.parquet"), (3, "b/3.parquet")):
        one = spark.sql(f"SELECT {number}L AS id, parse_json('{{\"n\": {number}}}') AS v")
        write_variant(one.coalesce(1), directory / "work", mode="overwrite")
        (file,) = data_files(directory / "work")
        target = directory / "three" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(file, target)
        os.utime(target, (1_700_000_000 + number * 86400,) * 2)
    return directory / "three"


@pytest.fixture
def three(written: Path, tmp_path: Path) -> Path:
    """Give a copy of the three files, with their times."""
    return Path(shutil.copytree(written, tmp_path / "three"))


def ids(data: DataFrame) -> list[int]:
    found = data.selectExpr("id", "v:n::bigint AS n").collect()
    assert all(row.id == row.n for row in found)
    return sorted(row.id for row in found)


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["a"], [1, 2]),
        (["a/1.parquet"], [1]),
        (["a", "b/3.parquet"], [1, 2, 3]),
        (["*"], [1, 2, 3]),
        (["*/*.parquet"], [1, 2, 3]),
        (["a/x*"], [2]),
        (["{a,b}/[13].parquet"], [1, 3]),
    ],
)
def test_paths_and_globs(
    spark: SparkSession, three: Path, paths: list[str], expected: list[int]
) -> None:
    assert ids(read_variant(spark, *[three / path for path in paths])) == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"recursiveFileLookup": True}, [1, 2, 3]),
        ({"recursiveFileLookup": True, "pathGlobFilter": "x*"}, [2]),
        ({"recursiveFileLookup": True, "modifiedAfter": "2023-11-16T00:00:00"}, [2, 3]),
        ({"recursiveFileLookup": True, "modifiedBefore": "2023-11-16T00:00:00"}, [1]),
    ],
)
def test_options_of_listing(
    spark: SparkSession, three: Path, options: dict[str, Any], expected: list[int]
) -> None:
    assert ids(read_variant(spark, three, **options)) == expected


def test_hidden_files_are_not_read(spark: SparkSession, three: Path) -> None:
    (three / "a" / "_temporary" / "0").mkdir(parents=True)
    for name in ("_temporary/0/part.parquet", "_x.parquet", ".x.parquet"):
        (three / "a" / name).write_bytes(b"half a file")
    assert ids(read_variant(spark, three / "a")) == [1, 2]


def test_a_missing_path_is_refused_at_once(spark: SparkSession, tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path / "none" / "*.parquet"):
        with pytest.raises(AnalysisException) as caught:
            _ = read_variant(spark, path).schema
        assert caught.value.getCondition() == "PATH_NOT_FOUND"
        assert str(path) in str(caught.value)


def test_a_directory_without_files(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(AnalysisException) as caught:
        _ = read_variant(spark, tmp_path).schema
    assert "UNABLE_TO_INFER_SCHEMA" in str(caught.value)
    assert read_variant(spark, tmp_path, schema="v variant").collect() == []


def test_no_path(spark: SparkSession) -> None:
    with pytest.raises(PySparkException) as caught:
        _ = spark.read.format(FORMAT).load().schema
    assert "Option 'path' is '', expected the path of a file or directory." in str(caught.value)


def test_a_schema_of_the_user(spark: SparkSession, three: Path) -> None:
    as_type = StructType([StructField("v", VariantType()), StructField("id", LongType())])
    for schema in ("v variant, id bigint", as_type):
        read = read_variant(spark, three / "a", schema=schema)
        assert read.schema == as_type
        assert ids(read) == [1, 2]


def test_spark_schema_call(spark: SparkSession, three: Path) -> None:
    read = (
        spark.read.format(FORMAT)
        .schema("id bigint, v variant, extra string")
        .load(str(three / "a"))
    )
    assert read.columns == ["id", "v", "extra"]
    assert ids(read) == [1, 2]
    assert {row.extra for row in read.collect()} == {None}


def test_a_column_of_the_user_that_the_files_lack(spark: SparkSession, three: Path) -> None:
    read = read_variant(spark, three / "a", schema="w variant, s struct<x: variant>, id bigint")
    assert sorted(map(tuple, read.collect())) == [(None, None, 1), (None, None, 2)]


def test_a_type_of_the_user_that_the_files_contradict(spark: SparkSession, three: Path) -> None:
    with pytest.raises(Exception, match=r"DATA_TYPE_MISMATCH.*\.parquet"):
        read_variant(spark, three / "a", schema="id string").collect()
    with pytest.raises(PySparkException, match=r"\.parquet.*column=id"):
        read_variant(spark, three / "a", schema="id variant").collect()


def test_ddl_that_cannot_be_parsed(spark: SparkSession, three: Path) -> None:
    with pytest.raises(PySparkException, match="PARSE_SYNTAX_ERROR"):
        _ = read_variant(spark, three / "a", schema="id bigint,").schema


def test_merging_schemas(spark: SparkSession, tmp_path: Path) -> None:
    write_variant(spark.sql("SELECT 1L AS id"), tmp_path / "t" / "k=1")
    write_variant(spark.sql("SELECT 2L AS id, parse_json('2') AS v"), tmp_path / "t" / "k=2")
    read = read_variant(spark, tmp_path / "t", mergeSchema=True)
    assert [field.name for field in read.schema] == ["id", "v", "k"]
    found = read.selectExpr("id", "v::int AS v", "k").orderBy("id").collect()
    assert [tuple(row) for row in found] == [(1, None, 1), (2, 2, 2)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("validation", "lenient"),
        ("maxDepth", "0"),
        ("maxDepth", "many"),
        ("mergeSchema", "maybe"),
        ("ignoreCorruptFiles", "1"),
    ],
)
def test_a_value_that_an_option_cannot_have(
    spark: SparkSession, three: Path, name: str, value: str
) -> None:
    with pytest.raises(PySparkException) as caught:
        spark.read.format(FORMAT).option(name, value).load(str(three / "a")).collect()
    message = f"[INVALID_VARIANT_SHREDDED_OPTION] Option '{name}' is '{value}', expected "
    assert message in str(caught.value)


def test_missing_files(spark: SparkSession, three: Path) -> None:
    read = read_variant(spark, three / "a", ignoreMissingFiles=True)
    strict = read_variant(spark, three / "a")
    (three / "a" / "1.parquet").unlink()
    assert ids(read) == [2]
    with pytest.raises(Exception, match=r"1\.parquet") as caught:
        ids(strict)
    assert "FILE_NOT_EXIST" in str(caught.value)


def test_corrupt_files(spark: SparkSession, three: Path) -> None:
    whole = (three / "a" / "1.parquet").read_bytes()
    (three / "a" / "1.parquet").write_bytes(whole[: len(whole) // 2])
    read = read_variant(spark, three / "a", schema="id bigint, v variant")
    with pytest.raises(PySparkException) as caught:
        ids(read)
    assert "CORRUPT_PARQUET_FILE" in str(caught.value)
    assert "1.parquet" in str(caught.value)
    ignoring = read_variant(
        spark, three / "a", schema="id bigint, v variant", ignoreCorruptFiles=True
    )
    assert ids(ignoring) == [2]


def test_input_files_and_metadata(spark: SparkSession, three: Path) -> None:
    read = read_variant(spark, three / "a")
    assert sorted(Path(file).name for file in read.inputFiles()) == ["1.parquet", "x2.parquet"]
    names = read.selectExpr("input_file_name() AS name").collect()
    assert sorted(Path(row.name).name for row in names) == ["1.parquet", "x2.parquet"]


def test_counting_reads_no_column(spark: SparkSession, three: Path) -> None:
    counted = read_variant(spark, three / "*").selectExpr("count(*) AS n")
    assert counted.collect()[0].n == 3
    metrics = scan_metrics(counted)
    assert metrics["rowGroupsRead"] == 3
    assert metrics["leafChunksRead"] == metrics["leafBytesRead"] == 0
    assert metrics["variantsRebuilt"] == 0


def test_only_the_columns_asked_for_are_read(spark: SparkSession, three: Path) -> None:
    read = read_variant(spark, three / "*").select("id")
    assert len(read.collect()) == 3
    metrics = scan_metrics(read)
    assert metrics["leafChunksRead"] == 3
    assert metrics["variantsRebuilt"] == 0


def test_metrics_of_variants(spark: SparkSession, three: Path) -> None:
    read = read_variant(spark, three / "*").select("v")
    assert len(read.collect()) == 3
    metrics = scan_metrics(read)
    assert metrics["variantsRebuilt"] == 3
    assert metrics["residualValuesRead"] == 0
    assert metrics["leafBytesRead"] > 0


def test_odd_names_of_paths(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "a b" / "100%20=ü,#+"
    for mode in ("errorifexists", "append", "overwrite", "append"):
        write_variant(spark.sql("SELECT 1 AS p, parse_json('7') AS v"), path, mode=mode)
    assert read_variant(spark, path).selectExpr("sum(v::int)").collect()[0][0] == 14
