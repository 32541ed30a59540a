"""The commands of docs/tools.md."""

from __future__ import annotations

import gzip
import re
import shlex
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from support import ROOT, Run, once
from variant_shredded import write_variant

PAGE = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def directory(spark: SparkSession, tmp_path: Path) -> Path:
    rows = spark.range(0, 200, 1, 1).selectExpr(
        """parse_json(concat('{"id":', id, ',"name":"n', id, '","ts":"2026-01-01 00:00:',
          lpad(id % 60, 2, '0'), '","actor":{"id":', id % 7, '}}')) AS v"""
    )
    write_variant(rows, tmp_path / "events")
    (tmp_path / "queries.sql").write_text("SELECT v:name::string FROM events;")
    (tmp_path / "new.jsonl").write_text('{"id": 1}\n{"id": 2}\n')
    (tmp_path / "more.json.gz").write_bytes(gzip.compress(b'[{"id": 3}]'))
    return tmp_path


@once
def test_commands(run: Run, directory: Path) -> None:
    lines = [line for block in BLOCKS for line in block.splitlines()]
    assert len(lines) > 10
    files = re.compile(
        r"(events(/.*|\.html)?|[a-z_]+\.sql|inferred|narrow|compressed|earlier|plain|sorted|ingested"
        r"|new.jsonl|more.json.gz)$"
    )
    for line in lines:
        program, *words = shlex.split(line.split(" | ")[0], comments=True)
        assert program == "variant-shredded"
        command, *arguments = [str(directory / w) if files.match(w) else w for w in words]
        if "--table" in arguments:
            arguments[arguments.index("--table") + 1] = "events"
        status, _, err = run(command, "--quiet", *arguments)
        assert (status, err) == (0, ""), line
    assert (directory / "events.html").stat().st_size > 1000
