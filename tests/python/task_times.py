"""The time of a query: by the clock, and of the threads of its tasks."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

#: A session with this setting keeps the times of all its stages.
KEEP_STAGES = {"spark.ui.retainedStages": "1000000"}


class Time(NamedTuple):
    """Seconds by the clock, and of the threads of tasks."""

    wall: float
    cpu: float


class TaskTimes:
    """Times queries in a session with the setting ``KEEP_STAGES``."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self.stages = 0

    def time(self, query: str) -> tuple[int, Time]:
        """Compute every row of a query and keep none; give their number, too."""
        self.cpu()
        start = time.perf_counter()
        # Delta Lake does not choose the files of a query whose rows another source writes, so the
        # rows are not written to the source "noop".
        rows = self.spark.sql(query)._jdf.queryExecution().toRdd().count()
        return rows, Time(time.perf_counter() - start, self.cpu())

    def cpu(self) -> float:
        """Give the CPU seconds of the tasks since the last call."""
        context: Any = self.spark.sparkContext._jsc.sc()
        # The numbers of all finished tasks are known then.
        context.listenerBus().waitUntilEmpty()
        store, total = context.statusStore(), 0
        while True:
            try:
                total += store.lastStageAttempt(self.stages).executorCpuTime()
            except Py4JJavaError:  # there is no such stage yet
                return float(total / 1e9)
            self.stages += 1
