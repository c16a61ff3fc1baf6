"""Hovers at an offset, assembled from all sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from suitecase.checking.rules import own_rules
from suitecase.editor.answering import answering
from suitecase.editor.hover.aliases import alias_at
from suitecase.editor.hover.case_results import command_that_runs, not_run_text, result_text
from suitecase.editor.hover.figures import formula_hover, metric_hover
from suitecase.editor.hover.graded_items import graded_item_at
from suitecase.editor.hover.keys import links_to, meaning_at, meaning_of_list
from suitecase.editor.hover.normalization import steps_at
from suitecase.editor.hover.prompts import CaseOfPrompt, RenderPrompt, prompt_at, variable_text
from suitecase.editor.hover.schemas import meaning_in_schema, meaning_in_text
from suitecase.editor.hover.slices import slice_text, slices_of_case
from suitecase.editor.hover.suppressions import rule_at
from suitecase.editor.hover.targets import environment_variable_at, target_text
from suitecase.editor.hover.weights import share_at
from suitecase.editor.place import Place, place_at, place_in_targets, within
from suitecase.editor.results import DocumentResults, is_stale
from suitecase.evidence.governed import lock_beside
from suitecase.figures.gates.names import SuiteFigures, has_figures, suite_figures
from suitecase.figures.gates.sidecars import figures_to_check
from suitecase.format.target_files import ParsedTargets, find_targets
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.elements import EVALUATORS_UNDER
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.formats.suitecase.prompts import PROMPTS
from suitecase.schema.fields import Field
from suitecase.schema.roles import roles_in, roles_under
from suitecase.text.embedded import Embedded
from suitecase.text.node import Mapping as Tree
from suitecase.text.node import Node, Scalar, Span
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.grade.judge.template import find_variables
from suitecase_evaluators.schema.field_role import FieldRole

#: Where a judge's prompt is shown, apart from a `type`: its key, and the fields it is filled from.
_ASKING = frozenset({*PROMPTS, FieldRole.CRITERIA, FieldRole.RUBRICS})


@dataclass(frozen=True, slots=True)
class Hover:
    """Markdown, and the span it describes."""

    span: Span
    markdown: str


@dataclass(frozen=True, slots=True)
class HoverContext:
    """The surroundings of a suite: its file, its folder, and what judges are told about its cases.

    `is_file` is false for a text that was never saved: `path` is then a placeholder.
    """

    path: Path
    folder: Folder
    render: RenderPrompt
    is_file: bool = True

    @property
    def targets(self) -> ParsedTargets | None:
        """The targets file of the suite."""
        return find_targets(self.folder.workspace, self.folder.path)


def hover_at(
    suite: ParsedSuite,
    offset: int,
    results: DocumentResults,
    now: datetime,
    around: HoverContext | None = None,
) -> Hover | None:
    """Return the hover at an offset; None if there is none.

    Args:
        suite: the suite, as far as it parses.
        offset: in code points from the start of the document.
        results: the last results of its cases.
        now: the time used to tell a result's age.
        around: the surroundings of the suite; None if unknown.
    """
    rule_or_alias = rule_at(suite.document, offset) or alias_at(suite.document, offset)
    if rule_or_alias is not None:
        return Hover(*rule_or_alias)
    list_key = suite.document.list_key
    if list_key is not None and suite.kind == "suite":
        span = suite.head_place(list_key.span)
        if span.start <= offset <= span.end:
            return Hover(span, meaning_of_list())
    place = place_at(suite, offset)
    texts = [_result(suite, place, offset, results, now, around)]
    span = place.span if place is not None else Span(offset, offset)
    if place is not None:
        variable = _variable(suite, place, offset, around)
        if variable is not None:
            return variable
        in_text = _in_schema(suite, place, offset)
        if in_text is not None:
            return in_text
        figures = _figures(suite, around)
        if figures is not None:
            formula = formula_hover(suite, place, offset, figures, results)
            if formula is not None:
                return Hover(*formula)
            texts.append(_named_in_gates(suite, place, figures, results))
        texts += _facts(suite, place, around, results)
    return sections(span, texts)


def hover_in_targets(
    targets: ParsedTargets, offset: int, display_path: str, environ: Mapping[str, str]
) -> Hover | None:
    """Return the hover at an offset of a targets file; None if there is none.

    Args:
        targets: the file, as far as it parses.
        offset: in code points from the start of the document.
        display_path: its display path.
        environ: the environment of runs; its values are never shown.
    """
    hover = (
        rule_at(targets.document, offset)
        or alias_at(targets.document, offset)
        or environment_variable_at(targets.document, offset, environ)
    )
    if hover is not None:
        return Hover(*hover)
    place = place_in_targets(targets, offset)
    if place is None:
        return None
    texts: list[str | None] = []
    is_value = isinstance(place.value, Scalar) and not place.on_key
    is_name = place.path[-1] == "name" and len(place.path) == 3
    if is_value and (is_name or (place.field and place.field.role is FieldRole.TARGET)):
        texts.append(target_text(_text(place.value), targets, display_path))
    return sections(place.span, [*texts, meaning_at(place)])


def hover_in_prompt(text: str, offset: int) -> Hover | None:
    """Return the meaning of a variable in a judge's prompt file; None outside variables."""
    for variable in find_variables(text):
        if variable.start <= offset <= variable.end and (
            meaning := variable_text(variable.name, None, ())
        ):
            return Hover(Span(variable.start, variable.end), meaning)
    return None


