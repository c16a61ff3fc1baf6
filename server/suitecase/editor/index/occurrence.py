"""The names in a suite or a targets file: their definitions and references."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

from suitecase.format.target_files import ParsedTargets
from suitecase.formats.suitecase.elements import (
    ParsedEvaluator,
    ParsedEvaluators,
    judges_in,
    messages_in,
)
from suitecase.formats.suitecase.implicit_evaluators import RUBRIC
from suitecase.formats.suitecase.model import SuiteHead
from suitecase.formats.suitecase.prompts import PROMPTS, references_of
from suitecase.formats.suitecase.scripts import commands_of, script_of
from suitecase.formats.suitecase.sent_files import sent_references
from suitecase.schema.key_roles import Kind
from suitecase.schema.role_texts import role_texts
from suitecase.schema.roles import key_with
from suitecase.text.embedded import Embedded
from suitecase.text.node import UNRESOLVED, Copied, Mapping, Node, Scalar, Sequence, Span
from suitecase_evaluators.grade.judge.template import find_variables
from suitecase_evaluators.grade.registry import is_third_party
from suitecase_evaluators.schema.field_role import FieldRole

_INPUTS = ("input_messages", "input", "expected_messages", "expected_output")
#: The tag of generated texts: see `suitecase.text.tree_changes.said`.
_TEXT_TAG = "tag:yaml.org,2002:str"
#: Longer texts are prompts, not file names.
_LONGEST_PATH = 1024

#: The scope of a name that is more than a name, such as the id of a provider.
FIXED: tuple[str, ...] = ("fixed",)

#: Keys and indexes from a part to the list a name belongs to.
Scope = tuple[str | int, ...]
#: The scope of the names of evaluators in gates and metrics, which are about all cases. That of a
#: rubric's name has the evaluator's name, too.
FIGURES: Scope = ("gates",)


#: Names that a suite of another tool shares with the files that it names.
LINKED = (Kind.TEST_VARIABLE, Kind.PROVIDER, Kind.PROMPT_LABEL, Kind.SCORE_NAME)


class WrittenAs(Enum):
    """How a name is written in a gate, which decides when it needs backquotes."""

    FIGURE = auto()
    #: After a dot.
    PART = auto()
    #: In brackets.
    SLICE = auto()
    #: After `by`.
    FACET = auto()


class InFormula(NamedTuple):
    """A name in a gate or a metric: from `start` to before `end` of its text.

    `span` is the whole text's, with its quotes.
    """

    span: Span
    text: str
    start: int
    end: int
    written_as: WrittenAs


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An occurrence of a name.

    Attributes:
        kind: the kind of thing it refers to.
        name: the name; for a file, the path as written.
        span: its position, with its quotes.
        scope: the list the name belongs to, within its part; for a prompt and its variables, the
            evaluator.
        defines: whether it is a definition, not a reference.
        alias: the alias it is read through; `span` is then at the anchor.
        starts_in: the only folder a file is looked up in, relative to this file.
        owner: of a rubric or a member, the name of its evaluator.
        formula: the gate or metric that it is in.
    """

    kind: Kind
    name: str
    span: Span
    scope: Scope = ()
    defines: bool = False
    alias: Span | None = None
    starts_in: str | None = None
    owner: str | None = None
    formula: InFormula | None = None

    @property
    def at(self) -> Span:
        """The position a reader sees."""
        return self.alias or self.span


class Part(NamedTuple):
    """A case, or another part of a file, with the names in it.

    `number` counts cases from 0; spans are relative to `start`.
    """

    number: str | int
    start: int
    occurrences: tuple[Occurrence, ...]


