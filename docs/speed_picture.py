"""Draws ``docs/speed.svg`` from the tables of ``docs/performance.md``.

To draw it anew: ``python docs/speed_picture.py``.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).resolve().parent

#: The queries to draw: the heading of their table, their row, and what the picture calls them.
QUERIES = (
    ("A field of a Variant", "`sum` of a bigint", "Sum of a number"),
    ("A field of a Variant", "JSONBench Q2", "JSONBench Q2: count distinct"),
    ("Data skipping", "count of a 1 % range", "Count of a 1 % time range"),
    ("Data skipping", "`SELECT v` (plain: `SELECT *`) of one `did`", "All documents of one user"),
    ("Data skipping", "`SELECT v` of one `time_us`", "One document by its timestamp"),
    (
        "Data skipping",
        "count where `exists(langs, x -> x = 'tr')`",
        "Count of documents in one language",
    ),
)

#: The columns of the tables that hold seconds, and what the picture calls them.
SERIES = (
    ("plain", ("plain, s",), "ordinary Parquet column"),
    ("ours", ("field of a Variant, s", "own, s"), "field of a Variant, this source"),
    ("spark", ("Spark, s",), "field of a Variant, Spark's Parquet source"),
)

WIDTH, LEFT, RIGHT = 880, 262, 92
BAR, GAP, TOP = 13, 20, 54

STYLE = """
text { font: 13px system-ui, sans-serif; fill: #24292f }
.small { font-size: 11px; fill: #57606a }
.axis { stroke: #d0d7de }
.plain { fill: #8c959f } .ours { fill: #1a7f37 } .spark { fill: #cf7a00 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .small { fill: #9198a1 }
  .axis { stroke: #3d444d }
  .plain { fill: #6e7681 } .ours { fill: #3fb950 } .spark { fill: #e3963e }
}
"""


class Timed(NamedTuple):
    """A query with its seconds by the names of ``SERIES``."""

    label: str
    seconds: dict[str, float]


def timings(page: str) -> list[Timed]:
    """Find the seconds of the queries in the tables of the page."""
    return [Timed(label, _row(page, heading, query)) for heading, query, label in QUERIES]


def _row(page: str, heading: str, query: str) -> dict[str, float]:
    section = page[page.index(f"\n## {heading}") :]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    header = _cells(lines[0])
    row = next(_cells(line) for line in lines if _cells(line)[0].startswith(query))
    return {
        name: float(row[header.index(column)])
        for name, columns, _ in SERIES
        for column in columns
        if column in header
    }


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split(" | ")]


def picture(timed: list[Timed]) -> str:
    """Draw the bars on a logarithmic scale, as SVG for light and dark themes."""
    least = 0.01
    most = 10 ** math.ceil(math.log10(max(max(t.seconds.values()) for t in timed)))
    scale = (WIDTH - LEFT - RIGHT) / math.log10(most / least)

    def across(seconds: float) -> float:
        return LEFT + math.log10(seconds / least) * scale

    parts: list[str] = []
    y = TOP
    for query in timed:
        middle = y + len(query.seconds) * BAR / 2 + 4
        parts.append(
            f'<text x="{LEFT - 12}" y="{middle:.0f}" text-anchor="end">{query.label}</text>'
        )
        for name, seconds in query.seconds.items():
            end = across(seconds)
            note = f"{seconds:.3g} s"
            if name != "plain":
                note += f" ({_times(seconds / query.seconds['plain'])} x)"
            parts.append(
                f'<rect class="{name}" x="{LEFT}" y="{y}" width="{end - LEFT:.1f}" '
                f'height="{BAR - 2}" rx="2"/>'
                f'<text class="small" x="{end + 6:.1f}" y="{y + BAR - 4}">{note}</text>'
            )
            y += BAR
        y += GAP
    axis: list[str] = []
    mark = least
    while mark <= most * 1.001:
        x = across(mark)
        axis.append(
            f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{y - GAP + 4}"/>'
            f'<text class="small" x="{x:.1f}" y="{y - 2}" text-anchor="middle">{mark:g} s</text>'
        )
        mark *= 10
    legend: list[str] = []
    x = 12.0
    for name, _, label in SERIES:
        legend.append(
            f'<rect class="{name}" x="{x:.0f}" y="12" width="12" height="12" rx="2"/>'
            f'<text x="{x + 18:.0f}" y="23">{label}</text>'
        )
        x += 34 + 7.2 * len(label)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 8}" role="img">',
            "<title>CPU seconds of queries on 1,000,000 events, on a logarithmic scale</title>",
            f"<style>{STYLE}</style>",
            *legend,
            *axis,
            *parts,
            "</svg>",
            "",
        ]
    )


def _times(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}" if ratio >= 1.95 else f"{ratio:.2f}"


def main() -> None:
    """Write the picture."""
    page = (DOCS / "performance.md").read_text(encoding="utf-8")
    (DOCS / "speed.svg").write_text(picture(timings(page)), encoding="utf-8")


if __name__ == "__main__":
    main()
