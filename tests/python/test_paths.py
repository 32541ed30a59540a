"""`_tools.paths`: what is inside what."""

from __future__ import annotations

from pathlib import Path

import pytest
from variant_shredded import InvalidOptionError
from variant_shredded._tools.paths import check_apart, escaped, may_hold, table_of


@pytest.mark.parametrize(
    ("source", "path", "expected"),
    [
        ("/a", "/a", True),
        ("/a", "/a/b", True),
        ("/a", "/ab", False),
        ("/a/b", "/a", False),
        ("/a/*.json", "/a/out", False),
        ("/a/*.json", "/a/x.json/part", True),
        ("/a/*.json", "/b/x.json", False),
        ("/a/day=*", "/a/out", True),
        ("/a/[xy]?/z", "/a/x1", True),
        ("/a/[^xy]?/z", "/a/x1", False),
        ("/a/ev{1,2/3}", "/a/events", True),
        ("/a/ev{1,2/3}", "/a/copy", False),
        (r"/a/t\[1\]*", "/a/t[1]x", True),
        (r"/a/t\[1\]*", "/a/t1x", False),
        (r"/a/t\{1\}*", "/a/t{1}x", True),
        (r"/a/t\{1\}*", "/a/t{1x", False),
        (r"/a/t\{1{2,3}", "/a/t{12", True),
        (r"/a/t\{1{2,3}", "/a/t{14", False),
        ("/a/{jan,feb}", "/a/copy", False),
        ("/a/{jan,feb}", "/a/feb", True),
        ("/a/{jan,feb}-{1,2*}/x", "/a/feb-25", True),
        ("/a/{jan,feb}-{1,2*}/x", "/a/feb-3", False),
        ("/a/{jan,feb}{1,2/3}", "/a/feb1", True),
        ("/a/{jan,feb}{1,2/3}", "/a/mar1", False),
        ("/a/{day=1,day=2}", "/a/copy", True),
        ("/a/e{v{1,2},x}", "/a/ev1", True),
        ("/a/[{]x}", "/a/[x", True),
        ("/a/e{[a,b],c}", "/a/ea", True),
        (r"/a/e{\},c}", "/a/e}", True),
        (r"/a/t\!*", "/a/t!1", True),
        (r"/a/t\[^1]*", "/a/t[^1]", True),
        (r"/a/t\[^1]*", "/a/t2", False),
        ("/*", "/a", True),
        ("s3a://bucket/a/t*", "s3a://bucket/a/t1", True),
        ("s3a://bucket/a/t*", "s3a://other/a/t1", False),
        ("s3a://bucket/t*", "s3a://bucket/u", False),
        ("s3a://bucket/t#1", "s3a://bucket/t#2", False),
        ("/a/b#c", "file:/a/b#c/d", True),
        ("file:/a/b#c", "/a/b#c", True),
        ("file:///a/b", "/a/b/c", True),
        ("file:/a/b#1", "file:/a/b#2", False),
    ],
)
def test_what_a_source_may_hold(source: str, path: str, expected: bool) -> None:
    assert may_hold(source, path) is expected


def test_a_glob_in_the_working_directory() -> None:
    assert may_hold("events*", "events1")
    assert not may_hold("events*", "copy")


def test_braces_with_too_many_alternatives_match_any_text_from_there_on() -> None:
    ten = "{0,1,2,3,4,5,6,7,8,9}"
    source = f"/a/{ten * 6}"
    assert may_hold(source, "/a/123456")
    assert may_hold(source, "/a/123-copy")
    assert not may_hold(source, "/a/copy")
    assert not may_hold(f"/a/{ten * 3}", "/a/123-copy")


@pytest.mark.parametrize("name", ["a{b", "a}b", "{a}", "a[b", "a]b", "[a]", "a*b", "a?b", "a\\b"])
def test_a_directory_whose_name_has_wildcards_is_not_written_over(name: str) -> None:
    for target in (f"/d/{name}", f"/d/{name}/x", "/d"):
        with pytest.raises(InvalidOptionError, match="one is inside the other"):
            check_apart(escaped(f"/d/{name}"), target)
    check_apart(escaped(f"/d/{name}"), f"/d/{name}-copy")


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("hdfs://old:8020/w/events", "hdfs:///w/events"),
        ("hdfs://old/w/*", "hdfs://old:8020/w/events"),
        ("/w/events", "s3a://bucket/w/events"),
    ],
)
def test_paths_that_may_be_in_different_file_systems_say_how_to_tell_them_apart(
    source: str, target: str
) -> None:
    with pytest.raises(InvalidOptionError, match=r"name these in both paths, with the host"):
        check_apart(source, target)


def test_paths_in_the_same_file_system_do_not_ask_for_its_name() -> None:
    for where in ("", "file://", "hdfs://", "hdfs://old:8020", "s3a://bucket"):
        with pytest.raises(InvalidOptionError, match=r"one is inside the other$"):
            check_apart(f"{where}/w/events", f"{where}/w")


def test_one_file_under_two_names(tmp_path: Path) -> None:
    """On a file system that ignores case, names in other cases are such names, too."""
    one, other = tmp_path / "a.parquet", tmp_path / "b.parquet"
    one.write_bytes(b"")
    check_apart(str(one), str(other))
    other.hardlink_to(one)
    for source, target in [(one, other), (one.as_uri(), other), (one, other / "t")]:
        with pytest.raises(InvalidOptionError, match=r"one is inside the other"):
            check_apart(str(source), str(target))


@pytest.mark.parametrize(
    ("path", "expected"), [("EVENTS/a", True), ("EVENTS/b", False), ("EVENTS", False)]
)
def test_a_glob_in_a_directory_under_another_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, expected: bool
) -> None:
    for name in ("events", "EVENTS"):
        (tmp_path / name).mkdir(exist_ok=True)

    def in_any_case(one: str, other: str) -> bool:
        return one.lower() == other.lower()

    monkeypatch.setattr("os.path.samefile", in_any_case)
    assert may_hold(str(tmp_path / "events/a*"), str(tmp_path / path)) is expected


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        (["/t"], None),
        (["/t/*"], None),
        (["/t/day=1"], None),
        (["/t/day=1/*"], None),
        (["/t/day=1/hour=*"], "/t/day=1"),
        (["/t/day=*"], "/t"),
        (["/env=prod/t/*.parquet"], None),
        (["/env=prod/a", "/env=prod/b"], None),
        (["/t/k=1.json", "/u/dGVzdA==.json"], None),
        (["/t/day=1", "/u"], None),
        (["/t/day=*/hour=1/*.parquet"], "/t"),
        (["/t/day=1", "/t/day=2"], "/t"),
        (["s3a://b/t/day=*"], "s3a://b/t"),
        ([r"/t\{1\}/day=*"], "/t{1}"),
        (["/day=*"], "/"),
        (["day=*"], "."),
    ],
)
def test_the_table_of_partitions(sources: list[str], expected: str | None) -> None:
    assert table_of(*sources) == expected


@pytest.mark.parametrize("sources", [["/*/day=1"], ["/t/day=1", "/u/day=1"], ["/t/day=*", "/u"]])
def test_partitions_of_several_tables_are_refused(sources: list[str]) -> None:
    with pytest.raises(InvalidOptionError, match="partitions of several tables"):
        table_of(*sources)
