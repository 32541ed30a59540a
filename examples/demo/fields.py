"""Chooses the fields of the documents that the demo queries, from a sample of the documents."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

#: The maximum depth of a field that is considered.
DEPTH = 3
#: The maximum length of a string that a query groups by.
LONGEST_KEY = 100

Path = tuple[str, ...]


@dataclass
class Field:
    """Describes the values of the sample at one path.

    Attributes
    ----------
    path
        The names of the fields from the top; empty for the documents themselves.
    strings, numbers
        The number of occurrences of each string and of each number.
    """

    path: Path
    strings: Counter[str] = field(default_factory=Counter)
    numbers: Counter[float] = field(default_factory=Counter)

    @property
    def is_whole(self) -> bool:
        """Whether all numbers are integers."""
        return all(isinstance(number, int) for number in self.numbers)

    @property
    def median(self) -> float:
        """The median of the distinct numbers."""
        return sorted(self.numbers)[len(self.numbers) // 2]


@dataclass(frozen=True)
class Chosen:
    """Holds the fields to group by, to aggregate and to filter by, as far as there are any."""

    group: Field | None
    number: Field | None
    filter: Field | None


def choose(documents: Iterable[str]) -> Chosen:
    """Choose the fields to query.

    Parameters
    ----------
    documents
        A sample of the documents, as JSON text.
    """
    fields: dict[Path, Field] = {}
    for document in documents:
        for path, value in _scalars((), json.loads(document)):
            found = fields.setdefault(path, Field(path))
            if isinstance(value, str):
                found.strings[value] += 1
            else:
                found.numbers[value] += 1
    keys = sorted(filter(_is_key, fields.values()), key=_by_rows_of_strings)
    numbers = [found for found in fields.values() if found.numbers]
    group = keys[0] if keys else None
    # A nested field is preferred, because the demo is to show predicates on nested fields.
    nested = [key for key in keys if len(key.path) > 1]
    to_filter = nested or keys[1:] or keys
    return Chosen(group, _best_number(numbers), to_filter[0] if to_filter else None)


def _scalars(path: Path, value: object) -> Iterator[tuple[Path, str | int | float]]:
    """Yield the strings and numbers that are not inside an array, with their paths."""
    if isinstance(value, dict):
        for name, child in value.items():
            if len(path) < DEPTH and _can_be_in_path(name):
                yield from _scalars((*path, name), child)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield path, value


def _can_be_in_path(name: str) -> bool:
    # SQL's path syntax has no escape for these.
    return name.isprintable() and not set(name) & set("'\"\\`[]")


def _is_key(found: Field) -> bool:
    """Return whether a field has few distinct short strings, which a query can group by."""
    distinct, rows = len(found.strings), found.strings.total()
    short = all(len(value) <= LONGEST_KEY and value.isprintable() for value in found.strings)
    return 2 <= distinct <= min(50, rows // 2) and short


def _by_rows_of_strings(found: Field) -> tuple[int, int, Path]:
    return (-found.strings.total(), len(found.path), found.path)


def _best_number(fields: list[Field]) -> Field | None:
    """Return, of the most frequent fields, the one with the most distinct numbers."""
    most = max((found.numbers.total() for found in fields), default=0)
    often = [found for found in fields if 2 * found.numbers.total() >= most]
    return max(often, key=lambda found: (len(found.numbers), found.path), default=None)
