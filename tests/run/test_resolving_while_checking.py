"""Cases of a long suite are resolved while they are checked, as they are one by one."""

import json
from pathlib import Path

import pytest

from suitecase.run import planning
from suitecase.run.plan import Plan
from suitecase.run.planning import Resolving, plan
from suitecase.run.protocol import RunRequest
from suitecase.text import parsing
from suitecase.text.compose import compose
from suitecase.text.composed import Composed

HEAD = """\
execution:
  target: plain
  evaluators: [{name: suite, type: contains, value: a}]
"""
#: A case that inherits everything, one with its own evaluators, and one with an error.
CASES = """\
  - id: inherits-{0}
    expected_outcome: Answers
    input: What is {0}?
  # A comment between cases.
  - id: own-{0}
    expected_outcome: Answers
    rubrics: [It is right]
    execution: {{target: other}}
    input: What is {0}?
    evaluators:
      - {{name: own, type: contains, value: b}}
  - id: error-{0}
    expected_outcom: Answers
    input: What is {0}?
"""
TARGETS = "targets: [{name: plain, provider: mock}, {name: other, provider: mock}]\n"


def planned(suite: Path) -> Plan:
    request = RunRequest(suite_path=str(suite), workspace_root=str(suite.parent), keep_going=True)
    found = plan(request)
    assert isinstance(found, Plan), found
    return found


def suite_of(folder: Path, head: str, cases: str, tail: str = "", count: int = 100) -> Path:
    (folder / "targets.yaml").write_text(TARGETS)
    suite = folder / "suite.eval.yaml"
    listed = "".join(map(cases.format, range(count)))
    suite.write_text(f"{head}evalcases:\n{listed}{tail}", newline="")
    return suite


def resolved_one_by_one(suite: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    with monkeypatch.context() as patched:
        patched.setattr(planning, "resolving_of", lambda *_: None)
        return planned(suite)


@pytest.mark.parametrize("breaks", ["\n", "\r\n"])
def test_cases_are_resolved_as_one_by_one(
    breaks: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = suite_of(tmp_path, HEAD.replace("\n", breaks), CASES.replace("\n", breaks))
    found, expected = planned(suite), resolved_one_by_one(suite, monkeypatch)
    assert len(found.cases) == 200
    assert list(found.cases) == list(expected.cases)
    assert found.ids == expected.ids
    assert found.not_run == expected.not_run
    assert [found.cases.kind(it) for it in range(200)] == [0, 1] * 100


def test_data_sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "targets.yaml").write_text(TARGETS)
    (tmp_path / "set.yaml").write_text(HEAD)
    case = {"expected_outcome": "Answers", "input": "What?"}
    lines = [json.dumps({"id": f"case-{it}", **case}) + "\n" * (it % 3 + 1) for it in range(200)]
    suite = tmp_path / "set.jsonl"
    suite.write_text("".join(lines))
    found, expected = planned(suite), resolved_one_by_one(suite, monkeypatch)
    assert list(found.cases) == list(expected.cases)


def test_a_head_behind_the_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = suite_of(tmp_path, "", CASES, tail=HEAD)
    found, expected = planned(suite), resolved_one_by_one(suite, monkeypatch)
    assert list(found.cases) == list(expected.cases)


def test_a_late_case_decides_how_all_inherit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = suite_of(tmp_path, HEAD, CASES)
    text = suite.read_text()
    suite.write_text(
        f"{text}  - id: last\n    expected_outcome: Answers\n    input: What?\n"
        "    assertions: [{name: late, type: contains, value: c}]\n"
    )
    found, expected = planned(suite), resolved_one_by_one(suite, monkeypatch)
    assert [it.config.name for it in found.cases[1].evaluators] == ["rubric", "own", "suite"]
    assert list(found.cases) == list(expected.cases)


def test_each_case_is_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def counted(text: str) -> Composed:
        parsed.append(text)
        return compose(text)

    suite = suite_of(tmp_path, HEAD, CASES)
    monkeypatch.setattr(parsing, "compose", counted)
    planned(suite)
    assert len([it for it in parsed if it.startswith("  - id: inherits")]) == 100


def test_a_case_that_fails_meanwhile_is_resolved_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = suite_of(tmp_path, HEAD, CASES)
    monkeypatch.setattr(Resolving, "cases", lambda *_: None)
    assert list(planned(suite).cases) == list(resolved_one_by_one(suite, monkeypatch).cases)
