"""The places of assertions, for messages about those that cannot be graded."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from suitecase.formats.promptfoo.suite.effective.tests import EffectiveTest, tests_in_order
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.test_cases.files import LinkedTest
from suitecase.syntax.node import Mapping, Node, Sequence, Span


class AssertionPlace(NamedTuple):
    """Where an assertion is.

    Attributes:
        path: the file.
        span: its type, which is the usual reason that it cannot be graded; its test if its place is unknown.
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

    def of(self, test: EffectiveTest, number: int, assertion: int) -> AssertionPlace:
        """Return the place of an assertion.

        Args:
            test: the test.
            number: the number of the test, from 0.
            assertion: the number of the assertion, from 0; those of the default come first.
        """
        default = self._linked.head.default_test
        if assertion < test.default_assertions and default is not None:
            item = self._item(default.node, assertion)
            if item is not None:
                return _placed(self._path, item, self._linked.head_span)
        written = self.test(number)
        if written is not None and assertion >= test.default_assertions:
            item = self._item(written.node, assertion - test.default_assertions)
            if item is not None:
                return _placed(test.path, item, written.absolute)
        return AssertionPlace(test.path, test.span or Span(0, 0))

    def test(self, number: int) -> LinkedTest | None:
        """Return a test by its number, from 0; None for the implicit test of a suite without tests."""
        return self._tests[number] if number < len(self._tests) else None

    @cached_property
    def _tests(self) -> list[LinkedTest]:
        return [it for _, it in tests_in_order(self._linked)]

    def _item(self, test: Node | None, number: int) -> Node | None:
        key = self._linked.reading.key("assert")
        listed = test.get(key) if isinstance(test, Mapping) else None
        if not isinstance(listed, Sequence) or number >= len(listed.items):
            return None
        return listed.items[number]


def _placed(path: Path, item: Node, absolute: Callable[[Span], Span]) -> AssertionPlace:
    named = item.get("type") if isinstance(item, Mapping) else None
    return AssertionPlace(path, absolute((named or item).span), absolute(item.span))
