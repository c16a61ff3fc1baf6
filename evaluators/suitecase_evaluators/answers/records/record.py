"""The one reader of result records: typed, and tolerant of what other versions and tools wrote.

What a record lacks, or has in another form, is None or empty; `run.record_model` says what a run
writes. What tells records apart is read at once, and the rest when it is asked for, since results
files hold many records of which most readers want a few fields. A record is written again exactly as
it was read.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from suitecase_evaluators.answers.records import values
from suitecase_evaluators.answers.records.answered_by import MOCK, STAND_INS, AnsweredBy, kind_of
from suitecase_evaluators.answers.records.case_version import CaseVersion
from suitecase_evaluators.answers.records.graded import (
    EvaluatorRecord,
    Graded,
    Tokens,
    evaluator_records,
    tokens_of,
)
from suitecase_evaluators.answers.records.status import Status, status_of
from suitecase_evaluators.answers.reply_meaning import ReplyMeaning, reason_means
from suitecase_evaluators.answers.score import Verdict
from suitecase_evaluators.text.written_number import encoded, read_float, read_int

#: The newest version of the format of records that is read.
NEWEST_READ = 1
#: Records nested deeper than this are rejected: no run writes them, and whatever shows or publishes a record recurses into it.
MOST_LEVELS = 200
#: The key of the details with whether a secret was taken out of the answer before it was graded.
SECRETS_REDACTED = "secrets_redacted"

#: Takes less time than `json.loads`, which looks for white space by regular expressions.
_decode = json.JSONDecoder(parse_float=read_float).raw_decode
#: Reads a record with a number of thousands of digits, which Python refuses. It takes longer.
_decode_any = json.JSONDecoder(parse_float=read_float, parse_int=read_int).raw_decode
#: By its name.
_VERDICTS = {verdict.value: verdict for verdict in Verdict}
_NOT_GOOD = frozenset({Verdict.FAIL, Verdict.BORDERLINE})
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_encode_in_ascii = json.JSONEncoder(allow_nan=False).encode


def _is_too_deep(fields: dict[str, Any]) -> bool:
    pending: list[tuple[Any, int]] = [(fields, 1)]
    while pending:
        value, level = pending.pop()
        if level > MOST_LEVELS:
            return True
        items = value.values() if isinstance(value, dict) else value
        pending += ((item, level + 1) for item in items if isinstance(item, dict | list))
    return False


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A message of a record."""

    role: str
    content: Any
    tool_calls: list[Any]


@dataclass(frozen=True, slots=True)
class RecordedRow:
    """The row of another tool's suite: the names of its test and of its prompt.

    `case` is what its prompts and providers are compared by.
    """

    test: str
    prompt: str
    case: str


