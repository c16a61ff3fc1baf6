"""A tree held against a model: what is unknown, missing, of the wrong type or out of bounds.

The models are the one definition of the format. Each error pydantic finds becomes an issue at the
node it is about, and each issue belongs to exactly one rule, so that nothing the runner would
refuse passes the checker.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from suitecase.syntax.node import UNRESOLVED, Mapping, Node, Scalar, Sequence, Span, at, plain
from suitecase_evaluators.third_party import UNAVAILABLE
from suitecase_evaluators.validation_words import in_words

M = TypeVar("M", bound=BaseModel)

#: By pydantic's error type and the field it is at; "*" is any field. The rules on score ranges and
#: on names look at the tree themselves.
_RULES = {
    ("score_ranges", "*"): "score-ranges",
    ("composite_member_twice", "*"): "duplicate-evaluator-name",
    ("missing_input", "*"): "missing-key",
    ("rubric_without_text", "*"): "missing-key",
    ("missing", "*"): "missing-key",
    ("extra_forbidden", "*"): "unknown-key",
    ("literal_error", "role"): "bad-role",
    ("greater_than_equal", "weight"): "negative-weight",
    ("greater_than_equal", "required_min_score"): "required-min-score-out-of-bounds",
    ("less_than_equal", "required_min_score"): "required-min-score-out-of-bounds",
    ("string_pattern_mismatch", "*"): "empty-text",
    ("string_too_short", "*"): "empty-text",
    (UNAVAILABLE, "*"): "unknown-evaluator-type",
    ("unknown_placeholder", "*"): "unknown-placeholder",
    ("quoted_placeholder", "*"): "quoted-placeholder",
    ("union_tag_not_found", "*"): "wrong-type",
    ("union_tag_invalid", "*"): "wrong-type",
}

#: What is wrong with a key, not with the value under it.
_AT_KEYS = frozenset({"composite_weight_unknown"})

#: What has to be there under one of several keys; no keys where the error itself names them.
_ONE_OF: dict[str, tuple[str, ...]] = {
    "missing_input": ("input_messages", "input"),
    "rubric_without_text": ("expected_outcome", "score_ranges"),
    "token_usage_without_limit": ("max_total", "max_input", "max_output"),
    "missing_one_of": (),
}

#: Mappings of several kinds, of which one key says which: what reports one of no known kind.
_KINDS = {
    "targets": "unknown-provider",
    "aggregator": "unknown-kind",
    "healthcheck": "unknown-kind",
}

#: A key of the map form of score ranges that the rules on ranges read.
_BOUND = re.compile(r"0|-?[1-9]\d{0,8}")


@dataclass(frozen=True, slots=True)
class ValidationIssue:
    """A place where a tree does not have the shape of its model.

    Attributes:
        rule: the name of the rule that reports it.
        node: the value it is about, or the key itself; for a missing key the mapping that lacks it.
        key: the key the value stands under, if it does.
        path: where in the model, without what pydantic puts in for unions.
        type: pydantic's error type.
        message: what is wrong, for where no rule knows better: a validator's own words, or what
            stands behind the name of the value.
        context: what pydantic says beside: the bound, the words allowed.
    """

    rule: str
    node: Node
    key: Scalar | None
    path: tuple[str | int, ...]
    type: str
    message: str
    context: dict[str, Any]

    @property
    def field(self) -> str:
        """The last name in the path."""
        return next((step for step in reversed(self.path) if isinstance(step, str)), "")

    @property
    def span(self) -> Span:
        """The value where there is one, else the key, or the start of what lacks something."""
        node = self.node
        if isinstance(node, Scalar) and node.end > node.start:
            return node.span
        if self.key is not None:
            return self.key.span
        if isinstance(node, Mapping) and node.entries and not node.flow:
            first = next(iter(node.entries.values())).key
            return first.span
        return Span(node.start, min(node.end, node.start + 1))


def validate(node: Node, model: type[M]) -> tuple[M | None, list[ValidationIssue]]:
    """Read a tree as a model.

    Returns:
        the model, or None where there are issues; and the issues in the order of the text.
    """
    try:
        return _adapter(model).validate_python(plain(node)), []
    except ValidationError as invalid:
        errors = invalid.errors(include_url=False, include_input=False)
        issues = [_issue(error, node) for error in errors if not _hangs_on_alias(error, node)]
        known = (it for it in issues if not _is_unresolved(it.node, it.key, *_compared(it)))
        return None, sorted(known, key=lambda it: it.span)


def _hangs_on_alias(error: ErrorDetails, root: Node) -> bool:
    """Whether a mapping is wrong as a whole and a value of it is an alias of nothing known."""
    whole = at(root, _path(error["loc"], root)[0])[0] if "place" in error.get("ctx", {}) else None
    return isinstance(whole, Mapping) and _is_unresolved(*(it.value for _, it in whole))


def _is_unresolved(*nodes: Node | None) -> bool:
    """Whether an alias stands for nothing known: that is reported, its kind would be a guess."""
    return any(isinstance(it, Scalar) and it.style == UNRESOLVED for it in nodes)


def _compared(issue: ValidationIssue) -> list[Node]:
    """Return the values of a mapping that is wrong as a whole, not for one key of it."""
    if issue.type in ("missing", "extra_forbidden") or not isinstance(issue.node, Mapping):
        return []
    return [entry.value for _, entry in issue.node]


@cache
def _adapter(model: type[M]) -> TypeAdapter[M]:
    return TypeAdapter(model)


def _issue(error: ErrorDetails, root: Node) -> ValidationIssue:
    path, is_key = _path(error["loc"], root)
    kind = error["type"]
    context = dict(error.get("ctx", {}))
    # What looks at a mapping as a whole says at which of its values the mistake is.
    path = (*path, *context.pop("place", ()))
    node, key, _ = at(root, path[:-1] if kind == "missing" else path)
    if (is_key or kind in _AT_KEYS) and key is not None:
        node = key
    if isinstance(node, Mapping) and kind in _ONE_OF:
        key = _key_of_nothing(node, _ONE_OF[kind] or (context["one"], context["other"])) or key
    field = next((step for step in reversed(path) if isinstance(step, str)), "")
    rule = _rule(kind, field, path, is_key=is_key)
    if kind == "string_pattern_mismatch" and isinstance(node, Scalar) and node.text.strip():
        rule = "invalid-value" if rule == "empty-text" else rule
    if kind.startswith("union_tag") and isinstance(node, Mapping):
        rule = _KINDS.get(field, rule)
    return ValidationIssue(
        rule,
        node,
        key,
        path,
        kind,
        in_words(kind, error["msg"], context),
        context,
    )


def _key_of_nothing(mapping: Mapping, names: tuple[str, ...]) -> Scalar | None:
    """Return the first of some keys that is there with nothing behind it."""
    written = (mapping.entries[it] for it in names if it in mapping)
    values = (it for it in written if isinstance(it.value, Scalar))
    return next((it.key for it in values if plain(it.value) is None), None)


def _path(loc: tuple[int | str, ...], root: Node) -> tuple[tuple[str | int, ...], bool]:
    """Return where in the tree an error is, and whether it is the key that is wrong.

    pydantic puts the part of a union it chose (`<text>`) and a `[key]` behind a wrong key between
    the steps; a key that a person wrote may look the same.
    """
    path: list[str | int] = []
    node: Node | None = root
    is_key = False
    for step in loc:
        here = node.get(step) if isinstance(node, Mapping) and isinstance(step, str) else None
        if here is None and isinstance(step, str):
            if step == "[key]":
                is_key = True
                continue
            if step.startswith("<") and step.endswith(">"):
                continue
            if isinstance(node, Scalar | Sequence):
                continue  # no key stands in these: a part of a union that a package left unnamed
        elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
            here = node.items[step]
        path.append(step)
        node = here
    return tuple(path), is_key


def _rule(kind: str, field: str, path: tuple[str | int, ...], *, is_key: bool) -> str:
    if "score_ranges" in path and kind not in ("extra_forbidden", "dict_type", "model_type"):
        if is_key:
            return "score-ranges" if _BOUND.fullmatch(str(path[-1])) else "invalid-value"
        if kind in ("missing", "string_pattern_mismatch") and field != "score_range":
            return "score-range-without-text"
    in_evaluators = "evaluators" in path
    if in_evaluators and isinstance(path[-1], int) and field == "evaluators":
        if kind == "union_tag_invalid":
            return "unknown-evaluator-type"
        if kind == "union_tag_not_found":
            return "incomplete-evaluator"
    if kind == "missing" and field in ("name", "type") and in_evaluators:
        return "incomplete-evaluator"
    found = _RULES.get((kind, field)) or _RULES.get((kind, "*"))
    if found:
        return found
    return "wrong-type" if kind.endswith("_type") else "invalid-value"
