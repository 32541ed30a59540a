"""`session` with Spark in every state, mostly in another process: this one has its Spark."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import variant_shredded
from pyspark.sql import SparkSession
from support import once, run_script
from variant_shredded import _session


def test_a_running_session_with_the_jar_is_given_back(spark: SparkSession) -> None:
    again = variant_shredded.session(**{"spark.sql.ansi.enabled": True})
    assert again is spark
    assert spark.conf.get("spark.sql.ansi.enabled") == "true"


@once
def test_the_jar_is_appended_to_other_jars(tmp_path: Path) -> None:
    other = tmp_path / "other.jar"
    other.write_bytes(b"PK\x05\x06" + bytes(18))  # an empty archive
    out = run_script(
        f"""
from pyspark.sql import SparkSession
from variant_shredded import session
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", False)
print(session(builder, **{{"spark.jars": {str(other)!r}}}).conf.get("spark.jars"))
"""
    )
    assert out.split() == [f"{other},{variant_shredded.jar_path()}"]


@once
def test_configure_adds_the_jar_to_a_builder(tmp_path: Path) -> None:
    other = tmp_path / "other.jar"
    other.write_bytes(b"PK\x05\x06" + bytes(18))
    out = run_script(
        f"""
from pyspark.sql import SparkSession
from variant_shredded import configure
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", False)
spark = configure(builder, jars=[{str(other)!r}]).getOrCreate()
print(spark.conf.get("spark.jars"), spark.read.format("variant_shredded") is not None)
"""
    )
    assert out.split() == [f"{other},{variant_shredded.jar_path()}", "True"]


PRINTS_JARS = """
from variant_shredded import session
print(session(**{"spark.master": "local[1]"}).conf.get("spark.jars"))
"""


def other_jar(settings: Path) -> Path:
    """Make a JAR, and a file with settings that names it."""
    other = settings.with_name("other.jar")
    other.write_bytes(b"PK\x05\x06" + bytes(18))
    settings.write_text(f"spark.ui.enabled false\nspark.jars  {other}\n")
    return other


@once
def test_the_jar_is_appended_to_the_defaults(tmp_path: Path) -> None:
    other = other_jar(tmp_path / "spark-defaults.conf")
    out = run_script(PRINTS_JARS, SPARK_CONF_DIR=str(tmp_path))
    assert out.split() == [f"{other},{variant_shredded.jar_path()}"]


@once
def test_the_jar_is_appended_to_those_of_a_properties_file(tmp_path: Path) -> None:
    given = tmp_path / "given.conf"
    other = other_jar(given)
    out = run_script(PRINTS_JARS, PYSPARK_SUBMIT_ARGS=f"--properties-file {given} pyspark-shell")
    assert out.split() == [f"{other},{variant_shredded.jar_path()}"]


@pytest.mark.parametrize(
    ("defaults", "given"),
    [
        ("/other.jar,s3a://bucket/jars/variant-shredded-spark_2.13-0.0.9.jar", ""),
        ("", "{folder}/variant-shredded-spark_2.13-0.2.0-SNAPSHOT.jar"),
        ("file:{folder}/variant-shredded-spark_2.13-0.2.0-SNAPSHOT.jar", ""),
        ("", "hdfs://nn/io.github.variantshredded_variant-shredded-spark_2.13-0.1.0.jar"),
    ],
)
def test_another_jar_of_this_project_takes_the_place_of_that_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, defaults: str, given: str
) -> None:
    defaults, given = (text.format(folder=tmp_path) for text in (defaults, given))
    (tmp_path / "variant-shredded-spark_2.13-0.2.0-SNAPSHOT.jar").touch()
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    monkeypatch.setenv("VARIANT_SHREDDED_JAR", str(tmp_path / "missing.jar"))
    (tmp_path / "spark-defaults.conf").write_text(f"spark.jars {defaults}\n")
    builder = variant_shredded.configure(SparkSession.Builder(), jars=[given] if given else [])
    assert builder._options["spark.jars"] == defaults + given


@pytest.mark.parametrize("scheme", ["", "file:", "file://"])
def test_a_missing_jar_of_this_project_does_not_take_the_place_of_that_of_the_package(
    tmp_path: Path, scheme: str
) -> None:
    missing = f"{scheme}{tmp_path}/variant-shredded-spark_2.13-0.0.9.jar"
    builder = variant_shredded.configure(SparkSession.Builder(), jars=[missing])
    assert builder._options["spark.jars"] == f"{missing},{variant_shredded.jar_path()}"


@pytest.mark.parametrize(
    "name",
    [
        "variant-shredded-spark_2.12-0.1.0.jar",
        "variant-shredded-spark_2.13-0.1.0-sources.jar",
        "variant-shredded-spark_2.13-0.1.0-javadoc.jar",
        "variant-shredded.txt",
    ],
)
def test_a_jar_with_a_similar_name_is_no_jar_of_this_project(tmp_path: Path, name: str) -> None:
    jar = tmp_path / name
    jar.touch()
    builder = variant_shredded.configure(SparkSession.Builder(), jars=[jar])
    assert builder._options["spark.jars"] == f"{jar},{variant_shredded.jar_path()}"


def test_the_defaults_of_an_installed_pyspark_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SPARK_CONF_DIR", "SPARK_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pyspark.find_spark_home._find_spark_home", lambda: str(tmp_path))
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "spark-defaults.conf").write_text("spark.jars /other.jar\n")
    builder = variant_shredded.configure(SparkSession.Builder())
    assert builder._options["spark.jars"] == f"/other.jar,{variant_shredded.jar_path()}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"# caf\xe9\nspark.jars /a.jar\n", "/a.jar"),
        (b"spark.jars /a.jar,\\\n  /b.jar\nspark.x 1\n", "/a.jar,/b.jar"),
        (b"spark.jars = /a.jar,\\\r\n\\\r\n\t/b.jar", "/a.jar,/b.jar"),
        (b"spark.jars:/a.jar\\", "/a.jar"),
        (b"spark.x 1\\\nspark.jars /a.jar\n", ""),
        (b"spark.jars C:\\\\a\\\\\nspark.x 1\n", "C:\\a\\"),
        (b"# a comment\\\n! another\\\n spark.jars /a.jar\n", "/a.jar"),
        (b"spark.jars /a.jar\x0b/b.jar\n", "/a.jar\x0b/b.jar"),
    ],
)
def test_the_defaults_are_read_as_spark_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bytes, expected: str
) -> None:
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    (tmp_path / "spark-defaults.conf").write_bytes(text)
    builder = variant_shredded.configure(SparkSession.Builder())
    jars = ",".join(filter(None, [expected, str(variant_shredded.jar_path())]))
    assert builder._options["spark.jars"] == jars


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("--properties-file {0}/given", "/given.jar"),
        ("--master local[1] '--properties-file={0}/given' pyspark-shell", "/given.jar"),
        ("--properties-file {0}/other --properties-file {0}/given", "/given.jar"),
        ("--properties-file {0}/other", ""),
        ("--properties-file {0}/missing", ""),
        ("--properties-file", "/default.jar"),
        ("--properties-file {0}/other --load-spark-defaults", "/default.jar"),
        ("--properties-file {0}/given --load-spark-defaults", "/given.jar"),
        ("--properties-file {0}/empty --load-spark-defaults", ""),
        ("--extra-properties-file {0}/given", "/given.jar"),
        ("--extra-properties-file {0}/other", "/default.jar"),
        (
            "--extra-properties-file {0}/given --extra-properties-file {0}/more "
            "--properties-file {0}/other",
            "/more.jar",
        ),
        ("--name --properties --conf a=b pyspark-shell", "/default.jar"),
    ],
)
def test_files_that_the_environment_names_are_read_as_spark_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: str, expected: str
) -> None:
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", arguments.format(tmp_path))
    for name, jar in (("given", "/given.jar"), ("more", "/more.jar"), ("empty", "")):
        (tmp_path / name).write_text(f"spark.jars={jar}\n")
    (tmp_path / "other").write_text("spark.ui.enabled false\n")
    (tmp_path / "spark-defaults.conf").write_text("spark.jars /default.jar\n")
    builder = variant_shredded.configure(SparkSession.Builder())
    jars = ",".join(filter(None, [expected, str(variant_shredded.jar_path())]))
    assert builder._options["spark.jars"] == jars


def test_a_client_without_spark_has_no_defaults(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def ends() -> str:
        print("advice", file=sys.stderr)
        sys.exit(-1)

    monkeypatch.delenv("SPARK_CONF_DIR", raising=False)
    monkeypatch.setattr("pyspark.find_spark_home._find_spark_home", ends)
    builder = variant_shredded.configure(SparkSession.Builder())
    assert builder._options["spark.jars"] == str(variant_shredded.jar_path())
    assert capfd.readouterr().err == ""


@once
@pytest.mark.parametrize(
    ("start", "what"),
    [
        (
            "from pyspark.sql import SparkSession; SparkSession.builder.getOrCreate()",
            "a Spark session already runs",
        ),
        ("from pyspark import SparkContext; SparkContext()", "Spark runs"),
        (
            "from pyspark.sql import SparkSession; "
            "SparkSession.builder.remote('local[1]').getOrCreate()",
            "a Spark session already runs",
        ),
    ],
)
def test_spark_runs_without_the_jar(start: str, what: str) -> None:
    out = run_script(
        f"""
{start}
from variant_shredded import SessionWithoutJarError, session
try:
    session()
