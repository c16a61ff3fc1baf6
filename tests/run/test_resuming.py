"""`--resume`: continues an earlier run, however it ended."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.running.forked import ForkedCommand
from support.running.processes import suitecase
from support.running.site import Site, lines_of
from support.servers.openai import (  # pyright: ignore[reportMissingImports] - see tests/conftest.py
    Answer,
    OpenAiServer,
)
from support.suites.counted_agent import CountedAgent

HEAD = "execution: {target: agent}"
CHANGE = "change(pass_rate) >= 0%"


def case(name: str, text: str = "x") -> str:
    return (
        f"- {{id: {name}, expected_outcome: x, input: {text}, "
        "evaluators: [{name: there, type: contains, value: x}]}\n"
    )


def results_of(site: Site) -> Path:
    (path,) = (site.root / ".suitecase/results").glob("*.jsonl")
    return path


def test_only_what_is_missing_is_asked_and_everything_counts(site: Site) -> None:
    agent = CountedAgent(site)
    site.suite(case("one", "y") + case("two") + case("three"), HEAD)
    assert site.run("a.eval.yaml::one", "a.eval.yaml::two").code == 1
    agent.asked()
    ran = site.run("a.eval.yaml", "--resume")
    assert agent.asked() == Counter(three=1)
    # `one` failed before, and it still did.
    assert ran.code == 1
    assert "2 passed, 1 failed" in ran.out
    assert "it has 2 of 3 records" in ran.err
    # What was printed before is not printed again.
    assert [line for line in ran.out.splitlines() if line.startswith(("PASS", "FAIL"))] == [
        line for line in ran.out.splitlines() if " three " in line
    ]
    assert sorted(it["eval_id"] for it in lines_of(results_of(site))) == ["one", "three", "two"]
    again = site.run("a.eval.yaml", "--resume", "--format", "jsonl")
    assert "nothing to resume" in again.err
    assert sorted(again.records) == ["one", "three", "two"]
    assert again.code == 1
    assert not agent.asked()


def test_what_changed_and_what_broke_is_asked_again_and_said(site: Site) -> None:
    agent = CountedAgent(site)
    agent.behave(fail=("broken",))
    path = site.suite(case("same") + case("changed", "before-x") + case("broken"), HEAD)
    assert site.run("a.eval.yaml").code == 3
    agent.asked()
    agent.behave()
    path.write_text(path.read_text().replace("before-x", "after-x"))
    ran = site.run("a.eval.yaml", "--resume")
    assert agent.asked() == Counter(changed=1, broken=1)
    assert "changed, so rerun: `changed`" in ran.err
    assert "could not be graded, so rerun: `broken`" in ran.err
    assert ran.code == 0
    records = lines_of(results_of(site))
    assert sorted(it["eval_id"] for it in records) == ["broken", "changed", "same"]
    assert {it["verdict"] for it in records} == {"pass"}


def _edited(site: Site, **fields: Any) -> None:
    """Change fields of the results' records, as an editor or another tool may."""
    records = [{**it, **fields} for it in lines_of(site.root / "r.jsonl")]
    (site.root / "r.jsonl").write_text("".join(f"{json.dumps(it)}\n" for it in records))


@pytest.mark.parametrize(
    "fields",
    [
        {"verdict": "FAILED"},
        {"error": "target timed out", "candidate_answer": None, "evaluator_results": []},
    ],
    ids=["no-verdict", "pass-and-error"],
)
def test_what_counts_as_missing_for_gates_is_asked_again(
    site: Site, fields: dict[str, Any]
) -> None:
    agent = CountedAgent(site)
    site.suite(case("one"), HEAD + "\ngates: [pass_rate >= 100%]")
    assert site.run("a.eval.yaml", "--output", "r.jsonl").code == 0
    agent.asked()
    _edited(site, **fields)
    assert suitecase("gate", "r.jsonl", cwd=site.root).returncode == 3
    ran = site.run("a.eval.yaml", "--resume", "r.jsonl")
    assert agent.asked() == Counter(one=1)
    assert "could not be graded, so rerun: `one`" in ran.err
    assert suitecase("gate", "r.jsonl", cwd=site.root).returncode == 0


