"""The demo: on inputs of all kinds, and as a whole."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from demo import fields, queries, report
from demo.__main__ import main
from demo.documents import InputError, find_documents
from demo.steps import load_and_write, show_queries, show_schema
from pyspark.sql import SparkSession
from support import ROOT, once, run_script, slow

#: ``make demo`` runs on one version.
pytestmark = once


@pytest.fixture(scope="module", autouse=True)
def no_view_is_left(spark: SparkSession) -> Iterator[None]:
    """Drop the view of the demo: other tests make one with this name."""
    yield
    spark.catalog.dropTempView("events")


def lines(*documents: object) -> str:
    return "".join(json.dumps(document) + "\n" for document in documents)


@pytest.mark.parametrize(
    ("text", "form", "expected"),
    [
        ('{"a": 1}\n{"a": 2}\n', "JSON lines", None),
        ('{"a": 1}', "JSON lines", None),
        ('[1]\n["two"]\n', "JSON lines", None),
        ('not JSON\n{"a": 1}\n', "JSON lines", None),
        ('{"a": 1}\nnot JSON\n', "JSON lines", None),
        ("null\n1\n", "JSON lines", None),
        ('[{"a": 1.10}, {"a":\n 2e400}]', "one JSON array", ['{"a": 1.10}', '{"a":  2e400}']),
        ('\ufeff [\r\n  1,\r\n  "x\\n,]"\r\n]\n', "one JSON array", ["1", '"x\\n,]"']),
        ("[]", "one JSON array", []),
        (
            '{\n "a": 1\n}\n{\n "a": 2}',
            "documents over several lines",
            ['{  "a": 1 }', '{  "a": 2}'],
        ),
        ("[\n1,\n2\n] 3", "JSON lines", None),
        ("[" * 100_000, "JSON lines", None),
        ("\n \n[\n1]", "one JSON array", ["1"]),
    ],
)
def test_forms_of_files(tmp_path: Path, text: str, form: str, expected: list[str] | None) -> None:
    file = tmp_path / "x.json"
    file.write_text(text, newline="")
    found = find_documents(file, tmp_path / "lines")
    assert found.forms == {form: 1}
    assert found.size == file.stat().st_size
    if expected is None:
        assert found.files == (file,)
    else:
        assert found.files[0].read_text().splitlines() == expected


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "in" / "a.jsonl").write_text("1\n2\n")
    (tmp_path / "in" / "sub" / "b.json.gz").write_bytes(gzip.compress(b"[1,\n2]"))
    for name in ("README.md", "_SUCCESS", ".hidden.json", "empty.json"):
        (tmp_path / "in" / name).write_text("" if name == "empty.json" else "x\n")
    found = find_documents(tmp_path / "in", tmp_path / "lines")
    assert [file.name for file in found.files] == ["a.jsonl", "00001.jsonl"]
    assert found.forms == {"JSON lines": 1, "one JSON array": 1}


def test_a_folder_without_names_of_json(tmp_path: Path) -> None:
    (tmp_path / "events_1").write_text("1\n")
    assert find_documents(tmp_path, tmp_path / "lines").files == (tmp_path / "events_1",)


@pytest.mark.parametrize("make", [None, "empty file", "empty folder"])
def test_nothing_to_read(
    tmp_path: Path, make: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "in.json"
    if make == "empty file":
        path.touch()
    elif make == "empty folder":
        path.mkdir()
    with pytest.raises(InputError):
        find_documents(path, tmp_path)
    assert main([str(path)]) == 2
    out, err = capsys.readouterr()
    assert err == f"demo: {path} {'does not exist' if make is None else 'is empty'}\n"
    assert out == ""


def test_a_name_that_spark_hides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "_x.json").write_text("1\n")
    assert main([str(tmp_path / "_x.json")]) == 2
    said = f"demo: {tmp_path}/_x.json: Spark reads no file whose name begins with '_' or '.'\n"
    assert capsys.readouterr().err == said


def test_a_name_with_characters_of_globs(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a[1].json").write_text('{"a": 1}\n')
    found = find_documents(tmp_path / "a[1].json", tmp_path / "lines")
    assert load_and_write(spark, "a test", found, tmp_path).rows == 1


def test_fields_are_chosen_by_the_data() -> None:
    documents = [
        {"kind": "ab"[i % 2], "id": f"key-{i}", "n": 1, "at": {"x y": i, "who": "cd"[i % 3 // 2]}}
        for i in range(12)
    ]
    chosen = fields.choose(map(json.dumps, documents))
    assert chosen.group is not None
    assert chosen.number is not None
    assert chosen.filter is not None
    assert chosen.group.path == ("kind",)
    assert chosen.number.path == ("at", "x y")
    assert chosen.filter.path == ("at", "who")
    assert [query.sql for query in queries.make_queries(chosen)] == [
        "SELECT v:kind::string AS kind, count(*) AS documents\nFROM events\nGROUP BY 1\n"
        "ORDER BY documents DESC, kind\nLIMIT 5",
        "SELECT count(x) AS documents, min(x) AS min, max(x) AS max, avg(x) AS avg\n"
        "FROM (SELECT try_variant_get(v, '$.at[\"x y\"]', 'bigint') AS x\n      FROM events)",
        "SELECT count(*) AS documents\nFROM events\nWHERE v:at.who::string = 'c'",
    ]


@pytest.mark.parametrize("sample", [[], ["null"], ["[1, 2]"], ['{"a": {"b": {"c": {"d": 1}}}}']])
def test_queries_of_documents_without_fields(sample: list[str]) -> None:
    assert len(queries.make_queries(fields.choose(sample))) == 3


def test_aligned_columns() -> None:
    table = report.answer(["name", "n"], [("x", 1234567), (None, 0.5), ("long name", True)])
    assert table.splitlines() == [
        "  name       n",
        "  x          1,234,567",
        "  NULL       0.5",
        "  long name  True",
    ]


ODD = [
    {"it's": "a 'b'", "n": 1.5, "documents": "x"},
    {"it's": "a 'b'", "n": 2, "documents": "x"},
    {"it's": "c\\d", "n": "3", "documents": "y"},
    {"it's": "c\\d", "n": None, "documents": "y", "select": {"a.b": {"0": "{view}"}}},
    {"it's": 4, "n": [1], "documents": {}, "select": {"a.b": {"0": "{view}"}}},
    {"select": {"a.b": {"0": "{}"}}},
    {"select": {"a.b": {"0": "{}"}}},
]


@pytest.mark.parametrize(
    "text",
    [
        lines(*ODD) + "no JSON\n\n  \n" + '{"twice": 1, "twice": 2}\n',
        lines(1, 2, 2.5, "x", None, [1], {}),
        lines("a", "a", "b", "b"),
        lines(None, None),
        lines([], [[]], [{}]),
    ],
    ids=["odd names", "all kinds", "strings", "nulls", "arrays"],
)
def test_steps(
    spark: SparkSession, tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in.jsonl").write_text(text)
    copies = load_and_write(
        spark, "a test", find_documents(tmp_path / "in.jsonl", tmp_path), tmp_path
    )
    show_schema(spark, copies.shredded)
    assert show_queries(spark, copies)
    out = capsys.readouterr().out
    assert "the same values" in out
    assert out.count("same answer from Spark's own Parquet source") == 3
    assert ("2 lines: no JSON that a Variant can hold" in out) == ("no JSON" in text)


def test_nothing_but_lines_that_are_not_json(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text("<html>\n</html>\n")
    with pytest.raises(InputError, match="no JSON document"):
        load_and_write(spark, "a test", find_documents(tmp_path / "in.json", tmp_path), tmp_path)


def test_files_that_are_shredded_differently(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, document in (("a", {"x": 1}), ("b", {"x": "s", "`y": [{"z": True}]})):
        (tmp_path / f"{name}.json").write_text(lines(document) * 50)
    found = find_documents(tmp_path, tmp_path / "lines")
    spark.conf.set("spark.sql.files.maxPartitionBytes", "1000")
    try:
        copies = load_and_write(spark, "two", found, tmp_path)
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")
    capsys.readouterr()
    show_schema(spark, copies.shredded)
    out = capsys.readouterr().out
    assert "with 2 different schemas" in out
    assert "array<struct<z boolean>>" in out


def test_webhooks(
    spark: SparkSession,
    tmp_path: Path,
    shared: Callable[[str], Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = find_documents(shared("data/github-webhooks.json"), tmp_path / "lines")
    assert found.forms == {"one JSON array": 1}
    copies = load_and_write(spark, "webhooks", found, tmp_path)
    assert copies.rows == 58
    show_schema(spark, copies.shredded)
    assert show_queries(spark, copies)
    assert "the same values" in capsys.readouterr().out


@slow
def test_the_whole_demo(tmp_path: Path) -> None:
    """Run it on its own event log, and keep the files."""
    out = run_script(
        f"import sys; sys.path.append({str(ROOT / 'examples')!r})\n"
        "from demo.__main__ import main; sys.exit(main(sys.argv[1:]))",
        f"--keep={tmp_path / 'kept'}",
    )
    assert "the event log of a Spark job" in out
    assert "the same values" in out
    assert out.count("same answer from Spark's own Parquet source") == 3
    assert "SparkListenerTaskEnd" in out
    assert max(map(len, out.splitlines())) <= 110
    assert list((tmp_path / "kept" / "shredded.parquet").glob("*.parquet"))
