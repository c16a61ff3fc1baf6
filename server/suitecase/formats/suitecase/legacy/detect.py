"""Which of the formats a suite or a targets file was written in, by what only they have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from suitecase.formats.suitecase.legacy.normalize.legacy_syntax import LegacySyntax

#: Types of evaluators that are written with hyphens, but for those that came later.
_HYPHENS = "types with hyphens"
#: What a format brought, the oldest first.
_BROUGHT: tuple[tuple[str, frozenset[str]], ...] = (
    ("2025-11-10", frozenset({"testcases", "messages", "grader"})),
    ("2025-11-15", frozenset({"outcome", "$schema", "evaluator", "target", "code"})),
    ("2025-12-16", frozenset({"rubric", "description", "required: true"})),
    ("2026-02-18", frozenset({"eval_cases"})),
    ("2026-02-19", frozenset({"cases", "criteria"})),
    ("2026-02-20", frozenset({"tests", "skip_defaults"})),
    ("2026-02-21", frozenset({"assert", "rubrics", "negate"})),
    ("2026-02-22", frozenset({"args_match", "mode"})),
    ("2026-02-24", frozenset({"command"})),
    ("2026-03-07", frozenset({_HYPHENS})),
    ("2026-03-15", frozenset({"assertions"})),
    ("2026-03-16", frozenset({"llm-grader", "code-grader", "grader_target"})),
    ("2026-04-06", frozenset({"min_score", "threshold"})),
)
_NAMES = frozenset(it for _, brought in _BROUGHT for it in brought)
#: Of so many names that a format is known by is told.
_TOLD = 3


@dataclass(frozen=True, slots=True)
class Era:
    """A format of AgentV: since when, and the names it is known by."""

    since: str
    names: tuple[str, ...]

    def __str__(self) -> str:
        return f"AgentV's format of {self.since} ({', '.join(f'`{name}`' for name in self.names)})"


def era_of(list_key: str | None, legacy_syntax: Iterable[LegacySyntax]) -> Era | None:
    """Return the newest format that something of a file is of; None if all of it is of the current one.

    Args:
        list_key: what the file calls its list of cases, if it has one.
        legacy_syntax: that of the file.
    """
    found: dict[int, dict[str, None]] = {}
    names = [list_key] if list_key is not None else []
    for syntax in legacy_syntax:
        if syntax.kind == "config_key":
            continue  # keys of the author's own
        names.append(syntax.old if syntax.kind in ("key", "evaluator_type") else syntax.name)
        if syntax.kind == "range_gate":
            names[-1] = "required: true"
        if syntax.kind == "prompt_file":
            names[-1] = "assert"
    for name in dict.fromkeys(names):
        mark = _HYPHENS if "-" in name and name not in _NAMES else name
        for number, (_, brought) in enumerate(_BROUGHT):
            if mark in brought:
                found.setdefault(number, {})[name] = None
    if not found:
        return None
    newest = max(found)
    eras = [it for number in sorted(found, reverse=True) for it in found[number]]
    return Era(_BROUGHT[newest][0], tuple(eras[:_TOLD]))
