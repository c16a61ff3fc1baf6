"""JSON texts that move with what they are about: only line numbers are filled in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from suitecase.lsp.protocol import JsonText
from suitecase.lsp.session import Session
from suitecase.syntax.document import Document

#: Stands for a line in a value that becomes such a text; no text of ours is this alone.
LINE = "\0"
_LINE = json.dumps(LINE)


@dataclass(frozen=True, slots=True)
class MovableText:
    """Values as JSON, with commas between them and `%d` for the lines of their document.

    `lines` are those, counted from the line that what they are about begins on.
    """

    text: str
    lines: tuple[int, ...]

    @classmethod
    def of(cls, values: Iterable[Any], lines: Iterable[int]) -> MovableText:
        """Return values as such a text; where a line stands they have `LINE`."""
        texts = [json.dumps(it, separators=(",", ":")) for it in values]
        return cls(",".join(texts).replace("%", "%%").replace(_LINE, "%d"), tuple(lines))

    @classmethod
    def of_diagnostics(
        cls, session: Session, uri: str, line: int, diagnostics: Iterable[types.Diagnostic]
    ) -> MovableText:
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
class _Told:
    movable: MovableText
    line: int
    text: JsonText


def texts_of_cases(
    document: Document, first_lines: list[int], name: str, make: Callable[[int], MovableText]
) -> list[JsonText]:
    """Return a text about each case, made once and kept with what the case holds.

    Args:
        document: a document that was parsed case by case.
        first_lines: the line that each case starts.
        name: of what is told: texts of one name follow from the case alone.
        make: returns that of a case, by its number.
    """
    told: list[JsonText] = []
    for number, (content, line) in enumerate(
        zip(document.cases.contents, first_lines, strict=True)
    ):
        memo = content.memo
        known: _Told | None = memo.get(name)
        if known is None or known.line != line:
            movable = make(number) if known is None else known.movable
            known = memo[name] = _Told(movable, line, movable.at(line))
        told.append(known.text)
    return told
