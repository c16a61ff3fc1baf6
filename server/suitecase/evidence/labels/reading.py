"""Reads a file of people's labels, whichever of the formats it has."""

from __future__ import annotations

from pathlib import Path

from suitecase.evidence.labels.csv_labels import read_csv
from suitecase.evidence.labels.json_labels import read_json, read_json_lines
from suitecase.evidence.labels.label import LabelFile
from suitecase.text.garbage_collection import without_garbage_collection
from suitecase.text.jsonl import parse_json_text
from suitecase.text.recent import recent

#: Endings of names of files that are tables, whatever their text starts with.
_TABLES = frozenset((".csv", ".tsv"))


def read_labels(path: Path, text: str) -> LabelFile:
    """Return the labels of a file and what cannot be read of it. Never raises on any text.

    Args:
        path: the file; one that does not end in `.csv` or `.tsv` is read by what it has in it.
        text: its text.
    """
    with without_garbage_collection():
        return _read(text, path.suffix.lower() in _TABLES)


@recent(most=64)
def _read(text: str, is_table: bool) -> LabelFile:
    start = text.lstrip("\ufeff \t\r\n")[:1]
    if is_table or start not in ("[", "{"):
        return read_csv(text)
    if start == "{" and not _is_one_object(text):
        return read_json_lines(text)
    return read_json(text)


def _is_one_object(text: str) -> bool:
    """Whether a text that starts with an object has nothing else, on more than one line."""
    return "\n" in text.strip() and parse_json_text(text).node is not None