def occurrences_in_case(case: Mapping, source: str) -> list[Occurrence]:
    """Return the names in a case in the current format.

    Args:
        case: the case.
        source: the text of its spans.
    """
    occurrences = [*occurrences_of(case.get("id"), source, Kind.CASE, defines=True)]
    occurrences += _in_execution(case, source)
    occurrences += _in_evaluators(case.get("evaluators"), source, ("evaluators",))
    occurrences += _in_rubrics(case.get("rubrics"), source, ("rubrics",), RUBRIC)
    tags = case.get("tags")
    for tag in tags.items if isinstance(tags, Sequence) else ():
        occurrences += occurrences_of(tag, source, Kind.TAG, defines=True)
    for key in _INPUTS:
        occurrences += _in_messages(case.get(key), source)
    return occurrences


def occurrences_in_head(head: Mapping, source: str) -> list[Occurrence]:
    """Return the names in a head in the current format."""
    occurrences = [*_in_execution(head, source)]
    prompt = head.get("prompt")
    if isinstance(prompt, Mapping):
        occurrences += occurrences_of(prompt.get("file"), source, Kind.FILE)
    for judge in judges_in(head.get("judges")):
        occurrences += _in_judge(judge, source, ("judges", judge.judge))
    for file in role_texts(SuiteHead, head, FieldRole.FILE):
        occurrences += occurrences_of(file.node, source, Kind.FILE)
    return occurrences


def occurrences_in_targets(targets: ParsedTargets) -> list[Occurrence]:
    """Return the names in a targets file."""
    occurrences: list[Occurrence] = []
    for target in targets.items:
        occurrences += occurrences_of(target.name, targets.source, Kind.TARGET, defines=True)
        judge = target.judge_target
        if judge is not None and "${{" not in judge.text:
            occurrences += occurrences_of(judge, targets.source, Kind.TARGET)
        response = target.node.get("response")
        if isinstance(response, Mapping):
            for _, entry in response:
                occurrences += occurrences_of(entry.key, targets.source, Kind.CASE, ("response",))
        results = target.node.get("results")
        occurrences += occurrences_of(results, targets.source, Kind.FILE, starts_in=".")
    for alias in targets.aliases:
        occurrences += occurrences_of(alias.name, targets.source, Kind.TARGET, defines=True)
        if alias.variable is None:
            occurrences += occurrences_of(alias.of, targets.source, Kind.TARGET)
    return occurrences


def case_file(node: Scalar) -> Occurrence:
    """Return the file that contains the cases of a suite."""
    name = node.text.strip().removeprefix("file:").removeprefix("//")
    return Occurrence(Kind.FILE, name, node.span)


def occurrences_in_text(text: str) -> list[Occurrence]:
    """Return the variables in a prompt file."""
    return [
        Occurrence(Kind.VARIABLE, variable.name, Span(variable.start, variable.end))
        for variable in find_variables(text)
    ]


def occurrences_of(
    node: Node | None,
    source: str,
    kind: Kind,
    scope: Scope = (),
    *,
    defines: bool = False,
    starts_in: str | None = None,
    owner: str | None = None,
) -> Iterator[Occurrence]:
    """Yield the occurrence of a name that is a whole text; none for one that is generated."""
    if not isinstance(node, Scalar) or not node.text.strip() or node.style == UNRESOLVED:
        return
    original = node.origin if isinstance(node, Copied) else node
    implied = original.tag == _TEXT_TAG and not original.style
    if implied and source[original.start : original.end] != original.text:
        return  # generated from legacy syntax
    alias = node.span if original is not node else None
    yield Occurrence(kind, node.text, original.span, scope, defines, alias, starts_in, owner)


def _in_execution(part: Mapping, source: str) -> Iterator[Occurrence]:
    execution = part.get("execution")
    if isinstance(execution, Mapping):
        yield from occurrences_of(execution.get("target"), source, Kind.TARGET)
        listed = execution.get("evaluators")
        yield from _in_evaluators(listed, source, ("execution", "evaluators"))


