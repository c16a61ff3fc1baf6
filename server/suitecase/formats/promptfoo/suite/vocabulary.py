"""The names of keys in a dialect of the promptfoo family."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: The version of promptfoo that the keys, types and values of this package were read at.
PROMPTFOO_VERSION = "0.121.20"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """How a dialect spells the keys of promptfoo.

    Attributes:
        spellings: the dialect's name of each key that it spells otherwise, by promptfoo's name.
        tool: the dialect's tool, as messages name it.
    """

    spellings: Mapping[str, str] = field(default_factory=dict)
    tool: str = "promptfoo"

    def key(self, name: str) -> str:
        """Return the dialect's name of a key of promptfoo."""
        return self.spellings.get(name, name)


PROMPTFOO = Vocabulary()
