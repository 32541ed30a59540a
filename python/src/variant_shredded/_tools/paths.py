"""Compares the directories of paths, in any file system."""

from __future__ import annotations

import os
import posixpath
import re
from urllib.parse import urlsplit


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


def escaped(path: str) -> str:
    """Write the path of a directory as a glob that matches this directory only."""
    return re.sub(r"[][{}*?\\]", r"\\\g<0>", path)


def _parts(path: str) -> tuple[str | None, str]:
    """Return the file system that a path names, if any, and the absolute path there."""
    split = urlsplit(path)
    if len(split.scheme) <= 1:  # none, or a drive
        local = os.path.realpath(path)
        return None, local
    if split.scheme == "file":
        return None, os.path.realpath(split.path)
    return f"{split.scheme}://{split.netloc}", posixpath.normpath("/" + split.path.lstrip("/"))
