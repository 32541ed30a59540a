"""Queries on tables of Iceberg, with the extension off and on; run by test_iceberg_tables.py.

Arguments: an empty directory, and a number of random queries.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import LongType, StructField, StructType
from variant_shredded import configure

RUNTIME = "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0"
SETTING = "spark.sql.variantShredded.takeOver"

directory, queries = sys.argv[1], int(sys.argv[2])
builder = (
    SparkSession.builder.master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2")
    # The queries are many and small.
    .config("spark.sql.codegen.wholeStage", "false")
    .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    .config("spark.jars.packages", RUNTIME)
    .config(
        "spark.sql.extensions",
        "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions,"
        "io.github.variantshredded.VariantShreddedExtensions",
    )
    .config("spark.sql.catalog.ice", "org.apache.iceberg.spark.SparkCatalog")
    .config("spark.sql.catalog.ice.type", "hadoop")
    .config("spark.sql.catalog.ice.warehouse", directory + "/warehouse")
    .config("spark.sql.defaultCatalog", "ice")
    # Its files are not in a file system of Hadoop.
    .config("spark.sql.catalog.memory", "org.apache.iceberg.spark.SparkCatalog")
    .config("spark.sql.catalog.memory.catalog-impl", "org.apache.iceberg.inmemory.InMemoryCatalog")
    # It chooses Hadoop's file systems by the scheme.
    .config("spark.sql.catalog.resolving", "org.apache.iceberg.spark.SparkCatalog")
    .config("spark.sql.catalog.resolving.type", "hadoop")
    .config("spark.sql.catalog.resolving.warehouse", directory + "/resolving")
    .config("spark.sql.catalog.resolving.io-impl", "org.apache.iceberg.io.ResolvingFileIO")
    # It has settings of file systems of its own.
    .config("spark.sql.catalog.configured", "org.apache.iceberg.spark.SparkCatalog")
    .config("spark.sql.catalog.configured.type", "hadoop")
    .config("spark.sql.catalog.configured.warehouse", directory + "/configured")
    .config("spark.sql.catalog.configured.hadoop.fs.file.impl.disable.cache", "true")
    # Iceberg's own vectorized reader fails on shredded files.
    .config("spark.sql.iceberg.vectorization.enabled", "false")
)
spark = configure(builder).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
sql = spark.sql
sql("CREATE NAMESPACE db")
sql("USE db")

SHREDDED = "'write.parquet.shred-variants' = 'true'"
COLUMNS = "id BIGINT, p INT, d DECIMAL(9, 2), v VARIANT, s STRUCT<n: INT, w: VARIANT>"


def create(name: str, *properties: str, clauses: str = "", columns: str = COLUMNS) -> None:
    version = 3 if "VARIANT" in columns else 2
    given = ", ".join([f"'format-version' = '{version}'", *properties])
    sql(f"CREATE TABLE {name} ({columns}) USING iceberg {clauses} TBLPROPERTIES ({given})")


def rows(first: int, end: int) -> str:
    return f"""
        SELECT id, CAST(id % 3 AS INT) AS p, CAST(id AS DECIMAL(9, 2)) / 4 AS d,
          CASE WHEN id % 11 = 0 THEN NULL ELSE parse_json('{{"a": ' || id || ', "t": "' ||
            (id % 7) || '", "o": {{"x": ' || (id % 5) || ', "m": ' ||
            CASE WHEN id % 4 = 0 THEN '"text"' WHEN id % 4 = 1 THEN 'null' ELSE id || '.5' END ||
            '}}, "l": [' || id || ', {{"y": true}}]}}') END AS v,
          named_struct('n', CAST(id AS INT), 'w', parse_json('{{"k": ' || id * 2 || '}}')) AS s
        FROM range({first}, {end})"""


def insert(name: str, first: int, end: int) -> None:
    sql(f"INSERT INTO {name} {rows(first, end)}")


def is_taken(frame: DataFrame, source: str = "iceberg") -> bool:
    execution = frame._jdf.queryExecution()
    return f"TakenOverFrom: {source}" in execution.executedPlan().toString()


def same(query: str | DataFrame, taken: bool = True, source: str = "iceberg") -> list[str]:
    """Compare the answers with the setting off and on; give them."""
    answers = []
    for sources in ["none", "parquet,delta,iceberg"]:
        spark.conf.set(SETTING, sources)
        frame = sql(query) if isinstance(query, str) else query.select("*")
        expected = taken and sources != "none"
        assert is_taken(frame, source) == expected, (query, frame._jdf.queryExecution().toString())
        answers.append(sorted(str(row) for row in frame.collect()))
    assert answers[0] == answers[1], (query, answers[0][:5], answers[1][:5])
    return answers[0]


def table(name: str) -> Any:  # noqa: ANN401 (py4j has no types)
    """Give Iceberg's own object of a table."""
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    return jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(
        spark._jsparkSession, f"ice.db.{name}"
    )


