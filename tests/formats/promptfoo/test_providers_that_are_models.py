"""Providers that are models: what their servers are asked, and what of it a run says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.running.site import Ran, Site
from support.servers.openai import Answer, OpenAiServer

TESTS = """\
prompts: ["Capital of {{country}}?"]
tests:
  - vars: {country: France}
    assert: [{type: icontains, value: paris}]
"""


def run(site: Site, providers: str, *arguments: str, **env: str) -> Ran:
    """Run a configuration with these providers; records are printed."""
    site.write("promptfooconfig.yaml", f"{providers}\n{TESTS}")
    return site.run("promptfooconfig.yaml", "--format", "jsonl", *arguments, env=env)


def body(server: OpenAiServer) -> dict[str, Any]:
    """Return the body of the only request."""
    (request,) = server.requests
    return dict(request.body)


def test_a_model_is_asked_as_promptfoo_asks_it(site: Site, openai_server: OpenAiServer) -> None:
    providers = f"""
providers:
  - id: openai:chat:our-model
    label: Ours
    config: {{apiBaseUrl: "{openai_server.url}", apiKey: sk-of-a-file-1234}}
"""
    ran = run(site, providers)
    assert ran.code == 0, ran
    assert body(openai_server) == {
        "model": "our-model",
        "messages": [{"role": "user", "content": "Capital of France?"}],
        "temperature": 0.0,
        "max_tokens": 1024,
    }
    assert openai_server.requests[0].headers["authorization"] == "Bearer sk-of-a-file-1234"
    (record,) = ran.records.values()
    assert record["target"] == "Ours"
    summary = record["trace_summary"]
    assert summary["token_usage"] == {"input": 11, "output": 7}
    assert summary["duration_ms"] > 0


def test_settings_are_passed_on(site: Site, openai_server: OpenAiServer) -> None:
    site.write("tool.json", '[{"type": "function", "function": {"name": "look"}}]')
    providers = f"""
providers:
  - id: openai:our-model
    config:
      apiBaseUrl: "{openai_server.url}"
      apiKeyEnvar: OUR_KEY
      temperature: 0.5
      max_tokens: 7
      seed: 3
      top_p: 0.9
      stop: [END]
      response_format: {{type: json_object}}
      tools: file://tool.json
      tool_choice: auto
      organization: our-org
      headers: {{x-team: "{{{{env.TEAM}}}}"}}
      passthrough: {{top_k: 5}}
"""
    assert run(site, providers, OUR_KEY="sk-of-a-variable", TEAM="blue-team-77").code == 0
    (request,) = openai_server.requests
    sent = {key: it for key, it in request.body.items() if key not in ("model", "messages")}
    assert sent == {
        "temperature": 0.5,
        "max_tokens": 7,
        "seed": 3,
        "top_p": 0.9,
        "stop": ["END"],
        "response_format": {"type": "json_object"},
        "tools": [{"type": "function", "function": {"name": "look"}}],
        "tool_choice": "auto",
        "top_k": 5,
    }
    assert request.headers["authorization"] == "Bearer sk-of-a-variable"
    assert request.headers["openai-organization"] == "our-org"
    assert request.headers["x-team"] == "blue-team-77"


def test_what_promptfoo_leaves_out_for_reasoning_models_is_left_out(
    site: Site, openai_server: OpenAiServer
) -> None:
    providers = f"""
providers:
  - id: openai:gpt-5-of-ours
    config: {{apiBaseUrl: "{openai_server.url}", apiKey: none, temperature: 1, max_tokens: 9,
      max_completion_tokens: 99, reasoning_effort: low}}
"""
    assert run(site, providers).code == 0
    sent = body(openai_server)
    assert (sent["max_completion_tokens"], sent["reasoning_effort"]) == (99, "low")
    assert "temperature" not in sent
    assert "max_tokens" not in sent


def test_variables_come_from_the_configuration_and_the_provider(
    site: Site, openai_server: OpenAiServer
) -> None:
    providers = f"""
env: {{OPENAI_API_KEY: sk-of-the-configuration, OPENAI_BASE_URL: "{openai_server.url}"}}
providers:
  - openai:chat:our-model
  - id: openai:chat:other-model
    env: {{OPENAI_API_KEY: "{{{{ env.REAL_KEY }}}}", OPENAI_TEMPERATURE: 0.25}}
