"""Rules on the entries of a list of evaluators."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.rule import Finding, Related, nearest, replace, rule
from suitecase.rules.misspelling import passed_on, stands_misspelt
from suitecase.suite.elements import EVALUATORS_UNDER, WrittenEvaluators
from suitecase.suite.shape import Issue
from suitecase.suite.written import WrittenCase, WrittenHead
from suitecase.syntax.node import Mapping, Scalar, Sequence
from suitecase_evaluators import registry, third_party


@rule("SC306", only_of="issues")
def incomplete_evaluator(part: WrittenHead | WrittenCase) -> Iterator[Finding]:
    """An evaluator has no name or no type.

    The type says how it grades, and results are kept by its name.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - type: llm_judge  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
    ```
    """
    for issue in part.issues:
        if issue.rule != "incomplete-evaluator":
            continue
        if not isinstance(issue.node, Mapping):
            yield Finding(issue.span, "an evaluator is a mapping with `name` and `type`")
            continue
        lacking = [key for key in ("name", "type") if key not in issue.node]
        if len(lacking) == 1 and stands_misspelt(part, _mapping(issue), lacking[0]):
            continue
        if lacking:
            first = issue.node.key(nearest(lacking[0], issue.node.entries) or "") or passed_on(
                part, _mapping(issue), lacking[0]
            )
            listed = " and no ".join(f"`{key}`" for key in lacking)
            hint = f"; did you mean `{lacking[0]}` by `{first.text}`?" if first else ""
            place = first.span if first and len(lacking) == 1 else issue.span
            yield Finding(place, f"this evaluator has no {listed}{hint}")
        else:
            key = issue.node.key("type")
            place = key.span if key is not None else issue.span
            yield Finding(place, "the `type` of this evaluator must be text")


def _mapping(issue: Issue) -> tuple[str | int, ...]:
    return issue.path[:-1] if issue.type == "missing" else issue.path


@rule("SC307", only_of="issues")
def unknown_evaluator_type(part: WrittenHead | WrittenCase) -> Iterator[Finding]:
    """There is no evaluator of that type, or none that works.

    Other tools drop such an evaluator, and grade the case with what is left, or with nothing.

    An installed package may provide evaluators of its own. Where that package cannot be loaded the
    suite may well be right, and cannot be graded all the same: the finding names the package and
    what is wrong with it, and `suitecase explain TYPE` shows where it broke.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: hello
            type: contians  # <- finding
            value: hello
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: hello
            type: contains
            value: hello
    ```
    """
    for issue in part.issues:
        if issue.rule != "unknown-evaluator-type":
            continue
        written = issue.node.get("type") if isinstance(issue.node, Mapping) else None
        if not isinstance(written, Scalar):
            key = issue.node.key("type") if isinstance(issue.node, Mapping) else None
            place = key.span if key is not None else issue.span
            yield Finding(place, "the `type` of an evaluator is the name of its kind")
            continue
        if issue.type == third_party.UNAVAILABLE:
            package = third_party.find(written.text)
            raised = isinstance(package, third_party.Unavailable) and package.trace
            more = f"; `suitecase explain {written.text}` shows where" if raised else ""
            yield Finding(written.span, f"{issue.message}{more}")
            continue
        types = dict.fromkeys((*registry.TYPES, *third_party.providers()))
        meant = nearest(written.text, types)
        message = f"there is no evaluator type `{written.text}`" + (
            f"; did you mean `{meant}`?"
            if meant
            else f": none is built in, and no installed package provides it; there are "
            f"{', '.join(types)}"
        )
        fix = replace(written.span, meant, f"Change to `{meant}`", safe=False) if meant else None
        yield Finding(written.span, message, fix)


@rule("SC308")
def duplicate_evaluator_name(evaluators: WrittenEvaluators) -> Iterator[Finding]:
    """Two evaluators of one list have the same name.

    Results are kept, and weighted, by name.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - {name: words, type: contains, value: hello}
          - {name: words, type: contains, value: Ann}  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - {name: hello, type: contains, value: hello}
          - {name: ann, type: contains, value: Ann}
    ```
    """
    first: dict[str, Scalar] = {}
    for entry in evaluators.items:
        name = entry.name
        if name is None or not name.text:
            continue
        other = first.setdefault(name.text, name)
        if other is not name:
            yield Finding(
                name.span,
                f"the evaluator name `{name.text}` is already used in this list",
                related=(Related("first used here", other.span),),
            )


@rule("SC309", keys=EVALUATORS_UNDER)
def reserved_evaluator_name(case: WrittenCase) -> Iterator[Finding]:
    """An evaluator is called `rubric` beside a case's own `rubrics`.

    The `rubrics` of a case become an evaluator of that name, so there would be two.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - Is warm
        evaluators:
          - {name: rubric, type: contains, value: hello}  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - Is warm
        evaluators:
          - {name: hello, type: contains, value: hello}
    ```
    """
    if case.node is None:
        return
    rubrics = case.node.get("rubrics")
    if not (isinstance(rubrics, Sequence) and rubrics.items):
        return
    execution = case.node.get("execution")
    lists = [
        case.node.get("evaluators"),
        execution.get("evaluators") if isinstance(execution, Mapping) else None,
    ]
    for found in lists:
        if isinstance(found, Sequence):
            for entry in WrittenEvaluators(found).items:
                if entry.name is not None and entry.name.text == "rubric":
                    yield Finding(
                        entry.name.span,
                        "the name `rubric` belongs to the evaluator that this case's `rubrics` "
                        "become",
                        related=(Related("the rubrics", rubrics.span),),
                    )
