"""Describes what `inspect` finds: the columns of files, and the paths within their Variants."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_STEP = re.compile(r"\.([^.\[\]]+)|\['((?:[^'\\]|\\.)*)'\]|(\[\*\])")


#: The names of leaf columns with residual values.
RESIDUAL = ("value", "untyped_value")


@dataclass(frozen=True)
class Leaf:
    """Describes one leaf column. Its numbers are sums over the row groups of all files.

    Attributes
    ----------
    name
        The name of the leaf column at its path: ``"metadata"``, ``"value"`` (``"untyped_value"``
        in the layout ``overview``) or ``"typed_value"``; ``""`` for an ordinary column.
    parquet_column
        The path of the leaf column in the Parquet schema, with dots.
    types
        The types of the values in the files, as a shredding schema names them.
    physical_types, logical_types, encodings, codecs
        The Parquet types, encodings and codecs in the files, by the names that Parquet gives them.
    column_chunks
        The number of column chunks, which is the number of row groups that have the leaf column.
    values
        The number of values, nulls included.
    nulls
        The number of nulls; ``None`` if a footer does not have it, or has one that the source does
        not trust.
    compressed_bytes, uncompressed_bytes
        The number of bytes in the files, and before compression.
    column_indexes, bloom_filters
        The number of column chunks that have a column index, and a bloom filter, that a scan may
        use.
    skippable_row_groups
        The number of row groups that some comparison of the values can skip by statistics;
        ``None`` for ``metadata``.
    why_not_skippable
        Why no comparison can skip one of the other row groups.
    """

    name: str
    parquet_column: str
    types: tuple[str, ...]
    physical_types: tuple[str, ...]
    logical_types: tuple[str, ...]
    encodings: tuple[str, ...]
    codecs: tuple[str, ...]
    column_chunks: int
    values: int
    nulls: int | None
    compressed_bytes: int
    uncompressed_bytes: int
    column_indexes: int
    bloom_filters: int
    skippable_row_groups: int | None
    why_not_skippable: str | None


@dataclass(frozen=True)
class PathSummary:
    """Describes what files hold at a path of a Variant, or in an ordinary column.

    A path stands for the whole Variant, for a field, or for all elements of an array. It has a
    possible value for each row, or for each element of the array that contains it: the field can
    be missing there.

    Attributes
    ----------
    name
        The last step of `path`; the name of the column for the whole Variant and for an ordinary
        column.
    path
        The path, such as ``$.items[*].price``; ``""`` for an ordinary column.
    leaves
        The leaf columns at this path itself.
    residual_values
        The number of residual values at this path; ``None`` if it is not known.
    residual_types
        The types of the residual values in the first rows of each row group.
    sampled_residual_values, sampled_residual_nulls
        The number of residual values in these first rows, and how many of them are Variant nulls.
    children
        The paths of the fields, or of the elements.
    """

    name: str
    path: str
    leaves: tuple[Leaf, ...] = ()
    residual_values: int | None = None
    residual_types: tuple[str, ...] = ()
    sampled_residual_values: int = 0
    sampled_residual_nulls: int = 0
    children: tuple[PathSummary, ...] = ()

    @property
    def compressed_bytes(self) -> int:
        """The number of bytes in the files, at this path and at all paths below it."""
        own = sum(leaf.compressed_bytes for leaf in self.leaves)
        return own + sum(child.compressed_bytes for child in self.children)

    @property
    def uncompressed_bytes(self) -> int:
        """The number of bytes before compression, at this path and at all paths below it."""
        own = sum(leaf.uncompressed_bytes for leaf in self.leaves)
        return own + sum(child.uncompressed_bytes for child in self.children)

    @property
    def typed(self) -> Leaf | None:
        """The typed column, if there is one; of an ordinary column, its only leaf column."""
        plain = [leaf for leaf in self.leaves if leaf.name in ("", "typed_value")]
        return plain[0] if plain else None

    @property
    def typed_share(self) -> float | None:
        """The share of the possible values that are in the typed column, from 0 to 1."""
        leaf = self.typed
        if leaf is None or leaf.nulls is None or self._possible_values == 0:
            return None
        return (leaf.values - leaf.nulls) / self._possible_values

    @property
    def _possible_values(self) -> int:
        # A file may lack some of the leaf columns: the one that all files have has the most values.
        return max((leaf.values for leaf in self.leaves if leaf.name != "metadata"), default=0)

    @property
    def residual_share(self) -> float | None:
        """The share of the possible values that are residual values, from 0 to 1."""
        if self.residual_values is None or self._possible_values == 0:
            return None
        return self.residual_values / self._possible_values

    @property
    def residual_bytes(self) -> int:
        """The number of bytes that the residual values at this path itself take in the files."""
        return sum(leaf.compressed_bytes for leaf in self.leaves if leaf.name in RESIDUAL)

    @property
    def residual_byte_share(self) -> float | None:
        """The share of `compressed_bytes` that the residual values at this path itself take."""
        whole = self.compressed_bytes
        return self.residual_bytes / whole if whole and self.path else None

    @property
    def residual_nulls(self) -> int | None:
        """The number of residual values that are Variant nulls, scaled up from the sample."""
        if self.residual_values == 0:
            return 0
        if self.residual_values is None or self.sampled_residual_values == 0:
            return None
        scaled = self.residual_values * self.sampled_residual_nulls
        return round(scaled / self.sampled_residual_values)

    @property
    def residual_non_nulls(self) -> int | None:
        """The number of residual values that are not Variant nulls, scaled up from the sample."""
        nulls = self.residual_nulls
        if nulls is None or self.residual_values is None:
            return None
        return self.residual_values - nulls

    @property
    def residual_null_share(self) -> float | None:
        """The share of the possible values that are Variant nulls, from 0 to 1."""
        return self._share_of_residual(self.residual_nulls)

    @property
    def residual_non_null_share(self) -> float | None:
        """The share of the possible values that are residual values and not Variant nulls.

        The share is from 0 to 1. If the sample has no residual value, it is the share of all
        residual values.
        """
        non_nulls = self.residual_non_nulls
        return self._share_of_residual(self.residual_values if non_nulls is None else non_nulls)

    def _share_of_residual(self, count: int | None) -> float | None:
        share = self.residual_share
        if count is None or share is None or not self.residual_values:
            return share if self.residual_values == 0 else None
        return share * count / self.residual_values

    @property
    def why_not_shredded(self) -> str | None:
        """Why there is no typed column; ``None`` if there is one, or if the values are objects."""
        if not self.path or self.type != "variant":
            return None
        if self.residual_values == 0:
            return "there are no values"
        seen = [kind for kind in self.residual_types if kind != "void"]
        if not self.residual_types:
            return "there is no value in the sample"
        if not seen:
            return "all values in the sample are null"
        if len(seen) > 1:
            return f"values have several types: {', '.join(seen)}"
        if seen == ["array"]:
            return "values are arrays whose elements have no common type, or shredding is off"
        if seen == ["object"]:
            return "values are objects whose fields are rare or vary, or shredding is off"
        return f"too few values are of the type {seen[0]}, or it was not given in the schema"

    @property
    def type(self) -> str:
        """The type of the values.

        It is the type of the typed column (several types, if the files differ, are separated by
        ``|``), ``object``, ``array``, or ``variant`` if nothing is shredded.
        """
        leaf = self.typed
        if leaf is not None and leaf.types:
            return "|".join(leaf.types)
        if not self.children:
            return "variant"
        return "array" if self.children[0].name == "[*]" else "object"

    def walk(self) -> Iterator[PathSummary]:
        """Yield this path and all paths below it, each path before the paths below it."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True)
