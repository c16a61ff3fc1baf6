"""Data sets that suites name in the place of their cases: `tests: ./questions.jsonl`.

Such a suite is the sidecar of the data set, under whatever name, if it is in the same folder.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from suitecase.format.case_list_keys import CASE_LIST_KEYS
from suitecase.format.dataset_lines import has_cases
from suitecase.formats.names import KEYS_OF_DIALECTS, is_named
from suitecase.formats.suitecase.current.detect import HEAD_KEYS, LIST_KEY
from suitecase_evaluators.system.path_kinds import is_file, is_link, real_path

_YAML = (".yaml", ".yml")
#: Keys of a suite's head that many kinds of files have.
_SHARED = frozenset(
    {"$schema", "dataset", "description", "metadata", "metrics", "prompt", "version"}
)
_NAMED = re.compile(
    rf"^(?P<key>{'|'.join(CASE_LIST_KEYS)})[ \t]*:[ \t]+(?P<quote>[\"']?)(?:file://)?"
    r"(?P<path>[^\s\"'#&*!|>\[{][^\"'#\r\n]*?\.jsonl)(?P=quote)[ \t]*(?:#[^\r\n]*)?\r?$",
    re.MULTILINE,
)
#: What only suites of other tools have at their top, whose tests are not ours.
_OTHER = re.compile(rf"^(?:{'|'.join(KEYS_OF_DIALECTS)})[ \t]*:", re.MULTILINE)
#: What the head of a suite has, and hardly another file that names its data in such a way: these say
#: that the file is a suite whatever is in the lines that it names.
_OWN = re.compile(
    rf"^(?:{'|'.join(sorted(map(re.escape, HEAD_KEYS - _SHARED)))}"
    r"|target|evaluators?|assert|assertions)[ \t]*:",
    re.MULTILINE,
)
#: A list of cases, or its name, is near the start; a longer text is not searched further.
_LONGEST_HEAD = 256 * 1024


def named_dataset(head: Path, text: str | None = None) -> Path | None:
    """Return the data set that a YAML file names, if that is a file in the same folder.

    Where nothing in the YAML file shows that it is a suite, the lines of the other have to be cases.

    Args:
        head: the path of the YAML file.
        text: its text; None to read the file.
    """
    if is_named(head):
        return None
    named = _named_in(text) if text is not None else _named_by(head)
    if named is None or "\0" in named.name:
        return None
    path = Path(os.path.normpath(head.parent / named.name))
    if path.parent != head.parent or not is_file(path):
        return None
    return path if named.by_suite or has_cases(path) else None


def naming(dataset: Path) -> Path | None:
    """Return the first YAML file that names a data set, of those in its folder."""
    try:
        with os.scandir(dataset.parent) as entries:
            names = sorted(entry.name for entry in entries if entry.name.endswith(_YAML))
    except OSError:
        return None
    heads = (dataset.parent / name for name in names)
    return next((head for head in heads if named_dataset(head) == dataset), None)


class _Named(NamedTuple):
    """What a YAML file names in the place of its cases, and whether it is a suite for sure."""

    name: str
    by_suite: bool


def _named_in(text: str) -> _Named | None:
    found = _NAMED.search(text, 0, _LONGEST_HEAD)
    if found is None or _OTHER.search(text, 0, _LONGEST_HEAD):
        return None
    by_suite = found["key"] == LIST_KEY or bool(_OWN.search(text, 0, _LONGEST_HEAD))
    return _Named(found["path"], by_suite)


def _named_by(path: Path) -> _Named | None:
    """Return what a file names; it is read again only if it has changed."""
    try:
        about = path.stat()
        if not is_file(path):  # a pipe would block
            return None
        if is_link(path) and real_path(path).parent != real_path(path.parent):
            return None  # it may lead out of the workspace, from which nothing is read
    except OSError:
        return None
    return _read(path, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=4096)
def _read(path: Path, _modified: int, _size: int) -> _Named | None:
    try:
        with path.open("rb") as file:
            return _named_in(file.read(_LONGEST_HEAD).decode("utf-8", errors="replace"))
    except OSError:
        return None
