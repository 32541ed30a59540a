"""The README's lines, run from the wheel in a fresh virtual environment."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import sysconfig
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from support import ROOT, clean_environment, once

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMAND = "variant-shredded"
SQL = """
for statement in {statements!r}:
    spark.sql(statement)
print("tables:", spark.table("copy").count(), read_variant(spark, {path!r}).count())
"""


@pytest.fixture
def python_with_wheel(tmp_path: Path) -> Path:
    """Make a virtual environment with the wheel, and with the pyspark of this one."""
    wheel = os.environ.get("VARIANT_SHREDDED_WHEEL")
    if not wheel or not Path(wheel).is_file():
        pytest.skip("no wheel (VARIANT_SHREDDED_WHEEL): make test-python builds it")
    home = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    python = home / "bin" / "python"
    install = ["install", "--quiet", "--no-index", "--no-deps", wheel]
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check", *install],
        check=True,
    )
    (site,) = (home / "lib").glob("python*/site-packages")
    (site / "pyspark.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


@once
def test_the_wheel_holds_the_package_and_its_jar() -> None:
    wheel = os.environ.get("VARIANT_SHREDDED_WHEEL")
    if not wheel or not Path(wheel).is_file():
        pytest.skip("no wheel (VARIANT_SHREDDED_WHEEL): make test-python builds it")
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
    folders = {name.split("/")[1] for name in names if name.count("/") > 1}
    assert folders == {"_tools", "jars", "licenses"}
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"variant_shredded"}


def blocks(language: str) -> list[str]:
    found = re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert found
    return found


@once
def test_the_lines_of_the_readme(python_with_wheel: Path, tmp_path: Path) -> None:
    """Run them all, the SQL with its path within `tmp_path`, and compare what they print."""
    script = "\n".join(blocks("python"))
    (tmp_path / "data").mkdir()
    sql = re.sub(r"^--.*", "", "\n".join(blocks("sql")), flags=re.MULTILINE)
    sql = sql.replace("/data/", f"{tmp_path}/data/")
    path = str(tmp_path / "data" / "events")
    statements = [statement for statement in sql.split(";") if statement.strip()]
    write = f"write_variant(events, {path!r})\n"
    environment = clean_environment()
    for name in ("VARIANT_SHREDDED_JAR", "PYTHONPATH"):
        environment.pop(name, None)
    done = subprocess.run(
        [python_with_wheel, "-c", script + write + SQL.format(statements=statements, path=path)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    printed = [line for line in done.stdout.splitlines() if line]
    shown = re.findall(r"^# (.*)$", script, re.MULTILINE)
    assert len(shown) == 13
    assert printed == [*shown, "tables: 0 3"]
    commands = [line for line in "\n".join(blocks("sh")).splitlines() if line.startswith(COMMAND)]
    assert [line.split()[1] for line in commands] == ["load", "inspect", "advise", "reshred"]
    for line in commands:
        _, *arguments = shlex.split(line)
        ran = subprocess.run(
            [python_with_wheel.with_name(COMMAND), *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert ran.returncode == 0, line + ran.stdout + ran.stderr


@once
def test_what_the_wheel_says_of_itself() -> None:
    wheel = os.environ.get("VARIANT_SHREDDED_WHEEL")
    if not wheel or not Path(wheel).is_file():
        pytest.skip("no wheel (VARIANT_SHREDDED_WHEEL): make test-python builds it")
    with zipfile.ZipFile(wheel) as packed:
        (name,) = [name for name in packed.namelist() if name.endswith("dist-info/METADATA")]
        said = Parser().parsestr(packed.read(name).decode())
    links = [link.partition(",")[0] for link in said.get_all("Project-URL", [])]
    assert links == ["Homepage", "Documentation", "Changelog", "Issues"]
    assert said["Author"] == "The variant-shredded maintainers"
    assert (said["License-Expression"], said["License-File"]) == ("Apache-2.0", "LICENSE")
    versions = {c.rpartition(" ")[2] for c in said.get_all("Classifier", []) if ":: 3." in c}
    assert versions == {"3.10", "3.11", "3.12", "3.13"}
    for command in ("load", "inspect", "advise", "reshred"):
        assert f"variant-shredded {command} " in said.get_payload()
