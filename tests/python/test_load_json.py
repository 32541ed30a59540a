"""``load_json`` and ``variant-shredded load``: JSON files that become shredded Variants."""

from __future__ import annotations

import argparse
import gzip
import io
import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import zstandard
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from support import Run, data_files, once
from variant_shredded import (
    InvalidOptionError,
    cli,
    inspect,
    load_json,
    read_variant,
    write_variant,
)
from variant_shredded._tools.progress import Progress

pytestmark = once

EVENTS = [{"id": n, "kind": "push", "tags": ["a", {"b": None}]} for n in range(100)]
LINES = "\n".join(map(json.dumps, EVENTS)) + "\n"


def ids(spark: SparkSession, path: Path) -> list[int]:
    return sorted(
        row.id for row in read_variant(spark, path).selectExpr("v:id::int AS id").collect()
    )


class _StartedError(Exception):
    """Ends a command where it would start Spark."""


@pytest.mark.parametrize(
    ("arguments", "environment", "defaults", "expected"),
    [
        ([], {}, "", "1s"),
        (["--master=local[4]"], {}, "spark.master yarn", "1s"),
        (["--conf=spark.master=local"], {}, "", "1s"),
        (["--remote=local[2]"], {}, "", "1s"),
        ([], {"SPARK_REMOTE": "local[*]"}, "", "1s"),
        (["--quiet"], {}, "", None),
        (["--master=yarn"], {}, "", None),
        (["--master=local-cluster[2,1,1024]"], {}, "", None),
        (["--conf=spark.master=spark://host:7077"], {}, "", None),
        (["--remote=sc://host"], {}, "", None),
        ([], {"MASTER": "yarn"}, "", None),
        ([], {"SPARK_REMOTE": "sc://host"}, "", None),
        ([], {"PYSPARK_SUBMIT_ARGS": "--master yarn pyspark-shell"}, "", None),
        ([], {}, "spark.master yarn", None),
        ([], {}, "spark.executor.heartbeatInterval=7s", None),
        (["--conf=spark.executor.heartbeatInterval=9s"], {}, "", "9s"),
    ],
)
def test_short_heartbeats_are_for_the_progress_of_a_spark_in_one_process(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    environment: dict[str, str],
    defaults: str,
    expected: str | None,
) -> None:
    for name in ("MASTER", "SPARK_REMOTE", "PYSPARK_SUBMIT_ARGS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {**environment, "SPARK_CONF_DIR": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "spark-defaults.conf").write_text(defaults)
    given = cli._parser().parse_args(["load", "in.json", "out", *arguments])

    def started(of_command: argparse.Namespace, _: Path) -> None:
        raise _StartedError(dict(of_command.conf).get("spark.executor.heartbeatInterval"))

    given.spark = started
    with pytest.raises(_StartedError) as error:
        given.run(given, tmp_path)
    assert error.value.args == (expected,)


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
    with pytest.raises(PySparkException, match="Unknown option 'multiLine': the options of this"):
        load_json(spark, tmp_path, multi_line=True).count()


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
    assert out.endswith("2 texts are not JSON, and are in the column _corrupt_record\n")
    status, out, _ = run("load", source, tmp_path / "u", "--malformed", "null")
    assert out.endswith("2 texts are not JSON, and are NULL\n")
    (tmp_path / "one.json").write_text(LINES + "nope\n")
    status, out, _ = run("load", tmp_path / "one.json", tmp_path / "w", "--malformed", "null")
    assert out.endswith("1 text is not JSON, and is NULL\n")
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
    with pytest.raises(SystemExit, match="2"):
        run("load", "-", tmp_path / "a.json", tmp_path / "u")


def test_standard_input_on_a_cluster_or_in_a_directory_with_characters_of_globs(
    spark: SparkSession, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = SimpleNamespace(buffer=io.BytesIO(LINES.encode()))
    monkeypatch.setattr("sys.stdin", stream)
    (tmp_path / "a[b]*").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "a[b]*"))
    with monkeypatch.context() as cluster:
        cluster.setattr("variant_shredded._commands.load.runs_here", lambda _: False)
        status, _, err = run("load", "-", tmp_path / "t")
        assert status == 1
        assert "executors on other machines cannot read standard input: give a file" in err
    assert run("load", "-", tmp_path / "t")[0] == 0
    assert ids(spark, tmp_path / "t") == list(range(100))


def test_a_target_that_holds_a_source_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    source = tmp_path / "in" / "a.json"
    source.write_text(LINES)
    for given, target, mode in (
        (source, source.parent, "--overwrite"),
        (source.parent, source.parent, "--append"),
        (source.parent / "*.json", source.parent, "--append"),
        (source.parent, source.parent / "t", "--overwrite"),
    ):
        status, out, err = run("load", given, target, mode)
        assert (status, out) == (1, "")
        assert err.endswith(": one is inside the other\n")
    assert [path.name for path in source.parent.iterdir()] == ["a.json"]
    assert run("load", source, source.parent / "t")[0] == 0


