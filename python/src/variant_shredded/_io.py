"""Implements `read_variant` and `write_variant` with Spark's public DataFrame API."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from variant_shredded._arguments import (
    column_names,
    keyword_options,
    path_list,
    path_text,
    require_text,
)
from variant_shredded._names import quoted
from variant_shredded._needs import jar_needed, require_kind
from variant_shredded._options import (
    OptionValue,
    Paths,
    PathsOrText,
    Pins,
    reading_options,
    shredding_options,
    to_spark_options,
)
from variant_shredded.errors import InvalidOptionError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

FORMAT = "variant-shredded"


def read_variant(
    spark: SparkSession,
    *paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    table: str | None = None,
    schema: str | StructType | None = None,
    validation: Literal["strict", "permissive"] | None = None,
    max_depth: int | None = None,
    merge_schema: bool | None = None,
    ignore_corrupt_files: bool | None = None,
    ignore_missing_files: bool | None = None,
    recursive_file_lookup: bool | None = None,
    path_glob_filter: str | None = None,
    modified_after: str | None = None,
    modified_before: str | None = None,
    time_zone: str | None = None,
    base_path: str | os.PathLike[str] | None = None,
    datetime_rebase_mode: Literal["EXCEPTION", "LEGACY", "CORRECTED"] | None = None,
    int96_rebase_mode: Literal["EXCEPTION", "LEGACY", "CORRECTED"] | None = None,
    **options: OptionValue,
) -> DataFrame:
    """Read Parquet files with or without Variant columns, shredded or not, or a table.

    Each keyword is the option of the data source with the same name in camel case:
    ``merge_schema`` is ``mergeSchema``. ``docs/options.md`` has the values and the defaults.

    Parameters
    ----------
    spark
        A session that has the JAR (see `session`).
    *paths
        Files, directories or globs, one by one or as a list. At least one is needed if there is no
        `table`.
    table
        The name of a table to read instead of paths.
    schema
        The columns to read, as DDL (``"id bigint, v variant"``) or a ``StructType``. If it is not
        given, Spark takes the schema from the files.
    validation
        What happens if a file breaks a rule of the shredding specification: ``"strict"`` (the
        default) raises an error, and ``"permissive"`` reads the value where the specification says
        how.
    max_depth
        The maximum nesting depth of a Variant.
    merge_schema
        Whether the schemas of all files are merged.
    ignore_corrupt_files
        Whether the rest of a file is skipped after an error in the file.
    ignore_missing_files
        Whether files that were deleted after they were listed are skipped.
    recursive_file_lookup
        Whether the files of all subdirectories are read, without partition columns.
    path_glob_filter
        A glob for the names of the files to read.
    modified_after
        A timestamp: only files that were modified after it are read.
    modified_before
        A timestamp: only files that were modified before it are read.
    time_zone
        The time zone of `modified_after` and `modified_before`, and of timestamps in the names of
        partition directories.
    base_path
        The directory below which directories named ``name=value`` are partition columns.
    datetime_rebase_mode
        How to read dates and timestamps that Spark before 3.0 wrote in the hybrid calendar:
        ``"EXCEPTION"``, ``"LEGACY"`` or ``"CORRECTED"``.
    int96_rebase_mode
        The same setting for INT96 timestamps.
    **options
        Other options by the names that Spark gives them, such as those of Hadoop's file systems.

    Returns
    -------
    DataFrame
        The rows, as ``spark.read.format("variant-shredded").load(...)`` returns them.

    Raises
    ------
    InvalidOptionError
        If neither a path nor a table is given, or both; if a table is given with a schema; or if
        an argument or option is of a wrong kind.
    SessionWithoutJarError
        If a classic session runs without the JAR. Over Spark Connect, the first action on the
        result raises the condition ``DATA_SOURCE_NOT_FOUND`` instead.
    """
    given = keyword_options(read_variant, locals())
    require_kind(spark, "SparkSession", "read")
    if table is not None and (paths or schema is not None):
        raise InvalidOptionError("read_variant: with `table`, give neither paths nor `schema`")
    files = [] if table is not None else path_list("read_variant", paths)
    settings = reading_options({**given, "table": None})
    with jar_needed():
        if table is not None:
            return spark.read.options(**settings).table(table)
        return spark.read.format(FORMAT).options(**settings).load(files)


def write_variant(
    df: DataFrame,
    path: str | os.PathLike[str],
    *,
    json: str | None = None,
    json_as: str | None = None,
    malformed: Literal["fail", "null", "keep"] | None = None,
    malformed_column: str | None = None,
    shredding: str | Mapping[str, str] | None = None,
    include: Paths | None = None,
    exclude: Paths | None = None,
    pin: Pins | None = None,
    mode: Literal["errorifexists", "error", "append", "overwrite", "ignore"] = "errorifexists",
    partition_by: str | Sequence[str] | None = None,
    partition_overwrite_mode: Literal["static", "dynamic"] | None = None,
    compression: str | None = None,
    layout: Literal["spec", "overview"] | None = None,
    bloom_filter: PathsOrText | None = None,
    clustering: Literal["none", "shape"] | None = None,
    cluster_by: PathsOrText | None = None,
    cluster_bytes: int | str | None = None,
    max_records_per_file: int | None = None,
    time_zone: str | None = None,
    reuse_shredding: bool | None = None,
    max_shredded_columns: int | None = None,
    max_shredded_depth: int | None = None,
    min_frequency: float | None = None,
    min_type_share: float | None = None,
    min_object_share: float | None = None,
    max_object_keys: int | None = None,
    infer_rows: int | None = None,
    infer_bytes: int | str | None = None,
    drift_rows: int | None = None,
    drift_files: int | None = None,
    **options: OptionValue,
) -> None:
    """Write Parquet files with shredded Variants.

    Each keyword from `shredding` on, except `mode` and `partition_by`, is the option of the data
    source with the same name in camel case: `cluster_by` is ``clusterBy``. `include`, `exclude`
    and `pin` are options with the prefix ``shredding.``, such as ``shredding.include``.
    ``docs/options.md`` has the values and the defaults.

    Parameters
    ----------
    df
        The rows to write.
    path
        The directory to write to.
    json
        The name of a column with JSON text. A Variant is written in place of this column. The
        writing job parses the text; NULL stays NULL.
    json_as
        The name of the Variant that is parsed from `json`, in the files and in `shredding`. If it
        is not given, the Variant has the name of the text column.
    malformed
        What happens to a text in `json` that is not exactly one JSON value, such as two values, or
        an object with a duplicate key: ``"fail"`` (the default) ends the job with an error that
        shows the text; ``"null"`` writes NULL; ``"keep"`` writes NULL, and writes the text to
        `malformed_column`.
    malformed_column
        The name of the column for malformed text, which is the last column. The default is
        ``_corrupt_record``.
    shredding
        The shredding schema. ``"infer"`` (the default) chooses it from the data, ``"none"`` writes
        unshredded Variants, ``"like:PATH"`` takes the schema of the files at a path, and DDL such
        as ``"ts timestamp, actor struct<id bigint>"`` gives the fields to shred. If there are
        several Variant columns, a mapping gives one of these to each column:
        ``{"v": "ts timestamp", "s.w": "infer"}``. The name of a column in a struct has dots.
    include
        Paths that schema inference shreds even if they are rare: ``["$.user.id"]``. A mapping gives
        the paths of each column: ``{"v": ["$.user.id"]}``.
    exclude
        Paths that schema inference does not shred, with all paths below them. It has the same forms
        as `include`.
    pin
        Paths that are shredded with a given type, whatever the data are: ``{"$.ts": "timestamp"}``
        or ``["$.ts timestamp"]``. A mapping whose keys do not begin with ``$`` gives the paths of
        each column: ``{"v": {"$.ts": "timestamp"}}``.
    mode
        What to do if the path exists, even as an empty directory: ``"errorifexists"`` (or
        ``"error"``), ``"append"``, ``"overwrite"`` or ``"ignore"``.
    partition_by
        The column or columns to partition the directory by.
    partition_overwrite_mode
        Which partitions an overwrite replaces: ``"static"`` replaces all of them, ``"dynamic"``
        only those that get new rows.
    compression
        The Parquet codec, such as ``"zstd"`` or ``"snappy"``.
    layout
        ``"spec"`` (the default) is the layout of the Parquet specification, ``"overview"`` is the
        layout that Spark had before.
    bloom_filter
        Paths whose typed columns get bloom filters: ``["$.id", "$.tags[*]"]``. A mapping gives the
        paths of each column: ``{"v": ["$.id"]}``.
    clustering
        ``"shape"`` sorts the rows in the row buffer by the fields that they have.
    cluster_by
        Paths by whose values the rows in the row buffer are sorted. It has the same forms as
        `bloom_filter`.
    cluster_bytes
        The size of the row buffer for `clustering` and `cluster_by`, in bytes or as ``"64m"``.
    max_records_per_file
        The number of rows after which a task begins a new file.
    time_zone
        The time zone in which timestamps are written into the names of partition directories.
        Readers of the path need the same time zone, in their session or as their option
        `time_zone`.
    reuse_shredding
        Whether an append keeps the shredding schema of the newest file.
    max_shredded_columns
        The column budget: schema inference adds at most this many leaf columns to a file.
    max_shredded_depth
        Objects and arrays that are nested deeper than this are not shredded.
    min_frequency
        A path is shredded only if at least this share of the sample, from 0 to 1, has a value there
        that is not null.
    min_type_share
        A path gets a typed column of a scalar type, or of an array, only if at least this share of
        its values, from 0 to 1, have that type.
    min_object_share
        The fields of a path are shredded only if at least this share of its values, from 0 to 1,
        are objects.
    max_object_keys
        Objects at a path that have more distinct field names than this in the sample are treated
        as a map: only fields that at least half of the objects have are shredded.
    infer_rows
        The sample, from which schema inference chooses the schema of a file, ends after this many
        rows.
    infer_bytes
        The sample also ends when it holds this many bytes, given as a number or as ``"64m"``.
    drift_rows
        The interval, in rows of a file, at which the task checks for schema drift. With 0 it never
        checks.
    drift_files
        A task ends at most this many files because of schema drift.
    **options
        Other options by the names that Spark gives them, such as those of Parquet:
        ``**{"parquet.block.size": 1 << 26}``.

    Raises
    ------
    InvalidOptionError
        If an argument or option is of a wrong kind; if `shredding`, `include`, `exclude`, `pin`,
        `bloom_filter` or `cluster_by` does not have one of the forms above; or if `json`, `json_as`
        or `malformed_column` does not fit the columns of `df`.
    SessionWithoutJarError
        If the session runs without the JAR.
    """
    given = keyword_options(write_variant, locals())
    require_kind(df, "DataFrame", "write")
    directory = path_text("path", path)
    columns = column_names("partition_by", partition_by)
    require_text("mode", mode)
    names = {"json": json, "json_as": json_as, "malformed_column": malformed_column}
    for argument, name in names.items():
        if name is not None:
            require_text(argument, name)
    if json is not None:
        # This module needs pyspark. The package can be imported without it.
        from variant_shredded._json import parse_json_column

        df = parse_json_column(
            df,
            json,
            name=json_as,
            malformed="fail" if malformed is None else malformed,
            malformed_column=malformed_column,
        )
    elif not (json_as is None and malformed is None and malformed_column is None):
        raise InvalidOptionError("json_as, malformed and malformed_column need json")
    settings = to_spark_options(
        {
            **given,
            **dict.fromkeys(_NOT_OPTIONS),
            **shredding_options(shredding, include, exclude, pin),
        }
    )
    # Spark Connect accepts only the shorter name of this mode.
    short = "error" if mode.lower() == "errorifexists" else mode
    writer = df.write.format(FORMAT).mode(short).options(**settings)
    if columns:
        writer = writer.partitionBy(*map(_quoted, columns))
    with jar_needed():
        writer.save(directory)


#: The keywords of `write_variant` that are no options, or whose options have other names.
_NOT_OPTIONS = (
    "json",
    "json_as",
    "malformed",
    "malformed_column",
    "include",
    "exclude",
    "pin",
    "mode",
    "partition_by",
)


def _quoted(column: str) -> str:
    """Return the name of a column in SQL notation, which `partitionBy` expects here."""
    plain = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", column) is not None
    return column if plain else quoted(column)
