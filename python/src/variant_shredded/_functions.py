"""Registers the SQL functions on Variants that Spark does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from variant_shredded._needs import jar_needed, require_kind

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FUNCTIONS = "variant-shredded-functions"


def register_functions(spark: SparkSession) -> list[str]:
    """Register the SQL functions of this project in a session, as temporary functions.

    Parameters
    ----------
    spark
        A session that has the JAR (see `session`): a classic one, or one of Spark Connect.

    Returns
    -------
    list of str
        The names of the functions. Each function has a name with the prefix ``vs_``. It also has
        the name without the prefix if neither Spark nor the session has such a function.

    Raises
    ------
    SessionWithoutJarError
        If the session runs without the JAR.
    """
    require_kind(spark, "SparkSession", "read")
    with jar_needed():
        return [row["name"] for row in spark.read.format(FUNCTIONS).load().collect()]
