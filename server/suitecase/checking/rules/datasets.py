"""Rules on data sets: a JSON case on each line, and a sidecar for the settings of all cases."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.issue_words import told
from suitecase.format.rewriting.json_slips import without_trailing_commas
from suitecase.format.rule import Finding, Fix, rule
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.formats.suitecase.part_fixes import placed
from suitecase.text.document import Document
from suitecase.text.node import Span


@rule("SC751", unreadable=True)
def json_syntax(document: Document) -> Iterator[Finding]:
    """The text is not valid JSON.

    Each line of a data set is one case, a separate JSON object. A case that cannot be parsed cannot be
    graded; the other lines are still checked.

    ```jsonl bad
    {"id": "greet", "input": "Hi", "expected_outcome": "Says hello"}
    {"id": "part", "input": "Bye", "expected_outcome": "Says goodbye",}  # <- finding
    ```

    ```jsonl fixed
    {"id": "greet", "input": "Hi", "expected_outcome": "Says hello"}
    {"id": "part", "input": "Bye", "expected_outcome": "Says goodbye"}
    ```

    JSON has no comments, no single quotes and no commas at the end of a list, although YAML has. A file
    of evals of an Agent Skill is one JSON object; its other evals are still checked.

    ```json bad
    {
      "skill_name": "greeting",
      "evals": [
        {"id": 1, "prompt": "Hi", "expected_output": "A greeting",},  # <- finding
        {"id": 2, "prompt": "Bye", "expected_output": "A farewell"}
      ]
    }
    ```

    ```json fixed
    {
      "skill_name": "greeting",
      "evals": [
        {"id": 1, "prompt": "Hi", "expected_output": "A greeting"},
        {"id": 2, "prompt": "Bye", "expected_output": "A farewell"}
      ]
    }
    ```
    """
    for piece, problem in document.problems():
        if problem.kind == "json":
            edits = without_trailing_commas(piece.content.text)
            fix = placed(Fix("Remove the trailing comma", edits), piece) if edits else None
            yield Finding(piece.absolute(problem.span), problem.message, fix)


@rule("SC752")
def empty_dataset(suite: ParsedSuite) -> Iterator[Finding]:
    """A data set has no cases.

    No model would be called and nothing graded, but the run would look successful.

    ```jsonl bad
      # <- finding
    ```

    ```jsonl good
    {"id": "greet", "input": "Hi", "expected_outcome": "Says hello"}
    ```
    """
    if suite.kind == "dataset" and not suite.cases:
        yield Finding(Span(0, 0), "this data set has no cases, so nothing would be graded")


@rule("SC753", affects="suite")
def invalid_sidecar(suite: ParsedSuite) -> Iterator[Finding]:
    """The sidecar of a data set has errors.

    The YAML file of the same name contains what applies to all cases: `description`, `dataset` and
    `execution`. The cases cannot be graded until it can be read. The finding is reported at the
    start of the data set; run `suitecase check` on the sidecar to see its errors.

    ```jsonl bad
    {"id": "greet", "input": "Hi", "expected_outcome": "Says hello"}  # <- finding
    ```

    ```yaml bad file=suite.yaml
    dataset: greetings
    execution:
      evaluators:
        - {name: hello, type: contians, value: hello}
    ```

    ```jsonl good
    {"id": "greet", "input": "Hi", "expected_outcome": "Says hello"}
    ```

    ```yaml good file=suite.yaml
    dataset: greetings
    execution:
      evaluators:
        - {name: hello, type: contains, value: hello}
    ```
    """
    if suite.kind != "dataset" or suite.sidecar is None or suite.head.model is not None:
        return
    content = suite.head.content
    if content.broken and content.problems:
        reason, span = content.problems[0].message, content.problems[0].span
    elif suite.head.issues:
        reason, span = told(suite.head, suite.head.issues[0])
    else:
        reason, span = "it is not a mapping", Span(0, 0)
    line = suite.head_line(span)
    end = len(suite.document.lines.text(0))
    yield Finding(
        Span(0, end), f"the sidecar of this data set cannot be used: line {line}: {reason}"
    )
