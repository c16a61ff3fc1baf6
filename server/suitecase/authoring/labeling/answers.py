"""The answers of a run that people can label: each text of a case once, however often it was given."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from suitecase.evidence.labels.digests import answer_digest
from suitecase_evaluators.answers.records.record import RecordedTurn, ResultRecord
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.text.written_number import as_written


@dataclass(frozen=True, slots=True)
class RunAnswer:
    """An answer, with what it answers.

    Attributes:
        case: the id of the case.
        digest: the digest of the answer, to which labels belong.
        text: the answer.
        question: what the target was asked, without the instructions that the suite gives to targets.
        reference: the expected output of the case; empty if there is none.
        case_hash: of the text of the case when it was asked.
    """

    case: str
    digest: str
    text: str
    question: str
    reference: str
    case_hash: str | None


@dataclass(frozen=True, slots=True)
class RunAnswers:
    """The answers of a run, and how many results are left out.

    Attributes:
        answers: in the order of the run.
        missing: results without an answer.
        repeated: results whose answer the case has already been given.
        unknown: results of cases that the suite does not have any more.
    """

    answers: tuple[RunAnswer, ...]
    missing: int
    repeated: int
    unknown: int


def run_answers(
    records: Iterable[ResultRecord], system_messages: Mapping[str, int], redact: Redactor
) -> RunAnswers:
    """Return the answers of a run.

    Args:
        records: the results.
        system_messages: the cases of the suite, by id, with the number of system messages that the
            input of each starts with.
        redact: removes secrets, which records of other machines may have. Digests are those of the
            answers as they were recorded.
    """
    found: dict[tuple[str, str], RunAnswer] = {}
    missing = repeated = unknown = 0
    for record in records:
        text = record.candidate_answer
        if record.eval_id not in system_messages:
            unknown += 1
        elif text is None:
            missing += 1
        else:
            key = (record.eval_id, answer_digest(text))
            if key in found:
                repeated += 1
                continue
            found[key] = RunAnswer(
                *key,
                text=redact(text),
                question=redact(_question(record.input, system_messages[record.eval_id])),
                reference=redact(_text(record.expected_output[-1:])),
                case_hash=record.version.text,
            )
    return RunAnswers(tuple(found.values()), missing, repeated, unknown)


def _question(turns: list[RecordedTurn], own: int) -> str:
    """Return the messages of a case as a text, as judges see them.

    Args:
        turns: the messages as they were sent, after the instructions for the target.
        own: how many of the system messages at the start are those of the case.
    """
    system = 0
    while system < len(turns) and turns[system].role == "system":
        system += 1
    return _text(turns[max(0, system - own) :])


def _text(turns: Collection[RecordedTurn]) -> str:
    texts = [(turn.role, _content(turn.content)) for turn in turns]
    if len(texts) == 1:
        return texts[0][1]
    return "\n\n".join(f"@[{role.capitalize()}]:\n{text}" for role, text in texts)


def _content(content: Any) -> str:
    if isinstance(content, str):
        return content

    return "" if content is None else as_written(content)
