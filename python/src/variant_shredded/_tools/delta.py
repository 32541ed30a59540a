"""Implements `reshred_delta`, which rewrites the files of a table of Delta Lake."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from variant_shredded._arguments import path_text
from variant_shredded._needs import require_kind, without_jar
from variant_shredded._options import (
    FILE_SELECTION_OPTIONS,
    READ_OPTIONS,
    OptionValue,
    Paths,
    PathsOrText,
    Pins,
    normalized,
    shredding_options,
    to_spark_options,
)
from variant_shredded._tools.progress import Step, silent
from variant_shredded.errors import InvalidOptionError, VariantShreddedError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: These options are refused, because the files of a table are read by Delta Lake, normalized.
_OF_READING = FILE_SELECTION_OPTIONS | READ_OPTIONS | {"schema", "mergeschema"}

#: These options are refused, because they say when a task begins a new file, normalized.
_OF_SIZE = {"maxrecordsperfile", "driftfiles", "driftrows"}

#: The layout of the Variants that Delta Lake reads.
_LAYOUT = "spec"


@dataclass(frozen=True)
class DeltaReshredResult:
    """Holds what `reshred_delta` has done.

    Attributes
    ----------
    table
        The name or the path of the table.
    version
        The version of the table that has the new files.
    rows
        The number of rows in the files that were rewritten.
    checksum
        The checksum of these rows, which is the same before and after.
    source_files, target_files
        The number of files that were rewritten, and of the new files.
    source_bytes, target_bytes
        The number of bytes of these files.
    """

    table: str
    version: int
    rows: int
    checksum: Decimal
    source_files: int
    target_files: int
    source_bytes: int
    target_bytes: int


def reshred_delta(
    spark: SparkSession,
    table: str | os.PathLike[str],
    *,
    shredding: str | Mapping[str, str] | None = None,
    include: Paths | None = None,
    exclude: Paths | None = None,
    pin: Pins | None = None,
    compression: str | None = None,
    step: Step = silent,
    **options: OptionValue | PathsOrText,
) -> DeltaReshredResult:
    """Rewrite the files of a table of Delta Lake, in one commit that changes no rows.

    Each file is replaced by a file with the same rows, without those that a deletion vector marks.
    Before the commit, both are read and compared: they must have the same number of rows and the
    same checksum. A file that was rewritten with the same options before is not rewritten again.

    Parameters
    ----------
    spark
        A session that has the JAR (see `session`) and Delta Lake, and does not use Spark Connect.
    table
        The name of the table, or its path. A string with a slash is a path, and so is a ``Path``.
    shredding, include, exclude, pin, compression
        The same as for `write_variant`.
    step
        A function that shows progress: it is called with the name of the next step, and returns a
        context manager within which the step runs.
    **options
        Any other option of writing, as in `write_variant`, except ``max_records_per_file``,
        ``drift_rows`` and ``drift_files``, because each file becomes one file, and ``layout``,
        which can only be ``"spec"``. Settings of Hadoop, whose names have a dot, such as those of a
        file system, hold for all files of the table.

    Returns
    -------
    DeltaReshredResult
        The numbers of rows, files and bytes that were rewritten.

    Raises
    ------
    InvalidOptionError
        If an argument has a wrong type or form, or if an option is one of reading or one of those
        that are excepted above.
    VariantShreddedError
        If the session uses Spark Connect. Errors of Spark and Delta Lake are raised as they are.
    SessionWithoutJarError
        If the session runs without the JAR.
    """
    require_kind(spark, "SparkSession", "read")
    _check_options(options)
    choices = shredding_options(shredding, include, exclude, pin)
    settings = to_spark_options({**options, **choices, "compression": compression})
    jvm = getattr(spark, "_jvm", None)
    if jvm is None:
        raise VariantShreddedError(
            "reshred_delta does not work with Spark Connect: run it in a classic session, such as "
            "variant_shredded.session() returns"
        )
    rewriter = jvm.io.github.variantshredded.VariantShreddedDelta
    # Py4J returns a package for a name that it does not find.
    if type(rewriter).__name__ == "JavaPackage":
        raise without_jar("the Spark session runs")
    name = table if isinstance(table, str) else _with_slash(path_text("table", table))
    with step("rewriting"):
        done = rewriter.reshred(spark._jsparkSession, name, settings)
    return DeltaReshredResult(
        name,
        done.version(),
        done.rows(),
        Decimal(done.checksum()),
        done.sourceFiles(),
        done.targetFiles(),
        done.sourceBytes(),
        done.targetBytes(),
    )


def _check_options(options: Mapping[str, object]) -> None:
    for name, value in options.items():
        if value is None:
            continue
        if normalized(name) in _OF_READING:
            raise InvalidOptionError(
                f"{name} is an option of reading, and Delta Lake reads the files of its tables"
            )
        if normalized(name) in _OF_SIZE:
            raise InvalidOptionError(f"{name}: reshred_delta replaces each file by one file")
        if normalized(name) == "layout" and str(value).strip().lower() != _LAYOUT:
            raise InvalidOptionError(
                f"{name}: Delta Lake reads only files of the layout {_LAYOUT}, not {value!r:.50}"
            )


def _with_slash(path: str) -> str:
    """Return a path in a form that is not taken for the name of a table."""
    return path if "/" in path else f"./{path}"
