"""Decisions about gates as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from suitecase.cli.output.printing import json_text
from suitecase.cli.shown_paths import shown_path
from suitecase.figures.asked import Asked
from suitecase.figures.decision import Decision, Outcome, exit_code_of

SCHEMA_VERSION = 1


def gates_json(
    results: Path,
    asked: Asked,
    decisions: Sequence[Decision],
    notes: Sequence[str],
    *,
    targets: Sequence[str] = (),
    run_id: str | None = None,
    no_model: bool = False,
) -> str:
    """Return decisions as a JSON object."""
    return json_text(
        {
            "schema_version": SCHEMA_VERSION,
            "results": shown_path(results),
            "run_id": run_id,
            "suite": asked.suite_path,
            "targets": list(targets),
            "gates": [decision.to_json() for decision in decisions],
            "counts": {it.value: sum(own.outcome is it for own in decisions) for it in Outcome},
            "exit_code": exit_code_of(decisions),
            "no_model": no_model,
            "notes": list(notes),
        },
        indent=2,
    )
