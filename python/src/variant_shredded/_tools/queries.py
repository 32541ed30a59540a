"""SQL queries, and what Spark's plans of them take out of Variants."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from variant_shredded._names import quoted
from variant_shredded.errors import InvalidOptionError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

QUERY_FORMAT = "variant-shredded-query"

Queries: TypeAlias = "str | os.PathLike[str] | Sequence[str]"

_TOKEN = re.compile(
    r"(?P<comment>--[^\n]*)|(?P<open>/\*)|(?P<end>;)|\s+"
    r"|\b[rR](?:'[^']*'|\"[^\"]*\")|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`"
    r"|\w+|.",
    re.DOTALL,
)
_LINE = re.compile(r"\bline (\d+),? pos \d+")
_UNKNOWN_TABLE = "[TABLE_OR_VIEW_NOT_FOUND]"
_TOLD = re.compile(r"\[[A-Z][A-Z_.]+\].*")


@dataclass(frozen=True)
class Statement:
    """Holds one SQL statement.

    Attributes
    ----------
    text
        As it was written, comments too.
    source
        What it is from: the name of a file.
    line
        Where it begins there, from 1.
    """

    text: str
    source: str
    line: int


@dataclass(frozen=True)
class Use:
    """Describes what a query does with one path of a Variant.

    Attributes
    ----------
    kind
        ``"reads"``; ``"equals"``: it compares it with single values; ``"range"``: with bounds.
    column
        The Variant.
    path
        The path; ``[*]`` stands for all elements of an array, as in ``$.items[*].price``.
    type
        What it is cast to.
    """

    kind: str
    column: str
    path: str
    type: str


@dataclass(frozen=True)
class Reading:
    """Describes what a query reads of a table.

    Attributes
    ----------
    uses
        What it does with Variants.
    bytes
        Compressed bytes.
    """

    uses: tuple[Use, ...]
    bytes: int


def read_queries(queries: Queries) -> list[Statement]:
    """Split SQL into statements.

    Parameters
    ----------
    queries
        The SQL as a text, or (as a path) the file that has it, or a list of such texts.

    Returns
    -------
    list[Statement]
        The statements, in their order.
    """
    if isinstance(queries, os.PathLike):
        name = os.fspath(queries)
        return list(statements(Path(name).read_text(encoding="utf-8-sig"), name))
    if isinstance(queries, str):
        return list(statements(queries, "queries"))
    return [
        statement
        for i, text in enumerate(queries)
        for statement in statements(text, f"queries[{i}]")
    ]


def statements(text: str, source: str) -> Iterator[Statement]:
    """Split SQL at its semicolons, but not at those in texts, names and comments.

    Parameters
    ----------
    text
        The SQL.
    source
        What it is from: the name of a file.

    Yields
    ------
    Statement
        Each statement, without its semicolon.
    """
    at = 0
    first: int | None = None
    while at < len(text):
        token = _TOKEN.match(text, at)
        assert token is not None  # a single character at least
        at = _comment_end(text, token.start()) if token["open"] else token.end()
        if token["end"]:
            if first is not None:
                yield _statement(text, first, token.start(), source)
            first = None
        elif first is None and not (token["comment"] or token["open"] or token[0].isspace()):
            first = token.start()
    if first is not None:
        yield _statement(text, first, len(text), source)


def _statement(text: str, start: int, end: int, source: str) -> Statement:
    return Statement(text[start:end].strip(), source, text.count("\n", 0, start) + 1)


def _comment_end(text: str, start: int) -> int:
    """Find the end of a comment, in which there may be others."""
    depth = 0
    for mark in re.compile(r"/\*|\*/").finditer(text, start):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end()
    return len(text)


def reading(spark: SparkSession, table: str, statement: Statement) -> Reading:
    """Return what a query does with the Variants of a table or view, and the bytes that it reads.

    It is planned, and of it only the scans of the table are run.

    Parameters
    ----------
    spark
        A session that has the JAR (see `session`).
    table
        The name of the table or temporary view.
    statement
        The query.

    Returns
    -------
    Reading
        The uses, and the compressed bytes.

    Raises
    ------
    InvalidOptionError
        If Spark cannot plan it; the message begins with the file and the line.
    """
    rows = _planned(spark, table, statement).collect()
    uses = [Use(row.use, row.column, row.path, row.type) for row in rows if row.use is not None]
    return Reading(tuple(uses), sum(row.bytes for row in rows if row.bytes is not None))


def _planned(spark: SparkSession, table: str, statement: Statement) -> DataFrame:
    # Spark's messages tell lines: here those of the file.
    query = "\n" * (statement.line - 1) + statement.text
    try:
        plan = spark.read.format(QUERY_FORMAT).options(query=query, table=quoted(table)).load()
        _ = plan.columns  # over Spark Connect, errors are told now
    except Exception as error:  # some of Spark's parser have no class in Python
        text = str(error)
        told, line = _TOLD.search(text), _LINE.search(text)
        at = line[1] if line else statement.line
        message = told[0] if told else text.strip().partition("\n")[0]
        if message.startswith(_UNKNOWN_TABLE):
            message += f" The name of the files in the queries is {quoted(table)}."
        raise InvalidOptionError(f"{statement.source}:{at}: {message}") from error
    return plan
