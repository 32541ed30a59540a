"""Describes what `inspect` finds: the columns of files, and the paths within their Variants."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_STEP = re.compile(r"\.([^.\[\]]+)|\['((?:[^'\\]|\\.)*)'\]|(\[\*\])")


@dataclass(frozen=True)
class Leaf:
    """Describes one leaf column, summed up over the row groups of all files.

    Attributes
    ----------
    name
        What it holds at its path: ``"metadata"``, ``"value"`` or ``"typed_value"``; ``""`` for an
        ordinary column.
    parquet_column
        Its path in the files, with dots.
    types
        The types that it has in the files, as a shredding schema names them.
    physical_types, logical_types, encodings, codecs
        As Parquet names them.
    chunks
        Number of row groups that have it.
    values
        Number of values, with nulls.
    nulls
        Number of nulls; ``None`` if a footer does not say.
    compressed_bytes, raw_bytes
        In the files, and before compression.
    column_indexes, bloom_filters
        Number of row groups that have one.
    skippable
        Number of row groups that a comparison of its values can leave out; ``None`` for names.
    why_not
        Why a comparison cannot leave out one of the other row groups.
    """

    name: str
    parquet_column: str
    types: tuple[str, ...]
    physical_types: tuple[str, ...]
    logical_types: tuple[str, ...]
    encodings: tuple[str, ...]
    codecs: tuple[str, ...]
    chunks: int
    values: int
    nulls: int | None
    compressed_bytes: int
    raw_bytes: int
    column_indexes: int
    bloom_filters: int
    skippable: int | None
    why_not: str | None


@dataclass(frozen=True)
class PathSummary:
    """Describes what files hold at a path of a Variant, or in an ordinary column.

    A path stands for the whole Variant, for a field, or for all elements of an array.

    Attributes
    ----------
    name
        The last step of `path`; the name of the column for the whole Variant and for an ordinary
        column.
    path
        The path, such as ``$.items[*].price``; ``""`` for an ordinary column.
    leaves
        The leaf columns at this path itself.
    residual_rows
        Number of residual values at this path; ``None`` if it is not known.
    residual_types
        Types of the residual values in the first rows of each row group.
    residual_sampled, residual_nulls
        The number of residual values in the sample, and how many of these are Variant nulls.
    children
        The paths of the fields, or of the elements.
    """

    name: str
    path: str
    leaves: tuple[Leaf, ...] = ()
    residual_rows: int | None = None
    residual_types: tuple[str, ...] = ()
    residual_sampled: int = 0
    residual_nulls: int = 0
    children: tuple[PathSummary, ...] = ()

    @property
    def compressed_bytes(self) -> int:
        """Bytes in the files, at this path and at all paths below it."""
        own = sum(leaf.compressed_bytes for leaf in self.leaves)
        return own + sum(child.compressed_bytes for child in self.children)

    @property
    def raw_bytes(self) -> int:
        """Bytes before compression, at this path and at all paths below it."""
        own = sum(leaf.raw_bytes for leaf in self.leaves)
        return own + sum(child.raw_bytes for child in self.children)

    @property
    def typed(self) -> Leaf | None:
        """The typed column, if there is one; of an ordinary column, its only leaf column."""
        plain = [leaf for leaf in self.leaves if leaf.name in ("", "typed_value")]
        return plain[0] if plain else None

    @property
    def fill(self) -> float | None:
        """The share of the values that are in the typed column, from 0 to 1."""
        leaf = self.typed
        if leaf is None or leaf.nulls is None or self._values == 0:
            return None
        return (leaf.values - leaf.nulls) / self._values

    @property
    def _values(self) -> int:
        """The number of possible values, also in files that do not have all of the leaves."""
        return max((leaf.values for leaf in self.leaves if leaf.name != "metadata"), default=0)

    @property
    def residual_share(self) -> float | None:
        """The share of the possible values at this path that are residual values, from 0 to 1."""
        if self.residual_rows is None or self._values == 0:
            return None
        return self.residual_rows / self._values

    @property
    def residual_bytes(self) -> int:
        """Bytes in the files of the residual values at this path itself."""
        names = ("value", "untyped_value")
        return sum(leaf.compressed_bytes for leaf in self.leaves if leaf.name in names)

    @property
    def residual_byte_share(self) -> float | None:
        """The share of its bytes, with all paths below it, that its own residual values take."""
        whole = self.compressed_bytes
        return self.residual_bytes / whole if whole and self.path else None

    @property
    def null_rows(self) -> int | None:
        """Number of residual values that are Variant nulls, scaled up from the sample."""
        if self.residual_rows == 0:
            return 0
        if self.residual_rows is None or self.residual_sampled == 0:
            return None
        return round(self.residual_rows * self.residual_nulls / self.residual_sampled)

    @property
    def misfit_rows(self) -> int | None:
        """Number of residual values that have another type, scaled up from the sample."""
        nulls = self.null_rows
        return None if nulls is None or self.residual_rows is None else self.residual_rows - nulls

    @property
    def null_share(self) -> float | None:
        """The share of the possible values at this path that are Variant nulls, from 0 to 1."""
        return self._share_of_residual(self.null_rows)

    @property
    def misfit_share(self) -> float | None:
        """The share of the possible values at this path that have another type, from 0 to 1.

        If the sample has no value, it is the share of all residual values.
        """
        return self._share_of_residual(
            self.residual_rows if self.misfit_rows is None else self.misfit_rows
        )

    def _share_of_residual(self, count: int | None) -> float | None:
        share = self.residual_share
        if count is None or share is None or not self.residual_rows:
            return share if self.residual_rows == 0 else None
        return share * count / self.residual_rows

    @property
    def unshredded(self) -> str | None:
        """Why there is no typed column; ``None`` if there is one, or if the values are objects."""
        if not self.path or self.type != "variant":
            return None
        if self.residual_rows == 0:
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
        """The type: one type, several separated by ``|``, ``object``, ``array``, or ``variant``."""
        leaf = self.typed
        if leaf is not None and leaf.types:
            return "|".join(leaf.types)
        if not self.children:
            return "variant"
        return "array" if self.children[0].name == "[*]" else "object"

    def walk(self) -> Iterator[PathSummary]:
        """Yield this path and all paths below it, each one before those below it."""
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
        The layouts that it has in the files; none for an ordinary column.
    root
        The whole value.
    """

    name: str
    layouts: tuple[str, ...]
    root: PathSummary

    @property
    def is_variant(self) -> bool:
        """Whether it is a Variant."""
        return bool(self.layouts)


