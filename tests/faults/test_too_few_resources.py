"""Too few open files, threads or memory: exit code 3 with what to do, and no report of a bug."""

from __future__ import annotations

import subprocess
import sys

import pytest

from suitecase.run.too_few_resources import why_too_few, why_too_few_by
from support.running.processes import COMMAND_LINE
from support.running.site import Site
from support.servers.openai import OpenAiServer  # pyright: ignore[reportMissingImports] - see conftest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX systems")


def limited(site: Site, limit: str, *arguments: str) -> tuple[int, str]:
    """Run a suite in a shell with a limit; return the exit code, and all that was printed."""
    command = " ".join([*COMMAND_LINE, "run", "a.eval.yaml", "--no-results", *arguments])
    ended = subprocess.run(
        ["sh", "-c", f"ulimit {limit}; exec {command}"],
        cwd=site.root,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    return ended.returncode, ended.stdout + ended.stderr


@pytest.fixture
def suite(site: Site, openai_server: OpenAiServer) -> Site:
    openai_server.default = "hello"
    site.write(
        "targets.yaml",
        f"targets: [{{name: bot, provider: openai, api_base: '{openai_server.url}', model: m, api_key: k}}]",
    )
    grading = "evaluators: [{name: e, type: contains, value: hello}]"
    cases = (
        f"- {{id: c{number}, expected_outcome: x, input: x, {grading}}}\n" for number in range(80)
    )
    site.suite("".join(cases), "execution: {target: bot}")
    return site


def test_fewer_open_files_than_calls(suite: Site, openai_server: OpenAiServer) -> None:
    code, said = limited(suite, "-n 64", "--concurrency", "80")
    assert code == 3, said
    assert "64 open files are too few for 80 calls at once" in said
    assert "`ulimit -n 144`, or make fewer calls at once: --concurrency 32" in said
    assert openai_server.requests == []


def test_where_no_model_is_asked_no_limit_is_too_low_for_calls(site: Site) -> None:
    site.suite("- {id: a, expected_outcome: x, input: x}\n", "execution: {target: mock}")
    code, said = limited(site, "-n 31")
    assert "calls at once" not in said
    assert code == 0, said


def test_a_limit_that_may_be_raised_is_raised(suite: Site) -> None:
    code, said = limited(suite, "-S -n 40", "--concurrency", "16", "--limit", "20")
    assert code == 0, said


@pytest.mark.parametrize("limit", ["-n 12", "-v 200000", "-v 300000"])
def test_what_is_not_enough_to_begin_with(suite: Site, limit: str) -> None:
    code, said = limited(suite, limit)
    assert code == 3, said
    assert "ulimit" in said
    assert "Traceback" not in said
    assert "bug" not in said
    if limit.startswith("-v"):
        # Nothing has begun that could wait for a thread which there was no memory for.
        assert "allow 384 MB or more with `ulimit -v`" in said


@pytest.mark.parametrize(("limit", "said"), [("4000000", True), ("unlimited", False)])
def test_a_crash_where_memory_is_limited_is_one_for_want_of_it(limit: str, said: bool) -> None:
    ask = (
        "from suitecase.run.too_few_resources import why_crashed, why_too_few; "
        "in_words = why_too_few(ValueError('Field `type`:\\n  MemoryError: ')); "
        "print(why_crashed(-11), why_too_few(SystemError()), in_words, why_crashed(1))"
    )
    ended = subprocess.run(
        ["sh", "-c", f'ulimit -v {limit}; exec {sys.executable} -c "{ask}"'],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.count("allow more with `ulimit -v`") == (3 if said else 0)
    assert ended.stdout.endswith(" None\n")


def test_an_error_is_known_by_what_caused_it() -> None:
    try:
        try:
            raise OSError(24, "Too many open files")
        except OSError as error:
            raise ValueError("no answer") from error
    except ValueError as error:
        group = ExceptionGroup("several", [KeyError("x"), error])
    assert "ulimit -n" in (why_too_few(group) or "")
    assert "ulimit -u" in (why_too_few(RuntimeError("can't start new thread")) or "")
    assert "memory" in (why_too_few(MemoryError()) or "")
    assert why_too_few(RuntimeError("no")) is None
    assert why_too_few(BlockingIOError(11, "Resource temporarily unavailable")) is None
    assert why_too_few_by("Traceback ...\nKeyError: 'x'") is None


#: Ways in which something ends for want of memory that the event loop waits for.
LOST = {
    "a thread": "threading.Thread(target=fail).start()",
    "what an executor calls": "loop.run_in_executor(None, int).add_done_callback(fail)",
    "what the loop calls": "loop.call_soon(fail)",
}


@pytest.mark.parametrize("lost", LOST.values(), ids=LOST.keys())
def test_a_worker_ends_where_something_that_it_waits_for_has_ended(lost: str) -> None:
    program = f"""
import asyncio, threading
from suitecase.run import worker
worker._look_after_threads()
def fail(*_):
    raise MemoryError
async def wait():
    loop = asyncio.get_running_loop()
    {lost}
    await asyncio.Event().wait()
asyncio.run(wait())
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 1
    assert why_too_few_by(ended.stderr) is not None, ended.stderr
