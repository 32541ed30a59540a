"""Files as pyarrow sees them, which knows nothing of Variants: groups of ordinary columns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from support import data_files, once
from variant_shredded import read_variant, write_variant
from variant_values import split, tree, trees

pytestmark = once

DOCUMENTS: list[Any] = [
    {"id": 1, "name": "one", "tags": ["a", "b"], "at": {"lat": 1.5}},
    {"id": "two", "name": "two", "tags": []},
    {"id": 3, "tags": ["c", 4], "extra": {"deep": [True]}},
    "text",
    None,
]
SHREDDING = "id bigint, name string, tags array<string>, at struct<lat decimal(9,1)>"


@pytest.fixture(scope="module")
def documents(spark: SparkSession) -> DataFrame:
    rows = [(i, json.dumps(document)) for i, document in enumerate(DOCUMENTS)]
    data = spark.createDataFrame(rows, "id int, text string").coalesce(1)
    return data.selectExpr("id", "parse_json(text) AS v").cache()


def written(documents: DataFrame, path: Path, **options: Any) -> pq.ParquetFile:  # noqa: ANN401
    write_variant(documents, path, shredding=SHREDDING, **options)
    (file,) = data_files(path)
    return pq.ParquetFile(file)


def leaf(file: pq.ParquetFile, *path: str) -> list[Any]:
    """Read one leaf column, by its name, and give its values down the structs it is in."""
    column = file.read(columns=[".".join(path)]).column(0)
    values: list[Any] = pc.struct_field(column, list(path[1:])).to_pylist()
    return values


def test_our_columns(documents: DataFrame, tmp_path: Path) -> None:
    file = written(documents, tmp_path / "t")
    columns = {file.schema.column(i).path for i in range(len(file.schema))}
    assert columns == {
        "id",
        "v.metadata",
        "v.value",
        "v.typed_value.id.value",
        "v.typed_value.id.typed_value",
        "v.typed_value.name.value",
        "v.typed_value.name.typed_value",
        "v.typed_value.tags.value",
        "v.typed_value.tags.typed_value.list.element.value",
        "v.typed_value.tags.typed_value.list.element.typed_value",
        "v.typed_value.at.value",
        "v.typed_value.at.typed_value.lat.value",
        "v.typed_value.at.typed_value.lat.typed_value",
    }
    typed = file.schema_arrow.field("v").type.field("typed_value").type
    assert typed.field("id").type.field("typed_value").type == pa.int64()
    lat = typed.field("at").type.field("typed_value").type.field("lat")
    assert lat.type.field("typed_value").type == pa.decimal128(9, 1)

    assert leaf(file, "v", "typed_value", "id", "typed_value") == [1, None, 3, None, None]
    assert leaf(file, "v", "typed_value", "name", "typed_value") == ["one", "two", None, None, None]
    assert leaf(file, "v", "typed_value", "id", "value") == [None, b"\x0dtwo", None, None, None]
    rest = file.read(columns=["v"]).column("v").to_pylist()
    assert rest[3]["value"] == b"\x11text"
    assert rest[0]["typed_value"]["tags"]["typed_value"] == [
        {"value": None, "typed_value": "a"},
        {"value": None, "typed_value": "b"},
    ]


def test_statistics_of_our_columns(documents: DataFrame, tmp_path: Path) -> None:
    metadata = written(documents, tmp_path / "t").metadata
    group = metadata.row_group(0)
    columns = {group.column(i).path_in_schema: group.column(i) for i in range(group.num_columns)}
    statistics = columns["v.typed_value.id.typed_value"].statistics
    assert (statistics.min, statistics.max, statistics.null_count) == (1, 3, 3)


def test_our_columns_of_the_earlier_layout(documents: DataFrame, tmp_path: Path) -> None:
    file = written(documents, tmp_path / "t", layout="overview")
    assert leaf(file, "v", "object", "id", "typed_value") == [1, None, 3, None, None]
    untyped = leaf(file, "v", "object", "id", "untyped_value")
    assert [value and tree(split(value)) for value in untyped] == [
        None,
        ("string", "two"),
        None,
        None,
        None,
    ]


def shredded(rows: list[Any]) -> pa.Array:
    """Shred objects with an integer `a` and a list of texts `l`, all else in ``value``."""

    def pair(typed: pa.DataType) -> pa.DataType:
        return pa.struct([("value", pa.binary()), ("typed_value", typed)])

    fields = pa.struct(
        [
            pa.field("a", pair(pa.int32()), nullable=False),
            pa.field("l", pair(pa.list_(pa.field("element", pair(pa.string())))), nullable=False),
        ]
    )
    columns = [("metadata", pa.binary()), ("value", pa.binary()), ("typed_value", fields)]
    return pa.array(rows, pa.struct(columns))


#: Metadata with the names a, l; and as values: null, true and the string x.
NAMES = b"\x11\x02\x00\x01\x02al"
NULL, TRUE, X = b"\x00", b"\x04", b"\x05x"

ROWS: list[Any] = [
    {
        "metadata": NAMES,
        "typed_value": {
            "a": {"typed_value": 7},
            "l": {"typed_value": [{"typed_value": "p"}, {"value": TRUE}]},
        },
    },
    {"metadata": NAMES, "typed_value": {"a": {"value": X}, "l": {"value": NULL}}},
    {"metadata": NAMES, "typed_value": {"a": {}, "l": {"typed_value": []}}},
    {"metadata": NAMES, "value": TRUE},
    None,
]
TREES: list[Any] = [
    ("object", {"a": ("int", 7), "l": ("array", [("string", "p"), ("boolean", True)])}),
    ("object", {"a": ("string", "x"), "l": ("null", None)}),
    ("object", {"l": ("array", [])}),
    ("boolean", True),
    None,
]


def test_files_of_arrow(spark: SparkSession, tmp_path: Path) -> None:
    table = pa.table({"id": range(len(ROWS)), "v": shredded(ROWS)})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=2)
    assert "Variant" not in str(pq.ParquetFile(tmp_path / "t.parquet").schema)
    read = read_variant(spark, tmp_path / "t.parquet")
    assert read.schema["v"].dataType.simpleString() == "variant"
    assert trees(read) == TREES
    assert [row[0] for row in read.where("try_variant_get(v, '$.a', 'int') = 7").collect()] == [0]


def test_files_of_arrow_with_columns_in_another_order(spark: SparkSession, tmp_path: Path) -> None:
    group = shredded(ROWS)
    turned = pa.StructArray.from_arrays(
        [group.field("typed_value"), group.field("metadata")],
        names=["typed_value", "metadata"],
        mask=group.is_null(),
    )
    rows = [0, 1, 2, 4]
    table = pa.table({"id": range(len(ROWS)), "v": turned}).take(rows)
    pq.write_table(table, tmp_path / "t.parquet")
    read = read_variant(spark, tmp_path / "t.parquet", schema="id bigint, v variant")
    assert trees(read) == [TREES[i] for i in rows]


@pytest.mark.parametrize("pages", ["1.0", "2.0"])
def test_delta_pages_without_values(spark: SparkSession, tmp_path: Path, pages: str) -> None:
    variant = {"metadata": b"\x01\x00\x00", "value": b"\x0c\x07"}
    required = pa.field("metadata", pa.binary(), nullable=False)
    lists: list[Any] = [None if i % 2 else [i] for i in range(40)]
    columns = {
        "v": pa.array([variant] * 40, pa.struct([required, pa.field("value", pa.binary())])),
        "l": pa.array(lists, pa.list_(pa.int64())),
    }
    pq.write_table(
        pa.table(columns),
        tmp_path / "file.parquet",
        use_dictionary=False,
        data_page_version=pages,
        # Each page has at most one row.
        write_batch_size=1,
        data_page_size=1,
        column_encoding={"l.list.element": "DELTA_BINARY_PACKED"},
    )
    found = read_variant(spark, tmp_path, schema="v variant, l array<bigint>")
    assert [row.l for row in found.select("v", "l").collect()] == lists
    assert found.where("l[0] = 6").count() == 1


@pytest.mark.parametrize("pages", ["1.0", "2.0"])
def test_offset_index_with_a_page_without_rows(
    spark: SparkSession, tmp_path: Path, pages: str
) -> None:
    lists = [[i, i + 1] for i in range(200)]
    pq.write_table(
        pa.table({"id": range(200), "l": pa.array(lists, pa.list_(pa.int64()))}),
        tmp_path / "file.parquet",
        use_dictionary=False,
        data_page_version=pages,
        # Each page has one row, and pyarrow writes one more without rows before the last.
        write_batch_size=1,
        data_page_size=1,
        write_page_index=True,
        column_encoding={"id": "PLAIN", "l.list.element": "DELTA_BINARY_PACKED"},
    )
    found = read_variant(spark, tmp_path, schema="id bigint, l array<bigint>")
    for first in (198, 199):
        rows = found.where(f"id >= {first}").select("l").collect()
        assert [row.l for row in rows] == lists[first:]
