"""A parsed suite: its parts with their places, for rules and for the editor.

Places in a case are relative to the start of the case's text, so that results for it stay valid
wherever the case moves.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from pydantic import BaseModel

from suitecase.format.case_list_keys import CASE_LIST_KEYS
from suitecase.formats.detection import format_of
from suitecase.formats.suitecase.current.detect import is_certainly_begun
from suitecase.formats.suitecase.elements import (
    Element,
    evaluators_in,
    execution_in,
    judges_in,
    messages_in,
    rubrics_in,
)
from suitecase.formats.suitecase.legacy.normalize import (
    CaseSetting,
    LegacySyntax,
    Normalizer,
    is_list_of_tests,
)
from suitecase.formats.suitecase.model import FIGURE_KEYS, Case, SuiteHead
from suitecase.schema.validation import IssueKind, ValidatedPart, ValidationIssue, validate
from suitecase.text.cache import Cache
from suitecase.text.case_index import CaseIndex
from suitecase.text.document import Content, Document
from suitecase.text.jsonl import parse_lines
from suitecase.text.lines import Lines
from suitecase.text.node import Mapping, Scalar, Span
from suitecase.text.node import Sequence as Listed
from suitecase.text.parsing import parse
from suitecase.text.passing import Expected, values_of
from suitecase_evaluators.grade import registry


@dataclass(slots=True, eq=False)
class ParsedCase(ValidatedPart):
    """A case, in the current format.

    `node` is None where the item is not a mapping or its text did not parse; `model` is None where
    anything is wrong with its shape. `source` is the text its places count in.
    """

    content: Content
    node: Mapping | None
    legacy_syntax: tuple[LegacySyntax, ...]
    model: Case | None
    issues: tuple[ValidationIssue, ...]
    _elements: tuple[Element, ...] | None = None

    @property
    def model_type(self) -> type[BaseModel]:
        return Case

    @property
    def source(self) -> str:
        return self.content.text

    @property
    def id(self) -> Scalar | None:
        id_node = self.node.get("id") if self.node else None
        return id_node if isinstance(id_node, Scalar) else None

    def elements(self) -> tuple[Element, ...]:
        """Return messages, rubrics and evaluators, in the order of the models."""
        if self._elements is None:
            self._elements = tuple(self._found())
        return self._elements

    def _found(self) -> Iterator[Element]:
        if self.node is None:
            return
        for key in ("input_messages", "input", "expected_messages", "expected_output"):
            yield from messages_in(self.node.get(key), only_with_role=key == "expected_output")
        yield from rubrics_in(self.node.get("rubrics"))
        yield from evaluators_in(self.node.get("evaluators"))
        yield from execution_in(self.node.get("execution"))


@dataclass(slots=True, eq=False)
class ParsedHead(ValidatedPart):
    """Everything of a suite but its cases, in the current format."""

    content: Content
    node: Mapping | None
    legacy_syntax: tuple[LegacySyntax, ...]
    model: SuiteHead | None
    issues: tuple[ValidationIssue, ...]

    @property
    def model_type(self) -> type[BaseModel]:
        return SuiteHead

    @property
    def source(self) -> str:
        return self.content.text

    @property
    def defines_figures(self) -> bool:
        """Whether it has any of the keys that are about figures."""
        return self.node is not None and any(figure_key in self.node for figure_key in FIGURE_KEYS)

    def elements(self) -> Iterator[Element]:
        """Yield the rubrics and evaluators of all cases, and the settings of judges."""
        if self.node is not None:
            yield from execution_in(self.node.get("execution"))
            yield from judges_in(self.node.get("judges"))


@dataclass(slots=True, eq=False)
class ParsedSuite:
    """A suite with its places. `cases` correspond to the pieces of `document.cases`.

    A `dataset` has a JSON case on each line, and its head in a `sidecar`; a `sidecar` is the head of
    a data set and has no cases. Where the document keeps no trees (`syntax.passing`), a case is read
    whenever it is asked for, and is another object each time.
    """

    document: Document
    head: ParsedHead
    cases: Sequence[ParsedCase]
    kind: Literal["suite", "dataset", "sidecar"] = "suite"
    sidecar: Document | None = None
    #: What is to be said of the cases one by one: for what looks at all of them.
    case_index: CaseIndex[ParsedCase] = field(init=False)
    _appends: bool | None = None
    _named: dict[str, int] | None = None

    def __post_init__(self) -> None:
        self.case_index = CaseIndex(self.cases)

    @property
    def noun(self) -> str:
        """The word for one of the cases."""
        return "case"

    @property
    def is_certain(self) -> bool:
        """Whether its content leaves no doubt that it is a suite, so that fixes may change it.

        What is only the beginning of one may become something else.
        """
        if self.kind != "suite" or looks_like_suite(self.document):
            return True
        return is_certainly_begun(self.document)

    @property
    def case_ids(self) -> tuple[str, ...]:
        """The ids of the cases that have one, each once, in the order of the text."""
        return tuple(dict.fromkeys(case.id.text for case in self.cases if case.id is not None))

    def place(self, number: int, span: Span) -> Span:
        """Return the place in the document of a place in a case."""
        return self.document.cases[number].absolute(span)

    def line(self, number: int, span: Span) -> int:
        """Return the line, from 1, of a place in a case."""
        return self.document.lines.number(self.place(number, span).start)

    def head_place(self, span: Span) -> Span:
        """Return the place in the document of a place in the head; in a data set, its start."""
        return Span(0, 0) if self.kind == "dataset" else self.document.head.absolute(span)

    def head_line(self, span: Span) -> int:
        """Return the line, from 1, of a place in the head, in the file of the head."""
        document = self.sidecar or self.document
        return document.lines.number(document.head.absolute(span).start)

    @property
    def appends(self) -> bool:
        """Whether the suite's evaluators grade beside a case's own instead of being replaced.

        So it is in newer formats, which are known by the names of their lists.
        """
        if self._appends is None:
            self._appends = listed_evaluators(self.head.node) is not None and (
                is_list_of_tests((self.sidecar or self.document).list_key)
                or _has_assertions(self.head)
                or self.case_index.any(_has_assertions)
            )
        return self._appends

    def appended_to(self, number: int) -> bool:
        """Whether the suite's evaluators grade a case in addition to its own."""
        return self.appends and adds_evaluators(self.cases[number])

    @property
    def all_appended_to(self) -> list[int]:
        """The cases that the suite's evaluators grade in addition to the evaluators they list."""
        return self.case_index.numbers(adds_evaluators) if self.appends else []

    def named_cases(self) -> Sequence[tuple[int, str]]:
        """Return the number and the id of each case that has an id."""
        return self.case_index.where(case_id_text)

    def case_named(self, case_id: str) -> int | None:
        """Return the number of the first case with an id."""
        if self._named is None:
            # The first of several cases with the same id is inserted last, and stays.
            found = reversed(self.case_index.where(case_id_of))
            self._named = {id_node.text: number for number, id_node in found}
        return self._named.get(case_id)


