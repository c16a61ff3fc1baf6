"""Validating a tree with a model: unknown and missing keys, wrong types, values out of bounds.

The models are the one definition of the format. Each error pydantic finds becomes an issue at the
node it is about. Each kind of issue is owned by exactly one rule, so that nothing the runner would
refuse passes the checker.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from suitecase.text.document import Content
from suitecase.text.node import UNRESOLVED, Mapping, Node, Scalar, Sequence, Span, at, plain
from suitecase_evaluators.answers.message import well_formed
from suitecase_evaluators.grade.third_party import UNAVAILABLE
from suitecase_evaluators.schema.validation_words import in_words

M = TypeVar("M", bound=BaseModel)


class IssueKind(StrEnum):
    """The kind of an issue. Each kind is reported by exactly one rule, which declares it."""

    MISSING = "missing"
    UNKNOWN_KEY = "unknown key"
    WRONG_TYPE = "wrong type"
    INVALID_VALUE = "invalid value"
    EMPTY_TEXT = "empty text"
    ROLE = "role"
    NEGATIVE_WEIGHT = "negative weight"
    REQUIRED_MIN_SCORE = "required_min_score"
    SCORE_RANGE_BOUNDS = "score range: bounds"
    SCORE_RANGE_REVERSED = "score range: reversed"
    SCORE_RANGE_OVERLAP = "score range: overlap"
    SCORE_RANGE_COVERAGE = "score range: coverage"
    SCORE_RANGE_START = "score range: start"
    SCORE_RANGE_TEXT = "score range: text"
    EVALUATOR_INCOMPLETE = "evaluator: incomplete"
    EVALUATOR_TYPE = "evaluator: type"
    EVALUATOR_NAME_TAKEN = "evaluator: name taken"
    COMPONENT_TYPE = "component: type"
    TARGET_PROVIDER = "target: provider"
    PLACEHOLDER_UNKNOWN = "placeholder: unknown"
    PLACEHOLDER_QUOTED = "placeholder: quoted"


#: By pydantic's error type and the field it is at; "*" is any field.
_KINDS = {
    ("composite_member_twice", "*"): IssueKind.EVALUATOR_NAME_TAKEN,
    ("missing_input", "*"): IssueKind.MISSING,
    ("rubric_without_text", "*"): IssueKind.MISSING,
    ("rubric_without_outcome", "*"): IssueKind.MISSING,
    ("missing", "*"): IssueKind.MISSING,
    ("extra_forbidden", "*"): IssueKind.UNKNOWN_KEY,
    ("literal_error", "role"): IssueKind.ROLE,
    ("greater_than_equal", "weight"): IssueKind.NEGATIVE_WEIGHT,
    ("greater_than_equal", "required_min_score"): IssueKind.REQUIRED_MIN_SCORE,
    ("less_than_equal", "required_min_score"): IssueKind.REQUIRED_MIN_SCORE,
    ("minimum_of_rubric", "*"): IssueKind.REQUIRED_MIN_SCORE,
    ("string_pattern_mismatch", "*"): IssueKind.EMPTY_TEXT,
    ("string_too_short", "*"): IssueKind.EMPTY_TEXT,
    (UNAVAILABLE, "*"): IssueKind.EVALUATOR_TYPE,
    ("unknown_placeholder", "*"): IssueKind.PLACEHOLDER_UNKNOWN,
    ("quoted_placeholder", "*"): IssueKind.PLACEHOLDER_QUOTED,
    ("union_tag_not_found", "*"): IssueKind.WRONG_TYPE,
    ("union_tag_invalid", "*"): IssueKind.WRONG_TYPE,
}

#: Errors of a key, not of its value.
_AT_KEYS = frozenset({"composite_weight_unknown"})

#: The keys of which one is required, by the type of the error; none if the error names them.
_ONE_OF: dict[str, tuple[str, ...]] = {
    "missing_input": ("input_messages", "input"),
    "rubric_without_text": ("expected_outcome", "score_ranges"),
    "rubric_without_outcome": (),
    "token_usage_without_limit": ("max_total", "max_input", "max_output"),
    "missing_one_of": (),
}

#: Fields whose mappings have several types, selected by one key.
_TAGGED = {
    "targets": IssueKind.TARGET_PROVIDER,
    "aggregator": IssueKind.COMPONENT_TYPE,
    "healthcheck": IssueKind.COMPONENT_TYPE,
}

#: A key of the map form of score ranges that is a number, on the scale or not.
_BOUND = re.compile(r"0|-?[1-9]\d{0,8}")


@dataclass(frozen=True, slots=True)
class ValidationIssue:
    """A place where a tree does not match its model.

    Attributes:
        kind: the kind of issue, which determines the rule that reports it.
        node: the value, or the key itself; for a missing key the mapping that lacks it.
        key: the key of the value, if it has one.
        path: the path in the model, without pydantic's steps for unions.
        type: pydantic's error type.
        message: the default message: a validator's own, or the predicate to follow the name of the
            value.
        context: pydantic's context, such as the bound or the allowed words.
    """

    kind: IssueKind
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
        """The span of the value if there is one, else of the key, or the start of the mapping."""
        node = self.node
        if isinstance(node, Scalar) and node.end > node.start:
            return node.span
        if self.key is not None:
            return self.key.span
        if isinstance(node, Mapping) and node.entries and not node.flow:
            first = next(iter(node.entries.values())).key
            return first.span
        return Span(node.start, min(node.end, node.start + 1))


class ValidatedPart:
    """A part of a suite, read by a model: what the model refuses of it are its issues."""

    __slots__ = ()
    content: Content
    node: Mapping | None
    issues: tuple[ValidationIssue, ...]

    @property
    @abstractmethod
    def model_type(self) -> type[BaseModel]:
        """The model."""


def validate(node: Node, model: type[M]) -> tuple[M | None, list[ValidationIssue]]:
    """Validate a tree as a model.

    Returns:
        the model, or None if there are issues; and the issues in the order of the text.
    """
    try:
        return _adapter(model).validate_python(plain(node)), []
    except ValidationError as invalid:
        errors = invalid.errors(include_url=False, include_input=False)
        issues = [_issue(error, node) for error in errors if not _hangs_on_alias(error, node)]
        known = (
            issue
            for issue in issues
            if not _is_unresolved(issue.node, issue.key, *_compared(issue))
        )
        return None, sorted(known, key=lambda issue: issue.span)


def _hangs_on_alias(error: ErrorDetails, root: Node) -> bool:
    """Whether a mapping is invalid as a whole and a value of it is an unknown alias."""
    whole = at(root, _path(error["loc"], root)[0])[0] if "place" in error.get("ctx", {}) else None
    return isinstance(whole, Mapping) and _is_unresolved(*(it.value for _, it in whole))


def _is_unresolved(*nodes: Node | None) -> bool:
    """Whether an alias is unknown, which another rule reports; its type would be a guess."""
    return any(isinstance(node, Scalar) and node.style == UNRESOLVED for node in nodes)


def _compared(issue: ValidationIssue) -> list[Node]:
    """Return the values of a mapping that is invalid as a whole, not because of one key."""
    if issue.type in ("missing", "extra_forbidden") or not isinstance(issue.node, Mapping):
        return []
    return [entry.value for _, entry in issue.node]


@cache
def _adapter(model: type[M]) -> TypeAdapter[M]:
    return TypeAdapter(model)


def _issue(error: ErrorDetails, root: Node) -> ValidationIssue:
    path, is_key = _path(error["loc"], root)
    error_type = error["type"]
    context = dict(error.get("ctx", {}))
    # Validators of a whole mapping state which of its values is invalid.
    path = (*path, *context.pop("place", ()))
    if error_type == "string_unicode":
        whole = at(root, path)[0]
        names = whole.entries if isinstance(whole, Mapping) else ()
        broken = next((name for name in names if well_formed(name) != name), None)
        if broken is not None:
            # pydantic rejects the whole mapping because of a key with half of a surrogate pair, which no format has.
            path, error_type = (*path, broken), "extra_forbidden"
    node, key, _ = at(root, path[:-1] if error_type == "missing" else path)
    if (is_key or error_type in _AT_KEYS) and key is not None:
        node = key
    if isinstance(node, Mapping) and error_type in _ONE_OF:
        key = (
            _key_of_nothing(node, _ONE_OF[error_type] or (context["one"], context["other"])) or key
        )
    field = next((step for step in reversed(path) if isinstance(step, str)), "")
    kind = _kind(error_type, field, path, context, is_key=is_key)
    if error_type == "string_pattern_mismatch" and isinstance(node, Scalar) and node.text.strip():
        kind = IssueKind.INVALID_VALUE if kind == IssueKind.EMPTY_TEXT else kind
    if error_type.startswith("union_tag") and isinstance(node, Mapping):
        kind = _TAGGED.get(field, kind)
    message = in_words(error_type, error["msg"], context)
    return ValidationIssue(kind, node, key, path, error_type, message, context)


def _key_of_nothing(mapping: Mapping, names: tuple[str, ...]) -> Scalar | None:
    """Return the first of some keys that is present without a value."""
    entries = (mapping.entries[name] for name in names if name in mapping)
    values = (entry for entry in entries if isinstance(entry.value, Scalar))
    return next((value.key for value in values if plain(value.value) is None), None)


def _path(loc: tuple[int | str, ...], root: Node) -> tuple[tuple[str | int, ...], bool]:
    """Return the place of an error in the tree, and whether the key is invalid.

    pydantic adds steps for the member of a union (`<text>`) and, after an invalid key, `[key]`; a
    key in the file may look the same.
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
                continue  # not a key: an unnamed member of a union in a package's model
        elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
            here = node.items[step]
        path.append(step)
        node = here
    return tuple(path), is_key


