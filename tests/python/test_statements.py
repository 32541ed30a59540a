"""Statements on tables give the same answers as with Spark's Parquet source, on each Spark."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from support import ROOT, SPARK

SCRIPTS = sorted((ROOT / "tests" / "statements").glob("*.sql"))
#: Differs between Spark's versions, for both formats: the condition of an error, a setting.
SINCE = re.compile(r"-- since Spark (\d+)\.(\d+)\n")


def statements(script: Path) -> list[str]:
    """Give the statements of a script, without those that the Spark at hand does not have."""
    _, text = script.read_text(encoding="utf-8").split("\n", 1)
    found = []
    for statement in text.split(";\n"):
        since = SINCE.search(statement)
        if since is None or tuple(map(int, since.groups())) <= SPARK:
            found.append(SINCE.sub("", statement).strip())
    return [statement for statement in found if statement]


def answers(spark: SparkSession, script: Path, form: str, parent: Path) -> list[str]:
    """Run the statements with one format; give their answers without what names the format."""
    prefix = f"s{SCRIPTS.index(script)}_{form[0]}"
    directory = str(parent / prefix)
    result = []
    for statement in statements(script):
        text = re.sub(r"\bT(\d?)\b", rf"{prefix}_\1", statement)
        text = text.replace("$F", form).replace("$D", directory)
        result.append(
            answer(spark, text).replace(prefix, "T").replace("variant_shredded", "parquet")
        )
    return result


def answer(spark: SparkSession, statement: str) -> str:
    try:
        df = spark.sql(statement)
        return "\n".join([",".join(df.columns), *(str(tuple(row)) for row in df.collect())])
    except PySparkException as error:
        return f"error {error.getCondition()}"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_as_with_parquet(spark: SparkSession, tmp_path: Path, script: Path) -> None:
    spark.sql("SELECT 1 AS a").write.format("variant-shredded").save(str(tmp_path / "first"))
    parquet = answers(spark, script, "parquet", tmp_path)
    ours = answers(spark, script, "variant_shredded", tmp_path)
    for statement, theirs, mine in zip(statements(script), parquet, ours, strict=True):
        assert mine == theirs, statement
