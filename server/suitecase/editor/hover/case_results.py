"""Hovers on the last result of a case: the verdict, the answer, and each evaluator's explanation."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from suitecase.editor.hover.evaluator_results import points, trouble, what_was_said
from suitecase.editor.markdown import code, fenced
from suitecase.editor.results import Answer, CaseResult, EvaluatorResult
from suitecase.editor.verdicts import age, changed, cost, quoted, sign, worded
from suitecase.text.shell_words import shell_word
from suitecase_evaluators.answers.records.answered_by import AnsweredBy
from suitecase_evaluators.answers.records.status import Status

#: The maximum length of an answer, in characters and lines.
_LONGEST_ANSWER, _MOST_LINES = 1_500, 25
_MOST_EVALUATORS = 12
_MOST_TOOLS = 12

#: Descriptions of answers and verdicts that did not come from a model.
_ANSWERED: dict[AnsweredBy, str] = {
    "program": "a program",
    "echo": "repeats the question",
    "canned": "a canned answer",
}
_JUDGED: dict[AnsweredBy, str] = {
    "program": "a program",
    "embedded": "the embedded judge, which counts words",
    "echo": "repeats the question",
    "canned": "a canned reply",
}


def result_text(result: CaseResult, *, stale: bool, now: datetime, not_run: str | None) -> str:
    """Return the last result of a case as Markdown.

    Args:
        result: the result.
        stale: whether the case, or anything its grade depends on, has changed since.
        now: the time used to tell its age.
        not_run: why a later run produced no result for the case; None if there was none.
    """
    parts = [_facts(result, now)]
    if not_run is not None:
        parts.insert(0, f"**Not run** the last time: {quoted(not_run)}")
    if stale:
        parts.append(f"**Stale**: {changed(result)} since.")
    if result.error and not any(
        with_member.error for with_member in _with_members(result.evaluators)
    ):
        outcome = "Not graded" if result.answer is not None else "Not answered"
        parts.append(f"**{outcome}**: {quoted(result.error)}")
    parts += _answer(result.answer)
    parts += _evaluators(result)
    return "\n\n".join(part for part in parts if part)


def not_run_text(reason: str | None, command: str | None) -> str:
    """Return the text for a case without a result.

    Args:
        reason: why the last run produced none; None if it was in no run.
        command: the shell command that runs it, if known.
    """
    cause = "" if reason is None else f" the last time: {quoted(reason)}"
    instruction = "**Run case** above it runs it"
    if command is not None:
        instruction += f", and in a shell {code(command)}"
    return f"**Not run**{cause}\n\n{instruction}."


def _facts(result: CaseResult, now: datetime) -> str:
    facts = [f"**{sign(result.status)} {worded(result)}**", age(now, result.at)]
    if result.target:
        unanswered = result.answer is None and result.status is Status.ERROR
        who = "asked of" if unanswered else "answered by"
        facts.append(f"{who} {code(result.target)}{_beside(result.answered_by, _ANSWERED)}")
    judges: dict[str, AnsweredBy | None] = {
        with_member.judge: with_member.judged_by
        for with_member in _with_members(result.evaluators)
        if with_member.judge
    }
    if judges:
        judge_names = (f"{code(name)}{_beside(kind, _JUDGED)}" for name, kind in judges.items())
        facts.append("judged by " + ", ".join(judge_names))
    if result.cut_off:
        facts.append(f"**{result.cut_off}**")
    if result.stood_in == "no model":
        facts.append("**no model was called**")
    elif result.rehearsed:
        facts.append("**a rehearsal: a stand-in judged**")
    if result.cost_usd is not None:
        facts.append(cost(result.cost_usd))
    return " · ".join(facts)


def _beside(kind: AnsweredBy | None, words: dict[AnsweredBy, str]) -> str:
    return f" ({words[kind]})" if kind in words else ""


def _answer(answer: Answer | None) -> Iterator[str]:
    """Yield the answer, escaped from Markdown."""
    if answer is None:
        return
    if answer.text.strip():
        yield f"Answer:\n\n{fenced(_beginning(answer))}"
    else:
        yield "The answer is empty."
    if answer.calls:
        calls = list(answer.calls.items())
        named = [code(name) + (f" ({count:,} times)" if count > 1 else "") for name, count in calls]
        more = len(named) - _MOST_TOOLS
        listed = ", ".join(named[:_MOST_TOOLS]) + (f" and {more:,} more" if more > 0 else "")
        yield f"Tools called: {listed}"


def _beginning(answer: Answer) -> str:
    lines = answer.text.strip("\r\n").splitlines()
    excerpt = "\n".join(lines[:_MOST_LINES])[:_LONGEST_ANSWER].rstrip()
    left_out = answer.left_out + len("\n".join(lines).rstrip()) - len(excerpt)
    if not left_out:
        return excerpt
    return f"{excerpt} …\n({left_out:,} more characters, see the log)"


def _evaluators(result: CaseResult) -> Iterator[str]:
    """Yield the explanations of the evaluators, with their names if there are several."""
    graded = result.evaluators
    if len(graded) == 1:
        yield from what_was_said(graded[0])
    else:
        for evaluator in graded[:_MOST_EVALUATORS]:
            heading = f"{code(evaluator.name)} ({evaluator.type}): {sign(evaluator.status)} {worded(evaluator)}"
            yield "\n\n".join([heading, *what_was_said(evaluator)])
        if len(graded) > _MOST_EVALUATORS:
            more = len(graded) - _MOST_EVALUATORS
            yield f"And {more:,} more evaluators, see the log."
    reported = {said for it in graded for said in (*it.misses, *it.hits)}
    yield points(
        tuple(miss for miss in result.misses if miss not in reported),
        tuple(hit for hit in result.hits if hit not in reported),
    )
    if result.reasoning and not any(it.reasoning or trouble(it) for it in graded):
        yield quoted(result.reasoning)


def _with_members(graded: tuple[EvaluatorResult, ...]) -> Iterator[EvaluatorResult]:
    for evaluator in graded:
        yield evaluator
        yield from _with_members(evaluator.members)


def command_that_runs(suite: str, case: str) -> str:
    """Return the shell command that runs a case."""
    return f"suitecase run {shell_word(f'{suite}::{case}')}"
