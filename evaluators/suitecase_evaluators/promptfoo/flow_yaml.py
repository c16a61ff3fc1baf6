"""Parses YAML flow mappings: JSON as people write it, with comments and without quotes.

promptfoo accepts as a JSON object what js-yaml parses as one, by the core schema of YAML 1.2 with merge
keys and dates. Only flow collections are parsed here.
"""

from __future__ import annotations

import math
import re
from typing import Any, Final, NoReturn

#: The maximum nesting depth, as in js-yaml.
MOST_NESTED: Final = 100

_BREAK: Final = re.compile(r"\r\n?|\n")
_SPACES: Final = re.compile(r"[ \t]*")
_COMMENT: Final = re.compile(r"#[^\r\n]*")
_DOCUMENT: Final = re.compile(r"(?:---|\.\.\.)(?=[ \t\r\n]|\Z)")
_UNPRINTABLE: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]"
)
#: Characters that cannot start a plain scalar; `-` and `?` can if something follows.
_NOT_PLAIN: Final = frozenset("#&*!|>'\"%@`,[]{}")
_FLOW: Final = frozenset(",[]{}")
_BLANK: Final = frozenset(" \t\r\n")
_PLAIN: Final = re.compile(r"(?:[^:#,\[\]{}\r\n]|:(?![ \t\r\n,\[\]{}]|\Z)|(?<![ \t\r\n])#)*")
_NAME: Final = re.compile(r"[^ \t\r\n,\[\]{}]+")
_SINGLE: Final = re.compile(r"'((?:[^']|'')*+)'")
_DOUBLE: Final = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
#: It starts at the first of several blanks, since trying each of them takes long.
_FOLDED: Final = re.compile(r"(?<![ \t])[ \t]*+(\r\n?|\n)[ \t\r\n]*")
_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL
)
_ESCAPES: Final = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f",
    "r": "\r", "e": "\x1b", " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0",
    "L": "\u2028", "P": "\u2029",
}  # fmt: skip

_WORDS: Final = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER: Final = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+|[-+]?[0-9]+")
_FLOAT: Final = re.compile(
    r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_DATE: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}"
    r":[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?"
)
_EXACT: Final = 2**53


class NotYamlError(ValueError):
    """A text is not a YAML flow mapping."""


def read_mapping(text: str) -> dict[str, Any]:
    """Parse a text that starts with a brace. Only a comment may follow the mapping.

    Raises:
        NotYamlError: it is not a mapping.
    """
    reader = _Reader(text)
    value = reader.collection(1)
    reader.skip()
    if reader.at < len(text) or not isinstance(value, dict):
        reader.fail()
    return value


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def fail(self) -> NoReturn:
        raise NotYamlError(f"not YAML at character {self.at}")

    @property
    def char(self) -> str:
        return self.text[self.at : self.at + 1]

    def skip(self, *, comments: bool = True) -> None:
        """Skip white space, line breaks and comments."""
        while True:
            before = self.at
            self._take(_SPACES)
            if comments and (self.at > before or self.text[self.at - 1 : self.at] in _BLANK):
                self._take(_COMMENT)
            if not self._take(_BREAK):
                return
            if _DOCUMENT.match(self.text, self.at):
                self.fail()

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        if found is None:
            return ""
        self.at = found.end()
        return found[0]

    def collection(self, depth: int) -> dict[str, Any] | list[Any]:
        """Parse a mapping or a list."""
        is_mapping = self.char == "{"
        end = "}" if is_mapping else "]"
        pairs: list[tuple[Any, Any]] = []
        items: list[Any] = []
        self.at += 1
        after_comma = True
        while True:
            self.skip()
            if self.char == end:
                self.at += 1
                return _mapping(pairs) if is_mapping else items
            if not after_comma or self.char in ("", ","):
                self.fail()
            item, pair = self._entry(is_mapping, depth)
            if is_mapping:
                pairs.append(pair or (item, None))
            else:
                items.append(_mapping([pair]) if pair else item)
            after_comma = self.char == ","
            self.at += after_comma

    def _entry(self, in_mapping: bool, depth: int) -> tuple[Any, tuple[Any, Any] | None]:
        """Parse an entry: a node, or a pair of a key and its value."""
        explicit = self.char == "?" and self.text[self.at + 1 : self.at + 2] in _BLANK
        if explicit:
            self.at += 1
            self.skip()
        start = self.at
        key = self._node(depth)
        self.skip()
        same_line = _BREAK.search(self.text, start, self.at) is None
        if self.char == ":" and (in_mapping or explicit or same_line):
            self.at += 1
            self.skip()
            value = self._node(depth)
            self.skip()
            return None, (key, value)
        return key, (key, None) if explicit else None

    def _node(self, depth: int) -> Any:
        """Parse a node; an empty one is null."""
        if depth >= MOST_NESTED:
            self.fail()
        while self.char == "&":  # an anchor, to which no alias can refer
            self.at += 1
            if not self._take(_NAME):
                self.fail()
            self._take(_SPACES)
            if self.char in ("\r", "\n"):
                self.fail()
        match self.char:
            case "{" | "[":
                return self.collection(depth + 1)
            case "'":
                return self._quoted(_SINGLE, lambda it: _folded(it).replace("''", "'"))
            case '"':
                return self._quoted(_DOUBLE, _unescaped)
            case "!" if self.text[self.at + 1 : self.at + 2] in _FLOW:
                self.at += 1
                return ""
            case "*" | "!":
                self.fail()  # aliases and tags are not supported
        return self._plain()

    def _quoted(self, pattern: re.Pattern[str], read: Any) -> str:
        found = pattern.match(self.text, self.at)
        if found is None or _CONTROL.search(found[1]):
            self.fail()
        for line in _BREAK.finditer(found[1]):
            if _DOCUMENT.match(found[1], line.end()):
                self.fail()
        self.at = found.end()
        try:
            text: str = read(found[1])
        except (KeyError, ValueError):
            self.fail()
        return text

    def _plain(self) -> Any:
        following = self.text[self.at + 1 : self.at + 2]
        if self.char in _NOT_PLAIN or (
            self.char in ("-", "?") and (not following or following in _BLANK | _FLOW)
        ):
            return None
        start = end = self.at
        while True:
            line = self._take(_PLAIN)
            if line.rstrip(" \t"):
                end = self.at - len(line) + len(line.rstrip(" \t"))
            if self.char not in ("\r", "\n"):
                break
            self.skip(comments=False)
        self.at = end
        text = self.text[start:end]
        if _UNPRINTABLE.search(text):
            self.fail()
        return _resolved(_folded(text))


