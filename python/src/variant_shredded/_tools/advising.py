"""Implements `advise`, which recommends the options to write files with."""

from __future__ import annotations

import os
import re
import tempfile
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from variant_shredded._io import (
    ReadOptionValue,
    hadoop_settings,
    path_list,
    path_text,
    read_variant,
    require_text,
    whole_number,
    write_variant,
)
from variant_shredded._names import quoted
from variant_shredded._needs import jar_needed, require_kind
from variant_shredded._tools.advice import Advice, QueryCost
from variant_shredded._tools.inspection import inspect, read_files
from variant_shredded._tools.machine import runs_here
from variant_shredded._tools.model import RESIDUAL, Inspection, PathSummary, steps
from variant_shredded._tools.paths import escaped, may_hold
from variant_shredded._tools.progress import Step, silent
from variant_shredded._tools.queries import Queries, QueryReads, query_reads, read_queries
from variant_shredded._tools.terminal import percent
from variant_shredded.errors import InvalidOptionError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

#: A path is pinned if at least this share of its values has one type.
_ONE_TYPE_SHARE = 0.98
#: The types that a path can be pinned with. Schema inference chooses the precision of decimals.
_PINNED_TYPES = (
    "BIGINT",
    "STRING",
    "DOUBLE",
    "FLOAT",
    "BOOLEAN",
    "DATE",
    "TIMESTAMP",
    "TIMESTAMP_NTZ",
)
#: The type that `schema_of_variant` returns for a Variant null.
_NULL_TYPE = "VOID"
#: A path without a typed column is reported if it has at least this share of the trial's bytes.
_REPORTED_SHARE = 0.01
#: A column that no query needs is dropped if a smaller share of the rows has a value in it.
_RARE_SHARE = 0.005
#: A path gets a bloom filter if it has at least this number of distinct values, relative to its
#: values and in all. Rows are sorted by paths with fewer distinct values.
_MANY_DISTINCT_SHARE, _MANY_DISTINCT = 0.05, 100


