"""The same queries in one process and on a cluster: ``make bench BENCH=Cluster``.

The cluster is Spark standalone on this machine: a master, and two workers of one core. It writes a
table of shredded Variants and one of ordinary columns to an S3 server on the loopback address. Then
it and a session with two threads answer each query in turn. The script ends with an error if the
answers differ, if the scan's metrics differ, or if an executor had nothing to do. Arguments:
number of events, how often each query runs, and optionally a file of JSON lines in the shape of
Bluesky's, in place of made-up ones.
"""

from __future__ import annotations

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, NamedTuple

import pyspark
from line_process import LineProcess
from made_up_events import events
from object_store import BUCKET, ObjectStore, object_store
from peers_benchmark import VARIANT, fill
from requests_benchmark import PLAIN, QUERIES, SCHEMA, bounds_of
from task_times import KEEP_STAGES, TaskTimes

FILES = 8
EXECUTORS = 2
SESSIONS = ("local", "cluster")
TABLES = {"ours": VARIANT, "plain": PLAIN}
#: The metrics of the scan that do not depend on what a process has cached.
METRICS = (
    "numOutputRows",
    "filesRead",
    "rowGroupsRead",
    "rowsDropped",
    "variantsRebuilt",
    "residualValuesRead",
    "leafChunksRead",
    "leafBytesRead",
)


class Answer(NamedTuple):
    """The rows of a query, its wall time and the CPU time of its tasks, and its scans' metrics."""

    rows: list[str]
    wall: float
    cpu: float
    metrics: dict[str, int]


class Session:
    """A Spark session in this process."""

    def __init__(self, master: str, settings: dict[str, str]) -> None:
        from pyspark.sql import SparkSession
        from variant_shredded import session

        builder = SparkSession.builder.master(master)
        self.spark = session(builder, **settings)
        self.spark.sparkContext.setLogLevel("ERROR")
        self.times = TaskTimes(self.spark)

    def write(self, count: int, json_file: str | None) -> None:
        """Write both tables."""
        parts = events(self.spark, count, json_file).repartition(FILES)
        parts.selectExpr("parse_json(value) AS v").write.format("variant-shredded").save(at("ours"))
        columns = parts.selectExpr(f"from_json(value, '{SCHEMA}') AS e").select("e.*")
        columns.write.parquet(at("plain"))

    def open(self) -> dict[str, str]:
        """Make the views. Gives the bounds of a range."""
        self.spark.read.format("variant-shredded").load(at("ours")).createOrReplaceTempView("ours")
        plain = self.spark.read.parquet(at("plain"))
        plain.createOrReplaceTempView("plain")
        return bounds_of(plain)

    def answer(self, sql: str) -> Answer:
        self.times.cpu()
        start = time.perf_counter()
        df = self.spark.sql(sql)
        rows = sorted(str(tuple(row)) for row in df.collect())
        wall = time.perf_counter() - start
        cpu = self.times.cpu()
        # Py4J calls the methods of Scala; the plan of a query that has run has its metrics.
        scans = df._jdf.queryExecution().executedPlan().collectLeaves()
        found: dict[str, int] = {}
        for number in range(scans.size()):
            metrics = scans.apply(number).metrics()
            for name in METRICS:
                if metrics.contains(name):
                    found[name] = found.get(name, 0) + metrics.apply(name).value()
        return Answer(rows, wall, cpu, found)

    def tasks(self) -> list[int]:
        """Give the number of tasks that each executor has run."""
        store = self.spark.sparkContext._jsc.sc().statusStore()
        executors = store.executorList(True)
        all_of = [executors.apply(number) for number in range(executors.size())]
        return [each.completedTasks() for each in all_of if each.id() != "driver"]

    def stop(self) -> None:
        self.spark.stop()


