"""`Progress`: what it writes, and to which streams."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from variant_shredded._tools import progress
from variant_shredded._tools.progress import Progress


@pytest.mark.parametrize(("term", "escapes"), [("dumb", False), ("xterm", True)])
def test_a_dumb_terminal_gets_no_escapes(
    monkeypatch: pytest.MonkeyPatch, term: str, escapes: bool
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setattr(progress, "_UPDATE_SECONDS", 0.01)
    monkeypatch.setattr(progress, "_LINE_SECONDS", 0.01)
    monkeypatch.setenv("TERM", term)
    tracker = SimpleNamespace(getJobIdsForGroup=lambda _: (), getActiveStageIds=list)
    spark: Any = SimpleNamespace(sparkContext=SimpleNamespace(statusTracker=lambda: tracker))
    with Progress(spark, stream).of("loading"):
        time.sleep(0.2)
    stream.seek(0)
    text = stream.read()
    assert "loading" in text
    assert ("\x1b" in text) == escapes


def test_a_stage_that_begins_while_the_line_is_written() -> None:
    """Over Spark Connect, another thread reports the stages."""
    shown = Progress(SimpleNamespace(), io.StringIO(), rates=True)  # type: ignore[arg-type]

    class Numbers:
        def __init__(self, of: dict[int, Any]) -> None:
            self._of = of

        def __iter__(self) -> Iterator[int]:
            self._of[len(self._of)] = (0, 0)
            return iter((1, 2))

    for stages in (shown._stages, shown._read):
        stages.update({0: Numbers(stages), 1: Numbers(stages)})  # type: ignore[dict-item]
    assert shown._line("loading", 1.0).startswith("loading: 2 of 4 tasks, 2 rows, 4 B")
