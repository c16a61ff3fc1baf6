"""`suitecase check` as users and CI run it: real processes, real files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from suitecase.derived import ROOT
from support.running.processes import CALL, execute, suitecase

SOUND = """\
execution: {target: mock}
evalcases:
  - id: greet
    input: Hi
    expected_outcome: Says hello
"""
OVERLAP = """\
evalcases:
  - id: grüße 😀
    input: Hi
    expected_outcome: Says hello
    rubrics:
      - id: warmth
        score_ranges: [{score_range: [0, 5], expected_outcome: Cold}, {score_range: [5, 10], expected_outcome: Warm}]
execution: {target: mock}
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_a_sound_suite_ends_with_0_and_one_line(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", SOUND)
    done = suitecase("check", "a.eval.yaml", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        "All checks passed (1 suite, 1 case).\n",
        "",
    )


def test_without_a_path_the_working_directory_is_checked(tmp_path: Path) -> None:
    write(tmp_path, "suites/a.eval.yaml", OVERLAP)
    named = suitecase("check", ".", cwd=tmp_path)
    unnamed = suitecase("check", cwd=tmp_path)
    assert "suites/a.eval.yaml:7:" in unnamed.stdout
    assert (unnamed.returncode, unnamed.stdout) == (named.returncode, named.stdout)


def test_a_finding_has_file_line_column_code_message_and_a_caret_under_its_place(
    tmp_path: Path,
) -> None:
    write(tmp_path, "a.eval.yaml", OVERLAP)
    done = suitecase("check", "a.eval.yaml", cwd=tmp_path)
    assert done.returncode == 1
    head, _, source, carets, related, *_ = done.stdout.splitlines()
    column = OVERLAP.splitlines()[6].index("[5, 10]") + 1
    assert head.startswith(f"a.eval.yaml:7:{column}: error[SC201] in rubric `warmth` [5, 10]")
    assert source[carets.index("^") : carets.rindex("^") + 1] == "[5, 10]"
    assert "line 7" in related


def test_the_json_is_one_object_of_the_published_form(tmp_path: Path) -> None:
    import jsonschema

    write(tmp_path, "suites/a.eval.yaml", OVERLAP)
    write(tmp_path, "suites/b.eval.yaml", SOUND.replace("input", "outcome: x\n    inptu"))
    done = suitecase("check", "suites", "--format", "json", cwd=tmp_path)
    report = json.loads(done.stdout)
    schema = json.loads((ROOT / "schemas" / "findings.schema.json").read_text("utf-8"))
    jsonschema.validate(report, schema)
    first = report["findings"][0]
    line = OVERLAP.splitlines()[6]
    assert first["file"] == "suites/a.eval.yaml"
    assert (first["line"], first["column"]) == (7, line.index("[5, 10]") + 1)
    assert (first["end_line"], first["end_column"]) == (7, line.index("[5, 10]") + 8)
    assert (first["code"], first["name"]) == ("SC201", "score-ranges-overlap")
    assert report["summary"] == {
        "files": 2,
        "cases": 2,
        "errors": sum(it["severity"] == "error" for it in report["findings"]),
        "warnings": sum(it["severity"] == "warning" for it in report["findings"]),
        "infos": 0,
    }
    assert done.returncode == 1


def test_an_edit_in_the_json_mends_the_file(tmp_path: Path) -> None:
    text = "evalcases:\n  - id: 😀 a\n    input: Hi\n    outcome: 😀 Says hello\n"
    text += "execution: {target: mock}\n"
    write(tmp_path, "a.eval.yaml", text)
    report = json.loads(suitecase("check", "a.eval.yaml", "--format=json", cwd=tmp_path).stdout)
    (finding,) = report["findings"]
    (edit,) = finding["fix"]["edits"]
    lines = text.splitlines(keepends=True)
    line = lines[edit["line"] - 1]
    lines[edit["line"] - 1] = (
        line[: edit["column"] - 1] + edit["text"] + line[edit["end_column"] - 1 :]
    )
    write(tmp_path, "a.eval.yaml", "".join(lines))
    assert suitecase("check", "a.eval.yaml", cwd=tmp_path).returncode == 0


def test_warnings_alone_end_with_0(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", SOUND.replace("expected_outcome", "outcome"))
    done = suitecase("check", "a.eval.yaml", cwd=tmp_path)
    assert "warning[SC602]" in done.stdout
    assert done.returncode == 0


def test_folders_are_searched_by_name_and_by_content(tmp_path: Path) -> None:
    write(tmp_path, "one/by-name.eval.yaml", "description: empty\n")
    write(tmp_path, "two/by-content.yaml", SOUND)
    write(tmp_path, "two/workflow.yaml", "tests:\n  - run: pytest\n")
    write(tmp_path, "two/other.yml", "a: 1\n")
    write(tmp_path, ".hidden/no.eval.yaml", "nothing: here\n")
    write(tmp_path, "node_modules/no.eval.yaml", "nothing: here\n")
    report = json.loads(suitecase("check", ".", "--format=json", cwd=tmp_path).stdout)
    assert report["summary"]["files"] == 2
    assert [it["file"] for it in report["findings"]] == ["one/by-name.eval.yaml"]


def test_several_paths_are_checked_together(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", SOUND)
    write(tmp_path, "b/b.eval.yaml", SOUND)
    done = suitecase("check", "a.eval.yaml", "b", cwd=tmp_path)
    assert "2 suites, 2 cases" in done.stdout


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("binary.yaml", b"\x7fELF\x02\x01\xff\xfe", "not text in UTF-8"),
        ("latin1.yaml", "evalcases: # grüße".encode("latin-1"), "not text in UTF-8"),
    ],
)
def test_what_is_no_text_is_named_and_ends_with_2(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(content)
    done = suitecase("check", name, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"{name}: cannot be checked: ")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "SC008"),
        ("\ufeff", "SC008"),
        ("# only a comment\n", "SC008"),
        ("evalcases:\n", "SC009"),
        ("evalcases: {}\n", "SC009"),
        ("[" * 100_000, "SC005"),
        ("evalcases:\n  - " + "[" * 100_000, "SC005"),
        ("evalcases:\n" + "- " * 100_000, "SC005"),
        ('{"evalcases":' * 100_000, "SC005"),
        ("evalcases:\n  - id: \x00", "SC001"),
        ("evalcases:\n  - id: \x07bell", "SC001"),
        ("evalcases: []\na: &a [x]\n" + "".join(f"{c}: &{c} [{','.join([f'*{p}'] * 9)}]\n" for p, c in zip("abcdefghi", "bcdefghij", strict=True)), "SC005"),
    ],
    ids=range(12),
)  # fmt: skip
def test_hostile_text_gives_a_finding_and_never_a_traceback(
    tmp_path: Path, text: str, code: str
) -> None:
    write(tmp_path, "bad.eval.yaml", text)
    done = suitecase("check", "bad.eval.yaml", "--format=json", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert code in [it["code"] for it in json.loads(done.stdout)["findings"]]
    assert done.stderr == ""
    done_text = suitecase("check", "bad.eval.yaml", cwd=tmp_path)
    assert (done_text.returncode, done_text.stderr) == (1, "")
    assert max(map(len, done_text.stdout.splitlines())) < 400


@pytest.mark.parametrize(
    "text",
    ["just text", "- a\n- b\n", "- " * 100_000, '{"a":' * 100_000, "a: &a [*a, *a]\nb: c: d\n"],
    ids=range(5),
)
def test_hostile_text_that_shows_no_suite_is_not_checked(tmp_path: Path, text: str) -> None:
    write(tmp_path, "bad.eval.yaml", text)
    done = suitecase("check", "bad.eval.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("bad.eval.yaml: cannot be checked: ")
    assert "Traceback" not in done.stderr


def test_paths_that_hold_nothing_to_check_end_with_2(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    missing = suitecase("check", "missing.yaml", cwd=tmp_path)
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "it does not exist" in missing.stderr
    empty = suitecase("check", "empty", cwd=tmp_path)
    assert (empty.returncode, "no suite found in this folder" in empty.stderr) == (2, True)
    dangling = tmp_path / "dangling.eval.yaml"
    dangling.symlink_to(tmp_path / "gone")
    dangling_link = suitecase("check", "dangling.eval.yaml", cwd=tmp_path)
    assert (dangling_link.returncode, "it does not exist" in dangling_link.stderr) == (2, True)
    assert suitecase("check", cwd=tmp_path).returncode == 2


def test_a_folder_that_cannot_be_looked_into_is_named(tmp_path: Path) -> None:
    write(tmp_path, "sound.eval.yaml", SOUND)
    # So deep that its path is longer than the system takes, which holds for root too.
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(tmp_path)
        for _ in range(45):
            Path("d" * 100).mkdir()
            os.chdir("d" * 100)
    finally:
        os.fchdir(here)
        os.close(here)
    done = suitecase("check", ".", cwd=tmp_path)
    assert "All checks passed (1 suite, 1 case)" in done.stdout
    assert (done.returncode, "cannot be checked: file name too long" in done.stderr) == (2, True)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_path_that_is_forbidden_does_not_keep_the_others_from_being_checked(
    tmp_path: Path,
) -> None:
    write(tmp_path, "sound.eval.yaml", SOUND)
    write(tmp_path, "forbidden.eval.yaml", SOUND).chmod(0)
    done = suitecase("check", "sound.eval.yaml", "forbidden.eval.yaml", cwd=tmp_path)
    assert "All checks passed (1 suite, 1 case)" in done.stdout
    assert (done.returncode, "permission denied" in done.stderr) == (2, True)


def test_one_unreadable_file_does_not_keep_the_others_from_being_checked(tmp_path: Path) -> None:
    (tmp_path / "bad.eval.yaml").write_bytes(b"\xff\xff")
    write(tmp_path, "good.eval.yaml", OVERLAP)
    done = suitecase("check", ".", cwd=tmp_path)
    assert done.returncode == 2
    assert "SC201" in done.stdout
    assert "bad.eval.yaml: cannot be checked" in done.stderr


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", OVERLAP)
    command = f"{sys.executable} -m suitecase check a.eval.yaml --format json | head -c 1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("{", "")


class OwnProcess(NamedTuple):
    """What a process did that was started to check a sound suite, and then one that names programs and addresses."""

    modules: list[str]
    output: str
    errors: str
    folder: Path


@pytest.fixture(scope="module")
def own_process(tmp_path_factory: pytest.TempPathFactory) -> OwnProcess:
    """A process in which Python started."""
    folder = tmp_path_factory.mktemp("own")
    write(folder, "sound.eval.yaml", SOUND)
    evaluators = (
        "    evaluators:\n"
        "      - {name: a, type: code_judge, script: [touch, ran]}\n"
        "      - {name: b, type: json_schema, schema: {$ref: 'http://127.0.0.1:9/s.json'}}\n"
    )
    write(folder, "a.eval.yaml", SOUND + evaluators)
    code = (
        "import sys\n"
        "def watch(event, arguments):\n"
        "    if event in ('socket.connect', 'socket.getaddrinfo', 'subprocess.Popen', 'os.system',"
        " 'os.posix_spawn', 'os.fork'):\n"
        "        sys.stderr.write(f'{event}\\n')\n"
        "sys.addaudithook(watch)\n"
        "from suitecase.cli import group\n"
        "group.main(['check', 'sound.eval.yaml'], standalone_mode=False)\n"
        "print(*sys.modules)\n"
        "group.main(['check', 'a.eval.yaml'], standalone_mode=False)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, encoding="utf-8", check=False
    )
    passed, modules, *found = done.stdout.splitlines()
    assert passed.startswith("All checks passed"), done.stderr
    return OwnProcess(modules.split(), "\n".join(found), done.stderr, folder)


def test_checking_opens_no_socket_and_starts_no_process(own_process: OwnProcess) -> None:
    assert own_process.errors == ""
    assert "SC402" in own_process.output
    assert not (own_process.folder / "ran").exists()


@pytest.mark.parametrize(
    "unwanted",
    [
        "pygls",
        "lsprotocol",
        "litellm",
        "rich",
        "jsonschema",
        "asyncio",
        "suitecase.authoring.conversion",
        "suitecase.figures.gates",
        "suitecase.formats.suitecase.legacy.rewrite",
        "suitecase.formats.suitecase.resolve",
        "subprocess",
        "suitecase_evaluators.grade.composite",
        "suitecase_evaluators.grade.judge.judging",
        "suitecase_evaluators.targets.program",
        "suitecase_evaluators.targets.target",
        "suitecase_evaluators.grade.text_search",
        "suitecase_evaluators.targets.config.agent",
        "suitecase_evaluators.targets.config.llm",
    ],
)
def test_a_check_does_not_import_what_it_does_not_need(
    own_process: OwnProcess, unwanted: str
) -> None:
    assert "suitecase.checking.check" in own_process.modules
    assert unwanted not in own_process.modules


def test_a_bug_in_a_rule_ends_with_4_and_the_other_rules_go_on(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", OVERLAP)
    code = (
        "from suitecase.checking.rules import rule_named\n"
        "def broken(subject): raise RuntimeError('planted')\n"
        "object.__setattr__(rule_named('SC111'), 'check', broken)\n"
        f"{CALL}"
    )
    done = execute(code, "check", "a.eval.yaml", cwd=tmp_path)
    assert done.returncode == 4
    assert "This is a bug in suitecase" in done.stderr
    assert "planted" in done.stderr
    assert "SC201" in done.stdout


BREAKS_ON_UNLUCKY = """
import functools
from suitecase.checking.rules import rule_named
rule = rule_named("duplicate-rubric-id")
right = rule.check
@functools.wraps(right)
def check(rubrics):
    if any(it.id == "unlucky" for it in rubrics.items):
        raise KeyError("planted")
    return right(rubrics)
object.__setattr__(rule, "check", check)
"""


def test_what_a_rule_found_before_it_failed_is_not_reported(tmp_path: Path) -> None:
    cases = "".join(
        f"  - {{id: {it}, input: Hi, rubrics: [{{id: {it}, expected_outcome: x}}, "
        f"{{id: {it}, expected_outcome: y}}]}}\n"
        for it in ("lucky", "unlucky")
    )
    write(tmp_path, "a.eval.yaml", f"execution: {{target: mock}}\nevalcases:\n{cases}")
    done = execute(BREAKS_ON_UNLUCKY + CALL, "check", "a.eval.yaml", cwd=tmp_path)
    assert done.returncode == 4
    assert "planted" in done.stderr
    assert "SC209" not in done.stdout
