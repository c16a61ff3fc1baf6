"""The list of all rules, by family."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from suitecase.format.rule import Rule

_COLUMNS = "| Code | Rule | Severity | Quick fix | Can be suppressed | What it finds |\n| --- | --- | --- | --- | --- | --- |"


def list_of_rules(rules: Sequence[Rule], families: Mapping[str, str]) -> str:
    """Return the page that lists rules.

    Args:
        families: what rules are about, by the start of their codes.
    """
    return "\n\n".join(["# The rules", *_parts(rules, families)]) + "\n"


def _parts(rules: Sequence[Rule], families: Mapping[str, str]) -> Iterator[str]:
    yield (
        "`suitecase explain CODE` shows the page of a rule, and `suitecase explain rules` this list. The start of a code selects a family: "
        "`suitecase check --select SC2`."
    )
    yield "\n".join(
        f"- `{start}`: [{about}](#{_anchor(about)})" for start, about in families.items()
    )
    for start, about in families.items():
        rows = (_row(rule) for rule in rules if rule.code.startswith(start))
        yield f"## {about}"
        yield "\n".join([_COLUMNS, *rows])


def _row(rule: Rule) -> str:
    return (
        f"| {rule.code} | [{rule.name}]({rule.name}.md) | {rule.severity.value} | "
        f"{'yes' if rule.fixable else ''} | {'' if rule.cannot_be_silenced else 'yes'} | {rule.title} |"
    )


def _anchor(heading: str) -> str:
    kept = "".join(it for it in heading.lower() if it.isalnum() or it in " -_")
    return kept.replace(" ", "-")
