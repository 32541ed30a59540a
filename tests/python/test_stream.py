"""``writeStream.format("variant-shredded")``, and jobs that are killed while they write."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from support import FORMAT, ROOT, clean_environment, once
from variant_shredded import read_variant, write_variant

#: A task that comes upon the number 13 goes no further.
HANGING = """
from variant_shredded import session
from pyspark.sql import SparkSession

spark = session(
    SparkSession.builder.master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.files.maxPartitionBytes", "4m")
)

def hang(df):
    return df.selectExpr(
        "n",
        "p",
        "if(n = 13, cast(java_method('java.lang.Thread', 'sleep', 3600000L) AS variant), v) AS v",
    )
"""

HANGING_STREAM = """
import sys
source, path, checkpoint = sys.argv[1:]
stream = spark.readStream.schema("line string").text(source)
rows = stream.selectExpr(
    "line::int AS n", "line::int % 2 AS p", "parse_json(concat('{\\"n\\": ', line, '}')) AS v"
)
writer = hang(rows).writeStream.format("variant-shredded").option("checkpointLocation", checkpoint)
writer.partitionBy("p").trigger(availableNow=True).start(path).awaitTermination()
"""

HANGING_BATCH = """
import sys
from variant_shredded import write_variant
path, mode = sys.argv[1:]
rows = spark.range(10, 14, 1, 2).selectExpr(
    "id::int AS n", "id::int % 2 AS p", "parse_json(concat('{\\"n\\": ', id, '}')) AS v"
)
write_variant(hang(rows), path, mode=mode)
"""


def write_lines(directory: Path, name: str, numbers: range) -> None:
    """Add a file to what a stream reads."""
    directory.mkdir(exist_ok=True)
    hidden = directory / f".{name}"
    hidden.write_text("".join(f"{n}\n" for n in numbers))
    hidden.rename(directory / name)


def variants(lines: DataFrame) -> DataFrame:
    return lines.selectExpr(
        "line::int AS n", "line::int % 2 AS p", "parse_json(concat('{\"n\": ', line, '}')) AS v"
    )


def run(spark: SparkSession, source: Path, path: Path, checkpoint: Path, *partitions: str) -> None:
    """Write what the source has not given yet, and wait for it."""
    rows = variants(spark.readStream.schema("line string").text(str(source)))
    writer = rows.writeStream.format(FORMAT).option("checkpointLocation", str(checkpoint))
    writer.partitionBy(*partitions).trigger(availableNow=True).start(str(path)).awaitTermination()


def seen(spark: SparkSession, path: Path) -> list[int]:
    """Give the numbers that are there, by our reader and by Spark's own."""
    found = []
    for df in read_variant(spark, path), spark.read.parquet(str(path)):
        rows = df.selectExpr("n", "v:n::int").orderBy("n").collect()
        assert all(number == in_variant for number, in_variant in rows)
        found.append([number for number, _ in rows])
    assert found[0] == found[1]
    return found[0]


