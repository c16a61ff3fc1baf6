"""Rules on the command lines of `cli` targets and the placeholders in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping as Table
from dataclasses import dataclass

from suitecase.format.rewriting.inserting import words_added
from suitecase.format.rewriting.removing import without
from suitecase.format.rule import DeferredFix, Edit, Finding, Fix, Severity, replace, rule
from suitecase.format.target_files import ParsedTarget, ParsedTargets
from suitecase.schema.validation import IssueKind
from suitecase.text.document import Content
from suitecase.text.embedded import embedded
from suitecase.text.near_names import nearest
from suitecase.text.node import Scalar, Span
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.targets.config.cli import (
    FREE_TEXTS,
    MADE_HERE,
    PLACEHOLDERS,
    names_in,
)
from suitecase_evaluators.targets.config.shell_text import (
    TEMPLATE_NAME,
    Enclosed,
    enclosed_names,
    open_quote,
)

#: What a shell does not read as words and quotes: comments, here-documents, command substitutions.
_MAY_HOLD_ANY = re.compile(r"(?:^|\s)#|<<|`|\$\(").search
#: A name in one or two braces, whatever its letters; `${NAME}` is the shell's.
_BRACED = re.compile(r"(?<![${])\{\{?[ \t]*([A-Za-z_]+)[ \t]*(\}\}?)?")


@dataclass(frozen=True, slots=True)
class Template:
    """A text with placeholders: its key, and the names that it may contain."""

    key: str
    node: Scalar
    known: Table[str, str]

    def span(self, targets: ParsedTargets, start: int, end: int) -> Span:
        """Return the place of a stretch of the text in the file."""
        return embedded(self.node, targets.source).span(start, end)


def _templates(targets: ParsedTargets) -> Iterator[Template]:
    for target in targets.items:
        for value in target.values(*PLACEHOLDERS):
            node = value.node
            if isinstance(node, Scalar) and isinstance(node.value, str):
                yield Template(value.entry.key.text, node, PLACEHOLDERS[value.role])


@rule("SC521", issues=(IssueKind.PLACEHOLDER_UNKNOWN,))
def unknown_placeholder(targets: ParsedTargets) -> Iterator[Finding]:
    """A command line uses an unknown placeholder.

    `command_template` may contain `{PROMPT}`, `{PROMPT_FILE}`, `{GUIDELINES}`, `{EVAL_ID}`,
    `{ATTEMPT}`, `{FILES}` and `{OUTPUT_FILE}`, and `files_format` may contain `{path}` and
    `{basename}`. Any other name is not replaced, so the program would receive the name itself.

    ```yaml bad
    targets:
      - name: agent
        provider: cli
        command_template: agent --ask {PROMT}  # <- finding
    ```

    ```yaml fixed
    targets:
      - name: agent
        provider: cli
        command_template: agent --ask {PROMPT}
    ```
    """
    for template in _templates(targets):
        for match in TEMPLATE_NAME.finditer(template.node.text):
            name = match[1]
            if name in template.known:
                continue
            span = template.span(targets, *match.span())
            suggestion = nearest(name, template.known)
            placeholders = ", ".join(f"`{{{it}}}`" for it in template.known)
            hint = (
                f"did you mean `{{{suggestion}}}`?"
                if suggestion
                else f"expected one of {placeholders}"
            )
            fix = f"{{{suggestion}}}" if suggestion else None
            yield Finding(
                span,
                f"`{{{name}}}` is not a placeholder of `{template.key}`; {hint}",
                replace(span, fix, f"Change to `{fix}`", safe=False) if fix else None,
            )


@rule("SC522", issues=(IssueKind.PLACEHOLDER_QUOTED,))
def quoted_placeholder(targets: ParsedTargets) -> Iterator[Finding]:
    """A placeholder for free text is inside quotes.

    Each value is quoted for the shell when it is filled in. Quotes around `{PROMPT}` or
    `{GUIDELINES}` would end where the value's own quotes begin, and the shell would interpret the
    question as part of the command. `{PROMPT_FILE}`, `{OUTPUT_FILE}` and `{ATTEMPT}` may be inside
    quotes, since their values need none.

    ```yaml bad
    targets:
      - name: agent
        provider: cli
        command_template: agent --ask "{PROMPT}"  # <- finding
    ```

    ```yaml fixed
    targets:
      - name: agent
        provider: cli
        command_template: agent --ask {PROMPT}
    ```

    ```yaml good
    targets:
      - name: agent
        provider: cli
        command_template: bash -c 'agent < {PROMPT_FILE} > {OUTPUT_FILE}'
    ```
    """
    for template in _templates(targets):
        for placeholder in enclosed_names(template.node.text):
            if placeholder.name in FREE_TEXTS:
                hint = (
                    "remove the quotes, because each value is quoted when it is filled in"
                    if placeholder.within == "quotes"
                    else "the shell would run parts of its value as commands; use `{PROMPT_FILE}`"
                )
                yield Finding(
                    template.span(targets, placeholder.start, placeholder.end),
                    f"`{{{placeholder.name}}}` is inside {placeholder.within}; {hint}",
                    _unquoted(targets, template, placeholder),
                )


@rule("SC532", Severity.WARNING, keys=("targets",))
def quoted_name_placeholder(targets: ParsedTargets) -> Iterator[Finding]:
    """A placeholder for a name or a path is inside quotes.

    That works for a case id or a path of letters, digits and `@%+=:,./-_`. A value with a space or
    any other character needs quotes of its own, which would end those around it, so such a case
    fails when it is run. Without the quotes, every value works.

    ```yaml bad
    targets:
      - name: agent
        provider: cli
        command_template: agent {PROMPT} --case "{EVAL_ID}"  # <- finding
    ```

    ```yaml fixed
    targets:
      - name: agent
        provider: cli
        command_template: agent {PROMPT} --case {EVAL_ID}
    ```
    """
    for template in _templates(targets):
        for placeholder in enclosed_names(template.node.text):
            if (
                placeholder.name in template.known
                and placeholder.name not in FREE_TEXTS | MADE_HERE
            ):
                yield Finding(
                    template.span(targets, placeholder.start, placeholder.end),
                    f"`{{{placeholder.name}}}` is inside {placeholder.within}, which works only if its value has no "
                    "spaces and no shell metacharacters; each value is quoted when it is filled in",
                    _unquoted(targets, template, placeholder),
                )


def _unquoted(targets: ParsedTargets, template: Template, placeholder: Enclosed) -> Fix | None:
    """Return the fix that removes quotes that enclose only a placeholder."""
    start, end = placeholder.start, placeholder.end
    text = template.node.text
    around = text[start - 1 : start], text[end : end + 1]
    if placeholder.within != "quotes" or around not in (("'", "'"), ('"', '"')):
        return None
    if template.node.style == '"':
        return None
    spans = (template.span(targets, at, at + 1) for at in (start - 1, end))
    return Fix("Remove the quotes", tuple(Edit(span, "") for span in spans), safe=False)


@rule("SC523", Severity.WARNING)
def unexpanded_placeholder(targets: ParsedTargets) -> Iterator[Finding]:
    """A name in braces resembles a placeholder, but is not filled in.

    Placeholders are written exactly like `{PROMPT}`: in capitals, in one pair of closed braces,
    without spaces. In any other form the program receives the braces and the name literally.

    ```yaml bad
    targets:
      - name: agent
        provider: cli
        command_template: agent --ask {prompt}  # <- finding
    ```

    ```yaml fixed
    targets:
      - name: agent
        provider: cli
        command_template: agent --ask {PROMPT}
    ```
    """
    for template in _templates(targets):
        text = template.node.text
        for match in _BRACED.finditer(text):
            known = {it.casefold(): it for it in template.known}
            placeholder = known.get(match[1].casefold())
            literal = match.group()
            if placeholder is None or TEMPLATE_NAME.fullmatch(literal):
                continue
            if not match[2] and match[1] != placeholder:
                continue  # a brace group of the shell whose word happens to be the name
            literal = literal.rstrip(" \t")
            span = template.span(targets, match.start(), match.start() + len(literal))
            new = f"{{{placeholder}}}"
            yield Finding(
                span,
                f"`{literal}` is not replaced; write the placeholder as `{new}`",
                replace(span, new, f"Change to `{new}`", safe=False),
            )


@rule("SC524", Severity.WARNING, keys=("files_format",))
def ineffective_files_format(target: ParsedTarget) -> Iterator[Finding]:
    """A `files_format` does not contain the file, or is not used.

    It is the format of each file in the value of `{FILES}`. Without `{path}` or `{basename}` the
    program does not get the name of the file; without `{FILES}` in the command line, the format is
    not used at all.

    ```yaml bad
    targets:
      - name: agent
        provider: cli
        command_template: agent --ask {PROMPT} {FILES}
        files_format: --file  # <- finding
    ```

    ```yaml fixed
    targets:
      - name: agent
        provider: cli
        command_template: agent --ask {PROMPT} {FILES}
        files_format: --file {path}
    ```
    """
    if next(target.values(FieldRole.COMMAND_TEMPLATE), None) is None:
        return
    entry = target.node.entries.get("files_format")
    command = target.node.get("command_template")
    if entry is None or not isinstance(entry.value, Scalar) or not isinstance(command, Scalar):
        return
    node = entry.value
    if not isinstance(node.value, str) or not node.text.strip():
        return
    if isinstance(command.value, str) and "FILES" not in command.text and command.text.strip():
        yield Finding(
            entry.key.span,
            "`files_format` has no effect, because `command_template` does not contain `{FILES}`",
            deferred_fix=without(entry.key, safe=False),  # the command line may lack it
        )
    elif not names_in(node.text) and not _BRACED.search(node.text):
        yield Finding(
            node.span,
            "`files_format` contains neither `{path}` nor `{basename}`, so it is the same for every "
            "file",
            deferred_fix=_naming_path(node),
        )


def _naming_path(node: Scalar) -> DeferredFix:
    def fix(content: Content) -> Fix | None:
        edit = words_added(content.text, node, "{path}")
        return Fix("Add `{path}`", (edit,), safe=False) if edit else None

    return fix


@rule("SC525", Severity.WARNING, keys=("targets",))
def unclosed_shell_quote(targets: ParsedTargets) -> Iterator[Finding]:
    """A quote in a command line is not closed.

    The shell searches to the end of the line for the closing quote, does not find it, and starts
    nothing, so the target never answers.

    ```yaml bad
    targets:
      - name: agent
        provider: cli
        command_template: agent {PROMPT} --system "Be kind  # <- finding
    ```

    ```yaml fixed
    targets:
      - name: agent
        provider: cli
        command_template: agent {PROMPT} --system "Be kind"
    ```
    """
    for template in _templates(targets):
        text = template.node.text
        opening = open_quote(text)
        if template.key == "command_template" and opening is not None and not _MAY_HOLD_ANY(text):
            yield Finding(
                template.span(targets, opening, opening + 1),
                f"this {text[opening]} is not closed, so the shell cannot run the command",
                _closed(targets, template.node, text[opening]),
            )


def _closed(targets: ParsedTargets, node: Scalar, quote: str) -> Fix | None:
    """Return the fix that closes a quote at the end of a single-line command."""
    if node.style in (quote, "|", ">"):
        return None
    edit = words_added(targets.source, node, quote, gap="")
    return Fix("Close the quote at the end", (edit,), safe=False) if edit else None
