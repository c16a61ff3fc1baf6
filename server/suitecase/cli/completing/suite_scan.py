"""Names in suites, data sets and targets files, found line by line.

A file need not parse: what is half-written is what somebody completes in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

from suitecase.text.segment import split
from suitecase_evaluators.system.path_kinds import is_file

#: Larger files are not searched.
MAX_BYTES = 32 * 1024 * 1024
_ITEM = re.compile(r"( *)-( +)")
_DATASET = re.compile(
    r"^(?:evalcases|dataset)[ \t]*:[ \t]*[\"']?([^\"'\s#\[{]+\.jsonl)", re.MULTILINE
)
_QUOTED = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^']|'')*)'")
_PLAIN = re.compile(r"[^\s#&*!|>{\[,}\]](?:[^\s,}\]]++|[^\S\n]++(?![#,}\]\n]|\Z))*+")
_BLOCK_ITEM = re.compile(r"[ \t]*-[ \t]+(.+)")


def read(path: Path) -> str:
    """Return the text of a file; empty if it cannot be read."""
    try:
        if is_file(path) and path.stat().st_size <= MAX_BYTES:
            return path.read_bytes().decode("utf-8", "replace")
    except OSError:
        pass
    return ""


def values_in(text: str, list_keys: Collection[str], key: str) -> Iterator[str]:
    """Yield the value of a key in each item of the list under one of some keys."""
    for rest in _rests(text, list_keys, key):
        value = _scalar(rest)
        if value:
            yield value


def lists_in(text: str, list_keys: Collection[str], key: str) -> Iterator[str]:
    """Yield the texts in the list under a key in each item."""
    for rest in _rests(text, list_keys, key):
        inline = rest.lstrip(" \t")
        if inline.startswith("["):
            parts: Iterator[str] = iter(inline[1:].partition("]")[0].split(","))
        elif inline.partition("\n")[0].strip() and not inline.startswith("#"):
            parts = iter([inline])
        else:
            parts = _block_list(rest)
        for part in parts:
            value = _scalar(part)
            if value:
                yield value


def json_lines(text: str) -> Iterator[dict[str, object]]:
    """Yield the objects of a data set, without lines that are not one."""
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value


def dataset_of(path: Path, text: str) -> Path | None:
    """Return the data set of a sidecar, if there is one."""
    named = _DATASET.search(text)
    data = path.parent / named.group(1) if named else path.with_suffix(".jsonl")
    return data if is_file(data) else None


def _rests(text: str, list_keys: Collection[str], key: str) -> Iterator[str]:
    """Yield what follows a key and its colon in each item, up to the end of the item."""
    parts = split(text.replace("\r\n", "\n") + "\n", list_keys, root_list=True)
    if parts is None:
        return
    text = text.replace("\r\n", "\n") + "\n"
    for start, end in pairwise((*parts.items, parts.end)):
        dash = _ITEM.match(text, start)
        if dash is None:
            continue
        flow = text.startswith("{", dash.end())
        found = _key(key, len(dash.group(1)), dash.end() - start, flow).search(text, start, end)
        if found is not None:
            yield text[found.end() : end]


@cache
def _key(key: str, indent: int, column: int, flow: bool) -> re.Pattern[str]:
    name = rf"[\"']?{re.escape(key)}[\"']?[ \t]*:(?=[ \t\n]|$)"
    if flow:
        return re.compile(rf"[{{,][ \t]*{name}")
    return re.compile(rf"^(?: {{{indent}}}-[ ]+| {{{column}}}){name}", re.MULTILINE)


def _block_list(rest: str) -> Iterator[str]:
    for line in rest.split("\n")[1:]:
        item = _BLOCK_ITEM.match(line)
        if item is not None:
            yield item.group(1)
        elif line.strip() and not line.lstrip().startswith("#"):
            return


def _scalar(text: str) -> str:
    """Return the scalar at the start of a text, if it is on one line."""
    line = text.partition("\n")[0].strip()
    quoted = _QUOTED.match(line)
    if quoted is not None:
        double, single = quoted.groups()
        if single is not None:
            return single.replace("''", "'")
        try:
            return str(json.loads(f'"{double}"'))
        except ValueError:
            return double or ""
    plain = _PLAIN.match(line)
    return plain.group() if plain is not None else ""