except SessionWithoutJarError as error:
    print(error)
""",
        PYSPARK_SUBMIT_ARGS="--master local[1] --conf spark.ui.enabled=false pyspark-shell",
        SPARK_TESTING="1",
    )
    assert out == (
        f"{what} without the JAR of variant-shredded, and a JAR cannot be added to it now: "
        "restart Python (in a notebook, the kernel) and call session() first, or start Spark with "
        "--jars (or spark.jars) set to the path that variant_shredded.jar_path() or "
        "VARIANT_SHREDDED_JAR gives\n"
    )


@once
@pytest.mark.parametrize("given", ["--jars {}", "--conf spark.jars={}", '"--jars" "{}"'])
def test_the_error_says_that_the_environment_replaces_the_jars(tmp_path: Path, given: str) -> None:
    other = tmp_path / "other.jar"
    other.write_bytes(b"PK\x05\x06" + bytes(18))
    out = run_script(
        """
from variant_shredded import SessionWithoutJarError, session
try:
    session()
except SessionWithoutJarError as error:
    print(error)
""",
        PYSPARK_SUBMIT_ARGS=f"--master local[1] {given.format(other)} pyspark-shell",
    )
    assert out == (
        "Spark runs without the JAR of variant-shredded, and a JAR cannot be added to it now: "
        "PYSPARK_SUBMIT_ARGS replaces spark.jars: take its JARs out of this variable, give these "
        "JARs as configure(builder, jars=[...]), and restart Python (in a notebook, the kernel)\n"
    )


@pytest.mark.parametrize(
    ("setting", "variable", "is_kept"),
    [(None, "1", True), ("true", None, True), ("false", "1", False), (None, None, False)],
)
def test_the_error_says_how_to_end_a_server_that_spark_keeps(
    monkeypatch: pytest.MonkeyPatch, setting: str | None, variable: str | None, is_kept: bool
) -> None:
    monkeypatch.delenv("SPARK_LOCAL_CONNECT_REUSE", raising=False)
    monkeypatch.delenv("PYSPARK_SUBMIT_ARGS", raising=False)
    if variable is not None:
        monkeypatch.setenv("SPARK_LOCAL_CONNECT_REUSE", variable)
    builder = SparkSession.Builder()
    if setting is not None:
        builder = builder.config("spark.local.connect.reuse", setting)
    said = _session._reuse_ended(builder)
    assert (said is not None and "local_server --stop" in said) == is_kept


def test_importing_does_nothing() -> None:
    out = run_script("import variant_shredded, sys; print('pyspark' in sys.modules)")
    assert out == "False\n"


@once
def test_a_session_that_ran_without_the_jar_and_was_stopped() -> None:
    out = run_script(
        """
