"""The command ``advise``: recommends a shredding schema."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from variant_shredded._commands.arguments import positive, spark_arguments
from variant_shredded._commands.output import print_json, step_of
from variant_shredded._tools import advice, terminal
from variant_shredded._tools.advising import advise


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    command = commands.add_parser(
        "advise",
        help="recommend a shredding schema, from the data and from queries",
        description="Recommend paths to shred, to pin, to drop, to sort by and to put bloom "
        "filters on, from the data and from queries. A trial shows how many bytes the queries "
        "read before and after. The output ends with the call of write_variant. Spark plans the "
        "queries, but runs only their scans.",
    )
    command.add_argument("paths", nargs="+", metavar="PATH", help="files, directories or globs")
    command.add_argument(
        "--queries",
        metavar="FILE.sql",
        type=Path,
        help="a file of SQL statements that end with semicolons",
    )
    command.add_argument(
        "--table",
        help="the table name that the queries use for these files (default: the name of the last "
        "PATH)",
    )
    command.add_argument("--column", help="the Variant column; needed only if there are several")
    command.add_argument(
        "--rows",
        type=positive,
        default=100_000,
        help="the approximate number of rows of the trial (default: %(default)s)",
    )
    command.add_argument(
        "--scratch",
        metavar="DIR",
        help="a directory for the trial that all executors can write to, needed over Spark Connect "
        "and if they run on other machines; the trial is not deleted",
    )
    command.add_argument("--json", action="store_true", help="print JSON")
    spark_arguments(command)
    command.set_defaults(run=run)


def run(given: argparse.Namespace, work: Path) -> None:
    """Run the command."""
    with given.spark(given, work) as spark, _temporary_files_in(work):
        found = advise(
            spark,
            *given.paths,
            queries=given.queries or (),
            column=given.column,
            table=given.table,
            rows=given.rows,
            scratch=given.scratch,
            step=step_of(spark, given),
        )
    if given.json:
        print_json(found.to_dict())
    else:
        sys.stdout.write(advice.render(found, terminal.Terminal.of(sys.stdout)))


@contextmanager
def _temporary_files_in(directory: Path) -> Iterator[None]:
    """Let temporary files of Python be in a directory that is deleted after Spark has stopped.

    Tasks of an interrupted job may still write files while `advise` deletes its trial.
    """
    before = tempfile.tempdir
    tempfile.tempdir = str(directory)
    try:
        yield
    finally:
        tempfile.tempdir = before
