"""The command ``inspect``: shows what files hold."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from variant_shredded._commands.arguments import natural, spark_arguments
from variant_shredded._commands.output import print_json, step_of
from variant_shredded._tools import page, terminal, tree
from variant_shredded._tools.inspection import inspect


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
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
        "--depth", type=natural, help="show paths down to this depth within a Variant"
    )
    command.add_argument(
        "--min-share",
        type=_share,
        metavar="PERCENT",
        help="show the paths with a smaller share of all bytes as one line",
    )
    command.add_argument(
        "--sample",
        type=natural,
        metavar="ROWS",
        help="the number of rows of each row group in which the types of residual values are "
        "looked up (default: 10000)",
    )
    spark_arguments(command)
    command.set_defaults(run=run)


def run(given: argparse.Namespace, work: Path) -> None:
    """Run the command."""
    is_tree = not given.json and given.html is None
    if not is_tree and (given.depth is not None or given.min_share is not None):
        given.usage_error("--depth and --min-share need the tree, not --json or --html")
    with given.spark(given, work) as spark, step_of(spark, given)("reading footers"):
        found = inspect(spark, *given.paths, residual_sample=given.sample)
    if given.html is not None:
        given.html.write_text(page.render(found), encoding="utf-8")
    if given.json:
        print_json(found.to_dict())
    elif is_tree:
        shown = terminal.Terminal.of(sys.stdout)
        least = given.min_share or 0.0
        sys.stdout.write(tree.render(found, shown, depth=given.depth, min_share=least))


def _share(text: str) -> float:
    try:
        number = float(text.rstrip("%"))
    except ValueError:
        number = -1.0
    if not 0 <= number <= 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not a percentage")
    return number / 100
