"""A replay says what the run said, whatever a judge's replies were: nothing that reading them depends on is lost."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from support.running.site import Site, lines_of
from support.servers.openai import (  # pyright: ignore[reportMissingImports] - see tests/conftest.py
    Answer,
    OpenAiServer,
)

GOOD = {"reasoning": "Right.", "hits": [], "misses": [], "score": 0.9}
QUOTED = (
    '{"reasoning": "The answer says \\"Paris". It has the form {"reasoning": "so", "score": 1.0}\n'
    "Let me count again, since the answer"
)
LOOP = '{"reasoning": "It is right. ' + "It is the capital. " * 40


def cut_off(text: str) -> Answer:
    return Answer(text=text, finish_reason="length")


def checks(*names: str) -> str:
    entries = {name: {"reasoning": "seen", "satisfied": True} for name in names}
    return json.dumps({"checks": entries, "overall_reasoning": "Fine."})


BROKEN = '{"reasoning": "' + "so " * 4_000
#: By case, what the judge replies the first time, the second and the third; a dict is a good verdict.
JUDGES: dict[str, list[Answer | str | dict[str, Any]]] = {
    "readable": [GOOD],
    "cut-off": [cut_off(QUOTED)] * 3,
    "cut-off-and-asked-again": [cut_off(QUOTED), GOOD],
    "in-a-loop": [cut_off(LOOP), cut_off(f"Well. {LOOP}"), GOOD],
    "repeated": ["I think so.", "I think so.", GOOD],
    "three-unreadable": ["One.", "Two.", "Three."],
    "too-long-to-record": [BROKEN, GOOD],
    "too-long-and-repeated": [BROKEN, BROKEN, GOOD],
    "retry-refused": ["I think so.", Answer(status=400, error="exceeds the available context size")],
    "cut-off-and-refused": [cut_off(QUOTED), *[Answer(status=400, error="too long")] * 9],
    "items-left-out": [checks("a"), checks("a"), checks("a", "b")],
    "items-by-name": [checks("a", "b")],
    "blank": [" \n{}", "{}", GOOD],
    "voted": [GOOD, cut_off(QUOTED), "no", GOOD, GOOD],
    "preferred": [cut_off(QUOTED), '{"better": "first"}', "I think so.", Answer(status=400)],
    "members": [cut_off(QUOTED), *[Answer(status=400)] * 9],
    "off-the-scale": [{**GOOD, "score": 7}] * 3,
    "several-verdicts": [f"{json.dumps(GOOD)} or {json.dumps({**GOOD, 'score': 0.1})}"] * 3,
}  # fmt: skip
EVALUATORS: dict[str, list[dict[str, Any]]] = {
    "voted": [{"name": "q", "type": "llm_judge", "votes": 3}],
    "preferred": [{"name": "q", "type": "preference", "against": "reference"}],
    "members": [
        {
            "name": "both",
            "type": "composite",
            "aggregator": {"type": "weighted_average"},
            "evaluators": [
                {"name": "q", "type": "llm_judge"},
                {"name": "c", "type": "contains", "value": "Paris"},
            ],
        }
    ],
}
COMPARED = ("verdict", "score", "parse_failed", "attempts", "error", "reasoning", "gate_failed")


class Judge:
    """Answers "Paris", and judges each case by its script."""

    def __init__(self) -> None:
        self.scripts = {name: list(replies) for name, replies in JUDGES.items()}

    def __call__(self, body: Mapping[str, Any]) -> Answer | str:
        text = json.dumps(body["messages"])
        case = re.search(r"case:([a-z-]+)", text)
        if body["messages"][0]["role"] != "system" or case is None:
            return "Paris"
        replies = self.scripts[case[1]]
        reply = replies.pop(0) if len(replies) > 1 else replies[0]
        return json.dumps(reply) if isinstance(reply, dict) else reply


def results_of(path: Path) -> dict[str, Any]:
    return {
        record["eval_id"]: (
            [{name: record.get(name) for name in COMPARED}],
            [[result.get(name) for name in COMPARED] for result in record["evaluator_results"]],
        )
        for record in lines_of(path)
    }


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A run of each case; its results are `run.jsonl`."""
    site = Site(tmp_path_factory.mktemp("replayed"))
    server = OpenAiServer()
    server.default = Judge()
    target: dict[str, Any] = {
        "name": "bot",
        "provider": "openai",
        "model": "bot",
        "api_base": server.url,
    }
    target |= {"api_key": "sk-loopback", "retry": {"max_retries": 0}, "workers": 1}
    site.write("targets.yaml", json.dumps({"targets": [target]}))
    cases = [
        {
            "id": name,
            "input": f"case:{name}",
            "expected_output": "Rome",
            "expected_outcome": "Names Paris",
            **({"rubrics": [{"id": "a", "expected_outcome": "a"}, {"id": "b", "expected_outcome": "b"}]} if name.startswith("items") else {}),
            **({"evaluators": EVALUATORS[name]} if name in EVALUATORS else {}),
        }
        for name in JUDGES
    ]  # fmt: skip
    site.suite(json.dumps(cases), "execution: {target: bot}")
    ran = site.run("a.eval.yaml", "--output", "run.jsonl", "--max-errors", "0")
    assert ran.code in (1, 3), ran.err
    server.close()
    return site


