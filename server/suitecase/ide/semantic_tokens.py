"""What in a suite means something that a grammar of YAML cannot know.

Variables of prompts, placeholders of the environment, JSON in texts, and names that are defined in
one place and used in another. Variables that do not exist get no token, so that a misspelt one
looks like the plain text it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from suitecase.ide.comments import own_pieces
from suitecase.rules.composite_weights import averaged
from suitecase.suite.elements import ParsedEvaluator, ParsedRubric
from suitecase.suite.model import Case, SuiteHead
from suitecase.suite.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.suite.prompts import PROMPTS
from suitecase.suite.roles import RoleValue, values_in
from suitecase.suite.target_files import ParsedTargets
from suitecase.syntax.cache import Cache
from suitecase.syntax.embedded import Embedded
from suitecase.syntax.node import Node, Scalar, Sequence, Span
from suitecase_evaluators.field_role import FieldRole
from suitecase_evaluators.judge.template import (
    AGGREGATOR_VARIABLES,
    VARIABLES,
    find_variables,
)
from suitecase_evaluators.targets.config.placeholder import PLACEHOLDER
from suitecase_evaluators.targets.config.shell_text import TEMPLATE_NAME

_JSON = re.compile(
    r'(?P<string>"(?:[^"\\\r\n]|\\.)*")(?P<key>\s*:)?|(?P<number>-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)'
    r"|(?P<keyword>\b(?:true|false|null)\b)|(?P<operator>[{}\[\],:])"
)
_LINES = re.compile(r"[^\r\n]+")


class TokenType(StrEnum):
    """What a token is, by the names that editors have colours for."""

    VARIABLE = "parameter"
    PLACEHOLDER = "macro"
    RUBRIC = "enumMember"
    TARGET = "class"
    EVALUATOR = "function"
    PROPERTY = "property"
    STRING = "string"
    NUMBER = "number"
    KEYWORD = "keyword"
    OPERATOR = "operator"


class TokenModifier(StrEnum):
    """What else a token is."""

    DECLARATION = "declaration"
    DEPRECATED = "deprecated"


@dataclass(frozen=True, slots=True)
class Token:
    """A stretch of one line that means something."""

    span: Span
    type: TokenType
    modifier: TokenModifier | None = None

    def shifted(self, by: int) -> Token:
        """Return the token that many code points further on."""
        return Token(self.span.shifted(by), self.type, self.modifier)


def tokens(written: ParsedSuite | ParsedTargets, within: Span | None = None) -> list[Token]:
    """Return the tokens of a document in the order they stand, none over another.

    Args:
        within: only those that touch this stretch.
    """
    document = written.document
    found: list[Token] = []
    if isinstance(written, ParsedTargets):
        found += _in_targets(written)
    else:
        if written.kind != "dataset":
            for it in _of_part(written.head):
                found.append(Token(document.head.absolute(it.span), it.type, it.modifier))
        numbers = range(len(written.cases))
        if within is not None and document.segmented:
            numbers = document.cases.touching(within)
        for number in numbers:
            case, start = written.cases[number], document.cases[number].start
            found += (it.shifted(start) for it in _of_part(case))
    return _in_order(found, document.text, within)


def prompt_tokens(text: str, *, aggregates: bool = False) -> list[Token]:
    """Return the tokens of a prompt that stands in a file of its own."""
    known = {**VARIABLES, **(AGGREGATOR_VARIABLES if aggregates else {})}
    return [
        Token(Span(it.start, it.end), TokenType.VARIABLE, _older(it.is_older))
        for it in find_variables(text)
        if it.name in known
    ]


def _older(is_older: bool) -> TokenModifier | None:
    return TokenModifier.DEPRECATED if is_older else None


def _in_order(found: list[Token], text: str, within: Span | None) -> list[Token]:
    """Return tokens sorted, none over another, each on one line."""
    kept: list[Token] = []
    end = -1
    for token in sorted(found, key=lambda it: it.span):
        span = token.span
        if within is not None and (span.end < within.start or within.end < span.start):
            continue
        if span.start < end or span.start >= span.end:
            continue
        end = span.end
        if "\n" not in text[span.start : span.end] and "\r" not in text[span.start : span.end]:
            kept.append(token)
            continue
        for line in _LINES.finditer(text, span.start, span.end):
            blank = len(line.group()) - len(line.group().lstrip())
            if line.start() + blank < line.end():
                part = Span(line.start() + blank, line.end())
                kept.append(Token(part, token.type, token.modifier))
    return kept


def _of_part(part: ParsedHead | ParsedCase) -> list[Token]:
    """Return the tokens of the head or of a case; kept with its text."""
    return _TOKENS.of(part.content, lambda: [*_in_part(part)])


_TOKENS: Cache[list[Token]] = Cache()


def _in_part(part: ParsedHead | ParsedCase) -> Iterator[Token]:
    if part.node is None:
        return
    source = part.source
    model = Case if isinstance(part, ParsedCase) else SuiteHead
    yield from _with_roles(values_in(model, part.node, *_ROLES), source)
    for element in part.elements():
        if isinstance(element, ParsedRubric):
            own = element.node.get("id")
            yield from _name(own, source, TokenType.RUBRIC, TokenModifier.DECLARATION)
        elif isinstance(element, ParsedEvaluator):
            yield from _in_evaluator(element, source)


def _in_evaluator(evaluator: ParsedEvaluator, source: str) -> Iterator[Token]:
    yield from _with_roles(evaluator.values(*_ROLES), source)
    members, weights = averaged(evaluator)
    names = {it.name.text for it in members if it.name is not None}
    for name, entry in weights or ():
        if name in names and not entry.merged:
            yield from _name(entry.key, source, TokenType.EVALUATOR)


#: What has tokens of its own.
_ROLES = (*PROMPTS, FieldRole.TARGET, FieldRole.SCHEMA)


def _with_roles(values: Iterable[RoleValue], source: str) -> Iterator[Token]:
    for it in values:
        match it.role:
            case FieldRole.TARGET:
                yield from _name(it.node, source, TokenType.TARGET)
            case FieldRole.SCHEMA:
                yield from _json(it.node, source)
            case _:
                aggregates = it.role is FieldRole.AGGREGATION_PROMPT
                yield from _prompt(it.node, source, aggregates=aggregates)


def _name(
    node: Node | None, source: str, kind: TokenType, modifier: TokenModifier | None = None
) -> Iterator[Token]:
    """Yield a name that was written where it stands: no alias, and nothing that follows from else."""
    if isinstance(node, Scalar) and node.text.strip() and node.text in _shown(node, source):
        yield Token(node.span, kind, modifier)


def _shown(node: Scalar, source: str) -> str:
    return source[node.start : node.end]


def _prompt(node: Node | None, source: str, *, aggregates: bool = False) -> Iterator[Token]:
    if not isinstance(node, Scalar) or "{" not in node.text or _is_alias(node, source):
        return
    embedded = Embedded(node, source)
    for it in prompt_tokens(node.text, aggregates=aggregates):
        yield Token(embedded.span(*it.span), it.type, it.modifier)


def _json(node: Node | None, source: str) -> Iterator[Token]:
    """Yield the parts of a JSON text; of a schema written as YAML there are none."""
    if not isinstance(node, Scalar) or not node.text.lstrip().startswith(("{", "[")):
        return
    if _is_alias(node, source):
        return
    embedded = Embedded(node, source)
    for it in _JSON.finditer(node.text):
        if it["string"] is not None:
            kind = TokenType.STRING if it["key"] is None else TokenType.PROPERTY
            span = embedded.span(*it.span("string"))
            # Its last quote is two characters where the text is itself in double quotes.
            ends_escaped = source.startswith("\\", span.end - 1)
            yield Token(Span(span.start, span.end + ends_escaped), kind)
            if it["key"] is not None:
                yield Token(embedded.span(it.end() - 1, it.end()), TokenType.OPERATOR)
        else:
            kind = TokenType[(it.lastgroup or "").upper()]
            yield Token(embedded.span(*it.span()), kind)


def _is_alias(node: Scalar, source: str) -> bool:
    return source.startswith("*", node.start)


def _in_targets(targets: ParsedTargets) -> Iterator[Token]:
    source = targets.source
    for target in targets.items:
        name = target.node.get("name")
        yield from _name(name, source, TokenType.TARGET, TokenModifier.DECLARATION)
        if target.judge_target is not None and "${{" not in target.judge_target.text:
            yield from _name(target.judge_target, source, TokenType.TARGET)
    root = own_pieces(targets.document)[0].node
    for scalar in _values(root):
        if "{" not in scalar.text or _is_alias(scalar, source):
            continue
        embedded = Embedded(scalar, source)
        for it in PLACEHOLDER.finditer(scalar.text):
            yield Token(embedded.span(*it.span()), TokenType.PLACEHOLDER)
        for it in TEMPLATE_NAME.finditer(scalar.text):
            yield Token(embedded.span(*it.span()), TokenType.VARIABLE)


def _values(node: Node | None) -> Iterator[Scalar]:
    left: list[Node] = [node] if node is not None else []
    while left:
        it = left.pop()
        if isinstance(it, Scalar):
            yield it
        elif isinstance(it, Sequence):
            left += it.items
        else:
            left += [entry.value for _, entry in it if not entry.merged]
