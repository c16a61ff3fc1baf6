"""Of any suite, with whatever is silenced in it: what checks is graded, and what is not run is named.

Suites are put together of cases that are sound, odd or wrong, and of every way to silence.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from suitecase.checking.baseline import CheckedText, ids_of
from suitecase.checking.check import check
from suitecase.format.baseline_file import baseline_from
from suitecase.format.rule import Finding, Severity
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_suite
from suitecase.run.protocol import CaseNotRun, Finished, Refused, RunRequest
from support.running.runs import RanHere, run_here

#: What a case may have beside its id: nothing wrong, something odd, or an error of some kind.
BODIES = (
    ["input: Hi", "expected_outcome: Says hello"],
    ["input: Hi", "outcome: Says hello"],
    ["input: Hi", "expected_outcome: Says hello", "rubrics: []"],
    ["input: Hi", "expected_outcome: Says hello", "expected_messages: [{role: assistant}]"],
    ["input: Hi", "expected_outcome: x", "evaluators: [{name: t, type: llm_judge, prompt: t.md}]"],
    ["input: Hi", "expected_outcome: x", "evaluators: [{name: w, type: contains, value: Hi}]"],
    ["input: Hi", "expected_outcome: x", "rubics: [a]"],
    ["input: Hi", "expected_outcome: x", "rubrics: [{id: a, expected_outcome: a, weight: -1}]"],
    ["input: Hi", "expected_outcome: x", "evaluators: [{name: g, type: llm_judge, prompt: no.md}]"],
    ["input: Hi"],
    ["input: : Hi"],
)
HEADS = (
    "",
    "execution: {evaluators: [{name: head, type: contains, value: Hi}]}\n",
    "execution: {evaluators: [{name: head, type: llm_judge, prompt: no.md}]}\n",
    "promt: Be kind\n",
)
CODES = ("SC101", "SC102", "SC113", "SC208", "SC217", "SC301", "SC302", "SC602", "SC2", "SC")


@dataclass(frozen=True)
class Silenced:
    """How findings of a suite are silenced."""

    by_comment: tuple[str, ...]
    by_ignore: tuple[str, ...]
    by_file: tuple[str, ...]
    lowered: tuple[str, ...]
    raised: tuple[str, ...]
    by_baseline: bool


names = st.lists(st.sampled_from(CODES), max_size=3, unique=True).map(tuple)
silenced = st.builds(
    Silenced,
    by_comment=names,
    by_ignore=names,
    by_file=names,
    lowered=names,
    raised=st.lists(st.sampled_from(("SC602", "SC217")), max_size=1).map(tuple),
    by_baseline=st.booleans(),
)
suites = st.tuples(
    st.sampled_from(HEADS),
    st.lists(
        st.tuples(st.sampled_from(("a", "b", "c", "d")), st.sampled_from(BODIES)),
        min_size=1,
        max_size=4,
    ),
)


def written(head: str, cases: list[tuple[str, list[str]]], comment: tuple[str, ...]) -> str:
    lines = [f"{head}evalcases:"]
    for name, body in cases:
        if comment:
            lines.append(f"  # suitecase: ignore[{', '.join(comment)}] on purpose")
        lines += [f"  - id: {name}", *(f"    {it}" for it in body)]
    return "\n".join(lines) + "\n"


def reported(root: Path, text: str) -> tuple[ParsedSuite, list[Finding]]:
    """Return what `suitecase check` reports of the suite and of the files it names."""
    workspace, path = Workspace(root), root / "a.eval.yaml"
    suite = parse_suite(text)
    analysis = check(suite, Folder(workspace, root), path)
    assert not analysis.failures
    return suite, analysis.everything


def ran(root: Path, text: str, *, keep_going: bool) -> RanHere:
    request = RunRequest(
        suite_path=str(root / "a.eval.yaml"),
        workspace_root=str(root),
        text=text,
        target="mock",
        keep_going=keep_going,
    )
    return asyncio.run(run_here(request))


def settle(root: Path, text: str, how: Silenced) -> None:
    """Write the configuration, and the baseline of what is found without it."""
    lowered = dict.fromkeys(how.lowered, "info") | dict.fromkeys(how.raised, "error")
    config = [f"ignore = {json.dumps(how.by_ignore)}"]
    if how.by_baseline:
        suite, findings = reported(root, text)
        ids = tuple(ids_of(suite))
        checked = CheckedText("a.eval.yaml", suite.document.lines, ids)
        own = [it for it in findings if it.external is None]
        baseline = baseline_from(checked.fingerprint(it) for it in own)
        (root / "known.json").write_text(baseline.to_text(), "utf-8")
        config.append('baseline = "known.json"')
    config.append(f'[per-file-ignores]\n"*" = {json.dumps(how.by_file)}')
    config.append("[severity]")
    config += [f'{name} = "{level}"' for name, level in lowered.items()]
    (root / "suitecase.toml").write_text("\n".join(config) + "\n", "utf-8")


@settings(max_examples=40, deadline=None)
@given(suites, silenced)
def test_what_checks_is_graded_and_what_does_not_is_named(
    made: tuple[str, list[tuple[str, list[str]]]], how: Silenced
) -> None:
    head, cases = made
    text = written(head, cases, how.by_comment)
    with TemporaryDirectory() as folder:
        root = Path(folder)
        (root / ".git").mkdir()
        (root / "t.md").write_text("Judge {{ candidate_answer }}, {{ qestion }}.\n", "utf-8")
        (root / "a.eval.yaml").write_text(text, "utf-8")
        settle(root, text, how)
        suite, found = reported(root, text)
        errors = {(it.code, it.message) for it in found if it.severity is Severity.ERROR}
        whole, rest = ran(root, text, keep_going=False), ran(root, text, keep_going=True)

    if not errors:
        assert isinstance(whole.events[-1], Finished), whole.events[-1]
        assert [*whole.records] == [name for name, _ in cases]
        assert all(it["verdict"] != "error" for it in whole.records.values())
        return
    refused = whole.events[-1]
    assert isinstance(refused, Refused), refused
    assert {(it["code"], it["message"]) for it in refused.findings} == errors
    last = rest.events[-1]
    if isinstance(last, Refused):
        assert {(it["code"], it["message"]) for it in last.findings} <= errors
        return
    left_out = [it for it in rest.events if isinstance(it, CaseNotRun)]
    lines = {suite.line(number, it.node.span) for number, it in enumerate(suite.cases) if it.node}
    assert len(left_out) + len(rest.records) == len(cases)
    for it in left_out:
        assert {(found["code"], found["message"]) for found in it.findings} <= errors
        assert it.findings
        assert it.case is None or it.line in lines
    assert all(it["verdict"] != "error" for it in rest.records.values())
