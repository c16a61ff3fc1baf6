"""Semantic tokens: meaning that a YAML grammar cannot know.

Variables of prompts, placeholders of the environment, JSON in strings, and names that are defined
in one place and used in another. Unknown variables get no token, so that a misspelt one looks like
plain text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from suitecase.checking.rules.composite_weights import averaged
from suitecase.editor.comments import own_pieces
from suitecase.editor.formula_parts import FormulaPartKind, formula_parts
from suitecase.format.target_files import ParsedTargets
from suitecase.formats.suitecase.elements import ParsedEvaluator, ParsedRubric
from suitecase.formats.suitecase.model import Case, SuiteHead
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.formats.suitecase.prompts import PROMPTS
from suitecase.schema.role_texts import role_texts
from suitecase.schema.roles import RoleValue, values_in
from suitecase.text.cache import Cache
from suitecase.text.embedded import Embedded, embedded
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span
from suitecase_evaluators.grade.judge.template import find_variables, variables_of
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.targets.config.shell_text import TEMPLATE_NAME
from suitecase_evaluators.targets.variable_names import PLACEHOLDER

_JSON = re.compile(
    r'(?P<string>"(?:[^"\\\r\n]|\\.)*")(?P<key>\s*:)?|(?P<number>-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)'
    r"|(?P<keyword>\b(?:true|false|null)\b)|(?P<operator>[{}\[\],:])"
)
_LINES = re.compile(r"[^\r\n]+")


class TokenType(StrEnum):
    """The type of a token, by the names editors have colors for."""

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
    FIGURE = "variable"
    SLICE = "type"


class TokenModifier(StrEnum):
    """Modifiers of a token."""

    DECLARATION = "declaration"
    DEPRECATED = "deprecated"


@dataclass(frozen=True, slots=True)
class Token:
    """A token within one line."""

    span: Span
    type: TokenType
    modifier: TokenModifier | None = None

    def shifted(self, by: int) -> Token:
        """Return the token, moved by a number of code points."""
        return Token(self.span.shifted(by), self.type, self.modifier)


def tokens(parsed: ParsedSuite | ParsedTargets, within: Span | None = None) -> list[Token]:
    """Return the tokens of a document in order, without overlap.

    Args:
        within: only tokens that touch this span.
    """
    document = parsed.document
    result: list[Token] = []
    if isinstance(parsed, ParsedTargets):
        result += _in_targets(parsed)
    else:
        result += tokens_of_head(parsed)
        numbers = range(len(parsed.cases))
        if within is not None and document.segmented:
            numbers = document.cases.touching(within)
        for number in numbers:
            case, start = parsed.cases[number], document.cases[number].start
            result += (it.shifted(start) for it in _of_part(case))
    return in_order(result, document.text, within)


def tokens_of_head(parsed: ParsedSuite) -> list[Token]:
    """Return the tokens of everything but the cases, in no order."""
    if parsed.kind == "dataset":
        return []  # its head is another file
    absolute = parsed.document.head.absolute
    return [Token(absolute(it.span), it.type, it.modifier) for it in _of_part(parsed.head)]


def tokens_of_case(case: ParsedCase) -> list[Token]:
    """Return the tokens of a case in order, without overlap, with places in its text."""
    return in_order(_of_part(case), case.source, None)


def prompt_tokens(text: str, role: FieldRole = FieldRole.PROMPT) -> list[Token]:
    """Return the tokens of a prompt file."""
    known_names = variables_of(role)
    return [
        Token(Span(variable.start, variable.end), TokenType.VARIABLE, _older(variable.is_older))
        for variable in find_variables(text)
        if variable.name in known_names
    ]


def _older(is_older: bool) -> TokenModifier | None:
    return TokenModifier.DEPRECATED if is_older else None


def in_order(unordered: list[Token], text: str, within: Span | None) -> list[Token]:
    """Return tokens sorted, without overlap, each within one line."""
    ordered: list[Token] = []
    end = -1
    for token in sorted(unordered, key=lambda it: it.span):
        span = token.span
        if within is not None and (span.end < within.start or within.end < span.start):
            continue
        if span.start < end or span.start >= span.end:
            continue
        end = span.end
        if "\n" not in text[span.start : span.end] and "\r" not in text[span.start : span.end]:
            ordered.append(token)
            continue
        for line in _LINES.finditer(text, span.start, span.end):
            blank = len(line.group()) - len(line.group().lstrip())
            if line.start() + blank < line.end():
                part = Span(line.start() + blank, line.end())
                ordered.append(Token(part, token.type, token.modifier))
    return ordered


def _of_part(part: ParsedHead | ParsedCase) -> list[Token]:
    """Return the tokens of the head or of a case; cached by its text."""
    return _TOKENS.of(part.content, lambda: [*_in_part(part)])


_TOKENS: Cache[list[Token]] = Cache()


def _in_part(part: ParsedHead | ParsedCase) -> Iterator[Token]:
    if part.node is None:
        return
    source = part.source
    model = Case if isinstance(part, ParsedCase) else SuiteHead
    yield from _with_roles(values_in(model, part.node, *_ROLES), source)
    if isinstance(part, ParsedHead):
        yield from _in_gates(part.node, source)
    for element in part.elements():
        if isinstance(element, ParsedRubric):
            own = element.node.get("id")
            yield from _name(own, source, TokenType.RUBRIC, TokenModifier.DECLARATION)
        elif isinstance(element, ParsedEvaluator):
            yield from _in_evaluator(element, source)


def _in_evaluator(evaluator: ParsedEvaluator, source: str) -> Iterator[Token]:
    yield from _with_roles(evaluator.values(*_ROLES), source)
    members, weights = averaged(evaluator)
    names = {member.name.text for member in members if member.name is not None}
    for name, entry in weights or ():
        if name in names and not entry.merged:
            yield from _name(entry.key, source, TokenType.EVALUATOR)


_FORMULA_TYPES = {
    FormulaPartKind.FUNCTION: TokenType.EVALUATOR,
    FormulaPartKind.FIGURE: TokenType.FIGURE,
    FormulaPartKind.SLICE: TokenType.SLICE,
    FormulaPartKind.FACET: TokenType.SLICE,
    FormulaPartKind.BY: TokenType.KEYWORD,
    FormulaPartKind.NUMBER: TokenType.NUMBER,
    FormulaPartKind.OPERATOR: TokenType.OPERATOR,
}


def _in_gates(head: Mapping, source: str) -> Iterator[Token]:
    """Yield the tokens of gates and metrics, and of the names that a head gives to slices and metrics."""
    for text in role_texts(SuiteHead, head, FieldRole.GATE, FieldRole.METRIC):
        if _is_alias(text.node, source):
            continue
        place = embedded(text.node, source)
        for part in formula_parts(text.node.text):
            yield Token(place.span(part.start, part.end), _FORMULA_TYPES[part.kind])
    for key, kind in (("slices", TokenType.SLICE), ("metrics", TokenType.FIGURE)):
        named = head.get(key)
        for _, entry in named if isinstance(named, Mapping) else ():
            if not entry.merged:
                yield from _name(entry.key, source, kind, TokenModifier.DECLARATION)


#: Roles with tokens.
_ROLES = (*PROMPTS, FieldRole.TARGET, FieldRole.SCHEMA)


def _with_roles(values: Iterable[RoleValue], source: str) -> Iterator[Token]:
    for value in values:
        match value.role:
            case FieldRole.TARGET:
                yield from _name(value.node, source, TokenType.TARGET)
            case FieldRole.SCHEMA:
                yield from _json(value.node, source)
            case _:
                yield from _prompt(value.node, source, value.role)


def _name(
    node: Node | None, source: str, kind: TokenType, modifier: TokenModifier | None = None
) -> Iterator[Token]:
    """Yield a name that was written where it stands: no alias, and nothing that follows from else."""
    if isinstance(node, Scalar) and node.text.strip() and node.text in _source_text(node, source):
        yield Token(node.span, kind, modifier)


def _source_text(node: Scalar, source: str) -> str:
    return source[node.start : node.end]


def _prompt(node: Node | None, source: str, role: FieldRole = FieldRole.PROMPT) -> Iterator[Token]:
    if not isinstance(node, Scalar) or "{" not in node.text or _is_alias(node, source):
        return
    place = Embedded(node, source)
    for token in prompt_tokens(node.text, role):
        yield Token(place.span(*token.span), token.type, token.modifier)


def _json(node: Node | None, source: str) -> Iterator[Token]:
    """Yield the tokens of a JSON text; a schema written as YAML has none."""
    if not isinstance(node, Scalar) or not node.text.lstrip().startswith(("{", "[")):
        return
    if _is_alias(node, source):
        return
    place = Embedded(node, source)
    for match in _JSON.finditer(node.text):
        if match["string"] is not None:
            kind = TokenType.STRING if match["key"] is None else TokenType.PROPERTY
            span = place.span(*match.span("string"))
            # In a double-quoted string, the closing quote is escaped: two characters.
            ends_escaped = source.startswith("\\", span.end - 1)
            yield Token(Span(span.start, span.end + ends_escaped), kind)
            if match["key"] is not None:
                yield Token(place.span(match.end() - 1, match.end()), TokenType.OPERATOR)
        else:
            kind = TokenType[(match.lastgroup or "").upper()]
            yield Token(place.span(*match.span()), kind)


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
        place = Embedded(scalar, source)
        for match in PLACEHOLDER.finditer(scalar.text):
            yield Token(place.span(*match.span()), TokenType.PLACEHOLDER)
        for match in TEMPLATE_NAME.finditer(scalar.text):
            yield Token(place.span(*match.span()), TokenType.VARIABLE)


def _values(node: Node | None) -> Iterator[Scalar]:
    remaining: list[Node] = [node] if node is not None else []
    while remaining:
        current = remaining.pop()
        if isinstance(current, Scalar):
            yield current
        elif isinstance(current, Sequence):
            remaining += current.items
        else:
            remaining += [entry.value for _, entry in current if not entry.merged]
