"""The entry for JSONBench, on a few events."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from support import ROOT, clean_environment, slow

ENTRY = ROOT / "examples" / "jsonbench"


@slow
def test_the_entry(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    events = [
        {
            "did": f"did:plc:{number % 7}",
            "time_us": 1732206349000000 + number,
            "kind": "commit",
            "commit": {"operation": "create", "collection": "app.bsky.feed.post"},
        }
        for number in range(100)
    ]
    lines = [*map(json.dumps, events), "{no json"]
    (tmp_path / "data" / "file_0001.json").write_text("\n".join(lines))
    subprocess.run(
        [sys.executable, str(ENTRY / "run.py"), str(tmp_path / "data"), "1m", "small"],
        cwd=tmp_path,
        env=clean_environment(PYTHONPATH=str(ROOT / "python" / "src")),
        check=True,
        timeout=300,
    )
    assert (tmp_path / "small.count").read_text() == "100\n"
    assert int((tmp_path / "small.data_size").read_text()) > 0
    times = [json.loads(line) for line in (tmp_path / "small.results_runtime").open()]
    assert [len(runs) for runs in times] == [3] * 5
    plans = (tmp_path / "small.physical_query_plans").read_text()
    assert plans.count("PushedExtractions") == 5


def test_the_script_is_in_the_form_of_the_benchmark() -> None:
    subprocess.run(["bash", "-n", str(ENTRY / "main.sh")], check=True)
