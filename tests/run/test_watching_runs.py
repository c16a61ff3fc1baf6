"""`run --watch`: reruns the cases that have changed, and only those."""

from __future__ import annotations

import json
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from support.running.forked import ForkedCommand
from support.running.site import Site, lines_of
from support.suites.counted_agent import CountedAgent

HEAD = "execution: {target: agent}\nprompt: Be brief."
CASES = "".join(
    f"- {{id: {it}, expected_outcome: x, input: x-{it}, "
    "evaluators: [{name: e, type: contains, value: x}]}\n"
    for it in ("one", "two")
)


class Watched:
    """A `run --watch` under way."""

    def __init__(self, process: ForkedCommand) -> None:
        self.process = process

    def until_it_waits(self) -> str:
        """Return what it says until it waits for changes."""
        assert self.process.stdout is not None
        output = ""
        for line in self.process.stdout:
            output += line
            if line.startswith("Waiting for changes"):
                return output
        raise AssertionError(f"it ended: {output}")

    def end(self) -> tuple[int, str]:
        """Press Ctrl-C; return the exit code and what it says at last."""
        self.process.send_signal(signal.SIGINT)
        output, _ = self.process.communicate(timeout=30)
        return self.process.returncode, output


@contextmanager
def watching(site: Site, *options: str) -> Iterator[Watched]:
    with ForkedCommand(
        "run",
        "a.eval.yaml",
        "--watch",
        *options,
        cwd=site.root,
        stderr=subprocess.STDOUT,
        env={"PYTHONUNBUFFERED": "1"},
    ) as process:
        try:
            yield Watched(process)
        finally:
            process.kill()


def test_only_what_is_another_case_now_is_run(site: Site) -> None:
    agent = CountedAgent(site)
    path = site.suite(CASES, HEAD)
    with watching(site) as watch:
        assert "2 passed" in watch.until_it_waits()
        assert agent.asked() == Counter(one=1, two=1)
        path.write_text(path.read_text().replace("input: x-two", "input: x-other"))
        assert "1 passed" in watch.until_it_waits()
        assert agent.asked() == Counter(two=1)
        path.write_text(path.read_text() + "# a remark\n")
        assert "nothing was run" in watch.until_it_waits()
        path.write_text(path.read_text().replace("input: x-one", "inpt: x-one"))
        output = watch.until_it_waits()
        assert "error[SC101]" in output
        assert "so it was not run" in output
        path.write_text(path.read_text().replace("inpt: x-one", "input: x-one"))
        assert "nothing was run" in watch.until_it_waits()
        assert not agent.asked()
        path.write_text(path.read_text().replace("Be brief", "Be long"))
        assert "2 passed" in watch.until_it_waits()
        assert agent.asked() == Counter(one=1, two=1)
        assert watch.end() == (0, "\n")
    # One file has it all, and the last record of a case counts.
    (results,) = (site.root / ".suitecase/results").glob("*.jsonl")
    assert Counter(it["eval_id"] for it in lines_of(results)) == Counter(one=2, two=3)


def test_the_budget_holds_for_the_whole_watch(site: Site) -> None:
    agent = CountedAgent(site, workers=1)
    agent.behave(cost_usd=0.5)
    path = site.suite(CASES, HEAD)
    with watching(site, "--budget-usd", "1.5", "--no-results") as watch:
        assert "the questions cost $1" in watch.until_it_waits()
        path.write_text(path.read_text().replace("Be brief", "Be long"))
        output, _ = watch.process.communicate(timeout=60)
        assert watch.process.returncode == 3
    assert agent.asked() == Counter(one=2, two=1)
    assert "the budget of $1.5 is used up: $1.5 spent" in output
    assert "Not run: 1 of 2 cases." in output


def test_the_budget_holds_for_all_suites_of_a_command_line(site: Site) -> None:
    agent = CountedAgent(site, workers=1)
    agent.behave(cost_usd=0.5)
    site.suite(CASES, HEAD)
    site.suite(CASES, HEAD, name="b.eval.yaml")
    ran = site.run("a.eval.yaml", "b.eval.yaml", "--budget-usd", "1.5", "--format", "json")
    assert agent.asked() == Counter(one=2, two=1)
    assert json.loads(ran.out)["summary"]["not_run"] == ["b.eval.yaml::two"]


@pytest.mark.parametrize("option", [("--dry-run",), ("--format", "junit")])
def test_what_watching_cannot_do_is_told(site: Site, option: tuple[str, ...]) -> None:
    site.suite(CASES)
    ran = site.run("a.eval.yaml", "--watch", *option)
    assert ran.code == 2
    assert f"--watch and {' '.join(option)} exclude each other" in ran.err