def serve(master: str, settings: str) -> None:
    """Answer requests on standard input, a line of JSON each."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # Spark may print
    session = Session(master, json.loads(settings))
    for line in sys.stdin:
        call, *arguments = json.loads(line)
        print(json.dumps(getattr(session, call)(*arguments)), file=out, flush=True)
        if call == "stop":
            break


class Process(LineProcess):
    """A session in another process."""

    def __init__(self, master: str, settings: dict[str, str], log: IO[str]) -> None:
        self.log = log
        super().__init__(__file__, master, json.dumps(settings), log=log)

    def why_ended(self) -> str:
        return Path(self.log.name).read_text(encoding="utf-8")[-5000:]

    def stop(self) -> None:
        if self.process.poll() is None:
            self.call("stop")
        self.process.wait()


@contextmanager
def cluster(directory: Path, java_options: str | None) -> Iterator[str]:
    """Start a master and workers of one core each. Gives the address of the master."""
    home = Path(pyspark.__file__).parent
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    master = f"spark://127.0.0.1:{port}"
    host = ("--host", "127.0.0.1", "--webui-port", "0")
    worker = (*host, "--cores", "1", "--memory", "2g", "--work-dir", str(directory), master)
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
    }
    if java_options:
        environment["SPARK_DAEMON_JAVA_OPTS"] = java_options
    running: list[subprocess.Popen[bytes]] = []

    def start(name: str, *arguments: str) -> None:
        with (directory / "daemons.log").open("a") as log:
            running.append(
                subprocess.Popen(
                    [home / "bin" / "spark-class", f"org.apache.spark.deploy.{name}", *arguments],
                    env=environment,
                    stdout=log,
                    stderr=log,
                )
            )

    try:
        start("master.Master", *host, "--port", str(port))
        for _ in range(EXECUTORS):
            start("worker.Worker", *worker)
        yield master
    finally:
        for process in reversed(running):
            process.terminate()
            process.wait()


def settings_of(store: ObjectStore) -> dict[str, str]:
    return {
        **store.settings("classic"),
        **KEEP_STAGES,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "2g",
        "spark.executor.memory": "1g",
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.scheduler.maxRegisteredResourcesWaitingTime": "120s",
        "spark.sql.shuffle.partitions": "2",
        # The plan that has run is the plan that was made, so its scans have metrics.
        "spark.sql.adaptive.enabled": "false",
    }


def at(name: str) -> str:
    return f"s3a://{BUCKET}/{name}"


def compare(sessions: dict[str, Process], bounds: dict[str, str], runs: int) -> None:
    """Run each query in each session on each table in turn, and print a row for it."""
    print(
        "| query | ours, local | ours, cluster | ratio | plain, cluster | ours / plain "
        "| CPU: ours, cluster | plain, cluster | ours / plain | rows |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name, query in QUERIES.items():
        found: dict[tuple[str, str], list[Answer]] = {}
        for _ in range(runs + 1):
            for table in TABLES:
                for where, session in sessions.items():
                    text = fill(query, {"t": table, **TABLES[table], **bounds}, {})
                    answer = Answer(*session.call("answer", text))
                    found.setdefault((where, table), []).append(answer)
        rows = {str(answer.rows) for of_one in found.values() for answer in of_one}
        if len(rows) > 1:
            sys.exit(f"{name}: the answers differ: {rows}")
        metrics = [found[where, "ours"][-1].metrics for where in SESSIONS]
        if not metrics[0] or metrics[0] != metrics[1]:
            sys.exit(f"{name}: the metrics differ: {metrics}")
        local, remote, plain = (
            [
                statistics.median(getattr(answer, kind) for answer in found[which][min(1, runs) :])
                for kind in ("wall", "cpu")
            ]
            for which in (("local", "ours"), ("cluster", "ours"), ("cluster", "plain"))
        )
        print(
            f"| {name} | {local[0]:.3f} | {remote[0]:.3f} | {remote[0] / local[0]:.2f} | "
            f"{plain[0]:.3f} | {remote[0] / plain[0]:.2f} | {remote[1]:.3f} | {plain[1]:.3f} | "
            f"{remote[1] / plain[1]:.2f} | {metrics[0]['numOutputRows']} |",
            flush=True,
        )


def main(
    count: int, runs: int, json_file: str | None = None, java_options: str | None = None
) -> None:
    """Compare a cluster with one process; ``java_options`` are for the processes of the cluster."""
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        store = stack.enter_context(object_store())
        master = stack.enter_context(cluster(directory, java_options))
        sessions: dict[str, Process] = {}
        for where, of_session in zip(SESSIONS, (f"local[{EXECUTORS}]", master), strict=True):
            log = stack.enter_context((directory / f"{where}.log").open("w"))
            settings = settings_of(store)
            if java_options:
                settings["spark.executor.extraJavaOptions"] = java_options
            sessions[where] = Process(of_session, settings, log)
            stack.callback(sessions[where].stop)
            # The next session starts when this one has: both download S3A into one cache.
            sessions[where].call("tasks")
        sessions["cluster"].call("write", count, json_file)
        bounds = [session.call("open") for session in sessions.values()]
        assert bounds[0] == bounds[1]
        print(f"{count} events in {FILES} files, Spark {pyspark.__version__}; seconds, medians")
        print("(CPU: of the tasks; all other times are wall times)")
        compare(sessions, bounds[0], runs)
        tasks = sessions["cluster"].call("tasks")
        if len(tasks) != EXECUTORS or 0 in tasks:
            sys.exit(f"the executors have run so many tasks: {tasks}")
        print(f"answers and metrics are the same; tasks of each executor: {tasks}")


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(sys.argv[2], sys.argv[3])
    else:
        main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None)
