"""JSON texts whose line numbers are filled in later, so that they can be cached while text moves."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from suitecase.lsp.protocol import JsonText
from suitecase.lsp.session import Session
from suitecase.text.cache import Cache
from suitecase.text.document import Document

#: Placeholder for a line number; never a complete text of ours.
LINE = "\0"
_LINE = json.dumps(LINE)


@dataclass(frozen=True, slots=True)
class LineRelativeJson:
    """Values as JSON, separated by commas, with `%d` in place of line numbers.

    `lines` are these numbers, relative to the first line of the subject.
    """

    text: str
    lines: tuple[int, ...]

    @classmethod
    def of(cls, values: Iterable[Any], lines: Iterable[int]) -> LineRelativeJson:
        """Serialize values that have `LINE` in place of line numbers."""
        texts = [json.dumps(value, separators=(",", ":")) for value in values]
        return cls(",".join(texts).replace("%", "%%").replace(_LINE, "%d"), tuple(lines))

    @classmethod
    def of_diagnostics(
        cls, session: Session, uri: str, line: int, diagnostics: Iterable[types.Diagnostic]
    ) -> LineRelativeJson:
        """Serialize diagnostics.

        Args:
            session: the session of the client they are for.
            uri: the URI of their document; positions in other documents are absolute.
            line: the first line of their subject.
            diagnostics: the diagnostics of one subject.
        """
        values: list[Any] = []
        lines: list[int] = []
        for diagnostic in diagnostics:
            value = session.rpc.unstructured(diagnostic)
            related = value.get("relatedInformation") or ()
            places = (
                information["location"]
                for information in related
                if information["location"]["uri"] == uri
            )
            for place in (value, *places):
                for end in (place["range"]["start"], place["range"]["end"]):
                    lines.append(end["line"] - line)
                    end["line"] = LINE
            values.append(value)
        return cls.of(values, lines)

    def at(self, line: int) -> JsonText:
        """Return the JSON for a subject that now begins on a line."""
        return JsonText(self.text % tuple([line + it for it in self.lines]))


@dataclass(frozen=True, slots=True)
class CachedJson:
    """A JSON text as last rendered at a line."""

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
    """Return a JSON text per case, cached by the case's content.

    Args:
        document: a document parsed case by case.
        first_lines: the first line of each case.
        cache: the cache of the texts.
        make: returns the text of a case by its number.
        depends_on: other inputs of the texts; when they change, the texts are rebuilt.
    """
    texts: list[JsonText] = []
    for number, (content, line) in enumerate(
        zip(document.cases.contents, first_lines, strict=True)
    ):
        cached = cache.get(content)
        if cached is None or cached.line != line or cached.depends_on != depends_on:
            is_other = cached is None or cached.depends_on != depends_on
            movable = make(number) if cached is None or is_other else cached.movable
            cached = CachedJson(movable, line, movable.at(line), depends_on)
            cache.set(content, cached)
        texts.append(cached.text)
    return texts
