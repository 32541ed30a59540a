"""`reshred`, as a function and as a command."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyspark
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from support import Run, data_files, once
from variant_shredded import (
    DifferentRowsError,
    InvalidOptionError,
    advise,
    inspect,
    read_variant,
    reshred,
    write_variant,
)
from variant_shredded._tools import rewriting
from variant_shredded._tools.paths import escaped, is_inside
from variant_shredded._tools.replaced import check_replaced


def rows(spark: SparkSession, count: int = 400) -> DataFrame:
    return spark.range(0, count, 1, 4).selectExpr(
        "id * 7 % 400 AS n",
        "date_add(DATE '2026-01-01', cast(id % 3 AS int)) AS day",
        "format_string('%02d', id % 2) AS part",
        """parse_json(concat('{"id":', id, ',"price":', id % 9, '.50,"x":[{"k":"v', id, '"},null,',
          id, '],"deep":{"b":{"c":', if(id % 5 = 0, 'null', string(id)), '}}}')) AS v""",
    )


@pytest.fixture(scope="module")
def source(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reshred") / "source"
    write_variant(rows(spark), path, partition_by=["day", "part"])
    return path


def state(path: Path) -> dict[str, tuple[int, int]]:
    files = [file for file in path.rglob("*") if file.is_file()]
    return {str(file): (file.stat().st_size, file.stat().st_mtime_ns) for file in files}


def answers(spark: SparkSession, path: Path) -> list[tuple[object, ...]]:
    found = read_variant(spark, path).selectExpr("n", "string(day)", "int(part)", "to_json(v)")
    return sorted(tuple(row) for row in found.collect())


def test_a_file_that_cannot_be_read_is_not_left_out(spark: SparkSession, tmp_path: Path) -> None:
    write_variant(rows(spark), tmp_path / "source")
    file = data_files(tmp_path / "source")[1]
    # Its footer is whole, so that only who reads the rows notices.
    whole = file.read_bytes()
    length = int.from_bytes(whole[-8:-4], "little") + 8
    file.write_bytes(whole[:4] + bytes(len(whole) - 4 - length) + whole[-length:])
    key = "spark.sql.files.ignoreCorruptFiles"
    spark.conf.set(key, "true")
    try:
        with pytest.raises(Exception, match=file.name):
            reshred(spark, tmp_path / "source", tmp_path / "target")
    finally:
        spark.conf.unset(key)


def test_there_and_back(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    before = state(source)
    plain = reshred(spark, source, tmp_path / "plain", shredding="none")
    back = reshred(
        spark,
        tmp_path / "plain",
        tmp_path / "back",
        shredding={"v": "id bigint, price decimal(18,4), deep struct<b struct<c int>>"},
    )
    assert (plain.rows, back.rows) == (400, 400)
    assert plain.checksum == back.checksum != 0
    assert (plain.target_files, plain.target_bytes) == (back.source_files, back.source_bytes)
    assert answers(spark, source) == answers(spark, tmp_path / "back")
    assert state(source) == before
    layouts = {c.name: c.layouts for c in inspect(spark, tmp_path / "plain").columns}
    assert layouts["v"] == ("unshredded",)
    assert inspect(spark, tmp_path / "back").path("$.deep.b.c").type == "int"


@once
def test_the_earlier_layout(run: Run, spark: SparkSession, source: Path, tmp_path: Path) -> None:
    """There and back, with directories, and an option that is only passed on."""
    there, back = tmp_path / "there", tmp_path / "back"
    option = "--option=parquet.page.row.count.limit=20"
    for one, other, more in ((source, there, ["--layout=overview", option]), (there, back, [])):
        status, out, err = run("reshred", "--quiet", *more, one, other)
        assert (status, err) == (0, "")
        assert out.startswith(f"400 rows, the same in {other}: ")
    found = [inspect(spark, path) for path in (there, back)]
    layouts = [{c.name: c.layouts for c in each.columns}["v"] for each in found]
    assert layouts == [("overview",), ("spec",)]
    assert found[0].path("$.id").typed is not None
    assert answers(spark, source) == answers(spark, there) == answers(spark, back)
    directories = [{file.parent.relative_to(p) for file in data_files(p)} for p in (source, there)]
    assert directories[0] == directories[1]


@once
def test_directories_keep_their_names(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    reshred(spark, source, tmp_path / "t", shredding="none")
    names = {str(file.parent.relative_to(tmp_path / "t")) for file in data_files(tmp_path / "t")}
    assert names == {str(file.parent.relative_to(source)) for file in data_files(source)}
    assert "day=2026-01-01/part=00" in names
    assert spark.conf.get("spark.sql.sources.partitionColumnTypeInference.enabled") == "true"


@once
def test_other_partitions(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    reshred(spark, source, tmp_path / "one", partition_by=["part"], files=1)
    assert len(data_files(tmp_path / "one")) == 2
    reshred(spark, source, tmp_path / "none", partition_by=(), files=3)
    found = data_files(tmp_path / "none")
    assert len(found) == 3
    assert {file.parent for file in found} == {tmp_path / "none"}


@pytest.mark.parametrize("by", [(), ("PART",), ("n",)])
def test_partition_columns_that_become_ordinary_columns_have_the_types_of_a_read(
    spark: SparkSession, tmp_path: Path, by: tuple[str, ...]
) -> None:
    columns = {
        "n": "id",
        "hour": "if(id = 0, NULL, id * 4)",
        "part": "format_string('%02d', id % 2)",
        "amount": "CAST(id / 2 AS DECIMAL(9, 1))",
        "big": "CAST(id + 100000000000000000000 AS DECIMAL(30, 0))",
        "day": "date_add(DATE '2026-01-01', CAST(id AS INT))",
        "at": "timestamp_millis(id * 1001)",
        "word": "concat('w', id)",
        "float": "concat(id, 'd')",
        "mixed": "if(id = 1, 'x', string(id))",
        "two words": "id = 1",
    }
    data = spark.range(5).selectExpr(*(f"{value} AS `{name}`" for name, value in columns.items()))
    data = data.withColumn("v", F.expr("parse_json(string(n))"))
    write_variant(data, tmp_path / "in", partition_by=list(columns)[1:])
    typed = read_variant(spark, tmp_path / "in")
    assert dict(typed.dtypes)["hour"] == "int"
    assert reshred(spark, tmp_path / "in", tmp_path / "out", partition_by=by).rows == 5
    found = read_variant(spark, tmp_path / "out").select(*(f"`{name}`" for name in typed.columns))
    # A read gives the number of a directory the smallest type.
    assert found.drop(*by).dtypes == typed.drop(*by).dtypes
    wanted, got = (sorted(map(str, df.drop("v").collect())) for df in (typed, found))
    assert got == wanted
    if by == ("PART",):
        assert {path.parent.name for path in data_files(tmp_path / "out")} == {"part=00", "part=01"}


@once
def test_partitions_of_other_types(spark: SparkSession, tmp_path: Path) -> None:
    columns = {
        "n": "id % 2",
        "d": "date_add(DATE '2026-01-01', CAST(id % 2 AS INT))",
        "t": "timestamp_millis(id % 2)",
        "m": "CAST(id % 2 AS DECIMAL(9, 2))",
        "missing": "CAST(NULL AS DOUBLE)",
        "v": "parse_json(CAST(id AS STRING))",
    }
    rows = spark.range(10).selectExpr(*(f"{value} AS {name}" for name, value in columns.items()))
    write_variant(rows, tmp_path / "in")
    by = ["N", "d", "t", "m", "missing"]
    done = reshred(spark, tmp_path / "in", tmp_path / "out", partition_by=by)
    assert done.rows == 10
    found = read_variant(spark, tmp_path / "out").selectExpr("N", "d", "m", "v::int % 2 AS v")
    assert {tuple(map(str, row)) for row in found.distinct().collect()} == {
        ("0", "2026-01-01", "0.0", "0"),
        ("1", "2026-01-02", "1.0", "1"),
    }


@once
@pytest.mark.parametrize(("empty", "type"), [("''", "string"), ("X''", "binary")])
def test_empty_values_of_partition_columns_are_refused(
    spark: SparkSession, tmp_path: Path, empty: str, type: str
) -> None:
    data = rows(spark, 8).selectExpr(
        "*", f"if(n < 15, {empty}, cast(string(n) AS {type})) AS `p q`"
    )
    write_variant(data, tmp_path / "a")
    with pytest.raises(InvalidOptionError) as caught:
        reshred(spark, tmp_path / "a", tmp_path / "t", partition_by="P q")
    assert str(caught.value) == (
        "partition_by: 3 rows have an empty value in P q, which Spark writes into the name of a "
        "directory as NULL: choose another column"
    )
    assert not (tmp_path / "t").exists()


@once
@pytest.mark.skipif(pyspark.__version__ < "4.2", reason="Spark 4.1 reads no geometries")
def test_geometries(spark: SparkSession, tmp_path: Path) -> None:
    y = "unhex(lpad(hex(id), 2, '0')), X'00000000000000'"
    point = f"concat(X'0101000000000000000000F03F', {y})"
    spark.range(100).selectExpr(
        "id", f"st_geomfromwkb({point}) AS g", f"array(st_geogfromwkb({point})) AS gs"
    ).write.parquet(str(tmp_path / "a"))
    assert reshred(spark, tmp_path / "a", tmp_path / "t").rows == 100
    geometry = "hex(st_asbinary(g))"
    written = [
        sorted(read_variant(spark, tmp_path / name).selectExpr("id", geometry).collect())
        for name in ("a", "t")
    ]
    assert written[0] == written[1]


@once
@pytest.mark.parametrize("source", ["day=*", "day=*/part=00", "day=*/*/*.parquet"])
def test_a_glob_of_partitions_keeps_their_columns(
    spark: SparkSession, tmp_path: Path, source: str
) -> None:
    write_variant(rows(spark), tmp_path / "t", partition_by=["day", "part"])
    done = reshred(spark, tmp_path / "t" / source, tmp_path / "copy")
    before, after = (
        {file.parent.relative_to(tmp_path / name) for file in data_files(tmp_path / name)}
        for name in ("t", "copy")
    )
    assert after <= before
    found = list((tmp_path / "t").glob(source))
    directories = [path if path.is_dir() else path.parent for path in found]
    matched = {path.relative_to(tmp_path / "t") for path in directories}
    assert after == {part for part in before if matched & {part, part.parent}} != set()
    assert done.rows == len(answers(spark, tmp_path / "copy"))
    assert set(answers(spark, tmp_path / "copy")) <= set(answers(spark, tmp_path / "t"))


@once
@pytest.mark.parametrize(
    ("pattern", "lost"),
    [
        ("*", "day=1"),
        ("d*", "day=1"),
        ("{day,x}*", "day=1"),
        ("*/*.parquet", "day=1"),
        ("day=1/*", "day=1/part=a"),
        ("*/*/*", "day=1"),
    ],
)
def test_a_glob_that_does_not_name_the_columns_of_directories_is_refused(
    spark: SparkSession, source: Path, tmp_path: Path, pattern: str, lost: str
) -> None:
    table = tmp_path / "t"
    directory = table / ("day=1/part=a" if pattern in ("day=1/*", "*/*/*") else "day=1")
    directory.mkdir(parents=True)
    shutil.copy(data_files(source)[0], directory / "a.parquet")
    with pytest.raises(PySparkException) as caught:
        reshred(spark, table / pattern, tmp_path / "copy")
    assert f"such as file:{table}/{lost}, and so loses the column" in str(caught.value)
    assert f"the directory above, file:{(table / lost).parent}, or" in str(caught.value)
    assert not (tmp_path / "copy").exists()


@once
@pytest.mark.parametrize(
    ("read", "left_out"),
    [("t/day=1/a.parquet", "t/x.parquet"), ("t/a.parquet", "t/sub/b.parquet")],
)
def test_files_that_a_read_leaves_out_are_refused(
    spark: SparkSession, source: Path, tmp_path: Path, read: str, left_out: str
) -> None:
    for name, file in zip((read, left_out), data_files(source), strict=False):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, tmp_path / name)
    with pytest.raises(Exception, match=re.escape(f"such as file:{tmp_path}/{left_out}")):
        reshred(spark, tmp_path / "t", tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
    (tmp_path / left_out).rename(tmp_path / "t" / "_metadata")  # a summary, as other writers have
    assert reshred(spark, tmp_path / "t", tmp_path / "copy").rows > 0


@once
def test_another_time_zone_is_refused(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    for zone in ("UTC", "Europe/Berlin"):
        target = tmp_path / zone
        if zone == spark.conf.get("spark.sql.session.timeZone"):
            assert reshred(spark, source, target, time_zone=zone).rows == 400
        else:
            with pytest.raises(InvalidOptionError, match=r"set spark\.sql\.session\.timeZone to"):
                reshred(spark, source, target, time_zone=zone)
            assert not target.exists()


def test_options_that_are_none_are_not_given(
    spark: SparkSession, source: Path, tmp_path: Path
) -> None:
    names = ("partition_overwrite_mode", "time_zone", "schema", "mergeSchema", "path_glob_filter")
    options: dict[str, Any] = dict.fromkeys(names)
    assert reshred(spark, source, tmp_path / "t", **options).rows == 400
    with pytest.raises(InvalidOptionError, match=r"^json is not an option of reshred$"):
        reshred(spark, source, tmp_path / "u", json=None)


@pytest.mark.parametrize("by", [(), None])
def test_clustering(
    spark: SparkSession, source: Path, tmp_path: Path, by: tuple[str, ...] | None
) -> None:
    reshred(
        spark,
        source,
        tmp_path / "t",
        shredding="id bigint",
        sort_by="v:id::bigint",
        partition_by=by,
        files=4 if by == () else None,
    )
    assert answers(spark, source) == answers(spark, tmp_path / "t")
    groups = (
        spark.read.format("variant-shredded-files")
        .load(str(tmp_path / "t"))
        .where("path = '$.id' AND leaf = 'typed_value'")
        .selectExpr("partition", "int(min)", "int(max)")
        .collect()
    )
    ranges: dict[str, list[tuple[int, int]]] = {}
    for partition, least, greatest in groups:
        ranges.setdefault(str(partition), []).append((least, greatest))
    for found in map(sorted, ranges.values()):
        assert all(a[1] < b[0] for a, b in pairwise(found)), found
    assert by is None or len(groups) == 4


@pytest.mark.parametrize("by", [(), None, ("part",)])
def test_the_rows_of_a_file_are_sorted(
    spark: SparkSession, source: Path, tmp_path: Path, by: tuple[str, ...] | None
) -> None:
    reshred(spark, source, tmp_path / "t", sort_by="v:id::bigint DESC", partition_by=by, files=3)
    files = data_files(tmp_path / "t")
    found = [
        [row.id for row in read_variant(spark, file).selectExpr("v:id::bigint AS id").collect()]
        for file in files
    ]
    assert sum(map(len, found)) == 400
    assert [sorted(ids, reverse=True) for ids in found] == found
    assert max(map(len, found)) > 20


@once
def test_files_with_different_columns(spark: SparkSession, tmp_path: Path) -> None:
    for name, columns in (("a", ["n", "v"]), ("b", ["v", "day"])):
        write_variant(rows(spark, 10).select(*columns), tmp_path / "in" / name)
    done = reshred(spark, f"{tmp_path}/in/*", tmp_path / "out", shredding="none")
    assert done.rows == 20
    found = read_variant(spark, tmp_path / "out")
    assert sorted(found.columns) == ["day", "n", "v"]
    assert found.where("n IS NOT NULL").count() == 10


@once
def test_odd_names_and_nested_variants(spark: SparkSession, tmp_path: Path) -> None:
    data = rows(spark, 30).selectExpr(
        "v AS `a.b c`", "map('k', array(v)) AS m", "struct(v, n) AS `s``t`", "n % 2 AS `p q`"
    )
    write_variant(data, tmp_path / "in", partition_by="p q")
    done = reshred(spark, tmp_path / "in", tmp_path / "out", shredding="none")
    assert done.rows == 30


@pytest.mark.parametrize("name", ["out[1]", "{a,b}", "a*b?c", r"back\slash"])
def test_a_target_with_characters_of_globs(
    spark: SparkSession, source: Path, tmp_path: Path, name: str
) -> None:
    other = tmp_path / "out1"
    write_variant(rows(spark, 5), other)
    target = tmp_path / name
    result = reshred(spark, source, target)
    assert (result.rows, result.target) == (400, str(target))
    assert answers(spark, Path(escaped(str(target)))) == answers(spark, source)


def test_what_is_refused(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    for target in (source, source / "x", source.parent, f"file://{source}/x", f"{source}/x/../y"):
        with pytest.raises(InvalidOptionError, match="one is inside the other"):
            reshred(spark, source, target, overwrite=True)
    with pytest.raises(InvalidOptionError, match="one is inside the other"):
        reshred(spark, f"{source}/day=*", source / "x")
    link = tmp_path / "link"
    link.symlink_to(source)
    with pytest.raises(InvalidOptionError, match="one is inside the other"):
        reshred(spark, source, link, overwrite=True)
    wrong: list[Any] = [0, "4", 1.5, True]
    for files in wrong:
        with pytest.raises(InvalidOptionError, match="files: a whole number"):
            reshred(spark, source, tmp_path / "t", files=files)
    assert not (tmp_path / "t").exists()


def test_a_misspelt_option(run: Run, source: Path, tmp_path: Path) -> None:
    status, out, err = run("reshred", "--quiet", "--option=clusterin=shape", source, tmp_path / "t")
    assert (status, out) == (1, "")
    assert "Unknown option 'clusterin'; did you mean 'clustering'?" in err
    assert not (tmp_path / "t").exists()


def test_an_existing_target(run: Run, spark: SparkSession, source: Path, tmp_path: Path) -> None:
    target = tmp_path / "t"
    write_variant(rows(spark, 5), target)
    before = state(target)
    status, out, err = run("reshred", "--quiet", source, target)
    assert (status, out) == (1, "")
    assert re.fullmatch(r"variant-shredded: error: \[PATH_ALREADY_EXISTS\] .*\n", err), err
    assert state(target) == before
    status, out, err = run("reshred", "--quiet", "--overwrite", source, target)
    assert (status, err) == (0, "")
    assert out.startswith(f"400 rows, the same in {target}: ")
    assert answers(spark, target) == answers(spark, source)


@pytest.mark.parametrize("damage", ["a row is lost", "a field is another", "nothing"])
def test_a_row_that_changes_is_seen(
    spark: SparkSession,
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    damage: str,
) -> None:
    changed = """parse_json(replace(to_json(v), '"id":77,', '"id":78,'))"""

    def damaged(df: DataFrame, path: str, **options: Any) -> None:  # noqa: ANN401
        if damage == "a row is lost":
            df = df.where("n <> 14")
        elif damage == "a field is another":
            df = df.withColumn("v", F.expr(changed))
        write_variant(df, path, **options)

    monkeypatch.setattr(rewriting, "write_variant", damaged)
    if damage == "nothing":
        assert reshred(spark, source, tmp_path / "t").rows == 400
    else:
        with pytest.raises(DifferentRowsError, match="do not use"):
            reshred(spark, source, tmp_path / "t")


@once
def test_a_failed_comparison(
    run: Run, spark: SparkSession, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(df: DataFrame, path: str, **options: Any) -> None:  # noqa: ANN401
        write_variant(df.where("n <> 14"), path, **options)

    monkeypatch.setattr(rewriting, "write_variant", damaged)
    before = state(source)
    status, out, err = run("reshred", "--quiet", source, tmp_path / "t")
    assert (status, out) == (1, "")
    assert re.fullmatch(
        rf"variant-shredded: error: {tmp_path}/t has 399 rows with the checksum \S+, and {source} "
        rf"has 400 rows with the checksum \S+: do not use {tmp_path}/t\n",
        err,
    ), err
    assert state(source) == before


def test_the_command(run: Run, spark: SparkSession, source: Path, tmp_path: Path) -> None:
    target = tmp_path / "t"
    status, out, err = run(
        "reshred",
        "--pin=$.id bigint",
        "--exclude=$.x",
        "--include=$.deep.b.c",
        "--sort-by=v:id::bigint",
        "--no-partitions",
        "--files=2",
        "--compression=zstd",
        "--option=bloomFilter=$.id",
        "--option=parquet.page.size=4096",
        source,
        target,
    )
    assert (status, err) == (0, "")
    assert re.fullmatch(
        rf"400 rows, the same in {target}: \d+ files of \S+ kB became 2 files of \S+ kB\n",
        out,
    ), out
    found = inspect(spark, target)
    ident = found.path("$.id").typed
    assert ident is not None
    assert (ident.types, ident.codecs, ident.bloom_filters) == (("bigint",), ("zstd",), 2)
    assert found.path("$.deep.b.c").typed is not None
    with pytest.raises(KeyError):
        found.path("$.x")


def test_steps_are_told(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    told: list[str] = []

    @contextmanager
    def step(what: str) -> Iterator[None]:
        told.append(what)
        yield

    reshred(spark, source, tmp_path / "t", step=step)
    assert told == ["reading", "counting the rows to write", "writing", "comparing"]


@once
def test_webhooks(spark: SparkSession, shared: Callable[[str], Path], tmp_path: Path) -> None:
    """To the earlier layout and back: each row is the same, as Spark alone shows it."""
    documents = json.loads(shared("data/github-webhooks.json").read_text())
    lines = spark.createDataFrame([(json.dumps(d),) for d in documents], "line string")
    write_variant(lines, tmp_path / "in", json="line", json_as="v")
    first = reshred(spark, tmp_path / "in", tmp_path / "there", layout="overview")
    second = reshred(spark, tmp_path / "there", tmp_path / "back")
    assert (first.rows, first.checksum) == (second.rows, second.checksum)
    assert first.rows == len(documents)
    texts = [
        Counter(row[0] for row in spark.read.parquet(str(path)).selectExpr("to_json(v)").collect())
        for path in (tmp_path / "in", tmp_path / "back")
    ]
    assert texts[0] == texts[1]
    found = read_variant(spark, tmp_path / "there").selectExpr("to_json(v)").collect()
    assert Counter(row[0] for row in found) == texts[0]


@pytest.mark.parametrize(
    ("path", "directory", "inside"),
    [
        ("/a/b", "/a", True),
        ("/a", "/a/", True),
        ("/ab", "/a", False),
        ("/a", "/", True),
        ("/a/../b", "/a", False),
        ("s3a://x/a/b", "s3a://x/a", True),
        ("s3a://x/a/b", "s3a://y/a", False),
        ("s3a://x/a/../b", "s3a://x/a", False),
        ("hdfs://n:1/a/b", "/a", True),
        ("hdfs://n:1/a/b", "hdfs://n/a", True),
        ("hdfs://n/a/b", "hdfs://N:1/a", True),
        ("hdfs:///a/b", "hdfs://n:1/a", True),
        ("hdfs://n:1/a/b", "hdfs://n:2/a", False),
        ("hdfs://n/a/b", "webhdfs://n/a", False),
        ("/a/b", "hdfs://n:1/a", True),
        ("file:/a/b", "hdfs://n:1/a", False),
        ("file:/a/b", "/a", True),
        ("file:///a/b", "file:/a", True),
        ("file:///b", "file:/a", False),
    ],
)
def test_which_paths_are_inside_a_directory(path: str, directory: str, inside: bool) -> None:
    assert is_inside(path, directory) == inside


def test_files_that_are_not_parquet_are_not_replaced(
    spark: SparkSession, source: Path, tmp_path: Path
) -> None:
    notes = tmp_path / "t" / "notes.txt"
    notes.parent.mkdir()
    notes.write_text("mine")
    with pytest.raises(InvalidOptionError, match=r"not Parquet files.*/t/notes\.txt"):
        reshred(spark, source, tmp_path / "t", overwrite=True)
    assert notes.read_text() == "mine"


@once
def test_files_beside_those_of_a_stream_are_not_replaced(
    run: Run, spark: SparkSession, source: Path, tmp_path: Path
) -> None:
    target = tmp_path / "t"
    stream = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 5).load()
    writer = stream.writeStream.format("parquet").trigger(once=True)
    writer.option("checkpointLocation", str(tmp_path / "c")).start(str(target)).awaitTermination()
    assert (target / "_spark_metadata").exists()
    check_replaced(spark, str(target), {})
    (target / "notes.txt").write_text("mine")
    with pytest.raises(InvalidOptionError, match=r"not Parquet files.*/t/notes\.txt"):
        reshred(spark, source, target, overwrite=True)
    (tmp_path / "a.json").write_text('{"id": 1}\n')
    status, _, err = run("load", "--quiet", "--overwrite", tmp_path / "a.json", target)
    assert status == 1
    assert err.count("/t/notes.txt") == 1
    assert (target / "notes.txt").read_text() == "mine"


@once
def test_files_of_this_source_are_listed_and_not_asked_for_one_by_one(
    spark: SparkSession, tmp_path: Path
) -> None:
    write_variant(rows(spark, 8), tmp_path / "t", partition_by="n")
    (tmp_path / "t" / "n=0" / "other.PARQUET").write_text("")
    before = tasks(spark)
    check_replaced(spark, str(tmp_path / "t"), {})
    assert tasks(spark) == before


@once
@pytest.mark.parametrize(
    "name",
    [
        "t",
        "parquet",
        "aparquet",
        "a.parque",
        "a.parquett",
        "a.parquet.crc",
        "a.parqueT\n",
        "\u00e4%",
    ],
)
def test_names_of_files_that_are_not_parquet(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text("mine")
    with pytest.raises(InvalidOptionError, match="has files that are not Parquet files") as caught:
        check_replaced(spark, str(tmp_path), {})
    assert f"/{name}. Move them" in str(caught.value)


@once
def test_a_directory_that_is_replaced_is_listed_in_one_go_where_the_file_system_can(
    spark: SparkSession, tmp_path: Path
) -> None:
    write_variant(rows(spark, 8), tmp_path / "t", partition_by="n")
    (tmp_path / "t" / "n=0" / "notes.txt").write_text("mine")
    settings = {
        "spark.sql.sources.useListFilesFileSystemList": "file",
        "spark.sql.sources.parallelPartitionDiscovery.threshold": "0",
    }
    before = listings(spark)
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        with pytest.raises(InvalidOptionError, match=r"not Parquet files.*/n=0/notes\.txt"):
            check_replaced(spark, str(tmp_path / "t"), {})
    finally:
        for name in settings:
            spark.conf.unset(name)
    assert listings(spark) == before


def listings(spark: SparkSession) -> int:
    """Return the number of jobs that have listed directories one by one."""
    context: Any = spark.sparkContext
    context._jsc.sc().listenerBus().waitUntilEmpty()
    jobs = context._jsc.sc().statusStore().jobsList(None)
    told = [jobs.apply(i).description().toString() for i in range(jobs.size())]
    return sum("Listing leaf files" in each for each in told)


def tasks(spark: SparkSession) -> int:
    """Return the number of tasks of all jobs."""
    context: Any = spark.sparkContext
    context._jsc.sc().listenerBus().waitUntilEmpty()
    jobs = context._jsc.sc().statusStore().jobsList(None)
    return sum(int(jobs.apply(i).numTasks()) for i in range(jobs.size()))


@once
@pytest.mark.parametrize(
    ("sort_by", "first", "last"),
    [
        ("v:n::bigint DESC", 99, None),
        ("v:n::bigint  desc\tnulls  first ", None, 0),
        ("v:n::bigint NULLS LAST", 0, None),
        ("v:n::bigint ASC", None, 99),
        ("(v:n::bigint)DESC", 99, None),
        ("v:n::bigint DESC -- newest", 99, None),
        ("(v:n::bigint)/* newest /* 1 */ */DESC NULLS FIRST", None, 0),
        ("`n`DESC", 99, 0),
        (["if(v:n::bigint IS NULL, ' DESC', 'a DESC') DESC", "v:n::bigint DESC"], 99, None),
    ],
)
def test_the_direction_of_the_order(
    spark: SparkSession,
    tmp_path: Path,
    sort_by: str | list[str],
    first: int | None,
    last: int | None,
) -> None:
    value = "IF(id = 50, 'null', string(id))"
    numbers = spark.range(0, 100, 1, 2).selectExpr(
        f"parse_json('{{\"n\":' || {value} || '}}') AS v", "id AS n"
    )
    write_variant(numbers, tmp_path / "in")
    reshred(spark, tmp_path / "in", tmp_path / "out", sort_by=sort_by, files=1)
    (file,) = data_files(tmp_path / "out")
    found = [row.n for row in read_variant(spark, file).selectExpr("v:n::bigint AS n").collect()]
    assert (found[0], found[-1], len(found)) == (first, last, 100)


def test_arguments_that_reshred_gives_itself_are_refused_before_any_job(
    spark: SparkSession, source: Path, tmp_path: Path
) -> None:
    told: list[str] = []

    @contextmanager
    def step(what: str) -> Iterator[None]:
        told.append(what)
        yield

    for name in ["mode", "merge_schema", "mergeSchema", "json", "path", "df"]:
        given: dict[str, Any] = {name: "permissive"}
        with pytest.raises(InvalidOptionError, match=f"^{name}"):
            reshred(spark, source, tmp_path / "t", step=step, **given)
    assert told == []


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({}, "PATH_ALREADY_EXISTS"),
        ({"sort_by": "nothing"}, "UNRESOLVED_COLUMN"),
        ({"partition_by": "nothing"}, "nothing"),
        ({"partition_by": "v"}, "VARIANT"),
        ({"compression": "nothing"}, "nothing"),
        ({"shredding": "id nothing"}, "nothing"),
        ({"cluster_bytes": "nothing"}, "'clusterBytes' is 'nothing'"),
        ({"parquet.page.size": "nothing"}, "parquet.page.size"),
        ({"pin": {"$.id": "nothing"}}, "nothing"),
    ],
)
@pytest.mark.parametrize("overwrite", [False, True])
def test_what_cannot_be_written_is_refused_before_any_row_is_read(
    spark: SparkSession,
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    given: dict[str, Any],
    error: str,
    overwrite: bool,
) -> None:
    target = tmp_path / "t"
    if overwrite or not given:
        write_variant(rows(spark, 5), target)
    before = state(tmp_path)
    monkeypatch.setattr(rewriting, "_sum", lambda *_: pytest.fail("rows are read"))
    if overwrite and not given:
        with pytest.raises(pytest.fail.Exception, match="rows are read"):
            reshred(spark, source, target, overwrite=True)
    else:
        with pytest.raises((PySparkException, InvalidOptionError), match=error):
            reshred(spark, source, target, overwrite=overwrite, **given)
    assert state(tmp_path) == before
    assert target.exists() == bool(before)


def test_options_of_reading_are_refused(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    for name in ["path_glob_filter", "modifiedAfter", "recursive_file_lookup"]:
        given: dict[str, Any] = {name: "x"}
        with pytest.raises(InvalidOptionError, match=f"{name} is an option of reading"):
            reshred(spark, source, tmp_path / "t", **given)
    assert not (tmp_path / "t").exists()


def test_options_of_advise_are_options_of_reshred(
    spark: SparkSession, source: Path, tmp_path: Path
) -> None:
    queries = [
        "SELECT n FROM t WHERE v:id::bigint = 5",
        "SELECT n FROM t WHERE v:price::decimal(9, 2) > 3.5",
    ]
    advice = advise(spark, source, queries=queries, table="t")
    assert isinstance(advice.options["bloom_filter"], list)
    assert reshred(spark, source, tmp_path / "advised", **advice.options).rows == 400
    other: dict[str, Any] = {"bloomFilter": ["$.id"], "clusterBy": {"v": ["$.price", "$.id"]}}
    assert reshred(spark, source, tmp_path / "other", **other).rows == 400
    for name in ("advised", "other"):
        found = inspect(spark, tmp_path / name).path("$.id").typed
        assert found is not None
        assert found.bloom_filters == found.column_chunks


def test_a_dynamic_overwrite_is_refused(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    for name in ["partition_overwrite_mode", "partitionOverwriteMode"]:
        given: dict[str, Any] = {name: "dynamic"}
        with pytest.raises(InvalidOptionError, match=f"^{name}: reshred writes all partitions"):
            reshred(spark, source, tmp_path / "t", **given)
    assert not (tmp_path / "t").exists()
    static: dict[str, Any] = {"partitionOverwriteMode": "STATIC"}
    assert reshred(spark, source, tmp_path / "t", **static).rows == 400


def test_two_threads_leave_the_setting_as_it_was(spark: SparkSession) -> None:
    key = "spark.sql.sources.partitionColumnTypeInference.enabled"
    first, second = (rewriting._partitions_as_strings(spark) for _ in range(2))
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert spark.conf.get(key) == "false"
    second.__exit__(None, None, None)
    assert spark.conf.get(key) == "true"


def test_two_objects_of_one_session_leave_the_setting_as_it_was(spark: SparkSession) -> None:
    key = "spark.sql.sources.partitionColumnTypeInference.enabled"
    other = SparkSession(spark.sparkContext, spark._jsparkSession)
    apart = spark.newSession()
    first, second, third = map(rewriting._partitions_as_strings, (spark, other, apart))
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert spark.conf.get(key) == "false"
    third.__enter__()
    second.__exit__(None, None, None)
    assert spark.conf.get(key) == "true"
    assert apart.conf.get(key) == "false"
    third.__exit__(None, None, None)
    assert apart.conf.get(key) == "true"


def test_options_of_reading_hold_for_the_source(spark: SparkSession, tmp_path: Path) -> None:
    source, target = tmp_path / "deep", tmp_path / "copy"
    write_variant(spark.sql(f"SELECT parse_json('{'[' * 30}{']' * 30}') AS v"), source)
    with pytest.raises(PySparkException, match="MALFORMED_VARIANT"):
        reshred(spark, source, target, max_depth=20)
    assert reshred(spark, source, target, max_depth=40, overwrite=True).rows == 1
