"""Builds Spark sessions that have the JAR."""

from __future__ import annotations

import os
import re
import shlex
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from variant_shredded._arguments import path_text
from variant_shredded._io import FORMAT
from variant_shredded._jar import VARIABLE, jar_path
from variant_shredded._needs import (
    jars_replaced,
    java_needed,
    require_kind,
    require_linked,
    require_pyspark,
    require_server,
    require_supported_spark,
    without_jar,
)
from variant_shredded._options import OptionValue, to_spark_options
from variant_shredded.errors import InvalidOptionError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JARS = "spark.jars"

#: The settings in which spark-submit names the JARs that it sends: all of them, and those of YARN.
_SENT = (JARS, "spark.yarn.dist.jars")

#: The environment variable by which PySpark finds a JVM that spark-submit has started.
_SUBMITTED = "PYSPARK_GATEWAY_PORT"

#: A class file of the JAR.
_CLASS = "io/github/variantshredded/VariantShreddedSource.class"

#: The name of a JAR of this project, of any version. A repository puts its group before it.
_JAR_NAME = re.compile(r"(?:.*_)?variant-shredded-spark_2\.13-.*(?<!-sources)(?<!-javadoc)\.jar")

#: Characters that no path in ``spark.jars`` can have: wildcards, and those that end a path there.
_NOT_IN_JARS = re.compile(r"[][{}*?,#]")

#: With this setting or variable, Spark 4.3 keeps the server of a local session of Spark Connect.
_REUSE_SETTING, _REUSE_VARIABLE = "spark.local.connect.reuse", "SPARK_LOCAL_CONNECT_REUSE"

PYTHON_SETTING = "spark.pyspark.python"
PYTHON_VARIABLE = "PYSPARK_PYTHON"

#: The value of `PYTHON_VARIABLE` that `session` has set, which is none of the user's.
_own_python: str | None = None


def configure(
    builder: SparkSession.Builder, /, *, jars: Sequence[str | os.PathLike[str]] = ()
) -> SparkSession.Builder:
    """Add the JAR to the session that a builder creates.

    This function sets ``spark.jars`` to the JARs of ``spark-defaults.conf``, or of the file that
    ``--properties-file`` in the environment variable ``PYSPARK_SUBMIT_ARGS`` names, the JARs of
    `jars`, and the JAR of this package. If one of the others is named
    ``variant-shredded-spark_2.13-VERSION.jar``, such as the JAR of a cluster, that one is used and
    not the JAR of this package. A local file that is missing does not count.

    The function replaces a value of ``spark.jars`` that the builder has: give those JARs as `jars`,
    and do not set ``spark.jars`` afterwards. Do not use this function for a Spark Connect server
    (``sc://``), which has to be started with the JAR.

    In an application of spark-submit, the driver runs already, and only spark-submit can give it
    the JAR (``--jars``, ``--packages``). There, this function leaves ``spark.jars`` as spark-submit
    has set it, and adds `jars`. If the driver has the JAR in another way, such as from
    ``--driver-class-path``, this function adds the JAR of the driver, so that executors have the
    same one.

    If the builder also has ``spark.jars.packages``, PySpark does not send the JARs of the packages
    to executors in other processes. `session` does, and so does ``spark-submit --packages``.

    Parameters
    ----------
    builder
        The builder of the session, such as ``SparkSession.builder.master("local[2]")``.
    jars
        The paths of other JARs.

    Returns
    -------
    SparkSession.Builder
        The same builder.

    Raises
    ------
    InvalidOptionError
        If `jars` is one path and not a list, or has another element than paths; or if the path of
        the JAR of this package has a character that Spark takes for a part of a glob or of a
        list, such as ``[`` or a comma.
    JarNotFoundError
        If the JAR of this package is missing. It is not needed in an application of spark-submit,
        or if another JAR is used.
    SparkNotFoundError
        If pyspark is older than 4.1.
    """
    require_kind(builder, "SparkSession.Builder", "config")
    require_supported_spark()
    if isinstance(jars, (str, os.PathLike)):
        raise InvalidOptionError(f"jars: a list of paths is needed, not one path ({jars})")
    more = [path_text("jars", jar) for jar in jars]
    if _SUBMITTED in os.environ:
        before, own = _submitted_jars()
    else:
        before = default_setting(JARS)
        own = "" if _has_other_jar(before, *more) else _own_jar()
    return builder.config(JARS, ",".join(filter(None, [before, *more, own])))


