"""Rules on what the current format has no equivalent for, so that a person has to decide."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from suitecase.format.dataset_files import sidecar_of
from suitecase.format.rule import Finding, Severity, rule
from suitecase.format.workspace import Folder
from suitecase.formats.detection import format_of
from suitecase.formats.suitecase.current.detect import names_case_file
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.text.document import Content
from suitecase.text.node import Scalar, Span
from suitecase_evaluators.system.path_kinds import FILE_SCHEME, may_be_file


@rule("SC615", Severity.WARNING, only_of="legacy_syntax")
def unconvertible_setting(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """A setting of another format is applied, but the current format cannot express it.

    You have to decide what to write instead. Until then the suite is graded as before.

    ```yaml bad
    name: greetings  # <- finding
    dataset: hello
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml good
    dataset: hello
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    for legacy_syntax in part.legacy_syntax:
        if legacy_syntax.kind == "unconvertible_setting":
            yield Finding(legacy_syntax.node.span, legacy_syntax.new)


@rule("SC616", only_of="legacy_syntax")
def unsupported_setting(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """A setting of another format has no equivalent here, and the suite cannot be graded without it.

    Without it, the suite would check something else than its author intended: a minimum would no
    longer apply, or a target would not find its files. So nothing is run until you have decided,
    and no fix removes it.

    ```yaml bad
    evalcases:
      - id: summary
        input: Summarize the note.
        expected_outcome: Contradicts nothing
        rubrics:
          - id: margin
            operator: contradiction  # <- finding
            expected_outcome: The margin fell to 42 percent
        evaluators:
          - name: rude
            type: code_judge
            script: [python, -m, rude]
            negate: true  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: summary
        input: Summarize the note.
        expected_outcome: Contradicts nothing
        rubrics:
          - id: margin
            expected_outcome: Says nothing else than that the margin fell to 42 percent
    ```
    """
    for legacy_syntax in part.legacy_syntax:
        if legacy_syntax.kind == "unsupported_setting":
            yield Finding(legacy_syntax.node.span, legacy_syntax.new)


def _named_file(content: Content) -> Scalar | None:
    """Return the name of another file of cases that stands in the place of a case."""
    node = content.node
    return node if isinstance(node, Scalar) and names_case_file(node) else None


@rule("SC618")
def external_cases(suite: ParsedSuite, folder: Folder) -> Iterator[Finding]:
    """The cases of a suite are in another file, which is not read.

    A suite may name a data set in its folder in the place of its cases: a JSONL file with a case on
    each line. Other files, and lists of files, which AgentV reads, are not read here.

    ```yaml bad
    execution:
      target: mock
    evalcases: ./questions.yaml  # <- finding
    ```

    ```yaml good
    execution:
      target: mock
    evalcases: ./questions.jsonl
    ```

    ```jsonl good file=questions.jsonl
    {"id": "greet", "input": "Hi", "expected_outcome": "Says hello"}
    ```
    """
    document = suite.document
    if suite.kind != "suite" or format_of(document) != "suite":
        return
    places: list[tuple[Span, str]] = []
    listed = document.list_node
    if isinstance(listed, Scalar) and names_case_file(listed):
        places.append((document.head.absolute(listed.span), listed.text))
    places += [
        (document.cases[number].absolute(node.span), node.text)
        for number, node in document.case_index.where(_named_file)
    ]
    for span, name in places:
        in_list = listed is None or not isinstance(listed, Scalar)
        yield Finding(span, _not_read(name, folder, in_list=in_list))


def _not_read(name: str, folder: Folder, *, in_list: bool) -> str:
    """Say why the cases of a file that a suite names are not read, and what to do."""
    if not name.lower().endswith(".jsonl"):
        return (
            f"the cases of `{name}` are not read from here; write the cases out here, or check and "
            "run that file itself"
        )
    path = Path(os.path.normpath(folder.path / name.removeprefix(FILE_SCHEME)))
    if not may_be_file(path):
        return f"the data set `{name}` does not exist, so there are no cases"
    if in_list:
        return (
            f"the cases of `{name}` are not read from a list; check and run the data set itself, or "
            "name it alone in the place of the list"
        )
    if path.parent != folder.path:
        return (
            f"the data set `{name}` is in another folder, where its cases are not read from; move "
            "it beside this suite, and name it here"
        )
    sidecar = sidecar_of(path)
    beside = f"`{sidecar.name}`" if sidecar is not None else "another file"
    return f"the cases of `{name}` are read with {beside}, and not with this suite"
