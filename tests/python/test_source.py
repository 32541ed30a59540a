"""The data source as Spark sees it, out of the packed JAR."""

from __future__ import annotations

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from variant_shredded import read_variant


def test_spark_finds_the_source(spark: SparkSession) -> None:
    with pytest.raises(PySparkException, match="PATH_NOT_FOUND"):
        read_variant(spark, "nowhere")