def files_read(query: str) -> int:
    """Give how many files the scan of a query that is taken over lists."""
    spark.conf.set(SETTING, "iceberg")
    frame = sql(query)
    plan = frame._jdf.queryExecution().optimizedPlan()
    return int(plan.collectLeaves().head().scan().fileIndex().allFiles().size())


def eight_queries(name: str) -> Iterable[str]:
    yield f"SELECT sum(v:a::int), count(v:o.m), max(s.w:k::int) FROM {name}"
    yield f"SELECT id, v:t::string, v:l[1].y::boolean FROM {name} WHERE p = 1 AND id < 40"
    yield f"SELECT * FROM {name} WHERE v:a::int BETWEEN 20 AND 60"
    yield f"SELECT count(*) FROM {name} WHERE v:o.x::int = 3 AND s.n > 10"
    yield f"SELECT p, count(*), min(v:o.m::string) FROM {name} GROUP BY p"
    yield f"SELECT x.id FROM {name} x JOIN {name} y ON x.v:a::int = y.v:a::int + 1 WHERE y.p = 2"
    yield f"SELECT id FROM {name} WHERE v:a::int = (SELECT max(v:a::int) FROM {name} WHERE p = 1)"
    yield f"SELECT v:a::int FROM {name} WHERE v IS NOT NULL ORDER BY id LIMIT 7"


def deletes_by_equality(name: str, column: str, field: int, value: int) -> None:
    """Delete rows as other engines than Spark do: by a file with the values of a column."""
    path = f"{directory}/deletes-{name}"
    schema = StructType([StructField(column, LongType(), False, {"parquet.field.id": field})])
    spark.conf.set("spark.sql.parquet.fieldId.write.enabled", "true")
    spark.createDataFrame([(value,)], schema).coalesce(1).write.parquet(path)
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    status = next(
        file
        for file in jvm.org.apache.hadoop.fs.Path(path)
        .getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())
        .listStatus(jvm.org.apache.hadoop.fs.Path(path))
        if file.getPath().getName().endswith(".parquet")
    )
    of = table(name)
    gateway = spark.sparkContext._gateway
    assert gateway is not None
    ids = gateway.new_array(jvm.int, 1)
    ids[0] = field
    file = (
        jvm.org.apache.iceberg.FileMetadata.deleteFileBuilder(of.spec())
        .ofEqualityDeletes(ids)
        .withFormat("parquet")
        .withPath(status.getPath().toString())
        .withFileSizeInBytes(status.getLen())
        .withRecordCount(1)
        .build()
    )
    of.newRowDelta().addDeletes(file).commit()
    sql(f"REFRESH TABLE {name}")


@contextmanager
def warnings(logger_name: str) -> Iterator[list[str]]:
    """Collect the warnings of a logger of the driver."""
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    log4j = jvm.org.apache.logging.log4j
    writer = jvm.java.io.StringWriter()
    appender = log4j.core.appender.WriterAppender.createAppender(
        None, None, writer, "collected", False, True
    )
    logger, found = log4j.LogManager.getLogger(logger_name), list[str]()
    level = logger.getLevel()
    appender.start()
    logger.addAppender(appender)
    logger.setLevel(log4j.Level.WARN)
    try:
        yield found
    finally:
        logger.setLevel(level)
        logger.removeAppender(appender)
        found += writer.toString().splitlines()


