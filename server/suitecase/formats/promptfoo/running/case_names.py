"""The names of rows, which stay the same when other tests are edited.

Results written by promptfoo are named by the same functions, so runs of both can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from suitecase.formats.promptfoo.suite.effective.rows import Expansion, Row, TestRows
from suitecase.formats.promptfoo.suite.effective.test_names import variables_line
from suitecase.taken_names import TakenNames

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

    def row(self, test: str, rows: TestRows, row: Row) -> str:
        """Return the unique name of a row of a test."""
        parts: list[str] = []
        if self._has_providers:
            parts.append(row.provider.name or f"provider {row.provider.number}")
        if len(self._prompts) > 1:
            parts.append(prompt_name(row.prompt.label, self._prompts.get(id(row.prompt), 1)))
        repeated = self._with_repeats and any(it.repeat != row.repeat for it in rows.rows)
        own = differing(row.variables, (it.variables for it in rows.rows))
        return self._taken.take(row_name(test, own, parts, row.repeat if repeated else None))


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


def differing(
    variables: Mapping[str, Any], of_rows: Iterable[Mapping[str, Any]]
) -> Mapping[str, Any]:
    """Return the variables of a row that are not the same in all rows of its test."""
    rows = list(of_rows)
    return {
        key: value for key, value in variables.items() if any(it.get(key) != value for it in rows)
    }