def _folded(text: str) -> str:
    """Fold lines: a line break becomes a space, and each empty line a line break."""

    def fold(found: re.Match[str]) -> str:
        breaks = len(_BREAK.findall(found[0]))
        return " " if breaks == 1 else "\n" * (breaks - 1)

    return _FOLDED.sub(fold, text)


def _unescaped(text: str) -> str:
    # A backslash at the end of a line joins it with the next one.
    parts = re.split(r"(?<!\\)((?:\\\\)*)\\(?:\r\n?|\n)[ \t]*", text)
    joined = "".join(it if number % 2 else _folded(it) for number, it in enumerate(parts))

    def character(found: re.Match[str]) -> str:
        code = found[1] or found[2] or found[3]
        return chr(int(code, 16)) if code else _ESCAPES[found[4]]

    whole = _ESCAPE.sub(character, joined)
    # A pair of surrogates is one character, as in JavaScript.
    return whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _resolved(text: str) -> Any:
    """Return the value of a plain scalar."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        digits = text[2:] if base != 10 else text
        number = int(digits, base) if len(digits) < 400 else math.inf
        if abs(number) < _EXACT:
            return number
        return text if math.isinf(number) else _double(number, text)
    if _FLOAT.fullmatch(text):
        word = text.lower().lstrip("+-")
        if word in (".inf", ".nan"):
            return float(text.lower().replace(".", ""))
        value = float(text)
        return text if math.isinf(value) else value
    # A date is a JavaScript object without properties of its own.
    return _Date() if _DATE.fullmatch(text) else text


def _double(number: float, text: str) -> Any:
    try:
        return float(number)
    except OverflowError:
        return text


class _Date(dict[str, Any]):
    """A date: an empty object, which cannot be a key."""


def _mapping(pairs: list[tuple[Any, Any]]) -> dict[str, Any]:
    from suitecase_evaluators.promptfoo.ecmascript import as_text

    mapping: dict[str, Any] = {}
    merged: dict[str, Any] = {}
    for key, value in pairs:
        if isinstance(key, dict | list):
            raise NotYamlError("a key is not a scalar")
        if key == "<<":
            for part in value if isinstance(value, list) else [value]:
                if not isinstance(part, dict):
                    raise NotYamlError("only mappings can be merged")
                merged = {**part, **merged}
            continue
        mapping[as_text(key)] = value
    return {**merged, **mapping}
