"""Runs the demo: ``python -m demo [path of JSON]``."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from variant_shredded import VariantShreddedError, session

from demo import report
from demo.documents import Documents, InputError, find_documents
from demo.job import event_log, log_settings, run_job
from demo.quiet import stderr_to
from demo.steps import load_and_write, show_queries, show_schema

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

INTRODUCTION = (
    "variant-shredded: any JSON value fits into a column of Spark's type VARIANT. If the column is "
    "shredded, the fields that most values have become Parquet columns of their own. The values "
    "that are read back are the same."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo, and return the exit status, which is 2 if the input cannot be used."""
    parser = argparse.ArgumentParser(
        prog="python -m demo",
        description="Load JSON as Variant, write it shredded, read it back, query it.",
    )
    parser.add_argument("json", nargs="?", type=Path, help="a file or directory of JSON lines")
    parser.add_argument("--keep", type=Path, help="a new directory for the files that are written")
    given = parser.parse_args(arguments)
    work = Path(tempfile.mkdtemp(prefix="variant-shredded-demo-"))
    log = work / "spark.log"
    try:
        if given.keep is not None and given.keep.exists():
            raise InputError(f"{given.keep} exists already")
        status = _demonstrate(given.json, work, log)
        if given.keep is not None:
            _keep(work, given.keep)
    except (InputError, VariantShreddedError) as error:
        print(f"demo: {error}", file=sys.stderr)
        status = 2
    except Exception as error:
        kept = Path(tempfile.gettempdir(), "variant-shredded-demo.log")
        if log.exists():
            shutil.copyfile(log, kept)
        first = str(error).strip().partition("\n")[0]
        print(f"demo: {first or type(error).__name__}\nSpark's log: {kept}", file=sys.stderr)
        status = 1
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return status


def _demonstrate(path: Path | None, work: Path, log: Path) -> int:
    documents = None if path is None else find_documents(path, work / "lines")
    print(report.note(INTRODUCTION))
    if documents is None or path is None:
        title, documents = _own_input(work, log)
    else:
        title = _title(path, documents)
    with _spark(log) as spark:
        copies = load_and_write(spark, title, documents, work)
        show_schema(spark, copies.shredded)
        return 0 if show_queries(spark, copies) else 1


def _own_input(work: Path, log: Path) -> tuple[str, Documents]:
    events = work / "events"
    events.mkdir()
    with _spark(log, **log_settings(events)) as spark:
        run_job(spark)
    documents = find_documents(event_log(events), work / "lines")
    return "the event log of a Spark job that ran just now (for your own: JSON=path)", documents


def _title(path: Path, documents: Documents) -> str:
    forms = [f"{report.plural(n, 'file')}: {name}" for name, n in documents.forms.items()]
    return f"{path} ({'; '.join(forms)})"


@contextmanager
def _spark(log: Path, **conf: str | int | bool) -> Iterator[SparkSession]:
    """Start a local session whose log goes to a file instead of the terminal."""
    settings: dict[str, str | int | bool] = {
        "spark.master": "local[*]",
        "spark.app.name": "variant-shredded demo",
        "spark.driver.memory": "2g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.eventLog.enabled": False,
        "spark.ui.enabled": False,
        "spark.ui.showConsoleProgress": False,
        "spark.sql.shuffle.partitions": 4,
        "spark.sql.session.timeZone": "UTC",
    }
    with stderr_to(log):
        spark = session(**{**settings, **conf})
    try:
        yield spark
    finally:
        spark.stop()


def _keep(work: Path, target: Path) -> None:
    target.mkdir(parents=True)
    for directory in work.glob("*.parquet"):
        shutil.move(directory, target / directory.name)
    print(f"\nThe files are in {target}.")


if __name__ == "__main__":
    sys.exit(main())
