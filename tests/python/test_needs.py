"""Without pyspark, Java or the JAR, each call says what to do."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest
from pyspark.sql import SparkSession
from support import ROOT, clean_environment, once, run_script
from variant_shredded import (
    SessionWithoutJarError,
    SparkNotFoundError,
    _needs,
    _session,
    configure,
    session,
)

EACH_CALL = """
import sys
from pyspark.sql import SparkSession
import variant_shredded as vs
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", False).getOrCreate()
calls = {
    "read_variant": lambda: vs.read_variant(spark, "x"),
    "write_variant": lambda: vs.write_variant(spark.range(1), "x"),
    "load_json": lambda: vs.load_json(spark, "x"),
    "register_functions": lambda: vs.register_functions(spark),
    "inspect": lambda: vs.inspect(spark, "x"),
    "advise": lambda: vs.advise(spark, "x"),
    "reshred": lambda: vs.reshred(spark, "x", "y"),
    "reshred_delta": lambda: vs.reshred_delta(spark, "x"),
}
for name, call in calls.items():
    try:
        call()
    except vs.SessionWithoutJarError as error:
        assert "start Spark with --jars (or spark.jars)" in str(error), error
        print(name)
"""


@once
def test_each_call_in_a_session_without_the_jar(tmp_path: Path) -> None:
    out = run_script(EACH_CALL)
    expected = "read_variant write_variant load_json register_functions inspect advise reshred"
    assert out.split() == [*expected.split(), "reshred_delta"]


def test_without_pyspark() -> None:
    out = run_script(
        """
import sys
sys.path[:] = [path for path in sys.path if "site-packages" not in path]
import variant_shredded
try:
    variant_shredded.session()
except variant_shredded.SparkNotFoundError as error:
    print(error)
"""
    )
    assert out == (
        "pyspark is not installed: pip install 'variant-shredded[spark]' installs one, or use the "
        "Python of a platform that has it (pyspark 4.1, 4.2 or 4.3)\n"
    )


@pytest.mark.parametrize("version", ["3.5.8", "4.0.1", "4.0.0.dev2"])
def test_an_older_pyspark_is_refused(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr("pyspark.__version__", version)
    monkeypatch.setattr(_session, "_running", lambda: None)
    said = f"^pyspark {re.escape(version)} is installed; 4.1, 4.2 or 4.3 is needed$"
    with pytest.raises(SparkNotFoundError, match=said):
        session()
    with pytest.raises(SparkNotFoundError, match=said):
        configure(SparkSession.Builder())


@pytest.mark.parametrize("version", ["4.1.0+vendor", "4.4.0", "5.0.0.dev0", "unknown"])
def test_a_newer_pyspark_is_not_refused(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr("pyspark.__version__", version)
    assert "spark.jars" in configure(SparkSession.Builder())._options


def test_a_running_session_and_a_server_are_not_asked_for_the_version(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pyspark.__version__", "4.0.1")
    assert session() is spark
    monkeypatch.setattr(_session, "_running", lambda: None)
    with pytest.raises(SparkNotFoundError, match="there is no Spark Connect server"):
        session(**{"spark.remote": "sc://127.0.0.1:1"})


@pytest.mark.parametrize(
    "line",
    [
        "java.lang.NoClassDefFoundError: org/apache/spark/sql/classic/SparkSession",
        "java.lang.NoSuchMethodError: 'void org.apache.spark.sql.X.y()'",
        "java.util.ServiceConfigurationError: org.apache.spark.sql.sources.DataSourceRegister: "
        "Provider io.github.variantshredded.VariantShreddedSource could not be instantiated",
    ],
)
def test_a_spark_that_the_jar_does_not_fit_is_an_error(line: str) -> None:
    class Reader:
        def format(self, name: str) -> Reader:
            return self

        def load(self) -> None:
            own = "io.github.variantshredded.VariantShreddedSource.inferSchema(V.scala)"
            raise ValueError(f"An error occurred while calling o29.load.\n: {line}\n\tat {own}")

    class Session:
        read = Reader()

    with pytest.raises(SparkNotFoundError) as caught:
        _session._knows_format(cast(SparkSession, Session()))
    assert str(caught.value) == (
        "this Spark lacks what the JAR of variant-shredded calls; Spark 4.1, 4.2 or 4.3 is needed "
        f"({line.rpartition('java.lang.')[2].removeprefix('java.util.')})"
    )


@pytest.mark.parametrize(
    "line",
    [
        "java.util.ServiceConfigurationError: org.apache.spark.sql.sources.DataSourceRegister: "
        "Provider com.example.OtherSource could not be instantiated",
        "java.lang.NoClassDefFoundError: com/example/Missing",
    ],
)
def test_a_data_source_of_others_that_does_not_fit_is_not_taken_for_this_one(line: str) -> None:
    _needs.require_linked(
        ValueError(f"An error occurred while calling o29.load.\n: {line}\n\tat a.b(C)")
    )


@once
def test_without_java(tmp_path: Path) -> None:
    script = """
from variant_shredded import SparkNotFoundError, session
try:
    session()
