"""Generates the demo's three queries from the data, runs them, and compares their results."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from demo.fields import Chosen, Field, Path

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

VIEW = "events"
Answer = list[tuple[object, ...]]


@dataclass(frozen=True)
class Query:
    """Holds a query of the view ``events``, whose only column is ``v``."""

    title: str
    sql: str


@dataclass(frozen=True)
class Result:
    """Holds the column names and rows of a result, and the metrics of the scans."""

    columns: Sequence[str]
    rows: Answer
    metrics: dict[str, int]


def make_queries(chosen: Chosen) -> list[Query]:
    """Generate three queries of the chosen fields, or queries that suit all documents."""
    queries = []
    if chosen.group is not None:
        queries.append(_grouped(chosen.group))
    if chosen.number is not None:
        queries.append(_computed(chosen.number))
    if chosen.filter is not None:
        queries.append(_filtered(chosen.filter))
    elif chosen.number is not None:
        queries.append(_above(chosen.number))
    return [*queries, *_ANY_DOCUMENTS][:3]


_ANY_DOCUMENTS = (
    Query("The documents counted", "SELECT count(*) AS documents\nFROM events"),
    Query("The longest document", "SELECT max(length(v::string)) AS characters\nFROM events"),
    Query(
        "The documents that are null",
        "SELECT count(*) AS documents\nFROM events\nWHERE is_variant_null(v)",
    ),
)


def _grouped(field: Field) -> Query:
    name = column_name(field.path)
    return Query(
        f"The most frequent values of {shown_name(field.path)}",
        f"SELECT {extraction(field.path)}::string AS {name}, count(*) AS documents\n"
        "FROM events\n"
        f"GROUP BY 1\nORDER BY documents DESC, {name}\nLIMIT 5",
    )


def _computed(field: Field) -> Query:
    number = _number(field)
    return Query(
        f"The numbers in {shown_name(field.path)}",
        f"SELECT count(x) AS documents, min(x) AS min, max(x) AS max, avg(x) AS avg\n"
        f"FROM (SELECT {number} AS x\n      FROM events)",
    )


def _filtered(field: Field) -> Query:
    ((value, _),) = field.strings.most_common(1)
    return Query(
        f"The documents with a certain {shown_name(field.path)}",
        "SELECT count(*) AS documents\nFROM events\n"
        f"WHERE {extraction(field.path)}::string = {_literal(value)}",
    )


def _above(field: Field) -> Query:
    return Query(
        f"The documents with a {shown_name(field.path)} above the median",
        f"SELECT count(*) AS documents\nFROM events\nWHERE {_number(field)} > {field.median}",
    )


def _number(field: Field) -> str:
    # Documents outside the sample can have a string at this path, which `try_` makes NULL.
    path = "".join(f'["{name}"]' if _is_odd(name) else f".{name}" for name in field.path)
    kind = "bigint" if field.is_whole else "double"
    return f"try_variant_get(v, '${path}', '{kind}')"


def extraction(path: Path) -> str:
    """Return the extraction of a path from the column ``v``, such as ``v:actor.id``."""
    if not path:
        return "v"
    steps = [f"['{name}']" if _is_odd(name) else f".{name}" for name in path]
    return "v:" + "".join(steps).removeprefix(".")


def _is_odd(name: str) -> bool:
    return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) is None


def column_name(path: Path) -> str:
    """Return a column name for the value at a path."""
    name = re.sub(r"\W", "_", path[-1], flags=re.ASCII).lower() if path else ""
    return name if re.match(r"[a-z_]", name) and name != "documents" else "value"


def shown_name(path: Path) -> str:
    """Return a path as the titles of queries show it."""
    return ".".join(path) if path else "the documents"


def run(events: DataFrame, query: Query) -> Result:
    """Run a query on a DataFrame with a column ``v``."""
    events.createOrReplaceTempView(VIEW)
    data = events.sparkSession.sql(query.sql)
    rows = [tuple(row) for row in data.collect()]
    return Result(data.columns, rows, scan_metrics(data))


def same_answers(left: Answer, right: Answer) -> bool:
    """Compare two results. Floats may differ in the last digits, which depend on the row order."""
    return len(left) == len(right) and all(
        len(a) == len(b) and all(map(_same, a, b)) for a, b in zip(left, right, strict=True)
    )


def _same(a: object, b: object) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-12) or (math.isnan(a) and math.isnan(b))
    return a == b


def scan_metrics(data: DataFrame) -> dict[str, int]:
    """Add up the metrics of all scans of a query that has run.

    This needs the plan of a classic session, because no public method returns the metrics.
    """
    totals: dict[str, int] = {}
    for node in _nodes(data._jdf.queryExecution().executedPlan()):
        if node.getClass().getSimpleName() == "BatchScanExec":
            metrics = node.metrics().iterator()
            while metrics.hasNext():
                entry = metrics.next()
                totals[entry._1()] = totals.get(entry._1(), 0) + int(entry._2().value())
    return totals


def _nodes(plan: Any) -> list[Any]:  # noqa: ANN401  # a Java object
    """Return the nodes of a physical plan, including those of adaptive stages."""
    kind = plan.getClass().getSimpleName()
    if kind == "AdaptiveSparkPlanExec":
        return _nodes(plan.executedPlan())
    if kind.endswith("QueryStageExec"):
        return _nodes(plan.plan())
    children = plan.children()
    below = [_nodes(children.apply(i)) for i in range(children.size())]
    return [plan, *(node for nodes in below for node in nodes)]


def _literal(text: str) -> str:
    """Return a string as an SQL literal."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
