"""The rule on tests that name the provider that answers them by its label."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from suitecase.format.rule import External, Finding, rule
from suitecase.formats.promptfoo.suite.linked import PromptfooConfiguration
from suitecase.formats.promptfoo.suite.linked_tests import files_of_tests
from suitecase.formats.promptfoo.suite.parsed import ParsedTestBody, PromptfooTest
from suitecase.formats.promptfoo.suite.providers.providers import ProviderProblem, id_of, identify
from suitecase.formats.promptfoo.suite.test_cases.default_test import default_node, named_file
from suitecase.formats.promptfoo.suite.test_cases.files import TestsText
from suitecase.text.document import Piece
from suitecase.text.node import Mapping, Node, Scalar, Span
from suitecase.text.recent import recent


@rule("PF351")
def label_as_provider_of_test(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A test names the provider that answers it by the label of a provider.

    promptfoo takes `provider` of a test for an id, does not know it, and refuses to run. `providers` of a
    test takes labels: only the rows of these providers are asked. Graders, under `options.provider` and
    in assertions, may be named by their labels, too.

    ```yaml bad
    prompts: ["Translate {{text}}"]
    providers:
      - {id: openai:gpt-4.1, label: large}
      - {id: openai:gpt-4.1-mini, label: small}
    tests:
      - vars: {text: Hello}
        provider: small  # <- finding
        assert: [{type: contains, value: Bonjour}]
    ```

    ```yaml good
    prompts: ["Translate {{text}}"]
    providers:
      - {id: openai:gpt-4.1, label: large}
      - {id: openai:gpt-4.1-mini, label: small}
    tests:
      - vars: {text: Hello}
        providers: [small]
        assert: [{type: contains, value: Bonjour}]
    ```
    """
    names = _labels_only(configuration)
    if not names:
        return
    for node, absolute, external in _written(configuration):
        if node.text in names:
            message = (
                f"promptfoo does not know the provider `{node.text}`: `provider` of a test takes an id, and "
                f"this is a label; write `providers: [{node.text}]`"
            )
            yield Finding(absolute(node.span), message, external=external)


def _labels_only(configuration: PromptfooConfiguration) -> set[str]:
    """Return the labels of providers that promptfoo does not take for ids."""
    ids = {provider.id for provider in configuration.providers}
    return {
        provider.name
        for provider in configuration.providers
        if provider.name is not None
        and provider.name not in ids
        and identify(provider.name, configuration.folder).problem is ProviderProblem.UNKNOWN
    }


def _written(
    configuration: PromptfooConfiguration,
) -> Iterator[tuple[Scalar, Callable[[Span], Span], External | None]]:
    """Yield the names of providers in tests, with what places them in their files."""
    for element in configuration.head.elements():
        node = _own_provider(element.node) if isinstance(element, ParsedTestBody) else None
        if node is not None:
            yield node, configuration.head_span, None
    for number, node in configuration.file.case_index.where(_of_test):
        yield node, partial(configuration.test_span, number), None
    for placed, file in files_of_tests(configuration):
        for piece, node in _in_file(file.read):
            yield node, piece.absolute, External(file.path, placed.span)
    named = named_file(configuration, "defaultTest")
    node = _own_provider(default_node(configuration)) if named is not None else None
    if named is not None and node is not None:
        place = External(named.found.files[0], configuration.head_span(named.name.span))
        yield node, lambda span: span, place


def _of_test(test: PromptfooTest) -> Scalar | None:
    return _own_provider(test.body.node) if test.body is not None else None


@recent(most=64)
def _in_file(read: TestsText) -> tuple[tuple[Piece, Scalar], ...]:
    found = ((piece, _own_provider(piece.node)) for piece in read.pieces)
    return tuple((piece, node) for piece, node in found if node is not None)


def _own_provider(test: Node | None) -> Scalar | None:
    written = test.get("provider") if isinstance(test, Mapping) else None
    found = id_of(written) if written is not None else None
    return found[0] if found is not None else None
