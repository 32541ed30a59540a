"""The server and the client of ``docs/connect.md``."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession
from support import ROOT, clean_environment, once, run_script
from variant_shredded import write_variant

PAGE = (ROOT / "docs" / "connect.md").read_text(encoding="utf-8")


#: `session` is called again, in the same and in another thread. `advise` would make a directory of
#: this machine.
AGAIN = """
from threading import Thread
from variant_shredded import InvalidOptionError, advise
found = [session(**{"spark.sql.shuffle.partitions": 7})]
thread = Thread(target=lambda: found.append(session()))
thread.start()
thread.join()
print(found[0] is spark, found[1] is spark, spark.conf.get("spark.sql.shuffle.partitions"))
try:
    advise(spark, "/data/events")
except InvalidOptionError as error:
    print(error)
"""


def block(language: str, start: str) -> str:
    """Find the only block of the page that begins so."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (found,) = (block for block in blocks if block.startswith(start))
    return str(found)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("localhost", 0))
        return int(found.getsockname()[1])


def wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(1200):
        with contextlib.suppress(OSError), socket.create_connection(("localhost", port), 1):
            return
        assert server.poll() is None, log.read_text()
        time.sleep(0.1)
    raise AssertionError(log.read_text())


@once
def test_the_server_and_the_client_of_the_page(spark: SparkSession, tmp_path: Path) -> None:
    events, log, port = tmp_path / "events", tmp_path / "log", free_port()
    write_variant(spark.sql("SELECT parse_json('{\"a\": 1}') AS v"), events)
    more = f"--master 'local[1]' --conf spark.connect.grpc.binding.port={port}"
    command = block("sh", "spark-submit ").replace("spark-submit", f"spark-submit {more}", 1)
    environment = clean_environment(
        PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        PYTHONPATH=str(ROOT / "python" / "src"),
    )
    with log.open("wb") as out:
        server = subprocess.Popen(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=environment,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    try:
        wait_for(port, server, log)
        client = block("python", "from variant_shredded").replace("15002", str(port))
        *lines, last = client.replace("/data/events", str(events)).splitlines()
        said = run_script("\n".join([*lines, f"print({last})", AGAIN])).splitlines()
        assert said[:2] == ["1", "True True 7"]
        assert said[2].startswith("scratch: Spark runs on other machines or as a server: name a")
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
