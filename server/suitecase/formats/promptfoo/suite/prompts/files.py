"""The prompts in a file: what promptfoo makes of each kind of file, with the places of the texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from suitecase.formats.promptfoo.suite.prompts.parts import (
    Locate,
    PromptPart,
    json_parts,
    slice_part,
    tree_parts,
)
from suitecase.text.compose import compose
from suitecase.text.csv_text import Cell, row_at, start_of_table
from suitecase.text.node import Node, Span, plain
from suitecase.text.recent import recent

#: A line that separates prompts in a `.txt` file.
SEPARATOR = "---"
_LINE = re.compile(r"[^\n]*(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class FilePrompt:
    """A prompt in a file; `label` is what promptfoo calls it, after the path or a written label."""

    text: str
    parts: tuple[PromptPart, ...]
    #: What follows the path in the label that promptfoo makes up; None if only the path stands there.
    suffix: str | None = None
    #: The label that the file itself gives, in a CSV.
    own_label: str | None = None
    #: Labels that are written in the configuration are followed by the path and the suffix too.
    labels_follow: bool = False


@recent(most=128)
def file_prompts(path: Path, text: str) -> tuple[FilePrompt, ...]:
    """Return the prompts in a file of text, by the ending of its name.

    The last results are cached: the files stay as they are while a configuration is edited.
    """
    match path.suffix:
        case ".txt":
            return tuple(_separated(path, text))
        case ".csv":
            return tuple(_table(path, text))
        case ".jsonl":
            return tuple(_lines(path, text))
        case ".json":
            return (_json(path, text),)
        case ".yaml" | ".yml":
            return (_yaml(path, text),)
    start = text.startswith("\ufeff")
    return (FilePrompt(text, (slice_part(text[start:], int(start), path),), f"{text[:50]}..."),)


def _separated(path: Path, text: str) -> Iterator[FilePrompt]:
    """Yield the stretches between lines of `---`, without blanks around them; none that is empty."""
    start = at = 0
    stretches: list[tuple[int, int]] = []
    for line in _LINE.finditer(text):
        if line.group().strip() == SEPARATOR:
            stretches.append((start, line.start()))
            start = line.end()
        at = line.end()
    stretches.append((start, at))
    for first, end in stretches:
        stretch = text[first:end]
        stripped = stretch.strip("\ufeff \t\r\n\v\f")
        if stripped:
            part = slice_part(stripped, first + stretch.index(stripped), path)
            shown = stripped.replace("\r\n", "\n")
            yield FilePrompt(shown, (part,), shown, labels_follow=True)


def _table(path: Path, text: str) -> Iterator[FilePrompt]:
    """Yield the cells of the column `prompt`, or all lines if there is a single column."""
    if "," not in text:
        lines = [match for match in _LINE.finditer(text) if match.group().strip()]
        if lines and lines[0].group().strip("\ufeff \t\r\n").lower() == "prompt":
            del lines[0]
        for line in lines:
            part = slice_part(line.group().rstrip("\r\n"), line.start(), path)
            yield FilePrompt(part.text, (part,), None)
        return
    rows = list(_rows(text))
    names = [cell.text.strip() for cell in rows[0]] if rows else []
    if "prompt" not in names:
        return
    column = names.index("prompt")
    label_column = names.index("label") if "label" in names else None
    for row in rows[1:]:
        if column < len(row) and row[column].text.strip():
            cell = row[column]
            label = (
                row[label_column].text.strip()
                if label_column is not None and label_column < len(row)
                else ""
            )
            part = PromptPart(cell.text, path, _locate(cell, text))
            yield FilePrompt(cell.text.strip(), (part,), None, label or None)


def _rows(text: str) -> Iterator[list[Cell]]:
    at, _ = start_of_table(text)
    while at < len(text):
        row, at = row_at(text, at, ",")
        if len(row) > 1 or row[0].text:
            yield row


def _locate(cell: Cell, text: str) -> Locate:
    """Return where stretches of a cell are: in quotes, each quote of its text is two in the file."""
    is_quoted = text[cell.span.start - 1 : cell.span.start] == '"'

    def offset(place: int) -> int:
        doubled = cell.text.count('"', 0, place) if is_quoted else 0
        return cell.span.start + place + doubled

    return lambda first, end: Span(offset(first), offset(max(end - 1, first)) + 1)


def _lines(path: Path, text: str) -> Iterator[FilePrompt]:
    lines = [match for match in _LINE.finditer(text) if match.group().rstrip("\r\n")]
    for line in lines:
        start, shown = line.start(), line.group().rstrip("\r\n")
        whole = slice_part(shown, start, path)
        parts = json_parts(shown, path, whole.span) or (whole,)
        yield FilePrompt(
            shown, parts, shown if len(lines) > 1 else None, labels_follow=len(lines) > 1
        )


def _json(path: Path, text: str) -> FilePrompt:
    whole = slice_part(text, 0, path)
    parts = json_parts(text, path, whole.span)
    shown = text
    if parts:
        shown = _compact(json.loads(text.removeprefix("\ufeff")))
    return FilePrompt(shown, parts or (whole,), shown)


def _yaml(path: Path, text: str) -> FilePrompt:
    composed = compose(text)
    root: Node | None = composed.root
    # promptfoo fills in the text of a file that is not YAML, such as `content: {{ question | dump }}`.
    if root is None or composed.broken or composed.problems:
        return FilePrompt(text, (slice_part(text, 0, path),), text[:80])
    shown = _compact(plain(root))
    return FilePrompt(shown, tuple(tree_parts(root, text, path)), shown[:80])


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
