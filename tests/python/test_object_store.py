"""Tables in an object store: S3A on a server of S3 on the loopback address."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import once, run_script, slow

SCRIPT = "import sys; sys.path.insert(0, sys.argv.pop()); import object_store_tables"
PARTS = [
    "tables",
    "requests",
    "by_name",
    "changed",
    "changed_splits",
    "faults",
    "cut",
    "concurrent",
    "slow",
]
#: The parts in which it matters how bytes are read.
CLASSIC = ["requests", "changed_splits", "missing", "faults", "cut"]


@once
@pytest.mark.parametrize(
    ("stream", "parts"),
    [
        pytest.param("analytics", PARTS, id="analytics"),
        pytest.param("classic", CLASSIC, id="classic", marks=slow),
    ],
)
def test_tables(stream: str, parts: list[str]) -> None:
    directory = str(Path(__file__).parent)
    done = run_script(SCRIPT, stream, *parts, directory, timeout=900)
    # Java prints warnings there too.
    ended = [line for line in done.splitlines() if line.startswith("ok ")]
    assert ended == [f"ok {part}" for part in parts]
