"""A Spark session that has the JAR."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from variant_shredded._io import FORMAT, OptionValue, to_spark_options
from variant_shredded._jar import jar_path
from variant_shredded._needs import (
    java_needed,
    require_kind,
    require_pyspark,
    require_server,
    without_jar,
)
from variant_shredded.errors import InvalidOptionError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JARS = "spark.jars"
PYTHON_SETTING = "spark.pyspark.python"


def configure(
    builder: SparkSession.Builder, /, *, jars: Sequence[str | os.PathLike[str]] = ()
) -> SparkSession.Builder:
    """Add the JAR to the session that a builder makes.

    Sets ``spark.jars`` to the JARs of ``spark-defaults.conf``, those of `jars`, and the one of this
    package. This replaces a ``spark.jars`` that the builder has: give those JARs as `jars`, and do
    not set ``spark.jars`` afterwards. A Spark Connect server (``sc://``) has to be started with the
    JAR; do not use this function for it.

    If the builder has ``spark.jars.packages`` too, PySpark does not send the JARs of the packages
    to executors in other processes. `session` does, and so does ``spark-submit --packages``.

    Parameters
    ----------
    builder
        The builder of the session, such as ``SparkSession.builder.master("local[2]")``.
    jars
        Paths of other JARs.

    Returns
    -------
    SparkSession.Builder
        The same builder.

    Raises
    ------
    InvalidOptionError
        If `jars` is one path and not a list.
    JarNotFoundError
        If there is no JAR.
    """
    require_kind(builder, "SparkSession.Builder", "config")
    if isinstance(jars, (str, os.PathLike)):
        raise InvalidOptionError(f"jars: a list of paths is needed, not one path ({jars})")
    paths = [_default_jars(), *(os.fspath(jar) for jar in jars), str(jar_path())]
    return builder.config(JARS, ",".join(filter(None, paths)))


def session(builder: SparkSession.Builder | None = None, /, **conf: OptionValue) -> SparkSession:
    """Get a Spark session that knows the ``variant-shredded`` format.

    Spark's Python workers run the interpreter that calls this function, unless the environment
    variable ``PYSPARK_PYTHON`` or the setting ``spark.pyspark.python`` names another one.

    Parameters
    ----------
    builder
        The builder of the session; ``SparkSession.builder`` if it is not given. `configure`
        describes how its JARs are treated. It may have ``.remote("local[2]")``.
    **conf
        Further settings of Spark: ``session(**{"spark.master": "local[2]"})``. The JAR is appended
        to ``spark.jars``. A Spark Connect server is given as ``spark.remote``.

    Returns
    -------
    SparkSession
        The running session if there is one, else a new one.

    Raises
    ------
    SessionWithoutJarError
        If a session (or a Spark Connect server) already runs without the JAR, or ran in this
        process before, because its JVM goes on after ``stop()``. Restart Python, or start Spark
        with the JAR that ``jar_path()`` names.
    JarNotFoundError
        If a session has to be started and there is no JAR.
    SparkNotFoundError
        If there is no pyspark, no Java that Spark runs on, or no Spark Connect server at the
        address that is given.
    """
    require_pyspark()
    if builder is not None:
        require_kind(builder, "SparkSession.Builder", "config")
    from pyspark.sql import SparkSession
    from pyspark.sql.utils import is_remote

    jars = conf.pop(JARS, None)
    running = SparkSession.getActiveSession()
    if running is not None and not _knows_format(running):
        raise without_jar("a Spark session already runs")

    builder = SparkSession.builder if builder is None else builder
    for key, value in to_spark_options(conf).items():
        builder = builder.config(key, value)
    remote = str(conf.get("spark.remote") or os.environ.get("SPARK_REMOTE", ""))
    if running is None and remote.startswith("sc://"):
        require_server(remote)
    elif running is None:
        builder = configure(builder, jars=[str(jars)] if jars else [])
        if PYTHON_SETTING not in conf:
            # Otherwise Spark's workers are whatever python3 is, which may lack what this one has.
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with java_needed():
        spark = builder.getOrCreate()

    # Some cases can be seen only now: a bare SparkContext that was there already, a
    # PYSPARK_SUBMIT_ARGS whose --jars replaces spark.jars, a Connect server started by others.
    if running is None and not _knows_format(spark):
        if remote.startswith("sc://"):
            raise without_jar(f"the server at {remote} runs")
        raise without_jar("the Spark Connect server runs" if is_remote() else "Spark runs")
    if running is None and not is_remote():
        _send_packages(spark)
    return spark


def _send_packages(spark: SparkSession) -> None:
    """Let executors have the JARs of ``spark.jars.packages``.

    spark-submit adds them to ``spark.jars`` of its JVM, and PySpark replaces that setting by the
    builder's.
    """
    context = spark.sparkContext
    assert context._jvm is not None  # its gateway has started
    resolved = context._jvm.java.lang.System.getProperty(JARS) or ""
    sent = context._jsc.sc().listJars().mkString("\n").split("\n")
    names = {os.path.basename(jar) for jar in sent}
    for jar in filter(None, resolved.split(",")):
        if os.path.basename(jar) not in names:
            context._jsc.addJar(jar)


def _knows_format(spark: SparkSession) -> bool:
    """Return whether the session finds the data source, however its JAR came there."""
    try:
        # Over Spark Connect, `load` asks the server nothing before the schema is wanted.
        _ = spark.read.format(FORMAT).load().schema
    except Exception as error:
        # A Java exception as it is, or one of PySpark's: that depends on version and session. Any
        # other complaint (that there is no path, say) is the source's own, so it was found.
        return "DATA_SOURCE_NOT_FOUND" not in str(error)
    return True


def _conf_directory() -> Path | None:
    """Return the directory of settings that spark-submit reads, which need not exist.

    A client of Spark Connect without Spark has none.
    """
    given = os.environ.get("SPARK_CONF_DIR")
    if given:
        return Path(given)
    try:
        from pyspark.find_spark_home import _find_spark_home

        # Where it finds no Spark, it prints advice and ends the process.
        with redirect_stderr(StringIO()):
            return Path(_find_spark_home(), "conf")
    except (ImportError, SystemExit):
        return None


def _default_jars() -> str:
    """``spark.jars`` of ``spark-defaults.conf``, which a setting of ours would replace."""
    directory = _conf_directory()
    defaults = directory and directory / "spark-defaults.conf"
    if not defaults or not defaults.is_file():
        return ""
    jars = ""
    for line in defaults.read_text(encoding="utf-8").splitlines():
        # As in a file of Java properties, a blank, a tab, = or : separates the two.
        found = re.match(rf"\s*{re.escape(JARS)}(?:\s*[=:]\s*|\s+)(.*)", line)
        if found:
            jars = found[1].strip()
    return jars
