"""A workspace with labeled answers, and judges of known errors on an HTTP server."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from suitecase.evidence.calibration_file import Calibration, read_calibration
from suitecase.evidence.labels.digests import answer_digest
from support.running.commands import CommandSite
from support.running.site import Ran
from support.servers.openai import OpenAiServer

SUITE = "s.eval.yaml"
CALIBRATION = "labels/rubric.calibration.json"
_ANSWER = re.compile(r"Answer (\d+) of the desk")


def answer_text(number: int) -> str:
    """Return the answer to a case; judges know it by its number."""
    return f"Answer {number} of the desk. The refund is on its way."


def chance(*of: object) -> float:
    """Return a number from 0 to 1 that is always the same for the same arguments."""
    digest = hashlib.sha256(repr(of).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


class SimulatedJudge:
    """Passes a share of the good answers, fails a share of the bad ones, and is turned by probes.

    Attributes:
        good: whether each answer is good, by its number.
        turned_by: the share of verdicts that a text in the prompt turns.
    """

    def __init__(
        self,
        good: Mapping[int, bool],
        *,
        sensitivity: float = 1.0,
        specificity: float = 1.0,
        seed: int = 0,
        turned_by: Mapping[str, float] | None = None,
    ) -> None:
        self.good = good
        self.sensitivity = sensitivity
        self.specificity = specificity
        self.seed = seed
        self.turned_by = turned_by or {}

    def passes(self, number: int) -> bool:
        """Return the verdict on an answer."""
        right = self.sensitivity if self.good[number] else self.specificity
        is_right = chance(self.seed, number) < right
        return self.good[number] is is_right

    def __call__(self, body: Mapping[str, Any]) -> str:
        prompt = "\n".join(it["content"] for it in body["messages"])
        found = _ANSWER.search(prompt)
        if found is None:
            return self.reply(body, satisfied=False)
        number = int(found[1])
        satisfied = self.passes(number)
        for text in self.turned_by:
            if text in prompt and self.turns(text, number):
                satisfied = not satisfied
        return self.reply(body, satisfied=satisfied)

    def turns(self, text: str, number: int) -> bool:
        """Whether a text in the prompt turns the verdict on an answer."""
        return chance("turn", text, self.seed, number) < self.turned_by[text]

    def reply(self, body: Mapping[str, Any], *, satisfied: bool) -> str:
        """Return the reply about the item `good`."""
        check = {"id": "good", "reasoning": "So it is.", "satisfied": satisfied}
        return json.dumps({"checks": [check], "overall_reasoning": ""})


class CalibrationSite(CommandSite):
    """A workspace with a suite whose judge is on a server.

    Attributes:
        server: the server.
        numbers: the answers, by number.
    """

    def __init__(self, root: Path, server: OpenAiServer, numbers: Iterable[int]) -> None:
        super().__init__(root)
        self.server = server
        self.numbers = list(numbers)
        (root / "labels").mkdir()
        self.targets()
        self.suite()
        self.results()

    def targets(self, **more: Any) -> None:
        """Write the targets; `more` are settings of the judge."""
        judge = {
            "name": "judge",
            "provider": "openai",
            "model": "gpt-judge",
            "api_base": self.server.url,
            "api_key": "none",
            "retry": {"max_retries": 0},
            **more,
        }
        bot = {"name": "bot", "provider": "mock", "judge_target": "judge"}
        self.write("targets.yaml", json.dumps({"targets": [bot, judge]}))

    def suite(self, protocol: str = "", head: str = "", item: str = "Is good") -> None:
        """Write the suite; `protocol` are further lines of the judge."""
        cases = "".join(
            f"  - id: case-{it}\n    input: Where is my refund?\n    expected_outcome: Is good\n"
            f"    rubrics: [{{id: good, expected_outcome: {item}}}]\n"
            for it in self.numbers
        )
        self.write(
            SUITE,
            "execution: {target: bot}\n"
            f"{head}"
            f"judges:\n  rubric:\n    calibration: {CALIBRATION}\n{protocol}"
            "human:\n  rubric:\n    labels: [labels/rubric.csv]\n"
            f"evalcases:\n{cases}",
        )

    def results(self, name: str = ".suitecase/results/s.jsonl", suite: str = SUITE) -> Path:
        """Write the results of a run with the answers."""
        records = (
            {
                "suite_path": suite,
                "dataset": "s",
                "eval_id": f"case-{it}",
                "target": "bot",
                "verdict": "fail",
                "score": 0.0,
                "candidate_answer": answer_text(it),
                "evaluator_results": [],
            }
            for it in self.numbers
        )
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{json.dumps(it)}\n" for it in records), "utf-8")
        return path

    def labels(
        self,
        good: Mapping[int, bool],
        *,
        raters: Iterable[str] = ("ann", "ben"),
        value: Callable[[str, int], bool] | None = None,
    ) -> None:
        """Write the labels of some answers, all raters alike unless `value` says otherwise."""
        rows = [
            f"case-{number},{answer_digest(answer_text(number))},good,{rater},"
            f"{str(value(rater, number) if value else is_good).lower()}"
            for number, is_good in good.items()
            for rater in raters
        ]
        self.write("labels/rubric.csv", "\n".join(["case,answer,item,rater,value", *rows, ""]))

    def calibrate(self, *arguments: str) -> Ran:
        """Run `suitecase calibrate`."""
        return self.run("calibrate", SUITE, *arguments)

    @property
    def calibration(self) -> Calibration:
        """The calibration that was written."""
        path = self.root / CALIBRATION
        found = read_calibration(path, path.read_text("utf-8"))
        assert isinstance(found, Calibration), found
        return found


def some_good(numbers: Iterable[int], share: float, seed: int = 0) -> dict[int, bool]:
    """Return which answers are good, a share of them by chance."""
    draw = random.Random(seed)
    return {it: draw.random() < share for it in numbers}
