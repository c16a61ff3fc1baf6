"""What people see of a dry run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from suitecase.suite.counted import counted


def estimate_lines(shown: str, estimate: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines that show what the run of a suite would ask, as `run.estimate` has it."""
    if estimate["choice"]:
        yield estimate["choice"]
    times = f", each {estimate['repeats']} times" if estimate["repeats"] > 1 else ""
    kept = f"; {estimate['kept']:,} of the records are there" if estimate["kept"] else ""
    yield f"{shown}: {counted(estimate['cases'], 'case')}{times}{kept}"
    kinds = ", ".join(f"{it['type']} ({it['cases']:,})" for it in estimate["evaluators"])
    yield f"    graded by (cases): {kinds or 'nothing'}"
    for it in estimate["questions"]:
        yield f"    {_who(it)}: {_how_often(it)}{_how_much(it)}"
    if not estimate["questions"]:
        yield "    nothing would be asked"
    if any(it["purpose"] == "judging" and it["provider"] != "mock" for it in estimate["questions"]):
        yield "    What judges are sent depends on the answers, so its tokens and cost are not known."
    yield "Nothing was asked."


def _who(questions: Mapping[str, Any]) -> str:
    who = questions["provider"]
    if questions["model"]:
        who += f", {questions['model']}"
    verb = "asks" if questions["purpose"] == "answer" else "asks to judge"
    return f"{verb} `{questions['target']}` ({who})"


def _how_often(questions: Mapping[str, Any]) -> str:
    least, most = questions["least"], questions["most"]
    if least == most:
        return counted(least, "question")
    retried = ", replies that cannot be read included" if least else ""
    return f"{least:,} to {most:,} questions{retried}"


def _how_much(questions: Mapping[str, Any]) -> str:
    unpriced = "; no price is known, so --budget-usd would be refused"
    end = unpriced if questions["priced"] is False else ""
    if questions["tokens"] is None or questions["provider"] in ("mock", "replay"):
        return end
    text = f", about {questions['tokens']:,} tokens sent (estimate: characters / 4)"
    if questions["input_cost_usd"] is not None:
        text += f", about ${questions['input_cost_usd']:.4g} for what is sent; answers come on top"
    return text + end
