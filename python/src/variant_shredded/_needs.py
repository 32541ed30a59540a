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

#: The oldest Java that Spark 4 runs on.
JAVA = 17

#: A line of a JVM's output that says why the JVM ends.
_CAUSE = re.compile(r"\b(Error|Exception|Invalid|Unrecognized|Could not|Failed)\b|not found")

#: A line of a JVM's output that says why a running JVM ends.
_END = re.compile(r"(Error|Exception)\b|fatal error|insufficient memory")
#: The time in which a JVM ends after its connection has ended, in seconds.
_END_SECONDS = 2

#: Spark's error for a format of this package in a session without the JAR.
_UNKNOWN_FORMAT = re.compile(r"DATA_SOURCE_NOT_FOUND\].*data source: variant[-_]shredded")

#: The port of a Spark Connect server whose address has no port.
CONNECT_PORT = 15002
#: The time in which a server has to accept a connection, in seconds.
CONNECT_SECONDS = 10
#: The environment variables of proxies. If one is set, a proxy may connect to the server.
PROXIES = ("grpc_proxy", "https_proxy", "http_proxy")


def without_jar(what: str) -> SessionWithoutJarError:
    """Return the error for a session without the JAR.

    Parameters
    ----------
    what
        The subject and the verb of the message, such as ``"Spark runs"``.
    """
    return SessionWithoutJarError(
        f"{what} without the JAR of variant-shredded, and a JAR cannot be added to it now: restart "
        f"Python (in a notebook, the kernel) and call session() first, or start Spark with --jars "
        f"(or spark.jars) set to the path that variant_shredded.jar_path() or {VARIABLE} gives"
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
            "the Python of a platform that has it (pyspark 4.1, 4.2 or 4.3)"
        )


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
        if "JAVA_GATEWAY_EXITED" not in str(error) and not isinstance(error, FileNotFoundError):
            raise
        reason = _java_problem()
        if reason is None:
            raise
        raise SparkNotFoundError(
            f"Spark needs Java {JAVA} or newer, and {reason}: install a JDK, or set JAVA_HOME to "
            "the directory of one"
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
    return f"{java} is Java {found[1]}" if int(found[1]) < JAVA else None
