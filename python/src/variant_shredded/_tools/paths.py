"""Compares the directories of paths, in any file system."""

from __future__ import annotations

import os
import posixpath
import re
from fnmatch import fnmatchcase

from variant_shredded.errors import InvalidOptionError


def is_inside(path: str, directory: str) -> bool:
    """Return whether `path` is `directory` or below it.

    Where one of the two has a file system in its name and the other has none, both are taken to be
    on the same: what the other would be on is the cluster's choice.

    Parameters
    ----------
    path, directory
        With or without a file system (``s3a://bucket/...``); relative ones are of this machine.

    Returns
    -------
    bool
        True also if both are the same.
    """
    inner, outer = _parts(path), _parts(directory)
    same = inner[0] == outer[0] or None in (inner[0], outer[0])
    return same and (inner[1] + "/").startswith(outer[1].rstrip("/") + "/")


def may_hold(source: str, path: str) -> bool:
    """Return whether `path` can be in what `source` names.

    Parameters
    ----------
    source
        A file, directory or glob. If a glob has directories of partition columns (``day=*``), it
        stands for the table that they are in.
    path
        The path of a file or directory.

    Returns
    -------
    bool
        True also if both are the same. Of a glob, only its first name with a wildcard is compared.
    """
    root, name = _glob(source)
    if not is_inside(path, root):
        return False
    below = posixpath.relpath(_parts(path)[1], _parts(root)[1]).split("/")[0]
    return not name or "=" in name or fnmatchcase(below, name)


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
        raise InvalidOptionError(f"{target} and {source}: one is inside the other")


def escaped(path: str) -> str:
    """Write the path of a directory as a glob that matches this directory only."""
    return re.sub(r"[][{}*?\\]", r"\\\g<0>", path)


def _parts(path: str) -> tuple[str | None, str]:
    """Return the file system that a path names, if any, and the absolute path there."""
    # Not urlsplit: in the paths of Hadoop, `#` and `?` are characters of names.
    found = re.match(r"([A-Za-z][A-Za-z0-9+.-]+):(?://([^/]*))?(.*)", path, re.DOTALL)
    if found is None:  # no scheme, or a drive
        return None, os.path.realpath(path)
    scheme, authority, rest = found.groups(default="")
    if scheme == "file":
        return None, os.path.realpath(rest)
    return f"{scheme}://{authority}", posixpath.normpath("/" + rest.lstrip("/"))


def _glob(path: str) -> tuple[str, str]:
    """Split a glob at its first name with a wildcard, which is "" if there is none.

    The name is in the form of `fnmatch`. What follows a ``{`` can be anything.
    """
    wildcard = re.search(r"[*?[{]", path)
    if wildcard is None:
        return path, ""
    root = os.path.dirname(path[: wildcard.start()])
    name = path[len(root) :].lstrip("/").split("/")[0]
    known, brace, _ = name.partition("{")
    known = re.sub(r"\\(.)", r"[\1]", known).replace("[^", "[!")
    return root or ".", known + "*" * len(brace)
