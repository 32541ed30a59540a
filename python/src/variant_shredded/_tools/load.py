"""Implements the command `load`, which writes JSON files as shredded Variants."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from variant_shredded._arguments import whole_number
from variant_shredded._io import read_variant, write_variant
from variant_shredded._loading import load_json, needs_base_path
from variant_shredded._names import quoted
from variant_shredded._options import hadoop_settings, is_hadoop_setting, normalized
from variant_shredded._tools.paths import check_apart, escaped, table_of
from variant_shredded._tools.progress import Step, silent
from variant_shredded._tools.replaced import check_replaced

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import SparkSession

#: The path that stands for standard input.
STANDARD_INPUT = "-"

#: Options of Spark's JSON source that `DataFrameReader.json` has no parameter for.
_SPARK_JSON_OPTIONS = ("charset", "singleVariantColumn")

#: Options of `load_json` that `read_variant` has no parameter for.
_LOAD_JSON_OPTIONS = ("ignoreInvalidPartitionPaths",)

#: The bytes at the beginning of compressed files, with the suffixes of their names.
_MAGIC = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst"}


@dataclass(frozen=True)
class LoadResult:
    """Holds what `load` has done.

    Attributes
    ----------
    target
        The directory that was written to.
    rows
        The number of rows that were written.
    malformed
        The number of rows whose text is not JSON.
    seconds
        The time that reading and writing took, in seconds.
    """

    target: str
    rows: int
    malformed: int
    seconds: float


def load(
    spark: SparkSession,
    sources: Sequence[str],
    target: str,
    *,
    read_options: Mapping[str, Any],
    write_options: Mapping[str, Any],
    files: int | None = None,
    step: Step = silent,
) -> LoadResult:
    """Read JSON files, and write their values as shredded Variants.

    Parameters
    ----------
    spark
        A session that has the JAR (see `session`).
    sources
        Files, directories or globs. If they name several partitions, such as ``raw/day=*``, then
        their directories become columns.
    target
        The directory to write to.
    read_options, write_options
        Keyword arguments of `load_json` and of `write_variant`.
    files
        The approximate number of files to write, for each partition if there are partitions.
    step
        A function that shows progress: it is called with the name of the next step, and returns a
        context manager within which the step runs.

    Returns
    -------
    LoadResult
        The numbers of rows, and the time.

    Raises
    ------
    InvalidOptionError
        If `files` is less than 1, if one of the target and a source is inside the other, if the
        sources can be partitions of several tables, if the target is to be replaced and has files
        that are not Parquet files or is a table of Delta Lake or Hudi, or if an option has a wrong
        type or form.
    """
    from pyspark.sql import Observation
    from pyspark.sql import functions as F

    if files is not None:
        files = whole_number("files", files)
    for source in sources:
        check_apart(source, target)
    if needs_base_path(read_options):
        read_options = {**read_options, "base_path": table_of(*sources)}
    rows = load_json(spark, *sources, **read_options)
    if files is not None:
        rows = rows.repartition(files)
    if write_options.get("mode") == "overwrite":
        check_replaced(spark, target, hadoop_settings(write_options))
    # The job that writes the rows also counts them.
    counts = Observation("load")
    variant = F.col(quoted(rows.columns[0]))
    rows = rows.observe(
        counts,
        F.count(F.lit(1)).alias("rows"),
        F.count(F.when(variant.isNull(), 1)).alias("malformed"),
    )
    started = time.monotonic()
    with step("loading"):
        write_variant(rows, target, **write_options)
    seconds = time.monotonic() - started
    found = counts.get
    return LoadResult(target, found["rows"], found["malformed"], seconds)


def _is_read_option(option: str) -> bool:
    """Return whether `read_variant`, `load_json` or Spark's JSON source has this option."""
    from pyspark.sql import DataFrameReader

    names = {*_SPARK_JSON_OPTIONS, *_LOAD_JSON_OPTIONS}
    for function in (read_variant, DataFrameReader.json):
        parameters = signature(function).parameters.values()
        names |= {each.name for each in parameters if each.default is not each.empty}
    return normalized(option) in {normalized(name) for name in names}


def split_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split options into those of `load_json` and those of `write_variant`.

    Parameters
    ----------
    options
        The options by name. Those that only Spark's JSON source has go to `load_json`, which
        refuses them.

    Returns
    -------
    tuple
        The options of `load_json`, and those of `write_variant`. The time zone and the settings of
        Hadoop, such as those of a file system, are in both.
    """
    read = {name for name in options if _is_read_option(name)}
    shared = {name for name in options if _is_shared_option(name)}
    return (
        {name: options[name] for name in options if name in read | shared},
        {name: options[name] for name in options if name not in read or name in shared},
    )


def _is_shared_option(option: str) -> bool:
    return is_hadoop_setting(option) or normalized(option) == "timezone"


def spooled(stream: BinaryIO, directory: Path) -> str:
    """Copy standard input to a file, because several tasks read it.

    Parameters
    ----------
    stream
        Standard input, as bytes.
    directory
        The directory for the file.

    Returns
    -------
    str
        The URI of the file on this machine, as a glob that matches only this file. The suffix of
        its name is that of the compression.
    """
    first = stream.read(4)
    suffix = next((name for magic, name in _MAGIC.items() if first.startswith(magic)), "")
    file = directory / f"standard-input.json{suffix}"
    with file.open("wb") as copy:
        copy.write(first)
        shutil.copyfileobj(stream, copy, 1 << 20)
    return f"file:{escaped(str(file))}"
