"""Runs the steps of the demo, and prints their results."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from variant_shredded import read_variant, write_variant

from demo import fields, layout, queries, report
from demo.documents import Documents, InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Spark takes a path with these characters for a pattern, unless a backslash is before each.
_WILDCARDS = re.compile(r"[][{}*?\\]")
SAMPLE = 2000
FIELDS_SHOWN = 12
MOST_FILES = 200
OVERHEAD = (
    "Each column of a file has an overhead of some bytes, so shredding does not make a file with "
    "so few rows smaller."
)


@dataclass(frozen=True)
class Copies:
    """Holds the documents as they were loaded, and the two directories with their copies."""

    loaded: DataFrame
    rows: int
    plain: Path
    shredded: Path


def load_and_write(spark: SparkSession, title: str, documents: Documents, work: Path) -> Copies:
    """Load the documents, write an unshredded and a shredded copy, and read them back."""
    lines, loaded = _load(spark, documents)
    rows = loaded.count()
    if rows == 0:
        raise InputError("there is no JSON document in the input")
    copies = Copies(loaded, rows, work / "plain.parquet", work / "shredded.parquet")
    write_variant(loaded, copies.plain, shredding="none")
    write_variant(loaded, copies.shredded)
    same = _checksum(read_variant(spark, copies.shredded)) == _checksum(loaded)

    print(report.heading("Loaded as VARIANT, write_variant(df, path), read_variant(spark, path)"))
    table = [("input", title), ("rows", f"{rows:,}"), *_skipped(lines - rows)]
    table.append(("read back", "the same values" if same else "OTHER VALUES: this is a bug"))
    print(report.aligned(table))
    print(report.heading("Bytes of the JSON and of the Parquet files"))
    print(_bytes(documents, copies))
    if _size(copies.shredded) > _size(copies.plain):
        print(report.note(OVERHEAD))
    return copies


def _load(spark: SparkSession, documents: Documents) -> tuple[int, DataFrame]:
    """Return the number of lines, and a DataFrame with a Variant ``v`` for each JSON line."""
    files = [_WILDCARDS.sub(r"\\\g<0>", str(file)) for file in documents.files]
    text = spark.read.text(files).selectExpr("trim(LEADING '\\uFEFF' FROM value) AS line")
    lines = text.where("trim(line) <> ''")
    return lines.count(), lines.selectExpr("try_parse_json(line) AS v").where("v IS NOT NULL")


def _skipped(count: int) -> list[tuple[str, str]]:
    if count == 0:
        return []
    return [("left out", f"{report.plural(count, 'line')}: no JSON that a Variant can hold")]


def _checksum(data: DataFrame) -> object:
    """Return a checksum of all values, which does not depend on their order."""
    return data.selectExpr("sum(cast(xxhash64(to_json(v)) AS decimal(38)))").first()


def _bytes(documents: Documents, copies: Copies) -> str:
    sizes = [
        ("JSON text", documents.size, ""),
        ("Variant, unshredded", _size(copies.plain), "shredding='none'"),
        ("Variant, shredded", _size(copies.shredded), "shredding='infer', the default"),
    ]
    rows = [(what, report.size(n), report.share(n, documents.size), how) for what, n, how in sizes]
    return report.aligned(rows, right=1)


def _data_files(directory: Path) -> list[Path]:
    return sorted(directory.rglob("*.parquet"))


def _size(directory: Path) -> int:
    return sum(file.stat().st_size for file in _data_files(directory))


def show_schema(spark: SparkSession, directory: Path) -> None:
    """Print the shredding schema of the files."""
    files = _data_files(directory)
    found = layout.shreddings(spark, files[:MOST_FILES], "v")
    print(report.heading("The shredding schema, inferred from the first rows of each file"))
    most = found[0]
    if len(found) > 1:
        print(
            report.note(
                f"{report.plural(len(files), 'file')} with {len(found)} different schemas; "
                f"{report.plural(most.files, 'file')} with this one:"
            )
        )
    if not most.fields:
        print("  none: no field reaches the limits of schema inference")
        return
    shown = most.fields[:FIELDS_SHOWN]
    room = report.WIDTH - 4 - max(len(name) for name, _ in shown)
    print(report.aligned([(name, report.shorten(kind, room)) for name, kind in shown]))
    if len(most.fields) > len(shown):
        print(f"  ... and {report.plural(len(most.fields) - len(shown), 'more field')}")
    print(
        report.note(
            f"The file has {report.plural(most.typed_columns, 'typed column')}. Values of other "
            "types and rare fields are residual values, in columns named `value`."
        )
    )


def show_queries(spark: SparkSession, copies: Copies) -> bool:
    """Run the queries, and return whether Spark's own source gives the same results."""
    shredded = read_variant(spark, copies.shredded)
    plain = spark.read.parquet(str(copies.plain))
    sample = [row[0] for row in copies.loaded.limit(SAMPLE).selectExpr("to_json(v)").collect()]
    shredded.createOrReplaceTempView(queries.VIEW)
    print(report.heading("Three queries, generated from the data"))
    print(report.note("events is the view read_variant(spark, path); its column is v."))
    same = True
    for number, query in enumerate(queries.make_queries(fields.choose(sample)), start=1):
        ours = queries.run(shredded, query)
        theirs = queries.run(plain, query)
        equal = queries.same_answers(ours.rows, theirs.rows)
        same &= equal
        print(report.heading(f"{number}. {query.title}"))
        print(report.indent(query.sql))
        print()
        print(report.answer(ours.columns, ours.rows))
        print()
        print(report.aligned([*_scan(ours.metrics, copies), ("check", _verdict(equal))]))
    print()
    print(report.note("Each query read only the columns of the fields of v that it needs."))
    return same


def _verdict(equal: bool) -> str:
    source = "Spark's own Parquet source, on the unshredded copy"
    return f"same answer from {source}" if equal else f"OTHER ANSWER from {source}"


def _scan(metrics: dict[str, int], copies: Copies) -> list[tuple[str, str]]:
    chunks = report.plural(metrics.get("leafChunksRead", 0), "column chunk")
    skipped = metrics.get("leafChunksSkipped", 0)
    read = (
        f"{report.size(metrics.get('leafBytesRead', 0))} of {report.size(_size(copies.shredded))}"
    )
    rebuilt = report.plural(metrics.get("variantsRebuilt", 0), "Variant")
    residual = report.plural(metrics.get("residualValuesRead", 0), "value")
    return [
        ("scan", f"read {read}: {chunks}, {skipped:,} skipped (all null)"),
        ("", f"rebuilt {rebuilt}; read {residual} from residual columns"),
    ]
