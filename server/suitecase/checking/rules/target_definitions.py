"""Rules on the entries of targets files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from suitecase.format.rewriting.names import renamed
from suitecase.format.rule import Finding, Related, Severity, Tag, replace, rule
from suitecase.format.target_files import EMBEDDED, ParsedTarget, ParsedTargets
from suitecase.format.target_places import PLACES
from suitecase.format.workspace import Folder
from suitecase.text.embedded import embedded
from suitecase.text.near_names import nearest
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span
from suitecase.text.taken_names import TakenNames
from suitecase_evaluators.system.path_kinds import is_file
from suitecase_evaluators.targets.config import PROVIDERS
from suitecase_evaluators.targets.variable_names import PLACEHOLDER

_OPENING = re.compile(r"\$\{\{[^{}]*\}{0,2}")
#: Other notations for a variable, where one is the whole value.
_OTHER_NOTATION = re.compile(
    r"\s*(?:\$\{(?P<a>[A-Z][A-Z0-9_]*)\}|\$(?P<b>[A-Z][A-Z0-9_]*)"
    r"|\{\{\s*(?P<c>[A-Z][A-Z0-9_]*)\s*\}\})\s*"
)
#: Keys that a shell reads, which has its own variables.
_FOR_A_SHELL = ("command_template",)


@rule("SC511")
def duplicate_target_name(targets: ParsedTargets) -> Iterator[Finding]:
    """Two targets of a file have the same name.

    Suites refer to a target by name, and only the first of the two could ever be used.

    ```yaml bad
    targets:
      - name: model
        provider: openai
        model: gpt-4o-mini
      - name: model  # <- finding
        provider: openai
        model: gpt-4o
    ```

    ```yaml fixed
    targets:
      - name: model
        provider: openai
        model: gpt-4o-mini
      - name: model-2
        provider: openai
        model: gpt-4o
    ```
    """
    first: dict[str, Scalar] = {}
    taken = TakenNames(item.name.text for item in targets.items if item.name is not None)
    for target in targets.items:
        if target.name is not None:
            other = first.setdefault(target.name.text, target.name)
            if other is not target.name:
                new = taken.take(other.text)
                yield Finding(
                    target.name.span,
                    f"the target name `{other.text}` is already used in this file",
                    renamed(target.name, new),
                    related=(Related("first used here", other.span),),
                )


@rule("SC513")
def unknown_judge_target(targets: ParsedTargets) -> Iterator[Finding]:
    """A `judge_target` is not defined.

    `judge_target` names another target of the same file. `mock` is always available.

    ```yaml bad
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
        judge_target: lagre  # <- finding
      - name: large
        provider: openai
        model: gpt-4o
    ```

    ```yaml fixed
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
        judge_target: large
      - name: large
        provider: openai
        model: gpt-4o
    ```
    """
    if not _all_named(targets):
        return  # the judge may be the target with an invalid name
    for target in targets.items:
        judge = target.judge_target
        if judge is None or not isinstance(judge.value, str) or "${{" in judge.text:
            continue
        if not judge.text.strip():
            continue
        if judge.text in targets.spans or judge.text == EMBEDDED:
            continue
        suggestion = nearest(judge.text, targets.spans)
        known = ", ".join(f"`{span}`" for span in list(targets.spans)[:8])
        message = f"target `{judge.text}` is not defined in this file" + (
            f"; did you mean `{suggestion}`?" if suggestion else f"; expected one of {known}"
        )
        fix = (
            replace(judge.span, suggestion, f"Change to `{suggestion}`", safe=False)
            if suggestion
            else None
        )
        yield Finding(judge.span, message, fix)


def _all_named(targets: ParsedTargets) -> bool:
    listed = targets.node.get("targets") if targets.node else None
    names = [item.name for item in targets.items]
    return (
        isinstance(listed, Sequence)
        and len(names) == len(listed.items)
        and all(
            name is not None and isinstance(name.value, str) and name.text.strip() for name in names
        )
    )


@rule("SC514")
def malformed_variable(targets: ParsedTargets) -> Iterator[Finding]:
    """A reference to an environment variable is malformed.

    `${{ NAME }}` is replaced by the value of the environment variable; the name consists of
    letters, digits and underscores. Anything else is sent literally, so that a key, an address or a
    model would be wrong. Checking does not read the environment.

    ```yaml bad
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
        api_key: ${OPENAI_API_KEY}  # <- finding
    ```

    ```yaml fixed
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
        api_key: ${{ OPENAI_API_KEY }}
    ```
    """
    for target in targets.items:
        for key, node in _texts(target):
            for opening in _OPENING.finditer(node.text):
                if not PLACEHOLDER.match(node.text, opening.start()):
                    span = embedded(node, targets.source).span(*opening.span())
                    yield Finding(
                        span,
                        f"`{opening.group()}` is not a variable and is sent literally; write a variable "
                        "as `${{ NAME }}`, with letters, digits and underscores",
                    )
            other = None if key in _FOR_A_SHELL else _OTHER_NOTATION.fullmatch(node.text)
            if other is not None:
                name = other["a"] or other["b"] or other["c"]
                new = f"${{{{ {name} }}}}"
                fix = replace(node.span, new, f"Change to `{new}`", safe=False)
                quoted = bool(node.style) or _within_flow(targets, node)
                yield Finding(
                    node.span,
                    f"`{node.text.strip()}` is sent literally; write the variable as `{new}`",
                    None if quoted else fix,
                )


def _within_flow(targets: ParsedTargets, node: Scalar) -> bool:
    """Whether a value is in a flow collection, where braces need quotes."""
    return any(
        item.node.flow and item.node.start <= node.start < item.node.end for item in targets.items
    )


def _texts(target: ParsedTarget) -> Iterator[tuple[str, Scalar]]:
    """Yield the texts of a target with their keys, except for the author's notes."""
    waiting: list[tuple[str, Node]] = [
        (name, entry.value)
        for name, entry in reversed(target.node.entries.items())
        if name not in ("metadata", "response") and not name.startswith("x-")
    ]
    while waiting:
        key, node = waiting.pop()
        if isinstance(node, Mapping):
            waiting += [(name, entry.value) for name, entry in node]
        elif isinstance(node, Sequence):
            waiting += [(key, item) for item in node.items]
        elif isinstance(node.value, str):
            yield key, node


