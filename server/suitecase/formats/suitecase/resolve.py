"""Resolving a suite for grading: inheritance applied, short forms expanded, prompts read.

The runner grades by the result, and `suitecase show` prints it, with the origin of each part.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from suitecase.format.workspace import Folder, Found, Unreadable
from suitecase.formats.suitecase.case_messages import expected_messages, input_messages
from suitecase.formats.suitecase.effective_suite import (
    EffectiveCase,
    EffectiveEvaluator,
    EffectiveSuite,
    Reason,
    UnsoundSuiteError,
)
from suitecase.formats.suitecase.graded_evaluators import as_graded
from suitecase.formats.suitecase.implicit_evaluators import CRITERIA, DEFAULT_JUDGE, RUBRIC, SCHEMA
from suitecase.formats.suitecase.judge_hash import is_judge
from suitecase.formats.suitecase.model import Case, PromptFile, SuiteHead
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedSuite, adds_evaluators
from suitecase.text.lines import Lines
from suitecase.text.node import Mapping, Node, Span, at
from suitecase.text.taken_names import TakenNames
from suitecase_evaluators.answers.rubric import Rubric, written_out
from suitecase_evaluators.grade.criteria import CriteriaConfig
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.grade.json_schema import JsonSchemaConfig
from suitecase_evaluators.grade.judge.config import LlmJudgeConfig


def judge_of_rubrics(rubrics: Sequence[str | Rubric] | None) -> LlmJudgeConfig:
    """Return the judge that the `rubrics` of a case become."""
    listed = None if rubrics is None else list(rubrics)
    return LlmJudgeConfig(name=RUBRIC, type="llm_judge", rubrics=listed)


def judge_of_criteria(criteria: str) -> CriteriaConfig:
    """Return the judge of `evaluation_criteria`."""
    return CriteriaConfig(name=CRITERIA, type="criteria", criteria=criteria)


def default_judge() -> LlmJudgeConfig:
    """Return the judge of a case that nothing else grades."""
    return LlmJudgeConfig(name=DEFAULT_JUDGE, type="llm_judge")


def resolve(
    suite: ParsedSuite, path: Path, folder: Folder, *, only: Collection[int] | None = None
) -> EffectiveSuite:
    """Return a suite as it will be graded.

    Args:
        suite: a suite without errors that prevent the resolved cases from being graded.
        path: the suite's path.
        folder: its folder, where prompts are looked up.
        only: the numbers of the cases to resolve; the others may then have errors.

    Raises:
        UnsoundSuiteError: the suite has errors.
    """
    resolver = Resolver(suite, path, folder, key_lines=True)
    numbers = range(len(suite.cases)) if only is None else sorted(only)
    return resolver.with_cases(tuple(map(resolver.case, numbers)))


class Resolver:
    """Resolves the cases of a suite one by one, with what they share: `resolve` in steps."""

    def __init__(
        self, suite: ParsedSuite, path: Path, folder: Folder, *, key_lines: bool = False
    ) -> None:
        """
        Args:
            key_lines: whether the cases have the lines of their keys, for which runs have no use.

        Raises:
            UnsoundSuiteError: the head of the suite has errors.
        """
        if suite.head.model is None:
            raise UnsoundSuiteError(str(path))
        self._suite = suite
        self._path = path
        self._folder = folder
        self._head = suite.head.model
        self._inherited = _Inherited(suite, self._head, folder)
        self._key_lines = key_lines

    def with_cases(self, cases: Sequence[EffectiveCase]) -> EffectiveSuite:
        """Return the suite with some cases.

        Raises:
            UnsoundSuiteError: its prompt cannot be read.
        """
        return EffectiveSuite(
            path=self._path,
            dataset=self._head.dataset or dataset_name(self._path),
            head=self._head,
            prompt=_prompt(self._head, self._folder),
            cases=cases,
            judge_lines=_judge_lines(self._suite),
        )

    def case(self, number: int) -> EffectiveCase:
        """Return a case by its number in the suite, from 0.

        Raises:
            UnsoundSuiteError: it has errors, or what it inherits has.
        """
        suite, parsed = self._suite, self._suite.cases[number]
        start = suite.document.cases.starts[number]
        text = parsed.source if parsed.node is None else case_text(suite, number, parsed.node)
        return self.placed(parsed, CasePlace(number, start, text, suite.document.lines))

    def placed(self, parsed: ParsedCase, place: CasePlace) -> EffectiveCase:
        """Return a case of the suite, or of one that differs in its cases only.

        Raises:
            UnsoundSuiteError: it has errors, or what it inherits has.
        """
        case = _case(parsed, place, self._head, self._inherited, self._folder)
        if not self._key_lines or parsed.node is None:
            return case
        keys = {name: it.key for name, it in parsed.node if not name.startswith("x-")}
        return replace(case, lines={name: place.line(key.span) for name, key in keys.items()})


class CasePlace(NamedTuple):
    """Where a case is in a suite.

    `number` is its number, from 0; `start` is where the text starts that its places count in; `text` is
    its own text, and `lines` is that of the suite.
    """

    number: int
    start: int
    text: str
    lines: Lines

    def line(self, span: Span) -> int:
        """Return the line, from 1, of a place in the case."""
        return self.lines.number(self.start + span.start)

    def key_line(self, node: Mapping, name: str) -> int | None:
        """Return the line, from 1, of a key of the case; None where it does not have it."""
        entry = node.entries.get(name)
        return None if entry is None else self.line(entry.key.span)


class _Inherited:
    """The evaluators that cases share, each made when the first case needs it: others may do without."""

    def __init__(self, suite: ParsedSuite, head: SuiteHead, folder: Folder) -> None:
        self._suite = suite
        self._head = head
        self._folder = folder

    @cached_property
    def of_suite(self) -> tuple[EffectiveEvaluator, ...] | None:
        return _suite_evaluators(self._suite, self._head, self._folder)

    @cached_property
    def target(self) -> tuple[str | None, int | None]:
        """The target with its line."""
        execution, node = self._head.execution, self._suite.head.node
        if execution is None or not execution.target or node is None:
            return None, None
        written, _, _ = at(node, ("execution", "target"))
        return execution.target, self._suite.head_line(written.span)

    @property
    def appends(self) -> bool:
        """Whether its evaluators grade in addition to a case's own."""
        return self._suite.appends

    @cached_property
    def of_mode(self) -> EffectiveEvaluator:
        config = judge_of_criteria(self._head.evaluation_criteria or "")
        return _effective(config, "evaluation_mode", None, self._head, self._folder)

    @cached_property
    def default(self) -> EffectiveEvaluator:
        return _effective(default_judge(), "default", None, self._head, self._folder)


