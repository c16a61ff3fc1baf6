"""What the spellers find, kept as they go."""

from __future__ import annotations

import collections.abc

from suitecase.formats.legacy.normalize.legacy_syntax import Kind, LegacySyntax
from suitecase.syntax.node import Entry, Mapping
from suitecase.syntax.tree_changes import with_entries, without


class Notes:
    """The respellings of one part of a suite, in the order they are found."""

    def __init__(self) -> None:
        self.legacy_syntax: list[LegacySyntax] = []

    def add(self, respelling: LegacySyntax) -> None:
        """Keep a respelling."""
        self.legacy_syntax.append(respelling)

    def entry(self, kind: Kind, mapping: Mapping, name: str, new: str, what: str = "") -> None:
        """Note something about an entry of a mapping, at its key."""
        key = mapping.entries[name].key
        self.add(LegacySyntax(kind, key, name, new, what, mapping, name))

    def gone(self, mapping: Mapping, name: str, why: str) -> Mapping:
        """Take out an entry that says nothing."""
        self.entry("gone", mapping, name, why)
        return without(mapping, name)

    def undecided(self, mapping: Mapping, name: str, decide: str) -> Mapping:
        """Take out an entry whose meaning cannot be kept."""
        self.entry("meaning_changed", mapping, name, decide)
        return without(mapping, name)

    def no_equal(self, mapping: Mapping, name: str, decide: str) -> Mapping:
        """Take out an entry without which something else would be asked, or would pass."""
        self.entry("no_equal", mapping, name, decide)
        return without(mapping, name)

    def all_without_equal(
        self, mapping: Mapping, decisions: collections.abc.Mapping[str, str], what: str
    ) -> Mapping:
        """Take out the entries that only other formats have.

        Args:
            decisions: what to do about each, by its key.
        """
        if decisions.keys().isdisjoint(mapping.entries):
            return mapping
        for name in [it for it in mapping.entries if it in decisions]:
            decide = f"`{name}` of {what} has no equivalent here;     {decisions[name]}"
            mapping = self.no_equal(mapping, name, decide)
        return mapping

    def keys(self, mapping: Mapping, spellings: dict[str, str], what: str) -> Mapping:
        """Rename keys; where the newer spelling is there too, the older one stays and is unknown."""
        if spellings.keys().isdisjoint(mapping.entries):
            return mapping
        entries: dict[str, Entry] = {}
        for name, entry in mapping:
            new = spellings.get(name)
            if new is None or new in mapping.entries or new in entries:
                entries[name] = entry
            else:
                entries[new] = entry
                self.add(LegacySyntax("key", entry.key, name, new, what, mapping, name))
        return with_entries(mapping, entries)
