"""The target that answers with what a results file recorded."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from suitecase_evaluators.message import Message, ToolCall
from suitecase_evaluators.targets.config.canned import ReplayConfig
from suitecase_evaluators.targets.recorded_judge import recorded_reply
from suitecase_evaluators.targets.recorded_messages import messages_of, number_of, usage_of
from suitecase_evaluators.targets.target import Question, Reply, Target, TargetError


class ReplayTarget(Target):
    """Answers of an earlier run, and replies of its judges, whatever model is asked for.

    The results file is gone through once, line by line; what is kept is where each record stands.
    Of several records of a case the last one counts that holds an answer.
    """

    def __init__(self, config: ReplayConfig, *, folder: Path) -> None:
        super().__init__(config.name)
        self._path = folder / config.results
        self._places: dict[str, int] | None = None
        self._reading = asyncio.Lock()

    async def ask(self, question: Question) -> Reply:
        """Return the recorded answer of the case, or the recorded reply of its judge.

        Raises:
            TargetError: there is no results file, or nothing in it for this question.
        """
        async with self._reading:
            if self._places is None:
                self._places = await asyncio.to_thread(self._read_places)
        place = self._places.get(question.eval_id)
        if place is None:
            raise self._error(
                f"has no record of the case `{question.eval_id}`; it has records of "
                f"{len(self._places)} other cases. Run the suite against the original target "
                "first, or name the results file of such a run."
            )
        record = await asyncio.to_thread(self._read_record, place)
        if question.judging is not None:
            found = recorded_reply(record, question.judging)
            if found.text is None:
                raise self._error(f"has, for the case `{question.eval_id}`, {found.problem}")
            return Reply(text=found.text)
        return self._answer(question.eval_id, record)

    def _answer(self, eval_id: str, record: dict[str, Any]) -> Reply:
        if not _has_answer(record):
            why = f": {record['error']}" if record.get("error") else ""
            raise self._error(f"holds no answer to the case `{eval_id}`, but an error{why}")
        messages = messages_of(_first(record, "output_messages", "output"))
        spoken = [it.text for it in messages if it.role == "assistant"]
        answer = _first(record, "candidate_answer", "answer", "output")
        text = answer if isinstance(answer, str) else (spoken[-1] if spoken else "")
        trace = _first(record, "trace_summary", "trace")
        trace = trace if isinstance(trace, dict) else {}
        calls = tuple(call for it in messages for call in it.tool_calls or ())
        return Reply(
            text=text,
            output_messages=messages or (Message(role="assistant", content=text),),
            tool_calls=calls or _calls_by_count(trace),
            token_usage=usage_of(trace.get("token_usage")),
            cost_usd=number_of(trace.get("cost_usd")),
            duration_ms=number_of(trace.get("duration_ms")),
            details={"replayed_from": self._path.name},
        )

    def _read_places(self) -> dict[str, int]:
        """Return where the record of each case starts, in bytes."""
        answered: dict[str, int] = {}
        others: dict[str, int] = {}
        try:
            with self._path.open("rb") as lines:
                place = 0
                for number, line in enumerate(lines, 1):
                    if line.strip():
                        record = self._record(line, number)
                        if record is not None:
                            eval_id = str(_first(record, "eval_id", "test_id"))
                            (answered if _has_answer(record) else others)[eval_id] = place
                    place += len(line)
        except OSError as error:
            raise self._error(
                f"cannot be read: {error.strerror or error}. `results` is relative to the "
                "targets file."
            ) from error
        return others | answered

    def _record(self, line: bytes, number: int) -> dict[str, Any] | None:
        """Return a line's record; None for a last line that a crash cut short."""
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            if not line.endswith(b"\n"):
                return None
            raise self._error(f"is not JSON in line {number}: {error}") from error
        if not isinstance(record, dict) or _first(record, "eval_id", "test_id") is None:
            raise self._error(
                f"has no result in line {number}: a result is a JSON object with `eval_id`"
            )
        return record

    def _read_record(self, place: int) -> dict[str, Any]:
        try:
            with self._path.open("rb") as file:
                file.seek(place)
                record = json.loads(file.readline())
        except (OSError, ValueError) as error:
            raise self._error(f"changed while it was replayed: {error}") from error
        if not isinstance(record, dict):
            raise self._error("changed while it was replayed")
        return record

    def _error(self, problem: str) -> TargetError:
        return TargetError(
            f"target `{self.name}`: the results file {self._path} {problem}", kind="configuration"
        )


def _has_answer(record: dict[str, Any]) -> bool:
    answer = _first(record, "candidate_answer", "answer", "output", "output_messages")
    # A run that broke is recorded with an empty answer beside its error.
    return bool(answer) if record.get("error") else answer is not None


def _first(record: dict[str, Any], *names: str) -> Any:
    """Return the first field there is; later versions of a record renamed some."""
    return next((record[name] for name in names if record.get(name) is not None), None)


def _calls_by_count(trace: dict[str, Any]) -> tuple[ToolCall, ...]:
    """Return the calls a trace summary counts: how many of each tool, in no order, no arguments.

    Early records have the names in the counts, but not in `tool_names`, rewritten to snake case.
    """
    counts = trace.get("tool_calls_by_name")
    names = trace.get("tool_names")
    if not isinstance(counts, dict):
        return ()
    real = {_folded(it): it for it in names or () if isinstance(it, str)}
    return tuple(
        ToolCall(tool=real.get(_folded(str(name)), str(name)))
        for name, count in counts.items()
        if isinstance(count, int) and name
        for _ in range(count)
    )


def _folded(name: str) -> str:
    return name.replace("_", "").casefold()
