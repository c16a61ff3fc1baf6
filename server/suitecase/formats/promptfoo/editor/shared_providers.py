"""Providers that suites share: those of a file beside them or above, by their label."""

from __future__ import annotations

from collections.abc import Mapping as MappingOf
from dataclasses import dataclass
from pathlib import Path

from suitecase.format.workspace import Folder
from suitecase.text.compose import compose
from suitecase.text.node import Mapping, Scalar, Sequence
from suitecase_evaluators.system.path_kinds import is_file


@dataclass(frozen=True, slots=True)
class SharedProvider:
    """A provider with its id, and the file that it stands in."""

    id: str
    path: Path


def shared_providers(folder: Folder, name: str) -> MappingOf[str, SharedProvider]:
    """Return the providers of the nearest file of a name, by their label."""
    for above in folder.workspace.folders_up(folder.path):
        path = above / name
        if is_file(path) and folder.workspace.holds(path):
            return _in_file(path, folder)
    return {}


def _in_file(path: Path, folder: Folder) -> MappingOf[str, SharedProvider]:
    text = folder.read(path)
    root = compose(text).root if isinstance(text, str) else None
    listed = root.get("providers") if isinstance(root, Mapping) else None
    found: dict[str, SharedProvider] = {}
    for item in listed.items if isinstance(listed, Sequence) else ():
        if not isinstance(item, Mapping):
            continue
        own, label = item.get("id"), item.get("label")
        own_text = own.text if isinstance(own, Scalar) else ""
        name = label.text if isinstance(label, Scalar) else own_text
        if name:
            found.setdefault(name, SharedProvider(own_text, path))
    return found
