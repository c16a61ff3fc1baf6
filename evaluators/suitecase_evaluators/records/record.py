"""The one reader of result records: typed, and tolerant of what other versions and tools wrote.

What a record lacks, or has in another form, is None or empty; `run.record_model` says what a run
writes. Nothing is converted before it is asked for, since results files hold many records of which
most readers want a few fields, and a record is written again exactly as it was read.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from suitecase_evaluators.records import values
from suitecase_evaluators.records.answered_by import MOCK, STAND_INS, AnsweredBy, kind_of
from suitecase_evaluators.records.case_version import CaseVersion
from suitecase_evaluators.sandbox.level import Level
from suitecase_evaluators.score import Verdict, verdict_for

_VERDICTS: Mapping[str | None, Verdict] = {it.value: it for it in Verdict}
_LEVELS: Mapping[str | None, Level] = {it.value: it for it in Level}


class Tokens(NamedTuple):
    """Tokens read and written; None where that is not known."""

    input: int | None
    output: int | None


_NO_TOKENS = Tokens(None, None)


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A message of a record."""

    role: str
    content: Any
    tool_calls: list[Any]


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
        told = self.fields.get("gate_failed")
        if isinstance(told, bool):
            return told
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
    """What one evaluator said of an answer."""

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
        return _tokens(usage.get("token_usage"))

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
        told = self.fields["judged_by"]
        kinds: list[AnsweredBy] = []
        for it in told if isinstance(told, list) else ():
            kind = kind_of(it)
            if kind is not None:
                kinds.append(kind)
        return min(kinds, key=lambda it: it in STAND_INS, default=None)

    @property
    def raw_scores(self) -> Mapping[str, Any]:
        """What the judge gave each rubric, by its id: a score, or whether it is met."""
        return values.mapping(self.details.get("raw_scores"))

    @property
    def members(self) -> tuple[EvaluatorRecord, ...]:
        """What the members of a composite said."""
        if self._evaluators is None:
            # A script may call what it likes `members`; other tools keep members beside the details.
            listed = self.details.get("members") if self.type == "composite" else None
            listed = listed or self.fields.get("evaluator_results")
            self._evaluators = _evaluators(listed) if listed else ()
        return self._evaluators


