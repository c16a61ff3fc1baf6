"""Misspelled keys, which must not also be reported as missing."""

from __future__ import annotations

from dataclasses import dataclass, field

from pydantic import BaseModel

from suitecase.format.target_files import ParsedTargets
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, keys_of
from suitecase.schema.fields import models_at
from suitecase.schema.validation import IssueKind, ValidatedPart
from suitecase.text.cache import Cache
from suitecase.text.near_names import nearest
from suitecase.text.node import Mapping, Scalar, at

Part = ValidatedPart | ParsedTargets
Path = tuple[str | int, ...]


@dataclass(slots=True)
class _KnownKeys:
    """What was found out of the keys of a part, by the paths of their mappings.

    Attributes:
        unknown: the keys that its model does not have.
        models: the models that a mapping may have, where that was asked.
    """

    unknown: dict[Path, list[str]]
    models: dict[Path, list[type[BaseModel]]] = field(default_factory=dict)


#: By the model of the part: two formats may read one text.
_KNOWN: Cache[dict[type[BaseModel], _KnownKeys]] = Cache()


def _keys_of_part(part: Part) -> _KnownKeys:
    known = _KNOWN.of(part.content, dict)
    if part.model_type not in known:
        known[part.model_type] = _KnownKeys(_unknown_keys(part))
    return known[part.model_type]


def models_of(part: Part, path: Path) -> list[type[BaseModel]]:
    """Return the models that the mapping at a path may have: found once for all of its keys."""
    if part.node is None:
        return []
    models = _keys_of_part(part).models
    if path not in models:
        models[path] = models_at(part.model_type, part.node, path)
    return models[path]


def known_keys(part: Part, path: Path) -> list[str]:
    """Return the keys that the mapping at a path may have."""
    return sorted({key for model in models_of(part, path) for key in keys_of(model)})


def stands_misspelt(part: Part, mapping: Path, name: str) -> bool:
    """Whether a missing key is present under a name that is reported as unknown.

    Args:
        part: what is checked.
        mapping: the path of the mapping that lacks the key.
        name: the missing key.
    """
    unknown = _keys_of_part(part).unknown.get(mapping)
    if not unknown:
        return False
    known = known_keys(part, mapping)
    return any(nearest(it, known) == name for it in unknown)


def _unknown_keys(part: Part) -> dict[Path, list[str]]:
    """Return the unknown keys in a part, by the paths of their mappings."""
    found: dict[Path, list[str]] = {}
    for issue in part.issues:
        if issue.kind == IssueKind.UNKNOWN_KEY:
            found.setdefault(issue.path[:-1], []).append(str(issue.path[-1]))
    return found


def passed_on(
    part: ParsedHead | ParsedCase | ParsedTargets, mapping: Path, name: str
) -> Scalar | None:
    """Return the key that a missing one most likely is, among those passed on as configuration."""
    node = at(part.node, mapping)[0] if part.node else None
    handed = [
        entry
        for entry in part.legacy_syntax
        if entry.kind == "config_key" and node is not None and entry.parent.start == node.start
    ]
    known = known_keys(part, mapping) if handed else []
    return next((it.node for it in handed if nearest(it.old, known) == name), None)


def misspells(mapping: Mapping, name: str, model: type[BaseModel]) -> bool:
    """Whether a mapping lacks a key of its model and has an unknown key with a similar name."""
    if name in mapping:
        return False
    known = keys_of(model)
    unknown = [entry for entry in mapping.entries if entry not in known]
    return any(nearest(it, known) == name for it in unknown)
