"""Scenarios of promptfoo are checked as tests are."""

from pathlib import Path

from suitecase.format.rule import Severity
from suitecase.text.lines import Lines
from support.checked_suite import analyzed

TEXT = """\
prompts: ["{{greeting}} in {{language}}"]
providers: [openai:gpt-4.1]
scenarios:
  - description: greetings
    config:
      - vars: {language: French, expected: bonjour}
        asserts: []
      - vars: {language: German, expected: hallo}
    tests:
      - vars: {greeting: Hello}
        assert:
          - {type: icontains, value: "{{expected}}"}
          - {type: containsAny, value: [a]}
          - {type: latency, value: 500}
          - value: b
"""


def test_mistakes_in_scenarios_are_found(tmp_path: Path) -> None:
    lines = Lines(TEXT)
    found = {
        (lines.position(it.span.start)[0] + 1, it.rule.name)
        for it in analyzed(tmp_path, TEXT).findings
        if it.severity is not Severity.INFO
    }
    assert found == {
        (7, "unread-key"),
        (13, "unknown-assertion-type"),
        (14, "threshold-missing"),
        (15, "assertion-without-type"),
    }


def test_a_right_scenario_is_clean(tmp_path: Path) -> None:
    text = TEXT.replace("        asserts: []\n", "").partition("          - {type: containsAny")[0]
    found = analyzed(tmp_path, text).findings
    assert [it.message for it in found if it.severity is not Severity.INFO] == []
