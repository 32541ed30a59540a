"""Checks that pyspark, Java, a server and the JAR are there. The errors say what to do."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from variant_shredded._jar import VARIABLE
from variant_shredded.errors import (
    InvalidOptionError,
    SessionWithoutJarError,
    SparkNotFoundError,
    VariantShreddedError,
)

#: The oldest version of Spark that the JAR runs on, and all of them in words.
_OLDEST_SPARK = (4, 1)
_SPARKS = "4.1, 4.2 or 4.3"

#: The oldest Java that Spark 4 runs on.
JAVA = 17
#: The newest Java that versions of Spark run on, for those that have a limit. Hadoop of Spark 4.1
#: calls a method (Subject.getSubject) that only throws an exception from Java 23 on.
_NEWEST_JAVA = {"4.1": 22}

#: A line of a JVM's output that says why the JVM ends.
_CAUSE = re.compile(r"\b(Error|Exception|Invalid|Unrecognized|Could not|Failed)\b|not found")

#: A line of a JVM's output that says why a running JVM ends.
_END = re.compile(r"(Error|Exception)\b|fatal error|insufficient memory")
#: The time in which a JVM ends after its connection has ended, in seconds.
_END_SECONDS = 2

#: A part of the environment variable PYSPARK_SUBMIT_ARGS that replaces ``spark.jars``.
_GIVES_JARS = re.compile(r"--jars\b|\bspark\.jars\s*=")

#: Java's errors for a JAR that calls what this version of Spark does not have.
_NOT_LINKED = re.compile(
    r"(?:NoClassDefFoundError|NoSuchMethodError|ServiceConfigurationError)\b[^\n]*"
)

#: The packages of the JAR. A JAR of another data source can fail in the same way.
_OWN_CLASSES = "io.github.variantshredded."

#: Spark's error for a format of this package in a session without the JAR.
_UNKNOWN_FORMAT = re.compile(r"DATA_SOURCE_NOT_FOUND\].*data source: variant[-_]shredded")

#: The port of a Spark Connect server whose address has no port.
CONNECT_PORT = 15002
#: The time in which a server has to accept a connection, in seconds.
CONNECT_SECONDS = 10
#: The environment variables of proxies. If one is set, a proxy may connect to the server.
PROXIES = ("grpc_proxy", "https_proxy", "http_proxy")


def without_jar(what: str, remedy: str | None = None) -> SessionWithoutJarError:
    """Return the error for a session without the JAR.

    Parameters
    ----------
    what
        The subject and the verb of the message, such as ``"Spark runs"``.
    remedy
        What to do. The default is to start Spark with the JAR.
    """
    if remedy is None:
        remedy = (
            "restart Python (in a notebook, the kernel) and call session() first, or start Spark "
            "with --jars (or spark.jars) set to the path that variant_shredded.jar_path() or "
            f"{VARIABLE} gives"
        )
    return SessionWithoutJarError(
        f"{what} without the JAR of variant-shredded, and a JAR cannot be added to it now: {remedy}"
    )


def jars_replaced() -> str | None:
    """Return what to do if the environment replaces the ``spark.jars`` of a builder, or None."""
    if _GIVES_JARS.search(os.environ.get("PYSPARK_SUBMIT_ARGS", "")) is None:
        return None
    return (
        "PYSPARK_SUBMIT_ARGS replaces spark.jars: take its JARs out of this variable, give these "
        "JARs as configure(builder, jars=[...]), and restart Python (in a notebook, the kernel)"
    )


@contextmanager
def jar_needed() -> Iterator[None]:
    """Replace Spark's error for an unknown format by one that says what to do."""
    try:
        yield
    except VariantShreddedError:
        raise
    except Exception as error:
        if _UNKNOWN_FORMAT.search(str(error)):
            raise without_jar("the Spark session runs") from None
        raise


def require_kind(given: object, kind: str, method: str) -> None:
    """Raise `InvalidOptionError` if an argument is not an object of a class of Spark.

    Parameters
    ----------
    given
        The argument.
    kind
        The name of the class. Spark Connect has another class with this name.
    method
        The name of a method of both classes.
    """
    if not hasattr(given, method):
        raise InvalidOptionError(f"a {kind} is needed, not {type(given).__name__} ({given!r:.50})")


def require_pyspark() -> None:
    """Raise `SparkNotFoundError` if pyspark is not installed."""
    if find_spec("pyspark") is None:
        raise SparkNotFoundError(
            "pyspark is not installed: pip install 'variant-shredded[spark]' installs one, or use "
            f"the Python of a platform that has it (pyspark {_SPARKS})"
        )


def require_supported_spark() -> None:
    """Raise `SparkNotFoundError` if pyspark is older than the JAR supports.

    A newer version is not refused: the JAR may run on it.
    """
    import pyspark

    found = re.match(r"(\d+)\.(\d+)", pyspark.__version__)
    if found is not None and (int(found[1]), int(found[2])) < _OLDEST_SPARK:
        raise SparkNotFoundError(f"pyspark {pyspark.__version__} is installed; {_SPARKS} is needed")