class ResultRecord(Graded):
    """The result of one case: a line of a results file."""

    __slots__ = ()

    @classmethod
    def parse(cls, line: bytes | str) -> ResultRecord | None:
        """Read a line of a results file; None where it is not the record of a case."""
        try:
            if isinstance(line, bytes) and not line.startswith(BOM_UTF8):
                line = line.decode("utf-8", "surrogatepass")  # saves a guess at the encoding
            fields = json.loads(line)
        except (ValueError, RecursionError):
            return None
        if isinstance(fields, dict) and isinstance(fields.get("eval_id"), str):
            return cls(fields)
        return None

    def line(self) -> bytes:
        """Return the record as a line of a results file."""
        try:
            text = json.dumps(self.fields, ensure_ascii=False, allow_nan=False).encode()
        except UnicodeEncodeError:  # a path that is not UTF-8, in the form that Python gives it
            text = json.dumps(self.fields, allow_nan=False).encode()
        return text + b"\n"

    @property
    def eval_id(self) -> str:
        """The case's id."""
        return values.text(self.fields.get("eval_id")) or ""

    @property
    def suite_path(self) -> str | None:
        """The suite, relative to the root of its workspace."""
        return values.text(self.fields.get("suite_path"))

    @property
    def dataset(self) -> str:
        return values.text(self.fields.get("dataset")) or ""

    @property
    def suite(self) -> str:
        """The suite's path, or its name in records without a path; may be empty."""
        return self.suite_path or self.dataset

    @property
    def target(self) -> str:
        """The target that answered."""
        return values.text(self.fields.get("target")) or ""

    @property
    def repeat(self) -> int:
        """Which time the case was asked in its run, from 1; other tools count from 0."""
        found = values.whole(self.fields.get("repeat"))
        return 1 if found is None else found

    @property
    def repeats(self) -> int:
        """How often each case was to be asked in its run."""
        return values.whole(self.fields.get("repeats")) or 1

    @property
    def version(self) -> CaseVersion:
        """The case as it was when it was graded."""
        fields = self.fields
        effective = values.text(fields.get("effective_hash"))
        return CaseVersion(values.text(fields.get("case_hash")) or None, effective)

    @property
    def graded_at(self) -> datetime | None:
        return values.moment(self.fields.get("timestamp"))

    @property
    def timestamp(self) -> str | None:
        """When the case was graded, as recorded."""
        return values.text(self.fields.get("timestamp"))

    @property
    def cleared(self) -> bool:
        """Whether this notes that the results of the case are not shown any more."""
        return "cleared" in self.fields

    @property
    def input(self) -> list[RecordedTurn]:
        """What the target was asked."""
        return list(_turns(self.fields.get("input")))

    @property
    def expected_outcome(self) -> str | None:
        return values.any_text(self.fields.get("expected_outcome"))

    @property
    def expected_output(self) -> list[RecordedTurn]:
        return list(_turns(self.fields.get("expected_output")))

    @property
    def candidate_answer(self) -> str | None:
        """What the target answered; None where it gave no answer."""
        return values.any_text(self.fields.get("candidate_answer"))

    @property
    def output_messages(self) -> list[RecordedTurn]:
        return list(_turns(self.fields.get("output_messages")))

    @property
    def evaluator_results(self) -> tuple[EvaluatorRecord, ...]:
        """What each evaluator says, not the members of composites."""
        if self._evaluators is None:
            self._evaluators = _evaluators(self.fields.get("evaluator_results"))
        return self._evaluators

    @property
    def parse_failed(self) -> bool:
        """Whether the replies of a judge could not be read in full."""
        own = self.fields.get("parse_failed") is True
        return own or any(it.parse_failed for it in self.evaluator_results)

    @property
    def answered_by(self) -> AnsweredBy | None:
        """What gave the answer; None where that is not known."""
        if "answered_by" not in self.fields and self.target == MOCK:
            return "echo"
        return kind_of(self.fields.get("answered_by"))

    @property
    def finish_reason(self) -> str | None:
        return values.text(self.fields.get("finish_reason"))

    @property
    def seed(self) -> int | None:
        return values.whole(self.fields.get("seed"))

    @property
    def cached(self) -> bool:
        """Whether the answer came from the cache, or from an earlier run: it took nothing."""
        details = self.details
        return bool(details.get("cached") or details.get("replayed_from"))

    @property
    def duration_ms(self) -> float | None:
        """The duration of the answer, in milliseconds."""
        return self._of_answer("duration_ms")

    @property
    def answer_usd(self) -> float | None:
        """What the answer cost when it was given, in US dollars."""
        return self._of_answer("cost_usd")

    @property
    def judge_usd(self) -> float | None:
        """What the judges of this case cost, in US dollars."""
        return values.amount(self.fields.get("judge_cost_usd"))

    @property
    def spent_usd(self) -> float:
        """What the answer and its judges cost in the run, in US dollars, as far as is known."""
        answer = None if self.cached else self.answer_usd
        return (answer or 0.0) + (self.judge_usd or 0.0)

    @property
    def answer_tokens(self) -> Tokens:
        """The tokens of the answer."""
        return _tokens(self._trace.get("token_usage") or self.fields.get("token_usage"))

    @property
    def tool_names(self) -> tuple[str, ...]:
        """The tools that were called."""
        return values.texts(self._trace.get("tool_names"))

    @property
    def tool_calls(self) -> Mapping[str, int]:
        """How often each tool was called."""
        counts = values.mapping(self._trace.get("tool_calls_by_name"))
        return {name: values.whole(it) or 0 for name, it in counts.items()}

    @property
    def _trace(self) -> Mapping[str, Any]:
        return values.mapping(self.fields.get("trace_summary"))

    def _of_answer(self, name: str) -> float | None:
        found = values.amount(self._trace.get(name))
        return values.amount(self.fields.get(name)) if found is None else found


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


def _evaluators(listed: Any) -> tuple[EvaluatorRecord, ...]:
    return tuple([EvaluatorRecord(it) for it in values.mappings(listed)])


def _tokens(usage: Any) -> Tokens:
    if not isinstance(usage, dict):
        return _NO_TOKENS
    told = usage
    return Tokens(values.whole(told.get("input")), values.whole(told.get("output")))


def _turns(value: Any) -> Iterator[RecordedTurn]:
    for it in values.mappings(value):
        calls = it.get("tool_calls")
        role = values.text(it.get("role")) or "message"
        yield RecordedTurn(role, it.get("content"), calls if isinstance(calls, list) else [])
