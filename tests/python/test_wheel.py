"""The README's lines, run from the wheel in a fresh virtual environment."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from support import ROOT, clean_environment, once

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def python_with_wheel(tmp_path: Path) -> Path:
    """Make a virtual environment with the wheel, and with the pyspark of this one."""
    wheel = os.environ.get("VARIANT_SHREDDED_WHEEL")
    if not wheel or not Path(wheel).is_file():
        pytest.skip("no wheel (VARIANT_SHREDDED_WHEEL): make test-python builds it")
    home = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    python = home / "bin" / "python"
    install = ["install", "--quiet", "--no-index", "--no-deps", wheel]
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check", *install],
        check=True,
    )
    (site,) = (home / "lib").glob("python*/site-packages")
    (site / "pyspark.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


@once
def test_the_lines_of_the_readme(python_with_wheel: Path, tmp_path: Path) -> None:
    blocks = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert blocks
    environment = clean_environment()
    for name in ("VARIANT_SHREDDED_JAR", "PYTHONPATH"):
        environment.pop(name, None)
    done = subprocess.run(
        [python_with_wheel, "-c", "\n".join(blocks)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for shown in re.findall(r"^# (\|.*)$", "\n".join(blocks), re.MULTILINE):
        assert shown in done.stdout.splitlines()
