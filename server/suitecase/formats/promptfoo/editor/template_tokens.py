"""Semantic tokens of templates: variables, filters and words of nunjucks in the texts of a configuration.

A variable that no test has gets no token, so that a misspelt one looks like plain text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from suitecase.editor.semantic_tokens import Token, TokenType
from suitecase.format.dialect import DialectFile
from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.editor.names_by_role import texts_of_head, texts_of_test
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.parsed import PromptfooFile, Reading
from suitecase.formats.promptfoo.suite.variables import BUILT_IN, variables
from suitecase.formats.promptfoo.templates.names import FILTERS, TESTS
from suitecase.formats.promptfoo.templates.template import is_template, read_template
from suitecase.schema.key_texts import KeyText
from suitecase.text.cache import Cache
from suitecase.text.document import Content
from suitecase.text.embedded import embedded
from suitecase.text.node import Span
from suitecase_evaluators.system.path_kinds import FILE_SCHEME


class _Part(NamedTuple):
    """A part of a template: a word, a filter, or a variable with its name."""

    span: Span
    type: TokenType
    variable: str | None = None


def tokens_in(file: PromptfooFile, folder: Folder, within: Span | None) -> list[Token]:
    """Return the tokens of templates in a configuration or a list of tests.

    Args:
        file: the file.
        folder: its folder.
        within: only tests that touch this span are looked at.
    """
    names = _known(file.linked(folder))
    document, find = file.document, _finder(file.reading)
    head = document.head
    in_head = _TOKENS_IN_HEAD.of(
        file.head.content, lambda: [*_find_parts(texts_of_head(file), file.head.source)]
    )
    found = list(_of(head.start, in_head, names))
    numbers: Iterable[int] = range(len(document.cases))
    if within is not None and document.segmented:
        numbers = document.cases.touching(within)
    for number in numbers:
        piece = document.cases[number]
        found += _of(piece.start, find(piece.content), names)
    return found


def tokens_of_prompt(
    file: DialectFile, folder: Folder, paths: Collection[Path], text: str
) -> list[Token]:
    """Return the tokens of a file if it is one with prompts of a configuration."""
    linked = file.linked(folder)
    if not isinstance(linked, LinkedConfiguration):
        return []
    if not any(prompt.path in paths and prompt.text is not None for prompt in linked.prompts):
        return []
    parts = (_Part(Span(start, end), kind, name) for start, end, kind, name in _in_template(text))
    return list(_of(0, parts, _known(linked)))


def _known(linked: object | None) -> frozenset[str] | None:
    """Return the variables that have a value; None if any name may have one."""
    if not isinstance(linked, LinkedConfiguration):
        return None
    known = variables(linked)
    any_open = known.is_open or any(shape.is_open for shape in known.shapes)
    return None if any_open else known.names | known.given


def _of(start: int, parts: Iterable[_Part], names: frozenset[str] | None) -> Iterator[Token]:
    for part in parts:
        if part.variable is None or names is None or part.variable in names | BUILT_IN:
            yield Token(part.span.shifted(start), part.type)


_TOKENS_IN_HEAD: Cache[list[_Part]] = Cache()


@cache
def _finder(reading: Reading) -> Callable[[Content], list[_Part]]:
    """Return what finds the parts of the templates in a test; they are kept with its text."""
    kept: Cache[list[_Part]] = Cache()

    def find(content: Content) -> list[_Part]:
        return [*_find_parts(texts_of_test(content, reading), content.text)]

    return lambda content: kept.of(content, find, content)


def _find_parts(texts: list[KeyText], source: str) -> Iterator[_Part]:
    for text in texts:
        node = text.node
        if text.is_merged or not isinstance(node.value, str) or not is_template(node.text):
            continue
        if source.startswith("*", node.start):
            continue
        place = embedded(node, source)
        for start, end, kind, name in _in_template(node.text):
            if text.is_filled or name is None:
                yield _Part(place.span(start, end), kind, name)


def _in_template(text: str) -> Iterator[tuple[int, int, TokenType, str | None]]:
    template = read_template(text)
    for use in template.uses:
        if use.is_environment:
            path = ".".join((use.name, *use.members))
            end = use.start + len(path) if text.startswith(path, use.start) else use.end
            yield use.start, end, TokenType.PLACEHOLDER, None
        elif not text.startswith(FILE_SCHEME):
            yield use.start, use.end, TokenType.VARIABLE, use.name
    for names, known in ((template.filters, FILTERS), (template.tests, TESTS)):
        for name in names:
            if name.name in known:
                yield name.start, name.end, TokenType.EVALUATOR, None
    for word in template.keywords:
        yield word.start, word.end, TokenType.KEYWORD, None
