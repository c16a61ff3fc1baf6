"""Sections of the reference that describe models: one for each model that a file is made of."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from suitecase.reference.topic import Key, Section
from suitecase.schema.fields import Field, alternatives
from suitecase.text.emitting import yaml_text
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.targets.config import TargetConfig

#: Names of a key in other formats, by the key.
OlderNames = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """How the models of a file are described where their names and docstrings do not suffice.

    Attributes:
        titles: the titles of sections. Default: the key that leads to the model.
        texts: the texts of sections. Default: the model's docstring.
        older: older names of the keys of a model.
        left_out: models that have a page of their own.
        language: the language of examples.
    """

    titles: Mapping[type[BaseModel], str] = field(default_factory=dict)
    texts: Mapping[type[BaseModel], str] = field(default_factory=dict)
    older: Mapping[type[BaseModel], OlderNames] = field(default_factory=dict)
    left_out: Collection[type[BaseModel]] = ()
    language: str = "yaml"


def sections_of(root: type[BaseModel], wording: Wording) -> Iterator[Section]:
    """Yield a section for a model and for each model that its keys lead to, breadth first."""
    seen = {root}
    waiting: list[tuple[type[BaseModel], str]] = [(root, "")]
    while waiting:
        model, place = waiting.pop(0)
        if model not in wording.left_out:
            yield _section(model, place, wording)
        for own, info in model.model_fields.items():
            name = info.alias or own
            path = f"{place}.{name}" if place else name
            for inner, suffix in _models_in(info.annotation):
                if inner not in seen and not issubclass(inner, EvaluatorConfig | TargetConfig):
                    seen.add(inner)
                    waiting.append((inner, path + suffix))


def _models_in(annotation: Any) -> Iterator[tuple[type[BaseModel], str]]:
    """Yield the models in a type, each with what stands behind the key that leads to it."""
    for alternative in alternatives(annotation):
        if get_origin(alternative) is list:
            yield from (
                (model, f"[]{rest}") for model, rest in _models_in(get_args(alternative)[0])
            )
        elif get_origin(alternative) is dict:
            yield from (
                (model, f".NAME{rest}") for model, rest in _models_in(get_args(alternative)[1])
            )
        elif isinstance(alternative, type) and issubclass(alternative, BaseModel):
            yield alternative, ""


def _section(model: type[BaseModel], place: str, wording: Wording) -> Section:
    last = place.removesuffix("[]").removesuffix(".NAME").rpartition(".")[2]
    return Section(
        title=wording.titles.get(model, f"`{last}`"),
        text=wording.texts.get(model, inspect.getdoc(model) or ""),
        keys=tuple(keys_of(model, older=wording.older.get(model, {}), language=wording.language)),
        place=place,
        language=wording.language,
    )


def keys_of(
    model: type[BaseModel],
    *,
    without: Collection[str] = (),
    older: OlderNames | None = None,
    language: str = "yaml",
) -> Iterator[Key]:
    """Yield the keys of a model, as its fields describe them.

    Args:
        without: the keys to leave out.
        older: the older names of keys.
        language: the language of examples, `yaml` or `toml`.
    """
    for own, info in model.model_fields.items():
        entry = Field(info.alias or own, info, model)
        if entry.name in without:
            continue
        example = ""
        if info.examples and language == "yaml":
            example = yaml_text({entry.name: info.examples[0]}).rstrip()
        elif info.examples:
            example = str(info.examples[0])
        yield Key(
            name=entry.name,
            # `type` and `provider` are texts; their annotation is for type checkers.
            expected="text" if info.annotation is Any and info.is_required() else entry.expected,
            required=info.is_required(),
            default=entry.default,
            meaning=entry.meaning,
            example=example,
            older=(older or {}).get(entry.name, ()),
        )


def keys_below(
    model: type[BaseModel], *, left_out: Collection[type[BaseModel]] = ()
) -> Iterator[Key]:
    """Yield the keys of the models that a model's keys lead to, each with the path to it."""
    for section in sections_of(model, Wording(left_out=(model, *left_out))):
        yield from (replace(key, name=f"{section.place}.{key.name}") for key in section.keys)
