"""Each of the mistakes that people make in configurations of promptfoo is found at its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from suitecase.checking.check import check_text
from suitecase.format.rule import Severity
from suitecase.format.workspace import Workspace

MISTAKES: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("common_mistakes.yaml").read_text("utf-8")
)
PAGE = Path(__file__).parents[3] / "docs" / "coming-from" / "promptfoo.md"
NAME = "promptfooconfig.yaml"


@pytest.mark.parametrize("case", MISTAKES, ids=lambda it: it["mistake"])
def test_a_common_mistake_is_found_at_its_place(case: dict[str, Any], tmp_path: Path) -> None:
    for name, text in case["files"].items():
        (tmp_path / name).write_text(text, "utf-8")
    text = case["files"][NAME]
    here = {number for number, line in enumerate(text.splitlines(), 1) if "<- here" in line}
    near = {number for number, line in enumerate(text.splitlines(), 1) if "<- near" in line}
    analysis = check_text(tmp_path / NAME, text, Workspace(tmp_path))
    found = {
        analysis.place(it.span).line: it.message
        for it in analysis.findings
        if it.severity is not Severity.INFO
    }
    assert here & found.keys(), found
    assert found.keys() <= here | near, found


def test_the_page_says_of_each_mistake_what_promptfoo_does() -> None:
    rows = [f"| {it['mistake']} | {it['validate']} | {it['eval']} |" for it in MISTAKES]
    assert [it for it in rows if it not in PAGE.read_text("utf-8").splitlines()] == []
