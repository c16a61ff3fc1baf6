"""The initial text of a field or a model: its keys, with placeholders."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from suitecase.editor.completion.layout import Layout
from suitecase.editor.completion.template import Break, Part, Stop, Template, joined, separated
from suitecase.formats.suitecase.model import Case
from suitecase.schema.fields import Field, alternatives
from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.answers.rubric import Rubric
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.grade.metrics import TokenUsageConfig
from suitecase_evaluators.grade.number import NumberConfig
from suitecase_evaluators.grade.text_match import EqualsConfig
from suitecase_evaluators.grade.tool_trajectory import ToolTrajectoryConfig
from suitecase_evaluators.grade.word_count import WordCountConfig
from suitecase_evaluators.targets.config.llm import AzureConfig

#: The keys inserted first, for models where these are more than the required ones.
_FIRST: Mapping[type[BaseModel], tuple[str, ...]] = {
    Case: ("id", "input", "expected_outcome"),
    Message: ("role", "content"),
    Rubric: ("id", "expected_outcome"),
    EqualsConfig: ("name", "type", "value"),
    NumberConfig: ("name", "type", "value"),
    WordCountConfig: ("name", "type", "max"),
    TokenUsageConfig: ("name", "type", "max_total"),
    ToolTrajectoryConfig: ("name", "type", "mode", "minimums"),
    AzureConfig: ("name", "provider", "endpoint", "deployment"),
}
#: The initial values of some keys, where the type says too little.
_DEFAULTS: Mapping[str, str] = {"args": "any", "max_calls": "10", "max": "100"}
#: The initial entry of some mappings.
_ENTRIES: Mapping[str, tuple[str, str]] = {"minimums": ("tool", "1")}
#: Values implied by the other keys inserted first.
_SETTLED: Mapping[type[BaseModel], Mapping[str, Part]] = {
    ToolTrajectoryConfig: {"mode": "any_order"}
}
#: The lowest scores of three initial ranges.
_LOW, _MIDDLE, _HIGH = "0", "4", "7"


def fields_of(model: type[BaseModel]) -> dict[str, Field]:
    """Return the fields of a model by their names in YAML."""
    return {
        it.alias or name: Field(it.alias or name, it, model)
        for name, it in model.model_fields.items()
    }


def common_fields(models: Collection[type[BaseModel]]) -> dict[str, Field]:
    """Return the fields that models have in common, as defined by their common base."""
    first, *others = [fields_of(model) for model in models] or [{}]
    common = {name: it for name, it in first.items() if all(name in other for other in others)}
    if others:
        bases = (it for it in next(iter(models)).__mro__ if issubclass(it, BaseModel))
        base = next(base for base in bases if all(issubclass(model, base) for model in models))
        common |= {name: it for name, it in fields_of(base).items() if name in common}
    return common


def written_first(model: type[BaseModel]) -> tuple[str, ...]:
    """Return the keys that are inserted first for a model."""
    explicit = _FIRST.get(model)
    if explicit is not None:
        return explicit
    return tuple(name for name, it in fields_of(model).items() if it.info.is_required())


def skeleton(
    model: type[BaseModel],
    column: int,
    layout: Layout,
    *,
    preset: Mapping[str, Part] | None = None,
    without: Collection[str] = (),
    flow: bool = False,
) -> Template:
    """Return the keys that are written of a model at first, each on a line, or in one for braces.

    Args:
        model: what is written.
        column: where its keys stand.
        layout: how the text is written.
        preset: values that are known already, by key.
        without: keys that are left out.
        flow: whether they stand in braces, which are not part of it.
    """
    fields = fields_of(model)
    preset = {**_SETTLED.get(model, {}), **(preset or {})}
    quote = '"' if layout.quotes_keys else ""
    entries: list[Template] = []
    for name in written_first(model):
        if name in without:
            continue
        if name in preset:
            entries.append((*key(name, layout), ": ", quote, preset[name], quote))
        else:
            entries.append((*key(name, layout), *value(fields[name], column, layout, flow=flow)))
    return separated(entries, ", " if flow else Break(column)) or (Stop(),)


def key(name: str, layout: Layout) -> Template:
    """Return a key as it is written."""
    return (f'"{name}"',) if layout.quotes_keys else (name,)


def value(field: Field, column: int, layout: Layout, *, flow: bool = False) -> Template:
    """Return the colon after a key and the initial text of its value.

    Args:
        field: the field of the key.
        column: where the key stands.
        layout: how the text is written.
        flow: whether it stands in braces or brackets.
    """
    types = list(alternatives(field.info.annotation))
    words = choices(field)
    quote = '"' if layout.quotes_keys else ""
    if words:
        marks = "" if bool in types else quote
        return joined(": ", marks, Stop(choices=words) if words[1:] else words[0], marks)
    if field.name == "score_range":
        return (": [", Stop("0"), ", ", Stop("10"), "]")
    if str in types or not any(_is_collection(kind) for kind in types):
        marks = quote if str in types else ""
        return joined(": ", marks, Stop(_DEFAULTS.get(field.name, "")), marks)
    if field.words_of_items:
        return joined(": [", quote, Stop(choices=field.words_of_items), quote, "]")
    if flow:
        opening, closing = "[]" if _listed(types) else "{}"
        return (f": {opening}", Stop(), closing)
    return _block(field, types, column, layout)


def choices(field: Field) -> tuple[str, ...]:
    """Return the words a value is chosen from, the likeliest first; empty if it is free.

    For booleans, the first one is the opposite of the default.
    """
    types = list(alternatives(field.info.annotation))
    if bool in types:
        return ("false", "true") if field.info.default is True else ("true", "false")
    return field.words if all(get_origin(kind) is Literal for kind in types) else ()


def item(types: Collection[Any], column: int, layout: Layout) -> Template:
    """Return the initial text of a list item that begins at a column."""
    models = [kind for kind in types if _is_model(kind)]
    if str in types or len(models) != 1:
        return (Stop(),)
    return skeleton(models[0], column, layout)


def discriminator(models: Collection[type[BaseModel]]) -> tuple[str, dict[str, type[BaseModel]]]:
    """Return the key that distinguishes models, and the model of each word; empty for one model."""
    for name in ("type", "provider"):
        by_word: dict[str, type[BaseModel]] = {}
        for model in models:
            annotation = model.model_fields[name].annotation if name in model.model_fields else None
            words = get_args(annotation) if get_origin(annotation) is Literal else ()
            by_word |= {str(word): model for word in words[:1]}
        if len(by_word) > 1:
            return name, by_word
    return "", {}


def _block(field: Field, types: list[Any], column: int, layout: Layout) -> Template:
    """Return a list or a mapping that begins below its key."""
    inner = column + layout.step
    if field.name == "score_ranges":
        bounds = ((low, ": ", Stop()) for low in (_LOW, _MIDDLE, _HIGH))
        return joined(":", Break(inner), separated(bounds, Break(inner)))
    listed = _listed(types)
    if listed is not None:
        dash = column + layout.dash_step
        inner_types = list(alternatives(get_args(listed)[0]))
        if inner_types == [str]:
            return (": [", Stop(), "]")
        return joined(":", Break(dash), "- ", item(inner_types, dash + 2, layout))
    models = [kind for kind in types if _is_model(kind)]
    if len(models) > 1:
        name, by_word = discriminator(models)
        return (":", Break(inner), f"{name}: ", Stop(choices=tuple(by_word)))
    if not models and field.name in _ENTRIES:
        name, count = _ENTRIES[field.name]
        return (":", Break(inner), Stop(name), ": ", Stop(count))
    return joined(":", Break(inner), skeleton(models[0], inner, layout) if models else (Stop(),))


def _listed(types: Collection[Any]) -> Any:
    return next((kind for kind in types if get_origin(kind) is list), None)


def _is_collection(kind: Any) -> bool:
    return get_origin(kind) in (list, dict) or _is_model(kind)


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def is_evaluator(models: Collection[type[BaseModel]]) -> bool:
    """Whether all models are evaluators."""
    return bool(models) and all(issubclass(model, EvaluatorConfig) for model in models)
