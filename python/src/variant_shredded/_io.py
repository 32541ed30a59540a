"""Implements `read_variant` and `write_variant` with Spark's public DataFrame API."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from json import dumps
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from variant_shredded._names import quoted
from variant_shredded._needs import jar_needed, require_kind
from variant_shredded.errors import InvalidOptionError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

FORMAT = "variant-shredded"

OptionValue: TypeAlias = "str | int | float | bool | None"

#: An option of `read_variant`, which can be `schema` or `base_path`.
ReadOptionValue: TypeAlias = "OptionValue | os.PathLike[str] | StructType"

Paths: TypeAlias = "Sequence[str] | Mapping[str, Sequence[str]]"
PathsOrText: TypeAlias = "str | Sequence[str] | Mapping[str, str | Sequence[str]]"
Pins: TypeAlias = (
    "Sequence[str] | Mapping[str, str] | Mapping[str, Sequence[str] | Mapping[str, str]]"
)


def read_variant(
    spark: SparkSession,
    *paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    table: str | None = None,
    schema: str | StructType | None = None,
    validation: Literal["strict", "permissive"] | None = None,
    max_depth: int | None = None,
    merge_schema: bool | None = None,
    ignore_corrupt_files: bool | None = None,
    ignore_missing_files: bool | None = None,
    recursive_file_lookup: bool | None = None,
    path_glob_filter: str | None = None,
    modified_after: str | None = None,
    modified_before: str | None = None,
    time_zone: str | None = None,
    base_path: str | os.PathLike[str] | None = None,
    datetime_rebase_mode: Literal["EXCEPTION", "LEGACY", "CORRECTED"] | None = None,
    int96_rebase_mode: Literal["EXCEPTION", "LEGACY", "CORRECTED"] | None = None,
    **options: OptionValue,
) -> DataFrame:
    """Read Parquet files with or without Variant columns, shredded or not, or a table.

    Each keyword is the option of the data source with the same name in camel case:
    ``merge_schema`` is ``mergeSchema``. ``docs/options.md`` has the values and the defaults.

    Parameters
    ----------
    spark
        A session that has the JAR (see `session`).
    *paths
        Files, directories or globs, one by one or as a list. At least one is needed if there is no
        `table`.
    table
        The name of a table to read instead of paths.
    schema
        The columns to read, as DDL (``"id bigint, v variant"``) or a ``StructType``. If it is not
        given, Spark takes the schema from the files.
    validation
        What happens if a file breaks a rule of the shredding specification: ``"strict"`` (the
        default) raises an error, and ``"permissive"`` reads the value where the specification says
        how.
    max_depth
        The maximum nesting depth of a Variant.
    merge_schema
        Whether the schemas of all files are merged.
    ignore_corrupt_files
        Whether the rest of a file is skipped after an error in the file.
    ignore_missing_files
        Whether files that were deleted after they were listed are skipped.
    recursive_file_lookup
        Whether the files of all subdirectories are read, without partition columns.
    path_glob_filter
        A glob for the names of the files to read.
    modified_after
        A timestamp: only files that were modified after it are read.
    modified_before
        A timestamp: only files that were modified before it are read.
    time_zone
        The time zone of `modified_after` and `modified_before`, and of timestamps in the names of
        partition directories.
    base_path
        The directory below which directories named ``name=value`` are partition columns.
    datetime_rebase_mode
        How to read dates and timestamps that Spark before 3.0 wrote in the hybrid calendar:
        ``"EXCEPTION"``, ``"LEGACY"`` or ``"CORRECTED"``.
    int96_rebase_mode
        The same setting for INT96 timestamps.
    **options
        Other options by the names that Spark gives them, such as those of Hadoop's file systems.

    Returns
    -------
    DataFrame
        The rows, as ``spark.read.format("variant-shredded").load(...)`` returns them.

    Raises
    ------
    InvalidOptionError
        If neither a path nor a table is given, or both; if a table is given with a schema; or if
        an argument or option is of a wrong kind.
    SessionWithoutJarError
        If a classic session runs without the JAR. Over Spark Connect, the first action on the
        result raises the condition ``DATA_SOURCE_NOT_FOUND`` instead.
    """
    given = keyword_options(read_variant, locals())
    require_kind(spark, "SparkSession", "read")
    if table is not None and (paths or schema is not None):
        raise InvalidOptionError("read_variant: with `table`, give neither paths nor `schema`")
    files = [] if table is not None else path_list("read_variant", paths)
    settings = reading_options({**given, "table": None})
    with jar_needed():
        if table is not None:
            return spark.read.options(**settings).table(table)
        return spark.read.format(FORMAT).options(**settings).load(files)


def write_variant(
    df: DataFrame,
    path: str | os.PathLike[str],
    *,
    json: str | None = None,
    json_as: str | None = None,
    malformed: Literal["fail", "null", "keep"] | None = None,
    malformed_column: str | None = None,
    shredding: str | Mapping[str, str] | None = None,
    include: Paths | None = None,
    exclude: Paths | None = None,
    pin: Pins | None = None,
    mode: Literal["errorifexists", "error", "append", "overwrite", "ignore"] = "errorifexists",
    partition_by: str | Sequence[str] | None = None,
    partition_overwrite_mode: Literal["static", "dynamic"] | None = None,
    compression: str | None = None,
    layout: Literal["spec", "overview"] | None = None,
    bloom_filter: PathsOrText | None = None,
    clustering: Literal["none", "shape"] | None = None,
    cluster_by: PathsOrText | None = None,
    cluster_bytes: int | str | None = None,
    max_records_per_file: int | None = None,
    time_zone: str | None = None,
    reuse_shredding: bool | None = None,
    max_shredded_columns: int | None = None,
    max_shredded_depth: int | None = None,
    min_frequency: float | None = None,
    min_type_share: float | None = None,
    min_object_share: float | None = None,
    max_object_keys: int | None = None,
    infer_rows: int | None = None,
    infer_bytes: int | str | None = None,
    drift_rows: int | None = None,
    drift_files: int | None = None,
    **options: OptionValue,
) -> None:
    """Write Parquet files with shredded Variants.

    Each keyword from `shredding` on, except `mode` and `partition_by`, is the option of the data
    source with the same name in camel case: `cluster_by` is ``clusterBy``. `include`, `exclude`
    and `pin` are options with the prefix ``shredding.``, such as ``shredding.include``.
    ``docs/options.md`` has the values and the defaults.

    Parameters
    ----------
    df
        The rows to write.
    path
        The directory to write to.
    json
        The name of a column with JSON text. A Variant is written in place of this column. The
        writing job parses the text; NULL stays NULL.
    json_as
        The name of the Variant that is parsed from `json`, in the files and in `shredding`. If it
        is not given, the Variant has the name of the text column.
    malformed
        What happens to a text in `json` that is not exactly one JSON value, such as two values, or
        an object with a duplicate key: ``"fail"`` (the default) ends the job with an error that
        shows the text; ``"null"`` writes NULL; ``"keep"`` writes NULL, and writes the text to
        `malformed_column`.
    malformed_column
        The name of the column for malformed text, which is the last column. The default is
        ``_corrupt_record``.
    shredding
        The shredding schema. ``"infer"`` (the default) chooses it from the data, ``"none"`` writes
        unshredded Variants, ``"like:PATH"`` takes the schema of the files at a path, and DDL such
        as ``"ts timestamp, actor struct<id bigint>"`` gives the fields to shred. If there are
        several Variant columns, a mapping gives one of these to each column:
        ``{"v": "ts timestamp", "s.w": "infer"}``. The name of a column in a struct has dots.
    include
        Paths that schema inference shreds even if they are rare: ``["$.user.id"]``. A mapping gives
        the paths of each column: ``{"v": ["$.user.id"]}``.
    exclude
        Paths that schema inference does not shred, with all paths below them. It has the same forms
        as `include`.
    pin
        Paths that are shredded with a given type, whatever the data are: ``{"$.ts": "timestamp"}``
        or ``["$.ts timestamp"]``. A mapping whose keys do not begin with ``$`` gives the paths of
        each column: ``{"v": {"$.ts": "timestamp"}}``.
    mode
        What to do if the path exists, even as an empty directory: ``"errorifexists"`` (or
        ``"error"``), ``"append"``, ``"overwrite"`` or ``"ignore"``.
    partition_by
        The column or columns to partition the directory by.
    partition_overwrite_mode
        Which partitions an overwrite replaces: ``"static"`` replaces all of them, ``"dynamic"``
        only those that get new rows.
    compression
        The Parquet codec, such as ``"zstd"`` or ``"snappy"``.
    layout
        ``"spec"`` (the default) is the layout of the Parquet specification, ``"overview"`` is the
        layout that Spark had before.
    bloom_filter
        Paths whose typed columns get bloom filters: ``["$.id", "$.tags[*]"]``. A mapping gives the
        paths of each column: ``{"v": ["$.id"]}``.
    clustering
        ``"shape"`` sorts the rows in the row buffer by the fields that they have.
    cluster_by
        Paths by whose values the rows in the row buffer are sorted. It has the same forms as
        `bloom_filter`.
    cluster_bytes
        The size of the row buffer for `clustering` and `cluster_by`, in bytes or as ``"64m"``.
    max_records_per_file
        The number of rows after which a task begins a new file.
    time_zone
        The time zone in which timestamps are written into the names of partition directories.
        Readers of the path need the same time zone, in their session or as their option
        `time_zone`.
    reuse_shredding
        Whether an append keeps the shredding schema of the newest file.
    max_shredded_columns
        The column budget: schema inference adds at most this many leaf columns to a file.
    max_shredded_depth
        Objects and arrays that are nested deeper than this are not shredded.
    min_frequency
        A path is shredded only if at least this share of the sample, from 0 to 1, has a value there
        that is not null.
    min_type_share
        A path gets a typed column of a scalar type, or of an array, only if at least this share of
        its values, from 0 to 1, have that type.
    min_object_share
        The fields of a path are shredded only if at least this share of its values, from 0 to 1,
        are objects.
    max_object_keys
        Objects at a path that have more distinct keys than this in the sample are treated as a
        map: only keys that at least half of the objects have are shredded.
    infer_rows
        The size of the sample in rows: schema inference reads this many rows at the beginning of
        each file.
    infer_bytes
        The sample also ends when it holds this many bytes, given as a number or as ``"64m"``.
    drift_rows
        The interval, in rows of a file, at which the task checks for schema drift. With 0 it never
        checks.
    drift_files
        A task ends at most this many files because of schema drift.
    **options
        Other options by the names that Spark gives them, such as those of Parquet:
        ``**{"parquet.block.size": 1 << 26}``.

    Raises
    ------
    InvalidOptionError
        If an argument or option is of a wrong kind; if `shredding`, `include`, `exclude`, `pin`,
        `bloom_filter` or `cluster_by` does not have one of the forms above; or if `json`, `json_as`
        or `malformed_column` does not fit the columns of `df`.
    SessionWithoutJarError
        If the session runs without the JAR.
    """
    given = keyword_options(write_variant, locals())
    require_kind(df, "DataFrame", "write")
    directory = path_text("path", path)
    columns = column_names("partition_by", partition_by)
    require_text("mode", mode)
    names = {"json": json, "json_as": json_as, "malformed_column": malformed_column}
    for argument, name in names.items():
        if name is not None:
            require_text(argument, name)
    if json is not None:
        # This module needs pyspark. The package can be imported without it.
        from variant_shredded._json import parse_json_column

        df = parse_json_column(
            df,
            json,
            name=json_as,
            malformed="fail" if malformed is None else malformed,
            malformed_column=malformed_column,
        )
    elif not (json_as is None and malformed is None and malformed_column is None):
        raise InvalidOptionError("json_as, malformed and malformed_column need json")
    settings = to_spark_options(
        {
            **given,
            **dict.fromkeys(_NOT_OPTIONS),
            **shredding_options(shredding, include, exclude, pin),
        }
    )
    # Spark Connect accepts only the shorter name of this mode.
    short = "error" if mode.lower() == "errorifexists" else mode
    writer = df.write.format(FORMAT).mode(short).options(**settings)
    if columns:
        writer = writer.partitionBy(*map(_quoted, columns))
    with jar_needed():
        writer.save(directory)


#: The keywords of `write_variant` that are no options, or whose options have other names.
_NOT_OPTIONS = (
    "json",
    "json_as",
    "malformed",
    "malformed_column",
    "include",
    "exclude",
    "pin",
    "mode",
    "partition_by",
)


def keyword_options(
    function: Callable[..., object], arguments: Mapping[str, Any]
) -> dict[str, object]:
    """Return the options of a call: its keyword-only arguments and its ``**options``.

    So the signature of the function is the only list of its options.

    Parameters
    ----------
    function
        The function that was called.
    arguments
        The arguments of the call by name: ``locals()`` at the beginning of the function.

    Returns
    -------
    dict
        The options by name. Of two spellings of a name, the keyword comes last.
    """
    parameters = signature(function).parameters.values()
    names = [each.name for each in parameters if each.kind is each.KEYWORD_ONLY]
    return {**arguments["options"], **{name: arguments[name] for name in names}}


def path_list(
    function: str, paths: Sequence[str | os.PathLike[str] | Sequence[str | os.PathLike[str]]]
) -> list[str]:
    """Return the paths of a call as one list; raise an error if there is none.

    Parameters
    ----------
    function
        The name of the function that was called, for the error.
    paths
        The paths, one by one or as lists.
    """
    found: list[str] = []
    for path in paths:
        if isinstance(path, (str, os.PathLike)):
            found.append(os.fspath(path))
        elif isinstance(path, Sequence) and not isinstance(path, bytes):
            found.extend(path_text(function, each) for each in path)
        else:
            raise InvalidOptionError(
                f"{function}: a path or a list of paths is needed, not {type(path).__name__}"
            )
    if not found:
        raise InvalidOptionError(f"{function} needs at least one path")
    return found


def path_text(argument: str, path: object) -> str:
    """Return a path as a string.

    Parameters
    ----------
    argument
        The name of the argument, for the error.
    path
        A string, or a ``Path``.
    """
    text = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(text, str):
        raise InvalidOptionError(f"{argument}: a path is needed, not {type(path).__name__}")
    return text


def require_text(argument: str, value: object) -> None:
    """Raise `InvalidOptionError` if the value of an argument is not a string."""
    if not isinstance(value, str):
        raise InvalidOptionError(f"{argument}: a string is needed, not {type(value).__name__}")


def column_names(argument: str, names: object) -> list[str]:
    """Return the names of columns as a list.

    Parameters
    ----------
    argument
        The name of the argument, for the error.
    names
        One name, a list of names, or ``None``.
    """
    if names is None:
        return []
    if isinstance(names, str):
        return [names]
    if isinstance(names, Sequence) and all(isinstance(name, str) for name in names):
        return list(names)
    raise InvalidOptionError(
        f"{argument}: a string or a list of strings is needed, not {type(names).__name__} "
        f"({names!r:.50})"
    )


def whole_number(argument: str, number: object) -> int:
    """Return an argument as an integer; raise an error if it is not a whole number from 1 on.

    Parameters
    ----------
    argument
        The name of the argument, for the error.
    number
        The argument. It may be a float without decimal places, such as ``1e6``.
    """
    is_whole = isinstance(number, Integral) or (isinstance(number, float) and number.is_integer())
    if isinstance(number, bool) or not is_whole or int(cast("Integral", number)) < 1:
        raise InvalidOptionError(
            f"{argument}: a whole number from 1 on is needed, not {number!r:.50}"
        )
    return int(cast("Integral", number))


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


def _quoted(column: str) -> str:
    """Return the name of a column in SQL notation, which `partitionBy` expects here."""
    plain = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", column) is not None
    return column if plain else quoted(column)


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
