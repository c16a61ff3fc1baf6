"""A run that ends early says in a line what was not run, and with which command it goes on."""

from __future__ import annotations

import json
import os
import shlex
import signal
from pathlib import Path

import pytest

from support.running.forked import ForkedCommand
from support.running.processes import suitecase
from support.running.site import Ran, Site, lines_of
from support.servers.openai import OpenAiServer  # pyright: ignore[reportMissingImports] - see conftest

HAS = "evaluators: [{name: has, type: contains, value: hello}]"
#: The fourth answer waits until the pipe is read, and then until the run is over.
SLEEPER = """
cd "$(dirname "$0")" && cat && echo x >> asked
if [ $(wc -l < asked) = 4 ] && [ ! -e go ]; then echo up > started; sleep 600; fi
"""
HEAD = "execution: {target: sleeper}"
CASES = "".join(
    f"- {{id: it's {number}, expected_outcome: hello, input: hello, {HAS}}}\n"
    for number in range(1, 6)
)


@pytest.fixture
def slow(tmp_path: Path) -> Site:
    """A workspace, in a folder with a space, whose target hangs at the fourth answer."""
    folder = tmp_path / "my evals"
    folder.mkdir()
    site = Site(folder)
    os.mkfifo(folder / "started")
    site.write("sleeper.sh", SLEEPER)
    command = f"sh '{folder}/sleeper.sh'"
    target = {"name": "sleeper", "provider": "cli", "workers": 1, "command_template": command}
    site.write("targets.yaml", json.dumps({"targets": [target]}))
    site.suite(CASES, HEAD)
    return site


def interrupted(site: Site, *arguments: str, by: signal.Signals = signal.SIGINT) -> Ran:
    """Run until the fourth answer is asked for, and interrupt that."""
    with ForkedCommand("run", *arguments, cwd=site.root) as process:
        assert (site.root / "started").read_text() == "up\n"
        process.send_signal(by)
        out, err = process.communicate(timeout=30)
    (site.root / "go").touch()
    return Ran(process.returncode, out, err)


def again(site: Site, ran: Ran) -> Ran:
    """Run the command that a run ends with."""
    program, *arguments = shlex.split(ran.out.splitlines()[-1])
    assert program == "suitecase"
    ended = suitecase(*arguments, cwd=site.root)
    return Ran(ended.returncode, ended.stdout, ended.stderr)


@pytest.mark.parametrize(
    ("by", "code", "word"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "ended by SIGTERM")],
    ids=lambda it: getattr(it, "name", None),
)
def test_one_line_says_what_is_left_and_the_command_runs_it(
    slow: Site, by: signal.Signals, code: int, word: str
) -> None:
    ran = interrupted(slow, "a.eval.yaml", "--fail-on", "failed", "--output", "r.jsonl", by=by)
    assert ran.code == code
    assert ran.err == f"{word}\n"
    *_, line, command = ran.out.splitlines()
    assert line == "Not run: 2 of 5 cases. To run them:"
    assert command == "    suitecase run a.eval.yaml --fail-on failed --resume r.jsonl"
    assert "it's 4" not in ran.out
    resumed = again(slow, ran)
    assert resumed.code == 0, resumed.err
    assert "5 passed" in resumed.out
    assert len(lines_of(slow.root / "r.jsonl")) == 5


def test_suites_that_were_not_begun_are_run_and_finished_ones_are_not(slow: Site) -> None:
    for name in ("a'b", "c", "d"):
        slow.suite("".join(CASES.splitlines(keepends=True)[:2]), HEAD, name=f"{name}.eval.yaml")
    (slow.root / "a.eval.yaml").unlink()
    ran = interrupted(slow)
    *_, line, command = ran.out.splitlines()
    assert line == "Not run: 3 of 6 cases. To run them:"
    words = shlex.split(command)
    assert words[:5] == ["suitecase", "run", "c.eval.yaml", "d.eval.yaml", "--resume"]
    assert len(words) == 6
    resumed = again(slow, ran)
    assert resumed.code == 0, resumed.err
    assert "4 passed" in resumed.out
    # Each was asked once, but for the answer that was interrupted.
    assert len((slow.root / "asked").read_text().splitlines()) == 7


def test_targets_that_were_not_reached_are_run(slow: Site) -> None:
    ran = interrupted(slow, "a.eval.yaml", "--target", "mock", "--target", "sleeper")
    assert "Not run: 2 of 10 cases. To run them:" in ran.out
    assert ran.out.splitlines()[-1].count("--resume") == 1  # one file has both targets
    resumed = again(slow, ran)
    assert resumed.code == 0, resumed.err
    assert "5 passed, 5 rehearsed" in resumed.out
    assert len((slow.root / "asked").read_text().splitlines()) == 6


def test_formats_for_programs_list_what_was_not_run(slow: Site) -> None:
    ran = interrupted(slow, "a.eval.yaml", "--format", "json")
    document = json.loads(ran.out)
    assert document["summary"]["not_run"] == ["a.eval.yaml::it's 4", "a.eval.yaml::it's 5"]
    assert document["resume_command"][:3] == ["suitecase", "run", "a.eval.yaml"]
    # What is not written cannot be resumed.
    (slow.root / "asked").unlink()
    (slow.root / "go").unlink()
    ran = interrupted(slow, "a.eval.yaml", "--no-results")
    assert ran.out.splitlines()[-1] == "Not run: 2 of 5 cases."


def test_a_second_ctrl_c_leaves_at_once(slow: Site) -> None:
    with ForkedCommand("run", "a.eval.yaml", cwd=slow.root) as process:
        assert (slow.root / "started").read_text() == "up\n"
        worker = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        # A worker that does not listen to the first one.
        for pid in worker:
            os.kill(int(pid), signal.SIGSTOP)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert process.stderr.readline() == "interrupted\n"
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(timeout=3) == 130
        finally:
            for pid in worker:
                os.kill(int(pid), signal.SIGKILL)
        assert "Traceback" not in process.stderr.read()


def test_more_budget_is_proposed_where_it_is_used_up(
    site: Site, openai_server: OpenAiServer
) -> None:
    openai_server.default = lambda _: "hello"
    entry = {"provider": "openai", "model": "m", "api_base": openai_server.url, "api_key": "key"}
    bot = {"name": "bot", "price": {"per_question": 0.5}, **entry}
    site.write("targets.yaml", json.dumps({"targets": [bot]}))
    for name in "abc":
        site.suite(
            "".join(CASES.splitlines(keepends=True)[:2]),
            "execution: {target: bot}",
            name=f"{name}.eval.yaml",
        )
    ran = site.run(".", "--budget-usd", "1.5")
    assert ran.code == 3
    assert ran.err.count("is used up") == 1
    assert "Not run: 3 of 6 cases. To run them:" in ran.out
    assert "--budget-usd 3 --resume" in ran.out.splitlines()[-1]
    assert again(site, ran).code == 0
    assert len(openai_server.requests) == 6
