"""The rule on names of evaluators that are already used by evaluators of other keys."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.evaluator_lists import evaluators_under, has_rubrics, own_list
from suitecase.format.rewriting.names import renamed
from suitecase.format.rule import DeferredFix, Finding, Related, rule
from suitecase.formats.suitecase.implicit_evaluators import CRITERIA, RUBRIC, SCHEMA
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedSuite
from suitecase.formats.suitecase.part_fixes import fix_of_case, fix_of_head
from suitecase.text.node import Entry, Scalar, Span
from suitecase.text.taken_names import unique_name

#: The names of the evaluators that modes become.
_OF_MODE = {"llm": CRITERIA, "schema": SCHEMA}


@rule("SC309")
def reserved_evaluator_name(suite: ParsedSuite) -> Iterator[Finding]:
    """An evaluator has a name that another key of the suite already uses.

    The `rubrics` of a case become an evaluator named `rubric`, and an `evaluation_mode` becomes one
    named `evaluation_criteria` or `evaluation_schema`. If another evaluator of that name grades the
    same case, in the case's list or in the suite's, their results could not be told apart, and a
    recorded run could not be replayed.

    ```yaml bad
    execution:
      evaluators:
        - {name: rubric, type: contains, value: hello}  # <- finding
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - Is warm
      - id: meet
        input: Good morning
        expected_outcome: Says hello
        rubrics:
          - Is warm
        evaluators:
          - {name: rubric, type: contains, value: morning}  # <- finding
    ```

    ```yaml fixed
    execution:
      evaluators:
        - {name: rubric-2, type: contains, value: hello}
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - Is warm
      - id: meet
        input: Good morning
        expected_outcome: Says hello
        rubrics:
          - Is warm
        evaluators:
          - {name: rubric-2, type: contains, value: morning}
    ```
    """
    yield from _of_cases(suite)
    yield from _of_suite(suite)


def _of_cases(suite: ParsedSuite) -> Iterator[Finding]:
    """Yield the names in lists of cases."""
    mode, of_mode = _mode(suite)
    for number, names in suite.case_index.where(_reserved_in_case):
        for name in names:
            by_rubrics = name.text == RUBRIC and has_rubrics(suite.cases[number])
            if by_rubrics or name.text == of_mode:
                place = _rubrics_of(suite, number) if by_rubrics else None
                where = "this case's `rubrics`" if by_rubrics else "the suite's `evaluation_mode`"
                yield Finding(
                    suite.place(number, name.span),
                    _reserved(name, where, "become" if by_rubrics else "becomes"),
                    fix_of_case(suite, number, _free_name(name, own_list(suite.cases[number]))),
                    related=_others(suite, place, mode),
                )


def _of_suite(suite: ParsedSuite) -> Iterator[Finding]:
    """Yield the names in the suite's list."""
    mode, of_mode = _mode(suite)
    listed = own_list(suite.head)
    for name in _reserved_among(listed):
        graded = suite.case_index.where(_graded_by_suite)
        beside = [number for number, _ in graded] if not suite.appends else range(len(suite.cases))
        with_rubrics = [it for it in beside if has_rubrics(suite.cases[it])]
        place = None
        if name.text == of_mode and beside:
            where, verb = "the suite's `evaluation_mode`", "becomes"
        elif name.text == RUBRIC and with_rubrics:
            case = suite.cases[with_rubrics[0]]
            called = f" of `{case.id.text}`" if case.id is not None else ""
            where, verb = f"the `rubrics`{called}", "become"
            place = _rubrics_of(suite, with_rubrics[0])
        else:
            continue
        yield Finding(
            suite.head_place(name.span),
            _reserved(name, where, verb),
            fix_of_head(suite, _free_name(name, listed)),
            related=_others(suite, place, mode),
        )


def _mode(suite: ParsedSuite) -> tuple[Entry | None, str | None]:
    """Return the suite's mode, and the name of the evaluator that it becomes."""
    mode = suite.head.node.entries.get("evaluation_mode") if suite.head.node else None
    return mode, _OF_MODE.get(mode.value.text) if mode and isinstance(mode.value, Scalar) else None


def _free_name(name: Scalar, listed: Entry | None) -> DeferredFix:
    """Return the fix that gives an evaluator a unique name in its list."""
    others = (
        evaluator.name.text for evaluator in evaluators_under(listed) if evaluator.name is not None
    )
    new = unique_name(name.text, {*others, name.text})
    return lambda _content: renamed(name, new, safe=False)


def _reserved(name: Scalar, what: str, verb: str) -> str:
    return f"the name `{name.text}` belongs to the evaluator that {what} {verb}"


def _others(suite: ParsedSuite, rubrics: Span | None, mode: Entry | None) -> tuple[Related, ...]:
    """Return the place of the key that becomes the other evaluator."""
    if rubrics is not None:
        return (Related("the rubrics", rubrics),)
    return (Related("the mode", suite.head_place(mode.key.span)),) if mode is not None else ()


def _rubrics_of(suite: ParsedSuite, number: int) -> Span | None:
    node = suite.cases[number].node
    rubrics = node.get("rubrics") if node is not None else None
    return suite.place(number, rubrics.span) if rubrics is not None else None


def _reserved_among(entry: Entry | None) -> list[Scalar]:
    """Return the names in a list of evaluators that evaluators of other keys have."""
    names = (evaluator.name for evaluator in evaluators_under(entry))
    return [name for name in names if name is not None and name.text in (RUBRIC, CRITERIA, SCHEMA)]


def _reserved_in_case(case: ParsedCase) -> list[Scalar] | None:
    return _reserved_among(own_list(case)) or None


def _graded_by_suite(case: ParsedCase) -> ParsedCase | None:
    """Return a case that lists no evaluators of its own."""
    return case if case.node is not None and own_list(case) is None else None
