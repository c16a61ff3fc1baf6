"""A suite of AgentV from version 5 on, with its places: one of promptfoo with other keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from suitecase.format.workspace import Folder
from suitecase.formats.agentv.suite.assertion_types import AGENTV_TYPES, RUBRIC_TYPES
from suitecase.formats.agentv.suite.models.suite import Suite, SuiteHead
from suitecase.formats.agentv.suite.models.test import ListedTest
from suitecase.formats.agentv.suite.spelling import SPELLINGS
from suitecase.formats.promptfoo.suite.file import PromptfooSuite
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.parsed import (
    Element,
    ParsedAssertion,
    ParsedTestBody,
    PromptfooHead,
    PromptfooTest,
    Reading,
    assertions_in,
)
from suitecase.formats.promptfoo.suite.vocabulary import Vocabulary
from suitecase.formats.suitecase.elements import (
    ParsedRubric,
    RubricSpelling,
    has_ranges,
    rubrics_in,
)
from suitecase.text.node import Mapping, Node, Scalar
from suitecase.text.node import Sequence as Listed
from suitecase_evaluators.promptfoo.assertion_type import NEGATION

#: How AgentV spells the keys of rubrics.
_SPELLING = RubricSpelling(("outcome", "criteria"), "min_score")
#: The same for a text with ranges beside it; other keys are those of the assertion.
_OF_ASSERTION = RubricSpelling(("value",), "")


class AgentvHead(PromptfooHead):
    """Everything of a suite but its tests."""

    def elements(self) -> Sequence[Element]:
        """Return also the assertions that stand at the top and grade every test."""
        if self._elements is None:
            found = (*super().elements(), *assertions_in(self._top, self.reading))
            self._elements = (*found, *_rubrics_of(found))
        return self._elements

    def rubrics(self) -> Iterator[Scalar]:
        """Yield the texts in its lists of assertions, each of which is a rubric."""
        yield from _texts_in(self._top)
        yield from _texts_of(self.elements())

    def included(self) -> Iterator[Scalar]:
        """Yield the names of templates and files whose assertions it has."""
        yield from _included_in(self._top)
        yield from _included_by(self.elements())

    @property
    def _top(self) -> Node | None:
        return self.node.get("assert") if self.node is not None else None


class AgentvTest(PromptfooTest):
    """A test."""

    @property
    def description(self) -> str:
        """What people call it: its id, or else its description."""
        found = self.node.get("id") if self.node is not None else None
        return found.text if isinstance(found, Scalar) and found.text else super().description

    def elements(self) -> Sequence[Element]:
        """Return also the assertions of the turns of a conversation."""
        if self._elements is None:
            of_turns = (
                assertion
                for listed in self._of_turns()
                for assertion in assertions_in(listed, self.reading)
            )
            found = (*super().elements(), *of_turns)
            self._elements = (*found, *_rubrics_of(found))
        return self._elements

    def rubrics(self) -> Iterator[Scalar]:
        """Yield the texts in its lists of assertions, each of which is a rubric."""
        yield from _texts_of(self.elements())
        for listed in self._of_turns():
            yield from _texts_in(listed)

    def included(self) -> Iterator[Scalar]:
        """Yield the names of templates and files whose assertions it has."""
        yield from _included_by(self.elements())
        for listed in self._of_turns():
            yield from _included_in(listed)

    def _of_turns(self) -> Iterator[Node | None]:
        """Yield the lists of assertions of the turns of a conversation."""
        turns = self.node.get("turns") if self.node is not None else None
        for turn in turns.items if isinstance(turns, Listed) else ():
            if isinstance(turn, Mapping):
                yield turn.get("assert")


def _rubrics_of(elements: Sequence[Element]) -> Iterator[Element]:
    """Yield what models grade by: lists of rubrics, and their items."""
    for element in elements:
        if not isinstance(element, ParsedAssertion) or element.type is None:
            continue
        if element.type.text.removeprefix(NEGATION) in RUBRIC_TYPES:
            for written in (element.node.get("value"), element.node.get("criteria")):
                yield from rubrics_in(written, _SPELLING)
                if isinstance(written, Mapping):
                    yield ParsedRubric(written, 1, _SPELLING)
            if has_ranges(element.node):
                yield ParsedRubric(element.node, 1, _OF_ASSERTION)


def _texts_of(elements: Sequence[Element]) -> Iterator[Scalar]:
    """Yield the texts in the lists of assertions of tests, and in those of sets."""
    for element in elements:
        if isinstance(element, ParsedTestBody | ParsedAssertion):
            yield from _texts_in(element.node.get("assert"))


def _texts_in(listed: Node | None) -> Iterator[Scalar]:
    for item in listed.items if isinstance(listed, Listed) else ():
        if isinstance(item, Scalar) and isinstance(item.value, str):
            yield item


def _included_by(elements: Sequence[Element]) -> Iterator[Scalar]:
    for element in elements:
        if isinstance(element, ParsedTestBody | ParsedAssertion):
            yield from _included_in(element.node.get("assert"))


def _included_in(listed: Node | None) -> Iterator[Scalar]:
    for item in listed.items if isinstance(listed, Listed) else ():
        name = item.get("include") if isinstance(item, Mapping) and "type" not in item else None
        if isinstance(name, Scalar) and isinstance(name.value, str):
            yield name


class AgentvSuite(LinkedConfiguration):
    """A suite with the files that it names, for rules on what promptfoo does otherwise."""


class AgentvFile(PromptfooSuite):
    """A suite, or a list of tests that suites name."""

    def linked(self, folder: Folder) -> object | None:
        return AgentvSuite(self, folder) if self.kind == "configuration" else None


AGENTV = Reading(
    Vocabulary(SPELLINGS, "AgentV"),
    Suite,
    SuiteHead,
    ListedTest,
    types=AGENTV_TYPES,
    has_text_assertions=True,
    nests_sets=True,
    passes_without_weight=False,
    grades_by_criteria=True,
    variables_under="vars",
    # Graders are shown it.
    used_variables=frozenset({"expected_output"}),
    test_threshold_under=frozenset({"run", "execution"}),
    head_has_threshold=True,
    head_part=AgentvHead,
    test_part=AgentvTest,
)
