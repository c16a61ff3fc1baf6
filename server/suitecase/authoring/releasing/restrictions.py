"""What the sources of a suite restrict of its cases, and of the records of its runs.

Records have the texts of cases as they were: of a case that was changed or removed since, only they
know what was restricted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from suitecase.authoring.releasing.release import Release
from suitecase.evidence.sources import (
    SOURCE_KEY,
    cases_of_source,
    restricted_texts,
    sources_of,
    sources_of_cases,
)
from suitecase.figures.gates.slices import CaseFacts, choose_slice, has_case
from suitecase.format.protocols import Restricted, Source
from suitecase_evaluators.answers.records.record import ResultRecord

#: The fields of a record that have what a source restricts.
FIELDS: dict[Restricted, tuple[str, ...]] = {
    "input": ("input",),
    "expected_output": ("expected_output",),
    "expected_outcome": ("expected_outcome",),
    "rubrics": (),
    "sidecar": ("sidecar",),
    "metadata": ("metadata",),
}


@dataclass(frozen=True, slots=True)
class RestrictedTextOf:
    """A text that a source restricts, and the id of its case."""

    text: str
    source: str
    case: str


@dataclass(frozen=True, slots=True)
class Restrictions:
    """What may not be published.

    Attributes:
        texts: the texts.
        keys: the parts of each case that are restricted, by its id: the source by the part.
    """

    texts: tuple[RestrictedTextOf, ...]
    keys: Mapping[str, Mapping[Restricted, str]]


def restrictions_of(release: Release) -> Restrictions:
    """Return what the sources of a suite restrict of it and of its runs."""
    declared = sources_of(release.suite.head)
    if not any(it.restricted for it in declared.values()):
        return Restrictions((), {})
    keys: dict[str, dict[Restricted, str]] = {}
    for number, names in sources_of_cases(release.suite).items():
        case = release.case_ids.get(number)
        if case is not None:
            _add(keys, case, names, declared)
    for record in _records(release):
        if record.eval_id not in release.asked.cases:
            _add(keys, record.eval_id, _sources_of_record(record, release), declared)
    ids = release.case_ids
    of_suite = [
        RestrictedTextOf(
            restricted_text.text, restricted_text.source, ids.get(restricted_text.case, "")
        )
        for restricted_text in restricted_texts(release.suite, release.folder)
    ]
    of_records = [text for record in _records(release) for text in _texts_of(record, keys)]
    return Restrictions(tuple(dict.fromkeys([*of_suite, *of_records])), keys)


def _records(release: Release) -> Iterator[ResultRecord]:
    yield from release.run.answers
    if release.baseline is not None:
        yield from release.baseline.answers


def unredactable(release: Release) -> list[str]:
    """Return the names of sources that restrict texts and have no cases: nobody knows which texts."""
    return [
        name
        for name, it in sources_of(release.suite.head).items()
        if it.restricted and not cases_of_source(release.suite, name)
    ]


def _add(
    keys: dict[str, dict[Restricted, str]],
    case: str,
    names: Iterable[str],
    declared: Mapping[str, Source],
) -> None:
    for name in names:
        for key in declared[name].restricted or ():
            keys.setdefault(case, {}).setdefault(key, name)


def _sources_of_record(record: ResultRecord, release: Release) -> Iterator[str]:
    """Yield the sources of a case that the suite does not have any more."""
    facts = CaseFacts(record.eval_id, frozenset(record.tags), record.metadata)
    value = record.metadata.get(SOURCE_KEY)
    named = value if isinstance(value, list) else [value]
    slices = release.asked.slices
    for name, source in sources_of(release.suite.head).items():
        if source.slice is None:
            if name in named:
                yield name
            continue
        choice = choose_slice(source.slice, slices, facts.tags)
        if choice is not None and has_case(choice, slices, facts):
            yield name


def _texts_of(
    record: ResultRecord, keys: Mapping[str, Mapping[Restricted, str]]
) -> Iterator[RestrictedTextOf]:
    """Yield the restricted texts in the fields of a record."""
    for key, source in keys.get(record.eval_id, {}).items():
        for name in FIELDS[key]:
            for text in _texts_in(record.fields.get(name), name):
                yield RestrictedTextOf(text, source, record.eval_id)


def _texts_in(value: Any, name: str) -> Iterator[str]:
    match value:
        case str() if any(it.isalnum() for it in value):
            yield value
        case Mapping() if "role" in value and "content" in value:
            # The system prompt is the suite's, which no source restricts.
            if name != "input" or value["role"] != "system":
                yield from _texts_in(value["content"], name)
                yield from _texts_in(value.get("tool_calls"), name)
        case Mapping():
            for key, own in value.items():
                if key != SOURCE_KEY:
                    yield from _texts_in(own, name)
        case list():
            for own in value:
                yield from _texts_in(own, name)
