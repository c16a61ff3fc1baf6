"""Each example in a rule's documentation, and each in `tests/checking/rules/*.md`, is run.

An example is a fenced block: ```` ```yaml bad ````, `good` or `fixed`. A block with `file=NAME` is
written beside the suite before it. In a bad one, `# <- finding` marks the lines on which the rule
finds something, in the suite or in a file beside it; `# <- finding@7` says that it does so at column
7, counted from 1. Behind a fixed suite, a file is as the fixes leave it.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

import pytest

import suitecase
from suitecase.checking.analysis import Analysis
from suitecase.checking.check import check, check_configuration
from suitecase.checking.rules import all_rules, rule_named
from suitecase.format.configuration import read_configuration
from suitecase.format.reading import parse_document
from suitecase.format.rule import Finding, Rule, Severity
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.agentv.suite.parsed import AgentvTest
from suitecase.formats.suitecase.elements import ParsedRubric
from suitecase.schema.validation import IssueKind
from suitecase.text.lines import Lines

EDGE_CASES = Path(__file__).parent
#: How the names of examples begin that are in no documentation.
EDGE = "edge-"
MARK = re.compile(r"[ \t]*# <- finding(?:@(?P<column>\d+))?(?=[ \t]*(?:# <- finding|\r?\n|\Z))")
FENCE = re.compile(
    r"^```(?P<language>\w+) (?P<kind>bad|good|fixed)(?: file=(?P<file>\S+))?\n"
    r"(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(slots=True)
class Marked:
    """A suite of an example: its text without marks, where they stood, and its other files.

    `before` is the bad example that a fixed one comes from; `file_marks` has where marks stood in
    the other files.
    """

    rule: Rule
    language: str
    kind: str
    text: str
    marks: list[tuple[int, int | None]]
    id: str
    files: dict[str, str] = field(default_factory=dict)
    before: Marked | None = None
    file_marks: dict[str, list[tuple[int, int | None]]] = field(default_factory=dict)


def _marked(rule: Rule, documentation: str, origin: str) -> Iterator[Marked]:
    suite: Marked | None = None
    bad: Marked | None = None
    for number, block in enumerate(FENCE.finditer(documentation), 1):
        marks = [
            (block["text"].count("\n", 0, it.start()), int(it["column"]) if it["column"] else None)
            for it in MARK.finditer(block["text"])
        ]
        text = MARK.sub("", block["text"])
        if block["file"]:
            assert suite, f"{origin}: {block['file']} stands before the suite it belongs to"
            suite.files[block["file"]] = text
            if marks:
                suite.file_marks[block["file"]] = marks
            continue
        if suite:
            yield suite
        identity = f"{origin}-{number}-{block['kind']}"
        suite = Marked(rule, block["language"], block["kind"], text, marks, identity)
        if suite.kind == "bad":
            bad = suite
        elif suite.kind == "fixed":
            # What lies beside it is as it was, where nothing else is said.
            assert bad, f"{origin}: nothing stands before {suite.id} that it could come from"
            suite.before, suite.files = bad, dict(bad.files)
    if suite:
        yield suite


def _edge_cases() -> Iterator[Marked]:
    for page in sorted(EDGE_CASES.glob("*.md")):
        rule = rule_named(page.stem)
        assert rule, f"{page.name} is named after no rule"
        yield from _marked(rule, page.read_text("utf-8"), f"{EDGE}{page.stem}")


DOCUMENTED = [
    example for rule in all_rules() for example in _marked(rule, rule.documentation, rule.name)
]
EXAMPLES: dict[str, list[Marked]] = {}
for _example in (*DOCUMENTED, *_edge_cases()):
    EXAMPLES.setdefault(_example.rule.name, []).append(_example)


def examples_of(rule: Rule, *kinds: str) -> list[Marked]:
    return [example for example in EXAMPLES.get(rule.name, ()) if example.kind in kinds]


def rules(some: Sequence[Rule]) -> pytest.MarkDecorator:
    """Parametrize a test with rules; all tests of a rule follow one another, and share what is analyzed."""
    names = [rule.name for rule in some]
    return pytest.mark.parametrize("rule", some, ids=names, scope="module")


every_rule = rules(all_rules())


def _analyzed(
    example: Marked, text: str, folder: Path, files: dict[str, str] | None = None
) -> tuple[Lines, Analysis]:
    """Analyze what an example is: a file of YAML or JSONL, or a configuration in TOML."""
    for name, content in (example.files if files is None else files).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
    if example.language == "toml":
        configuration = read_configuration(folder / "suitecase.toml", text)
        assert configuration
        analysis = check_configuration(configuration, Workspace(folder))
    else:
        workspace = Workspace(folder)
        file = parse_document(folder / f"suite.{example.language}", text, workspace)
        path = folder / f"suite.{example.language}"
        analysis = check(file, Folder(workspace, folder), path)
    assert analysis.failures == []
    return Lines(text), analysis


@dataclass(frozen=True, slots=True)
class Analyzed:
    """An example as it is documented, in the folder that it was written into."""

    folder: Path
    lines: Lines
    analysis: Analysis


Once = Callable[[Marked], Analyzed]


@pytest.fixture(scope="module")
def analyzed(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Analyze an example as it is documented, once for all tests."""

    base = tmp_path_factory.mktemp("examples")
    known: dict[str, Analyzed] = {}

    def once(example: Marked) -> Analyzed:
        if example.id not in known:
            folder = base / example.id
            folder.mkdir()
            known[example.id] = Analyzed(folder, *_analyzed(example, example.text, folder))
        return known[example.id]

    return once


