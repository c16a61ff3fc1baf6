"""Rules on keys that are not allowed, that are missing, or that are one level too deep or too shallow."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from suitecase.checking.rules.issue_places import first_sentence, issues_of, whole_at
from suitecase.checking.rules.misspelling import Part, Path, known_keys, passed_on, stands_misspelt
from suitecase.format.case_list_keys import CASE_LIST_KEYS
from suitecase.format.rewriting.inserting import entry_added
from suitecase.format.rewriting.lines import block_of, column, newline, shifted
from suitecase.format.rewriting.names import name_of_text, renamed
from suitecase.format.rule import Edit, Finding, Fix, replace, rule
from suitecase.format.target_files import ParsedTargets
from suitecase.formats.suitecase.legacy.normalize.rubrics import SCORE_RUBRIC
from suitecase.formats.suitecase.model import Case, SuiteExecution, SuiteHead
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, keys_of
from suitecase.schema.fields import alternatives, field_at, models_at
from suitecase.schema.validation import IssueKind, ValidationIssue
from suitecase.text.emitting import in_quotes
from suitecase.text.near_names import nearest, spelt_alike
from suitecase.text.node import Entry, Mapping, Node, Scalar, Sequence, Span, at, plain
from suitecase.text.taken_names import unique_name
from suitecase.text.tree_changes import text_of
from suitecase_evaluators.answers.rubric import map_problems, range_problems


def _kind(part: ParsedHead | ParsedCase | ParsedTargets) -> str:
    """Return the name of a part."""
    if isinstance(part, ParsedTargets):
        return "file"
    return "case" if isinstance(part, ParsedCase) else "suite"


@rule("SC101", only_of="issues", issues=(IssueKind.UNKNOWN_KEY,))
def unknown_key(part: ParsedHead | ParsedCase | ParsedTargets) -> Iterator[Finding]:
    """A key is not allowed here.

    Most tools silently ignore a misspelled key, so the case passes without checking anything. Keys
    of your own start with `x-`, or go under `metadata`.

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

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    tests:  # <- finding
      - id: part
        input: Bye
        expected_outcome: Says goodbye
    ```
    """
    renamed: set[tuple[tuple[str | int, ...], str]] = set()
    for issue in issues_of(part, unknown_key):
        key, path, name = issue.key, issue.path[:-1], str(issue.path[-1])
        where = whole_at(path)
        message = f"unknown key `{name}`" + (f" in this {where}" if where else "")
        if where.startswith("`"):
            message = f"unknown key `{name}` in {where}"
        mapping = at(part.node, path)[0] if part.node else None
        parent = mapping if isinstance(mapping, Mapping) else None
        known = known_keys(part, path)
        place = place_of(part, path, name)
        judged = criteria_of_judge(parent, name) if parent is not None else None
        suggestion = spelt_alike(name, known)
        if parent is not None and "rubrics" in known and means_rubrics(parent, name):
            suggestion = "rubrics"
        elif suggestion is None and place is None and judged is None:
            suggestion = nearest(name, known)
        fix = None
        first = _list_before(part, path, name)
        if first is not None:
            where_read = (
                "the data set has the cases"
                if first == name
                else f"a suite has one list of cases, here `{first}`"
            )
            message = f"{where_read}, so those in `{name}` are not read"
        elif judged is not None:
            message += f"; {judged[0]}"
            fix = judged[1]
        elif suggestion and parent is not None and suggestion in parent:
            message += f"; `{suggestion}` already exists, so remove one of them"
        elif suggestion:
            message += f"; did you mean `{suggestion}`?"
            # Only one of two similar keys can be renamed to it.
            if key is not None and (path, suggestion) not in renamed:
                fix = replace(key.span, suggestion, f"Change to `{suggestion}`", safe=False)
                renamed.add((path, suggestion))
        elif place is not None:
            message += f"; it {place}"
            if name in RANGES and parent is not None and name in parent:
                problem = problem_of_ranges(parent.entries[name].value)
                message += f" and is invalid there too: {problem}" if problem else ""
                if "rubrics" in known:
                    fix = ranges_as_rubric(part.source, parent, name)
        elif known and len(known) <= 12:
            message += f"; expected one of {', '.join(f'`{it}`' for it in known)}"
        yield Finding(key.span if key else issue.span, message, fix)


def _list_before(
    part: ParsedHead | ParsedCase | ParsedTargets, path: tuple[str | int, ...], name: str
) -> str | None:
    """Return the key of a suite's list of cases if the key `name` is that of a second list."""
    root = part.content.node
    if path or name not in CASE_LIST_KEYS or not isinstance(part, ParsedHead):
        return None
    names = root.entries if isinstance(root, Mapping) else ()
    return next((it for it in names if it in CASE_LIST_KEYS), None)


