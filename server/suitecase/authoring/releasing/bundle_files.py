"""The files of a bundle: the only way to write one, and the search of all of them at the end.

Every string goes through the redaction when it is written, keys and names included. Before the folder
gets its name, each file is searched whole, with what pages have in packed parts.

The folder has a temporary name and is locked until all is written. What is not locked was left by a process
that was killed, and is removed by the next one that writes beside it.
"""

from __future__ import annotations

import csv
import hashlib
import html
import io
import json
import os
import re
import secrets
import shutil
import sys
import zlib
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from suitecase.authoring.releasing.format_keys import KEYS
from suitecase.authoring.releasing.fragments import plain_form
from suitecase.authoring.releasing.redaction import Redaction
from suitecase.evidence.labels.spreadsheet_cells import protected
from suitecase.report.page import Frame
from suitecase.text.encoders.json_text import json_text
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.system.file_lock import certainly_locked
from suitecase_evaluators.system.tree_removal import FOLDER, remove_tree
from suitecase_evaluators.targets.redactor import digits_of
from suitecase_evaluators.text.finite_json import finite_json
from suitecase_evaluators.text.written_number import read_float


class LeakError(Exception):
    """A file of a bundle has something in it that may not be read; nothing was written.

    Attributes:
        message: which file, where, and what it is, without repeating it.
    """

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


