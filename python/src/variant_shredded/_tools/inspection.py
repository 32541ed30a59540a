"""`inspect`: the footers of files, added up."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from variant_shredded._io import OptionValue, listed, to_spark_options
from variant_shredded._needs import jar_needed, require_kind
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
    "count(*) AS chunks",
    "sum(`values`) AS number",
    "if(count(nulls) = count(*), sum(nulls), NULL) AS nulls",
    "if(count(residual_rows) = count(*), sum(residual_rows), NULL) AS residual_rows",
    "array_sort(array_distinct(flatten(collect_set(residual_types)))) AS residual_types",
    "coalesce(sum(aggregate(map_values(residual_counts), 0L, (a, b) -> a + b)), 0) AS sampled",
    "coalesce(sum(residual_counts['void']), 0) AS sampled_nulls",
    "sum(compressed_bytes) AS compressed_bytes",
    "sum(raw_bytes) AS raw_bytes",
    "count_if(column_index) AS column_indexes",
    "count_if(bloom_filter) AS bloom_filters",
    "if(count(skippable) > 0, count_if(skippable), NULL) AS skippable",
    "max_by(why_not, rows) FILTER (WHERE why_not IS NOT NULL) AS why_not",
]


@jar_needed()
def inspect(
    spark: SparkSession,
    *paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    **options: OptionValue,
) -> Inspection:
    """Show what Parquet files hold: what is shredded, its size in bytes, and what can be skipped.

    Spark's executors read the footers, and a sample of the residual values.

    Parameters
    ----------
    spark
        A session that has the JAR (see `session`).
    *paths
        Files, directories or globs, one by one or as a list; at least one.
    **options
        Options of the data source, such as ``residual_sample=0`` for no sample, or
        ``ignore_corrupt_files=True``.

    Returns
    -------
    Inspection
        The columns, each with the tree of its paths and their leaf columns.

    Raises
    ------
    InvalidOptionError
        If no path is given, or an option is not a string, number or boolean.
    """
    given = tuple(listed("inspect", paths))
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
    spark: SparkSession, paths: tuple[str, ...], options: dict[str, OptionValue]
) -> DataFrame:
    """Return the rows of the format ``variant-shredded-files``."""
    require_kind(spark, "SparkSession", "read")
    settings = to_spark_options(options)
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
    # A column can be a Variant in some files only.
    root = "" if all(row.path is None for row in rows) else "$"
    placed = [([] if row.path is None else steps(row.path), row) for row in rows]
    return Column(name, layouts, _summary(name, root, placed))


def _summary(name: str, path: str, rows: list[tuple[list[tuple[str, str]], Any]]) -> PathSummary:
    """Sum up the rows at a path and below it, each with its steps from here."""
    own = [row for below, row in rows if not below]
    deeper: dict[str, tuple[str, list[tuple[list[tuple[str, str]], Any]]]] = {}
    for below, row in rows:
        if below:
            child, up_to = below[0]
            deeper.setdefault(child, (up_to, []))[1].append((below[1:], row))
    children = [_summary(child, up_to, found) for child, (up_to, found) in deeper.items()]
    # Both leaf columns at a path have the same residual values.
    values = [row for row in own if row.leaf != "metadata" and row.residual_rows is not None]
    return PathSummary(
        name,
        path,
        leaves=tuple(sorted(map(_leaf, own), key=lambda leaf: leaf.parquet_column)),
        residual_rows=max((row.residual_rows for row in values), default=None),
        residual_types=tuple(sorted({t for row in values for t in row.residual_types or ()})),
        residual_sampled=max((row.sampled for row in values), default=0),
        residual_nulls=max((row.sampled_nulls for row in values), default=0),
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
        chunks=row.chunks,
        values=row.number,
        nulls=row.nulls,
        compressed_bytes=row.compressed_bytes,
        raw_bytes=row.raw_bytes,
        column_indexes=row.column_indexes,
        bloom_filters=row.bloom_filters,
        skippable=row.skippable,
        why_not=row.why_not,
    )
