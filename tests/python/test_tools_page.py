"""The examples of docs/tools.md."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from support import ROOT, Run, once
from variant_shredded import read_variant, write_variant

PAGE = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def directory(spark: SparkSession, tmp_path: Path) -> Path:
    rows = spark.range(0, 200, 1, 1).selectExpr(
        """parse_json(concat('{"id":', id, ',"name":"n', id, '","ts":"2026-01-01 00:00:',
          lpad(id % 60, 2, '0'), '","actor":{"id":', id % 7, '}}')) AS v"""
    )
    write_variant(rows, tmp_path / "events")
    (tmp_path / "queries.sql").write_text("SELECT v:name::string FROM events;")
    return tmp_path


@once
def test_commands(run: Run, directory: Path) -> None:
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    assert len(lines) > 10
    files = re.compile(r"(events(/.*|\.html)?|[a-z_]+\.sql|copy|narrow|earlier|plain|sorted)$")
    for line in lines:
        program, *words = shlex.split(line.split(" | ")[0], comments=True)
        assert program == "variant-shredded"
        command, *arguments = [str(directory / w) if files.match(w) else w for w in words]
        if "--table" in arguments:
            arguments[arguments.index("--table") + 1] = "events"
        status, _, err = run(command, "--quiet", *arguments)
        assert (status, err) == (0, ""), line
    assert (directory / "events.html").stat().st_size > 1000


@once
def test_python(spark: SparkSession, directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = {"spark": spark, "read_variant": read_variant, "write_variant": write_variant}
    for block in blocks("python"):
        exec(re.sub(r'"(events|copy|by_id|advised)"', rf'"{directory}/\1"', block), found)
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("bigint 1.0 0.0 ()")
    assert re.match(r"\{'\$\.id': 'bigint', '\$\.name': 'string'\} \[.*\] \d+ \d+$", out[1])
    assert (directory / "advised").is_dir()


@once
def test_sql(spark: SparkSession, directory: Path) -> None:
    (block,) = blocks("sql")
    for statement in filter(str.strip, block.split(";")):
        rows = spark.sql(re.sub(r"(['`])events\1", rf"\1{directory}/events\1", statement)).collect()
    spark.catalog.dropTempView("inside")
    assert len(rows) > 3
