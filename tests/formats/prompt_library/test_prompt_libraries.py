"""The export of a prompt library to a suite, and suites to such an export."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.running.commands import CommandSite

SCHEMA = '{"type": "object", "required": ["total"]}'
INVOICE = {
    "name": "Invoice",
    "content": "Extract it.",
    "expected_schema": '{"type": "object"}',
    "evaluation_mode": "schema",
    "evaluation_criteria": "",
    "test_cases": [
        {
            "input": "Total 5",
            "expected_output": '{"total": 5}',
            "expected_output_type": "object",
            "evaluation_schema": SCHEMA,
        },
        {"input": "[1]", "expected_output": '["1"]', "expected_output_type": "array"},
        {"input": "Hello", "expected_output": "{}", "expected_output_type": "string"},
    ],
}
TONE = {
    "name": "Tone",
    "content": "Be warm.",
    "evaluation_mode": "llm",
    "evaluation_criteria": "Is warm,\nand short.\n",
    "test_cases": [{"input": "Hi"}],
}


@pytest.fixture
def site(tmp_path: Path) -> CommandSite:
    return CommandSite(tmp_path)


def _shown(site: CommandSite, suite: str) -> Any:
    return json.loads(site.run("show", suite, "--format", "json").out)


def test_a_prompt_and_its_test_cases_are_a_suite(site: CommandSite) -> None:
    site.write("library.json", json.dumps([INVOICE]))
    ran = site.run("convert", "library.json", "--to", "yaml")
    assert ran.code == 0, ran.err
    assert "the `expected_outcome` of 3 cases states" in ran.err
    assert site.read("library.eval.yaml").startswith(
        "dataset: Invoice\n"
        "prompt: Extract it.\n"
        "evaluation_mode: schema\n"
        "expected_schema:\n"
        "  type: object\n"
        "\n"
        "evalcases:\n"
        "  - id: case-1\n"
        "    expected_outcome: Meets the case's evaluation_schema\n"
        "    input: Total 5\n"
        "    expected_output:\n"
        "      total: 5\n"
        "    evaluation_schema:\n"
        "      type: object\n"
        "      required: [total]\n"
    )
    assert site.run("check", "library.eval.yaml").code == 0
    first, second, third = _shown(site, "library.eval.yaml")["cases"]
    assert [it["type"] for it in first["evaluators"]] == ["json_schema"]
    assert second["evaluators"][0]["schema"] == ""
    assert [it["expected_messages"][0]["content"] for it in (second, third)] == ['["1"]', "{}"]


@pytest.mark.parametrize("prompt", [INVOICE, TONE], ids=lambda it: str(it["name"]))
def test_a_prompt_comes_back_as_it_was(site: CommandSite, prompt: dict[str, Any]) -> None:
    site.write("library.json", json.dumps({"prompts": [INVOICE, TONE]}))
    name = prompt["name"]
    for form, suite in (("yaml", "made.eval.yaml"), ("jsonl", "made.jsonl")):
        ran = site.run(
            "convert", "library.json", "--prompt", name, "--to", form, "--output", suite, "--force"
        )
        assert ran.code == 0, ran.err
        back = site.run("convert", suite, "--to", "prompt-library", "--output", "-")
        assert back.code == 0, back.err
        cases = back.err.splitlines()
        assert len(cases) == 1, "nothing is lost but the ids, which were made up"
        assert json.loads(back.out) == [prompt]


def test_other_spellings_and_what_a_suite_has_no_key_for(site: CommandSite) -> None:
    prompt = {
        "id": 7,
        "name": "Tone",
        "content": "x",
        "evaluationMode": "schema",
        "testCases": [{"input": "Hi", "evaluationSchema": SCHEMA, "createdAt": "2026-01-02"}],
    }
    site.write("one.json", json.dumps(prompt, indent=2))
    ran = site.run("convert", "one.json", "--output", "one.yaml")
    assert ran.code == 0, ran.err
    assert "one.json:1:1: kept under `metadata`: `id`" in ran.err
    assert "one.json:7:5: kept under `metadata`: `createdAt`" in ran.err
    shown = _shown(site, "one.yaml")
    assert shown["evaluation_mode"] == "schema"
    assert shown["cases"][0]["metadata"] == {"createdAt": "2026-01-02"}


def test_test_cases_alone_are_a_suite_of_no_prompt(site: CommandSite) -> None:
    cases = [{"input": "Hi"}, {"input": "Ho", "evaluation_schema": SCHEMA}]
    ran = site.run("convert", "-", "--to", "yaml", stdin=json.dumps(cases))
    assert ran.code == 0, ran.err
    assert ran.out.startswith("evaluation_mode: schema\n\nevalcases:\n  - id: case-1\n")
    assert "there is no `evaluation_mode` here, so the suite has `schema`" in ran.err


def test_one_prompt_has_to_be_chosen(site: CommandSite) -> None:
    site.write("library.json", json.dumps([INVOICE, TONE]))
    ran = site.run("convert", "library.json", "--to", "yaml")
    assert ran.code == 2
    assert "this library has 2: `Invoice`, `Tone`; choose one with --prompt" in ran.err
    ran = site.run("convert", "library.json", "--to", "yaml", "--prompt", "Tune")
    assert (ran.code, "did you mean `Tone`?" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[{"content": 5, "test_cases": [{"input": "a"}]}]', "1:14: `content` must be text, not a"),
        ('[{"content": "a",\n "test_cases": []}]', "2:16: this prompt has no test cases"),
        (
            '[{"content": "a", "test_cases": [{"input": ""}]}]',
            "1:34: this test case has no `input`",
        ),
        (
            '[{"content": "a", "evaluation_mode": "both", "test_cases": [{"input": "a"}]}]',
            "1:38: `evaluation_mode` must be `llm` or `schema`, not `both`",
        ),
        (
            (
                '[{"content": "a", "evaluationMode": "llm", "evaluation_mode": "llm",'
                ' "test_cases": [{"input": "a"}]}]'
            ),
            "1:44: `evaluation_mode` occurs twice, in two spellings",
        ),
        (
            '[{"content": "a", "test_cases": [{"id": "x", "input": "a"}, {"id": "x", "input": "b"}]}]',
            "1:68: the id `x` is already used by another test case",
        ),
    ],
)
def test_what_no_suite_can_say_is_refused_at_its_place(
    site: CommandSite, text: str, told: str
) -> None:
    site.write("library.json", text)
    ran = site.run("convert", "library.json", "--to", "yaml")
    assert ran.code == 1
    assert f"library.json:{told}" in ran.err
    assert site.names() == ["library.json"]


def test_a_schema_that_is_none_is_carried_over_and_told(site: CommandSite) -> None:
    prompt = {**INVOICE, "test_cases": [{"input": "a", "evaluation_schema": '{"type": "objct"}'}]}
    site.write("library.json", json.dumps(prompt))
    ran = site.run("convert", "library.json", "--to", "yaml")
    assert ran.code == 0
    assert "still to fix: " in ran.err
    assert "objct" in site.read("library.eval.yaml")


SUITE = """\
description: All kinds
execution:
  target: mock