def sections(span: Span, texts: Iterable[str | None]) -> Hover | None:
    """Return a hover of texts below each other; None if there are none."""
    written = [text for text in texts if text]
    return Hover(span, "\n\n---\n\n".join(written)) if written else None


def _result(
    suite: ParsedSuite,
    place: Place | None,
    offset: int,
    results: DocumentResults,
    now: datetime,
    around: HoverContext | None,
) -> str | None:
    """Return the last result of a case, on its id and on its first line."""
    number = suite.document.case_at(offset)
    case = suite.cases[number] if number is not None else None
    if number is None or case is None or case.node is None or case.id is None:
        return None
    name = case.id.text
    on_id = place is not None and place.path == ("id",)
    if not on_id and not _on_first_line(suite, number, case.node, place, offset):
        return None
    result, not_run = results.last.get(name), results.not_run.get(name)
    reason = not_run.reason if not_run is not None and name not in results.running else None
    if result is not None:
        stale = is_stale(suite, number, result)
        return result_text(result, stale=stale, now=now, not_run=reason)
    if not on_id:
        return None
    if name in results.running:
        return "**Running**: there is no result yet."
    command = None
    if around is not None and around.is_file and suite.kind == "suite":
        command = command_that_runs(around.folder.shown(around.path), name)
    return not_run_text(reason, command)


def _on_first_line(
    suite: ParsedSuite, number: int, case: Tree, place: Place | None, offset: int
) -> bool:
    """Whether an offset on the first line of a case stands for the whole case."""
    lines, span = suite.document.lines, suite.place(number, case.span)
    first = lines.position(span.start)[0]
    if lines.position(offset)[0] != first:
        return False
    return place is None or (len(place.path) == 1 and lines.position(span.end)[0] != first)


def _facts(
    suite: ParsedSuite, place: Place, around: HoverContext | None, results: DocumentResults
) -> Iterator[str | None]:
    """Yield the facts about a place, and the meaning of its key."""
    yield share_at(suite, place)
    yield graded_item_at(suite, place, results)
    yield steps_at(suite, place)
    if around is not None:
        yield _target(place, around)
        if place.on_key and place.path[:1] == ("human",) and len(place.path) == 2:
            yield _people(str(place.path[1]), suite, around)
        if place.path[:1] == ("judges",) and _stands_for_judge(place):
            yield _judge(str(place.path[1]), suite, around)
        if place.path == ("id",) and place.case is not None and not place.on_key:
            yield _locked(_text(place.value), suite, around)
    meaning = meaning_at(place)
    if meaning is not None and place.on_key:
        meaning += _rules_on(str(place.path[-1]), _roles_under(place))
    yield meaning or meaning_in_schema(place)
    prompt_case = _case_of_prompt(suite, place, around)
    if prompt_case is not None and _shows_prompt(place):
        yield prompt_at(prompt_case, place.path)


def _figures(suite: ParsedSuite, around: HoverContext | None) -> SuiteFigures | None:
    """Return the figures of a suite; None if it has none of the keys that are about them."""
    if not has_figures(suite):
        return None
    if suite.kind == "sidecar" and around is not None:
        return figures_to_check(suite, around.folder.workspace, around.path)
    return suite_figures(suite)


def _named_in_gates(
    suite: ParsedSuite, place: Place, figures: SuiteFigures, results: DocumentResults
) -> str | None:
    """Return what a name stands for in gates: of a slice, a metric, a tag or a case."""
    text = _text(place.value)
    match place.path:
        case ("id",) if place.case is not None and not place.on_key:
            return slices_of_case(place.case, figures)
        case ("tags", int()) if place.case is not None:
            return slice_text(text, suite, figures, results)
        case ("slices", str() as name) if place.on_key:
            return slice_text(name, suite, figures, results)
        case ("slices", str(), "tags", *_) if not place.on_key:
            return slice_text(text, suite, figures, results)
        case ("metrics", str() as name) if place.on_key:
            return metric_hover(name, figures)
        case _:
            return None


