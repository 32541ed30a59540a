"""Says whether Spark runs on this machine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def runs_here(spark: SparkSession) -> bool:
    """Return whether all processes of Spark run on this machine, for the user of this process.

    Only then can they open temporary files of this process. Over Spark Connect, this is so only for
    a server that PySpark itself has started.

    Parameters
    ----------
    spark
        A session.
    """
    from pyspark.sql.utils import is_remote

    # PySpark sets this variable when it starts a server.
    if is_remote() and "SPARK_LOCAL_REMOTE" not in os.environ:
        return False
    return str(spark.conf.get("spark.master", "")).startswith("local")
