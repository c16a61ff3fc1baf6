"""The places of the assertions that grade a test."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from suitecase.editor.dialect_tests import GradedPlace
from suitecase.formats.promptfoo.suite.parsed import PromptfooFile
from suitecase.text.node import Mapping, Node, Scalar, Span
from suitecase.text.node import Sequence as Listed


def graded_places(file: PromptfooFile, number: int, count: int) -> Sequence[GradedPlace]:
    """Return the place of each assertion that grades a test: those of `defaultTest` come first.

    Args:
        file: the configuration.
        number: the number of the test, from 0.
        count: the number of assertions that graded it; if it has others now, none has a place.
    """
    piece = file.document.cases[number]
    return with_shared(file, places_in(piece.node, piece.absolute), count)


def with_shared(
    file: PromptfooFile, own: Sequence[GradedPlace], count: int
) -> Sequence[GradedPlace]:
    """Return the places of the assertions that grade a test, from those of its own; see `graded_places`."""
    default = file.head.default_test
    shared = places_in(
        default.node if default is not None else None, file.document.head.absolute, is_shared=True
    )
    if count == len(own):
        return own
    if count == len(shared) + len(own):
        return [*shared, *own]
    # The others are those of a file that `defaultTest` names.
    return [*([GradedPlace(None)] * (count - len(own))), *own] if count > len(own) else ()


def places_in(
    body: Node | None, absolute: Callable[[Span], Span], *, is_shared: bool = False
) -> list[GradedPlace]:
    """Return the places of the assertions of a test, or of a set of them."""
    listed = body.get("assert") if isinstance(body, Mapping) else None
    if not isinstance(listed, Listed):
        return []
    return [
        GradedPlace(
            absolute(_named(item)), is_shared, tuple(places_in(item, absolute, is_shared=is_shared))
        )
        for item in listed.items
    ]


def _named(assertion: Node) -> Span:
    """Return the place of an assertion's type."""
    named = assertion.get("type") if isinstance(assertion, Mapping) else None
    return named.span if isinstance(named, Scalar) else assertion.span
