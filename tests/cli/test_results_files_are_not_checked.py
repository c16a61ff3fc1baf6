"""A results file has JSON lines like a data set, but is neither checked nor rewritten."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.running.processes import suitecase, write

CASE = "evalcases:\n  - {id: a, input: Hi, expected_outcome: says hi}\n"


@pytest.mark.parametrize("options", [(), ("--fix", "--unsafe-fixes")])
def test_a_results_file_that_is_named_is_refused_and_left_as_it_is(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    write(tmp_path, "a.eval.yaml", CASE)
    suitecase("run", "a.eval.yaml", "--output", "results.jsonl", cwd=tmp_path)
    before = (tmp_path / "results.jsonl").read_text("utf-8")
    done = suitecase("check", "results.jsonl", *options, cwd=tmp_path)
    assert done.returncode == 2
    assert "results.jsonl: cannot be checked: it is a results file" in done.stderr
    assert (tmp_path / "results.jsonl").read_text("utf-8") == before
