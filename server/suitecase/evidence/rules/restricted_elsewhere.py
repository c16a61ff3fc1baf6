"""Rules on restricted texts that are where everybody reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from suitecase.evidence.governed import GovernedSuite
from suitecase.evidence.sources import source_entries, sources_of, sources_of_cases, texts_in
from suitecase.format.protocols import Restricted
from suitecase.format.rule import Finding, Related, Severity, rule
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.given_prompts import first_words, joined_words, prompt_words
from suitecase.formats.suitecase.parsed import ParsedCase
from suitecase.text.cache import Cache
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span

#: Shorter texts may be the same by chance.
SHORTEST = 20
_SENTENCE = re.compile(r"(?<![.!?;])[.!?;\n]+(?:\s+|\Z)")
#: The keys of a case that are shown wherever the case is named.
_SHOWN = ("id", "description", "note", "tags")


class _Passages(NamedTuple):
    """The sentences of a part of a case, as joined words; the first words of each; their places."""

    first: tuple[str, ...]
    joined: tuple[str, ...]
    spans: tuple[Span, ...]


_PASSAGES: Cache[dict[Restricted, _Passages]] = Cache()


@rule("SC913", Severity.WARNING)
def restricted_elsewhere(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A restricted text is in a description, an id or another text that everybody reads.

    `suitecase publish` leaves out restricted texts wherever they occur, so a description that has
    one is published with a gap, and an id is replaced by a digest. `suitecase report` and the lock
    file show them as they are. Describe the case in other words. Sentences of 20 or more characters
    are compared, whatever the case and the punctuation.

    ```yaml bad
    governance:
      sources:
        shoe-thesaurus: {license: LicenseRef-Shoes, restricted: [expected_output]}
    evalcases:
      - id: size
        description: "Expects: Ill-fitting footwear, exchange of"  # <- finding@18
        input: The shoes are too small.
        expected_outcome: Names the topic
        expected_output: Ill-fitting footwear, exchange of
        metadata: {source: shoe-thesaurus}
    ```

    ```yaml good
    governance:
      sources:
        shoe-thesaurus: {license: LicenseRef-Shoes, restricted: [expected_output]}
    evalcases:
      - id: size
        description: Expects the term for shoes that are too small
        input: The shoes are too small.
        expected_outcome: Names the topic
        expected_output: Ill-fitting footwear, exchange of
        metadata: {source: shoe-thesaurus}
    ```
    """
    sources = sources_of(suite.head)
    if not any(source.restricted for source in sources.values()):
        return
    head = [(what, it, prompt_words(it.text)) for what, it in _shown_in_head(suite)]
    starts = frozenset().union(*(words.starts for _, _, words in head))
    parts: dict[str, _RestrictedParts] = {
        name: tuple((name, key) for key in it.restricted or ()) for name, it in sources.items()
    }
    reported: set[int] = set()
    for number, names in sources_of_cases(suite.suite).items():
        case = suite.suite.cases[number]
        restricted: _RestrictedParts = tuple(part for it in names for part in parts[it])
        known = _known_of(case, restricted)
        for it in known.shown if suite.has_cases else ():
            place = Related("the restricted text", suite.case_span(number, it.restricted))
            message = f"a text that `{it.source}` restricts is in {it.what}"
            yield Finding(suite.case_span(number, it.span), message, related=(place,))
        if starts.isdisjoint(known.first):
            continue
        for name, key in restricted:
            passages = _passages(case, key)
            for what, node, words in head:
                if node.start not in reported and _found(words.joined, passages) is not None:
                    reported.add(node.start)
                    of = f"`{case.id.text}`" if case.id is not None else "a case"
                    message = f"a text of {of} that `{name}` restricts is in {what}"
                    yield Finding(suite.head_span(node.span), message)


class _InCase(NamedTuple):
    """A text of a case that is shown, and the restricted text that is in it."""

    source: str
    what: str
    span: Span
    restricted: Span


_RestrictedParts = tuple[tuple[str, Restricted], ...]


class _Known(NamedTuple):
    """What is known of a case while its text and its restrictions stay.

    Attributes:
        restricted: the sources with the parts that they restrict.
        first: the first words of all passages in these parts.
        shown: the restricted texts in what is shown of the case.
    """

    restricted: _RestrictedParts
    first: frozenset[str]
    shown: tuple[_InCase, ...]


_KNOWN: Cache[_Known] = Cache()


def _known_of(case: ParsedCase, restricted: _RestrictedParts) -> _Known:
    known = _KNOWN.get(case.content)
    if known is None or known.restricted != restricted:
        first = frozenset(it for _, key in restricted for it in _passages(case, key).first)
        known = _Known(restricted, first, tuple(_find_in_case(case, restricted)))
        _KNOWN.set(case.content, known)
    return known


def _find_in_case(case: ParsedCase, restricted: _RestrictedParts) -> Iterator[_InCase]:
    for what, node in _shown_in_case(case):
        joined = joined_words(node.text)
        for name, key in restricted:
            span = _found(joined, _passages(case, key))
            if span is not None:
                yield _InCase(name, what, node.span, span)
                break


def _found(joined: str, passages: _Passages) -> Span | None:
    """Return the place of the first passage that words contain."""
    found = zip(passages.joined, passages.spans, strict=True)
    return next((span for it, span in found if it in joined), None)


def _passages(case: ParsedCase, key: Restricted) -> _Passages:
    by_key = _PASSAGES.of(case.content, dict)
    if key not in by_key:
        by_key[key] = _find_passages(case, key)
    return by_key[key]


def _find_passages(case: ParsedCase, key: Restricted) -> _Passages:
    found: dict[str, tuple[str, Span]] = {}
    for node, _ in texts_in(case, key):
        for text in (node.text, *_SENTENCE.split(node.text)):
            joined = joined_words(text)
            if len(joined) - 2 >= SHORTEST:
                found.setdefault(joined, (first_words(text + " "), node.span))
    firsts = tuple(first for first, _ in found.values())
    return _Passages(firsts, tuple(found), tuple(span for _, span in found.values()))


def _shown_in_case(case: ParsedCase) -> list[tuple[str, Scalar]]:
    node = case.node
    keys = _SHOWN if node is not None else ()
    return [
        (f"`{key}`", text) for key in keys if node is not None for text in _texts(node.get(key))
    ]


def _shown_in_head(suite: GovernedSuite) -> Iterator[tuple[str, Scalar]]:
    if not suite.has_head or suite.head.node is None:
        return
    governance = suite.under("governance")
    holders: list[tuple[Mapping, tuple[str, ...]]] = [(suite.head.node, ("description",))]
    if governance is not None:
        holders.append((governance, ("notice", "sampling", "limitations")))
    for _, entry in source_entries(suite.head):
        if isinstance(entry.value, Mapping):
            holders.append((entry.value, ("notice",)))
    for name, _ in suite.under("slices") or ():
        declared = suite.under("slices", name)
        if declared is not None:
            holders.append((declared, ("description", "basis")))
    for holder, keys in holders:
        for key in keys:
            yield from ((f"`{key}`", text) for text in _texts(holder.get(key)))


def _texts(node: Node | None) -> list[Scalar]:
    items = node.items if isinstance(node, Sequence) else [node]
    return [item for item in items if isinstance(item, Scalar) and len(item.text) >= SHORTEST]
