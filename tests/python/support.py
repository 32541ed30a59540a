"""Where tests find things, and how they run other processes."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pyspark
import pytest

ROOT = Path(__file__).resolve().parents[2]

#: Optional test data outside the repository; ask for files of it through the fixture ``shared``.
SHARED = Path(os.environ.get("VARIANT_SHREDDED_SHARED") or ROOT.parent / "shared")

#: Spark's version, as far as it matters: (4, 2).
SPARK = tuple(map(int, pyspark.__version__.split(".")[:2]))

FORMAT = "variant-shredded"

#: What the fixture ``run`` gives: runs the command, gives its exit status, output and errors.
Run = Callable[..., tuple[int, str, str]]

#: Marks tests that are slow and do not depend on the Spark version: conftest.py runs them on one.
once = pytest.mark.once

#: Marks those among them that take minutes: they run with ``make test SLOW=1``.
slow = pytest.mark.slow


def run_script(script: str, *arguments: str, timeout: int = 300, **environment: str) -> str:
    """Run a script in a fresh interpreter; give what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env=clean_environment(PYTHONPATH=str(ROOT / "python" / "src"), **environment),
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def submit(script: str, directory: Path, *options: str | Path) -> str:
    """Run a script by spark-submit; its argument is a new path. Give what it printed."""
    file = directory / "job.py"
    file.write_text(script)
    done = subprocess.run(
        [
            Path(sys.executable).with_name("spark-submit"),
            *("--conf", "spark.ui.enabled=false", *options, file, directory / "t"),
        ],
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def missing_links(*others: str | Path) -> list[str]:
    """List what the JAR calls and neither this Spark nor the other JARs have."""
    jars = Path(pyspark.__file__).with_name("jars")
    jar = os.environ["VARIANT_SHREDDED_JAR"]
    path = os.pathsep.join([f"{jars}/*", jar, *map(str, others)])
    check = Path(__file__).with_name("LinkCheck.java")
    done = subprocess.run(
        ["java", "-cp", path, str(check), jar], check=True, capture_output=True, text=True
    )
    return done.stdout.splitlines()


def clean_environment(**more: str) -> dict[str, str]:
    """Give this process's environment without what makes PySpark join this process's Spark."""
    ours: Mapping[str, str] = os.environ
    hidden = {"PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET", "SPARK_ENV_LOADED"}
    kept = {key: value for key, value in ours.items() if key not in hidden}
    return {**kept, "PYSPARK_PYTHON": sys.executable, **more}


def new_environment(home: Path) -> Path:
    """Make a virtual environment that finds the pyspark of this one; give its interpreter."""
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    (site,) = (home / "lib").glob("python*/site-packages")
    (site / "pyspark.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return home / "bin" / "python"


def data_files(directory: Path) -> list[Path]:
    """List the files that a reader sees: not those below names that begin with ``_`` or ``.``."""
    return sorted(
        file
        for file in directory.rglob("*")
        if file.is_file() and not _hidden(file.relative_to(directory).parts)
    )


def _hidden(parts: Iterable[str]) -> bool:
    return any(part[0] == "." or (part[0] == "_" and "=" not in part) for part in parts)
