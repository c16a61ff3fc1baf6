"""Rules on keys and the kind of value under them."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.rule import Finding, Fix, nearest, replace, rule
from suitecase.rules.misspelling import known_keys, model_of, passed_on, stands_misspelt
from suitecase.suite.fields import Field, expected, field_at
from suitecase.suite.shape import Issue
from suitecase.suite.spelling.formats import names_case_file
from suitecase.suite.target_files import WrittenTargets
from suitecase.suite.written import WrittenCase, WrittenHead
from suitecase.syntax.node import Scalar, describe
from suitecase_evaluators.rubric import TOP


def _issues(part: WrittenHead | WrittenCase | WrittenTargets, rule_name: str) -> Iterator[Issue]:
    return (issue for issue in part.issues if issue.rule == rule_name)


def _kind(part: WrittenHead | WrittenCase | WrittenTargets) -> str:
    """Name a part as a whole, for people."""
    if isinstance(part, WrittenTargets):
        return "file"
    return "case" if isinstance(part, WrittenCase) else "suite"


def _whole(path: tuple[str | int, ...]) -> str:
    """Name the thing a key belongs to, for people."""
    names = [step for step in path if isinstance(step, str)]
    if not names:
        return ""
    singular = {
        "input_messages": "message",
        "expected_messages": "message",
        "input": "message",
        "evaluators": "evaluator",
        "rubrics": "rubric",
        "score_ranges": "score range",
        "fields": "field",
        "tool_calls": "tool call",
        "expected": "expected tool call",
        "content": "content part",
        "targets": "target",
    }
    last = names[-1]
    if isinstance(path[-1], int):
        return singular.get(last, f"item of `{last}`")
    return f"`{last}`"


@rule("SC101", only_of="issues")
def unknown_key(part: WrittenHead | WrittenCase | WrittenTargets) -> Iterator[Finding]:
    """A key is not one that may stand there.

    A misspelled key is silently ignored by most tools: the case then passes with nothing asserted.
    Keys of your own start with `x-`, or go under `metadata`.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubics:  # <- finding
          - Says hello
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - Says hello
    ```
    """
    for issue in _issues(part, "unknown-key"):
        key = issue.key
        name = str(issue.path[-1])
        known = known_keys(part, issue.path[:-1])
        meant = nearest(name, known)
        where = _whole(issue.path[:-1])
        message = f"unknown key `{name}`" + (f" in this {where}" if where else "")
        if where.startswith("`"):
            message = f"unknown key `{name}` in {where}"
        fix = None
        if meant:
            message += f"; did you mean `{meant}`?"
            if key is not None:
                fix = replace(key.span, meant, f"Change to `{meant}`", safe=False)
        elif known and len(known) <= 12:
            message += f"; known are {', '.join(f'`{it}`' for it in known)}"
        yield Finding(key.span if key else issue.span, message, fix)


@rule("SC102", only_of="issues")
def missing_key(part: WrittenHead | WrittenCase | WrittenTargets) -> Iterator[Finding]:
    """Something that has to be there is missing.

    A case without an id, an input or an expected outcome cannot be graded.

    ```yaml bad
    evalcases:
      - id: greet  # <- finding
        input: Hi
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    for issue in _issues(part, "missing-key"):
        if issue.type == "missing":
            if stands_misspelt(part, issue.path[:-1], str(issue.path[-1])):
                continue
            handed_on = passed_on(part, issue.path[:-1], str(issue.path[-1]))
            where = _whole(issue.path[:-1]) or _kind(part)
            field = field_at(model_of(part), part.node, issue.path) if part.node else None
            meaning = f": {_first_sentence(field.meaning)}" if field and field.meaning else ""
            message = f"this {where} has no `{issue.path[-1]}`{meaning}"
        else:
            if any(stands_misspelt(part, issue.path, it) for it in _ONE_OF[issue.type]):
                continue
            handed_on = None
            message = f"{issue.message}"
        if handed_on is not None:
            message += f"; did you mean `{issue.path[-1]}` by `{handed_on.text}`?"
        yield Finding(handed_on.span if handed_on else issue.span, message)


#: What has to be there in one of several forms: the keys of the forms.
_ONE_OF = {
    "missing_input": ("input", "input_messages"),
    "rubric_without_text": ("expected_outcome", "score_ranges"),
}


def _first_sentence(text: str) -> str:
    sentence = text.split(". ")[0].rstrip(".")
    return sentence[:1].lower() + sentence[1:]


@rule("SC103", only_of="issues")
def wrong_type(part: WrittenHead | WrittenCase | WrittenTargets) -> Iterator[Finding]:
    """A value is of another kind than has to stand there.

    Values keep the kind they are written with: `"2"` is a text and no number, `12` is a number and
    no text.

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
    if isinstance(part, WrittenCase) and part.node is None:
        node = part.content.node
        if node is not None and not part.content.broken and not names_case_file(node):
            yield Finding(node.span, f"a case is a mapping; here is {describe(node)}")
        return
    for issue in _issues(part, "wrong-type"):
        field = field_at(model_of(part), part.node, issue.path) if part.node else None
        wanted = _wanted(issue, field)
        name = f"`{issue.field}`" if not isinstance(issue.path[-1], int) else _item(issue.path)
        here = describe(issue.node)
        fix = None
        if issue.type == "string_type" and isinstance(issue.node, Scalar):
            fix = _quote(issue.node)
        elif field is not None and isinstance(issue.node, Scalar) and issue.node.style:
            fix = _unquote(issue.node, issue.type)
        yield Finding(issue.span, f"{name} must be {wanted}; here is {here}", fix)


