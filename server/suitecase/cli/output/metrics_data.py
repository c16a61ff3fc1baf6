"""The figures of runs as JSON and as CSV."""

from __future__ import annotations

import csv
import io

from suitecase.cli.figures.run_metrics import MeasuredRuns
from suitecase.cli.output.printing import json_text
from suitecase.evidence.labels.spreadsheet_cells import without_formula

SCHEMA_VERSION = 1
#: The columns of the CSV; fields of figures between the run and the ranks.
_FIELDS = (
    *("target", "figure", "slice", "unit", "cases", "units", "estimate", "low", "high"),
    *("confidence", "method", "no_interval", "missing", "not_evaluated", "lowest", "highest"),
)
_HEADER = ("results", "suite", *_FIELDS, "best_rank", "worst_rank")


def metrics_json(found: MeasuredRuns) -> str:
    """Return figures as a JSON object."""
    return json_text(
        {
            "schema_version": SCHEMA_VERSION,
            "runs": [
                {
                    "results": target.run,
                    "suite": target.suite,
                    "target": target.target,
                    "cases": target.cases,
                    "repeats": target.repeats,
                    "answers": target.answers,
                    "no_model": target.no_model,
                    "remark": target.stand_ins,
                    "variance_between_cases": target.between_cases,
                    "figures": [own.to_json() for own in target.figures],
                }
                for target in found.targets
            ],
            "leaderboards": [leaderboard.to_json() for leaderboard in found.leaderboards],
            "notes": list(found.notes),
        },
        indent=2,
    )


def metrics_csv(found: MeasuredRuns) -> str:
    """Return figures as CSV: a row for each, with its ranks where there is a leaderboard of it."""
    ranks = {
        (entry.run, entry.target, board.figure, board.slice): entry
        for board in found.leaderboards
        for entry in board.entries
    }
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_HEADER)
    for target in found.targets:
        for figure in target.figures:
            fields = figure.to_json()
            rank = ranks.get((target.run, target.target, figure.figure, figure.slice))
            row = [target.run, target.suite, *(fields[field] for field in _FIELDS)]
            row += [rank.best_rank, rank.worst_rank] if rank is not None else [None, None]
            writer.writerow([without_formula(it) if isinstance(it, str) else it for it in row])
    return out.getvalue()
