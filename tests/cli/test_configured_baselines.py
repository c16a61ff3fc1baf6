"""A baseline in the configuration: `suitecase check` hides its findings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.running.processes import LEGACY, SILENT, found, suitecase, write
from support.suites.endless_schema import ENDLESS

PROMPTED = """\
execution: {target: mock}
evalcases:
  - id: greet
    input: Hi
    expected_outcome: Says hello
    evaluators: [{name: tone, type: llm_judge, prompt: tone.md}]
"""
TONE = "Judge {{ candidate_answer }}, {{ qestion }}.\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with findings in a suite and in a prompt, all of which are known."""
    write(tmp_path, "old/a.eval.yaml", SILENT)
    write(tmp_path, "old/b.eval.yaml", PROMPTED)
    write(tmp_path, "old/tone.md", TONE)
    write(tmp_path, "suitecase.toml", 'baseline = "known.json"\n')
    result = suitecase("check", ".", "--write-baseline", "known.json", cwd=tmp_path)
    assert result.stdout == "Wrote 2 findings to known.json.\n"
    return tmp_path


def test_what_it_knows_is_left_out_and_what_is_new_is_not(tree: Path) -> None:
    done = suitecase("check", ".", cwd=tree)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "The baseline left out 2 findings."
    write(tree, "old/c.eval.yaml", SILENT)
    assert found(".", cwd=tree) == [("old/c.eval.yaml", 6, "SC113", "error")]
    assert found(".", "--jobs", "2", cwd=tree) == found(".", cwd=tree)


def test_the_command_line_goes_before(tree: Path) -> None:
    write(tree, "none.json", '{"version": 1, "findings": []}')
    assert len(found(".", "--baseline", "none.json", cwd=tree)) == 2
    assert len(found(".", "--no-config", cwd=tree)) == 2


def test_writing_it_anew_keeps_what_is_known(tree: Path) -> None:
    write(tree, "old/c.eval.yaml", LEGACY)
    suitecase("check", ".", "--write-baseline", "known.json", cwd=tree)
    assert (tree / "known.json").read_text("utf-8").count('"code"') == 3
    assert found(".", cwd=tree) == []


@pytest.mark.parametrize(
    "damage",
    [b"\xff", b"execution: {target: mock\nevalcases: [\n", ENDLESS.encode()],
    ids=["unreadable", "unparsable", "endless"],
)
def test_what_cannot_be_checked_is_not_forgotten(tree: Path, damage: bytes) -> None:
    before = (tree / "known.json").read_bytes()
    (tree / "old" / "b.eval.yaml").write_bytes(damage)
    done = suitecase(
        *("check", ".", "--write-baseline", "known.json"),
        cwd=tree,
        constants={"suitecase.text.time_limits.LIMIT": 1.0},
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        "known.json: is left as it is: old/b.eval.yaml could not be checked completely, so 1 finding"
        in done.stderr
    )
    assert (tree / "known.json").read_bytes() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_what_a_folder_has_that_cannot_be_listed_is_not_forgotten(tree: Path) -> None:
    before = (tree / "known.json").read_bytes()
    (tree / "old").chmod(0)
    done = suitecase("check", ".", "--write-baseline", "known.json", cwd=tree)
    (tree / "old").chmod(0o755)
    assert (done.returncode, done.stdout) == (2, "")
    assert "known.json: is left as it is: old could not be checked completely" in done.stderr
    assert "2 findings that it knows would be lost" in done.stderr
    assert (tree / "known.json").read_bytes() == before


def test_what_cannot_be_checked_keeps_no_more_from_being_known(tree: Path) -> None:
    write(tree, "old/c.eval.yaml", LEGACY)
    (tree / "old" / "d.eval.yaml").write_bytes(b"\xff")
    done = suitecase("check", ".", "--write-baseline", "known.json", cwd=tree)
    assert (done.returncode, done.stdout) == (2, "Wrote 3 findings to known.json.\n")


def test_nothing_known_is_mended(tree: Path) -> None:
    done = suitecase("check", ".", "--fix", "--unsafe-fixes", cwd=tree)
    assert "Nothing to fix." in done.stdout
    assert (tree / "old" / "tone.md").read_text("utf-8") == TONE


def test_every_command_leaves_out_what_it_knows(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", SILENT)
    write(tmp_path, "suitecase.toml", 'baseline = "known.json"\n')
    refused = suitecase("run", "a.eval.yaml", "--no-results", cwd=tmp_path)
    assert "1 error" in refused.stdout + refused.stderr
    assert suitecase("show", "a.eval.yaml", cwd=tmp_path).returncode == 1
    suitecase("check", ".", "--write-baseline", "known.json", cwd=tmp_path)
    assert suitecase("check", ".", cwd=tmp_path).returncode == 0
    ran = suitecase("run", "a.eval.yaml", "--no-results", "--format", "jsonl", cwd=tmp_path)
    assert '"eval_id":"greet"' in ran.stdout.replace(" ", ""), ran.stderr
    assert suitecase("show", "a.eval.yaml", cwd=tmp_path).returncode == 0


def test_what_is_gone_is_named(tree: Path) -> None:
    write(tree, "old/tone.md", TONE.replace("qestion", "question"))
    done = suitecase("check", ".", cwd=tree)
    assert "old/tone.md: SC302 is in the baseline and no longer found" in done.stdout
    assert done.stdout.count("no longer found") == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "it does not exist"),
        ("{", "it is not valid JSON"),
        ('{"version": 2, "findings": []}', "its version is 2"),
    ],
)
def test_one_that_cannot_be_used_is_found_in_the_configuration(
    tree: Path, text: str | None, why: str
) -> None:
    (tree / "known.json").unlink()
    if text is not None:
        write(tree, "known.json", text)
    done = suitecase("check", ".", cwd=tree)
    assert done.returncode == 1
    assert "suitecase.toml:1:12: error[SC705] the baseline known.json cannot be used" in done.stdout
    assert why in done.stdout
    assert "old/a.eval.yaml:6:26: error[SC113]" in done.stdout, "nothing is known then"


def test_one_outside_of_the_workspace_is_not_read(tree: Path) -> None:
    inner = tree / "inner"
    write(inner, "suitecase.toml", 'baseline = "../known.json"\n')
    write(inner, "a.eval.yaml", LEGACY)
    done = suitecase("check", ".", cwd=inner)
    assert "it is outside the workspace, so it is not read" in done.stdout
