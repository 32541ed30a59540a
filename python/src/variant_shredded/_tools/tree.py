"""Formats an inspection as a tree with bars, for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from variant_shredded._tools.model import Column, Inspection, PathSummary
from variant_shredded._tools.terminal import Terminal, percent, plural, printable, size

#: A terminal that is narrower than this number of characters gets no bars.
_NARROW = 75

#: The number of paths without a typed column that are explained: those with most bytes.
_MAX_REASONS = 12


@dataclass(frozen=True)
class _Line:
    tree: str
    name: str
    note: str
    summary: PathSummary


def render(
    found: Inspection, terminal: Terminal, *, depth: int | None = None, min_share: float = 0.0
) -> str:
    """Return the tree of an inspection.

    Parameters
    ----------
    found
        The inspection.
    terminal
        The terminal that shows the tree.
    depth
        The depth of the deepest paths to show. If it is not given, all paths are shown.
    min_share
        Paths with a smaller share of all bytes, from 0 to 1, are summed up in one line.

    Returns
    -------
    str
        The lines of the tree, with escape sequences if the terminal supports them.
    """
    lines = []
    for column in found.columns:
        lines += list(_column(found, column, terminal, depth, min_share))
    bars = _bar_width(terminal)
    names = [len(line.tree + line.name) + len(line.note) + 1 for line in lines]
    free = terminal.width - _numbers_width(bars)
    width = max(min(max(names, default=0), free), 12)
    texts = [_summary(found, terminal), "", _heading(terminal, width, bars)]
    texts += [_row(found, line, terminal, width, bars) for line in lines]
    if any(column.is_variant for column in found.columns):
        legend = textwrap.wrap(_LEGEND, terminal.width)
        texts += ["", *(terminal.styled(line, "dim") for line in legend)]
        texts += _reasons(found, lines, terminal)
    return "\n".join(text.rstrip() for text in texts) + "\n"


_LEGEND = (
    "typed: the share of all rows (in arrays: of all elements) with a value in the typed column; "
    "resid.: with a residual value that is not null, and for objects and arrays the share of their "
    "bytes that are residual values; null: with a Variant null; skips: row groups that a "
    "comparison can leave out by statistics"
)


def _reasons(found: Inspection, lines: list[_Line], terminal: Terminal) -> list[str]:
    """Return the lines that say why paths of the tree have no typed column."""
    column = {id(summary): each for each in found.columns for summary in each.root.walk()}
    several = sum(each.is_variant for each in found.columns) > 1
    without = [line.summary for line in lines if line.summary.why_not_shredded]
    without.sort(key=lambda summary: -summary.compressed_bytes)
    if not without:
        return []
    texts = ["", terminal.styled("Not shredded", "bold")]
    for summary in without[:_MAX_REASONS]:
        name = f"{column[id(summary)].name} {summary.path}" if several else summary.path
        texts += textwrap.wrap(
            printable(f"  {name}: {summary.why_not_shredded}"),
            terminal.width,
            subsequent_indent="    ",
        )
    if len(without) > _MAX_REASONS:
        texts.append(f"  and {len(without) - _MAX_REASONS:,} more")
    return texts


def _summary(found: Inspection, terminal: Terminal) -> str:
    what = ", ".join(
        [
            plural(found.files, "file"),
            plural(found.row_groups, "row group"),
            plural(found.rows, "row"),
            f"{size(found.compressed_bytes)} ({size(found.uncompressed_bytes)} before compression)",
        ]
    )
    return f"{terminal.styled(printable(' '.join(found.paths)), 'bold')}\n{what}"


def _column(
    found: Inspection, column: Column, terminal: Terminal, depth: int | None, min_share: float
) -> Iterator[_Line]:
    kind = f"VARIANT, {'|'.join(column.layouts)}" if column.is_variant else column.root.type
    yield _Line("", printable(column.name), printable(kind), column.root)
    yield from _children(found, column.root, "", terminal, depth, min_share)


def _children(
    found: Inspection,
    summary: PathSummary,
    prefix: str,
    terminal: Terminal,
    depth: int | None,
    min_share: float,
) -> Iterator[_Line]:
    if depth is not None and depth <= 0:
        return
    fork, last, through = ("├─ ", "└─ ", "│  ") if terminal.unicode else ("|- ", "`- ", "|  ")
    least = min_share * found.compressed_bytes
    parts = sorted([*summary.children, *_own(summary)], key=lambda part: -part.compressed_bytes)
    shown = [part for part in parts if part.compressed_bytes >= least]
    hidden = [part for part in parts if part.compressed_bytes < least]
    rest = PathSummary(f"({len(hidden):,} more)", "", children=tuple(hidden))
    for child in [*shown, *([rest] if hidden else [])]:
        is_last = child is rest or (child is shown[-1] and not hidden)
        note = printable(child.type) if child.path else ""
        name = printable(child.name)
        yield _Line(prefix + (last if is_last else fork), name, note, child)
        if child is not rest:
            below = prefix + ("   " if is_last else through)
            left = None if depth is None else depth - 1
            yield from _children(found, child, below, terminal, left, min_share)


def _own(summary: PathSummary) -> list[PathSummary]:
    """Return a path's own leaf columns beside its fields or elements, as summaries to show."""
    if not summary.children:
        return []
    parts = {"value": "(residual)", "untyped_value": "(residual)"}
    return [
        PathSummary(parts.get(leaf.name, f"({leaf.name})"), "", leaves=(leaf,))
        for leaf in summary.leaves
    ]


