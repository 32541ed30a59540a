"""`advise`: what to shred, pin, drop, sort by and put bloom filters on."""

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

from variant_shredded._io import OptionValue, listed, read_variant, write_variant
from variant_shredded._names import literal, quoted
from variant_shredded._needs import jar_needed
from variant_shredded._tools.advice import Advice, QueryCost
from variant_shredded._tools.inspection import inspect, read_files
from variant_shredded._tools.model import Inspection, PathSummary
from variant_shredded._tools.paths import escaped, may_hold
from variant_shredded._tools.progress import Step, silent
from variant_shredded._tools.queries import Queries, Reading, read_queries, reading
from variant_shredded._tools.terminal import percent
from variant_shredded.errors import InvalidOptionError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: A path is pinned if this share of its values has one type.
_ONE_TYPE = 0.98
#: Types that a path is pinned with; the digits of decimals are left to inference.
_PINNED = ("BIGINT", "STRING", "DOUBLE", "FLOAT", "BOOLEAN", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ")
#: How `schema_of_variant` names a Variant null.
_NULL = "VOID"
#: Paths of the trial without a column are reported if they have such a share of all bytes.
_LARGE = 0.01
#: A column that no query needs is dropped if it has values in a smaller share of rows.
_HARDLY_EVER = 0.005
#: A path gets a bloom filter if it has this many distinct values, by share and by number. Rows are
#: sorted by paths that have fewer.
_MANY_VALUES, _MANY = 0.05, 100


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
    **options: OptionValue,
) -> Advice:
    """Advise how to shred the Variants of some files, from the data and from queries.

    Spark plans the queries, but only their scans run: once on the files, and once on a trial, for
    which rows are written as the advice says. So the advice has the bytes that each query reads
    before and after.

    Parameters
    ----------
    spark
        A session that has the JAR (see `session`).
    *paths
        Files, directories or globs, one by one or as a list; at least one.
    queries
        SQL over the table that `table` names: a text or (as a path) a file with statements that end
        with semicolons, or a list of statements.
    column
        The Variant column; needed only if there are several.
    table
        The name that the files have in the queries. If it is not given, it is the name of the last
        path without its suffix. No temporary view may have this name.
    rows
        The approximate number of rows in the trial, some 20 at least. If the files have more rows,
        the trial has a random sample of them, for which the files are read once.
    scratch
        A directory that the executors can write to, not inside `paths`. The trial is written to a
        new directory in it, which stays there. If it is not given, the trial is in a temporary
        directory of this machine.
    step
        A function that shows progress: it is called with the name of the next step, and returns a
        context manager within which the step runs.
    **options
        Options of reading.

    Returns
    -------
    Advice
        The options to write the files with, the reasons, and the bytes that each query reads
        before and after.

    Raises
    ------
    InvalidOptionError
        If no path is given, `rows` is not positive, `scratch` is inside a path, the files have no
        rows or no such Variant, or Spark cannot plan a query. In the last case, the message begins
        with the file and the line of the query.
    """
    files = listed("advise", paths)
    if rows < 1:
        raise InvalidOptionError(f"rows: a number from 1 on is needed, not {rows}")
    if scratch is not None and any(may_hold(path, os.fspath(scratch)) for path in files):
        raise InvalidOptionError(f"scratch: {os.fspath(scratch)} is inside the files")
    name = table or re.sub(r"\W", "_", Path(files[-1].rstrip("/")).stem) or "t"
    asked = read_queries(queries)
    with step("reading footers"):
        found = inspect(spark, *files, residual_sample=0, **options)
        if found.rows == 0:
            raise InvalidOptionError("the files have no rows")
        variants = [each.name for each in found.columns if each.is_variant]
        variant = _variant(variants, column)
        partition_by = _partitions(spark, found.paths, options)
        settings: dict[str, Any] = dict(options)
        data = read_variant(spark, *files, **settings)
    with _view(spark, data, name), step("reading what queries read"):
        before = [reading(spark, name, statement) for statement in asked]
    sample = _sampled(data, rows, found.rows)
    demand = _Demand.of(before, variant)
    with step("looking at values"):
        values = _values(sample, variant, sorted(demand.read))
    choice = _Choice()
    _choose(choice, demand, values)
    _drop(choice, variant, demand, found)
    advice = Advice(
        variant,
        is_only_variant=len(variants) == 1,
        partition_by=partition_by,
        rows=found.rows,
        before=found.compressed_bytes,
        **vars(choice),
    )
    with _scratch(scratch) as directory:
        with step("trying"):
            write_variant(sample, directory, **advice.options)
        pattern = escaped(directory)
        tried = inspect(spark, pattern)
        scale = found.rows / tried.rows if tried.rows else 1.0
        with _view(spark, read_variant(spark, pattern), name), step("reading the trial"):
            after = [reading(spark, name, statement) for statement in asked]
    costs = [
        QueryCost(query.text, query.source, query.line, old.bytes, round(new.bytes * scale))
        for query, old, new in zip(asked, before, after, strict=True)
    ]
    size = round(tried.compressed_bytes * scale)
    unshredded = _unshredded(variant, tried)
    return replace(advice, tried=tried.rows, after=size, queries=costs, unshredded=unshredded)


