"""Rules on the files that `tests`, `defaultTest` and `scenarios` name."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, Related, rule
from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.rules.missing_paths import (
    is_found_above,
    missing,
    where_from,
    with_hint,
)
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration, PromptfooConfiguration
from suitecase.formats.promptfoo.suite.linked_tests import (
    files_of_tests,
)
from suitecase.formats.promptfoo.suite.parsed import Reading
from suitecase.formats.promptfoo.suite.references.better_paths import better_path
from suitecase.formats.promptfoo.suite.test_cases.default_test import named_file
from suitecase.formats.promptfoo.suite.test_cases.files import LISTS, TABLES, YAML
from suitecase.formats.promptfoo.suite.test_cases.lists import SourceProblem, TestSource
from suitecase.formats.promptfoo.suite.vocabulary import PROMPTFOO
from suitecase.text.jsonl import parse_json_text


@rule("PF501", gradable=True)
def missing_tests_file(configuration: LinkedConfiguration) -> Iterator[Finding]:
    """The value of `tests` names a file that does not exist.

    promptfoo looks for it from the folder of the configuration. Without a file of YAML, or one that
    matches a pattern, it goes on: it asks each prompt once, asserts nothing, and the run passes. Without
    another file it refuses to run. Each text in the list `tests` is the name of a file.

    ```yaml bad
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests: file://test.yaml  # <- finding
    ```

    ```yaml bad file=tests.yaml
    - vars: {city: Rome}
      assert:
        - {type: icontains, value: Italy}
    ```

    ```yaml fixed
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests: file://tests.yaml
    ```
    """
    folder = configuration.folder
    for piece, source in configuration.test_sources:
        message = _without_tests(source, folder, configuration.reading)
        if message is not None and source.reference is not None:
            better = better_path(source.reference.path, folder)
            yield Finding(source.name.span, *with_hint(message, source.name, better)).moved(
                piece.absolute
            )


#: Patterns and paths out of the workspace have rules of their own.
_REPORTED_ELSEWHERE = (None, SourceProblem.OUTSIDE, SourceProblem.TOO_MUCH)


def _without_tests(source: TestSource, folder: Folder, reading: Reading) -> str | None:
    """Return why an entry gives no tests; None if it gives some, or it is not known."""
    if source.reference is None or source.problem in _REPORTED_ELSEWHERE:
        return None
    path = source.reference.path
    where = where_from(folder)
    if reading.vocabulary is not PROMPTFOO:
        return _not_found(source, path, where, reading)
    goes_on = not source.in_list and source.reference.ending in YAML
    consequence = "promptfoo refuses to run"
    if goes_on or (source.in_list and not source.reference.is_script):
        consequence = "promptfoo goes on without its tests"
    match source.problem:
        case SourceProblem.MISSING:
            words = "; a text in `tests` is the name of a file" if " " in path.strip() else ""
            return f"file `{path}` not found in {where}, so {consequence}{words}"
        case SourceProblem.NO_MATCH:
            return f"no file matches `{path}` in {where}, so promptfoo goes on without its tests"
        case SourceProblem.FOLDER:
            files = f"`{path.rstrip('/')}/*.yaml`"
            return (
                f"`{path}` is a folder, of which promptfoo reads no tests; name its files: {files}"
            )
        case SourceProblem.UNKNOWN_ENDING:
            endings = ", ".join(f"`{table}`" for table in (*LISTS, *TABLES))
            consequence = "refuses to run" if source.in_list else "goes on without its tests"
            return (
                f"promptfoo reads tests from {endings} and scripts, not `{path}`: it {consequence}"
            )
    unread = next((file for file in source.files if file.unreadable), None)
    return f"`{path}` cannot be read: {unread.unreadable}" if unread is not None else None


def _not_found(source: TestSource, path: str, where: str, reading: Reading) -> str | None:
    """Return why another tool of the family finds no tests; it reads other kinds of files."""
    if source.problem is SourceProblem.MISSING:
        return f"file `{path}` not found in {where}"
    if source.problem is SourceProblem.NO_MATCH:
        return f"no file matches `{path}` in {where}, so {reading.vocabulary.tool} goes on without its tests"
    return None


@rule("PF507", gradable=True)
def missing_default_test(configuration: LinkedConfiguration) -> Iterator[Finding]:
    """The file of `defaultTest` or `scenarios` does not exist.

    promptfoo looks for it from the folder of the configuration, and refuses to run without it.

    ```yaml bad
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    defaultTest: file://default.yaml  # <- finding
    tests:
      - vars: {city: Rome}
        assert: [{type: icontains, value: Italy}]
    ```

    ```yaml bad file=defaults.yaml
    assert: [{type: llm-rubric, value: Is polite}]
    options: {provider: openai:gpt-4.1}
    ```

    ```yaml fixed
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    defaultTest: file://defaults.yaml
    tests:
      - vars: {city: Rome}
        assert: [{type: icontains, value: Italy}]
    ```
    """
    folder, tool = configuration.folder, configuration.reading.vocabulary.tool
    for key in ("defaultTest", "scenarios"):
        named = named_file(configuration, key)
        why = named and missing(named.found, named.reference.path, folder)
        if named is not None and why and not is_found_above(named.reference, configuration):
            message = f"{why}, so {tool} refuses to run"
            better = better_path(named.reference.path, folder)
            found = Finding(named.name.span, *with_hint(message, named.name, better))
            yield found.moved(configuration.file.document.head.absolute)


@rule("PF508", gradable=True)
def unreadable_tests_file(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A file of tests does not parse.

    promptfoo refuses to run.

    ```yaml bad
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests:
      - file://tests.jsonl  # <- finding
    ```

    ```text bad file=tests.jsonl
    {"vars": {"city": "Rome"}, "assert": [{"type": "contains", "value": "Italy"}]}
    {"vars": {"city": "Paris"}
    ```

    ```yaml good
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests:
      - file://tests.jsonl
    ```

    ```text good file=tests.jsonl
    {"vars": {"city": "Rome"}, "assert": [{"type": "contains", "value": "Italy"}]}
    ```
    """
    for placed, file in files_of_tests(configuration):
        document = file.read.document
        if document is None or not document.broken:
            continue
        if file.path.suffix == ".json" and not parse_json_text(file.text).problems:
            continue
        for piece, problem in document.problems():
            span = piece.absolute(problem.span)
            place = document.lines.place(span)
            name = configuration.folder.shown(file.path)
            yield Finding(
                placed.span,
                f"`{name}` does not parse: line {place.line}, column {place.column}: {problem.message}",
                related=(Related(problem.message, span, file.path),),
            )
            break
