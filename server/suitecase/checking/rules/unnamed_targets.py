"""Rules on suites that name no target: a targets file defines some, or there is none and no model is called."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.target_usage import (
    is_undefined,
    judged_by,
    leaves_out_target,
    list_place,
)
from suitecase.format.rewriting.lines import added_before, line_start, newline
from suitecase.format.rule import Edit, Finding, Fix, Related, Severity, rule
from suitecase.format.target_files import EMBEDDED, ParsedTargets, find_targets
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.node import Mapping, Span


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


@rule("SC508", Severity.WARNING)
def suite_without_target(suite: ParsedSuite, folder: Folder) -> Iterator[Finding]:
    """A suite does not name a target, although a targets file defines some.

    The suite then uses `mock`. If the targets file has no entry of that name, it is the embedded
    `mock`, which repeats the question, so that a case passes if its question contains the words of
    its expected outcome. No model is called. Name a target, or `mock` if that is the intention.
    `suitecase run --target` sets the target of a single run.

    ```yaml bad
    evalcases:  # <- finding
      - id: greet
        input: Say hello
        expected_outcome: Says hello
    ```

    ```yaml bad file=targets.yaml
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
    ```

    ```yaml fixed
    execution:
      target: small
    evalcases:
      - id: greet
        input: Say hello
        expected_outcome: Says hello
    ```
    """
    lacking = without_target(suite)
    if lacking is None:
        return
    targets = find_targets(folder.workspace, folder.path)
    if targets is None or not targets.spans:
        return
    if EMBEDDED in targets.unusable or _is_judged_by_nobody(suite, targets):
        return  # an error is reported
    names = list(targets.spans)
    # AgentV uses the target of this name for a suite that names none.
    only = names[0] if len(names) == 1 else None
    default = "default" if "default" in targets.spans else only
    file = folder.shown(targets.path)
    answers = (
        f"the target `{EMBEDDED}` is used"
        if EMBEDDED in targets.spans
        else f"`{EMBEDDED}` repeats the question and no model is called"
    )
    yield Finding(
        list_place(suite),
        f"{lacking}, so {answers}; `{file}` defines {_listed(names)}",
        named_target(suite, default, f"Use `{default}`") if default is not None else None,
        related=(Related("the targets", targets.spans[names[0]], targets.path),),
    )


def without_target(suite: ParsedSuite) -> str | None:
    """Return which cases of a suite have no target, as text; None if each has one."""
    if suite.kind == "sidecar" or not suite.cases or not leaves_out_target(suite.head):
        return None
    unnamed = suite.case_index.numbers(leaves_out_target)
    if not unnamed:
        return None
    if len(unnamed) == len(suite.cases):
        return "this suite names no target"
    return (
        f"{len(unnamed):,} of {len(suite.cases):,} cases name no target, and neither does the suite"
    )


def _is_judged_by_nobody(suite: ParsedSuite, targets: ParsedTargets) -> bool:
    """Whether cases that name no target need the judge of `mock`, which cannot be used."""
    config = targets.config(EMBEDDED)
    judge = config.judge_target if config is not None else None
    if judge is None or not (judge in targets.unusable or is_undefined(judge, targets)):
        return False
    return any(judged_by(suite, {EMBEDDED: judge}))


def named_target(suite: ParsedSuite, name: str, title: str) -> Fix | None:
    """Return the fix that names a target for the whole suite."""
    node, key = suite.head.node, suite.document.list_key
    if suite.kind != "suite" or node is None or key is None or not name.isprintable():
        return None
    quoted = (
        name if name.replace("-", "").replace("_", "").isalnum() and not name.isdigit() else None
    )
    if quoted is None:
        return None
    text = suite.head.source
    execution = node.get("execution")
    if isinstance(execution, Mapping):
        first = next(iter(execution.entries.values()), None)
        edit = None if first is None else added_before(text, execution, first, f"target: {quoted}")
    else:
        ending = newline(text)
        lines = f"execution:{ending}  target: {quoted}{ending}"
        edit = (
            Edit(Span(key.start, key.start), lines)
            if line_start(text, key.start) == key.start
            else None
        )
    return None if edit is None else Fix(title, (edit,), safe=False)


def _listed(names: list[str]) -> str:
    more = len(names) - 4
    listed = ", ".join(f"`{name}`" for name in names[:4])
    return f"{listed} and {more:,} more" if more > 0 else listed
