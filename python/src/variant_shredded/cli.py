"""Implements the command ``variant-shredded``."""

from __future__ import annotations

import argparse
import io
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
from typing import TYPE_CHECKING

from variant_shredded._commands import advise, inspect, load, reshred
from variant_shredded._needs import jvm_needed, start_needed
from variant_shredded._options import OptionValue
from variant_shredded._quiet import stderr_to
from variant_shredded._session import session
from variant_shredded._tools import terminal
from variant_shredded._version import __version__
from variant_shredded.errors import VariantShreddedError

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
            given.run(given, Path(work))
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
        return OK


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
    for command in (load, inspect, advise, reshred):
        command.add(commands)
    # The commands start Spark by this function.
    parser.set_defaults(spark=_spark)
    return parser


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


if __name__ == "__main__":
    sys.exit(main())
