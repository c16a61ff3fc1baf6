"""Semantic tokens of names: providers, labels of prompts, metrics, and the types of assertions."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.editor.index.occurrence import FIXED, Kind, Occurrence
from suitecase.editor.semantic_tokens import Token, TokenModifier, TokenType
from suitecase.formats.promptfoo.editor.names_in_head import names_in_head
from suitecase.formats.promptfoo.editor.names_in_tests import names_in_test
from suitecase.formats.promptfoo.suite.parsed import (
    ParsedAssertion,
    PromptfooFile,
    PromptfooHead,
    PromptfooTest,
)
from suitecase.text.cache import Cache
from suitecase.text.node import Copied, Span

_TYPES = {
    Kind.PROVIDER: TokenType.TARGET,
    Kind.PROMPT_LABEL: TokenType.RUBRIC,
    Kind.SCORE_NAME: TokenType.FIGURE,
}
_TOKENS: Cache[list[Token]] = Cache()


def name_tokens(file: PromptfooFile, within: Span | None) -> Iterator[Token]:
    """Yield the tokens of names in a configuration or a list of tests.

    Args:
        file: the file.
        within: only tests that touch this span are looked at.
    """
    document = file.document
    if file.kind == "configuration":
        yield from _of_names(names_in_head(file))
        for token in _of_types(file.head):
            yield Token(document.head.absolute(token.span), token.type)
    numbers = range(len(file.tests))
    if within is not None and document.segmented:
        numbers = document.cases.touching(within)
    for number in numbers:
        test, start = file.tests[number], document.cases[number].start
        found = _TOKENS.of(test.content, _in_test, test)
        yield from (it.shifted(start) for it in found)


def _in_test(test: PromptfooTest) -> list[Token]:
    return [*_of_names(names_in_test(test.content)), *_of_types(test)]


def _of_names(names: tuple[Occurrence, ...]) -> Iterator[Token]:
    for it in names:
        kind = _TYPES.get(it.kind)
        # What is filled in, or names a file, has tokens or a link of its own.
        is_name = "{{" not in it.name and "://" not in it.name
        is_text = it.kind is Kind.PROMPT_LABEL and it.scope == FIXED
        if kind is not None and is_name and not is_text and it.alias is None:
            defines = it.defines and it.kind is not Kind.SCORE_NAME
            yield Token(it.span, kind, TokenModifier.DECLARATION if defines else None)


def _of_types(part: PromptfooHead | PromptfooTest) -> Iterator[Token]:
    for element in part.elements():
        if isinstance(element, ParsedAssertion):
            kind = element.type
            if (
                kind is not None
                and not isinstance(kind, Copied)
                and part.reading.assertion_type(kind.text)
            ):
                yield Token(kind.span, TokenType.EVALUATOR)
