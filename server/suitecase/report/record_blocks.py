"""Records of a run in blocks of lines, which a page or a server has in place of each record.

A record is a line of a block as it is in the results file, and line feeds separate them. The number of
its block and its line follow from its number in the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from suitecase.report.case_table import packed
from suitecase_evaluators.records.record import ResultRecord
from suitecase_evaluators.records.record_file import lines_of

#: How many records a block has: neighbors have much in common, and all of them are unpacked for one.
BLOCK = 50


def packed_blocks(runs: Sequence[Sequence[ResultRecord]]) -> Iterator[tuple[str, str]]:
    """Yield the name and the packed text of each block of runs, in their order."""
    for run, answers in enumerate(runs):
        for number in range(-(-len(answers) // BLOCK)):
            yield f"r{run}-{number}", packed(block_of(answers, number))


def block_of(answers: Sequence[ResultRecord], number: int) -> bytes:
    """Return the lines of a block of the answers of a run; empty if there are not so many.

    Raises:
        ChangedFileError: the results file has changed since it was read.
    """
    lines = lines_of(answers, number * BLOCK, (number + 1) * BLOCK)
    return b"\n".join(it.strip(b"\xef\xbb\xbf \t\r\n") for it in lines)
