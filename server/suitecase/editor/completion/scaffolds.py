"""Completion of whole items: a case, an evaluator, a rubric, a target."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from pydantic import BaseModel

from suitecase.editor.completion.context import Context
from suitecase.editor.completion.item import Item, ItemKind
from suitecase.editor.completion.layout import Layout
from suitecase.editor.completion.skeletons import (
    discriminator,
    is_evaluator,
    skeleton,
    written_first,
)
from suitecase.editor.completion.template import Break, Part, Stop, Template, joined
from suitecase.editor.hover.keys import meaning_of_evaluator
from suitecase.formats.suitecase.model import Case
from suitecase.text.node import Mapping, Node, Scalar, plain
from suitecase.text.node import Sequence as Listed
from suitecase_evaluators.answers.rubric import Rubric
from suitecase_evaluators.grade import registry, third_party
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.targets.config.target import TargetConfig

_NUMBERED = re.compile(r"(.*?)(?<!\d)(\d++)")


def scaffolds(context: Context, case_ids: Sequence[str]) -> Iterator[Item]:
    """Yield whole items, where an item of a list begins.

    Args:
        context: the cursor.
        case_ids: the ids of the suite's cases, in order.
    """
    models = context.models
    if models == [Case]:
        yield from _cases(context, next_id(case_ids))
    elif models == [Rubric]:
        yield from _rubrics(context)
    elif is_evaluator(models):
        taken = _names_beside(context)
        for name, config in evaluator_types():
            preset: dict[str, Part] = {"name": Stop(unique(name, taken)), "type": name}
            yield Item(
                label=name,
                kind=ItemKind.EVALUATOR,
                template=_braced(config, preset, context),
                detail="evaluator",
                documentation=meaning_of_evaluator(name) or "",
            )
    else:
        yield from _targets(models, context)


def evaluator_types() -> Iterator[tuple[str, type[EvaluatorConfig]]]:
    """Yield the evaluator types, those of other packages after our own."""
    for builtin in registry.evaluators():
        yield builtin.type, builtin.config
    for name in third_party.providers():
        entry = registry.by_type(name)
        if name not in registry.TYPES and entry is not None:
            yield name, entry.config


def selected(context: Context, model: type[BaseModel], word: str) -> Template:
    """Return a word that selects a model, followed by the model's missing keys."""
    existing = {*context.present, "type", "provider"}
    missing = [it for it in written_first(model) if it not in existing]
    quote = '"' if context.layout.quotes_keys and not context.style else ""
    quoted = f"{quote}{word}{quote}"
    if not missing or context.style or context.followed:
        return (quoted,)
    rest = skeleton(model, context.column, context.layout, without=existing, flow=context.flow)
    return joined(quoted, ", " if context.flow else Break(context.column), rest)


def next_id(case_ids: Sequence[str]) -> str:
    """Return an id for another case, in the style of the last one."""
    taken = frozenset(case_ids)
    numbered = _NUMBERED.fullmatch(case_ids[-1]) if case_ids else None
    if numbered is None:
        return unique("case", taken, number=len(case_ids) + 1)
    stem, digits = numbered.groups()
    number = int(digits) + 1
    while f"{stem}{number:0{len(digits)}}" in taken:
        number += 1
    return f"{stem}{number:0{len(digits)}}"


def unique(name: str, taken: Collection[str], *, number: int | None = None) -> str:
    """Return a name, with a number appended if it is taken or a number is given."""
    candidate = name if number is None else f"{name}-{number}"
    count = number or 1
    while candidate in taken:
        count += 1
        candidate = f"{name}-{count}"
    return candidate


def _cases(context: Context, case_id: str) -> Iterator[Item]:
    column, layout = context.column, context.layout
    preset: dict[str, Part] = {"id": Stop(case_id)}
    if context.flow or layout.quotes_keys:
        yield _scaffold("case", _braced(Case, preset, context), "a question and its outcome")
        return
    case = skeleton(Case, column, layout, preset=preset)
    yield _scaffold("case", case, "a question and its outcome")
    rubrics = (Break(column), "rubrics:", *_first_item(column, layout), Stop())
    yield _scaffold("case with rubrics", (*case, *rubrics), "graded item by item")
    messages: Template = (
        Break(column),
        "input_messages:",
        *_first_item(column, layout),
        "role: ",
        Stop(choices=("user", "system", "assistant", "tool")),
        Break(column + layout.dash_step + 2),
        "content: ",
        Stop(),
    )
    conversation = skeleton(Case, column, layout, preset=preset, without=("input",))
    yield _scaffold(
        "case with messages", (*conversation, *messages), "a conversation and its outcome"
    )


def _first_item(column: int, layout: Layout) -> Template:
    return (Break(column + layout.dash_step), "- ")


def _rubrics(context: Context) -> Iterator[Item]:
    column, layout = context.column, context.layout
    parent = context.parent
    rubrics = [plain(item) for item in parent.items] if isinstance(parent, Listed) else []
    taken = {str(rubric.get("id")) for rubric in rubrics if isinstance(rubric, dict)}
    # A rubric without an id is named `rubric-N` by its position.
    is_last = isinstance(parent, Listed) and context.path[-1] == len(rubrics) - 1
    number = max(len(rubrics), 1) if is_last or not rubrics else len(rubrics) + 1
    rubric_id = unique("rubric", taken, number=number)
    preset: dict[str, Part] = {"id": Stop(rubric_id)}
    yield _scaffold("rubric", _braced(Rubric, preset, context), "met or not met")
    if context.flow or layout.quotes_keys:
        return
    inner = Break(column + layout.step)
    ranges: list[Part] = [Break(column), "score_ranges:"]
    for low in ("0", "4", "7"):
        ranges += [inner, f"{low}: ", Stop()]
    by_score = skeleton(Rubric, column, layout, preset=preset)
    yield _scaffold("rubric with score ranges", (*by_score, *ranges), "scored from 0 to 10")


def _targets(models: list[type[BaseModel]], context: Context) -> Iterator[Item]:
    """Yield an item for each word that selects a kind of entry, such as its `provider`."""
    name, by_word = discriminator(models)
    taken = _names_beside(context)
    for word, model in by_word.items():
        if issubclass(model, TargetConfig) and model.asked_by is None:
            continue  # known, but it cannot be called
        preset: dict[str, Part] = {name: word}
        if "name" in model.model_fields:
            preset["name"] = Stop(unique(word, taken))
        yield _scaffold(word, _braced(model, preset, context), name, model.__doc__ or "")


def _braced(model: type[BaseModel], preset: dict[str, Part], context: Context) -> Template:
    """Return a model's first keys, in braces if inside brackets."""
    inner = skeleton(model, context.column, context.layout, preset=preset, flow=context.flow)
    return joined("{", inner, "}") if context.flow else inner


def _names_beside(context: Context) -> frozenset[str]:
    """Return the names of the list's other items."""
    items: list[Node] = context.parent.items if isinstance(context.parent, Listed) else []
    names = [item.get("name") for item in items if isinstance(item, Mapping)]
    return frozenset(name.text for name in names if isinstance(name, Scalar))


def _scaffold(label: str, template: Template, detail: str, documentation: str = "") -> Item:
    return Item(
        label=label,
        kind=ItemKind.SCAFFOLD,
        template=template,
        detail=detail,
        documentation=documentation,
    )
