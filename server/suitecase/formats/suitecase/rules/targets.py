"""Rules on targets files that AgentV shares with Suitecase."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.invalid_targets import why_unknown
from suitecase.format.rule import Edit, Finding, Fix, Severity, Tag, replace, rule
from suitecase.format.target_files import ParsedTargets
from suitecase.text.near_names import nearest
from suitecase.text.node import Mapping, Span


@rule("SC540")
def unknown_target_alias(targets: ParsedTargets) -> Iterator[Finding]:
    """A target stands for another one that is not defined.

    An entry with `use_target` is another name of a target of the same file.

    ```yaml bad
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
      - name: default
        use_target: smal  # <- finding
    ```

    ```yaml fixed
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
      - name: default
        use_target: small
    ```
    """
    unknown = {id(it.alias) for it in targets.unusable.values()}
    for alias in targets.aliases:
        if id(alias) not in unknown or alias.variable is not None:
            continue
        suggestion = nearest(alias.of.text.strip(), targets.configs)
        hint = f"; did you mean `{suggestion}`?" if suggestion else ""
        yield Finding(
            alias.of.span,
            f"{why_unknown(alias)} of this file{hint}",
            replace(alias.of.span, suggestion, f"Change to `{suggestion}`", safe=False)
            if suggestion
            else None,
        )


@rule("SC624", Severity.WARNING)
def target_from_environment(targets: ParsedTargets) -> Iterator[Finding]:
    """An environment variable says which target an entry stands for.

    AgentV reads the name of the target from the environment. Suitecase does not, since a check
    would depend on the machine: suites that use the entry are refused. Name the target here, or in
    the suite, or choose one for a run with `suitecase run --target`.

    ```yaml bad
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
      - name: default
        use_target: ${{ AGENT_TARGET }}  # <- finding
    ```

    ```yaml good
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
      - name: default
        use_target: small
    ```
    """
    for alias in targets.aliases:
        if alias.variable is not None:
            yield Finding(
                alias.of.span,
                f"suites that use `{alias.name.text}` are refused: {why_unknown(alias)}",
            )


@rule("SC625", Severity.WARNING, tags=(Tag.DEPRECATED,))
def targets_by_name(targets: ParsedTargets) -> Iterator[Finding]:
    """The targets of a file are a mapping by their names.

    They are read as the list of them. AgentV refuses such a file.

    ```yaml bad
    targets:
      small:  # <- finding
        provider: openai
        model: gpt-4o-mini
      large:
        provider: openai
        model: gpt-4o
    ```

    ```yaml fixed
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
      - name: large
        provider: openai
        model: gpt-4o
    ```
    """
    for legacy_syntax in targets.legacy_syntax:
        if legacy_syntax.kind == "targets_by_name":
            edits = _as_list(targets.source, legacy_syntax.parent)
            yield Finding(
                legacy_syntax.node.span,
                "`targets` is a list of targets, each with its `name`, and not a mapping",
                Fix("Write as a list", edits) if edits else None,
            )


def _as_list(text: str, by_name: Mapping) -> tuple[Edit, ...] | None:
    """Return the edits that write each name as the first key of an item, where only that changes."""
    edits: list[Edit] = []
    for name, entry in by_name:
        target = entry.value
        if by_name.flow or entry.merged or not isinstance(target, Mapping) or target.flow:
            return None
        first = next(iter(target.entries.values()), None)
        between = text[entry.key.end : target.start]
        if first is None or "name" in target or between.rstrip(" \r\n") != ":":
            return None
        start = text.rfind("\n", 0, entry.key.start) + 1
        if text[start : entry.key.start].strip(" ") or not name.isprintable() or not name:
            return None
        if (
            between.count("\n") != 1
            or len(between.rpartition("\n")[2]) != entry.key.start - start + 2
        ):
            return None
        colon = Span(entry.key.start, entry.key.end + 1)
        edits.append(Edit(colon, f"- name: {text[entry.key.start : entry.key.end]}"))
    return tuple(edits)
