"""TAB in bash, zsh and fish: what is suggested, and what the shell makes of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from suitecase.cli import COMMANDS, group
from suitecase.cli.completing.answer import answer
from suitecase.cli.completing.table import FREE, kind_of, usage_name
from suitecase.cli.completing.values import ValuesOf
from support.running.processes import write
from support.running.processor_time import processor_time_of_children
from support.system.shell_session import PROGRAMS, ShellSession

#: Where all shells have to be there, as in CI.
REQUIRED = os.environ.get("SUITECASE_SHELLS_REQUIRED") == "1"
SHELLS = ("bash", "zsh", "fish")
SUITE = """\
execution: {target: small}
evalcases:
  - id: greets
    tags: [polite, short]
    input: Hi
    expected_outcome: Says hello
    rubrics:
      - id: hello
        expected_outcome: x
  - tags:
      - slow
    input: Hi
    id: "late parcel"   # with a blank
    expected_outcome: |
      id: not-a-case
  - {id: flow, input: Hi, expected_outcome: x}
"""
TARGETS = "targets:\n  - name: small\n    provider: mock\n  - {provider: mock, name: large}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with suites, one of them half-written, a data set, targets and results."""
    (tmp_path / ".git").mkdir()
    write(tmp_path, "a.eval.yaml", SUITE)
    write(tmp_path, "b/half.eval.yaml", SUITE + '  - id: new\n    input: "Hi\n  broken: [')
    write(tmp_path, "b/rows.jsonl", '{"id": "row-1", "tags": ["t"]}\n{oh no\n{"id": "row-2"}\n')
    write(tmp_path, "b/rows.yaml", "execution: {target: small}\n")
    write(tmp_path, "targets.yaml", TARGETS)
    write(tmp_path, "compose.yaml", "services: {}\n")
    for number, name in enumerate(("old.jsonl", "new.jsonl")):
        path = write(tmp_path, f".suitecase/results/{name}", "{}\n")
        os.utime(path, (1_000_000 + number, 1_000_000 + number))
    return tmp_path


class Suggest:
    """Suggestions in a folder, as the shell is given them."""

    def __init__(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        self._patch, self._captured = monkeypatch, capfd
        monkeypatch.chdir(folder)

    def __call__(self, line: str, shell: str = "zsh", breaks: str = "") -> list[str]:
        self._patch.setenv("_SUITECASE_COMPLETE", f"{shell}_complete")
        self._patch.setenv("_SUITECASE_LINE", line)
        self._patch.setenv("_SUITECASE_BREAKS", breaks)
        answer()
        out, err = self._captured.readouterr()
        assert err == ""
        return [it.split("\t")[1] for it in out.splitlines()]


@pytest.fixture
def suggested(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Suggest:
    """Suggestions in the workspace."""
    return Suggest(folder, monkeypatch, capfd)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("suitecase ex", ["explain"]),
        ("suitecase generate ", ["rubrics"]),
        ("suitecase check --format j", ["json", "jsonl", "junit"]),
        ("suitecase check --format=j", ["--format=json", "--format=jsonl", "--format=junit"]),
        ("suitecase check --select SC20", ["SC201", "SC202", "SC203", "SC204", "SC205"]),
        ("suitecase check --ignore SC201,SC202", ["SC201,SC202"]),
        ("suitecase check --ignore score-ranges-o", ["score-ranges-overlap"]),
        ("suitecase explain sc20", ["SC201", "SC202", "SC203", "SC204", "SC205"]),
        ("suitecase explain llm", ["llm_judge"]),
        ("suitecase explain required_min", ["required_min_score"]),
        ("suitecase explain datas", ["datasets", "dataset"]),
        ("suitecase explain evaluators", ["evaluators"]),
        ("suitecase run ", ["a.eval.yaml", "b"]),
        ("suitecase run b/", ["b/half.eval.yaml", "b/rows.jsonl"]),
        ("suitecase run a.eval.yaml::", ["greets", "late parcel", "flow"]),
        ("suitecase run a.eval.yaml::greets::f", ["greets::flow"]),
        ("suitecase run b/half.eval.yaml::n", ["new"]),
        ("suitecase run b/rows.jsonl::", ["row-1", "row-2"]),
        ("suitecase show b/rows.yaml::row-2", ["row-2"]),
        ("suitecase run a.eval.yaml --target ", ["small", "large", "mock"]),
        ("suitecase run --target=l", ["--target=large"]),
        ("suitecase run a.eval.yaml --tags ", ["polite", "short", "slow"]),
        ("suitecase run b/rows.jsonl --tags ", ["t"]),
        ("suitecase run --filter gr", ["greets"]),
        ("suitecase report ", [".suitecase/results/new.jsonl", ".suitecase/results/old.jsonl", "b"]),
        ("suitecase compare new", [".suitecase/results/new.jsonl"]),
        ("suitecase run --resume o", [".suitecase/results/old.jsonl"]),
        ("suitecase init --target groq", ["groq/"]),
        ("suitecase check 'a", ["a.eval.yaml"]),
        ("suitecase convert a.eval.yaml --output targ", ["targ"]),
        ("suitecase run nothing.yaml::", []),
        ("suitecase run --budget-usd ", []),
    ],
)  # fmt: skip
def test_what_is_suggested(suggested: Suggest, line: str, expected: list[str]) -> None:
    words = suggested(line)
    before = line.rpartition(" ")[2].partition("::")[0] + "::"
    found = [it.removeprefix(before) for it in words] if "::" in line else words
    if "SC20" in line or "sc20" in line:
        found = found[: len(expected)]
    assert found == expected


