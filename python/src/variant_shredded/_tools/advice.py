"""Describes and formats what `advise` recommends."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from variant_shredded._tools.terminal import Terminal, percent, plural, printable, size


@dataclass(frozen=True)
class QueryCost:
    """Holds the number of compressed bytes that the scans of a query read.

    Attributes
    ----------
    query
        The SQL statement.
    source, line
        The file with the statement, and the line where it begins.
    bytes_before
        The bytes that the query reads from the files as they are.
    bytes_after
        The bytes that it would read from files written as advised, estimated by the trial.
    """

    query: str
    source: str
    line: int
    bytes_before: int
    bytes_after: int


@dataclass(frozen=True)
class Advice:
    """Holds the recommended options of `write_variant`, and the reasons for them.

    Do not change its lists and mappings. To write with other options, change a copy of `options`.

    Attributes
    ----------
    column
        The name of the Variant column.
    is_only_variant
        Whether the files have no other Variant column. Then the options need not name the column.
    pin
        The paths to shred with a given type, each with this type.
    include
        The paths to shred with the type that schema inference chooses, if it chooses one.
    exclude
        The paths that have typed columns in the files and do not need them.
    cluster_by
        The paths to sort by.
    bloom_filter
        The paths that get bloom filters.
    partition_by
        The partition columns of the files.
    reasons
        The reasons for each path.
    rows
        The number of rows in the files.
    trial_rows
        The number of rows in the trial.
    bytes_before, bytes_after
        The bytes of all columns in the files, and in files written as advised, estimated by the
        trial.
    queries
        The bytes that each query reads, before and after.
    why_not_shredded
        The paths that have no typed column in the trial and at least 1 % of its bytes, each with
        the reason.
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
    trial_rows: int = 0
    bytes_before: int = 0
    bytes_after: int = 0
    queries: Sequence[QueryCost] = field(default_factory=list)
    why_not_shredded: Mapping[str, str] = field(default_factory=dict)

    @property
    def options(self) -> dict[str, Any]:
        """The recommended options, as keyword arguments of `write_variant`."""
        by_path = {name: self._of_column(getattr(self, name)) for name in _PATH_OPTIONS}
        options = {**by_path, "partition_by": self.partition_by}
        return {name: value for name, value in options.items() if value}

    def _of_column(self, paths: Any) -> Any:  # noqa: ANN401  # a list or a mapping
        return paths if self.is_only_variant or not paths else {self.column: paths}

    @property
    def call(self) -> str:
        """The Python call of `write_variant` with the recommended options."""
        options = [f"{name}={_literal(value)}" for name, value in self.options.items()]
        arguments = ["df", '"PATH"', *options]
        line = f"write_variant({', '.join(arguments)})"
        if len(line) <= _LINE_LENGTH and "\n" not in line:
            return line
        return "write_variant(\n" + "".join(f"    {text},\n" for text in arguments) + ")"

    def to_dict(self) -> dict[str, Any]:
        """Return the advice as values that JSON can hold, as ``advise --json`` prints them."""
        return {**asdict(self), "options": self.options, "call": self.call}


#: The options whose values are paths of a Variant column.
_PATH_OPTIONS = ("pin", "include", "exclude", "cluster_by", "bloom_filter")

#: The maximum length of a line of the call.
_LINE_LENGTH = 88


def _literal(value: Any) -> str:  # noqa: ANN401  # a string, or a list or mapping of strings
    # For these types, JSON and Python have the same notation.
    line = json.dumps(value, ensure_ascii=False)
    if len(line) <= _LINE_LENGTH - 20 or isinstance(value, str):
        return line
    return json.dumps(value, ensure_ascii=False, indent=4).replace("\n", "\n    ")


def render(advice: Advice, terminal: Terminal) -> str:
    """Format the advice for a terminal.

    Parameters
    ----------
    advice
        The advice.
    terminal
        The terminal that shows it.

    Returns
    -------
    str
        The lines to print. The last ones are the call of `write_variant`.
    """
    column = printable(advice.column)
    lines = [terminal.styled(f"{column}: recommended options", "bold")]
    recommended = [
        ("pin", {path: f"{path} {kind}" for path, kind in advice.pin.items()}),
        ("shred", {path: path for path in advice.include}),
        ("drop", {path: path for path in advice.exclude}),
        ("sort by", {path: path for path in advice.cluster_by}),
        ("bloom", {path: path for path in advice.bloom_filter}),
    ]
    entries = [(verb, printable(text)) for verb, paths in recommended for text in paths.values()]
    lines += [f"  {terminal.styled(verb.ljust(8), 'dim')} {text}" for verb, text in entries]
    if not entries:
        lines.append("  none: schema inference chooses well by itself")
    if advice.reasons:
        lines += ["", terminal.styled("Why", "bold")]
        for path, reasons in advice.reasons.items():
            text = printable(f"  {path}: {'; '.join(reasons)}")
            lines += textwrap.wrap(text, terminal.width, subsequent_indent="    ")
    if advice.why_not_shredded:
        lines += ["", terminal.styled("Paths without a typed column", "bold")]
        for path, reason in advice.why_not_shredded.items():
            text = printable(f"  {path}: {reason}")
            lines += textwrap.wrap(text, terminal.width, subsequent_indent="    ")
    lines += ["", terminal.styled("Bytes read: before and after", "bold")]
    lines.append(_bytes("all columns", advice.bytes_before, advice.bytes_after, terminal))
    for cost in advice.queries:
        what = printable(f"{cost.source}:{cost.line}: {' '.join(cost.query.split())}")
        lines.append(_bytes(what, cost.bytes_before, cost.bytes_after, terminal))
    lines += [terminal.styled(f"  {note}", "dim") for note in _notes(advice)]
    # Within the strings of the call, ``\xNN`` is the notation of Python for these characters.
    call = "\n".join(map(printable, advice.call.split("\n")))
    return "\n".join([*lines, "", call, ""])


def _bytes(what: str, before: int, after: int, terminal: Terminal) -> str:
    share = percent(after / before) if before else ""
    numbers = f"  {size(before):>8} {size(after):>8} {share:>6}  "
    return numbers + terminal.shorten(what, terminal.width - len(numbers))


def _notes(advice: Advice) -> list[str]:
    is_whole = advice.trial_rows >= advice.rows
    rows = plural(advice.trial_rows, "row")
    notes = [f"measured by a trial write of {'all ' if is_whole else ''}{rows}"]
    if not is_whole:
        notes[0] += f" of {advice.rows:,}; a query skips more of a larger file"
    if advice.queries:
        notes.append("for a query: the bytes that its scans read, without what they skip")
    return notes
