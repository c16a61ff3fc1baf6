"""What is written of a field or of a model at first: its keys, with places to fill in."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from suitecase.ide.completion.layout import Layout
from suitecase.ide.completion.template import Break, Part, Stop, Template, joined, separated
from suitecase.suite.fields import Field, alternatives
from suitecase.suite.model import Case
from suitecase_evaluators.evaluator import EvaluatorConfig
from suitecase_evaluators.message import Message
from suitecase_evaluators.metrics import TokenUsageConfig
from suitecase_evaluators.rubric import Rubric
from suitecase_evaluators.targets.config import AzureConfig
from suitecase_evaluators.tool_trajectory import ToolTrajectoryConfig

#: The keys that are written first where these are more than the ones each must have.
_FIRST: Mapping[type[BaseModel], tuple[str, ...]] = {
    Case: ("id", "input", "expected_outcome"),
    Message: ("role", "content"),
    Rubric: ("id", "expected_outcome"),
    TokenUsageConfig: ("name", "type", "max_total"),
    ToolTrajectoryConfig: ("name", "type", "mode", "minimums"),
    AzureConfig: ("name", "provider", "endpoint", "deployment"),
}
#: What stands first under some keys, where the type alone says too little.
_DEFAULTS: Mapping[str, str] = {"args": "any", "max_calls": "10"}
#: What the first entry of some mappings is like.
_ENTRIES: Mapping[str, tuple[str, str]] = {"minimums": ("tool", "1")}
#: What some values have to be beside the other keys that are written first.
_SETTLED: Mapping[type[BaseModel], Mapping[str, Part]] = {
    ToolTrajectoryConfig: {"mode": "any_order"}
}
#: The lowest scores of three ranges to begin with.
_LOW, _MIDDLE, _HIGH = "0", "4", "7"


def fields_of(model: type[BaseModel]) -> dict[str, Field]:
    """Return the fields of a model by the names they are written with."""
    return {
        it.alias or name: Field(it.alias or name, it, model)
        for name, it in model.model_fields.items()
    }


def common_fields(models: Collection[type[BaseModel]]) -> dict[str, Field]:
    """Return the fields that models have in common, as what they have in common defines them."""
    first, *others = [fields_of(it) for it in models] or [{}]
    common = {name: it for name, it in first.items() if all(name in other for other in others)}
    if others:
        bases = (it for it in next(iter(models)).__mro__ if issubclass(it, BaseModel))
        base = next(base for base in bases if all(issubclass(it, base) for it in models))
        common |= {name: it for name, it in fields_of(base).items() if name in common}
    return common


def written_first(model: type[BaseModel]) -> tuple[str, ...]:
    """Return the keys that are written of a model at first."""
    known = _FIRST.get(model)
    if known is not None:
        return known
    return tuple(name for name, it in fields_of(model).items() if it.info.is_required())


def skeleton(
    model: type[BaseModel],
    column: int,
    layout: Layout,
    *,
    known: Mapping[str, Part] | None = None,
    without: Collection[str] = (),
    flow: bool = False,
) -> Template:
    """Return the keys that are written of a model at first, each on a line, or in one for braces.

    Args:
        model: what is written.
        column: where its keys stand.
        layout: how the text is written.
        known: the texts that are already known of some values.
        without: keys that are left out.
        flow: whether they stand in braces, which are not part of it.
    """
    fields = fields_of(model)
    known = {**_SETTLED.get(model, {}), **(known or {})}
    quote = '"' if layout.quotes_keys else ""
    entries: list[Template] = []
    for name in written_first(model):
        if name in without:
            continue
        if name in known:
            entries.append((*key(name, layout), ": ", quote, known[name], quote))
        else:
            entries.append((*key(name, layout), *value(fields[name], column, layout, flow=flow)))
    return separated(entries, ", " if flow else Break(column)) or (Stop(),)


def key(name: str, layout: Layout) -> Template:
    """Return a key as it is written."""
    return (f'"{name}"',) if layout.quotes_keys else (name,)


def value(field: Field, column: int, layout: Layout, *, flow: bool = False) -> Template:
    """Return the colon behind a key, and what is written there at first.

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
    if str in types or not any(_is_collection(it) for it in types):
        marks = quote if str in types else ""
        return joined(": ", marks, Stop(_DEFAULTS.get(field.name, "")), marks)
    if flow:
        opening, closing = "[]" if _listed(types) else "{}"
        return (f": {opening}", Stop(), closing)
    return _block(field, types, column, layout)


def choices(field: Field) -> tuple[str, ...]:
    """Return the words a value is chosen from, the likeliest first; empty for a free one.

    Of `true` and `false` that is the one that holds where nothing is written.
    """
    types = list(alternatives(field.info.annotation))
    if bool in types:
        return ("false", "true") if field.info.default is True else ("true", "false")
    return field.words if all(get_origin(it) is Literal for it in types) else ()


def item(types: Collection[Any], column: int, layout: Layout) -> Template:
    """Return what is written of an item of a list at first, whose text begins at a column."""
    models = [it for it in types if _is_model(it)]
    if str in types or len(models) != 1:
        return (Stop(),)
    return skeleton(models[0], column, layout)


def discriminator(models: Collection[type[BaseModel]]) -> tuple[str, dict[str, type[BaseModel]]]:
    """Return the key that tells models apart, and which word selects which; none for one model."""
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
    models = [it for it in types if _is_model(it)]
    if len(models) > 1:
        name, by_word = discriminator(models)
        return (":", Break(inner), f"{name}: ", Stop(choices=tuple(by_word)))
    if not models and field.name in _ENTRIES:
        name, count = _ENTRIES[field.name]
        return (":", Break(inner), Stop(name), ": ", Stop(count))
    return joined(":", Break(inner), skeleton(models[0], inner, layout) if models else (Stop(),))


def _listed(types: Collection[Any]) -> Any:
    return next((it for it in types if get_origin(it) is list), None)


def _is_collection(kind: Any) -> bool:
    return get_origin(kind) in (list, dict) or _is_model(kind)


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def is_evaluator(models: Collection[type[BaseModel]]) -> bool:
    """Whether what is written is an evaluator, of whatever type."""
    return bool(models) and all(issubclass(it, EvaluatorConfig) for it in models)
