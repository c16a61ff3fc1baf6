"""Types of assertions on how an answer came about: time, cost, tools, traces; and sets."""

from __future__ import annotations

from typing import Final

from suitecase.formats.promptfoo.suite.assertions.assertion_type import (
    TEXT,
    TEXTS,
    AssertionType,
    Scale,
    score,
)

ON_RUNS: Final = (
    # What is measured
    AssertionType(
        name="latency",
        description="The answer took at most `threshold` milliseconds. Answers from the cache cannot be "
        "graded.",
        threshold=Scale(0, None, "milliseconds", required=True, is_limit=True),
        graded_by="measure",
        example="{type: latency, threshold: 5000}",
    ),
    AssertionType(
        name="cost",
        description="The answer cost at most `threshold` dollars.",
        threshold=Scale(0, None, "dollars", required=True, is_limit=True),
        graded_by="measure",
        example="{type: cost, threshold: 0.002}",
    ),
    AssertionType(
        name="perplexity",
        description="The perplexity of the answer is at most `threshold`; the provider has to return log "
        "probabilities.",
        threshold=Scale(0, None, "perplexity", is_limit=True),
        graded_by="measure",
        example="{type: perplexity, threshold: 1.5}",
    ),
    AssertionType(
        name="perplexity-score",
        description="The perplexity of the answer, as a score from 0 to 1.",
        threshold=score(),
        graded_by="measure",
        example="{type: perplexity-score, threshold: 0.5}",
    ),
    AssertionType(
        name="finish-reason",
        description="Why the model stopped: `stop`, `length`, `content_filter` or `tool_calls`.",
        values=TEXT,
        value_required=True,
        graded_by="measure",
        example="{type: finish-reason, value: stop}",
    ),
    # Tools and traces
    AssertionType(
        name="is-valid-function-call",
        description="The answer is a function call that matches the function's schema in the provider's "
        "configuration.",
        negatable=False,
        example="{type: is-valid-function-call}",
    ),
    AssertionType(
        name="is-valid-openai-function-call",
        description="The answer is a function call in OpenAI's format that matches the function's schema.",
        negatable=False,
        example="{type: is-valid-openai-function-call}",
    ),
    AssertionType(
        name="is-valid-openai-tools-call",
        description="The answer is a list of tool calls in OpenAI's format that match the tools' schemas.",
        negatable=False,
        example="{type: is-valid-openai-tools-call}",
    ),
    AssertionType(
        name="tool-call-f1",
        description="How well the tools that were called match these, as the F1 score.",
        values=TEXTS,
        value_required=True,
        threshold=score(1),
        example="{type: tool-call-f1, value: [search, book], threshold: 0.8}",
    ),
    AssertionType(
        name="skill-used",
        description="The agent used this skill, or all of these; a mapping also says how often.",
        values=("text", "list", "mapping"),
        value_required=True,
        graded_by="trace",
        example="{type: skill-used, value: pdf}",
    ),
    AssertionType(
        name="trajectory:tool-used",
        description="The agent called this tool, or all of these; a mapping also says how often.",
        values=("text", "list", "mapping"),
        value_required=True,
        graded_by="trace",
        example="{type: 'trajectory:tool-used', value: search}",
    ),
    AssertionType(
        name="trajectory:tool-args-match",
        description="The agent called a tool with these arguments.",
        values=("mapping",),
        value_required=True,
        graded_by="trace",
        example="{type: 'trajectory:tool-args-match', value: {name: search, args: {city: Paris}}}",
    ),
    AssertionType(
        name="trajectory:tool-sequence",
        description="The agent called these tools in this order.",
        values=("list", "mapping"),
        value_required=True,
        graded_by="trace",
        example="{type: 'trajectory:tool-sequence', value: [search, book]}",
    ),
    AssertionType(
        name="trajectory:step-count",
        description="The agent took a number of steps between `min` and `max`.",
        values=("mapping",),
        value_required=True,
        graded_by="trace",
        example="{type: 'trajectory:step-count', value: {max: 10}}",
    ),
    AssertionType(
        name="trajectory:goal-success",
        description="A model says by the agent's steps whether it reached this goal.",
        values=("text", "mapping"),
        value_required=True,
        threshold=score(),
        graded_by="model",
        example="{type: 'trajectory:goal-success', value: A table for two is booked}",
    ),
    AssertionType(
        name="trace-span-count",
        description="The trace has a number of spans of this pattern between `min` and `max`.",
        values=("mapping",),
        value_required=True,
        negatable=False,
        graded_by="trace",
        example="{type: trace-span-count, value: {pattern: 'llm*', max: 5}}",
    ),
    AssertionType(
        name="trace-span-duration",
        description="Spans of this pattern take at most `max` milliseconds.",
        values=("mapping",),
        value_required=True,
        negatable=False,
        graded_by="trace",
        example="{type: trace-span-duration, value: {pattern: 'llm*', max: 3000}}",
    ),
    AssertionType(
        name="trace-error-spans",
        description="The trace has at most so many spans with errors. Default 0.",
        values=("number", "mapping"),
        negatable=False,
        graded_by="trace",
        example="{type: trace-error-spans, value: {max_count: 0}}",
    ),
    # Sets
    AssertionType(
        name="assert-set",
        description="A set of assertions that passes if all of them do, or if their mean score reaches "
        "`threshold`.",
        threshold=score(),
        negatable=False,
        graded_by="set",
        example="{type: assert-set, threshold: 0.5, assert: [{type: is-json}]}",
    ),
)
