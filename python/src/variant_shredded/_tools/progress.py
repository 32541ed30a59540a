"""Shows the progress of Spark's tasks on standard error."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, TextIO

from variant_shredded._tools.terminal import Terminal, size

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The interval at which the progress line of a terminal is updated, in seconds.
_UPDATE_SECONDS = 0.2
#: The interval between two lines on a stream that is not a terminal, in seconds.
_LINE_SECONDS = 10.0


#: A function that is called with the name of the next step, and returns a context manager within
#: which the step runs.
Step = Callable[[str], AbstractContextManager[None]]


def silent(_: str) -> AbstractContextManager[None]:
    """Show no progress of a step."""
    return nullcontext()


class Progress:
    """Shows the current step, and how many of Spark's tasks have ended.

    On a terminal, it shows one line, which is overwritten and disappears at the end of the step. On
    another stream, or if ``TERM`` is ``dumb``, it prints a line every ten seconds.

    Parameters
    ----------
    spark
        The session whose tasks are counted.
    stream
        The stream to which the lines are written.
    rates
        Whether the rows and bytes that the tasks have read are shown too, and the bytes per second.
    """

    def __init__(self, spark: SparkSession, stream: TextIO, *, rates: bool = False) -> None:
        self._spark = spark
        self._rates = rates
        self._read: dict[int, tuple[int, int]] = {}
        self._stream = stream
        self._terminal = Terminal.of(stream)
        self._is_tty = stream.isatty() and os.environ.get("TERM") != "dumb"
        self._stages: dict[int, tuple[int, int]] = {}

    @contextmanager
    def of(self, what: str) -> Iterator[None]:
        """Show the progress of a step while it runs.

        Parameters
        ----------
        what
            The name of the step, with which the line begins.
        """
        finished = threading.Event()
        self._stages = {}
        self._read = {}
        handler = self._listen()
        watcher = threading.Thread(target=self._watch, args=(what, finished), daemon=True)
        jobs = self._jobs()
        watcher.start()
        try:
            yield
            if self._rates:
                self._record_reads_of_jobs(self._jobs() - jobs)
        finally:
            finished.set()
            watcher.join()
            if handler is not None:
                self._spark.removeProgressHandler(handler)
            if self._is_tty:
                self._stream.write("\r\x1b[K")
                self._stream.flush()

    def _listen(self) -> Any:  # noqa: ANN401  # a function
        """Over Spark Connect, register a handler for the progress that the server reports.

        Returns the handler, to be removed at the end, or None in a classic session.
        """
        if self._tracker() is not None:
            return None

        def listen(stages: Any, **_: object) -> None:  # noqa: ANN401
            for stage in stages or ():
                self._stages[stage.stage_id] = (stage.num_completed_tasks, stage.num_tasks)
                self._read[stage.stage_id] = (0, stage.num_bytes_read)

        handler: Any = listen
        self._spark.registerProgressHandler(handler)
        return handler

    def _tracker(self) -> Any:  # noqa: ANN401  # None over Spark Connect
        try:
            return self._spark.sparkContext.statusTracker()
        except Exception:
            return None

    def _watch(self, what: str, finished: threading.Event) -> None:
        tracker = self._tracker()
        started = last = time.monotonic()
        while not finished.wait(_UPDATE_SECONDS):
            try:
                self._count(tracker)
            except Exception:  # the JVM has ended, so the step fails and tells why
                return
            now = time.monotonic()
            if self._is_tty:
                self._stream.write("\r\x1b[K" + self._line(what, now - started))
                self._stream.flush()
            elif now - last >= _LINE_SECONDS:
                last = now
                self._stream.write(self._line(what, now - started) + "\n")
                self._stream.flush()

    def _count(self, tracker: Any) -> None:  # noqa: ANN401  # None over Spark Connect
        """Record how many tasks of the active stages have ended."""
        for stage in () if tracker is None else tracker.getActiveStageIds():
            info = tracker.getStageInfo(stage)
            if info is not None:
                self._stages[stage] = (info.numCompletedTasks, info.numTasks)
            if self._rates:
                self._record_reads(stage)

    def _jobs(self) -> set[int]:
        tracker = self._tracker()
        return set() if tracker is None else set(tracker.getJobIdsForGroup(None))

    def _record_reads_of_jobs(self, jobs: set[int]) -> None:
        """Record the numbers of rows and bytes that the stages of jobs have read."""
        tracker = self._tracker()
        if tracker is None or not jobs:
            return
        with suppress(Exception):  # if a listener is slow, the numbers are those known so far
            self._spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
        for job in jobs:
            info = tracker.getJobInfo(job)
            for stage in info.stageIds if info is not None else ():
                self._record_reads(stage)

    def _record_reads(self, stage: int) -> None:
        """Record the numbers of rows and bytes that a stage has read, as Spark's UI shows them."""
        try:
            data = self._spark.sparkContext._jsc.sc().statusStore().lastStageAttempt(stage)
            self._read[stage] = (data.inputRecords(), data.inputBytes())
        except Exception:  # the store does not have the stage yet, or no longer has it
            return

    @property
    def read(self) -> tuple[int, int]:
        """The numbers of rows and bytes that the tasks have read."""
        read = self._read.copy()  # over Spark Connect, another thread adds to it
        rows, counts = zip(*read.values(), strict=True) if read else ((), ())
        return sum(rows), sum(counts)

    def _line(self, what: str, seconds: float) -> str:
        stages = self._stages.copy()  # over Spark Connect, another thread adds to it
        done = sum(done for done, _ in stages.values())
        tasks = sum(tasks for _, tasks in stages.values())
        rows, count = self.read
        parts = [f"{done}/{tasks} tasks" if self._is_tty else f"{done} of {tasks} tasks"]
        if self._rates and rows:
            parts.append(f"{rows:,} rows")
        if self._rates and count:
            parts += [size(count), f"{size(int(count / max(seconds, 0.1)))}/s"]
        parts.append(f"{seconds:.0f} s")
        if not self._is_tty:
            return f"{what}: {', '.join(parts)}"
        bar = self._terminal.bar(done / tasks if tasks else 0.0, 24)
        return f"{what} {bar} {' '.join(parts)}"[: self._terminal.width - 1]
