"""The tokens of a template: text, comments, and the code between `{{ }}` and `{% %}`; and a cursor between them.

nunjucks splits a text into tokens in its own way; where Jinja does it differently, this does as
nunjucks does. A name, for instance, is anything without blanks and delimiters.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import NamedTuple

from suitecase.formats.promptfoo.templates.javascript import BLANKS
from suitecase.formats.promptfoo.templates.uses import Name

#: White space between tokens of code.
_BETWEEN = " \n\t\r\xa0"
_DELIMITERS = r"()\[\]{}%*\-+~/#,:|.<>=!"
_CODE = re.compile(
    rf"""
    [{_BETWEEN}]*(?:
    (?P<name>[^{_BETWEEN}{_DELIMITERS}"'r][^{_BETWEEN}{_DELIMITERS}]*)
    |(?P<string>"[^"\\]*(?:\\(?:.|\Z)[^"\\]*)*(?:"|\Z)|'[^'\\]*(?:\\(?:.|\Z)[^'\\]*)*(?:'|\Z))
    |(?P<block_end>-?%\}})
    |(?P<variable_end>-?\}}\}})
    |(?P<regex>r/(?:\\/|[^/])*(?:/|\Z)[gimy]*)
    |(?P<operator>===|!==|==|!=|<=|>=|//|\*\*|[{_DELIMITERS}])
    |(?P<other_name>[^{_BETWEEN}{_DELIMITERS}]+)
    |\Z)
    """,
    re.VERBOSE | re.DOTALL,
)
_FRACTION = re.compile(r"\.[0-9]*")
_NUMBER = re.compile(r"[0-9]+")
_CONSTANTS = frozenset(("true", "false", "none", "null"))
#: Where text may end: at the start of code or of a comment, or at a stray end of a comment.
_TEXT_END = re.compile(r"\{[{%#]|#\}")
_RAW_ENDS = {
    tag: re.compile(rf"\{{%[{BLANKS}]*({tag}|end{tag})[{BLANKS}]*%\}}")
    for tag in ("raw", "verbatim")
}

#: How deep expressions and blocks may be nested to be read.
MAX_DEPTH = 40


class Kind(Enum):
    """What a token is."""

    TEXT = auto()
    COMMENT = auto()
    BLOCK_START = auto()
    BLOCK_END = auto()
    VARIABLE_START = auto()
    VARIABLE_END = auto()
    NAME = auto()
    LITERAL = auto()
    STRING = auto()
    OPERATOR = auto()
    #: What nunjucks refuses in a text; its value says why.
    REFUSED = auto()
    #: The end of the template.
    END = auto()


class Token(NamedTuple):
    """A token and its place; the value of a string is without its quotes."""

    kind: Kind
    value: str
    start: int
    end: int


_KINDS = {
    "name": Kind.NAME,
    "other_name": Kind.NAME,
    "string": Kind.STRING,
    "block_end": Kind.BLOCK_END,
    "variable_end": Kind.VARIABLE_END,
    "regex": Kind.LITERAL,
    "operator": Kind.OPERATOR,
}


class Tokens:
    """The tokens of a text, one after the other."""

    def __init__(self, text: str) -> None:
        self.text = text
        #: Where the next token starts.
        self.place = 0

    def in_text(self) -> Token:
        """Return the next token outside of code; what stands before it is text."""
        text = self.text
        found = _TEXT_END.search(text, self.place)
        if found is None:
            end = len(text)
            return Token(Kind.END, "", end, end)
        start, opening = found.start(), found[0]
        if opening == "{{" or opening == "{%":
            self.place = start + 3 if text.startswith("-", start + 2) else start + 2
            kind = Kind.VARIABLE_START if opening == "{{" else Kind.BLOCK_START
            return Token(kind, opening, start, self.place)
        if opening == "#}":
            message = "`#}` closes no comment; nunjucks refuses it outside of `{# ... #}`"
            return Token(Kind.REFUSED, message, start, start + 2)
        end = text.find("#}", start + 2)
        if end < 0:
            message = "the comment is not closed; expected `#}`"
            return Token(Kind.REFUSED, message, start, start + 2)
        self.place = end + 2
        return Token(Kind.COMMENT, "", start, self.place)

    def in_code(self) -> Token:
        """Return the next token of code."""
        match = _CODE.match(self.text, self.place)
        group = match.lastgroup if match else None
        if match is None or group is None:
            self.place = len(self.text)
            return Token(Kind.END, "", self.place, self.place)
        value = match[group]
        end = match.end()
        start = end - len(value)
        kind = _KINDS[group]
        if kind is Kind.NAME:
            if value in _CONSTANTS:
                kind = Kind.LITERAL
            elif "0" <= value[0] <= "9" and _NUMBER.fullmatch(value):
                kind = Kind.LITERAL
                fraction = _FRACTION.match(self.text, end)
                end = fraction.end() if fraction else end
        elif kind is Kind.STRING:
            value = value[1:-1]
        self.place = end
        return Token(kind, value, start, end)

    def raw(self, tag: str) -> Token:
        """Return a token for the text of a raw block, up to the tag that ends it; go on behind that tag.

        Where none ends it, nunjucks reads what stands behind the last one as any text.
        """
        start = end = self.place
        level = 1
        while level and (match := _RAW_ENDS[tag].search(self.text, self.place)):
            level += 1 if match[1] == tag else -1
            self.place = match.end()
            if not level and "\n" in match[0]:
                # nunjucks fails when it steps back over the line break.
                message = f"`end{tag}` is not on the line of its braces"
                return Token(Kind.REFUSED, message, *match.span())
            end = match.end() if level else match.start()
        return Token(Kind.TEXT, "", start, end)


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
