"""Prepares the evals of a skill for `suitecase run evals/evals.json`.

The target is an agent that has the skill. A judge grades its answer by the statements of the eval,
item by item, or by the expected output if there are none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from suitecase.format.dialect import DialectFile
from suitecase.format.runnable import NotRunnable, RunnableSuite, RunnableTest
from suitecase.format.target_files import targets_of_suite
from suitecase.format.workspace import Folder, Found
from suitecase.formats.agent_skills.suite.facts import entry, may_state
from suitecase.formats.agent_skills.suite.files import files_named, has_other_files, why_not_sent
from suitecase.formats.agent_skills.suite.parsed import SkillEval, SkillsFile
from suitecase.formats.agent_skills.suite.places import described, in_file, place_of_eval
from suitecase.formats.agent_skills.suite.statements import (
    BEHAVIOR,
    STATING,
    expected_output,
    statement_of,
    statements,
    text_of,
)
from suitecase.formats.suitecase.effective_suite import (
    EffectiveCase,
    EffectiveEvaluator,
    EffectiveSuite,
    Reason,
)
from suitecase.formats.suitecase.graded_evaluators import as_graded
from suitecase.formats.suitecase.model import Case, SuiteHead
from suitecase.formats.suitecase.resolve import dataset_name, default_judge, judge_of_rubrics
from suitecase.text.node import Scalar, Sequence, Span, is_empty
from suitecase.text.plural import first_of
from suitecase_evaluators.answers.message import Message, well_formed
from suitecase_evaluators.answers.rubric import written_out
from suitecase_evaluators.targets.config.target import TargetConfig

#: How many keys a note names.
_MOST_NAMED = 5
_ALL_STATEMENTS = "Every statement of the eval holds"
_NO_PROMPT = "`suitecase run` sends the `prompt` of an eval, which this one does not have"


def runnable_suite(
    file: DialectFile,
    path: Path,
    folder: Folder,
    environ: Mapping[str, str],
    instead: TargetConfig | None = None,
) -> RunnableSuite | None:
    """Return the evals of a skill as a suite that can be run; see `format/runnable.py`."""
    if not isinstance(file, SkillsFile):
        return None
    skill = file.head.node.get("skill_name") if file.head.node is not None else None
    suite = EffectiveSuite(
        path=path,
        dataset=skill.text if isinstance(skill, Scalar) else dataset_name(path),
        head=SuiteHead(),
        prompt="",
        cases=(),
    )
    tests, notes = _evals(file, path, folder), (*_missing_files(file, folder), *_unread(file))
    return RunnableSuite(suite, targets_of_suite(path, {}, {}), tests, notes=notes)


def _missing_files(file: SkillsFile, folder: Folder) -> Iterator[str]:
    """Yield the files that are not sent since they are not there, for users."""
    names = dict.fromkeys(it.text for own in file.evals for it in files_named(own))
    for name in names:
        why = why_not_sent(name, folder)
        if why is not None:
            yield f"`{name}` is not sent: {why}"
    if any(has_other_files(own) for own in file.evals):
        yield "`files` that are not a list of paths are not sent"


def _unread(file: SkillsFile) -> Iterator[str]:
    """Yield what says how to grade and is not read, for users."""
    nodes = [own.node for own in file.evals if own.node is not None]
    lists = dict.fromkeys(name for node in nodes for name, it in node if may_state(it))
    keys = dict.fromkeys(
        it.key.text
        for own in file.evals
        for _, item in statements(own)
        for it in statement_of(item).unread
    )
    for where, names in (("evals", lists), ("statements", keys)):
        if names:
            listed = first_of([f"`{name}`" for name in names], _MOST_NAMED)
            yield f"nothing is graded by {listed} of {where}: `suitecase run` does not read it"


def _evals(file: SkillsFile, path: Path, folder: Folder) -> Iterator[RunnableTest]:
    position = 0
    names = (named_test.name for named_test in file.named_tests(folder))
    for number, (own, name) in enumerate(zip(file.evals, names, strict=True)):
        node = own.content.node
        span = file.document.cases[number].absolute(node.span if node is not None else Span(0, 0))
        prompt = own.node.get("prompt") if own.node is not None else None
        reason = _why_not_run(own)
        if reason is not None or not isinstance(prompt, Scalar):
            at_prompt = reason == _NO_PROMPT or not isinstance(prompt, Scalar)
            written = entry(own, "prompt") if at_prompt else None
            span_of_problem = place_of_eval(own) if written is None else written.key.span
            place = in_file(file, number, span_of_problem)
            problem = NotRunnable(reason or _NO_PROMPT, path, place, part=place)
            yield RunnableTest(name, path, span, (), (problem,))
            continue
        position += 1
        line = file.document.lines.number(span.start)
        case = _case(own, name, prompt.text, position, line, folder)
        yield RunnableTest(name, path, span, (case,))


def _why_not_run(own: SkillEval) -> str | None:
    """Return why an eval cannot be run; None if it can be."""
    node = own.node
    prompt = node.get("prompt") if node is not None else None
    if node is None or prompt is None or is_empty(prompt):
        return _NO_PROMPT
    if not isinstance(prompt, Scalar):
        return f"`suitecase run` sends a `prompt` that is a text; this one is {described(prompt)}"
    for key in STATING:
        listed = node.get(key)
        if listed is None or isinstance(listed, Sequence) or not text_of(listed):
            continue
        if key != BEHAVIOR or not isinstance(listed, Scalar):
            return f"`{key}` of this eval is not a list"
    stated = any(statement_of(it).text for _, it in statements(own))
    if not stated and expected_output(own) is None:
        return "there is nothing to grade by: the eval has no statements and no `expected_output`"
    return None


def _case(
    own: SkillEval, name: str, prompt: str, position: int, line: int, folder: Folder
) -> EffectiveCase:
    """Return an eval with a prompt as a case."""
    stated = [well_formed(it) for _, node in statements(own) if (it := statement_of(node).text)]
    outcome = expected_output(own) or _ALL_STATEMENTS
    judge = judge_of_rubrics(written_out(stated)) if stated else default_judge()
    config, files = as_graded(judge, folder)
    message = _message(prompt, [it.text for it in files_named(own)], folder)
    reason: Reason = "rubrics" if stated else "default"
    return EffectiveCase(
        id=name,
        position=position,
        line=line,
        text=own.source,
        case=Case.model_construct(
            id=name, expected_outcome=outcome, input_messages=[message], evaluators=[config]
        ),
        input_messages=(message,),
        expected_messages=(),
        target=None,
        target_line=None,
        evaluators=(EffectiveEvaluator(config, reason, line, files),),
    )


def _message(prompt: str, files: list[str], folder: Folder) -> Message:
    """Return the message to the agent, with the files that exist."""
    found = [file for file in files if isinstance(folder.find(file), Found)]
    if not found:
        return Message(role="user", content=prompt)
    parts = [{"type": "text", "value": prompt}, *({"type": "file", "value": it} for it in found)]
    return Message.model_validate({"role": "user", "content": parts})
