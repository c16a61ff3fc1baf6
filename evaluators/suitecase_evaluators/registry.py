"""Every evaluator there is: looked up by type, read as a suite's entry, and run."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, TypeAlias

from pydantic import Discriminator, Tag

from suitecase_evaluators.code_judge import code_judge
from suitecase_evaluators.composite import CompositeConfig, composite
from suitecase_evaluators.criteria import CRITERIA
from suitecase_evaluators.evaluator import Evaluator, EvaluatorConfig, Services, Subject
from suitecase_evaluators.field_accuracy import field_accuracy
from suitecase_evaluators.is_json import is_json
from suitecase_evaluators.json_schema import json_schema
from suitecase_evaluators.judge.llm_judge import LLM_JUDGE
from suitecase_evaluators.metrics import cost, latency, token_usage
from suitecase_evaluators.program import ProgramError
from suitecase_evaluators.score import Score
from suitecase_evaluators.targets.target import TargetError
from suitecase_evaluators.text_match import contains, equals, icontains, regex
from suitecase_evaluators.tool_trajectory import tool_trajectory
from suitecase_evaluators.type_tag import type_tag

#: In the order in which they are offered and documented.
EVALUATORS: tuple[Evaluator, ...] = (
    LLM_JUDGE,
    CRITERIA,
    code_judge,
    composite,
    json_schema,
    contains,
    icontains,
    equals,
    regex,
    is_json,
    field_accuracy,
    tool_trajectory,
    latency,
    cost,
    token_usage,
)

_BY_TYPE = {it.type: it for it in EVALUATORS}

#: The names that select an evaluator.
TYPES: tuple[str, ...] = tuple(_BY_TYPE)

if TYPE_CHECKING:
    EvaluatorEntry: TypeAlias = EvaluatorConfig
else:
    #: An entry of a list of evaluators. Which configuration it is validated by is decided by its
    #: `type` alone; one without a type gives the error `union_tag_not_found`, one of an unknown
    #: type `union_tag_invalid`.
    EvaluatorEntry = Annotated[
        reduce(or_, (Annotated[it.config, Tag(f"<{it.type}>")] for it in EVALUATORS)),
        Discriminator(type_tag),
    ]

# A composite's members are entries, so its model can be completed only here.
CompositeConfig.model_rebuild(_types_namespace={"EvaluatorEntry": EvaluatorEntry})


def by_type(name: str) -> Evaluator | None:
    """Return the evaluator that `type: name` selects, or None."""
    return _BY_TYPE.get(name)


async def grade(config: EvaluatorConfig, subject: Subject, services: Services) -> Score:
    """Grade an answer by one evaluator.

    A target that cannot be asked and a program that cannot be started give a score of the verdict
    `error`. Anything else that is raised is a bug, and passes through.
    """
    try:
        score: Score = await _BY_TYPE[config.type].evaluate(config, subject, services)
    except (TargetError, ProgramError) as error:
        return Score.failed_to_grade(error.message)
    return score
