"""The sources of cases: which cases are of a source, and the texts that it restricts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Mapping as Table
from dataclasses import dataclass
from typing import get_args

from pydantic import ValidationError

from suitecase.figures.gates.names import SuiteFigures, suite_figures
from suitecase.figures.gates.slices import CaseFacts, value_text
from suitecase.format.protocols import Restricted, Source
from suitecase.format.workspace import Folder, Found
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.text.cache import Cache
from suitecase.text.node import Entry, Mapping, Node, Scalar, Sequence, Span, plain

#: The key of a case's `metadata` that names its source, or a list of them.
SOURCE_KEY = "source"
#: The keys of a case that a source may restrict, each with the keys that its content is under.
KEYS_OF: dict[Restricted, tuple[str, ...]] = {
    "input": ("input_messages", "input"),
    "expected_output": ("expected_messages", "expected_output"),
    "expected_outcome": ("expected_outcome",),
    "rubrics": ("rubrics",),
    "sidecar": ("sidecar",),
    "metadata": ("metadata",),
}
assert tuple(KEYS_OF) == get_args(Restricted)  # noqa: S101 - a key without its content is published


@dataclass(frozen=True, slots=True)
class RestrictedText:
    """A text of a case that must not leave the workspace.

    Attributes:
        text: the text, as a target or a judge sees it.
        source: the name of the source that restricts it.
        key: what of the case it is in.
        case: the number of the case, from 0.
        span: its place in the text of the case; of a file's text, the place of the reference.
    """

    text: str
    source: str
    key: Restricted
    case: int
    span: Span


_SOURCES: Cache[dict[str, Source]] = Cache()


def sources_of(head: ParsedHead) -> Table[str, Source]:
    """Return the declared sources by name, without those that have errors."""
    return _SOURCES.of(head.content, _sources, head)


def _sources(head: ParsedHead) -> dict[str, Source]:
    if head.model is not None:
        governance = head.model.governance
        return (governance.sources or {}) if governance is not None else {}
    found: dict[str, Source] = {}
    for name, entry in source_entries(head):
        try:
            found[name] = Source.model_validate(plain(entry.value))
        except ValidationError:
            continue
    return found


def source_entries(head: ParsedHead) -> Iterator[tuple[str, Entry]]:
    """Yield the entries under `governance.sources` by name, also those that have errors."""
    governance = head.node.get("governance") if head.node is not None else None
    sources = governance.get("sources") if isinstance(governance, Mapping) else None
    if isinstance(sources, Mapping):
        yield from sources


def cases_of_source(suite: ParsedSuite, name: str) -> tuple[int, ...]:
    """Return the numbers of the cases of a declared source, from 0.

    They are those of its `slice`, or else those that name it as `metadata.source`. The source of an
    unknown slice has no cases.
    """
    source = sources_of(suite.head).get(name)
    if source is None:
        return ()
    figures = suite_figures(suite)
    if source.slice is None:
        return named_sources(figures).get(name, ())
    facet = figures.facets.get(source.slice)
    if facet is not None:
        return figures.selected(source.slice)
    choice = figures.choose(source.slice)
    return figures.cases_of(choice) if choice is not None else ()


def sources_of_cases(suite: ParsedSuite) -> dict[int, tuple[str, ...]]:
    """Return the names of the declared sources of each case that is of any."""
    found: dict[int, tuple[str, ...]] = {}
    for name in sources_of(suite.head):
        for number in cases_of_source(suite, name):
            found[number] = (*found.get(number, ()), name)
    return found


_NAMED: Cache[dict[str, tuple[int, ...]]] = Cache()


def named_sources(figures: SuiteFigures) -> Table[str, tuple[int, ...]]:
    """Return the names that cases have as `metadata.source`, with the numbers of these cases."""
    return _NAMED.of(figures, _find_named, figures)


def _find_named(figures: SuiteFigures) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for number, profile in enumerate(figures.profiles):
        if SOURCE_KEY in profile.facts.metadata:
            for name in _names_in(profile.facts):
                found.setdefault(name, []).append(number)
    return {name: tuple(numbers) for name, numbers in found.items()}


def _names_in(facts: CaseFacts) -> Iterable[str]:
    value = facts.metadata.get(SOURCE_KEY)
    if not isinstance(value, list):
        text = value_text(value)
        return () if text is None else (text,)
    return dict.fromkeys(text for it in value if (text := value_text(it)) is not None)


def restricted_texts(suite: ParsedSuite, folder: Folder) -> list[RestrictedText]:
    """Return every text of a suite's cases that a source restricts, with the files that they name.

    A text without letters and digits is left out. A text may be in the list more than once.
    """
    found: list[RestrictedText] = []
    for name, source in sources_of(suite.head).items():
        for number in cases_of_source(suite, name) if source.restricted else ():
            case = suite.cases[number]
            for key in source.restricted or ():
                for text, span in texts_under(case, key, folder):
                    found.append(RestrictedText(text, name, key, number, span))
    return found


def texts_under(case: ParsedCase, key: Restricted, folder: Folder) -> Iterator[tuple[str, Span]]:
    """Yield the texts of a part of a case with their places, and the texts of files that it names.

    The ids of rubrics and the names of sources are left out, which figures and notices show.
    """
    for scalar, is_file in texts_in(case, key):
        yield scalar.text, scalar.span
        file = folder.find(scalar.text) if is_file else None
        text = folder.read(file.path) if isinstance(file, Found) else None
        if isinstance(text, str) and _has_content(text):
            yield text, scalar.span


def texts_in(case: ParsedCase, key: Restricted) -> Iterator[tuple[Scalar, bool]]:
    """Yield the texts that are written in a part of a case, and whether they are names of files."""
    for name in KEYS_OF[key]:
        node = case.node.get(name) if case.node is not None else None
        yield from _texts(node, without=_SHOWN.get(key))


#: What is shown of a part that is restricted.
_SHOWN: dict[Restricted, str] = {"rubrics": "id", "metadata": SOURCE_KEY}
#: Keys of messages and of their parts whose values are words of the format.
_OF_FORMAT = frozenset({"role", "type"})


def _texts(
    node: Node | None, *, without: str | None = None, in_message: bool = False
) -> Iterator[tuple[Scalar, bool]]:
    """Yield the texts in a value, and whether they are the names of files that are sent."""
    if isinstance(node, Scalar):
        if isinstance(node.value, str) and _has_content(node.text):
            yield node, False
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _texts(item, without=without, in_message=in_message)
    elif isinstance(node, Mapping):
        in_message = in_message or {"role", "content"} <= node.entries.keys()
        kind = node.get("type") if in_message else None
        names_file = isinstance(kind, Scalar) and kind.text == "file"
        for name, entry in node:
            if name == without or (in_message and name in _OF_FORMAT):
                continue
            for scalar, is_file in _texts(entry.value, in_message=in_message):
                yield scalar, is_file or (names_file and name == "value")


def _has_content(text: str) -> bool:
    return any(it.isalnum() for it in text)