@rule("SC515", Severity.INFO)
def unsupported_agent(target: ParsedTarget) -> Iterator[Finding]:
    """A target is an agent that Suitecase does not start.

    The entry is checked, so that a file can be shared between tools. To run suites against the
    agent, start it with the command line of a `cli` target.

    ```yaml bad
    targets:
      - name: coder
        provider: claude-code  # <- finding
    ```

    ```yaml good
    targets:
      - name: coder
        provider: cli
        command_template: claude -p {PROMPT}
    ```
    """
    provider = target.provider
    if provider is not None and provider.text in PROVIDERS and target.model.asked_by is None:
        yield Finding(
            provider.span,
            f"Suitecase does not start `{provider.text}`; start it from a `cli` target",
        )


@rule("SC516", Severity.INFO, tags=(Tag.UNNECESSARY,))
def unused_targets_file(targets: ParsedTargets, folder: Folder) -> Iterator[Finding]:
    """No suite uses this targets file.

    In each folder from the suite's upwards, Suitecase reads the first of `targets.yaml`,
    `targets.yml`, those in `.suitecase/` and those in `.agentv/`. Files with other names, or after
    the first, are not read.

    ```yaml bad
    targets:  # <- finding
      - name: small
        provider: openai
        model: gpt-4o-mini
    ```

    ```yaml good
    execution:
      target: small
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml good file=.suitecase/targets.yaml
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
    ```
    """
    key = targets.node.key("targets") if targets.node else None
    if key is None:
        return
    hidden = targets.path.parent.name in (".suitecase", ".agentv")
    base = targets.path.parent.parent if hidden else targets.path.parent
    for place in PLACES:
        other = base / place
        if other == targets.path:
            return
        if is_file(other):
            yield Finding(
                key.span,
                f"this file has no effect, because `{folder.shown(other)}` is used instead",
                related=(Related("this one is used", Span(0, 0), other),),
            )
            return
    yield Finding(
        key.span, "this file has no effect: targets are read from files named `targets.yaml`"
    )