@jar_needed()
def advise(
    spark: SparkSession,
    *paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    queries: Queries = (),
    column: str | None = None,
    table: str | None = None,
    rows: int = 100_000,
    scratch: str | os.PathLike[str] | None = None,
    step: Step = silent,
    **options: ReadOptionValue,
) -> Advice:
    """Recommend options to write files with, from the data and from queries.

    Spark plans the queries, but runs only their scans: once on the files, and once on a trial,
    which has rows of the files, written as advised. So the advice has the bytes that each query
    reads before and after.

    Parameters
    ----------
    spark
        A session that has the JAR (see `session`).
    *paths
        Files, directories or globs, one by one or as a list; at least one.
    queries
        SQL queries of the table `table`: a string or (as a ``Path``) a file with statements that
        end with semicolons, or a list or another collection of strings.
    column
        The name of the Variant column; needed only if the files have several.
    table
        The name of the files in the queries. If it is not given, it is the name of the last path
        without its suffix, in which each character that is not a letter, a digit or ``_`` is
        replaced by ``_``. No temporary view may have this name.
    rows
        The approximate number of rows in the trial; a smaller number than 20 counts as 20. If the
        files have more rows, the trial has a random sample of them. To take it, the files are read
        once.
    scratch
        A directory that the executors can write to, not inside `paths`. The trial is written to a
        new directory in it, and is not deleted. If `scratch` is not given, the trial is in a
        temporary directory of this machine, which is deleted. If Spark runs on other machines, or
        over Spark Connect, `scratch` must be given.
    step
        A function that shows progress: it is called with the name of the next step, and returns a
        context manager within which the step runs.
    **options
        The options of reading, as in `read_variant`. Settings of Hadoop, whose names have a dot,
        such as those of a file system, hold for the trial too.

    Returns
    -------
    Advice
        The recommended options, the reasons, and the bytes that each query reads before and after.

    Raises
    ------
    InvalidOptionError
        If no path is given, `rows` is not positive, `scratch` is inside a path or is needed and not
        given, the files have no rows or no such Variant, or Spark cannot plan a query. In the last
        case, the message begins with the file and the line of the query.
    SessionWithoutJarError
        If the session runs without the JAR.
    """
    require_kind(spark, "SparkSession", "read")
    files = path_list("advise", paths)
    rows = whole_number("rows", rows)
    for argument, text in {"table": table, "column": column}.items():
        if text is not None:
            require_text(argument, text)
    if scratch is None and not runs_here(spark):
        raise InvalidOptionError(
            "scratch: Spark runs on other machines or as a server: name a directory that all "
            "executors can write to"
        )
    given = None if scratch is None else path_text("scratch", scratch)
    if given is not None and any(may_hold(path, given) for path in files):
        raise InvalidOptionError(f"scratch: {given} is inside the files")
    name = table or re.sub(r"\W", "_", Path(files[-1].rstrip("/")).stem) or "t"
    statements = read_queries(queries)
    with step("reading footers"):
        inspection = inspect(spark, *files, residual_sample=0, **options)
        if inspection.rows == 0:
            raise InvalidOptionError("the files have no rows")
        variants = [each.name for each in inspection.columns if each.is_variant]
        variant = _variant(variants, column)
        partition_by = _partitions(spark, inspection.paths, options)
        settings: dict[str, Any] = dict(options)
        data = read_variant(spark, *files, **settings)
    with _view(spark, data, name), step("running the scans of the queries"):
        before = [query_reads(spark, name, statement) for statement in statements]
    sample = _sampled(data, rows, inspection.rows)
    demand = _Demand.of(before, variant)
    with step("reading values"):
        values = _values(sample, variant, sorted(demand.read))
    choice = _Choice()
    _choose(choice, demand, values)
    _drop(choice, variant, demand, inspection)
    advice = Advice(
        variant,
        is_only_variant=len(variants) == 1,
        partition_by=partition_by,
        rows=inspection.rows,
        bytes_before=inspection.compressed_bytes,
        **vars(choice),
    )
    of_trial = hadoop_settings(options)
    with _scratch(given) as directory:
        with step("writing the trial"):
            write_variant(sample, directory, **of_trial, **advice.options)
        pattern = escaped(directory)
        trial = inspect(spark, pattern, **of_trial)
        scale = inspection.rows / trial.rows if trial.rows else 1.0
        with (
            _view(spark, read_variant(spark, pattern, **of_trial), name),
            step("running the scans of the queries on the trial"),
        ):
            after = [query_reads(spark, name, statement) for statement in statements]
    costs = [
        QueryCost(query.text, query.source, query.line, old.bytes, round(new.bytes * scale))
        for query, old, new in zip(statements, before, after, strict=True)
    ]
    return replace(
        advice,
        trial_rows=trial.rows,
        bytes_after=round(trial.compressed_bytes * scale),
        queries=costs,
        why_not_shredded=_why_not_shredded(variant, trial),
    )


def _why_not_shredded(variant: str, trial: Inspection) -> dict[str, str]:
    """Return the paths of the trial that have many bytes and no typed column, with the reasons."""
    (root,) = (each.root for each in trial.columns if each.name == variant)
    least = _REPORTED_SHARE * trial.compressed_bytes
    return {
        summary.path: summary.why_not_shredded
        for summary in root.walk()
        if summary.why_not_shredded is not None and summary.compressed_bytes >= least
    }


@dataclass
class _Choice:
    """Collects the recommendations. Its fields have the names of those of `Advice`."""

    pin: dict[str, str] = field(default_factory=dict)
    include: list[str] = field(default_factory=list)
    exclude: list[str] = field(default_factory=list)
    cluster_by: list[str] = field(default_factory=list)
    bloom_filter: list[str] = field(default_factory=list)
    reasons: dict[str, list[str]] = field(default_factory=dict)


def _variant(names: list[str], column: str | None) -> str:
    if not names:
        raise InvalidOptionError("there is no Variant in the files")
    if column is None and len(names) == 1:
        return names[0]
    if column not in names:
        raise InvalidOptionError(f"column: one of {', '.join(names)} is needed, not {column}")
    return column


def _partitions(
    spark: SparkSession, paths: tuple[str, ...], options: dict[str, ReadOptionValue]
) -> list[str]:
    files = read_files(spark, paths, options)
    names = files.selectExpr("map_keys(partition) AS names").first()
    return list(names[0] or []) if names else []


@contextmanager
def _view(spark: SparkSession, data: DataFrame, name: str) -> Iterator[None]:
    data.createTempView(quoted(name))
    try:
        yield
    finally:
        spark.catalog.dropTempView(name)


