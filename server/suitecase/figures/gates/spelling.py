"""Names of figures and slices as they are written in a gate, for messages and fixes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from suitecase.figures.gates.meaning import BUILT_IN, OF_JUDGES, OF_PEOPLE, FigureNames, Meaning
from suitecase.figures.gates.names import SuiteFigures

_PLAIN = re.compile(r"[^\W\d][\w@^-]*(?:\.[\w@^-]+)*")
_PLAIN_NAME = re.compile(r"[^\W\d][\w@^-]*")
_PLAIN_PART = re.compile(r"[\w@^-]+(?:\.[\w@^-]+)*")


def spelt(name: str, part: str | None = None) -> str | None:
    """Return a name as it is written in a gate: in backquotes where it has other characters.

    It is None for a name that cannot be written, since it has a backquote or a line break.
    """
    first = _quoted(name, _PLAIN)
    if first is None or part is None:
        return first
    second = _quoted(part, _PLAIN_PART)
    return None if second is None else f"{first}.{second}"


def protocol_text(meaning: Meaning) -> str | None:
    """Return a figure of `human` or `judges` as it is written in a gate; None for another one."""
    name = meaning.evaluator or ""
    for word, kind in OF_PEOPLE.items():
        if kind is meaning.kind:
            first = spelt(name, meaning.part)
            return None if first is None else f"human.{first}.{word}"
    for word, kind in OF_JUDGES.items():
        if kind is meaning.kind:
            first = spelt(name, word)
            part = "" if meaning.part is None else f".{meaning.part}"
            return None if first is None else f"judges.{first}{part}"
    return None


def protocol_meanings(names: FigureNames) -> Iterator[Meaning]:
    """Yield the figures of `human` and `judges` of a suite, without those of single items and probes."""
    for name in sorted(names.people):
        yield from (Meaning(of_person, name) for of_person in OF_PEOPLE.values())
    for name in sorted(names.judges):
        yield from (Meaning(of_judge, name) for of_judge in OF_JUDGES.values())


def facet_text(name: str) -> str | None:
    """Return the name of a facet as it stands after `by`; None for a name that no gate can have."""
    return _quoted(name, _PLAIN_NAME)


def slice_text(name: str) -> str | None:
    """Return the name of a slice as it stands in brackets; None for a name that no gate can have."""
    if "]" in name or "\n" in name or not name or name.strip() != name:
        return None
    return None if name.startswith("`") or name.endswith("`") else name


def _quoted(name: str, plain: re.Pattern[str]) -> str | None:
    if plain.fullmatch(name):
        return name
    return None if "`" in name or "\n" in name or not name.strip() else f"`{name}`"


def figure_spellings(names: FigureNames) -> list[str]:
    """Return the figures of a suite as they are written in gates, the built-in ones first."""
    found: list[str | None] = [it.value for it in BUILT_IN]
    found += [spelt(metric) for metric in sorted(names.metrics)]
    for name, it in names.evaluators.items():
        parts = ["pass_rate", *sorted(it.parts)]
        if it.labels is not None:
            parts += ["macro_f1", *(f"recall.{label}" for label in sorted(it.labels))]
        if it.compares:
            parts += ["ties", "consistency"]
        found += [spelt(name), *(spelt(name, part) for part in parts)]
    found += map(protocol_text, protocol_meanings(names))
    return [it for it in found if it is not None]


def slice_spellings(figures: SuiteFigures) -> list[str]:
    """Return the slices of a suite as they are written between brackets."""
    facets = figures.facets
    found = [it for it in figures.declared if it not in facets]
    for facet in facets:
        found += [f"{facet}={value}" for value in figures.values_of(facet) if value is not None]
    return [*found, *(tag for tag in figures.tags if tag not in found)]
