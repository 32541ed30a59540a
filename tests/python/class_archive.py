"""An archive of Spark's classes, which the JVMs of the tests share.

A JVM that lives for seconds spends half of them reading, checking and linking Spark's classes. The
JVM can keep classes in a file as it has them in memory (class data sharing). The tests start dozens
of JVMs, and each maps this file. It is made once for each virtual environment. A JVM that cannot
use the file, another version of Java say, reads the classes from the JARs as always.
"""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path

NAME = "spark-classes.jsa"

#: Or else the JVM names each class that it leaves out, on standard output.
QUIET = "-Xlog:cds=off -Xlog:cds+dynamic=off"

#: Loads the classes that most tests load: those of reading, writing, SQL and streams.
WORKLOAD = """
import sys
from pyspark.sql import SparkSession

directory = sys.argv[1]
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
builder = builder.config("spark.sql.shuffle.partitions", "2")
spark = builder.config("spark.sql.warehouse.dir", directory + "/warehouse").getOrCreate()
texts = spark.range(100).selectExpr("id", "id % 3 AS p", '\\'{"a": 1, "b": ["x"]}\\' AS text')
rows = texts.selectExpr("id", "p", "parse_json(text) AS v")
rows.write.partitionBy("p").parquet(directory + "/parquet")
texts.write.json(directory + "/json")
spark.read.json(directory + "/json").createOrReplaceTempView("events")
spark.read.parquet(directory + "/parquet").createOrReplaceTempView("variants")
spark.sql("SELECT variant_get(v, '$.a', 'int') AS a FROM variants WHERE p = 1").collect()
joined = "SELECT p, count(DISTINCT v:b[0]::string) FROM variants JOIN events USING (id, p)"
spark.sql(joined + " GROUP BY p ORDER BY p LIMIT 2").explain("formatted")
spark.sql(joined + " GROUP BY p ORDER BY p LIMIT 2").collect()
spark.sql("CREATE TABLE t USING parquet AS SELECT * FROM variants")
spark.sql("INSERT INTO t SELECT * FROM variants")
spark.sql("DROP TABLE t")
stream = spark.readStream.schema("id LONG, p INT, text STRING").json(directory + "/json")
query = stream.writeStream.trigger(availableNow=True).format("parquet")
query = query.option("checkpointLocation", directory + "/log").start(directory + "/stream")
query.awaitTermination()
spark.createDataFrame([(1, "a")], "n INT, s STRING").toPandas()
spark.stop()
"""


def jvm_options(directory: Path, others: str) -> str:
    """Give ``others`` and the options to use the archive; make it in ``directory`` if need be."""
    archive = Path(sys.prefix) / NAME
    if archive.exists() or _make(archive, directory, others):
        return f"{others} -XX:SharedArchiveFile={archive} {QUIET}"
    return others


def _make(archive: Path, directory: Path, others: str) -> bool:
    new = archive.with_suffix(f".{os.getpid()}")
    options = f"{others} -XX:ArchiveClassesAtExit={new} {QUIET}"
    script = directory / "workload.py"
    script.write_text(WORKLOAD)
    done = subprocess.run(  # by spark-submit, which ends when the JVM has written the file
        [Path(sys.executable).with_name("spark-submit"), script, directory],
        env={**os.environ, "SPARK_SUBMIT_OPTS": options, "PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
    )
    if done.returncode != 0 or not new.exists():
        warnings.warn(f"no archive of Spark's classes:\n{done.stdout}{done.stderr}", stacklevel=1)
        return False
    new.replace(archive)
    return True
