"""What `suitecase explain` prints of the reference: topics, providers and keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from suitecase.reference import markdown
from suitecase.reference.lookup import (
    FoundKey,
    keys_named,
    provider_named,
    section_json,
    shared_sections,
    topic_json,
    topic_named,
)

#: The text of a page, and its JSON.
Explained = tuple[str, dict[str, Any]]


def explained_topic(name: str) -> Explained | None:
    """Return what there is to print of a topic; None if there is none of that name."""
    topic = topic_named(name.casefold())
    return None if topic is None else (markdown.in_brief(topic), topic_json(topic))


def explained_name(name: str) -> Explained | None:
    """Return what there is to print of a provider or key; None if there is none of that name."""
    provider = provider_named(name)
    if provider is not None:
        shared = shared_sections(provider)
        parts = [markdown.section_in_brief(it, level=2) for it in shared]
        page = "\n\n".join([markdown.section_in_brief(provider, level=1), *parts])
        return page, section_json(provider) | {"shared": [section_json(it) for it in shared]}
    found = keys_named(name)
    if not found:
        return None
    return "\n\n".join(_places(name, found)), {"key": name, "places": [it.json() for it in found]}


def _places(name: str, found: Sequence[FoundKey]) -> Iterator[str]:
    current = found[0].key.name.rpartition(".")[2]
    yield f"# `{current}`"
    if all(name in it.key.older for it in found):
        yield f"`{name}` is an older name of it, which is still read."
    for it in found:
        yield f"## {it.topic.title}: {it.section.title}"
        path = ".".join(filter(None, (it.section.place, it.key.name)))
        if "." in path:
            yield f"At `{path}`."
        yield from markdown.key_parts(it.key, it.section.language)
