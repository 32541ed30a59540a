"""The demo's three queries: made from the data, run on two sources, their answers compared."""

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
    """A query of the view ``events``, with one column ``v``."""

    title: str
    sql: str


@dataclass(frozen=True)
class Result:
    """Names of the columns, rows, and what the metrics of the scan say."""

    columns: Sequence[str]
    rows: Answer
    metrics: dict[str, int]


def make_queries(chosen: Chosen) -> list[Query]:
    """Make three queries from the fields found, or from what any document has."""
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
        f"The documents with a {shown_name(field.path)} above the middle",
        f"SELECT count(*) AS documents\nFROM events\nWHERE {_number(field)} > {field.median}",
    )


def _number(field: Field) -> str:
    # `try_`, because only a sample has been looked at: other documents may have a string there.
    path = "".join(f'["{name}"]' if _is_odd(name) else f".{name}" for name in field.path)
    kind = "bigint" if field.is_whole else "double"
    return f"try_variant_get(v, '${path}', '{kind}')"


def extraction(path: Path) -> str:
    """Write a path within the column ``v`` in SQL's short form, such as ``v:actor.id``."""
    if not path:
        return "v"
    steps = [f"['{name}']" if _is_odd(name) else f".{name}" for name in path]
    return "v:" + "".join(steps).removeprefix(".")


def _is_odd(name: str) -> bool:
    return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) is None


def column_name(path: Path) -> str:
    """Make a column name of a path."""
    name = re.sub(r"\W", "_", path[-1], flags=re.ASCII).lower() if path else ""
    return name if re.match(r"[a-z_]", name) and name != "documents" else "value"


def shown_name(path: Path) -> str:
    """Write a path for people."""
    return ".".join(path) if path else "the documents"


def run(events: DataFrame, query: Query) -> Result:
    """Run a query on data with a column ``v``."""
    events.createOrReplaceTempView(VIEW)
    data = events.sparkSession.sql(query.sql)
    rows = [tuple(row) for row in data.collect()]
    return Result(data.columns, rows, scan_metrics(data))


def same_answers(left: Answer, right: Answer) -> bool:
    """Compare answers; the last digits of an average depend on the order of the rows."""
    return len(left) == len(right) and all(
        len(a) == len(b) and all(map(_same, a, b)) for a, b in zip(left, right, strict=True)
    )


def _same(a: object, b: object) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-12) or (math.isnan(a) and math.isnan(b))
    return a == b


def scan_metrics(data: DataFrame) -> dict[str, int]:
    """Sum the metrics of all scans of a query that has been run.

    Only a classic session has the plan at hand; there is no public way to ask for these numbers.
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
    """List the nodes of a physical plan, those within adaptive stages too."""
    kind = plan.getClass().getSimpleName()
    if kind == "AdaptiveSparkPlanExec":
        return _nodes(plan.executedPlan())
    if kind.endswith("QueryStageExec"):
        return _nodes(plan.plan())
    children = plan.children()
    below = [_nodes(children.apply(i)) for i in range(children.size())]
    return [plan, *(node for nodes in below for node in nodes)]


def _literal(text: str) -> str:
    """Write a text as SQL has it."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