from pyspark.sql import SparkSession
from variant_shredded import SessionWithoutJarError, session
SparkSession.builder.master("local[1]").config("spark.ui.enabled", False).getOrCreate().stop()
try:
    session()
except SessionWithoutJarError as error:
    print(error)
"""
    )
    assert "restart Python (in a notebook, the kernel) and call session() first" in out


def test_jars_are_a_list() -> None:
    with pytest.raises(variant_shredded.InvalidOptionError, match="jars: a list of paths"):
        variant_shredded.configure(SparkSession.builder, jars="a.jar")


@pytest.mark.parametrize("character", list("[]{}*?,#"))
def test_a_jar_whose_path_spark_takes_for_a_pattern_or_a_list_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, character: str
) -> None:
    jar = tmp_path / f"a{character}b" / "x.jar"
    jar.parent.mkdir()
    jar.touch()
    monkeypatch.setenv("VARIANT_SHREDDED_JAR", str(jar))
    with pytest.raises(variant_shredded.InvalidOptionError) as caught:
        variant_shredded.configure(SparkSession.builder)
    assert str(caught.value) == (
        f"{jar}: Spark finds no JAR whose path has the character {character}: copy it to another "
        "directory, and set VARIANT_SHREDDED_JAR to the path of the copy"
    )