@rule("SC102", only_of="issues", issues=(IssueKind.MISSING,))
def missing_key(part: ParsedHead | ParsedCase | ParsedTargets) -> Iterator[Finding]:
    """A required key is missing.

    A case without an id, an input or an expected outcome cannot be graded. The fix adds an id; only
    the author knows the rest.

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
    for issue in issues_of(part, missing_key):
        if issue.type == "missing":
            if stands_misspelt(part, issue.path[:-1], str(issue.path[-1])):
                continue
            handed_on = passed_on(part, issue.path[:-1], str(issue.path[-1]))
            where = whole_at(issue.path[:-1]) or _kind(part)
            field = field_at(part.model_type, part.node, issue.path) if part.node else None
            meaning = f": {first_sentence(field.meaning)}" if field and field.meaning else ""
            message = f"this {where} has no `{issue.path[-1]}`{meaning}"
        else:
            if any(stands_misspelt(part, issue.path, it) for it in _ONE_OF[issue.type]):
                continue
            handed_on = None
            message = f"{issue.message}"
        if handed_on is not None:
            message += f"; did you mean `{issue.path[-1]}` instead of `{handed_on.text}`?"
        if handed_on is not None:
            fix = renamed(handed_on, str(issue.path[-1]), safe=False)
        else:
            fix = _added(part, issue)
        yield Finding(handed_on.span if handed_on else issue.span, message, fix)


#: The keys of which one is required, by the type of the error.
_ONE_OF = {
    "missing_input": ("input", "input_messages"),
    "rubric_without_text": ("expected_outcome", "score_ranges"),
}


def _added(part: ParsedHead | ParsedCase | ParsedTargets, issue: ValidationIssue) -> Fix | None:
    """Return the fix that adds a missing key, with a name or with an empty value.

    An empty value is still an error, so that nothing is graded by it.
    """
    node, name = issue.node, str(issue.path[-1]) if issue.type == "missing" else ""
    if not isinstance(node, Mapping):
        return None
    if name == "id" and len(issue.path) == 1:
        edit = entry_added(part.content, node, f"id: {_id_of(node)}")
    elif name == "name" and isinstance(part, ParsedTargets):
        taken = {item.name.text for item in part.items if item.name is not None}
        provider = node.get("provider")
        base = name_of_text(provider.text, "target") if isinstance(provider, Scalar) else "target"
        edit = entry_added(part.content, node, f"name: {unique_name(base, taken)}")
    else:
        return None
    return Fix(f"Add `{edit.text.strip().rstrip(',')}`", (edit,), safe=False) if edit else None


def _id_of(case: Mapping) -> str:
    """Return an id for a case, derived from its input or its expected outcome."""
    messages = case.get("input_messages")
    last = messages.items[-1] if isinstance(messages, Sequence) and messages.items else None
    content = last.get("content") if isinstance(last, Mapping) else None
    texts = (case.get("input"), content, case.get("expected_outcome"))
    text = next((it.text for it in texts if isinstance(it, Scalar) and it.text.strip()), "")
    return name_of_text(text, "case")


RANGES = ("score_ranges", SCORE_RUBRIC)


def place_of(part: Part, mapping: Path, name: str) -> str | None:
    """Return where an unknown key belongs, a level below or above; None if unknown.

    Args:
        part: the part of the suite.
        mapping: the path of the mapping.
        name: the key.
    """
    if part.node is None:
        return None
    if name == SCORE_RUBRIC:
        name = "score_ranges"
    below = list(dict.fromkeys(_below(models_at(part.model_type, part.node, mapping), name)))
    if len(below) in (1, 2):
        return f"belongs {' or '.join(below)}"
    if isinstance(part, ParsedHead) and not mapping and name in keys_of(Case):
        return "belongs in a case"
    of_execution = mapping in ((), ("execution",)) and name in keys_of(SuiteExecution)
    if isinstance(part, ParsedCase) and of_execution:
        return "belongs in the suite's `execution`: it is the same for all cases"
    if isinstance(part, ParsedCase) and not mapping and name in keys_of(SuiteHead):
        return "belongs in the suite, outside of its cases"
    if not below and mapping:
        above = mapping[:-1]
        while above and isinstance(above[-1], int):
            above = above[:-1]
        for outer in (above, above[:-1]):
            if any(
                name in keys_of(model) for model in models_at(part.model_type, part.node, outer)
            ):
                key = next(part for part in reversed(mapping) if isinstance(part, str))
                return f"belongs next to `{key}`, one level up"
    return None


def _below(models: list[type[BaseModel]], name: str) -> Iterator[str]:
    """Yield the places one level below some models that may have a key."""
    for model in models:
        yield from (place for place, keys in _places_below(model) if name in keys)


@cache
def _places_below(model: type[BaseModel]) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return the places one level below a model, each with the keys that it may have."""
    found: list[tuple[str, frozenset[str]]] = []
    for own, info in model.model_fields.items():
        key = info.alias or own
        for alternative in alternatives(info.annotation):
            under = _keys_of(alternative)
            found.append((f"under `{key}`", under))
            if get_origin(alternative) is list:
                items = map(_keys_of, alternatives(get_args(alternative)[0]))
                found.append((f"in an item of `{key}`", frozenset().union(*items) - under))
    return tuple(place for place in found if place[1])


