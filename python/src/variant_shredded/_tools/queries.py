"""Splits SQL into statements, and finds out from Spark's plans what they read of Variants."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from variant_shredded._names import quoted
from variant_shredded.errors import InvalidOptionError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

QUERY_FORMAT = "variant-shredded-query"

Queries: TypeAlias = "str | os.PathLike[str] | Iterable[str]"

_TOKEN = re.compile(
    r"(?P<comment>--[^\n]*)|(?P<open>/\*)|(?P<end>;)|\s+"
    r"|\b[rR](?:'[^']*'|\"[^\"]*\")|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`"
    r"|\w+|.",
    re.DOTALL,
)
_LINE = re.compile(r"\bline (\d+),? pos \d+")
_UNKNOWN_TABLE = "[TABLE_OR_VIEW_NOT_FOUND]"
_CONDITION = re.compile(r"\[[A-Z][A-Z_.]+\].*")


@dataclass(frozen=True)
class Statement:
    """Holds one SQL statement.

    Attributes
    ----------
    text
        The statement as it was written, with its comments.
    source
        The name of the file with the statement, or another name for the place that it is from.
    line
        The line of the file where the statement begins, from 1.
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
        ``"reads"`` if the query extracts the value, ``"equals"`` if an equality predicate (``=``,
        ``IN``) tests it, ``"range"`` if a range predicate (``<``, ``>=``) tests it.
    column
        The name of the Variant column.
    path
        The path. In it, ``[*]`` stands for all elements of an array: ``$.items[*].price``.
    type
        The type that the value is cast to.
    """

    kind: str
    column: str
    path: str
    type: str


@dataclass(frozen=True)
class QueryReads:
    """Describes what a query reads of a table.

    Attributes
    ----------
    uses
        The paths that the query reads or tests.
    bytes
        The number of compressed bytes that the scans of the table read.
    """

    uses: tuple[Use, ...]
    bytes: int


def read_queries(queries: Queries) -> list[Statement]:
    """Split SQL into statements.

    Parameters
    ----------
    queries
        SQL as a string, the path of a file with SQL, or several strings, such as a list.

    Returns
    -------
    list[Statement]
        The statements in the order of the SQL.

    Raises
    ------
    InvalidOptionError
        If the file is not UTF-8, or the queries are of a wrong kind.
    """
    if isinstance(queries, os.PathLike):
        name = os.fspath(queries)
        try:
            text = Path(name).read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            raise InvalidOptionError(f"{name}: not UTF-8 at byte {error.start}") from error
        return list(statements(text, name))
    if isinstance(queries, str):
        return list(statements(queries, "queries"))
    if not isinstance(queries, Iterable) or isinstance(queries, (io.IOBase, Mapping)):
        raise InvalidOptionError(f"queries: SQL or a path is needed, not {type(queries).__name__}")
    texts = list(queries)
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise InvalidOptionError(
                f"queries[{i}]: SQL as a string is needed, not {type(text).__name__} ({text!r:.50})"
            )
    return [
        statement for i, text in enumerate(texts) for statement in statements(text, f"queries[{i}]")
    ]


def statements(text: str, source: str) -> Iterator[Statement]:
    """Split SQL at its semicolons, but not at those in string literals, names and comments.

    Parameters
    ----------
    text
        The SQL.
    source
        The name of the file with the SQL, or another name for the place that it is from.

    Yields
    ------
    Statement
        Each statement, without its semicolon.
    """
    first: int | None = None
    for token, _ in _tokens(text):
        if token["end"]:
            if first is not None:
                yield _statement(text, first, token.start(), source)
            first = None
        elif first is None and not (_is_comment(token) or token[0].isspace()):
            first = token.start()
    if first is not None:
        yield _statement(text, first, len(text), source)


def without_comments(text: str) -> str:
    """Return SQL with a space in place of each comment."""
    tokens = _tokens(text)
    return "".join(
        " " if _is_comment(token) else text[token.start() : end] for token, end in tokens
    )


def _tokens(text: str) -> Iterator[tuple[re.Match[str], int]]:
    """Split SQL into tokens, each with its end. Of a bracketed comment, only ``/*`` is matched."""
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        assert token is not None  # the last alternative matches any character
        at = _comment_end(text, token.start()) if token["open"] else token.end()
        yield token, at


def _is_comment(token: re.Match[str]) -> bool:
    return bool(token["comment"] or token["open"])


def _statement(text: str, start: int, end: int, source: str) -> Statement:
    return Statement(text[start:end].strip(), source, text.count("\n", 0, start) + 1)


def _comment_end(text: str, start: int) -> int:
    """Return the end of a bracketed comment. Comments can be nested."""
    depth = 0
    for mark in re.compile(r"/\*|\*/").finditer(text, start):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end()
    return len(text)


def query_reads(spark: SparkSession, table: str, statement: Statement) -> QueryReads:
    """Return what a query reads of a table or view: paths of its Variants, and bytes.

    Spark plans the query, but runs only its scans of this table.

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
    QueryReads
        The paths, and the compressed bytes.

    Raises
    ------
    InvalidOptionError
        If Spark cannot plan the query. The message begins with the file and the line.
    """
    rows = _planned(spark, table, statement).collect()
    uses = [Use(row.use, row.column, row.path, row.type) for row in rows if row.use is not None]
    return QueryReads(tuple(uses), sum(row.bytes for row in rows if row.bytes is not None))


def _planned(spark: SparkSession, table: str, statement: Statement) -> DataFrame:
    # The empty lines let Spark's messages count lines as the file does.
    query = "\n" * (statement.line - 1) + statement.text
    try:
        plan = spark.read.format(QUERY_FORMAT).options(query=query, table=quoted(table)).load()
        _ = plan.columns  # Spark Connect raises errors only when the schema is needed
    except Exception as error:  # some errors of Spark's parser have no class in PySpark
        text = str(error)
        condition, line = _CONDITION.search(text), _LINE.search(text)
        at = line[1] if line else statement.line
        message = condition[0] if condition else text.strip().partition("\n")[0]
        if message.startswith(_UNKNOWN_TABLE):
            message += (
                f" The queries must call the files {quoted(table)}, or set another name with "
                "--table (in Python, table)."
            )
        raise InvalidOptionError(f"{statement.source}:{at}: {message}") from error
    return plan
