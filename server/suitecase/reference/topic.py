"""What a page of the reference is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key that users write, or read in a file that is written for them.

    Attributes:
        name: the key.
        expected: the values that it may have, as text.
        required: whether it must be there.
        default: its default, as YAML; None if its meaning tells, or if there is none.
        meaning: what it does, in Markdown.
        example: a complete entry, as YAML or TOML; empty if there is none.
        older: the names that it has in older formats and in those of other tools.
    """

    name: str
    expected: str
    required: bool = False
    default: str | None = None
    meaning: str = ""
    example: str = ""
    older: tuple[str, ...] = ()

    @property
    def facts(self) -> str:
        """Its values, whether it is required, and its default, in a line."""
        facts = [self.expected]
        if self.required:
            facts.append("required")
        elif self.default is not None:
            facts.append(f"default `{self.default}`")
        return ", ".join(facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a topic.

    Attributes:
        title: its heading, in Markdown.
        text: what there is to say before the keys, in Markdown.
        keys: the keys that it is about.
        names: the names that it is found by on the command line, beside its keys.
        place: where its keys are, as a path of keys; empty for the top of a file.
        also: the titles of sections of the topic whose keys may stand beside these.
        language: the language of the examples.
    """

    title: str
    text: str = ""
    keys: tuple[Key, ...] = ()
    names: tuple[str, ...] = ()
    place: str = ""
    also: tuple[str, ...] = ()
    language: str = "yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A page of the reference.

    Attributes:
        name: the name of its file, and of the topic on the command line.
        title: its heading.
        summary: a line about it, for lists of topics.
        text: what there is to say before its sections, in Markdown.
        sections: its sections.
    """

    name: str
    title: str
    summary: str
    text: str = ""
    sections: tuple[Section, ...] = ()

    def each_key(self) -> Iterator[tuple[Section, Key]]:
        """Yield each key with its section."""
        for section in self.sections:
            for key in section.keys:
                yield section, key
