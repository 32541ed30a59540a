"""Jobs that fail, and one that is killed: the old data stay, and nothing half done is read."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Literal

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from support import ROOT, clean_environment, data_files, once, run_script
from variant_shredded import read_variant, write_variant


def write_good(spark: SparkSession, path: Path) -> set[Path]:
    good = spark.range(100).selectExpr("id", "cast(id AS variant) AS v", "id % 2 AS part")
    write_variant(good, path, partition_by="part")
    return set(data_files(path))


def check_good(spark: SparkSession, path: Path) -> None:
    row = read_variant(spark, path).selectExpr("count(*)", "sum(v::bigint)", "max(id)").collect()
    assert tuple(row[0]) == (100, 4950, 99)


@pytest.mark.parametrize("mode", ["append", "overwrite"])
@pytest.mark.parametrize("overwrite", ["static", "dynamic"])
def test_a_task_that_fails(
    spark: SparkSession, tmp_path: Path, mode: Literal["append", "overwrite"], overwrite: str
) -> None:
    files = write_good(spark, tmp_path / "t")
    bad = spark.range(0, 30000, numPartitions=3).selectExpr(
        "id",
        "if(id = 29000, raise_error('on purpose'), cast(id AS variant)) AS v",
        "id % 2 AS part",
    )
    with pytest.raises(PySparkException, match="on purpose"):
        write_variant(
            bad,
            tmp_path / "t",
            mode=mode,
            partition_by="part",
            maxRecordsPerFile=1000,
            partitionOverwriteMode=overwrite,
        )
    assert set(data_files(tmp_path / "t")) == files
    check_good(spark, tmp_path / "t")


def test_a_task_that_fails_on_a_new_path(spark: SparkSession, tmp_path: Path) -> None:
    # With more tasks than one, those that still run could make the directory again.
    numbers = spark.range(0, 3, 1, 1)
    bad = numbers.selectExpr("if(id = 2, raise_error('on purpose'), cast(id AS variant)) v")
    with pytest.raises(PySparkException, match="on purpose"):
        write_variant(bad, tmp_path / "t")
    assert not data_files(tmp_path / "t")
    write_variant(spark.sql("SELECT parse_json('1') AS v"), tmp_path / "t")


@once
def test_a_task_that_is_tried_again(tmp_path: Path) -> None:
    """Run where tasks have more than one attempt; the first of each fails after many rows."""
    script = f"""
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf
from variant_shredded import read_variant, session, write_variant
builder = SparkSession.builder.master("local[2,3]").config("spark.ui.enabled", "false")
spark = session(builder)
spark.sparkContext.setLogLevel("OFF")

@udf("bigint")
def fail_once(number):
    from pyspark import TaskContext
    if number % 10000 == 9000 and TaskContext.get().attemptNumber() == 0:
        raise ValueError("on purpose")
    return number

data = spark.range(0, 20000, numPartitions=2).select(fail_once("id").alias("id"))
write_variant(data.selectExpr("id", "cast(id AS variant) AS v"), {str(tmp_path / "t")!r})
read = read_variant(spark, {str(tmp_path / "t")!r})
print(tuple(read.selectExpr("count(*)", "sum(v::bigint)").first()))
spark.stop()
"""
    assert run_script(script) == "(20000, 199990000)\n"
    assert len(data_files(tmp_path / "t")) == 2


KILLED = """
import sys
from variant_shredded import session, write_variant
spark = session(**{"spark.master": "local[2]", "spark.ui.enabled": False})
path, mode = sys.argv[1:]
# A row takes a moment, so that the write cannot be over before it is killed.
slow = spark.range(0, 100_000_000, numPartitions=4).selectExpr(
    "id", "parse_json(concat('{\\"n\\":', id, ',\\"s\\":\\"', sha2(string(id), 512), '\\"}')) AS v",
    "id % 2 AS part")
options = {"maxRecordsPerFile": 2000, "parquet.block.size": 65536, "mode": mode}
write_variant(slow, path, partition_by=None, **options)
print("not killed")
"""


@once
@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_a_job_that_is_killed(spark: SparkSession, tmp_path: Path, mode: str) -> None:
    path = tmp_path / "t"
    good = spark.range(100).selectExpr("id", "cast(id AS variant) AS v", "id % 2 AS part")
    write_variant(good, path)
    files = set(data_files(path))
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path), mode],
        env=clean_environment(PYTHONPATH=str(ROOT / "python" / "src")),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Python and its JVM, to be killed together
    ) as job:
        try:
            deadline = time.monotonic() + 120
            while len(list(path.rglob("_temporary/**/*.parquet"))) < 10:
                assert job.poll() is None, "the job ended by itself"
                assert time.monotonic() < deadline, "the job does not write"
                time.sleep(0.1)
        finally:
            os.killpg(job.pid, signal.SIGKILL)
        assert job.stdout is not None
        assert job.stdout.read() == b""
    assert list(path.rglob("_temporary/**/*.parquet"))
    assert set(data_files(path)) == files
    check_good(spark, path)
    write_variant(good.where("id >= 50"), path, mode="overwrite")
    assert read_variant(spark, path).count() == 50
    assert len(set(data_files(path)) & files) == 0


#: Runs the command in a process whose JVM is killed while it loads.
KILLED_JVM = """
import os, signal, sys, time
from pyspark import SparkContext
from variant_shredded import _commands, cli

def load(spark, *_, step, **__):
    with step("loading"):
        os.kill(SparkContext._gateway.proc.pid, signal.SIGKILL)
        time.sleep(0.5)  # the progress looks at the tasks meanwhile
        spark.range(3).count()

_commands.load.load = load
sys.exit(cli.main(["load", "--master=local[1]", "a.json", "t"]))
"""


@once
def test_a_command_says_in_one_line_that_its_jvm_was_killed() -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED_JVM],
        env=clean_environment(PYTHONPATH=str(ROOT / "python" / "src")),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.returncode, done.stdout, done.stderr) == (
        1,
        "",
        "variant-shredded: error: Spark's process has ended because it was killed, as systems do "
        "that lack memory\n",
    )