"""
    assert run(site, providers, REAL_KEY="sk-of-the-environment").code == 0
    asked = {it.body["model"]: it for it in openai_server.requests}
    ours, other = asked["our-model"], asked["other-model"]
    assert ours.headers["authorization"] == "Bearer sk-of-the-configuration"
    assert other.headers["authorization"] == "Bearer sk-of-the-environment"
    assert (ours.body["temperature"], other.body["temperature"]) == (0.0, 0.25)


def test_secrets_of_a_configuration_are_in_no_record(
    site: Site, openai_server: OpenAiServer
) -> None:
    openai_server.default = "Paris, said sk-of-a-file-1234 to Bearer very-secret-header-5"
    providers = f"""
providers:
  - id: openai:chat:our-model
    config: {{apiBaseUrl: "{openai_server.url}", apiKey: sk-of-a-file-1234,
      headers: {{Authorization: Bearer very-secret-header-5}}}}
"""
    ran = run(site, providers)
    assert ran.code == 0
    assert openai_server.requests[0].headers["authorization"] == "Bearer very-secret-header-5"
    assert "Paris, said [redacted] to Bearer [redacted]" in ran.out
    assert "sk-of-a-file" not in ran.out + ran.err
    assert "very-secret" not in ran.out + ran.err


def test_a_key_that_is_missing_is_named(site: Site) -> None:
    ran = run(site, "providers: [groq:llama-3.1-8b-instant]")
    assert ran.code == 3
    assert "GROQ_API_KEY" in ran.out + ran.err


def test_calls_of_tools_are_the_answer(site: Site, openai_server: OpenAiServer) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    openai_server.default = Answer(text="", message={"content": None, "tool_calls": [call]})
    providers = f"""
providers: [{{id: openai:our-model, config: {{apiBaseUrl: "{openai_server.url}", apiKey: none}}}}]
defaultTest: {{assert: [{{type: starts-with, value: "[{{"}}, {{type: contains, value: look}}]}}
"""
    (record,) = run(site, providers).records.values()
    assert [(it["name"], it["verdict"]) for it in record["evaluator_results"][:2]] == [
        ("starts-with", "pass"),
        ("contains", "pass"),
    ]


def graded(site: Site, server: OpenAiServer, code: str, **config: Any) -> Ran:
    """Run a row whose answer code grades."""
    whole = {
        "prompts": ["Hi"],
        "providers": [
            {
                "id": "openai:our-model",
                "config": {"apiBaseUrl": server.url, "apiKey": "none", **config},
            }
        ],
        "tests": [{"assert": [{"type": "javascript", "value": code}]}],
    }
    site.write("promptfooconfig.yaml", json.dumps(whole))
    return site.run("promptfooconfig.yaml", "--format", "jsonl")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (None, "output[0].function.name === 'look'"),
        ("Let me see", "output.content === 'Let me see' && output.tool_calls[0].id === 'c1'"),
    ],
)
def test_code_receives_calls_of_tools_as_a_value(
    site: Site, openai_server: OpenAiServer, content: str | None, code: str
) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    openai_server.default = Answer(
        text=content or "", message={"content": content, "tool_calls": [call]}
    )
    assert graded(site, openai_server, code).code == 0


SCHEMA = {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}}


@pytest.mark.parametrize(
    ("wanted", "answer", "code"),
    [
        (SCHEMA, '{"n": [1, 2]}', "output.n[1] === 2"),
        (SCHEMA, "no JSON", "output === 'no JSON'"),
        ({"type": "json_object"}, '{"n": 1}', "JSON.parse(output).n === 1"),
    ],
)
def test_code_receives_the_value_of_an_answer_for_which_a_schema_was_sent(
    site: Site, openai_server: OpenAiServer, wanted: dict[str, Any], answer: str, code: str
) -> None:
    openai_server.default = Answer(text=answer)
    ran = graded(site, openai_server, code, response_format=wanted)
    assert ran.code == 0, ran
    assert body(openai_server)["response_format"] == wanted


def test_an_answer_to_the_schema_of_a_file_stays_text(
    site: Site, openai_server: OpenAiServer
) -> None:
    site.write("format.json", json.dumps(SCHEMA))
    openai_server.default = Answer(text='{"n": 1}')
    code = "typeof output === 'string'"
    assert graded(site, openai_server, code, response_format="file://format.json").code == 0
    assert body(openai_server)["response_format"] == SCHEMA


def test_too_many_requests_are_put_again(site: Site, openai_server: OpenAiServer) -> None:
    openai_server.script(Answer(status=429, headers={"retry-after": "0"}))
    providers = f"""
