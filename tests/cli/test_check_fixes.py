"""`suitecase check --fix`, `--unsafe-fixes` and `--diff`, on real files."""

from __future__ import annotations

import json
import stat
import subprocess
from pathlib import Path

import pytest

from suitecase.checking.analysis import Analysis
from suitecase.checking.check import check
from suitecase.checking.fixing import fix_text
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import parse_suite
from support.running.processes import LEGACY, MISSPELLED, SOUND, suitecase, write

MANY = "description: Greetings\nexecution: {target: mock}\nevalcases:\n" + "".join(
    f"  - id: case {number}\n    input: 'Hi'   # kept\n    outcome: Says hello  # {number}\n"
    for number in range(30)
)


def test_safe_fixes_are_made_and_counted(tmp_path: Path) -> None:
    path = write(tmp_path, "a.eval.yaml", MANY)
    write(tmp_path, "b.eval.yaml", SOUND)
    done = suitecase("check", ".", "--fix", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-2:] == [
        "All checks passed (2 suites, 31 cases).",
        "Fixed 30 findings in 1 file.",
    ]
    assert path.read_text("utf-8") == MANY.replace("outcome", "expected_outcome")
    again = suitecase("check", ".", "--fix", cwd=tmp_path)
    assert again.stdout.splitlines()[-1] == "Nothing to fix."
    assert path.read_text("utf-8") == MANY.replace("outcome", "expected_outcome")


def test_unsafe_fixes_are_only_made_where_that_is_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path, "a.eval.yaml", MISSPELLED)
    done = suitecase("check", ".", "--fix", cwd=tmp_path)
    assert (done.returncode, path.read_text("utf-8")) == (1, MISSPELLED)
    done = suitecase("check", ".", "--fix", "--unsafe-fixes", cwd=tmp_path)
    assert done.returncode == 0
    assert path.read_text("utf-8") == MISSPELLED.replace("rubics", "rubrics")
    alone = suitecase("check", ".", "--unsafe-fixes", cwd=tmp_path)
    assert (alone.returncode, "goes with --fix or --diff" in alone.stderr) == (2, True)


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_breaks_and_a_byte_order_mark_stay(tmp_path: Path, line_break: str, mark: str) -> None:
    text = mark + MANY.replace("\n", line_break)
    path = write(tmp_path, "a.eval.yaml", text)
    assert suitecase("check", ".", "--fix", cwd=tmp_path).returncode == 0
    assert path.read_bytes().decode() == text.replace("outcome", "expected_outcome")


def test_a_diff_changes_nothing_and_can_be_applied(tmp_path: Path) -> None:
    texts = {"a.eval.yaml": LEGACY.rstrip("\n"), "b/b.eval.yaml": MANY, "c.eval.yaml": SOUND}
    for name, text in texts.items():
        write(tmp_path, name, text)
    done = suitecase("check", ".", "--diff", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "Would fix 31 findings in 2 files.\n"
    for name, text in texts.items():
        assert (tmp_path / name).read_text("utf-8") == text
    applied = subprocess.run(
        ["git", "apply", "-p0"], cwd=tmp_path, input=done.stdout.encode(), capture_output=True,
        check=False,
    )  # fmt: skip
    assert applied.returncode == 0, applied.stderr
    after = suitecase("check", ".", "--diff", cwd=tmp_path)
    assert (after.returncode, after.stdout) == (0, "")


def test_a_file_keeps_its_mode_and_a_link_stays_one(tmp_path: Path) -> None:
    real = write(tmp_path, "real/a.eval.yaml", LEGACY)
    real.chmod(0o640)
    link = tmp_path / "link.eval.yaml"
    link.symlink_to(real)
    assert suitecase("check", "link.eval.yaml", "--fix", cwd=tmp_path).returncode == 0
    assert link.is_symlink()
    assert "expected_outcome" in real.read_text("utf-8")
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert sorted(it.name for it in real.parent.iterdir()) == ["a.eval.yaml"]


def test_what_is_silenced_or_known_is_not_fixed(tmp_path: Path) -> None:
    silenced = LEGACY.replace("hello", "hello  # suitecase: ignore[SC602] soon")
    path = write(tmp_path, "a.eval.yaml", silenced)
    other = write(tmp_path, "b.eval.yaml", LEGACY)
    suitecase("check", ".", "--write-baseline", "known.json", cwd=tmp_path)
    done = suitecase("check", ".", "--fix", "--baseline", "known.json", cwd=tmp_path)
    assert "Nothing to fix." in done.stdout
    assert path.read_text("utf-8") == silenced
    assert other.read_text("utf-8") == LEGACY
    ignored = suitecase("check", ".", "--fix", "--ignore", "SC6", cwd=tmp_path)
    assert "Nothing to fix." in ignored.stdout


def test_the_mended_text_of_standard_input_goes_to_standard_output(tmp_path: Path) -> None:
    text = LEGACY.replace("\n", "\r\n") + "    rubics: [a]\r\n"
    done = suitecase(
        "check", "-", "--stdin-filename", "x.eval.yaml", "--fix", cwd=tmp_path, stdin=text
    )
    assert done.stdout == text.replace("outcome", "expected_outcome")
    assert "x.eval.yaml:6:5: error[SC101]" in done.stderr
    assert done.returncode == 1
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, "a.eval.yaml", LEGACY)
    path.chmod(0o444)
    done = suitecase("check", ".", "--fix", cwd=tmp_path)
    assert (done.returncode, path.read_text("utf-8")) == (2, LEGACY)
    assert "a.eval.yaml: was not fixed: it cannot be written" in done.stderr


