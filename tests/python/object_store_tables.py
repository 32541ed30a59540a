"""Tables in an object store, read while it fails; run by test_object_store.py.

Arguments: S3A's input stream, ``analytics`` or ``classic``; the committer, such as ``magic``;
and the names of the parts to run.
"""

from __future__ import annotations

import itertools
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import parse_qs

import boto3
from object_store import BUCKET, Answer, Fault, Request, object_store, s3a_committer
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession
from variant_shredded import configure

FORMAT = "variant-shredded"
ROWS = 6000

EVENT = """parse_json('{"id": ' || id || ', "kind": "k' || id % 5 || '", "text": "' ||
    sha2(CAST(id AS STRING), 256) || '", "o": {"n": ' || id % 97 || '}}') AS v"""


def events(first: int, end: int) -> DataFrame:
    return spark.range(first, end, 1, 1).selectExpr("id % 3 AS p", EVENT)


def at(name: str) -> str:
    return f"s3a://{BUCKET}/{name}"


def write(name: str, files: int = 4) -> str:
    """Write ``ROWS`` events in so many files, of some row groups each."""
    share = ROWS // files
    for number in range(files):
        writer = events(number * share, (number + 1) * share).drop("p").write.format(FORMAT)
        writer.option("parquet.block.size", 20000).mode("append").save(at(name))
    return name


def load(name: str, **options: str) -> DataFrame:
    return spark.read.format(FORMAT).options(**options).load(at(name))


def query(df: DataFrame) -> list[Row]:
    return (
        df.selectExpr("v:kind::string AS k", "v:id::int AS id", "v:o.n::int AS n")
        .where("k LIKE 'k%' AND n >= 0")
        .groupBy("k")
        .agg({"id": "sum", "n": "sum", "*": "count"})
        .orderBy("k")
        .collect()
    )


def one(df: DataFrame) -> list[int]:
    """Give the only row."""
    (row,) = df.collect()
    return list(row)


def total(rows: list[Row]) -> int:
    return sum(row["count(1)"] for row in rows)


def data_requests(name: str, kind: str) -> list[Request]:
    return [
        r
        for r in store.requests
        if r.kind == kind and r.key.startswith(f"{name}/") and r.key.endswith(".parquet")
    ]


def keys(name: str) -> list[str]:
    listed = client.list_objects_v2(Bucket=BUCKET, Prefix=f"{name}/")["Contents"]
    return sorted(o["Key"] for o in listed if o["Key"].endswith(".parquet"))


def error_of(
    df: DataFrame,
    or_rows: list[Row] | None = None,
    ask: Callable[[DataFrame], list[Row]] = query,
) -> str:
    """Give the error in which the query ends; empty if it ends in these rows."""
    try:
        rows = ask(df)
    except (PySparkException, Py4JJavaError) as error:
        return str(error)
    assert rows == or_rows
    return ""


def size(key: str) -> int:
    return int(client.head_object(Bucket=BUCKET, Key=key)["ContentLength"])


def tables() -> None:
    df = events(0, 300)
    df.write.format(FORMAT).partitionBy("p").save(at("days"))
    events(300, 400).write.format(FORMAT).partitionBy("p").mode("append").save(at("days"))
    found = spark.read.format(FORMAT).load(at("days"))
    assert found.count() == 400
    assert found.where("p = 1").selectExpr("sum(v:id::int)").collect() == [(sum(range(1, 400, 3)),)]
    df.write.format(FORMAT).mode("overwrite").save(at("days"))
    assert spark.read.format(FORMAT).load(at("days")).count() == 300
    spark.sql(f"CREATE TABLE t (v VARIANT) USING variant_shredded LOCATION '{at('t')}'")
    spark.sql("INSERT INTO t SELECT parse_json('{\"a\": 1}')")
    spark.sql("INSERT INTO t SELECT parse_json('{\"a\": 2}')")
    assert one(spark.sql("SELECT sum(v:a::int) FROM t")) == [3]
    spark.sql("INSERT OVERWRITE t SELECT parse_json('{\"a\": 7}')")
    assert one(spark.sql("SELECT sum(v:a::int) FROM t")) == [7]
    if committer != "file":
        for name in ("t", "days"):
            marker = client.get_object(Bucket=BUCKET, Key=f"{name}/_SUCCESS")["Body"].read()
            assert json.loads(marker)["committer"] == committer, marker
    left = client.list_objects_v2(Bucket=BUCKET)["Contents"]
    assert not [o["Key"] for o in left if "_temporary" in o["Key"] or "__magic" in o["Key"]]


