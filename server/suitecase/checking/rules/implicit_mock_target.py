"""The rule on suites that call no model: no target is named and no targets file exists."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.target_usage import list_place
from suitecase.checking.rules.unnamed_targets import named_target, without_target
from suitecase.format.rule import Finding, Severity, rule
from suitecase.format.target_files import EMBEDDED, find_targets
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.parsed import ParsedSuite


@rule("SC510", Severity.INFO)
def implicit_mock_target(suite: ParsedSuite, folder: Folder) -> Iterator[Finding]:
    """A suite names no target, and there is no targets file.

    The suite then uses the built-in `mock`, which repeats the question, and the embedded judge,
    which counts words. Such a suite runs, needs no key and always gets the same scores, but they
    say nothing about a model. To call one, define it in a `targets.yaml` next to the suite and name
    it as the suite's target. If `mock` is the intention, say so: `target: mock` is not reported.

    ```yaml bad
    evalcases:  # <- finding
      - id: greet
        input: Say hello
        expected_outcome: Says hello
    ```

    ```yaml fixed
    execution:
      target: mock
    evalcases:
      - id: greet
        input: Say hello
        expected_outcome: Says hello
    ```

    ```yaml good
    execution:
      target: small
    evalcases:
      - id: greet
        input: Say hello
        expected_outcome: Says hello
    ```

    ```yaml good file=targets.yaml
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
    ```
    """
    lacking = without_target(suite)
    if lacking is None or find_targets(folder.workspace, folder.path) is not None:
        return  # with a targets file, `suite-without-target` reports it
    where = " in the sidecar" if suite.kind == "dataset" else ""
    yield Finding(
        list_place(suite),
        f"{lacking}, so no model is called: `{EMBEDDED}` repeats the question, and the embedded "
        f"judge counts words; define a target in `targets.yaml` and name it{where} "
        f"(`execution: {{target: ...}}`), or name `{EMBEDDED}` if that is intended",
        named_target(suite, EMBEDDED, f"Add `target: {EMBEDDED}`"),
    )
