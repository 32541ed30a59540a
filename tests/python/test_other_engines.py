"""Files between this source and others: DuckDB, Arrow, Spark's own Parquet source."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import pyarrow as pa
import pyarrow.parquet
import pytest
from pyspark.errors import IllegalArgumentException
from pyspark.sql import DataFrame, SparkSession
from support import data_files, once
from variant_shredded import inspect, read_variant, write_variant
from variant_values import Tree, python, trees

pytestmark = once

DOCUMENTS: list[Any] = [
    {"id": 1, "name": "one", "tags": ["a", "b"], "at": {"lat": 1.5, "lon": -2.25}},
    {"id": 2, "name": "two", "tags": [], "at": {"lat": 3.5}},
    {"id": "three", "name": None, "tags": ["c", 4, None], "extra": {"deep": [[1], {"x": True}]}},
    {"id": 5_000_000_000, "name": "日本語 🎉", "at": "nowhere"},
    {},
    [],
    [1, "two", 3.5, None, {"id": 6}],
    "text",
    7,
    -1.25,
    True,
    None,
]
GIVEN = "id bigint, name string, tags array<string>, at struct<lat double, lon double>"
GIVEN_IN_DUCKDB = (
    'STRUCT(id BIGINT, "name" VARCHAR, tags VARCHAR[], "at" STRUCT(lat DOUBLE, lon DOUBLE))'
)


@pytest.fixture(scope="module")
def documents(spark: SparkSession) -> DataFrame:
    rows = [(i, json.dumps(document)) for i, document in enumerate(DOCUMENTS)]
    data = spark.createDataFrame(rows, "id int, text string").coalesce(1)
    return data.selectExpr("id", "parse_json(text) AS v").cache()


@pytest.fixture
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


def values(data: DataFrame) -> list[Any]:
    return [_numbers_alike(python(value)) for value in trees(data)]


def _numbers_alike(value: Any) -> Any:  # noqa: ANN401
    """Give decimals as floats: engines differ in what they make of ``1.5`` in JSON."""
    if isinstance(value, dict):
        return {name: _numbers_alike(child) for name, child in value.items()}
    if isinstance(value, list):
        return [_numbers_alike(child) for child in value]
    return value if isinstance(value, (bool, int, str)) or value is None else float(value)


@pytest.mark.parametrize(
    "shredding", ["infer", "none", {"v": GIVEN}], ids=["infer", "none", "given"]
)
def test_duckdb_reads_our_files(
    spark: SparkSession,
    duck: duckdb.DuckDBPyConnection,
    documents: DataFrame,
    tmp_path: Path,
    shredding: Any,  # noqa: ANN401
) -> None:
    write_variant(documents, tmp_path / "t", shredding=shredding)
    rows = duck.execute(
        f"SELECT id, v::JSON::VARCHAR FROM read_parquet('{tmp_path / 't'}/*.parquet') ORDER BY id"
    ).fetchall()
    found = [None if text is None else json.loads(text) for _, text in rows]
    assert [_numbers_alike(value) for value in found] == DOCUMENTS
    types = duck.execute(
        f"DESCRIBE SELECT v FROM read_parquet('{tmp_path / 't'}/*.parquet')"
    ).fetchall()
    assert types[0][1] == "VARIANT"


#: DDL, value in Spark's SQL, type in DuckDB, text in DuckDB.
TYPED = [
    ("tinyint", "7Y", "INT8", "7"),
    ("smallint", "300S", "INT16", "300"),
    ("int", "70000", "INT32", "70000"),
    ("bigint", "5000000000", "INT64", "5000000000"),
    ("float", "float(1.5)", "FLOAT", "1.5"),
    ("double", "2.25D", "DOUBLE", "2.25"),
    ("decimal(9,2)", "12.34BD", "DECIMAL(9, 2)", "12.34"),
    ("decimal(18,3)", "-1234567890.123BD", "DECIMAL(18, 3)", "-1234567890.123"),
    ("decimal(38,1)", "123456789012345678901.2BD", "DECIMAL(38, 1)", "123456789012345678901.2"),
    ("date", "DATE'2024-02-29'", "DATE", "2024-02-29"),
    (
        "timestamp",
        "TIMESTAMP'2024-02-29 01:02:03.456'",
        "TIMESTAMP_MICROS_TZ",
        "2024-02-29 01:02:03.456+00",
    ),
    (
        "timestamp_ntz",
        "TIMESTAMP_NTZ'2024-02-29 01:02:03.456'",
        "TIMESTAMP_MICROS",
        "2024-02-29 01:02:03.456",
    ),
    ("binary", "X'AA00'", "BLOB", "\\xAA\\x00"),
    ("boolean", "true", "BOOL_TRUE", "true"),
    ("string", "'日本'", "VARCHAR", "日本"),
]


@pytest.mark.parametrize("shredded", [True, False])
def test_duckdb_reads_our_types(
    spark: SparkSession, duck: duckdb.DuckDBPyConnection, tmp_path: Path, shredded: bool
) -> None:
    values = ", ".join(f"'f{i}', {value}" for i, (_, value, _, _) in enumerate(TYPED))
    row = spark.sql(f"SELECT to_variant_object(named_struct({values})) AS v")
    ddl = ", ".join(f"f{i} {ddl}" for i, (ddl, _, _, _) in enumerate(TYPED))
    write_variant(row, tmp_path / "t", shredding=ddl if shredded else "none")
    columns = ", ".join(f"variant_typeof(v.f{i}), v.f{i}::VARCHAR" for i in range(len(TYPED)))
    duck.execute("SET TimeZone = 'UTC'")
    found = duck.execute(f"SELECT {columns} FROM read_parquet('{tmp_path / 't'}/*.parquet')")
    (cells,) = found.fetchall()
    kinds = [name for _, _, name, _ in TYPED]
    if not shredded:  # then decimals of up to 18 digits have those of their value
        kinds[6:8] = ["DECIMAL(4, 2)", "DECIMAL(13, 3)"]
    assert list(cells[::2]) == kinds
    assert list(cells[1::2]) == [text for _, _, _, text in TYPED]


def test_duckdb_sees_columns_of_the_earlier_layout(
    duck: duckdb.DuckDBPyConnection, documents: DataFrame, tmp_path: Path
) -> None:
    write_variant(documents, tmp_path / "t", shredding={"v": GIVEN}, layout="overview")
    files = f"read_parquet('{tmp_path / 't'}/*.parquet')"
    found = duck.execute(f"SELECT v.object.id.typed_value FROM {files} ORDER BY id").fetchall()
    assert [value for (value,) in found][:5] == [1, 2, None, 5_000_000_000, None]


def duckdb_file(duck: duckdb.DuckDBPyConnection, path: Path, options: str) -> None:
    duck.execute("CREATE TABLE docs (id INTEGER, v VARIANT)")
    for i, document in enumerate(DOCUMENTS):
        duck.execute("INSERT INTO docs SELECT ?, ?::JSON::VARIANT", [i, json.dumps(document)])
    duck.execute(f"COPY docs TO '{path}' (FORMAT parquet{options})")


def test_duckdb_reads_files_that_roll_on_and_are_clustered(
    spark: SparkSession, duck: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    def document(i: int) -> Any:  # noqa: ANN401
        if i % 100 == 0:
            return DOCUMENTS[i // 100 % len(DOCUMENTS)]
        return {"k": i % 7, "old": {"s": f"x{i}"}} if i < 2000 else {"k": f"k{i % 7}", "new": [i]}

    count = 5000
    rows = [(i, json.dumps(document(i))) for i in range(count)]
    data = spark.createDataFrame(rows, "id int, text string").coalesce(1)
    write_variant(
        data.selectExpr("id", "parse_json(text) AS v"),
        tmp_path / "t",
        inferRows=500,
        driftRows=1500,
        clustering="shape",
        cluster_by="$.k",
        cluster_bytes="100k",
        bloom_filter="$.old.s, $.k",
    )
    assert len(data_files(tmp_path / "t")) == 2
    found = duck.execute(
        f"SELECT id, v::JSON::VARCHAR FROM read_parquet('{tmp_path / 't'}/*.parquet') ORDER BY id"
    ).fetchall()
    assert [i for i, _ in found] == list(range(count))
    texts = [None if text is None else json.loads(text) for _, text in found]
    expected = [document(i) for i in range(count)]
    assert [_numbers_alike(value) for value in texts] == [_numbers_alike(v) for v in expected]
    assert values(read_variant(spark, tmp_path / "t")) == [
        _numbers_alike(value) for value in expected
    ]


def _changing_documents(seed: int, phases: int, rows: int) -> list[Any]:
    """Make up rows that are alike for a while, in fields and types, with a few that are not."""
    rng = random.Random(seed)
    kinds: list[Any] = [
        lambda: rng.randrange(50),
        lambda: rng.randrange(-(2**62), 2**62),
        lambda: f"text {rng.randrange(50)}",
        lambda: rng.randrange(10_000) / 100,
        lambda: rng.random() < 0.5,
        lambda: {"k": rng.randrange(50), "s": f"日本 {rng.randrange(9)}"},
        lambda: [f"e{rng.randrange(9)}" for _ in range(rng.randrange(4))],
        lambda: [{"n": rng.randrange(9)} for _ in range(rng.randrange(3))],
    ]
    documents = []
    for _ in range(phases):
        names = rng.sample(["k", "a", "b", "list", "at", "an odd, $.name", "é"], 5)
        usual = {name: rng.choice(kinds) for name in names}
        for _ in range(rows):
            document = {
                name: rng.choice(kinds)() if rng.random() < 0.08 else make()
                for name, make in usual.items()
                if rng.random() < 0.9
            }
            rare = rng.random()
            documents.append(
                rng.choice(DOCUMENTS)
                if rare < 0.03
                else {**document, f"own{rng.randrange(99)}": None}
                if rare < 0.1
                else document
            )
    return documents


@pytest.mark.parametrize("seed", [1, 2])
def test_all_engines_read_files_with_everything_on(
    spark: SparkSession, duck: duckdb.DuckDBPyConnection, tmp_path: Path, seed: int
) -> None:
    documents = _changing_documents(seed, phases=4, rows=1200)
    rows = [(i, json.dumps(document)) for i, document in enumerate(documents)]
    data = spark.createDataFrame(rows, "id int, text string").coalesce(1)
    parquet: dict[str, Any] = {
        "parquet.block.row.count.limit": 500,
        "parquet.page.row.count.limit": 100,
        "parquet.page.size": 4096,
    }
    write_variant(
        data.selectExpr("id", "parse_json(text) AS v"),
        tmp_path / "t",
        compression="zstd",
        inferRows=300,
        driftRows=900,
        clustering="shape",
        cluster_by="$.k, $.b.k",
        cluster_bytes="200k",
        bloom_filter="$.k, $.a, $.list[*], $['an odd, $.name']",
        **parquet,
    )
    files = [pyarrow.parquet.ParquetFile(file) for file in data_files(tmp_path / "t")]
    assert len(files) > 1
    assert max(file.num_row_groups for file in files) > 1
    orders = [file.read(["id"]).column("id").to_pylist() for file in files]
    assert sorted(i for order in orders for i in order) == list(range(len(documents)))
    assert any(order != sorted(order) for order in orders)

    expected = [_numbers_alike(document) for document in documents]
    found = duck.execute(
        f"SELECT id, v::JSON::VARCHAR FROM read_parquet('{tmp_path / 't'}/*.parquet') ORDER BY id"
    ).fetchall()
    assert [i for i, _ in found] == list(range(len(documents)))
    by_duck = [None if text is None else _numbers_alike(json.loads(text)) for _, text in found]
    assert by_duck == expected
    assert values(read_variant(spark, tmp_path / "t")) == expected
    assert values(spark.read.parquet(str(tmp_path / "t"))) == expected


@pytest.mark.parametrize(
    "options", ["", f", SHREDDING {{v: '{GIVEN_IN_DUCKDB}'}}"], ids=["auto", "given"]
)
def test_we_read_files_of_duckdb(
    spark: SparkSession, duck: duckdb.DuckDBPyConnection, tmp_path: Path, options: str
) -> None:
    duckdb_file(duck, tmp_path / "d.parquet", options)
    read = read_variant(spark, tmp_path / "d.parquet")
    assert [field.dataType.simpleString() for field in read.schema] == ["int", "variant"]
    assert values(read) == DOCUMENTS


def test_duckdb_renames_a_field_without_a_name(
    spark: SparkSession, duck: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    """DuckDB shreds the field under a name that its metadata lacks; docs/interop.md says so."""
    text = '{"": 1, "a": 2}'
    file = tmp_path / "d.parquet"
    select = f"SELECT 1 AS id, '{text}'::JSON::VARIANT AS v"
    duck.execute(f"COPY ({select}) TO '{file}' (FORMAT parquet)")
    ours = read_variant(spark, file)
    assert ours.selectExpr("v:a::int").collect() == [(2,)]
    with pytest.raises(IllegalArgumentException, match="its name is not in the metadata") as error:
        values(ours)
    assert "path=$.element2" in str(error.value)
    found = duck.execute(f"SELECT v::JSON::VARCHAR FROM '{file}'").fetchall()
    assert [json.loads(row) for (row,) in found] == [{"a": 2, "element2": 1}]

    data = spark.sql(f"SELECT parse_json('{text}') AS v")
    for shredding in ("none", "infer"):
        write_variant(data, tmp_path / shredding, shredding=shredding)
        found = duck.execute(
            f"SELECT v::JSON::VARCHAR FROM read_parquet('{tmp_path / shredding}/*.parquet')"
        ).fetchall()
        assert [json.loads(row) for (row,) in found] == [json.loads(text)]


def test_duckdb_types(spark: SparkSession, duck: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    """Read DuckDB's typed Variants, among them types that Spark's own reader refuses."""
    time = datetime(2024, 2, 29, 1, 2, 3, 456_000, tzinfo=timezone.utc)
    micros = (time - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(microseconds=1)
    uuid = "00112233-4455-6677-8899-aabbccddeeff"
    selects: list[tuple[str, Tree]] = [
        ("1::TINYINT", ("int", 1)),
        ("-2::SMALLINT", ("int", -2)),
        ("3::BIGINT", ("int", 3)),
        ("1.5::FLOAT", ("float", (1.5).hex())),
        ("2.25::DOUBLE", ("double", (2.25).hex())),
        ("12.345::DECIMAL(9,3)", ("decimal", (12345, 3))),
        ("DATE '2024-02-29'", ("date", time.date())),
        ("TIMESTAMP '2024-02-29 01:02:03.456'", ("timestamp_ntz", micros)),
        ("TIMESTAMPTZ '2024-02-29 01:02:03.456+00'", ("timestamp", micros)),
        ("TIME '01:02:03'", ("time", 3_723_000_000)),
        (f"UUID '{uuid}'", ("uuid", UUID(uuid))),
        ("'\\xAA\\x00'::BLOB", ("binary", b"\xaa\x00")),
    ]
    for i, (value, expected) in enumerate(selects):
        shapes: list[tuple[str, Tree]] = [
            (value, expected),
            (f"{{'f': {value}}}", ("object", {"f": expected})),
            (f"[{value}]", ("array", [expected])),
        ]
        for shape, wanted in shapes:
            file = tmp_path / f"{i}.parquet"
            duck.execute(
                f"COPY (SELECT i AS id, ({shape})::VARIANT AS v FROM range(3) r(i)) "
                f"TO '{file}' (FORMAT parquet)"
            )
            found = trees(read_variant(spark, file))
            assert len(found) == 3
            assert found[0] == found[1] == found[2]
            text = duck.execute(f"SELECT v::VARCHAR FROM read_parquet('{file}')").fetchone()
            assert found[0] is not None, (value, text)
            assert found[0] == wanted, text


def test_arrow_reads_our_schema(spark: SparkSession, documents: DataFrame, tmp_path: Path) -> None:
    write_variant(documents, tmp_path / "t", shredding={"v": "id bigint, name string"})
    (file,) = data_files(tmp_path / "t")
    schema = str(pyarrow.parquet.ParquetFile(file).schema)
    assert "optional group field_id=-1 v (Variant" in schema
    table = pyarrow.parquet.read_table(file, columns=["id", "v"])
    assert table.num_rows == len(DOCUMENTS)
    struct = table.column("v").combine_chunks().to_pylist()
    assert struct[0]["typed_value"]["id"] == {"value": None, "typed_value": 1}


def test_spark_reads_our_files(spark: SparkSession, documents: DataFrame, tmp_path: Path) -> None:
    shreddings: list[Any] = ["infer", "none", {"v": GIVEN}, {"v": "string"}]
    for number, shredding in enumerate(shreddings):
        write_variant(documents, tmp_path / str(number), shredding=shredding)
        assert trees(spark.read.parquet(str(tmp_path / str(number)))) == trees(documents)


def test_we_read_files_that_spark_shreds_by_itself(
    spark: SparkSession, documents: DataFrame, tmp_path: Path
) -> None:
    settings = {
        "spark.sql.variant.writeShredding.enabled": "true",
        "spark.sql.variant.inferShreddingSchema": "true",
    }
    for key, value in settings.items():
        spark.conf.set(key, value)
    objects = documents.where("id < 2 OR id = 3").coalesce(1)  # among more, Spark shreds nothing
    try:
        objects.write.parquet(str(tmp_path / "t"))
    finally:
        for key in settings:
            spark.conf.unset(key)
    (file,) = data_files(tmp_path / "t")
    assert "typed_value" in str(pyarrow.parquet.ParquetFile(file).schema)
    assert trees(read_variant(spark, tmp_path / "t")) == trees(objects)


@pytest.mark.parametrize("settings", [{}, {"aggregateFooters": "false"}])
def test_null_counts_of_dictionaries_in_structs(
    spark: SparkSession, tmp_path: Path, settings: dict[str, str]
) -> None:
    metadata = pa.array([b"\x01\x00\x00"] * 3, pa.binary()).dictionary_encode()
    value = pa.array([b"\x0c\x07", b"\x00", b"\x0c\x08"], pa.binary())
    text = pa.array(["a", "b", "x"]).dictionary_encode()
    is_null = pa.array([False, True, False])
    v = _struct({"metadata": metadata, "value": value}, is_null)
    table = pa.table({"id": [1, 2, 3], "v": v, "s": _struct({"d": text}, is_null)})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    columns = pyarrow.parquet.read_metadata(tmp_path / "t.parquet").row_group(0)
    nulls = {
        column.path_in_schema: column.statistics.null_count
        for column in map(columns.column, range(columns.num_columns))
    }
    assert (nulls["v.metadata"], nulls["s.d"]) == (0, 0), "pyarrow counts the nulls now"
    schema = "id BIGINT, v VARIANT, s STRUCT<d: STRING>"
    read_variant(spark, tmp_path, schema=schema).createOrReplaceTempView("dictionaries")
    prefix = "spark.sql.variantShredded."
    try:
        for name, given in settings.items():
            spark.conf.set(prefix + name, given)
        counts = spark.sql("SELECT count(v), count(s.d), count(v::int) FROM dictionaries").first()
        assert counts == (2, 2, 2)
        for test in ["v IS NULL", "s.d IS NULL", "s IS NULL", "v::int IS NULL"]:
            found = spark.sql(f"SELECT id FROM dictionaries WHERE {test}").collect()
            assert [row.id for row in found] == [2], test
    finally:
        for name in settings:
            spark.conf.unset(prefix + name)
    summary = inspect(spark, tmp_path).path("$")
    assert (summary.residual_values, summary.residual_types) == (None, ("bigint",))
    assert summary.why_not_shredded != "there is no value in the sample"


def _struct(fields: dict[str, Any], is_null: Any) -> Any:  # noqa: ANN401
    typed = [pa.field(name, array.type, nullable=False) for name, array in fields.items()]
    return pa.StructArray.from_arrays(list(fields.values()), fields=typed, mask=is_null)
