"""Writes names of columns in SQL notation."""

from __future__ import annotations


def quoted(column: str) -> str:
    """Return the name of a column in backticks, so that it can have any characters."""
    return "`" + column.replace("`", "``") + "`"
