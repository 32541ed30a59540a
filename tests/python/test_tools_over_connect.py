"""`inspect`, `advise` and `reshred` over Spark Connect."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession
from support import once, run_script
from variant_shredded import write_variant

SCRIPT = """
import io, sys
from pyspark.sql import SparkSession
from variant_shredded import advise, inspect, reshred, session
from variant_shredded._tools.progress import Progress
source, target = sys.argv[1:]
spark = session(SparkSession.builder.remote("local[2]"))
shown = Progress(spark, io.StringIO())
print(inspect(spark, source).path("$.id").residual_values)
print(reshred(spark, source, target, shredding="none", step=shown.of, overwrite=True).rows)
try:
    advise(spark, target, queries="\\nSELECT v FROM t)")
except Exception as error:
    print(error)
found = advise(spark, target, queries="SELECT 1 FROM t WHERE v:name::string = 'n7'", step=shown.of)
print(found.bloom_filter, 0 < found.queries[0].bytes_after < found.queries[0].bytes_before)
"""


@once
def test_the_tools(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.range(0, 300, 1, 1).selectExpr(
        """parse_json(concat('{"id":', if(id % 4 = 0, '"k"', string(id)), ',"name":"n', id,
          '"}')) AS v"""
    )
    write_variant(rows, tmp_path / "source", shredding="id bigint")
    paths = (str(tmp_path / "source"), str(tmp_path / "t"))
    out = run_script(SCRIPT, *paths, SPARK_TESTING="1").splitlines()
    assert out[-4:-2] == ["75", "300"]
    assert out[-2].startswith("queries:2: [PARSE_SYNTAX_ERROR]")
    assert out[-1] == "['$.name'] True"
