"""Tables by name: in the session catalog, and paths as names in SQL."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from support import FORMAT, data_files, once, run_script
from variant_shredded import InvalidOptionError, read_variant


def row(number: int, day: str = "x") -> str:
    return f"SELECT {number} AS id, parse_json('{{\"n\": {number}}}') AS v, '{day}' AS day"


def content(spark: SparkSession, table: str) -> list[tuple[int, int, str]]:
    found = spark.sql(f"SELECT id, v:n::int, day FROM {table}").collect()
    return sorted((row[0], row[1], row[2]) for row in found)


def location(spark: SparkSession, table: str) -> Path:
    uri = spark.conf.get("spark.sql.warehouse.dir")
    assert uri is not None
    return Path(unquote(urlparse(uri).path)) / table


def test_create_and_insert(spark: SparkSession, table: str) -> None:
    spark.sql(f"CREATE TABLE {table} (id INT, v VARIANT, day STRING) USING `{FORMAT}`")
    assert content(spark, table) == []
    spark.sql(f"INSERT INTO {table} {row(1)}")
    spark.sql(f"INSERT INTO {table} (day, v, id) VALUES ('y', parse_json('{{\"n\": 2}}'), 2)")
    assert content(spark, table) == [(1, 1, "x"), (2, 2, "y")]
    spark.sql(f"INSERT OVERWRITE {table} {row(3)}")
    assert content(spark, table) == [(3, 3, "x")]
    directory = location(spark, table)
    assert len(data_files(directory)) == 1
    spark.sql(f"DROP TABLE {table}")
    assert not directory.exists()


def test_lookup_without_partitions_is_refused(spark: SparkSession, table: str) -> None:
    spark.sql(f"CREATE TABLE {table} USING `{FORMAT}` PARTITIONED BY (day) AS {row(1)}")
    refused = "RECURSIVE_FILE_LOOKUP|recursiveFileLookup for a table with partition columns"
    with pytest.raises(PySparkException, match=refused) as raised:
        spark.read.option("recursiveFileLookup", True).table(table).collect()
    assert "INTERNAL_ERROR" not in str(raised.value)


def test_readers_of_hidden_names_do_not_see_commit_notes(spark: SparkSession, table: str) -> None:
    """From Spark 4.3 on, a setting says which names are hidden."""
    spark.sql(f"CREATE TABLE {table} USING `{FORMAT}` PARTITIONED BY (day) AS {row(1)}")
    key = "spark.sql.files.ignoredPathSegmentRegex"
    spark.conf.set(key, "^[.]")
    try:
        assert content(spark, table) == [(1, 1, "x")]
        assert read_variant(spark, location(spark, table)).count() == 1
    finally:
        spark.conf.unset(key)


def test_create_as_select(spark: SparkSession, table: str) -> None:
    spark.sql(f"CREATE TABLE {table} USING `{FORMAT}` AS {row(1)} UNION ALL {row(2)}")
    assert content(spark, table) == [(1, 1, "x"), (2, 2, "x")]
    with pytest.raises(PySparkException, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
        spark.sql(f"CREATE TABLE {table} USING `{FORMAT}` AS {row(3)}")
    spark.sql(f"CREATE TABLE IF NOT EXISTS {table} USING `{FORMAT}` AS {row(3)}")
    assert content(spark, table) == [(1, 1, "x"), (2, 2, "x")]


def test_save_as_table(spark: SparkSession, table: str) -> None:
    spark.sql(row(1)).write.format(FORMAT).saveAsTable(table)
    spark.sql(row(2)).write.format(FORMAT).mode("append").saveAsTable(table)
    assert content(spark, table) == [(1, 1, "x"), (2, 2, "x")]
    spark.sql(row(3)).write.insertInto(table)
    with pytest.raises(PySparkException, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
        spark.sql(row(4)).write.format(FORMAT).saveAsTable(table)
    spark.sql(row(5)).write.format(FORMAT).mode("ignore").saveAsTable(table)
    assert [number for number, _, _ in content(spark, table)] == [1, 2, 3]
    spark.sql(row(6)).write.format(FORMAT).mode("overwrite").saveAsTable(table)
    assert content(spark, table) == [(6, 6, "x")]


def test_save_as_table_over_a_table_of_another_format(spark: SparkSession, table: str) -> None:
    old = spark.sql(f"{row(1)} UNION ALL {row(2, 'y')}").selectExpr("id", "to_json(v) AS v", "day")
    old.write.format("parquet").partitionBy("day").saveAsTable(table)
    rows = spark.table(table).selectExpr("id", "parse_json(v) AS v", "day")
    for writer, error in (
        (rows.write.option("shreding", "none"), "did you mean 'shredding'"),
        (rows.write.bucketBy(2, "id"), "Bucketing is not supported"),
        (rows.selectExpr("raise_error('on purpose') AS id").write, "on purpose"),
    ):
        with pytest.raises(PySparkException, match=error):
            writer.format(FORMAT).mode("overwrite").saveAsTable(table)
        assert content(spark, f"(SELECT id, parse_json(v) AS v, day FROM {table})") == [
            (1, 1, "x"),
            (2, 2, "y"),
        ]
    rows.write.format(FORMAT).mode("overwrite").partitionBy("day").saveAsTable(table)
    spark.sql(row(3)).write.format(FORMAT).mode("append").partitionBy("day").saveAsTable(table)
    assert {path.parent.name for path in data_files(location(spark, table))} == {"day=x", "day=y"}
    spark.sql(f"DELETE FROM {table} WHERE day = 'y'")
    assert content(spark, table) == [(1, 1, "x"), (3, 3, "x")]


def test_delete_from_a_view(spark: SparkSession, table: str) -> None:
    spark.sql(f"{row(1)} UNION ALL {row(2, 'y')}").write.format(FORMAT).partitionBy(
        "day"
    ).saveAsTable(table)
    for query in ("SELECT * FROM {} WHERE day = 'x'", "SELECT id AS day, v, day AS id FROM {}"):
        spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW recent AS {query.format(table)}")
        for condition in ("", " WHERE day IS NOT NULL"):
            with pytest.raises(PySparkException, match="DELETE of a view of"):
                spark.sql(f"DELETE FROM recent{condition}")
    spark.sql("DROP VIEW recent")
    assert content(spark, table) == [(1, 1, "x"), (2, 2, "y")]
    spark.sql(f"DELETE FROM {table} AS x WHERE x.day = 'x'")
    assert content(spark, table) == [(2, 2, "y")]


def test_errors_of_inserts_name_the_table(spark: SparkSession, table: str, tmp_path: Path) -> None:
    path = tmp_path / "files"
    spark.sql(f"CREATE TABLE {table} (id INT, v VARIANT, day STRING) USING `{FORMAT}`")
    spark.sql(row(1)).write.format(FORMAT).save(str(path))
    for written, name in (
        (table, f"`spark_catalog`.`default`.`{table}`"),
        (f"variant_shredded.`{path}`", f"`variant_shredded`.`{path}`"),
    ):
        for values, condition in (
            ("1", "INSERT_COLUMN_ARITY_MISMATCH"),
            ("'x', parse_json('1'), 'x'", "INCOMPATIBLE_DATA_FOR_TABLE"),
        ):
            with pytest.raises(PySparkException) as refused:
                spark.sql(f"INSERT INTO {written} SELECT {values}")
            assert condition in str(refused.value)
            assert name in str(refused.value)


def test_insert_into_checks_options_if_the_format_is_named(spark: SparkSession, table: str) -> None:
    spark.sql(row(1)).write.format(FORMAT).saveAsTable(table)
    rows = spark.sql(row(2)).write.option("shreding", "none")
    with pytest.raises(PySparkException, match="'shreding'; did you mean 'shredding'"):
        rows.format(FORMAT).insertInto(table)
    assert content(spark, table) == [(1, 1, "x")]


def test_read_variant_of_a_table(spark: SparkSession, table: str, tmp_path: Path) -> None:
    spark.sql(row(1)).write.format(FORMAT).saveAsTable(table)
    for name in (table, f"default.{table}"):
        read = read_variant(spark, table=name, validation="permissive")
        assert [tuple(found) for found in read.selectExpr("id", "v:n::int").collect()] == [(1, 1)]
    with pytest.raises(PySparkException, match="TABLE_OR_VIEW_NOT_FOUND"):
        read_variant(spark, table=f"{table}_missing").count()
    with pytest.raises(InvalidOptionError):
        read_variant(spark, "a", table=table)
    with pytest.raises(InvalidOptionError):
        read_variant(spark)
    paths = [tmp_path / "a", tmp_path / "b"]
    for number, path in enumerate(paths):
        spark.sql(row(number)).write.format(FORMAT).save(str(path))
    assert read_variant(spark, paths).count() == read_variant(spark, *paths).count() == 2


def test_write_to(spark: SparkSession, table: str) -> None:
    spark.sql(row(1)).writeTo(table).using(FORMAT).create()
    spark.sql(row(2)).writeTo(table).append()
    assert content(spark, table) == [(1, 1, "x"), (2, 2, "x")]


def test_a_partitioned_table(spark: SparkSession, table: str) -> None:
    spark.sql(
        f"CREATE TABLE {table} (id INT, v VARIANT, day STRING) "
        f"USING `{FORMAT}` PARTITIONED BY (day)"
    )
    spark.sql(f"INSERT INTO {table} {row(1, 'x')} UNION ALL {row(2, 'y')} UNION ALL {row(3, 'z')}")
    assert content(spark, table) == [(1, 1, "x"), (2, 2, "y"), (3, 3, "z")]
    names = {file.parent.name for file in data_files(location(spark, table))}
    assert names == {"day=x", "day=y", "day=z"}

    spark.sql(
        f"INSERT OVERWRITE {table} PARTITION (day = 'y') SELECT 4, parse_json('{{\"n\": 4}}')"
    )
    assert content(spark, table) == [(1, 1, "x"), (3, 3, "z"), (4, 4, "y")]

    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    try:
        spark.sql(f"INSERT OVERWRITE {table} {row(5, 'z')}")
    finally:
        spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
    assert content(spark, table) == [(1, 1, "x"), (4, 4, "y"), (5, 5, "z")]

    pruned = spark.sql(f"SELECT id FROM {table} WHERE day = 'z'")
    assert "PartitionFilters: [isnotnull(day" in pruned._jdf.queryExecution().toString()
    assert [row.id for row in pruned.collect()] == [5]

    spark.sql(f"INSERT OVERWRITE {table} {row(6, 'w')}")
    assert content(spark, table) == [(6, 6, "w")]


TWO_PARTS = "CREATE TABLE {} (id INT, v VARIANT, day STRING, hour INT)"


def hours(spark: SparkSession, table: str) -> list[tuple[int, int, str, int]]:
    found = spark.sql(f"SELECT id, v:n::int, day, hour FROM {table}").collect()
    return sorted((row[0], row[1], row[2], row[3]) for row in found)


def value(number: int) -> str:
    return f"{number}, parse_json('{{\"n\": {number}}}')"


def test_overwriting_partitions_by_name(spark: SparkSession, table: str) -> None:
    spark.sql(f"{TWO_PARTS.format(table)} USING `{FORMAT}` PARTITIONED BY (day, hour)")
    first = [(1, 1, "x", 1), (2, 2, "x", 2), (3, 3, "y", 1), (4, 4, "y", 2)]
    rows = ", ".join(f"({value(i)}, '{day}', {hour})" for i, _, day, hour in first)
    spark.sql(f"INSERT INTO {table} VALUES {rows}")
    assert hours(spark, table) == first

    spark.sql(f"INSERT OVERWRITE {table} PARTITION (day = 'x', hour = 2) SELECT {value(5)}")
    assert hours(spark, table) == [first[0], *first[2:], (5, 5, "x", 2)]

    # The static part says what is replaced: all hours of the day.
    spark.sql(f"INSERT OVERWRITE {table} PARTITION (day = 'x', hour) SELECT {value(6)}, 7")
    assert hours(spark, table) == [*first[2:], (6, 6, "x", 7)]

    spark.sql(f"INSERT INTO {table} PARTITION (day = 'x', hour) SELECT {value(7)}, 8")
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    try:
        spark.sql(f"INSERT OVERWRITE {table} PARTITION (day = 'x', hour) SELECT {value(8)}, 8")
    finally:
        spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
    assert hours(spark, table) == [*first[2:], (6, 6, "x", 7), (8, 8, "x", 8)]
    names = {
        str(f.parent.relative_to(location(spark, table)))
        for f in data_files(location(spark, table))
    }
    assert names == {"day=x/hour=7", "day=x/hour=8", "day=y/hour=1", "day=y/hour=2"}


def test_truncate(spark: SparkSession, table: str) -> None:
    spark.sql(f"{TWO_PARTS.format(table)} USING `{FORMAT}` PARTITIONED BY (day, hour)")
    for number in (1, 2):
        spark.sql(f"INSERT INTO {table} VALUES ({value(number)}, 'x', {number})")
    spark.sql(f"CACHE TABLE {table}")
    assert len(hours(spark, table)) == 2
    spark.sql(f"TRUNCATE TABLE {table} PARTITION (day = 'x', hour = 1)")
    assert hours(spark, table) == [(2, 2, "x", 2)]
    spark.sql(f"TRUNCATE TABLE {table}")
    assert hours(spark, table) == []
    assert data_files(location(spark, table)) == []
    spark.sql(f"INSERT INTO {table} VALUES ({value(3)}, 'z', 3)")
    assert hours(spark, table) == [(3, 3, "z", 3)]
    spark.sql(f"DELETE FROM {table}")
    assert hours(spark, table) == []


def shown(spark: SparkSession, table: str) -> list[str]:
    return [row[0] for row in spark.sql(f"SHOW PARTITIONS {table}").collect()]


def test_partitions(spark: SparkSession, table: str) -> None:
    spark.sql(
        f"CREATE TABLE {table} (day STRING, id INT, v VARIANT) USING `{FORMAT}` "
        "PARTITIONED BY (day)"
    )
    assert spark.table(table).columns == ["id", "v", "day"]
    for number, day in enumerate("xyz"):
        spark.sql(f"INSERT INTO {table} {row(number, day)}")
    assert shown(spark, table) == ["day=x", "day=y", "day=z"]
    spark.sql(f"ALTER TABLE {table} ADD PARTITION (day = 'w')")
    spark.sql(f"ALTER TABLE {table} DROP PARTITION (day = 'x')")
    spark.sql(f"ALTER TABLE {table} PARTITION (day = 'y') RENAME TO PARTITION (day = 'v')")
    assert shown(spark, table) == ["day=v", "day=w", "day=z"]
    assert content(spark, table) == [(1, 1, "v"), (2, 2, "z")]
    spark.sql(f"MSCK REPAIR TABLE {table}")
    spark.sql(f"ANALYZE TABLE {table} COMPUTE STATISTICS")
    spark.sql(f"DELETE FROM {table} WHERE day > 'y' OR day IS NULL")
    assert content(spark, table) == [(1, 1, "v")]
    with pytest.raises(PySparkException, match="compare partition columns only"):
        spark.sql(f"DELETE FROM {table} WHERE id = 1")
    spark.sql(f"ALTER TABLE {table} ADD COLUMN more INT DEFAULT 7")
    assert [tuple(found) for found in spark.table(table).select("id", "more", "day").collect()] == [
        (1, 7, "v")
    ]


def test_like(spark: SparkSession, table: str) -> None:
    like = f"{table}_like"
    spark.sql(
        f"CREATE TABLE {table} (id INT, v VARIANT, day STRING) USING `{FORMAT}` "
        "OPTIONS (compression 'gzip') PARTITIONED BY (day)"
    )
    try:
        spark.sql(f"CREATE TABLE {like} LIKE {table}")
        spark.sql(f"INSERT INTO {like} {row(1)}")
        assert content(spark, like) == [(1, 1, "x")]
        assert all(f.name.endswith(".gz.parquet") for f in data_files(location(spark, like)))
    finally:
        spark.sql(f"DROP TABLE IF EXISTS {like}")


def test_a_directory_and_a_path_by_the_name_of_the_format(
    spark: SparkSession, tmp_path: Path
) -> None:
    directory = tmp_path / "directory"
    spark.sql(f"INSERT OVERWRITE DIRECTORY '{directory}' USING `{FORMAT}` {row(1)}")
    found = spark.sql(f"SELECT id, v:n::int FROM `{FORMAT}`.`{directory}`").collect()
    assert [tuple(each) for each in found] == [(1, 1)]


def test_a_stream_into_a_table(spark: SparkSession, table: str, tmp_path: Path) -> None:
    source = str(tmp_path / "source")
    for number in (1, 2):
        spark.sql(row(number)).write.mode("append").parquet(source)
        query = (
            spark.readStream.schema("id INT, v VARIANT, day STRING")
            .parquet(source)
            .writeStream.format(FORMAT)
            .partitionBy("day")
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .toTable(table)
        )
        query.awaitTermination()
    assert content(spark, table) == [(1, 1, "x"), (2, 2, "x")]


def test_an_external_table_with_options(spark: SparkSession, table: str, tmp_path: Path) -> None:
    spark.sql(
        f"CREATE TABLE {table} (id INT, v VARIANT, day STRING) USING `{FORMAT}` "
        f"OPTIONS (shredding 'none', compression 'gzip') LOCATION '{(tmp_path / 't').as_uri()}'"
    )
    spark.sql(f"INSERT INTO {table} {row(1)}")
    assert content(spark, table) == [(1, 1, "x")]
    (file,) = data_files(tmp_path / "t")
    assert ".gz." in file.name
    assert b"typed_value" not in file.read_bytes()
    spark.sql(f"DROP TABLE {table}")
    assert file.exists()


def test_a_table_over_files_that_are_there(spark: SparkSession, table: str, tmp_path: Path) -> None:
    spark.sql(row(1)).write.format(FORMAT).partitionBy("day").save(str(tmp_path / "t"))
    spark.sql(f"CREATE TABLE {table} USING `{FORMAT}` LOCATION '{(tmp_path / 't').as_uri()}'")
    assert content(spark, table) == [(1, 1, "x")]


def test_a_path_in_sql(spark: SparkSession, tmp_path: Path) -> None:
    name = f"variant_shredded.`{tmp_path / 't'}`"
    spark.sql(row(1)).write.format(FORMAT).save(str(tmp_path / "t"))
    assert content(spark, name) == [(1, 1, "x")]
    spark.sql(f"INSERT INTO {name} {row(2)}")
    assert content(spark, name) == [(1, 1, "x"), (2, 2, "x")]
    spark.sql(f"INSERT OVERWRITE {name} {row(3)}")
    assert content(spark, name) == [(3, 3, "x")]


def test_creating_a_path_in_sql(spark: SparkSession, tmp_path: Path) -> None:
    name = f"variant_shredded.`{tmp_path / 't'}`"
    spark.sql(f"CREATE TABLE {name} PARTITIONED BY (day) AS {row(1)}")
    assert content(spark, name) == [(1, 1, "x")]
    assert data_files(tmp_path / "t")[0].parent.name == "day=x"
    with pytest.raises(PySparkException, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
        spark.sql(f"CREATE TABLE {name} AS {row(2)}")
    spark.sql(f"CREATE OR REPLACE TABLE {name} AS {row(3)}")
    assert content(spark, name) == [(3, 3, "x")]


def test_a_missing_path_in_sql(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(PySparkException) as caught:
        spark.sql(f"SELECT * FROM variant_shredded.`{tmp_path / 'none'}`").collect()
    assert str(tmp_path / "none") in str(caught.value)


def test_a_failed_create_leaves_nothing(spark: SparkSession, table: str, tmp_path: Path) -> None:
    failing = "SELECT cast(raise_error('on purpose') AS int) AS id"
    with pytest.raises(PySparkException, match="on purpose"):
        spark.sql(f"CREATE TABLE variant_shredded.`{tmp_path / 't'}` AS {failing}")
    assert not (tmp_path / "t").exists()
    with pytest.raises(PySparkException, match="on purpose"):
        spark.sql(f"CREATE TABLE {table} USING `{FORMAT}` AS {failing}")
    assert not spark.catalog.tableExists(table)


def test_two_views_of_one_join(spark: SparkSession, table: str) -> None:
    spark.sql(f"CREATE TABLE {table} USING `{FORMAT}` AS {row(1)} UNION ALL {row(2)}")
    joined = spark.sql(
        f"""SELECT a.id, b.v:n::int AS n FROM {table} a JOIN {table} b ON a.v:n::int = b.id
            WHERE a.id IN (SELECT max(v:n::int) FROM {table})"""
    )
    assert [tuple(row) for row in joined.collect()] == [(2, 2)]


FAILING = "SELECT cast(raise_error('on purpose') AS INT) AS id"


def test_a_table_is_replaced_by_a_query_that_reads_it(spark: SparkSession, table: str) -> None:
    rows = " UNION ALL ".join(row(number) for number in range(1, 6))
    spark.sql(f"CREATE TABLE {table} USING `{FORMAT}` AS {rows}")
    spark.table(table).where("id > 1").write.format(FORMAT).mode("overwrite").saveAsTable(table)
    assert [number for number, _, _ in content(spark, table)] == [2, 3, 4, 5]
    spark.sql(
        f"CREATE OR REPLACE TABLE {table} USING `{FORMAT}` AS SELECT * FROM {table} WHERE id > 2"
    )
    assert [number for number, _, _ in content(spark, table)] == [3, 4, 5]
    spark.table(table).where("id > 3").writeTo(table).using(FORMAT).createOrReplace()
    assert [number for number, _, _ in content(spark, table)] == [4, 5]
    spark.catalog.cacheTable(table)
    spark.table(table).where("id > 4").write.format(FORMAT).mode("overwrite").saveAsTable(table)
    assert content(spark, table) == [(5, 5, "x")]
    assert content(spark, f"variant_shredded.`{location(spark, table)}`") == [(5, 5, "x")]


def test_a_failed_replacement_leaves_the_table(spark: SparkSession, table: str) -> None:
    spark.sql(f"CREATE TABLE {table} USING `{FORMAT}` AS {row(1)}")
    with pytest.raises(PySparkException, match="on purpose"):
        spark.sql(FAILING).write.format(FORMAT).mode("overwrite").saveAsTable(table)
    # The first statement of a session about the format.
    with pytest.raises(PySparkException, match="on purpose"):
        spark.newSession().sql(f"CREATE OR REPLACE TABLE {table} USING `{FORMAT}` AS {FAILING}")
    assert content(spark, table) == [(1, 1, "x")]
    found = {entry.name for entry in location(spark, table).parent.glob(f"*{table}*")}
    assert found == {table}


def test_another_format_does_not_empty_a_table(spark: SparkSession, table: str) -> None:
    spark.sql(f"CREATE TABLE {table} USING `{FORMAT}` AS {row(1)}")
    with pytest.raises(PySparkException, match="UNSUPPORTED_OVERWRITE"):
        spark.table(table).drop("v").write.format("parquet").mode("overwrite").saveAsTable(table)
    assert content(spark, table) == [(1, 1, "x")]


def test_columns_are_added_and_not_renamed(spark: SparkSession, table: str) -> None:
    spark.sql(
        f"CREATE TABLE {table} (day STRING, id INT, v VARIANT) "
        f"USING `{FORMAT}` PARTITIONED BY (day)"
    )
    spark.sql(f"INSERT INTO {table} (id, v, day) {row(1)}")
    spark.sql(f"ALTER TABLE {table} ADD COLUMN more INT")
    spark.sql(f"INSERT INTO {table} (more, id, v, day) SELECT 7, * FROM ({row(2)})")
    assert content(spark, table) == [(1, 1, "x"), (2, 2, "x")]
    assert [r.more for r in spark.table(table).orderBy("id").collect()] == [None, 7]
    for change, condition in [
        ("RENAME COLUMN id TO other", "does not support RENAME COLUMN"),
        ("DROP COLUMN id", "does not support DROP COLUMN"),
        ("ALTER COLUMN id TYPE BIGINT", "NOT_SUPPORTED_CHANGE_COLUMN"),
        ("SET TBLPROPERTIES ('shredding' = 'a what')", "INVALID_SHREDDING_SPECIFICATION"),
    ]:
        with pytest.raises(PySparkException, match=condition):
            spark.sql(f"ALTER TABLE {table} {change}")
    assert content(spark, table) == [(1, 1, "x"), (2, 2, "x")]


def test_a_table_is_not_created_with_wrong_options(spark: SparkSession, table: str) -> None:
    with pytest.raises(PySparkException, match="INVALID_SHREDDING_SPECIFICATION"):
        spark.newSession().sql(
            f"CREATE TABLE {table} (v VARIANT) USING `{FORMAT}` OPTIONS (shredding 'a what')"
        )
    assert not spark.catalog.tableExists(table)


def test_a_table_is_not_filled_where_files_are(
    spark: SparkSession, table: str, tmp_path: Path
) -> None:
    spark.sql(row(1)).write.format(FORMAT).save(str(tmp_path / "t"))
    with pytest.raises(PySparkException, match="non-empty directory"):
        spark.sql(row(2)).write.format(FORMAT).option("path", str(tmp_path / "t")).saveAsTable(
            table
        )
    assert not spark.catalog.tableExists(table)
    assert content(spark, f"variant_shredded.`{tmp_path / 't'}`") == [(1, 1, "x")]


def test_partitions_without_a_text_of_their_own(spark: SparkSession, table: str) -> None:
    spark.sql(f"CREATE TABLE {table} (id INT, p BINARY) USING `{FORMAT}` PARTITIONED BY (p)")
    for number in (1, 2):
        spark.sql(f"INSERT OVERWRITE {table} PARTITION (p = X'41') SELECT {number}")
    assert [r.id for r in spark.table(table).collect()] == [2]
    for verb in ("INTO", "OVERWRITE"):
        with pytest.raises(PySparkException, match="contains an empty partition column value"):
            spark.sql(f"INSERT {verb} {table} PARTITION (p = X'') SELECT 3")
    assert [r.id for r in spark.table(table).collect()] == [2]


def test_an_empty_parameter_is_no_value_of_a_partition(spark: SparkSession, table: str) -> None:
    spark.sql(f"CREATE TABLE {table} (id INT, day STRING) USING `{FORMAT}` PARTITIONED BY (day)")
    spark.sql(f"INSERT INTO {table} VALUES (1, NULL)")
    for verb in ("INTO", "OVERWRITE"):
        insert = f"INSERT {verb} {table} PARTITION (day = :d) SELECT 2"
        with pytest.raises(PySparkException, match="contains an empty partition column value"):
            spark.sql(insert, args={"d": ""})
        spark.sql(insert, args={"d": "mon"})
    days = [(r.id, r.day) for r in spark.table(table).orderBy("id").collect()]
    assert days == [(1, None), (2, "mon")]


HIVE = """
import os
import sys
import variant_shredded
from pyspark.sql import SparkSession

