"""`tests/run.py`: what it makes of the runners' outputs."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest
from run import failed_tests, judge, main, suite_times

SCALATEST = """\
[info] Total number of tests run: 5
[info] Suites: completed 2, aborted {aborted}
[info] Tests: succeeded 3, failed {failed}, canceled 1, ignored 2, pending 0
"""


def counts(text: str, status: int) -> tuple[int, int, int]:
    return judge(text.splitlines(), status)[:3]


def test_scalatest() -> None:
    assert counts(SCALATEST.format(aborted=0, failed=0), 0) == (3, 0, 3)
    assert counts(SCALATEST.format(aborted=1, failed=2), 1) == (3, 3, 3)


def test_scalatest_in_two_jvms() -> None:
    first, second = SCALATEST.format(aborted=0, failed=0), SCALATEST.format(aborted=1, failed=2)
    assert counts(first + second, 1) == (6, 3, 6)


def test_the_time_of_each_suite(tmp_path: Path) -> None:
    suites = {"jvm/QuickSuite": 1.25, "tests/spark/SlowSuite": 63.5, "jvm/EarlierSuite": 9.0}
    for name, seconds in suites.items():
        project, _, suite = name.rpartition("/")
        report = tmp_path / project / "target" / "test-reports" / f"TEST-a.b.{suite}.xml"
        report.parent.mkdir(parents=True, exist_ok=True)
        report.write_text(f'<testsuite name="a.b.{suite}" time="{seconds}"></testsuite>')
        os.utime(report, (100, 50 if suite == "EarlierSuite" else 100))
    times = suite_times(tmp_path, since=99)
    assert list(times.items()) == [("SlowSuite", 63.5), ("QuickSuite", 1.25)]


def test_the_failed_tests_of_suites_are_named(tmp_path: Path) -> None:
    report = tmp_path / "jvm" / "target" / "test-reports" / "TEST-a.b.TornSuite.xml"
    report.parent.mkdir(parents=True)
    report.write_text(
        '<testsuite name="a.b.TornSuite" time="1">'
        '<testcase classname="a.b.TornSuite" name="holds" time="0.5"/>'
        '<testcase classname="a.b.TornSuite" name="tears" time="0.5">'
        '<failure message="1 did not equal 2" type="x">at line 1</failure></testcase></testsuite>'
    )
    assert failed_tests(tmp_path, since=0) == ["TornSuite: tears: 1 did not equal 2"]
    assert failed_tests(tmp_path, since=report.stat().st_mtime + 1) == []


def test_the_failed_tests_of_pytest_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    line = "FAILED tests/python/test_x.py::test_y - assert 1 == 2"
    script = f"print({line!r}); print('1 failed in 0.1s'); raise SystemExit(1)"
    assert main(["first=" + shlex.join([sys.executable, "-c", script])]) == 1
    assert capsys.readouterr().out.splitlines()[-3:] == [
        f"first         failed: {line.removeprefix('FAILED ')}",
        "first         1 failed in 0.1s",
        "0 passed, 1 failed, 0 skipped",
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("============ 3 passed in 0.12s ============", (3, 0, 0)),
        ("3 passed, 1 warning in 62.01s (0:01:02)", (3, 0, 0)),
        ("== 1 failed, 2 passed, 3 skipped, 4 deselected, 5 xfailed in 1.00s ==", (2, 1, 8)),
        ("===== 1 skipped, 2 errors in 1.00s =====", (0, 2, 1)),
    ],
)
def test_pytest(line: str, expected: tuple[int, int, int]) -> None:
    assert counts(line, 1 if expected[1] else 0) == expected


@pytest.mark.parametrize("status", [0, 1, 5, -9])
def test_a_runner_that_says_nothing_failed(status: int) -> None:
    result = judge(["error: no such file", "no tests ran in 0.01s"], status)
    assert result == (0, 1, 0, (f"ended with status {status} and no summary",))


def test_a_status_that_no_failed_test_explains() -> None:
    result = judge(["3 passed in 0.12s"], -9)
    assert result[:3] == (3, 1, 0)
    assert result.summary == ("3 passed in 0.12s", "ended with status -9 all the same")


def test_every_command_is_run_and_summed_up(capsys: pytest.CaptureFixture[str]) -> None:
    script = f"{sys.executable} -c 'print(\"{{}} in 0.1s\"); raise SystemExit({{}})'"
    first = "first=" + script.format("1 failed, 2 passed", 1)
    second = "second=" + script.format("4 passed, 1 skipped", 0)
    assert main([first, second]) == 1
    assert capsys.readouterr().out.splitlines()[-3:] == [
        "first         1 failed, 2 passed in 0.1s",
        "second        4 passed, 1 skipped in 0.1s",
        "6 passed, 1 failed, 1 skipped",
    ]
    assert main([second]) == 0


def test_commands_run_at_the_same_time(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Each waits for a file that the other one makes."""
    script = (
        "import pathlib, time; here = pathlib.Path({here!r}); (here / {mine!r}).touch()\n"
        "while not (here / {other!r}).exists(): time.sleep(0.01)\n"
        "print('1 passed in 0.1s')"
    )

    def command(mine: str, other: str) -> str:
        text = script.format(here=str(tmp_path), mine=mine, other=other)
        return f"{mine}={shlex.join([sys.executable, '-c', text])}"

    assert main(["--jobs=2", command("a", "b"), command("b", "a")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {"a | 1 passed in 0.1s", "b | 1 passed in 0.1s"} < set(lines)
    assert lines[-1] == "2 passed, 0 failed, 0 skipped"
