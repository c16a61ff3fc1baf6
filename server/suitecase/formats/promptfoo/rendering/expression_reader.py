"""Reads the expressions of a template into a tree, as nunjucks 3.2.4 does."""

from __future__ import annotations

import re

from suitecase.formats.promptfoo.rendering import tree
from suitecase.formats.promptfoo.rendering.errors import UnsupportedTemplateError
from suitecase.formats.promptfoo.rendering.precedence import in_order
from suitecase.formats.promptfoo.rendering.tree import Node
from suitecase.formats.promptfoo.rendering.values import smaller
from suitecase.formats.promptfoo.suite.templates.cursor import Cursor
from suitecase.formats.promptfoo.suite.templates.tokens import Kind, RefusedError, Token

#: How deep expressions and blocks may be nested.
MAX_DEPTH = 18
#: Operators of nunjucks that bind tighter than comparisons, each tighter than the one before.
_LEVELS = {it: level for level, it in enumerate(("~", "+", "-", "*", "/", "//", "%", "**"))}
_COMPARISONS = frozenset(("==", "===", "!=", "!==", "<", ">", "<=", ">="))
_CLOSING = frozenset(")]}")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_ESCAPE = re.compile(r"\\(.|\Z)", re.DOTALL)


class ExpressionReader(Cursor):
    """Reads expressions that nunjucks does not refuse."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.depth = 0

    def taken(self) -> Token:
        """Return the next token, of which there has to be one."""
        token = self.take()
        if token is None:
            raise self.unexpected(token, "more")
        return token

    def unsupported(self, what: str, start: int) -> UnsupportedTemplateError:
        """Return the error of what nunjucks can and this cannot."""
        return UnsupportedTemplateError(what, start)

    def expression(self) -> Node:
        """Read an expression."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.unsupported("the template is nested too deeply", self.tokens.place)
        node = self._either()
        if self.skip_word("if"):
            condition = self._either()
            otherwise: Node = tree.Literal(node.start, "")
            if self.skip_word("else"):
                otherwise = self._either()
            node = tree.Choice(node.start, condition, node, otherwise)
        self.depth -= 1
        return node

    def _either(self) -> Node:
        return in_order(self._joined("or"))

    def _joined(self, word: str) -> Node:
        is_or = word == "or"
        node = self._joined("and") if is_or else self._negated()
        while self.skip_word(word):
            right = self._joined("and") if is_or else self._negated()
            node = tree.Binary(node.start, "||" if is_or else "&&", node, right)
        return node

    def _negated(self) -> Node:
        count = 0
        while self.skip_word("not"):
            count += 1
        node = self._contained()
        for _ in range(count):
            node = tree.Unary(node.start, "!", node)
        return node

    def _contained(self) -> Node:
        node = self._tested()
        while True:
            is_negated = self.skip_word("not")
            if is_negated:
                self.expect_word("in")
            elif not self.skip_word("in"):
                return node
            node = tree.Binary(node.start, "in", node, self._tested())
            if is_negated:
                node = tree.Unary(node.start, "!", node)

    def _tested(self) -> Node:
        node = self._compared()
        if not self.skip_word("is"):
            return node
        is_negated = self.skip_word("not")
        test = self._compared()
        arguments: tuple[Node, ...] = ()
        match test:
            case tree.Symbol():
                name = test.name
            case tree.Call(function=tree.Symbol(name=name), arguments=given) if len(given) <= 1:
                arguments = given
            case tree.Literal(value=None):
                name = "null"
            case tree.Call(function=tree.Literal(value=None), arguments=given) if len(given) <= 1:
                name, arguments = "null", given
            case _:
                raise self.unsupported("expected the name of a test behind `is`", test.start)
        found: Node = tree.Test(test.start, name, (in_order(node), *arguments))
        return tree.Unary(node.start, "!", found) if is_negated else found

    def _compared(self) -> Node:
        node = self._computed(0)
        while (token := self.peek()) and token.value in _COMPARISONS:
            self.take()
            node = tree.Binary(node.start, token.value, node, self._computed(0))
        return node

    def _computed(self, level: int) -> Node:
        node = self._operand()
        while (token := self.peek()) and token.kind is Kind.OPERATOR:
            found = _LEVELS.get(token.value, -1)
            if found < level:
                break
            self.take()
            node = tree.Binary(node.start, token.value, node, self._computed(found + 1))
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
            node = tree.Filter(name.start, name.value, (in_order(node), *arguments), named)
            if (token := self.peek()) and token.value in ("(", ".", "["):
                raise self.unsupported("a member of a filter is not supported", token.start)
        return node

    def filter_name(self) -> Token:
        """Read the name of a filter."""
        token = self.taken()
        name = token.value
        while self.skip("."):
            part = self.take()
            name += f".{part.value if part else ''}"
        return token._replace(value=name)

    def name(self) -> str:
        """Read a name that is set."""
        token = self.taken()
        return token.value

    def _primary(self) -> Node:
        token = self.taken()
        node: Node
        match token.kind:
            case Kind.STRING:
                written = self.text[token.start : token.end]
                closed = written.endswith(written[0]) and len(written) > 1
                value = written[1:-1] if closed else written[1:]
                node = tree.Literal(token.start, _ESCAPE.sub(_unescaped, value))
            case Kind.LITERAL:
                node = self._literal(token)
            case Kind.NAME:
                node = tree.Symbol(token.start, token.value)
            case _:
                node = self._aggregate(token)
        while behind := self.peek():
            if behind.kind is not Kind.OPERATOR or behind.value not in ("(", "[", "."):
                break
            self.take()
            match behind.value:
                case "(":
                    arguments, named = self.arguments()
                    if named:
                        message = "arguments with names are not supported here"
                        raise self.unsupported(message, behind.start)
                    if isinstance(node, tree.Lookup) and _is_of_none(node):
                        # nunjucks fails to name it.
                        message = "`none` has nothing that can be called"
                        raise RefusedError(message, node.start, behind.start)
                    node = tree.Call(node.start, node, arguments)
                case "[":
                    (key,) = self._items()
                    node = tree.Lookup(behind.start, node, key)
                case _:
                    name = self.taken()
                    node = tree.Lookup(behind.start, node, tree.Literal(name.start, name.value))
        return node

    def _literal(self, token: Token) -> Node:
        written = self.text[token.start : token.end]
        if written[0] == "r":
            message = "regular expressions are not supported in templates"
            raise self.unsupported(message, token.start)
        words = {"true": True, "false": False, "none": None, "null": None}
        if written in words:
            return tree.Literal(token.start, words[written])
        return tree.Literal(token.start, smaller(float(written)))

    def _items(self) -> tuple[Node, ...]:
        """Read the items of brackets up to a closing one."""
        items: list[Node] = []
        while not self._closes():
            if items:
                self.expect(",")
            items.append(self.expression())
        return tuple(items)

    def _closes(self) -> bool:
        token = self.peek()
        if token and token.kind is Kind.OPERATOR and token.value in _CLOSING:
            self.take()  # nunjucks takes any bracket for the closing one
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
        """Read arguments behind `(`."""
        arguments: list[Node] = []
        named: list[tuple[str, Node]] = []
        while not self.skip(")"):
            if arguments or named:
                self.expect(",")
            it = self.expression()
            if not self.skip("="):
                arguments.append(it)
            elif isinstance(it, tree.Symbol):
                named.append((it.name, self.expression()))
            else:
                raise self.unsupported("expected the name of an argument", it.start)
        return tuple(arguments), tuple(named)


def _is_of_none(node: Node) -> bool:
    match node:
        case tree.Literal():
            return node.value is None
        case tree.Lookup():
            return _is_of_none(node.target) or _is_of_none(node.key)
        case tree.Call():
            return _is_of_none(node.function)
        case _:
            return False


def _unescaped(match: re.Match[str]) -> str:
    return _ESCAPES.get(match[1], match[1])