except SparkNotFoundError as error:
    print(error)
"""
    out = run_script(script, JAVA_HOME=str(tmp_path))
    assert out == (
        f"Spark needs Java 17 or newer, and JAVA_HOME is {tmp_path}, where there is no bin/java: "
        "install a JDK, or set JAVA_HOME to the directory of one\n"
    )


@once
def test_without_a_server() -> None:
    script = """
import socket
from variant_shredded import SparkNotFoundError, session
with socket.socket() as taken:
    taken.bind(("127.0.0.1", 0))  # and no one listens
    port = taken.getsockname()[1]
    try:
        session(**{"spark.remote": f"sc://127.0.0.1:{port}/;user_id=me"})
    except SparkNotFoundError as error:
        print(str(error).replace(str(port), "PORT"))
"""
    assert run_script(script) == (
        "there is no Spark Connect server at 127.0.0.1, port PORT ([Errno 111] Connection "
        "refused): start one with the JAR that variant_shredded.jar_path() gives, or correct the "
        "address\n"
    )


@pytest.mark.parametrize(
    ("spark", "version", "problem"),
    [
        ("4.2.1", 'openjdk version "17.0.2" 2022-01-18', None),
        ("4.2.1", 'openjdk version "21" 2023-09-19', None),
        ("4.2.1", 'java version "1.8.0_392"', "is Java 8"),
        ("4.2.1", 'openjdk version "11.0.1"', "is Java 11"),
        ("4.2.1", "none", "does not tell its version"),
        ("4.2.1", 'openjdk version "25.0.1"', None),
        ("4.1.4", 'openjdk version "22.0.2"', None),
        ("4.1.4", 'openjdk version "23"', "is Java 23"),
        ("4.10.0", 'openjdk version "25.0.1"', None),
    ],
)
def test_the_version_of_java(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark: str, version: str, problem: str | None
) -> None:
    monkeypatch.setattr("pyspark.__version__", spark)
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho '{version}' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    found = _needs._java_problem()
    assert found == (None if problem is None else f"{java} {problem}")


def test_the_error_for_java_names_both_bounds_of_spark_4_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"25\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setattr("pyspark.__version__", "4.1.4")
    thrown = "java.lang.UnsupportedOperationException: getSubject is not supported"
    with pytest.raises(SparkNotFoundError) as caught, _needs.java_needed():
        raise ValueError(thrown)
    assert str(caught.value) == (
        f"Spark 4.1 needs Java 17 to 22, and {java} is Java 25: install a JDK, or set JAVA_HOME to "
        "the directory of one"
    )


@once
def test_the_workers_run_the_interpreter_of_the_session() -> None:
    script = """
import os
os.environ.pop("PYSPARK_PYTHON")
{before}
from variant_shredded import session
spark = session(**{{"spark.master": "local[1]", "spark.ui.enabled": False}})
print(os.environ["PYSPARK_PYTHON"])
"""
    assert run_script(script.format(before="")) == f"{sys.executable}\n"
    given = script.format(before="os.environ['PYSPARK_PYTHON'] = '/other'")
    assert run_script(given) == "/other\n"
    setting = "**{'spark.pyspark.python': '/another'}, **{"
    assert run_script(script.format(before="").replace("**{", setting)) == "/another\n"


def test_a_later_session_can_have_other_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    for workers in ("/first", "/second"):
        _session._set_python(workers)
        assert os.environ["PYSPARK_PYTHON"] == workers
    monkeypatch.setenv("PYSPARK_PYTHON", "/of/the/user")
    _session._set_python("/third")
    assert os.environ["PYSPARK_PYTHON"] == "/of/the/user"


def test_load_without_pyspark(tmp_path: Path) -> None:
    out = run_script(
        """
import sys
sys.path[:] = [path for path in sys.path if "site-packages" not in path]
from contextlib import redirect_stderr
from variant_shredded import cli
with redirect_stderr(sys.stdout):
    cli.main(["load", "--option", "inferRows=10", "a.json", "t"])
"""
    )
    assert out.startswith("variant-shredded: error: pyspark is not installed: pip install")


@once
def test_a_jvm_that_does_not_start(tmp_path: Path) -> None:
    script = """
import sys
from variant_shredded.cli import main
sys.exit(main(["inspect", sys.argv[1], "--conf", "spark.driver.memory=8gb"]))
"""
    out = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        env=clean_environment(PYTHONPATH=str(ROOT / "python" / "src")),
    )
    assert out.returncode == 1
    assert "Spark does not start: Invalid maximum heap size: -Xmx8gb" in out.stderr, out.stderr
    assert "Traceback" not in out.stderr


def test_the_format_of_another_source() -> None:
    with pytest.raises(ValueError, match="delta"), _needs.jar_needed():
        raise ValueError("[DATA_SOURCE_NOT_FOUND] Failed to find the data source: delta. Make sure")
    with pytest.raises(SessionWithoutJarError), _needs.jar_needed():
        raise ValueError("[DATA_SOURCE_NOT_FOUND] Failed to find the data source: variant-shredded")