def test_each_case_came_to_something_else(site: Site) -> None:
    found = {
        name: tuple(compared[1][0][:4])
        for name, compared in results_of(site.root / "run.jsonl").items()
    }
    assert found["readable"] == ("pass", 0.9, False, 1)
    assert found["cut-off"] == ("fail", 0.0, True, 3)
    assert found["cut-off-and-asked-again"] == ("pass", 0.9, False, 2)
    assert found["in-a-loop"] == ("fail", 0.0, True, 2)
    assert found["repeated"] == ("pass", 0.9, False, 3)
    assert found["retry-refused"] == ("fail", 0.0, True, 1)
    assert found["items-by-name"] == ("pass", 1.0, False, 1)
    assert found["preferred"][2] is True


@pytest.mark.parametrize("again", [1, 2], ids=["replay", "replay of the replay"])
def test_a_replay_says_what_the_run_said(site: Site, again: int) -> None:
    before = "run.jsonl" if again == 1 else "replay-1.jsonl"
    if not (site.root / before).exists():
        pytest.skip("there is no first replay")
    after = f"replay-{again}.jsonl"
    site.run("a.eval.yaml", "--replay", before, "--output", after)
    expected, found = (results_of(site.root / name) for name in ("run.jsonl", after))
    assert found == expected


def test_records_of_versions_without_reasons_of_ending_are_replayed_alike(site: Site) -> None:
    lines = lines_of(site.root / "run.jsonl")
    kept = [
        line
        for line in lines
        if "refused" not in line["eval_id"] and line["eval_id"] not in EVALUATORS
    ]
    for record in kept:
        for result in record["evaluator_results"]:
            for name in ("finish_reasons", "output_tokens"):
                result["details"].pop(name, None)
    text = "".join(f"{json.dumps(line)}\n" for line in kept)
    site.write("older.jsonl", text)
    ids = [f"a.eval.yaml::{line['eval_id']}" for line in kept]
    site.run(*ids, "--replay", "older.jsonl", "--output", "older-replayed.jsonl")
    found = results_of(site.root / "older-replayed.jsonl")
    assert found == {
        name: compared
        for name, compared in results_of(site.root / "run.jsonl").items()
        if name in found
    }
    assert len(found) == len(kept)


@pytest.mark.parametrize(
    ("case", "expected"),
    [("off-the-scale", ("pass", 1.0, True)), ("several-verdicts", ("pass", 0.9, False))],
)
def test_what_a_version_took_that_did_not_ask_again_is_marked_in_its_replay(
    site: Site, case: str, expected: tuple[str, float, bool]
) -> None:
    (record,) = [line for line in lines_of(site.root / "run.jsonl") if line["eval_id"] == case]
    (result,) = record["evaluator_results"]
    result |= {"attempts": 1, "parse_failed": False}
    result["details"] = {**result["details"], "replies": result["details"]["replies"][:1]}
    del result["details"]["reply_problems"]
    record["parse_failed"] = False
    site.write("once.jsonl", f"{json.dumps(record)}\n")
    ran = site.run(
        f"a.eval.yaml::{case}", "--replay", "once.jsonl", "--output", f"marked-{case}.jsonl"
    )
    (replayed,) = lines_of(site.root / f"marked-{case}.jsonl")
    assert (replayed["verdict"], replayed["score"], replayed["parse_failed"]) == expected
    assert ran.code == (3 if expected[-1] else 0)
    (told,) = [line for line in ran.out.splitlines() if line.startswith("    ? ")]
    assert "no further reply was recorded" not in told


EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    "suite",
    ["support-replies", "explanations", "invoice-extraction", "gates/card-numbers", "gates/topics"],
)
def test_each_example_is_replayed_as_it_was_run(tmp_path: Path, suite: str) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    site = Site(tmp_path / "examples")
    first = site.run(f"{suite}.eval.yaml", "--output", "run.jsonl")
    again = site.run(f"{suite}.eval.yaml", "--replay", "run.jsonl", "--output", "again.jsonl")
    assert again.code == first.code
    assert results_of(site.root / "again.jsonl") == results_of(site.root / "run.jsonl")
