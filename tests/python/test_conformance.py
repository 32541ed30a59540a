"""The public conformance suite of shredded Variants, through ``spark.read``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from variant_shredded import read_variant
from variant_values import Tree, split, tree

FOLDER = "conformance/shredded_variant"


@pytest.fixture(scope="module")
def cases(shared: Callable[[str], Path]) -> list[dict[str, Any]]:
    every = json.loads(shared(f"{FOLDER}/cases.json").read_text())
    return [case for case in every if "parquet_file" in case]


def read(spark: SparkSession, file: Path, mode: str) -> list[Tree | None]:
    data = read_variant(spark, file, mode=mode, schema="id int, var variant")
    rows = data.orderBy("id").collect()
    return [tree(row["var"], widths=True) for row in rows]


def expected(folder: Path, case: dict[str, Any]) -> list[Tree | None]:
    names = case.get("variant_files") or [case["variant_file"]]
    return [
        name and tree(split((folder / name).read_bytes()), widths=True)  # a file, or null
        for name in names
    ]


def test_all_cases(
    spark: SparkSession, shared: Callable[[str], Path], cases: list[dict[str, Any]]
) -> None:
    """Read each file; those that break a rule are refused, with a message that names the file."""
    folder = shared(FOLDER)
    assert len(cases) > 50
    wrong = []
    for case in cases:
        file = folder / case["parquet_file"]
        invalid = "error_message" in case or "INVALID" in file.name
        try:
            values = read(spark, file, "strict")
        except Exception as error:
            message = str(error)
            ours = any(name in message for name in ("SHREDD", "MALFORMED_VARIANT"))
            if not (invalid and ours and file.name in message):
                wrong.append((file.name, message[:300]))
            continue
        if invalid:
            wrong.append((file.name, "was read"))
        elif values != expected(folder, case):
            wrong.append((file.name, f"{values} is not {expected(folder, case)}"))
    assert wrong == []


def test_permissive_mode(
    spark: SparkSession, shared: Callable[[str], Path], cases: list[dict[str, Any]]
) -> None:
    """Read the files that the suite calls INVALID, but says how to read."""
    folder = shared(FOLDER)
    for case in cases:
        if "INVALID" in case["parquet_file"] and "error_message" not in case:
            file = folder / case["parquet_file"]
            assert read(spark, file, "permissive") == expected(folder, case), file.name
