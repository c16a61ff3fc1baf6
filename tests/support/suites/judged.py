"""A suite whose answer and whose judge's replies are canned, run from its text to its record."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from support.running.runs import RanHere, run_here
from support.running.site import Site

Reply = str | Mapping[str, Any]


class JudgedSite:
    """A workspace with a target `writer` that gives one answer, judged by the target `judge`."""

    def __init__(self, site: Site) -> None:
        self.site = site

    async def run(self, suite: Mapping[str, Any], answer: str, *replies: Reply) -> RanHere:
        """Run a suite; the judge gives the replies one after the other, and the last one again."""
        texts = [it if isinstance(it, str) else json.dumps(it) for it in replies]
        writer: dict[str, Any] = {"name": "writer", "provider": "mock", "response": answer}
        judge = {"name": "judge", "provider": "mock", "response": texts or ["nobody asks"]}
        targets = [{**writer, "judge_target": "judge"}, judge]
        self.site.write("targets.yaml", json.dumps({"targets": targets}))
        self.site.write("a.eval.yaml", json.dumps({"execution": {"target": "writer"}, **suite}))
        return await run_here(self.site.request())

    async def record(
        self, case: Mapping[str, Any], answer: str, *replies: Reply, **head: Any
    ) -> dict[str, Any]:
        """Return the record of one case, which has an id, an input and what is expected already."""
        whole = {
            "id": "case",
            "input": "What is the capital of France?",
            "expected_outcome": "Names Paris.",
            **case,
        }
        ran = await self.run({**head, "evalcases": [whole]}, answer, *replies)
        assert ran.records, ran.events
        return ran.records["case"]


def result(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of the only evaluator of a record."""
    (only,) = record["evaluator_results"]
    return dict(only)


def verdict(score: Any, **more: Any) -> dict[str, Any]:
    """Return a free-form reply."""
    return {"reasoning": "Because.", "hits": ["hit"], "misses": ["miss"], "score": score, **more}


def checks(*entries: tuple[str, Any]) -> dict[str, Any]:
    """Return a reply on rubric items: of checklist items whether they are met, else a score."""
    return {"checks": [_entry(*it) for it in entries], "overall_reasoning": "All in all."}


def _entry(name: str, said: Any) -> dict[str, Any]:
    return {"id": name, ("satisfied" if isinstance(said, bool) else "score"): said}


def ranges(*bounds: tuple[int, int]) -> Sequence[Mapping[str, Any]]:
    """Return score ranges, each with a text."""
    return [{"score_range": list(it), "expected_outcome": f"{it[0]} to {it[1]}"} for it in bounds]
