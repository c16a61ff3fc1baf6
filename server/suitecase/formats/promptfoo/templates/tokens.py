"""The tokens of a template: text, comments, and the code between `{{ }}` and `{% %}`.

nunjucks splits a text into tokens in its own way; where Jinja does it differently, this does as
nunjucks does. A name, for instance, is anything without blanks and delimiters.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import NamedTuple

_BLANKS = " \n\t\r\xa0"
_DELIMITERS = r"()\[\]{}%*\-+~/#,:|.<>=!"
_CODE = re.compile(
    rf"""
    (?P<blank>[{_BLANKS}]+)
    |(?P<string>"[^"\\]*(?:\\(?:.|\Z)[^"\\]*)*(?:"|\Z)|'[^'\\]*(?:\\(?:.|\Z)[^'\\]*)*(?:'|\Z))
    |(?P<block_end>-?%\}})
    |(?P<variable_end>-?\}}\}})
    |(?P<regex>r/(?:\\/|[^/])*(?:/|\Z)[gimy]*)
    |(?P<operator>===|!==|==|!=|<=|>=|//|\*\*|[{_DELIMITERS}])
    |(?P<name>[^{_BLANKS}{_DELIMITERS}]+)
    """,
    re.VERBOSE | re.DOTALL,
)
_FRACTION = re.compile(r"\.[0-9]*")
_NUMBER = re.compile(r"[0-9]+")
#: Where text may end: at the start of code or of a comment, or at a stray end of a comment.
_TEXT_END = re.compile(r"\{[{%#]|#\}")
_RAW_ENDS = {
    tag: re.compile(rf"\{{%\s*({tag}|end{tag})\s*%\}}", re.DOTALL) for tag in ("raw", "verbatim")
}


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


class Token(NamedTuple):
    """A token and its place; the value of a string is without its quotes."""

    kind: Kind
    value: str
    start: int
    end: int


class RefusedError(Exception):
    """A text that nunjucks refuses: why, and the place of what it refuses."""

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end


class Tokens:
    """The tokens of a text, one after the other."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        #: Where the code that is being read starts; None in text.
        self.code_start: int | None = None

    def next(self) -> Token | None:
        """Return the next token without blanks; None at the end of the text."""
        while self.place < len(self.text):
            token = self._text_token() if self.code_start is None else self._code_token()
            if token is not None:
                return token
        return None

    def _text_token(self) -> Token:
        text, start = self.text, self.place
        match text[start : start + 2]:
            case "{{" | "{%" as opening:
                self.code_start = start
                self.place = start + 2 + text.startswith("-", start + 2)
                kind = Kind.VARIABLE_START if opening == "{{" else Kind.BLOCK_START
                return Token(kind, opening, start, self.place)
            case "{#":
                end = text.find("#}", start + 2)
                if end < 0:
                    raise RefusedError("the comment is not closed; expected `#}`", start, start + 2)
                self.place = end + 2
                return Token(Kind.COMMENT, "", start, self.place)
            case _:
                pass
        found = _TEXT_END.search(text, start)
        if found and found.group() == "#}":
            message = "`#}` closes no comment; nunjucks refuses it outside of `{# ... #}`"
            raise RefusedError(message, found.start(), found.end())
        self.place = found.start() if found else len(text)
        return Token(Kind.TEXT, "", start, self.place)

    def _code_token(self) -> Token | None:
        match = _CODE.match(self.text, self.place)
        if match is None:  # every character is a blank, a delimiter or part of a name
            raise RefusedError("this cannot be read", self.place, self.place + 1)
        start, end = match.span()
        value = match.group()
        kind = Kind.OPERATOR
        match match.lastgroup:
            case "blank":
                self.place = end
                return None
            case "string":
                kind, value = Kind.STRING, value[1:-1]
            case "block_end":
                kind, self.code_start = Kind.BLOCK_END, None
            case "variable_end":
                kind, self.code_start = Kind.VARIABLE_END, None
            case "regex":
                kind = Kind.LITERAL
            case "name":
                kind = Kind.NAME
                if _NUMBER.fullmatch(value):
                    fraction = _FRACTION.match(self.text, end)
                    end = fraction.end() if fraction else end
                    kind = Kind.LITERAL
                elif value in ("true", "false", "none", "null"):
                    kind = Kind.LITERAL
            case _:
                pass
        self.place = end
        return Token(kind, value, start, end)

    def skip_raw(self, tag: str) -> None:
        """Go on behind the tag that ends a raw block; where none does, nunjucks reads it as any text."""
        level = 1
        while level and (match := _RAW_ENDS[tag].search(self.text, self.place)):
            level += 1 if match[1] == tag else -1
            self.place = match.end()
            if not level and "\n" in match.group():
                # nunjucks fails when it steps back over the line break.
                raise RefusedError(f"`end{tag}` is not on the line of its braces", *match.span())
