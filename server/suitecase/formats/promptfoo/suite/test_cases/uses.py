"""What a test has and uses of variables: what can be said from its text alone, so that it is kept with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

from suitecase.formats.promptfoo.suite.parsed import READING, Reading, assertions_in
from suitecase.formats.promptfoo.suite.providers.providers import id_of
from suitecase.formats.promptfoo.suite.references.file_references import file_reference
from suitecase.formats.promptfoo.suite.test_cases.facts import ListVariable, Place, TestFacts
from suitecase.formats.promptfoo.suite.test_cases.files import variables_of
from suitecase.formats.promptfoo.templates.template import is_template, read_template
from suitecase.formats.promptfoo.templates.uses import Template, Use
from suitecase.text.cache import Cache
from suitecase.text.document import Content
from suitecase.text.embedded import embedded
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span
from suitecase_evaluators.promptfoo.assertion_type import NEGATION
from suitecase_evaluators.promptfoo.assertion_types import (
    ASSERTION_TYPES,
    assertion_type,
    is_red_team_type,
)
from suitecase_evaluators.system.path_kinds import FILE_SCHEME

#: Keys whose text is code, which is given the variables.
_CODE_WORDS = """
    transform transformVars contextTransform postprocess assertScoringFunction transformResponse
    context_transform transform_vars assert_scoring_function transform_response
