"""`suitecase migrate` as a person or a pipeline uses it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from support.running.processes import suitecase

OLDER = (
    "# greetings\ntestcases:\n  - id: greet\n    outcome: Says hello   # warmly\n"
    "    messages:\n      - {role: user, content: Hi}\n      - {role: assistant, content: Hello}\n"
)
TODAY = (
    "# greetings\nevalcases:\n  - id: greet\n    expected_outcome: Says hello   # warmly\n"
    "    input_messages:\n      - {role: user, content: Hi}\n"
    "    expected_messages:\n      - {role: assistant, content: Hello}\n"
)
ERA = "AgentV's format of 2025-11-15 (`outcome`, `testcases`, `messages`)"
UNDECIDED = TODAY + (
    "    evaluators:\n      - name: json\n        type: is_json\n        transform: trim\n"
)


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return suitecase("migrate", *arguments, cwd=folder)


def _write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def test_a_suite_is_rewritten_and_then_is_in_todays_format(tmp_path: Path) -> None:
    suite = _write(tmp_path / "a.yaml", OLDER)
    first = _run(tmp_path, "a.yaml")
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout == f"a.yaml: migrated from {ERA}, 3 changes\n"
    assert suite.read_bytes() == TODAY.encode()
    second = _run(tmp_path, "a.yaml")
    assert (second.returncode, second.stdout) == (0, "a.yaml: is already in the current format\n")
    assert suite.read_bytes() == TODAY.encode()


def test_byte_order_mark_line_ends_and_mode_stay(tmp_path: Path) -> None:
    suite = _write(tmp_path / "a.yaml", "\ufeff" + OLDER.replace("\n", "\r\n"))
    suite.chmod(0o640)
    assert _run(tmp_path, "a.yaml").returncode == 0
    assert suite.read_bytes() == ("\ufeff" + TODAY.replace("\n", "\r\n")).encode()
    assert suite.stat().st_mode & 0o777 == 0o640
    assert [it.name for it in tmp_path.iterdir()] == ["a.yaml"]


def test_check_changes_nothing_and_fails_where_something_would_change(tmp_path: Path) -> None:
    suite = _write(tmp_path / "a.yaml", OLDER)
    ended = _run(tmp_path, "--check", ".")
    assert ended.returncode == 1
    assert ended.stdout == f"a.yaml: would be migrated from {ERA}, 3 changes\n"
    assert suite.read_bytes() == OLDER.encode()
    _write(suite, TODAY)
    assert _run(tmp_path, "--check", ".").returncode == 0


def test_diff_shows_what_would_change(tmp_path: Path) -> None:
    suite = _write(tmp_path / "a.yaml", OLDER)
    ended = _run(tmp_path, "--diff", "a.yaml")
    assert ended.returncode == 0
    lines = ended.stdout.splitlines()
    assert "-testcases:" in lines
    assert "+evalcases:" in lines
    assert "     # greetings" not in lines
    assert suite.read_bytes() == OLDER.encode()


def test_what_a_person_must_decide_is_named_at_its_place(tmp_path: Path) -> None:
    suite = _write(tmp_path / "a.yaml", UNDECIDED.replace("evalcases", "tests"))
    ended = _run(tmp_path, "a.yaml")
    assert ended.returncode == 1
    said = ended.stdout.splitlines()
    assert said[0] == (
        "a.yaml: migrated from AgentV's format of 2026-02-20 (`tests`), 1 change; "
        "1 thing left to decide"
    )
    assert said[1].startswith("  a.yaml:12:9: `transform` of an evaluator has no equivalent here")
    assert suite.read_bytes() == UNDECIDED.encode()
    again = _run(tmp_path, "a.yaml")
    assert again.returncode == 1
    assert again.stdout.startswith("a.yaml: 1 thing left to decide\n")


def test_a_folder_is_searched_and_other_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "evals").mkdir()
    _write(tmp_path / "evals" / "a.yaml", OLDER)
    workflow = "on: push\ntests:\n  - id: unit\n    run: pytest\n"
    ci = _write(tmp_path / "ci.yaml", workflow)
    ended = _run(tmp_path, ".")
    assert ended.stdout == f"evals/a.yaml: migrated from {ERA}, 3 changes\n"
    assert ci.read_text() == workflow
    ended = _run(tmp_path, "ci.yaml")
    assert (ended.returncode, ended.stderr) == (
        2,
        "ci.yaml: cannot be migrated: it is not a suite\n",
    )


def test_what_would_not_check_is_named_and_not_called_done(tmp_path: Path) -> None:
    suite = _write(
        tmp_path / "a.yaml",
        TODAY.replace("evalcases", "tests")
        + "    evaluators:\n      - name: some\n        type: skill-trigger\n        value: [a, "
        "b]\n"
        "      - name: tone\n        type: llm-grader\n        prompt: file://tone.md\n",
    )
    _write(tmp_path / "tone.md", "Warm? {{ candidate_answer }} {{ tool_calls }}\n")
    _write(tmp_path / "suitecase.toml", "")
    for said in (
        "a.yaml: migrated from AgentV's format of 2026-03-16 (`llm-grader`, `assert`, `tests`), 3 changes; 2 errors to fix",
        "a.yaml: is already in the current format; 2 errors to fix",
    ):  # fmt: skip
        ended = _run(tmp_path, "a.yaml")
        assert ended.returncode == 1
        lines = ended.stdout.splitlines()
        assert lines[0] == said
        assert lines[1].startswith("  a.yaml:11:15: the evaluator type `skill-trigger`")
        assert lines[2].startswith("  a.yaml:15:17: unknown prompt variable `{{ tool_calls }}`")
        assert "(in tone.md)" in lines[2]
    assert "skill-trigger" in suite.read_text("utf-8")


LINES = (
    '{"id": "a", "input": "Hi", "criteria": "x", "assertions": [{"type": "is-json", "required": '
    'true}, "Is short", "Is warm"]}\n'
    '{"id": "b", "input": "Hi", "assertions": ["Is short", "Is warm"]}\n'
    '{"id": "c", "input": "Hi", "criteria": "x", "assertions": [{"type": "llm-grader", "prompt": '
    '"Check it"}]}\n'
)
LINES_OF_TODAY = (
    '{"id": "a", "input": "Hi", "expected_outcome": "x", "evaluators": [{"name": "is_json", '
    '"type": "is_json", "required": true}, {"name": "rubrics", "type": "llm_judge", "weight": 2, '
    '"rubrics": ["Is short", "Is warm"]}]}\n'
    '{"id": "b", "input": "Hi", "expected_outcome": "Meets what is asserted", "rubrics": '
    '["Is short", "Is warm"]}\n'
    '{"id": "c", "input": "Hi", "expected_outcome": "x", "evaluators": [{"name": "criteria", '
    '"type": "criteria", "criteria": "Check it"}]}\n'
)


def test_a_data_set_is_migrated_as_json(tmp_path: Path) -> None:
    _write(tmp_path / "d.yaml", "dataset: d\nexecution: {target: mock}\n")
    lines = _write(tmp_path / "d.jsonl", LINES)
    ended = _run(tmp_path, ".")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert lines.read_text("utf-8") == LINES_OF_TODAY


def test_the_evaluators_of_a_sidecar_are_left_to_decide(tmp_path: Path) -> None:
    """As `assertions` they grade beside those of a case, as `execution.evaluators` they do not."""
    before = "dataset: d\nassertions:\n  - {type: contains, value: Hi}\n"
    sidecar = _write(tmp_path / "d.yaml", before)
    _write(tmp_path / "d.jsonl", LINES_OF_TODAY)
    ended = _run(tmp_path, ".")
    assert ended.returncode == 1
    assert sidecar.read_text("utf-8") == before
    assert "d.yaml:2:1: `assertions` of a suite is now `execution.evaluators`, and no longer " in (
        ended.stdout
    )


RESULT = (
    '{"timestamp": "2026-01-03T12:00:00Z", "eval_id": "a", "id": "a", "criteria": "x", '
    '"input": "Hi", "score": 0.5}\n'
)
SKILL = '[{"id": "a", "prompt": "Hi", "expected_output": "Hello", "assertions": ["Says hello"]}]\n'
PROMPTFOO = "prompts: [Hi]\nproviders: [echo]\ntests:\n  - {id: a, input: Hi, assert: [Is warm]}\n"


def test_what_is_no_suite_is_not_touched_whatever_is_named(tmp_path: Path) -> None:
    others = {
        "results.jsonl": (RESULT, "a results file"),
        "lines.jsonl": ('{"a": 1}\n', "not a data set: none of its first lines is a case"),
        "evals.json": (SKILL, "the evals of an Agent Skill"),
        "wrapped.json": (f'{{"skill": "x", "evals": {SKILL}}}', "the evals of an Agent Skill"),
        "promptfooconfig.yaml": (PROMPTFOO, "a promptfoo configuration"),
        "cases.json": (
            '{"tests": [{"id": "a", "input": "Hi", "criteria": "x"}]}\n',
            "JSON; a suite is YAML, or a data set in lines of JSON",
        ),
        "tests.yaml": (
            "- vars: {a: b}\n  assert: [{type: is-json}]\n",
            "a list of tests in the manner of promptfoo",
        ),
        "notes.md": ("# tests:\n\n- one\n", "not a suite"),
        "config.yaml": ("tests: {run: pytest}\n", "not a suite"),
    }
    for name, (text, _) in others.items():
        _write(tmp_path / name, text)
    _write(tmp_path / "a.yaml", OLDER)
    ended = _run(tmp_path, *sorted(it.name for it in tmp_path.iterdir()))
    assert ended.returncode == 2
    assert ended.stderr.splitlines() == [
        f"{name}: cannot be migrated: it is {what}" for name, (_, what) in sorted(others.items())
    ]
    said = ended.stdout.splitlines()
    assert said == [f"a.yaml: migrated from {ERA}, 3 changes"]
    for name, (text, _) in others.items():
        assert (tmp_path / name).read_text("utf-8") == text


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name, why in (
        ("no.yaml", "it does not exist"),
        ("empty", "no suite found in this folder"),
    ):
        ended = _run(tmp_path, name)
        assert ended.returncode == 2
        assert ended.stderr.startswith(f"{name}: cannot be migrated: {why}")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    real = _write(tmp_path / "real" / "a.yaml", OLDER)
    link = tmp_path / "link.yaml"
    link.symlink_to(real)
    assert _run(tmp_path, "link.yaml").returncode == 0
    assert link.is_symlink()
    assert real.read_bytes() == TODAY.encode()