def _people(name: str, suite: ParsedSuite, around: HoverContext) -> str | None:
    from suitecase.editor.hover.people import people_text

    return people_text(name, suite, around.folder, around.path)


def _stands_for_judge(place: Place) -> bool:
    """Whether a place under `judges` is a name, or its calibration."""
    if len(place.path) == 2:
        return place.on_key
    return len(place.path) == 3 and place.path[2] == "calibration"


def _judge(name: str, suite: ParsedSuite, around: HoverContext) -> str | None:
    from suitecase.editor.hover.calibrations import calibration_text

    return calibration_text(name, suite, around.folder, around.path)


def _locked(name: str, suite: ParsedSuite, around: HoverContext) -> str | None:
    if lock_beside(around.path, around.folder) is None:
        return None
    from suitecase.editor.hover.locked_case import locked_case_text

    return locked_case_text(name, suite, around.folder, around.path)


def _case_of_prompt(
    suite: ParsedSuite, place: Place, around: HoverContext | None
) -> CaseOfPrompt | None:
    if around is None:
        return None
    answers = answering(suite, place.case, around.targets)
    return CaseOfPrompt(suite, place.case, around.path, around.folder, around.render, answers)


def _shows_prompt(place: Place) -> bool:
    """Whether a place stands for a judge, unless it is a long prompt, which is there to read."""
    field = place.field
    if field is None or not (field.role in _ASKING or _selects_judge(field)):
        return False
    return place.on_key or place.span.end - place.span.start < 200


def _selects_judge(field: Field) -> bool:
    """Whether a key is the `type` of an evaluator, or of a part that may have a prompt."""
    is_evaluator = issubclass(field.model, EvaluatorConfig)
    return field.name == "type" and (is_evaluator or not roles_in(field.model).isdisjoint(PROMPTS))


def _variable(
    suite: ParsedSuite, place: Place, offset: int, around: HoverContext | None
) -> Hover | None:
    """Return the meaning of the variable at an offset of a prompt, and its value in the case."""
    value = place.value
    if place.on_key or not isinstance(value, Scalar) or "{" not in value.text:
        return None
    if place.field is None or place.field.role not in PROMPTS:
        return None
    part = suite.head if place.case is None else suite.cases[place.case]
    piece = suite.document.head if place.case is None else suite.document.cases[place.case]
    embedded = Embedded(value, part.source)
    for variable in find_variables(value.text):
        span = piece.absolute(embedded.span(variable.start, variable.end))
        if span.start <= offset <= span.end:
            prompt_case = _case_of_prompt(suite, place, around)
            meaning = variable_text(variable.name, prompt_case, place.path)
            if meaning and variable.is_older:
                meaning += "\n\nThis is its name in another format."
            return Hover(span, meaning) if meaning else None
    return None


def _in_schema(suite: ParsedSuite, place: Place, offset: int) -> Hover | None:
    """Return the hover in a schema that is JSON in a string."""
    part = suite.head if place.case is None else suite.cases[place.case]
    piece = suite.document.head if place.case is None else suite.document.cases[place.case]
    hover = meaning_in_text(place, part.source, within(piece, offset))
    return Hover(piece.absolute(hover.span), hover.markdown) if hover is not None else None


def _target(place: Place, around: HoverContext) -> str | None:
    """Return the definition of the target named at a place."""
    if not isinstance(place.value, Scalar):
        return None
    if place.field is None or place.field.role is not FieldRole.TARGET:
        return None
    targets = around.targets
    display_path = around.folder.shown(targets.path) if targets is not None else ""
    return target_text(place.value.text, targets, display_path)


def _text(node: Node | None) -> str:
    return node.text if isinstance(node, Scalar) else ""


def _roles_under(place: Place) -> frozenset[FieldRole]:
    field = place.field
    if field is None or not issubclass(field.model, EvaluatorConfig):
        return frozenset()
    return roles_under(field.model, field.name)


@lru_cache(maxsize=1024)
def _rules_on(key: str, roles: frozenset[FieldRole]) -> str:
    """Return links to the rules that check a key."""
    # Rules about any list of evaluators would be shown for every case's.
    related = [
        own_rule
        for own_rule in own_rules()
        if key in own_rule.keys or not own_rule.roles.isdisjoint(roles)
    ]
    return links_to([it for it in related if not it.keys & set(EVALUATORS_UNDER)])
