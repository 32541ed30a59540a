"""Which fields of the documents are worth a query: looked for in a sample of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

#: Objects are looked into down to this depth.
DEPTH = 3
#: Longer strings are not grouped by.
LONGEST_KEY = 100

Path = tuple[str, ...]


@dataclass
class Field:
    """What the sample has at one path.

    Attributes
    ----------
    path
        Names of fields from the top; none for the documents themselves.
    strings, numbers
        The values of these types, and how often each is there.
    """

    path: Path
    strings: Counter[str] = field(default_factory=Counter)
    numbers: Counter[float] = field(default_factory=Counter)

    @property
    def is_whole(self) -> bool:
        """Whether all of the numbers are integers."""
        return all(isinstance(number, int) for number in self.numbers)

    @property
    def median(self) -> float:
        """The number in the middle of the distinct ones."""
        return sorted(self.numbers)[len(self.numbers) // 2]


@dataclass(frozen=True)
class Chosen:
    """The fields to query: one to group by, one to compute with, one to filter by, if any."""

    group: Field | None
    number: Field | None
    filter: Field | None


def choose(documents: Iterable[str]) -> Chosen:
    """Choose fields by a sample of the documents, as JSON text."""
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
    # Filter within an object, if there is a field for it: that is what a Variant has over columns.
    nested = [key for key in keys if len(key.path) > 1]
    to_filter = nested or keys[1:] or keys
    return Chosen(group, _best_number(numbers), to_filter[0] if to_filter else None)


def _scalars(path: Path, value: object) -> Iterator[tuple[Path, str | int | float]]:
    """Give the strings and numbers that are not within an array."""
    if isinstance(value, dict):
        for name, child in value.items():
            if len(path) < DEPTH and _can_be_asked_for(name):
                yield from _scalars((*path, name), child)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield path, value


def _can_be_asked_for(name: str) -> bool:
    # SQL's path syntax has no escape for these.
    return name.isprintable() and not set(name) & set("'\"\\`[]")


def _is_key(found: Field) -> bool:
    """Whether grouping by it makes sense: few distinct short strings, each there more than once."""
    distinct, rows = len(found.strings), found.strings.total()
    short = all(len(value) <= LONGEST_KEY and value.isprintable() for value in found.strings)
    return 2 <= distinct <= min(50, rows // 2) and short


def _by_rows_of_strings(found: Field) -> tuple[int, int, Path]:
    return (-found.strings.total(), len(found.path), found.path)


def _best_number(fields: list[Field]) -> Field | None:
    """Of the fields that are there most often, take the one with the most different numbers."""
    most = max((found.numbers.total() for found in fields), default=0)
    often = [found for found in fields if 2 * found.numbers.total() >= most]
    return max(often, key=lambda found: (len(found.numbers), found.path), default=None)
