"""The rule on suites in which nothing says which model grades."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, Severity, rule
from suitecase.formats.promptfoo.suite.linked import PromptfooConfiguration
from suitecase.formats.promptfoo.suite.parsed import ParsedTestBody, PromptfooTest
from suitecase.formats.promptfoo.suite.prompts.prompts import has_value
from suitecase.text.node import Mapping, Node, Scalar


@rule("PF342", Severity.INFO)
def grader_from_environment(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """Nothing says which model grades.

    Assertions such as `llm-rubric` ask a model. Where neither the assertion, nor the test, nor
    `defaultTest` names one, promptfoo takes a model of the service whose API key it finds in the
    environment: of OpenAI if `OPENAI_API_KEY` is set, then of Azure, Anthropic, Google, Mistral, xAI
    and GitHub. The same suite is then graded by different models on different machines.

    ```yaml bad
    prompts: ["Translate {{text}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {text: Hello}
        assert:
          - type: llm-rubric  # <- finding
            value: Is French
    ```

    ```yaml good
    prompts: ["Translate {{text}}"]
    providers: [openai:gpt-4.1]
    defaultTest:
      options:
        provider: openai:gpt-4.1-mini
    tests:
      - vars: {text: Hello}
        assert:
          - type: llm-rubric
            value: Is French
    ```
    """
    default = configuration.head.default_test
    if has_value(configuration.head.get("defaultTest")) and default is None:
        return  # It is in another file.
    if default is not None and (
        _grader(default) is not None or has_value(default.node.get("provider"))
    ):
        return
    first = _first_graded(default) if default is not None else None
    if first is not None:
        span = configuration.head_span(first.span)
    else:
        found = next(iter(configuration.file.case_index.where(_graded_in_test)), None)
        if found is None:
            return
        number, first = found
        span = configuration.test_span(number, first.span)
    yield Finding(
        span,
        f"nothing says which model grades `{first.text}`, so the first API key in the environment "
        "decides: `OPENAI_API_KEY`, `ANTHROPIC_API_KEY`, `GEMINI_API_KEY`, ...; set "
        "`defaultTest.options.provider`",
    )


def _graded_in_test(test: PromptfooTest) -> Scalar | None:
    body = test.body
    return _first_graded(body) if body is not None and _grader(body) is None else None


def _first_graded(body: ParsedTestBody) -> Scalar | None:
    """Return the type of the first assertion that a model grades and that does not name it."""
    for assertion in body.assertions():
        if assertion.type is None or has_value(assertion.node.get("provider")):
            continue
        known = body.reading.assertion_type(assertion.type.text)
        if known is not None and known[0].graded_by == "model":
            return assertion.type
    return None


def _grader(body: ParsedTestBody) -> Node | None:
    options = body.node.get("options")
    grader = options.get("provider") if isinstance(options, Mapping) else None
    return grader if has_value(grader) else None
