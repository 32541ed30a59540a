"""`load`: JSON files, or standard input, written as shredded Variants."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from variant_shredded._io import plain, read_variant, write_variant
from variant_shredded._loading import load_json
from variant_shredded._names import quoted
from variant_shredded._tools.paths import check_apart
from variant_shredded._tools.progress import Step, silent
from variant_shredded._tools.replaced import check_replaced
from variant_shredded.errors import InvalidOptionError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import SparkSession

#: The path that stands for standard input.
STANDARD_INPUT = "-"

#: Options of Spark's JSON source that are no parameters of `DataFrameReader.json`.
_OF_SPARKS_JSON = ("charset", "singleVariantColumn")

#: Options of JSON files that are no parameters of `read_variant`.
_OF_JSON_FILES = ("ignoreInvalidPartitionPaths",)

_MAGIC = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst"}


@dataclass(frozen=True)
class LoadResult:
    """Holds what `load` has done.

    Attributes
    ----------
    target
        The directory.
    rows
        Number of rows that were written.
    malformed
        How many of them are texts that are not JSON.
    seconds
        How long reading and writing took.
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
    reading: Mapping[str, Any],
    writing: Mapping[str, Any],
    files: int | None = None,
    step: Step = silent,
) -> LoadResult:
    """Read JSON files, and write their values as shredded Variants.

    Parameters
    ----------
    spark
        A session that has the JAR (see `session`).
    sources
        Files, directories or globs.
    target
        The directory to write to.
    reading, writing
        Keywords of `load_json` and of `write_variant`.
    files
        The approximate number of files to write, for each partition if there are partitions.
    step
        A function that shows progress: it is called with the name of the next step, and returns a
        context manager within which the step runs.

    Returns
    -------
    LoadResult
        How many rows there are, and how long it took.

    Raises
    ------
    InvalidOptionError
        If `files` is less than 1, if the target and a source are inside each other, if the target
        is to be replaced and has files that are not Parquet files, or if a keyword cannot be turned
        into an option.
    """
    from pyspark.sql import Observation
    from pyspark.sql import functions as F

    if files is not None and files < 1:
        raise InvalidOptionError(f"files: a number from 1 on is needed, not {files}")
    for source in sources:
        check_apart(source, target)
    rows = load_json(spark, *sources, **reading)
    if files is not None:
        rows = rows.repartition(files)
    if writing.get("mode") == "overwrite":
        check_replaced(spark, target)
    # Counted by the job that writes.
    counts = Observation("load")
    variant = F.col(quoted(rows.columns[0]))
    rows = rows.observe(
        counts,
        F.count(F.lit(1)).alias("rows"),
        F.count(F.when(variant.isNull(), 1)).alias("malformed"),
    )
    started = time.monotonic()
    with step("loading"):
        write_variant(rows, target, **writing)
    seconds = time.monotonic() - started
    found = counts.get
    return LoadResult(target, found["rows"], found["malformed"], seconds)


def _is_of_reading(option: str) -> bool:
    """Return whether `read_variant` or Spark's JSON source has an option of this name."""
    from pyspark.sql import DataFrameReader

    names = {*_OF_SPARKS_JSON, *_OF_JSON_FILES}
    for function in (read_variant, DataFrameReader.json):
        parameters = signature(function).parameters.values()
        names |= {each.name for each in parameters if each.default is not each.empty}
    return plain(option) in {plain(name) for name in names}


def divided(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Divide options into those of `load_json` and those of `write_variant`.

    Parameters
    ----------
    options
        Options by name. `load_json` gets those that it has, and refuses those that only Spark's
        JSON source has.

    Returns
    -------
    tuple
        The options of both. The time zone, and settings of Hadoop such as those of a file system,
        are in both of them.
    """
    reading = {name for name in options if _is_of_reading(name)}
    both = {name for name in options if _is_of_both(name)}
    return (
        {name: options[name] for name in options if name in reading | both},
        {name: options[name] for name in options if name not in reading},
    )


def _is_of_both(option: str) -> bool:
    if "." in option:
        return not option.lower().startswith(("parquet.", "shredding."))
    return plain(option) == "timezone"


def spooled(stream: BinaryIO, directory: Path) -> str:
    """Copy standard input to a file, because several tasks read it.

    Parameters
    ----------
    stream
        Standard input, as bytes.
    directory
        Where the file is made.

    Returns
    -------
    str
        The path of the file on this machine, whose name says how to decompress it.
    """
    first = stream.read(4)
    suffix = next((name for magic, name in _MAGIC.items() if first.startswith(magic)), "")
    file = directory / f"standard-input.json{suffix}"
    with file.open("wb") as copy:
        copy.write(first)
        shutil.copyfileobj(stream, copy, 1 << 20)
    return f"file:{file}"
