"""An empty path or value, as that of a variable that is not set, is refused; it is not the working directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.running.processes import SOUND, suitecase, write


@pytest.mark.parametrize(
    "command",
    [
        ["init", "--yes", ""],
        ["migrate", ""],
        ["check", ""],
        ["check", "--output", "", "."],
        ["check", "--fix", "a.eval.yaml", ""],
        ["run", ""],
        ["run", "--output", "", "a.eval.yaml"],
        ["run", "--report", "", "a.eval.yaml"],
        ["show", ""],
        ["convert", "", "--to", "jsonl"],
        ["convert", "a.eval.yaml", "--to", "jsonl", "--output", ""],
        ["generate", "rubrics", "", "--target", "mock"],
        ["report", ""],
        ["compare", "a.jsonl", ""],
        ["labels", ""],
        ["lock", ""],
    ],
    ids=" ".join,
)
def test_an_empty_path_is_refused_and_nothing_is_written(
    tmp_path: Path, command: list[str]
) -> None:
    write(tmp_path, "a.eval.yaml", SOUND)
    done = suitecase(*command, cwd=tmp_path)
    assert done.returncode == 2
    assert "the path is empty" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.eval.yaml"]


@pytest.mark.parametrize(
    "command",
    [
        ["run", "--resume=", "a.eval.yaml"],
        ["run", "--target", "", "a.eval.yaml"],
        ["run", "--target=mock", "--target=", "a.eval.yaml"],
        ["run", "--filter=", "a.eval.yaml"],
        ["run", "--cluster=", "a.eval.yaml"],
        ["check", "--format=", "."],
        ["metrics", "--by=", "a.jsonl"],
    ],
    ids=" ".join,
)
def test_an_empty_value_of_an_option_is_refused_by_its_name(
    tmp_path: Path, command: list[str]
) -> None:
    write(tmp_path, "a.eval.yaml", SOUND)
    done = suitecase(*command, cwd=tmp_path)
    option = next(word for word in command if word.startswith("--")).partition("=")[0]
    assert done.returncode == 2
    assert f"the value of {option} is empty: give it one, or leave the option out" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.eval.yaml"]
