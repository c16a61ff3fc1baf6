"""A whole number that is too large for a float is a finding, or a number like others, and never a bug of ours."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.running.processes import suitecase
from support.running.site import Site

#: How many zeros numbers have: one more than any float, and more than Python converts.
ZEROS = (309, 5000)
CONTAINS = "{name: e, type: contains, value: alpha}"


def _own(evaluator: str = CONTAINS, more: str = "") -> str:
    return f"evalcases:\n  - {{id: a, input: hi, expected_outcome: x, evaluators: [{evaluator}]{more}}}\n"


SUITES = {
    "a weight": _own("{name: e, type: contains, value: alpha, weight: N}"),
    "weights": _own(
        "{name: e, type: contains, value: alpha, weight: N}, {name: f, type: contains, value: b}"
    ),
    "a rubric's weight": _own(
        "{name: j, type: llm_judge}", ", rubrics: [{id: r, expected_outcome: z, weight: N}]"
    ),
    "a rubric's least score": _own(
        "{name: j, type: llm_judge}",
        ", rubrics: [{id: r, expected_outcome: z, required_min_score: N, score_ranges: {0: y, 3: x}}]",
    ),
    "repeats": "execution: {repeats: N}\n" + _own(),
    "a latency": _own("{name: e, type: latency, max_ms: N}"),
}
PROMPTFOO = {
    "a threshold of a test": {"assert": [{"type": "contains", "value": "x"}], "threshold": 0},
    "a threshold": {
        "assert": [{"type": "llm-rubric", "value": "x", "threshold": 0, "provider": "echo"}]
    },
    "a weight": {"assert": [{"type": "contains", "value": "x", "weight": 0}]},
    "a latency": {"assert": [{"type": "latency", "threshold": 0}]},
}


@pytest.mark.parametrize("zeros", ZEROS)
@pytest.mark.parametrize("what", SUITES)
def test_in_a_suite(site: Site, what: str, zeros: int) -> None:
    site.write("a.eval.yaml", SUITES[what].replace("N", "1" + "0" * zeros))
    _is_no_bug(site, "a.eval.yaml")


@pytest.mark.parametrize("zeros", ZEROS)
@pytest.mark.parametrize("what", PROMPTFOO)
def test_in_a_configuration_of_promptfoo(site: Site, what: str, zeros: int) -> None:
    test = json.dumps(PROMPTFOO[what])
    for key in ("threshold", "weight"):
        test = test.replace(f'"{key}": 0', f'"{key}": 1{"0" * zeros}')
    site.write(
        "promptfooconfig.yaml", f'{{"prompts": ["hi"], "providers": ["echo"], "tests": [{test}]}}'
    )
    _is_no_bug(site, "promptfooconfig.yaml")


@pytest.mark.parametrize("zeros", ZEROS)
@pytest.mark.parametrize("key", ["latencyMs", "score"])
@pytest.mark.parametrize("name", ["out.json", "out.jsonl"])
def test_in_results_of_promptfoo(site: Site, name: str, key: str, zeros: int) -> None:
    row: dict[str, Any] = {
        "testIdx": 0,
        "promptIdx": 0,
        "success": True,
        "score": 1,
        "latencyMs": 5,
    }
    row |= {
        "response": {"output": "hi"},
        "gradingResult": {"pass": True, "score": 1, "reason": "x"},
    }
    text = json.dumps(row | {key: "N"}).replace('"N"', "1" + "0" * zeros)
    site.write(
        name, text + "\n" if name.endswith("l") else f'{{"results": {{"results": [{text}]}}}}'
    )
    for command in ("metrics", "report", "gate"):
        ended = suitecase(command, name, cwd=site.root)
        assert ended.returncode != 4, ended.stderr


def _is_no_bug(site: Site, name: str) -> None:
    for command in ("check", "run"):
        ended = suitecase(command, name, cwd=site.root)
        assert ended.returncode in (0, 1, 2, 3), ended.stderr
        assert "Traceback" not in ended.stderr
        assert len(ended.stdout + ended.stderr) < 3_000