def test_bash_replaces_what_follows_a_colon_only_and_takes_escaped_blanks(
    suggested: Suggest,
) -> None:
    line = "suitecase run a.eval.yaml::l"
    assert suggested(line, "bash", ":=") == [r"late\ parcel"]
    assert suggested(line, "bash") == [r"a.eval.yaml::late\ parcel"]
    assert suggested(f'suitecase run "{line[14:]}', "bash", ":=") == ["a.eval.yaml::late parcel"]


def test_every_option_with_a_value_is_in_the_table_on_purpose() -> None:
    context = click.Context(group)
    commands = [group.get_command(context, it) for it in COMMANDS]
    commands += [one for it in commands for one in getattr(it, "commands", {}).values()]
    for command in commands:
        assert command is not None
        for param in command.params:
            is_flag = isinstance(param, click.Option) and param.is_flag
            if is_flag or isinstance(param.type, click.Choice | click.IntRange | click.FloatRange):
                continue
            kind, name = kind_of(param), usage_name(param)
            assert kind is not None or name in FREE, (command.name, param.name, name)
            assert kind is None or hasattr(ValuesOf, kind)


def test_it_takes_little_more_than_the_version(folder: Path) -> None:
    def fastest(environment: dict[str, str], *arguments: str) -> float:
        times = []
        for _ in range(3):
            began = processor_time_of_children()
            subprocess.run(
                [PROGRAMS / "suitecase", *arguments], cwd=folder, env=environment, check=True,
                capture_output=True,
            )  # fmt: skip
            times.append(processor_time_of_children() - began)
        return min(times)

    line = {"_SUITECASE_COMPLETE": "zsh_complete", "_SUITECASE_LINE": "suitecase run a.eval.yaml::"}
    version = fastest({**os.environ}, "--version")
    assert fastest({**os.environ, **line}) < version + 0.3


def test_nothing_of_the_checker_or_the_runner_is_imported(folder: Path) -> None:
    code = (
        "import sys\nfrom suitecase.cli.completing.answer import answer\nanswer()\n"
        "print(*sorted(it for it in sys.modules if it.startswith(('suitecase', 'pydantic', 'yaml'))))"
    )
    line = {"_SUITECASE_COMPLETE": "zsh_complete", "_SUITECASE_LINE": "suitecase run --target "}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder, env={**os.environ, **line}, capture_output=True, check=True, encoding="utf-8",
    )  # fmt: skip
    *_, modules = done.stdout.splitlines()
    slow = (
        "pydantic",
        "yaml",
        "suitecase.format",
        "suitecase.run",
        "suitecase.checking",
    )
    assert [it for it in modules.split() if it.startswith(slow)] == []
    own = [name for name in modules.split() if name.startswith("suitecase_evaluators.")]
    read = [name.rpartition(".")[2] for name in own if name.count(".") > 1]
    assert read == ["path_kinds", "invisible_characters"]


@pytest.fixture(params=("bash", "zsh"))
def session(request: pytest.FixtureRequest, folder: Path) -> Iterator[ShellSession]:
    """A shell that has run the line that the page says."""
    _demand(request.param)
    with ShellSession(request.param, folder) as session:
        session.run(f'eval "$(suitecase completion {request.param})"')
        yield session


def test_words_are_completed_in_the_shell(session: ShellSession) -> None:
    assert session.completed("suitecase expl") == ["suitecase", "explain"]
    assert session.completed("suitecase run a.eval.yaml::gr")[-1] == "a.eval.yaml::greets"
    assert session.completed("suitecase run a.eval.yaml::la")[-1] == "a.eval.yaml::late parcel"
    assert session.completed("suitecase run a.ev")[-1] == "a.eval.yaml"
    assert session.completed("suitecase check --format=conc")[-1] == "--format=concise"
    assert session.completed("suitecase run --target la")[-1] == "large"
    assert session.completed("suitecase report .suitecase/results/o")[-1].endswith("/old.jsonl")
    assert session.completed("suitecase init --target groq")[-1].startswith("groq/")
    assert session.completed("suitecase lsp --tcp comp")[-1] == "comp"


