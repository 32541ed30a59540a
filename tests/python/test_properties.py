"""Random JSON, randomly shredded, comes back as it was."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from support import once
from variant_shredded import read_variant, write_variant
from variant_values import trees

pytestmark = once

NAMES = st.sampled_from(["a", "b", "c", "", "é", "a b", "value", "typed_value", "metadata", "_x"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.integers(-200, 200)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.decimals(-(10**9), 10**9, places=2).map(float)
    | st.text(max_size=8)
    | st.text("xyz", min_size=60, max_size=70)
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=12,
)
TYPES = st.sampled_from(
    [
        *("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string", "binary"),
        *(
            "decimal(9,2)",
            "decimal(18,0)",
            "decimal(38,10)",
            "date",
            "timestamp",
            "uuid",
            "variant",
        ),
    ]
)


def _struct(fields: dict[str, str]) -> str:
    return ", ".join(f"`{name}` {kind}" for name, kind in fields.items())


SHREDDINGS = st.recursive(
    TYPES,
    lambda inner: (
        inner.map(lambda kind: f"array<{kind}>")
        | st.dictionaries(NAMES, inner, min_size=1, max_size=4).map(
            lambda fields: f"struct<{_struct(fields)}>"
        )
    ),
    max_leaves=8,
)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
@given(
    documents=st.lists(JSON, min_size=1, max_size=40), shredding=SHREDDINGS, inferred=st.booleans()
)
def test_random_documents(
    spark: SparkSession, documents: list[Any], shredding: str, inferred: bool
) -> None:
    texts = [(i, json.dumps(document)) for i, document in enumerate(documents)]
    data = spark.createDataFrame(texts, "id int, text string").coalesce(1)
    data = data.selectExpr("id", "try_parse_json(text) AS v")
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "t")
        write_variant(data, path, shredding="infer" if inferred else {"v": shredding})
        expected = trees(data)
        assert trees(read_variant(spark, path)) == expected
        if inferred or "uuid" not in shredding:  # which Spark's own reader refuses
            assert trees(spark.read.parquet(str(path))) == expected