def case_id_of(case: ParsedCase) -> Scalar | None:
    """Return the id of a case, as `ParsedCase.id` does: a look for `ParsedSuite.case_index`."""
    return case.id


def case_id_text(case: ParsedCase) -> str:
    """Return the text of a case's id, empty where it has none: a look for `ParsedSuite.case_index`."""
    return case.id.text if case.id is not None else ""


def listed_evaluators(node: Mapping | None) -> Listed | None:
    """Return the effective evaluators that a suite or a case lists."""
    execution = node.get("execution") if node is not None else None
    listed = execution.get("evaluators") if isinstance(execution, Mapping) else None
    if listed is None and node is not None:
        listed = node.get("evaluators")
    return listed if isinstance(listed, Listed) else None


def adds_evaluators(case: ParsedCase) -> bool:
    """Whether a case has evaluators to which the suite adds its own."""
    skips = any(it.skips_suite_evaluators for it in case.legacy_syntax)
    return listed_evaluators(case.node) is not None and not skips


def with_legacy_syntax(case: ParsedCase) -> ParsedCase | None:
    """Return a case that has legacy syntax: a look for `ParsedSuite.case_index`."""
    return case if case.legacy_syntax else None


def _has_assertions(part: ParsedHead | ParsedCase) -> bool:
    return any(it.is_assertion_list for it in part.legacy_syntax)


def parse_suite(
    text: str | Lines,
    *,
    reuse: ParsedSuite | None = None,
    segmented: bool = True,
    expected: Expected | None = None,
) -> ParsedSuite:
    """Parse a text as a suite. Never raises on any text.

    Args:
        text: the text of a suite file, as lines where it is being edited.
        reuse: an earlier version, whose unchanged cases are reused.
        segmented: see `suitecase.text.parsing.parse`.
        expected: see there, too.
    """
    before = reuse.document if reuse else None
    return suite_of(
        parse(text, CASE_LIST_KEYS, reuse=before, segmented=segmented, expected=expected)
    )


def suite_of(document: Document) -> ParsedSuite:
    """Return a document as a suite, whatever it is."""
    if document.list_key is not None and format_of(document) != "suite":
        return _unread(document)
    head = _head(document)
    case = _case_reader(
        CaseSetting(
            beside_evaluators=listed_evaluators(head.node) is not None,
            outcome_is_optional=is_list_of_tests(document.list_key),
        )
    )
    suite = ParsedSuite(document, head, values_of(document, case))
    suite.case_index = document.case_index.through(case)
    return suite