@contextlib.contextmanager
def process(script: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a script; kill it with all that it has started when the block ends."""
    child = subprocess.Popen(
        [sys.executable, "-c", HANGING + script, *arguments],
        env=clean_environment(PYTHONPATH=str(ROOT / "python" / "src")),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield child
    finally:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def wait_for_file(directory: Path, child: subprocess.Popen[bytes], but: set[Path]) -> None:
    """Wait until a task has finished a file that is not among `but`."""
    for _ in range(3000):
        with contextlib.suppress(FileNotFoundError):  # files are moved
            new = set(directory.rglob("*.parquet")) - but
            if any(file.read_bytes()[-4:] == b"PAR1" for file in new):
                return
        assert child.poll() is None, "the process has ended by itself"
        time.sleep(0.1)
    raise AssertionError(f"no file has been written to {directory}")


@pytest.mark.parametrize("partitions", [(), ("p",)])
def test_batch_after_batch(spark: SparkSession, tmp_path: Path, partitions: tuple[str]) -> None:
    source, path, checkpoint = tmp_path / "in", tmp_path / "t", tmp_path / "c"
    for i in range(3):
        write_lines(source, f"{i}.txt", range(4 * i, 4 * i + 4))
        run(spark, source, path, checkpoint, *partitions)
        assert seen(spark, path) == list(range(4 * i + 4))
    assert sorted(p.name for p in path.glob("p=*")) == (["p=0", "p=1"] if partitions else [])
    by_sql = spark.sql(f"SELECT count(v:n) FROM variant_shredded.`{path}`")
    assert by_sql.collect()[0][0] == 12


def test_a_log_that_is_compacted(spark: SparkSession, tmp_path: Path) -> None:
    source, path, checkpoint = tmp_path / "in", tmp_path / "t", tmp_path / "c"
    key = "spark.sql.streaming.fileSink.log.compactInterval"
    spark.conf.set(key, "2")
    try:
        for i in range(3):
            write_lines(source, f"{i}.txt", range(i, i + 1))
            run(spark, source, path, checkpoint)
    finally:
        spark.conf.unset(key)
    assert (path / "_spark_metadata" / "1.compact").exists()
    assert seen(spark, path) == [0, 1, 2]


def test_another_checkpoint(spark: SparkSession, tmp_path: Path) -> None:
    source, path = tmp_path / "in", tmp_path / "t"
    write_lines(source, "0.txt", range(2))
    run(spark, source, path, tmp_path / "c")
    with pytest.raises(Exception, match="CONFLICTING_STREAMING_QUERY"):
        run(spark, source, path, tmp_path / "other")
    assert seen(spark, path) == [0, 1]


@once
def test_a_stream_that_is_killed(spark: SparkSession, tmp_path: Path) -> None:
    source, path, checkpoint = tmp_path / "in", tmp_path / "t", tmp_path / "c"
    write_lines(source, "0.txt", range(4))
    run(spark, source, path, checkpoint, "p")
    before = set(path.rglob("*.parquet"))
    # Two files, two tasks: one of them writes its file, the other one hangs.
    write_lines(source, "1.txt", range(10, 12))
    write_lines(source, "2.txt", range(12, 14))
    with process(HANGING_STREAM, str(source), str(path), str(checkpoint)) as child:
        wait_for_file(path, child, but=before)
    assert seen(spark, path) == [0, 1, 2, 3]
    assert set(path.rglob("*.parquet")) > before  # what the process has left
    run(spark, source, path, checkpoint, "p")
    assert seen(spark, path) == [0, 1, 2, 3, 10, 11, 12, 13]


@once
@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_a_batch_that_is_killed(
    spark: SparkSession, tmp_path: Path, mode: Literal["append", "overwrite"]
) -> None:
    path = tmp_path / "t"

    def rows(start: int, end: int) -> DataFrame:
        return variants(spark.range(start, end, 1, 2).selectExpr("id::string AS line"))

    write_variant(rows(0, 4), path)
    before = set(path.rglob("*.parquet"))
    with process(HANGING_BATCH, str(path), mode) as child:
        wait_for_file(path, child, but=before)
    assert seen(spark, path) == [0, 1, 2, 3]
    assert set(path.rglob("*.parquet")) > before  # what the process has left
    write_variant(rows(10, 14), path, mode=mode)
    assert seen(spark, path) == ([0, 1, 2, 3] if mode == "append" else []) + [10, 11, 12, 13]


def test_a_directory_is_read_as_a_stream(spark: SparkSession, tmp_path: Path) -> None:
    source, target = str(tmp_path / "source"), str(tmp_path / "target")

    def append(start: int, end: int) -> None:
        rows = spark.range(start, end, 1, 1).selectExpr(
            "id::int AS n", "id::int % 2 AS p", "parse_json(concat('{\"n\": ', id, '}')) AS v"
        )
        write_variant(rows, source, partition_by="p", mode="append")

    def run() -> None:
        stream = spark.readStream.format("variant-shredded").schema("n int, v variant, p int")
        rows = stream.load(source).where("v:n::int >= 2")
        chosen = rows.selectExpr("v:n::int AS n", "_metadata.file_name AS f", "_metadata.row_index")
        writer = chosen.writeStream.format("variant-shredded")
        writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.trigger(availableNow=True).start(target).awaitTermination()

    append(0, 6)
    run()
    append(6, 10)
    run()
    run()
    found = spark.read.format("variant-shredded").load(target)
    assert sorted(row.n for row in found.collect()) == list(range(2, 10))
    batch = spark.read.format("variant-shredded").load(source).where("n >= 2")
    wanted = batch.selectExpr("n", "_metadata.file_name AS f", "_metadata.row_index")
    assert sorted(found.collect()) == sorted(wanted.collect())


def test_a_stream_without_a_path(spark: SparkSession) -> None:
    missing = "Option 'path' is '', expected the path of a file or directory"
    with pytest.raises(PySparkException, match=missing):
        spark.readStream.format(FORMAT).schema("v variant").load()


def test_a_pattern_in_the_directory_of_a_stream(spark: SparkSession, tmp_path: Path) -> None:
    source, path = tmp_path / "in", tmp_path / "t"
    write_lines(source, "0.txt", range(4))
    run(spark, source, path, tmp_path / "c", "p")
    # As a failed attempt would leave it: the log does not name the file.
    (file, *_) = (path / "p=1").glob("*.parquet")
    (path / "p=1" / f"part-9-{file.name}").write_bytes(file.read_bytes())
    for pattern, rows in (("*", 4), ("p=*", 4), ("p=1/*", 2)):
        assert read_variant(spark, path / pattern).count() == rows
        reader = spark.readStream.format(FORMAT).schema("n int, v variant")
        target = tmp_path / f"out-{rows}-{len(pattern)}"
        writer = reader.load(f"{path}/{pattern}").writeStream.format(FORMAT)
        writer = writer.option("checkpointLocation", f"{target}.c")
        writer.trigger(availableNow=True).start(str(target)).awaitTermination()
        assert read_variant(spark, target).count() == rows
