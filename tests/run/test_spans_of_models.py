"""The spans of what models are asked, by the conventions for generative AI.

Loading the library for models takes seconds, so one run serves all tests of what is exported.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from suitecase.run.call_spans import callee_of
from suitecase_evaluators.targets.config import read_target
from support.running.site import Ran, Site
from support.servers.openai import (  # pyright: ignore[reportMissingImports] - see tests/conftest.py
    Answer,
    OpenAiServer,
)
from support.servers.otlp import OtlpReceiver, Received, messages

KEY = "sk-suitecase-very-secret-0123456789"
RECEIVER_KEY = "receivers-own-key-0123456789"
GOOD_REPLY = '{"reasoning": "Right.", "hits": ["names Paris"], "misses": [], "score": 0.9}'


def behave(body: Mapping[str, Any]) -> Answer | str:
    """Answer as the model's name says."""
    match body["model"]:
        case "judge":
            return GOOD_REPLY
        case "no-entry":
            return Answer(status=401, error="Capital of France? Not for you.")
        case _:
            return Answer(text=f"Paris, says {KEY} to {RECEIVER_KEY}.", finish_reason="length")


@dataclass(frozen=True)
class ModelRun:
    """The run, what was asked, and what the receiver got."""

    ran: Ran
    receiver: OtlpReceiver
    server: OpenAiServer

    def call(self, name: str, case: str) -> Received:
        """Return the span of a call for a case."""
        spans = self.receiver.named(name)
        (span,) = (it for it in spans if it.attributes["suitecase.case.id"] == case)
        return span


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelRun]:
    """One run against models, with what is asked and answered on its spans."""
    site = Site(tmp_path_factory.mktemp("models"))
    server = OpenAiServer()
    server.default = behave
    receiver = OtlpReceiver()

    def model(name: str, **more: Any) -> dict[str, Any]:
        return {
            "name": name,
            "provider": "litellm",
            "model": f"openai/{name}",
            "api_base": server.url,
            "api_key": "${{ SUITECASE_TEST_KEY }}",
            "judge_target": "judge",
            "retry": {"max_retries": 0},
            **more,
        }

    good = {"temperature": 0.25, "max_output_tokens": 64, "seed": 7, "params": {"top_p": 0.5}}
    targets = [model("good", **good), model("no-entry"), model("judge")]
    site.write("targets.yaml", json.dumps({"targets": targets}))
    site.suite(
        "\n".join(
            f"- {{id: {it}, expected_outcome: Names Paris., input: 'Capital of France?', "
            f"execution: {{target: {it}}}}}"
            for it in ("good", "no-entry")
        )
    )
    ran = site.run(
        "a.eval.yaml",
        "--no-results",
        env={
            **receiver.environment,
            "OTEL_EXPORTER_OTLP_HEADERS": f"api-key={RECEIVER_KEY}",
            "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true",
            "SUITECASE_TEST_KEY": KEY,
        },
    )
    yield ModelRun(ran, receiver, server)
    receiver.close()
    server.close()


def test_a_model_is_a_chat_with_what_was_asked_of_it_and_what_it_took(run: ModelRun) -> None:
    call = run.call("chat good", "good")
    assert call.kind == "client"
    port = int(run.server.url.split(":")[2].removesuffix("/v1"))
    assert {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "good",
        "gen_ai.request.temperature": 0.25,
        "gen_ai.request.max_tokens": 64,
        "gen_ai.request.seed": 7,
        "gen_ai.request.top_p": 0.5,
        "gen_ai.response.model": "good",
        "gen_ai.response.id": "chatcmpl-1",
        "gen_ai.response.finish_reasons": ["length"],
        "gen_ai.usage.input_tokens": 11,
        "gen_ai.usage.output_tokens": 7,
        "server.address": "127.0.0.1",
        "server.port": port,
        "suitecase.target.name": "good",
        "suitecase.target.role": "target",
    }.items() <= call.attributes.items()


def test_a_judge_is_a_chat_too(run: ModelRun) -> None:
    call = run.call("chat judge", "good")
    assert call.attributes["suitecase.target.role"] == "judge"
    assert call.attributes["gen_ai.request.temperature"] == 0.0
    assert call.attributes["gen_ai.usage.output_tokens"] == 7


def test_a_model_that_refuses_is_an_error(run: ModelRun) -> None:
    call = run.call("chat no-entry", "no-entry")
    assert call.failed
    assert call.attributes["error.type"] == "rejected"
    assert "Not for you" in call.description
    assert not [it for it in run.receiver.under(call) if it.name.startswith("chat")]


def test_what_is_asked_and_answered_is_exported_where_the_environment_wants_it(
    run: ModelRun,
) -> None:
    call = run.call("chat good", "good")
    message = {"role": "user", "parts": [{"type": "text", "content": "Capital of France?"}]}
    assert messages(call, "gen_ai.input.messages") == [message]
    (answer,) = messages(call, "gen_ai.output.messages")
    assert answer["role"] == "assistant"
    assert answer["finish_reason"] == "length"
    (part,) = answer["parts"]
    assert part["content"] == "Paris, says [redacted] to [redacted]."
    (judged,) = (
        it for it in run.receiver.spans if "gen_ai.evaluation.explanation" in it.attributes
    )
    assert judged.attributes["gen_ai.evaluation.explanation"] == "Right."


def test_no_secret_is_exported(run: ModelRun) -> None:
    assert KEY.encode() not in run.receiver.raw
    assert RECEIVER_KEY.encode() not in run.receiver.raw
    assert RECEIVER_KEY not in run.ran.out


@pytest.mark.parametrize(
    ("entry", "model", "provider", "name"),
    [
        ({"provider": "openai", "model": "gpt-4.1"}, None, "openai", "gpt-4.1"),
        ({"provider": "openai", "model": "gpt-4.1"}, "o3", "openai", "o3"),
        ({"provider": "openai", "model": "acme/own"}, None, "openai", "acme/own"),
        (
            {"provider": "azure", "resource": "r", "deployment": "mine"},
            None,
            "azure.ai.openai",
            "mine",
        ),
        ({"provider": "anthropic", "model": "claude"}, None, "anthropic", "claude"),
        ({"provider": "gemini"}, None, "gcp.gemini", "gemini-2.5-flash"),
        ({"provider": "litellm", "model": "bedrock/claude"}, None, "aws.bedrock", "claude"),
        ({"provider": "litellm", "model": "ollama/llama3"}, None, "ollama", "llama3"),
        ({"provider": "litellm", "model": "gpt-4.1"}, None, "litellm", "gpt-4.1"),
    ],
)
def test_providers_have_the_names_of_the_conventions(
    entry: dict[str, Any], model: str | None, provider: str, name: str
) -> None:
    callee = callee_of(read_target({"name": "it", **entry}), model)
    assert (callee.provider, callee.model) == (provider, name)