def requests() -> None:
    """Count requests: one for a footer, none for what the listing has told, few for columns."""
    df = load(write("counted"))
    store.clear()
    expected = query(df)
    assert total(expected) == ROWS
    assert not data_requests("counted", "HEAD")
    inside = spark.read.format("variant-shredded-files").load(at("counted"))
    groups = inside.select("file", "row_group").distinct().count()
    assert groups >= 8
    if stream == "classic":  # the other stream requests what it likes, and keeps it
        ids = load(write("counted2")).selectExpr("count(v:id::int)")
        store.clear()
        assert one(ids) == [ROWS]
        ranges = data_requests("counted2", "GET")
        ends = [r for r in ranges if r.last == size(r.key) - 1]
        # Planning and tasks need the footers, and read them once.
        assert len(ends) <= 4, ends
        assert len(ranges) <= 4 + groups, ranges
        store.clear()
        assert one(ids) == [ROWS]
        assert len(data_requests("counted2", "GET")) <= groups, store.requests
        store.clear()
        assert query(load("counted2")) == expected
        assert len(data_requests("counted2", "GET")) <= 2 * groups + 4, store.requests
        assert not data_requests("counted2", "HEAD")


def filters() -> None:
    """Count requests for bloom filters: none for small ones, else one for each row group."""
    texts = [f"\"{name}\": \"' || sha2('{name}' || id, 256) || '\"" for name in ("a", "b")]
    missing = "v:a::string = '5' OR v:b::string = '7'"  # both filters of a row group exclude it
    # Each of the large filters has 64 KiB, which is as much as S3A reads ahead.
    for rows, size, is_small in ((2000, 150_000, True), (100_000, 7_500_000, False)):
        name = f"filters-{rows}"
        table = spark.range(0, rows, 1, 1).selectExpr(f"parse_json('{{{', '.join(texts)}}}') AS v")
        writer = table.write.format(FORMAT).option("bloomFilter", "$.a, $.b")
        writer.option("parquet.block.size", size).save(at(name))
        inside = spark.read.format("variant-shredded-files").load(at(name))
        typed = inside.where("path IN ('$.a', '$.b') AND leaf = 'typed_value'")
        assert typed.selectExpr("every(bloom_filter)").collect() == [(True,)]
        groups = inside.select("file", "row_group").distinct().count()
        assert groups >= 2
        name = copied(name)
        store.clear()
        assert load(name).where(missing).count() == 0
        expected = 1 if is_small else 1 + groups
        assert len(data_requests(name, "GET")) == expected, store.requests


def dictionaries() -> None:
    """Count requests for dictionary pages: one for those of a row group that are close together."""
    # The chunks have more bytes than are requested before dictionary pages have been read. Those of
    # b and c have 75 KB: more than S3A reads ahead, and less than it leaves between two requests.
    bits = [f"INT((xxhash64(id, '{name}') & 1) * 2) AS {name}" for name in ("b", "c")]
    numbers = spark.range(0, 600_000, 1, 1).selectExpr("xxhash64(id) AS a", *bits)
    numbers.write.format(FORMAT).save(at("dictionaries"))
    store.clear()
    assert load("dictionaries").where("(b = 1 OR c = 1) AND a >= 0").count() == 0
    assert len(data_requests("dictionaries", "GET")) == 2, store.requests  # and the footer


def by_name() -> None:
    """Count what planning asks: each thing once in a query, however often the query names a table.

    The notes are listed before and after the files. If their directory is missing, S3A asks two
    more times before, and not after.
    """
    write("named")
    notes = "named/_variant_shredded_commits"
    spark.sql(f"CREATE TABLE named (v VARIANT) USING variant_shredded LOCATION '{at('named')}'")
    for kept in (True, False):
        if not kept:
            listed = client.list_objects_v2(Bucket=BUCKET, Prefix=notes)
            for found in listed["Contents"]:
                client.delete_object(Bucket=BUCKET, Key=found["Key"])
        for query in (
            "SELECT count(v:id::int) FROM named",
            "SELECT count(*) FROM named a JOIN named b ON a.v:id::int = b.v:id::int",
            "SELECT count(*) FROM named WHERE v:id::int <= (SELECT sum(v:id::int) FROM named)",
        ):
            store.clear()
            assert one(spark.sql(query)) == [ROWS]
            asked = [(r.kind, prefix(r)) for r in store.requests if not r.key.endswith(".parquet")]
            assert asked == [
                ("LIST", "named/_spark_metadata"),
                ("LIST", notes),
                *([] if kept else [("HEAD", notes), ("LIST", notes)]),
                ("LIST", "named"),
                ("LIST", notes),
            ], (query, asked)


def prefix(request: Request) -> str:
    """Give the directory that is listed, or the key."""
    if request.kind != "LIST":
        return request.key
    return parse_qs(request.key)["prefix"][0].rstrip("/")


