"""Bring the lists of expected failures in line with the last run of `make test-spark`.

Reads the reports that sbt has written. Tests that were listed and passed leave the list; those that
failed without being listed enter it, below the reason ``Not yet explained.``
"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

TESTS = Path(__file__).parent.parent
PASSES = "The test passes: remove it"
UNEXPLAINED = "open: Not yet explained."


def failures(report: Path) -> dict[str, str]:
    """Return the tests of a suite that failed, as lines of the list, with their messages."""
    suite = ElementTree.parse(report).getroot()
    name = str(suite.get("name")).rsplit(".", 1)[-1]
    found = {}
    for test in suite.findall("testcase"):
        for failure in (*test.findall("failure"), *test.findall("error")):
            found[f"  {name}: {test.get('name')}"] = failure.get("message") or ""
    return found


def updated(lines: list[str], failed: dict[str, str]) -> list[str]:
    """Return the list without the tests that passed, and with the new failures."""
    passed = {line for line, message in failed.items() if PASSES in message}
    kept = [line for line in lines if line not in passed]
    new = sorted(set(failed) - passed - set(lines))
    if new and UNEXPLAINED not in kept:
        kept += ["", UNEXPLAINED]
    at = kept.index(UNEXPLAINED) + 1 if new else 0
    kept[at:at] = new
    return without_empty_reasons(kept)


def without_empty_reasons(lines: list[str]) -> list[str]:
    """Drop reasons that no test is left below."""
    result: list[str] = []
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        is_reason = bool(line) and not line.startswith((" ", "#"))
        if is_reason and not after.startswith(" "):
            if result and result[-1] == "":
                result.pop()
            continue
        result.append(line)
    return result


def main() -> None:
    """Rewrite the lists: that of this source in the place of parquet, and that of the extension."""
    for directory in (TESTS / "spark", TESTS / "takeover"):
        failed: dict[str, str] = {}
        for report in sorted((directory / "target" / "test-reports").glob("*.xml")):
            if "ExpectedFailuresSuite" not in report.name:
                failed.update(failures(report))
        expected = directory / "expected-failures.txt"
        lines = updated(expected.read_text(encoding="utf-8").splitlines(), failed)
        expected.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
