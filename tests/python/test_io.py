from __future__ import annotations

import inspect
import io
import re
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any, cast

import numpy
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import LongType, StructField, StructType, VariantType
from variant_shredded import (
    InvalidOptionError,
    advise,
    configure,
    load_json,
    read_variant,
    register_functions,
    reshred,
    reshred_delta,
    session,
    write_variant,
)
from variant_shredded._arguments import whole_number
from variant_shredded._tools.queries import read_queries


class Recorder:
    """Stands for a DataFrame reader or writer: keeps what it was told."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[object, ...], dict[str, object]]] = []

    @property
    def read(self) -> Recorder:
        return self

    @property
    def write(self) -> Recorder:
        return self

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # any method of Spark's
        def call(*args: object, **kwargs: object) -> Recorder:
            self.calls.append((name, args, kwargs))
            return self

        return call


def recorded() -> Any:  # noqa: ANN401
    return Recorder()


def read(*paths: Any, **arguments: Any) -> Recorder:  # noqa: ANN401
    recorder = Recorder()
    read_variant(cast(SparkSession, recorder), *paths, **arguments)
    return recorder


def write(**arguments: Any) -> Recorder:  # noqa: ANN401
    recorder = Recorder()
    write_variant(cast(DataFrame, recorder), "out", **arguments)
    return recorder


def test_reading_is_format_options_load() -> None:
    recorder = read(
        "a", Path("b"), validation="permissive", recursive_file_lookup=True, max_depth=9
    )
    assert recorder.calls == [
        ("format", ("variant-shredded",), {}),
        (
            "options",
            (),
            {"validation": "permissive", "maxDepth": "9", "recursiveFileLookup": "true"},
        ),
        ("load", (["a", "b"],), {}),
    ]


#: A keyword of Python has the name of the option in snake case, without this prefix.
PREFIX = "shredding."


@pytest.mark.parametrize(
    ("function", "section"),
    [
        (read_variant, "## Reading"),
        (write_variant, "## Writing"),
        (load_json, "## JSON files"),
    ],
)
def test_every_option_is_a_keyword_in_snake_case(
    function: Callable[..., Any], section: str
) -> None:
    page = Path("docs", "options.md").read_text(encoding="utf-8")
    (tables,) = re.findall(rf"(?ms)^{section}$(.*?)(?=^## )", page)
    names = [name.removeprefix(PREFIX) for name in re.findall(r"(?m)^\| `([^`]+)` \|", tables)]
    keywords = {re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower() for name in names}
    # Streams are not written by write_variant.
    keywords -= {"retention"}
    assert len(keywords) > 10
    assert keywords <= set(inspect.signature(function).parameters)


def test_every_keyword_becomes_its_option() -> None:
    recorder = write(
        cluster_by=["$.kind", "$.ts"],
        bloom_filter={"v": ["$.id", "$.tags[*]"], "s.w": "$.key"},
        max_shredded_columns=10,
        min_type_share=0.5,
        cluster_bytes="64m",
        reuse_shredding=False,
        include=["$.a"],
    )
    assert (
        "options",
        (),
        {
            "shredding.include": "$.a",
            "bloomFilter": '{"v": "$.id, $.tags[*]", "s.w": "$.key"}',
            "clusterBy": "$.kind, $.ts",
            "clusterBytes": "64m",
            "reuseShredding": "false",
            "maxShreddedColumns": "10",
            "minTypeShare": "0.5",
        },
    ) in recorder.calls


def test_names_of_spark_stay_as_they_are() -> None:
    options = {"maxDepth": 9, "parquet.block.size": 1, "fs.s3a.a_b": "c"}
    assert ("options", (), {key: str(value) for key, value in options.items()}) in read(
        "a", **options
    ).calls


def test_paths_of_a_wrong_kind() -> None:
    with pytest.raises(InvalidOptionError, match=r"^cluster_by: a list of paths .* not \[1\]$"):
        write(cluster_by=[1])


def test_a_schema_as_text_is_an_option() -> None:
    assert ("options", (), {"schema": "v variant"}) in read("a", schema="v variant").calls


def test_a_schema_as_a_type_becomes_json_which_needs_no_session_in_this_thread() -> None:
    schema = StructType([StructField("a b", LongType()), StructField("v", VariantType())])
    assert ("options", (), {"schema": schema.json()}) in read("a", schema=schema).calls


def test_reading_nothing() -> None:
    with pytest.raises(InvalidOptionError, match=r"^read_variant needs at least one path$"):
        read()


def test_writing_is_format_mode_options_save() -> None:
    assert write().calls == [
        ("format", ("variant-shredded",), {}),
        ("mode", ("error",), {}),
        ("options", (), {}),
        ("save", ("out",), {}),
    ]


def test_every_argument_of_writing() -> None:
    recorder = write(
        shredding={"v": "ts timestamp", "s.w": "a int"},
        mode="append",
        partition_by=["x", "y"],
        compression="zstd",
        **{"parquet.block.size": 1024},
    )
    assert recorder.calls == [
        ("format", ("variant-shredded",), {}),
        ("mode", ("append",), {}),
        (
            "options",
            (),
            {
                "parquet.block.size": "1024",
                "shredding": '{"v": "ts timestamp", "s.w": "a int"}',
                "compression": "zstd",
            },
        ),
        ("partitionBy", ("x", "y"), {}),
        ("save", ("out",), {}),
    ]


def test_one_partition_column() -> None:
    assert ("partitionBy", ("day",), {}) in write(partition_by="day").calls
    assert ("partitionBy", ("`a ``day`",), {}) in write(partition_by="a `day").calls


@pytest.mark.parametrize("text", ["infer", "none", '{"v": "a int"}'])
def test_shredding_as_text_goes_as_it_is(text: str) -> None:
    assert ("options", (), {"shredding": text}) in write(shredding=text).calls


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: read_variant(cast(Any, "a"), "b"), "a SparkSession is needed, not str ('a')"),
        (lambda: load_json(cast(Any, None), "b"), "a SparkSession is needed, not NoneType (None)"),
        (lambda: register_functions(cast(Any, 1)), "a SparkSession is needed, not int (1)"),
        (
            lambda: reshred(cast(Any, None), "a", "b"),
            "a SparkSession is needed, not NoneType (None)",
        ),
        (lambda: reshred_delta(cast(Any, [1]), "./t"), "a SparkSession is needed, not list ([1])"),
        (lambda: advise(cast(Any, None), "a"), "a SparkSession is needed, not NoneType (None)"),
        (lambda: write_variant(cast(Any, [1]), "out"), "a DataFrame is needed, not list ([1])"),
        (lambda: configure(cast(Any, "x")), "a SparkSession.Builder is needed, not str ('x')"),
        (lambda: session(cast(Any, 5)), "a SparkSession.Builder is needed, not int (5)"),
        (lambda: write(mode=5), "mode: a string is needed, not int"),
        (lambda: write(json=5), "json: a string is needed, not int"),
        (lambda: write(json=["line"]), "json: a string is needed, not list"),
        (lambda: write(json="line", json_as=5), "json_as: a string is needed, not int"),
        (
            lambda: write(json="line", malformed="keep", malformed_column=b"bad"),
            "malformed_column: a string is needed, not bytes",
        ),
        (
            lambda: write(json="a", malformed=[]),
            'malformed: "fail", "null" or "keep" is needed, not []',
        ),
        (lambda: advise(recorded(), "a", table=cast(Any, 5)), "table: a string is needed, not int"),
        (
            lambda: advise(recorded(), "a", column=cast(Any, [])),
            "column: a string is needed, not list",
        ),
        (
            lambda: write(partition_by=5),
            "partition_by: a string or a list of strings is needed, not int (5)",
        ),
        (
            lambda: write(partition_by=["day", 5]),
            "partition_by: a string or a list of strings is needed, not list (['day', 5])",
        ),
        (
            lambda: write_variant(recorded(), cast(Any, None)),
            "path: a path is needed, not NoneType",
        ),
        (lambda: read([None]), "read_variant: a path is needed, not NoneType"),
        (
            lambda: load_json(recorded(), [cast(Any, b"a")]),
            "load_json: a path is needed, not bytes",
        ),
        (
            lambda: load_json(recorded(), "a", base_path=cast(Any, 5)),
            "base_path: a path is needed, not int",
        ),
        (lambda: read("a", schema=["v"]), "schema: DDL or a StructType is needed, not list"),
        (
            lambda: session(master="local[2]"),
            "master: this is no setting of Spark: session(**{'spark.master': 'local[2]'}) gives "
            "one, and session(builder) gives a builder",
        ),
        (
            lambda: session(**{"spark.jars": cast(Any, ["/opt/udf.jar"])}),
            "spark.jars: a path is needed, not list",
        ),
        (
            lambda: configure(SparkSession.Builder(), jars=[cast(Any, 5)]),
            "jars: a path is needed, not int",
        ),
    ],
)
def test_arguments_of_another_type(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        call()
    assert str(caught.value) == message


def test_numbers_of_numpy_are_numbers() -> None:
    options = {"maxDepth": "5", "minFrequency": "0.5"}
    found = read("a", max_depth=numpy.int64(5), min_frequency=numpy.float32(0.5))
    assert ("options", (), options) in found.calls


def test_a_member_of_an_enumeration_of_texts_is_its_text() -> None:
    class Codec(str, Enum):
        ZSTD = "zstd"

    assert ("options", (), {"compression": "zstd"}) in write(compression=Codec.ZSTD).calls


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        ([Path("q.sql")], "queries[0]: SQL as a string is needed, not PosixPath ("),
        (["SELECT 1", None], "queries[1]: SQL as a string is needed, not NoneType (None)"),
        (5, "queries: SQL or a path is needed, not int"),
        (io.StringIO("SELECT\n1"), "queries: SQL or a path is needed, not StringIO"),
        ({"SELECT 1": 1}, "queries: SQL or a path is needed, not dict"),
    ],
)
def test_queries_of_a_wrong_kind(queries: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(InvalidOptionError) as caught:
        read_queries(queries)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("kind", [iter, set, frozenset, lambda texts: {"a": texts[0]}.values()])
def test_queries_can_be_any_collection_of_texts(kind: Callable[[list[str]], Any]) -> None:
    assert [found.text for found in read_queries(kind(["SELECT 1; "]))] == ["SELECT 1"]


@pytest.mark.parametrize("rows", ["9", 0, 0.5, 1.5, -1e6, float("inf"), float("nan"), True, None])
def test_a_number_of_rows_of_a_wrong_kind(rows: Any) -> None:  # noqa: ANN401
    said = re.escape(f"rows: a whole number from 1 on is needed, not {rows!r}")
    with pytest.raises(InvalidOptionError, match=f"^{said}$"):
        advise(recorded(), "t", rows=rows)


def test_a_float_without_decimal_places_is_a_whole_number() -> None:
    found = whole_number("rows", 1e6)
    assert (found, type(found)) == (1_000_000, int)


def test_queries_that_are_not_utf_8(tmp_path: Path) -> None:
    file = tmp_path / "latin1.sql"
    file.write_bytes("SELECT 'é'".encode("latin1"))
    with pytest.raises(InvalidOptionError) as caught:
        read_queries(file)
    assert str(caught.value) == f"{file}: not UTF-8 at byte 8"


def test_shredding_of_another_type() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        write(shredding=["v"])
    assert str(caught.value) == (
        'shredding: "infer", "none", "like:PATH", DDL, or a mapping of columns to these is needed, '
        "not list"
    )


def test_shredding_of_a_column_of_another_type() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        write(shredding={"v": {"a": "int"}})
    assert str(caught.value) == (
        "shredding: column 'v': its fields are given as a DDL string, not {'a': 'int'}"
    )


def test_an_option_of_another_type() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        read("a", pathGlobFilter=["*.parquet"])
    assert str(caught.value) == (
        "option pathGlobFilter: a string, number or boolean is needed, not list"
    )


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ({"include": ["$.a.b", "$['x y']"]}, {"shredding.include": "$.a.b, $['x y']"}),
        ({"exclude": ("$.a",)}, {"shredding.exclude": "$.a"}),
        (
            {"pin": ["$.a int", "$.b struct<c int>"]},
            {"shredding.pin": "$.a int, $.b struct<c int>"},
        ),
        ({"pin": {"$.a": "int", "$.b": "string"}}, {"shredding.pin": "$.a int, $.b string"}),
        (
            {"include": {"v": ["$.a"], "s.w": ["$.b", "$.c"]}},
            {"shredding.v.include": "$.a", "shredding.s.w.include": "$.b, $.c"},
        ),
        (
            {"pin": {"v": {"$.a": "int"}, "w": ["$.b int"]}},
            {"shredding.v.pin": "$.a int", "shredding.w.pin": "$.b int"},
        ),
        ({"include": {}}, {}),
        (
            {"shredding": "infer", "exclude": ["$.a"], "compression": "zstd"},
            {"shredding": "infer", "shredding.exclude": "$.a", "compression": "zstd"},
        ),
    ],
)
def test_what_is_chosen_by_hand(arguments: dict[str, Any], options: dict[str, str]) -> None:
    assert ("options", (), options) in write(**arguments).calls


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"include": "$.a"}, "include: a list of paths such as ['$.a'] is needed, not '$.a'"),
        ({"include": []}, "include: a list of paths such as ['$.a'] is needed, not []"),
        ({"exclude": ["a"]}, "exclude: a list of paths such as ['$.a'] is needed, not ['a']"),
        (
            {"exclude": {"v": "$.a"}},
            "exclude: a list of paths such as ['$.a'] is needed, not '$.a'",
        ),
        (
            {"include": {"$.a": "int"}},
            "include: a list of paths such as ['$.a'] is needed, not {'$.a': 'int'}",
        ),
        (
            {"pin": {"$.a": 1}},
            "pin: a mapping of paths to types such as {'$.ts': 'timestamp'} is needed, "
            "not {'$.a': 1}",
        ),
        ({"pin": {"$.a": "int", "b": "int"}}, "pin: 'b' is not a path such as '$.a'"),
        (
            {"pin": 7},
            "pin: a mapping of paths to types such as {'$.ts': 'timestamp'} is needed, not 7",
        ),
    ],
)
def test_a_choice_of_another_form(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        write(**arguments)
    assert str(caught.value) == message
