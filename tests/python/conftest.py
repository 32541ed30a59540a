"""Fixtures: a Spark session that has the packed JAR, and the optional shared test data."""

from __future__ import annotations

import itertools
import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import variant_shredded
from class_archive import jvm_options
from pyspark.sql import SparkSession
from support import SHARED, SPARK, Run
from variant_shredded import cli

#: The version on which the tests marked ``once`` run.
ONCE = (4, 2)

TABLES = itertools.count(1)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "once: run on one Spark version only")
    config.addinivalue_line("markers", "slow: run on one Spark version only, and with SLOW=1 only")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Set the options of the JVMs of these tests."""
    if not session.config.option.collectonly and "SPARK_SUBMIT_OPTS" not in os.environ:
        # Most of them live for seconds, in which C2 costs more time than it saves.
        options = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m"
        with TemporaryDirectory() as directory:
            os.environ["SPARK_SUBMIT_OPTS"] = jvm_options(Path(directory), options)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    other = SPARK != ONCE
    marks = {"once": other, "slow": other or not os.environ.get("SLOW")}
    left_out = [item for item in items if any(marks.get(mark.name) for mark in item.iter_markers())]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how long the tests of each file took, fixtures included."""
    times: defaultdict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                times[report.nodeid.partition("::")[0]] += report.duration
    for file, seconds in sorted(times.items(), key=lambda entry: -entry[1]):
        terminalreporter.write_line(f"{seconds:8.1f} s  {file}")


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Start a local session; the JAR of ``VARIANT_SHREDDED_JAR`` comes to it by ``spark.jars``."""
    builder = (
        SparkSession.builder.master("local[2]")
        .appName("variant-shredded tests")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", tmp_path_factory.mktemp("warehouse").as_uri())
        .config("spark.driver.memory", "2g")
        .config("spark.sql.session.timeZone", "UTC")
    )
    spark = variant_shredded.session(builder)
    spark.sparkContext.setLogLevel("OFF")
    yield spark
    spark.stop()


@pytest.fixture
def table(spark: SparkSession) -> Iterator[str]:
    """Give a name of a table, dropped afterwards."""
    name = f"t{next(TABLES)}"
    yield name
    spark.sql(f"DROP TABLE IF EXISTS {name}")


@pytest.fixture(scope="session")
def shared() -> Callable[[str], Path]:
    """Find a file of the shared test data, or skip the test where it is not there."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"no {name} in {SHARED} (VARIANT_SHREDDED_SHARED)")
        return path

    return find


@pytest.fixture
def run(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Run the command in this process, in the session that is there."""
    monkeypatch.setattr(cli, "_spark", lambda given, work: nullcontext(spark))
    monkeypatch.delenv("COLUMNS", raising=False)

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        status = cli.main(list(map(str, arguments)))
        out, err = capsys.readouterr()
        return status, out, err

    return run
