"""The evals of a skill as a run needs them: what `suitecase run evals/evals.json` runs.

The target is an agent that has the skill. A judge grades its answer by the statements of the eval,
item by item, or by the expected output where there are none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from suitecase.formats.agent_skills.suite.facts import statements
from suitecase.formats.agent_skills.suite.files import files_named
from suitecase.formats.agent_skills.suite.parsed import SkillEval, SkillsFile
from suitecase.suite.dialect import DialectFile
from suitecase.suite.effective_suite import (
    EffectiveCase,
    EffectiveEvaluator,
    EffectiveSuite,
    Reason,
)
from suitecase.suite.graded_evaluators import as_graded
from suitecase.suite.model import Case, SuiteHead
from suitecase.suite.resolve import dataset_name, default_judge, judge_of_rubrics
from suitecase.suite.runnable import NotRunnable, RunnableSuite, RunnableTest
from suitecase.suite.target_files import targets_of_suite
from suitecase.suite.workspace import Folder, Found
from suitecase.syntax.node import Mapping as Tree
from suitecase.syntax.node import Node, Scalar, Span, plain
from suitecase_evaluators.message import Message, well_formed
from suitecase_evaluators.rubric import written_out

#: The keys of a statement that is a mapping, of which one has its text.
_TEXT_KEYS = ("text", "description", "statement", "criterion", "assertion")
_NOT_SAID = "Every statement of the eval holds"


def runnable_suite(
    file: DialectFile, path: Path, folder: Folder, environ: Mapping[str, str]
) -> RunnableSuite | None:
    """Return the evals of a skill as a suite that can be run; see `suite/runnable.py`."""
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
    return RunnableSuite(suite, targets_of_suite(path, {}, {}), _evals(file, path, folder))


def _evals(file: SkillsFile, path: Path, folder: Folder) -> Iterator[RunnableTest]:
    position = 0
    names = (it.name for it in file.named_tests(folder))
    for number, (own, name) in enumerate(zip(file.evals, names, strict=True)):
        span = file.document.cases[number].absolute(
            own.node.span if own.node is not None else Span(0, 0)
        )
        prompt = own.node.get("prompt") if own.node is not None else None
        if not isinstance(prompt, Scalar) or not prompt.text.strip():
            reason = "`suitecase run` asks the `prompt` of an eval, which this one does not have"
            problem = NotRunnable(reason, path, span)
            yield RunnableTest(name, path, span, (), (problem,))
            continue
        position += 1
        line = file.document.lines.number(span.start)
        case = _case(own, name, prompt.text, position, line, folder)
        yield RunnableTest(name, path, span, (case,))


def _case(
    own: SkillEval, name: str, prompt: str, position: int, line: int, folder: Folder
) -> EffectiveCase:
    """Return an eval with a prompt as a case."""
    stated = [well_formed(text) for _, it in statements(own) if (text := _statement(it))]
    expected = own.node.get("expected_output") if own.node is not None else None
    outcome = expected.text if isinstance(expected, Scalar) and expected.text.strip() else _NOT_SAID
    judge = judge_of_rubrics(written_out(stated)) if stated else default_judge()
    config, files = as_graded(judge, folder)
    message = _message(prompt, [it.text for it in files_named(own)], folder)
    reason: Reason = "rubrics" if stated else "default"
    return EffectiveCase(
        id=name,
        position=position,
        line=line,
        lines={},
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


def _statement(node: Node) -> str | None:
    """Return the text of a statement, which may be a mapping."""
    if isinstance(node, Tree):
        found = next((it for key in _TEXT_KEYS if (it := node.get(key)) is not None), None)
        return found.text if isinstance(found, Scalar) else json.dumps(plain(node))
    return node.text if isinstance(node, Scalar) and node.text.strip() else None


def _message(prompt: str, files: list[str], folder: Folder) -> Message:
    """Return what the agent is asked, with the files that are there."""
    found = [it for it in files if isinstance(folder.find(it), Found)]
    if not found:
        return Message(role="user", content=prompt)
    parts = [{"type": "text", "value": prompt}, *({"type": "file", "value": it} for it in found)]
    return Message.model_validate({"role": "user", "content": parts})
