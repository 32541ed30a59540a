"""Errors of this package. Errors of Spark and of the data source are raised as they are."""


class VariantShreddedError(Exception):
    """The base class of all errors of this package."""


class JarNotFoundError(VariantShreddedError):
    """Raised if neither the package nor ``VARIANT_SHREDDED_JAR`` has the JAR."""


class SessionWithoutJarError(VariantShreddedError):
    """Raised if the Spark session runs without the JAR, and it is too late to add it."""


class SparkNotFoundError(VariantShreddedError):
    """Raised if pyspark, Java or the Spark Connect server is missing, or its version unsuited."""


class InvalidOptionError(VariantShreddedError, ValueError):
    """Raised for an argument that is not a valid option of the data source."""


class DifferentRowsError(VariantShreddedError):
    """Raised if rewritten files do not hold the rows of their source."""
