"""Build hook: puts the JAR that sbt built into the wheel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class JarHook(BuildHookInterface):  # type: ignore[type-arg]  # its parameter is hatchling's own
    """Adds the JAR as ``variant_shredded/jars/<its name>``."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the JAR among the files to include, or fail if it is not built."""
        if version == "editable":  # a checkout's tests name their JAR by VARIANT_SHREDDED_JAR
            return
        name = f"variant-shredded-spark_2.13-{self.metadata.version}.jar"
        jar = Path(self.root).parent / "jvm" / "target" / name
        if not jar.is_file():
            raise FileNotFoundError(f"the wheel carries {jar}, which is not built: run `make jar`")
        build_data["force_include"][str(jar)] = f"variant_shredded/jars/{name}"
