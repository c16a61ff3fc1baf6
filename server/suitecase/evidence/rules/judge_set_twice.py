"""Rules on settings under `judges` that an evaluator has as well, or cannot have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import get_args

from suitecase.evidence.governed import GovernedSuite
from suitecase.evidence.rules.judge_places import JudgeEntry, judge_entries
from suitecase.format.protocols import JudgeProtocol
from suitecase.format.rule import Finding, Related, Severity, rule
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.judge_hash import JUDGE_TYPES
from suitecase.formats.suitecase.parsed import ParsedCase, listed_evaluators
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span
from suitecase_evaluators.grade.evaluator import EvaluatorConfig

#: The keys of `judges` that evaluators have as well.
_SHARED = frozenset(JudgeProtocol.model_fields) - {"calibration", "probes"}
#: Names of evaluators, each with the keys that it sets and their places.
_Set = tuple[tuple[str, tuple[tuple[str, Span], ...]], ...]


@rule("SC861", gradable=True, affects="run")
def judge_set_twice(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """An evaluator sets a key that `judges` sets for all judges of its name.

    What `judges` says goes before what an evaluator says, so the key of the evaluator has no
    effect. Remove one of the two.

    ```yaml bad
    judges:
      tone:
        model: openai/gpt-4.1-2025-04-14
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        evaluators:
          - name: tone
            type: llm_judge
            model: openai/gpt-5-2025-08-07  # <- finding
    ```

    ```yaml good
    judges:
      tone:
        model: openai/gpt-4.1-2025-04-14
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        evaluators:
          - name: tone
            type: llm_judge
            max_output_tokens: 500
    ```
    """
    model = suite.model
    if model is None or not model.judges:
        return
    ours = {
        name: {key for key in _SHARED if getattr(protocol, key) is not None}
        for name, protocol in model.judges.items()
    }
    related = {judge_entry.name: judge_entry for judge_entry in judge_entries(suite, folder)}
    if suite.has_head:
        for key, name, span in _twice(_set_in(listed_evaluators(suite.head.node)), ours):
            yield _finding(key, name, suite.head_span(span), related.get(name))
    if suite.has_cases:
        for number, found in suite.suite.case_index.where(_set_by):
            for key, name, span in _twice(found, ours):
                yield _finding(key, name, suite.case_span(number, span), related.get(name))


def _finding(key: str, name: str, span: Span, entry: JudgeEntry | None) -> Finding:
    return Finding(
        span,
        f"`judges.{name}` sets `{key}` too, and goes before this; remove one of the two",
        related=(Related(f"`{key}` of `judges.{name}`", entry.span(key)),) if entry else (),
    )


def _twice(found: _Set, ours: dict[str, set[str]]) -> Iterator[tuple[str, str, Span]]:
    for name, keys in found:
        for key, span in keys:
            if key in ours.get(name, ()):
                yield key, name, span


def _set_by(case: ParsedCase) -> _Set:
    """Return what the judges of a case set: a look for `ParsedSuite.case_index`."""
    return _set_in(listed_evaluators(case.node))


def _set_in(listed: Sequence | None) -> _Set:
    return tuple(_judges(listed.items)) if listed is not None else ()


def _judges(items: Iterable[Node]) -> Iterator[tuple[str, tuple[tuple[str, Span], ...]]]:
    for item in items:
        if not isinstance(item, Mapping):
            continue
        members = item.get("evaluators")
        if isinstance(members, Sequence):
            yield from _judges(members.items)
        name, kind = item.get("name"), item.get("type")
        if not isinstance(name, Scalar) or not isinstance(kind, Scalar):
            continue
        keys = tuple((key, it.key.span) for key, it in item if key in _SHARED)
        if keys and kind.text in JUDGE_TYPES:
            yield name.name, keys


@rule("SC864", Severity.WARNING)
def ignored_judge_setting(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A setting of a judge is ignored, because evaluators of its type do not have it.

    `criteria` has its own prompt and gives a score to the answer as a whole, so that there is nothing
    to quote for. `preference` takes `prompt`, `target` and `model`.

    ```yaml bad
    judges:
      kind:
        votes: 3
        temperature: 0.7
        prompt: Is it kind? {{ candidate_answer }}  # <- finding
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        evaluators:
          - {name: kind, type: criteria, criteria: The answer is kind}
    ```

    ```yaml good
    judges:
      kind:
        votes: 3
        temperature: 0.7
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        evaluators:
          - {name: kind, type: criteria, criteria: The answer is kind}
    ```
    """
    for entry in judge_entries(suite, folder):
        types = {type(judge.config) for judge in entry.judges}
        for name, item in entry.node:
            if name not in _SHARED or getattr(entry.protocol, name, None) is None or not types:
                continue
            if not any(name in kind.model_fields for kind in types):
                listed = " and ".join(sorted(f"`{_type_of(kind)}`" for kind in types))
                yield Finding(
                    suite.head_span(item.key.span),
                    f"`{name}` has no effect: `{entry.name}` is of the type {listed}, which does not have it",
                )


def _type_of(config: type[EvaluatorConfig]) -> str:
    """Return the name of the type of an evaluator."""
    return str(get_args(config.model_fields["type"].annotation)[0])