def _places(lines: Lines, found: Sequence[Finding]) -> list[tuple[int, int]]:
    return [lines.position(it.span.start) for it in found]


def _shown(lines: Lines, found: Sequence[Finding]) -> list[str]:
    places = _places(lines, found)
    return [
        f"{line + 1}:{column + 1} {it.rule.name}: {it.message}"
        for it, (line, column) in zip(found, places, strict=True)
    ]


def test_each_rule_explains_itself() -> None:
    for rule in all_rules():
        rationale = FENCE.sub("", rule.documentation.partition("\n")[2]).strip()
        assert len(rule.title) > 10, rule.name
        assert rule.title[0].isupper(), rule.name
        assert rationale.endswith("."), f"{rule.name} says why it is one, in a sentence at least"
        kinds = {example.kind for example in EXAMPLES[rule.name] if not example.id.startswith(EDGE)}
        assert "bad" in kinds, rule.name
        assert kinds & {"good", "fixed"}, rule.name


def test_each_kind_of_validation_issue_is_reported_by_exactly_one_rule() -> None:
    ours = [it for it in all_rules() if it.code.startswith("SC")]
    owners = {kind: [it.name for it in ours if kind in it.issues] for kind in IssueKind}
    assert {kind: names for kind, names in owners.items() if len(names) != 1} == {}
    subjects = (AgentvTest, ParsedRubric)
    of_others = {
        kind
        for rule in all_rules()
        if any(
            issubclass(looked_at, get_args(rule.subject) or rule.subject) for looked_at in subjects
        )
        for kind in rule.issues
    }
    assert of_others == set(IssueKind), "no issue of a suite of another tool is left unreported"
    without = [it.name for it in all_rules() if it.only_of == "issues" and not it.issues]
    assert without == [], "a rule on issues says which ones"


def test_only_the_module_of_a_rule_spells_its_name_or_code() -> None:
    names = {name: it.check.__module__ for it in all_rules() for name in (it.name, it.code)}
    package = Path(suitecase.__file__).parent
    spelled = []
    for path in sorted(package.rglob("*.py")):
        module = ".".join(path.relative_to(package.parent).with_suffix("").parts)
        text = path.read_text("utf-8")
        if names.keys().isdisjoint(re.findall(r"""["']([\w-]+)["']""", text)):
            continue
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            if names.get(node.value, module) != module:
                spelled.append(f"{module}:{node.lineno}: {node.value}")
    assert spelled == []


def test_codes_and_names_are_unique() -> None:
    rules = all_rules()
    assert len({it.code for it in rules}) == len(rules)
    assert len({it.name for it in rules}) == len(rules)


def test_each_rule_is_found_by_its_name_and_its_code() -> None:
    for rule in all_rules():
        assert rule_named(rule.name) is rule
        assert rule_named(rule.code.lower()) is rule


@every_rule
def test_bad_examples_are_found_on_the_marked_lines_and_have_no_other_mistake(
    rule: Rule, analyzed: Once
) -> None:
    for example in examples_of(rule, "bad"):
        once = analyzed(example)
        _holds_marks(example, once)
        others = [
            finding
            for finding in once.analysis.everything
            if finding.rule is not rule
            and finding.severity is not Severity.INFO
            and finding.rule.name != FOUND_IN.get(rule.name)
        ]
        assert _shown(once.lines, others) == [], example.id


def _holds_marks(example: Marked, once: Analyzed) -> None:
    analysis = once.analysis
    assert example.marks or example.file_marks, f"{example.id} marks no line"
    elsewhere = {
        path.relative_to(once.folder).as_posix(): of_file.findings
        for path, of_file in analysis.external.items()
    }
    assert elsewhere.keys() <= example.files.keys(), example.id
    for file, text in (("", example.text), *example.files.items()):
        reported = elsewhere.get(file, []) if file else analysis.findings
        marks = example.file_marks.get(file, []) if file else example.marks
        lines = Lines(text)
        found = [finding for finding in reported if finding.rule is example.rule]
        assert all(
            0 <= finding.span.start <= finding.span.end <= len(text) for finding in reported
        ), example.id
        places = _places(lines, found)
        assert [line for line, _ in places] == [line for line, _ in marks], (
            example.id,
            file,
            _shown(lines, reported),
        )
        for (line, column), (_, wanted) in zip(places, marks, strict=True):
            if wanted is not None:
                shown = (example.id, _shown(lines, found))
                assert (line, column + 1) == (line, wanted), shown


#: What a rule finds only where another one finds something too, for which the list is renamed.
FOUND_IN = {"path-sent-as-prompt": "legacy-assertions"}


