"""Variants taken apart, by a decoder of their encoding that has nothing to do with ours."""

from __future__ import annotations

import struct
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from operator import itemgetter
from typing import Any
from uuid import UUID

from pyspark.sql import DataFrame
from pyspark.sql.types import VariantVal

#: Types by their number in the header of a primitive (Variant encoding, "Encoding types").
PRIMITIVES = (
    *("null", "true", "false", "int8", "int16", "int32", "int64", "double"),
    *("decimal4", "decimal8", "decimal16", "date", "timestamp", "timestamp_ntz", "float"),
    *("binary", "string", "time", "timestamp_ns", "timestamp_ntz_ns", "uuid"),
)
INTEGERS = {"int8": 1, "int16": 2, "int32": 4, "int64": 8}
DECIMALS = {"decimal4": 4, "decimal8": 8, "decimal16": 16}
LONGS = {"timestamp", "timestamp_ntz", "time", "timestamp_ns", "timestamp_ntz_ns"}

Tree = tuple[str, Any]


def tree(variant: VariantVal | None, *, widths: bool = False) -> Tree | None:
    """Give a Variant as (type, value), its fields and elements likewise; ``None`` if it is NULL.

    Unless `widths` is set, integers of all widths are one type, and so are decimals of all widths:
    a writer may choose another width.
    """
    if variant is None:
        return None
    value, metadata = bytes(variant.value), bytes(variant.metadata)
    return _decode(value, _names(metadata), widths)


def split(stored: bytes) -> VariantVal:
    """Cut metadata and value apart, which follow one another."""
    width = (stored[0] >> 6) + 1
    count = _unsigned(stored, 1, width)
    end = 1 + width * (count + 2) + _unsigned(stored, 1 + width * (count + 1), width)
    return VariantVal(stored[end:], stored[:end])


def trees(data: DataFrame, column: str = "v") -> list[Tree | None]:
    """Collect a column, in the order of the column `id`."""
    # Sorted here: for a few rows Spark takes longer.
    return [tree(row[1]) for row in sorted(data.select("id", column).collect(), key=itemgetter(0))]


def _names(metadata: bytes) -> list[str]:
    width = (metadata[0] >> 6) + 1
    count = _unsigned(metadata, 1, width)
    offsets = [_unsigned(metadata, 1 + width * (i + 1), width) for i in range(count + 1)]
    start = 1 + width * (count + 2)
    return [metadata[start + a : start + b].decode() for a, b in pairwise(offsets)]


def _unsigned(data: bytes, at: int, width: int) -> int:
    return int.from_bytes(data[at : at + width], "little")


def _decode(value: bytes, names: list[str], widths: bool) -> Tree:
    basic, header = value[0] & 3, value[0] >> 2
    if basic == 0:
        return _primitive(PRIMITIVES[header], value[1:], widths)
    if basic == 1:
        return "string", value[1 : 1 + header].decode()
    wide = header >> (4 if basic == 2 else 2) & 1
    count = _unsigned(value, 1, 4 if wide else 1)
    at = 5 if wide else 2
    offset_width = (header & 3) + 1
    ids = []
    if basic == 2:
        id_width = (header >> 2 & 3) + 1
        ids = [_unsigned(value, at + i * id_width, id_width) for i in range(count)]
        at += count * id_width
    offsets = [_unsigned(value, at + i * offset_width, offset_width) for i in range(count + 1)]
    start = at + (count + 1) * offset_width
    children = [_decode(value[start + offset :], names, widths) for offset in offsets[:count]]
    if basic == 3:
        return "array", children
    fields = [names[i] for i in ids]
    assert fields == sorted(fields, key=str.encode), fields
    return "object", dict(zip(fields, children, strict=True))


def _primitive(kind: str, data: bytes, widths: bool) -> Tree:
    if kind in ("true", "false"):
        return "boolean", kind == "true"
    if kind in INTEGERS:
        number = int.from_bytes(data[: INTEGERS[kind]], "little", signed=True)
        return (kind if widths else "int"), number
    if kind in DECIMALS:
        unscaled = int.from_bytes(data[1 : 1 + DECIMALS[kind]], "little", signed=True)
        return (kind if widths else "decimal"), (unscaled, data[0])
    if kind in LONGS:
        return kind, struct.unpack_from("<q", data)[0]
    match kind:
        case "null":
            return kind, None
        case "double":
            return kind, _exact(struct.unpack_from("<d", data)[0])
        case "float":
            return kind, _exact(struct.unpack_from("<f", data)[0])
        case "date":
            return kind, date(1970, 1, 1) + timedelta(days=struct.unpack_from("<i", data)[0])
        case "uuid":
            return kind, UUID(bytes=data[:16])
    size = _unsigned(data, 0, 4)
    content = data[4 : 4 + size]
    return kind, content.decode() if kind == "string" else content


def _exact(number: float) -> str:
    """Give a text that tells -0.0 from 0.0, and in which NaN is equal to itself."""
    return number.hex()


def python(value: Tree | None) -> object:
    """Give a value as Python has it, without the types that Python lacks."""
    if value is None:
        return None
    kind, content = value
    match kind:
        case "object":
            return {name: python(child) for name, child in content.items()}
        case "array":
            return [python(child) for child in content]
        case "double" | "float":
            return float.fromhex(content)
        case "decimal":
            unscaled, scale = content
            return Decimal(unscaled).scaleb(-scale)
    return content
