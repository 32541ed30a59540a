"""Formats the output of the command line: colours, bars, and rounded numbers."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from typing import TextIO

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34"}
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_EIGHTHS = " ▏▎▍▌▋▊▉█"


@dataclass(frozen=True)
class Terminal:
    """Describes what a stream can show.

    Attributes
    ----------
    width
        The number of characters of a line.
    colour
        Whether the stream shows colours, which are escape sequences.
    unicode
        Whether the encoding of the stream has block and box characters.
    """

    width: int = 100
    colour: bool = False
    unicode: bool = True

    @classmethod
    def of(cls, stream: TextIO) -> Terminal:
        """Find out from the environment (``COLUMNS``, ``NO_COLOR``, ``TERM``) and the stream."""
        is_tty = stream.isatty()
        width = _width_of(stream) if is_tty else None
        if width is None:
            width = shutil.get_terminal_size((100, 24)).columns
        colour = is_tty and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        try:
            _EIGHTHS.encode(stream.encoding or "ascii")
        except (UnicodeEncodeError, LookupError):
            return cls(max(width, 40), colour, False)
        return cls(max(width, 40), colour, True)

    def styled(self, text: str, *styles: str) -> str:
        """Return a text with a style, or unchanged if the stream has no colours."""
        if not self.colour or not styles:
            return text
        return f"\x1b[{';'.join(_STYLES[style] for style in styles)}m{text}\x1b[0m"

    def shorten(self, text: str, width: int) -> str:
        """Cut a text that is longer than `width` characters."""
        return shorten(text, width, "…" if self.unicode else "...")

    def bar(self, share: float, width: int) -> str:
        """Return a bar of `width` characters that shows `share`. Only 0 gives an empty bar."""
        share = min(max(share, 0.0), 1.0)
        if not self.unicode:
            return ("#" * max(round(share * width), int(share > 0))).ljust(width, ".")
        eighths = max(round(share * width * 8), int(share > 0))
        full, part = divmod(eighths, 8)
        return ("█" * full + (_EIGHTHS[part] if part else "")).ljust(width)


def _width_of(stream: TextIO) -> int | None:
    """Return the width of a stream that is a terminal, or None if ``COLUMNS`` overrides it."""
    # shutil looks only at standard output, which can be redirected.
    if os.environ.get("COLUMNS"):
        return None
    try:
        return os.get_terminal_size(stream.fileno()).columns or None
    except (OSError, ValueError):
        return None


def printable(text: str) -> str:
    r"""Replace control characters, which change what a terminal shows, by ``\xNN``."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def size(count: int) -> str:
    """Format a number of bytes with a unit, in at most 8 characters."""
    number = float(count)
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if number < 999.5:
            digits = 0 if unit == "B" or number >= 99.95 else 1
            return f"{number:.{digits}f} {unit}"
        number /= 1000
    return f"{number:,.0f} PB"


def percent(share: float) -> str:
    """Format a share in at most 5 characters, as 0 or 100 % only if it is exactly that."""
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.999 < share < 1:
        return "99.9%"
    digits = 1 if 0 < share < 0.1 or 0.99 <= share < 1 else 0
    return f"{100 * share:.{digits}f}%"


def plural(count: int, noun: str) -> str:
    """Format a number with a noun in the singular or plural."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def shorten(text: str, width: int, end: str = "…") -> str:
    """Cut a text that is longer than `width` characters, and append `end` to it."""
    return text if len(text) <= width else text[: max(width - len(end), 0)] + end
