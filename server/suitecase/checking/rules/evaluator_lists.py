"""Rules on lists of evaluators: which of them run, and how the score is divided between them."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.rubric_lists import is_zero
from suitecase.format.rewriting.removing import without
from suitecase.format.rule import DeferredFix, Finding, Related, Severity, Tag, rule
from suitecase.formats.suitecase.elements import ParsedEvaluator, ParsedEvaluators
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.formats.suitecase.part_fixes import fix_of_case, fix_of_head
from suitecase.text.node import Entry, Mapping, Scalar, Sequence


def own_list(part: ParsedCase | ParsedHead) -> Entry | None:
    """Return the effective list of evaluators of a part, with its key."""
    if part.node is None:
        return None
    execution = part.node.get("execution")
    if isinstance(execution, Mapping):
        entry = execution.entries.get("evaluators")
        if entry is not None and isinstance(entry.value, Sequence):
            return entry
    entry = part.node.entries.get("evaluators") if isinstance(part, ParsedCase) else None
    return entry if entry is not None and isinstance(entry.value, Sequence) else None


def evaluators_under(entry: Entry | None) -> list[ParsedEvaluator]:
    """Return the evaluators of a list; none for anything else."""
    if entry is None or not isinstance(entry.value, Sequence):
        return []
    return ParsedEvaluators(entry.value).items


@rule("SC311", Severity.INFO)
def disabled_evaluators(suite: ParsedSuite) -> Iterator[Finding]:
    """An empty list of evaluators switches off the suite's evaluators for a case.

    The evaluators of a case replace those of the suite, and an empty list replaces them with none.
    The case is then graded by its rubrics, or else by one free-form judge.

    ```yaml bad
    execution:
      evaluators:
        - {name: hello, type: icontains, value: hello}
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators: []  # <- finding
      - id: meet
        input: Good morning
        expected_outcome: Says hello
    ```

    ```yaml good
    execution:
      evaluators:
        - {name: hello, type: icontains, value: hello}
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    common = own_list(suite.head)
    if common is None or not evaluators_under(common):
        return
    for number, key in suite.case_index.where(_key_of_empty):
        yield Finding(
            suite.place(number, key.span),
            "this list is empty, so none of the suite's evaluators grades this case",
            related=(Related("the suite's evaluators", suite.head_place(common.key.span)),)
            if suite.sidecar is None
            else (),
        )


@rule("SC123", Severity.WARNING, tags=(Tag.UNNECESSARY,))
def empty_evaluators(suite: ParsedSuite) -> Iterator[Finding]:
    """A list of evaluators is empty, and there are no evaluators that it would switch off.

    An empty list in a case switches off the suite's evaluators. If the suite has none, the empty
    list has no effect: the case is graded by its rubrics, or else by one free-form judge.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators: []  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - {name: hello, type: icontains, value: hello}
    ```
    """
    common = own_list(suite.head)
    if common is not None and isinstance(common.value, Sequence) and not common.value.items:
        yield Finding(
            suite.head_place(common.key.span),
            "this list is empty, so the suite has no evaluators for its cases; add evaluators or "
            "remove the key",
        )
    if evaluators_under(common):
        return
    for number, key in suite.case_index.where(_key_of_empty):
        graded = "its rubrics" if has_rubrics(suite.cases[number]) else "one free-form judge"
        yield Finding(
            suite.place(number, key.span),
            f"this list is empty, so this case is graded by {graded}; add evaluators or remove the key",
        )


def _key_of_empty(case: ParsedCase) -> Scalar | None:
    """Return the key of a case's list of evaluators if it is empty: a look for `ParsedSuite.case_index`."""
    entry = own_list(case)
    is_empty = entry is not None and isinstance(entry.value, Sequence) and not entry.value.items
    return entry.key if entry is not None and is_empty else None


