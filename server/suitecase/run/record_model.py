"""The model of a record: what a run writes, as the JSON Schema of results files documents it.

`record_redaction` turns it into what leaves the worker; `suitecase_evaluators.answers.records` reads records.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from suitecase_evaluators.answers.records.answered_by import AnsweredBy
from suitecase_evaluators.answers.sandbox_level import Level
from suitecase_evaluators.answers.score import Verdict
from suitecase_evaluators.answers.trace import CallsKnown
from suitecase_evaluators.schema.model import Model

SCHEMA_VERSION: Literal[1] = 1

#: The maximum of characters of each recorded text. Prompts of models are shorter; a longer text
#: would be repeated in the record of each repeat.
KEPT_OF_TEXT = 100_000
#: The maximum length of recorded metadata as JSON, in characters. Slices compare short values; whole
#: documents would be repeated in the record of each repeat.
KEPT_OF_METADATA = 10_000

ScoreField = Field(ge=0, le=1, description="From 0 to 1; null if nothing was graded.")
VerdictField = Field(
    description="`pass` from 0.8, `borderline` from 0.6, `fail` below or if a gate failed. `not_evaluated`:"
    " there was nothing to grade by. `error`: grading failed, which says nothing about the "
    "answer."
)


class RecordPart(BaseModel):
    """A part of a record: as strict as a suite, but without the author's own keys."""

    model_config = Model.model_config


class TokenUsageSummary(RecordPart):
    """Tokens of one answer, or of several replies."""

    input: int = Field(ge=0, description="Tokens read.")
    output: int = Field(ge=0, description="Tokens written.")


class JudgeUsage(RecordPart):
    """What calls of judges used; cached replies use nothing."""

    questions: int = Field(ge=0, description="The number of calls.")
    cached: int = Field(ge=0, description="The number of calls answered by the cache.")
    token_usage: TokenUsageSummary | None = Field(
        description="Tokens of the replies; null if no target reported them."
    )
    uncounted: int = Field(ge=0, description="Calls whose tokens were not reported.")
    cost_usd: float | None = Field(
        description="The cost of the calls, in US dollars; null if no target reported it."
    )
    unpriced: int = Field(ge=0, description="Calls of models and programs whose cost is unknown.")


class QuoteResult(RecordPart):
    """What a judge quoted for a rubric item."""

    item: str = Field(description="The id of the rubric item.")
    quote: str = Field(description="The quote; empty if the judge gave none.")
    in_answer: bool = Field(
        description="Whether the quote is in the answer. Without a valid quote, the item is not met."
    )


class EvaluatorResult(RecordPart):
    """The result of one evaluator."""

    name: str = Field(description="The evaluator's name.")
    type: str = Field(description="The evaluator's type.")
    score: float | None = ScoreField
    weight: float = Field(ge=0, description="How much it counts in the case's score.")
    verdict: Verdict = VerdictField
    hits: list[str] = Field(description="What the answer gets right.")
    misses: list[str] = Field(description="What it gets wrong or leaves out.")
    reasoning: str = Field(description="Why the answer gets this score.")
    details: dict[str, Any] = Field(
        description="Details: scores by rubric, schema errors, the judge's replies. `given_score` is a "
        "score outside 0 to 1, of which the nearest valid one is recorded; `ambiguous_reply` means "
        "that the judge's reply contains a second, different verdict. `votes` has the result of each of "
        "several votes, null for one that could not be read. `finish_reasons` and `output_tokens` are those "
        "of the judge's replies if one does not simply end, and `not_retried` says why the judge was not "
        "called again."
    )
    evaluator_provider_request: dict[str, Any] | None = Field(
        description="The judge's prompts and target: `user_prompt`, `system_prompt`, `target`. For a "
        "script: its command line and folder."
    )
    parse_failed: bool = Field(
        description="The judge failed: no attempt returned a complete, parseable reply with a score from 0 "
        "to 1. The score is 0, the nearest valid one, or that of the rubric items it did answer; "
        "`missing_items` in `details` lists the others. The answer counts as not graded."
    )
    attempts: int = Field(ge=0, description="The number of calls of the judge.")
    gate_failed: bool | None = Field(
        default=None,
        description="A requirement was not met, so the verdict is `fail` whatever the score is. Null in "
        "records of versions without this field.",
    )
    judge_usage: JudgeUsage | None = Field(
        default=None,
        description="What the judge's calls used, including those of a composite's members; null if there "
        "were none.",
    )
    judged_by: list[AnsweredBy] | None = Field(
        default=None,
        description="What replied to the evaluator's calls, each once: `model`, `program`, `embedded` (the "
        "embedded judge, which compares words), `canned` or `echo` (a mock). For a replayed "
        "reply, its original author. Null if there was no call, and in records of versions "
        "without this field.",
    )
    judge_hash: str | None = Field(
        default=None,
        description="SHA-256 of what the judge's verdicts depend on: its prompt, model, temperature, votes, "
        "references and target, but not the answer or its rubrics. Null if no judge was called, and in "
        "records of versions without this field.",
    )
    reported_model: str | None = Field(
        default=None,
        description="The model that judged, as the provider names it; several are separated by commas. Null "
        "if it is not reported, and in records of versions without this field.",
    )
    requested_model: str | None = Field(
        default=None,
        description="The model that was asked to judge, as the targets file names it; several are "
        "separated by commas. Null if no model was asked, for a replay, and in records of versions "
        "without this field.",
    )
    confidence: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="The share of the judge's votes that come to this verdict. Null for a single vote.",
    )
    quotes: list[QuoteResult] | None = Field(
        default=None,
        description="What the judge quoted from the answer for rubric items; null if no quotes were "
        "required.",
    )
    sandbox: Level | None = Field(
        default=None,
        description="The sandbox level of the evaluator's program: `none`, `limits` (processor time, "
        "memory, files, processes), `networked` (isolated, but with the network) or `isolated`."
        " For a composite, the lowest of its members. Null if it started no program.",
    )
    error: str | None = Field(description="What failed, if the verdict is `error`.")


