"""Reading JSON files as Variants."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from variant_shredded._io import OptionValue, listed, to_spark_options
from variant_shredded._needs import jar_needed, require_kind

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FORMAT = "variant-shredded-json"


def load_json(
    spark: SparkSession,
    *paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    column: str | None = None,
    malformed: str | None = None,
    malformed_column: str | None = None,
    records: str | None = None,
    **options: OptionValue,
) -> DataFrame:
    """Read JSON files: each value in them becomes a row with one Variant.

    Give the result to `write_variant` to write it shredded. Files whose names end with ``.gz``,
    ``.zst`` or the suffix of another codec of Hadoop are decompressed. Directories named
    ``name=value`` are columns.

    Parameters
    ----------
    spark
        A session that has the JAR (see `session`).
    *paths
        Files, directories or globs; at least one.
    column
        The name of the Variant column, ``v`` if not given.
    malformed
        What happens to a text that is not exactly one JSON value, such as two values on a line, or
        an object with a duplicate key: ``"fail"`` (the default) ends the job with an error that
        has the file and the number of the line; ``"null"`` gives NULL; ``"keep"`` gives NULL, and
        the text in `malformed_column`.
    malformed_column
        The name of that column, ``_corrupt_record`` if not given.
    records
        The form of the files. ``"lines"`` is one value on each line, ``"array"`` is one array
        whose elements are the values, ``"values"`` is one value after another on any number of
        lines. ``"auto"`` (the default) tells it for each file from its first line.
    **options
        The options in ``docs/options.md`` by which Spark's file sources choose files, such as
        ``recursive_file_lookup`` or ``path_glob_filter``. Options of Spark's JSON source are
        refused.

    Returns
    -------
    DataFrame
        One row for each value, with the Variant and the columns of the directories.

    Raises
    ------
    InvalidOptionError
        If no path is given, or an option is not a string, number or boolean.
    SessionWithoutJarError
        If the session runs without the JAR.
    """
    require_kind(spark, "SparkSession", "read")
    settings = to_spark_options(
        {
            **options,
            "column": column,
            "malformed": malformed,
            "malformed_column": malformed_column,
            "records": records,
        }
    )
    files = listed("load_json", paths)
    with jar_needed():
        return spark.read.format(FORMAT).options(**settings).load(files)
