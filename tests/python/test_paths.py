"""`_tools.paths`: what is inside what."""

from __future__ import annotations

import pytest
from variant_shredded._tools.paths import may_hold


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
