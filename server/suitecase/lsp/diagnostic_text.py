"""Diagnostics as JSON texts that move with what they are about: only line numbers are filled in."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from lsprotocol import types

from suitecase.lsp.protocol import JsonText
from suitecase.lsp.session import Session


@dataclass(frozen=True, slots=True)
class MovableText:
    """Diagnostics as JSON, with commas between them and `%d` for the lines of their document.

    `lines` are those, counted from the line that what they are about begins on.
    """

    text: str
    lines: tuple[int, ...]

    @classmethod
    def of(
        cls, session: Session, uri: str, line: int, diagnostics: Iterable[types.Diagnostic]
    ) -> MovableText:
        """Return diagnostics as such a text.

        Args:
            session: whose client they are for.
            uri: their document; places in others stay where they are.
            line: that what they are about begins on.
        """
        texts: list[str] = []
        lines: list[int] = []
        for diagnostic in diagnostics:
            value = session.rpc.unstructured(diagnostic)
            related = value.get("relatedInformation") or ()
            places = (it["location"] for it in related if it["location"]["uri"] == uri)
            for place in (value, *places):
                for end in (place["range"]["start"], place["range"]["end"]):
                    lines.append(end["line"] - line)
                    end["line"] = "\0"  # no text of ours is this alone
            texts.append(
                json.dumps(value, separators=(",", ":"))
                .replace("%", "%%")
                .replace('"\\u0000"', "%d")
            )
        return cls(", ".join(texts), tuple(lines))

    def at(self, line: int) -> JsonText:
        """Return the text for where what it is about begins now."""
        return JsonText(self.text % tuple([line + it for it in self.lines]))