def test_files_that_are_not_parquet_are_not_replaced(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(LINES)
    target = tmp_path / "t"
    assert run("load", tmp_path / "a.json", target)[0] == 0
    notes = target / "sub" / "notes.txt"
    notes.parent.mkdir()
    notes.write_text("mine")
    status, out, err = run("load", tmp_path / "a.json", target, "--overwrite")
    assert (status, out) == (1, "")
    assert "has files that are not Parquet files" in err
    assert "sub/notes.txt" in err
    assert notes.read_text() == "mine"
    notes.rename(notes.with_name("_notes.txt"))
    assert run("load", tmp_path / "a.json", target, "--overwrite")[0] == 0


@pytest.mark.parametrize("log", ["_delta_log", ".hoodie"])
def test_the_files_of_a_table_of_another_format_are_not_replaced(
    spark: SparkSession, run: Run, tmp_path: Path, log: str
) -> None:
    (tmp_path / "a.json").write_text(LINES)
    target = tmp_path / "t[1]"
    assert run("load", tmp_path / "a.json", target)[0] == 0
    (target / log).mkdir()
    (target / log / "0.json").write_text("{}")
    before = data_files(target)
    (tmp_path / "source").mkdir()
    shutil.copy(before[0], tmp_path / "source")
    name = "Delta Lake" if log == "_delta_log" else "Hudi"
    for source in (("load", tmp_path / "a.json"), ("reshred", tmp_path / "source")):
        status, out, err = run(*source, target, "--overwrite")
        assert (status, out) == (1, "")
        assert f"{target} is a table of {name}, which lists its files in {log}" in err
    status, _, err = run("load", tmp_path / "a.json", target, "--append")
    assert status == 1
    assert f"which is a table of {name}, is not supported" in err
    assert data_files(target) == before


@pytest.mark.parametrize("end", ["\r\n", "\x0b\n"])
def test_an_error_in_a_text_with_line_breaks_is_one_line(
    run: Run, tmp_path: Path, end: str
) -> None:
    source = tmp_path / "a.json"
    source.write_bytes(f'{{"id":1}}\r\n{{"id":x}}{end}'.encode())
    _, _, err = run("load", source, tmp_path / "t")
    assert err.startswith("variant-shredded: error: [MALFORMED_JSON] The text '{\"id\":x}' is not")
    assert "line=2)" in err


def test_an_error_has_its_cause(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "a.json.gz"
    source.write_text(LINES)
    _, _, err = run("load", source, tmp_path / "t")
    assert "[FAILED_READ_FILE" in err
    assert "not a gzip file" in err


def test_options_that_are_arguments_of_the_command(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.json").write_text(LINES)
    options = ("mode=append", "path=x", "overwrite=true", "Mode=overwrite", "Malformed=null")
    more = ("malformedColumn=bad", "partitionBy=day", "include=$.a", "Pin=$.a int")
    for option in (*options, *more):
        with pytest.raises(SystemExit) as ended:
            run("load", tmp_path / "a.json", tmp_path / "t", "--option", option)
        assert ended.value.code == 2
        said = f"--option {option.partition('=')[0]}: use the arguments of the command for it"
        assert said in capsys.readouterr().err
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize(
    ("argument", "option"),
    [
        ("--shredding=none", "shredding=infer"),
        ("--compression=zstd", "Compression=zstd"),
        ("--pin=$.a int", "shredding.pin=$.b int"),
        ("--include=$.a", "shredding.include=$.b"),
        ("--exclude=$.a", "shredding.exclude=$.b"),
    ],
)
def test_an_option_whose_argument_is_given_too_is_refused(
    argument: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["load", "a.json", "t", argument, f"--option={option}"])
    assert ended.value.code == 2
    said = f"--option {option.partition('=')[0]}: use the arguments of the command for it"
    assert said in capsys.readouterr().err


def test_an_option_holds_if_its_argument_is_not_given(
    run: Run, spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "a.json").write_text(LINES)
    options = [
        "compression=zstd",
        "shredding.pin=$.id int",
        "parquet.enable.dictionary#user_id=true",
        "parquet.enable.dictionary#userid=false",
    ]
    given = [f"--option={option}" for option in options]
    status, _, err = run("load", "--quiet", tmp_path / "a.json", tmp_path / "t", *given)
    assert status == 0, err
    leaves = inspect(spark, tmp_path / "t").path("$.id").leaves
    (typed,) = (leaf for leaf in leaves if leaf.name == "typed_value")
    assert (typed.types, typed.codecs) == (("int",), ("zstd",))


def test_options_that_only_other_readers_have(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(LINES)
    for option in ("multiLine=true", "singleVariantColumn=w", "encoding=UTF-16", "max_depth=9"):
        status, _, err = run("load", tmp_path / "a.json", tmp_path / "t", "--option", option)
        assert status == 1, option
        assert "the options of this format are column, malformed" in err
    assert not (tmp_path / "t").exists()


def test_a_file_beside_directories_of_columns(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in" / "day=1").mkdir(parents=True)
    (tmp_path / "in" / "day=1" / "a.json").write_text(LINES)
    (tmp_path / "in" / "b.json").write_text(LINES)
    status, out, err = run("load", tmp_path / "in", tmp_path / "t")
    assert (status, out) == (1, "")
    assert "/in/b.json, is not supported. Move it, or load it alone." in err


@pytest.mark.parametrize("sources", [["day=*"], ["day=1", "day=2"], ["day=*/*.json"]])
def test_several_partitions_keep_their_columns(
    spark: SparkSession, run: Run, tmp_path: Path, sources: list[str]
) -> None:
    for day in (1, 2):
        (tmp_path / "in" / f"day={day}").mkdir(parents=True)
        (tmp_path / "in" / f"day={day}" / "a.json").write_text(f'{{"n": {day}}}')
    paths = [tmp_path / "in" / source for source in sources]
    assert run("load", *paths, tmp_path / "t", "--partition-by", "day")[0] == 0
    found = read_variant(spark, tmp_path / "t").selectExpr("day", "v:n::int AS n").collect()
    assert sorted((row.day, row.n) for row in found) == [(1, 1), (2, 2)]
    (tmp_path / "other.json").write_text("{}")
    status, _, err = run("load", *paths, tmp_path / "other.json", tmp_path / "u")
    assert status == 1
    assert "name those of one table" in err
    one = (tmp_path / "in" / "day=1", tmp_path / "other.json")
    assert run("load", *one, tmp_path / "w")[1].startswith("2 rows")


@pytest.mark.parametrize("source", ["*", "d*", "*/a.json"])
def test_a_glob_that_does_not_name_the_columns_of_directories_is_refused(
    spark: SparkSession, run: Run, tmp_path: Path, source: str
) -> None:
    for day in (1, 2):
        (tmp_path / "in" / f"day={day}").mkdir(parents=True)
        (tmp_path / "in" / f"day={day}" / "a.json").write_text(f'{{"n": {day}}}')
    status, _, err = run("load", tmp_path / "in" / source, tmp_path / "t")
    assert status == 1
    assert "and so loses the column 'day'" in err
    assert f"the directory above, file:{tmp_path / 'in'}, or set the option basePath" in err
    assert not (tmp_path / "t").exists()
    base = ("--option", f"basePath={tmp_path / 'in'}")
    assert run("load", tmp_path / "in" / source, tmp_path / "t", *base)[0] == 0
    assert read_variant(spark, tmp_path / "t").columns == ["v", "day"]


def test_options_of_the_command_that_choose_files(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in" / "more").mkdir(parents=True)
    (tmp_path / "in" / "x.json").write_text('{"a": 1}')
    (tmp_path / "in" / "more" / "y.json").write_text('{"a": 2}')
    source = tmp_path / "in"
    deep = ("--option", "recursiveFileLookup=true")
    assert run("load", source, tmp_path / "both", *deep)[1].startswith("2 rows")
    x = ("--option", "path_glob_filter=x*")
    assert run("load", source, tmp_path / "one", *deep, *x)[1].startswith("1 row")


def test_the_time_zone_of_the_command_is_for_reading_and_writing(
    spark: SparkSession, run: Run, tmp_path: Path
) -> None:
    # The time zone of the session is UTC.
    directory = tmp_path / "in" / "ts=2026-01-31 08%3A00%3A00"
    directory.mkdir(parents=True)
    file = directory / "a.json"
    file.write_text(LINES)
    os.utime(file, (1769844600, 1769844600))  # 08:30 in Berlin
    options = (
        *("--option", "modifiedAfter=2026-01-31T08:00:00"),
        *("--option", "timeZone=Europe/Berlin"),
    )
    assert run("load", tmp_path / "in", tmp_path / "t", *options, "--partition-by", "ts")[0] == 0
    assert ids(spark, tmp_path / "t") == list(range(100))
    assert [path.name for path in (tmp_path / "t").glob("ts=*")] == [directory.name]


def test_standard_input_that_is_closed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    status, _, err = run("load", "-", tmp_path / "t")
    assert status == 1
    assert "standard input (-) is closed: give a file" in err


def test_a_slow_listener_does_not_undo_a_load() -> None:
    def wait() -> None:
        raise TimeoutError

    jobs = iter([[], [1]])
    tracker = SimpleNamespace(
        getJobIdsForGroup=lambda _: next(jobs),
        getJobInfo=lambda _: None,
        getActiveStageIds=list,
    )
    bus = SimpleNamespace(waitUntilEmpty=wait)
    context = SimpleNamespace(
        statusTracker=lambda: tracker,
        _jsc=SimpleNamespace(sc=lambda: SimpleNamespace(listenerBus=lambda: bus)),
    )
    spark: Any = SimpleNamespace(sparkContext=context)
    with Progress(spark, io.StringIO(), rates=True).of("loading"):
        pass
    assert next(jobs, None) is None  # it has asked for what was read


def test_a_glob_that_names_the_column_of_directories_keeps_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    for day in (1, 2):
        (tmp_path / "in" / f"day={day}").mkdir(parents=True)
        (tmp_path / "in" / f"day={day}" / "a.json").write_text(f'{{"n": {day}}}')
    for glob in ("day=*", "day=[12]/*.json"):
        rows = load_json(spark, tmp_path / "in" / glob).selectExpr("v:n::int", "day").collect()
        assert sorted(map(tuple, rows)) == [(1, 1), (2, 2)]


def test_globs_below_directories_of_partitions_have_no_columns(
    spark: SparkSession, tmp_path: Path
) -> None:
    for name in ("a/day=1", "b/day=2", "other"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "x.json").write_text("1")
    (tmp_path / "other" / "run=1.log").write_text("1")
    for paths in (
        ("a/day=1/*.json", "b/day=2/*.json"),
        ("other/*.json", "a/day=1"),
        ("a/day=1", "oth*"),
        ("oth*/run=1.log",),
    ):
        frame = load_json(spark, *(tmp_path / path for path in paths))
        assert frame.columns == ["v"], paths
        assert frame.count() >= len(paths)


@pytest.mark.parametrize("name", ["base_path", "basePath", "BasePath"])
def test_a_base_path_that_is_given_in_any_spelling_is_kept(
    spark: SparkSession, run: Run, tmp_path: Path, name: str
) -> None:
    (tmp_path / "in" / "env=prod" / "day=1").mkdir(parents=True)
    (tmp_path / "in" / "env=prod" / "day=1" / "a.json").write_text("{}")
    source, base = tmp_path / "in" / "env=prod" / "day=*", str(tmp_path / "in")
    given: dict[str, Any] = {name: base}
    assert load_json(spark, source, **given).columns == ["v", "env", "day"]
    assert run("load", source, tmp_path / "t", "--option", f"{name}={base}")[0] == 0
    assert read_variant(spark, tmp_path / "t").columns == ["v", "env", "day"]


@pytest.mark.parametrize("name", ["recursive_file_lookup", "recursiveFileLookup"])
def test_a_recursive_read_takes_partitions_of_several_tables(
    spark: SparkSession, run: Run, tmp_path: Path, name: str
) -> None:
    for partition in ("a/day=1", "b/day=2"):
        (tmp_path / partition).mkdir(parents=True)
        (tmp_path / partition / "x.json").write_text("1")
    given: dict[str, Any] = {name: True}
    found = load_json(spark, tmp_path / "a" / "day=*", **given)
    assert (found.columns, found.count()) == (["v"], 1)
    paths = (tmp_path / "a" / "day=1", tmp_path / "b" / "day=2")
    _, out, err = run("load", *paths, tmp_path / "t", "--option", f"{name}=true")
    assert out.startswith("2 rows"), err
    status, _, err = run("load", *paths, tmp_path / "u", "--option", f"{name}=false")
    assert status == 1
    assert "partitions of several tables" in err


def test_different_parents_of_partition_directories_below_the_paths(
    spark: SparkSession, run: Run, tmp_path: Path
) -> None:
    for partition in ("a/day=1", "b/day=2"):
        (tmp_path / partition).mkdir(parents=True)
        (tmp_path / partition / "x.json").write_text("1")
    paths = (tmp_path / "a", tmp_path / "b")
    status, _, err = run("load", *paths, tmp_path / "t")
    assert status == 1
    assert "CONFLICTING_DIRECTORY_STRUCTURES" in err
    option = ("--option", "ignoreInvalidPartitionPaths=true")
    assert run("load", *paths, tmp_path / "t", *option)[0] == 0
    rows = read_variant(spark, tmp_path / "t").select("day").orderBy("day").collect()
    assert [row.day for row in rows] == [1, 2]
