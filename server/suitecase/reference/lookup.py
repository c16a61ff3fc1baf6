"""Finding a part of the reference by the name that a user gives: a topic, a provider, or a key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from importlib import import_module
from typing import Any

from suitecase.reference.topic import Key, Section, Topic

#: The topics, with the function that makes each, and what it is about.
TOPICS = {
    "suite": ("suites.suite_topic", "keys of a suite, its cases and rubrics"),
    "case": ("suites.case_topic", "keys of a case, its messages and rubrics"),
    "datasets": ("datasets.datasets_topic", "suites as JSON lines, and their sidecars"),
    "targets": ("targets.targets_topic", "the targets file, and each provider"),
    "verdicts": ("verdicts.verdicts_topic", "how scores become verdicts, and an exit code"),
    "results": ("results.results_topic", "fields of a results file"),
    "configuration": ("configuration.configuration_topic", "settings of `suitecase.toml`"),
}
#: Topics whose keys are found by their names. Other topics repeat keys of these.
_WITH_KEYS = ("suite", "targets", "evaluators", "configuration", "results")


@dataclass(frozen=True, slots=True)
class FoundKey:
    """A key at one of its places."""

    topic: Topic
    section: Section
    key: Key

    def json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        place = {"topic": self.topic.name, "section": self.section.title}
        return {**place, "place": self.section.place, **key_json(self.key)}


def topic_named(name: str) -> Topic | None:
    """Return a topic; imports only what that one needs."""
    if name not in TOPICS:
        return None
    return _made(TOPICS[name][0])


@cache
def _made(path: str) -> Topic:
    module, _, function = path.partition(".")
    topic: Topic = getattr(import_module(f"suitecase.reference.{module}"), function)()
    return topic


def _topics_with_keys() -> Iterator[Topic]:
    for name in _WITH_KEYS:
        yield _made(TOPICS[name][0] if name in TOPICS else "evaluators.evaluators_topic")


def provider_named(name: str) -> Section | None:
    """Return the section of a provider, by any of its names."""
    sections = _made(TOPICS["targets"][0]).sections
    return next((section for section in sections if name.casefold() in section.names), None)


def shared_sections(provider: Section) -> list[Section]:
    """Return the sections with keys that a provider shares with others."""
    sections = _made(TOPICS["targets"][0]).sections
    return [section for section in sections if section.title in provider.also]


def keys_named(name: str) -> list[FoundKey]:
    """Return a key at each of its places, by its name or by one that it has in older formats."""
    folded = _folded(name)
    every = [
        FoundKey(topic, section, key)
        for topic in _topics_with_keys()
        for section, key in topic.each_key()
    ]
    current = [it for it in every if _folded(it.key.name.rpartition(".")[2]) == folded]
    return current or [it for it in every if folded in map(_folded, it.key.older)]


def provider_names() -> list[str]:
    """Return the names of the providers of targets, each under its usual name."""
    return [section.names[0] for section in _made(TOPICS["targets"][0]).sections if section.names]


def known_names() -> list[str]:
    """Return the names of topics, providers and keys."""
    targets = _made(TOPICS["targets"][0])
    providers = (name for section in targets.sections for name in section.names)
    keys = (
        key.name.rpartition(".")[2] for topic in _topics_with_keys() for _, key in topic.each_key()
    )
    return list(dict.fromkeys([*TOPICS, *providers, *keys]))


def _folded(name: str) -> str:
    return name.casefold().replace("-", "_")


def topic_json(topic: Topic) -> dict[str, Any]:
    """Return a topic as JSON values."""
    sections = [section_json(section) for section in topic.sections]
    return {"topic": topic.name, "title": topic.title, "text": topic.text, "sections": sections}


def section_json(section: Section) -> dict[str, Any]:
    """Return a section as JSON values."""
    return {
        "title": section.title,
        "place": section.place,
        "text": section.text,
        "names": list(section.names),
        "keys": [key_json(key) for key in section.keys],
    }


def key_json(key: Key) -> dict[str, Any]:
    """Return a key as JSON values."""
    return asdict(key) | {"older": list(key.older)}
