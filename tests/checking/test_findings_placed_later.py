"""Findings whose places wait until somebody looks at them, as for editors: the same as all others."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from suitecase.checking.analysis import Analysis
from suitecase.checking.check import check
from suitecase.checking.findings import Findings
from suitecase.checking.options import CheckOptions
from suitecase.format.reading import parse_document
from suitecase.format.rule import Finding, Severity
from suitecase.format.workspace import Folder, Workspace
from suitecase.text.node import Span

HEAD = "execution: {target: mock}\nevalcases:\n"
ERROR = "  - id: case-{n}\n    input: Hi\n    expected_outcome: Says hello\n    notez: wrong\n"
WARNING = "  - id: case-{n}\n    input: Hi\n    outcome: Says hello\n"
JUDGED = (
    "  - id: case-{n}\n    input: Hi\n    expected_outcome: Says hello\n"
    "    evaluators: [{{name: a, type: llm_judge, prompt: no.md}}, {{name: a, type: llm_judge, prompt: tone.md}}]\n"
)
SUPPRESSED = "  # suitecase: ignore[SC501]\n" + WARNING
CASES = "".join(
    it.format(n=number)
    for number, it in enumerate([ERROR, WARNING, JUDGED, SUPPRESSED, WARNING, ERROR, JUDGED] * 5)
)


def checked(folder: Path, text: str, *, later: bool, name: str = "a.eval.yaml") -> Analysis:
    (folder / "tone.md").write_text("{{ candidate_anser }} {{ candidate_answer }}\n", "utf-8")
    workspace = Workspace(folder)
    path = folder / name
    options = CheckOptions(places_later=later)
    return check(
        parse_document(path, text, workspace), Folder(workspace, folder), path, options=options
    )


@pytest.mark.parametrize(
    "text",
    [
        HEAD + CASES,
        "# suitecase: ignore[SC501]\n" + HEAD + CASES,
        HEAD + CASES + "unknown: 1\n",
        HEAD + CASES + "  - [",
        "execution: {target: mock}\nevalcases: [{id: a, outcome: b}, {id: a, outcome: b}]\n",
    ],
    ids=["suite", "comment on the file", "head behind the cases", "broken", "flow"],
)
@pytest.mark.parametrize(
    "configuration",
    ["", 'ignore = ["SC101"]\n', 'severity = {SC501 = "error"}\n', 'select = ["SC3"]\n'],
)
def test_findings_are_the_same(tmp_path: Path, text: str, configuration: str) -> None:
    (tmp_path / "suitecase.toml").write_text(configuration, "utf-8")
    at_once, later = (checked(tmp_path, text, later=it) for it in (False, True))

    assert len(later.findings) == len(at_once.findings) > 0
    for severity in Severity:
        assert later.count(severity) == at_once.count(severity)
    assert later.rules == at_once.rules
    places = [Span(0, 0), Span(0, len(text)), *(it.span for it in at_once.findings)]
    for place in places:
        assert later.touching(place) == at_once.touching(place)
    assert list(later.findings) == list(at_once.findings)
    assert list(later.silenced) == list(at_once.silenced)
    assert later.external_findings == at_once.external_findings
    assert list(pickle.loads(pickle.dumps(later.findings))) == list(at_once.findings)


def test_findings_of_a_data_set_have_their_fixes_in_json(tmp_path: Path) -> None:
    lines = "".join(
        f'{{"id": "case-{number}", "input": "Hi", "outcome": "Says hello"}}\n'
        for number in range(9)
    )
    at_once, later = (
        checked(tmp_path, lines, later=it, name="cases.jsonl") for it in (False, True)
    )

    assert any(it.fix for it in later.findings)
    assert list(later.findings) == list(at_once.findings)


def _by_hand(found: list[Finding], severity: Severity, offset: int, most: int) -> list[int]:
    """Return where the nearest findings start, half of them before an offset, if there are as many."""
    starts = [it.span.start for it in found if it.severity is severity]
    before = [it for it in starts if it < offset]
    after = [it for it in starts if it >= offset]
    ahead = min(len(before), max(most // 2, most - len(after)))
    return [*before[len(before) - ahead :], *after[: most - ahead]]


@pytest.mark.parametrize("most", [0, 1, 4, 9, 1000])
def test_the_nearest_are_those_before_and_behind(tmp_path: Path, most: int) -> None:
    text = HEAD + CASES + "unknown: 1\nothers: 2\n"
    at_once, later = (checked(tmp_path, text, later=it) for it in (False, True))
    assert isinstance(later.findings, Findings)
    starts = [number for number in range(len(text)) if text.startswith("  - id: ", number)]

    for severity in (Severity.ERROR, Severity.WARNING):
        for offset in (0, starts[1], starts[17], starts[-1], len(text)):
            nearest = later.findings.nearest(severity, offset, most)
            wanted = _by_hand(list(at_once.findings), severity, offset, most)
            assert [it.offset for it in nearest] == wanted
