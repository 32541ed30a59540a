"""Extractions are pushed into the scan by the packed JAR, on each Spark version, with no set-up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from support import run_script
from variant_shredded import load_json, read_variant, write_variant

SETTING = "spark.sql.variantShredded.pushDownExtractions"

TABLE = """
SELECT id, IF(id = 7, NULL, parse_json(concat('{"k":', id % 5, ',"name":"n', id % 4, '","x":',
  IF(id % 3 = 0, '"no"', string(id)), ',"l":[', id, '],"o":{"p":', id / 2, '}}'))) AS v
FROM range(0, 30, 1, 2)
"""

#: Queries and what their scans are to deliver.
QUERIES = {
    "SELECT sum(v:k::int) FROM t WHERE v:o.p::double > 3": {"v:k::int", "v:o.p::double"},
    "SELECT v:k::int AS k, count(*), max(v:name::string) FROM t GROUP BY 1": {
        "v:k::int",
        "v:name::string",
    },
    "SELECT count(DISTINCT v:k::int), count(DISTINCT v:name::string) FROM t": {
        "v:k::int",
        "v:name::string",
    },
    "SELECT v:name::string FROM t ORDER BY v:o.p::double DESC NULLS LAST": {
        "v:o.p::double",
        "v:name::string",
    },
    "SELECT a.v:name::string, b.v:o.p::double FROM t a JOIN t b ON a.v:k::int = b.id": {
        "v:k::int",
        "v:name::string",
        "v:o.p::double",
    },
    "SELECT a.id, b.v:k IS NOT NULL FROM t a LEFT JOIN t b ON a.id = b.v:k::int + 1": {
        "v:k::int",
        "is_present(v:k)",
    },
    "SELECT id, sum(v:k::int) OVER (PARTITION BY v:name::string) FROM t": {
        "v:k::int",
        "v:name::string",
    },
    "SELECT id FROM t WHERE v:k::int >= (SELECT max(v:k::int) FROM t)": {"v:k::int"},
    "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM t u WHERE u.v:k::int = t.id)": {"v:k::int"},
    "SELECT max(v:k::int) FROM (SELECT v FROM t UNION ALL SELECT v FROM t)": {"v:k::int"},
    "SELECT id, e FROM t LATERAL VIEW explode(v:l::array<int>) AS e": {"v:l::array<int>"},
    "SELECT is_variant_null(v:k), v:zz IS NULL, to_json(v:o) FROM t": {
        "is_variant_null(v:k)",
        "is_present(v:zz)",
        "v:o::variant",
    },
    # Casts that fail, in rows that nobody looks at.
    "SELECT sum(CASE WHEN id % 3 <> 0 THEN v:x::int ELSE 0 END) FROM t": {"v:x::int"},
    "SELECT a.v:x::int FROM t a JOIN t b ON a.id = b.id * 3 + 1": {"v:x::int"},
    "SELECT a.id, sum(a.v:x::int + b.id) FROM t a JOIN t b ON a.id = b.id * 3 + 1 GROUP BY 1": {
        "v:x::int"
    },
    "SELECT id FROM t WHERE id % 3 = 1 ORDER BY v:x::int": {"v:x::int"},
    "SELECT sum(v:x::int) FILTER (WHERE id % 3 = 1), min(v:x::string) FROM t": {
        "v:x::int",
        "v:x::string",
    },
}

#: The same as a query, with casts that do not fail.
PLAIN = {
    query: re.sub(r"(\w\.)?v:x::int", r"try_variant_get(\1v, '$.x', 'int')", query)
    for query in QUERIES
    if "v:x::int" in query
}

RAISING = [
    "SELECT v:x::int FROM t",
    "SELECT sum(v:x::int) FROM t",
    "SELECT a.v:x::int FROM t a JOIN t b ON a.id = b.id",
]


@pytest.fixture(scope="module")
def tables(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Make the view ``t`` of a shredded table, and ``plain``, the same in memory."""
    path = tmp_path_factory.mktemp("push-down") / "t"
    write_variant(spark.sql(TABLE), str(path))
    read_variant(spark, str(path)).createOrReplaceTempView("t")
    spark.sql(TABLE).createOrReplaceTempView("plain")
    yield spark
    spark.catalog.dropTempView("t")
    spark.catalog.dropTempView("plain")


def answer(spark: SparkSession, query: str, table: str = "t") -> list[str]:
    """Give the rows, sorted, as text."""
    named = re.sub(r"\b(FROM |JOIN )t\b", rf"\1{table}", query).replace(" t.", f" {table}.")
    return sorted(str(tuple(row)) for row in spark.sql(named).collect())


