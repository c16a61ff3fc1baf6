"""The names of rows, which stay the same when other tests are edited.

Results written by promptfoo are named by the same functions, so runs of both can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from suitecase.formats.promptfoo.suite.effective.rows import Expansion, Row, TestRows
from suitecase.formats.promptfoo.suite.effective.test_names import variables_line
from suitecase.text.taken_names import TakenNames

#: Longer labels of prompts are left out of names.
_LONGEST_LABEL = 30
_BLANKS = re.compile(r"\s+")


class CaseNames:
    """Names rows by their test, and by what distinguishes them from its other rows."""

    def __init__(self, expansion: Expansion, *, with_repeats: bool) -> None:
        """
        Args:
            expansion: all rows.
            with_repeats: whether the repeats of a row have names of their own.
        """
        self._with_repeats = with_repeats
        self._taken = TakenNames()
        self._has_providers = len(expansion.providers) > 1
        self._prompts = {id(it): number for number, it in enumerate(expansion.prompts, 1)}
        #: The test whose rows are named, the variables that differ among them, and whether any is repeated.
        self._test: tuple[TestRows, frozenset[str], bool] | None = None

    def row(self, test: str, rows: TestRows, row: Row) -> str:
        """Return the unique name of a row of a test."""
        return self._taken.take(self._name(test, rows, row, self._parts(row)))

    def case(self, test: str, rows: TestRows, row: Row) -> str:
        """Return what rows of other providers and prompts have in common with a row of a test."""
        return self._name(test, rows, row, ())

    def _parts(self, row: Row) -> list[str]:
        """Return the provider and the prompt of a row, if there are several."""
        parts: list[str] = []
        if self._has_providers:
            parts.append(row.provider.name or f"provider {row.provider.number}")
        if len(self._prompts) > 1:
            parts.append(prompt_name(row.prompt.label, self._prompts.get(id(row.prompt), 1)))
        return parts

    def _name(self, test: str, rows: TestRows, row: Row, parts: Iterable[str]) -> str:
        if self._test is None or self._test[0] is not rows:
            # Once for each test: the rows of a test may be thousands.
            differ = differing([it.variables for it in rows.rows])
            self._test = rows, differ, len({it.repeat for it in rows.rows}) > 1
        _, differ, repeated = self._test
        repeated = repeated and self._with_repeats
        own = {key: value for key, value in row.variables.items() if key in differ}
        return row_name(test, own, parts, row.repeat if repeated else None)


def row_name(
    test: str, variables: Mapping[str, Any], parts: Iterable[str], repeat: int | None
) -> str:
    """Return the name of a row, which is not necessarily unique.

    Args:
        test: the name of its test.
        variables: those that distinguish it from other rows of the test.
        parts: its provider and its prompt, if there are several.
        repeat: the number of the repeat, if each repeat has its own name.
    """
    name = f"{test} ({variables_line(variables)})" if variables else test
    if listed := ", ".join(parts):
        name += f" [{listed}]"
    return name if repeat is None else f"{name} (repeat {repeat})"


def prompt_name(label: str, number: int) -> str:
    """Return the name of a prompt: its label if that is short, or else its number."""
    label = _BLANKS.sub(" ", label).strip()
    return label if 0 < len(label) <= _LONGEST_LABEL else f"prompt {number}"


def differing(rows: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """Return the names of the variables that are not the same in all rows of a test."""
    first = rows[0] if rows else {}
    found: set[str] = set()
    for row in rows[1:]:
        found.update(it for it in {*first, *row} if row.get(it) != first.get(it))
    return frozenset(found)
