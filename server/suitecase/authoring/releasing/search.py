"""Searching a finished file for what may not be in it, with all that is packed or embedded in it."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import zlib
from base64 import b64decode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from suitecase.authoring.releasing.format_keys import KEYS
from suitecase.authoring.releasing.fragments import plain_form
from suitecase.authoring.releasing.redaction import Redaction
from suitecase_evaluators.targets.redactor import digits_of
from suitecase_evaluators.text.written_number import read_float

#: What a page has in elements for its script: JSON, or JSON that was compressed.
_EMBEDDED = re.compile(
    rb'<script type="(?P<type>application/json|text/plain)"(?P<attributes>[^<>]*)>(?P<data>[^<]*)</script>'
)
_OWN_PARTS = re.compile(rb"<(style|script)>(?:[^<]|<(?!/?\1>))*+</\1>|<meta [^<>]*>")
_CANARY = re.compile(rb', "canary": "(?:[^"\\]|\\.)*"}$')
_ELEMENT = re.compile(r"<[A-Za-z!/][^<>]*>")
_ATTRIBUTE = re.compile(r"""(?<=[\w-])="([^"]*)\"""")


@dataclass(frozen=True, slots=True)
class Leak:
    """Something that may not be read, in words that do not repeat it, and where it is."""

    what: str
    place: str


class BundleSearch:
    """Looks for what may not be read in the files of a bundle.

    Args:
        redaction: knows what that is.
    """

    def __init__(self, redaction: Redaction) -> None:
        self._redaction = redaction
        #: Lines in which nothing was found, by their hashes: pages have the records of the results.
        self._lines: set[int] = set()

    def file(self, path: Path) -> Leak | None:
        """Return the first thing in a file that may not be read; None if there is none.

        Raises:
            OSError: the file cannot be read.
        """
        match path.suffix:
            case ".html":
                return self._page(path.read_bytes())
            case ".json":
                return self._json(path.read_bytes(), "in its JSON")
            case ".jsonl":
                with path.open("rb") as lines:
                    return _first(
                        self._json(line, f"in line {number}")
                        for number, line in enumerate(lines, 1)
                    )
            case ".csv":
                rows = csv.reader(io.StringIO(path.read_text("utf-8")))
                return _first(
                    self._texts(row, f"in row {number}") for number, row in enumerate(rows, 1)
                )
        lines_of_text = path.read_text("utf-8").splitlines()
        return _first(
            self._texts([line], f"in line {number}") for number, line in enumerate(lines_of_text, 1)
        )

    def _texts(self, texts: Iterable[str], place: str, *, of_page: bool = False) -> Leak | None:
        found_in, ours = self._redaction.found_in, _ours() if of_page else ""
        for text in texts:
            what = found_in(text, ours)
            if what is not None:
                return Leak(what, place)
        return None

    def _json(self, line: bytes, place: str, *, of_page: bool = False) -> Leak | None:
        line = line.strip()
        if not line or hash(line) in self._lines:
            return None
        text = line.decode("utf-8", "surrogatepass")
        strings: list[str] = []
        try:
            _add_strings(json.loads(text, parse_float=read_float), strings)
        except (ValueError, RecursionError):
            strings = [text]
        leak = self._texts(strings, place, of_page=of_page)
        if leak is None:
            self._lines.add(hash(line))
            if marked := _CANARY.search(line):
                self._lines.add(hash(line[: marked.start()] + b"}"))
        return leak

    def _page(self, page: bytes) -> Leak | None:
        """Search the markup of a page, and what its script reads."""
        rest: list[bytes] = []
        end = 0
        for found in _EMBEDDED.finditer(page):
            rest.append(page[end : found.start()])
            end = found.end()
            place = f"in the data of its script{found['attributes'].decode(errors='replace')}"
            data = found["data"]
            if found["type"] == b"text/plain":
                data = zlib.decompress(b64decode(data), -zlib.MAX_WBITS)
            leak = _first(self._json(it, place, of_page=True) for it in data.split(b"\n"))
            if leak is not None:
                return leak
        # Style, script and policy are files of ours and digests of them.
        markup = _OWN_PARTS.sub(b" ", b" ".join([*rest, page[end:]])).decode("utf-8", "replace")
        return _first(
            self._texts(_texts_of(line), f"in line {number} of its text", of_page=True)
            for number, line in enumerate(markup.splitlines(), 1)
        )


def _first(leaks: Iterable[Leak | None]) -> Leak | None:
    return next((it for it in leaks if it is not None), None)


def _add_strings(value: Any, strings: list[str]) -> None:
    """Add all strings in a JSON value, with keys that are no words of the format."""
    kind = type(value)
    if kind is str:
        strings.append(value)
    elif kind is dict:
        strings += value.keys() - KEYS
        for it in value.values():
            _add_strings(it, strings)
    elif kind is list:
        for it in value:
            _add_strings(it, strings)
    elif (kind is int or isinstance(value, float)) and (digits := digits_of(value)) is not None:
        strings.append(digits)


def _texts_of(line: str) -> Iterator[str]:
    """Yield the texts of a line of markup: between elements, across them, and in attributes."""
    yield from (html.unescape(it) for it in _ELEMENT.split(line) if it.strip())
    yield html.unescape(_ELEMENT.sub("", line))
    for element in _ELEMENT.finditer(line):
        yield from map(html.unescape, _ATTRIBUTE.findall(element[0]))


@cache
def _ours() -> str:
    """Return the text of all templates: what of it is found in a page is ours."""
    folder = files("suitecase.report").joinpath("templates")
    texts = [
        it.read_text("utf-8")
        for place in (folder, folder.joinpath("cases"))
        for it in place.iterdir()
        if it.is_file()
    ]
    return plain_form(" ".join(texts))
