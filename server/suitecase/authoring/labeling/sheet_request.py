"""What `suitecase labels` is asked for, and the sheets that it makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from suitecase.authoring.labeling.answers import RunAnswer
from suitecase.authoring.labeling.csv_sheet import is_shortened
from suitecase.authoring.labeling.items import SheetItem
from suitecase.authoring.labeling.sheet_files import EVERYBODY, SheetFormat, sheet_files
from suitecase.authoring.labeling.sheets import Place, drawn, sheet


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetRequest:
    """How sheets are made.

    Attributes:
        raters: who gets a sheet; none for one file that all raters share.
        sample: how many answers are drawn; None for all.
        seed: of the draw and of the order in each sheet.
        form: the format of the files.
    """

    raters: tuple[str, ...]
    sample: int | None
    seed: int
    form: SheetFormat


@dataclass(frozen=True, slots=True)
class EvaluatorSheets:
    """The sheets of an evaluator.

    Attributes:
        evaluator: its name.
        drawn: the number of answers in a sheet.
        of: the number of answers that there are to draw from.
        items: the number of rows of a sheet.
        shortened: how many of them have a text that is too long for a cell of a spreadsheet.
        files: the texts of the files, by name.
    """

    evaluator: str
    drawn: int
    of: int
    items: int
    shortened: int
    files: Mapping[str, str]


def make_sheets(
    request: SheetRequest,
    evaluator: str,
    answers: Sequence[RunAnswer],
    items: Mapping[str, Sequence[SheetItem]],
    ratings: Mapping[Place, str] | None = None,
) -> EvaluatorSheets:
    """Return the sheets of an evaluator; without files if there is nothing to label.

    Args:
        request: how they are made.
        evaluator: its name.
        answers: the answers of the run.
        items: what is asked about the answers to each case.
        ratings: the items to adjudicate, with what raters have said about each; None for sheets of
            raters.
    """
    wanted = None if ratings is None else {(case, answer) for case, answer, _ in ratings}
    candidates = [
        answer
        for answer in answers
        if items.get(answer.case) and (wanted is None or (answer.case, answer.digest) in wanted)
    ]
    draw = drawn(candidates, request.sample, request.seed)
    sheets = {
        rater: sheet(draw.answers, items, request.seed, rater, ratings)
        for rater in request.raters or (EVERYBODY,)
    }
    rows = next(iter(sheets.values()))
    shortened = sum(map(is_shortened, rows)) if request.form == "csv" else 0
    files = (
        sheet_files(sheets, evaluator, request.form, adjudicates=ratings is not None)
        if rows
        else {}
    )
    return EvaluatorSheets(evaluator, len(draw.answers), draw.of, len(rows), shortened, files)
