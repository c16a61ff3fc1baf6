"""From a label file to the suites whose answers it labels: a cell with a case, or with a rubric item."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from suitecase.editor.index.summary import Summary
from suitecase.editor.navigation.workspace_view import Place, WorkspaceView
from suitecase.evidence.labels.items import items_of
from suitecase.evidence.labels.label import Label
from suitecase.evidence.labels.reading import read_labels
from suitecase.format.workspace import Folder, Found
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.node import Span
from suitecase_evaluators.system.path_kinds import real_path

#: The endings of files that may have labels.
LABEL_FILES = frozenset((".csv", ".tsv", ".json", ".jsonl"))
_DEFINED = ("case", "item")


def label_cell(path: Path, text: str, offset: int) -> tuple[Label, str, Span] | None:
    """Return the label at an offset of a file, with the column and the place of its cell.

    None if no case and no item is there.
    """
    for label in read_labels(path, text).labels:
        for column in _DEFINED:
            span = label.cells.get(column)
            if span is not None and span.start <= offset <= span.end:
                return label, column, span
    return None


def labeled(view: WorkspaceView, path: Path, label: Label, column: str) -> list[Place]:
    """Return the places of the case of a label, or of its rubric item, in the suites that name the file.

    Raises:
        GivenUpError: the answer is no longer needed.
    """
    found: list[Place] = []
    for summary in view.all():
        text = view.text_of(summary) if summary.kind != "targets" else None
        if text is None or path.name not in text or summary.path is None:
            continue
        names = list(_evaluators(view, summary, path))
        home = view.dataset_of(summary) if summary.kind == "sidecar" else None
        cases = home[0] if home is not None else summary
        parsed = home[1] if home is not None else view.written(summary)
        if names and isinstance(parsed, ParsedSuite):
            places = (_place(parsed, label, column, name) for name in names)
            found += [Place(cases.path, place) for place in places if place is not None]
    return [*dict.fromkeys(found)]


def _evaluators(view: WorkspaceView, summary: Summary, path: Path) -> Iterator[str]:
    """Yield the evaluators for which a suite reads a label file."""
    parsed = view.written(summary)
    model = parsed.head.model if isinstance(parsed, ParsedSuite) else None
    if model is None or summary.path is None:
        return
    folder = Folder(view.workspace, summary.path.parent)
    for name, human in (model.human or {}).items():
        resolved = (folder.find(label.strip()) for label in human.labels)
        if any(isinstance(it, Found) and real_path(it.path) == real_path(path) for it in resolved):
            yield name


def _place(suite: ParsedSuite, label: Label, column: str, evaluator: str) -> Span | None:
    number = suite.case_named(label.case)
    if number is None:
        return None
    item = items_of(suite, evaluator).get(label.case, {}).get(label.item)
    if column == "item" and item is not None and not item.in_head:
        return suite.place(number, item.span)
    case_id = suite.cases[number].id
    return suite.place(number, case_id.span) if case_id is not None else None
