"""The targets of a suite's providers: entries of targets files, or models by id."""

from __future__ import annotations

import re
from collections.abc import Mapping as Table
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from suitecase.format.target_files import (
    EMBEDDED,
    ParsedTargets,
    Unusable,
    find_targets,
    targets_of,
)
from suitecase.format.target_places import PROVIDER_PLACES, first_of
from suitecase.format.workspace import Unreadable, Workspace
from suitecase.formats.promptfoo.running.provider_targets import ProviderTargets, target_name
from suitecase.formats.promptfoo.running.providers.settings import RunSettings
from suitecase.formats.promptfoo.running.targets import Refused
from suitecase.formats.promptfoo.suite.effective.rows import Expansion
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.providers.providers import ProviderEntry
from suitecase.text.node import Entry, Mapping, Node, Scalar, Sequence
from suitecase.text.parsing import parse
from suitecase.text.tree_changes import said, with_entries
from suitecase_evaluators.targets.config.canned import MockConfig
from suitecase_evaluators.targets.config.target import TargetConfig

#: Keys of a provider of a suite that do not affect how it is called.
_PLAIN: Final = frozenset({"id", "label", "prompts"})


class AgentvTargets(ProviderTargets):
    """The targets of a suite.

    Attributes:
        others: those of `.agentv/providers.yaml`; None if there is no such file.
    """

    def __init__(
        self,
        linked: LinkedConfiguration,
        expansion: Expansion,
        path: Path,
        run: RunSettings,
        instead: TargetConfig | None = None,
    ) -> None:
        workspace, folder = linked.folder.workspace, linked.folder.path
        self.others = find_providers(workspace, folder)
        self._written = find_targets(workspace, folder)
        self._linked = linked
        self._path = path
        super().__init__(linked, expansion, path, run, instead)
        self.problems = [replace(problem, is_replaced=True) for problem in self.problems]
        for provider in expansion.providers:
            if provider.number not in self.by_number:
                # Its rows exist all the same, for `--target`.
                name = target_name(provider)
                self.by_number[provider.number] = MockConfig(name=name, provider="mock")

    def grader(self, provider: Any) -> TargetConfig:
        """Return the target of a grader, by its label, or else as in promptfoo."""
        found = self._entry(provider, provider) if isinstance(provider, str) else None
        return found if isinstance(found, TargetConfig) else super().grader(provider)

    def of_value(self, provider: Any) -> TargetConfig:
        """Return the target of a test's own provider."""
        if self.instead is not None:
            return self.instead
        found = self._entry(provider, provider) if isinstance(provider, str) else None
        if isinstance(found, TargetConfig):
            self._configs.setdefault(found.name, found)
            return found
        return super().of_value(provider)

    def _answering(self, name: Any) -> ProviderEntry | None:
        return self._configured(name)

    def _target(self, provider: ProviderEntry, name: str) -> TargetConfig | Refused:
        written = provider.id_node.text if provider.id_node is not None else ""
        options = provider.options
        if options is None or all(key in _PLAIN for key, _ in options):
            found = self._entry(written, name)
            if found is not None:
                return found
        elif ":" not in written:
            return self._inline(options, name)
        if ":" in written or written == "echo":
            return super()._target(provider, name)
        if written == EMBEDDED:
            return MockConfig(name=name, provider="mock")
        unnamed = "" if self._linked.providers else "the suite names no `providers`, and "
        return Refused(f"{unnamed}there is no provider `{written}`; {self._known()}")

    def _entry(self, label: str, name: str) -> TargetConfig | Refused | None:
        """Return the entry with a label, or why it cannot be used; None if there is none."""
        for file in (self.others, self._written):
            if file is None:
                continue
            config = file.config(label)
            if config is not None:
                return config if config.name == name else config.model_copy(update={"name": name})
            if label in file.spans:
                return Refused(
                    f"`{label}` of {self._shown(file.path)} cannot be called{_why(file, label)}"
                )
        return None

    def _inline(self, options: Mapping, name: str) -> TargetConfig | Refused:
        """Return the target of a provider that the suite defines itself."""
        key = next(iter(options.entries.values())).key
        listed = Sequence(options.start, options.end, [options], flow=False)
        entries = {"providers": Entry(key, listed)}
        root = Mapping(options.start, options.end, entries, flow=False)
        document = self._linked.file.document
        found = targets_of(self._path, document, like_targets_file(root))
        label = next(iter(found.spans), None)
        if label is None:
            return Refused("this is not a provider")
        config = found.config(label)
        if config is None:
            return Refused(f"this provider cannot be called{_why(found, label)}")
        return config.model_copy(update={"name": name})

    def _known(self) -> str:
        """Return the existing providers, for users."""
        files = [it for it in (self.others, self._written) if it is not None]
        told = "; ".join(
            f"{self._shown(file.path)} has {', '.join(f'`{name}`' for name in file.spans) or 'none'}"
            for file in files
        )
        return told or (
            f"define it in `{PROVIDER_PLACES[0]}`, beside the suite or in a folder above it, or choose what "
            "answers with `--target`"
        )

    def _shown(self, path: Path) -> str:
        return self._linked.folder.shown(path)


def _why(file: ParsedTargets, label: str) -> str:
    found = file.unusable.get(label)
    if found is None:
        return ""
    if found.issue is not None:
        # The path begins with the list and the number of the entry.
        place = ".".join(map(str, found.issue.path[2:]))
        return f": `{place}` {found.issue.message}" if place else f": {found.issue.message}"
    if found.problem is not None:
        return f": {found.problem.message}"
    return ""


def provider_by_default(linked: LinkedConfiguration) -> ProviderEntry:
    """Return the provider of a suite that names none: the one with the label `default`."""
    content = linked.head.content
    node = content.node if content.node is not None else Scalar(0, 0, DEFAULT, "")
    return ProviderEntry(node, node.span, 1, DEFAULT, Scalar(node.start, node.start, DEFAULT, ""))


#: The label that AgentV looks for if a suite names none.
DEFAULT: Final = "default"


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
    entries = {("targets" if name == _LIST else name): entry for name, entry in root}
    listed = root.get(_LIST)
    if isinstance(listed, Sequence):
        items: list[Node] = [like_target(listed_item) for listed_item in listed.items]
        entry = root.entries[_LIST]
        changed = Sequence(listed.start, listed.end, items, flow=listed.flow)
        entries["targets"] = Entry(said(entry.key, "targets"), changed, entry.merged)
    return with_entries(root, entries)


def like_target(item: Node) -> Node:
    """Return a provider with the keys of a target; settings under `config` are merged into it."""
    if not isinstance(item, Mapping):
        return item
    entries: dict[str, Entry] = {}
    for name, entry in item:
        if name == "config" and isinstance(entry.value, Mapping):
            entries.update({key: inner for key, inner in entry.value if key not in entries})
        elif name in _KEYS:
            entries[_KEYS[name]] = Entry(said(entry.key, _KEYS[name]), entry.value, entry.merged)
        else:
            entries[name] = entry
    if "name" not in entries and isinstance(found := item.get("id"), Scalar):
        entries["name"] = Entry(said(item.entries["id"].key, "name"), found)
    return with_entries(item, entries)