def _keys_of(model: Any) -> frozenset[str]:
    is_model = isinstance(model, type) and issubclass(model, BaseModel)
    return frozenset(keys_of(model)) if is_model else frozenset()


def criteria_of_judge(mapping: Mapping, name: str) -> tuple[str, Fix | None] | None:
    """Return the message and fix for `criteria` of an `llm_judge`: the text becomes its only rubric."""
    entry = mapping.entries.get(name)
    if name != "criteria" or entry is None or text_of(mapping.get("type")) != "llm_judge":
        return None
    message = "an `llm_judge` grades by `rubrics`; `criteria` belongs to a `criteria` evaluator"
    value = entry.value
    plainly = isinstance(value, Scalar) and value.style in ("", "'", '"') and value.text.strip()
    if not isinstance(value, Scalar) or not plainly or "rubrics" in mapping or entry.merged:
        return message, None
    replacement = f"rubrics: [{in_quotes(value.text)}]"
    return message, replace(
        Span(entry.key.start, value.end), replacement, "Write it as the only rubric", safe=False
    )


def means_rubrics(mapping: Mapping, name: str) -> bool:
    """Whether a `score_rubric` is a list of rubrics, not of score ranges."""
    listed = mapping.get(name) if name == SCORE_RUBRIC else None
    return isinstance(listed, Sequence) and not any(
        isinstance(item, Mapping) and "score_range" in item for item in listed.items
    )


def problem_of_ranges(node: Node) -> str | None:
    """Return the problem of score ranges, wherever they are; None if they are valid."""
    if isinstance(node, Mapping):
        lows = [int(bound) for bound in node.entries if bound.isdecimal() and len(bound) < 4]
        found = map_problems(lows) if len(lows) == len(node.entries) else iter(())
    else:
        ranges = [
            item.get("score_range") if isinstance(item, Mapping) else None
            for item in (node.items if isinstance(node, Sequence) else ())
        ]
        pairs: list[Any] = [plain(pair) if pair is not None else () for pair in ranges]
        whole = all(
            isinstance(pair, list) and [type(n) for n in pair] == [int, int] for pair in pairs
        )
        found = (
            range_problems([(pair[0], pair[1]) for pair in pairs]) if pairs and whole else iter(())
        )
    problem = next(found, None)
    return problem.message if problem else None


def ranges_as_rubric(text: str, mapping: Mapping, name: str) -> Fix | None:
    """Move score ranges into an item of the `rubrics` at the same level."""
    entry = mapping.entries[name]
    if "rubrics" in mapping or entry.merged or isinstance(entry.value, Scalar):
        return None
    edits = _in_brackets(text, entry) or _in_lines(text, mapping, entry)
    return Fix("Move into an item of `rubrics`", edits, safe=False) if edits else None


def _in_brackets(text: str, entry: Entry) -> tuple[Edit, ...] | None:
    key, value = entry.key, entry.value
    if isinstance(value, Scalar) or not value.flow or "\n" in text[key.start : value.end]:
        return None
    end = Span(value.end, value.end)
    return (Edit(key.span, "rubrics: [{score_ranges"), Edit(end, "}]"))


def _in_lines(text: str, mapping: Mapping, entry: Entry) -> tuple[Edit, ...] | None:
    if mapping.flow or isinstance(entry.value, Scalar) or entry.value.flow:
        return None
    base = column(text, entry.key.start)
    end = entry.value.end
    block = block_of(text, entry)
    if block is not None:
        end = block.end
    lead = newline(text) + " " * (base + 2)
    moved = shifted(text, Span(entry.key.start, end), 4)
    return (Edit(entry.key.span, f"rubrics:{lead}- score_ranges"), *moved)
