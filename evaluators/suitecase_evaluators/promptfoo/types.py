"""The supported types of assertions, each with its evaluator."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

from pydantic import BeforeValidator, InstanceOf
from pydantic_core import PydanticCustomError

from suitecase_evaluators.evaluator import Evaluator
from suitecase_evaluators.promptfoo.assert_set import AssertSetConfig, assert_set
from suitecase_evaluators.promptfoo.assertion import PREFIX, AssertionConfig
from suitecase_evaluators.promptfoo.closed_qa import closed_qa
from suitecase_evaluators.promptfoo.counts import levenshtein, word_count
from suitecase_evaluators.promptfoo.factuality import factuality, model_graded_factuality
from suitecase_evaluators.promptfoo.g_eval import g_eval
from suitecase_evaluators.promptfoo.html import contains_html
from suitecase_evaluators.promptfoo.json_value import contains_json, is_json
from suitecase_evaluators.promptfoo.llm_rubric import llm_rubric
from suitecase_evaluators.promptfoo.overlap import bleu, gleu
from suitecase_evaluators.promptfoo.refusal import is_refusal
from suitecase_evaluators.promptfoo.regular_expression import regex
from suitecase_evaluators.promptfoo.response_metadata import cost, finish_reason, latency
from suitecase_evaluators.promptfoo.scripts import javascript, python
from suitecase_evaluators.promptfoo.text import (
    contains,
    contains_all,
    contains_any,
    equals,
    icontains,
    icontains_all,
    icontains_any,
    starts_with,
)
from suitecase_evaluators.promptfoo.transformed import TransformedConfig, transformed
from suitecase_evaluators.promptfoo.xml import contains_xml, is_xml

#: The evaluators by their type with its prefix, such as `promptfoo:contains`.
ASSERTIONS: Final[Mapping[str, Evaluator]] = MappingProxyType(
    {
        it.type: it
        for it in (
            equals,
            contains,
            icontains,
            contains_any,
            contains_all,
            icontains_any,
            icontains_all,
            starts_with,
            regex,
            word_count,
            levenshtein,
            is_json,
            contains_json,
            is_refusal,
            is_xml,
            contains_xml,
            contains_html,
            bleu,
            gleu,
            latency,
            cost,
            finish_reason,
            llm_rubric,
            g_eval,
            factuality,
            model_graded_factuality,
            closed_qa,
            javascript,
            python,
            assert_set,
            transformed,
        )
    }
)


#: The same by promptfoo's names; it has none for an assertion with a `transform`.
_BY_NAME: Final[Mapping[str, Evaluator]] = MappingProxyType(
    {name.removeprefix(PREFIX): it for name, it in ASSERTIONS.items() if it is not transformed}
)
#: The types that a configuration of promptfoo can name, without `not-`.
NAMES: Final = _BY_NAME.keys()


def evaluator_of(name: str) -> Evaluator | None:
    """Return the evaluator of promptfoo's type of this name, without `not-`; None if it is not supported."""
    return _BY_NAME.get(name)


def _by_its_type(value: Any) -> AssertionConfig:
    """Validate an assertion by the model of its type."""
    if isinstance(value, AssertionConfig):
        return value
    name = value.get("type") if isinstance(value, dict) else None
    found = ASSERTIONS.get(name) if isinstance(name, str) else None
    if found is None:
        raise PydanticCustomError(
            "assertion_type", "not a type of an assertion: {name}", {"name": str(name)}
        )
    config = found.config.model_validate(value)
    assert isinstance(config, AssertionConfig)  # noqa: S101 - all in the table are
    return config


if TYPE_CHECKING:
    AnyAssertion: TypeAlias = AssertionConfig
else:
    AnyAssertion = Annotated[InstanceOf[AssertionConfig], BeforeValidator(_by_its_type)]

# Members may be of any type, so models with members can only be completed here.
AssertSetConfig.model_rebuild(_types_namespace={"AnyAssertion": AnyAssertion})
TransformedConfig.model_rebuild(_types_namespace={"AnyAssertion": AnyAssertion})
