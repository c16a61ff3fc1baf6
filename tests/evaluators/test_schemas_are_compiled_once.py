"""A JSON Schema is checked against its metaschema, and compiled, once for each content."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from suitecase.checking.check import check, check_text
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_suite
from suitecase_evaluators.answers.score import Verdict
from suitecase_evaluators.schema import checking, validation
from support.running.evaluators import answer, entry, graded

CASE = """\
  - id: case-{n}
    input: What is {n}?
    expected_outcome: Says what {n} is
    expected_output: '{{"total": {n}}}'
    evaluators:
      - name: shape
        type: json_schema
        schema:
          type: object
          {more}
          dependentRequired: {{}}
          properties:
            total: {{type: {type}}}
"""


class Counted:
    """A function, with the number of calls."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> None:
        self.calls = 0
        self._function = getattr(module, name)
        monkeypatch.setattr(module, name, self)

    def __call__(self, *arguments: Any) -> Any:
        self.calls += 1
        return self._function(*arguments)


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> Counted:
    """What checks a schema against its metaschema."""
    return Counted(monkeypatch, checking, "_metaschema_problems")


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Counted:
    """What compiles a schema."""
    return Counted(monkeypatch, validation, "_validator")


def suite(title: str, type_name: str = "integer", cases: int = 200) -> str:
    return "evalcases:\n" + "".join(
        CASE.format(n=number, more=f"title: {title}", type=type_name) for number in range(cases)
    )


def test_a_check_of_many_cases(checked: Counted, compiled: Counted, tmp_path: Path) -> None:
    text = suite("check of many cases")
    check_text(tmp_path / "suite.eval.yaml", text, Workspace(tmp_path))
    assert (checked.calls, compiled.calls) == (1, 1)


def test_each_case_has_its_findings(checked: Counted, tmp_path: Path) -> None:
    text = suite("each case has its findings", "integr")
    analysis = check_text(tmp_path / "suite.eval.yaml", text, Workspace(tmp_path))
    found = [it.span.start for it in analysis.findings if it.rule.name == "invalid-schema"]
    assert found == [at for at in range(len(text)) if text.startswith("integr}", at)]
    assert checked.calls == 1


def test_keystrokes_in_other_places(checked: Counted, tmp_path: Path) -> None:
    folder = Folder(Workspace(tmp_path), tmp_path)
    parsed: ParsedSuite | None = None
    for typed in ("", "W", "Wh", "Who"):
        text = suite("keystrokes", cases=5).replace("What is 3", f"{typed} is 3")
        parsed = parse_suite(text, reuse=parsed)
        check(parsed, folder)
    assert checked.calls == 1


async def test_many_answers(checked: Counted, compiled: Counted) -> None:
    schema = {"title": "many answers", "type": "object", "required": ["total"], "$defs": {}}
    of_suite = json.dumps(schema)
    for number in range(20):
        for written in (dict(schema), of_suite):
            score = await graded(
                entry("json_schema", schema=written), answer(f'{{"total": {number}}}')
            )
            assert score.verdict is Verdict.PASS
        score = await graded(entry("json_schema", schema=of_suite), answer("{}"))
        assert score.verdict is Verdict.FAIL
    assert (checked.calls, compiled.calls) == (1, 1)


async def test_schemas_that_depend_on_the_answer() -> None:
    schema = {
        "type": "object",
        "patternProperties": {"^x-": {"type": "string"}},
        "unevaluatedProperties": False,
    }
    for text, verdict in (
        ('{"x-a": "b"}', Verdict.PASS),
        ('{"y-a": "b"}', Verdict.FAIL),
        ('{"x-b": "c"}', Verdict.PASS),
        ('{"x-a": 1}', Verdict.FAIL),
    ):
        score = await graded(entry("json_schema", schema=schema), answer(text))
        assert score.verdict is verdict, text