def _unshredded(variant: str, tried: Inspection) -> dict[str, str]:
    """Return the paths of the trial that have no column and many bytes, with the reasons."""
    (root,) = (each.root for each in tried.columns if each.name == variant)
    least = _LARGE * tried.compressed_bytes
    return {
        summary.path: summary.unshredded
        for summary in root.walk()
        if summary.unshredded is not None and summary.compressed_bytes >= least
    }


@dataclass
class _Choice:
    """Collects what is chosen. The fields have the names of those of `Advice`."""

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
    spark: SparkSession, paths: tuple[str, ...], options: dict[str, OptionValue]
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
    # Of a very small sample, all rows could be missing.
    share = min(1.0, max(wanted, 20) / rows)
    # Tasks then write as many rows as those of the whole would.
    tasks = data.selectExpr("spark_partition_id() AS task").distinct().count()
    return data.sample(share, seed=1).coalesce(max(1, round(tasks * share)))


@contextmanager
def _scratch(given: str | os.PathLike[str] | None) -> Iterator[str]:
    name = f"advised-{uuid.uuid4().hex[:12]}"
    if given is not None:
        yield f"{os.fspath(given)}/{name}"
        return
    with tempfile.TemporaryDirectory(prefix="variant-shredded-") as directory:
        # Without the scheme, it would be a path of the file system that fs.defaultFS names.
        yield f"file:{directory}/{name}"


@dataclass(frozen=True)
class _Demand:
    """Counts the queries that use a path of a Variant, by path (and type)."""

    queries: int
    read: Counter[str]
    equals: Counter[tuple[str, str]]
    ranges: Counter[tuple[str, str]]

    @classmethod
    def of(cls, queries: list[Reading], variant: str) -> _Demand:
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
    """Counts the values of the sample at a path: by type, distinct ones, Variant nulls."""

    types: dict[str, int]
    distinct: int
    nulls: int = 0

    @property
    def number(self) -> int:
        return sum(self.types.values())

    @property
    def type(self) -> str:
        """The most frequent type."""
        return max(self.types, key=lambda name: self.types[name])

    @property
    def is_one_type(self) -> bool:
        return self.types[self.type] >= _ONE_TYPE * self.number

    @property
    def is_looked_up(self) -> bool:
        """Whether there are so many distinct values that a bloom filter is useful."""
        return self.distinct >= max(_MANY_VALUES * self.number, _MANY)


def _values(sample: DataFrame, variant: str, paths: list[str]) -> dict[str, _Values]:
    column = ".".join(map(quoted, variant.split(".")))
    # Spark's paths have no escapes.
    known = [path for path in paths if "\\" not in path]
    if not known:
        return {}
    entries = ", ".join(
        f"struct({literal(path)} AS path, {_found(column, path.split('[*]'))} AS xs)"
        for path in known
    )
    counts = (
        sample.selectExpr(f"explode(array({entries})) AS e")
        .selectExpr("e.path", "explode(e.xs) AS x")
        .where("x IS NOT NULL")
        .selectExpr(
            "path", "regexp_replace(schema_of_variant(x), '<.*', '') AS type", "to_json(x) AS text"
        )
        .groupBy("path", "type")
        .agg({"*": "count", "text": "approx_count_distinct"})
        .toDF("path", "type", "number", "different")
        .collect()
    )
    types: defaultdict[str, dict[str, int]] = defaultdict(dict)
    different: Counter[str] = Counter()
    nulls: Counter[str] = Counter()
    for row in counts:
        if row.type == _NULL:
            nulls[row.path] = row.number
        else:
            types[row.path][row.type] = row.number
            different[row.path] += row.different
    return {path: _Values(types[path], different[path], nulls[path]) for path in types}