def _sampled(data: DataFrame, wanted: int, rows: int) -> DataFrame:
    if rows <= wanted:
        return data
    # A very small random sample could be empty.
    share = min(1.0, max(wanted, 20) / rows)
    # With fewer tasks, each task writes as many rows as if all of the data were written.
    tasks = data.selectExpr("spark_partition_id() AS task").distinct().count()
    return data.sample(share, seed=1).coalesce(max(1, round(tasks * share)))


@contextmanager
def _scratch(given: str | None) -> Iterator[str]:
    name = f"advised-{uuid.uuid4().hex[:12]}"
    if given is not None:
        yield f"{given}/{name}"
        return
    # If the job is interrupted, its tasks may still write files. So the cleanup may fail, and its
    # error would replace the interrupt.
    with tempfile.TemporaryDirectory(
        prefix="variant-shredded-", ignore_cleanup_errors=True
    ) as directory:
        # A path without a scheme would be a path of the file system that fs.defaultFS names.
        yield f"file:{directory}/{name}"


@dataclass(frozen=True)
class _Demand:
    """Counts the queries that use each path of a Variant.

    Attributes
    ----------
    queries
        The number of all queries.
    read
        The number of queries that use a path, by path.
    equals, ranges
        The number of queries that test a path by an equality or a range predicate, by path and
        type.
    """

    queries: int
    read: Counter[str]
    equals: Counter[tuple[str, str]]
    ranges: Counter[tuple[str, str]]

    @classmethod
    def of(cls, queries: list[QueryReads], variant: str) -> _Demand:
        read: Counter[str] = Counter()
        compared: dict[str, Counter[tuple[str, str]]] = {"equals": Counter(), "range": Counter()}
        for query in queries:
            ours = [use for use in query.uses if use.column == variant and use.path != "$"]
            read.update(dict.fromkeys((use.path for use in ours), 1))
            for kind, counter in compared.items():
                pairs = ((use.path, use.type) for use in ours if use.kind == kind)
                counter.update(dict.fromkeys(pairs, 1))
        return cls(len(queries), read, compared["equals"], compared["range"])


@dataclass(frozen=True)
class _Values:
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
        return sum(self.types.values())

    @property
    def type(self) -> str:
        """The most frequent type."""
        return max(self.types, key=lambda name: self.types[name])

    @property
    def is_one_type(self) -> bool:
        return self.types[self.type] >= _ONE_TYPE_SHARE * self.count

    @property
    def has_many_distinct(self) -> bool:
        """Whether there are so many distinct values that a bloom filter is useful."""
        return self.distinct >= max(_MANY_DISTINCT_SHARE * self.count, _MANY_DISTINCT)


def _values(sample: DataFrame, variant: str, paths: list[str]) -> dict[str, _Values]:
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
    return {path: _Values(types[path], distinct[path], nulls[path]) for path in types}


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


def _is_in_array(path: str) -> bool:
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


def _choose(choice: _Choice, demand: _Demand, values: dict[str, _Values]) -> None:
    """Choose the paths to shred, to sort by and to put bloom filters on, by the queries."""
    for path, count in demand.read.most_common():
        found = values.get(path)
        reasons = choice.reasons.setdefault(path, [])
        reasons.append(f"in {count} of {demand.queries} queries")
        if found is None:
            reasons.append("not measured: it has quotes" if "\\" in path else "no values seen")
        elif found.is_one_type and found.type in _PINNED_TYPES:
            choice.pin[path] = found.type.lower()
            reasons.append(f"{percent(found.types[found.type] / found.count)} {found.type}")
        else:
            choice.include.append(path)
            kinds = sorted({kind.split("(")[0] for kind in found.types})
            reasons.append(f"values are {', '.join(kinds)}")
        if found is not None and found.nulls:
            reasons.append(f"{percent(found.nulls / (found.count + found.nulls))} are null")
    _drop_below_pinned(choice)
    _drop_conflicting(choice, values)
    equals = _comparisons(choice, demand.equals, values)
    few = [path for path in equals if not values[path].has_many_distinct and not _is_in_array(path)]
    choice.bloom_filter = [path for path in equals if values[path].has_many_distinct]
    ranges = [
        path for path in _comparisons(choice, demand.ranges, values) if not _is_in_array(path)
    ]
    choice.cluster_by = list(dict.fromkeys([*few[:1], *ranges[:1]]))
    for paths, why in (
        (few[:1], "used in equality predicates; {} distinct values"),
        (ranges[:1], "used in range predicates"),
        (choice.bloom_filter, "used in equality predicates; {} distinct values"),
    ):
        for path in paths:
            choice.reasons[path].append(why.format(f"about {values[path].distinct:,}"))


