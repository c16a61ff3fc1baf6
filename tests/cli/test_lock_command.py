"""`suitecase lock`: what it writes, what it refuses, and what it prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.running.commands import CommandSite
from support.running.forked import ForkedCommand

SUITE = """\
version: "2026.1"
execution: {target: mock}
evalcases:
  - id: one
    input: Hi
    expected_outcome: Greets
  - id: two
    input: Hi
    expected_outcome: Thanks
    evaluators: [{name: code, type: code_judge, script: [python3, grade.py]}]
"""
ENTRY = "governance: {deprecated: [{id: two, reason: Same as one, replacement: one}]}\n"


@pytest.fixture
def site(tmp_path: Path) -> CommandSite:
    """A workspace with a suite that is not locked."""
    site = CommandSite(tmp_path)
    site.write("a.eval.yaml", SUITE)
    site.write("grade.py", "print('{}')")
    return site


@pytest.fixture
def locked(site: CommandSite) -> CommandSite:
    """A workspace with a suite that is locked."""
    assert site.run("lock", "a.eval.yaml").code == 0
    return site


def test_a_suite_is_locked_once(site: CommandSite) -> None:
    missing = site.run("lock", "a.eval.yaml", "--check")
    assert missing.code == 2
    assert "not locked" in missing.err
    ran = site.run("lock", "a.eval.yaml")
    assert (ran.code, ran.out) == (
        0,
        "a 2026.1: 2 cases, 1 evaluator, 1 file\nWritten: a.eval.lock\n",
    )
    before = site.read("a.eval.lock")
    again = site.run("lock", "a.eval.yaml")
    assert (again.code, "as locked" in again.out) == (0, True)
    assert site.read("a.eval.lock") == before
    assert site.run("lock", "a.eval.yaml", "--check").code == 0


def test_of_two_at_once_one_writes_the_lock_and_the_other_says_so(site: CommandSite) -> None:
    both = [ForkedCommand("lock", "a.eval.yaml", cwd=site.root) for _ in range(2)]
    said = [process.communicate(timeout=60)[1] for process in both]
    meanwhile = "a.eval.lock: cannot be written: it was changed meanwhile, and is left as it is\n"
    # Where one was quicker by far, the other finds a lock that is current.
    assert set(said) <= {"", f"Error: {meanwhile}"}
    assert "" in said
    assert site.run("lock", "a.eval.yaml", "--check").code == 0


def test_a_changed_suite_is_refused_under_the_same_version(locked: CommandSite) -> None:
    before = locked.read("a.eval.lock")
    locked.write("a.eval.yaml", SUITE.replace("Greets", "Hello"))
    locked.write("grade.py", "print(1)")
    for options in ((), ("--check",)):
        ran = locked.run("lock", "a.eval.yaml", *options)
        assert ran.code == 1
        assert [it.partition(": ")[0] for it in ran.out.splitlines()[:-1]] == [
            "a.eval.yaml:10",
            "a.eval.yaml:4",
        ]
        assert "`grade.py`" in ran.out
        assert "what it expects differs" in ran.out
    assert locked.read("a.eval.lock") == before


def test_a_later_version_is_locked_with_what_changed(locked: CommandSite) -> None:
    later = SUITE.replace("2026.1", "2026.2").replace("Greets", "Hello")
    locked.write("a.eval.yaml", later + "  - {id: three, input: Hi, expected_outcome: x}\n")
    check = locked.run("lock", "a.eval.yaml", "--check")
    assert check.code == 1
    assert "Since then: 1 case changed, 1 case added" in check.out
    ran = locked.run("lock", "a.eval.yaml")
    assert (ran.code, "Since 2026.1: 1 case changed, 1 case added" in ran.out) == (0, True)
    assert locked.run("lock", "a.eval.yaml", "--check").code == 0


def test_a_removed_case_needs_an_entry_and_a_later_version(locked: CommandSite) -> None:
    without = SUITE[: SUITE.index("  - id: two")]
    locked.write("a.eval.yaml", without + ENTRY)
    assert "raise `version`" in locked.run("lock", "a.eval.yaml").out
    later = without.replace("2026.1", "2026.2")
    locked.write("a.eval.yaml", later)
    refused = locked.run("lock", "a.eval.yaml")
    assert (refused.code, "`governance.deprecated`" in refused.out) == (1, True)
    locked.write("a.eval.yaml", later + ENTRY)
    ran = locked.run("lock", "a.eval.yaml")
    assert (ran.code, "1 case removed (deprecated: two)" in ran.out) == (0, True)
    assert json.loads(locked.read("a.eval.lock"))["deprecated"] == ["two"]


def test_the_entry_of_a_removed_case_has_to_stay(locked: CommandSite) -> None:
    later = SUITE[: SUITE.index("  - id: two")].replace("2026.1", "2026.2")
    locked.write("a.eval.yaml", later + ENTRY)
    assert locked.run("lock", "a.eval.yaml").code == 0
    locked.write("a.eval.yaml", later.replace("2026.2", "2026.3"))
    ran = locked.run("lock", "a.eval.yaml")
    assert (ran.code, "`two`" in ran.out) == (1, True)


@pytest.mark.parametrize(
    ("version", "expected"),
    [("", "has no `version`"), ("version: 2026.1\n", 'version: "2026.1"')],
)
def test_a_version_is_a_text(site: CommandSite, version: str, expected: str) -> None:
    site.write("a.eval.yaml", SUITE.replace('version: "2026.1"\n', version))
    ran = site.run("lock", "a.eval.yaml")
    assert (ran.code, expected in ran.err) == (2, True)


def test_an_earlier_version_is_refused(locked: CommandSite) -> None:
    locked.write("a.eval.yaml", SUITE.replace("2026.1", "2025.9"))
    ran = locked.run("lock", "a.eval.yaml")
    assert (ran.code, "version 2026.1 is locked" in ran.out) == (1, True)


def test_a_lock_with_a_conflict_is_not_overwritten(locked: CommandSite) -> None:
    text = locked.read("a.eval.lock").replace('  "one"', '<<<<<<< main\n  "one"')
    locked.write("a.eval.lock", text)
    line = text[: text.index("<<<<<<<")].count("\n") + 1
    for options in ((), ("--check",)):
        ran = locked.run("lock", "a.eval.yaml", *options)
        assert ran.code == 2
        assert f"a.eval.lock:{line} cannot be used" in ran.err
    assert locked.read("a.eval.lock") == text


def test_a_suite_with_errors_is_not_locked(site: CommandSite) -> None:
    site.write("a.eval.yaml", SUITE.replace("icontains", "x").replace("code_judge", "cod_judge"))
    ran = site.run("lock", "a.eval.yaml")
    assert (ran.code, "cannot be locked" in ran.err) == (1, True)
    assert "a.eval.lock" not in site.names()


@pytest.mark.parametrize("name", ["set.jsonl", "set.yaml"])
def test_a_data_set_is_locked_with_its_sidecar(site: CommandSite, name: str) -> None:
    site.write("set.jsonl", '{"id": "a", "input": "Hi", "expected_outcome": "x"}\n')
    site.write("set.yaml", 'execution: {target: mock}\nprompt: Short\nversion: "1"\n')
    assert site.run("lock", name).code == 0
    site.write("set.jsonl", '{"id": "a", "input": "Ho", "expected_outcome": "x"}\n')
    site.write("set.yaml", 'execution: {target: mock}\nprompt: Long\nversion: "1"\n')
    ran = site.run("lock", name, "--check")
    assert ran.code == 1
    assert [it.partition(": ")[0] for it in ran.out.splitlines()[:-1]] == [
        "set.yaml:2",
        "set.jsonl:1",
    ]


def test_programs_read_what_differs(locked: CommandSite) -> None:
    locked.write("a.eval.yaml", SUITE.replace("Greets", "Hello"))
    ran = locked.run("lock", "a.eval.yaml", "--check", "--format", "json")
    told = json.loads(ran.out)
    assert (ran.code, told["current"], told["written"]) == (1, False, False)
    (difference,) = told["differences"]
    assert (difference["kind"], difference["name"]) == ("changed", "one")
    assert (difference["parts"], difference["line"]) == (["expected"], 4)
    assert told["since"]["changed"] == [{"id": "one", "parts": ["expected"]}]


def test_a_folder_is_named_as_it_was_given(site: CommandSite) -> None:
    ended = site.run("lock", ".")
    assert (ended.code, ended.err) == (2, "Error: . cannot be locked: it is a folder\n")
