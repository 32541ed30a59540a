"""The data source as Spark sees it, out of the packed JAR."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from variant_shredded import read_variant


def test_spark_finds_the_source(spark: SparkSession) -> None:
    with pytest.raises(PySparkException, match="PATH_NOT_FOUND"):
        read_variant(spark, "nowhere")


@pytest.mark.parametrize("schema", [None, "id BIGINT"])
def test_a_pattern_that_matches_nothing(
    spark: SparkSession, tmp_path: Path, schema: str | None
) -> None:
    """On each version: Spark asks a source for the table of a stream in the same way."""
    reader = spark.read.format("variant-shredded")
    if schema:
        reader = reader.schema(schema)
    with pytest.raises(PySparkException, match="PATH_NOT_FOUND"):
        reader.load(str(tmp_path / "none" / "*.parquet")).count()
    stream = spark.readStream.format("variant-shredded").schema("id BIGINT")
    assert stream.load(str(tmp_path / "not-yet" / "*")).isStreaming
