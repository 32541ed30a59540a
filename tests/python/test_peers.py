from __future__ import annotations

import pytest
from peers_benchmark import QUERIES, Answer, compare, fill, page, require_same, times


def test_a_query_gets_the_fields_of_a_table_and_the_values_of_events() -> None:
    fields = {"did": "v:did::string", "time_us": "v:time_us::bigint"}
    assert fill(QUERIES["point"], fields, {"middle": "17"}) == (
        "SELECT v:did::string AS who FROM {t} WHERE v:time_us::bigint = 17"
    )


def test_other_rows_end_the_comparison() -> None:
    right = Answer(["('a', 1)"], 0.1, 0.1)
    require_same("sum", {"ours": right, "DuckDB": right})
    with pytest.raises(SystemExit) as caught:
        require_same("sum", {"ours": right, "DuckDB": Answer(["('a', 2)"], 0.1, 0.1)})
    assert str(caught.value) == ("""sum: ours gives ["('a', 1)"], but DuckDB gives ["('a', 2)"]""")


def test_whole_documents_are_compared_within_an_engine() -> None:
    answers = {
        "ours": Answer(["(10,)"], 0.1, 0.1),
        "Spark shredded": Answer(["(10,)"], 0.1, 0.1),
        "Spark unshredded": Answer(["(10,)"], 0.1, 0.1),
        "ordinary columns": Answer(["(7,)"], 0.1, 0.1),
        "DuckDB": Answer(["(9,)"], 0.1, 0.1),
        "DuckDB, our files": Answer(["(9,)"], 0.1, 0.1),
        "ClickHouse": Answer(["(8,)"], 0.1, 0.1),
    }
    compare("whole", answers)
    for table in ("Spark unshredded", "DuckDB, our files"):
        with pytest.raises(SystemExit, match=f"whole: .* but {table} gives"):
            compare("whole", {**answers, table: Answer(["(11,)"], 0.1, 0.1)})
    with pytest.raises(SystemExit, match=r"sum: ours gives .* but ordinary columns gives"):
        compare("sum", answers)


def test_the_first_run_is_told_apart() -> None:
    runs = [Answer([], wall, wall / 2) for wall in (9.0, 1.0, 3.0, 2.0)]
    assert times(runs) == {"first": 9.0, "wall": 2.0, "cpu": 1.0}


def test_the_page() -> None:
    table = {"first": 0.5, "wall": 0.25, "cpu": 0.125}
    results = {
        "events": 1000,
        "bytes": 2_000_000,
        "versions": ["Spark 4.2.0", "DuckDB 2.0.0"],
        "stored": {"ours": {"seconds": 1.0, "bytes": 1_000_000}},
        "queries": {"sum": {"ours": table}},
    }
    lines = page(results).splitlines()
    assert lines[0] == "1000 events, 2 MB of JSON; Spark 4.2.0, DuckDB 2.0.0; two threads each."
    assert "| stored in, s | 1.0 |" in lines
    assert "| MB | 1 |" in lines
    assert [line for line in lines if line.startswith("| sum")] == [
        "| sum | 0.250 |",
        "| sum | 0.125 |",
        "| sum | 0.500 |",
    ]
