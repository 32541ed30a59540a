"""Draws ``docs/speed.svg`` and ``docs/peers.svg`` from the results in ``docs/peers.json``.

To draw them anew: ``python docs/speed_picture.py``, after ``make bench-peers``.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NamedTuple

DOCS = Path(__file__).resolve().parent

#: The queries to draw: their name in the results, and what the picture calls them.
QUERIES = {
    "sum": "Sum of a number",
    "JSONBench Q2": "JSONBench Q2: count distinct",
    "JSONBench Q4": "JSONBench Q4: first posts",
    "range": "Count of a 1 % time range",
    "point": "One document by its timestamp",
    "needle": "One document by a string",
    "exists": "Count of documents in one language",
}


class Series(NamedTuple):
    """A way to store the events: its name in the results, its class of style, and its label."""

    table: str
    style: str
    label: str


PLAIN = Series("ordinary columns", "plain", "ordinary Parquet column")
OURS = Series("ours", "ours", "field of a Variant, this source")
SPARK = Series("Spark shredded", "spark", "field of a Variant, Spark's Parquet source")

#: The pictures: their files, and what they show.
PICTURES = {
    "speed.svg": (PLAIN, OURS, SPARK),
    "peers.svg": (
        PLAIN,
        OURS,
        SPARK,
        Series("DuckDB", "duckdb", "DuckDB"),
        Series("ClickHouse", "clickhouse", "ClickHouse"),
    ),
}

WIDTH, LEFT, RIGHT = 880, 262, 102
BAR, GAP, TOP = 13, 20, 60

STYLE = """
text { font: 13px system-ui, sans-serif; fill: #24292f }
.small { font-size: 11px; fill: #57606a }
.axis { stroke: #d0d7de }
.plain { fill: #8c959f } .ours { fill: #1a7f37 } .spark { fill: #cf7a00 }
.duckdb { fill: #8250df } .clickhouse { fill: #0969da }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .small { fill: #9198a1 }
  .axis { stroke: #3d444d }
  .plain { fill: #6e7681 } .ours { fill: #3fb950 } .spark { fill: #e3963e }
  .duckdb { fill: #a371f7 } .clickhouse { fill: #58a6ff }
}
"""


def picture(results: dict[str, Any], shown: tuple[Series, ...]) -> str:
    """Draw the bars on a logarithmic scale, as SVG for light and dark themes."""
    timed = {
        query: {series: results["queries"][query][series.table]["wall"] for series in shown}
        for query in QUERIES
    }
    every = [seconds for of_query in timed.values() for seconds in of_query.values()]
    least = 10 ** math.floor(math.log10(min(every)))
    most = 10 ** math.ceil(math.log10(max(every)))
    scale = (WIDTH - LEFT - RIGHT) / math.log10(most / least)

    def across(seconds: float) -> float:
        return LEFT + math.log10(seconds / least) * scale

    parts: list[str] = []
    y = TOP
    for query, of_query in timed.items():
        middle = y + len(shown) * BAR / 2 + 4
        parts.append(
            f'<text x="{LEFT - 12}" y="{middle:.0f}" text-anchor="end">{QUERIES[query]}</text>'
        )
        for series, seconds in of_query.items():
            end = across(seconds)
            note = f"{seconds:.3g} s"
            if series != PLAIN:
                note += f" ({_times(seconds / of_query[PLAIN])} x)"
            parts.append(
                f'<rect class="{series.style}" x="{LEFT}" y="{y}" width="{end - LEFT:.1f}" '
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
    x, line = 12.0, 12
    for series in shown:
        width = 34 + 7.2 * len(series.label)
        if x + width > WIDTH:
            x, line = 12.0, line + 18
        legend.append(
            f'<rect class="{series.style}" x="{x:.0f}" y="{line}" width="12" height="12" rx="2"/>'
            f'<text x="{x + 18:.0f}" y="{line + 11}">{series.label}</text>'
        )
        x += width
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 8}" role="img">',
            f"<title>Seconds of queries on {results['events']:,} events, on a logarithmic scale"
            "</title>",
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
    """Write the pictures."""
    results = json.loads((DOCS / "peers.json").read_text(encoding="utf-8"))
    for file, shown in PICTURES.items():
        (DOCS / file).write_text(picture(results, shown), encoding="utf-8")


if __name__ == "__main__":
    main()
