"""Compares paths of files and directories, in any file system of Hadoop."""

from __future__ import annotations

import os
import posixpath
import re
from fnmatch import fnmatchcase
from pathlib import PurePath

from variant_shredded.errors import InvalidOptionError

#: What to do about two paths that may be in different file systems.
_NAME_BOTH = (
    "if they are in different file systems, name these in both paths, with the host and the port"
)

#: The suffixes of files that are read.
_FILE = re.compile(r"\.(parquet|json|jsonl|ndjson|txt|gz|bz2|zst|lz4|snappy|deflate)$")

#: What is before the first wildcard of a path, and this wildcard. A backslash escapes wildcards.
_WILDCARD = re.compile(r"((?:[^\\*?[{]|\\.)*)[*?[{]", re.DOTALL)

#: The number of alternatives by which the braces of one name are replaced at most.
_MOST_ALTERNATIVES = 1000


def is_inside(path: str, directory: str) -> bool:
    """Return whether `path` is `directory` or below it.

    A path that names no file system is compared as if it were in the file system of the other
    path, because only the cluster's settings say which one it is in.

    Parameters
    ----------
    path, directory
        Paths with or without a file system, such as ``s3a://bucket/events``. A relative path is
        relative to the working directory of this process.

    Returns
    -------
    bool
        Whether `path` is inside `directory`. It is true if both are the same.
    """
    return _below(path, directory) is not None


def _below(path: str, directory: str) -> str | None:
    """Return the part of `path` below `directory`, or None if it is not inside."""
    (system, inner), (other_system, outer) = _parts(path), _parts(directory)
    if not _may_be_same(system, other_system):
        return None
    if (inner + "/").startswith(outer.rstrip("/") + "/"):
        return posixpath.relpath(inner, outer)
    if {system, other_system} <= {None, "file://"} and os.path.exists(outer):
        # A file system can ignore case, or have a directory under several names.
        for parent in (inner, *map(str, PurePath(inner).parents)):
            if os.path.exists(parent) and os.path.samefile(parent, outer):
                return posixpath.relpath(inner, parent)
    return None


def may_hold(source: str, path: str) -> bool:
    """Return whether `path` can be inside a file, a directory or the matches of a glob.

    Parameters
    ----------
    source
        A file, directory or glob. A glob with directories of partition columns (``day=*``) counts
        as the table that they are in.
    path
        The path of a file or directory.

    Returns
    -------
    bool
        Whether `path` can be inside `source`. It is true if both are the same. Of a glob, only the
        first name with a wildcard is compared.
    """
    root, names = _glob(source)
    below = _below(path, root)
    if below is None:
        return False
    first = below.split("/")[0]
    return not names or any("=" in name or fnmatchcase(first, name) for name in names)


def check_apart(source: str, target: str) -> None:
    """Raise `InvalidOptionError` if a write to `target` could change or become part of `source`.

    Parameters
    ----------
    source
        A file, directory or glob that is read.
    target
        The directory that is written to.
    """
    if may_hold(source, target) or is_inside(_glob(source)[0], target):
        is_sure = _parts(_glob(source)[0])[0] == _parts(target)[0]
        hint = "" if is_sure else f" ({_NAME_BOTH})"
        raise InvalidOptionError(f"{target} and {source}: one is inside the other{hint}")


def table_of(*sources: str) -> str | None:
    """Return the table of which several partitions are named, such as ``t`` of ``t/day=2026-*``.

    Parameters
    ----------
    *sources
        Files, directories or globs that are read together.

    Returns
    -------
    str or None
        The directory before the first ``name=value`` in which the sources, or the matches of a
        glob, differ. It is None if there is no such part.

    Raises
    ------
    InvalidOptionError
        If the sources can be partitions of several tables.
    """
    parts = [source.split("/") for source in sources]
    fixed = 0
    for names in zip(*parts, strict=False):
        if len(set(names)) > 1 or _WILDCARD.match(names[0]):
            break
        fixed += 1
    if len(sources) == 1 and fixed == len(parts[0]):
        return None
    tables = [_before_partitions(each, fixed) for each in parts]
    found = [table for table in tables if table is not None]
    is_pattern = any(map(_WILDCARD.match, sources))
    if not found or (len(found) == 1 < len(sources) and not is_pattern):
        return None  # the rows of one partition, in which the column is the same
    if len(set(tables)) > 1 or _WILDCARD.match(found[0]):
        raise InvalidOptionError(
            f"{', '.join(sources)}: these can be partitions of several tables, whose columns "
            "differ: name those of one table"
        )
    return _unescaped(found[0])


