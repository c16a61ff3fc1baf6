"""A configuration or a list of tests, with its places: the parts that rules and editors look at.

Places in a test are relative to the start of the test's text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Mapping as TypesBy
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from suitecase.format.dialect import (
    Dialect,
    DialectFile,
)
from suitecase.formats.promptfoo.suite.models.configuration import Configuration, ConfigurationHead
from suitecase.formats.promptfoo.suite.models.test import ListedTest
from suitecase.formats.promptfoo.suite.vocabulary import PROMPTFOO, Vocabulary
from suitecase.formats.suitecase.elements import ParsedRubric, ParsedRubrics
from suitecase.schema.fields import members_of
from suitecase.schema.key_texts import type_of_items
from suitecase.schema.validation import ValidatedPart, ValidationIssue, validate
from suitecase.text.cache import Cache
from suitecase.text.case_index import CaseIndex
from suitecase.text.document import Content, Document
from suitecase.text.node import Mapping, Node, Scalar
from suitecase.text.node import Sequence as Listed
from suitecase_evaluators.promptfoo.assertion_type import NEGATION, AssertionType
from suitecase_evaluators.promptfoo.assertion_types import ASSERTION_TYPES


@dataclass(frozen=True, eq=False)
class Reading:
    """How the suites of one tool of the family are read.

    Attributes:
        vocabulary: how the tool spells the keys of promptfoo.
        suite: the model of a whole suite.
        head: the model of everything but the tests.
        test: the model of a test.
        refuses_shallow_lines: whether lines of a value in quotes or brackets have to be indented deeper
            than its key, as js-yaml 5 wants it.
        reads_dates: whether a date without quotes becomes a date.
        types: the types of assertions, by name.
        has_text_assertions: whether a text in a list of assertions is one, a rubric; otherwise it
            names a file.
        nests_sets: whether a set of assertions may be in another.
        passes_without_weight: whether an assertion with the weight 0 passes whatever it finds.
        grades_by_criteria: whether `criteria` of a test grade it where there is no `assert`.
        variables_under: a name under which templates find the variables, too: `vars.name`.
        used_variables: the variables that are used without being named.
        test_threshold_under: the keys of a test that may have a `threshold` of the test, too.
        head_has_threshold: whether a `threshold` at the top is the one of every test.
        head_part: what a head is read as.
        test_part: what a test is read as.
    """

    vocabulary: Vocabulary
    suite: type[BaseModel]
    head: type[BaseModel]
    test: type[BaseModel]
    refuses_shallow_lines: bool = False
    reads_dates: bool = False
    types: TypesBy[str, AssertionType] = field(default_factory=lambda: ASSERTION_TYPES)
    has_text_assertions: bool = False
    nests_sets: bool = False
    passes_without_weight: bool = True
    grades_by_criteria: bool = False
    variables_under: str | None = None
    used_variables: frozenset[str] = frozenset()
    test_threshold_under: frozenset[str] = frozenset()
    head_has_threshold: bool = False
    head_part: Callable[..., PromptfooHead] = field(default_factory=lambda: PromptfooHead)
    test_part: Callable[..., PromptfooTest] = field(default_factory=lambda: PromptfooTest)

    @property
    def tests(self) -> Any:
        """The type of the value of `tests`."""
        return self.suite.model_fields["tests"].annotation

    @property
    def listed_test(self) -> Any:
        """The type of an item of `tests`: a test, or what stands in its place."""
        return type_of_items(self.tests)

    def model_of(self, item: Node) -> type[BaseModel]:
        """Return the model of an item of `tests` that is a mapping."""
        models = members_of(self.listed_test, item)
        return next((model for model in models if model is not str), self.test)

    def assertion_type(self, text: str) -> tuple[AssertionType, bool] | None:
        """Return the type that a text names, and whether it is negated; None if it names none."""
        found = self.types.get(text.removeprefix(NEGATION))
        return (found, text.startswith(NEGATION)) if found else None

    def key(self, name: str) -> str:
        """Return how a key of promptfoo is spelled."""
        return self.vocabulary.key(name)


@dataclass(slots=True, eq=False)
class ParsedAssertion:
    """An entry of a list of assertions that is a mapping; of an `assert-set`, too, and of its members.

    `number` is its position in the list, from 1.
    """

    node: Mapping
    number: int
    reading: Reading
    in_set: bool = False

    @property
    def type(self) -> Scalar | None:
        """The type, with its `not-` if it has one."""
        type_node = self.node.get("type")
        return type_node if isinstance(type_node, Scalar) else None


@dataclass(slots=True, eq=False)
class ParsedProvider:
    """An entry of `providers` or `targets`, of any form: a text or a mapping."""

    node: Node
    number: int
    reading: Reading


@dataclass(slots=True, eq=False)
class ParsedPrompt:
    """An entry of `prompts`, of any form: a text or a mapping."""

    node: Node
    number: int
    reading: Reading


@dataclass(slots=True, eq=False)
class ParsedTestBody:
    """What a test and `defaultTest` have in common: `vars`, `assert`, `options`, ...

    `is_default` is whether it is `defaultTest`, which applies to every test.
    """

    node: Mapping
    reading: Reading
    is_default: bool = False

    @property
    def variables(self) -> Mapping | None:
        """The variables, if they are written here."""
        found = self.node.get("vars")
        return found if isinstance(found, Mapping) else None

    def assertions(self) -> Iterator[ParsedAssertion]:
        """Yield the assertions, those in sets behind their set."""
        yield from assertions_in(self.node.get("assert"), self.reading)


Element = (
    ParsedAssertion | ParsedProvider | ParsedPrompt | ParsedTestBody | ParsedRubrics | ParsedRubric
)


def assertions_in(
    node: Node | None, reading: Reading, *, in_set: bool = False
) -> Iterator[ParsedAssertion]:
    """Yield the assertions of a list, those in sets behind their set."""
    if not isinstance(node, Listed):
        return
    for number, item in enumerate(node.items, 1):
        if isinstance(item, Mapping):
            yield ParsedAssertion(item, number, reading, in_set)
            if not in_set or reading.nests_sets:
                yield from assertions_in(item.get("assert"), reading, in_set=True)


@dataclass(slots=True, eq=False)
class PromptfooTest(ValidatedPart):
    """A test.

    `node` is None where the item is not a mapping, such as the name of a file, or its text did not
    parse; `model` is None where anything is wrong with its shape.
    """

    content: Content
    node: Mapping | None
    model: BaseModel | None
    issues: tuple[ValidationIssue, ...]
    reading: Reading
    _elements: tuple[Element, ...] | None = None

    @property
    def model_type(self) -> type[BaseModel]:
        return self.reading.test

    @property
    def source(self) -> str:
        return self.content.text

    @property
    def body(self) -> ParsedTestBody | None:
        """What it has in common with `defaultTest`."""
        return ParsedTestBody(self.node, self.reading) if self.node is not None else None

    @property
    def description(self) -> str:
        """What people call it; empty if it has no name."""
        found = self.node.get("description") if self.node is not None else None
        return found.text if isinstance(found, Scalar) else ""

    @property
    def file_name(self) -> Scalar | None:
        """The name of a file with tests, in place of a test."""
        return self.content.node if isinstance(self.content.node, Scalar) else None

    def elements(self) -> Sequence[Element]:
        """Return its body and its assertions."""
        if self._elements is None:
            body = self.body
            self._elements = (body, *body.assertions()) if body is not None else ()
        return self._elements


@dataclass(slots=True, eq=False)
class PromptfooHead(ValidatedPart):
    """Everything of a configuration but its tests; of a list of tests, nothing."""

    content: Content
    node: Mapping | None
    model: BaseModel | None
    issues: tuple[ValidationIssue, ...]
    reading: Reading
    _elements: tuple[Element, ...] | None = None

    @property
    def model_type(self) -> type[BaseModel]:
        return self.reading.head

    @property
    def source(self) -> str:
        return self.content.text

    def get(self, name: str) -> Node | None:
        """Return the value of a key, by its name in promptfoo."""
        return self.node.get(self.reading.key(name)) if self.node is not None else None

    @property
    def default_test(self) -> ParsedTestBody | None:
        """What applies to every test, if it is written here."""
        found = self.get("defaultTest")
        return ParsedTestBody(found, self.reading, True) if isinstance(found, Mapping) else None

    def elements(self) -> Sequence[Element]:
        """Return `defaultTest` and the tests of scenarios with their assertions, prompts, providers."""
        if self._elements is None:
            self._elements = tuple(self._found())
        return self._elements

    def _found(self) -> Iterator[Element]:
        body = self.default_test
        if body is not None:
            yield body
            yield from body.assertions()
        for test in self._tests_of_scenarios():
            yield test
            yield from test.assertions()
        for number, item in enumerate(listed(self.get("prompts")), 1):
            yield ParsedPrompt(item, number, self.reading)
        for name in ("providers", "targets"):
            for number, item in enumerate(listed(self.get(name)), 1):
                yield ParsedProvider(item, number, self.reading)

    def _tests_of_scenarios(self) -> Iterator[ParsedTestBody]:
        """Yield the tests of scenarios, and the parts of tests that are merged into them."""
        for scenario in listed(self.get("scenarios")):
            if isinstance(scenario, Mapping):
                for name in ("config", "tests"):
                    for item in listed(scenario.get(name)):
                        if isinstance(item, Mapping) and "path" not in item:
                            yield ParsedTestBody(item, self.reading)


def listed(node: Node | None) -> Sequence[Node]:
    """Return the items of a list; of what may stand in place of a list with one item, that."""
    if node is None:
        return ()
    return node.items if isinstance(node, Listed) else (node,)


@dataclass(eq=False)
class PromptfooFile(DialectFile):
    """A configuration, or a list of tests that configurations name."""

    dialect: Dialect
    path: Path | None
    document: Document
    head: PromptfooHead
    tests: tuple[PromptfooTest, ...]
    reading: Reading
    kind: Literal["configuration", "tests"]
    case_index: CaseIndex[PromptfooTest] = field(init=False)

    def __post_init__(self) -> None:
        self.case_index = CaseIndex(self.tests)

    @property
    def is_suite(self) -> bool:
        return self.kind == "configuration"

    def case_names(self) -> Sequence[str]:
        return [test.description for test in self.tests]

    @property
    def is_shown(self) -> bool:
        return self.kind == "configuration"

    @property
    def title(self) -> str:
        return self.dialect.title if self.is_suite else "a list of tests in the manner of promptfoo"


READING = Reading(
    PROMPTFOO,
    Configuration,
    ConfigurationHead,
    ListedTest,
    refuses_shallow_lines=True,
    reads_dates=True,
)


@cache
def readers(
    reading: Reading,
) -> tuple[Callable[[Content], PromptfooHead], Callable[[Content], PromptfooTest]]:
    """Return the functions that read a head and a test; the same ones each time, for caching."""
    heads: Cache[PromptfooHead] = Cache()
    tests: Cache[PromptfooTest] = Cache()

    def read_head(content: Content) -> PromptfooHead:
        own, root = content.apart(), content.node
        if content.broken or not isinstance(root, Mapping):
            return reading.head_part(own, None, None, (), reading)
        entries = {name: it for name, it in root if name != reading.key("tests")}
        node = Mapping(root.start, root.end, entries, flow=root.flow)
        return reading.head_part(own, node, *validate_part(node, reading.head), reading)

    def read_test(content: Content) -> PromptfooTest:
        own, node = content.apart(), content.node
        if content.broken or not isinstance(node, Mapping):
            return reading.test_part(own, None, None, (), reading)
        return reading.test_part(own, node, *validate_part(node, reading.test), reading)

    return (
        lambda content: heads.of(content, read_head, content),
        lambda content: tests.of(content, read_test, content),
    )


def validate_part(
    node: Mapping, model: type[BaseModel]
) -> tuple[BaseModel | None, tuple[ValidationIssue, ...]]:
    """Return a part as its model, or None with where it does not match."""
    found, issues = validate(node, model)
    return found, tuple(issues)
