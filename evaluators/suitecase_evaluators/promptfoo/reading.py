"""Reads assertions with rendered templates as evaluator configurations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from pydantic import ValidationError

from suitecase_evaluators.json_values import show_json
from suitecase_evaluators.promptfoo import regular_expression, scripts
from suitecase_evaluators.promptfoo.assertion import NEGATION, AssertionConfig
from suitecase_evaluators.promptfoo.column import assertion_of_text
from suitecase_evaluators.promptfoo.ecmascript import parsed_json, with_doubles
from suitecase_evaluators.promptfoo.factuality import factuality_fields
from suitecase_evaluators.promptfoo.grading import graded_fields
from suitecase_evaluators.promptfoo.json_value import schema_from_string
from suitecase_evaluators.promptfoo.transformed import with_transform
from suitecase_evaluators.promptfoo.types import evaluator_of
from suitecase_evaluators.promptfoo.unsupported import REASONS, RED_TEAM, Refused
from suitecase_evaluators.validation_words import named_problem

#: Takes an assertion and the fields of all types; returns the fields that only its type has.
Reader = Callable[[Mapping[str, Any], Mapping[str, Any]], Mapping[str, Any] | Refused]

#: The types that have further fields.
READERS: Final[Mapping[str, Reader]] = MappingProxyType(
    {
        "javascript": scripts.read,
        "python": scripts.read,
        "regex": regular_expression.read,
        "llm-rubric": graded_fields,
        "g-eval": graded_fields,
        "factuality": factuality_fields,
        "model-graded-factuality": factuality_fields,
        "model-graded-closedqa": graded_fields,
    }
)
#: The types that `not-` does not invert: promptfoo rejects or ignores it.
_NOT_NEGATABLE: Final = frozenset(
    ("assert-set", "factuality", "model-graded-closedqa", "model-graded-factuality")
)
_WITH_SCHEMA: Final = frozenset(("contains-json", "is-json"))
_SET: Final = "assert-set"


def assertion_config(
    value: Mapping[str, Any] | str,
    *,
    name: str,
    read_yaml: Callable[[str], Any] = parsed_json,
    is_member: bool = False,
) -> AssertionConfig | Refused:
    """Return the configuration of an assertion, or why it cannot be graded.

    A `value` of the wrong kind is not refused here: as in promptfoo, grading fails then.

    Args:
        value: the assertion, with all templates rendered; or the text of a column `__expected`.
        name: the name of its result, unless it has a `metric`.
        read_yaml: parses a schema that is a string, and raises a `ValueError` if it is not YAML. By
            default, it has to be JSON.
        is_member: whether it is a member of a set.
    """
    if is_member:
        return _member(value, name, read_yaml)
    assertion = assertion_of_text(value) if isinstance(value, str) else value
    if assertion.get("type") == _SET:
        return _set(assertion, name, read_yaml)
    return _single(assertion, name, read_yaml)


def _single(
    assertion: Mapping[str, Any], name: str, read_yaml: Callable[[str], Any]
) -> AssertionConfig | Refused:
    config = _untransformed(assertion, name, read_yaml)
    transform = assertion.get("transform")
    if isinstance(config, Refused) or not transform:
        return config
    return with_transform(config, transform)


def _untransformed(
    assertion: Mapping[str, Any], name: str, read_yaml: Callable[[str], Any]
) -> AssertionConfig | Refused:
    fields = _fields(assertion, name)
    if isinstance(fields, Refused):
        return fields
    written = str(assertion["type"])
    base = written.removeprefix(NEGATION)
    reader = READERS.get(base)
    if reader is not None:
        own = reader(assertion, fields)
        if isinstance(own, Refused):
            return own
        fields = {**fields, **own}
    if base in _WITH_SCHEMA and isinstance(fields.get("value"), str) and fields["value"]:
        fields = {**fields, **schema_from_string(fields["value"], read_yaml)}
    return _config(written, base, fields)


def _set(
    assertion: Mapping[str, Any], name: str, read_yaml: Callable[[str], Any]
) -> AssertionConfig | Refused:
    fields = _fields(assertion, name)
    if isinstance(fields, Refused):
        return fields
    members: list[AssertionConfig] = []
    listed = assertion.get("assert")
    if not isinstance(listed, list):
        return Refused(f"`{_SET}` needs a list of assertions under `assert`")
    for member in listed:
        kind = str(member.get("type")) if isinstance(member, Mapping) else ""
        config = _member(member, _unique(kind, members), read_yaml)
        if isinstance(config, Refused):
            return config
        members.append(config.model_copy(update={"name": _unique(config.name, members)}))
    return _config(_SET, _SET, {**fields, "members": members})


def _member(
    member: object, name: str, read_yaml: Callable[[str], Any]
) -> AssertionConfig | Refused:
    if not isinstance(member, Mapping):
        return Refused(f"a member of `{_SET}` is not an assertion: {show_json(member)}")
    if member.get("type") == _SET:
        return Refused(f"promptfoo knows no `{_SET}` within another one")
    return _single(member, name, read_yaml)


def _unique(name: str, taken: list[AssertionConfig]) -> str:
    """Return a name that is not taken: the name itself, or with a number."""
    names = {it.name for it in taken}
    numbered = (f"{name} {number}" for number in range(2, len(taken) + 2))
    return name if name not in names else next(it for it in numbered if it not in names)


def _fields(assertion: Mapping[str, Any], name: str) -> dict[str, Any] | Refused:
    """Return the fields that assertions of all types have. A key without a value counts as missing."""
    written = assertion.get("type")
    if not isinstance(written, str):
        return Refused(f"an assertion needs a `type`: {show_json(assertion)}")
    base = written.removeprefix(NEGATION)
    if base.startswith(RED_TEAM):
        return Refused(f"`{written}` is not supported: red teams are not run")
    if base in REASONS:
        return Refused(f"`{written}` is not supported: {REASONS[base]}")
    if base != written and base in READERS and base in _NOT_NEGATABLE:
        return Refused(f"promptfoo ignores the `not-` of `{written}`, which changes nothing there")
    if evaluator_of(base) is None or (base != written and base in _NOT_NEGATABLE):
        return Refused(f"promptfoo knows no assertion of the type `{written}`")
    if assertion.get("contextTransform") is not None:
        return Refused("`contextTransform` of an assertion is not supported")
    metric = assertion.get("metric")
    if metric is not None and not isinstance(metric, str):
        return Refused(f"`metric` of `{written}` must be a string; got {show_json(metric)}")
    fields: dict[str, Any] = {
        "name": metric if metric and metric.strip() else name,
        "type": f"promptfoo:{base}",
        "negate": base != written,
    }
    if metric:
        fields["metric"] = metric
    if "value" in assertion:
        fields["value"] = with_doubles(assertion["value"])
    for key in ("weight", "threshold"):
        number = assertion.get(key)
        if number is None:
            continue
        if isinstance(number, bool) or not isinstance(number, int | float):
            return Refused(f"`{key}` of `{written}` must be a number; got {show_json(number)}")
        fields[key] = number
    if fields.get("weight", 1) < 0:
        return Refused(f"`weight` of `{written}` is below 0")
    return fields


def _config(written: str, base: str, fields: Mapping[str, Any]) -> AssertionConfig | Refused:
    found = evaluator_of(base)
    assert found is not None  # noqa: S101 - `_fields` has checked it
    try:
        config = found.config.model_validate(dict(fields))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        return Refused(named_problem(f"`{place}` of `{written}`", dict(first)))
    assert isinstance(config, AssertionConfig)  # noqa: S101 - all in the table are
    return config
