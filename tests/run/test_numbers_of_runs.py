"""Numbers keep all their digits from the suite and the answer to the record, and back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.running.site import Ran, Site

ORDER, RATE = "9007199254740993", "0.12345678901234567891"
OTHER_ORDER, OTHER_RATE = "9007199254740992", "0.12345678901234567892"
ANSWER = f'{{"order": {ORDER}, "rate": {RATE}}}'
OTHER = f'{{"order": {OTHER_ORDER}, "rate": {OTHER_RATE}}}'
#: An answer with structured content, and a call of a tool.
PROGRAM = (
    f'print(\'{{"output_messages": [{{"role": "assistant", "content": {ANSWER}, '
    f'"tool_calls": [{{"tool": "look", "input": {ANSWER}}}]}}]}}\')'
)
GRADERS = """\
    - {name: fields, type: field_accuracy, fields: [{path: order}, {path: rate}]}
"""
CALLS = (
    "    - {name: calls, type: tool_trajectory, mode: exact, expected: [{tool: look, args: %s}]}\n"
)


@pytest.fixture
def asked(site: Site) -> Site:
    """Return a workspace whose target answers with the numbers."""
    command = site.program("answer.py", PROGRAM)
    site.write(
        "targets.yaml",
        f"targets:\n  - {{name: program, provider: cli, command_template: '{command}'}}\n",
    )
    return site


def cases() -> str:
    return "".join(
        f"  - id: {name}\n    input: Which order?\n    expected_outcome: Names it\n"
        f"    expected_output: {expected}\n    evaluators:\n"
        f"{GRADERS}{CALLS % expected}".replace("    - {", "      - {")
        for name, expected in (("right", ANSWER), ("wrong", OTHER))
    )


def verdicts(ran: Ran) -> dict[str, list[str]]:
    return {
        name: [result["verdict"] for result in record["evaluator_results"]]
        for name, record in ran.records.items()
    }


def rates(path: Path) -> set[str]:
    """Return the numbers of a results file under `rate`, as they are written."""
    found: set[str] = set()

    def noted(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found.update(str(value) for key, value in pairs if key == "rate")
        return dict(pairs)

    for line in path.read_text().splitlines():
        json.loads(line, parse_float=str, object_pairs_hook=noted)
    return found


def test_a_suite_an_answer_its_record_and_its_replay_have_all_digits(asked: Site) -> None:
    asked.write("a.eval.yaml", f"execution: {{target: program}}\nevalcases:\n{cases()}")
    decided = {"right": ["pass", "pass"], "wrong": ["fail", "fail"]}
    ran = asked.run("a.eval.yaml", "--format", "jsonl", "--output", "one.jsonl")
    assert verdicts(ran) == decided, ran.err
    assert rates(asked.root / "one.jsonl") == {RATE}
    again = asked.run(
        "a.eval.yaml", "--format", "jsonl", "--replay", "one.jsonl", "--output", "two.jsonl"
    )
    assert verdicts(again) == decided, again.err
    assert rates(asked.root / "two.jsonl") == {RATE}
    record = again.records["wrong"]
    assert f"`rate` is {RATE}, expected {OTHER_RATE}" in record["misses"]
    assert f"`order` is {ORDER}, expected {OTHER_ORDER}" in record["misses"]


def test_the_cache_returns_an_answer_with_all_digits(asked: Site) -> None:
    asked.write("a.eval.yaml", f"execution: {{target: program}}\nevalcases:\n{cases()}")
    decided = {"right": ["pass", "pass"], "wrong": ["fail", "fail"]}
    arguments = ("a.eval.yaml", "--format", "jsonl", "--cache", "read", "--no-results")
    first, ran = asked.run(*arguments), asked.run(*arguments)
    assert verdicts(first) == verdicts(ran) == decided, ran.err
    assert ran.records["right"]["details"]["cached"] is True


def test_a_data_set_has_all_digits(asked: Site) -> None:
    asked.write("a.yaml", f"execution:\n  target: program\n  evaluators:\n{GRADERS}")
    lines = (
        f'{{"id": "{name}", "input": "Which?", "expected_outcome": "x", '
        f'"expected_output": {text}}}\n'
        for name, text in (("right", ANSWER), ("wrong", OTHER))
    )
    asked.write("a.jsonl", "".join(lines))
    ran = asked.run("a.jsonl", "--format", "jsonl")
    assert verdicts(ran) == {"right": ["pass"], "wrong": ["fail"]}, ran.err


def test_numbers_that_differ_beyond_a_float_are_different_suites(asked: Site) -> None:
    hashes = set()
    for rate in (RATE, OTHER_RATE):
        asked.write(
            "a.eval.yaml",
            "execution: {target: program}\nevalcases:\n  - id: a\n    input: x\n"
            "    expected_outcome: x\n    evaluators:\n"
            f"      - {{name: n, type: number, value: {rate}}}\n",
        )
        ran = asked.run("a.eval.yaml", "--format", "jsonl", "--no-results")
        hashes.add(ran.records["a"]["effective_hash"])
    assert len(hashes) == 2
