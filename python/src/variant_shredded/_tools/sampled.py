"""Counts the values of a sample at the paths of a Variant."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from variant_shredded._names import quoted
from variant_shredded._tools.model import steps

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: A path is pinned if at least this share of its values has one type.
_ONE_TYPE_SHARE = 0.98
#: The type that `schema_of_variant` returns for a Variant null.
_NULL_TYPE = "VOID"
#: A path gets a bloom filter if it has at least this number of distinct values, relative to its
#: values and in all. Rows are sorted by paths with fewer distinct values.
_MANY_DISTINCT_SHARE, _MANY_DISTINCT = 0.05, 100


@dataclass(frozen=True)
class SampledValues:
    """Counts the values of the sample at a path.

    Attributes
    ----------
    types
        The number of values of each type, without Variant nulls.
    distinct
        The approximate number of distinct values.
    nulls
        The number of Variant nulls.
    """

    types: dict[str, int]
    distinct: int
    nulls: int = 0

    @property
    def count(self) -> int:
        """The number of values, without Variant nulls."""
        return sum(self.types.values())

    @property
    def type(self) -> str:
        """The most frequent type."""
        return max(self.types, key=lambda name: self.types[name])

    @property
    def is_one_type(self) -> bool:
        """Whether nearly all values have one type."""
        return self.types[self.type] >= _ONE_TYPE_SHARE * self.count

    @property
    def has_many_distinct(self) -> bool:
        """Whether there are so many distinct values that a bloom filter is useful."""
        return self.distinct >= max(_MANY_DISTINCT_SHARE * self.count, _MANY_DISTINCT)


def sampled_values(sample: DataFrame, variant: str, paths: list[str]) -> dict[str, SampledValues]:
    """Count the values of a sample at each of the paths.

    Parameters
    ----------
    sample
        The rows.
    variant
        The name of the Variant column.
    paths
        The paths.

    Returns
    -------
    dict
        The counts by path, without paths that have no values.
    """
    from pyspark.sql import functions as F

    column = F.col(".".join(map(quoted, variant.split("."))))
    # variant_get knows no escapes in paths.
    measured = [path for path in paths if "\\" not in path]
    if not measured:
        return {}
    # How SQL reads a string depends on settings of the session, so the paths are not in SQL.
    entries = [
        F.struct(F.lit(path).alias("path"), _values_at(column, _between_arrays(path)).alias("xs"))
        for path in measured
    ]
    counts = (
        sample.select(F.explode(F.array(*entries)).alias("e"))
        .selectExpr("e.path", "explode(e.xs) AS x")
        .where("x IS NOT NULL")
        .selectExpr(
            "path", "regexp_replace(schema_of_variant(x), '<.*', '') AS type", "to_json(x) AS text"
        )
        .groupBy("path", "type")
        .agg({"*": "count", "text": "approx_count_distinct"})
        .toDF("path", "type", "number", "distinct")
        .collect()
    )
    types: defaultdict[str, dict[str, int]] = defaultdict(dict)
    distinct: Counter[str] = Counter()
    nulls: Counter[str] = Counter()
    for row in counts:
        if row.type == _NULL_TYPE:
            nulls[row.path] = row.number
        else:
            types[row.path][row.type] = row.number
            distinct[row.path] += row.distinct
    return {path: SampledValues(types[path], distinct[path], nulls[path]) for path in types}


def _between_arrays(path: str) -> list[str]:
    """Split a path at each ``[*]``. A name in quotes may contain this text."""
    parts = [""]
    start = 1
    for _, end in steps(path):
        if end.endswith("[*]"):
            parts.append("")
        else:
            parts[-1] += end[start:]
        start = len(end)
    return parts


def is_in_array(path: str) -> bool:
    """Return whether a path goes through the elements of an array."""
    return len(_between_arrays(path)) > 1


def _values_at(value: Column, parts: list[str]) -> Column:
    """Return the array of the Variants at a path.

    Parameters
    ----------
    value
        The Variant that has the path.
    parts
        The path, split at each ``[*]`` (`_between_arrays`).
    """
    from pyspark.sql import functions as F

    path = "$" + parts[0]
    if len(parts) == 1:
        return F.array(F.try_variant_get(value, path, "variant"))
    elements = F.try_variant_get(value, path, "array<variant>")
    return F.flatten(F.transform(elements, lambda element: _values_at(element, parts[1:])))
