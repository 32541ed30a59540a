"""Reads the shredding schemas of files from their Parquet schemas."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOGICAL = {
    "INTEGER(8,true)": "tinyint",
    "INTEGER(16,true)": "smallint",
    "INTEGER(32,true)": "int",
    "INTEGER(64,true)": "bigint",
    "STRING": "string",
    "DATE": "date",
    "UUID": "uuid",
    "TIME(MICROS,false)": "time",
    "TIMESTAMP(MICROS,true)": "timestamp",
    "TIMESTAMP(NANOS,true)": "timestamp_ns",
    "TIMESTAMP(MICROS,false)": "timestamp_ntz",
    "TIMESTAMP(NANOS,false)": "timestamp_ntz_ns",
}
_PHYSICAL = {
    "BOOLEAN": "boolean",
    "INT32": "int",
    "INT64": "bigint",
    "FLOAT": "float",
    "DOUBLE": "double",
    "BINARY": "binary",
}


@dataclass(frozen=True)
class Shredding:
    """Describes how a Variant column is shredded in some files.

    Attributes
    ----------
    fields
        The names and types of the shredded fields of the top object, as in the option
        ``shredding``. There is one entry without a name if the whole Variant has one type, and
        none if the Variant is unshredded.
    typed_columns
        The number of typed columns.
    files
        The number of files with this shredding schema.
    """

    fields: tuple[tuple[str, str], ...]
    typed_columns: int
    files: int


def shreddings(spark: SparkSession, files: Iterable[Path], column: str) -> list[Shredding]:
    """Return the shredding schemas of `column` in `files`, the most frequent one first."""
    groups: dict[str, Any] = {}
    counts: Counter[str] = Counter()
    for file in files:
        group = _parquet_schema(spark, file).getType(column)
        text = str(group.toString())
        groups[text] = group
        counts[text] += 1
    return [_shredding(groups[text], number) for text, number in counts.most_common()]


def _parquet_schema(spark: SparkSession, file: Path) -> Any:  # noqa: ANN401  # a Java object
    jvm: Any = spark._jvm
    conf = spark._jsc.hadoopConfiguration()
    path = jvm.org.apache.hadoop.fs.Path(file.as_uri())
    source = jvm.org.apache.parquet.hadoop.util.HadoopInputFile.fromPath(path, conf)
    reader = jvm.org.apache.parquet.hadoop.ParquetFileReader.open(source)
    try:
        return reader.getFooter().getFileMetaData().getSchema()
    finally:
        reader.close()


def _shredding(group: Any, files: int) -> Shredding:  # noqa: ANN401
    group = group.asGroupType()
    if not group.containsField("typed_value"):
        return Shredding((), 0, files)
    typed = group.getType("typed_value")
    fields = _fields(typed) if _is_object(typed) else [("", _type(typed))]
    return Shredding(tuple(fields), _count_typed(group), files)


def _fields(group: Any) -> list[tuple[str, str]]:  # noqa: ANN401
    names = [(field.getName(), field) for field in group.asGroupType().getFields()]
    return [(_quoted(name), _position(field)) for name, field in names]


def _position(group: Any) -> str:  # noqa: ANN401
    """Return the type of a position, a group with ``value`` and possibly ``typed_value``."""
    group = group.asGroupType()
    return _type(group.getType("typed_value")) if group.containsField("typed_value") else "variant"


def _type(typed: Any) -> str:  # noqa: ANN401
    if typed.isPrimitive():
        return _primitive(typed)
    if _is_object(typed):
        return f"struct<{', '.join(f'{name} {kind}' for name, kind in _fields(typed))}>"
    element = typed.asGroupType().getType(0).asGroupType().getType(0)
    return f"array<{_position(element)}>"


def _primitive(typed: Any) -> str:  # noqa: ANN401
    logical = typed.getLogicalTypeAnnotation()
    if logical is None:
        return _PHYSICAL[typed.asPrimitiveType().getPrimitiveTypeName().toString()]
    text = str(logical.toString())
    if text.startswith("DECIMAL"):
        return text.lower()
    return _LOGICAL[text]


def _is_object(typed: Any) -> bool:  # noqa: ANN401
    return not typed.isPrimitive() and typed.getLogicalTypeAnnotation() is None


def _count_typed(node: Any) -> int:  # noqa: ANN401
    """Count the typed columns below a group."""
    if node.isPrimitive():
        return int(node.getName() == "typed_value")
    return sum(_count_typed(field) for field in node.asGroupType().getFields())


def _quoted(name: str) -> str:
    plain = re.fullmatch(r"\w+", name) is not None
    return name if plain else "`" + name.replace("`", "``") + "`"
