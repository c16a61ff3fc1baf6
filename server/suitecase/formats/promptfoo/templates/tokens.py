"""The tokens of a template: text, comments, and the code between `{{ }}` and `{% %}`.

nunjucks splits a text into tokens in its own way; where Jinja does it differently, this does as
nunjucks does. A name, for instance, is anything without blanks and delimiters.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import NamedTuple

from suitecase.formats.promptfoo.templates.javascript import BLANKS

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
