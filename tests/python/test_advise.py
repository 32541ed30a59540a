"""`advise`, as a function and as a command: what it says, and that it is true."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any
from unittest.mock import MagicMock

import pytest
from demo.queries import scan_metrics
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql.types import StructField, StructType, VariantType
from support import Run, once
from variant_shredded import (
    Advice,
    InvalidOptionError,
    advise,
    cli,
    inspect,
    read_variant,
    write_variant,
)
from variant_shredded._tools.advice import render
from variant_shredded._tools.machine import runs_here
from variant_shredded._tools.queries import read_queries
from variant_shredded._tools.terminal import Terminal

pytestmark = once

QUERIES = """-- who; and when
SELECT v:who::string, count(*) FROM events WHERE v:id::bigint = 17 GROUP BY 1;
SELECT sum(v:at.n::double) FROM events
WHERE v:ts::bigint > 1700001000 AND v:ts::bigint < 1700001100;
SELECT v:mixed::string, 'a;b' FROM events WHERE v:kind::string = 'k3' /* ; */;
WITH e AS (SELECT v:tags::array<struct<name string>> AS tags FROM events)
SELECT count(*) FROM e WHERE exists(tags, t -> t.name = 'tag 77')
"""


@pytest.fixture(scope="module")
def events(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("advise") / "events"
    rows = spark.range(0, 6000, 1, 2).selectExpr(
        """parse_json(concat('{"who":"p', id % 5, '","id":', id, ',"ts":',
          1700000000 + id * 7 % 6000, ',"at":{"n":', id, '.5e0},"mixed":',
          if(id % 2 = 0, '"x"', string(id)), ',"kind":"k', id * 31 % 40, '","day":"2026-01-0',
          id % 9, '","tags":[{"name":"tag ', id, '"}],"big":"', sha2(string(id), 512), '"',
          if(id = 7, ',"rare":1', ''), '}')) AS v"""
    )
    write_variant(rows, path, shredding="big string, rare bigint")
    return path


@pytest.fixture(scope="module")
def advice(spark: SparkSession, events: Path) -> Advice:
    return advise(spark, events, queries=QUERIES)


def check_it_is_true(spark: SparkSession, source: Path, target: Path, advice: Advice) -> None:
    """Run the call that is printed, and the queries: they read what was said."""
    call = advice.call.replace("PATH", str(target))
    exec(call, {"df": read_variant(spark, source), "write_variant": write_variant})
    assert inspect(spark, target).compressed_bytes == pytest.approx(advice.bytes_after, rel=0.02)
    for path, said in ((source, "bytes_before"), (target, "bytes_after")):
        read_variant(spark, path).createOrReplaceTempView(source.name)
        try:
            for cost in advice.queries:
                query = spark.sql(cost.query)
                query.collect()
                read = scan_metrics(query)["leafBytesRead"]
                assert read == pytest.approx(getattr(cost, said), rel=0.02), (said, cost)
        finally:
            spark.catalog.dropTempView(source.name)


def test_what_is_advised(spark: SparkSession, advice: Advice) -> None:
    assert (advice.column, advice.rows, advice.trial_rows) == ("v", 6000, 6000)
    assert advice.pin == {
        "$.who": "string",
        "$.id": "bigint",
        "$.ts": "bigint",
        "$.at.n": "double",
        "$.kind": "string",
        "$.tags[*].name": "string",
    }
    assert advice.include == ["$.mixed"]
    assert advice.exclude == ["$.rare"]
    assert advice.cluster_by == ["$.kind", "$.ts"]
    assert sorted(advice.bloom_filter) == ["$.id", "$.tags[*].name"]
    assert advice.reasons["$.who"] == ["in 1 of 4 queries", "100% STRING"]
    assert advice.reasons["$.mixed"] == ["in 1 of 4 queries", "values are BIGINT, STRING"]
    assert advice.reasons["$.rare"] == ["<0.1% of the rows have a value"]
    assert [cost.line for cost in advice.queries] == [2, 3, 5, 6]
    for cost in advice.queries:
        assert 0 < cost.bytes_after < cost.bytes_before, cost
    assert spark.catalog.listTables() == []


def test_nulls_are_told_apart_and_what_stays_without_a_column_has_a_reason(
    spark: SparkSession, tmp_path: Path
) -> None:
    rows = spark.range(0, 1000, 1, 1).selectExpr(
        """parse_json(concat('{"n":', if(id % 4 = 0, 'null', string(id)), ',"mixed":',
          if(id % 2 = 0, '"x"', string(id)), '}')) AS v"""
    )
    write_variant(rows, tmp_path / "t")
    found = advise(spark, tmp_path / "t", queries=["SELECT v:n::bigint, v:mixed FROM t"])
    assert found.reasons["$.n"] == ["in 1 of 1 queries", "100% BIGINT", "25% are null"]
    assert found.reasons["$.mixed"] == ["in 1 of 1 queries", "values are BIGINT, STRING"]
    assert found.why_not_shredded == {"$.mixed": "values have several types: bigint, string"}
    shown = render(found, Terminal(width=100))
    assert "Paths without a typed column\n  $.mixed: values have several types" in shown


def test_queries_read_the_bytes_that_the_advice_predicts(
    spark: SparkSession, events: Path, advice: Advice, tmp_path: Path
) -> None:
    check_it_is_true(spark, events, tmp_path / "t", advice)


def test_movies(spark: SparkSession, shared: Callable[[str], Path], tmp_path: Path) -> None:
    lines = spark.read.option("multiLine", "true").text(
        str(shared("data/movies.json")), wholetext=True
    )
    rows = lines.selectExpr("explode(cast(parse_json(value) AS array<variant>)) AS v")
    write_variant(rows, tmp_path / "movies", shredding="none")
    found = advise(
        spark,
        tmp_path / "movies",
        queries=[
            "SELECT v:Director::string FROM movies WHERE v:['Major Genre']::string = 'Western'",
            "SELECT avg(v:['US Gross']::bigint) FROM movies WHERE v:['IMDB Rating']::double > 8.5",
            "SELECT count(*) FROM movies WHERE v:['Release Date']::string < 'Aug'",
        ],
    )
    assert found.cluster_by[0] == "$['Major Genre']"
    assert all(cost.bytes_after < cost.bytes_before / 2 for cost in found.queries)
    check_it_is_true(spark, tmp_path / "movies", tmp_path / "t", found)


def test_the_advice_for_cached_rows_is_the_same(
    spark: SparkSession, events: Path, advice: Advice
) -> None:
    cached = read_variant(spark, events).cache()
    try:
        assert cached.count() == 6000
        found = advise(spark, events, queries=QUERIES)
    finally:
        cached.unpersist()
    assert found.options == advice.options
    assert [cost.bytes_before for cost in found.queries] == [
        cost.bytes_before for cost in advice.queries
    ]


def test_a_sample(spark: SparkSession, events: Path, tmp_path: Path) -> None:
    query = "SELECT sum(v:at.n::double), max(v:id::bigint) FROM events"
    found = advise(spark, events, queries=query, rows=2000)
    assert 1500 < found.trial_rows < 2500
    said = found.queries[0].bytes_after
    write_variant(read_variant(spark, events), tmp_path / "t", **found.options)
    leaves = [inspect(spark, tmp_path / "t").path(path).typed for path in ("$.at.n", "$.id")]
    assert said == pytest.approx(sum(leaf.compressed_bytes for leaf in leaves if leaf), rel=0.2)


def test_several_variants_and_partitions(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.range(0, 600, 1, 1).selectExpr(
        "parse_json(concat('{\"a\":', id, '}')) AS v",
        "named_struct('w', parse_json(concat('{\"b b\":\"', id, '\"}'))) AS s",
        "id % 2 AS part",
    )
    write_variant(rows, tmp_path / "t", shredding="none", partition_by="part")
    with pytest.raises(InvalidOptionError, match=r"one of .* is needed, not None"):
        advise(spark, tmp_path / "t")
    found = advise(
        spark,
        tmp_path / "t",
        column="s.w",
        queries=["SELECT v:a::int FROM t WHERE part = 1 AND s.w:['b b']::string = '7'"],
    )
    assert found.options == {
        "pin": {"s.w": {"$['b b']": "string"}},
        "bloom_filter": {"s.w": ["$['b b']"]},
        "partition_by": ["part"],
    }
    check_it_is_true(spark, tmp_path / "t", tmp_path / "u", found)


def test_odd_queries(spark: SparkSession, events: Path, tmp_path: Path) -> None:
    """Nothing is run but scans of the table; other tables do not count."""
    found = advise(
        spark,
        events,
        queries=[
            f"CREATE TABLE made USING parquet LOCATION '{tmp_path / 'made'}' "
            "AS SELECT v:id::bigint AS id FROM events",
            "SELECT assert_true(v:id::bigint < 0) FROM events",
            "SELECT 1",
            "SELECT v:id::int FROM range(1), events",
            "SELECT 1 FROM events WHERE v:day::date > DATE '2026-01-03'",
            """SELECT try_variant_get(v, '$["it\\'s"]', 'int'), v:at FROM events""",
        ],
    )
    assert not (tmp_path / "made").exists()
    assert spark.catalog.listTables() == []
    reads = [cost.bytes_before > 0 for cost in found.queries]
    assert reads == [True, True, False, True, True, True]
    assert found.pin == {"$.id": "bigint", "$.day": "string"}
    assert found.cluster_by == []
    assert found.include == ["$.at"]
    assert found.reasons["$.at"][1] == "values are OBJECT"
    assert found.reasons[r"$['it\'s']"][1] == "not measured: it has quotes"
    expected = "compared as date, which skips nothing: write values of this type"
    assert expected in found.reasons["$.day"]


