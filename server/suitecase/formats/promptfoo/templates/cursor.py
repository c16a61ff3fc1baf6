"""Goes through the tokens of a template, one ahead, and says what is wrong where another is expected."""

from __future__ import annotations

from suitecase.formats.promptfoo.templates.tokens import Kind, Token, Tokens
from suitecase.formats.promptfoo.templates.uses import Name

#: How deep expressions and blocks may be nested to be read.
MAX_DEPTH = 40


class Cursor:
    """A place between the tokens of a template.

    nunjucks reads no further than its first mistake. Behind that, every token is the end of the
    template, so what was begun is ended with what was read of it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = Tokens(text)
        #: The next token of the code that is being read.
        self.token = Token(Kind.END, "", 0, 0)
        #: The tag that is being read.
        self.opening: Token | None = None
        #: Where the last token ended.
        self.last_end = 0
        #: Words of the language.
        self.keywords: list[Name] = []
        self.depth = 0
        #: What nunjucks refuses; its value says why.
        self.problem: Token | None = None
        #: Where the template is nested too deeply to be read further; nunjucks may accept it.
        self.too_deep: int | None = None
        self.is_ended = False

    def advance(self) -> Token:
        """Go on behind the next token; return it."""
        token = self.token
        self.last_end = token.end
        self.token = self.tokens.in_code()
        return token

    def skip(self, operator: str) -> bool:
        """Go on behind an operator if it is next."""
        token = self.token
        if token.value == operator and token.kind is Kind.OPERATOR:
            self.advance()
            return True
        return False

    def skip_word(self, word: str) -> bool:
        """Go on behind a word if it is next."""
        token = self.token
        if token.value == word and token.kind is Kind.NAME:
            self.keyword()
            return True
        return False

    def keyword(self) -> str:
        """Go on behind a word of the language; return it."""
        _, word, start, end = self.advance()
        self.keywords.append(Name(word, start, end))
        return word

    def expect(self, operator: str) -> bool:
        """Go on behind an operator, which has to be next; return whether it is."""
        return self.skip(operator) or self.unexpected(f"`{operator}`")

    def expect_word(self, word: str) -> bool:
        """Go on behind a word, which has to be next; return whether it is."""
        return self.skip_word(word) or self.unexpected(f"`{word}`")

    def deeper(self) -> bool:
        """Note that something is inside of something else; return whether it can be read."""
        self.depth += 1
        if self.depth > MAX_DEPTH and not self.is_ended:
            self.too_deep = self.tokens.place
            self._stop()
        return not self.is_ended

    def refuse(self, message: str, start: int, end: int) -> None:
        """Note what nunjucks refuses."""
        if not self.is_ended:
            self.problem = Token(Kind.REFUSED, message, start, end)
            self._stop()

    def _stop(self) -> None:
        self.is_ended = True
        end = self.tokens.place = len(self.text)
        self.token = Token(Kind.END, "", end, end)

    def unexpected(self, expected: str, token: Token | None = None) -> bool:
        """Note that something else is expected than a token, the next by default; return False."""
        if self.is_ended:
            return False
        token = token or self.token
        is_end = token.kind is Kind.END
        opening = self.opening
        if opening is not None:
            closing = "}}" if opening.value == "{{" else "%}"
            line_end = self.text.find("\n", opening.start)
            line_end = len(self.text) if line_end < 0 else line_end
            closed = self.text.find(closing, opening.start, line_end)
            again = self.text.find("{{", opening.start + 2, line_end)
            if is_end or closed < 0 or -1 < again < closed:
                end = line_end if is_end else token.start + (token.value == "}")
                end = max(len(self.text[: min(end, line_end)].rstrip()), opening.end)
                message = f"`{opening.value}` is not closed with `{closing}`"
                self.refuse(message, opening.start, end)
                return False
        if is_end:
            end = len(self.text)
            self.refuse(f"expected {expected} before the end of the text", end, end)
        else:
            written = self.text[token.start : token.end]
            self.refuse(f"expected {expected}, not `{written}`", token.start, token.end)
        return False
