"""The command ``reshred``: rewrites files, or those of a table of Delta Lake."""

from __future__ import annotations

import argparse
from pathlib import Path

from variant_shredded._commands.arguments import (
    positive,
    spark_arguments,
    writing_arguments,
    writing_options,
)
from variant_shredded._commands.output import step_of
from variant_shredded._tools import terminal
from variant_shredded._tools.delta import DeltaReshredResult, reshred_delta
from variant_shredded._tools.rewriting import ReshredResult, reshred


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    command = commands.add_parser(
        "reshred",
        help="rewrite files with another shredding schema",
        description="Write the rows of SRC to DST with another shredding schema, and check that "
        "DST has the same number of rows with the same checksum. SRC does not change. With "
        "--delta, rewrite the files of a table of Delta Lake, in one commit that changes no rows.",
    )
    command.add_argument("source", metavar="SRC", nargs="?", help="a file, directory or glob")
    command.add_argument("target", metavar="DST", nargs="?", help="a new directory")
    command.add_argument(
        "--delta",
        metavar="TABLE",
        help="rewrite the files of this table of Delta Lake: its path, which has a slash, or its "
        "name in Hive's metastore (--conf spark.sql.catalogImplementation=hive)",
    )
    writing_arguments(
        command,
        "writing, or one of these options of reading: validation, maxDepth, datetimeRebaseMode, "
        "int96RebaseMode; with --delta, only options of writing, except maxRecordsPerFile, "
        "driftRows and driftFiles",
    )
    command.add_argument(
        "--layout", help="the layout of the Variants: spec (the default) or overview"
    )
    command.add_argument(
        "--sort-by",
        action="append",
        metavar="EXPRESSION",
        help="sort the rows over all files by this expression, such as v:ts::timestamp or "
        "'v:ts::timestamp DESC'; can be repeated",
    )
    by = command.add_mutually_exclusive_group()
    by.add_argument(
        "--partition-by",
        action="append",
        metavar="COLUMN",
        help="partition by this column instead of by the columns of SRC; can be repeated",
    )
    by.add_argument(
        "--no-partitions", action="store_true", help="write one directory without partitions"
    )
    command.add_argument(
        "--files",
        type=positive,
        help="the approximate number of files, for each partition if there are partitions; with "
        "--sort-by, over all partitions",
    )
    command.add_argument("--overwrite", action="store_true", help="replace the files in DST")
    spark_arguments(command)
    command.set_defaults(run=run)


def run(given: argparse.Namespace, work: Path) -> None:
    """Run the command."""
    if given.delta is not None:
        _reshred_delta(given, work)
        return
    needed = {"SRC": given.source, "DST": given.target}
    missing = [name for name, value in needed.items() if value is None]
    if missing:
        names = ", ".join(missing)
        given.usage_error(f"the following arguments are required: {names} (or --delta TABLE)")
    partition_by = () if given.no_partitions else given.partition_by
    options = writing_options(given)
    with given.spark(given, work) as spark:
        done = reshred(
            spark,
            given.source,
            given.target,
            layout=given.layout,
            sort_by=given.sort_by,
            partition_by=partition_by,
            files=given.files,
            overwrite=given.overwrite,
            step=step_of(spark, given),
            **options,
        )
    _print_reshred(done, done.target)


def _reshred_delta(given: argparse.Namespace, work: Path) -> None:
    refused = ("source", "target", "layout", "sort_by", "partition_by", "no_partitions", "files")
    if given.overwrite or any(getattr(given, name) not in (None, False) for name in refused):
        given.usage_error(
            "reshred --delta cannot be combined with SRC, DST, --layout, --sort-by, "
            "--partition-by, --no-partitions, --files or --overwrite"
        )
    options = writing_options(given)
    with given.spark(given, work) as spark:
        done = reshred_delta(spark, given.delta, step=step_of(spark, given), **options)
    _print_reshred(done, f"version {done.version} of {done.table}")


def _print_reshred(done: ReshredResult | DeltaReshredResult, target: str) -> None:
    print(
        f"{terminal.plural(done.rows, 'row')}, the same in {target}: "
        f"{terminal.plural(done.source_files, 'file')} of {terminal.size(done.source_bytes)} "
        f"became {terminal.plural(done.target_files, 'file')} of "
        f"{terminal.size(done.target_bytes)}"
    )