@every_rule
def test_good_examples_are_clean(rule: Rule, analyzed: Once) -> None:
    for example in examples_of(rule, "good", "fixed"):
        once = analyzed(example)
        reported = once.analysis.everything
        grave = [finding for finding in reported if finding.severity is not Severity.INFO]
        own = [finding for finding in reported if finding.rule is rule]
        assert _shown(once.lines, grave + own) == [], example.id
        assert not example.marks, example.id


@rules([rule for rule in all_rules() if examples_of(rule, "fixed")])
def test_fixes_turn_bad_examples_into_fixed_ones(rule: Rule, tmp_path: Path) -> None:
    for example in examples_of(rule, "fixed"):
        assert example.before
        folder = tmp_path / example.id
        folder.mkdir()
        text, files = example.before.text, dict(example.before.files)
        for _ in range(20):
            _, analysis = _analyzed(example, text, folder, files)
            found = [finding for finding in analysis.everything if finding.rule is rule]
            fixable = next((finding for finding in found if finding.fix), None)
            if fixable is None:
                break
            assert fixable.fix
            if fixable.external is None:
                text = fixable.fix.apply(text)
            else:
                name = fixable.external.path.relative_to(folder).as_posix()
                files[name] = fixable.fix.apply(files[name])
        assert (example.id, text) == (example.id, example.text)
        assert files == example.files, example.id


@every_rule
def test_a_fix_mends_what_it_belongs_to(rule: Rule, analyzed: Once, tmp_path: Path) -> None:
    for example in examples_of(rule, "bad"):
        analysis = analyzed(example).analysis
        before = Counter((found.code, found.message) for found in analysis.findings)
        fixable = [finding for finding in analysis.findings if finding.fix]
        folder = tmp_path / example.id
        folder.mkdir()
        for finding in fixable:
            assert finding.fix
            fixed = finding.fix.apply(example.text)
            again, after = _analyzed(example, fixed, folder)
            left = Counter((found.code, found.message) for found in after.findings)
            kind = finding.code, finding.message
            assert left[kind] < before[kind] or left.total() < before.total(), (example.id, fixed)
            assert not any(found.rule.name == "yaml-syntax" for found in after.findings) or any(
                found.rule.name == "yaml-syntax" for found in analysis.findings
            ), (example.id, _shown(again, after.findings))


#: Rules whose fixes `check --fix` applies without `--unsafe-fixes`.
SAFELY_FIXED = frozenset(
    [
        "ambiguous-scalar",
        "anthropic-model-without-mode",
        "appended-evaluators",
        "assert-under-vars",
        "assertion-without-type",
        "byte-order-mark-in-evals",
        "canary-missing",
        "code-without-return",
        "digits-lost",
        "duplicate-case-id",
        "duplicate-evaluator-name",
        "duplicate-key",
        "duplicate-schema-key",
        "duplicate-target-name",
        "empty-rubrics",
        "filter-with-scheme",
        "incomplete-evaluator",
        "incomplete-weights",
        "ineffective-ignore",
        "ineffective-suppression",
        "insufficient-indentation",
        "invalid-key",
        "json-syntax",
        "legacy-assertions",
        "legacy-case-list",
        "legacy-ignored-arguments",
        "legacy-key",
        "legacy-messages",
        "legacy-metadata",
        "legacy-min-score",
        "legacy-prompt-file",
        "legacy-prompt-variable",
        "legacy-range-gate",
        "legacy-regex-flags",
        "legacy-rubric-type",
        "legacy-setting",
        "legacy-skip-defaults",
        "legacy-target",
        "legacy-variable-in-file",
        "misspelled-provider",
        "mistyped-assertion-value",
        "mistyped-value",
        "older-assertion-type",
        "prompt-id-sent-as-text",
        "prompt-path-with-line-break",
        "prompt-taken-for-path",
        "provider-without-prompts",
        "redundant-evaluator-weight",
        "redundant-weight",
        "schema-not-json",
        "score-range-reversed",
        "targets-by-name",
        "threshold-missing",
        "unfilled-shell-variable",
        "unknown-config-key",
        "unknown-prompt-reference",
        "unknown-provider-reference",
        "unknown-tag",
        "unquoted-date",
        "unused-suppression",
        "variables-with-scheme",
        "wrong-type",
    ]
)
#: How the titles of these fixes begin in rules of which others are a guess.
PARTLY_SAFELY_FIXED = {"duplicate-rubric-id": "Rename to", "invalid-setting": "Change to `["}


@every_rule
def test_a_rule_documents_its_fixes_and_applies_those_unasked_that_keep_the_meaning(
    rule: Rule, analyzed: Once
) -> None:
    documented = False
    for example in examples_of(rule, "bad", "good", "fixed"):
        for found in analyzed(example).analysis.everything:
            if found.rule is rule and found.fix:
                documented |= not example.id.startswith(EDGE)
                safely = PARTLY_SAFELY_FIXED.get(rule.name)
                is_safe = (
                    found.fix.title.startswith(safely) if safely else rule.name in SAFELY_FIXED
                )
                assert found.fix.safe == is_safe, (example.id, found.fix.title)
    assert documented == rule.fixable
