"""The target that answers with what a results file recorded."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from suitecase_evaluators.answers.records.answered_by import AnsweredBy
from suitecase_evaluators.answers.records.record import SECRETS_REDACTED, ResultRecord
from suitecase_evaluators.answers.refusals import PROVIDERS_TEXT
from suitecase_evaluators.targets.config.canned import ReplayConfig
from suitecase_evaluators.targets.context import TargetContext
from suitecase_evaluators.targets.recorded_answer import recorded_answer
from suitecase_evaluators.targets.recorded_judge import (
    RecordedReply,
    digest_of_question,
    exchanged,
    judging_prompt,
    recorded_judge_of,
    recorded_reply,
)
from suitecase_evaluators.targets.recorded_run import (
    RecordedRun,
    UnusableRecordError,
    has_answer,
    is_ours,
)
from suitecase_evaluators.targets.redactor import REDACTED, Redactor
from suitecase_evaluators.targets.target import (
    ASKED_AGAIN,
    RECORDED_PROBLEM,
    THINKING,
    WRITTEN_TOKENS,
    Question,
    Reply,
    Target,
    TargetError,
    user_prompt,
)

#: The detail of a reply that was recorded when something else was asked.
PROMPT_CHANGED = "asked_otherwise"

#: How a text ends of which not all was recorded.
_LEFT_OUT = re.compile(r"\.\.\. \(([\d,]+) more characters left out\)\Z")


class ReplayTarget(Target):
    """Answers of an earlier run, and replies of its judges, whatever model is asked for.

    Of several records of a case the last one counts that holds an answer. A reply that was given
    to other words than those of the question has the detail `PROMPT_CHANGED`.
    """

    def __init__(
        self, config: ReplayConfig, *, folder: Path, redactor: Redactor | None = None
    ) -> None:
        """
        Args:
            redactor: what records are without, so that questions can be compared with them.
        """
        super().__init__(config.name)
        self._path = folder / config.results
        self._run: RecordedRun | None = None
        self._reading = asyncio.Lock()
        self._redact = redactor or Redactor()
        #: How often each question of an evaluator was answered, by case, time and what it asks.
        self._told: Counter[tuple[str, int, str]] = Counter()

    async def ask(self, question: Question) -> Reply:
        """Return the recorded answer of the case, or the recorded reply of its judge.

        Raises:
            TargetError: there is no results file, or nothing in it for this question.
        """
        try:
            async with self._reading:
                if self._run is None:
                    self._run = await asyncio.to_thread(RecordedRun, self._path)
            record = await asyncio.to_thread(
                self._run.find, question.eval_id, question.call_context
            )
        except UnusableRecordError as error:
            raise self._error(error.message) from error
        except OSError as error:
            raise self._error(
                f"cannot be read: {error.strerror or error}. `results` is relative to the "
                "targets file."
            ) from error
        of_evaluator = question.call_context is not None and question.call_context.of_evaluator
        if question.judging is None and not of_evaluator:
            return self._answer(question, record)
        prompt = digest_of_question(question, self._redact) if of_evaluator else None
        return self._reply(question, record, prompt)

    def _reply(self, question: Question, record: dict[str, Any], own_prompt: str | None) -> Reply:
        """Return what a judge replied, or another that an evaluator asked."""
        if own_prompt is not None:
            known = exchanged(record, own_prompt)
            repeat = 1 if question.call_context is None else question.call_context.repeat
            key = (question.eval_id, repeat, own_prompt)
            self._told[key] += 1
            if len(known) >= self._told[key]:
                judge, model = recorded_judge_of(record, own_prompt)
                return _given(known[self._told[key] - 1], answered_by=judge, model=model)
        if question.judging is None:
            raise self._error(
                f"has no reply to an evaluator's question for the case `{question.eval_id}`: it was "
                "not asked, or not as often, or the reply was too long to be recorded"
            )
        found = recorded_reply(record, question.judging, question.attempt)
        if found.text is None and not found.refused:
            raise self._error(f"has, for the case `{question.eval_id}`, {found.problem}")
        prompt = judging_prompt(record, question.judging) if is_ours(record) else None
        # A judge that is asked again is shown its reply, and what is wrong with it; a program is not.
        turns = question.turns if question.attempt == 1 else question.turns[:-2] or question.turns
        same = prompt is None or self._same(prompt, user_prompt(turns))
        judge, model = recorded_judge_of(record, question.judging)
        reply = _given(found, answered_by=judge, model=model)
        return reply if same else replace(reply, details={**reply.details, PROMPT_CHANGED: True})

    def _answer(self, question: Question, record: dict[str, Any]) -> Reply:
        if not has_answer(record):
            why = f": {record['error']}" if record.get("error") else ""
            raise self._error(
                f"has an error instead of an answer to the case `{question.eval_id}`{why}"
            )
        other = not self._is_answer_to(question, record)
        details: dict[str, Any] = {"replayed_from": self._path.name}
        if other:
            details[PROMPT_CHANGED] = True
        for name in (PROVIDERS_TEXT, THINKING):
            text = ResultRecord(record).details.get(name)
            if isinstance(text, str):
                details[name] = text
        if ResultRecord(record).without_secret:
            details[SECRETS_REDACTED] = True
        return recorded_answer(record, details)

    def _is_answer_to(self, question: Question, record: Mapping[str, Any]) -> bool:
        """Whether the recorded input is this question; True if none was recorded."""
        recorded = record.get("input")
        if not isinstance(recorded, list) or not is_ours(dict(record)):
            return True
        turns = [it for it in recorded if isinstance(it, dict)]
        return len(turns) == len(question.turns) and all(
            was.get("role") == now.role and self._same(was.get("content"), now.text)
            for was, now in zip(turns, question.turns, strict=True)
        )

    def _same(self, recorded: object, text: str) -> bool:
        """Whether a text is the recorded one, which has no secrets and may have been cut."""
        if not isinstance(recorded, str):
            return False
        cut = _LEFT_OUT.search(recorded)
        if cut is not None and len(text) > len(recorded):
            recorded = recorded[: cut.start()]
            text = text[: len(text) - int(cut[1].replace(",", ""))]
        return _matches(recorded, self._redact(text).encode(errors="replace").decode())

    def _error(self, problem: str) -> TargetError:
        return TargetError(
            f"target `{self.name}`: the results file {self._path} {problem}", kind="configuration"
        )


def _given(recorded: RecordedReply, *, answered_by: AnsweredBy | None, model: str | None) -> Reply:
    """Return a recorded reply as its target gave it, with all that reading it depends on.

    Raises:
        TargetError: the target refused the question.
    """
    if recorded.refused:
        raise TargetError(recorded.problem, kind="rejected", of_request=True)
    details = {
        WRITTEN_TOKENS: recorded.written,
        RECORDED_PROBLEM: recorded.reply_problem,
        ASKED_AGAIN: recorded.has_further or None,
    }
    return Reply(
        text=recorded.text or "",
        finish_reason=recorded.finish_reason,
        answered_by=answered_by,
        model=model,
        details={name: value for name, value in details.items() if value is not None},
    )


def _matches(recorded: str, text: str) -> bool:
    """Whether a text is the recorded one, in which unknown secrets may have been replaced."""
    start, *parts = recorded.split(REDACTED)
    if not parts:
        return recorded == text
    place = len(start)
    for part in parts[:-1]:
        found = text.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    end = parts[-1]
    return text.startswith(start) and text.endswith(end) and len(text) - len(end) >= place


def make(config: ReplayConfig, context: TargetContext) -> ReplayTarget:
    """Return the target of an entry."""
    return ReplayTarget(config, folder=context.folder, redactor=context.redactor)