# Tables as Iceberg writes them.
create("plain")
create("shredded", SHREDDED)
create("parts", SHREDDED, clauses="PARTITIONED BY (p, bucket(3, id))")
for name in ["plain", "shredded", "parts"]:
    insert(name, 0, 300)
    insert(name, 300, 400)
    for query in eight_queries(name):
        same(query)
# The files of a table, read as Parquet.
files = spark.read.parquet(f"{directory}/warehouse/db/shredded/data")
for columns in [
    ["id", "v:a::int", "v:o.m::string", "to_json(v:l[1])"],
    ["v:a::int", "v", "s.w:k::int"],
    ["to_json(v)"],
]:
    assert len(same(files.selectExpr(*columns), source="parquet")) == 400
same(files.where("v:a::int BETWEEN 20 AND 60").selectExpr("id", "v:t::string"), source="parquet")
print("ok tables")

# The default of the setting.
spark.conf.unset(SETTING)
assert not is_taken(sql("SELECT v:a::int FROM plain"))

# Files are chosen by Iceberg.
everything = files_read("SELECT v:a::int FROM shredded")
assert everything > 1
assert 0 < files_read("SELECT v:a::int FROM shredded WHERE id > 350") < everything
assert files_read("SELECT v:a::int FROM shredded WHERE id > 900") == 0
assert files_read("SELECT v:a::int FROM parts WHERE p = 1") * 3 == files_read(
    "SELECT v:a::int FROM parts"
)
# Files are left out by the values of partition columns that a join finds at run time.
spark.range(3).selectExpr("CAST(id AS INT) AS p", "id * 2 AS q").createOrReplaceTempView("dims")
spark.conf.set("spark.sql.adaptive.enabled", "false")
joined = "SELECT x.id, x.v:a::int FROM parts x JOIN dims d ON x.p = d.p WHERE d.q = 2"
assert len(same(joined)) == 133
frame = sql(joined)
frame.collect()
plan = frame._jdf.queryExecution().executedPlan()
assert "dynamicpruning" in plan.toString(), plan.toString()
leaves = plan.collectLeaves()
scan = next(
    leaf for i in range(leaves.size()) if "parts" in (leaf := leaves.apply(i)).simpleString(1000)
)
assert scan.metrics().apply("numOutputRows").value() == 133
spark.conf.unset("spark.sql.adaptive.enabled")
# Two parts of a query share the relation, and each needs other rows.
same(
    "WITH c AS (SELECT id, p, v:a::int AS a FROM shredded) "
    "SELECT a FROM c WHERE id < 10 UNION ALL SELECT a FROM c WHERE id > 390"
)
print("ok files")

# Deletion vectors, and position deletes from before the format had them.
create("marked", SHREDDED, "'write.delete.mode' = 'merge-on-read'", clauses="PARTITIONED BY (p)")
for begin in range(0, 300, 100):
    insert("marked", begin, begin + 100)
spark.conf.set(SETTING, "iceberg")
sql("DELETE FROM marked WHERE id % 10 = 3")
sql("DELETE FROM marked WHERE v:a::int BETWEEN 100 AND 120")
assert table("marked").currentSnapshot().summary()["total-position-deletes"] != "0"
create(
    "upgraded",
    "'write.delete.mode' = 'merge-on-read'",
    columns="id BIGINT, p INT",
)
sql("INSERT INTO upgraded SELECT id, CAST(id % 3 AS INT) FROM range(100)")
sql("DELETE FROM upgraded WHERE id BETWEEN 5 AND 50")
sql("ALTER TABLE upgraded SET TBLPROPERTIES ('format-version' = '3')")
sql("ALTER TABLE upgraded ADD COLUMNS (d DECIMAL(9, 2), v VARIANT, s STRUCT<n: INT, w: VARIANT>)")
insert("upgraded", 100, 200)
for name in ["marked", "upgraded"]:
    for query in eight_queries(name):
        same(query)
