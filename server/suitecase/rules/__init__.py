"""The rules, found by looking through the modules of this package."""

from __future__ import annotations

import copyreg
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from suitecase.rule import Rule
from suitecase.suite.validation import IssueKind


@cache
def all_rules() -> tuple[Rule, ...]:
    """Return every rule, by code."""
    modules = [import_module(f"{__name__}.{info.name}") for info in iter_modules(__path__)]
    found = {it for module in modules for it in vars(module).values() if isinstance(it, Rule)}
    return tuple(sorted(found, key=lambda it: it.code))


@cache
def rule_of(kind: IssueKind) -> Rule:
    """Return the rule that reports a kind of validation issue."""
    return next(it for it in all_rules() if kind in it.issues)


@cache
def rule_named(name: str) -> Rule | None:
    """Return the rule of a code or a name, in any case of letters."""
    wanted = name.strip().casefold().replace("_", "-")
    return next((it for it in all_rules() if wanted in (it.code.casefold(), it.name)), None)


def _by_code(rule: Rule) -> tuple[Any, tuple[str]]:
    return rule_named, (rule.code,)


# A rule's function cannot be pickled: its code stands for the rule.
copyreg.pickle(Rule, _by_code)
