"""The files of a bundle: the only way to write one, and the search of all of them at the end.

Every string goes through the redaction when it is written, keys and names included. Before the folder
gets its name, each file is searched whole, with what pages have in packed parts.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from suitecase.authoring.releasing.folder import StagedFolder
from suitecase.authoring.releasing.redaction import Redaction
from suitecase.authoring.releasing.search import BundleSearch
from suitecase.evidence.labels.spreadsheet_cells import protected
from suitecase.report.page import Frame
from suitecase.text.encoders.json_text import json_text
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.text.finite_json import finite_json


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
            name, [_encoded(self._redaction.text(it) + "\n") for it in text.splitlines()]
        )

    def json(self, name: str, value: Any) -> None:
        """Write a JSON value."""
        text = json_text(self._redaction.value(value), indent=1)
        self._staged.write(name, [_encoded(f"{text}\n")])

    def json_lines(self, name: str, values: Iterable[Any]) -> None:
        """Write JSON values, one a line."""
        texts = (json_text(self._redaction.value(it)) for it in values)
        self._staged.write(name, [_encoded(f"{it}\n") for it in texts])

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
