"""Other engines and other ways of storing the same events: ``make bench-peers``.

Each engine has a process and two threads. The engines answer each query in turn, round after round;
the script compares their answers and ends with an error if one differs. Arguments: number of
events, number of rounds after the first, and optionally a file of JSON lines in the shape of
Bluesky's, in place of made-up ones. Without further rounds, the times are those of the first. The
results also go to ``docs/peers.json``, or with another number than a million of events to a file of
that number.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from line_process import LineProcess
from made_up_events import events as made_up

DOCS = Path(__file__).resolve().parents[2] / "docs"

CREATED = "{kind} = 'commit' AND {operation} = 'create'"
POSTS = f"{CREATED} AND {{collection}} = 'app.bsky.feed.post'"

#: ``{field}`` is a field of the events, ``{t}`` the table, ``[name]`` a value of an event.
QUERIES = {
    "JSONBench Q1": "SELECT {collection} AS e, count(*) AS n FROM {t} GROUP BY e ORDER BY n DESC",
    "JSONBench Q2": f"""SELECT {{collection}} AS e, count(*) AS n, count(DISTINCT {{did}}) AS users
        FROM {{t}} WHERE {CREATED} GROUP BY e ORDER BY n DESC""",
    "JSONBench Q3": f"""SELECT {{collection}} AS e, {{hour}} AS h, count(*) AS n FROM {{t}}
        WHERE {CREATED} AND {{collection}} IN ('app.bsky.feed.post', 'app.bsky.feed.repost',
        'app.bsky.feed.like') GROUP BY e, h ORDER BY h, e""",
    "JSONBench Q4": f"""SELECT {{did}} AS who, min({{time_us}}) AS first FROM {{t}} WHERE {POSTS}
        GROUP BY who ORDER BY first, who LIMIT 3""",
    "JSONBench Q5": f"""SELECT {{did}} AS who, max({{time_us}}) - min({{time_us}}) AS span
        FROM {{t}} WHERE {POSTS} GROUP BY who ORDER BY span DESC, who LIMIT 3""",
    "sum": "SELECT sum({time_us} - 1732206349000000) FROM {t}",
    "range": "SELECT count(*) FROM {t} WHERE {time_us} BETWEEN [middle] AND [later]",
    "point": "SELECT {did} AS who FROM {t} WHERE {time_us} = [middle]",
    "needle": "SELECT {did} AS who FROM {t} WHERE {cid} = '[cid]'",
    "exists": "SELECT count(*) FROM {t} WHERE {has_tr}",
    "whole": "SELECT sum(length({text})) FROM {t}",
}
#: Tables in which the texts of the documents have the same length: each engine writes other spaces.
#: Ordinary columns have only some of the fields.
SAME_TEXT = (("ours", "Spark shredded", "Spark unshredded"), ("DuckDB", "DuckDB, our files"))

SPARK_TABLES = ("ours", "Spark shredded", "Spark unshredded", "ordinary columns")
#: How Spark takes the fields from a Variant.
VARIANT = {
    "did": "v:did::string",
    "time_us": "v:time_us::bigint",
    "kind": "v:kind::string",
    "operation": "v:commit.operation::string",
    "collection": "v:commit.collection::string",
    "cid": "v:commit.cid::string",
    "hour": "hour(timestamp_micros(v:time_us::bigint))",
    "has_tr": "exists(try_variant_get(v, '$.commit.record.langs', 'array<string>'), x -> x = 'tr')",
    "text": "CAST(v AS STRING)",
}
SCHEMA = """did STRING, time_us BIGINT, kind STRING, commit STRUCT<rev: STRING, operation: STRING,
    collection: STRING, rkey: STRING, cid: STRING, record: STRUCT<text: STRING,
    langs: ARRAY<STRING>, createdAt: STRING>>"""


class Answer(NamedTuple):
    """The rows of a query as texts, its wall time, and the CPU time of the process, in seconds."""

    rows: list[str]
    wall: float
    cpu: float


class Engine(ABC):
    """One engine in a process of its own."""

    #: The names of its tables, with the fields of the events in its dialect.
    tables: dict[str, dict[str, str]]

    @abstractmethod
    def version(self) -> str:
        """Give the version of the engine."""

    @abstractmethod
    def load(self, table: str, events: Path, directory: Path) -> int:
        """Store the events. Gives the bytes they take."""

    @abstractmethod
    def rows(self, sql: str, table: str) -> list[tuple[Any, ...]]:
        """Run a query in which ``{t}`` stands for the table."""

    def cpu(self) -> float:
        """Give the CPU seconds of this process and those it has started."""
        import psutil

        own = psutil.Process()
        used = [process.cpu_times() for process in (own, *own.children(recursive=True))]
        return float(sum(times.user + times.system for times in used))

    def answer(self, sql: str, table: str) -> Answer:
        cpu, wall = self.cpu(), time.perf_counter()
        rows = self.rows(sql, table)
        wall = time.perf_counter() - wall
        return Answer(sorted(str(tuple(row)) for row in rows), wall, self.cpu() - cpu)


class Spark(Engine):
    """Spark with this source, and with its own Parquet source in three ways."""

    def __init__(self) -> None:
        from pyspark.sql import SparkSession
        from variant_shredded import configure

        builder = (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.driver.memory", "6g")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.session.timeZone", "UTC")
        )
        self.spark = configure(builder).getOrCreate()
        self.spark.sparkContext.setLogLevel("ERROR")
        plain = {
            "did": "did",
            "time_us": "time_us",
            "kind": "kind",
            "operation": "commit.operation",
            "collection": "commit.collection",
            "cid": "commit.cid",
            "hour": "hour(timestamp_micros(time_us))",
            "has_tr": "exists(commit.record.langs, x -> x = 'tr')",
            "text": "to_json(struct(*))",
        }
        self.tables = {table: VARIANT for table in SPARK_TABLES} | {"ordinary columns": plain}

    def version(self) -> str:
        return f"Spark {self.spark.version}"

    def load(self, table: str, events: Path, directory: Path) -> int:
        path = str(directory / table.replace(" ", "-"))
        texts = self.spark.read.text(str(events)).repartition(2)
        if table == "ordinary columns":
            parsed = texts.selectExpr(f"from_json(value, '{SCHEMA}') AS e").select("e.*")
        else:
            parsed = texts.selectExpr("parse_json(value) AS v")
        for setting in ("writeShredding.enabled", "inferShreddingSchema"):
            self.spark.conf.set(f"spark.sql.variant.{setting}", str(table == "Spark shredded"))
        source = "variant-shredded" if table == "ours" else "parquet"
        parsed.write.format(source).save(path)
        loaded = self.spark.read.format(source).load(path)
        loaded.createOrReplaceTempView(self.view(table))
        return sum(file.stat().st_size for file in Path(path).glob("*.parquet"))

    def view(self, table: str) -> str:
        return table.replace(" ", "_")

    def rows(self, sql: str, table: str) -> list[tuple[Any, ...]]:
        return [
            tuple(row) for row in self.spark.sql(sql.replace("{t}", self.view(table))).collect()
        ]


class DuckDb(Engine):
    """DuckDB on Parquet files with shredded Variants, its own and those of this source."""

    def __init__(self) -> None:
        import duckdb

        self.connection = duckdb.connect()
        self.connection.execute("SET threads = 2")
        self.files: dict[str, str] = {}
        fields = {
            "did": "v.did::VARCHAR",
            "time_us": "v.time_us::BIGINT",
            "kind": "v.kind::VARCHAR",
            "operation": "v.commit.operation::VARCHAR",
            "collection": "v.commit.collection::VARCHAR",
            "cid": "v.commit.cid::VARCHAR",
            "hour": "hour(make_timestamp(v.time_us::BIGINT))",
            "has_tr": "list_contains(TRY_CAST(v.commit.record.langs AS VARCHAR[]), 'tr')",
            "text": "v::JSON::VARCHAR",
        }
        self.tables = {"DuckDB": fields, "DuckDB, our files": fields}

    def version(self) -> str:
        import duckdb

        return f"DuckDB {duckdb.__version__}"

    def load(self, table: str, events: Path, directory: Path) -> int:
        if table == "DuckDB, our files":
            path = f"{directory}/ours/*.parquet"
        else:
            path = f"{directory}/duckdb.parquet"
            lines = f"read_json_objects('{events}', format = 'newline_delimited')"
            self.connection.execute(
                f"COPY (SELECT json::VARIANT AS v FROM {lines}) TO '{path}' (FORMAT parquet)"
            )
        self.files[table] = path
        return sum(file.stat().st_size for file in Path(path).parent.glob(Path(path).name))

    def rows(self, sql: str, table: str) -> list[tuple[Any, ...]]:
        text = sql.replace("{t}", f"read_parquet('{self.files[table]}')")
        return self.connection.execute(text).fetchall()


class ClickHouse(Engine):
    """ClickHouse in this process, with a table of its type JSON without hints or sort order."""

    def __init__(self) -> None:
        from chdb import session

        self.directory = tempfile.TemporaryDirectory()
        self.session = session.Session(self.directory.name)
        fields = {
            "did": "data.did::Nullable(String)",
            "time_us": "data.time_us::Int64",
            "kind": "data.kind::Nullable(String)",
            "operation": "data.commit.operation::Nullable(String)",
            "collection": "data.commit.collection::Nullable(String)",
            "cid": "data.commit.cid::Nullable(String)",
            "hour": "toHour(fromUnixTimestamp64Micro(data.time_us::Int64), 'UTC')",
            "has_tr": "has(data.commit.record.langs.:`Array(Nullable(String))`, 'tr')",
            "text": "toString(data)",
        }
        self.tables = {"ClickHouse": fields}

    def version(self) -> str:
        (row,) = self.rows("SELECT version()", "")
        return f"ClickHouse {row[0]}"

    def load(self, table: str, events: Path, directory: Path) -> int:
        self.session.query("CREATE TABLE t (data JSON) ENGINE = MergeTree ORDER BY tuple()")
        source = f"file('{events}', 'JSONAsObject', 'json JSON')"
        self.session.query(f"INSERT INTO t SELECT json FROM {source} SETTINGS max_threads = 2")
        ((size,),) = self.rows("SELECT sum(total_bytes) FROM system.tables WHERE name = 't'", "")
        return int(size)

    def rows(self, sql: str, table: str) -> list[tuple[Any, ...]]:
        text = sql.replace("{t}", "t") + " SETTINGS max_threads = 2"
        found = str(self.session.query(text, "JSONCompactEachRow"))
        # Large numbers are quoted unless a setting says otherwise, which some queries refuse.
        return [tuple(json.loads(line)) for line in found.splitlines() if line]


ENGINES: dict[str, type[Engine]] = {"Spark": Spark, "DuckDB": DuckDb, "ClickHouse": ClickHouse}


def serve(name: str) -> None:
    """Answer requests on standard input, a line of JSON each."""
    engine = ENGINES[name]()
    calls: dict[str, Callable[..., object]] = {
        "describe": lambda: {"version": engine.version(), "tables": engine.tables},
        "load": lambda table, events, directory: engine.load(table, Path(events), Path(directory)),
        "answer": lambda sql, table: engine.answer(sql, table)._asdict(),
    }
    out, sys.stdout = sys.stdout, sys.stderr  # engines may print
    for line in sys.stdin:
        call, *arguments = json.loads(line)
        print(json.dumps(calls[call](*arguments)), file=out, flush=True)


class Process(LineProcess):
    """An engine that runs in another process."""

    def __init__(self, name: str) -> None:
        super().__init__(__file__, name)
        self.name = name
        described = self.call("describe")
        self.version: str = described["version"]
        self.tables: dict[str, dict[str, str]] = described["tables"]

    def why_ended(self) -> str:
        return f"{self.name} has ended; its error is above"

    def load(self, table: str, events: Path, directory: Path) -> tuple[float, int]:
        """Store the events. Gives the seconds that it took, and the bytes."""
        start = time.perf_counter()
        size = self.call("load", table, str(events), str(directory))
        return time.perf_counter() - start, size

    def answer(self, query: str, table: str, values: dict[str, str]) -> Answer:
        return Answer(**self.call("answer", fill(query, self.tables[table], values), table))

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def fill(query: str, fields: dict[str, str], values: dict[str, str]) -> str:
    """Put fields and values into a query."""
    for name, value in fields.items():
        query = query.replace(f"{{{name}}}", value)
    for name, value in values.items():
        query = query.replace(f"[{name}]", value)
    return query


def values_of(events: Path) -> dict[str, str]:
    """Choose the values that the queries look for."""
    times, cids = [], []
    for line in events.open(encoding="utf-8"):
        event = json.loads(line)
        times.append(event["time_us"])
        cids.append((event.get("commit") or {}).get("cid"))
    least, greatest = min(times), max(times)
    middle = min(t for t in times if t >= least + (greatest - least) // 2)
    cid = next(cid for cid in cids[len(cids) // 2 :] if cid)
    later = middle + (greatest - least) // 100
    return {"middle": str(middle), "later": str(later), "cid": cid}


def require_same(query: str, answers: dict[str, Answer]) -> None:
    """End with an error if two tables give different rows."""
    (first, expected), *others = answers.items()
    for table, answer in others:
        if answer.rows != expected.rows:
            sys.exit(
                f"{query}: {first} gives {expected.rows[:5]}, but {table} gives {answer.rows[:5]}"
            )


def compare(query: str, answers: dict[str, Answer]) -> None:
    """End with an error if two tables differ that have to give the same rows."""
    for tables in SAME_TEXT if query == "whole" else (tuple(answers),):
        require_same(query, {table: answers[table] for table in tables})


def write_events(count: int, source: str | None, path: Path) -> None:
    """Write the events, a line of JSON each: the first of a file, or made-up ones."""
    if source is None:
        spark = Spark().spark
        rows = made_up(spark, count, None).toLocalIterator()
        with path.open("w", encoding="utf-8") as out:
            out.writelines(row[0] + "\n" for row in rows)
        spark.stop()
    else:
        with open(source, encoding="utf-8") as lines, path.open("w", encoding="utf-8") as out:
            out.writelines(line for _, line in zip(range(count), lines, strict=False))


def main(count: int, rounds: int, source: str | None = None) -> None:
    """Compare the engines."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        events = directory / "events.jsonl"
        write_events(count, source, events)
        values = values_of(events)
        engines = [Process(engine) for engine in ENGINES]
        loaded: dict[str, tuple[float, int]] = {}
        for engine in engines:
            for table in engine.tables:
                loaded[table] = engine.load(table, events, directory)
                print(f"{table}: stored in {loaded[table][0]:.1f} s", file=sys.stderr, flush=True)
        timed: dict[str, dict[str, dict[str, float]]] = {}
        for query, text in QUERIES.items():
            runs: dict[str, list[Answer]] = {table: [] for table in loaded}
            for _ in range(rounds + 1):
                for engine in engines:
                    for table in engine.tables:
                        runs[table].append(engine.answer(text, table, values))
            compare(query, {table: answers[0] for table, answers in runs.items()})
            timed[query] = {table: times(answers) for table, answers in runs.items()}
            print(f"{query}: done", file=sys.stderr, flush=True)
        results = {
            "events": count,
            "bytes": events.stat().st_size,
            "versions": [engine.version for engine in engines],
            "stored": {t: {"seconds": s, "bytes": size} for t, (s, size) in loaded.items()},
            "queries": timed,
        }
        for engine in engines:
            engine.close()
    name = "peers.json" if count == 1_000_000 else f"peers-{count}.json"
    (DOCS / name).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(page(results))


