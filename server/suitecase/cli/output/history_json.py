"""The past runs of a workspace as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from suitecase.cli.output.printing import json_text
from suitecase.report.history import History
from suitecase.report.past_run import PastRun
from suitecase_evaluators.answers.records.status import Status
from suitecase_evaluators.answers.records.values import timestamp


def history_json(found: History, runs: Sequence[PastRun]) -> str:
    """Return runs of a folder, and the files in it that are not runs."""
    return json_text(
        {
            "folder": str(found.folder),
            "runs": [_run(run) for run in runs],
            "others": [{"file": str(other.path), "why": other.why} for other in found.others],
        },
        indent=2,
    )


def _run(run: PastRun) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "file": str(run.path),
        "suites": list(run.suites),
        "datasets": list(run.datasets),
        "targets": list(run.targets),
        "models": list(run.models),
        "began": _moment(run.began),
        "ended": _moment(run.ended),
        "seconds": run.seconds,
        "cases": run.cases,
        "answers": run.answers,
        "planned": run.planned,
        "state": "running" if run.live else "unfinished" if run.unfinished else "finished",
        "statuses": {status.value: run.statuses.get(status, 0) for status in Status},
        "pass_rate": run.pass_rate,
        "mean_score": run.mean_score,
        "cost_usd": run.cost_usd,
        "no_model": run.no_model,
        "remark": run.remark,
    }


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else timestamp(moment)
