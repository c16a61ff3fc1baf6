"""Whether lines of JSON are cases, or a record of results: other programs have such files, too."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from pathlib import Path
from stat import S_ISREG

from suitecase.formats.suitecase.current.detect import KEYS_OF_LINES
from suitecase.text.lines import Lines
from suitecase_evaluators.text.json_values import NotJsonError, parse_json

#: So many lines of a file are looked at, one of which has to be a case; and so much of it.
FIRST_LINES = 32
_LONGEST = 1024 * 1024
_BLANKS = " \t\r\n\ufeff"
#: What the line of a case has, at whatever level.
_LIKE_CASE = tuple(
    re.compile(rf'"(?:{"|".join(sorted(names))})"[ \t]*:') for names in KEYS_OF_LINES
)
#: Keys of every record of results.
_SCORE = re.compile(r'"score"[ \t]*:')
_GRADED_CASE = re.compile(r'"(?:eval_id|evalId|test_id|testId)"[ \t]*:')


def is_case_of_dataset(line: str) -> bool:
    """Whether a line of a JSONL file is a case of ours: it has the keys of one at its own level."""
    if not all(it.search(line) for it in _LIKE_CASE) or is_result(line):
        return False
    try:
        value = parse_json(line)
    except NotJsonError:
        return True  # what is wrong with it is to be said
    return isinstance(value, dict) and all(not names.isdisjoint(value) for names in KEYS_OF_LINES)


def is_result(line: str) -> bool:
    """Whether a line of a JSONL file is a record of results, ours or another tool's."""
    return bool(_SCORE.search(line) and _GRADED_CASE.search(line))


def are_cases(text: str | Lines) -> bool:
    """Whether a text in lines of JSON has cases of ours among its first lines."""
    if isinstance(text, Lines):
        return _is_any_case(text.text(number) for number in range(min(len(text), _LONGEST)))
    return _is_any_case(text[:_LONGEST].splitlines())


def is_blank(text: str | Lines) -> bool:
    """Whether a text has nothing but blanks."""
    size = text.size if isinstance(text, Lines) else len(text)
    return size <= _LONGEST and not str(text).strip(_BLANKS)


def has_cases(path: Path) -> bool:
    """Whether a JSONL file has cases of ours among its first lines; False if it cannot be read."""
    return _first_lines(path) is True


def may_have_cases(path: Path) -> bool:
    """Whether nothing says that the lines of a JSONL file are not cases: it has some, or no line yet."""
    return _first_lines(path) is not False


def _first_lines(path: Path) -> bool | None:
    """Return whether there are cases among the first lines of a file; None if it has no lines."""
    try:
        about = os.stat(path)  # noqa: PTH116 - for each such file of a tree
    except (OSError, ValueError):
        return None
    # Reading anything but a regular file may block forever.
    return S_ISREG(about.st_mode) and _read(path, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=4096)
def _read(path: Path, _modified: int, _size: int) -> bool | None:
    try:
        with path.open("rb") as file:
            text = file.read(_LONGEST).decode("utf-8", errors="replace")
    except OSError:
        return False
    return None if is_blank(text) else _is_any_case(text.splitlines())


def _is_any_case(lines: Iterable[str]) -> bool:
    written = (line for line in lines if line.strip(_BLANKS))
    return any(is_case_of_dataset(it) for it in islice(written, FIRST_LINES))
