"""An S3 server on the loopback address that counts, delays and breaks requests for objects."""

from __future__ import annotations

import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyspark
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

BUCKET = "bucket"

#: The client of S3 for Spark 4.2 and 4.3. The SDK's modules are 20 MB; its bundle is 600 MB.
PACKAGES = (
    "org.apache.hadoop:hadoop-aws:3.5.0",
    "software.amazon.awssdk:s3:2.35.4",
    "software.amazon.awssdk:s3-transfer-manager:2.35.4",
    "software.amazon.awssdk:sts:2.35.4",
    "software.amazon.s3.analyticsaccelerator:analyticsaccelerator-s3:1.3.1",
)
#: What these packages depend on and Spark has, or is not needed.
EXCLUDED = (
    "software.amazon.awssdk:bundle",
    "org.apache.hadoop:hadoop-common",
    "org.apache.hadoop:hadoop-client-api",
    "org.apache.hadoop:hadoop-client-runtime",
    "org.apache.hadoop:hadoop-mapreduce-examples",
    "org.slf4j:slf4j-api",
)
#: What lets Spark use S3A's committers. Maven Central has no release of it for Spark 4.2.
CLOUD = ("org.apache.spark", "spark-hadoop-cloud_2.13", "4.1.1")

Start = Callable[[str, list[tuple[str, str]]], Any]
Environment = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """A request for an object or a listing.

    ``kind`` is ``GET``, ``HEAD``, ``LIST``, ``PUT``, ``POST`` or ``DELETE``. ``first`` and ``last``
    are the positions of the bytes that a ``GET`` asks for, both None if it has no range.
    """

    kind: str
    key: str
    first: int | None = None
    last: int | None = None

    @property
    def size(self) -> int:
        """The bytes that are asked for, 0 without a range."""
        return 0 if self.first is None or self.last is None else self.last - self.first + 1


@dataclass
class Answer:
    """An answer that takes the place of the server's own."""

    status: str = "200 OK"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    #: Break the connection after so many bytes of the server's own body.
    cut_after: int | None = None
    #: Send the server's own body in parts, and wait so many seconds before each of them.
    pause: float | None = None


Fault = Callable[[Request], Answer | None]


class ObjectStore:
    """A server with one bucket, ``BUCKET``. ``requests`` are those since the last ``clear``."""

    def __init__(self, port: int) -> None:
        self.endpoint = f"http://127.0.0.1:{port}"
        self.requests: list[Request] = []
        self.delay = 0.0
        self.fault: Fault | None = None
        #: Whether listings have the times of objects with milliseconds, as those of MinIO do.
        self.milliseconds = False

    def settings(self, stream: str = "analytics") -> dict[str, str]:
        """Give the settings of a Spark session for this store.

        ``stream`` is S3A's input stream: ``analytics`` or ``classic``.
        """
        s3a = {
            "endpoint": self.endpoint,
            "endpoint.region": "us-east-1",
            "access.key": "key",
            "secret.key": "secret",
            "path.style.access": "true",
            "connection.ssl.enabled": "false",
            "input.stream.type": stream,
            "attempts.maximum": "3",
            "retry.limit": "3",
            "retry.throttle.limit": "3",
            "retry.interval": "10ms",
            "retry.throttle.interval": "10ms",
        }
        return {
            "spark.jars.packages": ",".join(PACKAGES),
            "spark.jars.excludes": ",".join(EXCLUDED),
            **{f"spark.hadoop.fs.s3a.{name}": value for name, value in s3a.items()},
        }

    def clear(self) -> None:
        """Forget the requests so far."""
        self.requests.clear()

    def count(self, kind: str, suffix: str = "") -> int:
        """Count the requests of a kind for keys that end with ``suffix``."""
        return sum(r.kind == kind and r.key.endswith(suffix) for r in self.requests)

    @contextmanager
    def failing(self, fault: Fault) -> Iterator[None]:
        """Let ``fault`` answer requests while the block runs; None is the server's own answer."""
        self.fault = fault
        try:
            yield
        finally:
            self.fault = None


