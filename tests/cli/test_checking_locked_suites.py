"""What `suitecase check` reports about suites that are locked."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.running.commands import CommandSite
from support.running.processes import found

SUITE = """\
version: "1"
prompt: Short
execution: {target: mock}
evalcases:
  - id: one
    input: Hi
    expected_outcome: Greets
  - id: two
    input: Hi
    expected_outcome: Thanks
"""
WITHOUT_TWO = SUITE[: SUITE.index("  - id: two")]


@pytest.fixture
def site(tmp_path: Path) -> CommandSite:
    """A workspace with a suite and a data set that are locked."""
    site = CommandSite(tmp_path)
    site.write("a.eval.yaml", SUITE)
    site.write("set.jsonl", '{"id": "a", "input": "Hi", "expected_outcome": "x"}\n')
    site.write("set.yaml", 'version: "1"\nprompt: Short\nexecution: {target: mock}\n')
    assert site.run("lock", "a.eval.yaml").code == 0
    assert site.run("lock", "set.jsonl").code == 0
    return site


def codes(site: CommandSite, *paths: str) -> list[tuple[str, int, str]]:
    """Return the file, the line and the rule of each finding that is not about the mock."""
    listed = found(*paths, cwd=site.root)
    return [it[:3] for it in listed if it[2].startswith("SC9")]


def test_a_locked_suite_is_clean(site: CommandSite) -> None:
    assert codes(site, ".") == []


def test_each_difference_is_reported_once_at_its_place(site: CommandSite) -> None:
    changed = SUITE.replace("Short", "Long").replace("Greets", "Hello")
    site.write("a.eval.yaml", changed.replace("id: two", "id: three"))
    assert codes(site, "a.eval.yaml") == [
        ("a.eval.yaml", 2, "SC901"),
        ("a.eval.yaml", 4, "SC902"),
        ("a.eval.yaml", 5, "SC901"),
        ("a.eval.yaml", 8, "SC903"),
    ]


def test_under_a_later_version_only_a_note_is_left(site: CommandSite) -> None:
    changed = SUITE.replace("Short", "Long").replace("Greets", "Hello")
    site.write("a.eval.yaml", changed.replace('"1"', '"2"'))
    (finding,) = [it for it in found("a.eval.yaml", cwd=site.root) if it[2] == "SC909"]
    assert (finding[1], finding[3]) == (1, "info")


def test_a_data_set_has_findings_about_cases_and_its_sidecar_the_others(site: CommandSite) -> None:
    site.write("set.jsonl", '{"id": "b", "input": "Hi", "expected_outcome": "x"}\n')
    site.write("set.yaml", 'version: "1"\nprompt: Long\nexecution: {target: mock}\n')
    assert codes(site, "set.jsonl") == [
        ("set.jsonl", 1, "SC903"),
        ("set.yaml", 1, "SC902"),
        ("set.yaml", 2, "SC901"),
    ]


@pytest.mark.parametrize(
    ("head", "fixed"),
    [
        ("", 'governance:\n  deprecated:\n    - {id: two, version: "1", reason: "say why"}\n'),
        (
            "governance:\n  authors: [ann]\n",
            (
                'governance:\n  deprecated: [{id: two, version: "1", reason: "say why"}]\n'
                "  authors: [ann]\n"
            ),
        ),
        (
            "governance:\n  deprecated:\n    - id: old\n      reason: x\n",
            (
                "governance:\n  deprecated:\n    - id: old\n      reason: x\n"
                '    - {id: two, version: "1", reason: "say why"}\n'
            ),
        ),
        (
            "governance: {deprecated: [{id: old, reason: x}]}\n",
            (
                'governance: {deprecated: [{id: old, reason: x}, {id: two, version: "1", '
                'reason: "say why"}]}\n'
            ),
        ),
    ],
)
def test_the_fix_of_a_removed_case_adds_its_entry(site: CommandSite, head: str, fixed: str) -> None:
    text = WITHOUT_TWO.replace('version: "1"', 'version: "2"').replace(
        "evalcases:", f"{head}evalcases:"
    )
    site.write("a.eval.yaml", text)
    site.run("check", "--fix", "--unsafe-fixes", "a.eval.yaml")
    assert site.read("a.eval.yaml") == text.replace(f"{head}evalcases:", f"{fixed}evalcases:")
    assert [it[2] for it in codes(site, "a.eval.yaml")] == ["SC909"]


def test_a_changed_suite_can_be_run(site: CommandSite) -> None:
    site.write("a.eval.yaml", SUITE.replace("Greets", "Hello"))
    ran = site.run("run", "a.eval.yaml", "--no-results")
    assert "lacks the words hello" in ran.out
    assert "SC901" not in ran.out + ran.err


def test_a_difference_can_be_silenced(site: CommandSite) -> None:
    changed = SUITE.replace("  - id: one", "  - id: one  # suitecase: ignore[SC901]")
    site.write("a.eval.yaml", changed.replace("Greets", "Hello"))
    assert codes(site, "a.eval.yaml") == []


def test_a_lock_in_a_folder_above_is_that_of_another_suite(site: CommandSite) -> None:
    site.write("inner/a.eval.yaml", SUITE.replace("Greets", "Hello"))
    assert codes(site, "inner") == []
