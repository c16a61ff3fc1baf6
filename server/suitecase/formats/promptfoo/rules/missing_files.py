"""Rules on files that tests name and that are not there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from suitecase.formats.promptfoo.suite.better_paths import better_path
from suitecase.formats.promptfoo.suite.file_references import (
    FileProblem,
    Located,
    from_another_folder,
    known_location,
)
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration, PromptfooConfiguration
from suitecase.formats.promptfoo.suite.linked_tests import PlacedFacts, with_doubtful_files
from suitecase.formats.promptfoo.suite.parsed import Reading
from suitecase.formats.promptfoo.suite.prompt_paths import FILE_SCHEME
from suitecase.formats.promptfoo.suite.test_facts import NamedFile, Place
from suitecase.formats.promptfoo.suite.test_files import LISTS, TABLES, YAML
from suitecase.formats.promptfoo.suite.test_lists import SourceProblem, TestSource
from suitecase.formats.promptfoo.suite.vocabulary import PROMPTFOO
from suitecase.rule import Finding, Fix, replace, rule
from suitecase.suite.workspace import Folder, Found
from suitecase.syntax.node import Scalar


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
            yield Finding(source.name.span, *_with_hint(message, source.name, better)).moved(
                piece.absolute
            )


def _without_tests(source: TestSource, folder: Folder, reading: Reading) -> str | None:
    """Return why an entry gives no tests; None if it gives some, or it is not known."""
    if source.reference is None or source.problem in (None, SourceProblem.OUTSIDE):
        return None
    path = source.reference.path
    where = _where(folder)
    if reading.vocabulary is not PROMPTFOO:
        return _not_found(source, path, where, reading)
    goes_on = not source.in_list and source.reference.ending in YAML
    consequence = "promptfoo refuses to run"
    if goes_on or (source.in_list and not source.reference.is_script):
        consequence = "promptfoo goes on without its tests"
    match source.problem:
        case SourceProblem.MISSING:
            words = "; a text in `tests` is the name of a file" if " " in path.strip() else ""
            return f"there is no file `{path}` seen from {where}, so {consequence}{words}"
        case SourceProblem.NO_MATCH:
            return f"no file matches `{path}` seen from {where}, so promptfoo goes on without its tests"
        case SourceProblem.FOLDER:
            files = f"`{path.rstrip('/')}/*.yaml`"
            return (
                f"`{path}` is a folder, of which promptfoo reads no tests; name its files: {files}"
            )
        case SourceProblem.UNKNOWN_ENDING:
            endings = ", ".join(f"`{it}`" for it in (*LISTS, *TABLES))
            consequence = "refuses to run" if source.in_list else "goes on without its tests"
            return (
                f"promptfoo reads tests from {endings} and scripts, not `{path}`: it {consequence}"
            )
    unread = next((it for it in source.files if it.unreadable), None)
    return f"`{path}` cannot be read: {unread.unreadable}" if unread is not None else None


def _not_found(source: TestSource, path: str, where: str, reading: Reading) -> str | None:
    """Return why another tool of the family finds no tests; it reads other kinds of files."""
    if source.problem is SourceProblem.MISSING:
        return f"there is no file `{path}` seen from {where}"
    if source.problem is SourceProblem.NO_MATCH:
        return f"no file matches `{path}` seen from {where}, so {reading.vocabulary.tool} goes on without its tests"
    return None


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
        why = _missing(found, reference.path, folder)
        if why is None or _is_above(named, configuration):
            continue
        tool = configuration.reading.vocabulary.tool
        if is_own:
            why += ", so the test has no variables"
        elif named.reference.function is not None:
            why += f": {tool} takes no function behind the file of a variable, here `{named.about}`"
        else:
            why += f", so {tool} cannot fill `{named.about}`"
        better = better_path(named.reference.path, folder)
        yield test.finding(named.scalar.span, *_with_hint(why, named.scalar, better))


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
        why = _missing(known_location(named.reference, folder), named.reference.path, folder)
        # Some of these are looked for from the folder in which promptfoo is started.
        if (
            why is None
            or _is_above(named, configuration)
            or (test.file is not None and from_another_folder(named.reference, folder))
        ):
            continue
        better = better_path(named.reference.path, folder)
        yield test.finding(named.scalar.span, *_with_hint(why, named.scalar, better))


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
        fix = replace(named.scalar.span, _as_written(path, named.scalar), f"Change to `{path}`")
        yield test.finding(named.scalar.span, message, fix)


def _is_above(named: NamedFile, configuration: LinkedConfiguration) -> bool:
    """Whether a tool that also looks in the folders above finds a file there."""
    if configuration.reading.vocabulary is PROMPTFOO:
        return False
    return isinstance(configuration.folder.find(named.reference.path), Found)


def _named(
    configuration: LinkedConfiguration, *places: Place
) -> Iterator[tuple[PlacedFacts, NamedFile]]:
    for test in with_doubtful_files(configuration):
        for named in test.facts.files:
            if named.place in places:
                yield test, named


def _missing(found: Located, path: str, folder: Folder) -> str | None:
    """Return why a path leads to no file; None if it leads to one, or where nothing is looked at."""
    if found.problem is FileProblem.FOLDER:
        return f"`{path}` is a folder"
    if found.problem is FileProblem.NO_MATCH:
        return f"no file matches `{path}` seen from {_where(folder)}"
    if found.problem is FileProblem.MISSING:
        return f"there is no file `{path}` seen from {_where(folder)}"
    return None


def _where(folder: Folder) -> str:
    shown = folder.shown(folder.path)
    return f"`{shown}`" if folder.path != folder.root and Path(shown).name else "this folder"


def _with_hint(message: str, name: Scalar, better: str | None) -> tuple[str, Fix | None]:
    """Return a message, and the fix, with the path that was most likely meant."""
    path = name.text.removeprefix(FILE_SCHEME)
    if better is None or better == path:
        return message, None
    if "\n" in path or name.style not in ("", "'", '"'):
        return f"{message}; did you mean `{better}`?", None
    scheme = FILE_SCHEME if name.text.startswith(FILE_SCHEME) else ""
    before, colon, function = path.rpartition(":")
    suffix = f":{function}" if colon and "." in before and "/" not in function else ""
    fix = replace(
        name.span, _as_written(f"{scheme}{better}{suffix}", name), f"Use `{better}`", safe=False
    )
    return f"{message}; did you mean `{better}`?", fix


def _as_written(text: str, name: Scalar) -> str:
    if name.style == "'":
        return "'" + text.replace("'", "''") + "'"
    return json.dumps(text, ensure_ascii=False) if name.style == '"' else text
