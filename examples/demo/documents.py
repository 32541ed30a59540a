"""Finds the JSON documents of the demo's input, whatever the form of the files is."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, cast

SUFFIXES = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
#: The maximum size, in bytes, of a file that is not JSON lines: such a file is read into memory.
WHOLE_FILE_LIMIT = 256 << 20

LINES = "JSON lines"
ARRAY = "one JSON array"
SPREAD = "documents over several lines"

_NOT_JSON = object()
_BLANK = re.compile(r"[ \t\r\n]*")
_BETWEEN = re.compile(r"[ \t\r\n]*,?[ \t\r\n]*")


class InputError(Exception):
    """Raised if the input cannot be used. The command prints the message."""


@dataclass(frozen=True)
class Documents:
    """Describes the documents of the input.

    Attributes
    ----------
    files
        The files with one document on each line.
    size
        The number of bytes of the input files.
    forms
        The number of input files of each form.
    """

    files: tuple[Path, ...]
    size: int
    forms: dict[str, int]


def find_documents(path: Path, scratch: Path) -> Documents:
    """Find the documents of a file, or of all JSON files in a directory.

    A file that is not JSON lines is rewritten as JSON lines below `scratch`. The text of its
    documents changes only in line breaks.

    Raises
    ------
    InputError
        If the path does not exist, or if there are no documents.
    """
    given = list_files(path)
    files = []
    forms: dict[str, int] = {}
    for number, file in enumerate(given):
        form, documents = split_documents(file)
        forms[form] = forms.get(form, 0) + 1
        if documents is None:
            files.append(file)
        else:
            scratch.mkdir(exist_ok=True)
            lines = scratch / f"{number:05}.jsonl"
            with lines.open("w", encoding="utf-8", errors="surrogateescape") as out:
                out.writelines(f"{document}\n" for document in documents)
            files.append(lines)
    return Documents(tuple(files), sum(file.stat().st_size for file in given), forms)


def list_files(path: Path) -> list[Path]:
    """List the files to read: those with a suffix of JSON, or all files if none has one."""
    if not path.exists():
        raise InputError(f"{path} does not exist")
    if not path.is_dir():
        if not _visible(path):
            raise InputError(f"{path}: Spark reads no file whose name begins with '_' or '.'")
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
    """Return the form of a file, and its documents if the file is not JSON lines."""
    with _open(file) as stream:
        first = next((line for line in stream if line.strip()), "")
        more = any(line.strip() for line in stream)
    value = _parsed(first)
    if value is not _NOT_JSON and (more or not isinstance(value, list)):
        return LINES, None
    if file.stat().st_size > WHOLE_FILE_LIMIT:
        if value is _NOT_JSON:
            return LINES, None  # the demo counts the lines that are not JSON
        raise InputError(
            f"{file} is one JSON array of more than {WHOLE_FILE_LIMIT >> 20} MiB: "
            "convert it to JSON lines"
        )
    with _open(file) as stream:
        text = stream.read()
    try:
        return _split_text(text)
    except (ValueError, RecursionError):
        return LINES, None


def _open(file: Path) -> TextIO:
    # Bytes that are not UTF-8 pass through unchanged. Spark decides what to do with them.
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
    """Yield the text of each element of an array, on one line."""
    decoder = json.JSONDecoder()
    decoder.raw_decode(text, start)  # checks the whole array, with its commas
    at = _end(_BLANK, text, start + 1)
    while text[at] != "]":
        _, end = decoder.raw_decode(text, at)
        yield _one_line(text[at:end])
        at = _end(_BETWEEN, text, end)
    if _end(_BLANK, text, at + 1) != len(text):
        raise ValueError("text follows the array")


def _sequence(text: str, at: int) -> Iterator[str]:
    """Yield the text of each of several documents that follow one another, on one line."""
    decoder = json.JSONDecoder()
    while at < len(text):
        _, end = decoder.raw_decode(text, at)
        yield _one_line(text[at:end])
        at = _end(_BLANK, text, end)


def _one_line(document: str) -> str:
    # Strings in JSON contain no line breaks, so these can only be between tokens.
    return document.replace("\r", " ").replace("\n", " ")


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
