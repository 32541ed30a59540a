"""Saving to paths: modes, partitions, sizes of files, options of Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pyarrow.parquet
import pytest
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import udf
from support import FORMAT, data_files
from variant_shredded import read_variant, write_variant


def numbers(spark: SparkSession, *ids: int) -> DataFrame:
    return spark.createDataFrame([(i,) for i in ids], "id bigint").selectExpr(
        "id", "parse_json(concat('{\"a\":', id, '}')) AS v", "concat('d', id % 3) AS day"
    )


def ids(spark: SparkSession, path: Path) -> list[int]:
    found = read_variant(spark, path).selectExpr("id", "v:a::bigint AS a").collect()
    assert [row.id for row in found] == [row.a for row in found]
    return sorted(row.id for row in found)


@pytest.mark.parametrize("mode", ["errorifexists", "error", "ignore", "append", "overwrite"])
def test_modes_on_a_new_path(
    spark: SparkSession,
    tmp_path: Path,
    mode: Literal["errorifexists", "error", "ignore", "append", "overwrite"],
) -> None:
    write_variant(numbers(spark, 1, 2), tmp_path / "t", mode=mode)
    assert ids(spark, tmp_path / "t") == [1, 2]
    assert (tmp_path / "t" / "_SUCCESS").exists()


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("ignore", [1, 2]), ("append", [1, 2, 3]), ("overwrite", [3])],
)
def test_modes_on_an_existing_path(
    spark: SparkSession,
    tmp_path: Path,
    mode: Literal["ignore", "append", "overwrite"],
    expected: list[int],
) -> None:
    write_variant(numbers(spark, 1, 2), tmp_path / "t")
    write_variant(numbers(spark, 3), tmp_path / "t", mode=mode)
    assert ids(spark, tmp_path / "t") == expected


def test_timestamps_of_partitions_are_read_in_the_time_zone_that_wrote_them(
    spark: SparkSession, tmp_path: Path
) -> None:
    # The time zone of the session is UTC.
    rows = spark.sql("SELECT 1 AS id, TIMESTAMP '2026-01-31 08:00:00' AS ts")
    write_variant(rows, tmp_path / "t", partition_by="ts", time_zone="Asia/Tokyo")
    (directory,) = (tmp_path / "t").glob("ts=*")
    assert directory.name == "ts=2026-01-31 17%3A00%3A00"
    read = read_variant(spark, tmp_path / "t", time_zone="Asia/Tokyo")
    assert read.select("id", "ts").collect() == rows.collect()
    assert read_variant(spark, tmp_path / "t").select("id", "ts").collect() != rows.collect()
    with pytest.raises(PySparkException, match="Option 'timeZone' is 'Tokio'"):
        read_variant(spark, tmp_path / "t", time_zone="Tokio")


def test_the_default_mode_on_an_existing_path(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    numbers(spark, 1).write.format(FORMAT).save(path)
    for writer in (
        numbers(spark, 2).write.format(FORMAT),
        numbers(spark, 2).write.format(FORMAT).mode("errorifexists"),
    ):
        with pytest.raises(AnalysisException) as caught:
            writer.save(path)
        assert caught.value.getCondition() == "PATH_ALREADY_EXISTS"
    assert ids(spark, tmp_path / "t") == [1]


def test_an_empty_directory_exists(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(AnalysisException, match="PATH_ALREADY_EXISTS"):
        write_variant(numbers(spark, 1), tmp_path)


def test_the_path_as_an_option(spark: SparkSession, tmp_path: Path) -> None:
    numbers(spark, 1).write.format(FORMAT).option("path", str(tmp_path / "t")).save()
    assert ids(spark, tmp_path / "t") == [1]
    assert spark.read.format(FORMAT).option("path", str(tmp_path / "t")).load().count() == 1


def test_no_path(spark: SparkSession) -> None:
    with pytest.raises(PySparkException, match="path"):
        numbers(spark, 1).write.format(FORMAT).save()


def test_partitions(spark: SparkSession, tmp_path: Path) -> None:
    data = numbers(spark, *range(9))
    write_variant(data, tmp_path / "t", partition_by=["day"])
    found = {file.parent.name for file in data_files(tmp_path / "t")}
    assert found == {"day=d0", "day=d1", "day=d2"}
    read = read_variant(spark, tmp_path / "t")
    assert read.columns == ["id", "v", "day"]
    assert sorted(map(repr, read.select("id", "day").collect())) == sorted(
        map(repr, data.select("id", "day").collect())
    )


@pytest.mark.parametrize("name", ["the day", "a.b", "back`tick", "日"])
def test_odd_names_of_partitions(spark: SparkSession, tmp_path: Path, name: str) -> None:
    data = numbers(spark, *range(3)).withColumnRenamed("day", name)
    for mode in ("errorifexists", "append", "overwrite"):
        write_variant(data, tmp_path / "t", partition_by=[name], mode=mode)
    assert {file.parent.name for file in data_files(tmp_path / "t")} == {
        f"{name}=d{i}" for i in range(3)
    }
    read = read_variant(spark, tmp_path / "t")
    assert read.columns == ["id", "v", name]
    assert sorted((row["id"], row[name]) for row in read.collect()) == [
        (i, f"d{i}") for i in range(3)
    ]


def test_types_and_odd_values_of_partitions(spark: SparkSession, tmp_path: Path) -> None:
    data = spark.sql(
        """SELECT * FROM VALUES
           (1, DATE'2024-02-29', 'a/b=c d%', true), (2, NULL, NULL, false), (3, NULL, '', NULL)
           AS t(id, day, name, flag)"""
    ).selectExpr("id", "cast(id AS variant) AS v", "day", "name", "flag")
    columns = ["day", "name", "flag"]
    write_variant(data, tmp_path / "ours", partition_by=columns)
    data.write.partitionBy(columns).parquet(str(tmp_path / "theirs"))
    ours, theirs = (
        read_variant(spark, tmp_path / "ours").drop("v"),
        spark.read.parquet(str(tmp_path / "theirs")).drop("v"),
    )
    assert ours.schema == theirs.schema
    assert ours.orderBy("id").collect() == theirs.orderBy("id").collect()

    def partitions(root: Path) -> set[Path]:
        return {file.parent.relative_to(root) for file in data_files(root)}

    assert partitions(tmp_path / "ours") == partitions(tmp_path / "theirs")


def test_partitions_are_pruned(spark: SparkSession, tmp_path: Path) -> None:
    write_variant(numbers(spark, *range(9)), tmp_path / "t", partition_by="day")
    query = read_variant(spark, tmp_path / "t").where("day = 'd1' AND id > 2")
    plan = query._jdf.queryExecution().executedPlan().toString()
    assert "PartitionFilters: [isnotnull(day" in plan
    for file in (tmp_path / "t" / "day=d0").glob("*.parquet"):
        file.write_bytes(b"PAR1 of which nothing must be read")
    assert sorted(row.id for row in query.collect()) == [4, 7]


def test_appending_takes_the_partitions_of_the_directory(
    spark: SparkSession, tmp_path: Path
) -> None:
    write_variant(numbers(spark, 0, 1), tmp_path / "t", partition_by="day")
    write_variant(numbers(spark, 2, 3), tmp_path / "t", partition_by="day", mode="append")
    assert ids(spark, tmp_path / "t") == [0, 1, 2, 3]
    with pytest.raises(PySparkException, match="PARTITIONING_MISMATCH"):
        write_variant(numbers(spark, 4), tmp_path / "t", partition_by="id", mode="append")
    assert ids(spark, tmp_path / "t") == [0, 1, 2, 3]


def test_a_static_overwrite_replaces_all_partitions(spark: SparkSession, tmp_path: Path) -> None:
    write_variant(numbers(spark, *range(6)), tmp_path / "t", partition_by="day")
    write_variant(numbers(spark, 7), tmp_path / "t", partition_by="day", mode="overwrite")
    assert ids(spark, tmp_path / "t") == [7]
    assert {file.parent.name for file in data_files(tmp_path / "t")} == {"day=d1"}


@pytest.mark.parametrize("by", ["option", "session"])
def test_a_dynamic_overwrite_replaces_the_partitions_that_get_rows(
    spark: SparkSession, tmp_path: Path, by: str
) -> None:
    write_variant(numbers(spark, *range(6)), tmp_path / "t", partition_by="day")
    new = numbers(spark, 7, 10)
    if by == "option":
        write_variant(
            new,
            tmp_path / "t",
            partition_by="day",
            mode="overwrite",
            partitionOverwriteMode="dynamic",
        )
    else:
        spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
        try:
            write_variant(new, tmp_path / "t", partition_by="day", mode="overwrite")
        finally:
            spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
    assert ids(spark, tmp_path / "t") == [0, 2, 3, 5, 7, 10]


def test_overwriting_what_is_read(spark: SparkSession, tmp_path: Path) -> None:
    write_variant(numbers(spark, *range(6)), tmp_path / "t")
    data = read_variant(spark, tmp_path / "t").where("id > 2")
    write_variant(data, tmp_path / "t", mode="overwrite")
    assert ids(spark, tmp_path / "t") == [3, 4, 5]


def test_a_cached_read_sees_what_was_appended(spark: SparkSession, tmp_path: Path) -> None:
    write_variant(numbers(spark, 1), tmp_path / "t")
    cached = read_variant(spark, tmp_path / "t").cache()
    try:
        assert cached.count() == 1
        write_variant(numbers(spark, 2), tmp_path / "t", mode="append")
        assert read_variant(spark, tmp_path / "t").count() == 2
    finally:
        cached.unpersist()


def test_records_per_file(spark: SparkSession, tmp_path: Path) -> None:
    write_variant(numbers(spark, *range(10)).coalesce(1), tmp_path / "t", maxRecordsPerFile=4)
    sizes = [pyarrow.parquet.read_metadata(file).num_rows for file in data_files(tmp_path / "t")]
    assert sorted(sizes) == [2, 4, 4]
    assert ids(spark, tmp_path / "t") == list(range(10))


def codecs(path: Path) -> set[str]:
    group = pyarrow.parquet.read_metadata(data_files(path)[0]).row_group(0)
    return {group.column(i).compression for i in range(group.num_columns)}


@pytest.mark.parametrize(
    ("options", "codec"),
    [
        ({}, "SNAPPY"),
        ({"compression": "zstd"}, "ZSTD"),
        ({"compression": "none"}, "UNCOMPRESSED"),
        ({"parquet.compression": "gzip"}, "GZIP"),
        ({"compression": "lz4_raw", "parquet.compression": "gzip"}, "LZ4"),
    ],
)
def test_compression(
    spark: SparkSession, tmp_path: Path, options: dict[str, str], codec: str
) -> None:
    numbers(spark, 1, 2).write.format(FORMAT).options(**options).save(str(tmp_path / "t"))
    assert codecs(tmp_path / "t") == {codec}
    assert ids(spark, tmp_path / "t") == [1, 2]


def test_an_unknown_codec(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="shrink"):
        write_variant(numbers(spark, 1), tmp_path / "t", compression="shrink")
    assert not data_files(tmp_path / "t")


@pytest.mark.parametrize("dropped", [False, True])
def test_rows_of_partitions_keep_their_order_after_python_udfs(
    spark: SparkSession, tmp_path: Path, dropped: bool
) -> None:
    label = udf(lambda ts: f"n{ts}", "string")
    # Spark's sort by a number with nulls does not keep the order of rows.
    rows = spark.range(0, 300, numPartitions=1).selectExpr(
        "double(id * 79 % 300) AS ts", "if(id % 5 = 0, NULL, id % 3) AS part"
    )
    named = rows.sortWithinPartitions("ts").withColumn("label", label("ts"))
    if dropped:
        named = named.withColumn("ts", named.ts.cast("string").cast("double"))
    write_variant(named, tmp_path / "t", partition_by="part")
    files = data_files(tmp_path / "t")
    written = [pyarrow.parquet.ParquetFile(file).read().to_pydict() for file in files]
    assert len(written) == 4
    assert sum(len(columns["ts"]) for columns in written) == 300
    for columns in written:
        assert columns["ts"] == sorted(columns["ts"])
        assert columns["label"] == [f"n{ts}" for ts in columns["ts"]]


def test_options_of_parquet(spark: SparkSession, tmp_path: Path) -> None:
    data = spark.range(0, 20000, numPartitions=1).selectExpr("id", "cast(id AS variant) AS v")
    options: Any = {
        "parquet.block.size": 65536,
        "parquet.enable.dictionary": False,
        "parquet.bloom.filter.enabled#id": True,
    }
    write_variant(data, tmp_path / "t", **options)
    metadata = pyarrow.parquet.read_metadata(data_files(tmp_path / "t")[0])
    assert metadata.num_row_groups > 1
    encodings = metadata.row_group(0).column(0).encodings
    assert not [name for name in encodings if "DICTIONARY" in name]
    assert read_variant(spark, tmp_path / "t").where("v::bigint = id").count() == 20000


def test_many_splits(spark: SparkSession, tmp_path: Path) -> None:
    data = spark.range(0, 20000, numPartitions=1).selectExpr("id", "cast(id AS variant) AS v")
    options: Any = {"parquet.block.size": 65536}
    write_variant(data, tmp_path / "t", **options)
    spark.conf.set("spark.sql.files.maxPartitionBytes", "40000")
    try:
        read = read_variant(spark, tmp_path / "t")
        assert read.rdd.getNumPartitions() > 2
        summed = read.selectExpr("count(*)", "sum(v::bigint)", "sum(id)").collect()
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")
    assert tuple(summed[0]) == (20000, 199990000, 199990000)
