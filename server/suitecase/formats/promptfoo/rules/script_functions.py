"""Rules on the functions that tests name in scripts, and on files that are not looked at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from suitecase.format.rule import Finding, Severity, rule
from suitecase.formats.promptfoo.rules.prompt_entries import with_problem
from suitecase.formats.promptfoo.suite.linked import PromptfooConfiguration
from suitecase.formats.promptfoo.suite.linked_tests import PlacedFacts, with_doubtful_files
from suitecase.formats.promptfoo.suite.prompts.paths import is_meant_as_path
from suitecase.formats.promptfoo.suite.prompts.targets import PromptProblem
from suitecase.formats.promptfoo.suite.references.file_references import (
    FileProblem,
    FileReference,
    Located,
    known_location,
)
from suitecase.formats.promptfoo.suite.references.named_files import DEFAULT_FUNCTIONS
from suitecase.formats.promptfoo.suite.references.script_functions import lacks_function
from suitecase.formats.promptfoo.suite.test_cases.facts import Place
from suitecase.text.node import Scalar, Span

#: What promptfoo calls where tests are named without a function.
_OF_TESTS = "generate_tests"
#: What a script has that defines anything for others; one without it is not written yet.
_EXPORTS = re.compile(
    r"^(?:async )?def |^class |^\w+ *=|^(?:from|import) |exports?\b", re.MULTILINE
)


class _Named(NamedTuple):
    """A file that is named, with where: in a test, or at a place of the document."""

    scalar: Scalar
    reference: FileReference
    found: Located
    default: str | None
    test: PlacedFacts | None
    span: Span

    def finding(self, message: str) -> Finding:
        if self.test is not None:
            return self.test.finding(self.scalar.span, message)
        return Finding(self.span, message)


def _files(configuration: PromptfooConfiguration) -> Iterator[_Named]:
    for placed in configuration.test_sources:
        source = placed.source
        if source.reference is not None:
            yield _Named(
                *(source.name, source.reference, source.found, _OF_TESTS, None, placed.span)
            )
    for test in with_doubtful_files(configuration):
        for named in test.facts.files:
            is_own = named.place is Place.VARIABLES
            folder = test.own_folder(configuration) if is_own else configuration.folder
            globs = named.place is not Place.LISTED
            found = known_location(named.reference, folder, globs=globs)
            default = DEFAULT_FUNCTIONS.get(named.place)
            yield _Named(*(named.scalar, named.reference, found, default, test, Span(0, 0)))


@rule("PF505", gradable=True)
def missing_script_function(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A script does not define the function that a test names.

    promptfoo calls the function behind the colon, or one that the place has a name for: `get_assert`
    for an assertion in Python, `get_var` for a variable, `generate_tests` for tests. Without it, the
    test ends with an error after the model has been asked.

    ```yaml bad
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {city: Rome}
        assert:
          - type: python
            value: file://checks.py:names_country  # <- finding
          - type: python
            value: file://checks.py  # <- finding
    ```

    ```python bad file=checks.py
    def names_the_country(output, context):
        return "Italy" in output
    ```

    ```yaml good
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {city: Rome}
        assert:
          - type: python
            value: file://checks.py:names_the_country
    ```

    ```python good file=checks.py
    def names_the_country(output, context):
        return "Italy" in output
    ```
    """
    folder = configuration.folder
    for named in _files(configuration):
        if not named.reference.is_script or len(named.found.files) != 1:
            continue
        (path,) = named.found.files
        function = named.reference.function
        if function is None and path.suffix == ".py":
            function = named.default
        text = folder.read(path) if function else None
        if not function or not isinstance(text, str) or not _EXPORTS.search(text):
            continue
        if lacks_function(path.name, text, function):
            yield named.finding(_lacking(path, function, is_named=bool(named.reference.function)))


def _lacking(path: Path, function: str, *, is_named: bool) -> str:
    if is_named:
        return f"`{path.name}` does not define `{function}`"
    return f"`{path.name}` does not define `{function}`, which promptfoo calls where no function is named"


@rule("PF506", Severity.INFO)
def file_outside_workspace(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A prompt or a test names a file outside the workspace.

    Suitecase reads only files inside it, and does not know whether this one is there and what it has in
    it. That holds for a pattern, too, if any part of it may lead out. Elsewhere than on this machine
    the file is probably missing.

    ```yaml bad
    prompts: ["Summarize: {{text}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars:
          text: file:///home/ann/letter.txt  # <- finding
        assert: [{type: icontains, value: dear}]
    ```

    ```yaml good
    prompts: ["Summarize: {{text}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars:
          text: file://letter.txt
        assert: [{type: icontains, value: dear}]
    ```

    ```text good file=letter.txt
    Dear Ann, ...
    ```
    """
    for named in _files(configuration):
        if named.found.problem is FileProblem.OUTSIDE:
            yield named.finding(
                f"`{named.reference.path}` is outside the workspace, so it is not looked at"
            )
    for entry, raw in with_problem(configuration, PromptProblem.OUTSIDE):
        if entry.path is not None and is_meant_as_path(raw.text):
            message = f"`{entry.path.path}` is outside the workspace, so it is not looked at"
            yield Finding(raw.span, message).moved(configuration.head_span)


@rule("PF518", affects="suite")
def boundless_pattern(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A pattern would look at too many files and folders.

    For one pattern Suitecase looks at 50,000 names, for all of a file at 250,000, and it takes up to
    2,000 files of each. Beyond that it is not known which files the pattern matches, so the suite is
    not run. Start the pattern in a folder that has little else in it.

    ```yaml bad
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests:
      - "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}/*.yaml"  # <- finding
    ```

    ```yaml good
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests:
      - tests/*.yaml
    ```

    ```yaml good file=tests/rome.yaml
    - vars: {city: Rome}
      assert: [{type: icontains, value: Italy}]
    ```
    """
    for named in _files(configuration):
        if named.found.problem is FileProblem.TOO_MUCH:
            yield named.finding(_boundless(named.reference.path))
    for entry, raw in with_problem(configuration, PromptProblem.TOO_MUCH):
        if entry.path is not None:
            message = _boundless(entry.path.path)
            yield Finding(raw.span, message).moved(configuration.head_span)


def _boundless(pattern: str) -> str:
    return (
        f"`{pattern}` would look at too many files and folders, so it is not known what it matches; "
        "start it in a folder with less in it"
    )
