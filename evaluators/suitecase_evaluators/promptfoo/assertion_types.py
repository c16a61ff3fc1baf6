"""The types of assertions of promptfoo, by name.

They are described where they are graded, in a module of `graders` for each. `suitecase.derived` collects the
descriptions in `assertion_types.json`, so that those who only read them import no module that grades.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from suitecase_evaluators.promptfoo.assertion_type import (
    GRADED_BY,
    NEGATION,
    AssertionType,
    Content,
    Scale,
)

#: Where the descriptions are collected.
FILE: Final = Path(__file__).with_name("assertion_types.json")
#: Types that red teams write; there are hundreds, and they are not checked.
_RED_TEAM: Final = "promptfoo:redteam:"


def _read() -> Iterator[AssertionType]:
    for entry in json.loads(FILE.read_text("utf-8")):
        facts: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()
        }
        if "threshold" in facts:
            facts["threshold"] = Scale(**facts["threshold"])
        yield AssertionType(**facts)


def in_order(types: Iterable[AssertionType]) -> list[AssertionType]:
    """Return types in the order in which they are offered: the frequent ones first, others by what grades."""
    return sorted(types, key=lambda it: (it.rank, GRADED_BY.index(it.graded_by), it.name))


def as_json(types: Iterable[AssertionType]) -> str:
    """Return the text of `FILE` for some types: a line for each, in the order in which they are offered."""
    lines = (json.dumps(_written(kind), ensure_ascii=False) for kind in in_order(types))
    return "[\n" + ",\n".join(lines) + "\n]\n"


def _written(value: AssertionType | Scale) -> dict[str, Any]:
    """Return what differs from the defaults."""
    written: dict[str, Any] = {}
    for field in fields(value):
        found = getattr(value, field.name)
        if found != field.default:
            written[field.name] = _written(found) if isinstance(found, Scale) else found
    return written


#: Every type by name, in the order in which they are offered.
ASSERTION_TYPES: Final[Mapping[str, AssertionType]] = MappingProxyType(
    {kind.name: kind for kind in _read()}
)

#: Every type by its name and by that with `not-`, and whether it is negated.
_WRITTEN: Final = {name: (kind, False) for name, kind in ASSERTION_TYPES.items()} | {
    f"{NEGATION}{name}": (kind, True) for name, kind in ASSERTION_TYPES.items()
}


def assertion_type(text: str) -> tuple[AssertionType, bool] | None:
    """Return the type that a text names, and whether it is negated; None if it names none."""
    return _WRITTEN.get(text)


def is_red_team_type(text: str) -> bool:
    """Whether a type is one that red teams write."""
    return text.removeprefix(NEGATION).startswith(_RED_TEAM)


def content_of(text: str) -> Content | None:
    """Return what the text of `value` is for the type that a text names; None if it has no form."""
    found = assertion_type(text)
    return found[0].content if found is not None else None