def _submitted_jars() -> tuple[str, str]:
    """Return ``spark.jars`` of spark-submit, and the JAR that executors need besides, if any.

    Executors need the JAR from which the driver loads its classes, which can have another name and
    version than the JAR of this package.
    """
    from pyspark import SparkContext

    SparkContext._ensure_initialized()
    jvm = SparkContext._jvm
    assert jvm is not None  # the gateway of spark-submit has one
    sent = [jvm.java.lang.System.getProperty(setting) or "" for setting in _SENT]
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    found = re.match(r"jar:(.*)!/", str(loader.getResource(_CLASS)))
    if found is None or _file_name(found[1]) in _file_names(*sent):
        return sent[0], ""
    return sent[0], found[1]


def _has_other_jar(*jars: str) -> bool:
    """Return whether lists of JARs have one of this project.

    A local file counts if it exists: Spark only logs that one is missing.
    """
    return any(_JAR_NAME.fullmatch(_file_name(jar)) and _may_exist(jar) for jar in _split(*jars))


def _may_exist(jar: str) -> bool:
    if jar.startswith("file:"):
        return os.path.isfile(unquote(jar.removeprefix("file:")))
    return ":" in jar or os.path.isfile(jar)


def _split(*jars: str) -> list[str]:
    """Return the paths in lists of JARs."""
    return [jar.strip() for each in jars for jar in each.split(",")]


def _file_names(*jars: str) -> set[str]:
    """Return the names of the files in lists of JARs."""
    return set(map(_file_name, _split(*jars)))


def _file_name(jar: str) -> str:
    return unquote(os.path.basename(jar))


def _own_jar() -> str:
    """Return the path of the JAR, if Spark finds a file by it."""
    jar = str(jar_path())
    found = _NOT_IN_JARS.search(jar)
    if found is not None:
        raise InvalidOptionError(
            f"{jar}: Spark finds no JAR whose path has the character {found[0]}: copy it to "
            f"another directory, and set {VARIABLE} to the path of the copy"
        )
    return jar


