"""Implements `reshred`, which rewrites files and compares the result with its source."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

from variant_shredded._arguments import column_names, path_text, whole_number
from variant_shredded._io import read_variant, write_variant
from variant_shredded._names import quoted, spelling
from variant_shredded._needs import jar_needed, require_kind
from variant_shredded._options import (
    FILE_SELECTION_OPTIONS,
    READ_OPTIONS,
    OptionValue,
    Paths,
    PathsOrText,
    Pins,
    hadoop_settings,
    normalized,
)
from variant_shredded._tools.inspection import read_files
from variant_shredded._tools.paths import check_apart, escaped, table_of
from variant_shredded._tools.progress import Step, silent
from variant_shredded._tools.queries import without_comments
from variant_shredded._tools.replaced import check_replaced
from variant_shredded.errors import DifferentRowsError, InvalidOptionError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import DataType

#: With this setting off, the values of partition columns stay strings. So the directories keep
#: their names: ``01`` does not become ``1``.
_PARTITION_TYPES = "spark.sql.sources.partitionColumnTypeInference.enabled"

#: With this option, which is not for users, a save makes its checks and writes nothing.
_CHECKS_ONLY = "__variantShreddedChecksOnly"

#: These options override the settings of the session. Otherwise, both sides could skip the same
#: rows, and the check would not notice it.
_EVERY_FILE: dict[str, Any] = {"ignore_corrupt_files": False, "ignore_missing_files": False}

#: These options are refused, because they would leave out files or columns of the source.
_REFUSED_OPTIONS = FILE_SELECTION_OPTIONS | {"schema"}

#: Parameters of `read_variant` and `write_variant` that `reshred` gives itself, normalized.
_NOT_OPTIONS = {"df", "json", "jsonas", "malformed", "malformedcolumn", "mode", "path", "spark"}

#: The direction at the end of an expression of ``sort_by``.
_DIRECTION = re.compile(
    r"(?:\s+|(?<=[)\]`'\"]))"
    r"(?:(?P<direction>ASC|DESC)\b\s*)?(?:NULLS\s+(?P<nulls>FIRST|LAST)\s*)?$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ReshredResult:
    """Holds what `reshred` has done.

    Attributes
    ----------
    source, target
        The paths of both sides.
    rows
        The number of rows, which is the same on both sides.
    checksum
        The checksum of all rows, which is the same on both sides.
    source_files, target_files
        The number of files on each side that have a row group. A file without rows has none.
    source_bytes, target_bytes
        The number of bytes of all columns in the files on each side.
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
    **options: OptionValue | PathsOrText,
) -> ReshredResult:
    """Rewrite files with another shredding schema, and check that no row has changed.

    The files at `source` do not change. At the end, the rows of both sides are read once more, and
    must have the same number and the same checksum. The checksum does not depend on the order of
    rows or of fields, or on how numbers are stored. A file that cannot be read is an error, even if
    the session ignores such files.

    While `reshred` runs, it switches off the type inference of partition columns in the session
    (``spark.sql.sources.partitionColumnTypeInference.enabled``). Other threads that use the session
    get the values of partition columns as strings meanwhile.

    Parameters
    ----------
    spark
        A session that has the JAR (see `session`).
    source
        A file, directory or glob of Parquet files, partitioned or not. The directories of
        partitions that a glob names, such as ``events/day=2026-*``, become columns.
    target
        The directory to write to.
    shredding, include, exclude, pin, compression
        The same as for `write_variant`.
    layout
        The layout of the Variants: the option ``layout`` of the data source.
    sort_by
        SQL expressions, such as ``"v:ts::timestamp"`` or ``"v:ts::timestamp DESC NULLS LAST"``, by
        which the rows are sorted over all files. In contrast, `cluster_by` of `write_variant` sorts
        within the row buffer of each task.
    partition_by
        The partition columns; those of `source` if it is not given. ``()`` means no partitions. A
        partition column of `source` that is not one of them becomes an ordinary column, with the
        type that a read of `source` gives it.
    files
        The approximate number of files to write, for each partition if there are partitions. With
        `sort_by`, it is the approximate number over all partitions.
    overwrite
        Whether the files in `target` are replaced if it exists.
    step
        A function that shows progress: it is called with the name of the next step, and returns a
        context manager within which the step runs.
    **options
        Any other option of writing, as in `write_variant`, except ``partition_overwrite_mode``,
        which can only be ``"static"``, and ``time_zone``, which can only be that of the session;
        and these options of reading: ``validation``,
        ``max_depth``, ``datetime_rebase_mode`` and ``int96_rebase_mode``. Settings of Hadoop, whose
        names have a dot, such as those of a file system, hold for both sides. With
        ``**advice.options``, the files are rewritten as `advise` recommends.

    Returns
    -------
    ReshredResult
        The numbers of rows, files and bytes on both sides.

    Raises
    ------
    InvalidOptionError
        If one of the paths is inside the other, if `target` is to be replaced and has files that
        are not Parquet files, or is a table of Delta Lake or Hudi, if a partition column has empty
        strings or empty binary values, which Spark writes into the names of directories as NULL, or
        if an argument has a wrong type or form.
    pyspark.errors.PySparkException
        If a read leaves out files at `source`: files beside the directories of partition columns,
        or files in directories below `source`. Or if `source` is a glob that matches directories of
        partitions without naming the column, such as ``events/*``.
    DifferentRowsError
        If `target` does not have the rows of `source`. Do not use `target` then.
    SessionWithoutJarError
        If the session runs without the JAR.
    """
    require_kind(spark, "SparkSession", "read")
    here, there = path_text("source", source), path_text("target", target)
    check_apart(here, there)
    _check_options(spark, options)
    if files is not None:
        files = whole_number("files", files)
    settings = hadoop_settings(options)
    of_reading = {name: options[name] for name in options if normalized(name) in READ_OPTIONS}
    depth = {name: of_reading[name] for name in of_reading if normalized(name) == "maxdepth"}
    table = table_of(here)
    of_table = {} if table is None else {"base_path": table}
    source_options: dict[str, Any] = {**settings, **of_reading, **of_table}
    target_options: dict[str, Any] = {**settings, **depth}
    if overwrite:
        check_replaced(spark, there, settings)
    order = column_names("sort_by", sort_by)
    wanted = column_names("partition_by", partition_by)
    with _partitions_as_strings(spark), step("reading"):
        # This call refuses unknown names of options before any row is counted.
        given: dict[str, Any] = {**options, **of_table}
        _ = read_variant(spark, here, **given).schema
        # This call refuses files that no read would return.
        every = {**_EVERY_FILE, **source_options, "every_file": True}
        _ = read_files(spark, (here,), every).schema
        rows = _read(spark, here, source_options)
        columns = list(rows.columns)
        source_files, source_bytes, source_partitions = _files(spark, here, source_options)
        by = source_partitions if partition_by is None else wanted
    rows = _with_types(rows, source_partitions, by, here, source_options)
    # In a session with dynamic overwrites, the former rows of other partitions would stay.
    more: dict[str, Any] = {**options, "partition_overwrite_mode": "static", "layout": layout}

    def write(only: Mapping[str, Any]) -> None:
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
            **only,
        )

    with _partitions_as_strings(spark):
        with step("counting the rows to write"):
            # This call refuses a wrong target, option or order before any row is read.
            write({_CHECKS_ONLY: True})
            expected = _sum(_as_directories(rows, by), by)
        with step("writing"):
            write({})
        with step("comparing"):
            pattern = escaped(there)
            written = _read(spark, pattern, target_options).select(*map(quoted, columns))
            found = _sum(written)
            target_files, target_bytes, _ = _files(spark, pattern, target_options)
    if found != expected:
        raise DifferentRowsError(
            f"{there} has {found[0]:,} rows with the checksum {found[1]}, and {here} has "
            f"{expected[0]:,} rows with the checksum {expected[1]}: do not use {there}"
        )
    return ReshredResult(
        here, there, *expected, source_files, target_files, source_bytes, target_bytes
    )


