"""An answer as evaluators see it: with its question, what was expected, and what the target did."""

from __future__ import annotations

from suitecase.formats.suitecase.effective_suite import EffectiveCase
from suitecase.run.case_prompt import CasePrompt
from suitecase.run.human_labels import labels_of_answer
from suitecase.run.record_fields import trace_of
from suitecase.run.suite_in_run import SuiteInRun
from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.answers.refusals import PROVIDERS_TEXT
from suitecase_evaluators.grade.evaluator import Subject
from suitecase_evaluators.targets.target import OUTPUT, CallContext, Reply


def subject_of(
    case: EffectiveCase,
    suite: SuiteInRun,
    prompt: CasePrompt,
    reply: Reply,
    call_context: CallContext | None,
) -> Subject:
    """Return an answer with everything that evaluators may look at."""
    return Subject(
        eval_id=case.id,
        question=prompt.question_text,
        expected_outcome=case.case.expected_outcome,
        candidate_answer=reply.text,
        reference_answer=prompt.reference_answer,
        input_messages=case.input_messages,
        expected_messages=prompt.expected_messages,
        output_messages=_messages(reply),
        guideline_files=prompt.question.guideline_files,
        input_files=prompt.question.input_files,
        trace=trace_of(reply),
        call_context=call_context,
        finish_reason=reply.finish_reason,
        seed=suite.suite.head.execution.seed if suite.suite.head.execution else None,
        provider_refusal=_text(reply.details.get(PROVIDERS_TEXT)),
        labels=labels_of_answer(suite.people, case.id, reply.text),
        labels_unread=suite.people.unread,
        labels_awaited=suite.people.awaited,
        sidecar=case.case.sidecar,
        system_prompt=suite.suite.prompt,
        folder=suite.folder.path,
        folders=suite.folder.workspace.folders_up(suite.folder.path),
        row=case.row,
        output=reply.details.get(OUTPUT),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _messages(reply: Reply) -> tuple[Message, ...]:
    return reply.output_messages or (Message(role="assistant", content=reply.text),)
