"""Converts assertions to evaluators that give every answer the same verdict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from suitecase.formats.promptfoo.running.refused import RefusedError
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.promptfoo.assertion import PREFIX, TRANSFORMED, AssertionConfig
from suitecase_evaluators.promptfoo.grader import AssertionGrader, Fields, NotConvertibleError
from suitecase_evaluators.promptfoo.graders.assert_set import AssertSetConfig
from suitecase_evaluators.promptfoo.known_graders import grader_of

_NEGATED: Final = "negate"


def evaluators_of(config: EvaluatorConfig) -> Iterator[Fields]:
    """Yield the evaluators of an assertion: one, or those of the members of a set.

    A failed assertion fails its row, so evaluators are `required`. An assertion of weight 0 always
    passes.

    Raises:
        RefusedError: there are no equivalent evaluators.
    """
    if not isinstance(config, AssertionConfig):
        raise RefusedError("there is no equivalent evaluator")
    if isinstance(config, AssertSetConfig):
        yield from _of_set(config)
        return
    if config.type == TRANSFORMED:
        raise RefusedError(
            "`transform` changes the answer before it is graded, which suites cannot do"
        )
    grader = grader_of(str(config.type).removeprefix(PREFIX))
    if grader is None or grader.convert is None:
        raise RefusedError(
            f"`{config.written_type}` has no evaluator with the same verdicts; {_hint(grader)}"
        )
    try:
        own = grader.convert(config)
    except NotConvertibleError as error:
        raise RefusedError(str(error)) from error
    if config.negate and _NEGATED not in own:
        raise RefusedError(
            f"the evaluator `{own['type']}` cannot be negated as `{config.written_type}` is"
        )
    if not own.get(_NEGATED, True):
        del own[_NEGATED]
    fields: Fields = {"name": config.name, **own}
    if config.weight != 1:
        is_whole = float(config.weight).is_integer()
        fields["weight"] = int(config.weight) if is_whole else config.weight
    if config.weight:
        fields["required"] = True
    yield fields


def _of_set(config: AssertSetConfig) -> Iterator[Fields]:
    """Yield the evaluators of a set whose members all have to pass; their weights add up to its weight."""
    if config.threshold is not None:
        raise RefusedError(
            "`threshold` of an `assert-set` lets members fail, which no evaluator of a suite does"
        )
    if not config.weight:
        raise RefusedError("an `assert-set` with a weight of 0 grades nothing")
    total = sum(member.weight for member in config.members)
    if not total:
        raise RefusedError("the members of this `assert-set` have no weight")
    for member in config.members:
        share = config.weight * member.weight / total
        name = f"{config.name}: {member.name}"
        yield from evaluators_of(member.model_copy(update={"name": name, "weight": share}))


def _hint(grader: AssertionGrader | None) -> str:
    if grader is not None and grader.kind.is_code:
        return "a `code_judge` calls a program of yours"
    return "leave the test to `suitecase run` on the configuration"
