"""`reshred_delta`: the files of a table of Delta Lake written anew, in one commit of Delta Lake."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from variant_shredded._io import (
    OptionValue,
    Paths,
    Pins,
    shredding_options,
    to_spark_options,
)
from variant_shredded._needs import without_jar
from variant_shredded._tools.progress import Step, silent
from variant_shredded.errors import VariantShreddedError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class DeltaReshredResult:
    """Holds what `reshred_delta` has done.

    Attributes
    ----------
    table
        The table.
    version
        The version of the table that has the new files.
    rows
        Number of rows in the files that were rewritten.
    checksum
        The checksum of these rows, the same before and after.
    source_files, target_files
        Number of files that were rewritten, and of files in their place.
    source_bytes, target_bytes
        Bytes of these files.
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
    **options: OptionValue,
) -> DeltaReshredResult:
    """Rewrite the files of a table of Delta Lake, in one commit that changes no rows.

    Each file is replaced by one with the same rows, without those that a deletion vector marks.
    Before the commit, both are read and compared: they must have as many rows, and the same
    checksum. Files that were rewritten before with the same options are not rewritten again.

    Parameters
    ----------
    spark
        A session that has the JAR (see `session`) and Delta Lake, and does not use Spark Connect.
    table
        The name of a table, or its path, which has a slash or is a ``Path``.
    shredding, include, exclude, pin, compression
        As in `write_variant`.
    step
        A function that shows progress: it is called with the name of the next step, and returns a
        context manager within which the step runs.
    **options
        Any other option of writing.

    Returns
    -------
    DeltaReshredResult
        How many rows, files and bytes were rewritten.

    Raises
    ------
    InvalidOptionError
        If an argument cannot be turned into an option.
    VariantShreddedError
        If the session uses Spark Connect. Other errors are those of Spark and Delta Lake.
    """
    choices = shredding_options(shredding, include, exclude, pin)
    settings = to_spark_options({**options, **choices, "compression": compression})
    jvm = getattr(spark, "_jvm", None)
    if jvm is None:
        raise VariantShreddedError(
            "reshred_delta cannot use Spark Connect: run it in a session of its own, such as that "
            "of variant_shredded.session()"
        )
    rewriter = jvm.io.github.variantshredded.VariantShreddedDelta
    # Py4J takes names that it does not find for packages.
    if type(rewriter).__name__ == "JavaPackage":
        raise without_jar("the Spark session runs")
    name = table if isinstance(table, str) else _with_slash(os.fspath(table))
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


def _with_slash(path: str) -> str:
    """Write a path so that it is not taken for the name of a table."""
    return path if "/" in path else f"./{path}"