# A file with the deletes of many data files is read once.
jvm = spark.sparkContext._jvm
assert jvm is not None
query = "SELECT count(v:a::int), sum(id) FROM upgraded"
spark.conf.set(SETTING, "iceberg")
jvm.org.apache.iceberg.spark.SparkExecutorCache.getOrCreate().invalidate("ice")
counted = sql(query).collect()
data = Path(directory, "warehouse", "db", "upgraded", "data")
aside = [each.rename(f"{each}.aside") for each in list(data.rglob("*-deletes.parquet"))]
assert aside
assert sql(query).collect() == counted
spark.conf.set("spark.sql.iceberg.executor-cache.delete-files.enabled", "false")
with pytest.raises(Exception, match=r"-deletes\.parquet"):
    sql(query).collect()
spark.conf.unset("spark.sql.iceberg.executor-cache.delete-files.enabled")
for each in aside:
    each.rename(each.with_suffix(""))
# A table that a query names twice is read once.
spark.conf.set("spark.sql.adaptive.enabled", "false")
part = "(SELECT /*+ REPARTITION(4, id) */ id, v FROM marked)"
twice = f"SELECT /*+ MERGE(a, b) */ a.v, b.v FROM {part} a JOIN {part} b ON a.id = b.id"
same(twice)
for _ in range(10):
    assert "ReusedExchange" in sql(twice)._jdf.queryExecution().executedPlan().toString()
spark.conf.unset("spark.sql.adaptive.enabled")
for condition in ["", "WHERE true"]:
    create("emptied", SHREDDED)
    insert("emptied", 0, 20)
    spark.conf.set(SETTING, "iceberg")
    sql(f"DELETE FROM emptied {condition}")
    assert same("SELECT v:a::int FROM emptied") == []
    sql("DROP TABLE emptied")
print("ok deletes")

# Names, types and partitions that have changed.
create("evolved", SHREDDED, clauses="PARTITIONED BY (p)")
insert("evolved", 0, 100)
old = table("evolved").currentSnapshot().snapshotId()
sql("ALTER TABLE evolved RENAME COLUMN v TO former")
sql("ALTER TABLE evolved RENAME COLUMN s.w TO z")
sql("ALTER TABLE evolved ADD COLUMNS (v VARIANT, extra INT)")
sql("ALTER TABLE evolved ALTER COLUMN p TYPE BIGINT")
sql("ALTER TABLE evolved ALTER COLUMN d TYPE DECIMAL(18, 2)")
sql("ALTER TABLE evolved ADD PARTITION FIELD bucket(4, id)")
sql("ALTER TABLE evolved DROP PARTITION FIELD p")
sql(
    "INSERT INTO evolved SELECT id, 5000000000, 7000000000.25, parse_json('{\"a\": -1}'), "
    "named_struct('n', 1, 'z', parse_json('{\"k\": -2}')), parse_json('{\"a\": 7}'), 5 "
    "FROM range(10)"
)
for query in [
    "SELECT sum(former:a::int), sum(v:a::int), sum(extra), max(p), max(d) FROM evolved",
    "SELECT sum(s.z:k::int), count(s.n) FROM evolved WHERE former:a::int < 50",
    "SELECT * FROM evolved WHERE v:a::int = 7 AND p > 4",
    "SELECT id, former, v FROM evolved WHERE p = 2 AND d < 20",
    "SELECT FORMER:a::int FROM evolved WHERE P = 1",
    f"SELECT v:a::int, s.w:k::int, p FROM evolved VERSION AS OF {old} WHERE id < 40 AND p = 1",
]:
    assert same(query)
sql("ALTER TABLE evolved DROP COLUMN former")
sql("ALTER TABLE evolved ADD COLUMNS (former VARIANT)")
same("SELECT count(former:a::int) FROM evolved")
same("SELECT id, former:a::int, v:a::int FROM evolved")
same(f"SELECT sum(v:a::int) FROM evolved VERSION AS OF {old}")
sql("ALTER TABLE shredded CREATE BRANCH side")
sql(f"INSERT INTO ice.db.shredded.branch_side {rows(400, 450)}")
sql("ALTER TABLE shredded CREATE TAG now")
insert("shredded", 450, 500)
for version in ["side", "now"]:
    same(f"SELECT count(v:a::int), max(v:a::int) FROM shredded VERSION AS OF '{version}'")
