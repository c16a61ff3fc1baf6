"""Records, tables and suites for tests of figures and gates."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from suitecase.figures.asked import Asked, asked_of
from suitecase.figures.deciding import decide
from suitecase.figures.decision import Decision
from suitecase.figures.table import Tables
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import parse_suite
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.score import verdict_for

SUITE = "s.eval.yaml"


def answer(case: str, score: float | None = 1.0, **fields: Any) -> dict[str, Any]:
    """Return a record of an answer with a score; None is an answer that is missing."""
    return {
        "suite_path": SUITE,
        "dataset": "s",
        "eval_id": case,
        "target": "bot",
        "score": score,
        "verdict": "error" if score is None else verdict_for(score).value,
        "error": "timed out" if score is None else None,
        "candidate_answer": None if score is None else "x",
        "evaluator_results": [],
        "tags": [],
        "metadata": None,
        **fields,
    }


def evaluator(
    name: str, score: float | None, kind: str = "script", **fields: Any
) -> dict[str, Any]:
    """Return an evaluator's result."""
    verdict = "error" if score is None else verdict_for(score).value
    return {"name": name, "type": kind, "score": score, "verdict": verdict, "details": {}, **fields}


def repeated(case: str, *scores: float | None, **fields: Any) -> list[dict[str, Any]]:
    """Return the answers of a case that is asked several times."""
    return [
        answer(case, score, repeat=number, repeats=len(scores), **fields)
        for number, score in enumerate(scores, 1)
    ]


def tables_of(records: Iterable[Mapping[str, Any]]) -> Tables:
    """Return the tables of records."""
    tables = Tables()
    for record in records:
        tables.add(ResultRecord(record))
    return tables


def suite_text(*gates: str, head: str = "", cases: Iterable[str] = ()) -> str:
    """Return a suite with gates and a case for each id."""
    lines = ["execution: {target: mock}", *([head] if head else []), "gates:"]
    lines += [f"  - {json.dumps(it)}" for it in gates]
    lines.append("evalcases:")
    for case in cases:
        lines.append(f"  - {{id: {case}, input: Hi, expected_outcome: says hi}}")
    return "\n".join(lines) + "\n"


def suite_of(text: str, folder: Path = Path("/nowhere")) -> Asked:
    """Return a suite by its text."""
    return asked_of(parse_suite(text), folder / SUITE, Folder(Workspace(folder), folder))


def decided(
    gate: str,
    records: Iterable[Mapping[str, Any]],
    *,
    head: str = "",
    baseline: Iterable[Mapping[str, Any]] | None = None,
    unasked: Iterable[str] = (),
) -> Decision:
    """Return what is decided about a gate of a suite with the cases of the records, and those unasked."""
    listed = list(records)
    cases = dict.fromkeys([*(it["eval_id"] for it in listed), *unasked])
    suite = _suite_of(suite_text(gate, head=head, cases=cases))
    # The facts of a case come from the suite, where it is there: here the records have them.
    tables = tables_of(listed)
    before = None if baseline is None else tables_of(baseline)
    (decision,) = decide(tables, _with_recorded_facts(suite, tables), before)
    return decision


@cache
def _suite_of(text: str) -> Asked:
    return suite_of(text)


def _with_recorded_facts(suite: Asked, tables: Tables) -> Asked:
    from dataclasses import replace

    recorded = {
        case: it.facts for table in tables.by_target.values() for case, it in table.cases.items()
    }
    groups = {
        case: it.group for table in tables.by_target.values() for case, it in table.cases.items()
    }
    cases = {
        name: replace(
            it, facts=recorded.get(name) or it.facts, group=groups.get(name), evaluators=None
        )
        for name, it in suite.cases.items()
    }
    return replace(suite, cases=cases)
