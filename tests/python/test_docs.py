"""The Python and SQL examples of the pages in docs, run in their order."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import peers_benchmark
import pyspark
import speed_picture
from support import ROOT, clean_environment, once, run_script
from variant_shredded import jar_path

START = '''
import os, shutil, sys
from variant_shredded import read_variant, register_functions, session, write_variant

os.chdir(sys.argv[1])
spark = session()
df = spark.sql("""
    SELECT v, named_struct('w', v) AS s FROM (SELECT parse_json(line) AS v FROM VALUES
      ('{"user": {"id": 1}, "ts": "2026-01-31", "raw": {"a": 1}, "id": 5}'),
      ('{"user": {"id": 2}, "ts": "2026-02-01", "raw": [1], "id": 6}') AS t(line))""")
'''

NEXT = """
for name in os.listdir():
    if os.path.isfile(name):
        os.remove(name)
    elif name != "spark-warehouse":
        shutil.rmtree(name)
"""

#: What the examples of a page take for granted, and what has to be true after them.
PAGES = {
    "shredding": (
        "",
        """
def typed(path):
    inside = spark.read.format("variant-shredded-files").load(path)
    rows = inside.where("leaf = 'typed_value'").select("column", "path", "type").collect()
    return {tuple(row) for row in rows}

assert typed("events") >= {("v", "$.user.id", "bigint"), ("v", "$.ts", "timestamp")}
assert not any(path.startswith("$.raw") for _, path, _ in typed("events"))
assert typed("others") >= {("v", "$.ts", "timestamp"), ("s.w", "$.id", "bigint")}
df.select("v").writeTo("events").append()
assert ("v", "$.ts", "timestamp") in typed("spark-warehouse/events")
""",
    ),
    "streaming": (
        """
df.selectExpr("*", "1 AS day").write.parquet("arriving")
rows = spark.readStream.schema("v variant, s struct<w variant>, day int").parquet("arriving")
""",
        """
assert len(spark.streams.active) == 2
for stream in spark.streams.active:
    stream.processAllAvailable()
    stream.stop()
assert read_variant(spark, "events").count() == read_variant(spark, "batches").count() == 2
""",
    ),
    "tools": (
        "",
        """
assert (summary.type, summary.typed_share, done.rows) == ("bigint", 1.0, 200)
assert advice.pin == {"$.id": "bigint", "$.name": "string"} and advice.bloom_filter == ["$.id"]
assert read_variant(spark, "advised").count() == 200
assert [row.bad for row in read_variant(spark, "checked").collect()] == [None, "not JSON", None]
""",
    ),
    "interop": (
        """
import pyarrow, pyarrow.parquet
rows = [{"metadata": bytes([1, 0, 0]), "typed_value": 7}]
os.mkdir("arrow")
pyarrow.parquet.write_table(pyarrow.table({"id": [1], "v": rows}), "arrow/t.parquet")
""",
        """assert arrow.selectExpr("id", "v::int AS v").collect() == [(1, 7)]\n""",
    ),
    "sql": ("", """assert df.selectExpr("object_keys(v) AS k").first().k[0] == "id"\n"""),
}


def examples(page: str) -> str:
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    found = re.findall(r"^```(python|sql)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert found
    return "\n".join(
        block if language == "python" else as_python(block) for language, block in found
    )


def as_python(sql: str) -> str:
    statements = [statement.strip() for statement in sql.split(";")]
    return "\n".join(f"spark.sql({statement!r})" for statement in statements if statement)


@once
def test_the_examples_of_the_pages(tmp_path: Path) -> None:
    """In one process, with the directories that a page has written removed before the next."""
    pages = ((before, examples(page), after, NEXT) for page, (before, after) in PAGES.items())
    run_script("\n".join((START, *(part for page in pages for part in page))), str(tmp_path))


@once
def test_the_example_of_the_scala_page(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "scala.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```scala\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    shell = Path(pyspark.__file__).with_name("bin") / "spark-shell"
    jar = ("--jars", str(jar_path()), "--conf", "spark.ui.enabled=false")
    done = subprocess.run(
        ["bash", shell, "--master", "local[1]", *jar],
        input=example,
        cwd=tmp_path,
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "forks: 1\n" in done.stdout, done.stdout + done.stderr
    assert "|[actor, id, type]|" in done.stdout, done.stdout + done.stderr


def test_lines_of_code_fit_the_page() -> None:
    """The site breaks the lines of what programs print, and of settings (``docs/site.css``)."""
    pages = [ROOT / "README.md", ROOT / "python" / "README.md", *(ROOT / "docs").glob("*.md")]
    assert len(pages) > 20
    for page in pages:
        text = page.read_text(encoding="utf-8")
        blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        code = [block for kind, block in blocks if kind not in ("output", "properties")]
        lines = [line for block in code for line in block.splitlines()]
        assert [line for line in lines if len(line) > 88] == [], page


@once
def test_pictures_and_tables_are_made_from_the_results() -> None:
    """To draw the pictures anew: ``python docs/speed_picture.py``."""
    results = json.loads((ROOT / "docs" / "peers.json").read_text(encoding="utf-8"))
    for file, shown in speed_picture.PICTURES.items():
        drawn = (ROOT / "docs" / file).read_text(encoding="utf-8")
        assert drawn == speed_picture.picture(results, shown), file
    performance = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    assert peers_benchmark.page(results) in performance
