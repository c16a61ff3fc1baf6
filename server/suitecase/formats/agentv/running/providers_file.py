"""Reads `.agentv/providers.yaml`, whose providers suites name by label, as targets."""

from __future__ import annotations

import re
from collections.abc import Mapping as Table
from pathlib import Path
from types import MappingProxyType
from typing import Final

from suitecase.format.target_files import ParsedTargets, Unusable, targets_of
from suitecase.format.target_places import PROVIDER_PLACES, first_of
from suitecase.format.workspace import Unreadable, Workspace
from suitecase.text.node import Entry, Mapping, Node, Scalar, Sequence
from suitecase.text.parsing import parse
from suitecase.text.tree_changes import said, with_entries

#: The keys of a target, by those of an entry.
_KEYS: Final[Table[str, str]] = MappingProxyType({"id": "provider", "label": "name"})
_LIST: Final = "providers"
_VARIABLE: Final = re.compile(r"(?<!\$)\{\{-?\s*env\.([A-Za-z_]\w*)\s*-?\}\}")


def find_providers(workspace: Workspace, folder: Path) -> ParsedTargets | None:
    """Return the providers for the suites of a folder; None if there is no providers file."""
    path = first_of(PROVIDER_PLACES, workspace, folder)
    return _read(path, workspace) if path is not None else None


def _read(path: Path, workspace: Workspace) -> ParsedTargets:
    text = workspace.read(path)
    reason = text.reason if isinstance(text, Unreadable) else None
    # Variables are read when a target is called, which keeps secrets out of records.
    written = "" if isinstance(text, Unreadable) else _VARIABLE.sub(r"${{ \1 }}", text)
    document = parse(written, (), segmented=False)
    root = document.root
    if root is None or document.head.content.broken:
        return ParsedTargets(path, document, None, unreadable=reason, wrong=Unusable())
    return targets_of(path, document, like_targets_file(root))


def like_targets_file(root: Mapping) -> Mapping:
    """Return a providers file with the keys of a targets file."""
    entries = {("targets" if name == _LIST else name): it for name, it in root}
    listed = root.get(_LIST)
    if isinstance(listed, Sequence):
        items: list[Node] = [like_target(it) for it in listed.items]
        entry = root.entries[_LIST]
        changed = Sequence(listed.start, listed.end, items, flow=listed.flow)
        entries["targets"] = Entry(said(entry.key, "targets"), changed, entry.merged)
    return with_entries(root, entries)


def like_target(item: Node) -> Node:
    """Return a provider with the keys of a target; settings under `config` are merged into it."""
    if not isinstance(item, Mapping):
        return item
    entries: dict[str, Entry] = {}
    for name, it in item:
        if name == "config" and isinstance(it.value, Mapping):
            entries.update({key: inner for key, inner in it.value if key not in entries})
        elif name in _KEYS:
            entries[_KEYS[name]] = Entry(said(it.key, _KEYS[name]), it.value, it.merged)
        else:
            entries[name] = it
    if "name" not in entries and isinstance(found := item.get("id"), Scalar):
        entries["name"] = Entry(said(item.entries["id"].key, "name"), found)
    return with_entries(item, entries)
