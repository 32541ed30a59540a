"""Describes what `advise` recommends."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from variant_shredded._tools.terminal import Terminal, percent, plural, size


@dataclass(frozen=True)
class QueryCost:
    """Holds the compressed bytes that the scans of a query read.

    Attributes
    ----------
    query
        The statement.
    source, line
        The file and the line of the statement.
    before
        Bytes read from the files as they are.
    after
        Bytes read from files written as advised, as the trial estimates them.
    """

    query: str
    source: str
    line: int
    before: int
    after: int


@dataclass(frozen=True)
class Advice:
    """Holds the options to write the files with, and the reasons.

    Its lists and mappings are only read: change a copy of `options` to write in another way.

    Attributes
    ----------
    column
        The Variant column.
    is_only_variant
        Whether the files have no other Variant, so that options need not name the column.
    pin
        Paths to shred, each with its type.
    include
        Paths to shred with the type that inference finds, or without a type.
    exclude
        Paths that have columns in the files, but need none.
    cluster_by
        Paths to sort by.
    bloom_filter
        Paths that get bloom filters.
    partition_by
        Columns that the files are partitioned by.
    reasons
        The reasons for each path.
    rows
        Number of rows in the files.
    tried
        Number of rows in the trial.
    before, after
        Bytes of all columns: in the files, and as the trial estimates them.
    queries
        The bytes that each query reads, before and after.
    unshredded
        Paths that have no column in the trial and 1 % of its bytes or more, with the reason.
    """

    column: str
    is_only_variant: bool = True
    pin: Mapping[str, str] = field(default_factory=dict)
    include: Sequence[str] = field(default_factory=list)
    exclude: Sequence[str] = field(default_factory=list)
    cluster_by: Sequence[str] = field(default_factory=list)
    bloom_filter: Sequence[str] = field(default_factory=list)
    partition_by: Sequence[str] = field(default_factory=list)
    reasons: Mapping[str, Sequence[str]] = field(default_factory=dict)
    rows: int = 0
    tried: int = 0
    before: int = 0
    after: int = 0
    queries: Sequence[QueryCost] = field(default_factory=list)
    unshredded: Mapping[str, str] = field(default_factory=dict)

    @property
    def options(self) -> dict[str, Any]:
        """The keyword arguments of `write_variant`."""
        chosen = {name: self._of_column(getattr(self, name)) for name in _OF_COLUMN}
        found = {**chosen, "partition_by": self.partition_by}
        return {name: value for name, value in found.items() if value}

    def _of_column(self, paths: Any) -> Any:  # noqa: ANN401  # a list or a mapping
        return paths if self.is_only_variant or not paths else {self.column: paths}

    @property
    def call(self) -> str:
        """The ``write_variant`` call, as Python."""
        given = [f"{name}={_literal(value)}" for name, value in self.options.items()]
        arguments = ["df", '"PATH"', *given]
        line = f"write_variant({', '.join(arguments)})"
        if len(line) <= _LINE and "\n" not in line:
            return line
        return "write_variant(\n" + "".join(f"    {text},\n" for text in arguments) + ")"

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as values that JSON can hold."""
        return {**asdict(self), "options": self.options, "call": self.call}


_OF_COLUMN = ("pin", "include", "exclude", "cluster_by", "bloom_filter")

#: Longest line of a call.
_LINE = 88


def _literal(value: Any) -> str:  # noqa: ANN401  # texts, lists and mappings of texts
    # JSON of these is Python too.
    line = json.dumps(value, ensure_ascii=False)
    if len(line) <= _LINE - 20 or isinstance(value, str):
        return line
    return json.dumps(value, ensure_ascii=False, indent=4).replace("\n", "\n    ")


def render(advice: Advice, terminal: Terminal) -> str:
    """Return the advice as text for people.

    Parameters
    ----------
    advice
        What to show.
    terminal
        What it is for.

    Returns
    -------
    str
        Lines, of which the last ones are the call of `write_variant`.
    """
    lines = [terminal.styled(f"{advice.column}: recommended options", "bold")]
    chosen = [
        ("pin", {path: f"{path} {kind}" for path, kind in advice.pin.items()}),
        ("shred", {path: path for path in advice.include}),
        ("drop", {path: path for path in advice.exclude}),
        ("sort by", {path: path for path in advice.cluster_by}),
        ("bloom", {path: path for path in advice.bloom_filter}),
    ]
    entries = [(verb, text, path) for verb, paths in chosen for path, text in paths.items()]
    lines += [f"  {terminal.styled(verb.ljust(8), 'dim')} {text}" for verb, text, _ in entries]
    if not entries:
        lines.append("  none: schema inference chooses well by itself")
    if advice.reasons:
        lines += ["", terminal.styled("Why", "bold")]
        for path, reasons in advice.reasons.items():
            text = f"  {path}: {'; '.join(reasons)}"
            lines += textwrap.wrap(text, terminal.width, subsequent_indent="    ")
    if advice.unshredded:
        lines += ["", terminal.styled("Paths without a typed column", "bold")]
        for path, reason in advice.unshredded.items():
            text = f"  {path}: {reason}"
            lines += textwrap.wrap(text, terminal.width, subsequent_indent="    ")
    lines += ["", terminal.styled("Bytes read: before and after", "bold")]
    lines.append(_bytes("all columns", advice.before, advice.after, terminal))
    for cost in advice.queries:
        what = f"{cost.source}:{cost.line}: {' '.join(cost.query.split())}"
        lines.append(_bytes(what, cost.before, cost.after, terminal))
    lines += [terminal.styled(f"  {note}", "dim") for note in _notes(advice)]
    return "\n".join([*lines, "", advice.call, ""])


def _bytes(what: str, before: int, after: int, terminal: Terminal) -> str:
    share = percent(after / before) if before else ""
    numbers = f"  {size(before):>8} {size(after):>8} {share:>6}  "
    return numbers + terminal.shorten(what, terminal.width - len(numbers))


def _notes(advice: Advice) -> list[str]:
    whole = advice.tried >= advice.rows
    notes = [f"measured by a trial write of {'all ' if whole else ''}{plural(advice.tried, 'row')}"]
    if not whole:
        notes[0] += f" of {advice.rows:,}; a query skips more of a larger file"
    if advice.queries:
        notes.append("of a query: the bytes that its scans read, without what they skip")
    return notes
