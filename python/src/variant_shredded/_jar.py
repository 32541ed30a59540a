"""Finds the JAR."""

from __future__ import annotations

import os
from pathlib import Path

from variant_shredded._version import __version__
from variant_shredded.errors import JarNotFoundError

#: The environment variable with the path of a JAR that replaces the one in the package.
VARIABLE = "VARIANT_SHREDDED_JAR"


def jar_path() -> Path:
    """Find the JAR of the data source.

    Returns
    -------
    Path
        The absolute path of the file that the environment variable ``VARIANT_SHREDDED_JAR`` names.
        If the variable is not set, it is the path of the JAR inside the installed package.

    Raises
    ------
    JarNotFoundError
        If there is no such file.
    """
    override = os.environ.get(VARIABLE)
    if override:
        jar = Path(override).absolute()
        if not jar.is_file():
            raise JarNotFoundError(f"{VARIABLE} names {jar}, which is not a file")
        return jar
    name = f"variant-shredded-spark_2.13-{__version__}.jar"
    jar = Path(__file__).absolute().parent / "jars" / name
    if not jar.is_file():
        raise JarNotFoundError(
            f"{jar} is missing: install the wheel (`make wheel` builds it), "
            f"or set {VARIABLE} to a JAR (`make jar` builds it and prints its path)"
        )
    return jar