def _check_options(spark: SparkSession, options: Mapping[str, object]) -> None:
    zone = spark.conf.get("spark.sql.session.timeZone")
    for name, value in options.items():
        if normalized(name) in _NOT_OPTIONS:
            raise InvalidOptionError(f"{name} is not an option of reshred")
        if value is None:
            continue
        if normalized(name) == "timezone" and value != zone:
            raise InvalidOptionError(
                f"{name}: reshred compares directories of timestamps in the time zone of the "
                f"session ({zone}): set spark.sql.session.timeZone to {value} instead"
            )
        if normalized(name) == "partitionoverwritemode" and str(value).lower() != "static":
            raise InvalidOptionError(
                f"{name}: reshred writes all partitions: only static is possible"
            )
        if normalized(name) == "mergeschema":
            raise InvalidOptionError(f"{name}: reshred always merges the schemas of the files")
        if normalized(name) in _REFUSED_OPTIONS:
            raise InvalidOptionError(
                f"{name} is an option of reading that leaves out files or columns, and reshred "
                "rewrites all of them: name the files to rewrite by a glob"
            )


#: For each session of Spark, which several objects of Python may stand for, how many threads need
#: strings, and the value of the setting before.
_sessions: dict[Any, tuple[int, str]] = {}
_lock = Lock()


@contextmanager
def _partitions_as_strings(spark: SparkSession) -> Iterator[None]:
    """Let the session read the values of partition columns as strings."""
    from pyspark.sql.utils import is_remote

    of_connect: Any = spark
    # Objects of the JVM are equal if they are equal there.
    key = of_connect.session_id if is_remote() else spark._jsparkSession
    with _lock:
        count, before = _sessions.get(key, (0, ""))
        if count == 0:
            before = str(spark.conf.get(_PARTITION_TYPES))
            spark.conf.set(_PARTITION_TYPES, "false")
        _sessions[key] = (count + 1, before)
    try:
        yield
    finally:
        with _lock:
            count, before = _sessions.pop(key)
            if count > 1:
                _sessions[key] = (count - 1, before)
            else:
                spark.conf.set(_PARTITION_TYPES, before)


