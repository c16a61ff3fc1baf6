"""A results file that is replayed: which of its records answers a question."""

from __future__ import annotations

import errno
import json
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suitecase_evaluators.answers.records import values
from suitecase_evaluators.targets.target import CallContext
from suitecase_evaluators.text.written_number import read_float, read_int

#: The start of a line of our runs. Such a line that is not JSON was cut off by a crash.
_OURS = b'{"schema_version": '


class UnusableRecordError(Exception):
    """The file has no record that a question could be answered by; `message` is for people.

    It goes on after the name of the file: `has no record of the case ...`.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True, slots=True)
class _Line:
    """What a record is of, and where its line starts, in bytes."""

    place: int
    answered: bool
    suite_path: str | None
    target: str | None
    repeat: int
    repeats: int


class RecordedRun:
    """The records of a results file, read once; only the offset of each is kept."""

    def __init__(self, path: Path) -> None:
        """Go through the file.

        Raises:
            UnusableRecordError: a line of it is not a result.
            OSError: it cannot be read.
        """
        self._path = path
        self._lines: dict[str, list[_Line]] = {}
        self._suites: set[str | None] = set()
        if not stat.S_ISREG(path.stat().st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", str(path))
        with path.open("rb") as lines:
            place = 0
            for number, line in enumerate(lines, 1):
                if line.strip():
                    record = _record(line, number)
                    if record is not None:
                        told = _told(record, place)
                        eval_id = str(first(record, "eval_id", "test_id"))
                        self._lines.setdefault(eval_id, []).append(told)
                        self._suites.add(told.suite_path)
                place += len(line)

    def targets(self, eval_id: str, suite_path: str) -> tuple[str, ...]:
        """Return the targets that a case has records of, in the order of the file.

        Raises:
            UnusableRecordError: nobody knows which suite is meant.
        """
        lines = self._of_suite(self._lines.get(eval_id, ()), suite_path)
        return tuple(dict.fromkeys(line.target for line in lines if line.target is not None))

    def has(self, eval_id: str, suite_path: str) -> bool:
        """Whether there is a record of a case.

        Raises:
            UnusableRecordError: nobody knows which suite is meant.
        """
        return bool(self._of_suite(self._lines.get(eval_id, ()), suite_path))

    def repeats(self, suite_path: str) -> int:
        """Return how often each case of a suite was to be asked.

        Raises:
            UnusableRecordError: nobody knows which suite is meant.
        """
        every = [line for lines in self._lines.values() for line in lines]
        return max((it.repeats for it in self._of_suite(every, suite_path)), default=1)

    def find(self, eval_id: str, call_context: CallContext | None) -> dict[str, Any]:
        """Return the record of a case: of several the last one that holds an answer.

        Args:
            call_context: narrows it down to the suite, the target and the repeat, where the file has
                more than one of them; None takes the last of all.

        Raises:
            UnusableRecordError: there is none, or nobody knows which of several is meant.
            OSError: the file cannot be read.
        """
        lines: Sequence[_Line] = self._lines.get(eval_id, ())
        if call_context is not None:
            lines = self._of_suite(lines, call_context.suite_path)
            lines = _of_target(lines, eval_id, call_context.target)
            lines = _of_repeat(lines, eval_id, call_context.repeat)
        if not lines:
            others = len(self._lines) - (eval_id in self._lines)
            raise UnusableRecordError(
                f"has no record of the case `{eval_id}`; it has records of {others} other cases. "
                "Run the suite against the original target first, or name the results file of "
                "such a run."
            )
        answered = [line for line in lines if line.answered]
        return self._read((answered or lines)[-1].place)

    def _of_suite(self, lines: Sequence[_Line], suite_path: str) -> Sequence[_Line]:
        """Return those of a suite; a file of one suite alone may be of one of another name."""
        if suite_path in self._suites:
            return [line for line in lines if line.suite_path == suite_path]
        if len(self._suites) > 1:
            known = ", ".join(sorted(f"`{suite}`" for suite in self._suites if suite is not None))
            raise UnusableRecordError(f"has no record of the suite `{suite_path}`, only of {known}")
        return lines

    def _read(self, place: int) -> dict[str, Any]:
        try:
            with self._path.open("rb") as file:
                file.seek(place)
                record = json.loads(file.readline(), parse_float=read_float, parse_int=read_int)
        except ValueError as error:
            raise UnusableRecordError(f"changed while it was replayed: {error}") from error
        if not isinstance(record, dict):
            raise UnusableRecordError("changed while it was replayed")
        return record


def first(record: Mapping[str, Any], *names: str) -> Any:
    """Return the first field there is; later versions of a record renamed some."""
    return next((record[name] for name in names if record.get(name) is not None), None)


def is_ours(record: Mapping[str, Any]) -> bool:
    """Whether a run of Suitecase wrote a record."""
    return "schema_version" in record


def has_answer(record: dict[str, Any]) -> bool:
    """Whether a record holds an answer, be it an empty one."""
    answer = first(record, "candidate_answer", "answer", "output", "output_messages")
    if record.get("error") and not is_ours(record):
        # Other tools record a failed run with an empty answer and an error.
        return bool(answer)
    return answer is not None


def _record(line: bytes, number: int) -> dict[str, Any] | None:
    """Return a line's record; None for a line that a crash cut short.

    Raises:
        UnusableRecordError: it is not a result.
    """
    try:
        record = json.loads(line, parse_float=read_float, parse_int=read_int)
    except (ValueError, RecursionError) as error:
        if line.startswith(_OURS) or _OURS.startswith(line.rstrip(b"\n")):
            return None  # the next run closed it off
        if not line.endswith(b"\n"):
            return None
        raise UnusableRecordError(f"is not JSON in line {number}: {error}") from error
    if not isinstance(record, dict) or first(record, "eval_id", "test_id") is None:
        raise UnusableRecordError(
            f"has no result in line {number}: a result is a JSON object with `eval_id`"
        )
    return record


def _told(record: dict[str, Any], place: int) -> _Line:
    suite, target = record.get("suite_path"), record.get("target")
    return _Line(
        place=place,
        answered=has_answer(record),
        suite_path=suite if isinstance(suite, str) else None,
        target=target if isinstance(target, str) else None,
        repeat=values.whole(record.get("repeat")) or 1,
        repeats=values.whole(record.get("repeats")) or 1,
    )


def _of_target(lines: Sequence[_Line], eval_id: str, target: str) -> Sequence[_Line]:
    """Return those of a target; an only one need not have its name."""
    known = dict.fromkeys(line.target for line in lines)
    if target in known:
        return [line for line in lines if line.target == target]
    if len(known) > 1:
        named = ", ".join(f"`{it}`" for it in known)
        raise UnusableRecordError(
            f"has answers to the case `{eval_id}` from the targets {named}, but none from `{target}`"
        )
    return lines


def _of_repeat(lines: Sequence[_Line], eval_id: str, repeat: int) -> Sequence[_Line]:
    """Return those of a repeat; what was asked once only is the answer each time."""
    if all(line.repeats == 1 for line in lines):
        return lines
    found = [line for line in lines if line.repeat == repeat]
    if not found:
        times = len({line.repeat for line in lines})
        raise UnusableRecordError(
            f"has answers of {times} repeats of the case `{eval_id}`, but none of repeat {repeat}"
        )
    return found
