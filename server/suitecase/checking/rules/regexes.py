"""Rules on regular expressions, of evaluators and of schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from suitecase.checking.rules.schemas import SCHEMAS_UNDER, place_in, readable_schemas
from suitecase.format.rule import Finding, Severity, rule
from suitecase.formats.suitecase.elements import ParsedEvaluator
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead
from suitecase.text.embedded import embedded
from suitecase.text.node import Scalar, Sequence
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.schema.regex_cost import nested_repetition
from suitecase_evaluators.schema.regex_search import regex_problem


@rule("SC331", Severity.WARNING, keys=SCHEMAS_UNDER)
def catastrophic_backtracking(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """A regular expression has nested repetitions.

    On a text that nearly matches, `(a+)+b` tries every way to split a run of `a`; for thirty
    characters that is a billion. The search is stopped after some time, and the answer is then not
    graded.

    ```yaml bad
    evalcases:
      - id: list
        input: List some words.
        expected_outcome: Lists words
        evaluators:
          - name: words
            type: regex
            value: ^(\\w+\\s?)*$  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: list
        input: List some words.
        expected_outcome: Lists words
        evaluators:
          - name: words
            type: regex
            value: ^\\w+(\\s\\w+)*$
    ```
    """
    for element in part.elements():
        if not isinstance(element, ParsedEvaluator):
            continue
        for it in element.values(FieldRole.REGEX):
            for value in it.node.items if isinstance(it.node, Sequence) else (it.node,):
                if isinstance(value, Scalar) and isinstance(value.value, str):
                    found = _repeated(value.text)
                    if found is not None:
                        span = embedded(value, part.source).span(*found)
                        yield Finding(span, _message(value.text[found[0] : found[1]]))
    for schema, known in readable_schemas(part):
        for pattern, path in known.patterns:
            from suitecase_evaluators.schema.patterns import pattern_problem

            found = _repeated(pattern, pattern_problem)
            if found is not None:
                span = place_in(schema, path, part.source)
                yield Finding(span, _message(pattern[found[0] : found[1]]))


def _repeated(
    pattern: str, problem: Callable[[str], str | None] = regex_problem
) -> tuple[int, int] | None:
    if len(pattern) < 6 or ")" not in pattern or problem(pattern) is not None:
        return None
    return nested_repetition(pattern)


def _message(repetition: str) -> str:
    return (
        f"`{repetition}` is a nested repetition, which takes exponential time on a text that "
        f"nearly matches; begin each repeated part with a distinct character"
    )
