"""Defines fixtures, such as a Spark session with the packed JAR, and the markers of tests."""

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
    """Set the options of the JVMs that these tests start."""
    if not session.config.option.collectonly and "SPARK_SUBMIT_OPTS" not in os.environ:
        # Most of these JVMs run for seconds. In so short a time, C2 costs more than it saves. The
        # parallel collector takes less CPU time than G1. A job that lists directories would have
        # 10,000 tasks: a VACUUM of Delta Lake, for example.
        options = (
            "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseParallelGC "
            "-Dspark.ui.enabled=false -Dspark.sql.sources.parallelPartitionDiscovery.parallelism=2"
        )
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
    """Print the time that the tests of each file took, with their fixtures."""
    times: defaultdict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                times[report.nodeid.partition("::")[0]] += report.duration
    for file, seconds in sorted(times.items(), key=lambda entry: -entry[1]):
        terminalreporter.write_line(f"{seconds:8.1f} s  {file}")


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Start a local session. It loads the JAR of ``VARIANT_SHREDDED_JAR`` by ``spark.jars``."""
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
    """Return the name of a table, and drop the table after the test."""
    name = f"t{next(TABLES)}"
    yield name
    spark.sql(f"DROP TABLE IF EXISTS {name}")


@pytest.fixture(scope="session")
def shared() -> Callable[[str], Path]:
    """Return a function that finds a file of the shared data, or skips the test without it."""

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
    """Return a function that runs the command in this process, in the session of the tests."""
    monkeypatch.setattr(cli, "_spark", lambda given, work: nullcontext(spark))
    monkeypatch.delenv("COLUMNS", raising=False)

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        status = cli.main(list(map(str, arguments)))
        out, err = capsys.readouterr()
        return status, out, err

    return run
