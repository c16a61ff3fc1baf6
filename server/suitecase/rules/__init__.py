"""The rules, found by looking through the modules of this package."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

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
