"""`--cache`: runs one after the other, or two at once, call for each answer only once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from suitecase.run.answer_cache import cache_key
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.target import Question, Turn
from support.running.forked import ForkedCommand
from support.running.site import Site
from support.servers.openai import OpenAiServer  # pyright: ignore[reportMissingImports] - see conftest.py
from support.suites.counted_agent import CountedAgent

KEY = "sk-suitecase-very-secret-0123456789"
SAYS_X = "evaluators: [{name: e, type: contains, value: x}]"
CASES = f"""
- {{id: one, expected_outcome: x, input: x1, {SAYS_X}}}
- {{id: two, expected_outcome: x, input: x2, {SAYS_X}}}
"""
CACHED = ("a.eval.yaml", "--no-results", "--format", "json", "--cache", "read")


@pytest.fixture
def agent(site: Site) -> CountedAgent:
    site.suite(CASES, "execution: {target: agent}")
    return CountedAgent(site)


def told_by(site: Site, *options: str) -> dict[str, Any]:
    ran = site.run(*CACHED, *options)
    assert ran.code == 0, ran.err
    told: dict[str, Any] = json.loads(ran.out)
    return told


def test_the_cache_is_off_unless_it_is_asked_for(site: Site, agent: CountedAgent) -> None:
    for _ in range(2):
        site.run("a.eval.yaml", "--no-results")
    assert agent.asked() == Counter(one=2, two=2)
    assert not (site.root / ".suitecase").exists()


def test_what_was_answered_is_not_asked_again_and_said_so(site: Site, agent: CountedAgent) -> None:
    first = told_by(site)
    assert agent.asked() == Counter(one=1, two=1)
    second = told_by(site)
    assert not agent.asked()
    assert [it["details"].get("cached") for it in first["results"]] == [None, None]
    assert [it["details"]["cached"] for it in second["results"]] == [True, True]
    assert second["summary"]["spending"]["cached"] == 2
    answers = [
        {it["eval_id"]: it["candidate_answer"] for it in outcome["results"]}
        for outcome in (first, second)
    ]
    assert answers[0] == answers[1] == {"one": "x1", "two": "x2"}
    ran = site.run("a.eval.yaml", "--no-results", "--cache", "read")
    assert "2 of 2 answers came from the cache" in ran.out
    # What the cache holds is not committed by accident; targets beside it are.
    assert (site.root / ".suitecase/.gitignore").read_text() == "cache.sqlite3*\n"


def test_refresh_asks_again_and_keeps_the_new_answers(site: Site, agent: CountedAgent) -> None:
    told_by(site)
    agent.asked()
    assert site.run(*CACHED[:-1], "refresh").code == 0
    assert agent.asked() == Counter(one=1, two=1)
    told_by(site)
    assert not agent.asked()


def test_another_question_target_or_repeat_is_another_answer(
    site: Site, agent: CountedAgent
) -> None:
    told_by(site)
    agent.asked()
    told_by(site, "--repeat", "2")
    assert agent.asked() == Counter(one=1, two=1)
    path = site.root / "a.eval.yaml"
    path.write_text(path.read_text().replace("x2", "x3"))
    told_by(site)
    assert agent.asked() == Counter(two=1)
    # How many are asked at once changes no answer; how the program is started may.
    targets = site.root / "targets.yaml"
    targets.write_text(targets.read_text().replace('"name"', '"workers": 1, "name"'))
    told_by(site)
    assert not agent.asked()
    targets.write_text(targets.read_text().replace("{EVAL_ID}", "{EVAL_ID} "))
    told_by(site)
    assert agent.asked() == Counter(one=1, two=1)


def test_a_failure_is_not_kept(site: Site, agent: CountedAgent) -> None:
    agent.behave(fail=("one",))
    assert site.run(*CACHED).code == 3
    agent.behave()
    agent.asked()
    told_by(site)
    assert agent.asked() == Counter(one=1)


@pytest.mark.parametrize(
    "rubbish", [b"no database at all" * 100, b"SQLite format 3\0" + b"\xff" * 4096]
)
def test_a_broken_cache_is_told_and_the_run_goes_on(
    site: Site, agent: CountedAgent, rubbish: bytes
) -> None:
    (site.root / ".suitecase").mkdir()
    (site.root / ".suitecase/cache.sqlite3").write_bytes(rubbish)
    ran = site.run(*CACHED)
    assert ran.code == 0, ran.err
    assert agent.asked() == Counter(one=1, two=1)
    (warning,) = json.loads(ran.out)["warnings"]
    assert "cache.sqlite3 cannot be used" in warning
    assert f"warning: {warning}" in ran.err


def test_a_cache_that_breaks_in_the_middle_is_told_once(site: Site, agent: CountedAgent) -> None:
    told_by(site)
    # It opens, and then there is nothing sound to read or write.
    path = site.root / ".suitecase/cache.sqlite3"
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    agent.asked()
    messages = told_by(site)
    assert agent.asked() == Counter(one=1, two=1)
    assert len(messages["warnings"]) == 1


def test_keys_of_earlier_versions_are_still_found() -> None:
    turns = (Turn("system", "Be kind."), Turn("user", "Hi"))
    key = cache_key(
        "openai",
        Question(eval_id="greets", turns=turns),
        Redactor(),
        repeat=1,
        purpose="answer",
        of_model=False,
        takes_files=False,
        row_fields=("repeat",),
    )
    assert key == "c597c05a90285830a24bfe5a9e2fca226c59579aa58678191c1b316b9e67e931"


@dataclass(frozen=True)
class ModelRuns:
    """Runs of a suite with a model and a judge, two of them at once."""

    asked: Counter[str]
    codes: list[int]
    later: dict[str, Any]
    asked_later: int
    cache: Path


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelRuns]:
    site = Site(tmp_path_factory.mktemp("cached-models"))
    server = OpenAiServer()

    def behave(body: Mapping[str, Any]) -> str:
        judged = '{"reasoning": "Right.", "hits": [], "misses": [], "score": 1}'
        if body["model"] == "judge":
            return judged
        return f"Your key is {KEY}." if "question 7" in json.dumps(body["messages"]) else "Paris"

    server.default = behave
    common = {"provider": "openai", "api_base": server.url, "api_key": "${{ SUITECASE_TEST_KEY }}"}
    targets = [
        {"name": "asked", "model": "asked", "judge_target": "judge", **common},
        {"name": "judge", "model": "judge", **common},
        # The same by another name and key: the same answers.
        {
            "name": "again",
            "model": "asked",
            "judge_target": "judge",
            **common,
            "api_key": "sk-other-0123",
        },
    ]
    site.write("targets.yaml", json.dumps({"targets": targets}))
    cases = "".join(
        f"- {{id: case-{it}, expected_outcome: x, input: question {it}}}\n" for it in range(20)
    )
    site.suite(cases, "execution: {target: asked}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SUITECASE_TEST_KEY", KEY)
        together = [ForkedCommand("run", *CACHED, cwd=site.root) for _ in range(2)]
        for process in together:
            process.communicate(timeout=120)
        models_asked = Counter(it.body["model"] for it in server.requests)
        server.requests.clear()
        later = told_by(site, "--target", "again")
    yield ModelRuns(
        models_asked,
        [it.returncode for it in together],
        later,
        len(server.requests),
        site.root / ".suitecase",
    )
    server.close()


def test_two_runs_at_once_share_a_cache(runs: ModelRuns) -> None:
    assert runs.codes == [0, 0]
    # Each of them asks what the other has not answered yet.
    assert all(20 <= number <= 40 for number in runs.asked.values())
    assert set(runs.asked) == {"asked", "judge"}


def test_judges_are_cached_too_and_an_answer_with_a_secret_is_not(runs: ModelRuns) -> None:
    assert runs.asked_later == 1
    assert runs.later["summary"]["spending"]["cached"] == 39
    uncached = [it["eval_id"] for it in runs.later["results"] if "cached" not in it["details"]]
    assert uncached == ["case-7"]


def test_no_secret_is_in_the_cache(runs: ModelRuns) -> None:
    files = [it for it in runs.cache.rglob("*") if it.is_file()]
    assert any(b"Paris" in it.read_bytes() for it in files)
    assert not any(KEY.encode() in it.read_bytes() for it in files)
