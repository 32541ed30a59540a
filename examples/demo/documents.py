"""The demo's input: files of JSON, in whatever way the documents are laid out in them."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, cast

SUFFIXES = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
#: A file that is not JSON lines has to be held in memory: not more than this many bytes.
WHOLE_FILE_LIMIT = 256 << 20

LINES = "JSON lines"
ARRAY = "one JSON array"
SPREAD = "documents over several lines"

_NOT_JSON = object()
_BLANK = re.compile(r"[ \t\r\n]*")
_BETWEEN = re.compile(r"[ \t\r\n]*,?[ \t\r\n]*")


class InputError(Exception):
    """The input cannot be used; the message is for the user."""


@dataclass(frozen=True)
class Documents:
    """JSON, one document a line.

    Attributes
    ----------
    files
        Files of JSON lines.
    size
        Bytes of the files that were given.
    layouts
        For each way in which documents are laid out in the files given, the number of files.
    """

    files: tuple[Path, ...]
    size: int
    layouts: dict[str, int]


def find_documents(path: Path, scratch: Path) -> Documents:
    """Take a file, or all files of JSON in a directory.

    Files that are not JSON lines are rewritten as such below `scratch`, with no other change to
    their text.

    Raises
    ------
    InputError
        If there is nothing there, or nothing in it.
    """
    given = list_files(path)
    files = []
    layouts: dict[str, int] = {}
    for number, file in enumerate(given):
        layout, documents = split_documents(file)
        layouts[layout] = layouts.get(layout, 0) + 1
        if documents is None:
            files.append(file)
        else:
            scratch.mkdir(exist_ok=True)
            lines = scratch / f"{number:05}.jsonl"
            with lines.open("w", encoding="utf-8", errors="surrogateescape") as out:
                out.writelines(f"{document}\n" for document in documents)
            files.append(lines)
    return Documents(tuple(files), sum(file.stat().st_size for file in given), layouts)


def list_files(path: Path) -> list[Path]:
    """List the files to read: those named like JSON, or all if none is."""
    if not path.exists():
        raise InputError(f"{path} does not exist")
    if not path.is_dir():
        files = [path]
    else:
        visible = [file for file in sorted(path.rglob("*")) if file.is_file() and _visible(file)]
        files = [file for file in visible if file.name.lower().endswith(SUFFIXES)] or visible
    files = [file for file in files if file.stat().st_size > 0]
    if not files:
        raise InputError(f"{path} is empty")
    return files


def _visible(file: Path) -> bool:
    return not file.name.startswith((".", "_"))


def split_documents(file: Path) -> tuple[str, Iterable[str] | None]:
    """Tell how the documents are laid out in a file, and give them unless they are lines."""
    with _open(file) as stream:
        first = next((line for line in stream if line.strip()), "")
        more = any(line.strip() for line in stream)
    value = _parsed(first)
    if value is not _NOT_JSON and (more or not isinstance(value, list)):
        return LINES, None
    if file.stat().st_size > WHOLE_FILE_LIMIT:
        if value is _NOT_JSON:
            return LINES, None  # they will be counted as lines that are not JSON
        raise InputError(
            f"{file} is one JSON array of more than {WHOLE_FILE_LIMIT >> 20} MiB: "
            "make it JSON lines"
        )
    with _open(file) as stream:
        text = stream.read()
    try:
        return _split_text(text)
    except (ValueError, RecursionError):
        return LINES, None


def _open(file: Path) -> TextIO:
    # Bytes that are not UTF-8 pass through unchanged: what is made of them is Spark's business.
    opener = gzip.open if file.suffix == ".gz" else open
    return cast(TextIO, opener(file, "rt", encoding="utf-8-sig", errors="surrogateescape"))


def _parsed(line: str) -> object:
    try:
        return cast(object, json.loads(line))
    except (ValueError, RecursionError):
        return _NOT_JSON


def _split_text(text: str) -> tuple[str, Iterable[str]]:
    start = _end(_BLANK, text, 0)
    array = list(_elements(text, start)) if text.startswith("[", start) else None
    if array is not None:
        return ARRAY, array
    return SPREAD, list(_sequence(text, start))


def _elements(text: str, start: int) -> Iterator[str]:
    """Give the elements of an array as they are written, each on one line."""
    decoder = json.JSONDecoder()
    decoder.raw_decode(text, start)  # so that commas need no more checks
    at = _end(_BLANK, text, start + 1)
    while text[at] != "]":
        _, end = decoder.raw_decode(text, at)
        yield _one_line(text[at:end])
        at = _end(_BETWEEN, text, end)
    if _end(_BLANK, text, at + 1) != len(text):
        raise ValueError("more after the array")


def _sequence(text: str, at: int) -> Iterator[str]:
    """Give documents that follow one another."""
    decoder = json.JSONDecoder()
    while at < len(text):
        _, end = decoder.raw_decode(text, at)
        yield _one_line(text[at:end])
        at = _end(_BLANK, text, end)


def _one_line(document: str) -> str:
    # Within its strings JSON has no line breaks: these can only be between its parts.
    return document.replace("\r", " ").replace("\n", " ")


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