same("SELECT count(v:a::int), max(v:a::int) FROM ice.db.shredded.branch_side")
same("SELECT count(v:a::int), max(v:a::int) FROM shredded")
print("ok evolution")

# What Iceberg reads itself. The log says why, once for each table.
create("eq", SHREDDED)
insert("eq", 0, 20)
deletes_by_equality("eq", "id", 1, 7)
with warnings("io.github.variantshredded.takeover.TakeOver") as found:
    assert len(same("SELECT id, v:a::int FROM eq", taken=False)) == 19
    same("SELECT count(v:a) FROM eq", taken=False)
why = "is not read by this source: it has equality deletes"
assert [why in line and "ice.db.eq" in line for line in found] == [True], found
create("mapped", SHREDDED)
insert("mapped", 0, 20)
sql("ALTER TABLE mapped SET TBLPROPERTIES ('schema.name-mapping.default' = '[]')")
same("SELECT v:a::int FROM mapped", taken=False)
for catalog, taken in [("memory", False), ("resolving", True), ("configured", False)]:
    sql(f"CREATE NAMESPACE {catalog}.db")
    create(f"{catalog}.db.t", SHREDDED, "'write.delete.mode' = 'merge-on-read'")
    insert(f"{catalog}.db.t", 0, 20)
    assert len(same(f"SELECT id, v:a::int, v FROM {catalog}.db.t", taken=taken)) == 20
    sql(f"DELETE FROM {catalog}.db.t WHERE id IN (3, 5)")
    assert len(same(f"SELECT id, v:a::int FROM {catalog}.db.t", taken=taken)) == 18
# Iceberg's catalog keeps the settings that the session had when it was loaded.
sql("CREATE TABLE later (v VARIANT) USING iceberg TBLPROPERTIES ('format-version' = '3')")
sql("INSERT INTO later SELECT parse_json('1')")
same("SELECT v::int FROM later")
for name, taken in [("fs.s3a.access.key", False), ("parquet.page.size", True)]:
    spark.conf.set(name, "100000")
    same("SELECT v::int FROM later", taken=taken)
    spark.conf.unset(name)
create("avro", "'write.format.default' = 'avro'")
insert("avro", 0, 20)
same("SELECT v:a::int FROM avro", taken=False)
create("off", SHREDDED, "'variantshredded.takeover' = 'false'")
insert("off", 0, 20)
deletes_by_equality("off", "id", 1, 7)
with warnings("io.github.variantshredded.takeover.TakeOver") as found:
    assert len(same("SELECT v:a::int FROM off", taken=False)) == 19
assert found == []
# A metadata table does not keep other tables of the query from being taken over.
deleted = "ice.db.marked.position_deletes"
same(f"SELECT x.v:a::int, y.row.v:a::int FROM plain x JOIN {deleted} y ON x.id = y.pos")
same("SELECT id, _file, _pos, v:a::int FROM plain WHERE id = 4", taken=False)
same("SELECT _partition, v:a::int FROM parts WHERE id < 4", taken=False)
same("SELECT sum(id), count(*) FROM shredded", taken=False)
frame = spark.read.option("variantShredded.takeOver", "false").table("plain")
same(frame.selectExpr("v:a::int"), taken=False)
first = sql("SELECT snapshot_id FROM ice.db.plain.snapshots ORDER BY committed_at").first()
assert first
frame = spark.read.format("iceberg").option("start-snapshot-id", str(first[0])).load("ice.db.plain")
assert len(same(frame.selectExpr("v:a::int"), taken=False)) == 100
frame = spark.read.option("versionAsOf", str(first[0])).table("plain")
assert len(same(frame.selectExpr("v:a::int"))) == 300
# Iceberg has its own reader of nested columns.
spark.conf.set("spark.sql.parquet.enableNestedColumnVectorizedReader", "false")
same("SELECT v:a::int FROM parts")
spark.conf.unset("spark.sql.parquet.enableNestedColumnVectorizedReader")
for name in ["preserve-data-grouping", "preserveDataGrouping"]:
    spark.conf.set(f"spark.sql.iceberg.planning.{name}", "TRUE")
    same("SELECT v:a::int FROM parts", taken=False)
    spark.conf.unset(f"spark.sql.iceberg.planning.{name}")
