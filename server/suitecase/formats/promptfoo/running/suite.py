"""Prepares a configuration for `suitecase run promptfooconfig.yaml`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from suitecase.format.dialect import DialectFile, NamedTest
from suitecase.format.runnable import NotRunnable, RunnableSuite, RunnableTest
from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.rendering.environment_uses import sent_variables
from suitecase.formats.promptfoo.rendering.errors import TemplateError
from suitecase.formats.promptfoo.rendering.variables import render_environment
from suitecase.formats.promptfoo.running.assertion_places import AssertionPlace, AssertionPlaces
from suitecase.formats.promptfoo.running.case_names import CaseNames
from suitecase.formats.promptfoo.running.cases import CaseMaker
from suitecase.formats.promptfoo.running.graders import Graders
from suitecase.formats.promptfoo.running.provider_targets import ProviderTargets
from suitecase.formats.promptfoo.running.providers.of_configuration import run_settings
from suitecase.formats.promptfoo.running.refused import RefusedError
from suitecase.formats.promptfoo.running.unresolved import references_in
from suitecase.formats.promptfoo.running.unsupported import options_not_applied, unsupported_in
from suitecase.formats.promptfoo.suite.effective.rows import (
    MOST_ROWS,
    Expansion,
    Row,
    TestRows,
    expand,
)
from suitecase.formats.promptfoo.suite.effective.test_names import named_tests
from suitecase.formats.promptfoo.suite.effective.tests import EffectiveTest
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.suitecase.effective_suite import EffectiveCase, EffectiveSuite
from suitecase.formats.suitecase.model import SuiteHead
from suitecase.formats.suitecase.resolve import dataset_name
from suitecase.text.lines import Lines
from suitecase.text.node import Scalar, Span
from suitecase_evaluators.targets.config.target import TargetConfig


def runnable_suite(
    file: DialectFile,
    path: Path,
    folder: Folder,
    environ: Mapping[str, str],
    instead: TargetConfig | None = None,
) -> RunnableSuite | None:
    """Return a configuration as a suite that can be run; see `format/runnable.py`."""
    linked = file.linked(folder)
    if not isinstance(linked, LinkedConfiguration):
        return None
    expansion = expand(linked, path)
    problems = [*unsupported_in(linked, path), *_references_in_head(linked, path)]
    problems += without_too_many_rows(expansion, path)
    run = run_settings(linked, environ)
    targets = ProviderTargets(linked, expansion, path, run, instead)
    problems += targets.problems
    repeats = repeats_of(expansion)
    filled = {**environ, **run.env}
    graders = Graders(linked, targets, filled)
    graders.find_all(test.test for test in expansion.tests)
    own: dict[str, str] = {}
    for variable, value in run.env.items():
        try:
            own[variable] = str(render_environment(value, environ))
        except TemplateError as error:
            node = linked.head.get("env")
            span = linked.head_span(node.span) if node is not None else Span(0, 0)
            problems.append(NotRunnable(f"`env.{variable}`: {error.message}", path, span))
    name, reading = file.dialect.name, linked.reading
    maker = CaseMaker(folder, filled, targets, name, graders, own, reading)
    suite = suite_without_cases(linked, path)
    tests = runnable_tests(linked, expansion, path, maker, everyone=repeats > 1)
    notes = (*options_not_applied(linked), *run.notes, *graders.notes())
    return RunnableSuite(
        suite, targets.parsed, tests, tuple(problems), repeats, notes, sent_variables(linked)
    )


def _references_in_head(linked: LinkedConfiguration, path: Path) -> Iterator[NotRunnable]:
    if "$ref" in linked.head.source:
        for message, span in references_in(linked.head.node):
            yield NotRunnable(message, path, linked.head_span(span))


def suite_without_cases(linked: LinkedConfiguration, path: Path) -> EffectiveSuite:
    """Return the head of a configuration, without its cases."""
    description = linked.head.get("description")
    return EffectiveSuite(
        path=path,
        dataset=dataset_name(path),
        head=SuiteHead(description=description.text if isinstance(description, Scalar) else None),
        prompt="",
        cases=(),
    )


def without_too_many_rows(expansion: Expansion, path: Path) -> list[NotRunnable]:
    """Remove all rows of a configuration that has more than are listed, and return why it is refused.

    Whatever is wrong in its rows, none of them is run, so that nothing is made of them.
    """
    if expansion.count < MOST_ROWS:
        return []
    expansion.tests.clear()
    message = (
        f"it has {MOST_ROWS:,} rows or more, which is more than `suitecase run` runs at a time"
    )
    return [NotRunnable(message, path, Span(0, 0))]


def repeats_of(expansion: Expansion) -> int:
    """Return how often every row is repeated; 1 if some are repeated more often than others."""
    times = {max((row.repeat for row in tests.rows), default=1) for tests in expansion.tests}
    return times.pop() if len(times) == 1 else 1


def runnable_tests(
    linked: LinkedConfiguration,
    expansion: Expansion,
    path: Path,
    maker: CaseMaker,
    *,
    everyone: bool,
) -> Iterator[RunnableTest]:
    """Yield the tests with their cases.

    Args:
        linked: the configuration.
        expansion: its rows.
        path: its path.
        maker: the maker of the cases.
        everyone: whether every row is repeated.
    """
    names = CaseNames(expansion, with_repeats=not everyone)
    lines = _line_of(linked, path)
    position = 0
    named = named_tests(linked) or [NamedTest("#1", None)]
    places = AssertionPlaces(linked, path)
    for number, (rows, (called, _)) in enumerate(zip(expansion.tests, named, strict=False)):
        test = rows.test
        where = test.span or Span(0, 0)
        line = lines(test.path, where.start)
        cases: list[EffectiveCase] = []
        problems: list[NotRunnable] = []
        refused = _Refusals(places, test, number)
        written = places.test(number)
        if written is not None:
            for message, span in maker.unresolved_in(written.node):
                problems.append(NotRunnable(message, test.path, written.absolute(span)))
        if rows.is_open:
            message = (
                "`suitecase run` does not run the code that provides the variables of this test"
            )
            problems.append(NotRunnable(message, test.path, where))
        for row in () if rows.is_open else _rows_to_run(rows, everyone=everyone):
            name = names.row(called, rows, row)
            if row.provider.number not in maker.targets.by_number:
                continue  # the provider has a problem of its own
            try:
                place = (position + len(cases) + 1, line)
                common = names.case(called, rows, row)
                cases.append(maker.case(test, row, (called, name, common), *place))
            except RefusedError as error:
                refused.add(error)
        problems += refused.besides(problems)
        position += 0 if problems else len(cases)
        found = () if problems else tuple(cases)
        yield RunnableTest(called, test.path, test.span, found, tuple(problems))


class _Refusals:
    """Why the rows of a test cannot be run: once for each of its assertions, whatever the row."""

    def __init__(self, places: AssertionPlaces, test: EffectiveTest, number: int) -> None:
        self._places = places
        self._test = test
        self._number = number
        self._found: dict[object, RefusedError] = {}

    def add(self, error: RefusedError) -> None:
        for it in error.each:
            is_of_test = it.assertion is None
            self._found.setdefault(it.message if is_of_test else (it.assertion, it.member), it)

    def besides(self, known: Sequence[NotRunnable]) -> list[NotRunnable]:
        """Return them but for those of assertions, or of the whole test, that are known not to be read."""
        found: list[NotRunnable] = []
        for error in self._found.values():
            at = self._place(error)
            start, end = at.whole or at.span
            if not any(it.path == at.path and start <= it.span.start < end for it in known):
                found.append(NotRunnable(error.message, at.path, at.span, part=at.whole))
        return found

    def _place(self, error: RefusedError) -> AssertionPlace:
        test = self._test
        if error.assertion is None:
            return AssertionPlace(test.path, test.span or Span(0, 0))
        return self._places.of(test, self._number, error.assertion, error.member)


def _rows_to_run(rows: TestRows, *, everyone: bool) -> Iterator[Row]:
    return (row for row in rows.rows if not everyone or row.repeat == 1)


def _line_of(linked: LinkedConfiguration, own: Path) -> Callable[[Path, int], int]:
    """Return a function that returns the line, from 1, of an offset in a file."""

    @cache
    def lines(path: Path) -> Lines:
        if path == own:
            return linked.file.document.lines
        text = linked.folder.read(path)
        return Lines(text if isinstance(text, str) else "")

    return lambda path, offset: lines(path).number(offset)