def _read(spark: SparkSession, path: str, options: Mapping[str, Any]) -> DataFrame:
    return read_variant(spark, path, merge_schema=True, **_EVERY_FILE, **options)


def _files(
    spark: SparkSession, path: str, options: Mapping[str, Any]
) -> tuple[int, int, list[str]]:
    """Return the number of files, the number of their bytes, and their partition columns."""
    (found,) = (
        read_files(spark, (path,), {**_EVERY_FILE, **options})
        .selectExpr("file", "compressed_bytes", "map_keys(partition) AS names")
        .selectExpr("count(DISTINCT file)", "coalesce(sum(compressed_bytes), 0)", "first(names)")
        .collect()
    )
    return found[0], found[1], list(found[2] or [])


def _sum(rows: DataFrame, partition_by: Sequence[str] = ()) -> tuple[int, Decimal]:
    """Return the number of the rows, and the sum of their checksums.

    Raise `InvalidOptionError` if one of the columns `partition_by`, which are strings, has an empty
    value: Spark writes it into the name of a directory as NULL.
    """
    # The other name of the catalog may be that of a database.
    total = "coalesce(sum(cast(`variant-shredded`.checksum(struct(*)) AS decimal(38))), 0)"
    empty = [f"count_if(octet_length({quoted(name)}) = 0)" for name in partition_by]
    (found,) = rows.selectExpr("count(*)", total, *empty).collect()
    for name, count in zip(partition_by, found[2:], strict=True):
        if count:
            raise InvalidOptionError(
                f"partition_by: {count:,} rows have an empty value in {name}, which Spark writes "
                "into the name of a directory as NULL: choose another column"
            )
    return found[0], found[1]


def _with_types(
    rows: DataFrame,
    partitions: Sequence[str],
    partition_by: Sequence[str],
    source: str,
    options: Mapping[str, Any],
) -> DataFrame:
    """Cast the partition columns that become ordinary columns to the types that a read gives them.

    `rows` have the columns `partitions` as strings, because those of `partition_by` stay strings.
    """
    spelled = spelling(rows)
    kept = set(map(spelled, partition_by))
    others = {spelled(name) for name in partitions} - kept
    if not others:
        return rows
    # The session infers types here. The types of directories do not depend on the files.
    fields = read_variant(rows.sparkSession, source, **options).schema
    types = {spelled(f.name): f.dataType for f in fields if spelled(f.name) in others}
    return _cast(rows, types)


def _as_directories(rows: DataFrame, partition_by: list[str]) -> DataFrame:
    """Cast partition columns to strings, because they are read as strings from directories."""
    return _cast(rows, dict.fromkeys(map(spelling(rows), partition_by), "string"))


def _cast(rows: DataFrame, types: Mapping[str, DataType | str]) -> DataFrame:
    """Cast the columns whose names, as `spelling` returns them, have types."""
    from pyspark.sql import functions as F

    spelled = spelling(rows)

    def column(name: str) -> Column:
        of_file = F.col(quoted(name))
        to = types.get(spelled(name))
        return of_file if to is None else of_file.cast(to).alias(name)

    return rows.select(*map(column, rows.columns))


def _sort_key(expression: str) -> Column:
    """Return an expression of ``sort_by`` with its direction.

    `F.expr` takes no direction: it would read ``DESC`` as the name of the column.
    """
    from pyspark.sql import functions as F

    expression = without_comments(expression)
    found = _DIRECTION.search(expression)
    if found is None:
        return F.expr(expression)
    method = (found["direction"] or "asc").lower()
    if found["nulls"]:
        method += f"_nulls_{found['nulls'].lower()}"
    key: Column = getattr(F.expr(expression[: found.start()]), method)()
    return key


def _arranged(
    rows: DataFrame, partition_by: list[str], sort_by: list[str], files: int | None
) -> DataFrame:
    """Distribute the rows to tasks and sort them, as they are to be written."""
    from pyspark.sql import functions as F

    if not sort_by:
        if files is None:
            return rows
        if not partition_by:
            return rows.repartition(files)
        # The rows of a partition are distributed to its files at random.
        bucket = F.floor(F.rand(0) * files)
        return rows.repartition(*(F.col(quoted(name)) for name in partition_by), bucket)
    order = [*(F.col(quoted(name)) for name in partition_by), *map(_sort_key, sort_by)]
    distributed = (
        rows.repartitionByRange(*order)
        if files is None
        else (rows.repartitionByRange(files, *order))
    )
    return distributed.sortWithinPartitions(*order)