directory, format = sys.argv[1:]
os.chdir(directory)
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
builder = builder.config("spark.driver.memory", "1g").enableHiveSupport()
builder = builder.config("spark.sql.warehouse.dir", f"{directory}/warehouse")
url = f"jdbc:derby:;databaseName={directory}/metastore;create=true"
builder = builder.config("spark.hadoop.javax.jdo.option.ConnectionURL", url)
spark = variant_shredded.session(builder)
columns = "p INT, id INT, v VARIANT"
spark.sql(f"CREATE TABLE t ({columns}) USING `{format}` PARTITIONED BY (p)")
assert spark.table("t").columns == ["id", "v", "p"]
for i in range(4):
    spark.sql(f"INSERT INTO t VALUES ({i}, parse_json('{i}'), {i % 2})")
table = spark.table("t").where("id > 0").select("p", "id", "v")
table.write.format(format).partitionBy("p").mode("overwrite").saveAsTable("t")
spark.sql("ALTER TABLE t ADD COLUMN more STRING")
assert spark.table("t").columns == ["id", "v", "more", "p"]
rows = spark.sql("SELECT id, v::int, more, p FROM t ORDER BY id").collect()
assert [tuple(row) for row in rows] == [(i, i, None, i % 2) for i in (1, 2, 3)], rows
try:
    failing = "SELECT cast(raise_error('no') AS INT) AS id"
    spark.sql(f"CREATE OR REPLACE TABLE t USING `{format}` AS {failing}")
    raise AssertionError("replaced")
except Exception as e:
    assert "no" in str(e), e
assert spark.table("t").count() == 3
assert [row.tableName for row in spark.sql("SHOW TABLES").collect()] == ["t"]
print("done")
"""


@once
def test_tables_of_a_hive_metastore(tmp_path: Path) -> None:
    assert run_script(HIVE, str(tmp_path), FORMAT).endswith("done\n")