_WANTED = {
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


def _wanted(issue: Issue, field: Field | None) -> str:
    if issue.type in _WANTED:
        return _WANTED[issue.type]
    if isinstance(issue.path[-1], int):
        return "text or a mapping" if issue.field == "rubrics" else "a mapping"
    return expected(field.info.annotation) if field else "of another kind"


def _item(path: tuple[str | int, ...]) -> str:
    whole = _whole(path)
    return f"an {whole}" if whole[:1] in "aeiou" else f"a {whole}"


def _quote(node: Scalar) -> Fix | None:
    if node.style or node.text == "" or '"' in node.text or "\\" in node.text:
        return None
    return replace(node.span, f'"{node.text}"', "Quote it, so that it is text")


def _unquote(node: Scalar, wanted: str) -> Fix | None:
    if node.style not in ("'", '"') or not wanted.startswith(("int", "float", "bool")):
        return None
    value = Scalar(0, 0, node.text, "", None).value
    fits = {"int": (int,), "float": (int, float), "bool": (bool,)}[wanted.split("_")[0]]
    if type(value) not in fits:
        return None
    return replace(node.span, node.text, "Take the quotes away")


@rule("SC104", only_of="issues")
def invalid_value(part: WrittenHead | WrittenCase | WrittenTargets) -> Iterator[Finding]:
    """A value is none of those that may stand there.

    The value is of the right kind and still means nothing, or lies outside what can be graded.

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
    for issue in _issues(part, "invalid-value"):
        field = field_at(model_of(part), part.node, issue.path) if part.node else None
        message, meant = _off(issue, field)
        fix = None
        if meant:
            message += f"; did you mean `{meant}`?"
            fix = replace(issue.node.span, meant, f"Change to `{meant}`", safe=False)
        yield Finding(issue.span, message, fix)


def _off(issue: Issue, field: Field | None) -> tuple[str, str | None]:
    """Say why a value may not stand there, and which word was meant, if one was."""
    name = f"`{issue.field}`" if not isinstance(issue.path[-1], int) else _item(issue.path)
    here = f"`{issue.node.text}`" if isinstance(issue.node, Scalar) else describe(issue.node)
    if issue.node is issue.key and "score_ranges" in issue.path:
        name = "a key of `score_ranges`"
        return f"{name} is the lowest score of its range, 0 to {TOP}; here is {here}", None
    bounds = issue.context
    match issue.type:
        case "literal_error" if field:
            known = (
                nearest(here.strip("`"), field.words) if isinstance(issue.node, Scalar) else None
            )
            return f"{name} must be {field.expected}; here is {here}", known
        case "greater_than_equal":
            return f"{name} must be {bounds['ge']:g} or more; here is {here}", None
        case "less_than_equal":
            return f"{name} must be {bounds['le']:g} or less; here is {here}", None
        case "greater_than":
            return f"{name} must be more than {bounds['gt']:g}; here is {here}", None
        case "finite_number":
            return f"{name} must be a finite number; here is {here}", None
        case "too_short":
            least, length = bounds["min_length"], bounds["actual_length"]
            return f"{name} must have at least {_things(least)}; here {_are(length)}", None
        case "too_long":
            most, length = bounds["max_length"], bounds["actual_length"]
            return f"{name} must have at most {_things(most)}; here {_are(length)}", None
        case "string_pattern_mismatch" if field:
            meaning = _first_sentence(field.meaning)
            return f"{name} is not written as it has to be ({meaning}); here is {here}", None
        case _:
            return f"{issue.message[:1].lower()}{issue.message[1:]}", None


def _things(count: int) -> str:
    return "1 item" if count == 1 else f"{count} items"


def _are(count: int) -> str:
    return "is none" if count == 0 else "is 1" if count == 1 else f"are {count}"


@rule("SC105", only_of="issues")
def empty_text(part: WrittenHead | WrittenCase | WrittenTargets) -> Iterator[Finding]:
    """A text that has to say something is empty.

    Nothing could be asked or graded by it.

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
    for issue in _issues(part, "empty-text"):
        name = f"`{issue.field}`" if not isinstance(issue.path[-1], int) else _item(issue.path)
        yield Finding(issue.span, f"{name} is empty; it must say something")
