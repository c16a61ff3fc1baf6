"""Records of a run in blocks of lines, which a page or a server has in place of each record.

A record is a line of a block as it is in the results file, with what it is shown as at its end, and line
feeds separate them. The number of its block and its line follow from its number in the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from suitecase.report.case_table import packed
from suitecase.text.encoders.json_text import json_text
from suitecase_evaluators.answers.records.graded import EvaluatorRecord
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.record_file import lines_of

#: How many records a block has: neighbors have much in common, and all of them are unpacked for one.
BLOCK = 50
#: The field of a record on a page that says what it is shown as.
SHOWN_AS = "shown_as"


def packed_blocks(runs: Sequence[Sequence[ResultRecord]]) -> Iterator[tuple[str, str]]:
    """Yield the name and the packed text of each block of runs, in their order."""
    for run, answers in enumerate(runs):
        for number in range(-(-len(answers) // BLOCK)):
            yield f"r{run}-{number}", packed(block_of(answers, number))


def block_of(answers: Sequence[ResultRecord], number: int) -> bytes:
    """Return the lines of a block of the answers of a run; empty if there are not so many.

    Raises:
        ChangedFileError: the results file has changed since it was read.
    """
    lines = lines_of(answers, number * BLOCK, (number + 1) * BLOCK)
    return b"\n".join(_shown(line.strip(b"\xef\xbb\xbf \t\r\n")) for line in lines)


def _shown(line: bytes) -> bytes:
    """Return the line of a record with what it is shown as."""
    record = ResultRecord.parse(line)
    if record is None:
        return line
    return line[:-1] + f',"{SHOWN_AS}":{json_text(shown_as(record))}}}'.encode()


def shown_as(record: ResultRecord) -> dict[str, Any]:
    """Return what a record is shown as, for the script of a page, which decides nothing of it again.

    That is its status; why it is an error if it does not say so itself; whether no model was called for it;
    a sentence if its answer was cut off; and the statuses of its evaluators and of their members, in their
    order.
    """

    def evaluators(results: Sequence[EvaluatorRecord]) -> list[dict[str, Any]]:
        return [
            {"status": record.status_of_evaluator(result), "members": evaluators(result.members)}
            for result in results
        ]

    return {
        "status": record.status,
        "error": record.unrecorded_error,
        "no_model": record.no_model,
        "cut_off": record.cut_off,
        "evaluators": evaluators(record.evaluator_results),
    }
