"""Digests of a case: of its question, of what it expects, and of how it is graded.

They are digests of values: comments, the order of keys, quotes and short forms do not change them,
nor do keys that a later version of Suitecase adds with a default. They are computed from files of
the workspace alone. Nothing is executed, and targets do not count.

The parts that all cases have from the head of the suite are digests of their own. A case that was
locked can so be compared by what stands in the case, and the head once, for all of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from suitecase.evidence.releases.executed_files import executed_files
from suitecase.evidence.releases.file_digests import FileDigests, digest_of_text
from suitecase.formats.suitecase.case_messages import expected_messages, input_messages
from suitecase.formats.suitecase.implicit_evaluators import CRITERIA, DEFAULT_JUDGE, RUBRIC
from suitecase.formats.suitecase.model import Case, PromptFile, SuiteHead
from suitecase.formats.suitecase.prompts import prompt_text
from suitecase.formats.suitecase.resolve import judge_of_rubrics
from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.answers.rubric import Rubric
from suitecase_evaluators.grade.evaluator import EvaluatorConfig, Reading
from suitecase_evaluators.grade.registry import description_of, is_third_party, with_members
from suitecase_evaluators.grade.third_party import providers
from suitecase_evaluators.text.written_number import encoded

#: Made once: `json.dumps` would make one for each value.
_encode = json.JSONEncoder(sort_keys=True, default=str, check_circular=False).encode
#: The number of hexadecimal digits of a digest of a part of a case.
DIGITS = 16


@dataclass(frozen=True, slots=True)
class CaseDigests:
    """The digests of a case.

    Attributes:
        question: of its messages, the files in them, the system prompt and `expected_schema`.
        expected: of its expected outcome and messages, the files in them, and its `sidecar`.
        grading: of the evaluators that grade it, with their prompts and scripts.
    """

    question: str
    expected: str
    grading: str

    def differing(self, other: CaseDigests) -> tuple[str, ...]:
        """Return the names of the parts that differ."""
        return tuple(part for part in PARTS if getattr(self, part) != getattr(other, part))


#: The parts of a case that have digests.
PARTS = ("question", "expected", "grading")

#: What `judges` says apart from how a judge grades.
_NOT_GRADING = {"calibration", "probes"}


@dataclass(frozen=True, slots=True)
class HeadDigests:
    """The digests of what the cases of a suite inherit from its head.

    Attributes:
        question: of the system prompt and `expected_schema`.
        mode: of `evaluation_mode` and `evaluation_criteria`.
        evaluators: of the suite's evaluators; None if it lists none.
        names: the names of these, and of their members.
        judges: of the protocol of each judge, by the name of its evaluators.
    """

    question: str
    mode: str
    evaluators: str | None
    names: tuple[str, ...] = ()
    judges: Mapping[str, str] = field(default_factory=dict)


def head_digests(head: SuiteHead, files: FileDigests) -> HeadDigests:
    """Return the digests of what the cases of a suite inherit from its head."""
    prompt: str | None = head.prompt if isinstance(head.prompt, str) else None
    if isinstance(head.prompt, PromptFile):
        prompt = files.named(head.prompt.file) or head.prompt.file
    elif prompt:
        prompt = digest_of_text(prompt)  # the text of a file has the same
    listed = head.execution.evaluators if head.execution is not None else None
    criteria = head.evaluation_criteria if head.evaluation_mode == "llm" else None
    return HeadDigests(
        question=digest_of([prompt or "", head.expected_schema]),
        mode=digest_of([head.evaluation_mode, criteria]),
        evaluators=None
        if listed is None
        else digest_of([evaluator_digest(item, files) for item in listed]),
        names=tuple(with_member.name for with_member in with_members(listed or ())),
        judges=dict(_protocols(head, files)),
    )


def _protocols(head: SuiteHead, files: FileDigests) -> Iterator[tuple[str, str]]:
    """Yield the digests of what the suite says about the grading of its judges, by name."""
    reading = _reading(files)
    for name, protocol in (head.judges or {}).items():
        values = protocol.model_dump(exclude_none=True, exclude=_NOT_GRADING)
        if protocol.prompt is not None:
            values["prompt"] = reading.prompt(protocol.prompt)
        if protocol.references is not None:
            values["references"] = [
                reading.reference(reference) for reference in protocol.references
            ]
        if values:
            yield name, digest_of(values)


def case_digests(
    case: Case,
    head: SuiteHead,
    inherited: HeadDigests,
    files: FileDigests,
    *,
    appended: bool,
    asked: Sequence[Message] | None = None,
    gradings: dict[tuple[bool, str], str] | None = None,
) -> CaseDigests:
    """Return the digests of a case.

    Args:
        case: the case.
        head: the head of its suite.
        inherited: the digests of what it inherits.
        files: the digests of files.
        appended: whether the suite's evaluators grade it in addition to its own.
        asked: its `input_messages`, if they are known.
        gradings: where the digests of gradings are kept, for the next case of the suite that is graded
            alike; only with files that nobody asks which of them were used.
    """
    asked = input_messages(case) if asked is None else asked
    expected = expected_messages(case)
    if gradings is None:
        grading = _grading(case, head, inherited, files, appended=appended)
    else:
        alike = (appended, _written_grading(case))
        known = gradings.get(alike)
        grading = known or _grading(case, head, inherited, files, appended=appended)
        if known is None and len(gradings) < _MOST_GRADINGS:
            gradings[alike] = grading
    return CaseDigests(
        question=digest_of([inherited.question, _messages(asked), _files_in(asked, files)]),
        expected=digest_of(
            [case.expected_outcome, _messages(expected), _files_in(expected, files), case.sidecar]
        ),
        grading=grading,
    )


#: The number of digests of gradings that are kept.
_MOST_GRADINGS = 1_000


def _own_evaluators(case: Case) -> Sequence[EvaluatorConfig] | None:
    own = case.execution.evaluators if case.execution is not None else None
    return case.evaluators if own is None else own


def _written_grading(case: Case) -> str:
    """Return everything that a case itself says about its grading."""
    own = _own_evaluators(case)
    listed = None if own is None else [it.model_dump() for it in own]
    rubrics = [
        rubric if isinstance(rubric, str) else rubric.model_dump() for rubric in case.rubrics or ()
    ]
    return repr((listed, rubrics, case.evaluation_schema))


def _grading(
    case: Case, head: SuiteHead, inherited: HeadDigests, files: FileDigests, *, appended: bool
) -> str:
    own = _own_evaluators(case)
    takes_suite = own is None or appended
    graders = list(own or ())
    digests = [evaluator_digest(grader, files) for grader in graders]
    names = [with_member.name for with_member in with_members(graders)]
    if case.rubrics:
        digests.insert(0, _rubrics_digest(case.rubrics, files))
        names.insert(0, RUBRIC)
    names += inherited.names if takes_suite else ()
    names += [CRITERIA] if head.evaluation_mode == "llm" else [] if names else [DEFAULT_JUDGE]
    judged = {name: inherited.judges[name] for name in names if name in inherited.judges}
    return digest_of(
        [
            inherited.mode,
            case.evaluation_schema if head.evaluation_mode == "schema" else None,
            digests,
            inherited.evaluators if takes_suite else None,
            *([judged] if judged else ()),
        ]
    )


#: The digests of judges by their rubrics; the rubrics of a case that is edited rarely change.
_OF_RUBRICS: dict[tuple[str, ...], str] = {}
_MOST_RUBRICS = 1_000


def _rubrics_digest(rubrics: Sequence[str | Rubric], files: FileDigests) -> str:
    """Return the digest of the judge that the rubrics of a case become, which names no files."""
    key = tuple(
        repr(rubric) if isinstance(rubric, str) else rubric.model_dump_json() for rubric in rubrics
    )
    digest = _OF_RUBRICS.get(key)
    if digest is None:
        if len(_OF_RUBRICS) >= _MOST_RUBRICS:
            _OF_RUBRICS.clear()
        digest = _OF_RUBRICS[key] = evaluator_digest(judge_of_rubrics(rubrics), files)
    return digest


def evaluator_digest(config: EvaluatorConfig, files: FileDigests) -> str:
    """Return the digest of an evaluator: its entry, its files, and the package that provides it."""
    has_members = description_of(config).members(config)
    configs = list(with_members((config,))) if has_members else [config]
    packages = [str(it) for name in _third_party(configs) for it in providers()[name]]
    used = [files.of(path) for it in configs for path in _files_of(it, files)]
    resolved = _resolved(config, files)
    return digest_of([resolved.model_dump(exclude_defaults=True), used, packages])


def _third_party(configs: Iterable[EvaluatorConfig]) -> Iterator[str]:
    return (config.type for config in configs if is_third_party(config.type))


def _files_of(config: EvaluatorConfig, files: FileDigests) -> Iterator[Any]:
    """Yield the files that an evaluator executes, or compares answers with."""
    folder, description = files.folder, description_of(config)
    for command in description.commands(config):
        files.looked = True
        start = folder.start_folder(command.cwd)
        if start is not None:
            yield from executed_files(command.line, start, folder.workspace)
    for file in description.files(config):
        yield folder.path / file


def _resolved(config: EvaluatorConfig, files: FileDigests) -> EvaluatorConfig:
    """Return an entry as it grades, with the digests of texts in the place of texts and paths."""
    resolved: EvaluatorConfig = _reading(files).member(config)
    return resolved


def _reading(files: FileDigests) -> Reading:
    """Return what resolves entries by reading digests."""

    if files.reading is not None:
        return files.reading

    def text(prompt: str) -> str:
        files.looked = True  # the prompt may be the path of a file
        found, path = prompt_text(prompt, files.folder)
        if path is not None:
            return files.of(path) or prompt
        return digest_of_text(found) if isinstance(found, str) else prompt

    def file(reference: str) -> str:
        return files.named(reference.strip()) or reference

    def member(config: EvaluatorConfig) -> EvaluatorConfig:
        resolved: EvaluatorConfig = description_of(config).as_graded(config, reading)
        return resolved

    reading = files.reading = Reading(text, member, lambda it: {"": file(it)}, file)
    return reading


def _messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    return [message.values() for message in messages]


def _files_in(messages: Sequence[Message], files: FileDigests) -> list[str | None]:
    """Return the digests of the files whose content messages have."""
    return [
        files.named(part.value)
        for message in messages
        for part in (message.content if isinstance(message.content, list) else ())
        if part.type == "file"
    ]


def digest_of(value: Any) -> str:
    """Return the digest of a value, in which the order of keys does not count."""
    text = encoded(value, _encode)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
