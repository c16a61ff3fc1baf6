"""What the tests of a configuration are called, in runs and in editors.

A test without a description is called by its own variables, since its number changes when a test is
added before it. No two tests have one name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from suitecase.formats.promptfoo.suite.effective.tests import fields_of_row, tests_in_order
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.parsed import PromptfooTest
from suitecase.suite.dialect import NamedTest
from suitecase.syntax.node import Mapping as Tree
from suitecase.syntax.node import Scalar, plain
from suitecase.taken_names import TakenNames

#: A longer text is cut off.
_LONGEST = 60
_BLANKS = re.compile(r"\s+")


def names_of_tests(linked: LinkedConfiguration) -> list[NamedTest]:
    """Return the tests of a configuration by name, in the order of promptfoo."""
    found = _found(linked)
    different = {it.name for it in found}
    if len(different) == len(found) and "" not in different:
        return found
    taken = TakenNames()
    return [
        NamedTest(taken.take(it.name or f"#{number}"), it.number)
        for number, it in enumerate(found, 1)
    ]


def told(variables: Mapping[str, Any]) -> str:
    """Return variables on one line; those that are lists or mappings are left out."""
    return shortened(
        ", ".join(
            f"{name}: {value}"
            for name, value in variables.items()
            if isinstance(value, str | int | float | bool)
        )
    )


def shortened(text: str) -> str:
    """Return a text on one line, cut off if it is long."""
    line = _BLANKS.sub(" ", text).strip()
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3].rstrip()}..."


def _found(linked: LinkedConfiguration) -> list[NamedTest]:
    """Return the tests by the names that they say themselves, empty where they say none."""
    if linked.test_sources:
        return list(_with_files(linked))
    return [NamedTest(name, number) for number, (name,) in linked.file.case_index.where(_own)]


def _with_files(linked: LinkedConfiguration) -> Iterator[NamedTest]:
    for file, test in tests_in_order(linked):
        if test.row is not None and file is not None and file.read.table is not None:
            fields = fields_of_row(test, file.read.table)
            yield NamedTest(_name(fields.get("description"), fields["vars"]), None)
        else:
            name = _name_of_node(test.node) if isinstance(test.node, Tree) else ""
            yield NamedTest(name, test.number - 1 if file is None else None)


def _own(test: PromptfooTest) -> tuple[str] | None:
    """Return what a test calls itself; None if it names a file of tests: a look for `case_index`."""
    node = test.content.node
    if not isinstance(node, Tree) or "path" in node:
        return None
    return (_name_of_node(node),)


def _name_of_node(node: Tree) -> str:
    called = (node.get(it) for it in ("id", "description"))
    name = next((it.value for it in called if isinstance(it, Scalar) and it.text.strip()), None)
    variables = node.get("vars")
    return _name(name, plain(variables) if isinstance(variables, Tree) else {})


def _name(name: Any, variables: Mapping[str, Any]) -> str:
    own = shortened(name) if isinstance(name, str) else ""
    return own or told(variables)
