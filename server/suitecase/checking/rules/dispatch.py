"""Which rules apply to a subject, by its type and content.

Most rules do not apply to most of a valid suite, and running them anyway would take most of the
time of a check. A rule declares what it applies to: `only_of`, `issues`, `keys` and `roles`.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any, NamedTuple, get_args

from suitecase.checking.rules import rules_of_dialect, rules_on_files
from suitecase.format.rule import LISTED, Rule
from suitecase.formats.suitecase.elements import ParsedEvaluator, ParsedJudge
from suitecase.schema.roles import roles_under
from suitecase.schema.validation import IssueKind
from suitecase.text.document import Document
from suitecase.text.node import Mapping, Sequence
from suitecase_evaluators.grade.evaluator import EvaluatorConfig


class Rules(NamedTuple):
    """The rules that check a subject by itself, and those that also read other files."""

    local: tuple[Rule, ...]
    cross_file: tuple[Rule, ...]


def rules_for(subject: Any) -> Rules:
    """Return the rules that may find something in a document, a part of it or an element."""
    kind: type = type(subject)
    node = getattr(subject, "node", None)
    if not isinstance(node, Mapping):
        return _rules(kind, None, None, True, None)
    keys = tuple(node.entries)
    for name in _listed(kind):
        if isinstance(node.get(name), Sequence):
            keys += (name + LISTED,)
    if hasattr(subject, "issues"):
        kinds = (
            frozenset([issue.kind for issue in subject.issues]) if subject.issues else _NO_ISSUES
        )
        return _rules(kind, keys, kinds, bool(getattr(subject, "legacy_syntax", ())), None)
    if kind is ParsedJudge:
        rules = _rules(ParsedEvaluator, keys, None, True, subject.config)
        return Rules(*(tuple(it for it in some if it.roles) for some in rules))
    config = subject.config if kind is ParsedEvaluator else None
    return _rules(kind, keys, None, True, config)


_NO_ISSUES: frozenset[IssueKind] = frozenset()


@lru_cache(maxsize=2048)
def _rules(
    kind: type,
    keys: tuple[str, ...] | None,
    issues: frozenset[IssueKind] | None,
    has_legacy_syntax: bool,
    config: type[EvaluatorConfig] | None,
) -> Rules:
    roles = {role for key in keys or () for role in roles_under(config, key)} if config else set()
    found = [
        rule
        for rule in rules_about(kind)
        if (rule.only_of != "issues" or issues is None or not rule.issues.isdisjoint(issues))
        and (rule.only_of != "legacy_syntax" or has_legacy_syntax)
        and (keys is None or not rule.keys or not rule.keys.isdisjoint(keys))
        and (not rule.roles or not rule.roles.isdisjoint(roles))
    ]
    return Rules(
        tuple(it for it in found if not it.reads_files),
        tuple(it for it in found if it.reads_files),
    )


@cache
def _listed(kind: type) -> tuple[str, ...]:
    """Return the keys whose lists some rule checks."""
    names = {key for it in rules_about(kind) for key in it.keys if key.endswith(LISTED)}
    return tuple(sorted(name.removesuffix(LISTED) for name in names))


@cache
def rules_about(kind: type) -> tuple[Rule, ...]:
    """Return every rule on files whose subject has a type, whatever its content.

    The rules of a dialect look at types that its folder in `formats/` defines, or at those of a dialect
    that it extends.
    """
    rules = (*rules_on_files(), *_of_dialects(kind))
    return tuple(
        rule for rule in rules if issubclass(kind, get_args(rule.subject) or (rule.subject,))
    )


@cache
def rules_on_dialect(kind: type) -> tuple[Rule, ...]:
    """Return the rules that apply to a type of file of a dialect, or to parts of it, by code.

    Those on any text are among them.
    """
    rules = {*rules_about(Document), *_of_dialects(kind)}
    return tuple(sorted(rules, key=lambda it: it.code))


def _of_dialects(kind: type) -> tuple[Rule, ...]:
    """Return the rules of the dialect that a type is of, and of those that it extends."""
    folders = {
        it.__module__.split(".")[2] for it in kind.__mro__ if it.__module__.startswith(_FORMATS)
    }
    return tuple(rule for folder in sorted(folders) for rule in rules_of_dialect(folder))


_FORMATS = "suitecase.formats."
