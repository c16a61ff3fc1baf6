"""Reads the expressions of a template, and notes the variables, filters and tests they use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from suitecase.formats.promptfoo.templates.cursor import Cursor
from suitecase.formats.promptfoo.templates.names import DEFAULTS, FUNCTIONS
from suitecase.formats.promptfoo.templates.template import Name, Use
from suitecase.formats.promptfoo.templates.tokens import Kind, RefusedError, Token

#: How deep expressions and blocks may be nested to be read.
MAX_DEPTH = 40
#: No more filters of a variable are kept.
MOST_FILTERS = 20
_ARITHMETIC = frozenset(("~", "+", "-", "*", "/", "//", "%", "**"))
_COMPARISONS = frozenset(("==", "===", "!=", "!==", "<", ">", "<=", ">="))
_OPENING = frozenset("([{")
_CLOSING = frozenset(")]}")


class TooDeepError(Exception):
    """A text is nested too deeply to be read; nunjucks may accept it."""


@dataclass(slots=True)
class _Found:
    """A use that is being read."""

    name: str
    start: int
    end: int
    is_conditional: bool
    members: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    is_iterated: bool = False
    #: A test of another name, a keyword argument or a key: not a variable.
    is_dropped: bool = False


class Expressions(Cursor):
    """Tokens of a template, read as expressions; what they use is noted."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.filters: list[Name] = []
        self.tests: list[Name] = []
        self.blocks: set[str] = set()
        self.includes = False
        self._uses: list[_Found] = []
        #: Names that the template sets, by scope, the outermost first.
        self._scopes: list[set[str]] = [set()]
        #: Names that a branch sets, which may not have been taken.
        self._perhaps: set[str] = set()
        self._conditions = 0
        self._depth = 0

    def found_uses(self) -> tuple[Use, ...]:
        """Return the uses noted so far."""
        return tuple(
            Use(
                *(it.name, it.start, it.end, it.members),
                *(it.is_conditional, it.filters, it.is_iterated),
            )
            for it in self._uses
            if not it.is_dropped
        )

    # Scopes

    def bind(self, names: Iterable[str]) -> None:
        """Note that the template sets names."""
        self._scopes[-1].update(names)

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Read something that is inside of something else."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise TooDeepError
        yield
        self._depth -= 1

    @contextmanager
    def conditional(self) -> Iterator[None]:
        """Read what may do without its variables."""
        self._conditions += 1
        yield
        self._conditions -= 1

    @contextmanager
    def branch(self) -> Iterator[None]:
        """Read what may not be reached, and sets names of what is around it."""
        with self.loop([]):
            yield
            self._perhaps |= self._scopes[-1]

    @contextmanager
    def loop(self, names: Iterable[str]) -> Iterator[None]:
        """Read what may not be reached, and has names of its own."""
        self._scopes.append(set(names))
        with self.conditional():
            yield
        self._scopes.pop()

    @contextmanager
    def macro(self) -> Iterator[None]:
        """Read what sees only the names of the outermost scope."""
        scopes = self._scopes
        self._scopes = scopes[:1]
        with self.loop([]):
            yield
        self._scopes = scopes

    def enclosing(self) -> set[str]:
        """Leave the innermost scope for a while; return its names for `restore`."""
        return self._scopes.pop()

    def restore(self, names: set[str]) -> None:
        """Return to the scope that was left."""
        self._scopes.append(names)

    # Expressions

    def target(self, expected: str) -> str:
        """Read a name that is set."""
        token = self.take()
        if token is None or token.kind is not Kind.NAME:
            raise self.unexpected(token, expected)
        return token.value

    def parameters(self) -> list[str]:
        """Read the parameters of a macro behind `(`, and their defaults."""
        names: list[str] = []
        while not self.skip(")"):
            if names:
                self.expect(",")
            names.append(self.target("the name of a parameter"))
            self.bind(names)
            if self.skip("="):
                self.expression()
        return names

    def expression(self) -> None:
        """Read an expression."""
        with self.deeper():
            first = len(self._uses)
            self._either()
            if self.skip_word("if"):
                self._either()
                if self.skip_word("else"):
                    self._either()
                self._mark(first)

    def iterated(self) -> None:
        """Read the expression that a loop goes through."""
        first = len(self._uses)
        with self.conditional():
            self.expression()
        for use in self._uses[first:]:
            use.is_iterated = not use.members

    def _mark(self, first: int) -> None:
        for use in self._uses[first:]:
            use.is_conditional = True

    def _either(self) -> None:
        first = len(self._uses)
        self._negated()
        is_joined = False
        while self.skip_word("or") or self.skip_word("and"):
            self._negated()
            is_joined = True
        if is_joined:
            self._mark(first)

    def _negated(self) -> None:
        first = len(self._uses)
        is_negated = False
        while self.skip_word("not"):
            is_negated = True
        self._contained()
        if is_negated:
            self._mark(first)

    def _contained(self) -> None:
        first = len(self._uses)
        self._tested()
        is_asked = False
        while True:
            if self.skip_word("not"):
                self.expect_word("in")
            elif not self.skip_word("in"):
                break
            self._tested()
            is_asked = True
        if is_asked:
            self._mark(first)

    def _tested(self) -> None:
        first = len(self._uses)
        self._compared()
        if self.skip_word("is"):
            self.skip_word("not")
            token = self.peek()
            test = len(self._uses)
            self._compared()
            if token and token.kind in (Kind.NAME, Kind.LITERAL):
                self.tests.append(Name(token.value, token.start, token.end))
            if test < len(self._uses) and token and self._uses[test].start == token.start:
                self._uses[test].is_dropped = True
            self._mark(first)

    def _compared(self) -> None:
        first = len(self._uses)
        self._computed()
        is_compared = False
        while (token := self.peek()) and token.value in _COMPARISONS:
            self.take()
            self._computed()
            is_compared = True
        if is_compared:
            self._mark(first)

    def _computed(self) -> None:
        self._operand()
        while (token := self.peek()) and token.kind is Kind.OPERATOR:
            if token.value not in _ARITHMETIC:
                return
            self.take()
            self._operand()

    def _operand(self, sign: Token | None = None) -> None:
        first = len(self._uses)
        token = self.peek()
        while token and token.kind is Kind.OPERATOR and token.value in ("-", "+"):
            if sign and sign.value == token.value:
                raise self.unexpected(token, "a value")
            sign = token
            self.take()
            token = self.peek()
        self.primary()
        while self.skip("|"):
            self.filter(first)

    def filter(self, first: int | None = None) -> None:
        """Read a filter behind `|`, which applies to the uses from `first` on."""
        token = self.take()
        if token is None or token.kind is not Kind.NAME:
            raise self.unexpected(token, "the name of a filter")
        name, end = token.value, token.end
        while self.skip("."):
            part = self.take()
            if part is None or part.kind is not Kind.NAME:
                raise self.unexpected(part, "the name of a filter")
            name, end = f"{name}.{part.value}", part.end
        self.filters.append(Name(name, token.start, end))
        if first is not None:
            for use in self._uses[first:]:
                if len(use.filters) < MOST_FILTERS:
                    use.filters += (name,)
        if self.skip("("):
            self._arguments()
            token = self.peek()
            if token and token.value in ("(", ".", "[") and not self._members(None):
                raise self.unexpected(token, "the end of the filter")
        if self.peek() is None:
            raise self.unexpected(None, "the end of the tag")
        if first is not None and name in DEFAULTS:
            self._mark(first)

    def primary(self) -> bool:
        """Read a value with its members and calls; return whether the last of them is a call."""
        token = self.take()
        use: _Found | None = None
        if token is not None and token.kind is Kind.NAME:
            use = self._use(token)
        elif token is not None and token.kind is Kind.OPERATOR and token.value in _OPENING:
            self._aggregate(token)
        elif token is None or token.kind not in (Kind.LITERAL, Kind.STRING):
            raise self.unexpected(token, "a value")
        return self._members(use)

    def _use(self, token: Token) -> _Found | None:
        name = token.value
        if '"' in name:
            raise RefusedError(f"`{name}` is not a name", token.start, token.end)
        if any(name in scope for scope in self._scopes):
            return None
        is_conditional = self._conditions > 0 or name in self._perhaps
        use = _Found(name, token.start, token.end, is_conditional)
        self._uses.append(use)
        return use

    def _members(self, use: _Found | None) -> bool:
        is_call = False
        while (token := self.peek()) and token.kind is Kind.OPERATOR:
            if token.value == "(":
                self.take()
                if use and not use.members and use.name in FUNCTIONS:
                    use.is_dropped = True
                self._arguments()
                is_call, use = True, None
            elif token.value == "[":
                self.take()
                index = self.peek()
                if self._aggregate(token, most=1) == 0:
                    raise RefusedError("the index is empty", token.start, self.last.end)
                if use and index and index.kind is Kind.STRING and self.last.start == index.end:
                    use.members += (index.value,)
                else:
                    use = None
                is_call = False
            elif token.value == ".":
                self.take()
                member = self.take()
                if member is None or member.kind is not Kind.NAME:
                    raise self.unexpected(member, "a name behind `.`")
                if use:
                    use.members += (member.value,)
                is_call = False
            else:
                break
        return is_call

    def _arguments(self) -> None:
        is_first = True
        while not self.skip(")"):
            if not is_first:
                self.expect(",")
            is_first = False
            first = len(self._uses)
            token = self.peek()
            self.expression()
            if token and self.skip("="):
                if first < len(self._uses) and self._uses[first].start == token.start:
                    self._uses[first].is_dropped = True
                self.expression()

    def _aggregate(self, opening: Token, most: int | None = None) -> int:
        """Read a list, a mapping or a group behind its bracket; return the number of items."""
        count = 0
        with self.deeper():
            while True:
                token = self.peek()
                if token and token.kind is Kind.OPERATOR and token.value in _CLOSING:
                    self.take()  # nunjucks takes any bracket for the closing one
                    break
                if count == most:
                    raise self.unexpected(token, "`]`")
                if count:
                    self.expect(",")
                if opening.value == "{":
                    key = self.take()
                    if key is None or key.kind not in (Kind.NAME, Kind.STRING):
                        raise self.unexpected(key, "a key")
                    self.expect(":")
                self.expression()
                count += 1
        if opening.value == "(" and not count:
            raise RefusedError("the parentheses are empty", opening.start, self.last.end)
        return count
