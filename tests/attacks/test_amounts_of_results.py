"""Results with amounts that no run has: costs, times, tokens and weights that cannot be added up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.report_pages import record, write_results
from support.running.processes import suitecase

FOLDER = Path(".suitecase", "results")
RUN = str(FOLDER / "huge.jsonl")


def finite(text: str) -> Any:
    """Return the value of JSON as RFC 8259 has it."""

    def refuse(name: str) -> None:
        raise AssertionError(name)

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("amount", [1.7e308, 10**308, 2**63], ids=["float", "whole", "64 bits"])
def test_amounts_that_do_not_add_up_are_left_out(tmp_path: Path, amount: float) -> None:
    trace = {
        "cost_usd": amount,
        "duration_ms": amount,
        "token_usage": {"input": amount, "output": amount},
        "tool_calls_by_name": {"search": amount},
    }
    graded = {"name": "e", "type": "contains", "score": 1.0, "verdict": "pass", "weight": amount}
    write_results(
        tmp_path / RUN,
        *(
            record(name, trace_summary=trace, judge_cost_usd=amount, evaluator_results=[graded] * 2)
            for name in ("one", "two", "three")
        ),
    )
    write_results(tmp_path / FOLDER / "sound.jsonl", record("one"))
    for command in (
        ("list",),
        ("list", "--format", "json"),
        ("metrics", RUN),
        ("metrics", RUN, "--format", "json"),
        ("compare", RUN, RUN, "--format", "json"),
        ("report", RUN, "--output", "page.html"),
    ):
        done = suitecase(*command, cwd=tmp_path)
        assert done.returncode == 0, (command, done.stderr)
        if "json" in command:
            finite(done.stdout)
        if command == ("list",):
            assert len(done.stdout.splitlines()) >= 3


@pytest.mark.parametrize("key", ["evaluator_results", "details", "extra"])
def test_a_record_that_is_nested_too_deeply_is_none(tmp_path: Path, key: str) -> None:
    deep = json.dumps(record("deep")).removesuffix("}") + f', "{key}": {"[" * 900}{"]" * 900}}}'
    (tmp_path / "r.jsonl").write_text(json.dumps(record("a")) + f"\n{deep}\n", "utf-8")
    for command in (
        ("report", "r.jsonl", "--output", "p.html"),
        ("list", "."),
        ("gate", "r.jsonl"),
    ):
        done = suitecase(*command, cwd=tmp_path)
        assert done.returncode in (0, 1, 2)
        assert "This is a bug" not in done.stderr
    assert "deep" not in (tmp_path / "p.html").read_text("utf-8")
