"""Grades which tools a target called, how often, in which order and with what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from suitecase_evaluators.answers.message import ToolCall, kind_of
from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.answers.trace import Trace
from suitecase_evaluators.answers.trace_summary import calls_of
from suitecase_evaluators.grade.evaluator import (
    Description,
    EntryProblem,
    EvaluatorConfig,
    Services,
    Subject,
    evaluator,
)
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.schema.model import Model, json_values
from suitecase_evaluators.text.json_values import same_json, show_json


class ExpectedCall(Model):
    """An expected call."""

    tool: str = Field(pattern=r"\S", description="The tool's name.")
    args: Annotated[
        Annotated[Literal["any"], Tag("<text>")] | Annotated[dict[str, Any], Tag("<mapping>")],
        Discriminator(kind_of),
    ] = Field(
        default="any",
        description="`any`, or a map of arguments. Each argument in the map must have exactly this value; "
        "other arguments are ignored. Default `any`.",
    )
    max_duration_ms: float | None = Field(
        default=None, ge=0, description="The maximum duration of the call, in milliseconds."
    )

    def names(self, call: ToolCall) -> bool:
        """Whether a call is of this tool with these arguments, however long it took."""
        if call.tool != self.tool:
            return False
        given = call.input if isinstance(call.input, dict) else {}
        return self.args == "any" or all(
            name in given and same_json(given[name], value) for name, value in self.args.items()
        )

    def met_by(self, call: ToolCall) -> bool:
        """Whether a call is as expected; a call of unknown duration is not if there is a limit."""
        if not self.names(call):
            return False
        if self.max_duration_ms is None:
            return True
        return call.duration_ms is not None and call.duration_ms <= self.max_duration_ms

    def __str__(self) -> str:
        return f"`{self.tool}`" if self.args == "any" else f"`{self.tool}` {show_json(self.args)}"


class ToolTrajectoryConfig(EvaluatorConfig):
    """Grades the tool calls of the target: the score is the share of expectations met."""

    type: Literal["tool_trajectory"]
    mode: Literal["any_order", "in_order", "exact"] = Field(
        description="`any_order`: each tool in `minimums` is called often enough. `in_order`: the calls in "
        "`expected` occur in this order, possibly with others in between. `exact`: the calls "
        "are exactly those in `expected`; additional calls lower the score."
    )
    minimums: Annotated[dict[str, Annotated[int, Field(ge=0)]] | None, FieldRole.CRITERIA] = Field(
        default=None,
        min_length=1,
        description="For `any_order`: the minimum number of calls of each tool, by name.",
    )
    expected: list[ExpectedCall] | None = Field(
        default=None,
        min_length=1,
        description="For `in_order` and `exact`: the expected calls, in order.",
    )

    @model_validator(mode="after")
    def _has_what_its_mode_needs(self) -> ToolTrajectoryConfig:
        needed, unused = (
            ("minimums", "expected") if self.mode == "any_order" else ("expected", "minimums")
        )
        if getattr(self, needed) is None:
            raise PydanticCustomError(
                "trajectory_field_missing",
                "mode `{mode}` needs `{field}`",
                {
                    "mode": self.mode,
                    "field": needed,
                    "place": (needed if needed in self.model_fields_set else "mode",),
                },
            )
        if getattr(self, unused) is not None:
            raise PydanticCustomError(
                "trajectory_field_unused",
                "mode `{mode}` does not use `{field}`; it uses `{needed}`",
                {"mode": self.mode, "field": unused, "needed": needed, "place": (unused,)},
            )
        return self


def _no_effect(config: ToolTrajectoryConfig) -> EntryProblem | None:
    if config.minimums is None or any(config.minimums.values()):
        return None
    message = (
        "all `minimums` are 0, so every answer gets the score 1; set at least one to 1 or more"
    )
    return EntryProblem(message, ("minimums",))


@evaluator(ToolTrajectoryConfig, description=Description(no_effect=_no_effect))
async def tool_trajectory(
    config: ToolTrajectoryConfig, subject: Subject, services: Services
) -> Score:
    """Compare the calls the target reports."""
    calls = calls_of(subject.trace, subject.output_messages)
    if calls is None:
        return Score.failed_to_grade(
            "the target does not report which tools it called; use a target that returns a trace "
            "or output messages with `tool_calls`"
        )
    if config.mode == "any_order":
        hits, misses = _any_order(config.minimums or {}, calls)
    else:
        expected = config.expected or []
        unknown = _unknown(expected, subject.trace, calls)
        if unknown is not None:
            return Score.failed_to_grade(
                f"the recorded answer does not include {unknown}, which `mode: {config.mode}` needs; "
                "use a target that reports its calls"
            )
        for step in expected:
            timeless = any(step.names(call) and call.duration_ms is None for call in calls)
            if step.max_duration_ms is not None and timeless:
                return Score.failed_to_grade(
                    f"the target does not report how long its calls of `{step.tool}` took, which "
                    "`max_duration_ms` needs"
                )
        hits, misses = (_in_order if config.mode == "in_order" else _exact)(expected, calls)
    score = len(hits) / (len(hits) + len(misses))
    return Score.graded(
        score,
        hits=tuple(hits),
        misses=tuple(misses),
        reasoning=f"{len(hits)} of {len(hits) + len(misses)} expectations met; "
        f"calls: {', '.join(call.tool for call in calls) or 'none'}",
        details={
            "calls": [json_values(call, exclude={"output"}) for call in calls],
        },
    )


def _unknown(
    expected: Sequence[ExpectedCall], trace: Trace | None, calls: Sequence[ToolCall]
) -> str | None:
    """Say what would have to be known of the calls to compare them; None where it is."""
    if trace is None or trace.calls_known in ("all", "unknown"):
        return None
    if trace.calls_known == "counts":
        return "the order in which tools were called"
    called = {call.tool for call in calls}
    wanting = (it for it in expected if it.args and it.args != "any")
    step = next((it for it in wanting if it.tool in called), None)
    return None if step is None else f"the arguments that `{step.tool}` was called with"


def _any_order(minimums: dict[str, int], calls: Sequence[ToolCall]) -> tuple[list[str], list[str]]:
    hits: list[str] = []
    misses: list[str] = []
    counts = Counter(call.tool for call in calls)
    for tool, least in minimums.items():
        prefix = f"`{tool}` was called {_times(counts[tool])}, "
        if counts[tool] >= least:
            hits.append(f"{prefix}of at least {least}")
        else:
            misses.append(f"{prefix}expected at least {_times(least)}")
    return hits, misses


def _in_order(
    expected: Sequence[ExpectedCall], calls: Sequence[ToolCall]
) -> tuple[list[str], list[str]]:
    """Meet as many steps as any assignment that keeps the order can (longest common subsequence)."""
    # best[i][j]: how many of the steps from i on can be met by the calls from j on.
    best = [[0] * (len(calls) + 1) for _ in range(len(expected) + 1)]
    for i in reversed(range(len(expected))):
        for j in reversed(range(len(calls))):
            matches = expected[i].met_by(calls[j])
            best[i][j] = max(best[i + 1][j], best[i][j + 1], matches + best[i + 1][j + 1])
    hits: list[str] = []
    misses: list[str] = []
    j = 0
    for i, step in enumerate(expected):
        met_at = next((k for k in range(j, len(calls)) if step.met_by(calls[k])), None)
        if met_at is not None and best[i][j] == 1 + best[i + 1][met_at + 1]:
            hits.append(f"step {i + 1}: {step} was called")
            j = met_at + 1
        else:
            why = _why_unmet(step, calls) or "was called, but not in this order"
            misses.append(f"step {i + 1}: {step} {why}")
    return hits, misses


def _exact(
    expected: Sequence[ExpectedCall], calls: Sequence[ToolCall]
) -> tuple[list[str], list[str]]:
    hits: list[str] = []
    misses: list[str] = []
    made = "there was 1 call" if len(calls) == 1 else f"there were {len(calls)} calls"
    for number, step in enumerate(expected, 1):
        call = calls[number - 1] if number <= len(calls) else None
        if call is None:
            misses.append(f"call {number}: expected {step}, but {made}")
        elif step.met_by(call):
            hits.append(f"call {number}: {step}")
        elif call.tool != step.tool:
            misses.append(f"call {number}: expected {step}, but `{call.tool}` was called")
        else:
            misses.append(f"call {number}: {step} {_why_unmet(step, [call])}")
    for number, call in enumerate(calls[len(expected) :], len(expected) + 1):
        misses.append(f"call {number}: `{call.tool}` was called, but no further call is expected")
    return hits, misses


def _why_unmet(step: ExpectedCall, calls: Sequence[ToolCall]) -> str | None:
    """Say why none of the calls meets a step; None where one does."""
    same_tool = [call for call in calls if call.tool == step.tool]
    if not same_tool:
        return "was not called"
    named = [call for call in same_tool if step.names(call)]
    if not named:
        return f"was called, but with {show_json(same_tool[0].input)}"
    if not any(step.met_by(call) for call in named):
        return f"took {named[0].duration_ms:.10g} ms, more than {step.max_duration_ms:.10g}"
    return None


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
