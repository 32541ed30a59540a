"""`variant-shredded reshred --delta` from the wheel, on tables to which others write meanwhile."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
from support import SPARK, clean_environment, new_environment, once, run_script, slow
from variant_shredded import InvalidOptionError, reshred_delta

PACKAGE = f"io.delta:delta-spark_{SPARK[0]}.{SPARK[1]}_2.13:4.4.0"
CONF = {
    "spark.jars.packages": PACKAGE,
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "2",
    # Each statement of Delta Lake runs many small queries.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}

EXTENSION = "io.github.variantshredded.VariantShreddedExtensions"

#: Runs statements on the table at a path, as another program would, and waits where it is told to.
OTHER = """
import sys, time
from pathlib import Path
from pyspark.sql import SparkSession
from variant_shredded import configure

table, *statements = sys.argv[1:]
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
for key, value in CONF.items():
    builder = builder.config(key, value)
builder.config("spark.sql.extensions", CONF["spark.sql.extensions"] + ",EXTENSION")
spark = configure(builder.config("spark.sql.adaptive.enabled", "false")).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
for statement in statements:
    if statement.startswith("wait for "):
        while not Path(statement[9:]).exists():
            time.sleep(0.2)
        continue
    try:
        found = spark.sql(statement.replace("{t}", f"delta.`{table}`"))
        print("rows:", [tuple(row) for row in found.collect()])
        if statement.startswith("SELECT"):
            scan = found._jdf.queryExecution().executedPlan().collectLeaves().head()
            print("bytes:", scan.metrics().apply("leafBytesRead").value())
    except Exception as error:
        print("error:", str(error).splitlines()[0])
spark.stop()
""".replace("CONF", repr(CONF)).replace("EXTENSION", EXTENSION)

DOCUMENT = (
    """parse_json('{"a": ' || id || ', "text": "' || repeat(sha2(CAST(id AS STRING), 256), 20) """
    """|| '"}')"""
)
CREATE = (
    "CREATE TABLE {t} (id BIGINT, p BIGINT, v VARIANT) USING delta PARTITIONED BY (p)",
    f"INSERT INTO {{t}} SELECT id, id % 4, {DOCUMENT} FROM range(4000)",
    "ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableVariantShredding' = 'true')",
)
SUM = "SELECT count(*), sum(id), sum(variant_get(v, '$.a', 'bigint')) FROM {t}"
ALL = (4000, 7998000, 7998000)


def other(table: Path, *statements: str) -> str:
    return run_script(OTHER, str(table), *statements)


def reshred(python: Path, table: Path) -> subprocess.Popen[str]:
    """Start the command of the wheel in its environment."""
    settings = [part for key, value in CONF.items() for part in ("--conf", f"{key}={value}")]
    environment = clean_environment()
    for name in ("VARIANT_SHREDDED_JAR", "PYTHONPATH", "PYSPARK_PYTHON"):
        environment.pop(name, None)
    return subprocess.Popen(
        [
            str(python.with_name("variant-shredded")),
            *("reshred", "--delta", f"./{table.name}", "--master", "local[2]", *settings),
        ],
        cwd=table.parent,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the interpreter of an environment with the wheel."""
    wheel = os.environ.get("VARIANT_SHREDDED_WHEEL")
    if not wheel or not Path(wheel).is_file():
        pytest.skip("no wheel (VARIANT_SHREDDED_WHEEL): make test-python builds it")
    home = tmp_path_factory.mktemp("wheel") / "venv"
    found = new_environment(home)
    subprocess.run(
        [found, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel], check=True
    )
    return found


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    out, _ = process.communicate(timeout=300)
    return process.returncode, out