def explained(spark: SparkSession, query: str) -> tuple[set[str], set[str]]:
    """Give what the scans of a query deliver, and the schemas of the columns they read."""
    text = spark.sql(f"EXPLAIN FORMATTED {query}").collect()[0][0]
    pushed = re.findall(r"PushedExtractions: \[(.*)\]", text)
    return {name for line in pushed for name in line.split(", ") if name}, {
        *re.findall(r"ReadSchema: (.*)", text)
    }


@pytest.mark.parametrize("query", QUERIES)
def test_pushed(tables: SparkSession, query: str) -> None:
    pushed, read = explained(tables, query)
    assert pushed == QUERIES[query]
    assert read <= {"struct<>", "struct<id:bigint>"}
    # Without a scan to push into, Spark 4.3 casts early.
    wanted = PLAIN.get(query, query)
    assert answer(tables, query) == answer(tables, wanted, "plain")


def test_setting(tables: SparkSession) -> None:
    tables.conf.set(SETTING, "false")
    try:
        assert explained(tables, "SELECT v:k::int FROM t") == (set(), {"struct<v:variant>"})
    finally:
        tables.conf.unset(SETTING)


@pytest.mark.parametrize("query", RAISING)
def test_casts_that_fail(tables: SparkSession, query: str) -> None:
    with pytest.raises(PySparkException, match="INVALID_VARIANT_CAST"):
        answer(tables, query)


def test_python_udfs_on_partition_columns(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.range(100).selectExpr("id", "id % 4 AS p", "parse_json(string(id)) AS v")
    write_variant(rows, tmp_path / "t", partition_by="p")
    read = read_variant(spark, tmp_path / "t")
    is_one = F.udf(lambda p: p == 1, "boolean")
    never = F.udf(lambda: False, "boolean")
    for condition, count in [
        (is_one("p"), 25),
        (is_one("p") & (F.col("p") < 3) & F.expr("v::int < 50"), 13),
        (~is_one("p") | (F.col("id") < 2), 76),
        (is_one("p") & is_one("id"), 1),
        (never(), 0),
    ]:
        found = read.where(condition)
        assert found.count() == count
        assert len(found.selectExpr("id", "v::int").collect()) == count
        assert len(found.limit(1).collect()) == min(count, 1)


def test_python_udfs_on_partition_columns_of_json(spark: SparkSession, tmp_path: Path) -> None:
    for day in (1, 2):
        (tmp_path / f"day={day}").mkdir()
        (tmp_path / f"day={day}" / "a.json").write_text('{"n": 1}\n')
    is_one = F.udf(lambda day: day == 1, "boolean")
    assert load_json(spark, tmp_path).where(is_one("day")).count() == 1


def test_a_name_that_spark_43_gives_to_extractions(spark: SparkSession, tmp_path: Path) -> None:
    if spark.version >= "4.3":
        pytest.skip("Spark 4.3 moves extractions into columns of this name itself")
    write_variant(spark.sql('SELECT parse_json(\'{"ok": false, "a": "x"}\') AS v'), tmp_path / "t")
    read_variant(spark, tmp_path / "t").createOrReplaceTempView("named")
    for name in ["_ve1", "x"]:
        query = f"""SELECT CASE WHEN ok THEN {name} + {name} * 2 END
            FROM (SELECT v:ok::boolean AS ok, v:a::int AS {name} FROM named)"""
        with pytest.raises(PySparkException, match="INVALID_VARIANT_CAST"):
            spark.sql(query).collect()


CONNECT = """
from pyspark.sql import SparkSession
from variant_shredded import read_variant, session, write_variant
path = {path!r}
spark = session(SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false"))
df = spark.sql('''SELECT id, parse_json(concat('{{"n":', id, ',"s":"x"}}')) AS v FROM range(10)''')
write_variant(df, path)
read_variant(spark, path).createOrReplaceTempView("t")
query = "SELECT v:s::string, sum(v:n::int) FROM t WHERE v:n::int > 2 GROUP BY 1"
print([tuple(row) for row in spark.sql(query).collect()])
text = spark.sql("EXPLAIN FORMATTED " + query).first()[0]
print([line for line in text.splitlines() if "Extractions" in line or "ReadSchema" in line])
try:
    spark.sql("SELECT v:s::int FROM t").collect()
except Exception as error:
    print(error.getCondition())
spark.stop()
"""


def test_spark_connect(tmp_path: Path) -> None:
    out = run_script(CONNECT.format(path=str(tmp_path / "t")), SPARK_TESTING="1")
    rows, plan, error = out.splitlines()
    assert rows == "[('x', 42)]"
    assert "ReadSchema: struct<>" in plan
    assert "v:n::int" in plan
    assert "v:s::string" in plan
    assert error == "INVALID_VARIANT_CAST"
