"""The names of a suite and of a targets file, where they are given and where they are used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from suitecase.suite.elements import ParsedEvaluator, ParsedEvaluators, messages_in
from suitecase.suite.prompts import PROMPTS
from suitecase.suite.scripts import commands_of, script_of
from suitecase.suite.sent_files import sent_references
from suitecase.suite.target_files import ParsedTargets
from suitecase.syntax.embedded import Embedded
from suitecase.syntax.node import UNRESOLVED, Copied, Mapping, Node, Scalar, Sequence, Span
from suitecase_evaluators.field_role import FieldRole
from suitecase_evaluators.judge.template import find_variables
from suitecase_evaluators.registry import is_third_party

_INPUTS = ("input_messages", "input", "expected_messages", "expected_output")
#: How a text says that nobody wrote it: see `suitecase.syntax.tree_changes.said`.
_TEXT_TAG = "tag:yaml.org,2002:str"
#: Longer texts are prompts and name no file.
_LONGEST_PATH = 1024

#: Keys and indexes that lead from a part to the list a name belongs to.
Scope = tuple[str | int, ...]


class Kind(StrEnum):
    """What is named."""

    CASE = "case"
    TARGET = "target"
    EVALUATOR = "evaluator"
    RUBRIC = "rubric"
    ANCHOR = "anchor"
    VARIABLE = "variable"
    #: A prompt that may stand in a file of that name, and any other file.
    PROMPT = "prompt"
    FILE = "file"

    @property
    def is_file(self) -> bool:
        return self in (Kind.PROMPT, Kind.FILE)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name where it is written.

    Attributes:
        kind: what it names.
        name: the name; of a file the path as it is written.
        span: where it is written, with its quotes.
        scope: the list the name belongs to, within its part; of a prompt and of what stands in one
            the evaluator.
        defines: whether it is given here, not used.
        alias: the alias through which it is read here; `span` is then at its anchor.
        starts_in: of a file that is looked for in one folder only, that folder, from the file's own.
    """

    kind: Kind
    name: str
    span: Span
    scope: Scope = ()
    defines: bool = False
    alias: Span | None = None
    starts_in: str | None = None

    @property
    def at(self) -> Span:
        """Where a reader finds it."""
        return self.alias or self.span


def occurrences_in_case(case: Mapping, source: str) -> list[Occurrence]:
    """Return the names in a case, as today's format spells it.

    Args:
        case: the case.
        source: the text its places count in.
    """
    found = [*_named(case.get("id"), source, Kind.CASE, defines=True)]
    found += _in_execution(case, source)
    found += _in_evaluators(case.get("evaluators"), source, ("evaluators",))
    found += _in_rubrics(case.get("rubrics"), source, ("rubrics",))
    for key in _INPUTS:
        found += _in_messages(case.get(key), source)
    return found


def occurrences_in_head(head: Mapping, source: str) -> list[Occurrence]:
    """Return the names in a head, as today's format spells it."""
    found = [*_in_execution(head, source)]
    prompt = head.get("prompt")
    if isinstance(prompt, Mapping):
        found += _named(prompt.get("file"), source, Kind.FILE)
    return found


def occurrences_in_targets(targets: ParsedTargets) -> list[Occurrence]:
    """Return the names in a targets file."""
    found: list[Occurrence] = []
    for target in targets.items:
        found += _named(target.name, targets.source, Kind.TARGET, defines=True)
        judge = target.judge_target
        if judge is not None and "${{" not in judge.text:
            found += _named(judge, targets.source, Kind.TARGET)
        response = target.node.get("response")
        if isinstance(response, Mapping):
            for _, entry in response:
                found += _named(entry.key, targets.source, Kind.CASE, ("response",))
        results = target.node.get("results")
        found += _named(results, targets.source, Kind.FILE, starts_in=".")
    return found


def case_file(node: Scalar) -> Occurrence:
    """Return the file that a suite says its cases stand in."""
    name = node.text.strip().removeprefix("file:").removeprefix("//")
    return Occurrence(Kind.FILE, name, node.span)


def occurrences_in_text(text: str) -> list[Occurrence]:
    """Return the variables of a prompt that is a file of its own."""
    return [
        Occurrence(Kind.VARIABLE, it.name, Span(it.start, it.end)) for it in find_variables(text)
    ]


