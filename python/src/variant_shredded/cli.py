"""Implements the command ``variant-shredded``."""

from __future__ import annotations

import argparse
import io
import json
import logging
import os
import re
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from variant_shredded._io import OptionValue, normalized
from variant_shredded._needs import jvm_needed, start_needed
from variant_shredded._quiet import stderr_to
from variant_shredded._session import session
from variant_shredded._tools import advice, page, terminal, tree
from variant_shredded._tools.advising import advise
from variant_shredded._tools.delta import DeltaReshredResult, reshred_delta
from variant_shredded._tools.inspection import inspect
from variant_shredded._tools.load import STANDARD_INPUT, load, split_options, spooled
from variant_shredded._tools.machine import runs_here
from variant_shredded._tools.progress import Progress, Step, silent
from variant_shredded._tools.rewriting import ReshredResult, reshred
from variant_shredded._version import __version__
from variant_shredded.errors import InvalidOptionError, VariantShreddedError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PROGRAM = "variant-shredded"

#: The exit statuses. In addition, argparse exits with 2 if it cannot parse the arguments.
OK, FAILED, INTERRUPTED, BROKEN_PIPE = 0, 1, 130, 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit status.

    Parameters
    ----------
    arguments
        The arguments of the command line. The default is those of this process.

    Returns
    -------
    int
        0 for success, 1 after an error, which is printed, 130 after Ctrl-C, or 141 if the reader of
        the output has ended. An invalid command line, SIGHUP and SIGTERM end the process with the
        status 2, 129 or 143.
    """
    given = _parser().parse_args(arguments)
    _replace_closed_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    with (
        _ending_at_signals(),
        # An error of this cleanup would replace an interrupt, and its exit status.
        tempfile.TemporaryDirectory(prefix=f"{PROGRAM}-", ignore_cleanup_errors=True) as work,
        _logging(given.verbose),
    ):
        try:
            status: int = given.run(given, Path(work))
            sys.stdout.flush()
        except KeyboardInterrupt:
            return INTERRUPTED
        except BrokenPipeError:
            # The reader of a pipe, such as head, has ended. With the null device as its standard
            # output, Python does not report this again when it exits.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return BROKEN_PIPE
        except Exception as error:
            if given.verbose:
                raise
            print(f"{PROGRAM}: error: {terminal.printable(reason(error))}", file=sys.stderr)
            return FAILED
        return status


def _replace_closed_streams() -> None:
    """Replace a standard stream that was closed (``>&-``) by the null device."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


