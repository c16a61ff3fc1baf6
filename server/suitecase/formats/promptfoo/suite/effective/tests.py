"""Tests as promptfoo grades them: with `defaultTest` filled in, and where each comes from."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.references.file_references import beside, located
from suitecase.formats.promptfoo.suite.test_cases.csv_tests import ColumnKind, CsvRow, CsvTable
from suitecase.formats.promptfoo.suite.test_cases.csv_thresholds import number_in, thresholds
from suitecase.formats.promptfoo.suite.test_cases.default_test import default_node
from suitecase.formats.promptfoo.suite.test_cases.facts import NamedFile, Place, TestFacts
from suitecase.formats.promptfoo.suite.test_cases.files import LinkedTest, TestsFile
from suitecase.text.compose import compose
from suitecase.text.node import Mapping, Span, plain
from suitecase_evaluators.promptfoo.column import assertion_of_text

#: What a test has instead of `defaultTest` where it has any.
_REPLACED = ("threshold", "prompts", "providers", "provider", "assertScoringFunction")


@dataclass(frozen=True, slots=True)
class EffectiveTest:
    """A test with the default filled in.

    Attributes:
        name: its id where tests have one, its description, or its number.
        path: the file that it stands in.
        span: its place there; None of the test that promptfoo makes where there is none.
        variables: the variables, as they are written.
        assertions: the assertions, those of the default first.
        default_assertions: how many of them are those of the default.
        settings: whatever else is set, by its key in promptfoo.
        is_open: it has variables that are not known.
        has_assert: it has `assert` itself, though there may be nothing in it.
    """

    name: str
    path: Path
    span: Span | None
    variables: dict[str, Any]
    assertions: list[Any]
    default_assertions: int
    settings: dict[str, Any]
    is_open: bool = False
    has_assert: bool = False

    @property
    def options(self) -> dict[str, Any]:
        found = self.settings.get("options")
        return found if isinstance(found, dict) else {}

    @property
    def threshold(self) -> float | None:
        """The weighted mean of the scores that passes; None if each assertion has to pass.

        It may be 0. promptfoo ignores a threshold that is not a number.
        """
        found = self.settings.get("threshold")
        if not isinstance(found, int | float) or isinstance(found, bool) or math.isnan(found):
            return None
        return float(found)


def effective_tests(linked: LinkedConfiguration, path: Path) -> Iterator[EffectiveTest]:
    """Yield the tests of a configuration in the order of promptfoo.

    Args:
        linked: the configuration.
        path: its path.
    """
    default = _fields(default_node(linked), linked, linked.folder)
    found = 0
    for file, test in tests_in_order(linked):
        found += 1
        folder = beside(linked.folder, file.path) if file is not None else linked.folder
        table = file.read.table if file is not None else None
        own = (
            fields_of_row(test, table) if table is not None else _fields(test.node, linked, folder)
        )
        where = (file.path, _span(test)) if file is not None else (path, _span(test))
        yield _merged(own, default, *where, found, is_open=_is_open(test, own))
    if not found and not linked.has_unknown_tests:
        yield _merged({}, default, path, None, 1, is_open=False)


def tests_in_order(
    linked: LinkedConfiguration,
) -> Iterator[tuple[TestsFile | None, LinkedTest]]:
    """Yield the tests, those of named files where they are named."""
    sources = {
        id(test_source.piece.content): test_source.source for test_source in linked.test_sources
    }
    document = linked.file.document
    if not document.cases:
        for placed in linked.test_sources:
            yield from ((file, test) for file in placed.source.files for test in file.tests)
    own = {own_test.number: own_test for own_test in linked.own_tests}
    for number, piece in enumerate(document.cases, 1):
        source = sources.get(id(piece.content))
        if source is not None:
            yield from ((file, test) for file in source.files for test in file.tests)
        elif number in own:
            yield None, own[number]


def _span(test: LinkedTest) -> Span:
    if test.row is not None:
        return test.row.span
    return test.absolute(test.node.span) if test.node is not None else Span(0, 0)


def _is_open(test: LinkedTest, own: dict[str, Any]) -> bool:
    """Whether a test has variables that are not known, though files of variables were read."""
    return test.is_open and "vars" not in own


def _fields(node: object, linked: LinkedConfiguration, folder: Folder) -> dict[str, Any]:
    """Return what stands in a test, by promptfoo's keys, with the variables of files read."""
    if not isinstance(node, Mapping):
        return {}
    spelled = {linked.reading.key(it): it for it in (*_REPLACED, "options", "assert", "vars")}
    fields = {spelled.get(name, name): plain(entry.value) for name, entry in node}
    if isinstance(fields.get("vars"), dict):
        return fields
    given = fields.pop("vars", None)
    if given is not None:
        read = _read_variables(TestFacts(node).files, folder)
        if read is not None:
            fields["vars"] = read
    return fields


