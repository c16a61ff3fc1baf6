"""A file of the family with what it names, as far as an editor shows it: prompts, providers, tests, variables."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.parsed import ParsedTestBody, PromptfooFile, PromptfooTest
from suitecase.formats.promptfoo.suite.prompts.prompts import Prompt
from suitecase.formats.promptfoo.suite.providers.providers import ProviderEntry
from suitecase.formats.promptfoo.suite.test_cases.lists import TestSource
from suitecase.text.compose import compose
from suitecase.text.document import Piece
from suitecase.text.node import Mapping, Node, Scalar, Sequence
from suitecase_evaluators.system.path_kinds import is_file

#: The value of a variable: a node, or the cell of a table.
Value = Node | str


class Given(NamedTuple):
    """The values that a test gives its variables."""

    values: MappingOf[str, Value]


@dataclass(frozen=True)
class Whole:
    """A configuration or a list of tests in its folder. What is not asked for is not looked up."""

    file: PromptfooFile
    folder: Folder
    #: The configuration that names a list of tests, if one does.
    named_by: LinkedConfiguration | None = None
    #: The file beside suites, or above them, in which the tool looks up providers; empty if there is none.
    providers_file: str = ""

    @property
    def root(self) -> Mapping | None:
        """The mapping at the top, with `tests` if they are not listed there."""
        return self.file.document.root

    def part(self, number: int | None) -> tuple[Piece, str]:
        """Return the piece of a test, or of the head, and the text that its places are offsets in."""
        document = self.file.document
        piece = document.head if number is None else document.cases[number]
        return piece, piece.content.text

    @cached_property
    def is_configuration(self) -> bool:
        return self.file.kind == "configuration"

    @cached_property
    def linked(self) -> LinkedConfiguration | None:
        """The configuration with what it names; that of a list of tests is one that names it."""
        found = self.file.linked(self.folder) if self.is_configuration else self.named_by
        return found if isinstance(found, LinkedConfiguration) else None

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        return self.linked.prompts if self.linked is not None else ()

    @property
    def providers(self) -> tuple[ProviderEntry, ...]:
        return self.linked.providers if self.linked is not None else ()

    @cached_property
    def shared_providers(self) -> MappingOf[str, SharedProvider]:
        """The providers that suites share, by their label."""
        return shared_providers(self.folder, self.providers_file) if self.providers_file else {}

    @cached_property
    def default_test(self) -> ParsedTestBody | None:
        linked = self.linked
        return linked.head.default_test if linked is not None else None

    @cached_property
    def tests(self) -> tuple[Given, ...]:
        """What each test gives its variables: those of the file, then those of the files it names."""
        own = self.file.case_index.values(_given)
        own_linked = self.linked if self.is_configuration else None
        placed = own_linked.test_sources if own_linked is not None else ()
        return (*own, *(given for it in placed for given in _given_in(it.source)))

    @property
    def has_unknown_tests(self) -> bool:
        """Whether there are tests that are only known when promptfoo runs."""
        return self.linked is None or self.linked.has_unknown_tests

    def values(self, name: str) -> list[Value]:
        """Return the values that the tests give to a variable, in their order."""
        return [test.values[name] for test in self.tests if name in test.values]

    def default_value(self, name: str) -> Value | None:
        """Return the value that `defaultTest` gives to a variable."""
        body = self.default_test
        return body.variables.get(name) if body is not None and body.variables is not None else None

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """The names of all variables that tests set, those of the first tests first."""
        names: dict[str, None] = {}
        for test in self.tests:
            names.update(dict.fromkeys(test.values))
        body = self.default_test
        if body is not None and body.variables is not None:
            names.update(dict.fromkeys(body.variables.entries))
        return tuple(names)


def given(node: Node | None) -> Given | None:
    """Return what a test gives its variables; None if the node is not a test."""
    if not isinstance(node, Mapping) or "path" in node:
        return None
    variables = node.get("vars")
    if not isinstance(variables, Mapping):
        return Given({})
    return Given({name: it.value for name, it in variables})


def _given(test: PromptfooTest) -> Given | None:
    return given(test.node)


def _given_in(source: TestSource) -> Iterator[Given]:
    for file in source.files:
        table = file.read.table
        if table is not None:
            yield from (Given(table.values(row)) for row in table.rows if not row.is_blank)
            continue
        for piece in file.read.pieces:
            found = given(piece.node)
            if found is not None:
                yield found


@dataclass(frozen=True, slots=True)
class SharedProvider:
    """A provider with its id, and the file that it stands in."""

    id: str
    path: Path


def shared_providers(folder: Folder, name: str) -> MappingOf[str, SharedProvider]:
    """Return the providers of the nearest file of a name, by their label."""
    for above in folder.workspace.folders_up(folder.path):
        path = above / name
        if is_file(path) and folder.workspace.holds(path):
            return _in_file(path, folder)
    return {}


def _in_file(path: Path, folder: Folder) -> MappingOf[str, SharedProvider]:
    text = folder.read(path)
    root = compose(text).root if isinstance(text, str) else None
    listed = root.get("providers") if isinstance(root, Mapping) else None
    found: dict[str, SharedProvider] = {}
    for item in listed.items if isinstance(listed, Sequence) else ():
        if not isinstance(item, Mapping):
            continue
        own, label = item.get("id"), item.get("label")
        own_text = own.text if isinstance(own, Scalar) else ""
        name = label.text if isinstance(label, Scalar) else own_text
        if name:
            found.setdefault(name, SharedProvider(own_text, path))
    return found