def test_a_second_chance_after_nobody_knows_what_stays_one(site: Site) -> None:
    CountedAgent(site)
    site.suite(case("one"), HEAD + "\ngates: [pass_rate >= 100%]")
    site.run("a.eval.yaml", "--output", "r.jsonl")
    _edited(site, asked_again_after="zzz")
    site.run("a.eval.yaml", "--resume", "r.jsonl")
    (record,) = lines_of(site.root / "r.jsonl")
    assert record["asked_again_after"] == "fail"
    assert suitecase("gate", "r.jsonl", cwd=site.root).returncode == 3


def test_results_of_a_newer_version_are_not_resumed(site: Site) -> None:
    agent = CountedAgent(site)
    site.suite(case("one") + case("two"), HEAD)
    site.run("a.eval.yaml::one", "--output", "r.jsonl")
    agent.asked()
    _edited(site, schema_version=2)
    before = (site.root / "r.jsonl").read_bytes()
    ran = site.run("a.eval.yaml", "--resume", "r.jsonl")
    assert (ran.code, agent.asked()) == (2, Counter())
    assert "a newer version of Suitecase wrote line 1" in ran.err
    assert (site.root / "r.jsonl").read_bytes() == before
    for options in (["--failed", "r.jsonl"], ["--baseline", "r.jsonl", "--gate", CHANGE]):
        ran = site.run("a.eval.yaml", *options)
        assert (ran.code, agent.asked()) == (2, Counter())
        assert "r.jsonl: a newer version of Suitecase wrote line 1" in ran.err


def test_the_last_record_of_a_case_counts_and_a_torn_line_goes(site: Site) -> None:
    agent = CountedAgent(site)
    site.suite(case("one") + case("two"), HEAD)
    site.run("a.eval.yaml::one", "--output", "r.jsonl")
    (record,) = lines_of(site.root / "r.jsonl")
    first = {**record, "score": 0.0, "verdict": "fail"}
    other = {**record, "suite_path": "other.eval.yaml"}
    lines = [json.dumps(it) for it in (first, other, record)]
    (site.root / "r.jsonl").write_text("\n".join(lines) + '\n{"eval_id": "tw')
    agent.asked()
    ran = site.run("a.eval.yaml", "--resume", "r.jsonl")
    assert ran.code == 0, ran.err
    assert agent.asked() == Counter(two=1)
    records = lines_of(site.root / "r.jsonl")
    assert [(it["suite_path"], it["eval_id"]) for it in records] == [
        ("other.eval.yaml", "one"),
        ("a.eval.yaml", "one"),
        ("a.eval.yaml", "two"),
    ]
    assert list(site.root.glob(".r.jsonl*")) == []


def test_records_of_another_target_stay_and_do_not_count(site: Site) -> None:
    agent = CountedAgent(site)
    site.suite(case("one"), HEAD)
    site.run("a.eval.yaml", "--target", "mock", "--output", "r.jsonl")
    assert site.run("a.eval.yaml", "--resume=r.jsonl").code == 0
    assert agent.asked() == Counter(one=1)
    assert [it["target"] for it in lines_of(site.root / "r.jsonl")] == ["mock", "agent"]


def test_the_newest_file_that_is_not_finished_is_meant(site: Site) -> None:
    CountedAgent(site)
    site.suite(case("one") + case("two"), HEAD)
    site.run("a.eval.yaml::one")
    unfinished = results_of(site)
    site.run("a.eval.yaml")
    os.utime(unfinished, ns=(1, 1))
    ran = site.run("--resume", "a.eval.yaml")
    assert f"resuming {unfinished}" in ran.err
    assert len(lines_of(unfinished)) == 2


def test_nothing_to_resume_is_told(site: Site) -> None:
    agent = CountedAgent(site)
    site.suite(case("one"), HEAD)
    for option in ("--resume", "--resume=no.jsonl"):
        ran = site.run("a.eval.yaml", option)
        assert ran.code == 2
        assert "does not exist; run it without --resume" in ran.err
    assert "exclude each other" in site.run("a.eval.yaml", "--resume", "--no-results").err
    assert not agent.asked()