def test_names_with_brackets_long_ones_and_control_characters_are_measured_and_not_dropped(
    spark: SparkSession, tmp_path: Path
) -> None:
    names = ["a[*]b", "n" * 121, "x\ty", "rare[*]"]
    fields = ", ".join(f"'{name}', id" for name in names[:-1]).replace("\t", "\\t")
    rows = spark.range(0, 1000, 1, 1).selectExpr(
        f"to_variant_object(named_struct({fields})) AS v",
        f"to_variant_object(named_struct({fields}, '{names[-1]}', id)) AS w",
    )
    rows = rows.selectExpr("if(v:['a[*]b']::bigint = 7, w, v) AS v")
    pin = {f"$['{name}']" if name[0] != "n" else f"$.{name}": "bigint" for name in names}
    write_variant(rows, tmp_path / "t", pin=pin)
    queries = [f"SELECT v:['{name}']::bigint FROM t" for name in names[:-1]]
    queries.append("SELECT v FROM t WHERE v:['a[*]b']::bigint > 990")
    found = advise(spark, tmp_path / "t", queries=queries)
    assert found.pin == {path: "bigint" for path in list(pin)[:-1]}
    assert found.cluster_by == ["$['a[*]b']"]
    assert found.exclude == ["$['rare[*]']"]