@pytest.fixture(scope="module")
def created(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Give a table whose files are not shredded though it allows that, and what a sum prints."""
    path = tmp_path_factory.mktemp("delta") / "events"
    try:
        out = other(path, *CREATE, SUM)
    except AssertionError as error:
        if "unresolved dependency" in str(error):
            pytest.skip(f"{PACKAGE} cannot be fetched")
        raise
    assert f"rows: [{ALL}]" in out, out
    return path, out


@pytest.fixture
def table(created: tuple[Path, str], tmp_path: Path) -> Path:
    """Give a copy of the table."""
    shutil.copytree(created[0], tmp_path / "events")
    return tmp_path / "events"


@once
@pytest.mark.parametrize(
    ("path", "given"), [(Path("/data/t"), "/data/t"), (Path("t"), "./t"), ("t", "t")]
)
def test_a_path_is_not_taken_for_a_name(path: Path | str, given: str) -> None:
    spark = MagicMock()
    rewriter = spark._jvm.io.github.variantshredded.VariantShreddedDelta
    rewriter.reshred.return_value.checksum.return_value = "0"
    assert reshred_delta(spark, path).table == given
    rewriter.reshred.assert_called_once_with(spark._jsparkSession, given, {})


@once
def test_paths_are_lists_in_any_spelling_of_the_option() -> None:
    spark = MagicMock()
    rewriter = spark._jvm.io.github.variantshredded.VariantShreddedDelta
    rewriter.reshred.return_value.checksum.return_value = "0"
    reshred_delta(spark, "t", bloom_filter=["$.a", "$.b"], clusterBy={"v": ["$.c"]})
    settings = {"bloomFilter": "$.a, $.b", "clusterBy": '{"v": "$.c"}'}
    rewriter.reshred.assert_called_once_with(spark._jsparkSession, "t", settings)


@once
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("validation", "is an option of reading"),
        ("max_depth", "is an option of reading"),
        ("int96RebaseMode", "is an option of reading"),
        ("mergeSchema", "is an option of reading"),
        ("pathGlobFilter", "is an option of reading"),
        ("maxRecordsPerFile", "replaces each file by one file"),
        ("drift_files", "replaces each file by one file"),
        ("Layout", "reads only files of the layout spec, not 'x'"),
    ],
)
def test_options_without_an_effect_are_refused(name: str, reason: str) -> None:
    spark = MagicMock()
    given: dict[str, Any] = {name: "x"}
    with pytest.raises(InvalidOptionError, match=f"^{name}.*{reason}"):
        reshred_delta(spark, "t", **given)
    spark._jvm.io.github.variantshredded.VariantShreddedDelta.reshred.assert_not_called()


@once
def test_fewer_bytes_are_read_after_the_command(
    python: Path, created: tuple[Path, str], table: Path
) -> None:
    status, out = ended(reshred(python, table))
    assert status == 0, out
    assert re.search(r"4,?000 rows, the same in version 3 of ", out), out
    after = other(table, SUM)
    assert f"rows: [{ALL}]" in after
    old, new = (int(re.findall(r"bytes: (\d+)", each)[-1]) for each in (created[1], after))
    assert new * 4 < old


INSERT = f"INSERT INTO {{t}} SELECT id, id % 4, {DOCUMENT} FROM range(4000, 4010)"


@slow
@pytest.mark.parametrize(
    ("statements", "rows"),
    [
        ([INSERT] * 5, (4050, 7998000 + 5 * 40045, 7998000 + 5 * 40045)),
        (["DELETE FROM {t} WHERE p = 1"], (3000, 5999000, 5999000)),
    ],
)
def test_others_change_the_table_meanwhile(
    python: Path, table: Path, statements: list[str], rows: tuple[int, int, int]
) -> None:
    mark = table.with_name("ended")
    running = reshred(python, table)
    with ThreadPoolExecutor() as pool:
        others = pool.submit(other, table, *statements, f"wait for {mark}", SUM)
        status, printed = ended(running)
        mark.touch()
        out = others.result()
    if "error" in out:
        # The command was first.
        assert "DELTA_CONCURRENT" in out, out
        assert status == 0, printed
        assert f"rows: [{ALL}]" in out
    else:
        assert f"rows: [{rows}]" in out
    if status == 0:
        assert "the same in version" in printed
    else:
        # The other statement has removed files that the command has rewritten.
        assert "DELTA_CONCURRENT" in printed, printed
        assert len(statements) == 1