@pytest.mark.parametrize("left", ["", '{"schema_version": 1, "eval_id": "on'])
def test_a_run_that_was_killed_before_its_first_record_is_begun_again(
    site: Site, left: str
) -> None:
    agent = CountedAgent(site)
    site.suite(case("one") + case("two"), HEAD)
    (site.root / "r.jsonl").write_text(left)
    ran = site.run("a.eval.yaml", "--resume", "r.jsonl")
    assert ran.code == 0, ran.err
    assert "it has 0 of 2 records" in ran.err
    assert agent.asked() == Counter(one=1, two=1)
    assert sorted(it["eval_id"] for it in lines_of(site.root / "r.jsonl")) == ["one", "two"]


def test_a_file_of_something_else_is_not_resumed(site: Site) -> None:
    agent = CountedAgent(site)
    site.suite(case("one"), HEAD)
    for text in ("some notes\n", '{"suite_path": "b.eval.yaml", "eval_id": "one"}\n{"to'):
        (site.root / "r.jsonl").write_text(text)
        ran = site.run("a.eval.yaml", "--resume", "r.jsonl")
        assert ran.code == 2
        assert "has no record of it" in ran.err
        assert (site.root / "r.jsonl").read_text() == text
    assert not agent.asked()


def behave(body: Mapping[str, Any]) -> Answer | str:
    """Never answer the case that is slow."""
    return Answer(stall=True) if "slow" in json.dumps(body["messages"]) else "x"


@contextmanager
def under_way(site: Site, server: OpenAiServer) -> Iterator[ForkedCommand]:
    """Start a run of which all cases but the slow one are graded, and the slow one is asked."""
    entry = {"name": "m", "provider": "openai", "model": "m", "api_base": server.url}
    site.write("targets.yaml", json.dumps({"targets": [{**entry, "api_key": "key", "workers": 9}]}))
    site.suite(
        "".join(case(it, f"x-{it}") for it in ("one", "two", "three", "slow")),
        "execution: {target: m}",
    )
    server.default = behave
    with ForkedCommand(
        "run", "a.eval.yaml", cwd=site.root, env={"PYTHONUNBUFFERED": "1"}
    ) as process:
        try:
            assert process.stdout is not None
            passed = 0
            while passed < 3:
                line = process.stdout.readline()
                assert line, "it ended too early"
                passed += line.startswith("PASS")
            yield process
        finally:
            process.kill()
            process.communicate(timeout=60)


def finish(site: Site, server: OpenAiServer) -> None:
    """Resume, and check that nothing is asked twice and nothing is lost."""
    server.requests.clear()
    server.default = "x"
    ran = site.run("a.eval.yaml", "--resume")
    assert ran.code == 0, ran.err
    (request,) = server.requests
    assert "x-slow" in json.dumps(request.body)
    assert "4 passed" in ran.out
    records = lines_of(results_of(site))
    assert sorted(it["eval_id"] for it in records) == ["one", "slow", "three", "two"]


def test_after_ctrl_c(site: Site, openai_server: OpenAiServer) -> None:
    with under_way(site, openai_server) as process:
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    finish(site, openai_server)


def test_after_kill_9_of_everything_in_the_middle_of_a_line(
    site: Site, openai_server: OpenAiServer
) -> None:
    with under_way(site, openai_server) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        assert children
        for pid in (process.pid, *map(int, children)):
            os.kill(pid, signal.SIGKILL)
    with results_of(site).open("a") as torn:
        torn.write('{"eval_id": "slow", "verd')
    finish(site, openai_server)


def test_after_kill_9_of_the_command_line_alone(site: Site, openai_server: OpenAiServer) -> None:
    with under_way(site, openai_server) as process:
        process.kill()
    # The worker may still be ending; it is waited for.
    finish(site, openai_server)


def test_a_file_that_is_being_written_is_not_resumed(
    site: Site, openai_server: OpenAiServer
) -> None:
    with under_way(site, openai_server):
        ran = site.run("a.eval.yaml", "--resume")
        assert ran.code == 3
        assert "another run is writing" in ran.err
    assert len(lines_of(results_of(site))) == 3