def times(answers: list[Answer]) -> dict[str, float]:
    """Give the wall time of the first run, and the medians of the later ones, if there are any."""
    later = answers[1:] or answers
    return {
        "first": round(answers[0].wall, 4),
        "wall": round(statistics.median(a.wall for a in later), 4),
        "cpu": round(statistics.median(a.cpu for a in later), 4),
    }


def page(results: dict[str, Any]) -> str:
    """Give the results as tables of Markdown."""
    tables = list(results["stored"])
    head = f"| | {' | '.join(tables)} |\n|---|{'---:|' * len(tables)}"
    stored = results["stored"]
    lines = [
        f"{results['events']} events, {results['bytes'] / 1e6:.0f} MB of JSON; "
        f"{', '.join(results['versions'])}; two threads each.",
        "",
        head,
        f"| stored in, s | {' | '.join(format(stored[t]['seconds'], '.1f') for t in tables)} |",
        f"| MB | {' | '.join(format(stored[t]['bytes'] / 1e6, '.0f') for t in tables)} |",
    ]
    for title, kind in (("wall time", "wall"), ("CPU time", "cpu"), ("first run", "first")):
        lines += ["", f"Seconds, {title}:", "", head]
        for query, found in results["queries"].items():
            cells = " | ".join(f"{found[table][kind]:.3f}" for table in tables)
            lines.append(f"| {query} | {cells} |")
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(sys.argv[2])
    else:
        main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None)
