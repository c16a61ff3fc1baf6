"""The types of assertions of AgentV from version 5 on: its own, and those of promptfoo that it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from suitecase_evaluators.promptfoo.assertion_type import TEXT, AssertionType, Scale
from suitecase_evaluators.promptfoo.assertion_types import ASSERTION_TYPES, in_order

#: Of promptfoo's, those that AgentV has with the same meaning.
SHARED_TYPES: Final = (
    "assert-set",
    "contains",
    "contains-all",
    "contains-any",
    "icontains",
    "icontains-all",
    "icontains-any",
    "is-json",
    "javascript",
    "python",
    "regex",
    "similar",
    "skill-used",
    "starts-with",
    "trajectory:goal-success",
    "trajectory:step-count",
    "trajectory:tool-args-match",
    "trajectory:tool-sequence",
    "trajectory:tool-used",
    "webhook",
)
#: Why some types are not graded here; completes the message "`suitecase run` does not grade `TYPE`:".
_NOT_RUN: Final[Mapping[str, str]] = MappingProxyType(
    {
        "agent-rubric": "an agent would have to look at the files that the target left",
        "skill-used": "targets do not report which skills were used",
        "similar": "no embeddings are computed",
        "webhook": "no address is sent the answer",
        "javascript": "write a `script`, which receives the case and the answer as JSON",
        "python": "write a `script`, which receives the case and the answer as JSON",
        "trajectory:goal-success": "no model receives the steps of an agent",
        "trajectory:step-count": "targets report calls of tools, not other steps",
    }
)


def _shared(kind: AssertionType) -> AssertionType:
    """Return a type of promptfoo as AgentV takes it: texts only as a list, and no number as a text."""
    if kind.finds is not None:
        return replace(kind, values=("texts",))
    return replace(kind, values=tuple(value for value in kind.values if value != "number"))


def _unlike(name: str, description: str, **facts: Any) -> AssertionType:
    """Return a type of promptfoo that means something else in AgentV."""
    return replace(ASSERTION_TYPES[name], description=description, **facts)


_OWN = (
    AssertionType(
        name="ends-with",
        description="The answer ends with `value`.",
        values=TEXT,
        value_required=True,
        example="{type: ends-with, value: Regards}",
    ),
    _unlike(
        "equals",
        "The answer is this text, without regard to blanks at both ends.",
        values=TEXT,
    ),
    _unlike(
        "llm-rubric",
        "A model grades the answer by `value`: a text, or a list of rubrics with weights, "
        "minimum scores and score ranges.",
        values=("text", "list", "mapping"),
        value_required=False,
        example="{type: llm-rubric, value: Answers politely}",
    ),
    _unlike(
        "agent-rubric",
        "An agent looks at the answer and at the files that the target left, and grades by `value`.",
        values=("text", "list", "mapping"),
        value_required=False,
        example="{type: agent-rubric, value: The tests of the project pass}",
    ),
    AssertionType(
        name="rubrics",
        description="A model grades the answer by a list of `criteria`.",
        content="rubric",
        threshold=Scale(),
        graded_by="model",
        example="{type: rubrics, criteria: [Names the city]}",
    ),
    AssertionType(
        name="script",
        description="A program grades: it gets the case and the answer as JSON, and writes a score.",
        threshold=Scale(minimum=None, maximum=None, unit="what the program makes of it"),
        graded_by="code",
        example="{type: script, command: [bun, graders/check.ts]}",
    ),
    _unlike("latency", "The answer took at most `threshold` milliseconds."),
    _unlike(
        "cost",
        "The answer cost at most `budget` dollars.",
        threshold=Scale(maximum=None, unit="dollars", is_limit=True),
        example="{type: cost, budget: 0.05}",
    ),
    AssertionType(
        name="token-usage",
        description="The answer took at most `max_total`, `max_input` and `max_output` tokens.",
        graded_by="measure",
        example="{type: token-usage, max_total: 2000}",
    ),
    AssertionType(
        name="execution-metrics",
        description="The run kept to limits: calls of tools and models, tokens, cost, time.",
        graded_by="measure",
        example="{type: execution-metrics, max_tool_calls: 5}",
    ),
    AssertionType(
        name="field-accuracy",
        description="The fields of a structured answer equal those that are expected.",
        graded_by="text",
        example="{type: field-accuracy, fields: [{path: total, match: exact}]}",
    ),
)

#: Every type by name, in the order in which they are offered. All can be negated.
AGENTV_TYPES: Final[Mapping[str, AssertionType]] = MappingProxyType(
    {
        kind.name: replace(kind, negatable=True, not_run=_NOT_RUN.get(kind.name))
        for kind in in_order((*(_shared(ASSERTION_TYPES[name]) for name in SHARED_TYPES), *_OWN))
    }
)
#: Types that get no keys but those that are known.
CLOSED_TYPES: Final = frozenset(
    kind.name for kind in AGENTV_TYPES.values() if kind.graded_by != "code"
)

#: Types that a model grades by rubrics.
RUBRIC_TYPES: Final = frozenset(
    kind.name for kind in AGENTV_TYPES.values() if kind.content == "rubric"
)

#: Types of earlier versions, and what to write instead.
REMOVED_TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "llm-grader": "`llm-rubric` with the rubric as its `value`",
        "llm-judge": "`llm-rubric` with the rubric as its `value`",
        "code-grader": "`script`",
        "code-judge": "`script`",
        "composite": "`assert-set` with the members under `assert`",
        "tool-trajectory": "`trajectory:tool-used`, `trajectory:tool-sequence` and "
        "`trajectory:tool-args-match`",
        "skill-trigger": "`skill-used`, or `not-skill-used`, with the skill as its `value`",
    }
)