def session(
    builder: SparkSession.Builder | None = None, /, **conf: OptionValue | os.PathLike[str]
) -> SparkSession:
    """Get a Spark session that has the format ``variant-shredded``.

    Spark's Python workers run the interpreter that calls this function, unless the environment
    variable ``PYSPARK_PYTHON`` or the keyword ``spark.pyspark.python`` names another one.

    Parameters
    ----------
    builder
        The builder of the session, by position: ``session(builder)``. The default is
        ``SparkSession.builder``. `configure` describes what happens to its JARs. It can have
        ``.remote("local[2]")``.
    **conf
        Further settings of Spark: ``session(**{"spark.master": "local[2]"})``. Names without a dot,
        such as ``master``, are refused. The JAR is appended to ``spark.jars``, unless another JAR
        of this project is there (see `configure`). A Spark Connect server is given as
        ``spark.remote``.

    Returns
    -------
    SparkSession
        The running session, or a new one if there is none.

    Raises
    ------
    InvalidOptionError
        If the name of a setting has no dot, or if its value is not a string, number or boolean.
        ``spark.jars`` is a string, with commas between paths, or a path.
    SessionWithoutJarError
        If a session or a Spark Connect server already runs without the JAR. This is also the case
        after ``stop()``, because the JVM of a session keeps running. Restart Python, or start Spark
        with the JAR that ``jar_path()`` returns.
    JarNotFoundError
        If a session has to be started and the JAR is missing (see `configure`).
    SparkNotFoundError
        If there is no pyspark, or it is older than 4.1; if there is no Java that Spark runs on; if
        there is no Spark Connect server at the given address; or if the Spark that runs lacks
        classes or methods that the JAR needs.
    """
    require_pyspark()
    if builder is not None:
        require_kind(builder, "SparkSession.Builder", "config")
    from pyspark.sql import SparkSession
    from pyspark.sql.utils import is_remote

    _check_names(conf)
    given = conf.pop(JARS, None)
    jars = [path_text(JARS, given)] if given else []
    running = _running()
    if running is not None and not _knows_format(running):
        raise without_jar("a Spark session already runs")

    builder = SparkSession.builder if builder is None else builder
    for key, value in to_spark_options(conf).items():
        builder = builder.config(key, value)
    if running is not None and is_remote():
        return _with_settings_of(builder, running)
    remote = str(conf.get("spark.remote") or os.environ.get("SPARK_REMOTE", ""))
    if running is None and remote.startswith("sc://"):
        require_server(remote)
    elif running is None:
        builder = configure(builder, jars=jars)
        _set_python(str(conf.get(PYTHON_SETTING) or sys.executable))
    with java_needed():
        spark = builder.getOrCreate()

    # Some cases show only now: a SparkContext without a session already ran, --jars in
    # PYSPARK_SUBMIT_ARGS replaced spark.jars, or another program started the Connect server.
    if running is None and not _knows_format(spark):
        if remote.startswith("sc://"):
            raise without_jar(f"the server at {remote} runs")
        if is_remote():
            raise without_jar("the Spark Connect server runs", _reuse_ended(builder))
        raise without_jar("Spark runs", jars_replaced())
    if running is None and not is_remote():
        _send_packages(spark)
    return spark


def _reuse_ended(builder: SparkSession.Builder) -> str | None:
    """Return how to end a server that Spark 4.3 has kept, or None if Spark keeps none."""
    kept = os.environ.get(_REUSE_VARIABLE, "")
    if str(builder._options.get(_REUSE_SETTING, kept)).lower() not in ("1", "true"):
        return jars_replaced()
    return (
        "end this server by python -m pyspark.sql.connect.local_server --stop, restart Python (in "
        "a notebook, the kernel), and call session() first"
    )


def _check_names(conf: Mapping[str, object]) -> None:
    for name in conf:
        if "." not in name:
            raise InvalidOptionError(
                f"{name}: this is no setting of Spark: session(**{{'spark.master': 'local[2]'}}) "
                "gives one, and session(builder) gives a builder"
            )


def _set_python(workers: str) -> None:
    """Let the workers run this interpreter, unless the user's environment names another one.

    PySpark reads only the variable. Without it, the workers run `python3`, which may lack packages
    of the interpreter of this process.
    """
    global _own_python
    if os.environ.get(PYTHON_VARIABLE) in (None, _own_python):
        os.environ[PYTHON_VARIABLE] = _own_python = workers


def _running() -> SparkSession | None:
    """Return the running session, if any. Over Spark Connect, it can be that of another thread."""
    from pyspark.errors import PySparkRuntimeError
    from pyspark.sql import SparkSession
    from pyspark.sql.utils import is_remote

    if not is_remote():
        return SparkSession.getActiveSession()
    try:
        return SparkSession.active()
    except PySparkRuntimeError:
        return None


def _with_settings_of(builder: SparkSession.Builder, running: SparkSession) -> SparkSession:
    """Return a running session of Spark Connect, with the settings of a builder.

    The builder's own `getOrCreate` would ask for the address of the server once more.
    """
    of_connect: Any = type(running)
    found: SparkSession = of_connect.builder.config(map=dict(builder._options)).getOrCreate()
    return found


