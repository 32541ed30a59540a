"""Made-up events in the shape of Bluesky's, for benchmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: The JSON text of the event ``id``, of which the queries do not need the most part.
MADE_UP = """to_json(named_struct(
    'did', 'did:plc:' || substr(sha2(CAST(id % 9973 AS STRING), 256), 1, 24),
    'time_us', 1732206349000000 + id * 137,
    'kind', IF(id % 50 = 0, 'identity', 'commit'),
    'commit', named_struct(
        'rev', substr(sha2('r' || id, 256), 1, 13),
        'operation', IF(id % 9 = 0, 'delete', 'create'),
        'collection', element_at(array('app.bsky.feed.post', 'app.bsky.feed.like',
            'app.bsky.graph.follow', 'app.bsky.feed.repost'), CAST(1 + id % 4 AS INT)),
        'rkey', substr(sha2('k' || id, 256), 1, 13),
        'cid', 'bafyrei' || substr(sha2('c' || id, 256), 1, 52),
        'record', named_struct('text', repeat(sha2('t' || id, 256), 3), 'langs', array('en')))))"""


def events(spark: SparkSession, count: int, json: str | None) -> DataFrame:
    """Give a table of JSON texts in the column ``value``: made-up ones, or the first of a file."""
    if json is None:
        return spark.range(count).selectExpr(f"{MADE_UP} AS value")
    return spark.read.text(json).limit(count)
