"""Both layouts of shredded Variants, written and read by the packed JAR."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from support import data_files
from variant_shredded import read_variant, write_variant


def documents(spark: SparkSession, start: int, end: int) -> DataFrame:
    return spark.range(start, end, 1, 2).selectExpr(
        "id",
        """parse_json(concat('{"n":', id, ',"s":"s', id % 5, '","l":[', id, ',{"x":', id % 3, '}]',
             ',"m":', IF(id % 3 = 0, '"text"', string(id)),
             IF(id % 30 = 7, ',"rare":{"deep":[null,1.50]}', ''), '}')) AS v""",
    )


def texts(data: DataFrame) -> list[tuple[int, str]]:
    rows = data.selectExpr("id", "to_json(v) AS json").collect()
    return sorted((row.id, row.json) for row in rows)


def test_the_earlier_layout_keeps_every_value(spark: SparkSession, tmp_path: Path) -> None:
    write_variant(documents(spark, 0, 200), tmp_path / "t", layout="overview")
    assert texts(read_variant(spark, tmp_path / "t")) == texts(documents(spark, 0, 200))
    for file in data_files(tmp_path / "t"):
        schema = pq.ParquetFile(file).schema
        leaves = [schema.column(i).path for i in range(len(schema))]
        assert "v.object.n.typed_value" in leaves
        assert "v.object.n.untyped_value" in leaves
        assert "v.metadata" not in leaves


@pytest.mark.parametrize("pushed", ["true", "false"])
def test_both_layouts_in_one_path(spark: SparkSession, tmp_path: Path, pushed: str) -> None:
    write_variant(documents(spark, 0, 100), tmp_path / "t", layout="overview")
    write_variant(documents(spark, 100, 200), tmp_path / "t", mode="append", layout="spec")
    write_variant(documents(spark, 200, 300), tmp_path / "t", mode="append", shredding="none")
    spark.conf.set("spark.sql.variantShredded.pushDownExtractions", pushed)
    try:
        table = read_variant(spark, tmp_path / "t")
        assert texts(table) == texts(documents(spark, 0, 300))
        found = table.where("variant_get(v, '$.n', 'int') % 50 = 7").selectExpr(
            "id",
            "variant_get(v, '$.s', 'string') AS s",
            "variant_get(v, '$.l[1].x', 'int') AS x",
            "try_variant_get(v, '$.m', 'int') AS m",
            "to_json(variant_get(v, '$.rare')) AS rare",
        )
        assert [tuple(row) for row in found.orderBy("id").collect()] == [
            (
                n,
                f"s{n % 5}",
                n % 3,
                None if n % 3 == 0 else n,
                '{"deep":[null,1.5]}' if n % 30 == 7 else None,
            )
            for n in range(7, 300, 50)
        ]
    finally:
        spark.conf.unset("spark.sql.variantShredded.pushDownExtractions")