class BundleFiles:
    """A bundle that is there with all its files, or not at all.

    Used as a context manager: the folder gets its name when the block ends without an error and
    nothing is found in it.

    Args:
        folder: the folder, which does not exist.
        redaction: what every string goes through.

    Raises:
        LeakError: a file has something in it that may not be read.
        OSError: it cannot be written.
    """

    def __init__(self, folder: Path, redaction: Redaction) -> None:
        self._redaction = redaction
        self._staged = StagedFolder(folder)

    def __enter__(self) -> Self:
        self._staged.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            try:
                self._search()
            except BaseException as found:
                self._staged.__exit__(type(found), found, found.__traceback__)
                raise
        self._staged.__exit__(kind, error, trace)

    @property
    def digests(self) -> Mapping[str, str]:
        """The SHA-256 of each file that was written, by its name."""
        return self._staged.digests

    @property
    def sizes(self) -> Mapping[str, int]:
        """The size of each file that was written, in bytes."""
        return self._staged.sizes

    def text(self, name: str, text: str) -> None:
        """Write a text."""
        self._staged.write(name, [_encoded(self._redaction.text(text))])

    def lines(self, name: str, text: str) -> None:
        """Write a text whose lines are redacted one by one."""
        self._staged.write(
            name, [_encoded(self._redaction.text(line) + "\n") for line in text.splitlines()]
        )

    def json(self, name: str, value: Any) -> None:
        """Write a JSON value."""
        text = json_text(self._redaction.value(value), indent=1)
        self._staged.write(name, [_encoded(f"{text}\n")])

    def json_lines(self, name: str, values: Iterable[Any]) -> None:
        """Write JSON values, one a line."""
        texts = (json_text(self._redaction.value(value)) for value in values)
        self._staged.write(name, [_encoded(f"{text}\n") for text in texts])

    def table(self, name: str, rows: Iterable[Sequence[Any]]) -> None:
        """Write rows as CSV, in which no cell is a formula."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        for row in rows:
            # A slice such as `=1` would be a formula.
            cells = [
                protected(self._redaction.text(it)) if isinstance(it, str) else it for it in row
            ]
            writer.writerow(cells)
        self._staged.write(name, [_encoded(text.getvalue())])

    def records(self, name: str, records: Iterable[ResultRecord]) -> None:
        """Write records that were redacted when they were read."""
        self._staged.write(name, map(_line_of, records))

    def page(self, name: str, pieces: Iterator[bytes]) -> None:
        """Write a page that was made within `frame`, and so shows nothing that is not redacted."""
        self._staged.write(name, pieces)

    def framed(self, frame: Frame, name: str) -> Frame:
        """Return the frame of a page, whose texts go through the redaction."""
        return replace(frame, current=name, redact=self._redaction.text)

    def _search(self) -> None:
        search = BundleSearch(self._redaction)
        # The records first: pages have them, too.
        for name in sorted(self._staged.digests, key=lambda it: (not it.endswith(".jsonl"), it)):
            what = self._redaction.found_in(name)
            if what is not None:
                raise LeakError(f"the name of a file would have {what} in it")
            leak = search.file(self._staged.path_of(name))
            if leak is not None:
                raise LeakError(f"{name} would have {leak.what} in it, {leak.place}")


def _line_of(record: ResultRecord) -> bytes:
    try:
        return record.line()
    except ValueError:  # of another tool: a number that is not finite
        return _encoded(f"{finite_json(record.fields)}\n")


def _encoded(text: str) -> bytes:
    return text.encode(errors="replace")


#: What the names of folders that are being written end with.
SUFFIX = ".suitecase-tmp"
_NAME = re.compile(rf"\.bundle\.[0-9a-f]{{16}}{re.escape(SUFFIX)}")


class StagedFolder:
    """A folder that is there with all its files, or not at all.

    Used as a context manager: the folder gets its name when the block ends without an error.

    Args:
        target: the folder, which does not exist.

    Attributes:
        digests: the SHA-256 of each file that was written, by its name.
        sizes: its size in bytes.

    Raises:
        OSError: it cannot be written.
    """

    def __init__(self, target: Path) -> None:
        self.target = target
        self.digests: dict[str, str] = {}
        self.sizes: dict[str, int] = {}
        self._path = target.with_name(f".bundle.{secrets.token_hex(8)}{SUFFIX}")
        self._lock: int | None = None

    def __enter__(self) -> Self:
        self.target.parent.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(self.target.parent)
        self._path.mkdir()
        if sys.platform != "win32":
            self._lock = os.open(self._path, FOLDER)
            certainly_locked(self._lock)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                # On POSIX, renaming would replace an empty folder that has appeared meanwhile.
                if os.path.lexists(self.target):
                    raise FileExistsError(17, "it exists", str(self.target))
                if self._lock is not None and not os.path.samestat(
                    os.fstat(self._lock), self._path.lstat()
                ):
                    raise FileNotFoundError(2, "somebody moved it meanwhile", str(self._path))
                self._path.rename(self.target)
        finally:
            shutil.rmtree(self._path, ignore_errors=True)
            if self._lock is not None:
                os.close(self._lock)

    def _opened(self, name: str) -> BinaryIO:
        """Create a file in the folder that was made, whatever is in its place by now."""
        if sys.platform == "win32" or self._lock is None:
            return (self._path / name).open("xb")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.fdopen(os.open(name, flags, 0o666, dir_fd=self._lock), "wb")

    def path_of(self, name: str) -> Path:
        """Return where a file is that was written, while the folder has no name yet."""
        return self._path / name

    def write(self, name: str, pieces: Iterable[bytes]) -> None:
        """Write a file.

        Raises:
            OSError: it cannot be written.
        """
        digest, size = hashlib.sha256(), 0
        with self._opened(name) as file:
            for piece in pieces:
                file.write(piece)
                digest.update(piece)
                size += len(piece)
        self.digests[name] = digest.hexdigest()
        self.sizes[name] = size


def _remove_abandoned(parent: Path) -> None:
    """Remove the folders that killed processes left, as far as that is possible."""
    if sys.platform == "win32":
        return
    with suppress(OSError):
        place = os.open(parent, FOLDER)
        try:
            with os.scandir(place) as entries:
                left = [entry.name for entry in entries if _NAME.fullmatch(entry.name)]
            for name in left:
                with suppress(OSError):
                    _remove_if_abandoned(name, place)
        finally:
            os.close(place)


def _remove_if_abandoned(name: str, parent: int) -> None:
    folder = os.open(name, FOLDER, dir_fd=parent)
    try:
        if certainly_locked(folder):
            remove_tree(name, parent)
    finally:
        os.close(folder)


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
            leak = _first(self._json(line, place, of_page=True) for line in data.split(b"\n"))
            if leak is not None:
                return leak
        # Style, script and policy are files of ours and digests of them.
        markup = _OWN_PARTS.sub(b" ", b" ".join([*rest, page[end:]])).decode("utf-8", "replace")
        return _first(
            self._texts(_texts_of(line), f"in line {number} of its text", of_page=True)
            for number, line in enumerate(markup.splitlines(), 1)
        )


def _first(leaks: Iterable[Leak | None]) -> Leak | None:
    return next((leak for leak in leaks if leak is not None), None)


def _add_strings(value: Any, strings: list[str]) -> None:
    """Add all strings in a JSON value, with keys that are no words of the format."""
    kind = type(value)
    if kind is str:
        strings.append(value)
    elif kind is dict:
        strings += value.keys() - KEYS
        for part in value.values():
            _add_strings(part, strings)
    elif kind is list:
        for part in value:
            _add_strings(part, strings)
    elif (kind is int or isinstance(value, float)) and (digits := digits_of(value)) is not None:
        strings.append(digits)


def _texts_of(line: str) -> Iterator[str]:
    """Yield the texts of a line of markup: between elements, across them, and in attributes."""
    yield from (html.unescape(text) for text in _ELEMENT.split(line) if text.strip())
    yield html.unescape(_ELEMENT.sub("", line))
    for element in _ELEMENT.finditer(line):
        yield from map(html.unescape, _ATTRIBUTE.findall(element[0]))


@cache
def _ours() -> str:
    """Return the text of all templates: what of it is found in a page is ours."""
    folder = files("suitecase.report").joinpath("templates")
    texts = [
        entry.read_text("utf-8")
        for place in (folder, folder.joinpath("cases"))
        for entry in place.iterdir()
        if entry.is_file()
    ]
    return plain_form(" ".join(texts))
