"""What a hover says in a configuration of promptfoo, and in a list of tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.ide.marked_dialect import MarkedFile

CONFIGURATION = """\
    prompts:
      - What is the capital of {{country}}? Answer in {{language}}.
      - file://prompts/short.txt
    providers: [openai:chat:gpt-4.1, {id: echo, label: same}]
    defaultTest:
      vars: {language: French}
      assert:
        - type: latency
          threshold: 5000
    tests:
      - description: the first
        vars: {country: France, city: [Paris, Lyon]}
        assert:
          - type: not-icontains
            value: "{{city}}"
      - vars: {country: Spain}
        assert:
          - {type: llm-rubric, value: polite, threshold: 0.8}
"""
FILES = {"prompts/short.txt": "Capital of {{country}}, please.\n"}


def hover(folder: Path, before: str, text: str = CONFIGURATION, **environ: str) -> str:
    """Return the hover right before a stretch of a text."""
    assert text.count(before) >= 1
    return MarkedFile(folder, text.replace(before, f"▮{before}", 1), FILES).hover(environ)


def test_a_key_has_its_meaning_and_an_example(tmp_path: Path) -> None:
    said = hover(tmp_path, "providers:")
    assert said.startswith("**`providers`** · text or a list")
    assert "openai:gpt-4.1" in said
    assert hover(tmp_path, "tests:").startswith("**`tests`**")


def test_a_type_of_assertion_says_what_it_takes(tmp_path: Path) -> None:
    said = hover(tmp_path, "latency")
    assert "- `value`: not used" in said
    assert "- `threshold`: the most that is allowed, in milliseconds, required" in said
    said = hover(tmp_path, "not-icontains")
    assert said.startswith("**`not-icontains`**")
    assert "`not-` inverts the result" in said
    assert "- type: not-icontains" in said


def test_keys_of_an_assertion_say_what_they_are_for_its_type(tmp_path: Path) -> None:
    assert hover(tmp_path, "threshold: 0.8").startswith("For `llm-rubric`: score, 0 to 1.")
    assert hover(tmp_path, "threshold: 5000").startswith("For `latency`: the most that is allowed")


def test_a_provider_says_what_it_is_and_what_it_needs(tmp_path: Path) -> None:
    said = hover(tmp_path, "openai:chat:gpt-4.1", OPENAI_API_KEY="very secret")
    assert "- mode: `chat`" in said
    assert "- model: `gpt-4.1`" in said
    assert "`OPENAI_API_KEY`, which is set" in said
    assert "very secret" not in said
    assert "which is not set" in hover(tmp_path, "openai:chat:gpt-4.1")
    assert "part of promptfoo" in hover(tmp_path, "echo")
    program = CONFIGURATION.replace("openai:chat:gpt-4.1", "exec:python ask.py")
    assert "- model:" not in hover(tmp_path, "exec:python", program)


def test_a_variable_in_a_template_has_its_values(tmp_path: Path) -> None:
    said = hover(tmp_path, "country}}")
    assert "set by both tests" in said
    assert "- `France`\n- `Spain`" in said
    assert "`defaultTest` sets it for all tests: `French`" in hover(tmp_path, "language}}")
    said = hover(tmp_path, "city}}")
    assert 'In this test: `["Paris", "Lyon"]` (2 rows)' in said


def test_a_variable_of_tests_says_which_prompts_use_it(tmp_path: Path) -> None:
    assert "Both prompts use it." in hover(tmp_path, "country: France")
    assert "1 of 2 prompts uses it: `What is" in hover(tmp_path, "language: French")
    assert "No prompt uses it; a test or the configuration does." in hover(tmp_path, "city: [")
    unused = CONFIGURATION.replace("country: Spain", "country: Spain, note: x")
    assert "No prompt uses it, and neither does any test." in hover(tmp_path, "note: x", unused)


def test_values_of_the_environment_are_not_shown(tmp_path: Path) -> None:
    text = "prompts: ['{{env.TOKEN}}']\nproviders: [echo]\ntests: []\n"
    (tmp_path / ".env").write_text("IN_FILE=secret\n")
    said = hover(tmp_path, "env.TOKEN", text, TOKEN="very secret")
    assert "It is set in the environment" in said
    assert "very secret" not in said
    assert "nor in a file `.env`" in hover(tmp_path, "env.TOKEN", text)
    said = hover(tmp_path, "env.IN_FILE", text.replace("TOKEN", "IN_FILE"))
    assert (
        said
        == "**`env.IN_FILE`** · environment variable\n\nIt is set in `.env`. Its value is not shown."
    )


def test_a_prompt_is_shown_as_the_first_test_is_asked(tmp_path: Path) -> None:
    said = hover(tmp_path, "What is")
    assert "**Prompt 1 of 2**" in said
    assert "As the first test is asked:" in said
    assert "What is the capital of France? Answer in French." in said
    said = hover(tmp_path, "file://prompts/short.txt")
    assert "**Prompt 2 of 2** · `prompts/short.txt`" in said
    assert "Capital of France, please." in said


def test_a_test_shows_its_prompt_and_what_it_inherits(tmp_path: Path) -> None:
    assert "What is the capital of Spain? Answer in French." in hover(
        tmp_path, "vars: {country: Spain}"
    )
    said = hover(tmp_path, "vars: {country: Spain}")
    assert "**From `defaultTest`**:\n\n- `language`: `French`" in said
    own = "country: Spain, language: Spanish}"
    said = hover(tmp_path, f"vars: {{{own}", CONFIGURATION.replace("country: Spain}", own))
    assert "Answer in Spanish" in said
    assert "From `defaultTest`" not in said
    said = hover(tmp_path, "assert:\n          - type: not")
    assert "- `latency`, threshold `5000`" in said
    said = hover(
        tmp_path,
        "assert:\n          - type: not",
        CONFIGURATION.replace("the first", "x\n        options: {disableDefaultAsserts: true}"),
    )
    assert "From `defaultTest`" not in said


def test_what_is_not_filled_in_stays_as_it_is_written(tmp_path: Path) -> None:
    text = """\
        prompts: ["{{ a | upper }} {{ b | default('x') }} {{ c.d }} {{ nobody }}"]
        providers: [echo]
        tests: [{vars: {a: one, b: two, c: {d: three}}}]
    """
    said = hover(tmp_path, '"{{', text)
    assert "what stands in braces is not filled in here" in said
    assert "{{ a | upper }} two three {{ nobody }}" in said


def test_a_path_says_what_is_there(tmp_path: Path) -> None:
    text = """\
        prompts: [file://prompts/none.txt]
        providers: [file://ask.py:ask]
        tests:
          - file://more.csv
          - vars: {doc: "file://prompts/*.txt"}
          - vars: {doc: file://../outside.txt}
    """
    (tmp_path / "ask.py").write_text("import os\n\n\ndef ask(prompt, options, context):\n    ...\n")
    (tmp_path / "more.csv").write_text("country\nItaly\n")
    assert "File `prompts/none.txt` not found." in hover(tmp_path, "file://prompts/none", text)
    said = hover(tmp_path, "file://ask.py", text)
    assert "promptfoo calls `ask` of `ask.py`." in said
    assert "```python\ndef ask(prompt" in said
    assert "country\nItaly" in hover(tmp_path, "file://more.csv", text)
    assert "`prompts/short.txt`" in hover(tmp_path, '"file://prompts/*', text)
    assert "outside the workspace" in hover(tmp_path, "file://../outside", text)


def test_secrets_in_files_are_not_shown(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("TOKEN=very secret\n")
    text = "prompts: [x]\nproviders: [echo]\ntests: [{vars: {a: file://.env}}]\n"
    said = hover(tmp_path, "file://.env", text)
    assert said == "**`.env`**"


def test_tests_of_a_csv_give_variables_their_values(tmp_path: Path) -> None:
    (tmp_path / "more.csv").write_text("country,__expected\nItaly,contains:Rome\nChina,x\n")
    text = "prompts: ['Where is {{country}}?']\nproviders: [echo]\ntests: more.csv\n"
    said = hover(tmp_path, "country}}", text)
    assert "set by both tests" in said
    assert "- `Italy`\n- `China`" in said
    assert "Where is Italy?" in hover(tmp_path, "'Where", text)
    assert "country,__expected" in hover(tmp_path, "more.csv", text)


def test_a_list_of_tests_and_codes_in_comments_are_explained(tmp_path: Path) -> None:
    text = "- vars: {country: Spain}\n  assert:\n    - {type: contains, value: x}\n"
    marked = text.replace("contains", "▮contains")
    assert "**`contains`**" in MarkedFile(tmp_path, marked, name="cases.yaml").hover()
    text = CONFIGURATION.replace(
        "    providers", "    # suitecase: ignore[SC001▮]\n    providers", 1
    )
    assert MarkedFile(tmp_path, text).hover().startswith("**`SC001`")


@pytest.mark.parametrize("key", ["&one", "*one"])
def test_anchors_and_aliases_are_shown(tmp_path: Path, key: str) -> None:
    text = CONFIGURATION.replace("vars: {country: France", "vars: &one {country: France")
    text = text.replace("vars: {country: Spain}", "vars: *one")
    assert "one" in hover(tmp_path, key, text)


def test_a_key_names_the_rules_on_it(tmp_path: Path) -> None:
    assert "Rules: [assert-under-vars](" in hover(tmp_path, "vars: {country: France")


IN_OURS = """
import sys
from suitecase.editor.hover import hover_at
from suitecase.editor.results import DocumentResults
from suitecase.formats.suitecase.parsed import parse_suite
from datetime import datetime, UTC

suite = parse_suite("evalcases:\\n  - id: a\\n    evaluators:\\n      - {name: n, type: equals, value: x}\\n")
texts = [hover_at(suite, it, DocumentResults(), datetime.now(UTC)) for it in range(90)]
assert any(it and "Rules: " in it.markdown for it in texts)
print(*(it for it in sys.modules if ".promptfoo." in it and not it.endswith((".detect", ".names"))))
"""


def test_hovers_in_our_suites_import_nothing_of_promptfoo() -> None:
    found = subprocess.run(
        [sys.executable, "-c", IN_OURS], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == ""
