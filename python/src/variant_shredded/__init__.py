"""Reads and writes shredded Variants in Parquet files with Spark. The package has the JAR."""

from variant_shredded._functions import register_functions
from variant_shredded._io import read_variant, write_variant
from variant_shredded._jar import jar_path
from variant_shredded._loading import load_json
from variant_shredded._session import configure, session
from variant_shredded._tools.advice import Advice, QueryCost
from variant_shredded._tools.advising import advise
from variant_shredded._tools.delta import DeltaReshredResult, reshred_delta
from variant_shredded._tools.inspection import inspect
from variant_shredded._tools.model import Column, Inspection, Leaf, PathSummary
from variant_shredded._tools.rewriting import ReshredResult, reshred
from variant_shredded._version import __version__
from variant_shredded.errors import (
    DifferentRowsError,
    InvalidOptionError,
    JarNotFoundError,
    SessionWithoutJarError,
    SparkNotFoundError,
    VariantShreddedError,
)

__all__ = [
    "Advice",
    "Column",
    "DeltaReshredResult",
    "DifferentRowsError",
    "Inspection",
    "InvalidOptionError",
    "JarNotFoundError",
    "Leaf",
    "PathSummary",
    "QueryCost",
    "ReshredResult",
    "SessionWithoutJarError",
    "SparkNotFoundError",
    "VariantShreddedError",
    "__version__",
    "advise",
    "configure",
    "inspect",
    "jar_path",
    "load_json",
    "read_variant",
    "register_functions",
    "reshred",
    "reshred_delta",
    "session",
    "write_variant",
]
