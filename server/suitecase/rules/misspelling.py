"""Keys under a wrong name: one mistake, which must not be found a second time as what is missing."""

from __future__ import annotations

from pydantic import BaseModel

from suitecase.near_names import nearest
from suitecase.suite.fields import models_at
from suitecase.suite.model import Case, SuiteHead
from suitecase.suite.parsed import ParsedCase, ParsedHead, keys_of
from suitecase.suite.target_files import ParsedTargets
from suitecase.suite.validation import IssueKind
from suitecase.syntax.cache import Cache
from suitecase.syntax.node import Mapping, Scalar, at
from suitecase_evaluators.targets.config import TargetsFile

Part = ParsedHead | ParsedCase | ParsedTargets
Path = tuple[str | int, ...]


def model_of(part: Part) -> type[BaseModel]:
    """Return the model a part of a file is read as."""
    if isinstance(part, ParsedTargets):
        return TargetsFile
    return Case if isinstance(part, ParsedCase) else SuiteHead


def known_keys(part: Part, path: Path) -> list[str]:
    """Return the keys that may stand in the mapping at a path."""
    models = models_at(model_of(part), part.node, path) if part.node else []
    return sorted({key for model in models for key in keys_of(model)})


def stands_misspelt(part: Part, mapping: Path, name: str) -> bool:
    """Whether a key that is missing is there under a name that is reported as unknown.

    Args:
        part: what is checked.
        mapping: where in it the mapping is that lacks the key.
        name: the key that is missing.
    """
    unknown = _UNKNOWN_KEYS.of(part.content, _unknown_keys, part).get(mapping)
    if not unknown:
        return False
    known = known_keys(part, mapping)
    return any(nearest(it, known) == name for it in unknown)


_UNKNOWN_KEYS: Cache[dict[Path, list[str]]] = Cache()


def _unknown_keys(part: Part) -> dict[Path, list[str]]:
    """Return the unknown keys in a part, by where their mappings are."""
    found: dict[Path, list[str]] = {}
    for issue in part.issues:
        if issue.kind == IssueKind.UNKNOWN_KEY:
            found.setdefault(issue.path[:-1], []).append(str(issue.path[-1]))
    return found


def passed_on(part: Part, mapping: Path, name: str) -> Scalar | None:
    """Return the key that a missing one seems to be, of those an evaluator hands on as its own."""
    node = at(part.node, mapping)[0] if part.node else None
    handed = [
        entry
        for entry in part.legacy_syntax
        if entry.kind == "config_key" and node is not None and entry.parent.start == node.start
    ]
    known = known_keys(part, mapping) if handed else []
    return next((it.node for it in handed if nearest(it.old, known) == name), None)


def misspells(mapping: Mapping, name: str, model: type[BaseModel]) -> bool:
    """Whether a mapping without a key of its model has one of nearly that name, which is none."""
    if name in mapping:
        return False
    known = keys_of(model)
    unknown = [it for it in mapping.entries if it not in known]
    return any(nearest(it, known) == name for it in unknown)
