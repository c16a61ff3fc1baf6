"""Rules on files that tests name and that are not there."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from pydantic import BaseModel

from suitecase.format.rule import External, Finding, Severity, replace, rule
from suitecase.formats.promptfoo.rules.missing_paths import (
    as_written,
    is_found_above,
    missing,
    with_hint,
)
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration, PromptfooConfiguration
from suitecase.formats.promptfoo.suite.linked_tests import (
    PlacedFacts,
    files_of_tests,
    with_doubtful_files,
)
from suitecase.formats.promptfoo.suite.models.provider import ProviderObject
from suitecase.formats.promptfoo.suite.parsed import PromptfooTest
from suitecase.formats.promptfoo.suite.providers.placed import placed_providers
from suitecase.formats.promptfoo.suite.references.better_paths import better_path
from suitecase.formats.promptfoo.suite.references.file_references import (
    bare_reference,
    from_another_folder,
    known_location,
    names_file,
)
from suitecase.formats.promptfoo.suite.test_cases.facts import NamedFile, Place
from suitecase.formats.promptfoo.suite.vocabulary import PROMPTFOO
from suitecase.schema.key_roles import File, Role
from suitecase.schema.key_texts import key_texts, roles_within
from suitecase.text.node import Mapping, Node, Scalar, Span
from suitecase_evaluators.system.path_kinds import FILE_SCHEME


@rule("PF502", gradable=True)
def missing_variable_file(configuration: LinkedConfiguration) -> Iterator[Finding]:
    """A variable names a file that does not exist.

    promptfoo looks for the file of a variable from the folder of the configuration, also where the
    test stands in a file of another folder, and ends with an error before it asks anything. Under
    `vars` itself it looks from the folder of the file, and goes on without variables.

    ```yaml bad
    prompts: ["Summarize: {{text}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars:
          text: file://texts/letter.md  # <- finding
        assert:
          - {type: icontains, value: dear}
    ```

    ```text bad file=texts/letter.txt
    Dear Ann, ...
    ```

    ```yaml fixed
    prompts: ["Summarize: {{text}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars:
          text: file://texts/letter.txt
        assert:
          - {type: icontains, value: dear}
    ```
    """
    for test, named in _named(configuration, Place.VARIABLE, Place.LISTED, Place.VARIABLES):
        is_own = named.place is Place.VARIABLES
        if is_own and named.reference.path.startswith(FILE_SCHEME):
            continue
        folder = test.own_folder(configuration) if is_own else configuration.folder
        reference = named.reference
        if reference.function is not None:
            reference = reference._replace(path=f"{reference.path}:{reference.function}")
        found = known_location(reference, folder, globs=named.place is not Place.LISTED)
        why = missing(found, reference.path, folder)
        if why is None or _is_above(named, configuration):
            continue
        tool = configuration.reading.vocabulary.tool
        if is_own:
            why += ", so the test has no variables"
        elif named.reference.function is not None:
            why += f": {tool} takes no function behind the file of a variable, here `{named.about}`"
        else:
            why += f", so {tool} cannot fill `{named.about}`"
        better = (
            better_path(named.reference.path, folder) if named.reference.function is None else None
        )
        yield test.finding(named.scalar.span, *with_hint(why, named.scalar, better))


@rule("PF503", gradable=True)
def missing_assertion_file(configuration: LinkedConfiguration) -> Iterator[Finding]:
    """An assertion, or what belongs to it, names a file that does not exist.

    promptfoo finds out when it grades: the model has been asked and paid by then, and each test ends
    with an error. It looks from the folder of the configuration, also where the test stands in a file
    of another folder.

    ```yaml bad
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {city: Rome}
        assert:
          - type: javascript
            value: file://check.js  # <- finding
          - type: llm-rubric
            value: Is polite
            rubricPrompt: file://rubric.txt  # <- finding
    ```

    ```text bad file=checks/italy.js
    module.exports = (output) => output.includes("Italy");
    ```

    ```yaml good
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {city: Rome}
        assert:
          - type: javascript
            value: file://checks/italy.js
    ```

    ```text good file=checks/italy.js
    module.exports = (output) => output.includes("Italy");
    ```
    """
    places = (Place.ASSERTION, Place.RUBRIC, Place.TRANSFORM, Place.SCORING)
    folder = configuration.folder
    for test, named in _named(configuration, *places):
        why = missing(known_location(named.reference, folder), named.reference.path, folder)
        # Some of these are looked for from the folder in which promptfoo is started.
        if (
            why is None
            or _is_above(named, configuration)
            or (test.file is not None and from_another_folder(named.reference, folder))
        ):
            continue
        better = better_path(named.reference.path, folder)
        yield test.finding(named.scalar.span, *with_hint(why, named.scalar, better))


@rule("PF504")
def variables_with_scheme(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """The value of `vars` is a file with `file://`.

    Here promptfoo takes a path as it is. It looks for a folder called `file:`, finds none, and goes on
    without variables.

    ```yaml bad
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: file://rome.yaml  # <- finding
        assert:
          - {type: icontains, value: Italy}
    ```

    ```yaml bad file=rome.yaml
    city: Rome
    ```

    ```yaml fixed
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: rome.yaml
        assert:
          - {type: icontains, value: Italy}
    ```
    """
    for test, named in _named(configuration, Place.VARIABLES):
        path = named.reference.path.removeprefix(FILE_SCHEME)
        if path == named.reference.path:
            continue
        message = (
            "under `vars` itself promptfoo takes a path without `file://`; with it, the test has no "
            "variables"
        )
        fix = replace(named.scalar.span, as_written(path, named.scalar), f"Change to `{path}`")
        yield test.finding(named.scalar.span, message, fix)


@rule("PF510", gradable=True)
def missing_file_of_key(configuration: LinkedConfiguration) -> Iterator[Finding]:
    """A setting names a file that does not exist.

    promptfoo looks for it from the folder of the configuration. Without a file of scenarios or an
    extension it ends with an error; without the tools, the schema, the body of a request or the
    `transform` of a provider, each question to it does.

    ```yaml bad
    prompts: ["Where is {{city}}?"]
    providers:
      - id: openai:gpt-4.1
        config:
          tools: file://tool.json  # <- finding
    tests:
      - vars: {city: Rome}
        assert: [{type: icontains, value: Italy}]
    ```

    ```json bad file=tools.json
    []
    ```

    ```yaml fixed
    prompts: ["Where is {{city}}?"]
    providers:
      - id: openai:gpt-4.1
        config:
          tools: file://tools.json
    tests:
      - vars: {city: Rome}
        assert: [{type: icontains, value: Italy}]
    ```

    ```yaml bad
    prompts: ["Where is {{city}}?"]
    providers:
      - id: openai:gpt-4.1
        transform: file://shorter.js  # <- finding
        config:
          response_format:
            type: json_schema
            schema: file://answer.json  # <- finding
    extensions:
      - file://hooks.py:before  # <- finding
    scenarios:
      - file://cities.yaml  # <- finding
    tests:
      - vars: {city: Rome}
        assert: [{type: icontains, value: Italy}]
    ```
    """
    folder, tool = configuration.folder, configuration.reading.vocabulary.tool
    for named in _key_files(configuration):
        text, role = named.scalar.text, named.role
        if not names_file(text, role) or not isinstance(named.scalar.value, str):
            continue
        reference = bare_reference(text)
        why = missing(known_location(reference, folder), reference.path, folder)
        if why is None or is_found_above(reference, configuration):
            continue
        message, fix = with_hint(
            f"{why}, so {role.missing.replace(PROMPTFOO.tool, tool)}",
            named.scalar,
            better_path(reference.path, folder),
        )
        fix = fix and fix.moved(partial(_moved, named))
        yield Finding(named.span, message, fix, external=named.external)


def _moved(named: _KeyFile, span: Span) -> Span:
    """Return the place in the document of a place in the text that the name is written in."""
    offset = named.span.start - named.scalar.span.start
    return Span(span.start + offset, span.end + offset)


@rule("PF519", Severity.WARNING)
def filter_with_scheme(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """The file of a filter has `file://` in front.

    Under `nunjucksFilters` promptfoo takes a path as it is. It looks for a folder called `file:`, finds
    none, and goes on without the filter: each prompt that uses it ends with an error.

    ```yaml bad
    prompts: ["Say {{word | shout}}"]
    providers: [openai:gpt-4.1]
    nunjucksFilters:
      shout: file://shout.js  # <- finding
    tests:
      - vars: {word: hi}
        assert: [{type: contains, value: HI}]
    ```

    ```js bad file=shout.js
    module.exports = (text) => text.toUpperCase();
    ```

    ```yaml fixed
    prompts: ["Say {{word | shout}}"]
    providers: [openai:gpt-4.1]
    nunjucksFilters:
      shout: shout.js
    tests:
      - vars: {word: hi}
        assert: [{type: contains, value: HI}]
    ```
    """
    for named in _key_files(configuration):
        text = named.scalar.text
        if named.role.scheme == "none" and text.startswith(FILE_SCHEME):
            path = text.removeprefix(FILE_SCHEME)
            message = (
                "here promptfoo takes a path without `file://`; with it, there is no filter of this "
                "name"
            )
            fix = replace(named.span, as_written(path, named.scalar), f"Change to `{path}`")
            yield Finding(named.span, message, fix)


def _is_above(named: NamedFile, configuration: LinkedConfiguration) -> bool:
    return is_found_above(named.reference, configuration)


def _named(
    configuration: LinkedConfiguration, *places: Place
) -> Iterator[tuple[PlacedFacts, NamedFile]]:
    for test in with_doubtful_files(configuration):
        for named in test.facts.files:
            if named.place in places:
                yield test, named


class _KeyFile(NamedTuple):
    """A text that may name a file, because of its key.

    Attributes:
        role: what the models say of it.
        scalar: the text.
        span: its place in the document, or in the file of `external`.
        external: the file that it is written in, if that is not the configuration.
    """

    role: File
    scalar: Scalar
    span: Span
    external: External | None = None


def _key_files(configuration: LinkedConfiguration) -> Iterator[_KeyFile]:
    """Yield the texts that may name files which no other rule looks for."""
    head, spans = configuration.head, set[Span]()
    for role, scalar in _texts_with_files(head.node, head.model_type):
        span = configuration.head_span(scalar.span)
        spans.add(span)
        yield _KeyFile(role, scalar, span)
    for number, found in configuration.file.case_index.where(_in_test):
        for role, scalar in found:
            yield _KeyFile(role, scalar, configuration.test_span(number, scalar.span))
    for source, file in files_of_tests(configuration):
        external = External(file.path, source.span)
        for piece in file.read.pieces:
            for role, scalar in _texts_with_files(piece.content.node, configuration.reading.test):
                yield _KeyFile(role, scalar, piece.absolute(scalar.span), external)
    for placed in placed_providers(configuration):
        entry = placed.entry
        for role, scalar in _texts_with_files(entry.options, ProviderObject):
            if entry.path is not None:
                external = External(entry.path, placed.named)
                yield _KeyFile(role, scalar, scalar.span, external)
            elif placed.external is not None or placed.place(scalar.span) not in spans:
                yield _KeyFile(role, scalar, placed.place(scalar.span), placed.external)


def _in_test(test: PromptfooTest) -> tuple[tuple[File, Scalar], ...]:
    return tuple(_texts_with_files(test.node, test.model_type))


def _texts_with_files(node: Node | None, model: type[BaseModel]) -> Iterator[tuple[File, Scalar]]:
    """Yield the texts in a mapping that may name files by its model."""
    if isinstance(node, Mapping) and any(map(_is_looked_for, roles_within(model))):
        for text in key_texts(model, node):
            for role in text.roles:
                if isinstance(role, File) and _is_looked_for(role):
                    yield role, text.node


def _is_looked_for(role: Role) -> bool:
    """Whether a file is missed here, and not by a rule of its own."""
    return isinstance(role, File) and role.missing != ""
