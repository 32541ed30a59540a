"""Checks which files a command would delete that replaces the files of a directory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from variant_shredded._options import to_spark_options
from variant_shredded._tools.paths import escaped
from variant_shredded.errors import InvalidOptionError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

#: The directories in which other formats keep the logs of their tables.
_LOGS = {"_delta_log": "Delta Lake", ".hoodie": "Hudi"}


def check_replaced(spark: SparkSession, target: str, settings: Mapping[str, object]) -> None:
    """Raise `InvalidOptionError` if a directory has files that are not this source's to delete.

    These are the files of a table of Delta Lake or Hudi, and files whose names do not end with
    ``.parquet``. Files and directories whose names begin with ``_`` or ``.`` do not count, because
    no write deletes them, except files with the keys of encrypted Parquet files.

    Parameters
    ----------
    spark
        A session.
    target
        The directory. It need not exist.
    settings
        The settings of Hadoop with which the directory is opened.
    """
    directory = escaped(target)
    logs = _others(spark, [f"{directory}/{{{','.join(_LOGS)}}}"], settings) or []
    for name, table in _LOGS.items():
        if any(f"/{name}/" in log for log in logs):
            raise InvalidOptionError(
                f"{target} is a table of {table}, which lists its files in {name}: write with the "
                "format of the table, or choose another directory"
            )
    # Of a single path, Spark would show only the files that a stream has logged there.
    with_log = _others(spark, [directory, f"{directory}/_spark_metadata"], settings)
    # Of several paths, Spark would list each directory, also in object stores.
    found = _others(spark, [directory], settings) if with_log is None else with_log
    if found:
        raise InvalidOptionError(
            f"{target} has files that are not Parquet files, which would be deleted with the "
            f"others: {', '.join(found)}. Move them, or choose another directory"
        )


def _others(
    spark: SparkSession, paths: list[str], settings: Mapping[str, object]
) -> list[str] | None:
    """Return up to three files that are not Parquet files, or ``None`` if a path does not exist.

    The files of the log of a stream do not count.
    """
    from pyspark.errors import AnalysisException

    # For each file that is listed, a task would ask the file system again.
    names = _names_without(".parquet")
    given = {**settings, "recursiveFileLookup": True, "pathGlobFilter": names}
    try:
        files = spark.read.format("binaryFile").options(**to_spark_options(given)).load(paths)
        others = files.where("path NOT RLIKE '/_spark_metadata/[^/]*$'")
        return [row.path for row in others.select("path").limit(3).collect()]
    except AnalysisException as error:
        if error.getCondition() == "PATH_NOT_FOUND":
            return None
        raise


def _names_without(suffix: str) -> str:
    """Return a glob of the names that do not end with a suffix, in lower or upper case."""
    names, end = [], ""
    for letter in reversed(suffix):
        either = letter.lower() + letter.upper()
        names += [f"*[^{either}]{end}", end]
        end = f"[{either}]{end}"
    return "{" + ",".join(filter(None, names)) + "}"