class TraceSummary(RecordPart):
    """What the target did to answer; null if it does not report it."""

    event_count: int = Field(ge=0, description="The number of tool calls.")
    tool_names: list[str] = Field(description="The tools that were called, sorted.")
    tool_calls_by_name: dict[str, int] = Field(description="The number of calls of each tool.")
    calls_known: CallsKnown | None = Field(
        default=None,
        description="What is known about the calls: `all`, their `order`, their `counts`, or nothing "
        "(`unknown`); in the last case, missing counts do not mean that there were no calls. "
        "Null in records of versions without this field.",
    )
    error_count: int = Field(ge=0, description="The number of failed calls.")
    token_usage: TokenUsageSummary | None = Field(description="Tokens of the answer.")
    cost_usd: float | None = Field(description="The cost of the answer, in US dollars.")
    duration_ms: float | None = Field(description="The duration of the answer, in milliseconds.")


class RecordedMessage(RecordPart):
    """A message as it was sent, or as evaluators received it."""

    role: str = Field(description="The role of the speaker.")
    content: str = Field(description="The content as text; structured content as JSON.")
    tool_calls: list[dict[str, Any]] | None = Field(
        default=None, description="The tools called in this turn."
    )


class RecordedRow(RecordPart):
    """The row of another tool's suite that a record is the result of."""

    dialect: str = Field(description="The name of the format of the suite.")
    test: str = Field(
        description="The name of the test: its description, its variables, or its number."
    )
    case: str | None = Field(
        default=None,
        description="What the prompts and providers of the test are compared by: the name of the test, with "
        "the variables that distinguish it from its other rows. Null in records of versions without this "
        "field.",
    )
    prompt: str = Field(description="The name of the prompt.")
    variables: dict[str, Any] = Field(
        description="The variables that the prompt and the assertions were filled with. If they are longer "
        f"than {KEPT_OF_METADATA:,} characters as JSON, the longest are left out."
    )


