"""Writes names of columns in SQL notation, and compares them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def quoted(column: str) -> str:
    """Return the name of a column in backticks, so that it can have any characters."""
    return "`" + column.replace("`", "``") + "`"


def spelling(rows: DataFrame) -> Callable[[str], str]:
    """Return a function that gives the same text for all spellings of the name of a column."""
    is_cased = rows.sparkSession.conf.get("spark.sql.caseSensitive") == "true"
    return str if is_cased else str.lower
