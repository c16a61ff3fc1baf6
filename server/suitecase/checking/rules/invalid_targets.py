"""Rules on targets that a suite uses although their entries are invalid.

An invalid entry that no case uses is reported in the targets file alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.issue_words import told
from suitecase.checking.rules.references import target_names
from suitecase.checking.rules.target_usage import (
    judged_by,
    judges_in,
    leaves_out_target,
    list_place,
)
from suitecase.format.rule import Finding, Related, Severity, rule
from suitecase.format.target_files import EMBEDDED, ParsedTargets, Unusable, find_targets
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.elements import EVALUATORS_UNDER
from suitecase.formats.suitecase.legacy.normalize import TargetAlias
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.text.node import Span


@rule("SC503", keys=EVALUATORS_UNDER, live_only=True)
def invalid_targets_file(part: ParsedHead | ParsedCase, folder: Folder) -> Iterator[Finding]:
    """A suite names a target, but the targets file cannot be read.

    The file is not valid YAML, or has no list of targets, so it is unknown whether it defines the
    target. If only part of a file parses, the entries in that part can be used and are not
    reported.

    ```yaml bad
    execution:
      target: gpt-4  # <- finding
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml bad file=targets.yaml
    targets: gpt-4
    ```

    ```yaml good
    execution:
      target: gpt-4
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml good file=targets.yaml
    targets:
      - name: gpt-4
        provider: openai
        model: gpt-4o
    ```
    """
    targets = find_targets(folder.workspace, folder.path)
    if targets is None or targets.wrong is None:
        return
    for node in target_names(part):
        if node.text in targets.spans or node.text == EMBEDDED:
            continue
        reason, span = _reason(targets, targets.wrong)
        yield Finding(
            node.span,
            f"the targets file `{folder.shown(targets.path)}`, which should define `{node.text}`, "
            f"cannot be read: {reason}",
            related=(Related("here", span, targets.path),),
        )


@rule("SC530", keys=EVALUATORS_UNDER, live_only=True)
def invalid_target(part: ParsedHead | ParsedCase, folder: Folder) -> Iterator[Finding]:
    """A suite names a target with an invalid entry in the targets file.

    The entry cannot be used. `suitecase check` on the targets file reports what is wrong with it.
    Other entries can be used, and entries that no suite uses are not checked here.

    ```yaml bad
    execution:
      target: gpt-4  # <- finding
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml bad file=targets.yaml
    targets:
      - name: gpt-4
        provider: opnai
    ```

    ```yaml good
    execution:
      target: small
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml good file=targets.yaml
    targets:
      - name: gpt-4
        provider: opnai
      - name: small
        provider: openai
        model: gpt-4o-mini
    ```
    """
    targets = find_targets(folder.workspace, folder.path)
    if targets is None or not targets.unusable:
        return
    for node in target_names(part):
        if node.text in targets.unusable:
            yield Finding(
                node.span,
                f"the target `{node.text}` in `{folder.shown(targets.path)}` is invalid: "
                f"{why_unusable(targets, node.text)}",
                related=_place(targets, node.text),
            )


@rule("SC531", live_only=True)
def invalid_judge_target(suite: ParsedSuite, folder: Folder) -> Iterator[Finding]:
    """A target's judge has an invalid entry in the targets file.

    The answers of a target are judged by its `judge_target`. If that entry is invalid, cases that
    need a judge cannot be graded. Evaluators that need no judge, or have a `target` of their own,
    still grade.

    ```yaml bad
    execution:
      target: small  # <- finding
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml bad file=targets.yaml
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
        judge_target: large
      - name: large
        provider: opnai
        model: gpt-4o
    ```

    ```yaml good
    execution:
      target: small
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - {name: hello, type: icontains, value: hello}
    ```

    ```yaml good file=targets.yaml
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
        judge_target: large
      - name: large
        provider: opnai
        model: gpt-4o
    ```
    """
    targets = find_targets(folder.workspace, folder.path)
    if targets is None or not targets.unusable:
        return
    judges = judges_in(targets, lambda judge: judge in targets.unusable)
    for judged in judged_by(suite, judges):
        judge = judges[judged.target]
        yield Finding(
            judged.place,
            f"{judged.message}, whose entry is invalid: {why_unusable(targets, judge)}",
            related=_place(targets, judge),
            cases=judged.cases,
        )


@rule("SC537", live_only=True)
def invalid_default_target(suite: ParsedSuite, folder: Folder) -> Iterator[Finding]:
    """A suite names no target, and the entry `mock`, which is then used, is invalid.

    `mock` needs no entry: the embedded one repeats the question. An entry of that name replaces it,
    so if it is invalid, the cases that name no target cannot be run.

    ```yaml bad
    evalcases:  # <- finding
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml bad file=targets.yaml
    targets:
      - name: mock
        provider: opnai
      - name: small
        provider: openai
        model: gpt-4o-mini
    ```

    ```yaml good
    execution:
      target: small
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml good file=targets.yaml
    targets:
      - name: mock
        provider: opnai
      - name: small
        provider: openai
        model: gpt-4o-mini
        judge_target: large
      - name: large
        provider: openai
        model: gpt-4o
    ```
    """
    if suite.kind == "sidecar" or suite.head.model is None or not leaves_out_target(suite.head):
        return
    targets = find_targets(folder.workspace, folder.path)
    if targets is None or EMBEDDED not in targets.unusable:
        return
    cases = suite.case_index.numbers(leaves_out_target)
    if not cases:
        return
    yield Finding(
        list_place(suite),
        f"no target is named, so `{EMBEDDED}` is used, but its entry in "
        f"`{folder.shown(targets.path)}` is invalid: {why_unusable(targets, EMBEDDED)}",
        related=_place(targets, EMBEDDED),
        cases=frozenset(cases),
    )


@rule("SC533", Severity.WARNING, keys=EVALUATORS_UNDER)
def suite_uses_unsupported_agent(
    part: ParsedHead | ParsedCase, folder: Folder
) -> Iterator[Finding]:
    """A suite names a target that is an agent, which Suitecase does not start.

    Entries of agents are accepted, so that a targets file can be shared between tools. A run that
    needs one is refused. Use `--target` to choose another for a run, or start the agent with the
    command line of a `cli` target.

    ```yaml bad
    execution:
      target: coder  # <- finding
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml bad file=targets.yaml
    targets:
      - name: coder
        provider: codex
    ```

    ```yaml good
    execution:
      target: coder
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml good file=targets.yaml
    targets:
      - name: coder
        provider: cli
        command_template: codex exec {PROMPT}
        judge_target: mock
    ```
    """
    targets = find_targets(folder.workspace, folder.path)
    if targets is None:
        return
    for node in target_names(part):
        config = targets.config(node.text)
        if config is not None and config.asked_by is None:
            yield Finding(
                node.span,
                f"`{node.text}` is the agent `{config.provider}`, which Suitecase does not start; "
                "start it from a `cli` target",
                related=(Related("its entry", targets.spans[node.text], targets.path),),
            )


def why_unknown(alias: TargetAlias) -> str:
    """Return why it is unknown which target an alias stands for."""
    if alias.variable is not None:
        return (
            f"it stands for the target that the environment variable `{alias.variable}` names, "
            "which is not known here; name that target instead"
        )
    return f"it stands for `{alias.of.text.strip()}`, which is not the name of a target"


def why_unusable(targets: ParsedTargets, name: str) -> str:
    """Return why a target cannot be used, in the words of the finding at its entry."""
    return _reason(targets, targets.unusable[name])[0]


def why_unreadable(targets: ParsedTargets) -> str:
    """Return why it is unknown what a targets file defines."""
    return _reason(targets, targets.wrong or Unusable())[0]


def _reason(targets: ParsedTargets, unusable: Unusable) -> tuple[str, Span]:
    """Return why a target cannot be used, and where in its file that is."""
    if unusable.problem is not None:
        return unusable.problem.message, unusable.problem.span
    if unusable.alias is not None:
        return why_unknown(unusable.alias), unusable.alias.of.span
    if unusable.issue is not None:
        return told(targets, unusable.issue)
    unresolved = next(iter(targets.problems), None)
    if unresolved is not None:
        return unresolved.message, unresolved.span
    return targets.unreadable or "it is not a mapping with the key `targets`", Span(0, 0)


def _place(targets: ParsedTargets, name: str) -> tuple[Related, ...]:
    return (Related("the reason", _reason(targets, targets.unusable[name])[1], targets.path),)
