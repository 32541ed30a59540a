"""Shredded Variants in Parquet, for Spark: the JAR, and a reader and a writer that use it."""

from variant_shredded._jar import jar_path
from variant_shredded._version import __version__
from variant_shredded.errors import (
    InvalidOptionError,
    JarNotFoundError,
    NotTheSameError,
    SessionWithoutJarError,
    VariantShreddedError,
)
from variant_shredded.functions import register_functions
from variant_shredded.io import read_variant, write_variant
from variant_shredded.session import configure, session
from variant_shredded.tools.advice import Advice, QueryCost
from variant_shredded.tools.advising import advise
from variant_shredded.tools.inspection import inspect
from variant_shredded.tools.model import Column, Inspection, Leaf, Place
from variant_shredded.tools.rewriting import ReshredResult, reshred

__all__ = [
    "Advice",
    "Column",
    "Inspection",
    "InvalidOptionError",
    "JarNotFoundError",
    "Leaf",
    "NotTheSameError",
    "Place",
    "QueryCost",
    "ReshredResult",
    "SessionWithoutJarError",
    "VariantShreddedError",
    "__version__",
    "advise",
    "configure",
    "inspect",
    "jar_path",
    "read_variant",
    "register_functions",
    "reshred",
    "session",
    "write_variant",
]
