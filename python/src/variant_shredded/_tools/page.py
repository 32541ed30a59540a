"""An inspection as one HTML page, with nothing fetched from anywhere."""

from __future__ import annotations

from html import escape

from variant_shredded._tools.model import Column, Inspection, Leaf, Place, steps
from variant_shredded._tools.terminal import percent, plural, size
from variant_shredded._version import __version__

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --soft: #667085; --line: #d9dee6; --ground: #fff;
  --share: #3b6fd4; --typed: #2f9e6e; --residual: #d98a1f; --none: #e8ebf0; }
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
.scroll { overflow-x: auto; }
"""

_DEPTHS = ("#274f9f", "#2f5fbf", "#3a6bc9", "#4877d0", "#5683d7", "#638edc")
_RESIDUAL = "#d98a1f"
_NAMES = "#7c8798"

#: Rows of the page's chart of bytes, and its pixels.
_CHART = 6
_ROW = 26
_WIDTH = 1216


def render(found: Inspection) -> str:
    """Give the page."""
    title = ", ".join(found.paths)
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
        _numbers(found),
        "<h2>Where the bytes are</h2>",
        '<p class="soft">Each place over those within it, as wide as its bytes in the files. '
        "Blue: columns of a type; orange: values without one; grey: names.</p>",
        _chart(found),
    ]
    parts += [_column(found, column) for column in found.columns if column.is_variant]
    plain = [column for column in found.columns if not column.is_variant]
    if plain:
        parts.append(_plain(found, plain))
    parts.append(f'<p class="soft">variant-shredded {__version__}</p></body></html>')
    return "\n".join(parts) + "\n"


def _numbers(found: Inspection) -> str:
    ratio = found.raw_bytes / found.compressed_bytes if found.compressed_bytes else 1.0
    facts = [
        ("files", f"{found.files:,}"),
        ("row groups", f"{found.row_groups:,}"),
        ("rows", f"{found.rows:,}"),
        ("bytes", size(found.compressed_bytes)),
        ("before compression", f"{size(found.raw_bytes)} ({ratio:.1f}x)"),
    ]
    items = "".join(f"<div><dt>{name}</dt><dd>{text}</dd></div>" for name, text in facts)
    return f'<dl class="numbers">{items}</dl>'


# The chart: a row of rectangles for each depth.


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
        f'<svg class="chart" role="img" aria-label="bytes by place" width="{_WIDTH}" '
        f'height="{height}" viewBox="0 0 {_WIDTH} {height}">{"".join(shapes)}</svg>'
    )


def _rectangles(
    place: Place, whole: int, left: float, width: float, depth: int, shapes: list[str]
) -> int:
    """Draw a place and those within it; give the deepest row drawn."""
    if width < 0.6 or depth >= _CHART:
        return depth - 1
    share = place.compressed_bytes / whole
    where = place.path or place.name
    about = f"{where} ({place.type}): {size(place.compressed_bytes)}, {percent(share)}"
    colour = _RESIDUAL if place.type == "variant" else _DEPTHS[depth]
    shapes.append(_rectangle(left, width, depth, colour, place.name, about))
    deepest = depth
    at = left
    for child in place.children:
        part = width * child.compressed_bytes / place.compressed_bytes
        deepest = max(deepest, _rectangles(child, whole, at, part, depth + 1, shapes))
        at += part
    if place.children and depth + 1 < _CHART:
        for leaf in place.leaves:
            part = width * leaf.compressed_bytes / place.compressed_bytes
            if part >= 0.6:
                colour = _NAMES if leaf.name == "metadata" else _RESIDUAL
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


# The tables.


def _column(found: Inspection, column: Column) -> str:
    head = _head("place", "type", "bytes", "share", "typed", "residual", "skips", "")
    rows = "".join(_row(found, place) for place in column.root.walk())
    layouts = ", ".join(column.layouts)
    names = sum(leaf.compressed_bytes for leaf in column.root.leaves if leaf.name == "metadata")
    return (
        f"<h2>{escape(column.name)} <span class='soft'>VARIANT, {escape(layouts)}"
        f"{f'; names: {size(names)}' if names else ''}</span></h2>"
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
        "</div>"
        '<p class="soft">typed: values in a column of a type. residual: values without one, and '
        "their types. skips: row groups that a comparison can leave out by its statistics.</p>"
    )


def _head(*names: str) -> str:
    numbers = {"bytes": ' class="number"'}
    return "".join(f"<th{numbers.get(name, '')}>{name}</th>" for name in names)


def _row(found: Inspection, place: Place) -> str:
    depth = len(steps(place.path))
    share = place.compressed_bytes / found.compressed_bytes if found.compressed_bytes else 0.0
    typed = place.typed
    residual = ", ".join(place.residual_types) if place.residual_rows else ""
    cells = [
        f'<td class="name" style="padding-left:{1.1 * depth:.1f}rem" title="{escape(place.path)}">'
        f"{escape(place.name)}</td>",
        f"<td>{escape(place.type)}</td>",
        f'<td class="number">{size(place.compressed_bytes)}</td>',
        f"<td>{_bar(share, '--share')}</td>",
        f"<td>{_bar(place.fill, '--typed')}</td>",
        f"<td>{_bar(place.residual_share, '--residual')} {escape(residual)}</td>",
        f"<td>{_skips(typed)}</td>",
        f'<td class="why">{escape((typed.why_not or "") if typed else "")}</td>',
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _skips(leaf: Leaf | None) -> str:
    if leaf is None or leaf.skippable is None:
        return ""
    return f"{leaf.skippable:,} of {leaf.chunks:,}"


def _plain(found: Inspection, columns: list[Column]) -> str:
    head = _head("column", "type", "bytes", "share", "skips", "")
    rows = []
    for column in columns:
        place = column.root
        share = place.compressed_bytes / found.compressed_bytes if found.compressed_bytes else 0.0
        leaf = place.typed
        rows.append(
            f'<tr><td class="name">{escape(column.name)}</td><td>{escape(place.type)}</td>'
            f'<td class="number">{size(place.compressed_bytes)}</td>'
            f"<td>{_bar(share, '--share')}</td><td>{_skips(leaf)}</td>"
            f'<td class="why">{escape((leaf.why_not or "") if leaf else "")}</td></tr>'
        )
    return (
        f"<h2>Other columns: {plural(len(columns), 'leaf column')}</h2>"
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody>'
        "</table></div>"
    )


def _bar(share: float | None, colour: str) -> str:
    if share is None:
        return ""
    filled = max(80 * min(share, 1.0), 1.0 if share > 0 else 0.0)
    return (
        '<svg class="bar" width="80" height="10" aria-hidden="true">'
        '<rect width="80" height="10" rx="2" style="fill:var(--none)"/>'
        f'<rect width="{filled:.1f}" height="10" rx="2" style="fill:var({colour})"/></svg> '
        f"{percent(share)}"
    )
