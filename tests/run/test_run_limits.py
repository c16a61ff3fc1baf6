"""The limits of a run: `--budget-usd`, `--concurrency` and `--timeout`."""

from __future__ import annotations

import json
import os

import pytest

from support.running.site import Site, lines_of
from support.suites.counted_agent import CountedAgent

SAYS_X = "evaluators: [{name: e, type: contains, value: x}]"
CASES = "".join(
    f"- {{id: case-{it}, expected_outcome: x, input: x, {SAYS_X}}}\n" for it in range(5)
)
HEAD = "execution: {target: agent}"


def test_the_budget_ends_the_run_names_the_rest_and_can_be_resumed(site: Site) -> None:
    agent = CountedAgent(site, workers=1)
    agent.behave(cost_usd=0.5)
    site.suite(CASES, HEAD)
    ran = site.run("a.eval.yaml", "--budget-usd", "1", "--output", "r.jsonl")
    assert ran.code == 3
    assert sum(agent.asked().values()) == 2
    assert "the budget of $1 is used up: $1 spent" in ran.err
    again = "suitecase run a.eval.yaml --budget-usd 2 --resume r.jsonl"
    assert f"Not run: 3 of 5 cases. To run them:\n    {again}\n" in ran.out
    assert "the questions cost $1" in ran.out
    assert len(lines_of(site.root / "r.jsonl")) == 2
    # The budget is that of the whole file: what is left of it is spent.
    ran = site.run("a.eval.yaml", "--budget-usd", "1.5", "--resume", "r.jsonl")
    assert ran.code == 3
    assert "$1.5 spent, $1 of it before this run" in ran.err
    assert sum(agent.asked().values()) == 1
    ran = site.run("a.eval.yaml", "--budget-usd", "9", "--resume", "r.jsonl")
    assert ran.code == 0, ran.err
    assert sum(agent.asked().values()) == 2


def test_what_judges_cost_counts_and_is_recorded(site: Site) -> None:
    agent = CountedAgent(site, workers=1)
    agent.behave(cost_usd=0.25)
    reply = {"text": json.dumps({"score": 1, "hits": [], "misses": []}), "cost_usd": 0.75}
    site.write("reply.json", json.dumps(reply))
    targets = json.loads((site.root / "targets.yaml").read_text())["targets"]
    judge = {"name": "judge", "provider": "cli", "command_template": "cat reply.json"}
    targets[0]["judge_target"] = "judge"
    site.write("targets.yaml", json.dumps({"targets": [*targets, judge]}))
    site.suite(
        "".join(f"- {{id: case-{it}, expected_outcome: x, input: x}}\n" for it in range(3)), HEAD
    )
    ran = site.run("a.eval.yaml", "--budget-usd", "1", "--output", "r.jsonl", "--format", "json")
    assert ran.code == 3
    (record,) = lines_of(site.root / "r.jsonl")
    assert (record["trace_summary"]["cost_usd"], record["judge_cost_usd"]) == (0.25, 0.75)
    document = json.loads(ran.out)
    assert document["summary"]["spending"]["cost_usd"] == 1
    assert document["summary"]["not_run"] == ["a.eval.yaml::case-1", "a.eval.yaml::case-2"]


def test_a_program_that_tells_no_cost_ends_a_run_with_a_budget(site: Site) -> None:
    agent = CountedAgent(site, workers=1)
    site.suite(CASES, HEAD)
    ran = site.run("a.eval.yaml", "--budget-usd", "1", "--no-results", "--format", "json")
    assert ran.code == 3
    assert sum(agent.asked().values()) == 1
    assert json.loads(ran.out)["summary"]["spending"]["unpriced"] == 1
    assert "the cost of an answer of the target `agent` is unknown" in ran.err
    agent = CountedAgent(site, workers=1, price={"per_question": 0.4})
    ran = site.run("a.eval.yaml", "--budget-usd", "1", "--no-results", "--format", "json")
    assert ran.code == 3
    assert sum(agent.asked().values()) == 3
    assert json.loads(ran.out)["summary"]["spending"]["cost_usd"] == pytest.approx(1.2)


def test_what_a_suite_cost_that_is_not_known_ends_the_suites_behind_it(site: Site) -> None:
    agent = CountedAgent(site, workers=1)
    site.suite(CASES.splitlines()[0], HEAD, "a.eval.yaml")
    site.suite(CASES, HEAD, "b.eval.yaml")
    ran = site.run("a.eval.yaml", "b.eval.yaml", "--budget-usd", "1", "--no-results")
    assert ran.code == 3
    assert sum(agent.asked().values()) == 1
    assert "b.eval.yaml: the cost of an answer in an earlier run is unknown" in ran.err


