"""Implements `advise`, which recommends the options to write files with."""

from __future__ import annotations

import os
import re
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from variant_shredded._arguments import path_list, path_text, require_text, whole_number
from variant_shredded._io import read_variant, write_variant
from variant_shredded._names import quoted
from variant_shredded._needs import jar_needed, require_kind
from variant_shredded._options import ReadOptionValue, hadoop_settings
from variant_shredded._tools.advice import Advice, QueryCost
from variant_shredded._tools.choosing import Choice, Demand, choose, drop
from variant_shredded._tools.inspection import inspect, read_files
from variant_shredded._tools.machine import runs_here
from variant_shredded._tools.model import Inspection
from variant_shredded._tools.paths import escaped, may_hold
from variant_shredded._tools.progress import Step, silent
from variant_shredded._tools.queries import Queries, query_reads, read_queries
from variant_shredded._tools.sampled import sampled_values
from variant_shredded.errors import InvalidOptionError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: A path without a typed column is reported if it has at least this share of the trial's bytes.
_REPORTED_SHARE = 0.01


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
    demand = Demand.of(before, variant)
    with step("reading values"):
        values = sampled_values(sample, variant, sorted(demand.read))
    choice = Choice()
    choose(choice, demand, values)
    drop(choice, variant, demand, inspection)
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