#: Words as somebody begins them, in quotes of each kind.
STARTS = ("dollar", '"dollar', "'dollar", "''dollar", "do'llar'", 'dol"la', "tick", '"tick')


def test_a_name_is_a_word_and_not_a_command(session: ShellSession, folder: Path) -> None:
    names = ("dollar$(touch made)", "tick`touch made`", "it'$(touch made)'")
    listed = "".join(f"  - {{name: {json.dumps(name)}, provider: mock}}\n" for name in names)
    write(folder, "targets.yaml", f"targets:\n{listed}")
    for start in STARTS:
        completed = session.completed(f"suitecase run --target {start}")[-1]
        said = f"{start} becomes {completed}"
        assert not (folder / "made").exists(), said
        # zsh finds nothing for a word in several quotes, and leaves it as it was typed.
        assert completed.endswith((*names, start.replace('"', "").replace("'", ""))), said
        assert completed.endswith(names) or start in ("''dollar", "do'llar'", 'dol"la'), said


def test_a_program_of_the_folder_is_not_asked(session: ShellSession, folder: Path) -> None:
    program = write(folder, "suitecase", "#!/bin/sh\ntouch made\n")
    program.chmod(0o755)
    assert session.completed("./suitecase expl")[-1] == "explain"
    assert not (folder / "made").exists()


def test_what_cannot_stand_in_an_open_quote_is_not_suggested(
    suggested: Suggest, folder: Path
) -> None:
    names = ("it's", "it!", "it")
    listed = "".join(f"  - {{name: {json.dumps(name)}, provider: mock}}\n" for name in names)
    write(folder, "targets.yaml", f"targets:\n{listed}")
    assert suggested("suitecase run --target 'i", "bash") == ["it!", "it"]
    assert suggested('suitecase run --target "i', "bash") == ["it's", "it"]
    assert suggested("suitecase run --target i", "bash") == [r"it\'s", r"it\!", "it"]
    assert suggested("suitecase run --target 'i't", "bash") == [r"it\'s", r"it\!", "it"]


def test_several_are_listed_without_anything_else(session: ShellSession) -> None:
    listed = session.listed("suitecase run a.eval.yaml::", until="flow")
    assert "greets" in listed
    assert "flow" in listed
    assert "hello" not in listed
    broken = session.listed("suitecase run b/half.eval.yaml::", until="new")
    assert "new" in broken
    assert "Traceback" not in broken
    results = session.listed("suitecase report .suitecase/results/", until="old.jsonl")
    assert results.index("new.jsonl") < results.index("old.jsonl")


def test_fish_suggests_with_descriptions(folder: Path) -> None:
    _demand("fish")
    path = f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"

    def complete(line: str) -> list[str]:
        script = f'suitecase completion fish | source; complete -C "{line}"'
        done = subprocess.run(
            ["fish", "--no-config", "-c", script],
            cwd=folder,
            env={**os.environ, "PATH": path, "HOME": str(folder)},
            capture_output=True,
            check=True,
            encoding="utf-8",
        )
        assert done.stderr == ""
        return done.stdout.splitlines()

    assert complete("suitecase expl") == [
        "explain\tExplain a rule, an evaluator, a target or a key."
    ]
    assert complete("suitecase run a.eval.yaml::") == [
        "a.eval.yaml::greets", "a.eval.yaml::late parcel", "a.eval.yaml::flow",
    ]  # fmt: skip
    assert complete("suitecase run ") == ["a.eval.yaml", "b/"]
    newest, older, *_ = complete("suitecase report ")
    assert newest.endswith("/.suitecase/results/new.jsonl")
    assert older.endswith("/.suitecase/results/old.jsonl")
    assert complete("suitecase report .s")[0] == ".suitecase/results/new.jsonl"
    assert complete("suitecase convert --output targ") == ["targets.yaml"]
    assert complete("suitecase check --format=conc") == ["--format=concise"]
    write(folder, "~root/a.eval.yaml", "evalcases: []\n")
    assert f"{folder}/~root/" in complete("suitecase run ")


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_is_printed_for_each_shell(shell: str) -> None:
    done = CliRunner().invoke(group, ["completion", shell])
    assert (done.exit_code, done.stdout.startswith("#")) == (0, True)


def _demand(shell: str) -> None:
    if shutil.which(shell) is None:
        assert not REQUIRED, f"{shell} is missing"
        pytest.skip(f"needs {shell}; on Debian: apt install {shell}")
