"""The extension that reads the Variants of Iceberg's tables, on the packed JAR and real Iceberg."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import SPARK, missing_links, run_script

SCRIPT = (Path(__file__).parent / "iceberg_tables.py").read_text()


@pytest.mark.skipif(SPARK != (4, 1), reason="Iceberg 1.12.0 has a runtime for Spark 4.1 only")
def test_tables_of_iceberg(tmp_path: Path) -> None:
    *done, runtime = run_script(SCRIPT, str(tmp_path), "60", timeout=900).splitlines()
    parts = ["tables", "files", "deletes", "evolution", "declined", "changes", "random"]
    assert [line for line in done if line.startswith("ok ")] == [f"ok {part}" for part in parts]
    assert missing_links(runtime) == []
