"""Numbers on the command line that range checks let through, such as `nan`."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.running.processes import SOUND, suitecase, write


@pytest.mark.parametrize("number", ["nan", "inf"])
@pytest.mark.parametrize("option", ["--budget-usd", "--timeout"])
def test_a_run_is_not_begun_with_a_limit_that_limits_nothing(
    tmp_path: Path, option: str, number: str
) -> None:
    write(tmp_path, "a.eval.yaml", SOUND)
    ended = suitecase("run", "a.eval.yaml", option, number, cwd=tmp_path)
    assert ended.returncode == 2
    assert f"'{option}': {number} is not a finite number." in ended.stderr
    assert not (tmp_path / ".suitecase").exists()


def test_runs_are_not_compared_by_a_threshold_that_is_no_number(tmp_path: Path) -> None:
    write(tmp_path, "a.jsonl", "{}\n")
    ended = suitecase("compare", "a.jsonl", "a.jsonl", "--threshold", "nan", cwd=tmp_path)
    assert ended.returncode == 2
    assert "'--threshold': nan is not a finite number." in ended.stderr