def test_names_that_need_quotes_in_a_session_that_keeps_the_escapes_of_literals(
    spark: SparkSession, tmp_path: Path
) -> None:
    rows = spark.range(0, 1000, 1, 1).selectExpr(
        "to_variant_object(named_struct('a b', id, 'l', array(named_struct('c d', id)))) AS v"
    )
    write_variant(rows, tmp_path / "t")
    query = "SELECT v:['a b']::bigint, v:l::array<struct<`c d` bigint>> FROM t"
    expected = advise(spark, tmp_path / "t", queries=query).pin
    spark.conf.set("spark.sql.parser.escapedStringLiterals", "true")
    try:
        found = advise(spark, tmp_path / "t", queries=query).pin
    finally:
        spark.conf.unset("spark.sql.parser.escapedStringLiterals")
    assert found == expected == {"$['a b']": "bigint", "$.l[*]['c d']": "bigint"}


@pytest.mark.parametrize("schema", ["v variant", StructType([StructField("v", VariantType())])])
def test_a_schema_and_a_base_path_as_for_a_read(
    spark: SparkSession, tmp_path: Path, schema: str | StructType
) -> None:
    write_variant(
        spark.range(9).selectExpr("id % 3 AS p", "to_variant_object(named_struct('a', id)) AS v"),
        tmp_path / "t",
        partition_by="p",
    )
    options: dict[str, Any] = {"base_path": tmp_path / "t", "schema": schema}
    found = advise(spark, tmp_path / "t" / "p=1", table="t", queries="SELECT v:a FROM t", **options)
    assert (found.rows, found.partition_by) == (3, ["p"])
    assert inspect(spark, tmp_path / "t" / "p=1", **options).rows == 3
    with pytest.raises(InvalidOptionError, match="schema: DDL or a StructType is needed, not int"):
        inspect(spark, tmp_path / "t", schema=1)


