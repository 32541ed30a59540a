"""Fixtures: a Spark session that has the packed JAR, and the optional shared test data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import variant_shredded
from pyspark.sql import SparkSession
from support import SHARED


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Start a local session; the JAR of ``VARIANT_SHREDDED_JAR`` comes to it by ``spark.jars``."""
    builder = (
        SparkSession.builder.master("local[2]")
        .appName("variant-shredded tests")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.warehouse.dir", tmp_path_factory.mktemp("warehouse").as_uri())
        .config("spark.driver.memory", "2g")
    )
    spark = variant_shredded.session(builder)
    spark.sparkContext.setLogLevel("ERROR")
    yield spark
    spark.stop()


@pytest.fixture(scope="session")
def shared() -> Callable[[str], Path]:
    """Find a file of the shared test data, or skip the test where it is not there."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"no {name} in {SHARED} (VARIANT_SHREDDED_SHARED)")
        return path

    return find