class Column:
    """Describes a Variant column, or an ordinary leaf column.

    Attributes
    ----------
    name
        The name, with dots for columns in structs.
    layouts
        The layouts of the Variant in the files; empty for an ordinary column.
    root
        The summary of the whole Variant (path ``$``), or of the ordinary column.
    """

    name: str
    layouts: tuple[str, ...]
    root: PathSummary

    @property
    def is_variant(self) -> bool:
        """Whether the column is a Variant."""
        return bool(self.layouts)


@dataclass(frozen=True)
class Inspection:
    """Describes what files hold.

    Attributes
    ----------
    paths
        The paths of the files, as they were given to `inspect`.
    files, row_groups, rows
        The numbers of files that have a row group, of row groups and of rows.
    columns
        The columns, the largest first. The paths within a Variant are sorted in the same way.
    """

    paths: tuple[str, ...]
    files: int
    row_groups: int
    rows: int
    columns: tuple[Column, ...]

    @property
    def compressed_bytes(self) -> int:
        """The number of bytes of all columns in the files."""
        return sum(column.root.compressed_bytes for column in self.columns)

    @property
    def uncompressed_bytes(self) -> int:
        """The number of bytes of all columns before compression."""
        return sum(column.root.uncompressed_bytes for column in self.columns)

    def path(self, path: str, column: str | None = None) -> PathSummary:
        """Return what the files hold at a path, or in an ordinary column of that name.

        Parameters
        ----------
        path
            A path of a Variant, such as ``$.items[*].price``, or the name of an ordinary column.
        column
            The name of the column; needed only if several Variant columns have the path.

        Returns
        -------
        PathSummary
            The summary of this path, with those of all paths below it.

        Raises
        ------
        KeyError
            If no column has the path, or if several columns have it and `column` is not given.
        """
        found = [
            summary
            for each in self.columns
            if column in (None, each.name)
            for summary in each.root.walk()
            if path == (summary.path or each.name)
        ]
        if len(found) != 1:
            raise KeyError(path)
        return found[0]

    def to_dict(self) -> dict[str, Any]:
        """Return the inspection as values that JSON can hold, as ``inspect --json`` prints them."""
        return {
            "paths": list(self.paths),
            "files": self.files,
            "row_groups": self.row_groups,
            "rows": self.rows,
            "compressed_bytes": self.compressed_bytes,
            "uncompressed_bytes": self.uncompressed_bytes,
            "columns": [
                {
                    "name": column.name,
                    "layouts": list(column.layouts),
                    **_to_dict(column.root),
                }
                for column in self.columns
            ],
        }


