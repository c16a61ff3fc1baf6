"""Half of a surrogate pair, which JSON can write and neither YAML nor UTF-8 can, is a finding in a key and never a bug of ours."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from support.running.processes import suitecase
from support.running.site import Site

CASE = {
    "id": "a",
    "input": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}],
    "expected_outcome": "Greets",
    "metadata": {"owner": "Ann"},
    "rubrics": [
        {"id": "r", "score_ranges": [{"score_range": [0, 10], "expected_outcome": "Greets"}]}
    ],
    "evaluators": [{"name": "e", "type": "contains", "value": "Hi"}],
}
FILES: dict[str, Any] = {
    "cases.jsonl": CASE,
    "promptfooconfig.json": {
        "prompts": [{"raw": "Say {{ x }}", "label": "short"}],
        "providers": [{"id": "echo", "config": {"a": "b"}}],
        "defaultTest": {"options": {"prefix": "a"}},
        "tests": [{"vars": {"x": "a"}, "assert": [{"type": "contains", "value": "a"}]}],
    },
    "evals/evals.json": {
        "skill_name": "s",
        "evals": [{"id": 1, "prompt": "Hi", "expected_output": "x", "expectations": ["y"]}],
    },
}
BROKEN = "\ud800x"


def mappings(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of each mapping in a value."""
    if isinstance(value, dict):
        yield path
    for step, item in value.items() if isinstance(value, dict) else ():
        yield from mappings(item, (*path, step))
    for step, item in enumerate(value) if isinstance(value, list) else ():
        yield from mappings(item, (*path, step))


@pytest.mark.parametrize(
    ("name", "path"), [(name, path) for name, value in FILES.items() for path in mappings(value)]
)
def test_a_key_with_one_is_no_bug(site: Site, name: str, path: tuple[str | int, ...]) -> None:
    value = copy.deepcopy(FILES[name])
    inner = value
    for step in path:
        inner = inner[step]
    inner[BROKEN] = "Greets"
    site.write("cases.yaml", "execution: {target: mock}\n")
    site.write(name, json.dumps(value) + "\n")
    checked = suitecase("check", ".", cwd=site.root)
    assert checked.stderr == ""
    assert checked.returncode in (0, 1)
    assert site.run(name, "--dry-run").code in (0, 2, 3)


def test_such_a_key_of_a_case_is_unknown(site: Site) -> None:
    site.write("cases.yaml", "execution: {target: mock}\n")
    site.write("cases.jsonl", json.dumps({**CASE, BROKEN: "Greets"}) + "\n")
    assert "error[SC101] unknown key `[U+D800]x`" in site.check(".")


def test_one_in_an_answer_is_replaced_and_no_secret(site: Site) -> None:
    site.write(
        "bot.py", "def call_api(*_):\n    return {'output': {'said': 'a\\ud800b', 'n': [1]}}\n"
    )
    site.write(
        "promptfooconfig.yaml",
        "prompts: [Hi]\nproviders: ['file://bot.py']\n"
        "tests: [{assert: [{type: contains, value: a}]}]\n",
    )
    ran = site.run("promptfooconfig.yaml", "--format", "jsonl")
    (record,) = ran.records.values()
    assert "a?b" in record["candidate_answer"], ran.err
    assert "secrets_redacted" not in record["details"]
    assert "secret" not in ran.err


def test_one_in_an_answer_with_a_secret_hides_none(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOOR_PASSWORD", "swordfish-77")
    site.write("bot.py", "def call_api(*_):\n    return {'output': 'a\\ud800b swordfish-77'}\n")
    site.write(
        "promptfooconfig.yaml",
        "prompts: [Hi]\nproviders: ['file://bot.py']\n"
        "tests: [{assert: [{type: contains, value: a}]}]\n",
    )
    ran = site.run("promptfooconfig.yaml", "--format", "jsonl")
    (record,) = ran.records.values()
    assert record["candidate_answer"] == "a?b [redacted]"
    assert record["details"]["secrets_redacted"] is True