def _read_variables(files: tuple[NamedFile, ...], folder: Folder) -> dict[str, Any] | None:
    """Return the variables of files that stand under `vars`; None if they cannot be read."""
    variables: dict[str, Any] = {}
    for named in files:
        if named.place is not Place.VARIABLES:
            continue
        found = located(named.reference, folder)
        for path in found.files:
            text = folder.read(path)
            root = compose(text).root if isinstance(text, str) else None
            if not isinstance(root, Mapping):
                return None
            variables |= plain(root)
    return variables


def fields_of_row(test: LinkedTest, table: CsvTable) -> dict[str, Any]:
    """Return what a row of a table says, in the manner of a test."""
    if test.row is None:
        return {}
    row, kinds = test.row, ColumnKind
    fields: dict[str, Any] = {
        "vars": table.values(row),
        "assert": _assertions_of_row(row, table),
    }
    texts = {
        "description": table.text(row, kinds.DESCRIPTION),
        "providerOutput": table.text(row, kinds.PROVIDER_OUTPUT),
    }
    fields |= {name: text for name, text in texts.items() if text}
    threshold = number_in(table.text(row, kinds.THRESHOLD))
    if threshold is not None:  # promptfoo ignores any other text there
        fields["threshold"] = threshold
    options = {
        name: text
        for name, kind in (("prefix", kinds.PREFIX), ("suffix", kinds.SUFFIX))
        if (text := table.text(row, kind))
    }
    metadata = {
        column.name.partition(":")[2]: cell.text
        for column, cell in table.cells(row, kinds.METADATA)
        if cell.text.strip()
    }
    return (
        fields
        | ({"options": options} if options else {})
        | ({"metadata": metadata} if metadata else {})
    )


def _assertions_of_row(row: CsvRow, table: CsvTable) -> list[Any]:
    """Return the assertions of a row: texts, or mappings where other columns add to them."""
    metric, limits = table.text(row, ColumnKind.METRIC), thresholds(table, row)
    found: list[Any] = []
    for number, cell in enumerate(table.assertions(row)):
        added: dict[str, Any] = {"metric": metric} if metric else {}
        if number in limits:
            added["threshold"] = limits[number]
        text = cell.text.strip()
        found.append({**assertion_of_text(text), **added} if added else text)
    return found


def _merged(
    own: dict[str, Any],
    default: dict[str, Any],
    path: Path,
    span: Span | None,
    number: int,
    *,
    is_open: bool,
) -> EffectiveTest:
    options = {**_mapping(default, "options"), **_mapping(own, "options")}
    inherited = _listed(default, "assert")
    if _mapping(own, "options").get("disableDefaultAsserts") is True:
        inherited = []
    settings: dict[str, Any] = {}
    for name in _REPLACED:
        value = own.get(name) if own.get(name) is not None else default.get(name)
        if value is not None:
            settings[name] = value
    metadata = {**_mapping(default, "metadata"), **_mapping(own, "metadata")}
    kept = {"vars", "assert", "options", "metadata", "description", *_REPLACED}
    settings |= {"options": options} if options else {}
    settings |= {"metadata": metadata} if metadata else {}
    settings |= {name: value for name, value in own.items() if name not in kept}
    called = (own.get(it) for it in ("id", "description"))
    name = next((it for it in called if isinstance(it, str) and it.strip()), f"#{number}")
    return EffectiveTest(
        name,
        path,
        span,
        {**_mapping(default, "vars"), **_mapping(own, "vars")},
        [*inherited, *_listed(own, "assert")],
        len(inherited),
        settings,
        is_open,
        "assert" in own,
    )


def _mapping(fields: dict[str, Any], name: str) -> dict[str, Any]:
    found = fields.get(name)
    return found if isinstance(found, dict) else {}


def _listed(fields: dict[str, Any], name: str) -> list[Any]:
    found = fields.get(name)
    return found if isinstance(found, list) else []
