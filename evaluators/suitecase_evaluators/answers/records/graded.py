"""What records of cases and the results of their evaluators have in common, and the latter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from suitecase_evaluators.answers.records import values
from suitecase_evaluators.answers.records.answered_by import MOCK, STAND_INS, AnsweredBy, kind_of
from suitecase_evaluators.answers.records.details import RUBRIC_TEXTS
from suitecase_evaluators.answers.records.status import Status, status_of
from suitecase_evaluators.answers.sandbox_level import Level
from suitecase_evaluators.answers.score import Verdict, verdict_for
from suitecase_evaluators.text.written_number import as_written

_VERDICTS: Mapping[str | None, Verdict] = {it.value: it for it in Verdict}
_LEVELS: Mapping[str | None, Level] = {it.value: it for it in Level}

#: The types of evaluators that combine others.
_WITH_MEMBERS = frozenset({"composite", "promptfoo:assert-set"})


class Tokens(NamedTuple):
    """Tokens read and written; None where that is not known."""

    input: int | None
    output: int | None


class RecordedQuote(NamedTuple):
    """What a judge quoted for a rubric item, and whether it is in the answer."""

    item: str
    quote: str
    in_answer: bool


#: The tokens of an answer or a judge if they are unknown.
NO_TOKENS = Tokens(None, None)


class Graded:
    """What records and the results of their evaluators have in common.

    What every reader asks for, most of them several times, is read at once, and the rest when it is
    asked for.

    Attributes:
        fields: the JSON object as it was read.
    """

    __slots__ = ("_evaluators", "_graded_score", "_verdict", "details", "fields")

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.fields = fields
        self.details = values.mapping(fields.get("details"))
        self._verdict: Verdict | None = None
        self._graded_score: float | None = None
        self._evaluators: tuple[EvaluatorRecord, ...] | None = None

    @property
    def verdict(self) -> Verdict:
        """The verdict; where a record lacks one, the one that its score or error implies.

        A record that no run writes is an error, whatever its score: one with an unknown verdict, or with a
        good verdict beside an error.
        """
        return self._verdict or self._grade()

    @property
    def graded_score(self) -> float | None:
        """The score in 0..1; None where nobody graded the answer, as where a judge failed."""
        if self._verdict is None:
            self._grade()
        return None if self._graded_score is None or self.judge_failed else self._graded_score

    @property
    def judge_failed(self) -> bool:
        """Whether no reply of a judge could be read in full, or only on another scale."""
        return self.fields.get("parse_failed") is True

    def _grade(self) -> Verdict:
        fields = self.fields
        score, told = fields.get("score"), fields.get("verdict")
        verdict = _VERDICTS.get(told, Verdict.ERROR) if isinstance(told, str) else None
        # A failed gate decides the verdict although another evaluator broke.
        if verdict is not Verdict.FAIL and fields.get("error"):
            verdict = Verdict.ERROR
        if type(score) is float and 0.0 <= score <= 1.0 and verdict is not None and verdict.graded:
            # What a run writes of nearly every case.
            self._verdict, self._graded_score = verdict, score
            return verdict
        score = values.number(score)
        if verdict is None:
            if told is not None:
                verdict = Verdict.ERROR
            else:
                verdict = Verdict.NOT_EVALUATED if score is None else verdict_for(score)
        if verdict.graded:
            if score is None:
                verdict = Verdict.NOT_EVALUATED
            else:
                self._graded_score = min(max(float(score), 0.0), 1.0)
        self._verdict = verdict
        return verdict

    @property
    def score(self) -> float | None:
        """The score as recorded: of an answer that was graded in part, the mean of that part."""
        return values.number(self.fields.get("score"))

    @property
    def hits(self) -> tuple[str, ...]:
        return values.texts(self.fields.get("hits"))

    @property
    def misses(self) -> tuple[str, ...]:
        return values.texts(self.fields.get("misses"))

    @property
    def reasoning(self) -> str:
        return values.any_text(self.fields.get("reasoning")) or ""

    @property
    def error(self) -> str | None:
        """What failed, as recorded; otherwise why the recorded verdict cannot be used."""
        error = self.fields.get("error")
        return values.any_text(error) if error else self.unrecorded_error

    @property
    def unrecorded_error(self) -> str | None:
        """Why this is an error although the record names none; None if it is not."""
        told = self.fields.get("verdict")
        if told is None or (isinstance(told, str) and told in _VERDICTS):
            return None
        return f"{as_written(told)} is not a verdict"

    @property
    def gate_failed(self) -> bool:
        """Whether a gate failed; versions without the field show it by a verdict below the score."""
        value = self.fields.get("gate_failed")
        if isinstance(value, bool):
            return value
        failed = self.verdict is Verdict.FAIL
        score = self._graded_score
        return failed and score is not None and verdict_for(score) is not Verdict.FAIL

    @property
    def attempts(self) -> int:
        """The number of calls of judges."""
        return values.whole(self.fields.get("attempts")) or 0

    @property
    def sandbox(self) -> Level | None:
        """The sandbox level of the program."""
        told = self.fields.get("sandbox")
        return None if told is None else _LEVELS.get(values.text(told))


class EvaluatorRecord(Graded):
    """The result of one evaluator for an answer."""

    __slots__ = ("type",)

    def __init__(self, fields: Mapping[str, Any]) -> None:
        super().__init__(fields)
        self.type = values.text(fields.get("type")) or ""

    @property
    def name(self) -> str:
        return values.text(self.fields.get("name")) or ""

    @property
    def label(self) -> str:
        """What it is called where it has no name."""
        return self.name or self.type or "evaluator"

    @property
    def weight(self) -> float | None:
        return values.amount(self.fields.get("weight"))

    @property
    def parse_failed(self) -> bool:
        """Whether no reply of its judge could be read in full."""
        return self.judge_failed

    @property
    def counts(self) -> bool:
        """Whether it can decide about the answer: by its weight, or by its gate."""
        return self.weight != 0 or self.gate_failed

    @property
    def rehearsed(self) -> bool:
        """Whether a stand-in took the place of a judge, here or in a member that counts."""
        if self.judged_by in STAND_INS and self.asked_a_judge:
            return True
        return any(member.rehearsed for member in self.members if member.counts)

    @property
    def status(self) -> Status:
        """What the result is shown as."""
        return status_of(self.verdict, judge_failed=self.judge_failed, rehearsed=self.rehearsed)

    @property
    def request(self) -> Mapping[str, Any]:
        """What was asked of the judge, or the command line of a script."""
        return values.mapping(self.fields.get("evaluator_provider_request"))

    @property
    def judge(self) -> str | None:
        """The target that judged."""
        return values.text(self.request.get("target"))

    @property
    def judge_tokens(self) -> Tokens:
        """The tokens of the judge's replies."""
        usage = values.mapping(self.fields.get("judge_usage"))
        return tokens_of(usage.get("token_usage"))

    @property
    def judge_usd(self) -> float | None:
        """What the judge cost, in US dollars."""
        return values.amount(values.mapping(self.fields.get("judge_usage")).get("cost_usd"))

    @property
    def judge_calls_unpriced(self) -> int:
        """How many calls of its judges have no known cost, those for its members included."""
        return values.whole(values.mapping(self.fields.get("judge_usage")).get("unpriced")) or 0

    @property
    def asked_a_judge(self) -> bool:
        return bool(self.fields.get("judged_by")) or self.judge is not None

    @property
    def judged_by(self) -> AnsweredBy | None:
        """The source of the judgement: a stand-in only if there was no other; None if unknown."""
        value = self.fields.get("judged_by")
        if value is None:
            unknown = "judged_by" in self.fields or self.judge != MOCK
            return None if unknown else "embedded"
        kinds: list[AnsweredBy] = []
        for answerer in value if isinstance(value, list) else ():
            kind = kind_of(answerer)
            if kind is not None:
                kinds.append(kind)
        return min(kinds, key=lambda answerer: answerer in STAND_INS, default=None)

    @property
    def judge_hash(self) -> str | None:
        """The hash of what the judge's verdicts depend on."""
        return values.text(self.fields.get("judge_hash"))

    @property
    def reported_model(self) -> str | None:
        """The model that judged, as the provider names it."""
        return values.text(self.fields.get("reported_model"))

    @property
    def requested_model(self) -> str | None:
        """The model that was asked to judge."""
        return values.text(self.fields.get("requested_model"))

    @property
    def confidence(self) -> float | None:
        """The share of the judge's votes that agree with the verdict; None for a single vote."""
        return values.number(self.fields.get("confidence"))

    @property
    def quotes(self) -> tuple[RecordedQuote, ...]:
        """What the judge quoted for rubric items."""
        return tuple(
            RecordedQuote(
                values.text(mapping.get("item")) or "",
                values.text(mapping.get("quote")) or "",
                mapping.get("in_answer") is True,
            )
            for mapping in values.mappings(self.fields.get("quotes"))
        )

    @property
    def raw_scores(self) -> Mapping[str, Any]:
        """What the judge gave each rubric, by its id: a score, or whether it is met."""
        return values.mapping(self.details.get("raw_scores"))

    @property
    def rubric_texts(self) -> Mapping[str, Any]:
        """The text of each rubric, by its id; empty in records of versions that did not record it."""
        return values.mapping(self.details.get(RUBRIC_TEXTS))

    @property
    def members(self) -> tuple[EvaluatorRecord, ...]:
        """The results of a composite's members."""
        if self._evaluators is None:
            # Scripts may use the key `members` for anything; other tools store members next to the details.
            listed = self.details.get("members") if self.type in _WITH_MEMBERS else None
            listed = listed or self.fields.get("evaluator_results")
            self._evaluators = evaluator_records(listed) if listed else ()
        return self._evaluators


def evaluator_records(listed: Any) -> tuple[EvaluatorRecord, ...]:
    """Return the results of evaluators in a list; none for everything else."""
    return tuple([EvaluatorRecord(mapping) for mapping in values.mappings(listed)])


def tokens_of(usage: Any) -> Tokens:
    """Return the token usage in a record."""
    if not isinstance(usage, dict):
        return NO_TOKENS
    return Tokens(values.whole(usage.get("input")), values.whole(usage.get("output")))