def changed() -> None:
    """Read objects that were replaced after the listing: as they are now."""
    name = write("changed")
    df = load(name)
    before = query(df)
    assert query(df) == before  # with footers from the cache
    mine = keys(name)
    # Each object gets the same rows as before in other row groups: the analytics stream keeps bytes
    # for some seconds, so a query may read some objects as they were.
    for number, key in enumerate(mine):
        writer = load(key).write.format(FORMAT).option("parquet.block.size", 60000)
        writer.save(at(f"changed-{number}"))
        (other,) = keys(f"changed-{number}")
        client.copy_object(Bucket=BUCKET, Key=key, CopySource=f"{BUCKET}/{other}")
    assert query(df) == before
    assert query(load(name)) == before
    bigger = write("bigger", files=2)
    client.copy_object(Bucket=BUCKET, Key=mine[0], CopySource=f"{BUCKET}/{keys(bigger)[0]}")
    for key in mine[1:]:
        client.copy_object(Bucket=BUCKET, Key=key, CopySource=f"{BUCKET}/{keys(bigger)[1]}")
    counted = df.selectExpr("count(v:id::int)", "max(v:id::int)", "min(v:id::int)")
    assert one(counted) == [ROWS * 2, ROWS - 1, 0]
    assert one(df.selectExpr("count(*)")) == [ROWS * 2]
    assert df.where("v:id::int < 0").count() == 0
    negative = spark.range(ROWS // 4).selectExpr("parse_json('{\"id\": ' || (-1 - id) || '}') AS v")
    negative.repartition(1).write.format(FORMAT).save(at("negative"))
    client.copy_object(Bucket=BUCKET, Key=mine[0], CopySource=f"{BUCKET}/{keys('negative')[0]}")
    assert df.where("v:id::int < 0").count() == ROWS // 4  # whose statistics exclude it before


def changed_splits() -> None:
    """Read an object in splits after it was replaced: an error, as some could have read the old."""
    spark.conf.set("spark.sql.files.openCostInBytes", "0")
    spark.conf.set("spark.sql.files.maxPartitionBytes", "100000")
    name = write("splits", files=1)
    df = load(name, ignoreCorruptFiles="true", ignoreMissingFiles="true")
    assert df.rdd.getNumPartitions() > 1
    replace(name, by=events(ROWS, 2 * ROWS).drop("p"))
    for ask in (query, counted):
        error = error_of(df, ask=ask)
        assert "[FILE_SYSTEM_ERROR] The file was replaced" in error, error
    assert total(query(load(name))) == ROWS
    spark.conf.unset("spark.sql.files.openCostInBytes")
    spark.conf.unset("spark.sql.files.maxPartitionBytes")


def milliseconds() -> None:
    """Read an object in splits from a store whose listings have more precise times."""
    spark.conf.set("spark.sql.files.openCostInBytes", "0")
    spark.conf.set("spark.sql.files.maxPartitionBytes", "100000")
    name = write("milliseconds", files=1)
    store.milliseconds = True
    try:
        df = load(name)
        assert df.rdd.getNumPartitions() > 1
        for _ in range(2):  # the footer is cached at the latest in the second
            assert counted(df) == [(ROWS,)]
            assert total(query(df)) == ROWS
            assert df.where("v:id::int < 0").count() == 0
    finally:
        store.milliseconds = False
    spark.conf.unset("spark.sql.files.openCostInBytes")
    spark.conf.unset("spark.sql.files.maxPartitionBytes")


def counted(df: DataFrame) -> list[Row]:
    return df.selectExpr("count(*)").collect()


def replace(name: str, by: DataFrame) -> None:
    """Replace the only file of a table."""
    other = f"{name}-{next(COPIES)}"
    by.write.format(FORMAT).option("parquet.block.size", 20000).save(at(other))
    (mine,), (theirs,) = keys(name), keys(other)
    client.copy_object(Bucket=BUCKET, Key=mine, CopySource=f"{BUCKET}/{theirs}")


def missing() -> None:
    """Delete objects that were listed."""
    name = copied(write("missing"))
    unknown, tolerant = load(name), load(name, ignoreMissingFiles="true")
    gone = keys(name)[-1]  # the schema was read from the first
    client.delete_object(Bucket=BUCKET, Key=gone)
    error = error_of(unknown)
    assert "FILE_NOT_EXIST" in error, error
    assert gone.rsplit("/", 1)[-1] in error, error
    assert total(query(tolerant)) == ROWS * 3 // 4
    if stream == "analytics":  # it keeps the bytes of small objects
        return
    known, tolerant = load(name), load(name, ignoreMissingFiles="true")
    query(known)
    client.delete_object(Bucket=BUCKET, Key=keys(name)[0])
    assert "FILE_NOT_EXIST" in error_of(known)
    assert total(query(tolerant)) == ROWS // 2


def faults() -> None:
    """Let requests fail: the client tries again, and at last the error says why."""
    name = write("faults")
    expected = query(load(name))
    busy = Answer("503 Slow Down", {"Content-Type": "application/xml"}, SLOW_DOWN)
    refused = Answer("403 Forbidden", {"Content-Type": "application/xml"}, EXPIRED)
    retried = [(busy, 3), (Answer("500 Internal Server Error"), 2)]
    if stream == "classic":  # the other stream does not try again after a part of a body
        retried.append((Answer(cut_after=100), 2))
    for answer, every in retried:
        df = load(copied(name))
        failed: set[Request] = set()
        with store.failing(sometimes(answer, every, failed)):
            assert query(df) == expected
        assert failed
    for answer, word in ((refused, "expired"), (busy, "503")):
        df = load(copied(name))
        with store.failing(always(answer)):
            error = error_of(df)
        assert word in error.lower(), error
        assert "[FILE_SYSTEM_ERROR]" in error, error
        assert query(df) == expected


def cut() -> None:
    """Let all bodies end early: there are never other rows."""
    name = write("cut")
    expected = query(load(name))
    for most in (0, 5000):
        df = load(copied(name))
        with store.failing(always(Answer(cut_after=most))):
            error = error_of(df, or_rows=expected)
        assert "INTERNAL_ERROR" not in error, error


def concurrent() -> None:
    """Let jobs write at the same time: they end as if one came after the other."""

    def job(number: int) -> None:
        mode = "overwrite" if number % 4 == 3 else "append"
        rows = events(number * 100, number * 100 + 10).drop("p").repartition(2)
        rows.write.format(FORMAT).mode(mode).save(at("concurrent"))

    def jobs_of() -> dict[int, int]:
        try:
            ids = [row[0] for row in load("concurrent").selectExpr("v:id::int").collect()]
        except (PySparkException, Py4JJavaError) as error:
            if "FILE_NOT_EXIST" not in str(error):
                raise
            # The overwrite has deleted a file between listing and reading.
            return jobs_of()
        assert len(ids) == len(set(ids))
        return Counter(number // 100 for number in ids)

    job(0)
    with ThreadPoolExecutor(6) as pool:
        running = [pool.submit(job, number) for number in range(1, 7)]
        while not all(future.done() for future in running):
            # Each job is there as a whole, or not at all.
            assert set(jobs_of().values()) == {10}
        for future in running:
            future.result()
    found = jobs_of()
    assert set(found.values()) == {10}
    assert 3 in found
    assert 0 not in found


def slow() -> None:
    name = write("slow")
    expected = query(load(name))
    store.delay = 0.02
    try:
        assert query(load(copied(name))) == expected
    finally:
        store.delay = 0.0
    with store.failing(always(Answer(pause=0.005))):
        assert query(load(copied(name))) == expected


def is_data(request: Request) -> bool:
    return request.kind == "GET" and request.key.endswith(".parquet")


def always(answer: Answer) -> Fault:
    """Give a fault of each request for data."""
    return lambda request: answer if is_data(request) else None


def sometimes(answer: Answer, every: int, failed: set[Request]) -> Fault:
    """Give a fault of each n-th request for data, but none of a request that has failed before.

    Two tasks send requests. Without the exception, each attempt of one task could be an n-th
    request, and the client would give up.
    """
    number = itertools.count(1)  # the server answers requests in threads

    def fault(request: Request) -> Answer | None:
        if not is_data(request) or request in failed or next(number) % every:
            return None
        failed.add(request)
        return answer

    return fault


COPIES = iter(range(1000))


def copied(name: str) -> str:
    """Copy a table, so that nothing is known about its files."""
    copy = f"{name}-{next(COPIES)}"
    for key in keys(name):
        target = key.replace(name, copy, 1)
        client.copy_object(Bucket=BUCKET, Key=target, CopySource=f"{BUCKET}/{key}")
    return copy


SLOW_DOWN = (
    b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
)
EXPIRED = b"<Error><Code>ExpiredToken</Code><Message>The token has expired.</Message></Error>"

PARTS = (
    tables,
    requests,
    filters,
    dictionaries,
    by_name,
    changed,
    changed_splits,
    milliseconds,
    missing,
    faults,
    cut,
    concurrent,
    slow,
)
stream, committer, *wanted = sys.argv[1:]
with object_store() as store, tempfile.TemporaryDirectory() as directory:
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
    )
    own = {} if committer == "file" else s3a_committer(committer, Path(directory))
    for key, value in {**store.settings(stream), **own}.items():
        builder = builder.config(key, value)
    spark = configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    client = boto3.client(
        "s3",
        endpoint_url=store.endpoint,
        region_name="us-east-1",
        aws_access_key_id="key",
        aws_secret_access_key="secret",
    )
    for part in PARTS:
        if part.__name__ in wanted:
            part()
            print("ok", part.__name__, flush=True)
    spark.stop()