@contextmanager
def _ending_at_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise `SystemExit`, so that temporary files are deleted.

    A signal that is ignored stays ignored, because nohup starts commands in this way.
    """

    def end(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    ending = [number for number in signals if signal.getsignal(number) is signal.SIG_DFL]
    for number in ending:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ending:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def _logging(wanted: bool) -> Iterator[None]:
    """Switch Python's logging off, unless it is wanted.

    PySpark logs errors in SQL, which the command prints itself.
    """
    before = logging.root.manager.disable
    logging.disable(before if wanted else logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def reason(error: BaseException) -> str:
    """Return the line of an error that says what is wrong."""
    if isinstance(error, VariantShreddedError):
        return terminal.shorten(" ".join(str(error).split()), 600)
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    # In Spark's error for a failed job, the cause comes last. Lines of stack traces do not count.
    text = [line for line in lines if not line.startswith("at ")]
    ours = [line for line in text if "VariantShreddedException: [" in line]
    coded = [line for line in text if re.search(r"\[[A-Z][A-Z_.]+\]", line)]
    line = (ours or coded or text or [type(error).__name__])[0]
    line = re.sub(r"^.*?(?=\[[A-Z][A-Z_.]+\])", "", line) if ours or coded else line
    causes = [each.removeprefix("Caused by: ") for each in text if each.startswith("Caused by: ")]
    if causes and not ours and causes[-1] not in line:
        line = f"{line} ({causes[-1]})"
    return terminal.shorten(line, 600)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Load JSON files as shredded Variants, show what Parquet files with Variants "
        "hold, recommend a shredding schema, and rewrite the files.",
    )
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _add_load(commands)
    _add_inspect(commands)
    _add_advise(commands)
    _add_reshred(commands)
    return parser


def _spark_arguments(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("Spark")
    place = group.add_mutually_exclusive_group()
    place.add_argument("--master", help="the master of the Spark session (default: local[*])")
    place.add_argument("--remote", help="a Spark Connect server, sc://HOST:PORT, that has the JAR")
    group.add_argument(
        "--conf",
        action="append",
        default=[],
        type=_spark_setting,
        metavar="KEY=VALUE",
        help="a setting of Spark; can be repeated",
    )
    group.add_argument(
        "--verbose",
        action="store_true",
        help="show the log of Spark, and the traceback of an error",
    )
    group.add_argument("--quiet", action="store_true", help="do not show progress")
    command.set_defaults(usage_error=command.error)


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return key.strip(), value


def _spark_setting(text: str) -> tuple[str, str]:
    key, value = _setting(text)
    if "." not in key:
        raise argparse.ArgumentTypeError(f"{text!r} is not a setting such as spark.{key}=VALUE")
    return key, value


@contextmanager
def _spark(given: argparse.Namespace, work: Path) -> Iterator[SparkSession]:
    settings: dict[str, OptionValue] = {
        "spark.app.name": PROGRAM,
        "spark.ui.enabled": False,
        "spark.ui.showConsoleProgress": False,
        **dict(given.conf),
    }
    if given.remote:
        settings["spark.remote"] = given.remote
    elif given.master:
        settings["spark.master"] = given.master
    log = work / "spark.log"
    with nullcontext() if given.verbose else stderr_to(log), start_needed(log):
        spark = session(**settings)
    from pyspark.sql.utils import is_remote

    try:
        if not given.verbose and not is_remote():
            spark.sparkContext.setLogLevel("OFF")
        with nullcontext() if is_remote() else jvm_needed(log):
            yield spark
    except BaseException:
        # If the JVM has ended, these fail too.
        if not is_remote():
            # Tasks that go on would create files in directories that have been deleted.
            with suppress(Exception):
                spark.sparkContext.cancelAllJobs()
        with suppress(Exception):
            spark.stop()
        raise
    spark.stop()


def _step(spark: SparkSession, given: argparse.Namespace) -> Step:
    """Return the function that shows the progress of steps; with ``--quiet``, it shows nothing."""
    return silent if given.quiet else Progress(spark, sys.stderr).of


# load


def _add_load(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
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
    _writing_arguments(command, "writing or of load_json, such as pathGlobFilter")
    command.add_argument(
        "--partition-by",
        action="append",
        metavar="COLUMN",
        help="partition by this column; can be repeated",
    )
    command.add_argument(
        "--files",
        type=_positive,
        help="the approximate number of files, for each partition if there are partitions",
    )
    mode = command.add_mutually_exclusive_group()
    mode.add_argument("--append", action="store_true", help="add to the files in TARGET")
    mode.add_argument("--overwrite", action="store_true", help="replace the files in TARGET")
    _spark_arguments(command)
    command.set_defaults(run=_load)


def _load(given: argparse.Namespace, work: Path) -> int:
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
    options = _writing_options(given)
    # The tasks report the rows that they have read with each heartbeat.
    given.conf.insert(0, ("spark.executor.heartbeatInterval", "1s"))
    with _spark(given, work) as spark:
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
    return OK


# inspect


def _add_inspect(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "inspect",
        help="show the columns of files, their sizes, and what readers can skip",
        description="Show the columns of Parquet files and the paths within their Variants: the "
        "share of all bytes, the share of values in typed columns, and what readers can skip. The "
        "command reads the footers of the files, and a sample of the residual values.",
    )
    command.add_argument("paths", nargs="+", metavar="PATH", help="files, directories or globs")
    command.add_argument("--json", action="store_true", help="print JSON")
    command.add_argument("--html", metavar="FILE", type=Path, help="write an HTML page with plots")
    command.add_argument(
        "--depth", type=_natural, help="show paths down to this depth within a Variant"
    )
    command.add_argument(
        "--min-share",
        type=_share,
        metavar="PERCENT",
        help="sum up the paths with a smaller share of all bytes in one line",
    )
    command.add_argument(
        "--sample",
        type=_natural,
        metavar="ROWS",
        help="the number of rows of each row group in which the types of residual values are "
        "looked up (default: 10000)",
    )
    _spark_arguments(command)
    command.set_defaults(run=_inspect)


def _print_json(found: dict[str, Any]) -> None:
    is_ascii = not terminal.Terminal.of(sys.stdout).unicode
    print(json.dumps(found, indent=2, ensure_ascii=is_ascii))


def _natural(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 on")
    return int(text)


def _positive(text: str) -> int:
    number = _natural(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return number


def _share(text: str) -> float:
    try:
        number = float(text.rstrip("%"))
    except ValueError:
        number = -1.0
    if not 0 <= number <= 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not a percentage")
    return number / 100


def _inspect(given: argparse.Namespace, work: Path) -> int:
    is_tree = not given.json and given.html is None
    if not is_tree and (given.depth is not None or given.min_share is not None):
        given.usage_error("--depth and --min-share need the tree, not --json or --html")
    with _spark(given, work) as spark, _step(spark, given)("reading footers"):
        found = inspect(spark, *given.paths, residual_sample=given.sample)
    if given.html is not None:
        given.html.write_text(page.render(found), encoding="utf-8")
    if given.json:
        _print_json(found.to_dict())
    elif is_tree:
        shown = terminal.Terminal.of(sys.stdout)
        least = given.min_share or 0.0
        sys.stdout.write(tree.render(found, shown, depth=given.depth, min_share=least))
    return OK


# advise


def _add_advise(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
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
        type=_positive,
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
    _spark_arguments(command)
    command.set_defaults(run=_advise)


def _advise(given: argparse.Namespace, work: Path) -> int:
    with _spark(given, work) as spark, _temporary_files_in(work):
        found = advise(
            spark,
            *given.paths,
            queries=given.queries or (),
            column=given.column,
            table=given.table,
            rows=given.rows,
            scratch=given.scratch,
            step=_step(spark, given),
        )
    if given.json:
        _print_json(found.to_dict())
    else:
        sys.stdout.write(advice.render(found, terminal.Terminal.of(sys.stdout)))
    return OK


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


# reshred


def _add_reshred(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
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
    _writing_arguments(
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
        type=_positive,
        help="the approximate number of files, for each partition if there are partitions; with "
        "--sort-by, over all partitions",
    )
    command.add_argument("--overwrite", action="store_true", help="replace the files in DST")
    _spark_arguments(command)
    command.set_defaults(run=_reshred)


def _writing_arguments(command: argparse.ArgumentParser, others: str) -> None:
    """Add the arguments for options of writing, which `load` and `reshred` share."""
    command.add_argument(
        "--shredding",
        help="the shredding schema: infer (the default), none, like:PATH, DDL, or a JSON object "
        "with one of these for each column",
    )
    for name in ("include", "exclude", "pin"):
        command.add_argument(f"--{name}", action="append", metavar="PATH", help=_PATH_HELP[name])
    command.add_argument("--compression", help="the codec, such as zstd")
    command.add_argument(
        "--option",
        action="append",
        default=[],
        type=_setting,
        metavar="KEY=VALUE",
        help=f"any other option of {others}; can be repeated",
    )


def _writing_options(given: argparse.Namespace) -> dict[str, Any]:
    """Return the values of `_writing_arguments` as keyword arguments."""
    names = ("shredding", "include", "exclude", "pin", "compression")
    arguments = {normalized(name) for name in (*vars(given), *_NOT_OPTIONS)}
    seen: set[str] = set()
    for name, _ in given.option:
        # Spark ignores the case of settings with a dot, but not their underscores.
        key = name.lower() if "." in name else normalized(name)
        is_free = key in _FREE_OPTIONS and getattr(given, key.removeprefix("shredding.")) is None
        key = key.removeprefix("shredding.")
        if key in arguments and not is_free:
            given.usage_error(f"--option {name}: use the arguments of the command for it")
        if key.startswith("spark."):
            given.usage_error(f"--option {name}: use --conf for the settings of Spark")
        if key in seen:
            given.usage_error(f"--option {name}: the option is given twice")
        seen.add(key)
    return {**{name: getattr(given, name) for name in names}, **dict(given.option)}


#: Parameters of the functions behind the commands that are no options.
_NOT_OPTIONS = {"df", "json", "json_as", "mode", "path", "spark", "step"}

#: Names that `--option` may give, unless the argument for the same option is given too.
_FREE_OPTIONS = {
    "shredding",
    "shredding.include",
    "shredding.exclude",
    "shredding.pin",
    "compression",
}

#: The help of the arguments that take paths.
_PATH_HELP = {
    "include": "a path to shred, however rare it is; can be repeated",
    "exclude": "a path to leave unshredded; can be repeated",
    "pin": "a path to shred with a given type: '$.ts timestamp'; can be repeated",
}


def _reshred(given: argparse.Namespace, work: Path) -> int:
    if given.delta is not None:
        return _reshred_delta(given, work)
    needed = {"SRC": given.source, "DST": given.target}
    missing = [name for name, value in needed.items() if value is None]
    if missing:
        names = ", ".join(missing)
        given.usage_error(f"the following arguments are required: {names} (or --delta TABLE)")
    partition_by = () if given.no_partitions else given.partition_by
    options = _writing_options(given)
    with _spark(given, work) as spark:
        done = reshred(
            spark,
            given.source,
            given.target,
            layout=given.layout,
            sort_by=given.sort_by,
            partition_by=partition_by,
            files=given.files,
            overwrite=given.overwrite,
            step=_step(spark, given),
            **options,
        )
    _print_reshred(done, done.target)
    return OK


def _reshred_delta(given: argparse.Namespace, work: Path) -> int:
    refused = ("source", "target", "layout", "sort_by", "partition_by", "no_partitions", "files")
    if given.overwrite or any(getattr(given, name) not in (None, False) for name in refused):
        given.usage_error(
            "reshred --delta cannot be combined with SRC, DST, --layout, --sort-by, "
            "--partition-by, --no-partitions, --files or --overwrite"
        )
    options = _writing_options(given)
    with _spark(given, work) as spark:
        done = reshred_delta(spark, given.delta, step=_step(spark, given), **options)
    _print_reshred(done, f"version {done.version} of {done.table}")
    return OK


def _print_reshred(done: ReshredResult | DeltaReshredResult, target: str) -> None:
    print(
        f"{terminal.plural(done.rows, 'row')}, the same in {target}: "
        f"{terminal.plural(done.source_files, 'file')} of {terminal.size(done.source_bytes)} "
        f"became {terminal.plural(done.target_files, 'file')} of "
        f"{terminal.size(done.target_bytes)}"
    )


if __name__ == "__main__":
    sys.exit(main())
