"""A suite or a data set as it is written, to values."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from suitecase.format.comments import span_around, texts_with_hash
from suitecase.formats.portable import Note, Notes, Portable, RefusedError
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.text.document import Document, Piece
from suitecase.text.node import Mapping, Node, Scalar, Span, plain
from suitecase.text.plural import counted
from suitecase.text.taken_names import TakenNames
from suitecase_evaluators.answers.rubric import TOP
from suitecase_evaluators.grade.judge.template import find_variables

#: Legacy syntax that has no equivalent in the current format.
_UNDECIDED = ("unconvertible_setting", "unsupported_setting")
_COMMENT = re.compile(r"(?:^|(?<=[ \t\r\n\ufeff]))#[^\r\n]*")
_SHOWN = 60


def portable(suite: ParsedSuite, name: str) -> Portable:
    """Return a suite's values, in the current format.

    Args:
        suite: the suite as it is written.
        name: what results call it where it does not say so itself.

    Raises:
        RefusedError: something of it cannot be read, or cannot be said in the current format.
    """
    problems = [*_unread(suite), *_undecided(suite)]
    if problems:
        raise RefusedError(problems)
    head = suite.head.node
    values = plain(head) if head is not None else {}
    defaults = _listed(values) or []
    made = Portable(name, _in_current_form(values), [], [])
    document = suite.document
    for number, (piece, case) in enumerate(zip(document.cases, suite.cases, strict=True)):
        node = case.node
        if node is None:
            continue  # told above
        value = plain(node)
        if suite.appended_to(number):
            _append(value, defaults)
        made.cases.append(_in_current_form(value))
        place = document.lines.place(piece.absolute(node.span))
        made.places.append((place.line, place.column))
    made.notes += _lost(suite)
    return made


def _unread(suite: ParsedSuite) -> Iterator[Note]:
    """Yield what cannot be read, so that nobody knows what it says."""
    for document, parts in _documents(suite):
        notes = Notes(document.lines, in_sidecar=document is suite.sidecar)
        for piece in parts:
            for problem in piece.content.problems:
                if problem.kind != "tag":
                    yield notes.at(piece.absolute(problem.span), problem.message)
    here = Notes(suite.document.lines)
    for piece, case in zip(suite.document.cases, suite.cases, strict=True):
        if case.node is None and not piece.content.broken:
            span = piece.node.span if piece.node is not None else Span(0, 0)
            yield here.at(piece.absolute(span), "this case is not a mapping")
    if suite.kind == "suite" and not suite.cases and not suite.document.head.content.broken:
        key = suite.document.list_key
        span = suite.document.head.absolute(key.span) if key is not None else Span(0, 0)
        yield here.at(span, "there are no cases")
    elif suite.kind == "dataset" and not suite.cases:
        yield Note("there are no cases")


def _documents(suite: ParsedSuite) -> list[tuple[Document, tuple[Piece, ...]]]:
    """Return the documents of a suite, each with the pieces that make up its text."""
    documents = [suite.document, *([suite.sidecar] if suite.sidecar is not None else [])]
    return [
        (document, document.pieces if document.segmented else (document.head,))
        for document in documents
    ]


def _undecided(suite: ParsedSuite) -> Iterator[Note]:
    """Yield what only a person can express in the current format."""
    for part, piece, notes in _parts(suite):
        for syntax in part.legacy_syntax:
            if syntax.kind in _UNDECIDED:
                yield notes.at(piece.absolute(syntax.node.span), syntax.new)


def _parts(suite: ParsedSuite) -> Iterator[tuple[ParsedHead | ParsedCase, Piece, Notes]]:
    beside = suite.sidecar
    head = (beside or suite.document).head
    lines = (beside or suite.document).lines
    yield suite.head, head, Notes(lines, in_sidecar=beside is not None)
    here = Notes(suite.document.lines)
    for case, piece in zip(suite.cases, suite.document.cases, strict=True):
        yield case, piece, here


def _listed(values: dict[str, Any]) -> list[Any] | None:
    execution = values.get("execution")
    listed = execution.get("evaluators") if isinstance(execution, dict) else None
    listed = listed if listed is not None else values.get("evaluators")
    return listed if isinstance(listed, list) else None


def _append(case: dict[str, Any], defaults: list[Any]) -> None:
    """Write the suite's evaluators out behind a case's own, as in its format they grade too."""
    own = _listed(case)
    if own is None:
        return
    taken = TakenNames(
        default["name"]
        for default in own
        if isinstance(default, dict) and isinstance(default.get("name"), str)
    )
    for default in defaults:
        if not isinstance(default, dict) or not isinstance(default.get("name"), str):
            own.append(default)
            continue
        name = taken.take(default["name"])
        own.append({**default, "name": name})


def _in_current_form(values: dict[str, Any]) -> dict[str, Any]:
    """Bring to their current form what has the same key in older formats: variables, gates."""
    evaluators = list(_evaluators(_listed(values)))
    for entry in evaluators:
        for holder in (entry, entry.get("aggregator")):
            if isinstance(holder, dict) and isinstance(holder.get("prompt"), str):
                holder["prompt"] = _with_current_variables(holder["prompt"])
    for holder in (values, *evaluators):
        rubrics = holder.get("rubrics")
        if isinstance(rubrics, list):
            holder["rubrics"] = [
                _gated(rubric) if isinstance(rubric, dict) else rubric for rubric in rubrics
            ]
    return values


def _gated(rubric: dict[str, Any]) -> dict[str, Any]:
    """Return a rubric with score ranges, and the gate that `required: true` is to them."""
    if rubric.get("required") is not True or "score_ranges" not in rubric:
        return rubric
    if "required_min_score" in rubric:
        return rubric
    return {
        "required_min_score" if key == "required" else key: TOP if key == "required" else value
        for key, value in rubric.items()
    }


def _evaluators(listed: object) -> Iterator[dict[str, Any]]:
    for entry in listed if isinstance(listed, list) else ():
        if isinstance(entry, dict):
            yield entry
            yield from _evaluators(entry.get("evaluators"))


def _with_current_variables(prompt: str) -> str:
    for variable in reversed(find_variables(prompt)):
        if variable.is_older:
            prompt = f"{prompt[: variable.start]}{{{{ {variable.name} }}}}{prompt[variable.end :]}"
    return prompt


def _lost(suite: ParsedSuite) -> Iterator[Note]:
    """Yield what is in the text and not in its values: comments, anchors, tags."""
    for document, parts in _documents(suite):
        notes = Notes(document.lines, in_sidecar=document is suite.sidecar)
        if document is suite.document and suite.kind == "dataset":
            continue  # JSON has none of it
        yield from _comments(document, parts, notes)
        for piece in parts:
            for name in sorted(piece.content.anchors):
                found = re.search(rf"(?<!\S)&{re.escape(name)}(?!\S)", piece.content.text)
                at = piece.absolute(Span(*found.span())) if found else Span(0, 0)
                yield notes.at(at, f"what `&{name}` names is written out wherever it is used")
            for problem in piece.content.problems:
                if problem.kind == "tag":
                    yield notes.at(piece.absolute(problem.span), problem.message)


def _comments(document: Document, parts: tuple[Piece, ...], notes: Notes) -> Iterator[Note]:
    """Yield the comments, those on lines of their own that follow each other as one."""
    found: list[tuple[int, bool, Span, str]] = []
    for piece in parts:
        text, content = piece.content.text, piece.content
        for match in _COMMENT.finditer(text):
            if span_around(texts_with_hash(content), match.start()) is not None:
                continue
            span = piece.absolute(Span(*match.span()))
            line, column = document.lines.position(span.start)
            alone = not document.lines.text(line)[:column].strip(" \t\ufeff")
            found.append((line, alone, span, match.group().rstrip()))
    found.sort()
    last: tuple[int, bool] = (-2, False)
    groups: list[tuple[Span, list[str]]] = []
    for line, alone, span, said in found:
        if alone and last == (line - 1, True):
            groups[-1][1].append(said)
        else:
            groups.append((span, [said]))
        last = (line, alone)
    for span, lines in groups:
        first = lines[0] if len(lines[0]) <= _SHOWN else f"{lines[0][:_SHOWN]}..."
        more = f" and {counted(len(lines) - 1, 'more line')}" if len(lines) > 1 else ""
        yield notes.at(span, f"lost: the comment {first}{more}")


def not_json(suite: ParsedSuite) -> Iterator[Note]:
    """Yield the values that JSON has no way to write: infinity, and what is not a number."""
    for part, piece, notes in _parts(suite):
        for scalar in _scalars(part.node):
            value = scalar.value
            if isinstance(value, float) and not math.isfinite(value):
                yield notes.at(piece.absolute(scalar.span), f"JSON has no number `{scalar.text}`")


def not_yaml(suite: ParsedSuite) -> Iterator[Note]:
    """Yield the texts that YAML has no way to write: those with half of a surrogate pair."""
    for part, piece, notes in _parts(suite):
        for scalar in _scalars(part.node):
            half = half_surrogate(scalar.text)
            if half is not None:
                yield notes.at(
                    piece.absolute(scalar.span),
                    f"this text holds half of a surrogate pair, U+{half:04X}, which no text in "
                    "UTF-8 can hold",
                )


def half_surrogate(text: str) -> int | None:
    """Return the first half of a surrogate pair that stands alone in a text."""
    return next((ord(it) for it in text if "\ud800" <= it <= "\udfff"), None)


def _scalars(node: Node | None) -> Iterator[Scalar]:
    left: list[Node] = [node] if node is not None else []
    while left:
        it = left.pop()
        if isinstance(it, Scalar):
            yield it
        elif isinstance(it, Mapping):
            for _, entry in it:
                left += (entry.key, entry.value)
        else:
            left += it.items