class ResultRecord(Graded):
    """The result of one case: a line of a results file.

    Attributes:
        eval_id: the case's id.
        suite_path: the suite, relative to the root of its workspace.
        suite: the suite's path, or its name in records without a path; may be empty.
        dataset: the suite's name; may be empty.
        target: the target that answered.
        repeat: which time the case was asked in its run, from 1; other tools count from 0.
        timestamp: when the case was graded, as recorded.
    """

    __slots__ = (
        *("dataset", "eval_id", "repeat", "suite", "suite_path", "target", "timestamp"),
        *("_line", "_status", "_trace"),
    )

    def __init__(self, fields: Mapping[str, Any]) -> None:
        super().__init__(fields)
        get = fields.get
        self.eval_id = values.text(get("eval_id")) or ""
        self.suite_path = values.text(get("suite_path"))
        self.dataset = values.text(get("dataset")) or ""
        self.suite = self.suite_path or self.dataset
        self.target = values.text(get("target")) or ""
        repeat = get("repeat", 1)
        if type(repeat) is not int:
            repeat = values.whole(repeat)
        self.repeat = 1 if repeat is None else repeat
        self.timestamp = values.text(get("timestamp"))
        self._line: bytes | None = None
        self._status: Status | None = None
        self._trace = values.mapping(get("trace_summary"))

    @classmethod
    def parse(cls, line: bytes | str, *, keep: bool = False) -> ResultRecord | None:
        """Read a line of a results file; None where it is not the record of a case.

        Args:
            keep: the line is as `line` returned it, which will return it again.
        """
        whole = line if keep and isinstance(line, bytes) else None
        try:
            if isinstance(line, bytes):
                encoding = "utf-8-sig" if line.startswith(BOM_UTF8) else "utf-8"
                line = line.decode(encoding, "surrogatepass")
            line = line.strip(" \t\r\n")
            fields, end = _decoded(line)
            if end != len(line):
                return None
        except (ValueError, RecursionError):
            return None
        if isinstance(fields, dict) and isinstance(fields.get("eval_id"), str):
            if line.count("[") + line.count("{") > MOST_LEVELS and _is_too_deep(fields):
                return None
            record = cls(fields)
            record._line = whole
            return record
        return None

    def line(self) -> bytes:
        """Return the record as a line of a results file; it is encoded once."""
        if self._line is None:
            try:
                text = encoded(self.fields, _encode).encode()
            except UnicodeEncodeError:  # a path that is not UTF-8, in the form that Python gives it
                text = encoded(self.fields, _encode_in_ascii).encode()
            self._line = text + b"\n"
        return self._line

    @property
    def newer_version(self) -> float | None:
        """The version of its format, if a newer version of Suitecase wrote it; else None."""
        version = self.fields.get("schema_version", NEWEST_READ)
        if version == NEWEST_READ:
            return None
        number = values.number(version)
        return number if number is not None and number > NEWEST_READ else None

    def _grade(self) -> Verdict:
        if self.newer_version is not None:
            # Nobody knows what its fields mean.
            self._verdict = Verdict.ERROR
            return self._verdict
        return super()._grade()

    @property
    def unrecorded_error(self) -> str | None:
        """Why this is an error although the record names none; None if it is not."""
        version = self.newer_version
        if version is None:
            return super().unrecorded_error
        return f"a newer version of Suitecase wrote this result ({_formats(version)})"

    @property
    def repeats(self) -> int:
        """How often each case was to be asked in its run."""
        return values.whole(self.fields.get("repeats")) or 1

    @property
    def planned(self) -> int | None:
        """How many answers to its suite its run was to have; None where that is not known."""
        return values.whole(self.fields.get("planned"))

    @property
    def run_id(self) -> str | None:
        """The id of its run; None in records of versions that did not record it."""
        return values.text(self.fields.get("run_id")) or None

    @property
    def asked_again_after(self) -> Verdict | None:
        """The verdict for which only some cases were asked again; None for all other answers.

        One that no run writes is a `fail`: nobody knows that this is the first answer.
        """
        verdict = self.fields.get("asked_again_after")
        if verdict is None:
            return None
        return _VERDICTS.get(verdict, Verdict.FAIL) if isinstance(verdict, str) else Verdict.FAIL

    @property
    def is_second_chance(self) -> bool:
        """Whether an answer that was not good was replaced by this one: it is not a sample of answers.

        One that is not good either says the same as the first.
        """
        return self.asked_again_after in _NOT_GOOD and self.verdict not in _NOT_GOOD

    @property
    def version(self) -> CaseVersion:
        """The case as it was when it was graded."""
        return CaseVersion(values.text(self.fields.get("case_hash")) or None, self.effective_hash)

    @property
    def effective_hash(self) -> str | None:
        """The hash of all that its answer and grade follow from."""
        return values.text(self.fields.get("effective_hash"))

    @property
    def graded_at(self) -> datetime | None:
        return values.moment(self.timestamp)

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
        return own or any(result.parse_failed for result in self.evaluator_results)

    @property
    def judge_failed(self) -> bool:
        """Whether a judge that counts gave no verdict that could be read in full."""
        failed = [result for result in self.evaluator_results if result.parse_failed]
        return any(result.counts for result in failed) if failed else super().judge_failed

    @property
    def rehearsed(self) -> bool:
        """Whether stand-ins did all of it, or one of them judged."""
        return self.no_model or any(
            result.rehearsed for result in self.evaluator_results if result.counts
        )

    @property
    def stood_in(self) -> str | None:
        """What took the place of a model, in two words for people; None if nothing did."""
        if self.no_model:
            return "no model"
        if self.answered_by in STAND_INS:
            return "mock answer"
        judges = {result.judged_by for result in self.evaluator_results if result.asked_a_judge}
        if "embedded" in judges:
            return "embedded judge"
        return "canned judge" if judges & STAND_INS else None

    @property
    def status(self) -> Status:
        """What the result is shown as."""
        if self._status is None:
            verdict = self.verdict
            self._status = status_of(
                verdict,
                judge_failed=verdict.graded and self.judge_failed,
                rehearsed=verdict is Verdict.PASS and self.rehearsed,
            )
        return self._status

    def status_of_evaluator(self, result: EvaluatorRecord) -> Status:
        """What a result of an evaluator is shown as: alone it does not tell that no model answered."""
        status = result.status
        return Status.REHEARSED if status is Status.PASS and self.no_model else status

    @property
    def answered_by(self) -> AnsweredBy | None:
        """What gave the answer; None where that is not known."""
        if "answered_by" not in self.fields and self.target == MOCK:
            return "echo"
        return kind_of(self.fields.get("answered_by"))

    @property
    def no_model(self) -> bool:
        """Whether stand-ins did all of it, so that no model was asked for an answer or a verdict."""
        if self.candidate_answer is None or self.answered_by not in STAND_INS:
            return False
        return all(
            result.judged_by in STAND_INS
            for result in self.evaluator_results
            if result.asked_a_judge
        )

    @property
    def is_row(self) -> bool:
        """Whether it belongs to another tool's suite, whose rules decide what passes."""
        return bool(values.mapping(self.fields.get("row")))

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of the case; none in records of versions that did not record them."""
        return values.texts(self.fields.get("tags"))

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The metadata of the case; empty in records of versions that did not record it."""
        return values.mapping(self.fields.get("metadata"))

    @property
    def group(self) -> str | None:
        """The group that the case belongs to; None where it stands alone."""
        return values.any_text(self.fields.get("group"))

    @property
    def refused(self) -> bool | None:
        """Whether the answer is a refusal; None where there is no answer or that is not known."""
        refused = self.fields.get("refused")
        return refused if isinstance(refused, bool) else None

    @property
    def finish_reason(self) -> str | None:
        return values.text(self.fields.get("finish_reason"))

    @property
    def cut_off(self) -> str | None:
        """That the answer was cut off, for people, as a sentence without its end; None if it was not."""
        answer, meaning = self.candidate_answer, reason_means(self.finish_reason)
        if answer is None:
            return None
        if meaning is ReplyMeaning.FILTERED and answer.strip():
            return "a filter of the provider cut the answer off: it is graded without its end"
        if meaning is not ReplyMeaning.CUT_OFF:
            return None
        written = self.answer_tokens.output
        after = f" after {written:,.0f} tokens" if written else ""
        return f"the answer was cut off{after}: it is graded without its end"

    @property
    def without_secret(self) -> str | None:
        """That a secret was taken out of the answer, as a sentence without its end; None if none was."""
        if self.details.get(SECRETS_REDACTED) is not True:
            return None
        return "the answer repeats a secret: it is graded with `[redacted]` in its place"

    @property
    def is_empty_answer(self) -> bool:
        """Whether there is an answer with neither text nor calls of tools, on which whatever forbids passes."""
        answer = self.candidate_answer
        return answer is not None and not answer.strip() and not self.tool_calls

    @property
    def reported_model(self) -> str | None:
        """The model that answered, as the provider names it."""
        return values.text(self.fields.get("reported_model"))

    @property
    def requested_model(self) -> str | None:
        """The model that was asked, as the targets file names it."""
        return values.text(self.fields.get("requested_model"))

    @property
    def row(self) -> RecordedRow | None:
        """The row of another tool's suite; None for a case of our own."""
        fields = values.mapping(self.fields.get("row"))
        test = values.text(fields.get("test"))
        if not test:
            return None
        variables = values.mapping(fields.get("variables"))
        known = f"{test} {json.dumps(variables, sort_keys=True)}" if variables else test
        case = values.text(fields.get("case")) or known
        return RecordedRow(test, values.text(fields.get("prompt")) or "", case)

    @property
    def case(self) -> str:
        """What targets are compared by: the id of the case, or of a row what all providers are asked."""
        row = self.row if "row" in self.fields else None
        return self.eval_id if row is None else row.case

    @property
    def position(self) -> int | None:
        """The place of the case in its suite, from 1; None in records of versions without it."""
        return values.whole(self.fields.get("position"))

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
    def judges_unpriced(self) -> int:
        """How many calls of this case's judges have no known cost."""
        return sum(result.judge_calls_unpriced for result in self.evaluator_results)

    @property
    def answer_unpriced(self) -> bool:
        """Whether the answer cost something in this run that is not known."""
        asked = self.candidate_answer is not None and not self.cached
        return asked and self.answer_usd is None and self.answered_by not in STAND_INS

    @property
    def unpriced_target(self) -> str | None:
        """A target that was called for this case at a cost that is unknown; None if there is none."""
        if self.answer_unpriced:
            return self.target
        judges = (
            result.judge or "" for result in self.evaluator_results if result.judge_calls_unpriced
        )
        return next(judges, None)

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
        return {name: values.whole(it) or 0 for name, it in counts.items()} if counts else {}

    def _of_answer(self, name: str) -> float | None:
        found = values.amount(self._trace.get(name))
        return found if found is not None else values.amount(self.fields.get(name))


def _decoded(line: str) -> tuple[Any, int]:
    """Return the value at the start of a line, and where it ends.

    Raises:
        ValueError: it is not JSON.
    """
    try:
        return _decode(line)
    except json.JSONDecodeError:
        raise
    except ValueError:
        return _decode_any(line)


def why_newer(record: ResultRecord, line: int) -> str | None:
    """Return why a results file cannot be used, if a newer version of Suitecase wrote a line of it.

    Args:
        record: what is on the line.
        line: its number, from 1.
    """
    version = record.newer_version
    if version is None:
        return None
    return (
        f"a newer version of Suitecase wrote line {line:,} ({_formats(version)}); update Suitecase"
    )


def _formats(version: float) -> str:
    return f"format {version:g}; this version reads {NEWEST_READ}"


def _turns(value: Any) -> Iterator[RecordedTurn]:
    for message in values.mappings(value):
        calls = message.get("tool_calls")
        role = values.text(message.get("role")) or "message"
        yield RecordedTurn(role, message.get("content"), calls if isinstance(calls, list) else [])
