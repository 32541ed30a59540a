"""Defines the arguments that several commands have, and reads their values."""

from __future__ import annotations

import argparse
from typing import Any

from variant_shredded._options import normalized

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


def spark_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments for the session and for what is printed, which all commands share."""
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


def writing_arguments(command: argparse.ArgumentParser, others: str) -> None:
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


def writing_options(given: argparse.Namespace) -> dict[str, Any]:
    """Return the values of `writing_arguments` as keyword arguments."""
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


def natural(text: str) -> int:
    """Return a number from 0 on; any other text is a wrong argument."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 on")
    return int(text)


def positive(text: str) -> int:
    """Return a number from 1 on; any other text is a wrong argument."""
    number = natural(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return number


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