def _kind(
    error_type: str,
    field: str,
    path: tuple[str | int, ...],
    context: dict[str, Any],
    *,
    is_key: bool,
) -> IssueKind:
    if error_type == "score_ranges":
        return IssueKind(f"score range: {context['kind']}")
    if "score_ranges" in path and error_type not in ("extra_forbidden", "dict_type", "model_type"):
        if is_key:
            is_bound = _BOUND.fullmatch(str(path[-1]))
            return IssueKind.SCORE_RANGE_BOUNDS if is_bound else IssueKind.INVALID_VALUE
        if error_type in ("missing", "string_pattern_mismatch") and field != "score_range":
            return IssueKind.SCORE_RANGE_TEXT
    in_evaluators = "evaluators" in path
    if in_evaluators and isinstance(path[-1], int) and field == "evaluators":
        if error_type == "union_tag_invalid":
            return IssueKind.EVALUATOR_TYPE
        if error_type == "union_tag_not_found":
            return IssueKind.EVALUATOR_INCOMPLETE
    if error_type == "missing" and field in ("name", "type") and in_evaluators:
        return IssueKind.EVALUATOR_INCOMPLETE
    found = _KINDS.get((error_type, field)) or _KINDS.get((error_type, "*"))
    if found:
        return found
    is_type = error_type.endswith("_type")
    return IssueKind.WRONG_TYPE if is_type else IssueKind.INVALID_VALUE
