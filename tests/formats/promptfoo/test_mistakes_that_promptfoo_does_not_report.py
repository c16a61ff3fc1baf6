"""Mistakes of which promptfoo's own validation says nothing, or does not say where they are.

One of them stands in each file, at the line with the mark.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.rule import Severity
from suitecase.syntax.lines import Lines
from support.checked_suite import analyzed

MARK = "  # here"
HEAD = 'prompts: ["{{question}}"]\nproviders: [echo]\n'
ASSERTED = "    assert: [{type: contains, value: a}]\n"
TEST = "tests:\n  - vars: {question: a}\n"

MISTAKES = {
    "assert at the top": f"{HEAD}assert:{MARK}\n  - {{type: contains, value: a}}\n{TEST}",
    "asserts": f"{HEAD}{TEST}    asserts:{MARK}\n      - {{type: contains, value: a}}\n",
    "assert among the variables": (
        f"{HEAD}tests:\n  - vars:\n      question: a\n      assert:{MARK}\n"
        "        - {type: contains, value: a}\n"
    ),
    "file of tests that is missing": f"{HEAD}tests: file://nope.yaml{MARK}\n",
    "weight 0": (
        f"{HEAD}{TEST}    assert:{MARK}\n      - {{type: contains, value: zz, weight: 0}}\n"
    ),
    "defaultTests": f"{HEAD}defaultTests:{MARK}\n  threshold: 1\n{TEST}{ASSERTED}",
    "maxConcurrency at the top": f"{HEAD}maxConcurrency: 1{MARK}\n{TEST}{ASSERTED}",
    "expected in a test": f"{HEAD}{TEST}    expected: a{MARK}\n{ASSERTED}",
    "containsAny": f"{HEAD}{TEST}    assert:\n      - type: containsAny{MARK}\n        value: [a]\n",
    "ignoreCase": (
        f"{HEAD}{TEST}    assert:\n      - type: contains\n        value: A\n"
        f"        ignoreCase: true{MARK}\n"
    ),
    "variable without a value": (
        f'prompts:\n  - "{{{{qestion}}}}"{MARK}\nproviders: [echo]\n{TEST}{ASSERTED}'
    ),
    "prompt with a file": (
        f"prompts:\n  - id: p1{MARK}\n    label: one\n    file: file://p.txt\n"
        f"providers: [echo]\n{TEST}{ASSERTED}"
    ),
    "file of an assertion that is missing": (
        f"{HEAD}{TEST}    assert:\n      - type: javascript\n        value: file://nope.js{MARK}\n"
    ),
    "regex of another language": (
        f"{HEAD}{TEST}    assert:\n      - type: regex\n        value: (?i)what[{MARK}\n"
    ),
    "contains with a list": (
        f"{HEAD}{TEST}    assert:\n      - type: contains\n        value: [a, b]{MARK}\n"
    ),
    "latency with a value": (
        f"{HEAD}{TEST}    assert:\n      - type: latency\n        value: 5000{MARK}\n"
    ),
    "schema of no type": (
        f"{HEAD}{TEST}    assert:\n      - type: is-json\n        value:\n"
        f"          type: objekt{MARK}\n"
    ),
    "threshold 80": (
        f"{HEAD}{TEST}    assert:\n      - type: llm-rubric\n        value: polite\n"
        f"        threshold: 80{MARK}\n"
    ),
    "rubric without a text": f"{HEAD}{TEST}    assert:\n      - type: llm-rubric{MARK}\n",
    "prompt file that is missing": f"prompts:\n  - file://nope.txt{MARK}\nproviders: [echo]\n{TEST}{ASSERTED}",
    "prompt path that is missing": f"prompts:\n  - prompts/nope.txt{MARK}\nproviders: [echo]\n{TEST}{ASSERTED}",
    "assert that is a mapping": f"{HEAD}{TEST}    assert:{MARK}\n      type: contains\n      value: a\n",
    "assertion in two items": f"{HEAD}{TEST}    assert:\n      - type: contains\n      - value: a{MARK}\n",
    "unknown provider": (
        f'prompts: ["{{{{question}}}}"]\nproviders:\n  - opneai:gpt-4.1{MARK}\n{TEST}{ASSERTED}'
    ),
    "key that is given twice": f"{HEAD}description: a\n{TEST}{ASSERTED}description: b{MARK}\n",
    "bad indentation": f"{HEAD}tests:\n  - vars: {{question: a}}\n   assert: []{MARK}\n",
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found_where_it_is(name: str, tmp_path: Path) -> None:
    marked = MISTAKES[name]
    line = marked[: marked.index(MARK)].count("\n")
    text = marked.replace(MARK, "")
    lines = Lines(text)
    grave = [it for it in analyzed(tmp_path, text).findings if it.severity is not Severity.INFO]
    found = [(lines.position(it.span.start)[0], it.rule.name, it.message) for it in grave]
    assert [it[0] for it in found] == [line], found
