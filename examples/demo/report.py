"""How the demo prints: headings, aligned columns, lines of not more than 80 characters."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

WIDTH = 80


def heading(text: str) -> str:
    """Give a heading, with an empty line before it."""
    return f"\n{text}\n{'-' * len(text)}"


def note(text: str) -> str:
    """Give a sentence, or more, wrapped."""
    return textwrap.fill(text, WIDTH)


def aligned(rows: Iterable[Sequence[str]], right: int = -1) -> str:
    """Give rows as columns; the one with index `right` is aligned to the right."""
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
    """Give the rows of an answer under the names of their columns."""
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
    """Give bytes for people."""
    if count < 10_000:
        return f"{count:,} B"
    if count < 1_000_000:
        return f"{count / 1000:,.1f} kB"
    return f"{count / 1_000_000:,.2f} MB"


def share(part: int, whole: int) -> str:
    """Give a part in percent."""
    return f"{100 * part / whole:.0f} %" if whole else "-"


def shorten(text: str, width: int) -> str:
    """Cut a text that is too long."""
    return text if len(text) <= width else text[: width - 3] + "..."


def indent(text: str) -> str:
    """Move lines to the right."""
    return textwrap.indent(text, "  ")


def plural(count: int, noun: str) -> str:
    """Count things."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
