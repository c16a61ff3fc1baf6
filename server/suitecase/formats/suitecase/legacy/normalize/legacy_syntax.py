"""Legacy syntax that was found in a part of a suite, each with its place."""

from __future__ import annotations

import collections.abc
from dataclasses import dataclass, field
from typing import Literal

from suitecase.text.node import Entry, Mapping, Scalar, Sequence
from suitecase.text.tree_changes import with_entries, without

Kind = Literal[
    # The same meaning in the current format: a fix writes it.
    "key",
    "evaluator_type",
    "range_gate",
    "min_score",
    "milliseconds",
    "any_arguments",
    "config_key",
    "target",
    "metadata",
    "messages",
    "assertions",
    "prompt_file",
    "implied_outcome",
    "gone",
    "skip_defaults",
    "targets_by_name",
    "regex_flags",
    # No equivalent in the current format: a person decides.
    "unconvertible_setting",
    "unsupported_setting",
    "split_content",
]


@dataclass(frozen=True, slots=True)
class AssertionList:
    """A list of evaluators as `assert` and `assertions` have it.

    Attributes:
        key: what the list is called in the current format: `rubrics`, `evaluators`, or None where it cannot be
            renamed because another list stands beside it.
        sequence: the list as it is written.
        names: the names that items without one get, by their index.
        texts: the indexes of the items that are plain texts; together they are one judge.
        group: that judge's name; empty where there is none.
        exact: the expected calls whose arguments were compared as a whole, without saying so.
        weight: how much the judge of the texts counts.
        criteria: the judges whose prompts are criteria.
    """

    key: str | None
    sequence: Sequence
    names: dict[int, str] = field(default_factory=dict)
    texts: tuple[int, ...] = ()
    group: str = ""
    exact: tuple[Mapping, ...] = ()
    weight: int = 1
    criteria: tuple[Mapping, ...] = ()


@dataclass(frozen=True, slots=True)
class LegacySyntax:
    """Something written otherwise than in the current format.

    `node` is where it stands, most often a key; `parent` the mapping it is written in, under
    `name`. `old` and `new` are the words, or, where nothing is written in its place, `new` says
    why. `what` names the thing it belongs to, for people.
    """

    kind: Kind
    node: Scalar
    old: str
    new: str
    what: str
    parent: Mapping
    name: str = ""
    #: For `messages`: how many of them are the input.
    count: int = 0
    listed: AssertionList | None = None
    #: For `messages` and `split_content`.
    sequence: Sequence | None = None

    @property
    def is_assertion_list(self) -> bool:
        """Whether it is a list of evaluators of a suite or a case, under a newer name."""
        return self.kind == "assertions" and self.what != "a composite"

    @property
    def skips_suite_evaluators(self) -> bool:
        """Whether a case says that the suite's evaluators do not grade it."""
        return self.kind == "skip_defaults" and self.count > 0


class Notes:
    """The legacy syntax of one part of a suite, in the order it is found."""

    def __init__(self) -> None:
        self.legacy_syntax: list[LegacySyntax] = []

    def add(self, found: LegacySyntax) -> None:
        """Note legacy syntax."""
        self.legacy_syntax.append(found)

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
        self.entry("unconvertible_setting", mapping, name, decide)
        return without(mapping, name)

    def no_equal(self, mapping: Mapping, name: str, decide: str) -> Mapping:
        """Take out an entry without which something else would be asked, or would pass."""
        self.entry("unsupported_setting", mapping, name, decide)
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
        for name in [entry for entry in mapping.entries if entry in decisions]:
            decide = f"`{name}` of {what} has no equivalent here; {decisions[name]}"
            mapping = self.no_equal(mapping, name, decide)
        return mapping

    def keys(self, mapping: Mapping, current_names: dict[str, str], what: str) -> Mapping:
        """Rename keys; where the current name is there too, the older one stays and is unknown."""
        if current_names.keys().isdisjoint(mapping.entries):
            return mapping
        entries: dict[str, Entry] = {}
        for name, entry in mapping:
            new = current_names.get(name)
            if new is None or new in mapping.entries or new in entries:
                entries[name] = entry
            else:
                entries[new] = entry
                self.add(LegacySyntax("key", entry.key, name, new, what, mapping, name))
        return with_entries(mapping, entries)
