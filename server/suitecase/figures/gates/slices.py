"""Which cases a slice has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from suitecase.format.figure_keys import Slice
from suitecase.formats.suitecase.parsed import ParsedCase
from suitecase.text.node import Mapping as MappingNode
from suitecase.text.node import Sequence, plain

_METADATA = "metadata."


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """What slices look at of a case; the same of a suite's case and of its record."""

    id: str
    tags: frozenset[str] = frozenset()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    conversation_id: str | None = None


def facts_of(case: ParsedCase) -> CaseFacts:
    """Return what slices look at of a case, also of one that has errors."""
    model = case.model
    if model is not None:
        tags = frozenset(model.tags or ())
        return CaseFacts(model.id, tags, model.metadata or {}, model.conversation_id)
    node = case.node
    if node is None:
        return CaseFacts("")
    listed_node, metadata, conversation = (
        node.get(name) for name in ("tags", "metadata", "conversation_id")
    )
    listed = plain(listed_node) if isinstance(listed_node, Sequence) else []
    values = plain(metadata) if isinstance(metadata, MappingNode) else {}
    together = plain(conversation) if conversation is not None else None
    return CaseFacts(
        case.id.text if case.id is not None else "",
        frozenset(item for item in listed if isinstance(item, str)),
        values,
        together if isinstance(together, str) else None,
    )


@dataclass(frozen=True, slots=True)
class SliceChoice:
    """What the name of a slice stands for: a declared slice, a value of a facet, or a tag.

    Attributes:
        name: the name as it is written.
        declared: the name of the declared slice; None for a tag.
        value: of a facet, the value of its key.
    """

    name: str
    declared: str | None
    value: str | None = None


def choose_slice(name: str, slices: Mapping[str, Slice], tags: Iterable[str]) -> SliceChoice | None:
    """Return what the name of a slice stands for; None if it is unknown.

    A declared slice goes before a tag of its name. A facet alone is not a slice: `FACET=VALUE` is.
    """
    declared = slices.get(name)
    if declared is not None:
        return None if declared.by else SliceChoice(name, name)
    facet, equals, value = name.partition("=")
    if equals:
        of_facet = slices.get(facet.strip())
        if of_facet is not None and of_facet.by:
            return SliceChoice(name, facet.strip(), value.strip())
    return SliceChoice(name, None) if name in tags else None


def has_case(choice: SliceChoice, slices: Mapping[str, Slice], case: CaseFacts) -> bool:
    """Whether a slice has a case."""
    if choice.declared is None:
        return choice.name in case.tags
    declared = slices[choice.declared]
    if not selects(declared, case):
        return False
    return choice.value is None or facet_value(declared, case) == choice.value


def selects(declared: Slice, case: CaseFacts) -> bool:
    """Whether all selectors of a slice match a case. One without selectors matches every case."""
    if declared.tags is not None and case.tags.isdisjoint(_listed(declared.tags)):
        return False
    if declared.id is not None and not any(
        fnmatchcase(case.id, pattern) for pattern in _listed(declared.id)
    ):
        return False
    return all(
        key in case.metadata and _equals(case.metadata[key], value)
        for key, value in (declared.metadata or {}).items()
    )


def facet_value(facet: Slice, case: CaseFacts) -> str | None:
    """Return the value by which a facet assigns a case to a slice; None if the case has none."""
    if facet.by is None:
        return None
    return value_text(case.metadata.get(facet.by.removeprefix(_METADATA)))


def group_of(groups: str, case: CaseFacts) -> str | None:
    """Return the value of `intervals.groups` for a case; None if it is resampled alone."""
    if groups == "none":
        return None
    if groups == "conversation_id":
        return case.conversation_id
    return value_text(case.metadata.get(groups.removeprefix(_METADATA)))


def value_text(value: object) -> str | None:
    """Return a value of `metadata` as the name of a slice or group; None for anything but scalars."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"{value:g}" if isinstance(value, float) else str(value)
    return value if isinstance(value, str) and value.strip() else None


def _listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _equals(value: Any, wanted: Any) -> bool:
    """Whether a value equals another, or one of a list. `true` does not equal 1."""
    return any(
        value == it and isinstance(value, bool) == isinstance(it, bool)
        for it in (wanted if isinstance(wanted, list) and not isinstance(value, list) else [wanted])
    )
