"""Rules on configurations without prompts, and on filters that are not lists."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, Fix, Severity, replace, rule
from suitecase.formats.promptfoo.suite.linked import PromptfooConfiguration
from suitecase.formats.promptfoo.suite.parsed import ParsedTestBody, PromptfooTest
from suitecase.formats.promptfoo.suite.prompts.prompts import has_value
from suitecase.text.node import Scalar, Sequence

#: What the prompt that promptfoo assumes is filled with.
_VARIABLE = "prompt"


@rule("PF316", Severity.WARNING)
def no_prompts(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A configuration has no prompts.

    Without `prompts`, promptfoo sends the variable `prompt` of each test. With an empty list it
    refuses to run, unless prompts are named on the command line.

    ```yaml bad
    providers: [openai:gpt-4.1]  # <- finding
    tests:
      - vars: {question: Who wrote Faust?}
        assert:
          - {type: contains, value: Goethe}
    ```

    ```yaml good
    providers: [openai:gpt-4.1]
    tests:
      - vars: {prompt: Who wrote Faust?}
        assert:
          - {type: contains, value: Goethe}
    ```
    """
    head = configuration.head
    if head.node is None or has_value(head.get("redteam")):
        return
    key = head.node.key(head.reading.key("prompts"))
    written = head.get("prompts")
    if key is not None and has_value(written):
        if isinstance(written, Sequence) and not written.items:
            message = "there are no prompts, so promptfoo refuses to run unless the command line names some"
            yield Finding(key.span, message).moved(configuration.head_span)
        return
    tests = configuration.file.case_index
    if (
        not configuration.file.document.cases
        or configuration.test_sources
        or configuration.has_unknown_tests
    ):
        return
    if _fills_prompt(head.default_test) or tests.any(_test_fills_prompt):
        return
    if any(
        provider.options is not None and has_value(provider.options.get("inputs"))
        for provider in configuration.providers
    ):
        return
    place = key or head.node.key("providers") or head.node.key("targets")
    if place is not None and not isinstance(head.get("defaultTest"), Scalar):
        yield Finding(
            place.span,
            "there are no prompts, so promptfoo sends the variable `prompt`, which no test has",
        ).moved(configuration.head_span)


def _test_fills_prompt(test: PromptfooTest) -> bool | None:
    return _fills_prompt(test.body) or None


def _fills_prompt(body: ParsedTestBody | None) -> bool:
    """Whether a test has the variable, or may have it."""
    if body is None:
        return False
    variables = body.node.get("vars")
    return (body.variables is not None and _VARIABLE in body.variables) or isinstance(
        variables, Scalar
    )


@rule("PF347", Severity.WARNING)
def filter_not_a_list(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A filter by label is a text, and not a list.

    promptfoo ignores `prompts` that is a text, so that the test or the provider gets all prompts. It
    refuses to run with `providers` of a test that is a text.

    ```yaml bad
    prompts:
      - {raw: "Translate {{text}}", label: short}
      - {raw: "Translate for a child: {{text}}", label: simple}
    providers: [openai:gpt-4.1]
    tests:
      - vars: {text: Hello}
        prompts: short  # <- finding
        assert:
          - {type: icontains, value: bonjour}
    ```

    ```yaml fixed
    prompts:
      - {raw: "Translate {{text}}", label: short}
      - {raw: "Translate for a child: {{text}}", label: simple}
    providers: [openai:gpt-4.1]
    tests:
      - vars: {text: Hello}
        prompts: [short]
        assert:
          - {type: icontains, value: bonjour}
    ```
    """
    default = configuration.head.default_test
    for kind, node in _texts(default) if default is not None else ():
        yield _not_a_list(kind, node, configuration.head.source).moved(configuration.head_span)
    for number, found in configuration.file.case_index.where(_texts_of_test):
        piece = configuration.file.document.cases[number]
        for kind, node in found:
            yield _not_a_list(kind, node, piece.content.text).moved(piece.absolute)
    for entry in configuration.providers:
        written = entry.options.get("prompts") if entry.options is not None else None
        if entry.path is None and isinstance(written, Scalar) and isinstance(written.value, str):
            finding = _not_a_list("prompts", written, configuration.head.source)
            yield finding.moved(configuration.head_span)


def _texts_of_test(test: PromptfooTest) -> tuple[tuple[str, Scalar], ...] | None:
    return tuple(_texts(test.body)) or None if test.body is not None else None


def _texts(body: ParsedTestBody) -> Iterator[tuple[str, Scalar]]:
    for kind in ("prompts", "providers"):
        node = body.node.get(kind)
        if isinstance(node, Scalar) and isinstance(node.value, str):
            yield kind, node


def _not_a_list(kind: str, node: Scalar, source: str) -> Finding:
    if kind == "prompts":
        message = "`prompts` is a text here, which promptfoo ignores: all prompts are taken"
    else:
        message = "`providers` of a test is a list, or promptfoo refuses to run"
    fix: Fix | None = None
    written = source[node.start : node.end]
    if node.style in ("", "'", '"') and not any(it in written for it in ",[]{}*&\n"):
        fix = replace(node.span, f"[{written}]", "Write a list", safe=False)
    return Finding(node.span, message, fix)
