"""Rules on suites that could ask a model, and are answered or judged without one."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.target_usage import judged_by, target_of
from suitecase.format.rule import Finding, Related, Severity, rule
from suitecase.format.target_files import EMBEDDED, ParsedTargets, find_targets
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedSuite
from suitecase.text.node import Span
from suitecase_evaluators.targets.config.canned import MockConfig


@rule("SC541", Severity.INFO, live_only=True)
def target_without_model(suite: ParsedSuite, folder: Folder) -> Iterator[Finding]:
    """A suite names a target that asks no model, although the targets file defines some that do.

    `mock` repeats the question, and a target with `provider: mock` has canned answers. A run with
    such a target needs no key and always gets the same scores, which say nothing about a model. Its
    summary, report and results say so. This is often left from trying the suite out: name the
    target that is to be evaluated, or pass it with `suitecase run --target`. If the targets file
    defines no target that asks a model or a program, or only judges, nothing is reported.

    ```yaml bad
    execution:
      target: mock  # <- finding
    evalcases:
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
    targets = find_targets(folder.workspace, folder.path)
    if targets is None or suite.kind == "sidecar":
        return
    judges = {config.judge_target for config in targets.configs.values()}
    asking = [
        name
        for name, config in targets.configs.items()
        if config.asks is not None and name not in judges
    ]
    if not asking:
        return
    file = folder.shown(targets.path)
    for place, name in _named_targets(suite):
        what = _without_model(name, targets)
        if what is not None:
            yield Finding(
                place,
                f"{what}; `{file}` defines {_listed(asking)}",
                related=(Related("a target", targets.spans[asking[0]], targets.path),),
            )


@rule("SC542", Severity.INFO, live_only=True)
def embedded_judge(suite: ParsedSuite, folder: Folder) -> Iterator[Finding]:
    """The answers of a model are judged by the embedded judge, which counts words.

    With `judge_target: mock`, a case passes if its answer contains the words of the rubrics. That
    costs nothing, and is good for trying a suite out; it says little about the answer, and an
    answer that says the opposite in the same words passes. Name a target that asks a model as the
    judge. For programs and canned answers, with which a suite is tried out, it is not reported by
    `check`; the summary of each run names it.

    ```yaml bad
    execution:
      target: small  # <- finding
    evalcases:
      - id: greet
        input: Say hello
        expected_outcome: Says hello
    ```

    ```yaml bad file=targets.yaml
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
        judge_target: mock
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
        judge_target: large
      - name: large
        provider: openai
        model: gpt-4.1-2025-04-14
    ```
    """
    targets = find_targets(folder.workspace, folder.path)
    if targets is None or EMBEDDED in targets.spans:
        return
    judges = {
        name: EMBEDDED
        for name, config in targets.configs.items()
        if config.judge_target == EMBEDDED and config.asks == "model"
    }
    for judged in judged_by(suite, judges):
        related = Related("its judge", targets.spans[judged.target], targets.path)
        yield Finding(
            judged.place,
            f"{judged.message}, the embedded judge, which counts words and asks no model",
            related=(related,),
        )


def _named_targets(suite: ParsedSuite) -> Iterator[tuple[Span, str]]:
    """Yield the targets that a suite names, each at the first place."""
    of_head = target_of(suite.head)
    seen: set[str] = set()
    if of_head is not None:
        seen.add(of_head.text)
        yield suite.head_place(of_head.span), of_head.text
    for number in suite.case_index.numbers(_names_target):
        own = target_of(suite.cases[number])
        if own is not None and own.text not in seen:
            seen.add(own.text)
            yield suite.place(number, own.span), own.text


def _names_target(case: ParsedCase) -> bool:
    return target_of(case) is not None


def _without_model(name: str, targets: ParsedTargets) -> str | None:
    """Return what a target answers without a model; None if it asks one, or that is not known."""
    config = targets.config(name)
    if isinstance(config, MockConfig):
        return f"`{name}` asks no model (`provider: mock`)"
    embedded = name == EMBEDDED and name not in targets.spans and targets.wrong is None
    return f"`{EMBEDDED}` asks no model: it repeats the question" if embedded else None


def _listed(names: list[str]) -> str:
    more = len(names) - 3
    listed = ", ".join(f"`{name}`" for name in names[:3])
    return f"{listed} and {more:,} more" if more > 0 else listed