def _to_dict(summary: PathSummary) -> dict[str, Any]:
    return {
        "name": summary.name,
        "path": summary.path or None,
        "type": summary.type,
        "compressed_bytes": summary.compressed_bytes,
        "uncompressed_bytes": summary.uncompressed_bytes,
        "typed_share": summary.typed_share,
        "residual_values": summary.residual_values,
        "residual_share": summary.residual_share,
        "residual_types": list(summary.residual_types),
        "residual_nulls": summary.residual_nulls,
        "residual_non_nulls": summary.residual_non_nulls,
        "residual_bytes": summary.residual_bytes,
        "residual_byte_share": summary.residual_byte_share,
        "why_not_shredded": summary.why_not_shredded,
        "leaves": [
            {
                key: list(value) if isinstance(value, tuple) else value
                for key, value in vars(leaf).items()
            }
            for leaf in summary.leaves
        ],
        "children": [_to_dict(child) for child in summary.children],
    }


def steps(path: str) -> list[tuple[str, str]]:
    """Split a path into its steps, each with the path that ends with it.

    ``$.a['b c'][*]`` has the steps ``("a", "$.a")``, ``("b c", "$.a['b c']")`` and
    ``("[*]", "$.a['b c'][*]")``.

    Parameters
    ----------
    path
        A path such as ``$.items[*].price``. The path ``$`` has no steps.

    Returns
    -------
    list[tuple[str, str]]
        The steps from the root on.

    Raises
    ------
    ValueError
        If `path` is not a path.
    """
    found: list[tuple[str, str]] = []
    at = 1 if path.startswith("$") else len(path) + 1
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None:
            break
        plain, quoted, element = match.groups()
        if quoted is not None:
            plain = re.sub(r"\\(.)", r"\1", quoted)
        at = match.end()
        found.append((plain if element is None else element, path[:at]))
    if at != len(path):
        raise ValueError(f"not a path: {path!r}")
    return found
