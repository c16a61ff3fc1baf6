"""Edits that add suppression comments."""

from __future__ import annotations

from suitecase.format.comments import JSON_KEY
from suitecase.format.rule import Edit, Finding
from suitecase.format.suppression import Suppressions, case_on, is_json
from suitecase.text.document import Document
from suitecase.text.lines import LINE_BREAK
from suitecase.text.node import Mapping, Span


def suppress_edit(document: Document, finding: Finding) -> Edit | None:
    """Return the edit that suppresses a finding with a comment: `# suitecase: ignore[SC201]`.

    The code is added to an existing suppression comment on the line. For a finding in a text of
    several lines, which cannot contain comments, the comment goes above the first line of the text.

    Returns:
        the edit, in places of the document; None if the finding cannot be suppressed: an error
        that cannot be graded, or a finding in text that does not parse. In a data set, a key of
        the case is used, since JSON has no comments.
    """
    suppressions = Suppressions(document)
    if finding.rule.cannot_be_silenced or not suppressions.can_stand(finding.span.start):
        return None
    text, lines = document.text, document.lines
    line = lines.position(finding.span.start)[0]
    around = suppressions.text_around(finding.span.start)
    for suppression in suppressions.silencing(finding.span.start):
        names = suppressions.used(suppression, frozenset()).names
        if suppression.scope == "line" and names:
            end = names[-1][1].end
            return Edit(Span(end, end), f", {finding.code}")
    if is_json(document):
        return _key_edit(document, suppressions, finding)
    comment = f"# suitecase: ignore[{finding.code}]"
    end = lines.start(line) + len(lines.text(line))
    if around.start == around.end:
        around = suppressions.text_around(end)
    if around.start == around.end:
        lead = "  " if lines.text(line).strip("\ufeff \t") else ""
        return Edit(Span(end, end), f"{lead}{comment}")
    line = lines.position(around.start)[0]
    start = lines.start(line)
    if text[around.start] in "|>" and _above_means_more(document, line):
        end = start + len(lines.text(line))
        return Edit(Span(end, end), f"  {comment}")
    if suppressions.text_around(start).start != start:
        return None
    start += text.startswith("\ufeff", start)
    before = text[start : around.start]
    indent = before[: len(before) - len(before.lstrip(" "))]
    found = LINE_BREAK.search(text)
    return Edit(Span(start, start), f"{indent}{comment}{found.group() if found else chr(10)}")


def _key_edit(document: Document, suppressions: Suppressions, finding: Finding) -> Edit | None:
    """Return the edit that suppresses a finding in a data set: a key of its case."""
    for suppression in suppressions.silencing(finding.span.start):
        names = suppressions.used(suppression, frozenset()).names
        return (
            Edit(Span(names[-1][1].end, names[-1][1].end), f", {finding.code}") if names else None
        )
    piece = next(
        (
            piece
            for piece in document.cases
            if piece.start <= finding.span.start <= piece.start + len(piece.content.text)
        ),
        None,
    )
    if piece is None or not isinstance(piece.node, Mapping):
        return None
    end = piece.absolute(Span(piece.node.end - 1, piece.node.end - 1))
    lead = ", " if piece.node.entries else ""
    return Edit(end, f'{lead}"{JSON_KEY}": "ignore[{finding.code}]"')


def _above_means_more(document: Document, line: int) -> bool:
    """Whether a comment above a line would apply to a whole case or the whole file."""
    above = (document.lines.text(number).strip("\ufeff \t") for number in range(line))
    return case_on(document, line) is not None or not any(
        line and not line.startswith("#") for line in above
    )
