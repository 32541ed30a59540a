"""The command ``load``: writes JSON files as shredded Variants."""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path
from typing import Any

from variant_shredded._commands.arguments import (
    positive,
    spark_arguments,
    writing_arguments,
    writing_options,
)
from variant_shredded._session import default_setting
from variant_shredded._tools import terminal
from variant_shredded._tools.load import STANDARD_INPUT, load, split_options, spooled
from variant_shredded._tools.machine import runs_here
from variant_shredded._tools.progress import Progress, silent
from variant_shredded.errors import InvalidOptionError

#: The tasks report the rows that they have read with each heartbeat.
_HEARTBEAT = "spark.executor.heartbeatInterval"


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    command = commands.add_parser(
        "load",
        help="write JSON files as shredded Variants",
        description="Read JSON files, and write each value in them as a row with one Variant. A "
        "file has one value on each line, one array of values, or values one after another. Files "
        "whose names end with .gz or .zst are decompressed. Directories named name=value become "
        "partition columns.",
    )
    command.add_argument(
        "sources",
        nargs="+",
        metavar="SOURCE",
        help="files, directories or globs; - is standard input",
    )
    command.add_argument("target", metavar="TARGET", help="the directory to write to")
    command.add_argument("--column", help="the name of the Variant column (default: v)")
    command.add_argument(
        "--malformed",
        choices=("fail", "null", "keep"),
        help="what happens to a text that is not JSON: fail (the default) ends the job, null "
        "writes NULL, keep writes NULL, and writes the text to a column of its own",
    )
    command.add_argument(
        "--malformed-column",
        metavar="NAME",
        help="the name of the column for malformed text (default: _corrupt_record)",
    )
    command.add_argument(
        "--records",
        choices=("auto", "lines", "array", "values"),
        help="the form of the files; auto (the default) detects it from their first lines",
    )
    writing_arguments(command, "writing or of load_json, such as pathGlobFilter")
    command.add_argument(
        "--partition-by",
        action="append",
        metavar="COLUMN",
        help="partition by this column; can be repeated",
    )
    command.add_argument(
        "--files",
        type=positive,
        help="the approximate number of files, for each partition if there are partitions",
    )
    mode = command.add_mutually_exclusive_group()
    mode.add_argument("--append", action="store_true", help="add to the files in TARGET")
    mode.add_argument("--overwrite", action="store_true", help="replace the files in TARGET")
    spark_arguments(command)
    command.set_defaults(run=run)


def _may_hasten_heartbeats(given: argparse.Namespace) -> bool:
    """Return whether all of Spark runs in one process, and the user has not set the heartbeats.

    The executors of a cluster would end sooner if the driver did not answer.
    """
    conf = dict(given.conf)
    place = (
        given.remote
        or given.master
        or conf.get("spark.remote")
        or conf.get("spark.master")
        or os.environ.get("SPARK_REMOTE")
        or default_setting("spark.master")
        or os.environ.get("MASTER")
        or "local"
    )
    submitted = os.environ.get("PYSPARK_SUBMIT_ARGS", "")
    names = (_HEARTBEAT, "--master", "spark.master", "--properties-file")
    is_submitted = any(name in submitted for name in names)
    is_local = re.match(r"local(\[|$)", place) is not None
    return is_local and not is_submitted and not default_setting(_HEARTBEAT)


def run(given: argparse.Namespace, work: Path) -> None:
    """Run the command."""
    sources = list(given.sources)
    if STANDARD_INPUT in sources:
        if sources != [STANDARD_INPUT]:
            given.usage_error("standard input (-) cannot be combined with other sources")
        if given.remote or dict(given.conf).get("spark.remote") or os.environ.get("SPARK_REMOTE"):
            raise InvalidOptionError("a server cannot read standard input: give it a file")
        if sys.stdin is None:
            raise InvalidOptionError("standard input (-) is closed: give a file")
    read_options: dict[str, Any] = {
        name: getattr(given, name)
        for name in ("column", "malformed", "malformed_column", "records")
    }
    options = writing_options(given)
    if not given.quiet and _may_hasten_heartbeats(given):
        given.conf.insert(0, (_HEARTBEAT, "1s"))
    with given.spark(given, work) as spark:
        more_read_options, write_options = split_options(options)
        if sources == [STANDARD_INPUT]:
            if not runs_here(spark):
                raise InvalidOptionError(
                    "executors on other machines cannot read standard input: give a file that "
                    "they can read"
                )
            sources = [spooled(sys.stdin.buffer, work)]
        progress = None if given.quiet else Progress(spark, sys.stderr, rates=True)
        done = load(
            spark,
            sources,
            given.target,
            read_options={**read_options, **more_read_options},
            write_options={
                "partition_by": given.partition_by,
                **write_options,
                "mode": "overwrite"
                if given.overwrite
                else "append"
                if given.append
                else "errorifexists",
            },
            files=given.files,
            step=silent if progress is None else progress.of,
        )
    seconds = max(done.seconds, 0.001)
    count = 0 if progress is None else progress.read[1]
    of_bytes = f" from {terminal.size(count)}" if count else ""
    rates = [f"{done.rows / seconds:,.0f} rows/s"]
    rates += [f"{terminal.size(int(count / seconds))}/s"] if count else []
    print(
        f"{terminal.plural(done.rows, 'row')}{of_bytes} loaded into {done.target} in "
        f"{seconds:.1f} s ({', '.join(rates)})"
    )
    if done.malformed:
        column = given.malformed_column or "_corrupt_record"
        kept = f"in the column {column}" if given.malformed == "keep" else "NULL"
        verb = "is" if done.malformed == 1 else "are"
        print(f"{terminal.plural(done.malformed, 'text')} {verb} not JSON, and {verb} {kept}")
