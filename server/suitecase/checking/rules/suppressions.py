"""Rules on suppression comments."""

from __future__ import annotations

import re
from collections.abc import Iterator

from suitecase.checking.rules.rule_names import MOST_SUGGESTED, named_rules, nearest_rule
from suitecase.format.comments import JSON_KEY
from suitecase.format.rule import Edit, Finding, Fix, Severity, Tag, replace, rule
from suitecase.format.suppression import UsedSuppression
from suitecase.text.node import Span

#: By whether it is a key in JSON (True) or a comment in YAML.
_HOW = {
    False: "`# suitecase: ignore[SC214] why`",
    True: f'`"{JSON_KEY}": "ignore[SC214] why"`',
}
_REMOVE = {False: "Remove the comment", True: f"Remove `{JSON_KEY}`"}
_WHERE = {"line": "on this line", "case": "in this case", "file": "in this file"}


#: A suppression comment and its content; the rules may be in another kind of brackets.
_NEARLY = re.compile(r"#[ \t]*suitecase:[ \t]*(?:ignore|disable|noqa)\b(?P<said>.*)", re.IGNORECASE)
_SIGNS = " \t:=,;([{)]}-"
_WORD = re.compile(r"[ \t:=,;(\[{]*([A-Za-z][\w-]*)[)\]}]?")


def _what(suppression: UsedSuppression) -> str:
    return f"`{JSON_KEY}`" if suppression.suppression.comment.in_json else "this comment"


@rule("SC711", Severity.WARNING, tags=(Tag.UNNECESSARY,))
def unused_suppression(suppression: UsedSuppression) -> Iterator[Finding]:
    """A suppression comment matches no finding.

    The finding has been fixed, or has moved. If the comment stays, it would hide the next finding
    of that rule.

    A comment at the end of a line applies to that line. On a line of its own it applies to the case
    right below it, to the whole file if it comes before any key, and otherwise to the next line. A
    data set is JSON, which has no comments: there, the key `x-suitecase` of a case applies to that
    case, and comments in the sidecar apply only to the sidecar.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi  # suitecase: ignore[SC117] asked for by support  # <- finding
        expected_outcome: Says hello
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```jsonl good
    {"id": "a", "input": "Hi", "outcome": "Says hello", "x-suitecase": "ignore[SC602] until March"}
    ```
    """
    unused = [
        (name, span)
        for name, span in suppression.names or ()
        if named_rules(name)
        if name not in suppression.used and not _tries_in_vain(name, suppression)
    ]
    if not unused:
        return
    scope = suppression.suppression.scope
    listed = ", ".join(f"`{name}`" for name, _ in unused)
    verb = "finds" if len(unused) == 1 else "find"
    message = f"{_what(suppression)} silences {listed}, which {verb} nothing {_WHERE[scope]}"
    span, fix = _without(suppression, unused)
    yield Finding(span, message, fix)


def _without(suppression: UsedSuppression, removed: list[tuple[str, Span]]) -> tuple[Span, Fix]:
    """Return the place of some names of a comment, and the fix that removes them."""
    names = suppression.names or ()
    if len(removed) == len(names):
        remove = _REMOVE[suppression.suppression.comment.in_json]
        return suppression.span, replace(suppression.removal, "", remove)
    listed = ", ".join(f"`{name}`" for name, _ in removed)
    left = ", ".join(name for name, _ in names if name not in {it for it, _ in removed})
    listing = Span(min(span.start for _, span in names), max(span.end for _, span in names))
    return removed[0][1], Fix(f"Remove {listed} from the comment", (Edit(listing, left),))


def _tries_in_vain(name: str, suppression: UsedSuppression) -> bool:
    """Whether the findings that a name in a comment is to suppress cannot be suppressed."""
    defies = all(named_rule.cannot_be_silenced for named_rule in named_rules(name))
    return defies or name in suppression.defied


