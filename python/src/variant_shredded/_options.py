"""Converts the options that users give in Python to the text that Spark expects."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from json import dumps
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

from variant_shredded._arguments import path_text
from variant_shredded.errors import InvalidOptionError

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

OptionValue: TypeAlias = "str | int | float | bool | None"

#: An option of `read_variant`, which can be `schema` or `base_path`.
ReadOptionValue: TypeAlias = "OptionValue | os.PathLike[str] | StructType"

Paths: TypeAlias = "Sequence[str] | Mapping[str, Sequence[str]]"
PathsOrText: TypeAlias = "str | Sequence[str] | Mapping[str, str | Sequence[str]]"
Pins: TypeAlias = (
    "Sequence[str] | Mapping[str, str] | Mapping[str, Sequence[str] | Mapping[str, str]]"
)

#: The options of reading that say which files are read, normalized.
FILE_SELECTION_OPTIONS = {
    "basepath",
    "ignorecorruptfiles",
    "ignoremissingfiles",
    "modifiedafter",
    "modifiedbefore",
    "pathglobfilter",
    "recursivefilelookup",
}


#: The options of reading that say how files are read, normalized.
READ_OPTIONS = {"validation", "maxdepth", "datetimerebasemode", "int96rebasemode"}


#: The options whose values can be paths, or paths of each column, normalized.
_PATH_OPTIONS = {"bloomfilter", "clusterby"}


def normalized(option: str) -> str:
    """Return the name of an option in lower case and without underscores, to compare spellings."""
    return option.replace("_", "").lower()


def is_hadoop_setting(option: str) -> bool:
    """Return whether an option is a setting of Hadoop, such as one of a file system.

    The name of such a setting has a dot, as those of Parquet and of shredding have. The settings of
    Parquet's encryption belong to it, because reading needs them too.
    """
    name = option.lower()
    is_of_encryption = name.startswith(("parquet.crypto.", "parquet.encryption."))
    return is_of_encryption or ("." in name and not name.startswith(("parquet.", "shredding.")))


def hadoop_settings(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that are settings of Hadoop: every step that opens a file needs them."""
    return {name: value for name, value in options.items() if is_hadoop_setting(name)}


def to_spark_options(options: Mapping[str, object]) -> dict[str, str]:
    """Convert options to those of Spark, and leave out those that are ``None``.

    A name in snake case becomes camel case. A name with a dot does not change. Values become
    strings, and so do the lists of paths that `bloom_filter` and `cluster_by` can have.
    """
    return {
        _camel_case(name): _to_spark_option(name, value)
        for name, value in options.items()
        if value is not None
    }


def reading_options(options: Mapping[str, object]) -> dict[str, str]:
    """Convert options of reading to those of Spark (`to_spark_options`).

    `schema` can be a ``StructType`` here, and `base_path` a ``Path``.
    """
    return to_spark_options(
        {
            name: value if value is None else _text_of_reading(name, value)
            for name, value in options.items()
        }
    )


def _text_of_reading(name: str, value: object) -> object:
    if normalized(name) == "basepath":
        return path_text(name, value)
    if normalized(name) == "schema" and not isinstance(value, str):
        if not hasattr(value, "json"):
            raise InvalidOptionError(
                f"schema: DDL or a StructType is needed, not {type(value).__name__}"
            )
        return value.json()  # toDDL needs a session of this thread
    return value


def shredding_options(
    shredding: object, include: object, exclude: object, pin: object
) -> dict[str, object]:
    """Return the options of Spark for the keywords that say what is shredded."""
    return {
        "shredding": _shredding(shredding),
        **_path_options("include", include),
        **_path_options("exclude", exclude),
        **_path_options("pin", pin),
    }


def _camel_case(name: str) -> str:
    return name if "." in name else re.sub(r"(?<=[a-z0-9])_([a-z])", lambda m: m[1].upper(), name)


def _to_spark_option(name: str, value: object) -> str:
    if normalized(name) in _PATH_OPTIONS:
        return _paths_or_text(name, value)
    if isinstance(value, bool):  # comes first, because bool is a subclass of int
        return "true" if value else "false"
    if isinstance(value, str):
        return str.__str__(value)  # a member of an enumeration has another text of its own
    if isinstance(value, Real):  # numbers of numpy are of this class too
        return str(value)
    raise InvalidOptionError(
        f"option {name}: a string, number or boolean is needed, not {type(value).__name__}"
    )


def _shredding(shredding: object) -> str | None:
    if shredding is None or isinstance(shredding, str):
        return shredding
    if not isinstance(shredding, Mapping):
        raise InvalidOptionError(
            'shredding: "infer", "none", "like:PATH", DDL, or a mapping of columns to these is '
            f"needed, not {type(shredding).__name__}"
        )
    for column, ddl in shredding.items():
        if not isinstance(column, str) or not isinstance(ddl, str):
            raise InvalidOptionError(
                f"shredding: column {column!r}: its fields are given as a DDL string, not {ddl!r}"
            )
    return dumps(dict(shredding))


def _paths_or_text(name: str, value: object) -> str:
    """Convert paths, or a mapping of columns to paths, to the text of the option."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return dumps({column: _paths_or_text(name, paths) for column, paths in value.items()})
    return _paths(name, value)


def _path_options(kind: str, value: object) -> dict[str, str]:
    """Return the option ``shredding.<kind>``, or such an option for each column of a mapping."""
    if value is None:
        return {}
    if isinstance(value, Mapping):
        by_column = {key: paths for key, paths in value.items() if not _is_path(key)}
        if by_column and len(by_column) < len(value):
            raise InvalidOptionError(
                f"{kind}: {next(iter(by_column))!r} is not a path such as '$.a'"
            )
        if by_column or not value:
            return {
                f"shredding.{column}.{kind}": _paths(kind, paths)
                for column, paths in by_column.items()
            }
    return {f"shredding.{kind}": _paths(kind, value)}


def _paths(kind: str, value: object) -> str:
    if isinstance(value, Mapping) and kind == "pin":
        entries = [
            f"{path} {ddl}" if _is_path(path) and isinstance(ddl, str) else None
            for path, ddl in value.items()
        ]
    elif isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        entries = [path if _is_path(path) else None for path in value]
    else:
        entries = [None]
    texts = [entry for entry in entries if entry is not None]
    if not texts or len(texts) < len(entries):
        wanted = (
            "a mapping of paths to types such as {'$.ts': 'timestamp'}"
            if kind == "pin"
            else "a list of paths such as ['$.a']"
        )
        raise InvalidOptionError(f"{kind}: {wanted} is needed, not {value!r}")
    return ", ".join(texts)


def _is_path(value: object) -> bool:
    return isinstance(value, str) and value.lstrip().startswith("$")
