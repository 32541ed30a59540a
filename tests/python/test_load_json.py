"""``load_json`` and ``variant-shredded load``: JSON files that become shredded Variants."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import zstandard
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from support import Run, once
from variant_shredded import InvalidOptionError, load_json, read_variant, write_variant

pytestmark = once

EVENTS = [{"id": n, "kind": "push", "tags": ["a", {"b": None}]} for n in range(100)]
LINES = "\n".join(map(json.dumps, EVENTS)) + "\n"


def ids(spark: SparkSession, path: Path) -> list[int]:
    return sorted(
        row.id for row in read_variant(spark, path).selectExpr("v:id::int AS id").collect()
    )


def test_each_form_of_a_file(spark: SparkSession, tmp_path: Path) -> None:
    texts = {
        "lines.json": LINES.encode(),
        "lines.json.gz": gzip.compress(LINES.encode()),
        "lines.json.zst": zstandard.compress(LINES.encode()),
        "array.json": json.dumps(EVENTS).encode(),
        "indented.json": json.dumps(EVENTS, indent=2).encode(),
        "values.json": "\n".join(json.dumps(event, indent=2) for event in EVENTS).encode(),
    }
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text)
        write_variant(load_json(spark, tmp_path / name), tmp_path / f"{name}.t")
        assert ids(spark, tmp_path / f"{name}.t") == list(range(100)), name


def test_paths_options_and_columns(spark: SparkSession, tmp_path: Path) -> None:
    for day in (1, 2):
        (tmp_path / f"day={day}").mkdir()
        (tmp_path / f"day={day}" / "a.json").write_text(LINES)
    (tmp_path / "more.txt").write_text('{"id": 1}\nnope\n')
    both = load_json(spark, [tmp_path / "day=1", tmp_path / "day=2"], column="doc")
    assert (both.columns, both.count()) == (["doc"], 200)
    parts = load_json(spark, tmp_path, path_glob_filter="*.json")
    assert (parts.columns, parts.where("day = 2").count()) == (["v", "day"], 100)
    kept = load_json(spark, tmp_path / "more.txt", malformed="keep", malformed_column="bad")
    assert [row.bad for row in kept.orderBy("bad").collect()] == [None, "nope"]
    with pytest.raises(InvalidOptionError, match="load_json needs at least one path"):
        load_json(spark)
    with pytest.raises(PySparkException, match="Unknown option 'malformd'; did you mean"):
        load_json(spark, tmp_path, malformd="keep").count()


def test_an_error_has_the_file_and_the_line(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(LINES + '{"id": }\n')
    with pytest.raises(Exception, match="MALFORMED_JSON") as caught:
        write_variant(load_json(spark, tmp_path / "a.json"), tmp_path / "t")
    text = str(caught.value)
    assert "[MALFORMED_JSON] The text '{\"id\": }' is not JSON: " in text
    assert "/a.json, line=101)" in text
    assert not (tmp_path / "t").exists()


def test_the_command(spark: SparkSession, run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(LINES)
    (tmp_path / "b.json.gz").write_bytes(gzip.compress(json.dumps(EVENTS).encode()))
    target = tmp_path / "t"
    status, out, err = run("load", tmp_path / "a.json", tmp_path / "b.json.gz", target)
    assert (status, err) == (0, "")
    assert out.startswith("200 rows from ")
    assert f" loaded into {target} in " in out
    assert "rows/s, " in out
    assert ids(spark, target) == sorted([*range(100)] * 2)
    status, out, err = run("load", tmp_path / "a.json", target)
    assert status == 1
    assert "PATH_ALREADY_EXISTS" in err
    assert run("load", "--append", tmp_path / "a.json", target, "--pin", "$.id int")[0] == 0
    assert read_variant(spark, target).count() == 300
    assert run("load", "--overwrite", tmp_path / "a.json", target, "--files", "3")[0] == 0
    assert len(list(target.glob("*.parquet"))) == 3
    status, _, err = run("load", tmp_path / "a.json", tmp_path / "u", "--option", "shreding=none")
    assert status == 1
    assert "Unknown option 'shreding'; did you mean 'shredding'?" in err


def test_the_command_and_texts_that_are_not_json(
    spark: SparkSession, run: Run, tmp_path: Path
) -> None:
    source = tmp_path / "a.json"
    source.write_text(LINES + "nope\n{}{}\n")
    status, out, err = run("load", source, tmp_path / "t")
    assert (status, out) == (1, "")
    assert err.startswith("variant-shredded: error: [MALFORMED_JSON] The text 'nope' is not JSON")
    assert "line=101)" in err
    status, out, _ = run("load", source, tmp_path / "t", "--malformed", "keep")
    assert status == 0
    assert out.startswith("102 rows from ")
    assert out.endswith("2 texts that are not JSON are in the column _corrupt_record\n")
    status, out, _ = run("load", source, tmp_path / "u", "--malformed", "null")
    assert out.endswith("2 texts that are not JSON are NULL\n")
    kept = read_variant(spark, tmp_path / "t").where("v IS NULL").orderBy("_corrupt_record")
    assert [row[1] for row in kept.collect()] == ["nope", "{}{}"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
def test_the_command_and_standard_input(
    spark: SparkSession,
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    pack: type[bytes],
) -> None:
    stream = SimpleNamespace(buffer=io.BytesIO(pack(LINES.encode())))
    monkeypatch.setattr("sys.stdin", stream)
    assert run("load", "-", tmp_path / "t")[0] == 0
    assert ids(spark, tmp_path / "t") == list(range(100))
    status, _, err = run("load", "-", tmp_path / "a.json", tmp_path / "u")
    assert status == 1
    assert "standard input (-) is loaded alone" in err