@dataclass(frozen=True)
class Inspection:
    """Describes what files hold.

    Attributes
    ----------
    paths
        The paths, as they were given.
    files, row_groups, rows
        The numbers of files, row groups and rows.
    columns
        The columns, the largest first; the paths within them are in the same order.
    """

    paths: tuple[str, ...]
    files: int
    row_groups: int
    rows: int
    columns: tuple[Column, ...]

    @property
    def compressed_bytes(self) -> int:
        """Bytes of all columns in the files."""
        return sum(column.root.compressed_bytes for column in self.columns)

    @property
    def raw_bytes(self) -> int:
        """Bytes of all columns before compression."""
        return sum(column.root.raw_bytes for column in self.columns)

    def path(self, path: str, column: str | None = None) -> PathSummary:
        """Return what the files hold at a path, or in an ordinary column of that name.

        Raises
        ------
        KeyError
            If no column has the path, or if several columns have it and no `column` is given.
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
        """Return all of it as values that JSON can hold."""
        return {
            "paths": list(self.paths),
            "files": self.files,
            "row_groups": self.row_groups,
            "rows": self.rows,
            "compressed_bytes": self.compressed_bytes,
            "raw_bytes": self.raw_bytes,
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
        "raw_bytes": summary.raw_bytes,
        "fill": summary.fill,
        "residual_rows": summary.residual_rows,
        "residual_share": summary.residual_share,
        "residual_types": list(summary.residual_types),
        "null_rows": summary.null_rows,
        "misfit_rows": summary.misfit_rows,
        "residual_bytes": summary.residual_bytes,
        "residual_byte_share": summary.residual_byte_share,
        "unshredded": summary.unshredded,
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
    """Split a path: each step with the path up to it.

    ``$.a['b c'][*]`` is ``[("a", "$.a"), ("b c", "$.a['b c']"), ("[*]", "$.a['b c'][*]")]``.

    Parameters
    ----------
    path
        Such as ``$.items[*].price``; ``$`` has no steps.

    Returns
    -------
    list[tuple[str, str]]
        The steps from the root on.

    Raises
    ------
    ValueError
        If it is none.
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
