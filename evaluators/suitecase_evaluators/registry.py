"""Every evaluator there is: looked up by type, read as a suite's entry, and run.

Those of other packages are known too; `third_party` finds them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import Discriminator, Tag, ValidationError
from pydantic_core import PydanticCustomError

from suitecase_evaluators import third_party
from suitecase_evaluators.built_when_used import BuiltWhenUsed
from suitecase_evaluators.code_judge import code_judge
from suitecase_evaluators.composite import CompositeConfig, composite
from suitecase_evaluators.criteria import CRITERIA
from suitecase_evaluators.evaluator import (
    Description,
    Evaluator,
    EvaluatorConfig,
    JudgeCalls,
    Services,
    Subject,
)
from suitecase_evaluators.field_accuracy import field_accuracy
from suitecase_evaluators.human import human
from suitecase_evaluators.is_json import is_json
from suitecase_evaluators.json_schema import json_schema
from suitecase_evaluators.judge.llm_judge import LLM_JUDGE
from suitecase_evaluators.label import label
from suitecase_evaluators.metrics import cost, latency, token_usage
from suitecase_evaluators.number import number
from suitecase_evaluators.preference import preference
from suitecase_evaluators.program import ProgramError
from suitecase_evaluators.refusal import refusal
from suitecase_evaluators.score import Score
from suitecase_evaluators.targets.target import TargetError
from suitecase_evaluators.text_match import equals, regex
from suitecase_evaluators.text_search import (
    contains,
    contains_all,
    contains_any,
    ends_with,
    icontains,
    icontains_all,
    icontains_any,
    starts_with,
)
from suitecase_evaluators.third_party_grading import graded
from suitecase_evaluators.token_f1 import token_f1
from suitecase_evaluators.tool_trajectory import tool_trajectory
from suitecase_evaluators.type_tag import type_tag
from suitecase_evaluators.word_count import word_count

#: In the order in which they are offered and documented.
EVALUATORS: tuple[Evaluator, ...] = (
    LLM_JUDGE,
    CRITERIA,
    preference,
    human,
    code_judge,
    composite,
    json_schema,
    contains,
    icontains,
    contains_any,
    contains_all,
    icontains_any,
    icontains_all,
    starts_with,
    ends_with,
    equals,
    label,
    number,
    token_f1,
    regex,
    word_count,
    is_json,
    refusal,
    field_accuracy,
    tool_trajectory,
    latency,
    cost,
    token_usage,
)

_BY_TYPE = {it.type: it for it in EVALUATORS}

#: The names that select a built-in evaluator; no package can stand in for one.
TYPES: tuple[str, ...] = tuple(_BY_TYPE)
#: The prefix of the types of promptfoo's assertions, which suites of our own cannot name.
_PROMPTFOO_PREFIX = "promptfoo:"
#: The prefix of those of AgentV from version 5 on.
_AGENTV_PREFIX = "agentv:"

_TAGS = frozenset(f"<{it}>" for it in TYPES)
_THIRD_PARTY = "<third party>"
_UNKNOWN = ""


def is_third_party(name: object) -> bool:
    """Whether a package provides the evaluators of that type."""
    return name not in _BY_TYPE and third_party.provides(name)


def _entry_tag(value: object) -> str | None:
    tag = type_tag(value)
    if tag is None or tag in _TAGS:
        return tag
    name = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
    return _THIRD_PARTY if third_party.provides(name) else _UNKNOWN


if TYPE_CHECKING:
    EvaluatorEntry: TypeAlias = EvaluatorConfig
else:
    #: An entry of a list of evaluators. Which configuration it is validated by is decided by its
    #: `type` alone; one without a type gives the error `union_tag_not_found`, one of an unknown
    #: type `union_tag_invalid`.
    EvaluatorEntry = Annotated[
        reduce(
            or_,
            (
                Annotated[it.config, BuiltWhenUsed(it.config), Tag(f"<{it.type}>")]
                for it in EVALUATORS
            ),
        )
        | Annotated[EvaluatorConfig, third_party.ThirdPartyEntry(TYPES), Tag(_THIRD_PARTY)],
        Discriminator(_entry_tag),
    ]

# A composite's members are entries, so its model can be completed only here.
CompositeConfig.model_rebuild(_types_namespace={"EvaluatorEntry": EvaluatorEntry})


def by_type(name: str) -> Evaluator | None:
    """Return the evaluator that `type: name` selects; None where there is none that works."""
    built_in = _BY_TYPE.get(name)
    if built_in is not None:
        return built_in
    found = third_party.find(name)
    return found if isinstance(found, Evaluator) else None


def _built_in(name: str) -> Evaluator | None:
    """Return the built-in evaluator of a type, if any. Those of assertions are imported when needed."""
    found = _BY_TYPE.get(name)
    if found is not None:
        return found
    if name.startswith(_PROMPTFOO_PREFIX):
        from suitecase_evaluators.promptfoo.types import ASSERTIONS

        return ASSERTIONS.get(name)
    if name.startswith(_AGENTV_PREFIX):
        from suitecase_evaluators.agentv.types import evaluator_of

        return evaluator_of(name)
    return None


def read_entry(value: Mapping[str, Any]) -> EvaluatorConfig | None:
    """Read an entry of a suite, given as plain values; None where it is wrong."""
    found = by_type(str(value.get("type")))
    if found is None:
        return None
    try:
        if found.type in _BY_TYPE:
            return found.config.model_validate(value)
        return third_party.validated(value)
    except (ValidationError, PydanticCustomError):
        return None


def description_of(config: EvaluatorConfig) -> Description[Any]:
    """Return what the evaluator of an entry says of itself."""
    found = _built_in(config.type) or by_type(config.type)
    return Description() if found is None else found.description


def with_members(configs: Iterable[EvaluatorConfig]) -> Iterator[EvaluatorConfig]:
    """Yield evaluators, and those that grade for them, at any depth; members come first."""
    for config in configs:
        members = description_of(config).members(config)
        if members:
            yield from with_members(members)
        yield config


def judge_calls(configs: Iterable[EvaluatorConfig]) -> Iterator[JudgeCalls]:
    """Yield what evaluators and their members ask judges."""
    for config in with_members(configs):
        yield from (it for it in description_of(config).judge_calls(config) if it.most)


def shadowed(types: Iterable[str]) -> Iterator[str]:
    """Yield, for people, which packages provide some of these types although they are built in."""
    for name in sorted(set(types) & _BY_TYPE.keys()):
        for provider in third_party.providers().get(name, ()):
            yield f"{provider} also provides `{name}`, which is ignored because that type is built in"


async def grade(config: EvaluatorConfig, subject: Subject, services: Services) -> Score:
    """Grade an answer by one evaluator, and hold the score against the gate of its entry.

    A target that cannot be asked and a program that cannot be started give a score of the verdict
    `error`, and so does whatever an evaluator of a package raises. Anything else is a bug of ours,
    and passes through.
    """
    built_in = _built_in(config.type)
    try:
        if built_in is None:
            score = await graded(config, subject, services)
        else:
            score = await built_in.evaluate(config, subject, services)
    except (TargetError, ProgramError) as error:
        return Score.failed_to_grade(error.message)
    return score.held_against(config.gate)
