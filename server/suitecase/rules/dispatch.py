"""Which rules look at something: by what it is, and by what is there for them to be about.

Nearly all of a sound suite gives nearly all rules nothing to look at, and asking them all the same
takes longer than everything else. What a rule is about stands at the rule: `only_of` and `keys`.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any, NamedTuple, get_args

from suitecase.rule import Rule
from suitecase.rules import all_rules
from suitecase.suite.target_files import WrittenTargets
from suitecase.suite.written import WrittenCase, WrittenHead
from suitecase.syntax.node import Mapping


class Rules(NamedTuple):
    """The rules that look at something `alone`, and those that look at other files `beside` it."""

    alone: tuple[Rule, ...]
    beside: tuple[Rule, ...]


def rules_for(subject: Any) -> Rules:
    """Return the rules that may find something in a document, a part of it or an element."""
    kind: type = type(subject)
    node = getattr(subject, "node", None)
    if not isinstance(node, Mapping):
        return _rules(kind, None, has_issues=True, is_respelled=True)
    has_issues = is_respelled = True
    if isinstance(subject, WrittenCase | WrittenHead | WrittenTargets):
        has_issues, is_respelled = bool(subject.issues), bool(subject.respelled)
    keys = tuple(node.entries)
    return _rules(kind, keys, has_issues=has_issues, is_respelled=is_respelled)


@lru_cache(maxsize=2048)
def _rules(
    kind: type, keys: tuple[str, ...] | None, *, has_issues: bool, is_respelled: bool
) -> Rules:
    left_out = {None if has_issues else "issues", None if is_respelled else "respelled"} - {None}
    found = [
        it
        for it in rules_about(kind)
        if it.only_of not in left_out
        and (keys is None or not it.keys or not it.keys.isdisjoint(keys))
    ]
    return Rules(
        tuple(it for it in found if not it.reads_files),
        tuple(it for it in found if it.reads_files),
    )


@cache
def rules_about(kind: type) -> tuple[Rule, ...]:
    """Return every rule whose subject is of a type, whatever it is about."""
    return tuple(it for it in all_rules() if kind in (get_args(it.subject) or (it.subject,)))
