"""`run --target ADDRESS`: anybody's configuration against a server, without an edit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import pytest

from support.running.site import Site, lines_of
from support.servers.hostile import COMPLETION, HostileServer, answers, serving

VERDICT = {"score": 1, "hits": [], "misses": [], "reasoning": "", "pass": True, "reason": "yes"}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[HostileServer]:
    """A server of one model, which answers, and as a judge is pleased."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)

    def behaviour(request: BaseHTTPRequestHandler) -> None:
        asked = running.asked[-1]
        if asked.path == "/v1/models":
            body = json.dumps({"data": [{"id": name} for name in models]}).encode()
            answers(body)(request)
            return
        found = json.loads(COMPLETION)
        if b"response_format" in asked.body or b"Output" in asked.body:
            found["choices"][0]["message"]["content"] = json.dumps(VERDICT)
        answers(json.dumps(found).encode())(request)

    models = ["tiny"]
    with serving(behaviour) as running:
        running.models = models  # type: ignore[attr-defined]
        yield running


def asked_of(server: HostileServer) -> list[dict[str, object]]:
    return [json.loads(request.body) for request in server.asked if request.method == "POST"]


def test_a_suite_of_ours(site: Site, server: HostileServer) -> None:
    site.suite(
        "- {id: a, input: Capital?, expected_outcome: Paris, "
        "evaluators: [{name: c, type: contains, value: Paris}]}",
        "execution: {target: some-model-of-theirs}",
    )
    ran = site.run("a.eval.yaml", "--target", server.url, "--output", "r.jsonl")
    assert ran.code == 0, ran.err
    assert [body["model"] for body in asked_of(server)] == ["tiny"]
    (record,) = lines_of(site.root / "r.jsonl")
    assert record["target"] == f"{server.url}#tiny"
    assert record["trace_summary"]["cost_usd"] is None


def test_a_configuration_of_promptfoo_whose_providers_are_answered_once(
    site: Site, server: HostileServer
) -> None:
    config = {
        "providers": ["openai:gpt-4o", "anthropic:messages:claude-sonnet-4-5", "bam:chat:what"],
        "prompts": ["Capital of {{country}}?", "Say the capital of {{country}}"],
        "tests": [
            {
                "vars": {"country": "France"},
                "assert": [
                    {"type": "contains", "value": "Paris"},
                    {"type": "llm-rubric", "value": "names a city"},
                ],
            }
        ],
    }
    site.write("promptfooconfig.yaml", json.dumps(config))
    ran = site.run("promptfooconfig.yaml", "--target", server.address, "--output", "r.jsonl")
    assert ran.code == 0, ran.out + ran.err
    assert len(lines_of(site.root / "r.jsonl")) == 2
    assert {body["model"] for body in asked_of(server)} == {"tiny"}
    assert len(asked_of(server)) == 4  # an answer and a verdict for each prompt


def test_evals_of_a_skill(site: Site, server: HostileServer) -> None:
    site.write("skill/SKILL.md", "---\nname: s\ndescription: d\n---\nHelp.\n")
    evals = {
        "skill_name": "s",
        "evals": [{"id": 1, "prompt": "Hi", "expected_output": "A greeting", "files": []}],
    }
    site.write("skill/evals/evals.json", json.dumps(evals))
    ran = site.run("skill/evals/evals.json", "--target", server.url)
    assert ran.code == 0, ran.out + ran.err
    assert asked_of(server)


def test_a_suite_of_agentv(site: Site, server: HostileServer) -> None:
    suite = """
        name: greeting
        tests:
          - id: a
            criteria: greets
            input: Hi
            assertions:
              - {type: contains, value: Paris}
    """
    site.write("a.eval.yaml", suite)
    ran = site.run("a.eval.yaml", "--target", server.url)
    assert ran.code == 0, ran.out + ran.err


def test_a_server_of_several_models_is_told_which(site: Site, server: HostileServer) -> None:
    server.models[:] = ["one", "two"]  # type: ignore[attr-defined]
    site.suite(
        "- {id: a, input: Capital?, expected_outcome: Paris, "
        "evaluators: [{name: c, type: contains, value: Paris}]}"
    )
    ran = site.run("a.eval.yaml", "--target", server.url)
    assert ran.code == 3
    assert f"serves several models (one, two); name one: {server.url}#one" in ran.err
    assert asked_of(server) == []
    assert site.run("a.eval.yaml", "--target", f"{server.url}#two").code == 0
    assert [body["model"] for body in asked_of(server)] == ["two"]


def test_nobody_at_the_address(site: Site) -> None:
    site.suite("- {id: a, input: Capital?, expected_outcome: Paris}")
    ran = site.run("a.eval.yaml", "--target", "http://127.0.0.1:9/v1")
    assert ran.code == 3
    assert "the server at http://127.0.0.1:9/v1 cannot be reached" in ran.err


@pytest.mark.parametrize(
    "address", ["http://[::1/v1", "http://[x]/v1", "http:///v1", "http://a:99999/v1"]
)
def test_an_address_without_a_server_is_refused_wherever_it_stands(
    site: Site, address: str
) -> None:
    site.suite("- {id: a, input: Capital?, expected_outcome: Paris}", "execution: {target: bot}\n")
    ran = site.run("a.eval.yaml", "--target", address)
    assert ran.code == 2
    assert f"no server can be read from the address {address}" in ran.err
    written = json.dumps(address)
    site.write(
        "targets.yaml",
        f"targets: [{{name: bot, provider: openai, model: m, api_base: {written}}}]\n",
    )
    assert "is invalid: no server can be read from this address" in site.check(".")
    site.write(
        "targets.yaml",
        "targets: [{name: bot, provider: openai, model: m, api_base: '${{ BASE }}'}]\n",
    )
    ran = site.run("a.eval.yaml", env={"BASE": address})
    assert ran.code == 3, ran.err
    assert "invalid value in the environment: `api_base` (from BASE)" in ran.err


def test_no_key_of_the_environment_is_sent_to_an_address(
    site: Site, server: HostileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-proj-secret-0123456789")
    site.suite(
        "- {id: a, input: Capital?, expected_outcome: Paris, "
        "evaluators: [{name: c, type: contains, value: Paris}]}"
    )
    assert site.run("a.eval.yaml", "--target", server.url).code == 0
    assert not any("secret" in str(request.headers) for request in server.asked)