#: In so many comments of a file, what a name was meant to be is looked for.
_MOST_COMMENTS = 500


@rule("SC712", Severity.WARNING)
def unknown_rule_in_suppression(suppression: UsedSuppression) -> Iterator[Finding]:
    """A suppression comment names an unknown rule.

    It has no effect. Use the code or the name of a rule.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        outcome: Says hello  # suitecase: ignore[SC602, legacy-keys] until March  # <- finding
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        outcome: Says hello  # suitecase: ignore[SC602, legacy-key] until March
    ```
    """
    unknown = [it for it in suppression.names or () if not named_rules(it[0])]
    for number, (name, span) in enumerate(unknown):
        # Nobody misspells that many; each is compared with all rules.
        few = number < MOST_SUGGESTED and suppression.before < _MOST_COMMENTS
        suggestion = nearest_rule(name) if few else None
        hint = f"; did you mean `{suggestion}`?" if suggestion else ""
        fix = (
            replace(span, suggestion, f"Change to `{suggestion}`", safe=False)
            if suggestion
            else None
        )
        yield Finding(span, f"unknown rule `{name}`{hint}", fix)


@rule("SC713", Severity.WARNING)
def malformed_suppression(suppression: UsedSuppression) -> Iterator[Finding]:
    """A suppression comment cannot be parsed.

    It has no effect. Name the rules to suppress: `# suitecase: ignore[SC214] why`.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi  # suitecase: ignore  # <- finding
        expected_outcome: Says hello
    ```

    If the comment names them in another form, the fix puts them in brackets.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: hello
            expected_outcome: Says hello
            weight: 3  # suitecase: ignore SC219, others will follow  # <- finding
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: hello
            expected_outcome: Says hello
            weight: 3  # suitecase: ignore[SC219] others will follow
    ```
    """
    if suppression.names is None:
        yield Finding(
            suppression.span,
            f"{_what(suppression)} cannot be parsed; name the rules to suppress, as in "
            f"{_HOW[suppression.suppression.comment.in_json]}",
            _in_brackets(suppression),
        )


def _in_brackets(suppression: UsedSuppression) -> Fix | None:
    """Return the fix of a comment that names rules without brackets."""
    comment = suppression.suppression.comment
    text = suppression.suppression.piece.content.text[comment.span.start : comment.span.end]
    found = _NEARLY.match(text)
    if comment.in_json or found is None:
        return None
    names: list[str] = []
    reason = found["said"]
    while (word := _WORD.match(reason)) and named_rules(word[1]):
        names.append(word[1])
        reason = reason[word.end() :]
    if not names:
        return None
    new = f"# suitecase: ignore[{', '.join(names)}] {reason.lstrip(_SIGNS)}".rstrip()
    return replace(suppression.span, new, f"Change to `{new}`", safe=False)


@rule("SC714", Severity.WARNING)
def ineffective_suppression(suppression: UsedSuppression) -> Iterator[Finding]:
    """A comment tries to suppress an error that cannot be suppressed.

    The error means that something cannot be graded. If the comment suppressed it, the check would
    pass but the case would still not run. Most errors are of this kind; each rule's page says
    whether its errors are. To check and run the other cases meanwhile, use `suitecase run
    --keep-going`.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics: [Says hello]  # suitecase: ignore[SC201] until March  # <- finding
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics: [Says hello]
    ```
    """
    names = [
        (name, span)
        for name, span in suppression.names or ()
        if named_rules(name) and _tries_in_vain(name, suppression)
    ]
    if not names:
        return
    removable = [(name, span) for name, span in names if name not in suppression.used]
    listed = ", ".join(f"`{name}`" for name, _ in names)
    span, fix = _without(suppression, removable) if removable else (names[0][1], None)
    yield Finding(
        span,
        f"{_what(suppression)} cannot suppress {listed}: such an error means that something "
        "cannot be graded",
        fix,
    )
