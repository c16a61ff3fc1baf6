"""The example of each evaluator in the reference is checked, and graded as the page says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

import suitecase
from suitecase.reference.evaluator_examples import EXAMPLES, Example
from suitecase_evaluators.grade import registry

#: Evaluators of what only programs and models report.
BY_PROGRAM = ("tool_trajectory", "latency", "cost", "token_usage")
#: What the program of the target reports beside its answers.
REPORT = {
    "cost_usd": 0.002,
    "token_usage": {"input": 100, "output": 20},
    "duration_ms": 800,
}
CALLS = [
    {"tool": "find_order", "input": {"order": "A-7"}},
    {"tool": "refund", "input": {"order": "A-7"}},
]


def write_workspace(folder: Path) -> Path:
    """Write a suite with a case for each example, and targets that answer as the examples say."""
    cases = [case_of(name, example) for name, example in EXAMPLES.items()]
    suite = folder / "examples.eval.yaml"
    suite.write_text(
        yaml.safe_dump({"execution": {"target": "canned"}, "evalcases": cases}, sort_keys=False)
    )
    answers = {name: {**REPORT, **answer_of(name, EXAMPLES[name])} for name in BY_PROGRAM}
    (folder / "answers.json").write_text(json.dumps(answers))
    (folder / "bot.py").write_text(
        "import json, sys\nprint(json.dumps(json.load(open('answers.json'))[sys.argv[1]]))\n"
    )
    replies = {name: it.reply for name, it in EXAMPLES.items() if it.reply}
    canned = {name: it.answer for name, it in EXAMPLES.items()}
    targets = [
        {"name": "canned", "provider": "mock", "response": canned, "judge_target": "judge"},
        {
            "name": "bot",
            "provider": "cli",
            "command_template": "python3 bot.py {EVAL_ID}",
        },
        {"name": "judge", "provider": "mock", "response": replies},
    ]
    (folder / "targets.yaml").write_text(yaml.safe_dump({"targets": targets}))
    for example in EXAMPLES.values():
        for name, text in example.files.items():
            (folder / name).write_text(text)
    return suite


def case_of(name: str, example: Example) -> dict[str, object]:
    head: dict[str, object] = {
        "id": name,
        "input": "Where is it?",
        "expected_outcome": "A good answer",
    }
    if name in BY_PROGRAM:
        head["execution"] = {"target": "bot"}
    return {**head, **yaml.safe_load(example.case)}


def answer_of(name: str, example: Example) -> dict[str, object]:
    if name != "tool_trajectory":
        return {"text": example.answer}
    turn = {"role": "assistant", "content": example.answer, "tool_calls": CALLS}
    return {"output_messages": [turn]}


def test_each_evaluator_has_an_example() -> None:
    assert set(EXAMPLES) == set(registry.TYPES)
    for name, example in EXAMPLES.items():
        first, *_ = yaml.safe_load(example.case)["evaluators"]
        assert first["type"] == name


@pytest.mark.usefixtures("workers_here")
def test_examples_have_no_findings_and_the_verdicts_that_the_page_names(
    tmp_path: Path,
) -> None:
    (tmp_path / ".git").mkdir()
    suite = write_workspace(tmp_path)
    found = suitecase.check(suite).findings
    others = [it for it in found if it.rule.name != "target-without-model"]
    assert [f"{it.rule.code}: {it.message}" for it in others] == []
    result = suitecase.run_suite(suite)
    graded = {it.eval_id: it.verdict.value for it in result.records}
    assert graded == {name: it.verdict for name, it in EXAMPLES.items()}
