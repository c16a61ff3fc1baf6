"""Rules on comments that silence findings."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.rule import Edit, Finding, Fix, Severity, Tag, replace, rule
from suitecase.rules.naming import named_rules, nearest_rule
from suitecase.suite.comments import JSON_KEY
from suitecase.suite.suppression import UsedSuppression
from suitecase.syntax.node import Span

#: By whether it is a key in JSON or a comment in YAML.
_HOW = {
    False: "`# suitecase: ignore[SC201] why`",
    True: f'`"{JSON_KEY}": "ignore[SC201] why"`',
}
_REMOVE = {False: "Remove the comment", True: f"Remove `{JSON_KEY}`"}
_WHERE = {"line": "on this line", "case": "in this case", "file": "in this file"}


def _what(suppression: UsedSuppression) -> str:
    return f"`{JSON_KEY}`" if suppression.suppression.comment.in_json else "this comment"


@rule("SC711", Severity.WARNING, tags=(Tag.UNNECESSARY,))
def unused_suppression(suppression: UsedSuppression) -> Iterator[Finding]:
    """A comment silences a rule that finds nothing there.

    What it was written for is mended, or has moved. Left standing it would silence the next mistake
    of that kind.

    A comment behind something is about its line; on a line of its own it is about the case right
    below it, about the whole file where it stands before any key, and else about the next line.
    A data set is JSON, which has no comments: there the key `x-suitecase` of a case is about that
    case, and comments in the sidecar are about the sidecar alone.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi  # suitecase: ignore[SC104] asked for by support  # <- finding
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
    names = suppression.names or ()
    known = [(name, span) for name, span in names if named_rules(name)]
    unused = [(name, span) for name, span in known if name not in suppression.used]
    if not unused:
        return
    scope = suppression.suppression.scope
    in_json = suppression.suppression.comment.in_json
    listed = ", ".join(f"`{name}`" for name, _ in unused)
    verb = "finds" if len(unused) == 1 else "find"
    message = f"{_what(suppression)} silences {listed}, which {verb} nothing {_WHERE[scope]}"
    if len(unused) == len(names):
        yield Finding(suppression.span, message, replace(suppression.removal, "", _REMOVE[in_json]))
        return
    left = ", ".join(name for name, _ in names if name not in {it for it, _ in unused})
    listing = Span(min(span.start for _, span in names), max(span.end for _, span in names))
    fix = Fix(f"Remove {listed} from the comment", (Edit(listing, left),))
    yield Finding(unused[0][1], message, fix)


@rule("SC712", Severity.WARNING)
def unknown_rule_in_suppression(suppression: UsedSuppression) -> Iterator[Finding]:
    """A comment silences a rule that is not there.

    It silences nothing. A rule is named by its code or its name.

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
    for name, span in suppression.names or ():
        if named_rules(name):
            continue
        meant = nearest_rule(name)
        hint = f"; did you mean `{meant}`?" if meant else ""
        fix = replace(span, meant, f"Change to `{meant}`", safe=False) if meant else None
        yield Finding(span, f"there is no rule `{name}`{hint}", fix)


@rule("SC713", Severity.WARNING)
def unclear_suppression(suppression: UsedSuppression) -> Iterator[Finding]:
    """A comment speaks to Suitecase and is not understood.

    It silences nothing. What is silenced is named: `# suitecase: ignore[SC201] why`.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi  # suitecase: ignore  # <- finding
        expected_outcome: Says hello
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        outcome: Says hello  # suitecase: ignore[SC602] until March
    ```
    """
    if suppression.names is None:
        yield Finding(
            suppression.span,
            f"{_what(suppression)} is not understood; it must name the rules it silences, as in "
            f"{_HOW[suppression.suppression.comment.in_json]}",
        )