@pytest.mark.parametrize(("option", "most"), [((), 3), (("--concurrency", "1"), 1)])
def test_concurrency_takes_the_place_of_workers(
    site: Site, option: tuple[str, ...], most: int
) -> None:
    # The programs meet: each waits until as many are there as should be, and no longer than 1 s.
    program = site.program(
        "meet.py",
        f"""
        import os, pathlib, time
        here = pathlib.Path({str(site.root)!r}) / "here"
        here.mkdir(exist_ok=True)
        mine = here / str(os.getpid())
        mine.touch()
        seen, end = 0, time.monotonic() + 1
        while seen < {most} and time.monotonic() < end:
            seen = max(seen, len(list(here.iterdir())))
            time.sleep(0.01)
        time.sleep(0.2)
        seen = max(seen, len(list(here.iterdir())))
        mine.unlink()
        print("x", seen)
        """,
    )
    targets = [{"name": "agent", "provider": "cli", "workers": 3, "command_template": program}]
    site.write("targets.yaml", json.dumps({"targets": targets}))
    site.suite(CASES, HEAD)
    ran = site.run("a.eval.yaml", "--no-results", "--format", "jsonl", *option)
    assert ran.code == 0, ran.err
    together = [int(it["candidate_answer"].split()[1]) for it in ran.records.values()]
    assert max(together) == most


def test_a_case_that_takes_too_long_is_broken_off_with_its_programs(site: Site) -> None:
    pipe = site.root / "alive"
    os.mkfifo(pipe)
    command = f"exec 3>{pipe}; cat > /dev/null; sleep 600 & sleep 600"
    targets = [{"name": "sleeper", "provider": "cli", "command_template": command}]
    site.write("targets.yaml", json.dumps({"targets": targets}))
    sleeper = "execution: {target: sleeper}"
    site.suite(
        f"- {{id: slow, expected_outcome: x, input: x, {sleeper}}}\n"
        f"- {{id: quick, expected_outcome: x, input: x, {SAYS_X}}}\n"
    )
    # Open before it starts, so that the end of all who hold it is seen.
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    ran = site.run("a.eval.yaml", "--no-results", "--format", "jsonl", "--timeout", "1")
    assert ran.code == 3, ran.err
    slow = ran.records["slow"]
    assert (slow["verdict"], slow["score"]) == ("error", None)
    assert "longer than 1 s and was cancelled before it was answered" in slow["error"]
    assert ran.records["quick"]["verdict"] == "pass"
    # The end of file: no program holds the other side any more.
    assert os.read(reader, 1) == b""
    os.close(reader)


def test_an_answer_that_came_in_time_is_kept_where_its_judge_is_too_slow(site: Site) -> None:
    site.suite("""
        - id: judged
          expected_outcome: x
          input: hello
          evaluators: [{name: code, type: code_judge, script: sleep 600}]
    """)
    ran = site.run("a.eval.yaml", "--no-results", "--format", "jsonl", "--timeout", "1")
    assert ran.code == 3, ran.err
    record = ran.records["judged"]
    assert "before it was graded" in record["error"]
    assert record["candidate_answer"] == "hello"


def test_waiting_for_a_busy_judge_is_no_fault_of_a_case(site: Site) -> None:
    # Six judgements, one after the other, take 1.8 seconds; each case takes 0.3.
    targets = [
        {"name": "bot", "provider": "mock", "workers": 6, "judge_target": "judge"},
        {
            "name": "judge",
            "provider": "mock",
            "workers": 1,
            "delay_ms": 300,
            "response": '{"score": 1}',
        },
    ]
    site.write("targets.yaml", json.dumps({"targets": targets}))
    site.suite(
        "".join(f"- {{id: case-{it}, expected_outcome: x, input: x}}\n" for it in range(6)),
        "execution: {target: bot}",
    )
    ran = site.run("a.eval.yaml", "--no-results", "--format", "jsonl", "--timeout", "0.9")
    assert ran.code == 0, ran.out
    # What a judge takes once it is its turn counts.
    ran = site.run("a.eval.yaml::case-0", "--no-results", "--format", "jsonl", "--timeout", "0.2")
    assert "cancelled before it was graded" in ran.records["case-0"]["error"]


@pytest.mark.parametrize(
    "option",
    [("--repeat", "0"), ("--timeout", "0"), ("--concurrency", "0"), ("--budget-usd", "-1")],
)
def test_limits_that_make_no_sense_are_refused(site: Site, option: tuple[str, str]) -> None:
    site.suite(CASES)
    ran = site.run("a.eval.yaml", *option)
    assert ran.code == 2
    assert option[0] in ran.err
