"""What a run of several suites is about to ask, summed up before the first call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from suitecase.cli.output.run.facts import question_text
from suitecase.text.plural import counted

#: What identifies the questions that are added up.
_SAME = ("target", "provider", "model", "purpose")


class Outlook:
    """Adds up the estimates of several suites, as `run.estimate` has them."""

    def __init__(self) -> None:
        #: By suite, the number of cases, which several targets have in common.
        self._suites: dict[str, int] = {}
        self._targets: set[str] = set()
        self._records = 0
        self._questions: dict[tuple[Any, ...], dict[str, Any]] = {}

    def add(self, estimate: Mapping[str, Any]) -> None:
        """Count the estimate of a suite."""
        if not estimate["records"]:
            return
        suite, cases = estimate["suite_path"], estimate["cases"]
        self._suites[suite] = max(self._suites.get(suite, 0), cases)
        self._records += estimate["records"]
        for questions in estimate["questions"]:
            if questions["purpose"] == "answer":
                self._targets.add(questions["target"])
            key = tuple(questions[name] for name in _SAME)
            total = self._questions.get(key)
            if total is None:
                self._questions[key] = dict(questions)
                continue
            for name in ("least", "most"):
                total[name] += questions[name]
            for name in ("tokens", "input_cost_usd"):
                known = total[name] is not None and questions[name] is not None
                total[name] = total[name] + questions[name] if known else None

    def lines(self) -> Iterator[str]:
        """Yield what will be asked; nothing if no model and no program is called."""
        if not any(question["asks"] is not None for question in self._questions.values()):
            return
        cases = sum(self._suites.values())
        answers = f", {self._records:,} answers" if self._records != cases else ""
        yield (
            f"Running {counted(len(self._suites), 'suite')} with "
            f"{counted(len(self._targets), 'target')}: {counted(cases, 'case')}{answers}"
        )
        for questions in self._questions.values():
            yield f"    {question_text(questions)}"