@rule("SC312", Severity.WARNING, tags=(Tag.UNNECESSARY,))
def unused_evaluators(suite: ParsedSuite) -> Iterator[Finding]:
    """The suite's evaluators grade no case.

    The evaluators of a case replace those of the suite; they are not added to them. If every case
    has its own, the suite's evaluators never run.

    ```yaml bad
    execution:
      evaluators:  # <- finding
        - {name: hello, type: icontains, value: hello}
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - {name: tone, type: llm_judge}
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - {name: tone, type: llm_judge}
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - {name: tone, type: llm_judge}
          - {name: hello, type: icontains, value: hello}
    ```
    """
    common = own_list(suite.head)
    if common is None or not evaluators_under(common) or not suite.cases or suite.appends:
        return
    replacements = suite.case_index.numbers(own_list)
    first = own_list(suite.cases[0])
    if first is not None and len(replacements) == len(suite.cases):
        yield Finding(
            suite.head_place(common.key.span),
            "these evaluators never run, because every case replaces them with its own",
            fix_of_head(suite, without(common.key, title="Remove them", safe=False)),
            related=(Related("the first case's evaluators", suite.place(0, first.key.span)),),
        )


@rule("SC313", Severity.WARNING)
def zero_weight_evaluators(suite: ParsedSuite) -> Iterator[Finding]:
    """All evaluators of a case have the weight 0.

    An evaluator with the weight 0 is recorded but does not count. If none counts, the case has no
    score and is not evaluated.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - {name: hello, type: icontains, value: hello, weight: 0}  # <- finding
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - {name: hello, type: icontains, value: hello}
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - {name: tone, type: llm_judge}
          - {name: hello, type: icontains, value: hello, weight: 0}
    ```
    """
    if suite.head.node is None or "evaluation_mode" in suite.head.node:
        return
    common = own_list(suite.head)
    weight = _only_zeros(common)
    inheriting = suite.case_index.values(_inheriting) if weight is not None else ()
    if weight is not None and inheriting:
        yield Finding(
            suite.head_place(weight.span),
            "all evaluators of the suite have weight 0, so cases such as "
            f"`{_name(inheriting[0])}` get no score",
            fix_of_head(suite, _without_weights(common)),
        )
    for number, own_weight in suite.case_index.where(_own_zero):
        yield Finding(
            suite.place(number, own_weight.span),
            "all evaluators of this case have weight 0, so it gets no score",
            fix_of_case(suite, number, _without_weights(own_list(suite.cases[number]))),
        )


def _without_weights(entry: Entry | None) -> DeferredFix:
    """Return the fix that gives evaluators equal weights; not safe, since none was to count."""
    keys = [evaluator.node.key("weight") for evaluator in evaluators_under(entry)]
    weight_keys = [key for key in keys if key is not None]
    return without(*weight_keys, title="Remove the weights", safe=False)


def has_rubrics(case: ParsedCase) -> bool:
    """Whether a case has rubrics, which become an evaluator."""
    rubrics = case.node.get("rubrics") if case.node else None
    return isinstance(rubrics, Sequence) and bool(rubrics.items)


def _inheriting(case: ParsedCase) -> ParsedCase | None:
    """Return a case that only the evaluators of the suite grade."""
    alone = case.node is not None and not has_rubrics(case) and own_list(case) is None
    return case if alone else None


def _own_zero(case: ParsedCase) -> Scalar | None:
    return None if has_rubrics(case) else _only_zeros(own_list(case))


def _name(case: ParsedCase) -> str:
    return case.id.text if case.id is not None else "the first"


def _only_zeros(entry: Entry | None) -> Scalar | None:
    """Return the first weight of a list in which every weight is 0."""
    listed = entry.value.items if entry and isinstance(entry.value, Sequence) else []
    weights = [item.get("weight") if isinstance(item, Mapping) else None for item in listed]
    first = weights[0] if weights else None
    return first if isinstance(first, Scalar) and all(map(is_zero, weights)) else None
