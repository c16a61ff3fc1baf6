"""What an agent did: its skills, tools and steps."""

from __future__ import annotations

from typing import Final

from suitecase_evaluators.promptfoo.assertion_type import AssertionType, Scale

_REASON: Final = "it needs the steps of an agent, which are not collected"

SKILL_USED: Final = AssertionType(
    name="skill-used",
    description="The agent used this skill, or all of these; a mapping also says how often.",
    example="{type: skill-used, value: pdf}",
    graded_by="trace",
    not_run=_REASON,
    values=("text", "list", "mapping"),
    value_required=True,
    needed_keys=("name", "pattern"),
)

TRAJECTORY_TOOL_USED: Final = AssertionType(
    name="trajectory:tool-used",
    description="The agent called this tool, or all of these; a mapping also says how often.",
    example="{type: 'trajectory:tool-used', value: search}",
    graded_by="trace",
    not_run=_REASON,
    values=("text", "list", "mapping"),
    value_required=True,
    needed_keys=("name", "pattern"),
)

TRAJECTORY_TOOL_ARGS_MATCH: Final = AssertionType(
    name="trajectory:tool-args-match",
    description="The agent called a tool with these arguments.",
    example="{type: 'trajectory:tool-args-match', value: {name: search, args: {city: Paris}}}",
    graded_by="trace",
    not_run=_REASON,
    values=("mapping",),
    value_required=True,
)

TRAJECTORY_TOOL_SEQUENCE: Final = AssertionType(
    name="trajectory:tool-sequence",
    description="The agent called these tools in this order.",
    example="{type: 'trajectory:tool-sequence', value: [search, book]}",
    graded_by="trace",
    not_run=_REASON,
    values=("list", "mapping"),
    value_required=True,
)

TRAJECTORY_STEP_COUNT: Final = AssertionType(
    name="trajectory:step-count",
    description="The agent took a number of steps between `min` and `max`.",
    example="{type: 'trajectory:step-count', value: {max: 10}}",
    graded_by="trace",
    not_run=_REASON,
    values=("mapping",),
    value_required=True,
    needed_keys=("min", "max"),
)

TRAJECTORY_GOAL_SUCCESS: Final = AssertionType(
    name="trajectory:goal-success",
    description="A model says by the agent's steps whether it reached this goal.",
    example="{type: 'trajectory:goal-success', value: A table for two is booked}",
    graded_by="model",
    not_run=_REASON,
    values=("text", "mapping"),
    value_required=True,
    needed_keys=("goal",),
    threshold=Scale(),
)