def test_a_view_of_that_name_is_left_alone(spark: SparkSession, events: Path) -> None:
    spark.range(3).createOrReplaceTempView("mine")
    try:
        with pytest.raises(AnalysisException, match="TEMP_TABLE_OR_VIEW_ALREADY_EXISTS"):
            advise(spark, events, table="mine")
        assert spark.table("mine").count() == 3
    finally:
        spark.catalog.dropTempView("mine")


def test_the_command(run: Run, events: Path, tmp_path: Path) -> None:
    file = tmp_path / "q.sql"
    file.write_text(QUERIES)
    status, out, err = run("advise", "--quiet", events, "--queries", file)
    assert (status, err) == (0, "")
    for line in (
        "  pin      $.ts bigint",
        "  shred    $.mixed",
        "  drop     $.rare",
        "  sort by  $.kind",
        "  bloom    $.id",
        "  $.who: in 1 of 4 queries; 100% STRING",
        "  measured by a trial write of all 6,000 rows",
        "write_variant(",
        '    cluster_by=["$.kind", "$.ts"],',
    ):
        assert line in out.splitlines(), out
    assert re.search(rf"^ +[\d.]+ kB +[\d.]+ kB +[\d.]+%  {re.escape(str(file))}:2: SEL", out, re.M)
    assert max(map(len, out.splitlines())) <= 100
    status, out, _ = run("advise", "--quiet", "--json", events)
    found = json.loads(out)
    assert (status, found["pin"], found["exclude"], found["queries"]) == (0, {}, ["$.rare"], [])
    assert found["call"] == 'write_variant(df, "PATH", exclude=["$.rare"])'
    assert 0 < found["bytes_after"] < found["bytes_before"]


def test_a_scratch_directory_with_characters_of_globs(
    spark: SparkSession, events: Path, tmp_path: Path
) -> None:
    scratch = tmp_path / "trial[1]"
    assert advise(spark, events, scratch=scratch).trial_rows == 6000
    assert [path.name.startswith("advised-") for path in scratch.iterdir()] == [True]


@pytest.mark.parametrize(("interrupt", "status"), [(KeyboardInterrupt, 130), (SystemExit, 143)])
def test_an_interrupted_trial_whose_tasks_go_on_leaves_nothing(
    spark: SparkSession,
    run: Run,
    events: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    interrupt: type[BaseException],
    status: int,
) -> None:
    stopped = Event()
    tasks: list[Thread] = []

    def write(directory: Path) -> None:
        number = 0
        while not stopped.is_set():
            number += 1
            with suppress(FileNotFoundError):
                (directory / str(number)).mkdir(parents=True)
                (directory / str(number) / "part").touch()

    def interrupted(_: object, path: str, **__: object) -> None:
        tasks.append(Thread(target=write, args=(Path(path.removeprefix("file:")),)))
        tasks[0].start()
        raise interrupt(status)

    @contextmanager
    def session(*_: object) -> Iterator[SparkSession]:
        try:
            yield spark
        finally:  # Spark stops
            stopped.set()
            tasks[0].join()

    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr("variant_shredded._tools.advising.write_variant", interrupted)
    monkeypatch.setattr(cli, "_spark", session)
    try:
        ended = run("advise", "--quiet", events)[0]
    except SystemExit as end:
        ended = int(str(end.code))
    assert (ended, list((tmp_path / "temporary").iterdir())) == (status, [])


