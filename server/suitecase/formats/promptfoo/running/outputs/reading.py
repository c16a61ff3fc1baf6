"""Reads the output of `promptfoo eval -o` row by row, without keeping rows.

`-o out.json` writes one object, `-o out.jsonl` a row per line. The former is
read into memory, so its size is limited; the latter is read line by line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from suitecase.formats.other_results import UnreadableResultsError
from suitecase_evaluators.text.written_number import read_int

#: Larger objects are refused.
LARGEST = 512 * 1024 * 1024
_WRITES = "`promptfoo eval -o out.json` (or `.jsonl`) writes"
_BLANKS = re.compile(r"[ \t\r\n]*")
#: What identifies an object, and lines of rows, by their beginning.
_OBJECT = re.compile(rb'"results"\s*:\s*[{\[]')
_ROW = re.compile(rb'"(?:gradingResult|promptId|promptIdx|testIdx|latencyMs)"\s*:')

Row = Mapping[str, Any]


@dataclass(slots=True)
class Head:
    """The parts of an output besides its rows; empty for lines of rows."""

    timestamp: str | None = None
    version: str | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


def is_output(path: Path, beginning: bytes) -> bool:
    """Whether a file is read as the output of promptfoo; reading it may still fail."""
    text = beginning.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text.startswith(b"{"):
        return False
    if path.suffix == ".json":
        return True
    return (_is_lines(path) and _ROW.search(text) is not None) or bool(_OBJECT.search(text))


def read_output(path: Path, each: Callable[[Row], None]) -> Head:
    """Pass each row to `each`, in the order of the file, and return the rest.

    Raises:
        UnreadableResultsError: it is not output of promptfoo, or cannot be read.
        OSError: it cannot be opened.
    """
    if _is_lines(path):
        return _read_lines(path, each)
    size = path.stat().st_size
    if size > LARGEST:
        raise UnreadableResultsError(
            f"{path}: {size / 1024**2:,.0f} MiB are more than the {LARGEST // 1024**2} MiB that are read of one "
            "object; `promptfoo eval -o out.jsonl` writes lines, of which any number is read"
        )
    try:
        text = path.read_bytes().decode("utf-8-sig", "surrogatepass")
        return _Reading(text, each).whole()
    except json.JSONDecodeError as error:
        place = f"line {error.lineno:,}, column {error.colno:,}"
        ended = error.pos >= len(error.doc.rstrip()) or "Unterminated" in error.msg
        why = "it ends too early" if ended else error.msg
        raise UnreadableResultsError(
            f"{path}: not the JSON that {_WRITES}: {place}: {why}"
        ) from error
    except _OtherError as error:
        raise UnreadableResultsError(
            f"{path}: not a results file: expected what {_WRITES}, {error}; or the lines that "
            "`suitecase run` writes, each with an `eval_id`"
        ) from error
    except (UnicodeDecodeError, RecursionError) as error:
        raise UnreadableResultsError(f"{path}: not the JSON that {_WRITES}: {error}") from error


def _is_lines(path: Path) -> bool:
    return path.suffix == ".jsonl"


def _read_lines(path: Path, each: Callable[[Row], None]) -> Head:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line.decode("utf-8-sig", "surrogatepass"), parse_int=read_int)
                each(_checked(row))
            except (ValueError, RecursionError, _OtherError) as error:
                raise UnreadableResultsError(
                    f"{path}: line {number:,} is not a row as {_WRITES} them: {error}"
                ) from error
    return Head()


class _OtherError(Exception):
    """It is JSON, but not output of promptfoo."""


def _checked(row: Any) -> Row:
    if not isinstance(row, dict):
        raise _OtherError("whose rows are objects")
    for key, kind in (("testIdx", int), ("promptIdx", int), ("success", bool)):
        if not isinstance(row.get(key), kind):
            raise _OtherError(
                f"version 3 or later of its format, whose rows have `testIdx`, `promptIdx` and `success` (a row "
                f"lacks `{key}`)"
            )
    return row


class _Reading:
    """Reads an object value by value."""

    def __init__(self, text: str, each: Callable[[Row], None]) -> None:
        self._text = text
        self._each = each
        self._at = 0
        self._decode = json.JSONDecoder(parse_int=read_int).raw_decode
        self._head = Head()
        self._has_rows = False

    def whole(self) -> Head:
        for key in self._keys():
            if key == "results":
                self._results()
                continue
            value = self._value()
            if key == "config" and isinstance(value, dict):
                self._head.config = value
            elif key == "runtimeOptions" and isinstance(value, dict):
                self._head.options = value
            elif key == "metadata" and isinstance(value, dict):
                version = value.get("promptfooVersion")
                self._head.version = version if isinstance(version, str) else None
        if self._next():
            raise json.JSONDecodeError("Extra data", self._text, self._at)
        if not self._has_rows:
            raise _OtherError("with rows under `results.results`")
        return self._head

    def _results(self) -> None:
        if self._next() != "{":
            raise _OtherError("with rows under `results.results`")
        for key in self._keys():
            if key == "results":
                if self._next() != "[":
                    raise _OtherError("with rows under `results.results`")
                self._has_rows = True
                for _ in self._parts("]"):
                    self._each(_checked(self._value()))
                continue
            value = self._value()
            if key == "timestamp" and isinstance(value, str):
                self._head.timestamp = value

    def _keys(self) -> Iterator[str]:
        """Yield the keys of the object here; the caller has to read the value of each."""
        if self._next() != "{":
            raise _OtherError("which is an object")
        for _ in self._parts("}"):
            key = self._value()
            self._take(":")
            yield key

    def _parts(self, end: str) -> Iterator[None]:
        self._at += 1
        if self._next() == end:
            self._at += 1
            return
        while True:
            yield
            if self._next() == end:
                self._at += 1
                return
            self._take(",")

    def _next(self) -> str:
        """Return the next character that is not blank; an empty string at the end."""
        found = _BLANKS.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return self._text[self._at : self._at + 1]

    def _take(self, character: str) -> None:
        if self._next() != character:
            raise json.JSONDecodeError(f"Expecting '{character}'", self._text, self._at)
        self._at += 1

    def _value(self) -> Any:
        self._next()
        value, self._at = self._decode(self._text, self._at)
        return value