def parse_sidecar(text: str) -> ParsedSuite:
    """Parse a text as the sidecar of a data set: everything in a suite except its cases."""
    document = parse(text, CASE_LIST_KEYS, segmented=False)
    if document.cases:
        # A list of cases is a value of its head, which is refused there: the data set has the cases.
        document = parse(text, (), segmented=False)
    head = _written_head(document.head.content, is_sidecar=True)
    return ParsedSuite(document, head, (), "sidecar")


def parse_dataset(
    text: str | Lines,
    sidecar: str | None,
    *,
    reuse: ParsedSuite | None = None,
    expected: Expected | None = None,
) -> ParsedSuite:
    """Parse a text as a data set: a JSON case on each line. Never raises on any text.

    Args:
        text: the text of the data set.
        sidecar: the text of its sidecar, if it has one.
        reuse: an earlier version, whose unchanged lines are reused.
        expected: keep no trees of cases, of which this is going to be asked.
    """
    document = parse_lines(text, reuse=reuse.document if reuse else None, expected=expected)
    beside = parse_sidecar(sidecar or "{}")
    case = _case_reader(
        CaseSetting(
            beside_evaluators=listed_evaluators(beside.head.node) is not None,
            outcome_is_optional=is_list_of_tests(beside.document.list_key),
        )
    )
    cases = values_of(document, case)
    suite = ParsedSuite(document, beside.head, cases, "dataset", beside.document)
    suite.case_index = document.case_index.through(case)
    return suite


def _unread(document: Document) -> ParsedSuite:
    """Return a document of another format, whose content is not parsed as a suite."""
    head = document.head.content
    root = head.node if isinstance(head.node, Mapping) else None
    cases = tuple(
        ParsedCase(
            content.apart(),
            content.node if isinstance(content.node, Mapping) else None,
            (),
            None,
            (),
        )
        for content in document.cases.contents
    )
    return ParsedSuite(document, ParsedHead(head.apart(), root, (), None, ()), cases)


_HEADS: Cache[ParsedHead] = Cache()


def may_become_suite(document: Document) -> bool:
    """Whether a document is the beginning of a suite, without a list of cases."""
    return format_of(document) == "begun"


def looks_like_suite(document: Document) -> bool:
    """Whether a document has a list of cases at its top level, even if it has errors."""
    return document.list_key is not None and format_of(document) == "suite"


def _head(document: Document) -> ParsedHead:
    content = document.head.content
    return _HEADS.of(content, _written_head, content)


def _written_head(content: Content, *, is_sidecar: bool = False) -> ParsedHead:
    root = content.node
    if content.broken or not isinstance(root, Mapping):
        return ParsedHead(content, None, (), None, ())
    list_key = next((name for name in root.entries if name in CASE_LIST_KEYS), None)
    if is_sidecar and list_key is not None and isinstance(root.get(list_key), Listed):
        list_key = None
    # A second list is not read, which is a mistake of its own.
    entries = {name: it for name, it in root if name != list_key}
    normalizer = Normalizer(evaluator_keys)
    node = normalizer.head(
        Mapping(root.start, root.end, entries, flow=root.flow), list_key=list_key
    )
    model, issues = validate(node, SuiteHead)
    if len(entries) == len(root.entries) and not is_sidecar:
        # Without a list of cases this is not a suite, which is a better message than unknown keys.
        issues = [issue for issue in issues if issue.kind != IssueKind.UNKNOWN_KEY]
    return ParsedHead(content, node, tuple(normalizer.legacy_syntax), model, tuple(issues))


@cache
def _case_reader(setting: CaseSetting) -> Callable[[Content], ParsedCase]:
    """Return the function that parses a case; the same one for each setting, for caching."""
    cases: Cache[ParsedCase] = Cache()

    def read(content: Content) -> ParsedCase:
        # Findings in a case depend on how it is parsed, and are cached with its content.
        of_its_own = content if setting == CaseSetting() else content.apart()
        return _written_case(of_its_own, setting)

    def case(content: Content) -> ParsedCase:
        return cases.of(content, read, content)

    return case


def _written_case(content: Content, setting: CaseSetting) -> ParsedCase:
    if content.broken or not isinstance(content.node, Mapping):
        return ParsedCase(content, None, (), None, ())
    normalizer = Normalizer(evaluator_keys, setting)
    node = normalizer.case(content.node)
    model, issues = validate(node, Case)
    return ParsedCase(content, node, tuple(normalizer.legacy_syntax), model, tuple(issues))


def evaluator_keys(type_name: str) -> frozenset[str] | None:
    """Return the keys that an evaluator of a type may have; None for an unknown type."""
    found = registry.by_type(type_name)
    return frozenset(keys_of(found.config)) if found else None


@cache
def keys_of(model: type[BaseModel]) -> Collection[str]:
    """Return the keys of a model, by their aliases."""
    return tuple(field.alias or name for name, field in model.model_fields.items())
