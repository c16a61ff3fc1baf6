"""Every evaluator there is: looked up by type, read as a suite's entry, and run.

The module of an evaluator is imported when its type is asked for: most suites have evaluators of one or
two types out of thirty. Those of other packages are known too; `third_party` finds them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import Discriminator, Tag, ValidationError
from pydantic_core import PydanticCustomError

from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade import third_party
from suitecase_evaluators.grade.evaluator import (
    Description,
    Evaluator,
    EvaluatorConfig,
    JudgeCalls,
    Services,
    Subject,
)
from suitecase_evaluators.schema.built_when_used import BuiltWhenUsed
from suitecase_evaluators.schema.selected_model import SelectedModel, imported
from suitecase_evaluators.schema.type_tag import type_tag

#: Where the evaluator of each type is, in the order in which they are offered and documented.
EVALUATORS: Mapping[str, str] = {
    "llm_judge": "judge.llm_judge:LLM_JUDGE",
    "criteria": "criteria:CRITERIA",
    "preference": "preference:preference",
    "human": "human:human",
    "code_judge": "code_judge:code_judge",
    "composite": "composite:composite",
    "json_schema": "json_schema:json_schema",
    "contains": "text_search:contains",
    "icontains": "text_search:icontains",
    "contains_any": "text_search:contains_any",
    "contains_all": "text_search:contains_all",
    "icontains_any": "text_search:icontains_any",
    "icontains_all": "text_search:icontains_all",
    "starts_with": "text_search:starts_with",
    "ends_with": "text_search:ends_with",
    "equals": "text_match:equals",
    "label": "label:label",
    "number": "number:number",
    "token_f1": "token_f1:token_f1",
    "regex": "text_match:regex",
    "word_count": "word_count:word_count",
    "is_json": "is_json:is_json",
    "refusal": "refusal:refusal",
    "field_accuracy": "field_accuracy:field_accuracy",
    "tool_trajectory": "tool_trajectory:tool_trajectory",
    "latency": "metrics:latency",
    "cost": "metrics:cost",
    "token_usage": "metrics:token_usage",
}

#: The names that select a built-in evaluator; no package can stand in for one.
TYPES: tuple[str, ...] = tuple(EVALUATORS)
#: The prefix of the types of promptfoo's assertions, which suites of our own cannot name.
_PROMPTFOO_PREFIX = "promptfoo:"
#: The prefix of those of AgentV from version 5 on.
_AGENTV_PREFIX = "agentv:"

_THIRD_PARTY = "<third party>"
_UNKNOWN = ""
_TAGS: Mapping[str, str] = {f"<{kind}>": kind for kind in TYPES}

#: The built-in evaluators that were asked for, by type.
_IMPORTED: dict[str, Evaluator] = {}


def built_in(name: str) -> Evaluator:
    """Return the built-in evaluator of a type.

    Raises:
        KeyError: the type is not one of `TYPES`.
    """
    found = _IMPORTED.get(name)
    if found is None:
        found = _IMPORTED[name] = imported(f"grade.{EVALUATORS[name]}")
    return found


def evaluators() -> tuple[Evaluator, ...]:
    """Return all built-in evaluators, in the order in which they are offered and documented."""
    return tuple(map(built_in, TYPES))


def is_third_party(name: object) -> bool:
    """Whether a package provides the evaluators of that type."""
    return name not in EVALUATORS and third_party.provides(name)


def _entry_tag(value: object) -> str | None:
    tag = type_tag(value)
    if tag is None or tag in _TAGS:
        return tag
    name = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
    return _THIRD_PARTY if third_party.provides(name) else _UNKNOWN


def _reader(name: str) -> Callable[[Any], EvaluatorConfig]:
    return lambda value: built_in(name).config.model_validate(value)


class SelectedEvaluator(SelectedModel):
    """An entry of a list of evaluators is read by the configuration of its `type`."""

    key = "type"

    def model(self, word: str) -> type[EvaluatorConfig] | None:
        found = by_type(word)
        if found is not None:
            return found.config
        return EvaluatorConfig if third_party.provides(word) else None

    def models(self) -> list[type[EvaluatorConfig]]:
        return [*(evaluator.config for evaluator in evaluators()), EvaluatorConfig]

    def tag(self, value: Any) -> str | None:
        return _entry_tag(value)

    def readers(self) -> dict[str, Callable[[Any], EvaluatorConfig]]:
        own = {tag: _reader(name) for tag, name in _TAGS.items()}
        return {**own, _THIRD_PARTY: third_party.validated}

    def described(self) -> Any:
        own: Any = reduce(
            or_,
            (
                Annotated[
                    evaluator.config, BuiltWhenUsed(evaluator.config), Tag(f"<{evaluator.type}>")
                ]
                for evaluator in evaluators()
            ),
        )
        others = Annotated[EvaluatorConfig, third_party.ThirdPartyEntry(TYPES), Tag(_THIRD_PARTY)]
        return Annotated[own | others, Discriminator(_entry_tag)]


if TYPE_CHECKING:
    EvaluatorEntry: TypeAlias = EvaluatorConfig
else:
    #: An entry of a list of evaluators.
    EvaluatorEntry = Annotated[EvaluatorConfig, SelectedEvaluator()]


def by_type(name: str) -> Evaluator | None:
    """Return the evaluator that `type: name` selects; None where there is none that works."""
    if name in EVALUATORS:
        return built_in(name)
    found = third_party.find(name)
    return found if isinstance(found, Evaluator) else None


def _ours(name: str) -> Evaluator | None:
    """Return the evaluator of a type that is built in or an assertion of another tool, if any."""
    if name in EVALUATORS:
        return built_in(name)
    if name.startswith(_PROMPTFOO_PREFIX):
        from suitecase_evaluators.promptfoo.known_graders import evaluator_of as grader_of

        return grader_of(name)
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
        if found.type in EVALUATORS:
            return found.config.model_validate(value)
        return third_party.validated(value)
    except (ValidationError, PydanticCustomError):
        return None


def description_of(config: EvaluatorConfig) -> Description[Any]:
    """Return what the evaluator of an entry says of itself."""
    found = _ours(config.type) or by_type(config.type)
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
        yield from (
            judge_call
            for judge_call in description_of(config).judge_calls(config)
            if judge_call.most
        )


def shadowed(types: Iterable[str]) -> Iterator[str]:
    """Yield, for people, which packages provide some of these types although they are built in."""
    for name in sorted(set(types) & EVALUATORS.keys()):
        for provider in third_party.providers().get(name, ()):
            yield f"{provider} also provides `{name}`, which is ignored because that type is built in"


async def grade(config: EvaluatorConfig, subject: Subject, services: Services) -> Score:
    """Grade an answer by one evaluator, and hold the score against the gate of its entry.

    A target that cannot be asked and a program that cannot be started give a score of the verdict
    `error`, and so does whatever an evaluator of a package raises. Anything else is a bug of ours,
    and passes through.
    """
    from suitecase_evaluators.grade.third_party_grading import graded
    from suitecase_evaluators.targets.program import ProgramError
    from suitecase_evaluators.targets.target import TargetError

    ours = _ours(config.type)
    try:
        if ours is None:
            score = await graded(config, subject, services)
        else:
            score = await ours.evaluate(config, subject, services)
    except (TargetError, ProgramError) as error:
        return Score.failed_to_grade(error.message)
    return score.held_against(config.gate)
