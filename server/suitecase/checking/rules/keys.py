"""Rules on keys that are not allowed, and on keys that are missing."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.issue_places import first_sentence, issues_of, whole_at
from suitecase.checking.rules.misplaced import (
    RANGES,
    criteria_of_judge,
    means_rubrics,
    place_of,
    problem_of_ranges,
    ranges_as_rubric,
)
from suitecase.checking.rules.misspelling import known_keys, passed_on, stands_misspelt
from suitecase.format.case_list_keys import CASE_LIST_KEYS
from suitecase.format.rewriting.inserting import entry_added
from suitecase.format.rewriting.names import name_of_text, renamed
from suitecase.format.rule import Finding, Fix, replace, rule
from suitecase.format.target_files import ParsedTargets
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead
from suitecase.schema.fields import field_at
from suitecase.schema.validation import IssueKind, ValidationIssue
from suitecase.text.near_names import nearest, spelt_alike
from suitecase.text.node import Mapping, Scalar, Sequence, at
from suitecase.text.taken_names import unique_name


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
        taken = {it.name.text for it in part.items if it.name is not None}
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