class _Handler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, type: str, message: str, *args: object) -> None:
        """Print nothing."""


@contextmanager
def object_store() -> Iterator[ObjectStore]:
    """Start a server with an empty bucket, and stop it at the end of the block."""
    moto = DomainDispatcherApplication(create_backend_app)
    store = ObjectStore(0)

    def app(environ: Environment, start: Start) -> Iterable[bytes]:
        request = _request(environ)
        store.requests.append(request)
        if store.delay:
            time.sleep(store.delay)
        answer = store.fault(request) if store.fault else None
        if answer is None and request.kind == "LIST" and store.milliseconds:
            # A name of an object cannot have this in it, because it would be escaped.
            body = b"".join(moto(environ, start))
            return [body.replace(b".000Z</LastModified>", b".123Z</LastModified>")]
        if answer is None:
            return moto(environ, start)  # type: ignore[no-any-return]
        if answer.pause is not None:
            return _slowly(moto(environ, start), answer.pause)
        if answer.cut_after is None:
            headers = [*answer.headers.items(), ("Content-Length", str(len(answer.body)))]
            start(answer.status, headers)
            return [answer.body]
        return _cut(moto(environ, start), answer.cut_after)

    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=_Handler)
    store.endpoint = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        _create_bucket(store)
        yield store
    finally:
        server.shutdown()
        thread.join()


def _cut(body: Iterable[bytes], size: int) -> Iterator[bytes]:
    # The length in the headers is that of the whole body, so the server closes the connection.
    yield b"".join(body)[:size]


def _slowly(body: Iterable[bytes], pause: float) -> Iterator[bytes]:
    whole = b"".join(body)
    for start in range(0, len(whole), 4096):
        time.sleep(pause)
        yield whole[start : start + 4096]


def s3a_committer(name: str, directory: Path) -> dict[str, str]:
    """Fetch what Spark needs for a committer of S3A, and give the settings of a session."""
    (ivy,) = Path(pyspark.__file__).with_name("jars").glob("ivy-*.jar")
    subprocess.run(
        [
            *("java", "-jar", str(ivy), "-dependency", *CLOUD, "-notransitive", "-types", "jar"),
            *("-retrieve", f"{directory}/[artifact].[ext]"),
        ],
        check=True,
        capture_output=True,
    )
    protocol = "org.apache.spark.internal.io.cloud.PathOutputCommitProtocol"
    factory = "org.apache.hadoop.fs.s3a.commit.S3ACommitterFactory"
    return {
        "spark.driver.extraClassPath": f"{directory}/{CLOUD[1]}.jar",
        "spark.sql.sources.commitProtocolClass": protocol,
        "spark.hadoop.mapreduce.outputcommitter.factory.scheme.s3a": factory,
        "spark.hadoop.fs.s3a.committer.name": name,
        "spark.hadoop.fs.s3a.committer.staging.tmp.path": f"{directory}/staging",
        # A setting of some jobs of other formats, with which the committers delete directories.
        "spark.hadoop.fs.s3a.committer.staging.conflict-mode": "replace",
        # Otherwise, a job that ends lets the others that write to the same directory fail.
        "spark.hadoop.fs.s3a.committer.abort.pending.uploads": "false",
    }


def _create_bucket(store: ObjectStore) -> None:
    put = urllib.request.Request(f"{store.endpoint}/{BUCKET}", method="PUT")
    put.add_header("Authorization", "AWS4-HMAC-SHA256 Credential=key/20260101/us-east-1/s3/aws4")
    urllib.request.urlopen(put).close()
    store.clear()


def _request(environ: Environment) -> Request:
    method = environ["REQUEST_METHOD"]
    key = environ["PATH_INFO"].removeprefix(f"/{BUCKET}").lstrip("/")
    query = environ.get("QUERY_STRING", "")
    if method == "GET" and not key:
        return Request("LIST", query)
    bounds = environ.get("HTTP_RANGE", "").removeprefix("bytes=").partition("-")
    if method == "GET" and bounds[1]:
        return Request(method, key, int(bounds[0]), int(bounds[2]) if bounds[2] else None)
    return Request(method, key)