jvm = spark.sparkContext._jvm
assert jvm is not None
spark.conf.set("spark.sql.geospatial.enabled", "true")
for name, of_type, made, default in [
    ("uuids", "UUIDType", "get", None),
    ("geometries", "GeometryType", "crs84", None),
    ("geographies", "GeographyType", "crs84", None),
    ("defaults", "IntegerType", "get", 5),
]:
    create(name, SHREDDED)
    insert(name, 0, 20)
    same(f"SELECT v:a::int FROM {name}")
    kind = getattr(getattr(jvm.org.apache.iceberg.types, f"Types${of_type}"), made)()
    change = table(name).updateSchema()
    if default is None:
        change.addColumn("more", kind).commit()
    else:
        literal = jvm.org.apache.iceberg.expressions.Expressions.lit(default)
        change.addColumn("more", kind, "", literal).commit()
    sql(f"REFRESH TABLE {name}")
    found = same(f"SELECT id, v:a::int, more FROM {name}", taken=False)
    assert len(found) == 20
    assert all(f"more={default}" in row for row in found)
spark.conf.unset("spark.sql.geospatial.enabled")
create("keyed")
source = table("plain").newScan().planFiles().iterator().next().file()
keyed = jvm.org.apache.iceberg.DataFiles.builder(table("keyed").spec()).copy(source)
keyed = keyed.withEncryptionKeyMetadata(jvm.java.nio.ByteBuffer.allocate(4)).build()
table("keyed").newAppend().appendFile(keyed).commit()
sql("REFRESH TABLE keyed")
assert same("SELECT id, v:a::int FROM keyed", taken=False)
# The file does not have the partition column, whose value is in Iceberg's metadata.
create("partitioned", clauses="PARTITIONED BY (e)", columns="id BIGINT, v VARIANT, e INT")
create("added", columns="id BIGINT, v VARIANT")
sql("INSERT INTO added SELECT id, parse_json('{\"a\": ' || id || '}') FROM range(0, 10, 1, 1)")
added = table("added").newScan().planFiles().iterator().next().file()
builder = jvm.org.apache.iceberg.DataFiles.builder(table("partitioned").spec())
builder = builder.withPath(added.location()).withFileSizeInBytes(added.fileSizeInBytes())
added = builder.withRecordCount(10).withFormat("parquet").withPartitionPath("e=7").build()
table("partitioned").newAppend().appendFile(added).commit()
sql("REFRESH TABLE partitioned")
assert len(same("SELECT id, v:a::int FROM partitioned WHERE e = 7", taken=False)) == 10
create("counted", SHREDDED)
insert("counted", 0, 20)
sql("CALL ice.system.compute_table_stats(table => 'db.counted', columns => array('id'))")
sql("REFRESH TABLE counted")
same("SELECT id, v:a::int FROM counted")
spark.conf.set("spark.sql.cbo.enabled", "true")
same("SELECT id, v:a::int FROM counted", taken=False)
spark.conf.unset("spark.sql.cbo.enabled")
# Iceberg splits files in its own way, and tells their names as its metadata have them.
for query in [
    "SELECT DISTINCT input_file_block_start(), input_file_block_length(), v:a IS NULL FROM parts",
    "SELECT DISTINCT input_file_name(), v:a IS NULL FROM parts",
]:
    same(query, taken=False)
