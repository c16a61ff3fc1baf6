"""What a run writes of each case: the fields of a record, and how they leave the worker.

`suitecase_evaluators.records` reads records.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from suitecase_evaluators.model import Model
from suitecase_evaluators.records.answered_by import AnsweredBy
from suitecase_evaluators.records.record import ResultRecord
from suitecase_evaluators.sandbox.level import Level
from suitecase_evaluators.score import Verdict
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.trace import CallsKnown

SCHEMA_VERSION: Literal[1] = 1

#: Fields whose values are names the suite gives, or ours: redacting them would break what they
#: identify. They stand in the suite and the targets file, where no secret is looked for.
_IDENTIFYING = frozenset(
    {
        "schema_version",
        "timestamp",
        "suite_path",
        "dataset",
        "eval_id",
        "case_hash",
        "effective_hash",
        "target",
        "name",
        "type",
        "verdict",
        "sandbox",
    }
)

#: Of each text of the input and of what is expected so many characters are recorded. What is asked
#: of a model is shorter; what is longer would stand in the record once for each repeat.
KEPT_OF_TEXT = 100_000

ScoreField = Field(ge=0, le=1, description="From 0 to 1; null where nothing was graded.")
VerdictField = Field(
    description="`pass` from 0.8, `borderline` from 0.6, `fail` below or where a gate failed. "
    "`not_evaluated`: there was nothing to grade by. `error`: the grading broke, which says "
    "nothing about the answer."
)


class TokenUsageSummary(Model):
    """Tokens of one answer, or of several replies."""

    input: int = Field(ge=0, description="Tokens read.")
    output: int = Field(ge=0, description="Tokens written.")


class JudgeUsage(Model):
    """What asking judges took; what the cache answered took nothing."""

    questions: int = Field(ge=0, description="How many questions were asked.")
    cached: int = Field(ge=0, description="How many questions the cache answered.")
    token_usage: TokenUsageSummary | None = Field(
        description="Tokens of the replies; null where no target told."
    )
    uncounted: int = Field(ge=0, description="Questions whose tokens nobody told.")
    cost_usd: float | None = Field(
        description="What the questions cost, in US dollars; null where no target told."
    )
    unpriced: int = Field(
        ge=0, description="Questions of models and programs whose cost nobody told."
    )


class EvaluatorResult(Model):
    """What one evaluator says about an answer."""

    name: str = Field(description="The evaluator's name.")
    type: str = Field(description="The evaluator's type.")
    score: float | None = ScoreField
    weight: float = Field(ge=0, description="How much it counts in the case's score.")
    verdict: Verdict = VerdictField
    hits: list[str] = Field(description="What the answer gets right.")
    misses: list[str] = Field(description="What it gets wrong or leaves out.")
    reasoning: str = Field(description="Why the answer gets this score.")
    details: dict[str, Any] = Field(
        description="Raw material: scores by rubric, schema errors, the judge's replies. "
        "`given_score` is a score that was given outside 0 to 1 and counts as the nearest; "
        "`ambiguous_reply` says that the judge's reply holds another verdict, which differs."
    )
    evaluator_provider_request: dict[str, Any] | None = Field(
        description="What the judge was asked: `user_prompt`, `system_prompt`, `target`. Of a "
        "script: its command line and where it ran."
    )
    parse_failed: bool = Field(
        description="The judge gave no reply that could be read in full, in all its attempts. The "
        "score is 0, or that of the rubric items it did answer; `missing_items` of `details` has "
        "the others, which count 0."
    )
    attempts: int = Field(ge=0, description="How often the judge was asked.")
    gate_failed: bool | None = Field(
        default=None,
        description="Something required was not met, so the verdict is `fail` whatever the score "
        "is. Null in records of versions without this field.",
    )
    judge_usage: JudgeUsage | None = Field(
        default=None,
        description="What asking the judge took, a composite's members included; null where "
        "nobody was asked.",
    )
    judged_by: list[AnsweredBy] | None = Field(
        default=None,
        description="Who answered the evaluator's questions, each once: `model`, `program`, "
        "`embedded` (the embedded judge, which compares words), `canned` or `echo` (a mock). For "
        "a replayed reply, its original author. Null if there was no question, and in records of "
        "versions without this field.",
    )
    sandbox: Level | None = Field(
        default=None,
        description="How far the evaluator's program was held: `none`, `limits` (processor time, "
        "memory, files, processes), `networked` (isolated, and yet it had the network) or "
        "`isolated`. Of a composite the least of its members. Null where it started no program.",
    )
    error: str | None = Field(description="What broke, where the verdict is `error`.")


class TraceSummary(Model):
    """What the target did on its way to the answer; null where it does not tell."""

    event_count: int = Field(ge=0, description="How many tools were called.")
    tool_names: list[str] = Field(description="The tools that were called, sorted.")
    tool_calls_by_name: dict[str, int] = Field(description="How often each was called.")
    calls_known: CallsKnown | None = Field(
        default=None,
        description="What is known of the calls: `all`, their `order`, their `counts`, or nothing "
        "(`unknown`); then missing counts do not mean no calls. Null in records of versions "
        "without this field.",
    )
    error_count: int = Field(ge=0, description="How many calls failed.")
    token_usage: TokenUsageSummary | None = Field(description="Tokens of the answer.")
    cost_usd: float | None = Field(description="What the answer cost, in US dollars.")
    duration_ms: float | None = Field(description="How long the answer took, in milliseconds.")


class RecordedMessage(Model):
    """A message as it was sent, or as evaluators were told of it."""

    role: str = Field(description="Who speaks.")
    content: str = Field(description="What is said, as text; structured content as JSON.")
    tool_calls: list[dict[str, Any]] | None = Field(
        default=None, description="The tools that are called in this turn."
    )


class RecordModel(Model):
    """The result of one case: a line of a results file."""

    schema_version: Literal[1] = Field(
        default=SCHEMA_VERSION, description="The version of this form."
    )
    timestamp: str = Field(description="When the case was graded: UTC, ISO 8601.")
    suite_path: str = Field(description="The suite, relative to the root of its workspace.")
    dataset: str = Field(description="The suite's name.")
    eval_id: str = Field(description="The case's id.")
    case_hash: str = Field(
        description="SHA-256 of the case's text in the suite: another hash is another case."
    )
    effective_hash: str | None = Field(
        default=None,
        description="SHA-256 of all that the answer and its grade follow from: the case with what "
        "it inherits, prompts, scripts, the files it names, and the settings of the targets, "
        "without secrets. Null in records of versions that did not tell; of those `case_hash` "
        "says whether the case has changed.",
    )
    target: str = Field(description="The target that answered.")
    answered_by: AnsweredBy | None = Field(
        default=None,
        description="What gave the answer: `model`, `program`, or a mock, which asks no model: "
        "`echo` repeats the question, `canned` is an answer from the targets file. For a replayed "
        "answer, its original author. Null if there is no answer or its author is unknown, and "
        "in records of versions without this field.",
    )
    repeat: int = Field(
        default=1, ge=1, description="Which time the case was asked in its run, from 1."
    )
    repeats: int = Field(
        default=1, ge=1, description="How often each case was to be asked in this run."
    )
    score: float | None = ScoreField
    verdict: Verdict = VerdictField
    hits: list[str] = Field(description="What the answer gets right, of all evaluators.")
    misses: list[str] = Field(description="What it gets wrong, of all evaluators.")
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
        default=None, description="What the suite expects, as evaluators were told."
    )
    expected_output: list[RecordedMessage] | None = Field(
        default=None,
        description="The messages the suite expects, as evaluators were told, with the content of "
        "files in them, each no longer than those of `input`. Empty where it expects none.",
    )
    candidate_answer: str | None = Field(
        description="What the target answered; null where it gave no answer."
    )
    output_messages: list[dict[str, Any]] | None = Field(
        description="The target's messages, where they say more than the answer, such as calls of "
        "tools."
    )
    evaluator_results: list[EvaluatorResult] = Field(
        description="What each evaluator says, in the order of the suite."
    )
    trace_summary: TraceSummary | None = Field(
        description="What the target did on its way; null where it does not tell."
    )
    finish_reason: str | None = Field(
        default=None,
        description="Why the answer ends where it does, as the provider says it: `stop`, or "
        "`length` where it was cut off. Null where the target does not tell.",
    )
    seed: int | None = Field(
        default=None,
        description="The seed that the provider was given; null where it was given none.",
    )
    sandbox: Level | None = Field(
        default=None,
        description="How far the target's program was held, as in `evaluator_results`; null where "
        "none was started.",
    )
    parse_failed: bool = Field(description="A judge's replies could not be read in full.")
    attempts: int = Field(ge=0, description="How often judges were asked.")
    details: dict[str, Any] = Field(
        description="What else the target said about its answer; `cached` is true where the "
        "answer came from the cache."
    )
    judge_cost_usd: float | None = Field(
        default=None,
        description="What the judges of this case cost, in US dollars; null where that is not "
        "known, or nobody was asked.",
    )
    error: str | None = Field(
        description="What broke, where the verdict is `error`: a target, a judge, a script."
    )


def recorded(record: RecordModel, redact: Redactor) -> ResultRecord:
    """Return a record as it leaves the worker: without secrets, and JSON that any parser reads.

    Half surrogates are replaced, and numbers that are not finite are null.
    """
    # Not in the mode for JSON, which breaks at half surrogates.
    dumped: dict[str, Any] = record.model_dump()
    cleaned = _clean_fields(dumped, redact)
    cleaned["evaluator_results"] = [_clean_fields(it, redact) for it in dumped["evaluator_results"]]
    return ResultRecord(cleaned)


def cleaned(fields: Mapping[str, Any], redact: Redactor) -> dict[str, Any]:
    """Return JSON values as `recorded` has them: without secrets, and readable by any parser."""
    return {name: _clean(value, redact) for name, value in fields.items()}


def _clean_fields(fields: Mapping[str, Any], redact: Redactor) -> dict[str, Any]:
    return {
        name: value if name in _IDENTIFYING else _clean(value, redact)
        for name, value in fields.items()
    }


def _clean(value: Any, redact: Redactor) -> Any:
    match value:
        case str():
            return redact(value).encode(errors="replace").decode()
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return {_clean(str(name), redact): _clean(it, redact) for name, it in value.items()}
        case list() | tuple():
            return [_clean(it, redact) for it in value]
        case _:
            return value
