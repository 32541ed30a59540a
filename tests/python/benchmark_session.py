"""The Spark session of a benchmark."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import SparkSession
from variant_shredded import configure


def session(tasks: int, memory: str, settings: Mapping[str, object] | None = None) -> SparkSession:
    """Start a session in this process with so many tasks at a time, and this heap."""
    builder = SparkSession.builder.master(f"local[{tasks}]")
    common = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": memory,
        "spark.sql.shuffle.partitions": "2",
    }
    for key, value in {**common, **(settings or {})}.items():
        builder = builder.config(key, str(value))
    spark = configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def shred(spark: SparkSession, wanted: bool) -> None:
    """Let Spark's Parquet source write shredded Variants, or unshredded ones."""
    for setting in ("writeShredding.enabled", "inferShreddingSchema"):
        spark.conf.set(f"spark.sql.variant.{setting}", str(wanted).lower())
