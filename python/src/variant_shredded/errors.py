"""What this package itself raises; what Spark or the data source raises comes through as it is."""


class VariantShreddedError(Exception):
    """Is the base class of all errors of this package."""


class JarNotFoundError(VariantShreddedError):
    """Is raised if the JAR is neither in the package nor where ``VARIANT_SHREDDED_JAR`` says."""


class SessionWithoutJarError(VariantShreddedError):
    """Is raised if the Spark session runs without the JAR, and it is too late to add it."""


class SparkNotFoundError(VariantShreddedError):
    """Is raised if there is no pyspark, no Java that Spark runs on, or no Spark Connect server."""


class InvalidOptionError(VariantShreddedError, ValueError):
    """Is raised for an argument that is not a valid option of the data source."""


class NotTheSameError(VariantShreddedError):
    """Is raised if rewritten files do not hold the rows of their source."""
