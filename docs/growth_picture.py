"""Draws ``docs/growth.svg`` from the results in ``docs/growth.json``.

To draw it anew: ``python docs/growth_picture.py``, after ``make bench BENCH=Growth``.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NamedTuple

DOCS = Path(__file__).resolve().parent

QUERIES = {"sum": "Sum of a field", "range": "Count of a 1 % range"}
#: What grows: its name in the results, and what the picture calls it.
AXES = {"rows": "rows", "files": "files", "fields": "fields", "tasks": "tasks at a time"}

WIDTH, LEFT, TOP, GAP = 920, 56, 74, 58
PANEL, HEIGHT = 160, 130

STYLE = """
text { font: 13px system-ui, sans-serif; fill: #24292f }
.small { font-size: 11px; fill: #57606a }
.axis { stroke: #d0d7de }
.plain { stroke: #8c959f; fill: none } .ours { stroke: #1a7f37; fill: none }
.wall { stroke-width: 2 } .cpu { stroke-width: 1.5; stroke-dasharray: 4 3 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .small { fill: #9198a1 }
  .axis { stroke: #3d444d }
  .plain { stroke: #6e7681 } .ours { stroke: #3fb950 }
}
"""


class Line(NamedTuple):
    """One curve of a panel: who answers, and which time."""

    way: str
    part: str
    label: str


LINES = (
    Line("plain", "wall", "ordinary Parquet column, wall time"),
    Line("ours", "wall", "field of a Variant, wall time"),
    Line("plain", "cpu", "ordinary Parquet column, CPU time"),
    Line("ours", "cpu", "field of a Variant, CPU time"),
)


class Scale(NamedTuple):
    """A logarithmic scale from the least to the greatest value, on a length in pixels."""

    least: float
    most: float
    length: float

    def __call__(self, value: float) -> float:
        """Give the distance of a value from the start of the scale."""
        span = math.log10(self.most / self.least) or 1.0
        return math.log10(max(value, self.least) / self.least) / span * self.length


def panel(points: list[dict[str, Any]], query: str, left: float, top: float, name: str) -> str:
    """Draw the curves of one query along one axis."""
    values = [point["value"] for point in points]
    times = [point[query][line.way][line.part] for point in points for line in LINES]
    x_of = Scale(min(values), max(values), PANEL)
    least = 10 ** math.floor(math.log10(max(min(times), 1e-3)))
    most = 10 ** math.ceil(math.log10(max(times)))
    y_of = Scale(least, most, HEIGHT)
    parts: list[str] = []
    mark = least
    while mark <= most * 1.001:
        y = top + HEIGHT - y_of(mark)
        parts.append(
            f'<line class="axis" x1="{left:.1f}" x2="{left + PANEL:.1f}" y1="{y:.1f}" '
            f'y2="{y:.1f}"/><text class="small" x="{left - 6:.1f}" y="{y + 4:.1f}" '
            f'text-anchor="end">{mark:g} s</text>'
        )
        mark *= 10
    for value in values:
        parts.append(
            f'<text class="small" x="{left + x_of(value):.1f}" y="{top + HEIGHT + 15:.0f}" '
            f'text-anchor="middle">{_short(value)}</text>'
        )
    parts.append(
        f'<text class="small" x="{left + PANEL / 2:.1f}" y="{top + HEIGHT + 30:.0f}" '
        f'text-anchor="middle">{name}</text>'
    )
    for line in LINES:
        drawn = " ".join(
            f"{left + x_of(point['value']):.1f},"
            f"{top + HEIGHT - y_of(point[query][line.way][line.part]):.1f}"
            for point in points
        )
        parts.append(f'<polyline class="{line.way} {line.part}" points="{drawn}"/>')
    return "\n".join(parts)


def picture(results: dict[str, list[dict[str, Any]]]) -> str:
    """Draw all panels, a row for each query, as SVG for light and dark themes."""
    parts: list[str] = []
    for number, line in enumerate(LINES):
        x, y = 12 + number % 2 * 330, 18 + number // 2 * 20
        parts.append(
            f'<line class="{line.way} {line.part}" x1="{x}" x2="{x + 24}" y1="{y - 4}" '
            f'y2="{y - 4}"/><text x="{x + 32}" y="{y}">{line.label}</text>'
        )
    top = TOP
    for query, title in QUERIES.items():
        parts.append(f'<text x="12" y="{top - 8}">{title}</text>')
        for number, (axis, name) in enumerate(AXES.items()):
            left = LEFT + number * (PANEL + GAP)
            parts.append(panel(results[axis], query, left, top + 8, name))
        top += HEIGHT + 76
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top - 30}" role="img">',
            "<title>Seconds of two queries with more rows, files, fields and tasks, on logarithmic "
            "scales</title>",
            f"<style>{STYLE}</style>",
            *parts,
            "</svg>",
            "",
        ]
    )


def _short(value: int) -> str:
    for unit, letter in ((10**6, "M"), (1000, "k")):
        if value >= unit:
            return f"{value / unit:g} {letter}"
    return str(value)


def main() -> None:
    """Write the picture."""
    results = json.loads((DOCS / "growth.json").read_text(encoding="utf-8"))
    (DOCS / "growth.svg").write_text(picture(results), encoding="utf-8")


if __name__ == "__main__":
    main()