# Its reader takes a struct for NULL if a file has none of the requested fields.
create("nested", columns="id BIGINT, v VARIANT, s STRUCT<n: INT>, l ARRAY<STRUCT<n: INT>>")
sql(
    """INSERT INTO nested SELECT id, parse_json('{"a": 1}'), named_struct('n', 1),
    array(named_struct('n', 1)) FROM range(3)"""
)
sql("ALTER TABLE nested ADD COLUMNS (s.extra INT, l.element.extra INT)")
same("SELECT id, v:a::int, s.extra, s IS NULL FROM nested", taken=False)
same("SELECT id, v:a::int FROM nested WHERE s.extra IS NULL AND s IS NOT NULL", taken=False)
same("SELECT id, v:a::int, l.extra FROM nested", taken=False)
same("SELECT id, v:a::int FROM nested")
# The schema of the time before may have expired, while its files are read.
sql("INSERT INTO nested SELECT * FROM nested")
sql(
    "CALL ice.system.expire_snapshots(table => 'db.nested', older_than => TIMESTAMP "
    f"'{datetime.now() + timedelta(days=1):%Y-%m-%d %H:%M:%S}', clean_expired_metadata => true)"
)
assert table("nested").schemas().size() == 1
same("SELECT id, v:a::int, s.extra FROM nested WHERE s IS NOT NULL", taken=False)
same("SELECT id, v:a::int FROM nested")
# Without a name mapping, Iceberg finds the columns of files without field ids by position.
spark.range(9).selectExpr("id", "parse_json('{\"a\": 1}') AS v").write.parquet(
    directory + "/imported"
)
create("imported", columns="id BIGINT, v VARIANT")
sql(f"CALL ice.system.add_files('db.imported', '`parquet`.`{directory}/imported`')")
sql("ALTER TABLE imported UNSET TBLPROPERTIES ('schema.name-mapping.default')")
spark.conf.set(SETTING, "iceberg")
with pytest.raises(Exception, match=r"`variantShredded\.takeOver` of the table to false"):
    sql("SELECT v:a::int FROM imported").collect()
sql("ALTER TABLE imported SET TBLPROPERTIES ('variantShredded.takeOver' = 'false')")
assert len(same("SELECT v:a::int FROM imported", taken=False)) == 9
# A branch of the session is an error without Iceberg's extension, which would resolve it.
create("audited", SHREDDED, "'write.wap.enabled' = 'true'")
insert("audited", 0, 20)
sql("ALTER TABLE audited CREATE BRANCH audit")
frame = spark.table("audited")
session_conf = spark._jsparkSession.sessionState().conf()
extensions = session_conf.getConfString("spark.sql.extensions")
session_conf.setConfString("spark.sql.extensions", "")
spark.conf.set("spark.wap.branch", "audit")
for sources in ["none", "iceberg"]:
    spark.conf.set(SETTING, sources)
    with pytest.raises(Exception, match="Must enable Iceberg extensions to use branching"):
        frame.selectExpr("v:a::int").collect()
spark.conf.unset("spark.wap.branch")
session_conf.setConfString("spark.sql.extensions", extensions)
assert len(same(frame.selectExpr("v:a::int"))) == 20
print("ok declined")

# Changes of a table, which read it.
for mode in ["copy-on-write", "merge-on-read"]:
    for sources in ["none", "iceberg"]:
        name = f"changed_{sources}_{mode.replace('-', '_')}"
        modes = [f"'write.{kind}.mode' = '{mode}'" for kind in ["delete", "update", "merge"]]
        create(name, SHREDDED, *modes)
        insert(name, 0, 100)
        spark.conf.set(SETTING, sources)
        sql(f"UPDATE {name} SET d = -1 WHERE v:a::int % 2 = 0")
        sql(f"DELETE FROM {name} WHERE id IN (SELECT v:a::int FROM shredded WHERE p = 0)")
        sql(
            f"MERGE INTO {name} t USING (SELECT id, v FROM plain WHERE v:o.x::int = 1) u "
            "ON t.id = u.v:a::int "
            "WHEN MATCHED THEN UPDATE SET t.v = u.v:o WHEN NOT MATCHED THEN INSERT (id) VALUES (-1)"
        )
        sql(f"INSERT INTO {name} SELECT id + 1000, p, d, v, s FROM {name} WHERE v:a::int = 5")
        for query in eight_queries(name):
            same(query)
    left = [
        same(f"SELECT id, d, v:a::int, to_json(v) FROM changed_{sources}_{mode.replace('-', '_')}")
        for sources in ["none", "iceberg"]
    ]
    assert left[0] == left[1]
