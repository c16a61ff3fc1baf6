"""Rules by the names that a configuration, a comment or an option uses for them."""

from __future__ import annotations

from functools import cache

from suitecase.checking.rules import all_rules, rule_named
from suitecase.format.rule import Rule
from suitecase.text.near_names import nearest

#: For so many unknown names of a file or a comment a rule is suggested. Nobody misspells more, and each is
#: compared with all rules.
MOST_SUGGESTED = 20


@cache
def _letters() -> tuple[str, ...]:
    """Return what the codes of rules start with."""
    return tuple({rule.code.rstrip("0123456789") for rule in all_rules()})


@cache
def _names() -> tuple[str, ...]:
    """Return the names and the codes of all rules."""
    return tuple(it for rule in all_rules() for it in (rule.name, rule.code))


def named_rules(name: str) -> tuple[Rule, ...]:
    """Return the rules with a code, a prefix of a code or a name; empty if unknown."""
    exact = rule_named(name)
    if exact is not None:
        return (exact,)
    start = name.strip().upper()
    if not start.startswith(_letters()):
        return ()
    return tuple(rule for rule in all_rules() if rule.code.startswith(start))


def nearest_rule(name: str) -> str | None:
    """Return the code or the name that a misspelled one most likely stands for."""
    normalized = name.strip().replace("_", "-")
    code = normalized.upper()
    # Names may start with these letters too, such as `score-ranges-gap`.
    is_code = code.startswith(_letters()) and any(it.isdigit() for it in code)
    return nearest(code if is_code else normalized.lower(), _names())
