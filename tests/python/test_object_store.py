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
    "milliseconds",
    "missing",
    "faults",
    "cut",
    "concurrent",
    "slow",
]
#: The parts that count requests for bytes; the other stream requests what it likes, and keeps it.
COUNTED = ["requests", "filters", "dictionaries"]
CLASSIC = [part for part in PARTS if part not in ("requests", "by_name", "concurrent")]


@once
@pytest.mark.parametrize(
    ("stream", "committer", "parts"),
    [
        pytest.param("analytics", "file", PARTS, id="analytics"),
        pytest.param("classic", "file", COUNTED, id="requests"),
        pytest.param("classic", "file", CLASSIC, id="classic", marks=slow),
        pytest.param("analytics", "magic", ["tables", "concurrent"], id="magic", marks=slow),
        pytest.param("analytics", "directory", ["tables"], id="staging", marks=slow),
        pytest.param("analytics", "partitioned", ["tables"], id="partitioned", marks=slow),
    ],
)
def test_tables(stream: str, committer: str, parts: list[str]) -> None:
    directory = str(Path(__file__).parent)
    done = run_script(SCRIPT, stream, committer, *parts, directory, timeout=900)
    # Java prints warnings there too.
    ended = [line for line in done.splitlines() if line.startswith("ok ")]
    assert ended == [f"ok {part}" for part in parts]