def _before_partitions(parts: list[str], fixed: int) -> str | None:
    """Return the directory before the first ``name=value`` that is not in the `fixed` first parts.

    It is None if there is none. The last part can be the name of a file.
    """
    for index, part in enumerate(parts):
        is_file = index == len(parts) - 1 and _FILE.search(part)
        if index >= fixed and "=" in part and not is_file:
            return "/".join(parts[:index]) or ("/" if index else ".")
    return None


def table_of_glob(*sources: str) -> str | None:
    """Return the table of partitions that globs match, such as ``t`` of ``t/day=*``.

    Other sources than globs are read as they are, and so is a glob below a partition, such as
    ``t/day=1/*.json``.

    Parameters
    ----------
    *sources
        Files, directories or globs that are read together.

    Returns
    -------
    str or None
        The directory before the first ``name=value`` of a glob. It is None if no glob has such a
        part behind its first wildcard, or if the sources can be partitions of several tables.
    """

    def names_partition(source: str) -> bool:
        found = _WILDCARD.match(source)
        first = len(found.group(1).split("/")) - 1 if found else 0
        return found is not None and _before_partitions(source.split("/"), first) is not None

    try:
        return table_of(*sources) if any(map(names_partition, sources)) else None
    except InvalidOptionError:
        return None


def escaped(path: str) -> str:
    """Return the path of a file or directory as a glob that matches only this one."""
    return re.sub(r"[][{}*?\\]", r"\\\g<0>", path)


def _parts(path: str) -> tuple[str | None, str]:
    """Return the file system that a path names, if any, and the absolute path there."""
    # urlsplit cannot be used: in paths of Hadoop, names can contain `#` and `?`.
    found = re.match(r"([A-Za-z][A-Za-z0-9+.-]+):(?://([^/]*))?(.*)", path, re.DOTALL)
    if found is None:  # there is no scheme, or one letter, which is a drive of Windows
        return None, os.path.realpath(path)
    scheme, authority, rest = found.groups(default="")
    if scheme == "file":
        return "file://", os.path.realpath(rest)
    return f"{scheme}://{authority}", posixpath.normpath("/" + rest.lstrip("/"))


def _may_be_same(one: str | None, other: str | None) -> bool:
    """Return whether two names of file systems, as `_parts` returns them, can mean the same one.

    Only the cluster's settings say which one a name without an authority means. A name without a
    port can mean any port.
    """
    if one is None or other is None:
        return True
    (scheme, _, place), (other_scheme, _, other_place) = (
        name.lower().partition("://") for name in (one, other)
    )
    if scheme != other_scheme or place == other_place or "" in (place, other_place):
        return scheme == other_scheme
    hosts = {re.sub(r":\d+$", "", each) for each in (place, other_place)}
    return len(hosts) == 1 and not hosts.isdisjoint({place, other_place})


def _glob(path: str) -> tuple[str, list[str]]:
    """Split a glob into the directory before its first name with a wildcard, and this name.

    The name is given as patterns of `fnmatch`, of which it has to match one. There are none if
    there is no wildcard.
    """
    wildcard = _WILDCARD.match(path)
    if wildcard is None:
        return _unescaped(path), []
    root = os.path.dirname(wildcard.group(1))
    name = path[len(root) :].lstrip("/").split("/")[0]
    return _unescaped(root) or ".", list(map(_for_fnmatch, _alternatives(name)))


def _alternatives(name: str) -> list[str]:
    """Replace the braces in a name of a glob by each of their alternatives.

    Braces that are nested, that do not end in this name, that have a ``[`` or a backslash in or
    before them, or with which there would be too many alternatives become ``*``, together with all
    that follows.
    """
    names = [""]
    while brace := re.match(r"((?:[^\\{]|\\.)*)\{", name, re.DOTALL):
        before, after = brace[1], name[brace.end() :]
        inside = re.match(r"([^][{}\\]*)\}", after)
        choices = inside[1].split(",") if inside else []
        if inside is None or "[" in before or len(names) * len(choices) > _MOST_ALTERNATIVES:
            return [each + before + "*" for each in names]
        names = [each + before + choice for each in names for choice in choices]
        name = after[inside.end() :]
    return [each + name for each in names]


def _for_fnmatch(name: str) -> str:
    """Write a name of a glob without braces as a pattern of `fnmatch`."""

    def written(found: re.Match[str]) -> str:
        if found[0] == "[^":
            return "[!"
        return f"[{found[1]}]" if found[1] in "*?[" else found[1]

    return re.sub(r"\\(.)|\[\^", written, name, flags=re.DOTALL)


def _unescaped(path: str) -> str:
    """Return a path without wildcards as Hadoop finds it: a backslash escapes what follows."""
    return re.sub(r"\\(.)", r"\1", path, flags=re.DOTALL)
