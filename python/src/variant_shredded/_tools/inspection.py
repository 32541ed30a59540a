"""Implements `inspect`, which sums up the footers of files."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from variant_shredded._arguments import path_list
from variant_shredded._needs import jar_needed, require_kind
from variant_shredded._options import ReadOptionValue, reading_options
from variant_shredded._tools.model import Column, Inspection, Leaf, PathSummary, steps

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FILES_FORMAT = "variant-shredded-files"

_LEAVES = [
    "collect_set(layout) AS layouts",
    "first(parquet_column) AS parquet_column",
    "sort_array(collect_set(type)) AS types",
    "sort_array(collect_set(physical_type)) AS physical_types",
    "sort_array(collect_set(logical_type)) AS logical_types",
    "array_sort(array_distinct(flatten(collect_set(encodings)))) AS encodings",
    "sort_array(collect_set(codec)) AS codecs",
    "count(*) AS column_chunks",
    "sum(`values`) AS number",
    "if(count(nulls) = count(*), sum(nulls), NULL) AS nulls",
    "if(count(residual_values) = count(*), sum(residual_values), NULL) AS residual_values",
    "array_sort(array_distinct(flatten(collect_set(residual_types)))) AS residual_types",
    "coalesce(sum(aggregate(map_values(residual_counts), 0L, (a, b) -> a + b)), 0) AS sampled",
    "coalesce(sum(residual_counts['void']), 0) AS sampled_nulls",
    "sum(compressed_bytes) AS compressed_bytes",
    "sum(uncompressed_bytes) AS uncompressed_bytes",
    "count_if(column_index) AS column_indexes",
    "count_if(bloom_filter) AS bloom_filters",
    "if(count(skippable) > 0, count_if(skippable), NULL) AS skippable_row_groups",
    "max_by(why_not_skippable, rows) FILTER (WHERE why_not_skippable IS NOT NULL)"
    " AS why_not_skippable",
]


@jar_needed()
def inspect(
    spark: SparkSession,
    *paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    **options: ReadOptionValue,
) -> Inspection:
    """Describe Parquet files: what is shredded, how many bytes it takes, and what can be skipped.

    Spark's executors read the footers of the files, and a sample of their residual values.

    Parameters
    ----------
    spark
        A session that has the JAR (see `session`).
    *paths
        Files, directories or globs, one by one or as a list; at least one.
    **options
        The options of reading, as in `read_variant`, such as ``ignore_corrupt_files=True``, and
        ``residual_sample``: the number of rows of each row group in which the types of residual
        values are looked up.

    Returns
    -------
    Inspection
        The columns, each with the tree of its paths and their leaf columns.

    Raises
    ------
    InvalidOptionError
        If no path is given, or if an option is not a string, number or boolean.
    SessionWithoutJarError
        If the session runs without the JAR.
    """
    given = tuple(path_list("inspect", paths))
    table = read_files(spark, given, options)
    grouped = table.groupBy("column", "path", "leaf").agg(*_expressions(_LEAVES))
    counts = (
        table.groupBy("file", "row_group")
        .agg(*_expressions(["max(rows) AS number"]))
        .selectExpr("count(DISTINCT file)", "count(*)", "coalesce(sum(number), 0)")
    )
    (files, row_groups, rows) = counts.collect()[0]
    return Inspection(given, files, row_groups, rows, _columns(grouped.collect()))


def read_files(
    spark: SparkSession, paths: tuple[str, ...], options: dict[str, ReadOptionValue]
) -> DataFrame:
    """Read files as a table of their leaf columns: the format ``variant-shredded-files``."""
    require_kind(spark, "SparkSession", "read")
    settings = reading_options(options)
    return spark.read.format(FILES_FORMAT).options(**settings).load(list(paths))


def _expressions(texts: list[str]) -> list[Any]:
    from pyspark.sql import functions as F

    return [F.expr(text) for text in texts]


def _columns(rows: list[Any]) -> tuple[Column, ...]:
    by_column: defaultdict[str, list[Any]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: (row.column, row.path or "")):
        by_column[row.column].append(row)
    columns = [_column(name, own) for name, own in by_column.items()]
    return tuple(sorted(columns, key=lambda column: _by_bytes(column.root)))


def _column(name: str, rows: list[Any]) -> Column:
    layouts = tuple(sorted({layout for row in rows for layout in row.layouts}))
    # A column can be a Variant in some of the files and an ordinary column in the others.
    root = "" if all(row.path is None for row in rows) else "$"
    below = [([] if row.path is None else steps(row.path), row) for row in rows]
    return Column(name, layouts, _summary(name, root, below))


def _summary(name: str, path: str, rows: list[tuple[list[tuple[str, str]], Any]]) -> PathSummary:
    """Build the summary of a path from the rows at it and below it.

    Parameters
    ----------
    name, path
        The last step of the path, and the path.
    rows
        The rows of leaf columns, each with the steps that lead from `path` to it.
    """
    own = [row for steps_below, row in rows if not steps_below]
    deeper: dict[str, tuple[str, list[tuple[list[tuple[str, str]], Any]]]] = {}
    for steps_below, row in rows:
        if steps_below:
            child, child_path = steps_below[0]
            deeper.setdefault(child, (child_path, []))[1].append((steps_below[1:], row))
    children = [_summary(child, child_path, found) for child, (child_path, found) in deeper.items()]
    # The rows of both leaf columns at a path, `value` and `typed_value`, count the same values.
    values = [row for row in own if row.leaf != "metadata"]
    counts = [row.residual_values for row in values if row.residual_values is not None]
    return PathSummary(
        name,
        path,
        leaves=tuple(sorted(map(_leaf, own), key=lambda leaf: leaf.parquet_column)),
        residual_values=max(counts, default=None),
        residual_types=tuple(sorted({t for row in values for t in row.residual_types or ()})),
        sampled_residual_values=max((row.sampled for row in values), default=0),
        sampled_residual_nulls=max((row.sampled_nulls for row in values), default=0),
        children=tuple(sorted(children, key=_by_bytes)),
    )


def _by_bytes(summary: PathSummary) -> tuple[int, str]:
    return (-summary.compressed_bytes, summary.name)


def _leaf(row: Any) -> Leaf:  # noqa: ANN401  # a Row
    return Leaf(
        name=row.leaf or "",
        parquet_column=row.parquet_column,
        types=tuple(row.types),
        physical_types=tuple(row.physical_types),
        logical_types=tuple(row.logical_types),
        encodings=tuple(row.encodings),
        codecs=tuple(row.codecs),
        column_chunks=row.column_chunks,
        values=row.number,
        nulls=row.nulls,
        compressed_bytes=row.compressed_bytes,
        uncompressed_bytes=row.uncompressed_bytes,
        column_indexes=row.column_indexes,
        bloom_filters=row.bloom_filters,
        skippable_row_groups=row.skippable_row_groups,
        why_not_skippable=row.why_not_skippable,
    )
