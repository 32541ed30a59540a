"""Implements `load_json`, which reads JSON files as Variants."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from variant_shredded._arguments import keyword_options, path_list, path_text
from variant_shredded._needs import jar_needed, require_kind
from variant_shredded._options import OptionValue, normalized, to_spark_options
from variant_shredded._tools.paths import table_of_glob

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FORMAT = "variant-shredded-json"


def load_json(
    spark: SparkSession,
    *paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    column: str | None = None,
    malformed: Literal["fail", "null", "keep"] | None = None,
    malformed_column: str | None = None,
    records: Literal["auto", "lines", "array", "values"] | None = None,
    ignore_corrupt_files: bool | None = None,
    ignore_missing_files: bool | None = None,
    recursive_file_lookup: bool | None = None,
    path_glob_filter: str | None = None,
    modified_after: str | None = None,
    modified_before: str | None = None,
    time_zone: str | None = None,
    base_path: str | os.PathLike[str] | None = None,
    ignore_invalid_partition_paths: bool | None = None,
    **options: OptionValue,
) -> DataFrame:
    """Read JSON files: each value in them becomes a row with one Variant.

    `write_variant` writes the result as shredded Variants. Files whose names end with ``.gz``,
    ``.zst`` or the suffix of another codec of Hadoop are decompressed. Directories named
    ``name=value`` become partition columns.

    Parameters
    ----------
    spark
        A session that has the JAR (see `session`).
    *paths
        Files, directories or globs, one by one or as a list; at least one. A glob that matches
        directories of partition columns has to name the column, as in ``raw/day=*``, unless
        `base_path` is given. Its column is read then; directories of partitions that are named
        one by one, such as ``raw/day=1``, give no column without `base_path`.
    column
        The name of the Variant column. The default is ``v``.
    malformed
        What happens to a text that is not exactly one JSON value, such as two values on a line, or
        an object with a duplicate key: ``"fail"`` (the default) ends the job with an error that
        names the file and the line; ``"null"`` returns NULL; ``"keep"`` returns NULL, and returns
        the text in `malformed_column`.
    malformed_column
        The name of the column for malformed text. The default is ``_corrupt_record``.
    records
        The form of the files. ``"lines"`` is one value on each line, ``"array"`` is one array
        whose elements are the values, and ``"values"`` is one value after another on any number of
        lines. ``"auto"`` (the default) detects the form of each file from its first line.
    ignore_corrupt_files
        Whether the rest of a file that cannot be read or decompressed is skipped. A text that is
        not JSON is no such error: `malformed` is for it.
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
        The directory below which directories named ``name=value`` are partition columns. Without
        it, a glob that names partitions gives their columns (see `paths`).
    ignore_invalid_partition_paths
        Whether the partition directories below the given paths may have different parents, such as
        ``a/day=1`` and ``b/day=2`` for the paths ``a`` and ``b``. If not, they are an error.
    **options
        Settings of Hadoop, whose names have a dot. Options of Spark's JSON source are refused.

    Returns
    -------
    DataFrame
        A row for each value, with the Variant and the partition columns.

    Raises
    ------
    InvalidOptionError
        If no path is given, or if an argument or option is of a wrong kind.
    SessionWithoutJarError
        If a classic session runs without the JAR. Over Spark Connect, the first action on the
        result raises the condition ``DATA_SOURCE_NOT_FOUND`` instead.
    """
    given = keyword_options(load_json, locals())
    require_kind(spark, "SparkSession", "read")
    files = path_list("load_json", paths)
    base = None if base_path is None else path_text("base_path", base_path)
    if needs_base_path(given):
        base = table_of_glob(*files)
    settings = to_spark_options({**given, "base_path": base})
    with jar_needed():
        return spark.read.format(FORMAT).options(**settings).load(files)


def needs_base_path(options: Mapping[str, object]) -> bool:
    """Return whether the base path has to be found from the paths that are read.

    Parameters
    ----------
    options
        The options of reading by name, in any spelling. Those that are ``None`` are not given.

    Returns
    -------
    bool
        False if the base path is given, or if the read is recursive, which has no partition
        columns.
    """
    given = {normalized(name): value for name, value in options.items() if value is not None}
    is_recursive = str(given.get("recursivefilelookup")).lower() == "true"
    return "basepath" not in given and not is_recursive
