"""The lines of a case, for copying."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from suitecase.editor.refactoring.meaning import meaning, reread_whole
from suitecase.editor.refactoring.part import Part
from suitecase.format.rewriting.lines import apply, dash_of, line_end, line_start, newline
from suitecase.format.rewriting.names import plain_name
from suitecase.format.rule import Edit
from suitecase.formats.suitecase.model import Case
from suitecase.formats.suitecase.parsed import ParsedCase, case_id_text
from suitecase.text.emitting import in_quotes
from suitecase.text.node import Mapping, Node, Scalar, Span


@dataclass(frozen=True, slots=True)
class CaseText:
    """A case on lines of its own.

    Attributes:
        part: the case as a part of its suite.
        node: its entries, with spans in the part's text.
        id: its id.
        model: its model.
        lines: its lines, as a span of the part's text.
        newline: the line break of the document.
    """

    part: Part
    node: Mapping
    id: Scalar
    model: Case
    lines: Span
    newline: str

    @property
    def text(self) -> str:
        return self.part.text

    def free_ids(self, endings: Iterable[str]) -> list[str]:
        """Return unused ids: the case's own with each of the endings."""
        taken = set(self.part.suite.case_index.values(case_id_text))
        ids: list[str] = []
        for ending in endings:
            base = new = f"{self.id.text}-{ending}"
            number = 1
            while new in taken:
                number += 1
                new = f"{base}-{number}"
            taken.add(new)
            ids.append(new)
        return ids

    def copy(self, new_id: str | None, edits: Sequence[Edit] = ()) -> str:
        """Return the lines with edits applied, with a new id if one is given."""
        named = [] if new_id is None else [Edit(self.id.span, _spelled(self.id, new_id))]
        return apply(self.text, [*named, *edits], self.lines).rstrip("\r\n")

    def replaced(self, cases: Sequence[str]) -> Edit:
        """Return the edit of the document that replaces this case with others."""
        start, end = self.lines
        own = self.text[start:end]
        ending = own[len(own.rstrip("\r\n")) :]
        rest_of_line = self.text[end : line_end(self.text, end)]
        # If a blank line follows the case, there is one between any two.
        blank_line = not self.part.is_json and end < len(self.text) and not rest_of_line.strip()
        between = self.newline * (2 if blank_line else 1)
        return Edit(self.part.piece.absolute(self.lines), between.join(cases) + ending)

    def replace_checked(
        self, cases: Sequence[str], expected: Sequence[dict[str, Any]]
    ) -> Edit | None:
        """Return the edit that replaces this case with others.

        The result is parsed again: None unless the suite then has the expected cases there, and all
        its other cases.
        """
        edit = self.replaced(cases)
        number, suite = self.part.number or 0, self.part.suite
        reparsed = reread_whole(suite, (edit,))
        if len(reparsed.cases) != len(suite.cases) + len(expected) - 1:
            return None
        models = [case.model for case in reparsed.cases[number : number + len(expected)]]
        return edit if [model and meaning(model) for model in models] == list(expected) else None


def case_text(part: Part) -> CaseText | None:
    """Return the lines of a part's case; None if they cannot be copied."""
    parsed_case = part.written
    # A duplicated anchor would change the meaning of aliases after the copy.
    if (
        not isinstance(parsed_case, ParsedCase)
        or parsed_case.model is None
        or parsed_case.content.anchors
    ):
        return None
    node, text = parsed_case.content.node, part.text
    id_ = node.get("id") if isinstance(node, Mapping) else None
    if not isinstance(node, Mapping) or not isinstance(id_, Scalar) or node.entries["id"].merged:
        return None
    if not part.suite.document.segmented:
        return None
    if part.is_json:
        document = part.suite.document.text
        return CaseText(part, node, id_, parsed_case.model, Span(0, len(text)), newline(document))
    dash = dash_of(text, node)
    end = next_line_start(text, node)
    if dash is None or end is None:
        return None
    return CaseText(
        part, node, id_, parsed_case.model, Span(line_start(text, dash), end), newline(text)
    )


def next_line_start(text: str, node: Node) -> int | None:
    """Return the start of the line after a node; None if something else follows on its line."""
    end = line_end(text, node.end)
    if text[node.end - 1 : node.end] == "\n":
        return node.end
    rest = text[node.end : end].strip()
    return end if not rest or rest.startswith("#") else None


def _spelled(id_: Scalar, new: str) -> str:
    """Return the new id in the quotes of the old one."""
    if id_.style == "'":
        return "'" + new.replace("'", "''") + "'"
    return in_quotes(new) if id_.style == '"' else plain_name(new)
