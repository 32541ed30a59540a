"""Thousands of partitions in one task, in a small heap."""

from __future__ import annotations

import json
from pathlib import Path

from support import data_files, run_script, slow

PARTITIONS = 2000
ROWS = 20

#: Writes, with a heap of 1 GiB, and prints what comes back.
SCRIPT = r"""
import json
import sys

from pyspark.sql import SparkSession
import variant_shredded
from variant_shredded import read_variant, write_variant

path, partitions, rows = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
spark = variant_shredded.session(
    SparkSession.builder.master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.memory", "1g")
)
spark.sparkContext.setLogLevel("OFF")
heap = spark.sparkContext._jvm.java.lang.Runtime.getRuntime().maxMemory()
# The partitions' rows are far apart; every second partition has fields of its own.
data = spark.range(0, partitions * rows, 1, 1).selectExpr(
    f"concat('p', id * 7919 % {partitions}) AS p",
    "id",
    "parse_json(concat('{\"id\": ', id, ', \"', if(id % 2 = 0, 'even', 'odd'), '\": \"', "
    "sha2(string(id), 512), '\", \"text\": \"', repeat(md5(string(id)), 30), '\"}')) AS v",
)
write_variant(
    data,
    path,
    partition_by="p",
    clustering="shape",
    cluster_by="$.id",
    bloom_filter="$.id",
)
found = read_variant(spark, path).selectExpr(
    "count(*)",
    "count(DISTINCT p)",
    "sum(variant_get(v, '$.id', 'bigint'))",
    "count_if(variant_get(v, '$.id', 'bigint') = id)",
    f"count_if(p = concat('p', id * 7919 % {partitions}))",
    "count_if(coalesce(v:even::string, v:odd::string) = sha2(string(id), 512))",
)
print(json.dumps([heap, *found.head()]))
"""


@slow
def test_a_task_writes_thousands_of_partitions_in_one_gigabyte(tmp_path: Path) -> None:
    path = tmp_path / "t"
    output = run_script(SCRIPT, str(path), str(PARTITIONS), str(ROWS), timeout=600)
    heap, *found = json.loads(output.splitlines()[-1])
    assert heap <= 1 << 30
    count = PARTITIONS * ROWS
    assert found == [count, PARTITIONS, count * (count - 1) // 2, count, count, count]
    assert len(data_files(path)) == PARTITIONS
