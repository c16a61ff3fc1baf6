"""Which target is made of which entry, and what is said where none can be."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from suitecase_evaluators.targets.config import read_target
from suitecase_evaluators.targets.config.llm import LlmConfig
from suitecase_evaluators.targets.factory import make_target
from suitecase_evaluators.targets.model_call import model_call
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.target import Question, Target, TargetError, Turn

AGENTS = ["codex", "claude-code", "pi", "pi-agent-sdk", "vscode", "vscode-insiders"]


def make(environ: dict[str, str] | None = None, **entry: Any) -> Target:
    config = read_target({"name": "t", **entry})
    return make_target(config, folder=Path(), environ=environ or {})


@pytest.mark.parametrize("provider", AGENTS)
def test_agents_are_not_started_but_told_how_to_be(provider: str) -> None:
    with pytest.raises(TargetError) as caught:
        make(provider=provider)
    assert caught.value.kind == "configuration"
    for part in ("`t`", provider, "`provider: cli`", "command_template", "{PROMPT}"):
        assert part in caught.value.message


def test_a_missing_variable_is_an_error_of_the_environment() -> None:
    with pytest.raises(TargetError, match="ANSWER") as caught:
        make(provider="mock", response="${{ ANSWER }}")
    assert caught.value.kind == "configuration"


async def test_placeholders_are_filled_in() -> None:
    target = make({"ANSWER": "Paris"}, provider="mock", response="It is ${{ ANSWER }}.")
    asked = Question(eval_id="a", turns=(Turn("user", "?"),))
    assert (await target.ask(asked)).text == "It is Paris."


def test_without_litellm_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "litellm", None)
    with pytest.raises(TargetError, match="litellm, which is not installed") as caught:
        make(provider="gemini", model="gemini-2.5-flash")
    assert caught.value.kind == "configuration"
    assert " install " in caught.value.message
    make(provider="openai", model="gpt-4.1-mini")  # which is asked without it


def test_a_shared_redactor_learns_all_secrets() -> None:
    redactor = Redactor()
    config = read_target(
        {"name": "t", "provider": "openai", "model": "m", "api_key": "${{ MINE }}"}
    )
    environ = {"MINE": "first-secret", "OTHER_API_KEY": "second-secret", "HOME": "/home/someone"}
    make_target(config, folder=Path(), environ=environ, redactor=redactor)
    assert redactor("first-secret second-secret /home/someone") == (
        "[redacted] [redacted] /home/someone"
    )


@pytest.mark.parametrize(
    ("entry", "model", "address"),
    [
        ({"provider": "litellm", "model": "ollama/llama3"}, "ollama/llama3", None),
        ({"provider": "openai", "model": "gpt-4.1"}, "openai/gpt-4.1", None),
        ({"provider": "openai", "model": "openai/gpt-4.1"}, "openai/gpt-4.1", None),
        ({"provider": "anthropic", "model": "claude-x"}, "anthropic/claude-x", None),
        ({"provider": "gemini"}, "gemini/gemini-2.5-flash", None),
        ({"provider": "google", "model": "gemini-x"}, "gemini/gemini-x", None),
        (
            {"provider": "azure", "resource": "res", "deployment": "dep", "model": "other"},
            "azure/dep",
            "https://res.openai.azure.com",
        ),
        (
            {"provider": "azure-openai", "endpoint": "https://x.example/", "model": "dep"},
            "azure/dep",
            "https://x.example",
        ),
    ],
)
def test_names_of_models_and_addresses(
    entry: dict[str, Any], model: str, address: str | None
) -> None:
    config = read_target({"name": "t", **entry})
    assert isinstance(config, LlmConfig)
    call = model_call(config, {})
    assert (call.named(None), call.address) == (model, address)


def test_the_usual_variable_gives_the_key() -> None:
    config = read_target({"name": "t", "provider": "gemini"})
    assert isinstance(config, LlmConfig)
    assert model_call(config, {"GOOGLE_API_KEY": "k1"}).api_key == "k1"


def test_anthropic_thinks_within_its_budget() -> None:
    entry = {"name": "t", "provider": "anthropic", "model": "m", "thinking_budget": 2048}
    config = read_target(entry)
    assert isinstance(config, LlmConfig)
    assert model_call(config, {}).arguments["thinking"] == {
        "type": "enabled",
        "budget_tokens": 2048,
    }