def _send_packages(spark: SparkSession) -> None:
    """Send the JARs of ``spark.jars.packages`` to the executors.

    spark-submit adds these JARs to ``spark.jars`` in the JVM, but then PySpark replaces this
    setting by that of the builder.
    """
    context = spark.sparkContext
    assert context._jvm is not None  # the gateway of a running context has one
    resolved = context._jvm.java.lang.System.getProperty(JARS) or ""
    sent = context._jsc.sc().listJars().mkString("\n").split("\n")
    names = {os.path.basename(jar) for jar in sent}
    for jar in filter(None, resolved.split(",")):
        if os.path.basename(jar) not in names:
            context._jsc.addJar(jar)


def _knows_format(spark: SparkSession) -> bool:
    """Return whether the session has the data source, however it got the JAR."""
    try:
        # Over Spark Connect, `load` sends no request to the server before the schema is needed.
        _ = spark.read.format(FORMAT).load().schema
    except Exception as error:
        require_linked(error)
        # The class of the exception depends on the version and the session. Any other error, such
        # as that of a missing path, comes from the data source itself, so the session has it.
        return "DATA_SOURCE_NOT_FOUND" not in str(error)
    return True


def _conf_directory() -> Path | None:
    """Return the directory with the settings that spark-submit reads. It need not exist.

    A client of Spark Connect that does not contain Spark has no such directory.
    """
    given = os.environ.get("SPARK_CONF_DIR")
    if given:
        return Path(given)
    try:
        from pyspark.find_spark_home import _find_spark_home

        # This function prints advice and ends the process if it does not find Spark.
        with redirect_stderr(StringIO()):
            return Path(_find_spark_home(), "conf")
    except (ImportError, SystemExit):
        return None


def default_setting(name: str) -> str:
    """Return a setting of the files that spark-submit reads, which the builder's setting replaces.

    This is ``spark-defaults.conf``, unless ``PYSPARK_SUBMIT_ARGS`` names another file.
    """
    values = (_setting(file, name) for file in _properties_files() if file.is_file())
    return next((value for value in values if value is not None), "")


def _properties_files() -> Iterator[Path]:
    """Return the files with settings. A file overrides those after it."""
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--properties-file", nargs="?")
    parser.add_argument("--extra-properties-file", nargs="?", action="append", default=[])
    parser.add_argument("--load-spark-defaults", action="store_true")
    arguments = shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", ""))
    given, _ = parser.parse_known_args(arguments)
    # Spark 4.1 does not know the extra files, and fails.
    yield from map(Path, filter(None, reversed(given.extra_properties_file)))
    if given.properties_file:
        yield Path(given.properties_file)
    directory = _conf_directory()
    if directory and (given.load_spark_defaults or not given.properties_file):
        yield directory / "spark-defaults.conf"


def _setting(file: Path, name: str) -> str | None:
    """Return a setting of a file, or None if the file does not have it."""
    value = None
    # Spark, too, replaces bytes that are not UTF-8.
    for line in _lines(file.read_text(encoding="utf-8", errors="replace")):
        # As in Java's properties files, a blank, a tab, = or : separates a key from its value.
        found = re.match(rf"{re.escape(name)}(?:\s*[=:]\s*|\s+)(.*)", line)
        if found:
            value = re.sub(r"\\(.)", r"\1", found[1]).strip()
    return value


def _lines(properties: str) -> Iterator[str]:
    """Split the text of a properties file into lines without comments, as Java does.

    A backslash at the end of a line continues it, unless another backslash escapes it.
    """
    line = ""
    for part in map(str.lstrip, properties.split("\n")):
        if not line and part.startswith(("#", "!")):
            continue
        line += part
        if (len(line) - len(line.rstrip("\\"))) % 2 == 1:
            line = line[:-1]
            continue
        yield line
        line = ""
    yield line
