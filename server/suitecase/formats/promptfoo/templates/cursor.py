"""Goes through the tokens of a template, one ahead, and says what is wrong where another is expected."""

from __future__ import annotations

from suitecase.formats.promptfoo.templates.template import Name
from suitecase.formats.promptfoo.templates.tokens import Kind, RefusedError, Token, Tokens


class Cursor:
    """A place between the tokens of a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = Tokens(text)
        #: The tag that is being read.
        self.opening: Token | None = None
        self.last = Token(Kind.TEXT, "", 0, 0)
        self.keywords: list[Name] = []
        self._peeked: Token | None = None

    def take(self) -> Token | None:
        """Return the next token, and go on behind it."""
        token, self._peeked = self._peeked or self.tokens.next(), None
        if token is not None:
            self.last = token
        return token

    def peek(self) -> Token | None:
        """Return the next token."""
        if self._peeked is None:
            self._peeked = self.tokens.next()
        return self._peeked

    def skip(self, operator: str) -> bool:
        """Go on behind an operator if it is next."""
        token = self.peek()
        if token and token.kind is Kind.OPERATOR and token.value == operator:
            self.take()
            return True
        return False

    def skip_word(self, word: str) -> bool:
        """Go on behind a word if it is next."""
        token = self.peek()
        if token and token.kind is Kind.NAME and token.value == word:
            self.take()
            self.keyword(token)
            return True
        return False

    def expect(self, operator: str) -> None:
        """Go on behind an operator, which has to be next."""
        if not self.skip(operator):
            raise self.unexpected(self.peek(), f"`{operator}`")

    def expect_word(self, word: str) -> None:
        """Go on behind a word, which has to be next."""
        if not self.skip_word(word):
            raise self.unexpected(self.peek(), f"`{word}`")

    def keyword(self, token: Token) -> None:
        """Note a word of the language."""
        self.keywords.append(Name(token.value, token.start, token.end))

    def unexpected(self, token: Token | None, expected: str) -> RefusedError:
        """Return the error of a token that stands where another is expected."""
        opening = self.opening
        if opening is not None:
            closing = "}}" if opening.value == "{{" else "%}"
            line_end = self.text.find("\n", opening.start)
            line_end = len(self.text) if line_end < 0 else line_end
            closed = self.text.find(closing, opening.start, line_end)
            again = self.text.find("{{", opening.start + 2, line_end)
            if token is None or closed < 0 or -1 < again < closed:
                end = token.start + (token.value == "}") if token else line_end
                end = max(len(self.text[: min(end, line_end)].rstrip()), opening.end)
                message = f"`{opening.value}` is not closed with `{closing}`"
                return RefusedError(message, opening.start, end)
        if token is None:
            end = len(self.text)
            return RefusedError(f"expected {expected} before the end of the text", end, end)
        written = self.text[token.start : token.end]
        return RefusedError(f"expected {expected}, not `{written}`", token.start, token.end)
