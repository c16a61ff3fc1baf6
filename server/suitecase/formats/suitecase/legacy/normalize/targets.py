"""Targets files in the current format."""

from __future__ import annotations

from dataclasses import dataclass

from suitecase.formats.suitecase.legacy.normalize.legacy_syntax import LegacySyntax, Notes
from suitecase.text.node import Entry, Mapping, Node, Scalar, Sequence
from suitecase.text.tree_changes import each, inside, said, text_of, with_entries
from suitecase_evaluators.targets.variable_names import PLACEHOLDER

#: Older names of keys, and their names in the current format.
TARGET_KEYS = {"grader_target": "judge_target"}
#: What a provider's targets have under another name in other formats.
KEYS_BY_PROVIDER = {
    "cli": {"command": "command_template", "attachments_format": "files_format"},
    "openai": {"base_url": "api_base", "endpoint": "api_base"},
    "openrouter": {"base_url": "api_base", "endpoint": "api_base"},
    "litellm": {"base_url": "api_base"},
    "azure": {"api_version": "version"},
}
_MILLISECONDS = ("timeout_ms", "timeout_seconds")


@dataclass(frozen=True, slots=True, eq=False)
class TargetAlias:
    """An entry without a provider: another name of a target (`use_target`)."""

    name: Scalar
    of: Scalar

    @property
    def variable(self) -> str | None:
        """The environment variable that has the name of the target, if one has."""
        found = PLACEHOLDER.fullmatch(self.of.text.strip())
        return found[1] if found else None


class TargetNormalizer:
    """Rewrites the targets of a file, noting what it did.

    `aliases` are the entries that name another one; they are left out of the rewritten list.
    """

    def __init__(self) -> None:
        self._notes = Notes()
        self.aliases: list[TargetAlias] = []

    @property
    def legacy_syntax(self) -> list[LegacySyntax]:
        """The legacy syntax that was found, in order."""
        return self._notes.legacy_syntax

    def targets(self, root: Mapping) -> Mapping:
        """Rewrite a targets file."""
        root = self._notes.keys(root, {"schema": "$schema"}, "a targets file")
        return inside(root, "targets", self._targets)

    def _targets(self, listed: Node) -> Node:
        if isinstance(listed, Mapping):
            listed = self._by_name(listed)
        if isinstance(listed, Sequence):
            aliases = {
                id(item): alias for item in listed.items if (alias := _alias(item)) is not None
            }
            # A list of nothing else stands for no target at all.
            if len(aliases) < len(listed.items):
                self.aliases = [*aliases.values()]
                items = [item for item in listed.items if id(item) not in aliases]
                listed = Sequence(listed.start, listed.end, items, flow=listed.flow)
        return each(listed, self._target)

    def _by_name(self, targets: Mapping) -> Node:
        """Read a mapping of targets by their names as the list of them."""
        items: list[Node] = []
        for name, entry in targets:
            value = entry.value
            if not isinstance(value, Mapping):
                return targets
            named = Entry(said(entry.key, "name"), said(entry.key, name))
            others = {key: it for key, it in value if key != "name"}
            items.append(
                Mapping(entry.key.start, value.end, {"name": named, **others}, flow=value.flow)
            )
        if not items:
            return targets
        first = next(iter(targets.entries.values())).key
        self._notes.add(
            LegacySyntax(
                "targets_by_name", first, "targets", "", "a targets file", targets, first.text
            )
        )
        return Sequence(targets.start, targets.end, items, flow=targets.flow)

    def _target(self, target: Mapping) -> Mapping:
        provider = text_of(target.get("provider")) or ""
        keys = {**TARGET_KEYS, **KEYS_BY_PROVIDER.get(provider, {})}
        target = self._notes.keys(target, keys, "a target")
        target = self._in_seconds(target, "a target")
        return inside(target, "healthcheck", self._healthcheck) if provider == "cli" else target

    def _healthcheck(self, check: Node) -> Node:
        if not isinstance(check, Mapping):
            return check
        check = self._notes.keys(check, {"command": "command_template"}, "a health check")
        return self._in_seconds(check, "a health check")

    def _in_seconds(self, mapping: Mapping, what: str) -> Mapping:
        """Bring a time in milliseconds to seconds; one from the environment stays as it is."""
        old, new = _MILLISECONDS
        milliseconds = mapping.get(old)
        number = milliseconds.value if isinstance(milliseconds, Scalar) else None
        if (
            not isinstance(milliseconds, Scalar)
            or isinstance(number, bool)
            or not isinstance(number, int | float)
            or new in mapping
        ):
            return mapping
        seconds = str(number / 1000).removesuffix(".0")
        key = mapping.entries[old].key
        note = f"{old}: {milliseconds.text}", f"{new}: {seconds}"
        self._notes.add(LegacySyntax("milliseconds", key, *note, what, mapping, old))
        value = Scalar(milliseconds.start, milliseconds.end, seconds, "")
        entries = {
            new if name == old else name: Entry(it.key, value, it.merged) if name == old else it
            for name, it in mapping
        }
        return with_entries(mapping, entries)


def _alias(item: Node) -> TargetAlias | None:
    if not isinstance(item, Mapping) or "provider" in item:
        return None
    name, of = item.get("name"), item.get("use_target")
    if isinstance(name, Scalar) and isinstance(of, Scalar) and text_of(of) and text_of(name):
        return TargetAlias(name, of)
    return None
