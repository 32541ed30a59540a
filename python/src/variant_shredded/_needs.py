"""Checks what has to be there: pyspark, Java, a server, the JAR. The errors say what to do."""

from __future__ import annotations

import os
import re
import shutil
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

#: Lines that say why a JVM ends.
_TELLING = re.compile(r"\b(Error|Exception|Invalid|Unrecognized|Could not|Failed)\b|not found")

#: What Spark says of a format of this package, without the JAR.
_UNKNOWN_FORMAT = re.compile(r"DATA_SOURCE_NOT_FOUND\].*data source: variant[-_]shredded")

#: The port of a Spark Connect server whose address names none.
CONNECT_PORT = 15002
#: So many seconds a server has to accept a connection.
CONNECT_SECONDS = 10
#: Where one of these is set, the way to the server may lead through a proxy.
PROXIES = ("grpc_proxy", "https_proxy", "http_proxy")


def without_jar(what: str) -> SessionWithoutJarError:
    """Return the error of a session without the JAR; `what` says which session it is."""
    return SessionWithoutJarError(
        f"{what} without the JAR of variant-shredded, and a JAR cannot be added to it now: restart "
        f"Python (in a notebook, the kernel) and call session() first, or start Spark with --jars "
        f"(or spark.jars) set to the path that variant_shredded.jar_path() or {VARIABLE} gives"
    )


@contextmanager
def jar_needed() -> Iterator[None]:
    """Turn Spark's error for an unknown format into one that says what to do."""
    try:
        yield
    except VariantShreddedError:
        raise
    except Exception as error:
        if _UNKNOWN_FORMAT.search(str(error)):
            raise without_jar("the Spark session runs") from None
        raise


def require_kind(given: object, kind: str, method: str) -> None:
    """Raise `InvalidOptionError` if an argument is not the object of Spark that is needed.

    Parameters
    ----------
    given
        The argument.
    kind
        The name of the class that is needed. Spark Connect has another class of the same name.
    method
        An attribute that the objects of both classes have.
    """
    if not hasattr(given, method):
        raise InvalidOptionError(f"a {kind} is needed, not {type(given).__name__} ({given!r:.50})")


def require_pyspark() -> None:
    """Raise `SparkNotFoundError` if there is no pyspark."""
    if find_spec("pyspark") is None:
        raise SparkNotFoundError(
            "pyspark is not installed: pip install 'variant-shredded[spark]' installs one, or use "
            "the Python of a platform that has it (pyspark 4.1, 4.2 or 4.3)"
        )


def require_server(address: str) -> None:
    """Raise `SparkNotFoundError` if nothing accepts a connection at the address of a server.

    PySpark tries again for ten minutes, and says nothing meanwhile.

    Parameters
    ----------
    address
        The address of a Spark Connect server, ``sc://HOST:PORT``.
    """
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port or CONNECT_PORT
    except ValueError:  # PySpark says what is wrong with the address
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
    """Turn PySpark's error for a JVM that does not start into one that says what to do."""
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
    """Say why a JVM does not start, from what it has printed into `log`."""
    try:
        yield
    except Exception as error:
        if "JAVA_GATEWAY_EXITED" not in str(error) or isinstance(error, SparkNotFoundError):
            raise
        printed = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
        causes = [line for line in printed.splitlines() if _TELLING.search(line)]
        why = causes[0].strip() if causes else "--verbose shows what it prints"
        raise SparkNotFoundError(f"Spark does not start: {why}") from error


def _java_problem() -> str | None:
    """Say what is wrong with the Java that Spark would start; None if nothing is."""
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if java is None:
        return "there is no java on the PATH, and JAVA_HOME is not set"
    if not os.access(java, os.X_OK):
        return f"JAVA_HOME is {home}, where there is no bin/java"
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    found = re.search(r'version "(?:1\.)?(\d+)', said.stderr + said.stdout)
    if found is None:
        return f"{java} does not tell its version"
    return f"{java} is Java {found[1]}" if int(found[1]) < JAVA else None
