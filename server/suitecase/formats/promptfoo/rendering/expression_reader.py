"""Parses the expressions of a template as nunjucks 3.2.4 does."""

from __future__ import annotations

import re

from suitecase.formats.promptfoo.rendering import tree
from suitecase.formats.promptfoo.rendering.errors import UnsupportedTemplateError
from suitecase.formats.promptfoo.rendering.precedence import javascript_order
from suitecase.formats.promptfoo.rendering.tree import Node
from suitecase.formats.promptfoo.rendering.values import narrowed
from suitecase.formats.promptfoo.templates.cursor import Cursor
from suitecase.formats.promptfoo.templates.tokens import Kind, RefusedError, Token

#: How deep expressions and blocks may be nested.
MAX_DEPTH = 18
#: Operators of nunjucks that bind tighter than comparisons, each tighter than the one before.
_LEVELS = {
    operator: level for level, operator in enumerate(("~", "+", "-", "*", "/", "//", "%", "**"))
}
_COMPARISONS = frozenset(("==", "===", "!=", "!==", "<", ">", "<=", ">="))
_CLOSING = frozenset(")]}")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_ESCAPE = re.compile(r"\\(.|\Z)", re.DOTALL)


class ExpressionReader(Cursor):
    """Parses expressions that nunjucks accepts."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.depth = 0

    def next_token(self) -> Token:
        """Return the next token; raise an error at the end of the template."""
        token = self.take()
        if token is None:
            raise self.unexpected(token, "more")
        return token

    def unsupported(self, what: str, start: int) -> UnsupportedTemplateError:
        """Return the error for syntax that nunjucks supports and Suitecase does not."""
        return UnsupportedTemplateError(what, start)

    def expression(self) -> Node:
        """Read an expression."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.unsupported("the template is nested too deeply", self.tokens.place)
        node = self._condition()
        if self.skip_word("if"):
            condition = self._condition()
            otherwise: Node = tree.Literal(node.start, "")
            if self.skip_word("else"):
                otherwise = self._condition()
            node = tree.Choice(node.start, condition, node, otherwise)
        self.depth -= 1
        return node

    def _condition(self) -> Node:
        return javascript_order(self._logical("or"))

    def _logical(self, word: str) -> Node:
        is_or = word == "or"
        node = self._logical("and") if is_or else self._negation()
        while self.skip_word(word):
            right = self._logical("and") if is_or else self._negation()
            node = tree.Binary(node.start, "||" if is_or else "&&", node, right)
        return node

    def _negation(self) -> Node:
        count = 0
        while self.skip_word("not"):
            count += 1
        node = self._containment()
        for _ in range(count):
            node = tree.Unary(node.start, "!", node)
        return node

    def _containment(self) -> Node:
        node = self._is_test()
        while True:
            is_negated = self.skip_word("not")
            if is_negated:
                self.expect_word("in")
            elif not self.skip_word("in"):
                return node
            node = tree.Binary(node.start, "in", node, self._is_test())
            if is_negated:
                node = tree.Unary(node.start, "!", node)

    def _is_test(self) -> Node:
        node = self._comparison()
        if not self.skip_word("is"):
            return node
        is_negated = self.skip_word("not")
        test = self._comparison()
        arguments: tuple[Node, ...] = ()
        match test:
            case tree.Symbol():
                name = test.name
            case tree.Call(function=tree.Symbol(name=name), arguments=call_arguments) if (
                len(call_arguments) <= 1
            ):
                arguments = call_arguments
            case tree.Literal(value=None):
                name = "null"
            case tree.Call(function=tree.Literal(value=None), arguments=call_arguments) if (
                len(call_arguments) <= 1
            ):
                name, arguments = "null", call_arguments
            case _:
                raise self.unsupported("expected the name of a test after `is`", test.start)
        found: Node = tree.Test(test.start, name, (javascript_order(node), *arguments))
        return tree.Unary(node.start, "!", found) if is_negated else found

    def _comparison(self) -> Node:
        node = self._arithmetic(0)
        while (token := self.peek()) and token.value in _COMPARISONS:
            self.take()
            node = tree.Binary(node.start, token.value, node, self._arithmetic(0))
        return node

    def _arithmetic(self, level: int) -> Node:
        node = self._operand()
        while (token := self.peek()) and token.kind is Kind.OPERATOR:
            found = _LEVELS.get(token.value, -1)
            if found < level:
                break
            self.take()
            node = tree.Binary(node.start, token.value, node, self._arithmetic(found + 1))
        return node

    def _operand(self) -> Node:
        signs: list[Token] = []
        while (token := self.peek()) and token.kind is Kind.OPERATOR and token.value in ("-", "+"):
            self.take()
            signs.append(token)
        node = self._primary()
        for sign in reversed(signs):
            node = tree.Unary(sign.start, sign.value, node)
        while self.skip("|"):
            name = self.filter_name()
            arguments, named = self.arguments() if self.skip("(") else ((), ())
            node = tree.Filter(name.start, name.value, (javascript_order(node), *arguments), named)
            if (token := self.peek()) and token.value in ("(", ".", "["):
                raise self.unsupported("a member of a filter is not supported", token.start)
        return node

    def filter_name(self) -> Token:
        """Read the name of a filter."""
        token = self.next_token()
        name = token.value
        while self.skip("."):
            part = self.take()
            name += f".{part.value if part else ''}"
        return token._replace(value=name)

    def name(self) -> str:
        """Read the name of a variable to be set."""
        token = self.next_token()
        return token.value

    def _primary(self) -> Node:
        token = self.next_token()
        node: Node
        match token.kind:
            case Kind.STRING:
                written = self.text[token.start : token.end]
                closed = written.endswith(written[0]) and len(written) > 1
                value = written[1:-1] if closed else written[1:]
                node = tree.Literal(token.start, _ESCAPE.sub(_unescape, value))
            case Kind.LITERAL:
                node = self._literal(token)
            case Kind.NAME:
                node = tree.Symbol(token.start, token.value)
            case _:
                node = self._aggregate(token)
        while following := self.peek():
            if following.kind is not Kind.OPERATOR or following.value not in ("(", "[", "."):
                break
            self.take()
            match following.value:
                case "(":
                    arguments, named = self.arguments()
                    if named:
                        message = "named arguments are not supported here"
                        raise self.unsupported(message, following.start)
                    if isinstance(node, tree.Lookup) and _starts_with_none(node):
                        # nunjucks fails with an error of its own.
                        message = "`none` has no methods"
                        raise RefusedError(message, node.start, following.start)
                    node = tree.Call(node.start, node, arguments)
                case "[":
                    (key,) = self._items()
                    node = tree.Lookup(following.start, node, key)
                case _:
                    name = self.next_token()
                    node = tree.Lookup(following.start, node, tree.Literal(name.start, name.value))
        return node

    def _literal(self, token: Token) -> Node:
        written = self.text[token.start : token.end]
        if written[0] == "r":
            message = "regular expressions are not supported in templates"
            raise self.unsupported(message, token.start)
        words = {"true": True, "false": False, "none": None, "null": None}
        if written in words:
            return tree.Literal(token.start, words[written])
        return tree.Literal(token.start, narrowed(float(written)))

    def _items(self) -> tuple[Node, ...]:
        """Read the items between brackets, and the closing bracket."""
        items: list[Node] = []
        while not self._closes():
            if items:
                self.expect(",")
            items.append(self.expression())
        return tuple(items)

    def _closes(self) -> bool:
        token = self.peek()
        if token and token.kind is Kind.OPERATOR and token.value in _CLOSING:
            self.take()  # nunjucks accepts any closing bracket
            return True
        return False

    def _aggregate(self, opening: Token) -> Node:
        if opening.value == "(":
            return tree.Group(opening.start, self._items())
        if opening.value == "[":
            return tree.Array(opening.start, self._items())
        entries: list[tuple[str, Node]] = []
        while not self._closes():
            if entries:
                self.expect(",")
            key = self._primary()
            match key:
                case tree.Symbol():
                    name = key.name
                case tree.Literal(value=str(name)):
                    pass
                case _:
                    raise self.unsupported("this key is not supported", key.start)
            if name == "__proto__":
                raise self.unsupported("this key is not supported", key.start)
            self.expect(":")
            entries.append((name, self.expression()))
        return tree.Dict(opening.start, tuple(entries))

    def arguments(self) -> tuple[tuple[Node, ...], tuple[tuple[str, Node], ...]]:
        """Read the positional and named arguments after `(`, and the closing `)`."""
        arguments: list[Node] = []
        named: list[tuple[str, Node]] = []
        while not self.skip(")"):
            if arguments or named:
                self.expect(",")
            node = self.expression()
            if not self.skip("="):
                arguments.append(node)
            elif isinstance(node, tree.Symbol):
                named.append((node.name, self.expression()))
            else:
                raise self.unsupported("expected the name of an argument", node.start)
        return tuple(arguments), tuple(named)


def _starts_with_none(node: Node) -> bool:
    """Whether a chain of members and calls starts with `none`."""
    match node:
        case tree.Literal():
            return node.value is None
        case tree.Lookup():
            return _starts_with_none(node.target) or _starts_with_none(node.key)
        case tree.Call():
            return _starts_with_none(node.function)
        case _:
            return False


def _unescape(match: re.Match[str]) -> str:
    return _ESCAPES.get(match[1], match[1])
