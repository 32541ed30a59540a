"""The README's lines, run from the wheel in a fresh virtual environment."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from support import ROOT, clean_environment, new_environment, once

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMAND = "variant-shredded"
#: Runs a command of the README; what it prints is not that of the Python blocks.
SHELL = """
import subprocess

def shell(line):
    done = subprocess.run(line, shell=True, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, line + done.stdout + done.stderr
"""
TABLES = """
print("tables:", spark.table("copy").count(), read_variant(spark, {path!r}).count())
"""


@once
def test_the_wheel_holds_the_package_and_its_jar() -> None:
    wheel = os.environ.get("VARIANT_SHREDDED_WHEEL")
    if not wheel or not Path(wheel).is_file():
        pytest.skip("no wheel (VARIANT_SHREDDED_WHEEL): make test-python builds it")
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
    folders = {name.split("/")[1] for name in names if name.count("/") > 1}
    assert folders == {"_commands", "_tools", "jars", "licenses"}
    sources = Path(__file__).parents[2] / "python" / "src"
    files = (file for file in sources.rglob("*") if file.suffix in (".py", ".typed"))
    expected = {str(file.relative_to(sources)) for file in files}
    assert "variant_shredded/py.typed" in expected
    assert expected <= set(names)
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"variant_shredded"}


def blocks(page: str) -> list[tuple[str, str]]:
    """Give the blocks of a page in their order: the language and the text."""
    found = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert {language for language, _ in found} == {"python", "sql", "sh"}
    return found


def commands(block: str) -> list[str]:
    """Give the lines of a shell block without their comments."""
    return [line for line in (re.sub(r"\s+#.*", "", each) for each in block.splitlines()) if line]


def as_python(language: str, block: str, data: Path) -> str:
    """Write a block as Python: statements for ``spark.sql``, and commands for a shell."""
    if language == "python":
        return block
    if language == "sh":
        programs = (line for line in commands(block) if not line.startswith("make "))
        return "\n".join(f"shell({line!r})" for line in programs)
    sql = re.sub(r"^--.*", "", block, flags=re.MULTILINE).replace("/data/", f"{data}/")
    statements = (statement.strip() for statement in sql.split(";"))
    return "\n".join(f"spark.sql({statement!r})" for statement in statements if statement)


@once
def test_the_lines_of_the_readme(tmp_path: Path) -> None:
    """Run its blocks in a new environment, the installation first, and compare what they print.

    The environment finds the pyspark of this one, and pip asks no package index. Commands of `make`
    are only looked up.
    """
    wheel = os.environ.get("VARIANT_SHREDDED_WHEEL")
    if not wheel or not Path(wheel).is_file():
        pytest.skip("no wheel (VARIANT_SHREDDED_WHEEL): make test-python builds it")
    python = new_environment(tmp_path / "venv")
    home = tmp_path / "home"
    (home / "dist").mkdir(parents=True)
    shutil.copy(wheel, home / "dist")
    environment = clean_environment(
        PATH=f"{python.parent}{os.pathsep}{os.environ['PATH']}", PIP_NO_INDEX="1"
    )
    for name in ("VARIANT_SHREDDED_JAR", "PYTHONPATH", "PYSPARK_PYTHON"):
        environment.pop(name, None)

    found = blocks(README)
    lines = [line for language, block in found if language == "sh" for line in commands(block)]
    made = [re.sub(r"\[.*?\]", "", line) for line in lines if line.startswith("make ")]
    assert len(made) == 3
    for line in made:
        _, *arguments = shlex.split(line)
        subprocess.run(["make", "-n", *arguments], cwd=ROOT, check=True, capture_output=True)
    ran = [line for line in lines if not line.startswith("make ")]
    assert [line.split()[:2] for line in ran] == [
        *(["pip", "install"],) * 2,
        *([COMMAND, name] for name in ("load", "inspect", "advise", "reshred")),
    ]

    (installing,) = (block for language, block in found if language == "sh" and "pip " in block)
    for line in commands(installing):
        if not line.startswith("make "):
            subprocess.run(line, shell=True, cwd=home, env=environment, check=True)
    data = home / "data"
    parts = [SHELL]
    for language, block in found:
        if block == installing:
            continue
        parts.append(as_python(language, block, data))
    parts.append(TABLES.format(path=str(data / "events")))
    done = subprocess.run(
        [python, "-c", "\n".join(parts)],
        cwd=home,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    printed = [line for line in done.stdout.splitlines() if line]
    shown = [
        line
        for language, block in found
        if language == "python"
        for line in re.findall(r"^# (.*)$", block, re.MULTILINE)
    ]
    assert len(shown) == 12
    assert printed == [*shown, "tables: 0 3"]


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