spark.conf.set(SETTING, "iceberg")
sql(
    "CALL ice.system.rewrite_data_files("
    "table => 'db.marked', options => map('rewrite-all', 'true'))"
)
for query in eight_queries("marked"):
    same(query)
stream = spark.readStream.table("plain").selectExpr("v:a::int AS a")
writer = stream.writeStream.trigger(availableNow=True).option(
    "checkpointLocation", directory + "/c"
)
writer.format("parquet").start(directory + "/streamed").awaitTermination()
assert spark.read.parquet(directory + "/streamed").count() == 400
# Iceberg's session catalog takes a table without a format for one of Iceberg.
other = spark.newSession()
for key, value in {
    "spark.sql.catalog.spark_catalog": "org.apache.iceberg.spark.SparkSessionCatalog",
    "spark.sql.catalog.spark_catalog.type": "hadoop",
    "spark.sql.catalog.spark_catalog.warehouse": directory + "/session",
    "spark.sql.sources.default": "variant-shredded",
}.items():
    other.conf.set(key, value)
unnamed = "spark_catalog.default.unnamed"
other.sql(f"CREATE TABLE {unnamed} AS SELECT 1 AS n")
other.range(2).writeTo(unnamed).createOrReplace()
assert other.table(unnamed).count() == 2
assert other.sql(f"SELECT * FROM {unnamed}.files").count() > 0
for clause in ["USING variant_shredded", "USING `variant-shredded`"]:
    with pytest.raises(Exception, match="Replacing a table by one of this format"):
        other.sql(f"CREATE OR REPLACE TABLE {unnamed} {clause} AS SELECT 3 AS n")
assert other.table(unnamed).count() == 2

print("ok changes")

# Random queries.
dice = random.Random(12)
NAMES = ["plain", "shredded", "parts", "marked", "upgraded", "changed_iceberg_merge_on_read"]
VALUES = [
    "v:a::int",
    "v:a::string",
    "try_variant_get(v, '$.o.m', 'double')",
    "v:o.m::string",
    "v:t::string",
    "v:o.x::int",
    "to_json(v:o)",
    "v:l[0]::int",
    "to_json(v:l[1])",
    "s.w:k::bigint",
    "to_json(s.w)",
    "id",
    "p",
    "d",
    "s.n",
]
TESTS = [
    "{} IS NULL",
    "{} IS NOT NULL",
    "is_variant_null(v:o.m)",
    "v:a::int > {n}",
    "id < {n}",
    "p = {k}",
    "d > {k}",
    "v:o.x::int IN (1, {k})",
    "v:t::string = '{k}'",
    "s.n BETWEEN {n} AND 250",
    "s.w:k::int < {n}",
    "id IN (SELECT v:a::int FROM shredded WHERE p = {k})",
]


def test() -> str:
    text = dice.choice(TESTS).replace("{}", dice.choice(VALUES))
    return text.replace("{n}", str(dice.randrange(400))).replace("{k}", str(dice.randrange(7)))


reached = 0
for _ in range(queries):
    wanted = ", ".join(f"{value} AS c{i}" for i, value in enumerate(dice.choices(VALUES, k=3)))
    where = dice.choice([" AND ", " OR "]).join(test() for _ in range(dice.randrange(1, 4)))
    name = dice.choice(NAMES)
    query = f"SELECT {wanted} FROM {name} WHERE {where}"
    answers = []
    for sources in ["none", "iceberg"]:
        spark.conf.set(SETTING, sources)
        frame = sql(query)
        answers.append(sorted(str(row) for row in frame.collect()))
    assert answers[0] == answers[1], (query, answers[0][:5], answers[1][:5])
    reached += is_taken(frame)
assert reached * 2 > queries, reached
print("ok random")
print(table("plain").getClass().getProtectionDomain().getCodeSource().getLocation().getPath())
spark.stop()