def _judge_lines(suite: ParsedSuite) -> dict[str, int]:
    judges = suite.head.node.get("judges") if suite.head.node is not None else None
    named = judges if isinstance(judges, Mapping) else ()
    return {name: suite.head_line(entry.key.span) for name, entry in named}


def dataset_name(path: Path) -> str:
    """Return the default name of a suite."""
    name = path.name
    for ending in (".yaml", ".yml", ".jsonl", ".eval"):
        name = name.removesuffix(ending)
    return name


def _prompt(head: SuiteHead, folder: Folder) -> str:
    if not isinstance(head.prompt, PromptFile):
        return head.prompt or ""
    found = folder.find(head.prompt.file)
    text = folder.read(found.path) if isinstance(found, Found) else None
    if text is None or isinstance(text, Unreadable):
        raise UnsoundSuiteError(f"the prompt {head.prompt.file} cannot be read")
    return text


def _suite_evaluators(
    suite: ParsedSuite, head: SuiteHead, folder: Folder
) -> tuple[EffectiveEvaluator, ...] | None:
    listed = head.execution.evaluators if head.execution else None
    if listed is None:
        return None
    path = ("execution", "evaluators")
    lines = _item_lines(suite.head.node, path, suite.head_line)
    return tuple(
        _effective(config, "suite", line, head, folder)
        for config, line in zip(listed, lines, strict=True)
    )


