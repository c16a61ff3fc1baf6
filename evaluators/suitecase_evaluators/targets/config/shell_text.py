"""Where the shell reads a placeholder of a command line otherwise than as a word of its own.

Values are put in with quotes of their own where they need any. That makes a word of a value only
where the shell reads quotes: not inside others, in a comment, in a here-document or in backquotes.
https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html (2.2, 2.3, 2.6.3, 2.7.4)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

#: A name in braces. `${NAME}` is the shell's own, and `${{ NAME }}` the environment's.
TEMPLATE_NAME = re.compile(r"(?<![${])\{([A-Z][A-Z_]*|path|basename)\}")
Enclosure = Literal["quotes", "backquotes", "a comment", "a here-document"]
#: The start of a here-document: whether tabs are stripped, and the word that ends it.
_HERE_DOCUMENT = re.compile(
    r"<<(?!<)(-?)[ \t]*(?:'([^'\n]+)'|\"([^\"\n]+)\"|\\?([^\s'\"<>|&;()]+))"
)


class Enclosed(NamedTuple):
    """A placeholder that its value would break out of, unless it needs no quotes."""

    name: str
    start: int
    within: Enclosure

    @property
    def end(self) -> int:
        """Where it ends, its braces included."""
        return self.start + len(self.name) + 2


def open_quote(template: str) -> int | None:
    """Return where the quote of the shell starts that is open at the end of a command line."""
    opening: int | None = None
    escaped = False
    for place, character in enumerate(template):
        quote = "" if opening is None else template[opening]
        if escaped:
            escaped = False
        elif character == "\\" and quote != "'":
            escaped = True
        elif character in "'\"" and quote in ("", character):
            opening = None if quote else place
    return opening


def enclosed_names(template: str) -> tuple[Enclosed, ...]:
    """Return the placeholders that do not stand as words of their own, in their order."""
    starts = {match.start(): match.group(1) for match in TEMPLATE_NAME.finditer(template)}
    return tuple(_Reader(template, starts).enclosed()) if starts else ()


class _Reader:
    """Reads a command line as `sh` does, as far as placeholders are concerned."""

    def __init__(self, template: str, starts: Mapping[int, str]) -> None:
        self._template, self._starts = template, starts
        self._quote = ""
        self._in_backquotes = False
        self._in_comment = False
        #: The here-documents whose text begins with the next line.
        self._awaited: list[re.Match[str]] = []
        self._found: list[Enclosed] = []

    def enclosed(self) -> list[Enclosed]:
        place = 0
        while place < len(self._template):
            within = self._within()
            if within is not None and place in self._starts:
                self._found.append(Enclosed(self._starts[place], place, within))
            place = self._read(place)
        return self._found

    def _within(self) -> Enclosure | None:
        if self._in_comment:
            return "a comment"
        if self._quote:
            return "quotes"
        return "backquotes" if self._in_backquotes else None

    def _read(self, place: int) -> int:
        """Parse the text at an offset; return where to continue."""
        template, character = self._template, self._template[place]
        if character == "\n" and not self._quote:
            self._in_comment = False
            return self._here_documents(place + 1)
        if self._in_comment:
            return place + 1
        if character == "\\" and self._quote != "'":
            return place + 2
        if character in "'\"" and self._quote in ("", character):
            self._quote = "" if self._quote else character
        elif character == "`" and self._quote != "'":
            self._in_backquotes = not self._in_backquotes
        elif not self._quote and character == "#" and template[place - 1 : place] in _WORD_ENDS:
            self._in_comment = True
        elif not self._quote and (begins := _HERE_DOCUMENT.match(template, place)):
            self._awaited.append(begins)
            return begins.end()
        elif template.startswith("<<<", place):
            return place + 3
        return place + 1

    def _here_documents(self, place: int) -> int:
        """Read the texts of the here-documents that begin at a line; returns where they end."""
        awaited, self._awaited = self._awaited, []
        for begins in awaited:
            word = begins[2] or begins[3] or begins[4]
            while place < len(self._template):
                end = self._template.find("\n", place)
                after = len(self._template) if end < 0 else end + 1
                line = self._template[place:after].rstrip("\n")
                if (line.lstrip("\t") if begins[1] else line) == word:
                    place = after
                    break
                self._found += [
                    Enclosed(name, start, "a here-document")
                    for start, name in self._starts.items()
                    if place <= start < after
                ]
                place = after
        return place


#: The end of a word, after which `#` starts a comment.
_WORD_ENDS = frozenset({"", " ", "\t", "\n", ";", "&", "|", "(", ")"})