def _found(value: str, steps: list[str], depth: int = 0) -> str:
    """Write the SQL for the values at a path, split at its arrays: an array of Variants."""
    path = literal("$" + steps[0].removeprefix("$"))
    if len(steps) == 1:
        return f"array(try_variant_get({value}, {path}, 'variant'))"
    element = f"e{depth}"
    each = _found(element, steps[1:], depth + 1)
    elements = f"try_variant_get({value}, {path}, 'array<variant>')"
    return f"flatten(transform({elements}, {element} -> {each}))"


def _choose(choice: _Choice, demand: _Demand, values: dict[str, _Values]) -> None:
    """Choose what to shred, sort by and look up, from what queries ask for."""
    for path, count in demand.read.most_common():
        found = values.get(path)
        reasons = choice.reasons.setdefault(path, [])
        reasons.append(f"in {count} of {demand.queries} queries")
        if found is None:
            reasons.append("not measured: it has quotes" if "\\" in path else "no values seen")
        elif found.is_one_type and found.type in _PINNED:
            choice.pin[path] = found.type.lower()
            reasons.append(f"{percent(found.types[found.type] / found.number)} {found.type}")
        else:
            choice.include.append(path)
            kinds = sorted({kind.split("(")[0] for kind in found.types})
            reasons.append(f"values are {', '.join(kinds)}")
        if found is not None and found.nulls:
            reasons.append(f"{percent(found.nulls / (found.number + found.nulls))} are null")
    _drop_below_pinned(choice)
    single = _comparisons(choice, demand.equals, values)
    sorted_by = [path for path in single if not values[path].is_looked_up and "[*]" not in path]
    choice.bloom_filter = [path for path in single if values[path].is_looked_up]
    bounds = [path for path in _comparisons(choice, demand.ranges, values) if "[*]" not in path]
    choice.cluster_by = list(dict.fromkeys([*sorted_by[:1], *bounds[:1]]))
    for paths, why in (
        (sorted_by[:1], "used in equality predicates; {} distinct values"),
        (bounds[:1], "used in range predicates"),
        (choice.bloom_filter, "used in equality predicates; {} distinct values"),
    ):
        for path in paths:
            choice.reasons[path].append(why.format(f"about {values[path].distinct:,}"))


def _comparisons(
    choice: _Choice, compared: Counter[tuple[str, str]], values: dict[str, _Values]
) -> list[str]:
    """Return the paths whose sorting or bloom filter lets queries skip data, most used first."""
    found: Counter[str] = Counter()
    for (path, kind), count in compared.items():
        stored = values.get(path)
        if stored is None or not stored.is_one_type or stored.distinct < 2:
            continue
        if _keeps_order(stored.type.lower(), kind):
            found[path] += count
        else:
            why = f"compared as {kind}, which skips nothing: write it as that"
            if why not in choice.reasons[path]:
                choice.reasons[path].append(why)
    return [path for path, _ in found.most_common()]


def _keeps_order(stored: str, asked: str) -> bool:
    """Return whether bounds of a stored type can be used for a cast (docs/pushdown.md)."""
    exact = ("tinyint", "smallint", "int", "bigint", "decimal")
    stored, asked = stored.split("(")[0], asked.split("(")[0]
    return stored == asked or (stored in exact and asked in (*exact, "float", "double"))


def _drop_below_pinned(choice: _Choice) -> None:
    """Choose nothing below a path that has one scalar type in nearly all rows."""
    for pinned in list(choice.pin):
        for path in [*choice.pin, *choice.include]:
            if path != pinned and _is_below(path, pinned):
                choice.pin.pop(path, None)
                choice.include = [other for other in choice.include if other != path]
                choice.reasons[path].append(f"inside {pinned}, which is pinned")


def _drop(choice: _Choice, variant: str, demand: _Demand, found: Inspection) -> None:
    """Drop columns of the files that hardly ever have a value, and that no query asks for."""
    (root,) = (each.root for each in found.columns if each.name == variant)
    for summary in filter(lambda each: each is not root, root.walk()):
        share = _share(summary)
        if summary.children or share is None or share >= _HARDLY_EVER or "[*]" in summary.path:
            continue
        if not any(
            _is_below(path, summary.path) or _is_below(summary.path, path) for path in demand.read
        ):
            choice.exclude.append(summary.path)
            choice.reasons[summary.path] = [f"{percent(share)} of the rows have a value"]


def _share(summary: PathSummary) -> float | None:
    """Return the share of the values at a path that are in its columns."""
    if summary.typed is None:
        return summary.residual_share
    return None if summary.fill is None else summary.fill + (summary.residual_share or 0.0)


def _is_below(path: str, other: str) -> bool:
    return path == other or path.startswith((f"{other}.", f"{other}["))
