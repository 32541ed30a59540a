"""The tables of docs/sql.md."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.types import VariantType

PAGE = Path(__file__).resolve().parents[2] / "docs" / "sql.md"


def rows(heading: str) -> list[list[str]]:
    """Give the cells of all rows below headings that begin with this cell."""
    found, current = [], None
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            current = None
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if current is None:
            current = cells[0]
        elif current == heading and not cells[0].startswith("---"):
            found.append(cells)
    return found


def example() -> str:
    """Give the Variant ``v`` of the page, as JSON."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    (line,) = [line for line in lines if line.startswith("Below, `v` is `")]
    return line.split("`")[3]


def statements() -> list[str]:
    """Give the statements of the page's block of SQL."""
    (block,) = re.findall(r"(?ms)^```sql\n(.*?)^```$", PAGE.read_text(encoding="utf-8"))
    return [statement.strip() for statement in block.split(";") if statement.strip()]


def shown(spark: SparkSession, expressions: Sequence[str], table: str) -> list[str]:
    """Give the values of expressions over a table of one row, as the page shows them."""
    listed = ", ".join(f"{code} AS c{i}" for i, code in enumerate(expressions))
    types = spark.sql(f"SELECT {listed} FROM {table}").schema
    texts = ", ".join(
        f"to_json({code})" if isinstance(field.dataType, VariantType) else f"string({code})"
        for code, field in zip(expressions, types, strict=True)
    )
    (row,) = spark.sql(f"SELECT {texts} FROM {table}").collect()
    return ["NULL" if value is None else value for value in row]


def differences(spark: SparkSession, table: str) -> list[tuple[str, str, str]]:
    """Give the lines of the page whose result is another: code, result, the page's result."""
    lines = [(code.strip("`"), wanted.strip("`")) for _, code, wanted in rows("other databases")]
    assert len(lines) > 70
    groups = [
        [line for line in lines if ("collect_list(" in line[0]) == aggregates]
        for aggregates in (False, True)
    ]
    return [
        (code, got, wanted)
        for group in groups
        for (code, wanted), got in zip(
            group, shown(spark, [code for code, _ in group], table), strict=True
        )
        if got != wanted
    ]
