"""Rules on assertions that a model grades by a text."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, rule
from suitecase.formats.promptfoo.rules.assertion_lists import lists_in
from suitecase.formats.promptfoo.rules.assertion_type_names import known_type_of
from suitecase.formats.promptfoo.rules.assertion_values import is_nothing, span_of_value
from suitecase.formats.promptfoo.suite.linked import PromptfooConfiguration
from suitecase.formats.promptfoo.suite.parsed import ParsedTestBody, PromptfooTest
from suitecase.text.near_names import nearest
from suitecase.text.node import Mapping, Scalar, Span


@rule("PF206", gradable=True)
def rubric_without_text(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A model is to grade an answer, and nothing says by what.

    promptfoo asks the grader with an empty rubric, and takes what it says. Only a `rubricPrompt` of
    your own can have the criteria in it.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - {type: contains, value: Paris}
          - type: llm-rubric  # <- finding
            provider: openai:gpt-4.1
    ```

    ```yaml good
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - {type: contains, value: Paris}
          - type: llm-rubric
            provider: openai:gpt-4.1
            value: Names the capital and nothing else
    ```
    """
    head, default = configuration.head, configuration.head.get("defaultTest")
    if isinstance(default, Scalar) and default.value is not None:
        return  # a file has it
    body = head.default_test
    if body is not None:
        if _has_prompt(body):
            return
        for span in _bare_rubrics(body):
            yield Finding(configuration.head_span(span), _MESSAGE)
    for number, spans in configuration.file.case_index.where(_of_test):
        for span in spans:
            yield Finding(configuration.test_span(number, span), _MESSAGE)


_MESSAGE = "this assertion has no `value`, so that the grader gets nothing to grade by"


def _of_test(test: PromptfooTest) -> tuple[Span, ...]:
    body = test.body
    return () if body is None or _has_prompt(body) else tuple(_bare_rubrics(body))


def _has_prompt(body: ParsedTestBody) -> bool:
    options = body.node.get("options")
    return isinstance(options, Mapping) and "rubricPrompt" in options


def _bare_rubrics(body: ParsedTestBody) -> Iterator[Span]:
    for listed in lists_in(body):
        for item in listed.items:
            if not isinstance(item, Mapping) or "rubricPrompt" in item or "$ref" in item:
                continue
            found, written = known_type_of(item, body.reading), item.get("type")
            if found is None or not found[0].criteria_elsewhere or not isinstance(written, Scalar):
                continue
            value, key = item.get("value"), item.key("value")
            if not is_nothing(value, found[0]) or _is_misspelled(item):
                continue
            yield written.span if key is None else span_of_value(value, key)


def _is_misspelled(item: Mapping) -> bool:
    """Whether the criterion most likely stands under another key, which is reported."""
    if "value" in item:
        return False
    meant = ("value", "criteria", "criterion", "prompt", "rubric", "text", "content", "expected")
    return any(nearest(entry, meant) is not None for entry in item.entries)