def _bar_width(terminal: Terminal) -> int:
    return 0 if terminal.width < _NARROW else min(max((terminal.width - 60) // 8, 4), 12)


def _numbers_width(bars: int) -> int:
    extra = bars + 1 if bars else 0
    return 18 + 7 + 3 * (7 + extra)


def _heading(terminal: Terminal, width: int, bars: int) -> str:
    cells = [" " * width, "bytes".rjust(9)]
    pad = bars + 1 if bars else 0
    cells += [heading.rjust(6) + " " * pad for heading in ("share", "typed")]
    cells += ["resid.".rjust(6) + " " * pad, "null".rjust(6), "skips".rjust(7)]
    return terminal.styled(" ".join(cells)[: terminal.width], "dim")


def _row(found: Inspection, line: _Line, terminal: Terminal, width: int, bars: int) -> str:
    summary = line.summary
    room = width - len(line.tree)
    name = terminal.shorten(line.name, room)
    note = terminal.shorten(line.note, room - len(name) - 1) if room - len(name) > 4 else ""
    pad = " " * (room - len(name) - (len(note) + 1 if note else 0))
    label = terminal.styled(line.tree, "dim") + terminal.styled(name, "bold")
    label += (" " + terminal.styled(note, "dim") if note else "") + pad
    share = summary.compressed_bytes / found.compressed_bytes if found.compressed_bytes else 0.0
    cells = [label, size(summary.compressed_bytes).rjust(9)]
    cells.append(_share(terminal, share, bars, "blue"))
    cells.append(_share(terminal, summary.typed_share if summary.path else None, bars, "green"))
    nested = bool(summary.path) and summary.type in ("object", "array")
    residual = summary.residual_byte_share if nested else summary.residual_non_null_share
    cells.append(_share(terminal, residual, bars, "yellow"))
    nulls = None if nested or not summary.path else summary.residual_null_share
    cells.append(_share(terminal, nulls, 0, "dim"))
    cells.append(_skips(summary).rjust(7))
    return " ".join(cells)


def _share(terminal: Terminal, share: float | None, bars: int, colour: str) -> str:
    if share is None:
        return " " * (6 + (bars + 1 if bars else 0))
    text = percent(share).rjust(6)
    return f"{text} {terminal.styled(terminal.bar(share, bars), colour)}" if bars else text


def _skips(summary: PathSummary) -> str:
    leaf = summary.typed
    if leaf is None or leaf.skippable_row_groups is None:
        return ""
    if leaf.skippable_row_groups in (0, leaf.column_chunks):
        return "all" if leaf.skippable_row_groups else "none"
    return f"{leaf.skippable_row_groups}/{leaf.column_chunks}"
