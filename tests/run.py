"""Run test commands and sum up what each says of itself.

Each argument is ``name=command``, or ``--jobs=N``: so many of the commands behind it run at the
same time, and each line of theirs begins with the name. All are run, whatever the earlier ones came
to. At the end the failed tests are named and each runner's own summary is shown again, then one
line, ``N passed, N failed, N skipped``; the exit status is 0 only if every command's was and
nothing failed.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
SCALATEST = re.compile(
    r"Tests: succeeded (\d+), failed (\d+), canceled (\d+), ignored (\d+), pending (\d+)"
)
SUITES = re.compile(r"Suites: completed \d+, aborted (\d+)")
PYTEST_FAILURE = re.compile(r"^(?:FAILED|ERROR) (tests/.*)$")
PYTEST = re.compile(r"^=* ?((?:\d+ [a-z]+(?:, )?)+) in [\d.]+s(?: \([\d:]+\))? ?=*$")
ROOT = Path(__file__).resolve().parent.parent
#: Where sbt writes a report of each ScalaTest suite.
REPORTS = ("jvm/target/test-reports/*.xml", "tests/*/target/test-reports/*.xml")
# What pytest counts, and as what it counts here; an xfail is a known failure, so it is not a pass.
PYTEST_KINDS = {
    "passed": "passed",
    "xpassed": "passed",
    "failed": "failed",
    "error": "failed",
    "errors": "failed",
    "skipped": "skipped",
    "xfailed": "skipped",
}


class Result(NamedTuple):
    """Counts of tests, and the lines they were taken from."""

    passed: int
    failed: int
    skipped: int
    summary: tuple[str, ...]


def scalatest(lines: list[str]) -> Result | None:
    """Sum up ScalaTest's summaries, one a JVM; a suite that was aborted counts as a failure."""
    tests = [match for line in lines if (match := SCALATEST.search(line))]
    suites = [match for line in lines if (match := SUITES.search(line))]
    if not tests:
        return None
    columns = zip(*(match.groups() for match in tests), strict=True)
    passed, failed, *skipped = (sum(map(int, column)) for column in columns)
    aborted = sum(int(match.group(1)) for match in suites)
    shown = tuple(
        match.group()
        for line in lines
        for read in (SUITES, SCALATEST)
        if (match := read.search(line))
    )
    return Result(passed, failed + aborted, sum(skipped), shown)


def pytest(lines: list[str]) -> Result | None:
    """Read pytest's summary."""
    matches = [match for line in lines if (match := PYTEST.match(line))]
    if not matches:
        return None
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for number, kind in re.findall(r"(\d+) ([a-z]+)", matches[-1].group(1)):
        if kind in PYTEST_KINDS:  # not so: warnings, deselected
            counts[PYTEST_KINDS[kind]] += int(number)
    return Result(**counts, summary=(matches[-1].group().strip("= "),))


def suites_of(root: Path, since: float) -> list[ElementTree.Element]:
    """Read sbt's reports of the ScalaTest suites that ended after ``since``.

    The lines of suites that run at the same time are mixed, so neither times nor failures can be
    read from them.
    """
    return [
        ElementTree.parse(report).getroot()
        for pattern in REPORTS
        for report in sorted(root.glob(pattern))
        if report.stat().st_mtime >= since
    ]


def name_of(suite: ElementTree.Element) -> str:
    """Give the name of a suite's class, without its package."""
    return suite.attrib["name"].rpartition(".")[2]


def suite_times(root: Path, since: float) -> dict[str, float]:
    """Give the seconds of each ScalaTest suite that ended after ``since``, the slowest first."""
    times: dict[str, float] = {}
    for suite in suites_of(root, since):
        name = name_of(suite)
        times[name] = times.get(name, 0.0) + float(suite.attrib["time"])
    return dict(sorted(times.items(), key=lambda entry: -entry[1]))


def failed_tests(root: Path, since: float) -> list[str]:
    """Name each test that failed in a ScalaTest suite that ended after ``since``, and its error."""
    return [
        f"{name_of(suite)}: {test.attrib['name']}: {failure.attrib.get('message', '')}"
        for suite in suites_of(root, since)
        for test in suite.iter("testcase")
        for failure in test
        if failure.tag in ("failure", "error")
    ]


READERS: tuple[Callable[[list[str]], Result | None], ...] = (scalatest, pytest)


def judge(lines: list[str], status: int) -> Result:
    """Sum up one runner; one that fails without naming a failed test counts as one failure."""
    found = next((result for read in READERS if (result := read(lines))), None)
    if found is None:
        return Result(0, 1, 0, (f"ended with status {status} and no summary",))
    if status != 0 and found.failed == 0:
        return found._replace(
            failed=1, summary=(*found.summary, f"ended with status {status} all the same")
        )
    return found


def run(name: str, command: str, mark: str) -> tuple[Result, list[str]]:
    """Run one command, passing on what it prints, each line behind ``mark``.

    Returns
    -------
    tuple of Result and list of str
        The counts, and one line for each failed test.
    """
    print(f"\n--- {name}: {command}", flush=True)
    lines = []
    start = time.time()
    with subprocess.Popen(
        command,
        shell=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(f"{mark}{line}", end="", flush=True)
            lines.append(ESCAPES.sub("", line).rstrip("\n"))
    failures = [match.group(1) for line in lines if (match := PYTEST_FAILURE.match(line))]
    if scalatest(lines):
        for suite, seconds in suite_times(ROOT, start).items():
            print(f"{mark}{seconds:8.1f} s  {suite}")
        failures += failed_tests(ROOT, start)
    return judge(lines, process.returncode), failures


def run_all(arguments: list[str]) -> dict[str, tuple[Result, list[str]]]:
    """Run the commands, in their order as far as they wait for each other."""
    results: dict[str, Future[tuple[Result, list[str]]]] = {}
    pool = ThreadPoolExecutor(1)
    marked = False
    for argument in arguments:
        name, _, value = argument.partition("=")
        if name == "--jobs":
            pool.shutdown()
            pool = ThreadPoolExecutor(int(value))
            marked = int(value) > 1
        else:
            results[name] = pool.submit(run, name, value, f"{name} | " if marked else "")
    pool.shutdown()
    return {name: result.result() for name, result in results.items()}


def main(arguments: list[str]) -> int:
    """Run all and print the summaries."""
    ended = run_all(arguments)
    print()
    for name, (_, failures) in ended.items():
        for failure in failures:
            print(f"{name:<14}failed: {failure.splitlines()[0][:300]}")
    results = {name: result for name, (result, _) in ended.items()}
    for name, result in results.items():
        for line in result.summary:
            print(f"{name:<14}{line}")
    passed = sum(result.passed for result in results.values())
    failed = sum(result.failed for result in results.values())
    skipped = sum(result.skipped for result in results.values())
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
