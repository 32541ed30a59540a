"""Shows the progress of Spark's tasks on standard error."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, TextIO

from variant_shredded._tools.terminal import Terminal, size

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Seconds between two updates of the line, and between two lines on a stream that cannot
#: overwrite a line.
_LOOK = 0.2
_LINE = 10.0


#: Is called with the name of the next step, and returns a context manager for it.
Step = Callable[[str], AbstractContextManager[None]]


def silent(_: str) -> AbstractContextManager[None]:
    """Show nothing of a step."""
    return nullcontext()


class Progress:
    """Shows what is being done and how many of Spark's tasks are done.

    On a terminal as one line that is written over and goes away at the end; elsewhere as a line
    now and then, and none for work that is done soon.

    Parameters
    ----------
    spark
        The session whose tasks are counted.
    stream
        Where the lines go.
    rates
        Whether to show also the rows and bytes that the tasks have read, and the bytes per second.
    """

    def __init__(self, spark: SparkSession, stream: TextIO, *, rates: bool = False) -> None:
        self._spark = spark
        self._rates = rates
        self._read: dict[int, tuple[int, int]] = {}
        self._stream = stream
        self._terminal = Terminal.of(stream)
        self._is_tty = stream.isatty()
        self._stages: dict[int, tuple[int, int]] = {}

    @contextmanager
    def of(self, what: str) -> Iterator[None]:
        """Show the progress of what is done within.

        Parameters
        ----------
        what
            The first words of the line.
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
                self._look_at_jobs(self._jobs() - jobs)
        finally:
            finished.set()
            watcher.join()
            if handler is not None:
                self._spark.removeProgressHandler(handler)
            if self._is_tty:
                self._stream.write("\r\x1b[K")
                self._stream.flush()

    def _listen(self) -> Any:  # noqa: ANN401  # a function
        """Over Spark Connect, let the server tell; gives what to remove at the end."""
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
        while not finished.wait(_LOOK):
            if tracker is not None:
                for stage in tracker.getActiveStageIds():
                    info = tracker.getStageInfo(stage)
                    if info is not None:
                        self._stages[stage] = (info.numCompletedTasks, info.numTasks)
                    if self._rates:
                        self._look_at(stage)
            now = time.monotonic()
            if self._is_tty:
                self._stream.write("\r\x1b[K" + self._line(what, now - started))
                self._stream.flush()
            elif now - last >= _LINE:
                last = now
                self._stream.write(self._line(what, now - started) + "\n")
                self._stream.flush()

    def _jobs(self) -> set[int]:
        tracker = self._tracker()
        return set() if tracker is None else set(tracker.getJobIdsForGroup(None))

    def _look_at_jobs(self, jobs: set[int]) -> None:
        """Note what the stages of jobs that are done have read in the end."""
        tracker = self._tracker()
        if tracker is None or not jobs:
            return
        with suppress(Exception):  # a listener is slow: what is known by now is shown
            self._spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
        for job in jobs:
            info = tracker.getJobInfo(job)
            for stage in info.stageIds if info is not None else ():
                self._look_at(stage)

    def _look_at(self, stage: int) -> None:
        """Note how much the tasks of a stage have read; Spark's UI shows the same."""
        try:
            data = self._spark.sparkContext._jsc.sc().statusStore().lastStageAttempt(stage)
            self._read[stage] = (data.inputRecords(), data.inputBytes())
        except Exception:  # the stage is not known yet, or not any more
            return

    @property
    def read(self) -> tuple[int, int]:
        """The rows and bytes that the tasks have read."""
        rows, counts = zip(*self._read.values(), strict=True) if self._read else ((), ())
        return sum(rows), sum(counts)

    def _line(self, what: str, seconds: float) -> str:
        done = sum(done for done, _ in self._stages.values())
        tasks = sum(tasks for _, tasks in self._stages.values())
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
