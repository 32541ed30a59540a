"""Names of columns and texts in SQL."""

from __future__ import annotations


def quoted(column: str) -> str:
    """Write a column's name as one part of a name, whatever characters it has."""
    return "`" + column.replace("`", "``") + "`"


def literal(text: str) -> str:
    """Write a text as a literal."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
