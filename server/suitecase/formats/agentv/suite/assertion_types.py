"""The types of assertions of AgentV from version 5 on: its own, and those of promptfoo that it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from suitecase.formats.promptfoo.suite.assertions.assertion_type import TEXT, AssertionType, Scale
from suitecase.formats.promptfoo.suite.assertions.assertion_types import ASSERTION_TYPES

#: Of promptfoo's, those that AgentV grades, with a value as there.
_SHARED = (
    "assert-set",
    "is-json",
    "javascript",
    "python",
    "webhook",
    "similar",
    "skill-used",
    "trajectory:tool-used",
    "trajectory:tool-args-match",
    "trajectory:tool-sequence",
    "trajectory:step-count",
    "trajectory:goal-success",
)
#: Those that it grades only if their value is text, and those only if it is a list.
_WITH_TEXT = ("contains", "icontains", "starts-with", "regex")
_WITH_LIST = ("contains-any", "contains-all", "icontains-any", "icontains-all")
_OWN = (
    AssertionType(
        name="ends-with",
        description="The answer ends with `value`.",
        values=TEXT,
        value_required=True,
        example="{type: ends-with, value: Regards}",
    ),
    AssertionType(
        name="equals",
        description="The answer is this text, without regard to blanks at both ends.",
        values=TEXT,
        value_required=True,
        example="{type: equals, value: Paris}",
    ),
    AssertionType(
        name="llm-rubric",
        description="A model grades the answer by `value`: a text, or a list of rubrics with weights, "
        "minimum scores and score ranges.",
        values=("text", "list", "mapping"),
        threshold=Scale(),
        graded_by="model",
        example="{type: llm-rubric, value: Answers politely}",
    ),
    AssertionType(
        name="agent-rubric",
        description="An agent looks at the answer and at the files that the target left, and grades by "
        "`value`.",
        values=("text", "list", "mapping"),
        threshold=Scale(),
        graded_by="model",
        example="{type: agent-rubric, value: The tests of the project pass}",
    ),
    AssertionType(
        name="rubrics",
        description="A model grades the answer by a list of `criteria`.",
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
    AssertionType(
        name="latency",
        description="The answer took at most `threshold` milliseconds.",
        threshold=Scale(maximum=None, unit="milliseconds", required=True, is_limit=True),
        graded_by="measure",
        example="{type: latency, threshold: 5000}",
    ),
    AssertionType(
        name="cost",
        description="The answer cost at most `budget` dollars.",
        threshold=Scale(maximum=None, unit="dollars", is_limit=True),
        graded_by="measure",
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

#: Every type, by name.
AGENTV_TYPES: Final[Mapping[str, AssertionType]] = MappingProxyType(
    {
        **{it: replace(ASSERTION_TYPES[it], negatable=True) for it in _SHARED},
        **{it: replace(ASSERTION_TYPES[it], negatable=True, values=TEXT) for it in _WITH_TEXT},
        **{it: replace(ASSERTION_TYPES[it], negatable=True, values=("list",)) for it in _WITH_LIST},
        **{it.name: replace(it, negatable=True) for it in _OWN},
    }
)
#: Types that get no keys but those that are known.
CLOSED_TYPES: Final = frozenset(AGENTV_TYPES) - {"script", "javascript", "python", "webhook"}

#: Types that a model grades by rubrics.
RUBRIC_TYPES: Final = frozenset({"llm-rubric", "agent-rubric", "rubrics"})

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
