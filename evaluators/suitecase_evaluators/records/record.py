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
from typing import Any

from suitecase_evaluators.records import values
from suitecase_evaluators.records.answered_by import MOCK, AnsweredBy, kind_of
from suitecase_evaluators.records.case_version import CaseVersion
from suitecase_evaluators.records.graded import (
    EvaluatorRecord,
    Graded,
    Tokens,
    evaluator_records,
    tokens_of,
)


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A message of a record."""

    role: str
    content: Any
    tool_calls: list[Any]


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
        """The result of each evaluator, without the members of composites."""
        if self._evaluators is None:
            self._evaluators = evaluator_records(self.fields.get("evaluator_results"))
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
        return tokens_of(self._trace.get("token_usage") or self.fields.get("token_usage"))

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


def _turns(value: Any) -> Iterator[RecordedTurn]:
    for message in values.mappings(value):
        calls = message.get("tool_calls")
        role = values.text(message.get("role")) or "message"
        yield RecordedTurn(role, message.get("content"), calls if isinstance(calls, list) else [])
