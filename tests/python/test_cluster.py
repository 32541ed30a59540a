"""A cluster of Spark standalone on this machine gives the answers of one process."""

from __future__ import annotations

import os
from pathlib import Path

from support import run_script, slow

SCRIPT = """
import sys

sys.path.insert(0, sys.argv[1])
import cluster_benchmark

cluster_benchmark.main(count=2000, runs=0, java_options=sys.argv[2])
"""


@slow
def test_the_same_answers_and_metrics() -> None:
    options = os.environ["SPARK_SUBMIT_OPTS"]
    done = run_script(SCRIPT, str(Path(__file__).parent), options, timeout=600)
    assert done.splitlines()[-1].startswith("answers and metrics are the same")
