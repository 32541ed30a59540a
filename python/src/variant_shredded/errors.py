"""What this package itself raises; what Spark or the data source raises comes through as it is."""


class VariantShreddedError(Exception):
    """The base class of all errors of this package."""


class JarNotFoundError(VariantShreddedError):
    """Raised if the JAR is neither in the package nor where ``VARIANT_SHREDDED_JAR`` says."""


class SessionWithoutJarError(VariantShreddedError):
    """Raised if the Spark session runs without the JAR, and it is too late to add it."""


class SparkNotFoundError(VariantShreddedError):
    """Raised if there is no pyspark, no Java that Spark runs on, or no Spark Connect server."""


class InvalidOptionError(VariantShreddedError, ValueError):
    """Raised for an argument that is not a valid option of the data source."""


class NotTheSameError(VariantShreddedError):
    """Raised if rewritten files do not hold the rows of their source."""