providers: [{{id: openai:our-model, config: {{apiBaseUrl: "{openai_server.url}", apiKey: none}}}}]
"""
    assert run(site, providers).code == 0
    assert len(openai_server.requests) == 2


def test_no_retry_where_the_provider_says_so(site: Site, openai_server: OpenAiServer) -> None:
    openai_server.script(Answer(status=429, headers={"retry-after": "0"}))
    providers = f"""
providers:
  - {{id: openai:our-model, config: {{apiBaseUrl: "{openai_server.url}", apiKey: none, maxRetries: 0}}}}
"""
    assert run(site, providers).code == 3
    assert len(openai_server.requests) == 1


def test_the_cost_of_an_answer_is_that_of_the_provider(
    site: Site, openai_server: OpenAiServer
) -> None:
    providers = f"""
providers:
  - id: openai:our-model
    config: {{apiBaseUrl: "{openai_server.url}", apiKey: none, inputCost: 0.001, outputCost: 0.01}}
"""
    (record,) = run(site, providers).records.values()
    assert record["trace_summary"]["cost_usd"] == pytest.approx(11 * 0.001 + 7 * 0.01)


def test_a_test_may_have_a_provider_of_its_own(site: Site, openai_server: OpenAiServer) -> None:
    other = f'{{id: openai:other, config: {{apiBaseUrl: "{openai_server.url}", apiKey: none}}}}'
    providers = f"providers: [echo]\ndefaultTest:\n  provider: {other}"
    ran = run(site, providers)
    assert ran.code == 0, ran
    assert body(openai_server)["model"] == "other"
    (record,) = ran.records.values()
    assert record["target"] == "openai:other"


@pytest.mark.parametrize(
    ("provider", "line", "message"),
    [
        ("- anthropic:claude-agent-sdk", 2, "it is an agent"),
        ("- openai:realtime:gpt-realtime", 2, "it asks models for text"),
        ("- promptfoo:simulated-user", 2, "a part of promptfoo"),
        ("- wss://example.com", 2, "a connection that stays open"),
        ("- nonsense:x", 2, "nonsense"),
        ("- id: openai:x\n    config:\n      functionToolCallbacks: {f: 1}", 4, "functionToolCall"),
        ("- id: openai:x\n    config:\n      top_p: '{{p}}'", 4, "top_p"),
        ("- id: openai:x\n    config:\n      tools: file://gone.json", 4, "gone.json"),
        ("- id: azure:chat:mine", 2, "AZURE_API_HOST"),
    ],
)
def test_what_cannot_be_asked_is_refused_at_its_line(
    site: Site, provider: str, line: int, message: str
) -> None:
    ran = run(site, f"providers:\n  {provider}")
    assert ran.code != 0
    assert message in ran.out + ran.err
    assert f"promptfooconfig.yaml:{line}:" in ran.out + ran.err


def test_a_run_says_what_it_does_otherwise(site: Site, openai_server: OpenAiServer) -> None:
    providers = f"""
providers:
  - {{id: openai:our-model, config: {{apiBaseUrl: "{openai_server.url}", apiKey: none, colour: 1}}}}
"""
    ran = run(site, providers)
    assert ran.code == 0
    assert "`colour` in the `config` of `openai:our-model` is not passed on" in ran.err


def test_a_model_that_completes_texts_is_sent_the_prompt_as_it_is(
    site: Site, openai_server: OpenAiServer
) -> None:
    openai_server.default = Answer(
        body=b'{"id": "c", "object": "text_completion", "created": 1, "model": "m", "choices": '
        b'[{"index": 0, "text": "Paris", "finish_reason": "stop"}]}'
    )
    providers = f"""
providers:
  - {{id: openai:completion:our-model, config: {{apiBaseUrl: "{openai_server.url}", apiKey: none}}}}
