"""Formats the output of the demo as headings, aligned columns and lines of 80 characters."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

WIDTH = 80


def heading(text: str) -> str:
    """Return a heading, with an empty line before it."""
    return f"\n{text}\n{'-' * len(text)}"


def note(text: str) -> str:
    """Return a text wrapped to lines."""
    return textwrap.fill(text, WIDTH)


def aligned(rows: Iterable[Sequence[str]], right: int = -1) -> str:
    """Return rows as aligned columns. The column with index `right` is aligned to the right."""
    table = [list(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = []
    for row in table:
        cells = [
            cell.rjust(width) if i == right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  " + "  ".join(cells).rstrip())
    return "\n".join(lines)


def answer(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return the rows of a result below the names of the columns."""
    body = [[_cell(value) for value in row] for row in rows]
    return aligned([list(columns), *body])


def _cell(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return shorten(str(value), 64)
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.2f}" if 1000 <= abs(value) < 1e18 else f"{value:.6g}"


def size(count: int) -> str:
    """Format a number of bytes with a unit."""
    if count < 10_000:
        return f"{count:,} B"
    if count < 1_000_000:
        return f"{count / 1000:,.1f} kB"
    return f"{count / 1_000_000:,.2f} MB"


def share(part: int, whole: int) -> str:
    """Format a part of a whole in percent."""
    return f"{100 * part / whole:.0f} %" if whole else "-"


def shorten(text: str, width: int) -> str:
    """Cut a text that is longer than `width` characters."""
    return text if len(text) <= width else text[: width - 3] + "..."


def indent(text: str) -> str:
    """Indent the lines of a text."""
    return textwrap.indent(text, "  ")


def plural(count: int, noun: str) -> str:
    """Format a number with a noun in the singular or plural."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
