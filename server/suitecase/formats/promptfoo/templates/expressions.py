"""Parses the expressions of a template as nunjucks 3.2.4 does."""

from __future__ import annotations

import re

from suitecase.formats.promptfoo.templates import tree
from suitecase.formats.promptfoo.templates.javascript import narrowed
from suitecase.formats.promptfoo.templates.precedence import binary, javascript_order
from suitecase.formats.promptfoo.templates.tokens import Cursor, Kind, Token
from suitecase.formats.promptfoo.templates.tree import Body, Node

_COMPARISONS = frozenset(("==", "===", "!=", "!==", "<", ">", "<=", ">="))
#: How tightly operators bind in nunjucks, but for those that are words.
_LEVELS = {
    **dict.fromkeys(_COMPARISONS, 0),
    **{
        operator: level
        for level, operator in enumerate(("~", "+", "-", "*", "/", "//", "%", "**"), 1)
    },
}
_CONSTANTS = {"true": True, "false": False, "none": None, "null": None}
_OPENING = frozenset("([{")
_CLOSING = frozenset(")]}")
_FOLLOWING = frozenset("([.")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_ESCAPE = re.compile(r"\\(.|\Z)", re.DOTALL)


class ExpressionParser(Cursor):
    """Parses the expressions of one template."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        #: What nunjucks only refuses when it has parsed all of the template.
        self.fails_later: Token | None = None

    def name(self, expected: str) -> str | None:
        """Read a name that is set; None if there is none."""
        if self.token.kind is not Kind.NAME:
            self.unexpected(expected)
            return None
        return self.advance().value

    def expression(self) -> Node:
        """Read an expression."""
        if not self.deeper():
            return self._missing()
        node = self._condition()
        if self.token.kind is Kind.NAME and self.skip_word("if"):
            condition = self._condition()
            otherwise: Node = tree.Literal(node.start, node.end, "")
            if self.skip_word("else"):
                otherwise = self._condition()
            node = tree.Choice(node.start, self.last_end, node, condition, otherwise)
        self.depth -= 1
        return node

    def _missing(self) -> Node:
        return tree.Missing(self.token.start, self.token.start)

    def _condition(self) -> Node:
        node = self._negation()
        # In which order `and` and `or` are read makes no difference: JavaScript decides.
        while self.token.kind is Kind.NAME:
            if self.skip_word("or"):
                operator = "||"
            elif self.skip_word("and"):
                operator = "&&"
            else:
                break
            node = binary(operator, node, self._negation())
        return javascript_order(node)

    def _negation(self) -> Node:
        count = 0
        while self.token.value == "not" and self.skip_word("not"):
            count += 1
        node = self._containment()
        for _ in range(count):
            node = tree.Unary(node.start, node.end, "!", node)
        return node

    def _containment(self) -> Node:
        node = self._is_test()
        while self.token.kind is Kind.NAME:
            is_negated = self.skip_word("not")
            if is_negated:
                if not self.expect_word("in"):
                    break
            elif not self.skip_word("in"):
                break
            node = binary("in", node, self._is_test())
            if is_negated:
                node = tree.Unary(node.start, node.end, "!", node)
        return node

    def _is_test(self) -> Node:
        node = self._comparison()
        if self.token.kind is not Kind.NAME or not self.skip_word("is"):
            return node
        is_negated = self.skip_word("not")
        word = self.token
        name = word.value if word.kind in (Kind.NAME, Kind.LITERAL) else ""
        failure = self.fails_later
        asked = self._comparison()
        if not isinstance(asked, tree.Symbol | tree.Literal | tree.Call):
            self.fails_later = failure  # nunjucks drops what is no test
        node = tree.Test(word.start, word.end, name, javascript_order(node), asked)
        return tree.Unary(node.start, node.end, "!", node) if is_negated else node

    def _comparison(self) -> Node:
        """Read operands with comparisons and arithmetic between them."""
        node = self._operand()
        operands: list[Node] = []
        operators: list[tuple[int, str]] = []
        while (level := self._level()) is not None:
            operator = self.advance().value
            while operators and operators[-1][0] >= level:
                node = binary(operators.pop()[1], operands.pop(), node)
            operands.append(node)
            operators.append((level, operator))
            node = self._operand()
        while operators:
            node = binary(operators.pop()[1], operands.pop(), node)
        return node

    def _level(self) -> int | None:
        token = self.token
        if token.kind is Kind.OPERATOR:
            return _LEVELS.get(token.value)
        # nunjucks does not ask whether a comparison is in quotes.
        return 0 if token.kind is Kind.STRING and token.value in _COMPARISONS else None

    def _operand(self) -> Node:
        signs: list[Token] = []
        while self.token.kind is Kind.OPERATOR and self.token.value in ("-", "+"):
            if signs and signs[-1].value == self.token.value:
                self.unexpected("a value")
                break
            signs.append(self.advance())
        node = self.primary()
        for sign in reversed(signs):
            node = tree.Unary(sign.start, node.end, sign.value, node)
        while self.token.kind is Kind.OPERATOR and self.skip("|"):
            node = self.filter(node)
        return node

    def filter(self, value: Node) -> Node:
        """Read a filter behind `|`, and the members of its result."""
        token = self.token
        name = self.name("the name of a filter")
        if name is None:
            return value
        while self.skip("."):
            part = self.name("the name of a filter")
            if part is None:
                return value
            name = f"{name}.{part}"
        end = self.last_end
        value = javascript_order(value)
        has_arguments = self.skip("(")
        failure = self.fails_later
        arguments, named = self._arguments() if has_arguments else ((), ())
        node: Node = tree.Filter(token.start, end, name, (value, *arguments), named)
        if has_arguments and self.token.value in _FOLLOWING:
            following = self.token
            node = self._members(node)
            self.fails_later = failure  # nunjucks drops these arguments
            if not isinstance(node, tree.Call):
                self.unexpected("the end of the filter", following)
        if self.token.kind is Kind.END:
            self.unexpected("the end of the tag")
        return node

    def primary(self) -> Node:
        """Read a value with its members and calls."""
        token = self.token
        node: Node
        match token.kind:
            case Kind.NAME:
                if '"' in token.value:
                    self.refuse(f"`{token.value}` is not a name", token.start, token.end)
                    return self._missing()
                self.advance()
                node = tree.Symbol(token.start, token.end, token.value)
            case Kind.STRING:
                self.advance()
                node = tree.Literal(token.start, token.end, self._unquoted(token))
            case Kind.LITERAL:
                self.advance()
                node = self._literal(token)
            case Kind.OPERATOR if token.value in _OPENING:
                node = self._aggregate()
            case _:
                self.unexpected("a value")
                return self._missing()
        if self.token.kind is Kind.OPERATOR and self.token.value in _FOLLOWING:
            return self._members(node)
        return node

    def _unquoted(self, token: Token) -> str:
        written = self.text[token.start : token.end]
        is_closed = written.endswith(written[0]) and len(written) > 1
        value = written[1:-1] if is_closed else written[1:]
        return _ESCAPE.sub(_unescaped, value) if "\\" in value else value

    def _literal(self, token: Token) -> Node:
        if token.value in _CONSTANTS:
            return tree.Literal(token.start, token.end, _CONSTANTS[token.value])
        if token.value[0] == "r":
            return tree.Regex(token.start, token.end)
        number = narrowed(float(self.text[token.start : token.end]))
        return tree.Literal(token.start, token.end, number)

    def _members(self, node: Node) -> Node:
        """Read the members and calls of a value."""
        has_none = _starts_with_none(node)
        while (token := self.token).kind is Kind.OPERATOR and token.value in _FOLLOWING:
            self.advance()
            match token.value:
                case "(":
                    if has_none and isinstance(node, tree.Lookup):
                        self._fail_later("`none` has no methods", node.start, token.start)
                    arguments, named = self._arguments()
                    place = node.start, self.last_end
                    node = tree.Call(*place, node, token.start, arguments, named)
                case "[":
                    items = self._items("[", most=1)
                    if not items:
                        self.refuse("the index is empty", token.start, self.last_end)
                        break
                    has_none = has_none or _starts_with_none(items[0])
                    node = tree.Lookup(token.start, self.last_end, node, items[0])
                case _:
                    member = self.token
                    name = self.name("a name behind `.`")
                    if name is None:
                        break
                    key = tree.Literal(member.start, member.end, name)
                    node = tree.Lookup(token.start, member.end, node, key)
        return node

    def _fail_later(self, message: str, start: int, end: int) -> None:
        if self.fails_later is None:
            self.fails_later = Token(Kind.REFUSED, message, start, end)

    def _arguments(self) -> tuple[Body, tuple[tree.NamedArgument, ...]]:
        """Read the positional and named arguments after `(`, and the closing `)`."""
        arguments: list[Node] = []
        named: list[tree.NamedArgument] = []
        while not self.skip(")"):
            if self.is_ended or ((arguments or named) and not self.expect(",")):
                break
            start = self.token.start
            node = self.expression()
            if self.skip("="):
                value = self.expression()
                named.append(tree.NamedArgument(start, self.last_end, node, value))
            else:
                arguments.append(node)
        return tuple(arguments), tuple(named)

    def _aggregate(self) -> Node:
        opening = self.advance()
        match opening.value:
            case "(":
                items = self._items("(")
                if not items:
                    self.refuse("the parentheses are empty", opening.start, self.last_end)
                return tree.Group(opening.start, self.last_end, items)
            case "[":
                items = self._items("[")
                return tree.Array(opening.start, self.last_end, items)
            case _:
                entries = self._entries()
                return tree.Dict(opening.start, self.last_end, entries)

    def _closes(self) -> bool:
        """Go on behind a closing bracket if one is next; nunjucks takes any for the right one."""
        if self.token.kind is Kind.OPERATOR and self.token.value in _CLOSING:
            self.advance()
            return True
        return False

    def _items(self, opening: str, most: int | None = None) -> Body:
        """Read the items behind an opening bracket, and the closing one."""
        items: list[Node] = []
        if self.deeper():
            while not self._closes():
                if len(items) == most:
                    self.unexpected("`]`")
                    break
                if self.is_ended or (items and not self.expect(",")):
                    break
                items.append(self.expression())
        self.depth -= 1
        return tuple(items)

    def _entries(self) -> tuple[tuple[tree.Literal, Node], ...]:
        """Read the entries of a mapping behind its bracket, and the closing one."""
        entries: list[tuple[tree.Literal, Node]] = []
        if self.deeper():
            while not self._closes():
                if self.is_ended or (entries and not self.expect(",")):
                    break
                token = self.token
                if token.kind not in (Kind.NAME, Kind.STRING):
                    self.unexpected("a key")
                    break
                self.advance()
                name = self._unquoted(token) if token.kind is Kind.STRING else token.value
                if not self.expect(":"):
                    break
                key = tree.Literal(token.start, token.end, name)
                entries.append((key, self.expression()))
        self.depth -= 1
        return tuple(entries)


def _starts_with_none(node: Node) -> bool:
    """Whether a chain of members and calls starts with `none`."""
    pending = [node]
    while pending:
        match pending.pop():
            case tree.Literal(value=None):
                return True
            case tree.Lookup() as lookup:
                pending += (lookup.target, lookup.key)
            case tree.Call() as call:
                pending.append(call.function)
            case _:
                pass
    return False


def _unescaped(match: re.Match[str]) -> str:
    return _ESCAPES.get(match[1], match[1])
