"""The entry for JSONBench, on a few events."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
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
        [sys.executable, str(ENTRY / "run.py"), str(tmp_path / "data"), "1m", "_pc_bluesky_1m"],
        cwd=tmp_path,
        env=clean_environment(PYTHONPATH=str(ROOT / "python" / "src")),
        check=True,
        timeout=300,
    )

    def written(suffix: str) -> str:
        return (tmp_path / f"_pc_bluesky_1m.{suffix}").read_text()

    assert written("count") == "100\n"
    assert int(written("data_size")) > 0
    times = [json.loads(line) for line in written("results_runtime").splitlines()]
    assert [len(runs) for runs in times] == [3] * 5
    assert written("physical_query_plans").count("PushedExtractions") == 5
    entry = json.loads((tmp_path / "results" / "pc_bluesky_1m.json").read_text())
    assert entry["machine"] == "pc"
    assert entry["dataset_size"] == 1_000_000
    assert entry["num_loaded_documents"] == 100
    assert entry["total_size"] >= entry["data_size"] == int(written("data_size"))
    assert entry["result"] == times
    assert set(entry) >= {"system", "version", "os", "date", "retains_structure", "tags"}


ALL = ("1m", "10m", "100m", "1000m")


@pytest.mark.parametrize(
    ("arguments", "answer", "sizes"),
    [
        (["2", "events", "done.log", "failed.log", "_pc"], "", ("10m",)),
        (["ask", "events", "done.log", "failed.log", "_pc"], "3\n", ("100m",)),
        (["ask", "events", "done.log", "failed.log", "_pc"], "\n", ("1m",)),
        (["5", "events", "done.log", "failed.log", "_pc"], "", ALL),
    ],
)
def test_the_script_has_the_arguments_of_the_benchmark(
    tmp_path: Path, arguments: list[str], answer: str, sizes: tuple[str, ...]
) -> None:
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/bash\necho "$@" >> calls\n')
    python.chmod(0o755)
    (tmp_path / "venv" / ".done").write_text("variant-shredded\n")
    (tmp_path / "main.sh").write_text((ENTRY / "main.sh").read_text())
    environment = {name: value for name, value in os.environ.items() if name != "WHEEL"}
    subprocess.run(
        ["bash", str(tmp_path / "main.sh"), *arguments],
        env=environment,
        input=answer,
        text=True,
        check=True,
    )
    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls == [f"run.py events {size} _pc_bluesky_{size}" for size in sizes]
    done = (tmp_path / "done.log").read_text().splitlines()
    assert done == [f"bluesky_{size}: done" for size in sizes]


def test_the_script_refuses_other_choices() -> None:
    """Before it makes an environment."""
    done = subprocess.run(
        ["bash", str(ENTRY / "main.sh"), "10m"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == "The choice is 1, 2, 3, 4 or 5, not 10m.\n"


def test_the_script_installs_anew_if_the_package_differs_or_an_installation_failed(
    tmp_path: Path,
) -> None:
    """The interpreter that it would use is one that notes its calls."""
    made = tmp_path / "bin" / "python3"
    made.parent.mkdir()
    made.write_text(
        """#!/bin/bash
echo "python3 $*" >> calls
mkdir -p venv/bin
echo '#!/bin/bash' > venv/bin/python
echo 'echo "$@" >> calls; [ ! -e fails ]' >> venv/bin/python
chmod +x venv/bin/python
"""
    )
    made.chmod(0o755)
    (tmp_path / "main.sh").write_text((ENTRY / "main.sh").read_text())

    def calls(wheel: str, status: int = 0) -> list[str]:
        (tmp_path / "calls").write_text("")
        done = subprocess.run(
            ["bash", str(tmp_path / "main.sh"), "1", "events"],
            env={"PATH": f"{made.parent}:{os.environ['PATH']}", "WHEEL": wheel},
            check=False,
        )
        assert done.returncode == status
        return [
            " ".join(line.split()[:3]) for line in (tmp_path / "calls").read_text().splitlines()
        ]

    new = ["python3 -m venv", "-m pip install"]
    run = "run.py events 1m"
    (tmp_path / "fails").touch()
    assert calls("a.whl", 1) == new
    (tmp_path / "fails").unlink()
    assert calls("a.whl") == [*new, run]
    assert calls("a.whl") == [run]
    assert calls("b.whl") == [*new, run]
