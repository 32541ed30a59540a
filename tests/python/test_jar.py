from __future__ import annotations

from pathlib import Path

import pytest
from support import missing_links
from variant_shredded import JarNotFoundError, __version__, _jar, jar_path


def test_the_variable_overrides_the_packaged_jar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar = tmp_path / "other.jar"
    jar.touch()
    monkeypatch.setenv("VARIANT_SHREDDED_JAR", str(jar))
    assert jar_path() == jar


def test_a_variable_that_names_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jar = tmp_path / "none.jar"
    monkeypatch.setenv("VARIANT_SHREDDED_JAR", str(jar))
    with pytest.raises(JarNotFoundError) as caught:
        jar_path()
    assert str(caught.value) == f"VARIANT_SHREDDED_JAR names {jar}, which is not a file"


def test_the_packaged_jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VARIANT_SHREDDED_JAR", raising=False)
    monkeypatch.setattr(_jar, "__file__", str(tmp_path / "_jar.py"))
    jar = tmp_path / "jars" / f"variant-shredded-spark_2.13-{__version__}.jar"
    with pytest.raises(JarNotFoundError) as caught:
        jar_path()
    assert str(caught.value) == (
        f"{jar} is missing: install the wheel (`make wheel` builds it), or set "
        "VARIANT_SHREDDED_JAR to a JAR (`make jar` builds it and prints its path)"
    )
    jar.parent.mkdir()
    jar.touch()
    assert jar_path() == jar


def test_spark_has_what_the_jar_calls() -> None:
    # Those of Iceberg are checked where its JAR is, in test_iceberg_tables.
    own = [line for line in missing_links() if not line.startswith("org/apache/iceberg/")]
    assert own == []
