"""Parses a column of JSON text into Variants, for ``write_variant(json=...)``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from uuid import uuid4

from pyspark.sql import functions as F
from pyspark.sql.types import StringType

from variant_shredded._names import quoted, spelling
from variant_shredded.errors import InvalidOptionError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

MALFORMED = ("fail", "null", "keep")

#: The types of a column that can hold JSON text. A column of type `void` holds only NULL.
TEXT_TYPES = ("string", "char", "varchar", "void")

#: The default name of the column for malformed text, as in Spark's JSON source.
MALFORMED_COLUMN = "_corrupt_record"

#: The maximum number of characters of a malformed text that its error shows.
SHOWN_CHARACTERS = 200

#: A text with an escape of an unpaired surrogate. Before this escape, the pattern allows other
#: characters, other escapes, and escapes of surrogate pairs.
UNPAIRED_SURROGATE = (
    r"^(?:[^\\]++|\\[^u]|\\u(?![dD][89a-fA-F])|\\u[dD][89abAB]..\\u[dD][c-fC-F])*+\\u"
)

#: A text with fewer bytes has a Variant that is within Spark's limit of size.
SMALL_BYTES = 2 * 1024 * 1024


def parse_json_column(
    df: DataFrame,
    column: str,
    *,
    name: str | None = None,
    malformed: str = "fail",
    malformed_column: str | None = None,
) -> DataFrame:
    """Put a Variant in the place of a column of JSON text.

    Each text is parsed once, in the plan of the job that uses the result. SQL NULL stays NULL. The
    text ``null`` becomes a Variant null.

    Parameters
    ----------
    df
        The rows.
    column
        The column that holds the text.
    name
        The name of the Variant. If it is not given, the Variant has the name of the text column.
    malformed
        What happens to a text that is not one JSON value: ``"fail"`` raises an error that shows
        the text, ``"null"`` returns NULL, ``"keep"`` returns NULL, and returns the text in
        `malformed_column`.
    malformed_column
        The name of the column for malformed text, which is the last column. The default is
        ``_corrupt_record``.

    Returns
    -------
    DataFrame
        The rows with the Variant.

    Raises
    ------
    InvalidOptionError
        If there is no such column, if it does not hold strings, if a column with a new name exists
        already, or if `malformed` is not one of the three values.
    """
    if malformed not in MALFORMED:
        raise InvalidOptionError(
            f'malformed: "fail", "null" or "keep" is needed, not {malformed!r}'
        )
    if malformed_column is not None and malformed != "keep":
        raise InvalidOptionError('malformed_column: only malformed="keep" writes it')
    spelled = spelling(df)
    column = _existing(df, column, spelled)
    kind = df.schema[column].dataType.typeName()
    if kind not in TEXT_TYPES:
        raise InvalidOptionError(f"json: the column {column!r} is {kind}, and a string is needed")
    name = name or column
    others = {spelled(other) for other in df.columns if other != column}
    kept = malformed_column or MALFORMED_COLUMN
    _check_free("json_as", name, others, spelled)
    given = F.col(quoted(column))
    # The functions that check a text take no collation such as UNICODE_CI.
    text = given.cast(StringType())
    if malformed == "keep":
        _check_free("malformed_column", kept, others | {spelled(name)}, spelled)
        # A column of its own lets Spark parse the text once for both columns.
        parsed = "__parsed_" + column
        _check_free("json", parsed, others, spelled)
        df = df.withColumn(parsed, _parsed(text))
        variant = F.col(quoted(parsed))
        columns = _replaced(df, column, variant.alias(name), without=parsed)
        return df.select(*columns, F.when(variant.isNull(), given).alias(kept))
    variant = _parsed(text)
    if malformed == "fail":
        variant = F.coalesce(variant, F.when(text.isNotNull(), _raise(column, text)))
    return df.select(*_replaced(df, column, variant.alias(name)))


def _parsed(text: Column) -> Column:
    """Parse a text that is one JSON value, possibly with white space around it, or return NULL.

    Spark's parser stops after the first value and ignores what follows it. So this check puts the
    text into a JSON array, before a second element with a random mark, and looks up the second
    element. It is the mark only if the text is one value: other text would break the array, close
    it, or be the second element itself. The check builds no Variant and costs less than the parser.

    Texts with unpaired surrogates become NULL. Spark 4.1 would replace these by ``?``, and later
    versions refuse them.
    """
    mark = uuid4().hex
    array = F.concat(F.lit("["), text, F.lit(f',"{mark}"]'))
    is_whole = F.get_json_object(array, "$[1]") == mark
    # A value that is nested as deeply as the parser allows is too deep inside an array. Such a text
    # is checked without its last character: if this cannot be parsed, the character belongs to the
    # value, and nothing follows the value.
    trimmed = F.rtrim(text, F.lit(" \t\r\n"))
    cut = F.substring(trimmed, 1, F.length(trimmed) - 1)
    is_nested = text.rlike("^[ \\t\\r\\n]*+[\\[{]")
    is_whole_if_nested = is_nested & F.try_parse_json(cut).isNull()
    parsed = F.try_parse_json(text)
    whole = F.when(is_whole, parsed).when(is_whole_if_nested, parsed)
    return F.when(~_has_unpaired_surrogate(text), whole)


def _has_unpaired_surrogate(text: Column) -> Column:
    # Few texts have such escapes. The first condition is fast and finds most texts without them.
    return text.contains("\\u") & text.rlike(UNPAIRED_SURROGATE)


def _reason(text: Column) -> Column:
    """Return the reason why a text is malformed, as a sentence and a space, or "" if unknown."""
    # Only duplicate keys, unpaired surrogates and values that are too large are refused by the
    # parser of Variants and accepted by from_json.
    corrupt = "__corrupt"
    checked = F.from_json(
        text,
        f"{corrupt} string",
        {"columnNameOfCorruptRecord": corrupt, "allowSingleQuotes": "false"},
    )
    is_small = F.octet_length(text) < SMALL_BYTES
    is_json = checked.isNotNull() & checked[corrupt].isNull()
    return (
        F.when(
            _has_unpaired_surrogate(text),
            F.lit("It has an escape of an unpaired surrogate. "),
        )
        .when(
            F.try_parse_json(text).isNotNull(), F.lit("Text follows the first JSON value in it. ")
        )
        .when(is_small & is_json, F.lit("An object in it has a duplicate key. "))
        .when(
            is_json,
            F.lit(
                "Its Variant would be larger than the limit of Spark, or an object in it has a "
                "duplicate key. "
            ),
        )
        .otherwise(F.lit(""))
    )


def _existing(df: DataFrame, column: str, spelled: Callable[[str], str]) -> str:
    names = df.columns
    if column in names:
        return column
    alike = [name for name in names if spelled(name) == spelled(column)]
    if len(alike) != 1:
        raise InvalidOptionError(
            f"json: there is no column {column!r}; the columns are {', '.join(names)}"
        )
    return alike[0]


def _check_free(option: str, name: str, taken: set[str], spelled: Callable[[str], str]) -> None:
    if spelled(name) in taken:
        raise InvalidOptionError(f"{option}: there is a column {name!r} already")


def _replaced(
    df: DataFrame, column: str, variant: Column, without: str | None = None
) -> list[Column]:
    return [
        variant if name == column else F.col(quoted(name)) for name in df.columns if name != without
    ]


def _raise(column: str, text: Column) -> Column:
    # The error shows a short text as a whole and in quotes, and cuts a longer one.
    shown = F.concat(
        F.lit("'"),
        F.substring(text, 1, SHOWN_CHARACTERS),
        F.when(F.length(text) > SHOWN_CHARACTERS, F.lit("'...")).otherwise(F.lit("'")),
    )
    message = F.concat(
        F.lit(f"The column '{column}' has a text that is not JSON: "),
        shown,
        F.concat(F.lit(" ("), F.length(text).cast("string"), F.lit(" characters). ")),
        _reason(text),
        F.lit(
            'Give malformed="null" to write NULL for such rows, '
            'or malformed="keep" to write their text to a column of its own.'
        ),
    )
    return F.raise_error(message).cast("variant")
