"""Pages of the reference, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.reference.topic import Key, Section, Topic
from suitecase.text.plural import capitalized


def page(topic: Topic) -> str:
    """Return a page with a heading for each section and each key, so that each has an address."""
    parts = [f"# {topic.title}", topic.text]
    for section in topic.sections:
        parts += [f"## {section.title}", *_opening(section)]
        for key in section.keys:
            parts += [f"### `{key.name}`", *key_parts(key, section.language)]
    return "\n\n".join(part for part in parts if part) + "\n"


def in_brief(topic: Topic) -> str:
    """Return a topic for the terminal, with a line for each key."""
    parts = [f"# {topic.title}", topic.text]
    parts += [section_in_brief(section, level=2) for section in topic.sections]
    return "\n\n".join(part for part in parts if part) + "\n"


def section_in_brief(section: Section, *, level: int) -> str:
    """Return a section with a line for each key."""
    lines = "\n".join(key_line(key) for key in section.keys)
    parts = [f"{'#' * level} {section.title}", *_opening(section), lines]
    return "\n\n".join(part for part in parts if part)


def key_line(key: Key) -> str:
    """Return a key as the item of a list."""
    return f"- `{key.name}` ({key.facts}): {key.meaning}".removesuffix(": ")


def key_parts(key: Key, language: str) -> Iterator[str]:
    """Yield the paragraphs about a key."""
    facts = key.facts
    yield capitalized(facts) + "."
    if key.meaning:
        yield key.meaning
    if key.example:
        yield f"```{language}\n{key.example}\n```"
    if key.older:
        names = " and ".join(f"`{it}`" for it in key.older)
        yield (
            f"Older names, which are still read: {names}."
            if len(key.older) > 1
            else f"Older name, which is still read: {names}."
        )


def _opening(section: Section) -> Iterator[str]:
    if section.place:
        yield f"At `{section.place}`."
    yield section.text
