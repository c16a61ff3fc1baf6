"""The names of tests, in runs and in editors.

A test without a description is named by its own variables, because its number changes when a test is
added before it. Names are unique.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from suitecase.format.dialect import NamedTest
from suitecase.formats.promptfoo.suite.effective.tests import fields_of_row, tests_in_order
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.parsed import PromptfooTest
from suitecase.text.node import Mapping as Tree
from suitecase.text.node import Scalar, plain
from suitecase.text.taken_names import TakenNames

#: Longer names are cut off.
_LONGEST = 60
_BLANKS = re.compile(r"\s+")


def named_tests(linked: LinkedConfiguration) -> list[NamedTest]:
    """Return the tests of a configuration by name, in the order of promptfoo."""
    found = _own_names(linked)
    different = {it.name for it in found}
    if len(different) == len(found) and "" not in different:
        return found
    taken = TakenNames()
    return [
        NamedTest(taken.take(it.name or f"#{number}"), it.number)
        for number, it in enumerate(found, 1)
    ]


def variables_line(variables: Mapping[str, Any]) -> str:
    """Return the variables on one line, without lists and mappings."""
    return one_line(
        ", ".join(
            f"{name}: {value}"
            for name, value in variables.items()
            if isinstance(value, str | int | float | bool)
        )
    )


def one_line(text: str) -> str:
    """Return a string on one line, cut off if it is long."""
    line = _BLANKS.sub(" ", text).strip()
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3].rstrip()}..."


def _own_names(linked: LinkedConfiguration) -> list[NamedTest]:
    """Return the tests with their descriptions or variables as names, which may be empty or equal."""
    if linked.test_sources:
        return list(_with_files(linked))
    return [NamedTest(name, number) for number, (name,) in linked.file.case_index.where(_own_name)]


def _with_files(linked: LinkedConfiguration) -> Iterator[NamedTest]:
    for file, test in tests_in_order(linked):
        if test.row is not None and file is not None and file.read.table is not None:
            fields = fields_of_row(test, file.read.table)
            yield NamedTest(_name(fields.get("description"), fields["vars"]), None)
        else:
            name = _name_of_node(test.node) if isinstance(test.node, Tree) else ""
            yield NamedTest(name, test.number - 1 if file is None else None)


def _own_name(test: PromptfooTest) -> tuple[str] | None:
    """Return the name of a test for `case_index`; None if it refers to a file of tests."""
    node = test.content.node
    if not isinstance(node, Tree) or "path" in node:
        return None
    return (_name_of_node(node),)


def _name_of_node(node: Tree) -> str:
    named_by = (node.get(it) for it in ("id", "description"))
    name = next((it.value for it in named_by if isinstance(it, Scalar) and it.text.strip()), None)
    variables = node.get("vars")
    return _name(name, plain(variables) if isinstance(variables, Tree) else {})


def _name(name: Any, variables: Mapping[str, Any]) -> str:
    own = one_line(name) if isinstance(name, str) else ""
    return own or variables_line(variables)