def require_linked(error: Exception) -> None:
    """Raise `SparkNotFoundError` if the JAR calls what the running Spark does not have.

    Parameters
    ----------
    error
        The error of the first call of the data source.
    """
    text = str(error)
    found = _NOT_LINKED.search(text)
    if found is None:
        return
    provider = re.search(r"Provider ([\w.$]+)", found[0])
    if _OWN_CLASSES in (provider[1] if provider else text):
        raise SparkNotFoundError(
            f"this Spark lacks what the JAR of variant-shredded calls; Spark {_SPARKS} is needed "
            f"({found[0].strip()})"
        ) from error


def require_server(address: str) -> None:
    """Raise `SparkNotFoundError` if no server accepts a connection at an address.

    Without this check, PySpark would try to connect for ten minutes without a message.

    Parameters
    ----------
    address
        The address of a Spark Connect server, ``sc://HOST:PORT``.
    """
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port or CONNECT_PORT
    except ValueError:  # PySpark's error says what is wrong with the address
        return
    if host is None or any(os.environ.get(name) for name in PROXIES):
        return
    try:
        socket.create_connection((host, port), CONNECT_SECONDS).close()
    except OSError as error:
        raise SparkNotFoundError(
            f"there is no Spark Connect server at {host}, port {port} ({error}): start one with "
            "the JAR that variant_shredded.jar_path() gives, or correct the address"
        ) from error


@contextmanager
def java_needed() -> Iterator[None]:
    """Replace PySpark's error for a JVM that does not start by one that says what to do."""
    try:
        yield
    except Exception as error:
        is_of_java = "JAVA_GATEWAY_EXITED" in str(error) or "getSubject" in str(error)
        if not is_of_java and not isinstance(error, FileNotFoundError):
            raise
        reason = _java_problem()
        if reason is None:
            raise
        spark, newest = _newest_java()
        needed = f"Java {JAVA} or newer" if newest is None else f"Java {JAVA} to {newest}"
        raise SparkNotFoundError(
            f"{spark} needs {needed}, and {reason}: install a JDK, or set JAVA_HOME to the "
            "directory of one"
        ) from error


@contextmanager
def start_needed(log: Path) -> Iterator[None]:
    """Replace the error for a JVM that does not start by the cause that it has printed to `log`."""
    try:
        yield
    except Exception as error:
        if "JAVA_GATEWAY_EXITED" not in str(error) or isinstance(error, SparkNotFoundError):
            raise
        printed = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
        causes = [line for line in printed.splitlines() if _CAUSE.search(line)]
        why = causes[0].strip() if causes else "--verbose shows what the JVM prints"
        raise SparkNotFoundError(f"Spark does not start: {why}") from error


@contextmanager
def jvm_needed(log: Path) -> Iterator[None]:
    """Replace the errors for a JVM that has ended by the cause that it has printed to `log`."""
    try:
        yield
    except Exception as error:
        ended = _end_of_jvm(error)
        if ended is None:
            raise
        printed = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
        causes = [line for line in printed.splitlines() if _END.search(line)]
        why = f"{ended}: {causes[-1].strip()}" if causes else ended
        raise VariantShreddedError(f"Spark's process has ended {why}") from error


def _end_of_jvm(error: Exception) -> str | None:
    """Return how the JVM of this process has ended, or None if it runs or the error is another."""
    from py4j.protocol import Py4JError, Py4JJavaError
    from pyspark import SparkContext

    if not isinstance(error, (Py4JError, ConnectionError)) or isinstance(error, Py4JJavaError):
        return None
    process = getattr(SparkContext._gateway, "proc", None)
    try:
        status = process and process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        return None
    if status is None:
        return None
    if status == -signal.SIGKILL:
        return "because it was killed, as systems do that lack memory"
    return f"with the exit status {status}"


def _java_problem() -> str | None:
    """Return what is wrong with the Java that Spark would start, or None if it is usable."""
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if java is None:
        return "there is no java on the PATH, and JAVA_HOME is not set"
    if not os.access(java, os.X_OK):
        return f"JAVA_HOME is {home}, where there is no bin/java"
    done = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    found = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    if found is None:
        return f"{java} does not tell its version"
    _, newest = _newest_java()
    is_usable = int(found[1]) >= JAVA and (newest is None or int(found[1]) <= newest)
    return None if is_usable else f"{java} is Java {found[1]}"


def _newest_java() -> tuple[str, int | None]:
    """Return the name of this Spark, and the newest Java that it runs on, if it has a limit."""
    import pyspark

    for version, newest in _NEWEST_JAVA.items():
        if pyspark.__version__.startswith(f"{version}."):
            return f"Spark {version}", newest
    return "Spark", None