class RecordModel(RecordPart):
    """The result of one case: a line of a results file."""

    schema_version: Literal[1] = Field(
        default=SCHEMA_VERSION, description="The version of this format."
    )
    run_id: str | None = Field(
        default=None,
        description="The id of the run: the same for all its targets and repeats, and for what continues it "
        "in its file (`--resume`, `--failed`). Null in records of versions without this field.",
    )
    timestamp: str = Field(description="When the case was graded: UTC, ISO 8601.")
    suite_path: str = Field(description="The suite, relative to the root of its workspace.")
    dataset: str = Field(description="The suite's name.")
    eval_id: str = Field(description="The case's id.")
    position: int | None = Field(
        default=None,
        ge=1,
        description="The place of the case in its suite, counted from 1: cases are recorded in the order "
        "in which they end. Null in records of versions without this field.",
    )
    case_hash: str = Field(
        description="SHA-256 of the case's text in the suite. A different hash means that the case has "
        "changed."
    )
    effective_hash: str | None = Field(
        default=None,
        description="SHA-256 of everything that determines the answer and its grade: the case with what it "
        "inherits, prompts, scripts, the files it names, and the settings of the targets, "
        "without secrets. Null in records of versions without this field; for those, "
        "`case_hash` shows whether the case has changed.",
    )
    question_hash: str | None = Field(
        default=None,
        description="A hash of the messages that the target was asked, the files in them, the suite's "
        "prompt and `expected_schema`, as in the suite's lock file. Null in records of versions "
        "without this field.",
    )
    expected_hash: str | None = Field(
        default=None,
        description="A hash of the case's expected outcome, its expected messages with their files, and "
        "its `sidecar`, as in the suite's lock file. Null in records of versions without this field.",
    )
    grading_hash: str | None = Field(
        default=None,
        description="A hash of the evaluators that grade the case, with their prompts, scripts and "
        "settings, as in the suite's lock file. Null in records of versions without this field.",
    )
    target: str = Field(description="The target that answered.")
    answered_by: AnsweredBy | None = Field(
        default=None,
        description="What gave the answer: `model`, `program`, or a mock, which asks no model: "
        "`echo` repeats the question, `canned` is an answer from the targets file. For a replayed "
        "answer, its original author. Null if there is no answer or its author is unknown, and "
        "in records of versions without this field.",
    )
    repeat: int = Field(default=1, ge=1, description="The number of the repeat, from 1.")
    repeats: int = Field(
        default=1, ge=1, description="The planned repeats of each case in this run."
    )
    planned: int | None = Field(
        default=None,
        ge=1,
        description="How many answers this run was to have: its cases times their repeats, of all its "
        "targets. A results file with fewer is that of a run that was stopped, or still goes on. Null in records of "
        "versions without this field.",
    )
    asked_again_after: Verdict | None = Field(
        default=None,
        description="The verdict for which `--failed` asked the case again. After `fail` and `borderline`, "
        "figures and gates count the answer as missing: only what had failed got a second chance. Null "
        "for all other answers.",
    )
    tags: list[str] | None = Field(
        default=None,
        description="The case's tags. Null in records of versions without this field.",
    )
    metadata: dict[str, Any] | None = Field(
        default=None,
        description="The case's metadata. If it is longer than "
        f"{KEPT_OF_METADATA:,} characters as JSON, its longest values are left out. Null if there is "
        "none, and in records of versions without this field.",
    )
    group: str | None = Field(
        default=None,
        description="The group that the case belongs to: the value of `intervals.groups`, or its "
        "`conversation_id`. Intervals resample groups, since cases of one group are not independent. "
        "Null if the case stands alone.",
    )
    row: RecordedRow | None = Field(
        default=None,
        description="The row of another tool's suite; null for suites of Suitecase, and in "
        "records of versions without this field.",
    )
    score: float | None = ScoreField
    verdict: Verdict = VerdictField
    hits: list[str] = Field(description="What the answer gets right, from all evaluators.")
    misses: list[str] = Field(description="What it gets wrong, from all evaluators.")
    reasoning: str = Field(description="Why the answer gets this score.")
    gate_failed: bool | None = Field(
        default=None,
        description="An evaluator's gate failed, and with it the case. Null in records of "
        "versions without this field.",
    )
    input: list[RecordedMessage] | None = Field(
        default=None,
        description="What the target was asked: the turns as they were sent, the suite's prompt "
        "and the content of files in them. Of a text that is longer than "
        f"{KEPT_OF_TEXT:,} characters the rest is left out, and the text says how much. Null where "
        "the question could not be made.",
    )
    expected_outcome: str | None = Field(
        default=None, description="The expected outcome, as evaluators received it."
    )
    expected_output: list[RecordedMessage] | None = Field(
        default=None,
        description="The expected messages, as evaluators received them, including the content of files, "
        "with the same limit as `input`. Empty if there are none.",
    )
    candidate_answer: str | None = Field(description="The target's answer; null if there is none.")
    output_messages: list[dict[str, Any]] | None = Field(
        description="The target's messages, if they contain more than the answer, such as tool calls."
    )
    evaluator_results: list[EvaluatorResult] = Field(
        description="The results of the evaluators, in the order of the suite."
    )
    trace_summary: TraceSummary | None = Field(
        description="What the target did to answer; null if it does not report it."
    )
    finish_reason: str | None = Field(
        default=None,
        description="Why the answer ended, as reported by the provider: `stop`, or `length` if it was cut "
        "off; in OpenAI's word if one means the same. Null if the target does not report it.",
    )
    refused: bool | None = Field(
        default=None,
        description="Whether the answer is a refusal, whatever grades the case: by its `finish_reason`, by "
        "what else the provider says, by how it opens in English, or by a `refusal` evaluator. Null "
        "if there is no answer, and in records of versions without this field.",
    )
    reported_model: str | None = Field(
        default=None,
        description="The model that answered, as the provider names it. Null if it is not reported, and in "
        "records of versions without this field.",
    )
    requested_model: str | None = Field(
        default=None,
        description="The model that was asked, as the targets file names it. Null if the target names "
        "no model, for a replay, and in records of versions without this field.",
    )
    seed: int | None = Field(
        default=None,
        description="The seed sent to the provider; null if there was none.",
    )
    sandbox: Level | None = Field(
        default=None,
        description="The sandbox level of the target's program, as in `evaluator_results`; null if it "
        "started none.",
    )
    parse_failed: bool = Field(
        description="A judge failed: its replies could not be parsed completely."
    )
    attempts: int = Field(ge=0, description="The number of calls of judges.")
    details: dict[str, Any] = Field(
        description="What else the target reported about its answer; `cached` is true if the answer came "
        "from the cache, `secrets_redacted` if a secret was taken out of it before it was graded, "
        "`thinking` is what the model thought before it, and `native_finish_reason` "
        "the provider's own word for why an answer ended that is not whole."
    )
    judge_cost_usd: float | None = Field(
        default=None,
        description="The cost of this case's judges, in US dollars; null if it is unknown or no judge was "
        "called.",
    )
    error: str | None = Field(
        description="What failed, if the verdict is `error`: a target, a judge, a script."
    )
