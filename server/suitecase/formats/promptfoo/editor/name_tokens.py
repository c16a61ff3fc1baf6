"""Semantic tokens of names: providers, labels of prompts, metrics, and the types of assertions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from suitecase.editor.index.occurrence import FIXED, Occurrence
from suitecase.editor.semantic_tokens import Token, TokenModifier, TokenType
from suitecase.formats.promptfoo.editor.names_by_role import (
    finder,
    names_in_head,
    texts_of_head,
    texts_of_test,
)
from suitecase.formats.promptfoo.suite.parsed import PromptfooFile, Reading
from suitecase.schema.key_roles import Kind
from suitecase.schema.key_texts import KeyText
from suitecase.text.cache import Cache
from suitecase.text.document import Content
from suitecase.text.node import Copied, Span
from suitecase_evaluators.schema.field_role import FieldRole

_TYPES = {
    Kind.PROVIDER: TokenType.TARGET,
    Kind.PROMPT_LABEL: TokenType.RUBRIC,
    Kind.SCORE_NAME: TokenType.FIGURE,
}


def name_tokens(file: PromptfooFile, within: Span | None) -> Iterator[Token]:
    """Yield the tokens of names in a configuration or a list of tests.

    Args:
        file: the file.
        within: only tests that touch this span are looked at.
    """
    document = file.document
    if file.kind == "configuration":
        yield from _of_names(names_in_head(file).occurrences)
        for token in _of_types(texts_of_head(file), file.reading):
            yield Token(document.head.absolute(token.span), token.type)
    numbers = range(len(document.cases))
    if within is not None and document.segmented:
        numbers = document.cases.touching(within)
    find = _finder(file.reading)
    for number in numbers:
        piece = document.cases[number]
        yield from (token.shifted(piece.start) for token in find(piece.content))


@cache
def _finder(reading: Reading) -> Callable[[Content], list[Token]]:
    """Return what finds the tokens in a test; they are kept with its text."""
    kept: Cache[list[Token]] = Cache()
    names_of = finder(reading)

    def find(content: Content) -> list[Token]:
        of_types = _of_types(texts_of_test(content, reading), reading)
        return [*_of_names(names_of(content).occurrences), *of_types]

    return lambda content: kept.of(content, find, content)


def _of_names(names: tuple[Occurrence, ...]) -> Iterator[Token]:
    for name in names:
        kind = _TYPES.get(name.kind)
        # What is filled in, or names a file, has tokens or a link of its own.
        is_name = "{{" not in name.name and "://" not in name.name
        is_text = name.kind is Kind.PROMPT_LABEL and name.scope == FIXED
        if kind is not None and is_name and not is_text and name.alias is None:
            defines = name.defines and name.kind is not Kind.SCORE_NAME
            yield Token(name.span, kind, TokenModifier.DECLARATION if defines else None)


def _of_types(texts: list[KeyText], reading: Reading) -> Iterator[Token]:
    for text in texts:
        is_type = FieldRole.GRADER_TYPE in text.roles and not isinstance(text.node, Copied)
        if is_type and reading.assertion_type(text.node.text) is not None:
            yield Token(text.node.span, TokenType.EVALUATOR)
