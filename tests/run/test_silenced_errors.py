"""What is silenced is graded, and what cannot be graded is not silenced: for every rule, in every way.

The suites are the bad examples of all rules. Each is checked and run as it would be by hand, with what
it is about silenced: the ways take turns, and each kind of rule has each of them. A third is tried, another one each
time; `make sweep` tries all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from suitecase.checking.check import check
from suitecase.checking.rules import all_rules
from suitecase.format.configuration import ParsedConfiguration
from suitecase.format.reading import parse_document
from suitecase.format.rule import Example, Finding, Rule, Severity
from suitecase.format.target_files import ParsedTargets
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.run.protocol import Finished, Refused, RunRequest
from support.parsed_files import parse_own
from support.running.runs import run_here
from support.samples import sample

#: What the mock target lacks, or what these examples name on purpose and is not there.
_OUTSIDE = ("script", "cannot start", "does not report", "target `small`", "the results file")


def _with_files() -> list[tuple[Rule, Example, list[Example]]]:
    found: list[tuple[Rule, Example, list[Example]]] = []
    for rule in all_rules():
        suite: tuple[Rule, Example, list[Example]] | None = None
        for example in rule.examples:
            if example.kind == "bad" and not example.file:
                suite = (rule, example, [])
                found.append(suite)
            elif example.kind == "bad" and suite is not None:
                suite[2].append(example)
            else:
                suite = None
    return found


def _is_suite(rule: Rule, example: Example) -> bool:
    """Whether an example is a suite, and not a targets file or a configuration."""
    if rule.subject is ParsedConfiguration:
        return False
    nowhere = Path("/nowhere")
    parsed = parse_document(nowhere / _name(example), _text(example), Workspace(nowhere))
    return isinstance(parsed, ParsedSuite)


def _is_lines(example: Example) -> bool:
    return example.text.startswith("{")


def _name(example: Example) -> str:
    return "suite.jsonl" if _is_lines(example) else "suite.yaml"


def _text(example: Example) -> str:
    return example.text.replace("  # <- finding", "")


BAD = _with_files()


class Tree:
    """A workspace with a suite, in which something is silenced."""

    def __init__(self, root: Path, suite: Path) -> None:
        self.root, self.suite = root, suite

    def reported(self) -> list[Finding]:
        """Return what `suitecase check` reports of the suite and of the files it names."""
        workspace = Workspace(self.root)
        files = self.written()
        return check(files, Folder(workspace, self.root), self.suite).everything

    def written(self) -> ParsedSuite | ParsedTargets:
        text = self.suite.read_text("utf-8")
        return parse_own(self.suite, text, Workspace(self.root))

    def configure(self, text: str) -> None:
        (self.root / "suitecase.toml").write_text(text, "utf-8")


def _by_comment(tree: Tree, rule: Rule) -> None:
    text = tree.suite.read_text("utf-8")
    tree.suite.write_text(f"# suitecase: ignore[{rule.code}] on purpose\n{text}", "utf-8")


def _by_ignore(tree: Tree, rule: Rule) -> None:
    tree.configure(f'ignore = ["{rule.name}"]\n')


def _by_file(tree: Tree, rule: Rule) -> None:
    tree.configure(f'[per-file-ignores]\n"**" = ["{rule.code}"]\n')


def _by_severity(tree: Tree, rule: Rule) -> None:
    tree.configure(f'[severity]\n{rule.code} = "info"\n')


def _by_select(tree: Tree, rule: Rule) -> None:
    other = "SC117" if rule.code != "SC117" else "SC007"
    tree.configure(f'select = ["{other}"]\n')


def _by_baseline(tree: Tree, rule: Rule) -> None:
    file = tree.suite.name
    lines = tree.suite.read_text("utf-8").splitlines()
    rows = [
        {"file": file, "code": rule.code, "case": case, "line": " ".join(line.split()), "count": 99}
        for line in {*lines, *(it.message for it in tree.reported())}
        for case in ("", "greet", "extract", "a")
    ]
    (tree.root / "known.json").write_text(json.dumps({"version": 1, "findings": rows}), "utf-8")
    tree.configure('baseline = "known.json"\n')


WAYS: list[Callable[[Tree, Rule], None]] = [
    _by_comment,
    _by_ignore,
    _by_file,
    _by_severity,
    _by_select,
    _by_baseline,
]


def _silenced() -> Iterator[tuple[int, Callable[[Tree, Rule], None]]]:
    """Yield each suite with one way and each way with each kind of rule; lines of JSON have no comments."""
    seen: set[object] = set()
    for number, (rule, example, _) in enumerate(BAD):
        for turn, way in enumerate(WAYS):
            if way is _by_comment and _is_lines(example):
                continue
            kind = (way, rule.severity, rule.cannot_be_silenced, rule.affects, _is_lines(example))
            if kind not in seen or turn == number % len(WAYS):
                seen.add(kind)
                yield number, way


SILENCED = [
    pytest.param(*BAD[number], way, id=f"{BAD[number][0].name}-{number}-{way.__name__[4:]}")
    for number, way in sample(_silenced())
    if _is_suite(*BAD[number][:2])
]


@pytest.mark.parametrize(("rule", "example", "files", "silence"), SILENCED)
async def test_what_checks_when_silenced_is_graded(
    rule: Rule,
    example: Example,
    files: list[Example],
    silence: Callable[[Tree, Rule], None],
    tmp_path: Path,
) -> None:
    (tmp_path / ".git").mkdir()
    for file in files:
        path = tmp_path / str(file.file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text.replace("# <- finding", ""), "utf-8")
    suite = tmp_path / _name(example)
    suite.write_text(_text(example), "utf-8")
    tree = Tree(tmp_path, suite)
    assert isinstance(tree.written(), ParsedSuite)
    before = [it for it in tree.reported() if it.rule is rule]
    silence(tree, rule)
    reported = tree.reported()
    remaining = [finding for finding in reported if finding.rule is rule]
    if rule.cannot_be_silenced:
        assert len(remaining) == len(before)
        assert all(it.severity is Severity.ERROR for it in remaining)
    # What only concerns a release stops no run.
    errors = [
        finding
        for finding in reported
        if finding.severity is Severity.ERROR and finding.rule.affects != "release"
    ]
    request = RunRequest(suite_path=str(suite), workspace_root=str(tmp_path), target="mock")
    ran = await run_here(request)
    last = ran.events[-1]
    if errors:
        # Where `--target` says who answers, it does not matter that the suite's target is unknown.
        unasked = all(
            it.rule.code in ("SC501", "SC503", "SC530", "SC531", "SC537") for it in errors
        )
        assert isinstance(last, Refused) or unasked, last
        if isinstance(last, Refused):
            told = {(error.code, error.message) for error in errors}
            assert {(error["code"], error["message"]) for error in last.findings} <= told
        return
    assert isinstance(last, Finished), last
    broken = {name: it["error"] for name, it in ran.records.items() if it["verdict"] == "error"}
    assert all(any(word in why for word in _OUTSIDE) for why in broken.values()), broken
    assert last.summary["not_run"] == []


def test_a_page_says_whether_its_errors_can_be_silenced() -> None:
    for rule in all_rules():
        if rule.severity is Severity.ERROR:
            says = "It cannot be suppressed." in rule.markdown()
            assert (rule.name, says) == (rule.name, rule.cannot_be_silenced)
