"""JSON texts that move with what they are about: only line numbers are filled in."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from suitecase.lsp.protocol import JsonText
from suitecase.lsp.session import Session
from suitecase.syntax.cache import Cache
from suitecase.syntax.document import Document

#: Stands for a line in a value that becomes such a text; no text of ours is this alone.
LINE = "\0"
_LINE = json.dumps(LINE)


@dataclass(frozen=True, slots=True)
class LineRelativeJson:
    """Values as JSON, with commas between them and `%d` for the lines of their document.

    `lines` are those, counted from the line that what they are about begins on.
    """

    text: str
    lines: tuple[int, ...]

    @classmethod
    def of(cls, values: Iterable[Any], lines: Iterable[int]) -> LineRelativeJson:
        """Return values as such a text; where a line stands they have `LINE`."""
        texts = [json.dumps(it, separators=(",", ":")) for it in values]
        return cls(",".join(texts).replace("%", "%%").replace(_LINE, "%d"), tuple(lines))

    @classmethod
    def of_diagnostics(
        cls, session: Session, uri: str, line: int, diagnostics: Iterable[types.Diagnostic]
    ) -> LineRelativeJson:
        """Return diagnostics as such a text.

        Args:
            session: whose client they are for.
            uri: their document; places in others stay where they are.
            line: that what they are about begins on.
            diagnostics: those of one thing.
        """
        values: list[Any] = []
        lines: list[int] = []
        for diagnostic in diagnostics:
            value = session.rpc.unstructured(diagnostic)
            related = value.get("relatedInformation") or ()
            places = (it["location"] for it in related if it["location"]["uri"] == uri)
            for place in (value, *places):
                for end in (place["range"]["start"], place["range"]["end"]):
                    lines.append(end["line"] - line)
                    end["line"] = LINE
            values.append(value)
        return cls.of(values, lines)

    def at(self, line: int) -> JsonText:
        """Return the text for where what it is about begins now."""
        return JsonText(self.text % tuple([line + it for it in self.lines]))


@dataclass(frozen=True, slots=True)
class CachedJson:
    """A text as it was last put at a line."""

    movable: LineRelativeJson
    line: int
    text: JsonText
    depends_on: Hashable


def texts_of_cases(
    document: Document,
    first_lines: list[int],
    cache: Cache[CachedJson],
    make: Callable[[int], LineRelativeJson],
    depends_on: Hashable = None,
) -> list[JsonText]:
    """Return a text about each case, made once and kept with what the case holds.

    Args:
        document: a document that was parsed case by case.
        first_lines: the line that each case starts.
        cache: keeps the texts.
        make: returns that of a case, by its number.
        depends_on: what the texts follow from beside the case; where it is another, they are made
            again.
    """
    told: list[JsonText] = []
    for number, (content, line) in enumerate(
        zip(document.cases.contents, first_lines, strict=True)
    ):
        known = cache.get(content)
        if known is None or known.line != line or known.depends_on != depends_on:
            is_other = known is None or known.depends_on != depends_on
            movable = make(number) if known is None or is_other else known.movable
            known = CachedJson(movable, line, movable.at(line), depends_on)
            cache.set(content, known)
        told.append(known.text)
    return told