def _comparisons(
    choice: _Choice, compared: Counter[tuple[str, str]], values: dict[str, _Values]
) -> list[str]:
    """Return the paths that help skipping if they are sorted or have a bloom filter.

    The paths that most queries test come first. Paths whose predicates cannot skip anything get a
    reason that says so.
    """
    found: Counter[str] = Counter()
    for (path, kind), count in compared.items():
        stored = values.get(path) if path in choice.pin or path in choice.include else None
        if stored is None or not stored.is_one_type or stored.distinct < 2:
            continue
        if _keeps_order(stored.type.lower(), kind):
            found[path] += count
        else:
            why = f"compared as {kind}, which skips nothing: write values of this type"
            if why not in choice.reasons[path]:
                choice.reasons[path].append(why)
    return [path for path, _ in found.most_common()]


def _keeps_order(stored: str, tested: str) -> bool:
    """Return whether the bounds of a stored type can be compared after a cast.

    docs/pushdown.md has the rules.
    """
    exact = ("tinyint", "smallint", "int", "bigint", "decimal")
    stored, tested = stored.split("(")[0], tested.split("(")[0]
    return stored == tested or (stored in exact and tested in (*exact, "float", "double"))


def _drop_below_pinned(choice: _Choice) -> None:
    """Remove the recommendations for paths below a pinned one, which has scalars nearly always."""
    for pinned in list(choice.pin):
        for path in [*choice.pin, *choice.include]:
            if path != pinned and _is_below(path, pinned):
                choice.pin.pop(path, None)
                choice.include = [other for other in choice.include if other != path]
                choice.reasons[path].append(f"inside {pinned}, which is pinned")


def _drop_conflicting(choice: _Choice, values: dict[str, _Values]) -> None:
    """Remove the recommendations for which a value has to be both an object and an array.

    The path with more values is kept. If both have as many, the one that more queries read is kept,
    which comes first in the reasons.
    """
    is_array: dict[str, bool] = {}
    because_of: dict[str, str] = {}
    none = _Values({}, 0)
    for path in sorted(choice.reasons, key=lambda each: -values.get(each, none).count):
        if path not in choice.pin and path not in choice.include:
            continue
        ends = [end for _, end in steps(path)]
        above = ["$", *ends[:-1]]
        needed = {where: end.endswith("[*]") for where, end in zip(above, ends, strict=True)}
        other = [where for where in above if is_array.get(where, needed[where]) != needed[where]]
        if not other:
            is_array.update(needed)
            because_of = {**dict.fromkeys(needed, path), **because_of}
            continue
        choice.pin.pop(path, None)
        choice.include = [each for each in choice.include if each != path]
        kept = "an array" if is_array[other[0]] else "an object"
        reason = f"{other[0]} is shredded as {kept}, because of {because_of[other[0]]}"
        choice.reasons[path].append(reason)


def _drop(choice: _Choice, variant: str, demand: _Demand, inspection: Inspection) -> None:
    """Drop the columns of the files that have few values and that no query needs."""
    (root,) = (each.root for each in inspection.columns if each.name == variant)
    for summary in filter(lambda each: each is not root, root.walk()):
        share = _share(summary)
        if summary.children or share is None or share >= _RARE_SHARE:
            continue
        if _is_in_array(summary.path):
            continue
        if not any(
            _is_below(path, summary.path) or _is_below(summary.path, path) for path in demand.read
        ):
            choice.exclude.append(summary.path)
            choice.reasons[summary.path] = [f"{percent(share)} of the rows have a value"]


def _share(summary: PathSummary) -> float | None:
    """Return the share of the possible values at a path that are not missing, if it is known."""
    shares = [] if summary.typed is None else [summary.typed_share]
    if not shares or any(leaf.name in RESIDUAL for leaf in summary.leaves):
        shares.append(summary.residual_share)
    known = [share for share in shares if share is not None]
    return sum(known) if len(known) == len(shares) else None


def _is_below(path: str, other: str) -> bool:
    return path == other or path.startswith((f"{other}.", f"{other}["))
