"""Formats an inspection as one HTML page, which loads no other files."""

from __future__ import annotations

from html import escape

from variant_shredded._tools.model import Column, Inspection, Leaf, PathSummary, steps
from variant_shredded._tools.page_script import SCRIPT
from variant_shredded._tools.terminal import percent, plural, size
from variant_shredded._version import __version__

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --soft: #667085; --line: #d9dee6; --ground: #fff;
  --share: #3b6fd4; --typed: #2f9e6e; --residual: #d98a1f; --nulls: #8a93a3; --none: #e8ebf0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #98a2b3; --line: #344054;
  --ground: #12161d; --none: #242b36; } }
body { margin: 2rem auto; max-width: 76rem; padding: 0 1.5rem; background: var(--ground);
  color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.35rem; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; }
p.soft, .soft { color: var(--soft); }
dl.numbers { display: flex; flex-wrap: wrap; gap: .6rem 2.4rem; margin: 1rem 0; }
dl.numbers dt { color: var(--soft); font-size: .85rem; }
dl.numbers dd { margin: 0; font-size: 1.25rem; font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; font-size: .85rem; color: var(--soft); }
th, td { padding: .18rem .7rem .18rem 0; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
td.name { font-family: ui-monospace, monospace; font-size: .87rem; white-space: normal;
  overflow-wrap: anywhere; min-width: 14rem; }
td.why { white-space: normal; overflow-wrap: anywhere; min-width: 12rem; font-size: .85rem;
  color: var(--soft); }
.number { text-align: right; }
svg { display: block; } svg.bar { display: inline-block; vertical-align: middle; }
svg.chart { max-width: 100%; height: auto; }
svg text { font: 12px system-ui, sans-serif; fill: #fff; }
th button, button.fold { font: inherit; color: inherit; background: none; border: 0; padding: 0;
  cursor: pointer; text-align: inherit; }
th[aria-sort=ascending] button::after { content: " \\2191"; }
th[aria-sort=descending] button::after { content: " \\2193"; }
button.fold { width: 1.1rem; margin-left: -1.1rem; }
button.fold::before { content: "\\25b8"; }
button.fold[aria-expanded=true]::before { content: "\\25be"; }
td.name .path { display: none; } table.flat td.name .path { display: inline; }
table.flat td.name .step, table.flat button.fold { display: none; }
table.flat td.name { padding-left: 0 !important; }
tr[hidden] { display: none !important; }
input { font: inherit; width: min(22rem, 100%); box-sizing: border-box; padding: .3rem .5rem;
  margin: 0 0 .6rem; color: inherit; background: var(--ground); border: 1px solid var(--line);
  border-radius: 4px; }
@media (max-width: 60rem) {
  body { margin: 1rem auto; padding: 0 .8rem; }
  table, tbody { display: block; }
  thead tr { display: flex; flex-wrap: wrap; gap: .2rem .9rem; padding-bottom: .4rem; }
  thead th { border: 0; padding: 0; } thead th:not([data-sort]) { display: none; }
  tbody tr { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .4rem 0;
    border-bottom: 1px solid var(--line); }
  tbody td { border: 0; padding: 0; white-space: normal; text-align: left; }
  td.share { order: -2; width: 100%; } td.name { order: -1; width: 100%; box-sizing: border-box; }
  td.share svg.bar { width: calc(100% - 4rem); }
  td[data-label]::before { content: attr(data-label) " "; color: var(--soft); font-size: .85rem; }
  td:empty { display: none; } td.why { width: 100%; }
}
"""

#: The colours of the chart: of typed columns at each depth, residual values, and metadata.
_DEPTHS = ("#274f9f", "#2f5fbf", "#3a6bc9", "#4877d0", "#5683d7", "#638edc")
_RESIDUAL = "#d98a1f"
_METADATA = "#7c8798"

#: The number of rows of the chart, and the height of a row and the width of the chart in pixels.
_CHART_ROWS = 6
_ROW = 26
_WIDTH = 1216
#: Rectangles that are narrower than this, in pixels, are not drawn.
_NARROWEST = 0.6


def render(found: Inspection) -> str:
    """Return the page of an inspection.

    Parameters
    ----------
    found
        The inspection.

    Returns
    -------
    str
        An HTML document that contains its style sheet and its script.
    """
    title = ", ".join(found.paths)
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
        _numbers(found),
        "<h2>Where the bytes are</h2>",
        '<p class="soft">Each path is above the paths within it. Its width shows its bytes in the '
        "files. Blue: typed columns; orange: residual values; grey: metadata dictionaries.</p>",
        _chart(found),
    ]
    parts += [_column(found, column) for column in found.columns if column.is_variant]
    plain = [column for column in found.columns if not column.is_variant]
    if plain:
        parts.append(_plain(found, plain))
    parts.append(f'<p class="soft">variant-shredded {__version__}</p>')
    parts.append(f'<script id="behaviour">{SCRIPT}</script></body></html>')
    return "\n".join(parts) + "\n"


def _numbers(found: Inspection) -> str:
    ratio = found.uncompressed_bytes / found.compressed_bytes if found.compressed_bytes else 1.0
    facts = [
        ("files", f"{found.files:,}"),
        ("row groups", f"{found.row_groups:,}"),
        ("rows", f"{found.rows:,}"),
        ("bytes", size(found.compressed_bytes)),
        ("before compression", f"{size(found.uncompressed_bytes)} ({ratio:.1f}x)"),
    ]
    items = "".join(f"<div><dt>{name}</dt><dd>{text}</dd></div>" for name, text in facts)
    return f'<dl class="numbers">{items}</dl>'


# The chart has a row of rectangles for each depth.


def _chart(found: Inspection) -> str:
    whole = found.compressed_bytes
    if whole == 0:
        return '<p class="soft">There are no bytes.</p>'
    shapes: list[str] = []
    left = 0.0
    deepest = 0
    for column in found.columns:
        width = _WIDTH * column.root.compressed_bytes / whole
        deepest = max(deepest, _rectangles(column.root, whole, left, width, 0, shapes))
        left += width
    height = (deepest + 1) * _ROW
    return (
        f'<svg class="chart" role="img" aria-label="bytes by path" width="{_WIDTH}" '
        f'height="{height}" viewBox="0 0 {_WIDTH} {height}">{"".join(shapes)}</svg>'
    )


def _rectangles(
    summary: PathSummary, whole: int, left: float, width: float, depth: int, shapes: list[str]
) -> int:
    """Add the rectangles of a path and of the paths within it; return the deepest row used."""
    if width < _NARROWEST or depth >= _CHART_ROWS:
        return depth - 1
    share = summary.compressed_bytes / whole
    where = summary.path or summary.name
    about = f"{where} ({summary.type}): {size(summary.compressed_bytes)}, {percent(share)}"
    colour = _RESIDUAL if summary.type == "variant" else _DEPTHS[depth]
    shapes.append(_rectangle(left, width, depth, colour, summary.name, about))
    deepest = depth
    at = left
    for child in summary.children:
        part = width * child.compressed_bytes / summary.compressed_bytes
        deepest = max(deepest, _rectangles(child, whole, at, part, depth + 1, shapes))
        at += part
    if summary.children and depth + 1 < _CHART_ROWS:
        for leaf in summary.leaves:
            part = width * leaf.compressed_bytes / summary.compressed_bytes
            if part >= _NARROWEST:
                colour = _METADATA if leaf.name == "metadata" else _RESIDUAL
                about = f"{where} {leaf.name}: {size(leaf.compressed_bytes)}"
                shapes.append(_rectangle(at, part, depth + 1, colour, leaf.name, about))
                deepest = max(deepest, depth + 1)
            at += part
    return deepest


def _rectangle(left: float, width: float, row: int, colour: str, name: str, about: str) -> str:
    fits = int((width - 8) / 7)
    text = name if len(name) <= fits else name[: fits - 1] + "…" if fits > 3 else ""
    label = f'<text x="{left + 4:.1f}" y="{row * _ROW + 17}">{escape(text)}</text>' if text else ""
    return (
        f'<g><title>{escape(about)}</title><rect x="{left:.1f}" y="{row * _ROW}" '
        f'width="{max(width - 0.6, 0.4):.1f}" height="{_ROW - 2}" rx="2" fill="{colour}"/>'
        f"{label}</g>"
    )


# The tables have a row for each path.


#: The columns by which a table can be sorted, with the attributes that hold their values.
_SORTED = {
    "path": "path",
    "bytes": "bytes",
    "share": "bytes",
    "typed": "typed",
    "residual": "residual",
}


def _column(found: Inspection, column: Column) -> str:
    rows = "".join(_row(found, summary) for summary in column.root.walk())
    layouts = ", ".join(column.layouts)
    metadata = sum(leaf.compressed_bytes for leaf in column.root.leaves if leaf.name == "metadata")
    head = ("path", "type", "bytes", "share", "typed", "residual", "skips", "why not")
    return _section(
        f"{escape(column.name)} <span class='soft'>VARIANT, {escape(layouts)}"
        f"{f'; metadata: {size(metadata)}' if metadata else ''}</span>",
        head,
        rows,
        "typed: the share of all rows (in arrays: of all elements) with a value in the typed "
        "column. residual: the same of residual values, and their types (grey: Variant nulls, "
        "which have no type); for an object or an array, the share of its bytes that are residual "
        "values. skips: the row groups that a comparison can leave out by statistics. why not: why "
        "it cannot leave out the others, or why there is no typed column.",
    )


def _section(title: str, head: tuple[str, ...], rows: str, legend: str = "") -> str:
    below = f'<p class="soft">{legend}</p>' if legend else ""
    return (
        f"<section><h2>{title}</h2>"
        '<input type="search" placeholder="filter by path" aria-label="filter by path" />'
        f'<table class="paths"><thead><tr>{"".join(map(_heading, head))}</tr></thead>'
        f"<tbody>{rows}</tbody></table>{below}</section>"
    )


def _heading(name: str) -> str:
    if name not in _SORTED:
        return f"<th>{name}</th>"
    number = ' class="number"' if name == "bytes" else ""
    return f'<th{number} data-sort="{_SORTED[name]}"><button>{name}</button></th>'


def _row(found: Inspection, summary: PathSummary) -> str:
    depth = len(steps(summary.path))
    typed = summary.typed
    nested = summary.type in ("object", "array")
    residual = summary.residual_byte_share if nested else summary.residual_non_null_share
    nulls = None if nested else summary.residual_null_share
    # Nulls have a share of their own. The residual values of an object that are objects too are
    # fields without a typed column, and the same is true of arrays: their share of bytes is shown.
    hidden = ("void", summary.type) if nested else ("void",)
    types = [kind for kind in summary.residual_types if kind not in hidden]
    note = ", ".join(types) if summary.residual_values else ""
    bar = _bar(residual, "--residual", nulls or 0.0)
    unit = " of bytes" if nested and bar else ""
    if nulls:
        note = f"{note}; {percent(nulls)} null" if note else f"; {percent(nulls)} null"
    why = summary.why_not_shredded or (typed.why_not_skippable if typed else None) or ""
    return _cells(
        found,
        summary,
        depth,
        summary.path,
        [
            _cell("typed", _bar(summary.typed_share, "--typed")),
            _cell("residual", f"{bar}{unit} {escape(note)}".strip().replace(" ; ", "; ")),
            _cell("skips", _skips(typed)),
            _cell("why not", escape(why), "why"),
        ],
        f' data-typed="{summary.typed_share or 0:.6f}" data-residual="{residual or 0:.6f}"',
    )


def _cells(
    found: Inspection, summary: PathSummary, depth: int, path: str, more: list[str], data: str = ""
) -> str:
    share = summary.compressed_bytes / found.compressed_bytes if found.compressed_bytes else 0.0
    shown = escape(path)
    cells = [
        f'<td class="name" style="padding-left:{1.1 * (depth + 1):.1f}rem" title="{shown}">'
        '<button class="fold" aria-label="fold"></button>'
        f'<span class="step">{escape(summary.name)}</span><span class="path">{shown}</span></td>',
        _cell("type", escape(summary.type)),
        _cell("bytes", size(summary.compressed_bytes), "number"),
        f'<td class="share">{_bar(share, "--share")}</td>',
        *more,
    ]
    return (
        f'<tr data-depth="{depth}" data-path="{shown}"'
        f' data-bytes="{summary.compressed_bytes}"{data}>'
        f"{''.join(cells)}</tr>"
    )


def _cell(label: str, content: str, kind: str = "") -> str:
    marks = (f' class="{kind}"' if kind else "") + (f' data-label="{label}"' if content else "")
    return f"<td{marks}>{content}</td>"


def _skips(leaf: Leaf | None) -> str:
    if leaf is None or leaf.skippable_row_groups is None:
        return ""
    return f"{leaf.skippable_row_groups:,} of {leaf.column_chunks:,}"


def _plain(found: Inspection, columns: list[Column]) -> str:
    rows = []
    for column in columns:
        leaf = column.root.typed
        why = escape((leaf.why_not_skippable or "") if leaf else "")
        more = [_cell("skips", _skips(leaf)), _cell("why not", why, "why")]
        rows.append(_cells(found, column.root, 0, column.name, more))
    head = ("path", "type", "bytes", "share", "skips", "why not")
    return _section(f"Other columns: {plural(len(columns), 'leaf column')}", head, "".join(rows))


def _bar(share: float | None, colour: str, more: float = 0.0) -> str:
    """Draw a bar for a share, and behind it a grey bar for a second share; print the first."""
    if share is None:
        return ""
    filled = _pixels(share)
    second = (
        f'<rect x="{filled:.1f}" width="{min(_pixels(more), 80 - filled):.1f}" height="10" '
        'style="fill:var(--nulls)"/>'
        if more
        else ""
    )
    return (
        '<svg class="bar" width="80" height="10" viewBox="0 0 80 10" '
        'preserveAspectRatio="none" aria-hidden="true">'
        '<rect width="80" height="10" rx="2" style="fill:var(--none)"/>'
        f'<rect width="{filled:.1f}" height="10" rx="2" style="fill:var({colour})"/>{second}</svg> '
        f"{percent(share)}"
    )


def _pixels(share: float) -> float:
    return max(80 * min(share, 1.0), 1.0 if share > 0 else 0.0)
