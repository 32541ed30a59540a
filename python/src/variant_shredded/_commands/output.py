"""Shows results and progress, in the same way for all commands."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from variant_shredded._tools import terminal
from variant_shredded._tools.progress import Progress, Step, silent

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def print_json(found: dict[str, Any]) -> None:
    """Print a result as JSON, in ASCII if the output cannot show other characters."""
    is_ascii = not terminal.Terminal.of(sys.stdout).unicode
    print(json.dumps(found, indent=2, ensure_ascii=is_ascii))


def step_of(spark: SparkSession, given: argparse.Namespace) -> Step:
    """Return the function that shows the progress of steps; with ``--quiet``, it shows nothing."""
    return silent if given.quiet else Progress(spark, sys.stderr).of
