"""The types of assertions of promptfoo: what each checks, and what its keys may be."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from suitecase.formats.promptfoo.suite.assertions.assertion_type import AssertionType
from suitecase.formats.promptfoo.suite.assertions.by_models import BY_MODELS
from suitecase.formats.promptfoo.suite.assertions.on_runs import ON_RUNS
from suitecase.formats.promptfoo.suite.assertions.on_text import ON_TEXT

#: In front of a type it inverts the result.
NEGATION: Final = "not-"
#: Types that red teams write; there are hundreds, and they are not checked.
_RED_TEAM: Final = "promptfoo:redteam:"

#: Every type, by name.
ASSERTION_TYPES: Final[Mapping[str, AssertionType]] = MappingProxyType(
    {it.name: it for it in (*ON_TEXT, *BY_MODELS, *ON_RUNS)}
)


def assertion_type(text: str) -> tuple[AssertionType, bool] | None:
    """Return the type that a text names, and whether it is negated; None if it names none."""
    negated = text.startswith(NEGATION)
    found = ASSERTION_TYPES.get(text.removeprefix(NEGATION))
    return (found, negated) if found else None


def is_red_team_type(text: str) -> bool:
    """Whether a type is one that red teams write."""
    return text.removeprefix(NEGATION).startswith(_RED_TEAM)
