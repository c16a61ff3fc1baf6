"""The list of runs as data for the script of its page."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from suitecase.report.groups import STATUS_ORDER
from suitecase.report.past_run import PastRun
from suitecase.report.viewing.catalogue import Listed, version_of
from suitecase_evaluators.answers.records.values import timestamp


def list_data(listed: Listed) -> dict[str, Any]:
    """Return the runs, and the files that are not runs."""
    return {
        "version": listed.version,
        "runs": [_row(name, run, listed.previous.get(name)) for name, run in listed.runs.items()],
        "others": [{"file": other.path.name, "why": other.why} for other in listed.others],
        "statuses": [[status.value, status.heading] for status in STATUS_ORDER],
    }


def run_state(run: PastRun) -> dict[str, Any]:
    """Return how far a run is."""
    return {
        "version": version_of(run),
        "state": _state(run),
        "answers": run.answers,
        "planned": run.planned,
    }


def _row(name: str, run: PastRun, previous: str | None) -> dict[str, Any]:
    return {
        "id": name,
        "file": run.path.name,
        "name": run.name,
        "suites": list(run.suites),
        "targets": list(run.targets),
        "models": list(run.models),
        "began": _moment(run.began),
        "seconds": run.seconds,
        "cases": run.cases,
        "answers": run.answers,
        "planned": run.planned,
        "state": _state(run),
        "statuses": {status.value: number for status, number in run.statuses.items()},
        "rate": run.pass_rate,
        "mean": run.mean_score,
        "cost": run.cost_usd,
        "noModel": run.no_model,
        "remark": run.remark,
        "previous": previous,
    }


def _state(run: PastRun) -> str:
    return "running" if run.live else "unfinished" if run.unfinished else "finished"


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else timestamp(moment)
