"""Rules on the models that grade answers."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.formats.promptfoo.rules.provider_ids import meant_id
from suitecase.formats.promptfoo.suite.linked import PromptfooConfiguration
from suitecase.formats.promptfoo.suite.parsed import ParsedTestBody, PromptfooTest
from suitecase.formats.promptfoo.suite.prompt_paths import FILE_SCHEME
from suitecase.formats.promptfoo.suite.prompts import has_value
from suitecase.formats.promptfoo.suite.provider_prefixes import PREFIXES
from suitecase.formats.promptfoo.suite.providers import (
    ProviderProblem,
    id_of,
    identify,
)
from suitecase.rule import Finding, Severity, rule
from suitecase.syntax.node import Mapping, Node, Scalar

#: The kinds of providers that may be told apart for grading.
GRADER_KINDS = ("text", "embedding", "classification", "moderation")

#: Types whose default grader does not depend on the API keys in the environment.
OWN_GRADERS = ("video-rubric",)


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
        if known is not None and known[0].graded_by == "model" and known[0].name not in OWN_GRADERS:
            return assertion.type
    return None


def _grader(body: ParsedTestBody) -> Node | None:
    options = body.node.get("options")
    grader = options.get("provider") if isinstance(options, Mapping) else None
    return grader if has_value(grader) else None


@rule("PF345")
def misspelled_grader(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """The provider that grades starts with nearly the name of one.

    It is the id of a provider, the label of one of the configuration's, a mapping with `id`, or a
    mapping with a provider for each kind: `text`, `embedding`, `classification`, `moderation`.
    Each graded answer ends with an error where promptfoo does not know the provider.

    ```yaml bad
    prompts: ["Translate {{text}}"]
    providers: [openai:gpt-4.1]
    defaultTest:
      options:
        provider: opneai:gpt-4.1-mini  # <- finding
    ```

    ```yaml good
    prompts: ["Translate {{text}}"]
    providers: [openai:gpt-4.1]
    defaultTest:
      options:
        provider: openai:gpt-4.1-mini
    ```
    """
    default = configuration.head.default_test
    names = {it.name for it in configuration.providers} | {it.id for it in configuration.providers}
    for node in _graders(default) if default is not None else ():
        message = _problem(node, names, configuration)
        if message is not None:
            yield Finding(node.span, message).moved(configuration.head_span)
    for number, nodes in configuration.file.case_index.where(_unusual_graders):
        for node in nodes:
            message = _problem(node, names, configuration)
            if message is not None:
                yield Finding(configuration.test_span(number, node.span), message)


def _unusual_graders(test: PromptfooTest) -> tuple[Scalar, ...] | None:
    """Return the ids of a test's graders that start with the name of no provider."""
    found = _graders(test.body) if test.body is not None else ()
    return tuple(it for it in found if it.text.partition(":")[0] not in PREFIXES) or None


def _graders(body: ParsedTestBody) -> Iterator[Scalar]:
    """Yield the ids of the providers that grade."""
    for written in (_grader(body), *(it.node.get("provider") for it in body.assertions())):
        nodes = [written]
        if isinstance(written, Mapping) and any(it in written for it in GRADER_KINDS):
            nodes = [written.get(it) for it in GRADER_KINDS]
        for node in nodes:
            found = id_of(node) if node is not None else None
            if found is not None:
                yield found[0]


def _problem(
    node: Scalar, names: set[str | None], configuration: PromptfooConfiguration
) -> str | None:
    if (
        node.text in names
        or ":" not in node.text
        or node.text.startswith((FILE_SCHEME, "package:"))
    ):
        return None
    problem = identify(node.text, configuration.folder, has_config=True).problem
    meant = meant_id(node.text) if problem is ProviderProblem.UNKNOWN else None
    if meant is None:
        return None
    return f"promptfoo does not know the provider `{node.text}`; did you mean `{meant}`?"
