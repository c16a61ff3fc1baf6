"""A rule that takes too long on a file is ended, and that is told; the others go on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from suitecase.checking.analysis import Analysis
from suitecase.checking.check import check
from suitecase.format.reading import parse_document
from suitecase.format.workspace import Folder, Workspace
from suitecase.text.time_limits import AbandonedError, in_time, watch_of_thread
from support.running.processes import suitecase, write
from support.suites.endless_schema import ENDLESS, ENDLESS_RULE

SAID = "this rule was stopped after"


def _analyzed(folder: Path, text: str = ENDLESS) -> Analysis:
    path, workspace = folder / "a.eval.yaml", Workspace(folder)
    return check(parse_document(path, text, workspace), Folder(workspace, folder), path)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_check_ends_a_rule_that_takes_too_long_and_says_what_else_is_wrong(
    tmp_path: Path, jobs: str
) -> None:
    write(tmp_path, "a.eval.yaml", ENDLESS)
    write(tmp_path, "b.eval.yaml", ENDLESS)
    constants = {"suitecase.text.time_limits.LIMIT": 0.5}
    done = suitecase(
        "check", ".", "--jobs", jobs, "--format", "json", cwd=tmp_path, constants=constants
    )
    found = json.loads(done.stdout)["findings"]
    assert done.returncode == 1, done.stderr
    for name in ("a.eval.yaml", "b.eval.yaml"):
        codes = {it["code"]: it for it in found if it["file"] == name}
        assert codes[ENDLESS_RULE]["message"].startswith(f"{SAID} 0.5 s on this file")
        assert codes[ENDLESS_RULE]["line"] == 3
        assert "SC111" in codes


def test_a_rule_is_ended_in_any_thread_and_the_next_file_is_checked_as_ever(tmp_path: Path) -> None:
    found: list[Analysis] = []

    def work() -> None:
        found.append(in_time(lambda: _analyzed(tmp_path), limit=0.3))
        found.append(_analyzed(tmp_path, ENDLESS.replace("unevaluatedProperties", "x-no")))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(60)
    assert [[it.code for it in one.findings if it.timed_out] for one in found] == [
        [ENDLESS_RULE],
        [],
    ]


def test_what_is_said_of_an_ended_rule_is_as_grave_as_the_rule(tmp_path: Path) -> None:
    ended = in_time(lambda: _analyzed(tmp_path), limit=0.3)
    (finding,) = [it for it in ended.findings if it.timed_out]
    assert finding.severity is finding.rule.severity


def test_many_calls_that_are_quick_count_together(tmp_path: Path) -> None:
    class Rule:
        asked = 0

    def look() -> str:
        watch = watch_of_thread()
        assert watch is not None
        while Rule not in watch.ended:
            watch.now = Rule
            Rule.asked += 1
            sum(range(1000))
            watch.now = None
        return "over"

    # It is ended while it is not at it, too, and then all of it is done again without it.
    assert in_time(look, limit=0.3) == "over"
    assert Rule.asked > 100


@pytest.mark.skipif(
    not hasattr(time, "pthread_getcpuclockid"), reason="no clocks of threads on this system"
)
def test_on_a_busy_machine_nothing_is_ended_for_the_time_that_it_waits() -> None:
    class Rule:
        pass

    def wait() -> bool:
        watch = watch_of_thread()
        assert watch is not None
        if Rule not in watch.ended:
            watch.now = Rule
            threading.Event().wait(0.5)
            watch.now = None
        return Rule in watch.ended

    assert not in_time(wait, limit=0.1)


_HURRIED = """
import sys, threading
from pathlib import Path
from suitecase.text import time_limits
from suitecase.format.reading import parse_document
from suitecase.format.workspace import Folder, Workspace
from suitecase.checking.check import check as check_suite
from suitecase.text.time_limits import AbandonedError, hurry, in_time, watch_of_thread
from support.suites.endless_schema import ENDLESS, ENDLESS_RULE

begun = threading.Semaphore(0)
codes = []

def check():
    path, workspace = Path("a.eval.yaml").resolve(), Workspace(Path.cwd())
    return check_suite(parse_document(path, ENDLESS, workspace), Folder(workspace, path.parent), path)

def begin_and_check():
    begun.release()
    return check()

def work():
    try:
        in_time(begin_and_check)
    except AbandonedError as error:
        codes.append(error.rule.code)

threads = [threading.Thread(target=work) for _ in range(2)]
for it in threads:
    it.start()
    begun.acquire()
hurry()
for it in threads:
    it.join()
work()
assert codes == [ENDLESS_RULE] * 3, codes
"""


def test_in_a_process_that_ends_the_first_slow_rule_ends_its_check_whenever_it_began(
    tmp_path: Path,
) -> None:
    support = str(Path(__file__).parents[1])
    subprocess.run(
        [sys.executable, "-c", _HURRIED],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": support},
        check=True,
        timeout=60,
    )


def test_a_long_file_has_more_time() -> None:
    class Rule:
        pass

    def look() -> None:
        watch = watch_of_thread()
        assert watch is not None
        watch.now = Rule
        began = time.thread_time()
        while time.thread_time() - began < 0.5:
            pass
        watch.now = None

    in_time(look, limit=0.2, gives_up=True, length=10_000_000)
    in_time(lambda: in_time(look, length=10_000_000), limit=0.2, gives_up=True)
    with pytest.raises(AbandonedError):
        in_time(look, limit=0.2, gives_up=True, length=1000)


@pytest.mark.parametrize("gives_up", [True, False])
def test_what_is_not_slow_is_not_ended(tmp_path: Path, *, gives_up: bool) -> None:
    text = "evalcases:\n" + "".join(
        f"  - {{id: c{it}, input: Hi, expected_outcome: x}}\n" for it in range(300)
    )
    assert not in_time(lambda: _analyzed(tmp_path, text), gives_up=gives_up).has_errors