@pytest.mark.parametrize("form", ["text", "json", "github", "junit", "sarif"])
def test_of_what_cannot_be_written_the_findings_are_those_without_fixes(
    tmp_path: Path, form: str
) -> None:
    write(tmp_path, "suitecase.toml", 'ignore = "SC217"\n').chmod(0o444)
    write(tmp_path, "prompts/tone.md", "Said: {{ candidate_answer }} ${question}\n").chmod(0o444)
    judge = "    evaluators: [{name: tone, type: llm_judge, prompt: prompts/tone.md}]\n"
    write(tmp_path, "a.eval.yaml", MISSPELLED + judge).chmod(0o444)
    write(tmp_path, "linked.eval.yaml", LEGACY)
    (tmp_path / "another name").hardlink_to(tmp_path / "linked.eval.yaml")
    command = ("check", ".", "--unsafe-fixes", "--format", form)
    done = suitecase(*command, "--fix", cwd=tmp_path)
    plain = suitecase("check", ".", "--format", form, cwd=tmp_path)
    assert (plain.returncode, done.returncode) == (1, 2)
    names = ("suitecase.toml", "prompts/tone.md", "a.eval.yaml", "linked.eval.yaml")
    reasons = [line for line in done.stderr.splitlines() if ": was not fixed: " in line]
    assert {line.partition(":")[0] for line in reasons} == {*names}
    assert len(done.stderr.splitlines()) == len(names)
    match form:
        case "text" | "json":
            assert done.stdout == plain.stdout
        case "github":
            added = set(done.stdout.splitlines()) - set(plain.stdout.splitlines())
            assert {line.partition("::was not fixed: ")[0] for line in added} == {
                f"::error file={name}" for name in names
            }
        case "junit":
            assert done.stdout.count('type="not-fixed"') == len(names)
        case _:
            results, plain_results = (
                json.loads(it.stdout)["runs"][0]["results"] for it in (done, plain)
            )
            assert results == plain_results
            assert "cannot be checked" not in done.stdout


def test_a_suite_is_checked_with_its_prompt_as_it_is_if_that_cannot_be_written(
    tmp_path: Path,
) -> None:
    # The misspelt variable is also missing, which is found in the suite.
    write(tmp_path, "tone.md", "Said: {{ candidate_anser }}\n").chmod(0o444)
    judge = "    evaluators: [{name: tone, type: llm_judge, prompt: tone.md}]\n"
    path = write(tmp_path, "a.eval.yaml", LEGACY + judge)
    done = suitecase("check", ".", "--fix", "--unsafe-fixes", cwd=tmp_path)
    assert done.returncode == 2
    assert "tone.md: was not fixed: it cannot be written" in done.stderr
    assert "error[SC302]" in done.stdout
    assert "SC303" in done.stdout
    assert "SC602" not in done.stdout
    assert "Fixed 1 finding in 1 file." in done.stdout
    assert path.read_text("utf-8") == SOUND + judge


def test_what_is_behind_a_link_out_of_the_workspace_is_checked_and_not_fixed(
    tmp_path: Path,
) -> None:
    home = tmp_path / "workspace"
    (home / ".git").mkdir(parents=True)
    real = write(tmp_path, "outside/a.eval.yaml", LEGACY)
    (home / "evals").symlink_to("../outside")
    for named in ("evals", "evals/a.eval.yaml"):
        done = suitecase("check", named, "--fix", cwd=home)
        plain = suitecase("check", named, cwd=home)
        assert "SC602" in plain.stdout
        assert (done.returncode, done.stdout) == (2, plain.stdout)
        assert done.stderr.startswith(f"{named}: was not fixed: a link leads out")
        assert real.read_text("utf-8") == LEGACY
    # It is fixed where it is also named as what it is.
    done = suitecase("check", "evals", "../outside", "--fix", cwd=home)
    assert "Fixed 1 finding in 1 file." in done.stdout


def test_a_fix_that_adds_errors_is_not_made_and_the_others_are(tmp_path: Path) -> None:
    # The misspelled key holds two rubrics that are wrong in a way only seen under its right name.
    hidden = "    rubics:\n      - {id: a, wieght: 1}\n      - {id: b, weight: -1}\n"
    text = LEGACY + hidden

    def analyzed(text: str) -> Analysis:
        return check(parse_suite(text), Folder(Workspace(tmp_path), tmp_path))

    fixed = fix_text(text, analyzed, unsafe=True)
    assert fixed.text == text.replace("outcome", "expected_outcome")
    assert dict(fixed.made) == {"SC602": 1}