"""
    listed = [{"role": "user", "content": "x"}]
    chat = TESTS.replace('"Capital of {{country}}?"', f"'{json.dumps(listed)}'")
    site.write("promptfooconfig.yaml", f"{providers}\n{chat}")
    assert site.run("promptfooconfig.yaml").code == 0
    (request,) = openai_server.requests
    assert request.path.endswith("/v1/completions")
    assert json.loads(request.body["prompt"]) == listed


def test_tools_reach_a_model_that_litellm_knows(site: Site, openai_server: OpenAiServer) -> None:
    providers = f"""
providers:
  - id: openai:gpt-4.1-mini
    config:
      apiBaseUrl: "{openai_server.url}"
      apiKey: none
      tools: [{{type: function, function: {{name: look, parameters: {{type: object}}}}}}]
"""
    assert run(site, providers).code == 0
    (request,) = openai_server.requests
    assert request.body["tools"][0]["function"]["name"] == "look"


def chat(site: Site, server: OpenAiServer, messages: list[dict[str, Any]]) -> Ran:
    """Run a configuration whose prompt is a list of messages."""
    model = {"id": "openai:m", "config": {"apiBaseUrl": server.url, "apiKey": "none"}}
    whole = {
        "prompts": [json.dumps(messages)],
        "providers": [model],
        "tests": [{"assert": [{"type": "contains", "value": "Paris"}]}],
    }
    site.write("promptfooconfig.yaml", json.dumps(whole))
    return site.run("promptfooconfig.yaml")


def test_messages_of_a_prompt_are_sent_as_messages(site: Site, openai_server: OpenAiServer) -> None:
    sent: list[dict[str, Any]] = [
        {"role": "developer", "content": "Be brief"},
        {"role": "user", "content": [{"type": "text", "text": "Where?"}]},
        {"role": "assistant", "content": "Here"},
        {"role": "user", "content": "Really?"},
    ]
    assert chat(site, openai_server, sent).code == 0
    assert body(openai_server)["messages"] == [
        {"role": "system", "content": "Be brief"},
        {"role": "user", "content": "Where?"},
        {"role": "assistant", "content": "Here"},
        {"role": "user", "content": "Really?"},
    ]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "x"},
        {"role": "function", "name": "f", "content": "x"},
        {"role": "assistant", "content": "x", "tool_calls": []},
        {"role": "user", "content": None},
    ],
)
def test_messages_that_are_no_texts_are_refused(
    site: Site, openai_server: OpenAiServer, message: dict[str, Any]
) -> None:
    ran = chat(site, openai_server, [message])
    assert ran.code != 0
    assert "sends only messages of text" in ran.out + ran.err
    assert openai_server.requests == []


def test_settings_of_a_prompt_are_refused_at_their_line(
    site: Site, openai_server: OpenAiServer
) -> None:
    site.write(
        "promptfooconfig.yaml",
        "prompts:\n  - raw: x\n    config:\n      temperature: 1\nproviders: [echo]\ntests: [{vars: {}}]\n",
    )
    ran = site.run("promptfooconfig.yaml")
    assert ran.code != 0
    assert "promptfooconfig.yaml:4:" in ran.out + ran.err
    assert "write a provider for each" in ran.out + ran.err


def test_an_id_may_come_from_the_environment(site: Site, openai_server: OpenAiServer) -> None:
    providers = f"""
providers:
  - id: "openai:chat:{{{{env.OUR_MODEL}}}}"
    config: {{apiBaseUrl: "{openai_server.url}", apiKey: none}}
"""
    assert run(site, providers, OUR_MODEL="very-big").code == 0
    assert body(openai_server)["model"] == "very-big"


def test_the_provider_of_a_test_may_be_one_of_the_configuration(
    site: Site, openai_server: OpenAiServer
) -> None:
    config = f'config: {{apiBaseUrl: "{openai_server.url}", apiKey: none}}'
    providers = f"""
providers: [echo, {{id: openai:big, label: Big, {config}}}]
defaultTest: {{provider: openai:big}}
"""
    ran = run(site, providers)
    assert ran.code == 0
    assert {it["target"] for it in ran.records.values()} == {"Big"}
