"""Options that are settings of Hadoop: each step of a command opens its files with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from support import Run, data_files, once
from variant_shredded import advise, inspect, read_variant, write_variant

pytestmark = once

#: A file system that Hadoop knows only by the settings of the fixture.
MOUNTED = "viewfs://mounted/data"


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, Any]:
    """Give the settings by which `MOUNTED` is the directory of the test.

    Without Hadoop's cache, no step can use the file system that another step has opened.
    """
    return {
        "fs.viewfs.impl.disable.cache": "true",
        "fs.viewfs.mounttable.mounted.link./data": tmp_path.as_uri(),
    }


@pytest.fixture
def options(settings: dict[str, Any]) -> list[str]:
    """Give the settings as arguments of a command."""
    return [f"--option={name}={value}" for name, value in settings.items()]


def rows(spark: SparkSession) -> DataFrame:
    return spark.range(0, 40, 1, 2).selectExpr(
        "id % 2 AS part", """parse_json('{"id": ' || id || '}') AS v"""
    )


def test_the_file_system_needs_the_settings(
    spark: SparkSession, settings: dict[str, Any], tmp_path: Path
) -> None:
    write_variant(rows(spark), f"{MOUNTED}/t", **settings)
    assert read_variant(spark, tmp_path / "t").count() == 40
    assert read_variant(spark, f"{MOUNTED}/t", **settings).count() == 40
    with pytest.raises(Exception, match=r"(?i)mount table"):
        read_variant(spark, f"{MOUNTED}/t").count()


def test_load_passes_hadoop_settings_on(
    run: Run, spark: SparkSession, options: list[str], tmp_path: Path
) -> None:
    (tmp_path / "a.json").write_text('{"id": 1}\n{"id": 2}\n')
    given = ["--quiet", *options, f"{MOUNTED}/a.json", f"{MOUNTED}/t"]
    for mode, count in (([], 2), (["--append"], 4), (["--overwrite"], 2)):
        status, out, err = run("load", *mode, *given)
        assert (status, err) == (0, "")
        assert out.startswith(f"2 rows loaded into {MOUNTED}/t in ")
        assert read_variant(spark, tmp_path / "t").count() == count
    (tmp_path / "t" / "notes.txt").write_text("mine")
    status, _, err = run("load", "--overwrite", *given)
    assert status == 1
    assert "has files that are not Parquet files" in err


def test_reshred_passes_hadoop_settings_on(
    run: Run, spark: SparkSession, options: list[str], tmp_path: Path
) -> None:
    write_variant(rows(spark), tmp_path / "source", partition_by="part")
    given = ["--quiet", "--shredding=none", *options, f"{MOUNTED}/source", f"{MOUNTED}/t"]
    for mode in ([], ["--overwrite"]):
        status, out, err = run("reshred", *mode, *given)
        assert (status, err) == (0, "")
        assert out.startswith(f"40 rows, the same in {MOUNTED}/t: ")
    parts = {file.parent.name for file in data_files(tmp_path / "t")}
    assert parts == {"part=0", "part=1"}


def test_inspect_passes_hadoop_settings_on(
    spark: SparkSession, settings: dict[str, Any], tmp_path: Path
) -> None:
    write_variant(rows(spark), tmp_path / "t", shredding="id bigint")
    found = inspect(spark, f"{MOUNTED}/t", **settings)
    assert (found.rows, found.path("$.id").type) == (40, "bigint")


@pytest.mark.parametrize("scratch", [None, f"{MOUNTED}/scratch"])
def test_advise_passes_hadoop_settings_on(
    spark: SparkSession, settings: dict[str, Any], tmp_path: Path, scratch: str | None
) -> None:
    write_variant(rows(spark), tmp_path / "t", shredding="none")
    query = "SELECT part FROM t WHERE v:id::bigint = 3"
    advice = advise(spark, f"{MOUNTED}/t", queries=query, scratch=scratch, **settings)
    assert advice.pin == {"$.id": "bigint"}
    assert advice.trial_rows == 40
    assert advice.queries[0].bytes_before > 0
    assert advice.queries[0].bytes_after > 0
    assert (tmp_path / "scratch").exists() == (scratch is not None)
