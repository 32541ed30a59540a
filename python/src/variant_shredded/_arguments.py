"""Checks the arguments of the functions of this package."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from numbers import Integral
from typing import Any, cast

from variant_shredded.errors import InvalidOptionError


def keyword_options(
    function: Callable[..., object], arguments: Mapping[str, Any]
) -> dict[str, object]:
    """Return the options of a call: its keyword-only arguments and its ``**options``.

    So the signature of the function is the only list of its options.

    Parameters
    ----------
    function
        The function that was called.
    arguments
        The arguments of the call by name: ``locals()`` at the beginning of the function.

    Returns
    -------
    dict
        The options by name. Of two spellings of a name, the keyword comes last.
    """
    parameters = signature(function).parameters.values()
    names = [each.name for each in parameters if each.kind is each.KEYWORD_ONLY]
    return {**arguments["options"], **{name: arguments[name] for name in names}}


def path_list(
    function: str, paths: Sequence[str | os.PathLike[str] | Sequence[str | os.PathLike[str]]]
) -> list[str]:
    """Return the paths of a call as one list; raise an error if there is none.

    Parameters
    ----------
    function
        The name of the function that was called, for the error.
    paths
        The paths, one by one or as lists.
    """
    found: list[str] = []
    for path in paths:
        if isinstance(path, (str, os.PathLike)):
            found.append(os.fspath(path))
        elif isinstance(path, Sequence) and not isinstance(path, bytes):
            found.extend(path_text(function, each) for each in path)
        else:
            raise InvalidOptionError(
                f"{function}: a path or a list of paths is needed, not {type(path).__name__}"
            )
    if not found:
        raise InvalidOptionError(f"{function} needs at least one path")
    return found


def path_text(argument: str, path: object) -> str:
    """Return a path as a string.

    Parameters
    ----------
    argument
        The name of the argument, for the error.
    path
        A string, or a ``Path``.
    """
    text = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(text, str):
        raise InvalidOptionError(f"{argument}: a path is needed, not {type(path).__name__}")
    return text


def require_text(argument: str, value: object) -> None:
    """Raise `InvalidOptionError` if the value of an argument is not a string."""
    if not isinstance(value, str):
        raise InvalidOptionError(f"{argument}: a string is needed, not {type(value).__name__}")


def column_names(argument: str, names: object) -> list[str]:
    """Return the names of columns as a list.

    Parameters
    ----------
    argument
        The name of the argument, for the error.
    names
        One name, a list of names, or ``None``.
    """
    if names is None:
        return []
    if isinstance(names, str):
        return [names]
    if isinstance(names, Sequence) and all(isinstance(name, str) for name in names):
        return list(names)
    raise InvalidOptionError(
        f"{argument}: a string or a list of strings is needed, not {type(names).__name__} "
        f"({names!r:.50})"
    )


def whole_number(argument: str, number: object) -> int:
    """Return an argument as an integer; raise an error if it is not a whole number from 1 on.

    Parameters
    ----------
    argument
        The name of the argument, for the error.
    number
        The argument. It may be a float without decimal places, such as ``1e6``.
    """
    is_whole = isinstance(number, Integral) or (isinstance(number, float) and number.is_integer())
    if isinstance(number, bool) or not is_whole or int(cast("Integral", number)) < 1:
        raise InvalidOptionError(
            f"{argument}: a whole number from 1 on is needed, not {number!r:.50}"
        )
    return int(cast("Integral", number))
