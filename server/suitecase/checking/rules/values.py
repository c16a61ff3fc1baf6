"""Rules on the types of values, and on which values a key may have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args, get_origin

from pydantic.fields import FieldInfo

from suitecase.checking.rules.issue_places import first_sentence, issues_of, named
from suitecase.format.rule import Finding, Fix, replace, rule
from suitecase.format.target_files import ParsedTargets
from suitecase.formats.suitecase.current.detect import names_case_file
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead
from suitecase.schema.fields import Field, alternatives, expected, field_at
from suitecase.schema.validation import IssueKind, ValidationIssue
from suitecase.text.near_names import nearest
from suitecase.text.node import Scalar, describe, quote_value
from suitecase_evaluators.answers.rubric import TOP
from suitecase_evaluators.schema.validation_words import is_of_pydantic


@rule("SC103", only_of="issues", issues=(IssueKind.WRONG_TYPE,))
def wrong_type(part: ParsedHead | ParsedCase | ParsedTargets) -> Iterator[Finding]:
    """A value has the wrong type.

    Values keep the type they are written with: `"2"` is a text and not a number, `12` is a number
    and not a text.

    ```yaml bad
    evalcases:
      - id: 12  # <- finding
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml fixed
    evalcases:
      - id: "12"
        input: Hi
        expected_outcome: Says hello
    ```
    """
    if isinstance(part, ParsedCase) and part.node is None:
        node = part.content.node
        if node is not None and not part.content.broken and not names_case_file(node):
            yield Finding(node.span, f"a case must be a mapping; got {describe(node)}")
        return
    for issue in issues_of(part, wrong_type):
        field = field_at(part.model_type, part.node, issue.path) if part.node else None
        name = named(issue)
        actual = describe(issue.node)
        fix = None
        if isinstance(issue.node, Scalar) and _may_be_text(issue, field):
            fix = _quote(issue.node)
        elif field is not None and isinstance(issue.node, Scalar) and issue.node.style:
            fix = _unquote(issue.node, issue.type)
        around = field_at(part.model_type, part.node, issue.path[:-1]) if part.node else None
        wanted = _expected(issue, field or _value_of_mapping(around))
        yield Finding(issue.span, f"{name} must be {wanted}; got {actual}", fix)


def _may_be_text(issue: ValidationIssue, field: Field | None) -> bool:
    if issue.type == "union_tag_not_found" and field is not None and issue.path[-1] == field.name:
        return str in alternatives(field.info.annotation)
    return issue.type == "string_type"


def _value_of_mapping(around: Field | None) -> Field | None:
    """Return the field of the values of a mapping whose keys are free, if they have one type."""
    types = alternatives(around.info.annotation) if around is not None else ()
    for kind in types:
        if around is not None and get_origin(kind) is dict and get_args(kind)[1] is not Any:
            return Field("", FieldInfo(annotation=get_args(kind)[1]), around.model)
    return None


_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "`true` or `false`",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}


def _expected(issue: ValidationIssue, field: Field | None) -> str:
    if issue.type in _EXPECTED:
        return _EXPECTED[issue.type]
    if isinstance(issue.path[-1], int):
        return "text or a mapping" if issue.field == "rubrics" else "a mapping"
    return expected(field.info.annotation) if field else "of another kind"


def _quote(node: Scalar) -> Fix | None:
    if node.style or node.text == "" or '"' in node.text or "\\" in node.text:
        return None
    return replace(node.span, f'"{node.text}"', "Quote it to make it text")


def _unquote(node: Scalar, error_type: str) -> Fix | None:
    if node.style not in ("'", '"') or not error_type.startswith(("int", "float", "bool")):
        return None
    value = Scalar(0, 0, node.text, "").value
    fits = {"int": (int,), "float": (int, float), "bool": (bool,)}[error_type.split("_")[0]]
    if type(value) not in fits:
        return None
    return replace(node.span, node.text, "Remove the quotes")


@rule("SC104", only_of="issues", issues=(IssueKind.INVALID_VALUE,))
def invalid_value(part: ParsedHead | ParsedCase | ParsedTargets) -> Iterator[Finding]:
    """A value is not one of the allowed values.

    The value has the right type, but it has no meaning here, or is outside the range that can be
    graded.

    ```yaml bad
    evaluation_mode: shcema  # <- finding
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml fixed
    evaluation_mode: schema
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    for issue in issues_of(part, invalid_value):
        field = field_at(part.model_type, part.node, issue.path) if part.node else None
        message, suggestion = _invalid(issue, field)
        fix = None
        if not suggestion and field is not None and _is_item(issue, field):
            listed = f"[{issue.node.text}]" if isinstance(issue.node, Scalar) else ""
            message += f"; did you mean `{listed}`?"
            fix = replace(issue.node.span, listed, f"Change to `{listed}`", safe=False)
        if suggestion:
            message += f"; did you mean `{suggestion}`?"
            fix = replace(issue.node.span, suggestion, f"Change to `{suggestion}`", safe=False)
        yield Finding(issue.span, message, fix)


def _is_item(issue: ValidationIssue, field: Field) -> bool:
    """Whether a word stands in place of a list that may have it as an item."""
    node = issue.node
    return (
        issue.type == "literal_error"
        and issue.path[-1] == field.name
        and isinstance(node, Scalar)
        and node.text in field.words_of_items
    )


def _invalid(issue: ValidationIssue, field: Field | None) -> tuple[str, str | None]:
    """Return why a value is invalid, and the word that it most likely stands for, if any."""
    name = named(issue)
    actual = quote_value(issue.node)
    if issue.node is issue.key and "score_ranges" in issue.path:
        name = "a key of `score_ranges`"
        return f"{name} must be the lowest score of its range, 0 to {TOP}; got {actual}", None
    bounds = issue.context
    match issue.type:
        case "literal_error" if field:
            is_item = isinstance(issue.path[-1], int)
            words = field.words_of_items if is_item else field.words
            known = nearest(issue.node.text, words) if isinstance(issue.node, Scalar) else None
            allowed = issue.message if is_item else f"must be {field.expected}"
            return f"{name} {allowed}; got {actual}", known
        case "greater_than_equal":
            return f"{name} must be {_number(bounds['ge'])} or more; got {actual}", None
        case "less_than_equal":
            return f"{name} must be {_number(bounds['le'])} or less; got {actual}", None
        case "greater_than":
            return f"{name} must be more than {_number(bounds['gt'])}; got {actual}", None
        case "finite_number":
            return f"{name} must be a finite number; got {actual}", None
        case "too_short":
            least, length = bounds["min_length"], bounds["actual_length"]
            return f"{name} must have at least {_things(least)}; got {length or 'none'}", None
        case "too_long":
            most, length = bounds["max_length"], bounds["actual_length"]
            return f"{name} must have at most {_things(most)}; got {length or 'none'}", None
        case "string_pattern_mismatch" if field:
            meaning = first_sentence(field.meaning)
            return f"{name} does not have the required format ({meaning}); got {actual}", None
        case _ if is_of_pydantic(issue.type) and issue.type not in _RAISED:
            return f"{name} {issue.message}; got {actual}", None
        case _:
            return f"{issue.message[:1].lower()}{issue.message[1:]}", None


#: The types of errors whose message is the validator's own.
_RAISED = ("value_error", "assertion_error")


def _number(bound: float) -> str:
    return f"{bound:,.0f}" if bound == int(bound) else f"{bound:g}"


def _things(count: int) -> str:
    return "1 item" if count == 1 else f"{count} items"


@rule("SC105", only_of="issues", issues=(IssueKind.EMPTY_TEXT,))
def empty_text(part: ParsedHead | ParsedCase | ParsedTargets) -> Iterator[Finding]:
    """A text that is required is empty.

    An empty text can be neither sent nor graded.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: ""  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    for issue in issues_of(part, empty_text):
        name = named(issue)
        yield Finding(issue.span, f"{name} must not be empty")
