"""Ways for the JAR to come to Spark: Spark Connect, and ``spark-submit --jars``."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import variant_shredded
from support import FORMAT, ROOT, once, run_script, slow, submit

CONNECT = """
import sys
from pyspark.sql import SparkSession
from variant_shredded import read_variant, session, write_variant
path = {path!r}
builder = SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false")
spark = session(builder.config("spark.sql.warehouse.dir", path + "/warehouse"))
df = spark.sql('''SELECT id, parse_json(concat('{{"n":', id, ',"s":"x"}}')) AS v FROM range(10)''')
write_variant(df, path + "/t", shredding={{"v": "n bigint"}})
write_variant(df, path + "/t", mode="append", partition_by=[])
read = read_variant(spark, path + "/t", schema="id bigint, v variant")
print(type(spark).__module__, read.count(), read.selectExpr("sum(v:n::int)").first()[0])
try:
    write_variant(df, path + "/t")
except Exception as error:
    print(error.getCondition())
try:
    read_variant(spark, path + "/none").count()
except Exception as error:
    print(error.getCondition())
source = "variant_shredded.`%s`" % (path + "/t")
spark.sql("CREATE TABLE tab USING `variant-shredded` AS SELECT * FROM " + source)
spark.sql("INSERT INTO tab SELECT 99, parse_json('{{}}')")
print(spark.table("tab").where("id > 7").count())
spark.stop()
"""


def test_spark_connect(tmp_path: Path) -> None:
    out = run_script(
        CONNECT.format(path=str(tmp_path)),
        SPARK_TESTING="1",  # makes the Connect server take a free port
    )
    assert out.splitlines() == [
        "pyspark.sql.connect.session 20 90",
        "PATH_ALREADY_EXISTS",
        "PATH_NOT_FOUND",
        "5",
    ]


SUBMITTED = f"""
import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
spark.sql("SELECT parse_json('[1]') AS v").write.format("{FORMAT}").save(sys.argv[1])
print("read:", spark.read.format("{FORMAT}").load(sys.argv[1]).selectExpr("v:[0]::int").first()[0])
"""


@once
def test_spark_submit(tmp_path: Path) -> None:
    jar = variant_shredded.jar_path()
    assert "read: 1\n" in submit(SUBMITTED, tmp_path, "--master", "local[2]", "--jars", jar)


CONFIGURED = """
import sys
sys.path.insert(0, {source!r})
from pyspark.sql import SparkSession
from variant_shredded import configure, session
spark = {call}
spark.sql("SELECT parse_json('[1]') AS v").write.format("variant-shredded").save(sys.argv[1])
jars = spark.sparkContext._jsc.sc().listJars().mkString(",").split(",")
print("sent:", *sorted(jar.rsplit("/", 1)[-1] for jar in jars))
"""
SESSION = "session()"


def sent(call: str, directory: Path, *options: str | Path) -> list[str]:
    """Run a script that makes a session by spark-submit; give the names of the JARs it sends."""
    script = CONFIGURED.format(call=call, source=str(ROOT / "python" / "src"))
    printed = submit(script, directory, "--master", "local[1]", *options)
    (line,) = (line for line in printed.splitlines() if line.startswith("sent: "))
    return line.split()[1:]


@once
@pytest.mark.parametrize(
    ("call", "more"),
    [
        (SESSION, []),
        ("configure(SparkSession.builder, jars=[{more!r}]).getOrCreate()", ["more.jar"]),
    ],
)
def test_the_jars_of_spark_submit_stay(tmp_path: Path, call: str, more: list[str]) -> None:
    own, other = tmp_path / "own.jar", tmp_path / "other.jar"
    shutil.copy(variant_shredded.jar_path(), own)
    for empty in (other, tmp_path / "more.jar"):
        empty.write_bytes(b"PK\x05\x06" + bytes(18))
    call = call.format(more=str(tmp_path / "more.jar"))
    found = sent(call, tmp_path, "--jars", f"{own},{other}")
    assert found == sorted([*more, "other.jar", "own.jar"])


@once
def test_executors_get_the_jar_of_the_class_path_of_the_driver(tmp_path: Path) -> None:
    own = tmp_path / "other build" / "own.jar"
    own.parent.mkdir()
    shutil.copy(variant_shredded.jar_path(), own)
    assert sent(SESSION, tmp_path, "--driver-class-path", own) == ["own.jar"]


CLUSTER = """
import os
from variant_shredded import read_variant, session, write_variant
spark = session(**{{
    "spark.master": "local-cluster[2,1,1024]",
    "spark.ui.enabled": False,
    "spark.executor.extraJavaOptions": os.environ["SPARK_SUBMIT_OPTS"],
}})
df = spark.range(0, 20000, numPartitions=4).selectExpr(
    "id", "parse_json(concat('{{\\"n\\":', id, ',\\"s\\":\\"x\\"}}')) AS v", "id % 3 AS part")
write_variant(df, {path!r}, partition_by="part")
read = read_variant(spark, {path!r}).where("part <> 1")
print(tuple(read.selectExpr("count(*)", "sum(v:n::bigint)").first()))
spark.stop()
"""


@slow
def test_executors_in_processes_of_their_own(tmp_path: Path) -> None:
    """They get the JAR from the driver, and all that a task needs by serialization."""
    assert run_script(CLUSTER.format(path=str(tmp_path / "t"))) == "(13333, 133320000)\n"
