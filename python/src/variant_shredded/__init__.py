"""Shredded Variants in Parquet, for Spark: the JAR, and a reader and a writer that use it."""

from variant_shredded._jar import jar_path
from variant_shredded._version import __version__
from variant_shredded.errors import (
    InvalidOptionError,
    JarNotFoundError,
    SessionWithoutJarError,
    VariantShreddedError,
)
from variant_shredded.functions import register_functions
from variant_shredded.io import read_variant, write_variant
from variant_shredded.session import session

__all__ = [
    "InvalidOptionError",
    "JarNotFoundError",
    "SessionWithoutJarError",
    "VariantShreddedError",
    "__version__",
    "jar_path",
    "read_variant",
    "register_functions",
    "session",
    "write_variant",
]
