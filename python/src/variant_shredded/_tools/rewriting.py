"""`reshred`: files written anew in another way, and compared with what they were made of."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

from variant_shredded._io import (
    CHOOSING_FILES,
    OptionValue,
    Paths,
    Pins,
    column_names,
    plain,
    read_variant,
    write_variant,
)
from variant_shredded._names import quoted
from variant_shredded._needs import jar_needed
from variant_shredded._tools.inspection import read_files
from variant_shredded._tools.paths import check_apart, escaped
from variant_shredded._tools.progress import Step, silent
from variant_shredded._tools.replaced import check_replaced
from variant_shredded.errors import InvalidOptionError, NotTheSameError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

#: The values of partition columns stay strings, so that directories keep their names (01 is not 1).
_AS_TEXT = "spark.sql.sources.partitionColumnTypeInference.enabled"

#: These options hold whatever the session says, because the check would not notice rows that both
#: sides skip.
_EVERY_FILE: dict[str, Any] = {"ignore_corrupt_files": False, "ignore_missing_files": False}


#: These options would leave files or columns out, on the side of the source only.
_LEAVING_OUT = CHOOSING_FILES | {"schema"}

#: How the files at the source are read.
_OF_READING = {"validation", "maxdepth", "datetimerebasemode", "int96rebasemode"}


@dataclass(frozen=True)
class ReshredResult:
    """Holds what `reshred` has done.

    Attributes
    ----------
    source, target
        The paths.
    rows
        Number of rows, the same on both sides.
    checksum
        Checksum of all rows, the same on both sides.
    source_files, target_files
        Number of files.
    source_bytes, target_bytes
        Bytes of all columns in the files.
    """

    source: str
    target: str
    rows: int
    checksum: Decimal
    source_files: int
    target_files: int
    source_bytes: int
    target_bytes: int


@jar_needed()
def reshred(
    spark: SparkSession,
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    shredding: str | Mapping[str, str] | None = None,
    include: Paths | None = None,
    exclude: Paths | None = None,
    pin: Pins | None = None,
    layout: Literal["spec", "overview"] | None = None,
    sort_by: str | Sequence[str] | None = None,
    partition_by: str | Sequence[str] | None = None,
    files: int | None = None,
    compression: str | None = None,
    overwrite: bool = False,
    step: Step = silent,
    **options: OptionValue,
) -> ReshredResult:
    """Rewrite files with another shredding schema, and check that no row has changed.

    The files at `source` do not change. At the end, the rows of both sides are read once more.
    Both must have the same number of rows and the same checksum. The checksum does not depend on
    the order of rows or of fields, or on how numbers are stored. A file that cannot be read is an
    error, even if the session ignores such files.

    Parameters
    ----------
    spark
        A session that has the JAR (see `session`).
    source
        A file, directory or glob of Parquet files, partitioned or not.
    target
        The directory to write to.
    shredding, include, exclude, pin, compression
        The same as for `write_variant`.
    layout
        The layout of the Variants: the option ``layout`` of the data source.
    sort_by
        SQL expressions by which rows are sorted over all files (`cluster_by` of `write_variant`
        sorts within the row buffer of each task): ``"v:ts::timestamp"``.
    partition_by
        The partition columns. If it is not given, they are those of `source`; ``()`` means none.
    files
        The approximate number of files to write, for each partition if there are partitions.
    overwrite
        Whether the files in `target` are replaced if it exists.
    step
        A function that shows progress: it is called with the name of the next step, and returns a
        context manager within which the step runs.
    **options
        Any other option of writing, and of reading ``validation``, ``max_depth``,
        ``datetime_rebase_mode`` and ``int96_rebase_mode``. While files are read, the session
        gives the values of partition columns as strings, in other threads too.

    Returns
    -------
    ReshredResult
        The numbers of rows, files and bytes on both sides.

    Raises
    ------
    InvalidOptionError
        If one of the paths is inside the other, if `target` is to be replaced and has files that
        are not Parquet files, or if an argument cannot be turned into an option.
    NotTheSameError
        If `target` does not have the rows of `source`. Do not use `target` then.
    """
    here, there = os.fspath(source), os.fspath(target)
    check_apart(here, there)
    _check_options(options)
    _check_files(files)
    reading: dict[str, Any] = {
        name: value for name, value in options.items() if plain(name) in _OF_READING
    }
    depth = {name: value for name, value in reading.items() if plain(name) == "maxdepth"}
    if overwrite:
        check_replaced(spark, there)
    order = column_names("sort_by", sort_by)
    wanted = column_names("partition_by", partition_by)
    with _partitions_as_text(spark), step("reading"):
        # Names of options that nobody knows are refused before any row is counted.
        given: dict[str, Any] = dict(options)
        _ = read_variant(spark, here, **given).schema
        rows = _read(spark, here, reading)
        columns = list(rows.columns)
        source_files, source_bytes, source_partitions = _files(spark, here, reading)
        by = source_partitions if partition_by is None else wanted
    # With an overwrite of some partitions only, rows of before would stay.
    more: dict[str, Any] = {"partition_overwrite_mode": "static", **options, "layout": layout}
    with _partitions_as_text(spark):
        with step("counting the rows to write"):
            expected = _sum(_as_directories(rows, by))
        with step("writing"):
            write_variant(
                _arranged(rows, by, order, files),
                there,
                shredding=shredding,
                include=include,
                exclude=exclude,
                pin=pin,
                mode="overwrite" if overwrite else "errorifexists",
                partition_by=by or None,
                compression=compression,
                **more,
            )
        with step("comparing"):
            pattern = escaped(there)
            written = _read(spark, pattern, depth).select(*map(quoted, columns))
            found = _sum(written)
            target_files, target_bytes, _ = _files(spark, pattern, depth)
    if found != expected:
        raise NotTheSameError(
            f"{there} has {found[0]:,} rows with the checksum {found[1]}, {here} has "
            f"{expected[0]:,} with {expected[1]}: do not use {there}"
        )
    return ReshredResult(
        here, there, *expected, source_files, target_files, source_bytes, target_bytes
    )


def _check_options(options: Mapping[str, OptionValue]) -> None:
    for name in options:
        if plain(name) in _LEAVING_OUT:
            raise InvalidOptionError(
                f"{name} is an option of reading, and reshred reads all files at the source: name "
                "the files by a glob"
            )


def _check_files(files: int | None) -> None:
    if files is not None and files < 1:
        raise InvalidOptionError(f"files: a number from 1 on is needed, not {files}")


#: How many threads need partitions as text, and what the setting was before, for each session.
_needing: dict[int, tuple[int, str]] = {}
_lock = Lock()


@contextmanager
def _partitions_as_text(spark: SparkSession) -> Iterator[None]:
    with _lock:
        count, before = _needing.get(id(spark), (0, ""))
        if count == 0:
            before = str(spark.conf.get(_AS_TEXT))
            spark.conf.set(_AS_TEXT, "false")
        _needing[id(spark)] = (count + 1, before)
    try:
        yield
    finally:
        with _lock:
            count, before = _needing.pop(id(spark))
            if count > 1:
                _needing[id(spark)] = (count - 1, before)
            else:
                spark.conf.set(_AS_TEXT, before)


def _read(spark: SparkSession, path: str, options: Mapping[str, Any]) -> DataFrame:
    return read_variant(spark, path, merge_schema=True, **_EVERY_FILE, **options)


def _files(
    spark: SparkSession, path: str, options: Mapping[str, Any]
) -> tuple[int, int, list[str]]:
    """Return the number of files, their bytes, and the columns of their directories."""
    (found,) = (
        read_files(spark, (path,), {**_EVERY_FILE, **options})
        .selectExpr("file", "compressed_bytes", "map_keys(partition) AS names")
        .selectExpr("count(DISTINCT file)", "coalesce(sum(compressed_bytes), 0)", "first(names)")
        .collect()
    )
    return found[0], found[1], list(found[2] or [])


def _sum(rows: DataFrame) -> tuple[int, Decimal]:
    """Count the rows, and add up what they mean."""
    total = "coalesce(sum(cast(variant_shredded.checksum(struct(*)) AS decimal(38))), 0)"
    (found,) = rows.selectExpr("count(*)", total).collect()
    return found[0], found[1]


def _as_directories(rows: DataFrame, partition_by: list[str]) -> DataFrame:
    """Give the values of partition columns the form in which directories are read."""
    from pyspark.sql import functions as F

    is_cased = rows.sparkSession.conf.get("spark.sql.caseSensitive") == "true"
    texts = set(partition_by if is_cased else map(str.lower, partition_by))

    def column(name: str) -> Column:
        of_file = F.col(quoted(name))
        is_text = (name if is_cased else name.lower()) in texts
        return of_file.cast("string").alias(name) if is_text else of_file

    return rows.select(*map(column, rows.columns))


def _arranged(
    rows: DataFrame, partition_by: list[str], sort_by: list[str], files: int | None
) -> DataFrame:
    """Put the rows into the order that they are to be written in."""
    from pyspark.sql import functions as F

    if not sort_by:
        if files is None:
            return rows
        if not partition_by:
            return rows.repartition(files)
        # A file of a partition has a part of its rows, whichever.
        bucket = F.floor(F.rand(0) * files)
        return rows.repartition(*(F.col(quoted(name)) for name in partition_by), bucket)
    order = [*(F.col(quoted(name)) for name in partition_by), *map(F.expr, sort_by)]
    spread = (
        rows.repartitionByRange(*order)
        if files is None
        else (rows.repartitionByRange(files, *order))
    )
    return spread.sortWithinPartitions(*order)
