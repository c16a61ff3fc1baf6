"""Hovers on keys and enumerated words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from suitecase.editor.markdown import code, fenced
from suitecase.editor.place import Place
from suitecase.format.rule import Rule
from suitecase.formats.suitecase.model import SuiteFile
from suitecase.formats.suitecase.parsed import keys_of
from suitecase.schema.fields import Field
from suitecase.schema.key_roles import Defines, File, FormulaOf, Kind, RefersTo, Role
from suitecase.text.emitting import yaml_text
from suitecase.text.node import Scalar
from suitecase.text.plural import first_of
from suitecase_evaluators.grade import registry, third_party
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.schema.field_role import FieldRole

_MOST_RULES = 5


def meaning_at(place: Place) -> str | None:
    """Return the meaning of the key or word at a place; None if keys are free."""
    field = place.field
    if field is None:
        return None
    if field.name == "type" and issubclass(field.model, EvaluatorConfig):
        name = place.value.text if isinstance(place.value, Scalar) else ""
        return meaning_of_evaluator(name) or meaning_of(field)
    return meaning_of(field) if place.on_key or field.words else None


def meaning_of_list() -> str:
    """Return the meaning of the key of the list of cases, under any of its names."""
    return meaning_of(Field("evalcases", SuiteFile.model_fields["evalcases"], SuiteFile))


def meaning_of(field: Field, known: str = "", *, as_json: bool = False) -> str:
    """Return a field's name, its type, whether it is required, its meaning, and an example.

    Args:
        field: the field.
        known: what is known of its value beside the model, as a paragraph; see `known_of`.
        as_json: whether the example is JSON.
    """
    facts = [f"**`{field.name}`**", field.expected]
    if field.info.is_required():
        facts.append("required")
    meaning = field.meaning
    if field.default is not None:
        meaning = f"{meaning} Default: `{field.default}`.".strip()
    example = ""
    if field.info.examples:
        value = {field.name: field.info.examples[0]}
        example = _in_json(value) if as_json else fenced(yaml_text(value).rstrip(), "yaml")
    return "\n\n".join(part for part in (" · ".join(facts), meaning, known, example) if part)


def meaning_of_key(name: str, field: Field | None, known: str, *, as_json: bool = False) -> str:
    """Return what is known of a key: its meaning, or of one that may have any name what its roles tell.

    Args:
        name: the key.
        field: its field; None if keys are free.
        known: what its roles tell; see `known_of`.
        as_json: whether the example is JSON.
    """
    if field is not None:
        return meaning_of(field, known, as_json=as_json)
    return f"**{code(name)}**\n\n{known}" if known else ""


def _in_json(value: dict[str, Any]) -> str:
    """Return a key with its value as a part of an object."""
    lines = json.dumps(value, indent=2, ensure_ascii=False).split("\n")[1:-1]
    return fenced("\n".join(line[2:] for line in lines), "json")


#: What a hover says about a text, by its role.
_OF_ROLE = {
    FieldRole.CODE: "The variables that its code reads are found and renamed.",
    FieldRole.CODE_OF_VARIABLES: "The variables that its code reads and returns are found.",
    FieldRole.AS_WRITTEN: "No variables are filled in.",
}
_SCHEMES = {"needed": "behind `file://`", "allowed": "with or without `file://`", "none": ""}
#: How many names are shown.
_MOST_NAMES = 8


def known_of(roles: Iterable[Role], names: Callable[[Kind], Iterable[str]]) -> str:
    """Return what the roles of a key's value tell of it, as a paragraph; empty if they tell nothing.

    Args:
        roles: the roles.
        names: returns the names of a kind that the file around the key has.
    """
    said: list[str] = []
    for role in dict.fromkeys(roles):
        if isinstance(role, File):
            said.append(_of_file(role))
        elif isinstance(role, Defines | RefersTo | FormulaOf) and role.kind is not Kind.TEST:
            found = [code(name) for name in dict.fromkeys(names(role.kind))]
            if found:
                said.append(f"In this suite: {first_of(found, _MOST_NAMES)}.")
        elif isinstance(role, FieldRole) and role in _OF_ROLE:
            said.append(_OF_ROLE[role])
    return "\n\n".join(dict.fromkeys(said))


def _of_file(role: File) -> str:
    endings = ", ".join(code(ending) for ending in role.endings if ending)
    facts = [
        "A text may be the path of a file",
        f"({endings})" if endings else "",
        _SCHEMES[role.scheme],
    ]
    text = f"{' '.join(fact for fact in facts if fact)}."
    return f"{text} Without the file, {role.missing}." if role.missing else text


def links_to(rules: Sequence[Rule]) -> str:
    """Return links to the pages of rules, as a paragraph behind others; empty if there are none."""
    if not rules:
        return ""
    links = ", ".join(f"[{rule.name}]({rule.url})" for rule in rules[:_MOST_RULES])
    more = f" and {len(rules) - _MOST_RULES} more" if len(rules) > _MOST_RULES else ""
    return f"\n\nRules: {links}{more}"


def meaning_of_evaluator(name: str) -> str | None:
    """Return the documentation of an evaluator type; None if it is unknown."""
    description = registry.by_type(name)
    if description is None:
        return None
    keys = ", ".join(f"`{key}`" for key in keys_of(description.config))
    package = third_party.providers()[name][0] if registry.is_third_party(name) else None
    kind = f"evaluator of {package}" if package else "evaluator"
    return f"**{code(name)}** · {kind}\n\n{description.documentation}\n\nKeys: {keys}"
