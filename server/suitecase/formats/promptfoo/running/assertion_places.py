"""The places of assertions, for messages about those that cannot be graded."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from suitecase.formats.promptfoo.suite.effective.tests import EffectiveTest, tests_in_order
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.test_cases.default_test import default_node, named_file
from suitecase.formats.promptfoo.suite.test_cases.files import LinkedTest, TestsFile
from suitecase.text.node import Mapping, Node, Sequence, Span


class AssertionPlace(NamedTuple):
    """Where an assertion is.

    Attributes:
        path: the file.
        span: its type, which is the usual reason that it cannot be graded; its cell in a table; its test if its
            place is unknown.
        whole: all of it; None if its place is unknown.
    """

    path: Path
    span: Span
    whole: Span | None = None


class AssertionPlaces:
    """Finds assertions on demand: in most configurations all of them can be graded."""

    def __init__(self, linked: LinkedConfiguration, path: Path) -> None:
        self._linked = linked
        self._path = path

    def of(
        self, test: EffectiveTest, number: int, assertion: int, member: int | None = None
    ) -> AssertionPlace:
        """Return the place of an assertion.

        Args:
            test: the test.
            number: the number of the test, from 0.
            assertion: the number of the assertion, from 0; those of the default come first.
            member: the number of one of its members, from 0, for the place of this member.
        """
        own = assertion - test.default_assertions
        found = (
            self._of_default(assertion, member)
            if own < 0
            else self._own(test.path, number, own, member)
        )
        return found or AssertionPlace(test.path, test.span or Span(0, 0))

    def test(self, number: int) -> LinkedTest | None:
        """Return a test by its number, from 0; None for the implicit test of a suite without tests."""
        return self._tests[number][1] if number < len(self._tests) else None

    def _of_default(self, assertion: int, member: int | None) -> AssertionPlace | None:
        if self._default is None:
            return None
        path, node, absolute = self._default
        item = self._item(node, assertion, member)
        return _placed(path, item, absolute) if item is not None else None

    def _own(
        self, path: Path, number: int, assertion: int, member: int | None
    ) -> AssertionPlace | None:
        if number >= len(self._tests):
            return None
        file, test = self._tests[number]
        if test.row is not None and file is not None and file.read.table is not None:
            cells = file.read.table.assertions(test.row)
            return (
                AssertionPlace(path, cells[assertion].span, cells[assertion].span)
                if assertion < len(cells)
                else None
            )
        item = self._item(test.node, assertion, member)
        return _placed(path, item, test.absolute) if item is not None else None

    @cached_property
    def _tests(self) -> list[tuple[TestsFile | None, LinkedTest]]:
        return list(tests_in_order(self._linked))

    @cached_property
    def _default(self) -> tuple[Path, Node, Callable[[Span], Span]] | None:
        """The test that applies to all: its file, its tree, and the places of the tree in the file."""
        node = default_node(self._linked)
        if node is None:
            return None
        named = named_file(self._linked, "defaultTest")
        if named is None:
            return self._path, node, self._linked.head_span
        return named.found.files[0], node, lambda span: span

    def _item(self, test: Node | None, number: int, member: int | None) -> Node | None:
        item = _nth(test, self._linked.reading.key("assert"), number)
        inner = _nth(item, "assert", member) if member is not None else None
        return inner or item


def _nth(node: Node | None, key: str, number: int) -> Node | None:
    listed = node.get(key) if isinstance(node, Mapping) else None
    if not isinstance(listed, Sequence) or number >= len(listed.items):
        return None
    return listed.items[number]


def _placed(path: Path, item: Node, absolute: Callable[[Span], Span]) -> AssertionPlace:
    named = item.get("type") if isinstance(item, Mapping) else None
    return AssertionPlace(path, absolute((named or item).span), absolute(item.span))
