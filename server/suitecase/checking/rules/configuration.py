"""Rules on the configuration: `suitecase.toml`, or the table in `pyproject.toml`.

Their findings are in that file, which cannot suppress them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from suitecase.checking.rules import rule_named
from suitecase.checking.rules.rule_names import MOST_SUGGESTED, named_rules, nearest_rule
from suitecase.format.baseline_file import configured_baseline
from suitecase.format.configuration import ParsedConfiguration
from suitecase.format.rewriting.lines import line_end, line_start
from suitecase.format.rule import Finding, Fix, Severity, replace, rule
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.parsed import keys_of
from suitecase.schema.fields import field_at
from suitecase.schema.validation import ValidationIssue
from suitecase.text.near_names import nearest
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span, at, describe
from suitecase.text.plural import first_of

#: A setting on a line of its own.
_SETTING = re.compile(r"""[ \t]*["']?[\w-]+["']?[ \t]*=[ \t]*(?:"[^"]*"|'[^']*')[ \t]*""")
_QUOTED = re.compile(r"'([^']+)'")


@rule("SC701", unreadable=True)
def configuration_syntax(configuration: ParsedConfiguration) -> Iterator[Finding]:
    """The configuration is not valid TOML, or cannot be read.

    Suites are then checked without the configuration, so there may be more or fewer findings than
    intended.

    ```toml bad
    ignore = ["SC214"]
    fail-level: "warning"  # <- finding
    ```

    ```toml good
    ignore = ["SC214"]
    fail-level = "warning"
    ```
    """
    if configuration.unreadable is not None:
        yield Finding(Span(0, 0), f"the configuration cannot be read: {configuration.unreadable}")
    if configuration.error is not None:
        error = configuration.error
        yield Finding(error.span, f"the configuration is not valid TOML: {error.message}")


@rule("SC702")
def unknown_setting(configuration: ParsedConfiguration) -> Iterator[Finding]:
    """A setting is unknown.

    It would be silently ignored, and the checker would not do what its author intended.

    ```toml bad
    ignored = ["SC214"]  # <- finding
    ```

    ```toml fixed
    ignore = ["SC214"]
    ```
    """
    from suitecase.format.settings import Configuration, SandboxSettings

    for issue in configuration.issues:
        if issue.type == "extra_forbidden":
            name = str(issue.path[-1])
            known = sorted(keys_of(SandboxSettings if len(issue.path) > 1 else Configuration))
            suggestion = nearest(name.replace("_", "-"), known)
            hint = (
                f"did you mean `{suggestion}`?"
                if suggestion
                else f"expected one of {', '.join(f'`{it}`' for it in known)}"
            )
            span = issue.key.span if issue.key else issue.span
            table = at(configuration.node, issue.path[:-1])[0]
            free = isinstance(table, Mapping) and suggestion is not None and suggestion not in table
            fix = _renamed(span, suggestion) if free and suggestion else None
            yield Finding(span, f"unknown setting `{name}`; {hint}", fix)


@rule("SC703")
def invalid_setting(configuration: ParsedConfiguration) -> Iterator[Finding]:
    """A setting has an invalid value.

    This setting is ignored; the others apply.

    ```toml bad
    fail-level = "warn"  # <- finding
    ignore = "SC214"  # <- finding
    ```

    ```toml fixed
    fail-level = "warning"
    ignore = ["SC214"]
    ```
    """
    from suitecase.format.settings import Configuration

    for issue in configuration.issues:
        if issue.type == "extra_forbidden":
            continue
        field = field_at(Configuration, configuration.node, issue.path)
        where = ".".join(str(it) for it in issue.path if isinstance(it, str))
        expected = issue.context.get("expected")
        if issue.type == "greater_than_equal":
            message = f"`{where}` must be {issue.context['ge']} or more"
        elif expected:
            words = str(expected).replace("'", "`")
            message = f"`{where}` must be {words}"
        elif field is not None:
            message = f"`{where}` must be {field.expected}"
        else:
            message = f"every item of `{where}` must be text"
        fix = _corrected(issue, configuration.text)
        yield Finding(issue.span, f"{message}; got {_shown(issue.node)}", fix)


def _corrected(issue: ValidationIssue, text: str) -> Fix | None:
    """Return the fix of a text: the word that it resembles, or a list with it as the only item."""
    node = issue.node
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return None
    if issue.type == "list_type":
        source = text[node.start : node.end]
        return replace(node.span, f"[{source}]", f"Change to `[{source}]`")
    words = _QUOTED.findall(str(issue.context.get("expected", "")))
    suggestion = nearest(node.text, words)
    return _renamed(node.span, suggestion, f'"{suggestion}"') if suggestion else None


def _renamed(span: Span, suggestion: str, replacement: str = "") -> Fix:
    """Return the fix of a misspelled name: a guess, so it is not safe."""
    return replace(span, replacement or suggestion, f"Change to `{suggestion}`", safe=False)


def _shown(node: Node) -> str:
    if isinstance(node, Scalar) and isinstance(node.value, str):
        return f"`{node.text}`"
    return describe(node)


@rule("SC704")
def unknown_rule(configuration: ParsedConfiguration) -> Iterator[Finding]:
    """The configuration names an unknown rule.

    Use the code of a rule (`SC201`), a prefix of codes (`SC2`), or its name.

    ```toml bad
    ignore = ["unknwon-tag"]  # <- finding

    [severity]
    scripts-missing = "error"  # <- finding

    [per-file-ignores]
    "drafts/**" = ["legcy-key"]  # <- finding
    ```

    ```toml fixed
    ignore = ["unknown-tag"]

    [severity]
    script-missing = "error"

    [per-file-ignores]
    "drafts/**" = ["legacy-key"]
    ```
    """
    unknown = (node for node in configuration.rule_names() if not named_rules(node.text))
    for number, node in enumerate(unknown):
        suggestion = nearest_rule(node.text) if number < MOST_SUGGESTED else None
        hint = f"did you mean `{suggestion}`?" if suggestion else "see `docs/rules` for all rules"
        fix = None
        if suggestion:
            source = configuration.text[node.start : node.end]
            now = source.replace(node.text, suggestion)
            fix = _renamed(node.span, suggestion, now)
        yield Finding(node.span, f"unknown rule `{node.text}`; {hint}", fix)


@rule("SC705")
def invalid_baseline(configuration: ParsedConfiguration, folder: Folder) -> Iterator[Finding]:
    """The baseline that the configuration names cannot be used.

    All findings are then reported, known or not. `suitecase check --write-baseline FILE` writes a
    baseline.

    ```toml bad
    baseline = "knwon.json"  # <- finding
    ```

    ```toml good
    baseline = "known.json"
    ```

    ```json good file=known.json
    {"version": 1, "findings": []}
    ```
    """
    baseline = configured_baseline(configuration, folder.workspace)
    node = configuration.node.get("baseline")
    if baseline is not None and baseline.problem is not None and node is not None:
        yield Finding(
            node.span,
            f"the baseline {folder.shown(baseline.path)} cannot be used: {baseline.problem}; "
            "create one with `suitecase check --write-baseline`",
        )


@rule("SC715", Severity.WARNING)
def ineffective_ignore(configuration: ParsedConfiguration) -> Iterator[Finding]:
    """The configuration tries to suppress errors that cannot be suppressed.

    These errors mean that something cannot be graded. If the configuration hid them, or lowered
    their severity, the check would pass but the cases would still not run. So the setting has no
    effect.

    ```toml bad
    ignore = ["unknown-key"]  # <- finding

    [severity]
    SC201 = "warning"  # <- finding

    [per-file-ignores]
    "drafts/**" = ["SC102"]  # <- finding
    ```

    ```toml fixed
    ignore = []

    [severity]

    [per-file-ignores]
    "drafts/**" = []
    ```

    ```toml good
    ignore = ["prompt-without-rubrics"]

    [severity]
    SC302 = "warning"
    ```
    """
    for node in _silencing(configuration):
        rules = named_rules(node.text)
        if rules and all(it.cannot_be_silenced for it in rules):
            yield Finding(
                node.span,
                f"`{node.text}` has no effect here: its errors mean that something cannot be "
                "graded, so they cannot be suppressed",
                _without(configuration, node),
            )


def _without(configuration: ParsedConfiguration, node: Scalar) -> Fix | None:
    """Return the fix that takes a rule out of a list, or its line out of a table."""
    text = configuration.text
    for items in _lists(configuration):
        number = next((number for number, it in enumerate(items) if it is node), None)
        if number is None:
            continue
        if len(items) == 1:
            removed = node.span
        elif number:
            removed = Span(items[number - 1].end, node.end)
        else:
            removed = Span(node.start, items[1].start)
        break
    else:
        removed = Span(line_start(text, node.start), line_end(text, node.end))
        if not _SETTING.fullmatch(text[removed.start : removed.end].rstrip("\r\n")):
            return None
    if "#" in text[removed.start : removed.end]:
        return None
    return replace(removed, "", f"Remove `{node.text}`")


@rule("SC716", Severity.INFO)
def partly_ineffective_ignore(configuration: ParsedConfiguration) -> Iterator[Finding]:
    """The configuration ignores several rules, some of which have errors that cannot be suppressed.

    The setting applies to the other rules.

    ```toml bad
    [per-file-ignores]
    "drafts/**" = ["SC2"]  # <- finding
    ```

    ```toml good
    [per-file-ignores]
    "drafts/**" = ["SC214", "SC215"]
    ```
    """
    for node in _silencing(configuration):
        rules = named_rules(node.text)
        unsuppressible = [known.code for known in rules if known.cannot_be_silenced]
        if unsuppressible and len(unsuppressible) < len(rules):
            yield Finding(
                node.span,
                f"`{node.text}` does not suppress the errors of {first_of(unsuppressible, 3)}, "
                "which mean that something cannot be graded",
            )


def _lists(configuration: ParsedConfiguration) -> list[list[Node]]:
    """Return the lists of ignored rules."""
    lists = [configuration.node.get("ignore")]
    per_file = configuration.node.get("per-file-ignores")
    if isinstance(per_file, Mapping):
        lists += [entry.value for _, entry in per_file]
    return [it.items for it in lists if isinstance(it, Sequence)]


def _silencing(configuration: ParsedConfiguration) -> Iterator[Scalar]:
    """Yield the places that ignore rules, or give them a lower severity than error."""
    named = [item for items in _lists(configuration) for item in items]
    severity = configuration.node.get("severity")
    if isinstance(severity, Mapping):
        named += [
            entry.key
            for _, entry in severity
            if isinstance(entry.value, Scalar) and entry.value.text in ("warning", "info")
        ]
    yield from (it for it in named if isinstance(it, Scalar) and isinstance(it.value, str))


@rule("SC717", Severity.WARNING)
def error_in_baseline(configuration: ParsedConfiguration, folder: Folder) -> Iterator[Finding]:
    """The baseline that the configuration names contains errors that cannot be suppressed.

    These errors mean that something cannot be graded, however long they have been known, so they
    are still reported. `suitecase check --write-baseline` writes a baseline without them.

    ```toml bad
    baseline = "known.json"  # <- finding
    ```

    ```json bad file=known.json
    {"version": 1, "findings": [{"file": "a.eval.yaml", "code": "SC101", "case": "a", "line": "x: 1"}]}
    ```

    ```toml good
    baseline = "known.json"
    ```

    ```json good file=known.json
    {"version": 1, "findings": [{"file": "a.eval.yaml", "code": "SC214", "case": "a", "line": "x: 1"}]}
    ```
    """
    baseline = configured_baseline(configuration, folder.workspace)
    node = configuration.node.get("baseline")
    if baseline is None or node is None:
        return
    entries = [
        entry
        for entry in sorted(baseline.baseline.counts)
        if (found := rule_named(entry.code)) is not None and found.cannot_be_silenced
    ]
    if entries:
        number = sum(baseline.baseline.counts[entry] for entry in entries)
        errors = "1 error" if number == 1 else f"{number:,} errors"
        first = f"{entries[0].code} in {entries[0].file}"
        yield Finding(
            node.span,
            f"the baseline {folder.shown(baseline.path)} contains {errors} that cannot be suppressed "
            f"because something cannot be graded, such as {first}; `suitecase check "
            "--write-baseline` leaves them out",
        )
