"""Targets files in the current format."""

from __future__ import annotations

from suitecase.formats.legacy.normalize.legacy_syntax import LegacySyntax, Notes
from suitecase.syntax.node import Entry, Mapping, Node, Scalar
from suitecase.syntax.tree_changes import each, inside, text_of, with_entries

_KEYS = {"grader_target": "judge_target"}
#: What a provider's targets have under another name in other formats.
_KEYS_OF = {
    "cli": {"command": "command_template", "attachments_format": "files_format"},
    "openai": {"base_url": "api_base", "endpoint": "api_base"},
    "openrouter": {"base_url": "api_base", "endpoint": "api_base"},
    "litellm": {"base_url": "api_base"},
    "azure": {"api_version": "version"},
}
_MILLISECONDS = ("timeout_ms", "timeout_seconds")


class TargetNormalizer:
    """Rewrites the targets of a file, noting what it did."""

    def __init__(self) -> None:
        self._notes = Notes()

    @property
    def legacy_syntax(self) -> list[LegacySyntax]:
        """The legacy syntax that was found, in order."""
        return self._notes.legacy_syntax

    def targets(self, root: Mapping) -> Mapping:
        """Rewrite a targets file."""
        root = self._notes.keys(root, {"schema": "$schema"}, "a targets file")
        return inside(root, "targets", lambda listed: each(listed, self._target))

    def _target(self, target: Mapping) -> Mapping:
        provider = text_of(target.get("provider")) or ""
        keys = {**_KEYS, **_KEYS_OF.get(provider, {})}
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
        value = Scalar(milliseconds.start, milliseconds.end, seconds, "", None)
        entries = {
            new if name == old else name: Entry(it.key, value, it.merged) if name == old else it
            for name, it in mapping
        }
        return with_entries(mapping, entries)
