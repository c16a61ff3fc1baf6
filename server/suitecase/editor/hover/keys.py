"""Hovers on keys and enumerated words."""

from __future__ import annotations

from collections.abc import Sequence

from suitecase.editor.markdown import code, fenced
from suitecase.editor.place import Place
from suitecase.format.rule import Rule
from suitecase.formats.suitecase.model import SuiteFile
from suitecase.formats.suitecase.parsed import keys_of
from suitecase.schema.fields import Field
from suitecase.text.emitting import yaml_text
from suitecase.text.node import Scalar
from suitecase_evaluators.grade import registry, third_party
from suitecase_evaluators.grade.evaluator import EvaluatorConfig

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


def meaning_of(field: Field) -> str:
    """Return a field's name, its type, whether it is required, and its meaning."""
    facts = [f"**`{field.name}`**", field.expected]
    if field.info.is_required():
        facts.append("required")
    meaning = field.meaning
    if field.default is not None:
        meaning = f"{meaning} Default: `{field.default}`.".strip()
    example = ""
    if field.info.examples:
        example = fenced(yaml_text({field.name: field.info.examples[0]}).rstrip(), "yaml")
    return "\n\n".join(it for it in (" · ".join(facts), meaning, example) if it)


def links_to(rules: Sequence[Rule]) -> str:
    """Return links to the pages of rules, as a paragraph behind others; empty if there are none."""
    if not rules:
        return ""
    links = ", ".join(f"[{it.name}]({it.url})" for it in rules[:_MOST_RULES])
    more = f" and {len(rules) - _MOST_RULES} more" if len(rules) > _MOST_RULES else ""
    return f"\n\nRules: {links}{more}"


def meaning_of_evaluator(name: str) -> str | None:
    """Return the documentation of an evaluator type; None if it is unknown."""
    description = registry.by_type(name)
    if description is None:
        return None
    keys = ", ".join(f"`{it}`" for it in keys_of(description.config))
    package = third_party.providers()[name][0] if registry.is_third_party(name) else None
    kind = f"evaluator of {package}" if package else "evaluator"
    return f"**{code(name)}** · {kind}\n\n{description.documentation}\n\nKeys: {keys}"