def _in_evaluators(
    node: Node | None, source: str, scope: Scope, owner: str | None = None
) -> Iterator[Occurrence]:
    if not isinstance(node, Sequence):
        return
    numbers = {id(item): number for number, item in enumerate(node.items)}
    for evaluator in ParsedEvaluators(node).items:
        entry = evaluator.node
        named = entry.get("name")
        yield from occurrences_of(named, source, Kind.EVALUATOR, scope, defines=True, owner=owner)
        name = named.text if isinstance(named, Scalar) else None
        evaluator_scope = (*scope, numbers[id(entry)])
        yield from _in_judge(evaluator, source, evaluator_scope)
        for value in evaluator.values(FieldRole.SYNONYMS):
            yield from occurrences_of(value.node, source, Kind.FILE)
        yield from _scripts(evaluator, source)
        if is_third_party(evaluator.type):
            continue  # its other keys are defined by its package
        yield from _in_rubrics(entry.get("rubrics"), source, (*evaluator_scope, "rubrics"), name)
        yield from _in_weights(evaluator, source, evaluator_scope, name)
        members = (*evaluator_scope, "evaluators")
        yield from _in_evaluators(entry.get("evaluators"), source, members, name)


def _in_judge(judge: ParsedEvaluator, source: str, scope: Scope) -> Iterator[Occurrence]:
    """Yield the names in the settings of a judge."""
    for value in judge.values(FieldRole.TARGET):
        yield from occurrences_of(value.node, source, Kind.TARGET)
    for value in judge.values(*PROMPTS):
        yield from _in_prompt(value.node, source, scope)
    for reference in references_of(judge):
        yield from occurrences_of(reference, source, Kind.FILE)


def _in_weights(
    evaluator: ParsedEvaluator, source: str, here: Scope, owner: str | None
) -> Iterator[Occurrence]:
    members = key_with(evaluator.config, FieldRole.MEMBERS) if evaluator.config else None
    if members is None:
        return
    for value in evaluator.values(FieldRole.WEIGHTS):
        weights = value.node
        for _, entry in weights if isinstance(weights, Mapping) else ():
            yield from occurrences_of(
                entry.key, source, Kind.EVALUATOR, (*here, members), owner=owner
            )


def _in_rubrics(
    node: Node | None, source: str, scope: Scope, owner: str | None
) -> Iterator[Occurrence]:
    if isinstance(node, Sequence):
        for item in node.items:
            if isinstance(item, Mapping):
                yield from occurrences_of(
                    item.get("id"), source, Kind.RUBRIC, scope, defines=True, owner=owner
                )


def _in_prompt(node: Node | None, source: str, evaluator: Scope) -> Iterator[Occurrence]:
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return
    original = node.origin if isinstance(node, Copied) else node
    variables = find_variables(node.text)
    if variables:
        embedded = Embedded(original, source)
        alias = node.span if original is not node else None
        for variable in variables:
            span = embedded.span(variable.start, variable.end)
            yield Occurrence(Kind.VARIABLE, variable.name, span, evaluator, alias=alias)
    elif len(node.text) < _LONGEST_PATH and "\n" not in node.text.strip():
        yield from occurrences_of(node, source, Kind.PROMPT, evaluator)


def _scripts(evaluator: ParsedEvaluator, source: str) -> Iterator[Occurrence]:
    for command, cwd in commands_of(evaluator):
        script = script_of(command)
        folder = cwd.text if isinstance(cwd, Scalar) and cwd.value is not None else "."
        if script is None or isinstance(cwd, Mapping | Sequence) or "$" in folder:
            continue
        node, word = script
        original = node.origin if isinstance(node, Copied) else node
        start = node.text.index(word)
        span = Embedded(original, source).span(start, start + len(word))
        alias = node.span if original is not node else None
        yield Occurrence(Kind.FILE, word, span, alias=alias, starts_in=folder or ".")


def _in_messages(node: Node | None, source: str) -> Iterator[Occurrence]:
    for message in messages_in(node, only_with_role=False):
        for reference in sent_references(message):
            yield from occurrences_of(reference, source, Kind.FILE)