def _item_lines(root: Node | None, path: tuple[str, ...], line: Callable[[Span], int]) -> list[int]:
    node, _, taken = at(root, path) if root is not None else (None, None, 0)
    if node is None or taken < len(path):
        return []
    items: Sequence[Node] = getattr(node, "items", ())
    return [line(item.span) for item in items]


def _case(
    parsed: ParsedCase,
    place: CasePlace,
    head: SuiteHead,
    inherited: _Inherited,
    folder: Folder,
) -> EffectiveCase:
    case, line = parsed.model, place.line
    if case is None or parsed.node is None:
        raise UnsoundSuiteError(f"the case on line {line(Span(0, 0))} has errors")
    execution = case.execution
    target, target_line = inherited.target
    if execution is not None and execution.target:
        target = execution.target
        node, _, _ = at(parsed.node, ("execution", "target"))
        target_line = line(node.span)
    own: tuple[EffectiveEvaluator, ...] | None = None
    for listed, path in (
        (execution.evaluators if execution else None, ("execution", "evaluators")),
        (case.evaluators, ("evaluators",)),
    ):
        if listed is not None:
            own = tuple(
                _effective(config, "case", at_line, head, folder)
                for config, at_line in zip(
                    listed, _item_lines(parsed.node, path, line), strict=True
                )
            )
            break
    chosen = own if own is not None else inherited.of_suite or ()
    if own is not None and inherited.appends and adds_evaluators(parsed):
        chosen = appended(own, inherited.of_suite or ())
    return EffectiveCase(
        id=case.id,
        position=place.number + 1,
        line=line(parsed.node.span),
        text=place.text,
        case=case,
        input_messages=input_messages(case),
        expected_messages=expected_messages(case),
        target=target,
        target_line=target_line,
        evaluators=(
            *_implied(case, parsed.node, place, head, bool(chosen), folder, inherited),
            *chosen,
        ),
    )


def appended(
    own: Sequence[EffectiveEvaluator], others: Sequence[EffectiveEvaluator]
) -> tuple[EffectiveEvaluator, ...]:
    """Return a case's own evaluators followed by the suite's, each with a unique name."""
    taken = TakenNames(it.config.name for it in own)
    all_of_them = list(own)
    for evaluator in others:
        name = taken.take(evaluator.config.name)
        if name == evaluator.config.name:
            all_of_them.append(evaluator)
            continue
        config = evaluator.config.model_copy(update={"name": name})
        all_of_them.append(replace(evaluator, config=config))
    return tuple(all_of_them)


def case_text(suite: ParsedSuite, number: int, node: Mapping) -> str:
    """Return the text of a case in its suite; records have its hash."""
    if suite.document.segmented:
        return suite.cases[number].source
    span = suite.place(number, node.span)
    return suite.document.text[span.start : span.end]


def _implied(
    case: Case,
    node: Mapping,
    place: CasePlace,
    head: SuiteHead,
    has_evaluators: bool,
    folder: Folder,
    inherited: _Inherited,
) -> list[EffectiveEvaluator]:
    """Return the evaluators implied by a case's other keys, which come before the others."""
    implied: list[EffectiveEvaluator] = []
    if head.evaluation_mode == "llm":
        implied.append(inherited.of_mode)
    elif head.evaluation_mode == "schema":
        schema = case.evaluation_schema or ""
        config: EvaluatorConfig = JsonSchemaConfig(name=SCHEMA, type="json_schema", schema=schema)
        implied.append(
            EffectiveEvaluator(config, "evaluation_mode", place.key_line(node, "evaluation_schema"))
        )
    if case.rubrics:
        config = judge_of_rubrics(written_out(case.rubrics))
        line = place.key_line(node, "rubrics")
        implied.append(_effective(config, "rubrics", line, head, folder))
    if not implied and not has_evaluators:
        implied.append(inherited.default)
    return implied


def _effective(
    config: EvaluatorConfig, reason: Reason, line: int | None, head: SuiteHead, folder: Folder
) -> EffectiveEvaluator:
    graded, files = as_graded(config, folder, head)
    set_by_name = is_judge(config) and config.name in (head.judges or {})
    return EffectiveEvaluator(graded, reason, line, files, config.name if set_by_name else None)
