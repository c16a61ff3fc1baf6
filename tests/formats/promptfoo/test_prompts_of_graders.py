"""Prompts that a configuration has for its graders reach them as promptfoo sends them.

`graders_prompts.json` has what promptfoo 0.121.20 sent to a server on the loopback interface, for
answers of the provider `echo`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from support.running.site import Site
from support.servers.openai import OpenAiServer

RECORDED = json.loads((Path(__file__).parent / "graders_prompts.json").read_text("utf-8"))
CASES = RECORDED["cases"]


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """What each grader was sent in a run of all cases, by its model."""
    site, server = Site(tmp_path_factory.mktemp("graders")), OpenAiServer()

    def behave(body: Mapping[str, Any]) -> str:
        if "STEPS" in json.dumps(body["messages"]):
            return '{"steps": ["one", "two"]}'
        score = 5 if body["model"].startswith("g-eval") else 0.5
        verdict = {"pass": True, "score": score, "reason": "x", "category": "B"}
        return f"{json.dumps(verdict)}\nY"

    server.default = behave
    for name, text in RECORDED["files"].items():
        site.write(name, text)
    prompts = sorted({it["prompt"] for it in CASES})
    tests = [
        {
            "vars": RECORDED["variables"],
            "prompts": [f"prompt {prompts.index(it['prompt'])}"],
            "options": it.get("options", {}),
            "assert": [{**it["assertion"], "provider": grader(server, number)}],
        }
        for number, it in enumerate(CASES)
    ]
    configuration = {
        "prompts": [{"raw": it, "label": f"prompt {n}"} for n, it in enumerate(prompts)],
        "providers": ["echo"],
        "tests": tests,
    }
    site.write("promptfooconfig.yaml", json.dumps(configuration))
    ran = site.run("promptfooconfig.yaml", "--format", "jsonl")
    server.close()
    assert len(ran.records) == len(CASES), ran.err
    found: dict[str, list[Any]] = {}
    for request in server.requests:
        found.setdefault(request.body["model"], []).append(request.body["messages"])
    return found


def grader(server: OpenAiServer, number: int) -> dict[str, Any]:
    name = f"{CASES[number]['assertion']['type']}-{number}"
    return {"id": f"openai:chat:{name}", "config": {"apiBaseUrl": server.url, "apiKey": "sk-0123"}}


@pytest.mark.parametrize("number", range(len(CASES)))
def test_a_grader_is_sent_what_promptfoo_sends(sent: dict[str, list[Any]], number: int) -> None:
    case = CASES[number]
    assert sent[f"{case['assertion']['type']}-{number}"] == case["sent"]
