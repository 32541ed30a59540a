"""Names of columns in SQL."""

from __future__ import annotations


def quoted(column: str) -> str:
    """Write a column's name as one part of a name, whatever characters it has."""
    return "`" + column.replace("`", "``") + "`"
