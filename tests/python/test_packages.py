"""The published artifact: ``spark-submit --packages``, and what the POM says."""

from __future__ import annotations

import os
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support import ROOT, once, run_script, submit
from variant_shredded import __version__

ARTIFACT = "variant-shredded-spark_2.13"
SETTINGS = """<ivysettings>
  <settings defaultResolver="published"/>
  <resolvers><ibiblio name="published" m2compatible="true" root="{root}"/></resolvers>
</ivysettings>
"""
JOB = """
import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
df = spark.sql("SELECT parse_json('{\\"a\\": 7}') AS v")
df.write.format("variant-shredded").save(sys.argv[1])
back = spark.read.format("variant-shredded").load(sys.argv[1])
print("read:", back.selectExpr("v:a::int").first()[0])
"""


@pytest.fixture
def repository() -> Path:
    """Find the Maven repository that ``make test-python`` publishes to."""
    path = Path(os.environ.get("VARIANT_SHREDDED_REPOSITORY") or ROOT / "target" / "maven")
    if not (path / "io").is_dir():
        pytest.skip("no published artifact: make publish-local REPOSITORY=target/maven")
    return path


@once
def test_spark_with_packages(repository: Path, tmp_path: Path) -> None:
    settings = tmp_path / "ivysettings.xml"
    settings.write_text(SETTINGS.format(root=repository.resolve().as_uri()))
    printed = submit(
        JOB,
        tmp_path,
        *("--master", "local[1]", "--conf", f"spark.jars.ivySettings={settings}"),
        *("--conf", f"spark.jars.ivy={tmp_path / 'ivy'}"),
        *("--packages", f"io.github.variantshredded:{ARTIFACT}:{__version__}"),
    )
    assert "read: 7\n" in printed


SESSION = """
import sys
from pyspark.sql import SparkSession
import variant_shredded
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
for setting in sys.argv[1:]:
    builder = builder.config(*setting.split("=", 1))
spark = variant_shredded.session(builder)
print(spark.sparkContext._jsc.sc().listJars().mkString(" "))
"""


@once
def test_packages_of_a_session_reach_executors(repository: Path, tmp_path: Path) -> None:
    settings = tmp_path / "ivysettings.xml"
    settings.write_text(SETTINGS.format(root=repository.resolve().as_uri()))
    printed = run_script(
        SESSION,
        f"spark.jars.ivySettings={settings}",
        f"spark.jars.ivy={tmp_path / 'ivy'}",
        f"spark.jars.packages=io.github.variantshredded:{ARTIFACT}:{__version__}",
    )
    jars = printed.splitlines()[-1].split()  # the resolver prints, too
    package = f"io.github.variantshredded_{ARTIFACT}-{__version__}.jar"
    assert sorted(jar.rsplit("/", 1)[-1] for jar in jars) == [
        package,
        f"{ARTIFACT}-{__version__}.jar",
    ]


@once
def test_what_is_published(repository: Path) -> None:
    directory = repository / "io" / "github" / "variantshredded" / ARTIFACT / __version__
    for name in (".pom", ".jar", "-sources.jar", "-javadoc.jar"):
        assert (directory / f"{ARTIFACT}-{__version__}{name}").stat().st_size > 0, name
    pom = ElementTree.parse(directory / f"{ARTIFACT}-{__version__}.pom").getroot()
    space = {"m": "http://maven.apache.org/POM/4.0.0"}
    for path in ("name", "description", "url", "scm/url", "developers/developer/name"):
        assert pom.findtext("/".join(f"m:{part}" for part in path.split("/")), None, space), path
    assert pom.findtext("m:licenses/m:license/m:name", None, space) == "Apache-2.0"
    dependencies = {
        (d.findtext("m:artifactId", None, space), d.findtext("m:scope", None, space))
        for d in pom.findall("m:dependencies/m:dependency", space)
    }
    assert dependencies == {("spark-sql_2.13", "provided"), ("scala-library", None)}