def test_spark_is_stopped_although_its_jobs_cannot_be_cancelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = MagicMock()
    session.sparkContext.cancelAllJobs.side_effect = ConnectionError
    monkeypatch.setattr(cli, "session", lambda **_: session)
    interrupted = MagicMock(side_effect=KeyboardInterrupt)
    monkeypatch.setattr("variant_shredded._commands.advise.advise", interrupted)
    assert cli.main(["advise", "--quiet", "events"]) == 130
    session.stop.assert_called_once_with()


def test_errors(run: Run, spark: SparkSession, events: Path, tmp_path: Path) -> None:
    file = tmp_path / "q.sql"

    def said(*arguments: str | Path) -> str:
        status, out, err = run("advise", "--quiet", *arguments)
        assert (status, out, err.count("\n")) == (1, "", 1), err
        return err.removeprefix("variant-shredded: error: ")

    assert said(tmp_path / "none").startswith("[PATH_NOT_FOUND]")
    assert str(file) in said(events, "--queries", file)
    file.write_text("-- one\nSELECT 1;\n\nSELECT v:a\nFROM events);")
    assert said(events, "--queries", file).startswith(f"{file}:5: [PARSE_SYNTAX_ERROR]")
    file.write_text("SELECT 1;\n/* two */ SELECT *\nFROM other")
    unknown = said(events, "--queries", file)
    assert unknown.startswith(f"{file}:3: [TABLE_OR_VIEW_NOT_FOUND]")
    assert unknown.endswith(
        "The queries must call the files `events`, or set another name with --table (in Python, "
        "table).\n"
    )
    assert said(events, "--column=w").startswith("column: one of v is needed, not w")
    write_variant(spark.range(3), tmp_path / "plain")
    assert said(tmp_path / "plain") == "there is no Variant in the files\n"
    write_variant(read_variant(spark, events).limit(0), tmp_path / "empty")
    assert said(tmp_path / "empty") == "the files have no rows\n"
    assert spark.catalog.listTables() == []


def test_control_characters_in_paths_are_shown_as_escapes() -> None:
    paths = ["$['a\nb']", "$['x\x1b[2Jy\x9b1m']"]
    advice = Advice("v\x1b", pin=dict.fromkeys(paths, "string"), reasons={paths[1]: ["all"]})
    text = render(advice, Terminal(width=100))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)
    assert r"pin      $['a\x0ab'] string" in text
    assert r"  $['x\x1b[2Jy\x9b1m']: all" in text
    calls: list[dict[str, object]] = []
    exec(
        text[text.index("write_variant(") :],
        {"df": 0, "write_variant": lambda *_, **o: calls.append(o)},
    )
    assert calls == [{"pin": dict.fromkeys(paths, "string")}]


def test_statements() -> None:
    text = "a; -- b;\n'c;\\';' /* ; /* ; */ */ d;;\n`e;` r'\\';f \"g;\"; /* h */ -- i"
    found = [(statement.text, statement.line) for statement in read_queries(text)]
    assert found == [
        ("a", 1),
        ("'c;\\';' /* ; /* ; */ */ d", 2),
        ("`e;` r'\\'", 3),
        ('f "g;"', 3),
    ]
    assert [s.source for s in read_queries(["a;b", "c"])] == ["queries[0]"] * 2 + ["queries[1]"]
    assert read_queries("SELECT /*+ broadcast(t) */ 1")[0].text == "SELECT /*+ broadcast(t) */ 1"


def test_a_scratch_directory_inside_the_files(spark: SparkSession, events: Path) -> None:
    for scratch in (events, events / "trial"):
        with pytest.raises(InvalidOptionError, match="is inside the files"):
            advise(spark, events, scratch=scratch)


