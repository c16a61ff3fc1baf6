"""Rules on the providers that tests and assertions name: those that answer instead, and those that grade."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, rule
from suitecase.formats.promptfoo.rules.missing_paths import missing, with_hint
from suitecase.formats.promptfoo.rules.provider_ids import meant_id
from suitecase.formats.promptfoo.suite.linked import PromptfooConfiguration
from suitecase.formats.promptfoo.suite.parsed import ParsedTestBody, PromptfooTest
from suitecase.formats.promptfoo.suite.prompts.paths import prompt_path
from suitecase.formats.promptfoo.suite.providers.placed import own_providers
from suitecase.formats.promptfoo.suite.providers.prefixes import PREFIXES, ProviderKind
from suitecase.formats.promptfoo.suite.providers.providers import (
    LISTS_OF_PROVIDERS,
    ProviderProblem,
    id_of,
    identify,
)
from suitecase.formats.promptfoo.suite.references.better_paths import better_path
from suitecase.formats.promptfoo.suite.references.file_references import (
    file_reference,
    known_location,
)
from suitecase.text.node import Scalar
from suitecase_evaluators.system.path_kinds import FILE_SCHEME


@rule("PF345")
def misspelled_provider_of_test(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A test or an assertion names a provider that starts with nearly the name of one.

    The provider that answers a test, or grades it, is the id of a provider, a mapping with `id`, or, for
    grading, the label of one of the configuration's, or a mapping with a provider for each kind: `text`,
    `embedding`, `classification`, `moderation`. The test ends with an error where promptfoo does not know
    the provider.

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
    for node, finding in _named(configuration):
        if ":" not in node.text or node.text.startswith((FILE_SCHEME, "package:")):
            continue
        problem = identify(node.text, configuration.folder, has_config=True).problem
        meant = meant_id(node.text) if problem is ProviderProblem.UNKNOWN else None
        if meant is not None:
            message = f"promptfoo does not know the provider `{node.text}`; did you mean `{meant}`?"
            yield finding(message)


@rule("PF350")
def missing_file_of_test_provider(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A test or an assertion names a provider whose file does not exist, or lacks the function.

    The test ends with an error. promptfoo looks for the file from the folder of the configuration.

    ```yaml bad
    prompts: ["Translate {{text}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {text: Hello}
        assert:
          - type: llm-rubric
            value: Is French
            provider: file://greder.py  # <- finding
    ```

    ```python bad file=grader.py
    def call_api(prompt, options, context):
        return {"output": '{"pass": true}'}
    ```

    ```yaml good
    prompts: ["Translate {{text}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {text: Hello}
        assert:
          - type: llm-rubric
            value: Is French
            provider: file://grader.py
    ```

    ```python good file=grader.py
    def call_api(prompt, options, context):
        return {"output": '{"pass": true}'}
    ```
    """
    for node, finding in _named(configuration):
        reference = file_reference(node.text)
        if reference is not None and node.text.endswith(LISTS_OF_PROVIDERS):
            folder = configuration.folder
            why = missing(known_location(reference, folder, globs=False), reference.path, folder)
            if why is not None:
                yield finding(with_hint(why, node, better_path(reference.path, folder))[0])
            continue
        identity = identify(node.text, configuration.folder)
        path = prompt_path(node.text.removeprefix(FILE_SCHEME))
        name = path.path if identity.prefix is None else path.path.partition(":")[2]
        if identity.problem is ProviderProblem.MISSING:
            better = better_path(name, configuration.folder)
            hint = f"; did you mean `{better}`?" if better is not None else ""
            yield finding(f"file `{name}` not found{hint}")
        elif identity.problem is ProviderProblem.NO_FUNCTION:
            yield finding(f"`{name}` does not define `{identity.function or 'call_api'}`")


class _Place:
    """Makes findings at an id: of `defaultTest`, or of a test by its number."""

    __slots__ = ("_configuration", "_node", "_number")

    def __init__(
        self, configuration: PromptfooConfiguration, node: Scalar, number: int | None
    ) -> None:
        self._configuration = configuration
        self._node = node
        self._number = number

    def __call__(self, message: str) -> Finding:
        if self._number is None:
            return Finding(self._configuration.head_span(self._node.span), message)
        return Finding(self._configuration.test_span(self._number, self._node.span), message)


def _named(configuration: PromptfooConfiguration) -> Iterator[tuple[Scalar, _Place]]:
    """Yield the ids that name none of the configuration's providers and are not those of models."""
    names = {provider.name for provider in configuration.providers} | {
        provider.id for provider in configuration.providers
    }
    default = configuration.head.default_test
    for node in _ids(default) if default is not None else ():
        if node.text not in names:
            yield node, _Place(configuration, node, None)
    for number, nodes in configuration.file.case_index.where(_unusual_ids):
        for node in nodes:
            if node.text not in names:
                yield node, _Place(configuration, node, number)


def _unusual_ids(test: PromptfooTest) -> tuple[Scalar, ...] | None:
    return tuple(_ids(test.body)) or None if test.body is not None else None


def _ids(body: ParsedTestBody) -> Iterator[Scalar]:
    """Yield the ids of providers that a test names, but not those of models."""
    for node in own_providers(body.node):
        found = id_of(node)
        if found is not None and not _is_model(found[0].text):
            yield found[0]


def _is_model(text: str) -> bool:
    prefix = PREFIXES.get(text.partition(":")[0])
    return prefix is not None and prefix.kind is not ProviderKind.CODE
