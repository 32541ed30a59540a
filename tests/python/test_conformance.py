"""The public conformance suite of shredded Variants, through ``spark.read``."""

from __future__ import annotations

import json
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from variant_shredded import read_variant
from variant_values import Tree, split, tree

FOLDER = "conformance/shredded_variant"


@pytest.fixture(scope="module")
def cases(shared: Callable[[str], Path]) -> list[dict[str, Any]]:
    every = json.loads(shared(f"{FOLDER}/cases.json").read_text())
    return [case for case in every if "parquet_file" in case]


def read(
    spark: SparkSession, files: list[Path], mode: Literal["strict", "permissive"]
) -> dict[str, list[Tree | None]]:
    """Read files at once; give for the name of each its Variants, in the order of their ids."""
    data = read_variant(spark, *files, validation=mode, schema="id int, var variant")
    found: dict[str, list[Tree | None]] = {file.name: [] for file in files}
    rows = data.selectExpr("input_file_name() AS file", "id", "var").collect()
    for row in sorted(rows, key=itemgetter("id")):
        found[Path(row.file).name].append(tree(row["var"], widths=True))
    return found


def expected(folder: Path, case: dict[str, Any]) -> list[Tree | None]:
    names = case.get("variant_files") or [case["variant_file"]]
    return [
        name and tree(split((folder / name).read_bytes()), widths=True)  # a file, or null
        for name in names
    ]


def breaks_a_rule(case: dict[str, Any]) -> bool:
    return "error_message" in case or "INVALID" in case["parquet_file"]


def test_valid_files(
    spark: SparkSession, shared: Callable[[str], Path], cases: list[dict[str, Any]]
) -> None:
    folder = shared(FOLDER)
    valid = [case for case in cases if not breaks_a_rule(case)]
    assert len(valid) > 50
    found = read(spark, [folder / case["parquet_file"] for case in valid], "strict")
    assert found == {case["parquet_file"]: expected(folder, case) for case in valid}


def test_files_that_break_a_rule(
    spark: SparkSession, shared: Callable[[str], Path], cases: list[dict[str, Any]]
) -> None:
    """Each is refused with a message that names it; of some the suite says how to read them."""
    folder = shared(FOLDER)
    bad = [case for case in cases if breaks_a_rule(case)]
    assert bad
    for case in bad:
        file = folder / case["parquet_file"]
        with pytest.raises(PySparkException, match=r"SHREDD|MALFORMED_VARIANT") as caught:
            read(spark, [file], "strict")
        assert file.name in str(caught.value)
        if "error_message" not in case:
            assert read(spark, [file], "permissive") == {file.name: expected(folder, case)}
