"""Reading and writing, by nothing but Spark's public DataFrame API."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from variant_shredded.errors import InvalidOptionError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

FORMAT = "variant-shredded"

OptionValue: TypeAlias = "str | int | float | bool | None"


def read_variant(
    spark: SparkSession,
    *paths: str | os.PathLike[str],
    schema: str | StructType | None = None,
    mode: str | None = None,
    **options: OptionValue,
) -> DataFrame:
    """Read Parquet files, shredded Variants among their columns or not.

    Parameters
    ----------
    spark
        A session that has the JAR (see `session`).
    *paths
        Files, directories or globs; at least one.
    schema
        The columns to read, as DDL (``"id bigint, v variant"``) or a ``StructType``. If not
        given, it is taken from the files.
    mode
        ``"strict"`` (the source's default) or ``"permissive"``: what to do with a file that
        breaks a rule of the shredding specification.
    **options
        Any other option of the data source.

    Returns
    -------
    DataFrame
        As ``spark.read.format("variant-shredded").load(...)`` gives it.

    Raises
    ------
    InvalidOptionError
        If no path is given, or an option is not a string, number or boolean.
    """
    if not paths:
        raise InvalidOptionError("read_variant needs at least one path")
    if schema is not None and not isinstance(schema, str):
        schema = schema.toDDL()
    settings = to_spark_options({**options, "schema": schema, "mode": mode})
    return spark.read.format(FORMAT).options(**settings).load([os.fspath(path) for path in paths])


def write_variant(
    df: DataFrame,
    path: str | os.PathLike[str],
    *,
    shredding: str | Mapping[str, str] | None = None,
    mode: str = "errorifexists",
    partition_by: str | Sequence[str] | None = None,
    compression: str | None = None,
    **options: OptionValue,
) -> None:
    """Write Parquet files, their Variants shredded.

    Parameters
    ----------
    df
        What to write.
    path
        The directory to write to.
    shredding
        ``"infer"`` (the source's default) or ``"none"``, or for each Variant column the fields
        to shred, as DDL: ``{"v": "ts timestamp, actor struct<id bigint>"}``, or the same as
        JSON text. A column inside a struct is named with dots.
    mode
        What to do if there are data already: ``"errorifexists"``, ``"append"``,
        ``"overwrite"`` or ``"ignore"``.
    partition_by
        The column or columns to partition the directory by.
    compression
        The Parquet codec, such as ``"zstd"`` or ``"snappy"``.
    **options
        Any other option of the data source.

    Raises
    ------
    InvalidOptionError
        If an option is not a string, number or boolean, or `shredding` not of the form above.
    """
    settings = to_spark_options(
        {**options, "shredding": _shredding(shredding), "compression": compression}
    )
    # Spark Connect knows this mode by its shorter name only.
    short = "error" if mode.lower() == "errorifexists" else mode
    writer = df.write.format(FORMAT).mode(short).options(**settings)
    if partition_by is not None:
        columns = [partition_by] if isinstance(partition_by, str) else list(partition_by)
        writer = writer.partitionBy(*map(_quoted, columns))
    writer.save(os.fspath(path))


def to_spark_options(options: Mapping[str, object]) -> dict[str, str]:
    """Spell option values as Spark reads them; those that are ``None`` are left out."""
    return {
        name: _to_spark_option(name, value) for name, value in options.items() if value is not None
    }


def _to_spark_option(name: str, value: object) -> str:
    if isinstance(value, bool):  # before int, which it is too
        return "true" if value else "false"
    if isinstance(value, (str, int, float)):
        return str(value)
    raise InvalidOptionError(
        f"option {name}: a string, number or boolean is needed, not {type(value).__name__}"
    )


def _quoted(column: str) -> str:
    """Write a column's name as SQL wants it, which is how Spark reads it here."""
    plain = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", column) is not None
    return column if plain else "`" + column.replace("`", "``") + "`"


def _shredding(shredding: object) -> str | None:
    if shredding is None or isinstance(shredding, str):
        return shredding
    if not isinstance(shredding, Mapping):
        raise InvalidOptionError(
            f'shredding: "infer", "none", JSON text, or a mapping of columns to DDL is needed, '
            f"not {type(shredding).__name__}"
        )
    for column, ddl in shredding.items():
        if not isinstance(column, str) or not isinstance(ddl, str):
            raise InvalidOptionError(
                f"shredding: column {column!r}: its fields are given as a DDL string, not {ddl!r}"
            )
    return json.dumps(dict(shredding))
