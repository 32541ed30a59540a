"""`inspect`, as a function and as a command."""

from __future__ import annotations

import fcntl
import io
import json
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import termios
from functools import partial
from html.parser import HTMLParser
from pathlib import Path

import pytest
import variant_shredded
from pyspark.sql import SparkSession
from support import ROOT, Run, clean_environment, once
from variant_shredded import Inspection, InvalidOptionError, cli, inspect, write_variant
from variant_shredded._tools import page, tree
from variant_shredded._tools.model import steps
from variant_shredded._tools.terminal import Terminal, percent, size

pytestmark = once


@pytest.fixture(scope="module")
def events(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write 3 files of 100 rows: one id in four is text, tags are mixed, `x y` has no column."""
    path = tmp_path_factory.mktemp("inspect") / "events"
    rows = spark.range(0, 300, 1, 3).selectExpr(
        "id AS n",
        """parse_json(concat('{"id":', if(id % 4 = 0, '"k"', string(id)), ',"name":"name ', id % 7,
          '","at":{"x y":', id, ',"day":"2026-01-01"},"tags":["a",', id, ']}')) AS v""",
    )
    ddl = "id bigint, name string, at struct<day string>, tags array<string>"
    write_variant(rows, path, shredding={"v": ddl}, bloom_filter="$.name")
    return path


def test_what_is_found(spark: SparkSession, events: Path) -> None:
    found = inspect(spark, events)
    assert (found.files, found.row_groups, found.rows) == (3, 3, 300)
    assert sorted(column.name for column in found.columns) == ["n", "v"]
    (v,) = (column for column in found.columns if column.is_variant)
    assert v.layouts == ("spec",)
    ident = found.path("$.id")
    assert (ident.type, ident.residual_values) == ("bigint", 75)
    assert ident.residual_types == ("string",)
    assert (ident.typed_share, ident.residual_share) == (0.75, 0.25)
    assert ident.typed is not None
    assert (ident.typed.skippable_row_groups, ident.typed.column_chunks) == (0, 3)
    assert ident.typed.why_not_skippable == "25 of 100 values are in v.typed_value.id.value"
    name = found.path("$.name")
    assert name.typed is not None
    assert (name.typed_share, name.residual_share) == (1.0, 0.0)
    assert name.typed.skippable_row_groups == 3
    assert name.typed.column_indexes == 3
    at = found.path("$.at")
    assert (at.type, at.residual_values, at.residual_types) == ("object", 300, ("object",))
    assert [child.path for child in at.children] == ["$.at.day"]
    assert found.path("$.tags").type == "array"
    assert found.path("$.tags[*]").residual_share == 0.5
    assert found.path("n").typed == found.path("n", "n").leaves[0]


def test_bytes_add_up(spark: SparkSession, events: Path) -> None:
    found = inspect(spark, events, residualSample=0)
    table = spark.read.format("variant-shredded-files").load(str(events))
    expected = table.selectExpr("sum(compressed_bytes)", "sum(uncompressed_bytes)").first()
    assert expected == (found.compressed_bytes, found.uncompressed_bytes)
    for column in found.columns:
        shares = [summary.compressed_bytes for summary in column.root.walk()]
        assert shares[0] == max(shares)
    assert found.path("$.id").residual_types == ()


def test_files_that_differ(spark: SparkSession, tmp_path: Path) -> None:
    for name, text, ddl in (("a", '{"x":1}', "x bigint"), ("b", '{"x":"s"}', "x string")):
        row = spark.createDataFrame([(text,)], "line string").selectExpr("parse_json(line) AS v")
        write_variant(row, tmp_path / name, shredding=ddl)
    found = inspect(spark, tmp_path / "*")
    assert found.path("$.x").type == "bigint|string"
    assert found.path("$.x").typed.column_chunks == 2  # type: ignore[union-attr]


def test_wrong_arguments(spark: SparkSession, events: Path) -> None:
    with pytest.raises(InvalidOptionError, match="at least one path"):
        inspect(spark)
    with pytest.raises(KeyError):
        inspect(spark, events).path("$.none")


def test_a_directory_without_files_has_no_rows_and_no_columns(
    spark: SparkSession, tmp_path: Path
) -> None:
    found = inspect(spark, tmp_path)
    assert found == Inspection((str(tmp_path),), 0, 0, 0, ())
    assert "0 files" in tree.render(found, Terminal())
    assert "There are no bytes" in page.render(found)


def test_a_path_is_split_into_its_steps() -> None:
    assert steps("$") == []
    assert steps("$.a['b c'][*].d") == [
        ("a", "$.a"),
        ("b c", "$.a['b c']"),
        ("[*]", "$.a['b c'][*]"),
        ("d", "$.a['b c'][*].d"),
    ]
    assert steps(r"$['it\'s \\']") == [(r"it's \ "[:-1], r"$['it\'s \\']")]
    for wrong in ("a", "$.", "$[1]", "$.a[", ""):
        with pytest.raises(ValueError, match="not a path"):
            steps(wrong)


def test_numbers_for_people() -> None:
    sizes = [size(n) for n in (0, 999, 1000, 99_949, 99_950, 12_345_678, 5 * 10**12, 10**18)]
    assert sizes == ["0 B", "999 B", "1.0 kB", "99.9 kB", "100 kB", "12.3 MB", "5.0 TB", "1,000 PB"]
    shares = [percent(s) for s in (0, 1e-9, 0.001, 0.0994, 0.1, 0.5, 0.9949, 0.99999, 1)]
    assert shares == ["0%", "<0.1%", "0.1%", "9.9%", "10%", "50%", "99.5%", "99.9%", "100%"]


def test_bars() -> None:
    bar = Terminal().bar
    assert [bar(s, 4) for s in (0, 0.001, 0.5, 0.53, 1, 7)] == [
        "    ",
        "▏   ",
        "██  ",
        "██▏ ",
        "████",
        "████",
    ]
    assert Terminal(unicode=False).bar(0.5, 4) == "##.."
    assert Terminal(colour=True).styled("x", "bold", "red") == "\x1b[1;31mx\x1b[0m"
    assert Terminal().styled("x", "bold") == "x"


@pytest.mark.parametrize(
    ("is_tty", "variables", "colour"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
    ],
)
def test_colours(
    is_tty: bool, variables: dict[str, str], colour: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(stream, "isatty", lambda: is_tty)
    for name, value in {"NO_COLOR": "", "TERM": "xterm", "COLUMNS": "77", **variables}.items():
        monkeypatch.setenv(name, value)
    assert Terminal.of(stream) == Terminal(77, colour, True)
    ascii_only = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    assert Terminal.of(ascii_only) == Terminal(77, False, False)


def test_the_width_is_that_of_the_stream_if_standard_output_is_redirected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    with open(ours, "rb"), open(theirs, "w", encoding="utf-8") as stream:
        assert Terminal.of(stream).width == 80
        monkeypatch.setenv("COLUMNS", "77")
        assert Terminal.of(stream).width == 77


@once
def test_control_characters_in_names_are_shown_as_escapes(
    spark: SparkSession, tmp_path: Path
) -> None:
    texts = [json.dumps({"a\nb": n, "x\x1b[2Jy": {"c\x9bd": 1}, "e\x85": None}) for n in range(100)]
    rows = spark.createDataFrame([(text,) for text in texts], "v string")
    rows = rows.selectExpr("parse_json(v) AS v")
    write_variant(rows.withColumnRenamed("v", "v\x1b[1m"), tmp_path / "t")
    text = tree.render(inspect(spark, tmp_path / "t"), Terminal(width=100))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)
    lines = [line for line in text.split("\n") if line.strip()]
    shown = {re.sub(r"^[│├└─ ]+", "", line).split()[0] for line in lines}
    assert {r"v\x1b[1m", r"a\x0ab", r"x\x1b[2Jy", r"c\x9bd"} <= shown


def test_the_tree(spark: SparkSession, events: Path) -> None:
    text = tree.render(inspect(spark, events), Terminal(width=100))
    lines = text.splitlines()
    assert lines[0] == str(events)
    assert lines[1].startswith("3 files, 3 row groups, 300 rows, ")
    assert lines[3].split() == ["bytes", "share", "typed", "resid.", "null", "skips"]
    rows = {re.sub(r"^[│├└─ ]+", "", line).split()[0]: line for line in lines[4:] if line}
    assert re.search(r"id bigint .* 75% \S+ +25% \S+ +0% +none$", rows["id"]), rows["id"]
    assert re.search(r"name string .* 100% \S+ +0% +0% +all$", rows["name"]), rows["name"]
    assert "VARIANT, spec" in rows["v"]
    assert {"(metadata)", "(residual)"} <= set(rows)
    assert max(map(len, lines)) <= 100
    assert "\x1b" not in text


@pytest.mark.parametrize("width", [40, 60, 70, 80, 200])
@pytest.mark.parametrize("unicode", [True, False])
def test_the_tree_fits(spark: SparkSession, events: Path, width: int, unicode: bool) -> None:
    text = tree.render(inspect(spark, events), Terminal(width, False, unicode))
    assert max(len(line) for line in text.splitlines()[2:]) <= max(width, 60)
    assert "can leave out" in " ".join(text.split())
    assert unicode or text.isascii()


def test_parts_of_the_tree(run: Run, events: Path) -> None:
    status, flat, _ = run("inspect", "--depth=1", events)
    assert status == 0
    assert " id " in flat
    assert "day" not in flat
    status, big, _ = run("inspect", "--min-share=99", events)
    assert status == 0
    assert "(6 more)" in big
    assert " id " not in big


def test_json(run: Run, events: Path) -> None:
    status, out, err = run("inspect", "--json", "--quiet", events)
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert (found["files"], found["rows"]) == (3, 300)
    (v,) = (column for column in found["columns"] if column["name"] == "v")
    (ident,) = (child for child in v["children"] if child["path"] == "$.id")
    assert ident["residual_types"] == ["string"]
    assert {leaf["name"] for leaf in ident["leaves"]} == {"value", "typed_value"}


class _Balance(HTMLParser):
    """Checks that what is opened is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [str(value) for name, value in attrs if name in ("src", "href")]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page(run: Run, events: Path, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    status, out, _ = run("inspect", "--html", file, events)
    assert (status, out) == (0, "")
    status, out, _ = run("inspect", "--html", file, "--json", events)
    assert (status, json.loads(out)["files"]) == (0, 3)
    text = file.read_text(encoding="utf-8")
    parser = _Balance()
    parser.feed(text)
    assert (parser.open, parser.links) == ([], [])
    assert "http" not in text
    assert "25 of 100 values are in v.typed_value.id.value" in text
    assert text.count("<svg") > 10
    assert "<th>why not</th>" in text
    assert text.count("<th data-sort=") + text.count('<th class="number" data-sort=') == 8
    assert 'placeholder="filter by path"' in text
    assert 'data-path="$.id"' in text


def test_nulls_are_counted_apart_and_paths_without_a_column_have_a_reason(
    spark: SparkSession, tmp_path: Path
) -> None:
    rows = spark.range(100).selectExpr(
        """parse_json(concat('{"a":', if(id % 4 = 0, 'null', string(id)),
          ',"b":', if(id % 4 = 0, '"x"', if(id % 10 = 1, 'null', string(id))),
          ',"mixed":[1,"x"],"o":{"k":"', id,
          '","', repeat('r', 1 + int(id)), '":1}}')) AS v""",
        "parse_json('[1, \"x\"]') AS top",
        "parse_json(if(id % 2 = 0, '1', '\"x\"')) AS scalars",
    )
    write_variant(
        rows,
        tmp_path / "t",
        shredding={"v": "a bigint, b bigint, o struct<k string>, mixed variant"},
    )
    found = inspect(spark, tmp_path / "t")
    nulls, mixed = found.path("$.a"), found.path("$.b")
    assert (nulls.residual_nulls, nulls.residual_non_nulls) == (25, 0)
    assert nulls.residual_null_share == 0.25
    assert (mixed.residual_nulls, mixed.residual_non_nulls) == (10, 25)
    assert (mixed.residual_null_share, mixed.residual_non_null_share) == (0.1, 0.25)
    inner = found.path("$.o")
    assert inner.residual_bytes > 0
    assert inner.residual_byte_share == inner.residual_bytes / inner.compressed_bytes
    assert found.path("$.mixed").why_not_shredded is not None
    assert found.path("$", "top").why_not_shredded == (
        "values are arrays whose elements have no common type, or shredding is off"
    )
    assert found.path("$", "scalars").why_not_shredded == (
        "values have several types: bigint, string"
    )
    assert (nulls.why_not_shredded, inner.why_not_shredded) == (None, None)
    text = page.render(found)
    assert "25% string; 10% null" in text
    assert "values have several types: bigint, string" in text
    shown = tree.render(found, Terminal(width=120))
    assert re.search(r" b bigint .* 25% \S+ +10% +\w+$", shown, re.MULTILINE), shown
    assert "  scalars $: values have several types: bigint, string\n" in shown
    assert "  v $.mixed: values are arrays whose elements have no common type" in shown
    unknown = inspect(spark, tmp_path / "t", residualSample=0).path("$.b")
    assert (unknown.residual_values, unknown.residual_nulls) == (35, None)
    assert unknown.residual_non_null_share == 0.35


def test_names_in_the_page_are_escaped(spark: SparkSession, tmp_path: Path) -> None:
    line = json.dumps({"<script>": 1, "a&b": {"'\"": 2}})
    row = spark.createDataFrame([(line,)], "line string").selectExpr("parse_json(line) AS v")
    write_variant(row, tmp_path / "t", shredding="`<script>` bigint, `a&b` struct<`'\"` bigint>")
    text = page.render(inspect(spark, tmp_path / "t"))
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    parser = _Balance()
    parser.feed(text)
    assert parser.open == []


#: Measures a page that is 400 pixels wide.
NARROW = """<!DOCTYPE html><html><body>
<iframe src="{page}" style="width:400px;height:900px;border:0"
onload="
  const page = this.contentDocument;
  const top = cell => Math.round(page.querySelector(cell).getBoundingClientRect().top);
  document.body.dataset.measured =
    [page.documentElement.scrollWidth, top('td.share'), top('td.name')].join(' ')
"></iframe></body></html>
"""


def test_the_page_in_a_browser(run: Run, events: Path, tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium")
    file = tmp_path / "page.html"
    assert run("inspect", "--html", file, events)[0] == 0
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'u'}"]
    shot = tmp_path / "page.png"
    subprocess.run(
        [browser, *options, f"--screenshot={shot}", "--window-size=1280,900", file.as_uri()],
        check=True,
        capture_output=True,
        timeout=120,
    )
    assert shot.read_bytes().startswith(b"\x89PNG")
    dom = subprocess.run(
        [browser, *options, "--dump-dom", file.as_uri()],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    ).stdout
    assert "Where the bytes are" in dom
    # On a narrow screen nothing is wider than the screen, and the bar of a row is above its name.
    frame = tmp_path / "narrow.html"
    frame.write_text(NARROW.format(page=file.name), encoding="utf-8")
    measured = subprocess.run(
        [browser, *options, "--allow-file-access-from-files", "--dump-dom", frame.as_uri()],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    ).stdout
    (found,) = re.findall(r'data-measured="(\d+) (\d+) (\d+)"', measured)
    width, bar, name = map(int, found)
    assert 0 < width <= 400
    assert bar < name


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "arguments are required: COMMAND"),
        (["look"], "invalid choice: 'look'"),
        (["inspect"], "arguments are required: PATH"),
        (["inspect", "--depth=-1", "x"], "'-1' is not a number from 0 on"),
        (["inspect", "--min-share=101", "x"], "'101' is not a percentage"),
        (["inspect", "--conf=x", "x"], "'x' is not KEY=VALUE"),
        (["inspect", "--conf=master=local[2]", "x"], "is not a setting such as spark.master=VALUE"),
        (["inspect", "--json", "--depth=1", "x"], "--depth and --min-share need the tree"),
        (["inspect", "--html=x", "--min-share=0", "x"], "--depth and --min-share need the tree"),
        (["inspect", "--remote=sc://x", "--master=local", "x"], "not allowed with argument"),
        (["advise", "--rows=0", "x"], "'0' is not a number from 1 on"),
        (["load", "-", "x", "t"], "standard input (-) cannot be combined"),
        (["load", "--files=0", "x", "t"], "'0' is not a number from 1 on"),
        (["load", "--option=spark.x=1", "x", "t"], "--option spark.x: use --conf"),
        (["reshred", "--option=clusterBy=$.a", "--option=cluster_by=$.b", "x", "y"], "given twice"),
        (["reshred", "--delta=t", "x"], "cannot be combined with SRC, DST"),
        (["reshred", "--delta=t", "--files=1"], "cannot be combined with SRC, DST"),
        (["reshred", "x"], "arguments are required: DST"),
        (["reshred"], "arguments are required: SRC, DST (or --delta TABLE)"),
    ],
)
def test_usage(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit:
        cli.main(arguments)
    assert exit.value.code == 2
    assert said in capsys.readouterr().err


def test_errors_are_one_line(run: Run, tmp_path: Path) -> None:
    status, out, err = run("inspect", tmp_path / "none")
    assert (status, out) == (1, "")
    assert re.fullmatch(r"variant-shredded: error: \[PATH_NOT_FOUND\] .*none.*\n", err), err
    (tmp_path / "bad.parquet").write_text("this is no Parquet at all")
    status, out, err = run("inspect", tmp_path)
    assert (status, out) == (1, "")
    assert re.fullmatch(
        r"variant-shredded: error: \[CORRUPT_PARQUET_FILE\] .*bad\.parquet\)\n", err
    ), err
    status, _, err = run("inspect", "--html", tmp_path / "no" / "x.html", tmp_path / "none")
    assert (status, err.count("\n")) == (1, 1)


def test_the_command_as_a_process(events: Path) -> None:
    """With a session of its own: nothing but the answer, no colour, no log of Spark."""

    def command(
        *arguments: str | Path, module: str = "variant_shredded.cli"
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", module, *map(str, arguments)],
            env=clean_environment(PYTHONPATH=str(ROOT / "python" / "src"), COLUMNS="90"),
            capture_output=True,
            text=True,
            timeout=300,
        )

    done = command(
        "inspect", "--quiet", "--master=local[1]", "--conf=spark.sql.ansi.enabled=true", events
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{events}\n3 files, ")
    assert "\x1b" not in done.stdout
    failed = command("inspect", "--quiet", events / "none")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr.count("\n") == 1
    version = command("--version", module="variant_shredded")
    assert version.stdout == f"variant-shredded {variant_shredded.__version__}\n"


def test_the_command_with_closed_output(events: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    command = [sys.executable, "-m", "variant_shredded", "inspect", "--quiet", "--html"]
    done = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", *command, page, "--master=local[1]", events],
        env=clean_environment(PYTHONPATH=str(ROOT / "python" / "src")),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert page.exists()


#: Gets signals while the command would run.
SIGNALLED = """
import signal
from variant_shredded.cli import _ending_at_signals
try:
    with _ending_at_signals():
        signal.raise_signal(signal.SIGHUP)
        print("goes on")
        signal.raise_signal(signal.SIGTERM)
except SystemExit as end:
    print(end.code, signal.getsignal(signal.SIGTERM) is signal.SIG_DFL)
"""


@pytest.mark.parametrize(
    ("handler", "printed"),
    [(signal.SIG_IGN, ["goes", "on", "143", "True"]), (signal.SIG_DFL, ["129", "True"])],
)
def test_signals_end_the_command_unless_they_are_ignored(
    handler: signal.Handlers, printed: list[str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SIGNALLED],
        preexec_fn=partial(signal.signal, signal.SIGHUP, handler),
        env=clean_environment(PYTHONPATH=str(ROOT / "python" / "src")),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout.split()) == (0, printed), done.stderr


@once
def test_the_share_of_typed_values_in_files_that_differ(
    spark: SparkSession, tmp_path: Path
) -> None:
    for count, value, shredding in [(100, "'s'", "x variant"), (1, "1", "x bigint")]:
        made = spark.range(count).selectExpr(f"to_variant_object(named_struct('x', {value})) AS v")
        write_variant(
            made, tmp_path / "t", shredding=shredding, mode="append", reuse_shredding=False
        )
    found = inspect(spark, tmp_path / "t").path("$.x")
    assert found.typed_share == pytest.approx(1 / 101)
    assert found.residual_share == pytest.approx(100 / 101)


def test_a_column_that_is_a_variant_in_some_files(
    run: Run, spark: SparkSession, tmp_path: Path
) -> None:
    write_variant(spark.sql("SELECT 'x' AS v"), tmp_path / "a")
    write_variant(spark.sql("SELECT parse_json('1') AS v"), tmp_path / "b")
    page = tmp_path / "o.html"
    status, _, err = run("inspect", tmp_path / "a", tmp_path / "b", "--html", page)
    assert status == 0, err
    assert "<html" in page.read_text()
    assert inspect(spark, [tmp_path / "a", tmp_path / "b"]).rows == 2
