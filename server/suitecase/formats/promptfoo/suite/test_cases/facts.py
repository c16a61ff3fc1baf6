"""What is known of a test from its own text: the files it names, the rows its lists make, its twin.

It depends on the text of the test alone, so that it is kept with it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from suitecase.formats.promptfoo.suite.references.file_references import (
    FileReference,
    file_reference,
)
from suitecase.text.node import Mapping, Node, Scalar, Sequence, plain
from suitecase_evaluators.system.path_kinds import FILE_SCHEME


class Place(Enum):
    """Which part of a test names a file."""

    #: `vars: path`, which has all variables.
    VARIABLES = "variables"
    #: The value of a variable: a file or a pattern.
    VARIABLE = "variable"
    #: An item of a variable's list.
    LISTED = "listed"
    ASSERTION = "assertion"
    #: The prompt of a judge.
    RUBRIC = "rubric"
    #: Code that changes an answer or the variables, or that makes a score of many.
    TRANSFORM = "transform"
    SCORING = "scoring"


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A path in a test; `about` names the key it stands under."""

    scalar: Scalar
    reference: FileReference
    place: Place
    about: str


@dataclass(frozen=True, slots=True)
class ListVariable:
    """A variable with a list of texts: promptfoo makes a row of each item."""

    key: Scalar
    items: int


@dataclass(frozen=True)
class TestFacts:
    """What is known of a test, or of `defaultTest`, from its text."""

    node: Mapping

    @cached_property
    def files(self) -> tuple[NamedFile, ...]:
        return tuple(_files(self.node))

    @cached_property
    def file_keys(self) -> frozenset[str]:
        """What tells the named files, with the places that name them, apart."""
        return frozenset(f"{file.place.value} {file.scalar.text}" for file in self.files)

    @cached_property
    def lists(self) -> tuple[ListVariable, ...]:
        """The lists that make rows, unless the test says that they do not."""
        given = self.node.get("vars")
        if not isinstance(given, Mapping) or self.keeps_lists:
            return ()
        return tuple(
            ListVariable(entry.key, len(entry.value.items))
            for _, entry in given
            if isinstance(entry.value, Sequence) and _makes_rows(entry.value)
        )

    @cached_property
    def keeps_lists(self) -> bool:
        """Whether lists stay lists."""
        options = self.node.get("options")
        flag = options.get("disableVarExpansion") if isinstance(options, Mapping) else None
        return isinstance(flag, Scalar) and flag.value is True

    @cached_property
    def description(self) -> Scalar | None:
        found = self.node.get("description")
        is_text = isinstance(found, Scalar) and bool(found.text.strip())
        return found if is_text and isinstance(found, Scalar) else None

    @cached_property
    def content(self) -> str:
        """The same text for tests that are alike in all but what people call them."""
        names = {"description", "metadata"}
        value = {name: plain(it.value) for name, it in self.node if name not in names}
        return json.dumps(value, sort_keys=True, default=str)


def _makes_rows(value: Sequence) -> bool:
    """Whether a list has a text first, which is what promptfoo looks at."""
    first = value.items[0] if value.items else None
    return isinstance(first, Scalar) and isinstance(first.value, str)


def _files(test: Mapping) -> Iterator[NamedFile]:
    given = test.get("vars")
    if isinstance(given, Mapping):
        yield from _variable_files(given)
    else:
        for item in given.items if isinstance(given, Sequence) else (given,):
            if isinstance(item, Scalar) and isinstance(item.value, str) and item.text.strip():
                # promptfoo does not remove `file://` here.
                path = item.text.replace("\\", "/")
                yield NamedFile(item, FileReference(path), Place.VARIABLES, "vars")
    yield from _assertion_files(test.get("assert"))
    options = test.get("options")
    if isinstance(options, Mapping):
        for name in ("transform", "transformVars", "transform_vars", "postprocess"):
            yield from _named(options.get(name), Place.TRANSFORM, name)
        yield from _rubric(options)
    for name in ("assertScoringFunction", "assert_scoring_function"):
        yield from _named(test.get(name), Place.SCORING, name)


def _variable_files(given: Mapping) -> Iterator[NamedFile]:
    for name, (_, value, _) in given:
        if isinstance(value, Sequence) and _makes_rows(value):
            for item in value.items:
                yield from _named(item, Place.LISTED, name)
        else:
            yield from _named(value, Place.VARIABLE, name)


def _assertion_files(asserted: Node | None, *, in_set: bool = False) -> Iterator[NamedFile]:
    for item in asserted.items if isinstance(asserted, Sequence) else ():
        if not isinstance(item, Mapping):
            continue
        value = item.get("value")
        for text in value.items if isinstance(value, Sequence) else (value,):
            yield from _named(text, Place.ASSERTION, "value")
        yield from _rubric(item)
        for name in ("transform", "contextTransform", "context_transform"):
            yield from _named(item.get(name), Place.TRANSFORM, name)
        if not in_set:
            yield from _assertion_files(item.get("assert"), in_set=True)


def _rubric(holder: Mapping) -> Iterator[NamedFile]:
    """Yield the file of the prompt of a judge; promptfoo has no `prompt` there, which AgentV has, too."""
    for name in ("rubricPrompt", "rubric_prompt", "prompt"):
        yield from _named(holder.get(name), Place.RUBRIC, name)


def _named(node: Node | None, place: Place, about: str) -> Iterator[NamedFile]:
    if isinstance(node, Scalar) and node.text.startswith(FILE_SCHEME):
        reference = file_reference(node.text)
        if reference is not None and isinstance(node.value, str):
            yield NamedFile(node, reference, place, about)