@pytest.mark.parametrize(
    ("master", "is_remote", "here"),
    [
        ("local[*]", False, True),
        ("spark://host:7077", False, False),
        ("yarn", False, False),
        ("local[*]", True, False),
    ],
)
def test_a_scratch_directory_is_needed_unless_spark_runs_on_this_machine(
    monkeypatch: pytest.MonkeyPatch, master: str, is_remote: bool, here: bool
) -> None:
    monkeypatch.delenv("SPARK_LOCAL_REMOTE", raising=False)
    monkeypatch.setattr("pyspark.sql.utils.is_remote", lambda: is_remote)
    spark = MagicMock()
    spark.conf.get.return_value = master
    assert runs_here(spark) == here
    if not here:
        with pytest.raises(InvalidOptionError, match=r"^scratch: .* all executors can write to$"):
            advise(spark, "/data/events")


def test_a_very_small_sample(spark: SparkSession, events: Path) -> None:
    assert 0 < advise(spark, events, rows=1).trial_rows < 100


@once
@pytest.mark.parametrize(
    ("other", "path"),
    [
        ('{"id":"c2"}', "v:customer.id"),
        ('[{"id":"c2"}]', "v:customer[0].id"),
        ('{"b c":"c2"}', "v:customer['b c']"),
    ],
)
def test_a_field_that_is_a_text_or_an_object(
    spark: SparkSession, tmp_path: Path, other: str, path: str
) -> None:
    customer = f"IF(id % 100 = 0, '{other}', '\"c1\"')"
    rows = spark.range(1000).selectExpr(f"parse_json('{{\"customer\":' || {customer} || '}}') AS v")
    write_variant(rows, tmp_path / "t")
    query = f"SELECT coalesce({path}::string, v:customer::string) FROM t"
    found = advise(spark, tmp_path / "t", queries=query)
    assert dict(found.pin) == {"$.customer": "string"}


def write_arrays_and_objects(spark: SparkSession, path: Path, every: int) -> None:
    """Write a field that is an array of objects in one of so many rows, and an object in others."""
    value = f"IF(id % {every} = 0, '[{{\"b\":' || id || '}}]', '{{\"b\":' || id || '}}')"
    rows = spark.range(1000).selectExpr(f"parse_json('{{\"a\":' || {value} || '}}') AS v")
    write_variant(rows, path)


@pytest.mark.parametrize("more", ["array", "object"])
def test_a_field_that_is_an_array_or_an_object(
    spark: SparkSession, tmp_path: Path, more: str
) -> None:
    write_arrays_and_objects(spark, tmp_path / "t", every=2)
    paths = {"array": "v:a[0].b", "object": "v:a.b"}
    queries = [f"SELECT 1 FROM t WHERE {path}::bigint = 7" for path in paths.values()]
    queries.append(f"SELECT sum({paths[more]}::bigint) FROM t")
    found = advise(spark, tmp_path / "t", queries=queries)
    kept, dropped = ("$.a[*].b", "$.a.b") if more == "array" else ("$.a.b", "$.a[*].b")
    assert found.pin == {kept: "bigint"}
    assert found.reasons[dropped][-1] == f"$.a is shredded as an {more}, because of {kept}"


@pytest.mark.parametrize("first", ["array", "object"])
def test_of_an_array_and_an_object_the_one_with_more_values_is_pinned(
    spark: SparkSession, tmp_path: Path, first: str
) -> None:
    write_arrays_and_objects(spark, tmp_path / "t", every=100)
    ways = ["v:a[0].b", "v:a.b"] if first == "array" else ["v:a.b", "v:a[0].b"]
    queries = [f"SELECT sum({way}::bigint) FROM t" for way in [*ways, "v:a[0].b"]]
    for asked in (queries, queries[:2]):
        found = advise(spark, tmp_path / "t", queries=asked)
        assert found.pin == {"$.a.b": "bigint"}
        said = found.reasons["$.a[*].b"][-1]
        assert said == "$.a is shredded as an object, because of $.a.b"


def test_a_name_that_needs_quotes_and_a_mark_of_the_byte_order(
    spark: SparkSession, events: Path, tmp_path: Path
) -> None:
    (tmp_path / "q.sql").write_text("\ufeffSELECT v:id::int FROM `2024`", encoding="utf-8")
    found = advise(spark, [events], queries=tmp_path / "q.sql", table="2024")
    assert found.queries[0].bytes_before > 0
