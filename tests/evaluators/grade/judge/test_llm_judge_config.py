"""What an `llm_judge` entry may say, and how mistakes in it are told."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from pydantic import ValidationError

from suitecase_evaluators.grade.judge.config import LlmJudgeConfig, PromptScript
from support.evaluators.scripted_judge import config


def test_every_field_has_a_text_for_hovers() -> None:
    for model in (LlmJudgeConfig, PromptScript):
        described = {name: it.description for name, it in model.model_fields.items()}
        assert all(text for name, text in described.items() if name != "type"), described


def test_a_prompt_is_a_text_or_a_script() -> None:
    assert config(prompt="judge.md").prompt == "judge.md"
    found = config(prompt={"script": ["python", "prompt.py"], "config": {"a": 1}}).prompt
    assert found == PromptScript(script=["python", "prompt.py"], config={"a": 1})


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"prompt": " "}, ("prompt", "<text>")),
        ({"prompt": {"script": []}}, ("prompt", "<mapping>", "script", "<list>")),
        ({"prompt": {"script": [""]}}, ("prompt", "<mapping>", "script", "<list>", 0)),
        ({"prompt": {"scrpt": "x"}}, ("prompt", "<mapping>", "script")),
        ({"temperature": 2.5}, ("temperature",)),
        ({"max_output_tokens": 0}, ("max_output_tokens",)),
        ({"weight": float("inf")}, ("weight",)),
        ({"rubrics": [{"id": "a"}]}, ("rubrics", 0, "<mapping>")),
        ({"judge": "gpt"}, ("judge",)),
    ],
)
def test_mistakes_are_told_where_they_stand(fields: dict[str, Any], place: tuple[Any, ...]) -> None:
    with pytest.raises(ValidationError) as caught:
        config(**fields)
    assert caught.value.errors()[0]["loc"] == place


@pytest.mark.parametrize(
    "ranges",
    [
        {"3": "starts too late"},
        [{"score_range": [0, 5], "expected_outcome": "a"}],
        [
            {"score_range": [0, 5], "expected_outcome": "a"},
            {"score_range": [5, 10], "expected_outcome": "b"},
        ],
    ],
    ids=["start", "coverage", "overlap"],
)
def test_invalid_range_rubrics_are_rejected(ranges: Any) -> None:
    with pytest.raises(ValidationError, match="score ranges: "):
        config(rubrics=[{"id": "a", "score_ranges": ranges}])


def test_reading_configurations_loads_no_heavy_module() -> None:
    code = (
        "import sys, suitecase_evaluators.grade.judge.config, suitecase_evaluators.grade.judge.template, "
        "suitecase_evaluators.grade.criteria\n"
        "print({'litellm', 'jsonschema', 'tenacity', 'asyncio', 'scipy'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
