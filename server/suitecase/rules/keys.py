"""Rules on keys and the kind of value under them."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.rewriting.inserting import entry_added
from suitecase.rewriting.names import name_of_text, renamed
from suitecase.rule import Finding, Fix, nearest, replace, rule, spelt_alike
from suitecase.rules.misplaced import (
    RANGES,
    criteria_of_judge,
    means_rubrics,
    place_of,
    problem_of_ranges,
    ranges_as_rubric,
)
from suitecase.rules.misspelling import known_keys, model_of, passed_on, stands_misspelt
from suitecase.suite.fields import Field, expected, field_at
from suitecase.suite.shape import Issue
from suitecase.suite.spelling.evaluators import unique_name
from suitecase.suite.spelling.formats import names_case_file
from suitecase.suite.target_files import WrittenTargets
from suitecase.suite.written import WrittenCase, WrittenHead
from suitecase.syntax.node import Mapping, Scalar, Sequence, at, describe
from suitecase_evaluators.rubric import TOP
from suitecase_evaluators.validation_words import is_of_pydantic


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
    renamed: set[tuple[tuple[str | int, ...], str]] = set()
    for issue in _issues(part, "unknown-key"):
        key, path, name = issue.key, issue.path[:-1], str(issue.path[-1])
        where = _whole(path)
        message = f"unknown key `{name}`" + (f" in this {where}" if where else "")
        if where.startswith("`"):
            message = f"unknown key `{name}` in {where}"
        mapping = at(part.node, path)[0] if part.node else None
        written = mapping if isinstance(mapping, Mapping) else None
        known = known_keys(part, path)
        place = place_of(part, path, name)
        judged = criteria_of_judge(written, name) if written is not None else None
        meant = spelt_alike(name, known)
        if written is not None and "rubrics" in known and means_rubrics(written, name):
            meant = "rubrics"
        elif meant is None and place is None and judged is None:
            meant = nearest(name, known)
        fix = None
        if judged is not None:
            message += f"; {judged[0]}"
            fix = judged[1]
        elif meant and written is not None and meant in written:
            message += f"; `{meant}` is there already, so take one of them away"
        elif meant:
            message += f"; did you mean `{meant}`?"
            # Of two keys that are near the same one, only one can be it.
            if key is not None and (path, meant) not in renamed:
                fix = replace(key.span, meant, f"Change to `{meant}`", safe=False)
                renamed.add((path, meant))
        elif place is not None:
            message += f"; it {place}"
            if name in RANGES and written is not None and name in written:
                problem = problem_of_ranges(written.entries[name].value)
                message += f", and is wrong there too: {problem}" if problem else ""
                if "rubrics" in known:
                    fix = ranges_as_rubric(part.source, written, name)
        elif known and len(known) <= 12:
            message += f"; known are {', '.join(f'`{it}`' for it in known)}"
        yield Finding(key.span if key else issue.span, message, fix)


@rule("SC102", only_of="issues")
def missing_key(part: WrittenHead | WrittenCase | WrittenTargets) -> Iterator[Finding]:
    """Something that has to be there is missing.

    A case without an id, an input or an expected outcome cannot be graded. The fix adds an id; what
    else is missing only its author knows.

    ```yaml bad
    evalcases:
      - input: Say hello  # <- finding
        expected_outcome: Says hello
    ```

    ```yaml fixed
    evalcases:
      - id: say-hello
        input: Say hello
        expected_outcome: Says hello
    ```

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
        if handed_on is not None:
            fix = renamed(handed_on, str(issue.path[-1]), safe=False)
        else:
            fix = _added(part, issue)
        yield Finding(handed_on.span if handed_on else issue.span, message, fix)


#: What has to be there in one of several forms: the keys of the forms.
_ONE_OF = {
    "missing_input": ("input", "input_messages"),
    "rubric_without_text": ("expected_outcome", "score_ranges"),
}


def _added(part: WrittenHead | WrittenCase | WrittenTargets, issue: Issue) -> Fix | None:
    """Return the fix that writes a key that is missing: a name, or a place for what it says.

    A place that nothing stands at is an error still, so that nothing is graded by it.
    """
    node, name = issue.node, str(issue.path[-1]) if issue.type == "missing" else ""
    if not isinstance(node, Mapping):
        return None
    if name == "id" and len(issue.path) == 1:
        edit = entry_added(part.content, node, f"id: {_id_of(node)}")
    elif name == "name" and isinstance(part, WrittenTargets):
        taken = {it.name.text for it in part.items if it.name is not None}
        provider = node.get("provider")
        base = name_of_text(provider.text, "target") if isinstance(provider, Scalar) else "target"
        edit = entry_added(part.content, node, f"name: {unique_name(base, taken)}")
    else:
        return None
    return Fix(f"Add `{edit.text.strip().rstrip(',')}`", (edit,), safe=False) if edit else None


def _id_of(case: Mapping) -> str:
    """Return an id for a case, made of what is asked, or of what it achieves."""
    messages = case.get("input_messages")
    last = messages.items[-1] if isinstance(messages, Sequence) and messages.items else None
    asked = last.get("content") if isinstance(last, Mapping) else None
    texts = (case.get("input"), asked, case.get("expected_outcome"))
    said = next((it.text for it in texts if isinstance(it, Scalar) and it.text.strip()), "")
    return name_of_text(said, "case")


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
        case _ if is_of_pydantic(issue.type) and issue.type not in _RAISED:
            return f"{name} {issue.message}; here is {here}", None
        case _:
            return f"{issue.message[:1].lower()}{issue.message[1:]}", None


#: What validators raise in words of their own.
_RAISED = ("value_error", "assertion_error")


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
