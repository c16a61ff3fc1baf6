"""What records of cases and the results of their evaluators have in common, and the latter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from suitecase_evaluators.records import values
from suitecase_evaluators.records.answered_by import MOCK, STAND_INS, AnsweredBy, kind_of
from suitecase_evaluators.sandbox.level import Level
from suitecase_evaluators.score import Verdict, verdict_for

_VERDICTS: Mapping[str | None, Verdict] = {it.value: it for it in Verdict}
_LEVELS: Mapping[str | None, Level] = {it.value: it for it in Level}


class Tokens(NamedTuple):
    """Tokens read and written; None where that is not known."""

    input: int | None
    output: int | None


_NO_TOKENS = Tokens(None, None)


class Graded:
    """What records and the results of their evaluators have in common.

    Attributes:
        fields: the JSON object as it was read.
    """

    __slots__ = ("_evaluators", "_grade", "fields")

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.fields = fields
        self._grade: tuple[Verdict, float | None] | None = None
        self._evaluators: tuple[EvaluatorRecord, ...] | None = None

    @property
    def verdict(self) -> Verdict:
        """The verdict; where a record lacks one, the one that its score or error implies."""
        if self._grade is None:
            self._grade = _grade(self.fields)
        return self._grade[0]

    @property
    def graded_score(self) -> float | None:
        """The score in 0..1; None exactly where the verdict is not a graded one."""
        if self._grade is None:
            self._grade = _grade(self.fields)
        return self._grade[1]

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
        return values.any_text(self.fields.get("error"))

    @property
    def gate_failed(self) -> bool:
        """Whether a gate failed; versions without the field show it by a verdict below the score."""
        value = self.fields.get("gate_failed")
        if isinstance(value, bool):
            return value
        score = self.graded_score
        failed = self.verdict is Verdict.FAIL
        return failed and score is not None and verdict_for(score) is not Verdict.FAIL

    @property
    def attempts(self) -> int:
        """The number of calls of judges."""
        return values.whole(self.fields.get("attempts")) or 0

    @property
    def details(self) -> Mapping[str, Any]:
        return values.mapping(self.fields.get("details"))

    @property
    def sandbox(self) -> Level | None:
        """How far the program was held."""
        return _LEVELS.get(values.text(self.fields.get("sandbox")))


class EvaluatorRecord(Graded):
    """The result of one evaluator for an answer."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return values.text(self.fields.get("name")) or ""

    @property
    def type(self) -> str:
        return values.text(self.fields.get("type")) or ""

    @property
    def label(self) -> str:
        """What it is called where it has no name."""
        return self.name or self.type or "evaluator"

    @property
    def weight(self) -> float | None:
        return values.number(self.fields.get("weight"))

    @property
    def parse_failed(self) -> bool:
        """Whether no reply of its judge could be read in full."""
        return self.fields.get("parse_failed") is True

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
    def asked_a_judge(self) -> bool:
        return bool(self.fields.get("judged_by")) or self.judge is not None

    @property
    def judged_by(self) -> AnsweredBy | None:
        """Who judged: a stand-in only where nobody else did; None where that is not known."""
        if "judged_by" not in self.fields:
            return "embedded" if self.judge == MOCK else None
        value = self.fields["judged_by"]
        kinds: list[AnsweredBy] = []
        for answerer in value if isinstance(value, list) else ():
            kind = kind_of(answerer)
            if kind is not None:
                kinds.append(kind)
        return min(kinds, key=lambda answerer: answerer in STAND_INS, default=None)

    @property
    def raw_scores(self) -> Mapping[str, Any]:
        """What the judge gave each rubric, by its id: a score, or whether it is met."""
        return values.mapping(self.details.get("raw_scores"))

    @property
    def members(self) -> tuple[EvaluatorRecord, ...]:
        """The results of a composite's members."""
        if self._evaluators is None:
            # A script may call what it likes `members`; other tools keep members beside the details.
            listed = self.details.get("members") if self.type == "composite" else None
            listed = listed or self.fields.get("evaluator_results")
            self._evaluators = evaluator_records(listed) if listed else ()
        return self._evaluators


def _grade(fields: Mapping[str, Any]) -> tuple[Verdict, float | None]:
    score = values.number(fields.get("score"))
    verdict = _VERDICTS.get(values.text(fields.get("verdict")))
    if verdict is None:
        if fields.get("error"):
            verdict = Verdict.ERROR
        else:
            verdict = Verdict.NOT_EVALUATED if score is None else verdict_for(score)
    if not verdict.graded:
        return verdict, None
    if score is None:
        return Verdict.NOT_EVALUATED, None
    return verdict, min(max(float(score), 0.0), 1.0)


def evaluator_records(listed: Any) -> tuple[EvaluatorRecord, ...]:
    """Return the results of evaluators in a list; none for everything else."""
    return tuple([EvaluatorRecord(it) for it in values.mappings(listed)])


def tokens_of(usage: Any) -> Tokens:
    """Return the tokens that a record tells of."""
    if not isinstance(usage, dict):
        return _NO_TOKENS
    return Tokens(values.whole(usage.get("input")), values.whole(usage.get("output")))