"""
_CODE_KEYS = frozenset(_CODE_WORDS.split())
#: What a text in a list of assertions is the value of.
_RUBRIC = "llm-rubric"
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
#: Code that looks at the variables as a whole, or at one whose name is computed.
_ALL_VARIABLES = re.compile(
    r"\bvars\b(?!\s*(?:\?\.|\.|\[\s*[\"'`]|\.get\())|\bvars\s*\[\s*[^\s\"'`]"
)


@dataclass(frozen=True, slots=True)
class AssertedUse:
    """A variable that the value of an assertion is filled with, and the type of the assertion."""

    use: Use
    scalar: Scalar
    type: str

    def span(self, source: str) -> Span:
        """Return the place of the name in the text of the test."""
        return embedded(self.scalar, source).span(self.use.start, self.use.end)


@dataclass(frozen=True, slots=True)
class FilledText:
    """A text of a test that nunjucks fills, and what it makes of it."""

    scalar: Scalar
    template: Template

    def span(self, source: str, start: int, end: int) -> Span:
        """Return the place of a stretch of it in the text of the test."""
        return embedded(self.scalar, source).span(start, end)


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """What many tests have in common: the names of their variables, and what they use of any.

    Tests of one shape have the same object, so that tests are counted by shape while one is edited.

    Attributes:
        names: the variables that they give.
        used: names in their templates and in their code.
        in_texts: names in the values of their variables.
        provider: the id of what answers them instead of the providers; None if nothing does.
    """

    names: frozenset[str]
    used: frozenset[str]
    in_texts: frozenset[str]
    is_open: bool
    sees_all: bool
    stored: str | None
    provider: str | None
    is_answered: bool
    has_filters: bool


_shape = lru_cache(maxsize=4096)(Shape)


@dataclass(frozen=True, slots=True)
class TestUses:
    """The variables of a test, or of `defaultTest`, and what in it uses any.

    Attributes:
        variables: the variables that it gives, with the places of their names.
        is_open: a script or another file gives it more.
        used: names in its templates and in its code.
        sees_all: something in it is given all variables, and may use any.
        stored: the variable that its answer is stored as, for the tests after it.
        provider: what answers it instead of the providers; None if nothing does.
        is_answered: its answer is written in it, so that no provider sees the prompt.
        has_filters: it says which prompts or providers it is for.
        asserted: the variables in the values of its assertions, those in code left out.
        values: the values of its assertions that are templates.
        value_files: the files that its assertions compare with, scripts left out.
        texts: the values of its variables that are templates.
        lists: the variables whose lists make rows.
        keeps_lists: whether its lists, and those of `defaultTest`, stay lists.
        shape: what it has in common with others.
    """

    variables: dict[str, Span]
    is_open: bool = False
    used: frozenset[str] = frozenset()
    sees_all: bool = False
    stored: str | None = None
    provider: Node | None = None
    is_answered: bool = False
    has_filters: bool = False
    asserted: tuple[AssertedUse, ...] = ()
    values: tuple[FilledText, ...] = ()
    value_files: tuple[Scalar, ...] = ()
    texts: tuple[FilledText, ...] = ()
    lists: tuple[ListVariable, ...] = ()
    keeps_lists: bool = False
    shape: Shape = field(init=False)

    def __post_init__(self) -> None:
        named = id_of(self.provider) if self.provider is not None else None
        provider = named[0].text if named is not None else ""
        shape = _shape(
            frozenset(self.variables),
            self.used,
            frozenset(use.name for text in self.texts for use in text.template.uses),
            self.is_open,
            self.sees_all,
            self.stored,
            provider if self.provider is not None else None,
            self.is_answered,
            self.has_filters,
        )
        object.__setattr__(self, "shape", shape)


_USES: Cache[TestUses] = Cache()


def uses_of(content: Content, reading: Reading = READING) -> TestUses:
    """Return the variables of a test and what it uses; kept with its text."""
    return _USES.of(content, _uses_of_content, content, reading)


def _uses_of_content(content: Content, reading: Reading) -> TestUses:
    variables, is_open = variables_of(content)
    if not isinstance(content.node, Mapping):
        return TestUses(variables, is_open)
    return uses_in(content.node, variables, reading, is_open=is_open)


def variable_uses(text: str, reading: Reading) -> Iterator[Use]:
    """Yield the uses of variables in a template; of `vars.name`, where that is `name`, of this."""
    for use in read_template(text).uses:
        if use.name != reading.variables_under:
            yield use
        elif use.members:
            start = use.end + 1
            name, *members = use.members
            yield replace(
                use, name=name, members=tuple(members), start=start, end=start + len(name)
            )


def uses_in(
    node: Mapping, variables: dict[str, Span], reading: Reading = READING, *, is_open: bool
) -> TestUses:
    """Return what a test, or `defaultTest`, uses."""
    found = NamesInTree(reading)
    for name, (_, value, _) in node:
        if name not in ("description", "provider_output", "providerOutput"):
            found.look(value, name)
    facts = TestFacts(node)
    options = node.get("options")
    stored: Node | None = None
    if isinstance(options, Mapping):
        stored = options.get("storeOutputAs") or options.get("store_output_as")
    return TestUses(
        variables,
        is_open or "$ref" in node or "$ref" in variables,
        frozenset(found.names),
        found.sees_all,
        stored.text if isinstance(stored, Scalar) else None,
        node.get("provider"),
        "providerOutput" in node or "provider_output" in node,
        any(it in node for it in ("prompts", "providers")),
        tuple(_asserted(node.get("assert"), reading)),
        tuple(_filled_values(node.get("assert"))),
        tuple(
            file.scalar
            for file in facts.files
            if file.place is Place.ASSERTION
            and not file.reference.is_script
            and not file.reference.is_template
        ),
        tuple(_filled_texts(node.get("vars"))),
        facts.lists,
        facts.keeps_lists,
    )


def _texts_in_list(asserted: Node | None) -> Iterator[Scalar]:
    """Yield the texts of a list of assertions, which are rubrics where they do not name files."""
    for item in asserted.items if isinstance(asserted, Sequence) else ():
        if isinstance(item, Scalar) and isinstance(item.value, str):
            yield item


def _filled_values(asserted: Node | None) -> Iterator[FilledText]:
    for text in _texts_in_list(asserted):
        yield from _filled(text)
    for assertion in assertions_in(asserted, READING):
        kind, value = assertion.type, assertion.node.get("value")
        if value is not None and kind is not None and not is_red_team_type(kind.text):
            yield from _filled(value)


def _filled_texts(given: Node | None) -> Iterator[FilledText]:
    if isinstance(given, Mapping):
        for _, (_, value, _) in given:
            yield from _filled(value)


def _filled(value: Node) -> Iterator[FilledText]:
    """Yield a text, or those of a list, if nunjucks does anything with it."""
    for item in value.items if isinstance(value, Sequence) else (value,):
        if not isinstance(item, Scalar) or not isinstance(item.value, str):
            continue
        if is_template(item.text) and not item.text.startswith((FILE_SCHEME, "package:")):
            yield FilledText(item, read_template(item.text))


def _asserted(asserted: Node | None, reading: Reading) -> Iterator[AssertedUse]:
    for text in _texts_in_list(asserted):
        if "{" in text.text and not text.text.startswith(FILE_SCHEME):
            for use in variable_uses(text.text, reading):
                yield AssertedUse(use, text, _RUBRIC)
    for assertion in assertions_in(asserted, READING):
        kind, value = assertion.type, assertion.node.get("value")
        name = kind.text.removeprefix(NEGATION) if kind is not None else ""
        known = ASSERTION_TYPES.get(name)
        if value is None or isinstance(value, Mapping) or (known is not None and known.is_code):
            continue
        for item in value.items if isinstance(value, Sequence) else (value,):
            if not isinstance(item, Scalar) or not isinstance(item.value, str):
                continue
            if "{" in item.text and not item.text.startswith(FILE_SCHEME):
                for use in variable_uses(item.text, reading):
                    yield AssertedUse(use, item, name)


class NamesInTree:
    """Collects the names that templates and code in a tree use."""

    def __init__(self, reading: Reading = READING) -> None:
        self._reading = reading
        self.names: set[str] = set()
        self.sees_all = False

    def look(self, node: Node, key: str) -> None:
        """Look at a value that stands under a key."""
        if isinstance(node, Scalar):
            if isinstance(node.value, str):
                self._text(node.text, is_code=key in _CODE_KEYS)
        elif isinstance(node, Sequence):
            for item in node.items:
                self.look(item, key)
        else:
            written = node.get("type")
            known = assertion_type(written.text) if isinstance(written, Scalar) else None
            if known is not None:
                self.sees_all |= known[0].sends_variables
                self.names.update(known[0].reads)
            for entry_key, (_, value, _) in node:
                is_code = entry_key == "value" and known is not None and known[0].is_code
                self.look(value, "transform" if is_code else entry_key)

    def _text(self, text: str, *, is_code: bool) -> None:
        if text.startswith(FILE_SCHEME):
            reference = file_reference(text)
            self.sees_all |= reference is None or reference.is_script or reference.is_template
        elif text.startswith("package:"):
            self.sees_all = True
        if is_code:
            self.names.update(_WORD.findall(text))
            self.sees_all |= _ALL_VARIABLES.search(text) is not None
        template = read_template(text)
        if template.uses:
            self.names.update(
                variable_use.name for variable_use in variable_uses(text, self._reading)
            )
        self.sees_all |= template.includes


def texts_in(node: Node) -> Iterator[Scalar]:
    """Yield the texts among the values of a tree, in its order."""
    if isinstance(node, Scalar):
        if isinstance(node.value, str):
            yield node
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from texts_in(item)
    else:
        for _, (_, value, _) in node:
            yield from texts_in(value)
