"""Keys that promptfoo does not read: what they most likely stand for, or where they belong."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.checked_suite import fixed, found
from support.running.processes import suitecase

HEAD = 'prompts: ["{{q}}"]\nproviders: [echo]\n'
TEST = "tests:\n  - vars: {q: a}\n    assert: [{type: contains, value: a}]\n"
RULES = ("unread-key", "misplaced-key", "note-for-readers")


def advice(folder: Path, text: str) -> list[str]:
    return [message for _, message in found(folder, text, *RULES)]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("envPath: .env", "it belongs under `commandLineOptions`"),
        ("cache: false", "it belongs under `evaluateOptions`"),
        ("maxConcurency: 2", "did you mean `evaluateOptions.maxConcurrency`?"),
        ("output: out.json", "did you mean `outputPath`?"),
        ("filters: {shout: ./shout.js}", "did you mean `nunjucksFilters`?"),
        ("passRateThreshold: 0.9", "`PROMPTFOO_PASS_RATE_THRESHOLD`"),
        ("rubricPrompt: Grade it", "it belongs under `defaultTest.options`"),
        ("vars: {a: b}", "it belongs under `defaultTest`"),
        ("entirelyElse: {a: 1}", "promptfoo does not read `entirelyElse` at the top"),
        ("evaluateOptions: {maxConcurency: 2}", "in `evaluateOptions`; did you mean `maxConcurr"),
        (
            "author: me",
            "promptfoo does not read `author` at the top of a configuration; `metadata`",
        ),
    ],
)
def test_keys_at_the_top(line: str, says: str, tmp_path: Path) -> None:
    (message,) = advice(tmp_path, f"{HEAD}{line}\n{TEST}")
    assert says in message


@pytest.mark.parametrize("line", ["scoring: {strategy: weighted}", "logging: true"])
def test_a_key_that_is_only_somewhat_alike_is_not_what_is_meant(line: str, tmp_path: Path) -> None:
    (message,) = advice(tmp_path, f"{HEAD}{line}\n{TEST}")
    assert "did you mean" not in message


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("expected: b", "what the answer has to be is written as an assertion"),
        ("input: b", "what fills the prompt stands under `vars`"),
        ("transform: output", "it belongs under `options`"),
        ("repeat: 3", "it belongs under `options`"),
        ("type: contains", "it belongs in an item of `assert`"),
        ("maxConcurrency: 3", "promptfoo does not read `maxConcurrency` in this test"),
        ("asserts: []", "`assert` is here already"),
        ("threshhold: 0.5", "did you mean `threshold`?"),
    ],
)
def test_keys_of_a_test(key: str, says: str, tmp_path: Path) -> None:
    (message,) = advice(tmp_path, f"{HEAD}{TEST}    {key}\n")
    assert says in message


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ("type: contains, value: a, ignoreCase: true", "`icontains-all` ignore case"),
        ("type: contains, value: a, negate: true", "`not-` in front of the type"),
        ("type: llm-rubric, criteria: a", "graded by is `value`"),
        ("type: regex, value: a, flags: i", "flags cannot be set"),
        ("type: contains, valeu: a", "did you mean `value`?"),
        ("type: contains, value: a, vars: {}", "it belongs in this test"),
    ],
)
def test_keys_of_an_assertion(keys: str, says: str, tmp_path: Path) -> None:
    (message,) = advice(tmp_path, TEST.replace("type: contains, value: a", keys) + HEAD)
    assert says in message


def test_settings_of_a_provider_move_under_its_config(tmp_path: Path) -> None:
    text = f"prompts: ['{{{{q}}}}']\nproviders:\n  - id: openai:gpt-4.1\n    temperature: 0\n{TEST}"
    (message,) = advice(tmp_path, text)
    assert message.endswith("in this provider; settings of a provider belong under `config`")
    assert "    config:\n      temperature: 0\n" in fixed(tmp_path, text, "misplaced-key")


def test_several_settings_of_a_provider_move_under_one_config(tmp_path: Path) -> None:
    (tmp_path / "promptfooconfig.yaml").write_text(
        "prompts: ['{{q}}']\nproviders:\n  - id: openai:gpt-4.1\n    label: b\n    temperature: 0\n"
        f"    max_tokens: 10\n    top_p: 1\n{TEST}"
    )
    assert suitecase("check", "--fix", "--unsafe-fixes", cwd=tmp_path).returncode == 0
    changed = (tmp_path / "promptfooconfig.yaml").read_text()
    assert changed.count("config:") == 1
    assert "    config:\n      temperature: 0\n      max_tokens: 10\n      top_p: 1\n" in changed


@pytest.mark.parametrize(
    "shared",
    [
        "assertionTemplates:\n  short: {type: javascript, value: output.length < 9}\n",
        "x-common: {a: 1}\n",
        "_common: {a: 1}\n",
        "rubrics:\n  polite: &polite Is polite\n",
        "checks:\n  a: {type: contains, value: a}\ndefaultTest:\n  assert: [{$ref: '#/checks/a'}]\n",
    ],
)
def test_what_is_used_elsewhere_in_the_file_is_not_reported(shared: str, tmp_path: Path) -> None:
    assert advice(tmp_path, HEAD + shared + TEST) == []


def test_assertions_within_an_assertion_that_is_not_a_set(tmp_path: Path) -> None:
    text = TEST.replace("value: a}]", "value: a, assert: [{type: is-json}]}]")
    (message,) = advice(tmp_path, HEAD + text)
    assert "only an assertion of the type `assert-set` has assertions of its own" in message


def test_a_list_of_tests_is_checked_as_tests(tmp_path: Path) -> None:
    text = (
        TEST.partition("\n")[2]
        + "  - vars: {q: b}\n    asserts: []\n  - {path: gen.py, config: {}}\n"
    )
    assert found(tmp_path, text, *RULES, name="tests.yaml") == [
        (4, "promptfoo does not read `asserts` in this test; did you mean `assert`?")
    ]


def test_a_key_of_another_spelling_is_renamed_once(tmp_path: Path) -> None:
    text = HEAD + TEST.replace("assert:", "Assert:").replace("[{", "[{Type: contains, ")
    once = fixed(tmp_path, text, "unread-key")
    assert "    assert: [" in once
