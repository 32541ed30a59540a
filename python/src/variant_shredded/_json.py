"""JSON text that becomes a Variant on its way to the files."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from pyspark.sql import functions as F

from variant_shredded._names import quoted
from variant_shredded.errors import InvalidOptionError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

MALFORMED = ("fail", "null", "keep")

#: The types of a column that holds JSON text; a column of type `void` holds only NULL.
TEXTS = ("string", "char", "varchar", "void")

#: Spark's name for the column of what its JSON reader could not parse.
MALFORMED_COLUMN = "_corrupt_record"

#: The error for text that is not JSON shows as many characters of it.
SHOWN_CHARACTERS = 200

#: An escape of half a character: before it come other text, other escapes, and pairs of halves.
HALF_CHARACTER = r"^(?:[^\\]++|\\[^u]|\\u(?![dD][89a-fA-F])|\\u[dD][89abAB]..\\u[dD][c-fC-F])*+\\u"

#: A Variant of a text of fewer bytes is within Spark's limit of size.
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

    Each text is parsed once, in the plan of the job that uses the result. SQL NULL stays NULL;
    the text ``null`` is a Variant null.

    Parameters
    ----------
    df
        The rows.
    column
        The column that holds the text.
    name
        What the Variant is called; as the text was, if not given.
    malformed
        What becomes of text that is not one JSON value: ``"fail"``, an error that shows the
        text; ``"null"``, NULL; ``"keep"``, NULL too, and the text goes to `malformed_column`.
    malformed_column
        The name of that column, which comes last; ``_corrupt_record`` if not given.

    Returns
    -------
    DataFrame
        The rows with the Variant.

    Raises
    ------
    InvalidOptionError
        If there is no such column, it does not hold strings, a new name is taken already, or
        `malformed` is none of the three.
    """
    if malformed not in MALFORMED:
        raise InvalidOptionError(
            f'malformed: "fail", "null" or "keep" is needed, not {malformed!r}'
        )
    if malformed_column is not None and malformed != "keep":
        raise InvalidOptionError('malformed_column: only malformed="keep" writes it')
    column = _existing(df, column)
    kind = df.schema[column].dataType.typeName()
    if kind not in TEXTS:
        raise InvalidOptionError(f"json: the column {column!r} is {kind}, and a string is needed")
    name = name or column
    others = {other.lower() for other in df.columns if other != column}
    kept = malformed_column or MALFORMED_COLUMN
    _check_free("json_as", name, others)
    text = F.col(quoted(column))
    if malformed == "keep":
        _check_free("malformed_column", kept, others | {name.lower()})
        # A step of its own, so that the text is parsed once for the two columns.
        parsed = "__parsed_" + column
        _check_free("json", parsed, others)
        df = df.withColumn(parsed, _parsed(text))
        variant = F.col(quoted(parsed))
        columns = _replaced(df, column, variant.alias(name), without=parsed)
        return df.select(*columns, F.when(variant.isNull(), text).alias(kept))
    variant = _parsed(text)
    if malformed == "fail":
        variant = F.coalesce(variant, F.when(text.isNotNull(), _raise(column, text)))
    return df.select(*_replaced(df, column, variant.alias(name)))


def _parsed(text: Column) -> Column:
    """Parse a text that is one JSON value with at most white space around it; else give NULL.

    Spark's parser stops after the first value and does not look at what follows it. So the text
    is also looked at as the first element of an array whose second element is a random mark.
    The mark is found in its place only if the text is one value: text that follows the value
    either breaks the array, or closes it, or puts another element in the place of the mark. This
    check builds no Variant and costs less than the parser does.

    Spark 4.1 makes half a character a ``?``, later versions refuse it.
    """
    mark = uuid4().hex
    array = F.concat(F.lit("["), text, F.lit(f',"{mark}"]'))
    is_whole = F.get_json_object(array, "$[1]") == mark
    # A value that is nested as deep as the parser allows is too deep inside an array. Without its
    # last character such a text cannot be parsed, unless that character follows the value.
    trimmed = F.rtrim(text, F.lit(" \t\r\n"))
    cut = F.substring(trimmed, 1, F.length(trimmed) - 1)
    is_nested = text.rlike("^[ \\t\\r\\n]*+[\\[{]")
    is_whole_if_nested = is_nested & F.try_parse_json(cut).isNull()
    parsed = F.try_parse_json(text)
    whole = F.when(is_whole, parsed).when(is_whole_if_nested, parsed)
    return F.when(~_has_half_character(text), whole)


def _has_half_character(text: Column) -> Column:
    # Few texts have such escapes, and the first condition, which is faster, tells those without.
    return text.contains("\\u") & text.rlike(HALF_CHARACTER)


def _reason(text: Column) -> Column:
    """Say why a text was not parsed, where that is known: a sentence with a space after it."""
    # Nothing but duplicate keys and halves of characters distinguishes the two parsers of a text
    # that is small.
    corrupt = "__corrupt"
    checked = F.from_json(
        text,
        f"{corrupt} string",
        {"columnNameOfCorruptRecord": corrupt, "allowSingleQuotes": "false"},
    )
    is_small = F.octet_length(text) < SMALL_BYTES
    return (
        F.when(
            _has_half_character(text),
            F.lit("It has an escape of half a character (a surrogate without the other). "),
        )
        .when(
            F.try_parse_json(text).isNotNull(), F.lit("Text follows the first JSON value in it. ")
        )
        .when(
            is_small & checked.isNotNull() & checked[corrupt].isNull(),
            F.lit("An object in it has a duplicate key. "),
        )
        .otherwise(F.lit(""))
    )


def _existing(df: DataFrame, column: str) -> str:
    names = df.columns
    if column in names:
        return column
    alike = [name for name in names if name.lower() == column.lower()]
    if len(alike) != 1:
        raise InvalidOptionError(f"json: no column {column!r}, there are {', '.join(names)}")
    return alike[0]


def _check_free(option: str, name: str, taken: set[str]) -> None:
    if name.lower() in taken:
        raise InvalidOptionError(f"{option}: there is a column {name!r} already")


def _replaced(
    df: DataFrame, column: str, variant: Column, without: str | None = None
) -> list[Column]:
    return [
        variant if name == column else F.col(quoted(name)) for name in df.columns if name != without
    ]


def _raise(column: str, text: Column) -> Column:
    # A shorter text is shown whole, with its quotes.
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
