"""The redacted records of a run while a bundle of it is made: in a file, if there are many."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from suitecase.authoring.releasing.redaction import Redaction
from suitecase.report.groups import KEPT_RECORDS
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.record_file import RecordFile
from suitecase_evaluators.system.temporary_folders import TemporaryFolder


class PublishedRecords:
    """Redacts records once, however often they are read."""

    def __init__(self, folder: Path) -> None:
        """
        Args:
            folder: where redacted records are kept that are too many for memory.
        """
        self._folder = folder
        self._files = 0

    def of(self, answers: Sequence[ResultRecord], redaction: Redaction) -> Sequence[ResultRecord]:
        """Return the redacted answers of a run.

        Raises:
            OSError: they cannot be written.
        """
        redacted = (ResultRecord(redaction.record(answer.fields)) for answer in answers)
        if len(answers) <= KEPT_RECORDS:
            return tuple(redacted)
        self._files += 1
        path = self._folder / f"{self._files}.jsonl"
        offsets = array("Q")
        with path.open("xb") as file:
            for record in redacted:
                offsets.append(file.tell())
                file.write(record.line())
        return RecordFile(path, offsets)


@contextmanager
def published_records() -> Iterator[PublishedRecords]:
    """Keep redacted records until the bundle is written.

    Raises:
        OSError: there is no place for them.
    """
    folder = TemporaryFolder.make()
    try:
        yield PublishedRecords(folder.path)
    finally:
        folder.remove()