x-owner: me
evalcases:
  - id: a
    expected_outcome: Says hello
    input: Hi
    rubrics: [Is kind]
    tags: [x]
  - id: b
    expected_outcome: Says hello
    input: [{role: user, content: [{type: text, value: Hi}, {type: text, value: there}]}]
    evaluators:
      - {name: shape, type: json_schema, schema: {type: object}}
      - {name: word, type: contains, value: hello}
    expected_messages:
      - {role: assistant, content: One}
      - {role: assistant, content: Two}
    x-mine: 1
"""


def test_what_a_library_has_no_place_for_is_told_with_its_lines(site: CommandSite) -> None:
    site.write("all.eval.yaml", SUITE)
    ran = site.run("convert", "all.eval.yaml", "--to", "prompt-library")
    assert ran.code == 0, ran.err
    assert json.loads(site.read("all.json")) == [
        {
            "name": "all",
            "content": "",
            "evaluation_mode": "schema",
            "evaluation_criteria": "",
            "test_cases": [
                {"input": "Hi"},
                {"input": "Hi\nthere", "evaluation_schema": '{"type": "object"}'},
            ],
        }
    ]
    assert ran.err.splitlines() == [
        f"all.eval.yaml: {it}"
        for it in (
            "the `json_schema` evaluators become `evaluation_mode: schema`",
            "the suite has no `prompt`, so the prompt's content is empty",
            "lost: the suite's `description`",
            "lost: the targets `mock`",
            "lost: `rubrics` on line 9",
            "lost: `tags` on line 10",
            "lost: `expected_outcome` on lines 7 and 12",
            "lost: `expected_messages`, which is more than one text, on line 17",
            "lost: the evaluator `word` (contains) on line 16",
            "lost: `x-owner` on line 4",
            "lost: `x-mine` on line 20",
            "lost: the ids of 2 cases",
        )
    ]


def test_a_criteria_evaluator_is_what_a_library_calls_criteria(site: CommandSite) -> None:
    site.write(
        "a.eval.yaml",
        """\
        prompt: Be kind
        execution:
          evaluators:
            - {name: c, type: criteria, criteria: Is kind}
        evalcases:
          - {id: a, input: Hi, expected_outcome: Says hello}
        """,
    )
    ran = site.run("convert", "a.eval.yaml", "--to", "prompt-library", "--output", "-")
    (prompt,) = json.loads(ran.out)
    assert (prompt["evaluation_mode"], prompt["evaluation_criteria"]) == ("llm", "Is kind")
    assert "the evaluator" not in ran.err


@pytest.mark.parametrize(
    ("messages", "why"),
    [
        ("[{role: system, content: a}, {role: user, content: b}]", "has 2 messages"),
        ("[{role: system, content: a}]", "this message is the system's"),
        ("[{role: user, content: [{type: file, value: a.eval.yaml}]}]", "names a file"),
    ],
)
def test_an_input_that_is_more_than_a_text_is_refused(
    site: CommandSite, messages: str, why: str
) -> None:
    site.write(
        "a.eval.yaml",
        f"evalcases:\n  - id: a\n    input: {messages}\n    expected_outcome: c\n",
    )
    ran = site.run("convert", "a.eval.yaml", "--to", "prompt-library")
    assert ran.code == 1
    assert "a.eval.yaml:3: case `a`: a test case of a library has one text" in ran.err
    assert why in ran.err
    assert site.names() == ["a.eval.yaml"]


def test_a_suite_with_errors_is_no_library(site: CommandSite) -> None:
    site.write("a.eval.yaml", "evalcases:\n  - id: a\n    inptu: Hi\n    expected_outcome: c\n")
    ran = site.run("convert", "a.eval.yaml", "--to", "prompt-library")
    assert ran.code == 1
    assert "a.eval.yaml:3:5: " in ran.err