def _named(
    node: Node | None,
    source: str,
    kind: Kind,
    scope: Scope = (),
    *,
    defines: bool = False,
    starts_in: str | None = None,
) -> Iterator[Occurrence]:
    if not isinstance(node, Scalar) or not node.text.strip() or node.style == UNRESOLVED:
        return
    written = node.origin if isinstance(node, Copied) else node
    implied = written.tag == _TEXT_TAG and not written.style
    if implied and source[written.start : written.end] != written.text:
        return  # it follows from an older spelling
    alias = node.span if written is not node else None
    yield Occurrence(kind, node.text, written.span, scope, defines, alias, starts_in)


def _in_execution(part: Mapping, source: str) -> Iterator[Occurrence]:
    execution = part.get("execution")
    if isinstance(execution, Mapping):
        yield from _named(execution.get("target"), source, Kind.TARGET)
        listed = execution.get("evaluators")
        yield from _in_evaluators(listed, source, ("execution", "evaluators"))


def _in_evaluators(node: Node | None, source: str, scope: Scope) -> Iterator[Occurrence]:
    if not isinstance(node, Sequence):
        return
    numbers = {id(item): number for number, item in enumerate(node.items)}
    for evaluator in ParsedEvaluators(node).items:
        entry = evaluator.node
        yield from _named(entry.get("name"), source, Kind.EVALUATOR, scope, defines=True)
        here = (*scope, numbers[id(entry)])
        for it in evaluator.values(FieldRole.TARGET):
            yield from _named(it.node, source, Kind.TARGET)
        for it in evaluator.values(*PROMPTS):
            yield from _in_prompt(it.node, source, here)
        yield from _scripts(evaluator, source)
        if is_third_party(evaluator.type):
            continue  # what else stands under its keys is its package's to say
        yield from _in_rubrics(entry.get("rubrics"), source, (*here, "rubrics"))
        yield from _in_aggregator(entry.get("aggregator"), source, here)
        yield from _in_evaluators(entry.get("evaluators"), source, (*here, "evaluators"))


def _in_aggregator(node: Node | None, source: str, evaluator: Scope) -> Iterator[Occurrence]:
    if not isinstance(node, Mapping):
        return
    weights = node.get("weights")
    if isinstance(weights, Mapping):
        for _, entry in weights:
            yield from _named(entry.key, source, Kind.EVALUATOR, (*evaluator, "evaluators"))


def _in_rubrics(node: Node | None, source: str, scope: Scope) -> Iterator[Occurrence]:
    if isinstance(node, Sequence):
        for item in node.items:
            if isinstance(item, Mapping):
                yield from _named(item.get("id"), source, Kind.RUBRIC, scope, defines=True)


def _in_prompt(node: Node | None, source: str, evaluator: Scope) -> Iterator[Occurrence]:
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return
    written = node.origin if isinstance(node, Copied) else node
    variables = find_variables(node.text)
    if variables:
        embedded = Embedded(written, source)
        alias = node.span if written is not node else None
        for it in variables:
            span = embedded.span(it.start, it.end)
            yield Occurrence(Kind.VARIABLE, it.name, span, evaluator, alias=alias)
    elif len(node.text) < _LONGEST_PATH and "\n" not in node.text.strip():
        yield from _named(node, source, Kind.PROMPT, evaluator)


def _scripts(evaluator: ParsedEvaluator, source: str) -> Iterator[Occurrence]:
    for command, cwd in commands_of(evaluator):
        found = script_of(command)
        folder = cwd.text if isinstance(cwd, Scalar) and cwd.value is not None else "."
        if found is None or isinstance(cwd, Mapping | Sequence) or "$" in folder:
            continue
        node, word = found
        written = node.origin if isinstance(node, Copied) else node
        start = node.text.index(word)
        span = Embedded(written, source).span(start, start + len(word))
        alias = node.span if written is not node else None
        yield Occurrence(Kind.FILE, word, span, alias=alias, starts_in=folder or ".")


def _in_messages(node: Node | None, source: str) -> Iterator[Occurrence]:
    for message in messages_in(node, only_with_role=False):
        for reference in sent_references(message):
            yield from _named(reference, source, Kind.FILE)
