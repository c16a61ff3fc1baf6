"""The spans of a trace."""

from __future__ import annotations

from typing import Final

from suitecase_evaluators.promptfoo.assertion_type import AssertionType

_REASON: Final = "it needs the spans of a trace, which are not collected"

TRACE_SPAN_COUNT: Final = AssertionType(
    name="trace-span-count",
    description="The trace has a number of spans of this pattern between `min` and `max`.",
    example="{type: trace-span-count, value: {pattern: 'llm*', max: 5}}",
    graded_by="trace",
    not_run=_REASON,
    values=("mapping",),
    value_required=True,
    needed_keys=("pattern",),
    negatable=False,
)

TRACE_SPAN_DURATION: Final = AssertionType(
    name="trace-span-duration",
    description="Spans of this pattern take at most `max` milliseconds.",
    example="{type: trace-span-duration, value: {pattern: 'llm*', max: 3000}}",
    graded_by="trace",
    not_run=_REASON,
    values=("mapping",),
    value_required=True,
    needed_keys=("max",),
    negatable=False,
)

TRACE_ERROR_SPANS: Final = AssertionType(
    name="trace-error-spans",
    description="The trace has at most so many spans with errors. Default 0.",
    example="{type: trace-error-spans, value: {max_count: 0}}",
    graded_by="trace",
    not_run=_REASON,
    values=("number", "mapping"),
    negatable=False,
)
