"""Suites of every other format, before and after migration: the text, and what is graded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from suitecase.authoring.migration import Migration, meanings, migrate
from suitecase.checking.check import check
from suitecase.format.reading import parse_document
from suitecase.format.rule import Severity
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_suite
from suitecase.formats.suitecase.resolve import resolve
from suitecase.formats.suitecase.show import shown_suite
from suitecase_evaluators.grade.judge.template import find_variables
from support.samples import sample

ERAS = Path(__file__).parent / "eras"
PAIRS = sorted(ERAS.glob("*.before.yaml"))


def _migrated(text: str, folder: Path) -> Migration:
    made = migrate(text, folder / "suite.eval.yaml", Workspace(folder))
    assert made is not None
    assert made.bug == ""
    return made


def _graded(text: str, folder: Path) -> list[dict[str, Any]]:
    """What `show` says of the cases, without where it is written."""
    suite = resolve(
        parse_suite(text), folder / "suite.eval.yaml", Folder(Workspace(folder), folder)
    )
    shown = shown_suite(suite, list(suite.cases), None, lambda path: path.name)
    for case in shown["cases"]:
        del case["line"], case["lines"], case["target"]["line"]
        for evaluator in case["evaluators"]:
            del evaluator["origin"]
    cases: list[dict[str, Any]] = _with_names_of_today(shown["cases"])
    return cases


def _with_names_of_today(value: Any) -> Any:
    """Return a value with the variables in its texts as they are called today."""
    match value:
        case dict():
            return {key: _with_names_of_today(it) for key, it in value.items()}
        case list():
            return [_with_names_of_today(it) for it in value]
        case str():
            for it in reversed(find_variables(value)):
                value = f"{value[: it.start]}{{{{ {it.name} }}}}{value[it.end :]}"
    return value


@pytest.mark.parametrize("path", PAIRS, ids=lambda it: it.name.removesuffix(".before.yaml"))
def test_a_suite_is_written_in_todays_format(path: Path, tmp_path: Path) -> None:
    for script in ("check.py", "check_digits.py"):
        (tmp_path / script).touch()
    (tmp_path / "tone.md").write_text("Is this warm? {{ candidate_answer }}", "utf-8")
    before = path.read_text("utf-8")
    after = path.with_name(path.name.replace(".before.", ".after.")).read_text("utf-8")
    made = _migrated(before, tmp_path)
    assert made.after == after
    assert made.decisions == ()
    assert _migrated(after, tmp_path).after == after
    found = _findings(made.after, tmp_path)
    assert [it.message for it in found if it.severity is not Severity.INFO] == []
    assert _graded(before, tmp_path) == _graded(after, tmp_path)


@pytest.mark.parametrize("path", PAIRS, ids=lambda it: it.name.removesuffix(".before.yaml"))
def test_line_endings_and_byte_order_marks_are_kept(path: Path, tmp_path: Path) -> None:
    before = path.read_text("utf-8")
    plain = _migrated(before, tmp_path).after
    assert _migrated(before.replace("\n", "\r\n"), tmp_path).after == plain.replace("\n", "\r\n")
    assert _migrated("\ufeff" + before, tmp_path).after == "\ufeff" + plain
    assert _migrated(before.rstrip("\n"), tmp_path).after.rstrip("\n") == plain.rstrip("\n")


@pytest.mark.parametrize("path", PAIRS, ids=lambda it: it.name.removesuffix(".before.yaml"))
def test_every_comment_is_kept(path: Path, tmp_path: Path) -> None:
    before = path.read_text("utf-8")
    comments = [line[line.index("# ") :] for line in before.splitlines() if "# " in line]
    after = _migrated(before, tmp_path).after
    assert comments
    assert [it for it in comments if it not in after] == []


@pytest.mark.parametrize("path", PAIRS, ids=lambda it: it.name.removesuffix(".before.yaml"))
def test_each_fix_alone_keeps_what_is_graded(path: Path, tmp_path: Path) -> None:
    """As in an editor, where one fix is made at a time."""
    text = path.read_text("utf-8")
    folder = Folder(Workspace(tmp_path), tmp_path)
    wanted = list(meanings(parse_suite(text)))
    for it in check(parse_suite(text), folder).findings:
        if it.fix and it.fix.safe:
            fixed = it.fix.apply(text)
            assert list(meanings(parse_suite(fixed))) == wanted, (it.message, fixed)


#: Suites that mean something today's format cannot say: the code of the rule that asks.
UNDECIDED = {
    "a gate without ranges": (
        ("evalcases:\n  - id: a\n    input: Hi\n    expected_outcome: x\n    rubrics:\n"
        "      - {id: r, min_score: 0.5, outcome: is good}\n"),
        "SC616",
    ),
    "what a suite has to reach": (
        ("threshold: 0.9\ntests:\n  - {id: a, input: Hi, criteria: x}\n"),
        "SC616",
    ),
    "what a run has to reach": (
        ("execution: {target: mock, threshold: 0.9}\ntests:\n  - {id: a, input: Hi, criteria: x}\n"),
        "SC616",
    ),
    "several targets": (
        ("execution: {targets: [a, b]}\ntests:\n  - {id: a, input: Hi, criteria: x}\n"),
        "SC616",
    ),
    "a folder to work in": (
        ("workspace: {template: ./t}\ntests:\n  - {id: a, input: Hi, criteria: x}\n"),
        "SC616",
    ),
    "an input for all cases": (
        ("input: Be kind.\ntests:\n  - {id: a, input: Hi, criteria: x}\n"),
        "SC616",
    ),
    "a conversation": (
        ("tests:\n  - {id: a, input: Hi, criteria: x, mode: conversation, turns: [{input: Bye}]}\n"),
        "SC616",
    ),
    "variables": (
        ("tests:\n  - {id: a, input: Hi, criteria: x, vars: {name: Ann}}\n"),
        "SC616",
    ),
    "the opposite of what a script says": (
        ("tests:\n  - id: a\n    input: Hi\n    criteria: x\n    assert:\n"
        "      - {type: code-grader, command: [python, -c, '1'], negate: true}\n"),
        "SC616",
    ),
    "an answer that is changed first": (
        ("tests:\n  - id: a\n    input: Hi\n    criteria: x\n    assert:\n"
        "      - {type: contains, value: a, transform: trim}\n"),
        "SC616",
    ),
    "a type of another format": (
        ("tests:\n  - id: a\n    input: Hi\n    criteria: x\n    assert:\n"
        "      - {type: skill-trigger, value: a}\n"),
        "SC307",
    ),
    "a variable of another format": (
        ("tests:\n  - id: a\n    input: Hi\n    criteria: x\n    assert:\n"
        "      - {type: llm-grader, prompt: 'Good? {{ output }} {{ tool_calls }}'}\n"),
        "SC302",
    ),
    "arguments compared as a whole": (
        ("tests:\n  - id: a\n    input: Hi\n    criteria: x\n    assert:\n"
        "      - type: tool-trajectory\n        mode: in_order\n        expected:\n"
        "          - tool: search\n            args: {query: it}\n"),
        "SC616",
    ),
    "an opposite": (
        ("tests:\n  - id: a\n    input: Hi\n    criteria: x\n    assert:\n"
        "      - type: rubrics\n        criteria:\n"
        "          - {id: r, outcome: is bad, operator: contradiction}\n"),
        "SC616",
    ),
    "evaluators of another file": (
        ("tests:\n  - id: a\n    input: Hi\n    criteria: x\n    assert:\n"
        "      - {include: shared}\n      - {type: contains, value: a}\n"),
        "SC616",
    ),
    "another way of comparing calls": (
        ("tests:\n  - id: a\n    input: Hi\n    criteria: x\n    assert:\n"
        "      - {type: tool-trajectory, mode: superset, expected: [{tool: search}]}\n"),
        "SC616",
    ),
    "a kind of evaluator that is none": (
        ("grader: heuristic\ntestcases:\n  - id: a\n    outcome: x\n"
        "    messages: [{role: user, content: Hi}]\n"),
        "SC616",
    ),
    "a part in two items": (
        ("testcases:\n  - id: a\n    outcome: x\n    messages:\n      - role: user\n"
        "        content:\n          - type: text\n          - value: Hi\n"),
        "SC612",
    ),
    "cases in another file": ("execution: {target: mock}\ntests: ./questions.jsonl\n", "SC618"),
    "two lists of evaluators": (
        ("tests:\n  - id: a\n    input: Hi\n    criteria: x\n    assert:\n"
        "      - {type: contains, value: a}\n    execution:\n      evaluators:\n"
        "        - {name: b, type: contains, value: b}\n"),
        "SC615",
    ),
    "two names": (
        "name: a\ndataset: b\nevalcases:\n  - {id: a, input: Hi, expected_outcome: x}\n",
        "SC615",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNDECIDED)
def test_what_cannot_be_kept_is_left_and_named(name: str, tmp_path: Path) -> None:
    text, code = UNDECIDED[name]
    made = _migrated(text, tmp_path)
    left = {it.code for it in (*made.decisions, *made.errors)}
    assert left - {"SC613"} == {code}
    assert not made.is_done
    assert _migrated(made.after, tmp_path).after == made.after
    assert [it.code for it in _migrated(made.after, tmp_path).decisions] == [
        it.code for it in made.decisions
    ]
    found = _findings(made.after, tmp_path)
    assert not any(it.rule.name == "unknown-key" for it in found)
    assert [it.message for it in found if "  " in it.message] == []
    # Nothing runs until it is decided, unless the suite is graded as it was; and no fix decides.
    assert any(it.severity is Severity.ERROR for it in found) or code == "SC615"
    assert [it.message for it in found if it.fix and it.fix.safe] == []
    assert [it.message for it in found if it.fix and it.code in ("SC615", "SC616", "SC307")] == []


def _findings(text: str, folder: Path) -> list[Any]:
    return list(check(parse_suite(text), Folder(Workspace(folder), folder)).findings)


@pytest.mark.parametrize(
    "text",
    [
        "name: CI\non: push\ntests:\n  - name: unit\n    run: pytest\n",
        "tests:\n  - id: unit\n    command: pytest\n    input: none\n    steps: [a]\n    timeout: 5\n"
        "".replace("    input: none\n", ""),
        "tests:\n  unit: {run: pytest}\n",
        "cases:\n  - name: x\n    id: 3\n    price: 5\n",
        "a: 1\n",
    ],
)
def test_other_files_are_no_suites(text: str, tmp_path: Path) -> None:
    assert migrate(text, tmp_path / "ci.yaml", Workspace(tmp_path)) is None


def test_a_suite_of_today_is_not_touched(tmp_path: Path) -> None:
    text = (
        "version: 2.0\ndescription: x\nevalcases:\n  - id: a\n    input: Hi\n"
        "    expected_outcome: x\n    description: of its own\n"
    )
    made = _migrated(text, tmp_path)
    assert not made.changed
    assert made.decisions == ()


def test_a_text_that_does_not_parse_is_not_called_migrated(tmp_path: Path) -> None:
    made = _migrated("evalcases:\n  - id: [a\n    criteria: x\n", tmp_path)
    assert not made.changed
    assert [it.rule.name for it in made.decisions] == ["yaml-syntax"]


CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus"
THEIRS = sorted(CORPUS.rglob("agentv*/**/*.yaml")) if CORPUS.is_dir() else []
#: The newest of the versions of a suite, whose names begin with a date.
NEWEST = {(path.parent, path.name.split("__", 1)[-1]): path for path in THEIRS}
#: Most are in the collection once in each syntax; a fifth is tried, another one each time, and all by `make sweep`.
SUITES = sample(NEWEST.values(), 5)


@pytest.mark.skipif(not SUITES, reason="the collection of suites is not here")
@pytest.mark.parametrize("path", SUITES, ids=lambda it: it.relative_to(CORPUS).as_posix())
def test_suites_that_people_wrote_are_migrated(path: Path) -> None:
    text = path.read_bytes().decode("utf-8")
    workspace = Workspace(path.parent)
    made = migrate(text, path, workspace)
    if made is None:
        assert "cases:" not in text
        return
    assert made.bug == ""
    again = migrate(made.after, path, workspace)
    assert again is not None
    assert again.after == made.after
    folder = Folder(workspace, path.parent)
    after = parse_document(path, made.after, workspace)
    found = check(after, folder).findings
    left = {it.code for it in found if it.code.startswith("SC6")}
    assert left <= {"SC612", "SC615", "SC616", "SC617", "SC618", "SC620", "SC624"}
    if "SC617" in left:
        assert not made.changed
    comments = [line.strip() for line in text.splitlines() if line.strip().startswith("# ")]
    assert [it for it in comments if it not in made.after] == []
    before = parse_document(path, text, workspace)
    errors = [it for it in found if it.severity is Severity.ERROR]
    others = [it for it in check(before, folder).findings if it.severity is Severity.ERROR]
    assert len(errors) <= len(others)
    if isinstance(before, ParsedSuite) and isinstance(after, ParsedSuite):
        assert list(meanings(after)) == list(meanings(before))


def test_targets_are_migrated_too(tmp_path: Path) -> None:
    path = tmp_path / "targets.yaml"
    before = (
        "targets:\n  - name: judge\n    provider: mock\n  - name: own\n    provider: cli\n"
        "    command: ask {PROMPT}   # {kept}\n    grader_target: judge\n"
    )
    made = migrate(before, path, Workspace(tmp_path))
    assert made is not None
    assert made.after == before.replace("command:", "command_template:").replace(
        "grader_target", "judge_target"
    )
    assert made.decisions == ()


def test_an_inverted_type_is_not_taken_for_the_type_itself(tmp_path: Path) -> None:
    listed = "- {name: a, type: not-icontains-any, value: [a]}\n      - {name: b, type: not-shown}"
    text = f"evalcases:\n  - id: a\n    input: Hi\n    expected_outcome: x\n    evaluators:\n      {listed}\n"
    first, second = [
        it
        for it in check(parse_suite(text), Folder(Workspace(tmp_path), tmp_path)).findings
        if it.code == "SC307"
    ]
    assert "use `icontains_any` with `negate: true`" in first.message
    assert first.fix is None
    assert "negate" not in second.message
