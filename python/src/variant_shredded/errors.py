"""What this package itself raises; what Spark or the data source raises comes through as it is."""


class VariantShreddedError(Exception):
    """Any error of this package."""


class JarNotFoundError(VariantShreddedError):
    """The JAR is neither in the package nor where ``VARIANT_SHREDDED_JAR`` says."""


class SessionWithoutJarError(VariantShreddedError):
    """The Spark session runs without the JAR, and it is too late to add it."""


class SparkNotFoundError(VariantShreddedError):
    """There is no pyspark, or no Java that Spark runs on."""


class InvalidOptionError(VariantShreddedError, ValueError):
    """An argument that cannot be turned into an option of the data source."""


class NotTheSameError(VariantShreddedError):
    """Files that were written anew do not hold what they were made of."""
